//! Whose word a report is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who says what a report says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReportSource {
    /// The program that shows it.
    #[default]
    ThisProgram,
    /// A job without rights, whose word is checked and never remembered.
    UnprivilegedJob,
}

impl ReportSource {
    /// Whether it is this program's own.
    pub fn is_own(&self) -> bool {
        *self == Self::ThisProgram
    }
}
