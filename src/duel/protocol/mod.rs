//! The protocol of a duel. Everything here is pure: text in, state out.
//!
//! [`transcript`] reads the file, [`content`] what a section claims and answers (`wording` knows how people agree and
//! disagree, `plain_forms` in which closed forms they speak for a change), [`standing`] keeps the score, [`turns`] says whose move it is, [`closing`] what a CONSENSUS means, [`check`]
//! names violations with their lines, [`ledger`] knows every byte, [`receipts`] what both sides
//! say that they wrote, [`side`] decides the next move, [`render`] writes a section.

mod agreement;
mod bare_refusals;
mod believed_votes;
mod block_stance;
mod blocks;
pub(crate) mod check;
mod claim_place;
mod claim_tag;
pub(crate) mod claims;
pub(crate) mod closing;
#[cfg(test)]
mod closing_laws;
mod consent;
pub(crate) mod content;
mod contradiction;
mod displayed;
#[cfg(test)]
mod label_laws;
#[cfg(test)]
mod laws;
mod leading_refs;
pub(crate) mod ledger;
#[cfg(test)]
mod mark_laws;
pub(crate) mod notes;
#[cfg(test)]
mod objection_laws;
mod objections;
pub(super) mod plain_forms;
mod plain_labels;
mod playing_down;
mod point_fields;
mod point_files;
#[cfg(test)]
mod point_laws;
mod point_layouts;
mod point_leads;
pub(crate) mod point_ref;
pub(super) mod point_severity;
pub(crate) mod point_standing;
mod problem_text;
pub(crate) mod receipts;
pub(crate) mod render;
mod second_matter;
mod section_content;
mod severity_marks;
pub(crate) mod side;
pub(crate) mod speak;
pub(crate) mod standing;
mod summary_words;
pub(crate) mod transcript;
pub(crate) mod turns;
pub(crate) mod votes;
pub(crate) mod wording;
#[cfg(test)]
mod written_laws;

use std::fmt;

use serde::{Deserialize, Serialize};

/// Rounds (a follow-up and its response) after Response 1, at most.
pub(crate) const MAX_ROUNDS: u32 = 5;

/// Which side a process speaks for; fixed for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DuelRole {
    A,
    B,
}

impl DuelRole {
    /// The other side.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// The letter: `A` or `B`.
    pub(crate) fn letter(self) -> char {
        match self {
            Self::A => 'A',
            Self::B => 'B',
        }
    }
}

impl fmt::Display for DuelRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Agent {}", self.letter())
    }
}

/// Which side a process is: named on the command line, else by whether the file exists.
pub(crate) fn resolve_role(designated: Option<DuelRole>, file_exists: bool) -> DuelRole {
    designated.unwrap_or(if file_exists {
        DuelRole::B
    } else {
        DuelRole::A
    })
}

/// How a duel ended; stands as `Outcome: …` under `## CONSENSUS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DuelEnding {
    /// Every point is settled.
    Consensus,
    /// The last round is over and points are open.
    Limit,
    /// Agent A did not answer in time; written by B.
    TimeoutA,
    /// Agent B did not answer in time; written by A.
    TimeoutB,
    /// The protocol was broken.
    Violation,
}

impl DuelEnding {
    const ALL: [Self; 5] = [
        Self::Consensus,
        Self::Limit,
        Self::TimeoutA,
        Self::TimeoutB,
        Self::Violation,
    ];

    /// The word behind `Outcome:`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Consensus => "consensus",
            Self::Limit => "limit",
            Self::TimeoutA => "timeout-a",
            Self::TimeoutB => "timeout-b",
            Self::Violation => "violation",
        }
    }

    /// The ending that a word names.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.as_str() == word)
    }

    /// The ending when `late` did not answer in time.
    pub(crate) fn timeout_of(late: DuelRole) -> Self {
        match late {
            DuelRole::A => Self::TimeoutA,
            DuelRole::B => Self::TimeoutB,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_is_designated_or_detected_by_the_file() {
        assert_eq!(resolve_role(None, false), DuelRole::A);
        assert_eq!(resolve_role(None, true), DuelRole::B);
        assert_eq!(resolve_role(Some(DuelRole::B), false), DuelRole::B);
        assert_eq!(resolve_role(Some(DuelRole::A), true), DuelRole::A);
    }

    #[test]
    fn every_ending_has_a_word_of_its_own() {
        for ending in DuelEnding::ALL {
            assert_eq!(DuelEnding::parse(ending.as_str()), Some(ending));
        }
    }
}
