//! What a checkout may say of a review of itself: whatever makes it stricter, and nothing else.
//!
//! `council.toml` of the worktree may be part of the change under review, and `.git/config` may have come out of an archive.
//! Whoever wrote the change must not be able to turn a FAIL into anything milder with them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use toml::Value;

use super::settings::JudgeSettings;

/// What a value from a checkout does to a key that only the trusted side sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckoutRule {
    Never,
    /// It holds where it stands later in this list than what holds without it.
    Stricter(&'static [&'static str]),
    /// At least so many judges sit, or count.
    AtLeast,
    /// Perspectives sit beside those that sit anyway.
    AddsSeats,
}

/// How far the checkout is followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CheckoutTrust {
    /// Where it makes the review stricter.
    #[default]
    Stricter,
    /// Like the trusted branch, in whose place it stands: its user says that it is their own.
    Full,
}

/// What a checkout asks for beyond what holds without it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RaisedDemands {
    /// So many judges sit at least, as far as `limits.agents` lets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judges: Option<u32>,
    /// So many must count at least, as far as so many sit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// Perspectives that sit, too. Names alone: what they mean is the trusted side's to say.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub perspectives: BTreeSet<String>,
}

impl RaisedDemands {
    /// Whether the checkout asks for nothing more.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes up a value; false where it asks for something that a checkout cannot ask for.
    pub(super) fn take_up(&mut self, key: &str, value: &Value) -> bool {
        let number = value.as_integer().and_then(|n| u32::try_from(n).ok());
        match (key, number, value) {
            // One judge always sits, and one always counts: whoever asks for no more asks for less.
            ("review.judges" | "review.quorum", Some(1), _) => return false,
            ("review.judges", Some(judges), _) => self.judges = self.judges.max(Some(judges)),
            ("review.quorum", Some(quorum), _) => self.quorum = self.quorum.max(Some(quorum)),
            ("review.perspectives", _, Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                self.perspectives.extend(names.map(str::to_owned));
            }
            ("judge", _, Value::Array(seats)) => {
                let seats = seats.iter().cloned().map(Value::try_into);
                let seats: Result<Vec<JudgeSettings>, _> = seats.collect();
                return seats.is_ok_and(|seats| self.add_seats(seats));
            }
            _ => return false,
        }
        true
    }

    /// Who thinks for a judge is not the checkout's to say: it could name the one that finds nothing.
    fn add_seats(&mut self, seats: Vec<JudgeSettings>) -> bool {
        let is_plain = |seat: &JudgeSettings| seat.agent.is_none() && seat.model.is_none();
        let obeyed = seats.iter().all(is_plain);
        let plain = seats.into_iter().filter(is_plain);
        self.perspectives
            .extend(plain.filter_map(|seat| seat.perspective));
        obeyed
    }
}

impl CheckoutRule {
    /// Whether `value` is stricter than what holds without it.
    pub(super) fn is_stricter(self, value: &Value, held: Option<&Value>) -> bool {
        let Self::Stricter(words) = self else {
            return false;
        };
        let rank = |value: &Value| {
            let word = match value {
                Value::String(word) => word.as_str(),
                Value::Boolean(true) => "true",
                Value::Boolean(false) => "false",
                _ => return None,
            };
            words.iter().position(|known| *known == word)
        };
        // What is not set at all may be as strict as can be.
        let held = held.map_or(Some(words.len() - 2), rank);
        rank(value).zip(held).is_some_and(|(new, held)| new > held)
    }
}
