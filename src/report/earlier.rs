//! What an earlier review of the same pull request found, and what has become of it.

use council_protocol::{Location, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::council::outcome::{JudgedFinding, Outcome};

/// What became of an earlier finding.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FindingFate {
    /// Its file was judged again and it is gone.
    Resolved,
    /// It stands as it stood.
    StillOpen,
    /// Nobody can say: it counts as it did.
    NotVerifiable,
}

impl FindingFate {
    /// In the order in which they are told.
    const ALL: [Self; 3] = [Self::Resolved, Self::StillOpen, Self::NotVerifiable];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::StillOpen => "still open",
            Self::NotVerifiable => "not verifiable",
        }
    }
}

/// The findings that an earlier review left open, each with what is to become of it unless this one raises it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CarriedReview {
    /// The commit that was reviewed, as hex.
    pub commit: String,
    pub findings: Vec<(JudgedFinding, FindingFate)>,
    /// How many there were beside these, of which nothing but their number is known.
    pub lost: usize,
}

impl CarriedReview {
    /// What counts in the new verdict, as long as nobody finds it again.
    pub(crate) fn standing(&self) -> Vec<JudgedFinding> {
        let all = self.findings.iter();
        let standing = all.filter(|(_, fate)| *fate != FindingFate::Resolved);
        standing.map(|(found, _)| found.clone()).collect()
    }

    /// What has become of each, now that the new review is over.
    pub(crate) fn settle(&self, outcome: &Outcome) -> EarlierReview {
        let counts = |old: &JudgedFinding| {
            let mut now = outcome.findings.iter();
            now.any(|f| f.fingerprint == old.fingerprint && f.level.is_some() && f.since.is_none())
        };
        let is_there = |old: &JudgedFinding| {
            let place = |found: &JudgedFinding| {
                let place = &found.finding.location;
                (found.finding.rule.clone(), place.path.clone(), place.line)
            };
            let mut now = outcome.findings.iter();
            now.any(|f| f.fingerprint == old.fingerprint || place(f) == place(old))
        };
        let is_dismissed = |old: &JudgedFinding| {
            let mut now = outcome.findings.iter();
            now.any(|f| f.fingerprint == old.fingerprint && f.dismissed.is_some())
        };
        let told = |(found, fate): &(JudgedFinding, FindingFate)| EarlierFinding {
            fingerprint: found.fingerprint.clone(),
            severity: found.finding.severity,
            location: found.finding.location.clone(),
            description: found.finding.description.clone(),
            fate: match fate {
                _ if counts(found) => FindingFate::StillOpen,
                // The tool that had found it looked again.
                FindingFate::StillOpen if found.finding.rule.is_some() && !is_there(found) => {
                    FindingFate::Resolved
                }
                fate => *fate,
            },
        };
        let left = self.findings.iter().filter(|(old, _)| !is_dismissed(old));
        EarlierReview {
            commit: self.commit.clone(),
            findings: left.map(told).collect(),
            lost: self.lost,
        }
    }
}

/// The review before this one, and what has become of its findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierReview {
    /// The commit that it reviewed, as hex.
    pub commit: String,
    /// The findings that it left open.
    pub findings: Vec<EarlierFinding>,
    /// How many more there were than the report on the pull request could hold: nobody can say what became of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: usize,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierFinding {
    /// The finding's fingerprint.
    pub fingerprint: String,
    pub severity: Severity,
    /// Where it was.
    pub location: Location,
    /// The problem in a sentence; may be cut. Untrusted.
    pub description: String,
    pub fate: FindingFate,
}

impl EarlierReview {
    /// The commit in short, as people read it.
    pub(crate) fn short_commit(&self) -> &str {
        self.commit.get(..7).unwrap_or(&self.commit)
    }

    /// How many findings met each fate, those with none left out.
    pub(crate) fn counts(&self) -> Vec<(usize, &'static str)> {
        let count = |fate: FindingFate| {
            let met = self.findings.iter().filter(|found| found.fate == fate);
            let lost = match fate {
                FindingFate::NotVerifiable => self.lost,
                _ => 0,
            };
            (met.count() + lost, fate.as_str())
        };
        let counts = FindingFate::ALL.into_iter().map(count);
        counts.filter(|(count, _)| *count > 0).collect()
    }

    /// What a reader of any surface should know of them; none: none was open.
    pub(crate) fn notes(&self) -> Vec<String> {
        let counts: Vec<String> = self
            .counts()
            .iter()
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let since = self.short_commit();
        let told = (!counts.is_empty()).then(|| {
            format!(
                "findings of the last review ({since}): {}",
                counts.join(", ")
            )
        });
        let lost = (self.lost > 0).then(|| {
            format!(
                "{} findings of the last review ({since}) were too many to be carried over: nobody can say whether they are \
                 resolved",
                self.lost
            )
        });
        told.into_iter().chain(lost).collect()
    }
}

/// Why a finding counts that this review did not raise.
pub(super) fn still_open(commit: &str) -> String {
    let commit = commit.get(..7).unwrap_or(commit);
    format!("found in the review of {commit} and not resolved since")
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
