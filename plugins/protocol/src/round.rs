//! Which round of a debate something belongs to.

use std::cmp::Ordering;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// A round of a debate, counted from 1. How many rounds there are is a plain number, and can be compared with it.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct RoundNumber(pub u8);

impl RoundNumber {
    /// Before the first round: judges are being seated.
    pub const NONE: Self = Self(0);

    /// The round in which judges answer on their own.
    pub const FIRST: Self = Self(1);

    /// The first round in which judges react to each other.
    pub const SECOND: Self = Self(2);

    /// The round before this one; none comes before the first.
    #[must_use]
    pub fn previous(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// The round after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl From<u8> for RoundNumber {
    fn from(number: u8) -> Self {
        Self(number)
    }
}

impl PartialEq<u8> for RoundNumber {
    fn eq(&self, count: &u8) -> bool {
        self.0 == *count
    }
}

impl PartialOrd<u8> for RoundNumber {
    fn partial_cmp(&self, count: &u8) -> Option<Ordering> {
        self.0.partial_cmp(count)
    }
}

impl fmt::Display for RoundNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

// By hand, because a derived schema would name the type: published schemas show the number where it stands.
impl JsonSchema for RoundNumber {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        u8::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        u8::json_schema(generator)
    }
}
