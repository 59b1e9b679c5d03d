//! What an earlier review of the same pull request found, and what has become of it.

use council_protocol::{Location, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::council::means_same;
use crate::council::outcome::{Disposition, JudgedFinding, Outcome};

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
        let again = self.found_again(&outcome.findings);
        let told =
            |((found, fate), now): (&(JudgedFinding, FindingFate), Option<&JudgedFinding>)| {
                let counts = now.is_some_and(|now| now.level.is_some() && now.since.is_none());
                let is_tools = found.finding.rule.is_some();
                let is_dismissed = now.is_some_and(|now| now.dismissed.is_some());
                let renamed = now.filter(|now| counts && now.fingerprint != found.fingerprint);
                (!is_dismissed).then(|| EarlierFinding {
                    fingerprint: found.fingerprint.clone(),
                    fingerprint_now: renamed.map(|now| now.fingerprint.clone()),
                    severity: found.finding.severity,
                    location: found.finding.location.clone(),
                    description: found.finding.description.clone(),
                    fate: match fate {
                        _ if counts => FindingFate::StillOpen,
                        // The tool that had found it looked again.
                        FindingFate::StillOpen if is_tools && now.is_none() => {
                            FindingFate::Resolved
                        }
                        fate => *fate,
                    },
                })
            };
        EarlierReview {
            commit: self.commit.clone(),
            findings: self.findings.iter().zip(again).filter_map(told).collect(),
            lost: self.lost,
        }
    }

    /// Which finding of now each one of before is: by its name, else by what it says of which line. One of now is never two
    /// of before.
    fn found_again<'o>(&self, now: &'o [JudgedFinding]) -> Vec<Option<&'o JudgedFinding>> {
        let old = self.findings.iter().map(|(old, _)| old);
        let by_name = |old: &JudgedFinding| {
            now.iter()
                .position(|new| new.fingerprint == old.fingerprint)
        };
        let mut again: Vec<Option<usize>> = old.clone().map(by_name).collect();
        for (at, old) in old.enumerate() {
            if again[at].is_none() {
                let free = (0..now.len()).filter(|new| !again.contains(&Some(*new)));
                let same = free.filter(|&new| is_same_problem(&now[new], old));
                let line = old.finding.location.line;
                again[at] = same.min_by_key(|&new| now[new].finding.location.line.abs_diff(line));
            }
        }
        again.into_iter().map(|at| at.map(|at| &now[at])).collect()
    }
}

/// Whether a finding of now is one of before under another name: an edit beside a line gives what is found on it a new one. A
/// rule says the same of the same code; of what models say, the council knows what is one problem.
fn is_same_problem(new: &JudgedFinding, old: &JudgedFinding) -> bool {
    let (new_one, old_one) = (&new.finding, &old.finding);
    if new.disposition == Disposition::Rejected {
        return false;
    }
    if old_one.rule.is_none() {
        return means_same(new_one, old_one);
    }
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let (quote, before) = (bare(&new_one.quote), bare(&old_one.quote));
    // The old quote may be kept in short.
    let is_same_code = match before.is_empty() {
        true => {
            quote.is_empty() && bare(&new_one.description).starts_with(&bare(&old_one.description))
        }
        false => quote.starts_with(&before),
    };
    new_one.rule == old_one.rule && new_one.location.path == old_one.location.path && is_same_code
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
    /// The fingerprint of the finding as this review raises it again, where an edit beside its line gave it another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint_now: Option<String>,
    pub severity: Severity,
    /// Where it was.
    pub location: Location,
    /// The problem in a sentence; may be cut. Untrusted.
    pub description: String,
    pub fate: FindingFate,
}

impl EarlierReview {
    /// What a finding of the last review with this fingerprint is called now, if it is called otherwise.
    pub(crate) fn name_now(&self, fingerprint: &str) -> Option<&str> {
        let mut findings = self.findings.iter();
        let found = findings.find(|found| found.fingerprint == fingerprint)?;
        found.fingerprint_now.as_deref()
    }

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
