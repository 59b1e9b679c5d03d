//! The final ballot of a councillor.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::answer::Vote;

/// A councillor's vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum BallotVote {
    /// Counts as PASS.
    Proceed,
    /// Counts as WARN. As it is printed, it has blanks.
    ProceedWithConditions,
    /// Counts as FAIL.
    Reconsider,
    /// Counts as FAIL. As it is printed, it has blanks.
    DoNotProceed,
}

impl<'de> Deserialize<'de> for BallotVote {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> {
        let text = String::deserialize(text)?;
        Self::from_words(&text)
            .ok_or_else(|| serde::de::Error::unknown_variant(&text, &Self::SPELLINGS))
    }
}

impl BallotVote {
    const SPELLINGS: [&'static str; 4] = [
        "PROCEED",
        "PROCEED_WITH_CONDITIONS",
        "RECONSIDER",
        "DO_NOT_PROCEED",
    ];

    /// A vote however it is spelled: case and what stands between the words do not matter. Consent alone is taken at its
    /// word: `PROCEED?` and `PROCEED (1)` say something else as well.
    fn from_words(text: &str) -> Option<Self> {
        let bare = text.trim().trim_matches(['*', '`', '"', '_', '.']);
        if bare.eq_ignore_ascii_case("proceed") {
            return Some(Self::Proceed);
        }
        let letters = text.chars().filter(|c| c.is_alphabetic());
        let letters: String = letters.flat_map(char::to_lowercase).collect();
        match letters.as_str() {
            "proceedwithconditions" | "withconditions" => Some(Self::ProceedWithConditions),
            "reconsider" => Some(Self::Reconsider),
            "donotproceed" => Some(Self::DoNotProceed),
            _ => None,
        }
    }

    /// What it means for the verdict.
    pub fn vote(self) -> Vote {
        match self {
            Self::Proceed => Vote::Pass,
            Self::ProceedWithConditions => Vote::Warn,
            Self::Reconsider | Self::DoNotProceed => Vote::Fail,
        }
    }
}

/// The final ballot of a councillor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ballot {
    /// What the councillor votes for.
    pub vote: BallotVote,
    /// The strongest point that was made, by whomever.
    pub strongest_point: String,
    /// What the councillor concedes.
    pub concession: String,
    /// What still worries it.
    pub remaining_concern: String,
    /// Conditions of a conditional vote.
    #[serde(default)]
    pub conditions: Vec<String>,
}

impl Ballot {
    /// As what it counts: whoever names a condition lets nothing in without it, whatever the vote is called.
    pub fn counted(&self) -> Vote {
        let is_condition = |text: &String| !text.trim().is_empty();
        let least = if self.conditions.iter().any(is_condition) {
            Vote::Warn
        } else {
            Vote::Pass
        };
        self.vote.vote().max(least)
    }
}
