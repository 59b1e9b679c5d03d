//! A dismissal that no longer holds: what it was about counts again.

use council_protocol::Location;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::council::is_outgrown;
use crate::council::outcome::JudgedFinding;

/// Why a dismissal no longer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LapseReason {
    /// The code around the finding is not what was dismissed.
    CodeChanged,
    /// The finding is worse than what was dismissed, or about something else.
    Outgrown,
    /// It was taken back, or it does not count where this is reviewed: its author may not dismiss, or it is not signed.
    TakenBack,
}

/// Whose dismissal of a finding no longer holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LapsedDismissal {
    /// Who had dismissed it. Untrusted.
    pub by: String,
    /// Why that no longer holds.
    pub why: LapseReason,
}

/// How a sentence begins about a finding that counts again.
pub(super) fn came_back(place: &Location) -> String {
    format!("{}:{} came back: ", place.path.display(), place.line)
}

impl LapsedDismissal {
    /// Whose dismissal of an earlier finding lapsed, which counts `now`; none: nobody had dismissed it, or it does not count.
    pub(super) fn find(earlier: &JudgedFinding, now: &JudgedFinding) -> Option<Self> {
        let dismissal = earlier.dismissed.as_ref()?;
        now.level?;
        // A finding whose code was moved is carried under the name that it has now.
        let is_named = now.fingerprint == earlier.fingerprint;
        let why = match is_named && now.fingerprint == dismissal.fingerprint {
            false => LapseReason::CodeChanged,
            true if is_outgrown(dismissal, now) => LapseReason::Outgrown,
            true => LapseReason::TakenBack,
        };
        Some(Self {
            by: dismissal.by.clone(),
            why,
        })
    }

    /// `its dismissal by @ann no longer holds, because the code around it has changed`.
    pub(crate) fn in_words(&self) -> String {
        let why = match self.why {
            LapseReason::CodeChanged => "the code around it has changed, or its file was renamed",
            LapseReason::Outgrown => "the finding is worse now, or about something else",
            LapseReason::TakenBack => "it was taken back, or does not count here",
        };
        format!(
            "its dismissal by {} no longer holds, because {why}",
            self.by
        )
    }
}
