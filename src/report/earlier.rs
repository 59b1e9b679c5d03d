//! What an earlier review of the same pull request found, and what has become of it.

use std::collections::BTreeMap;

use council_protocol::{JudgeId, Location, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lapsed::{LapsedDismissal, came_back};
use crate::council::outcome::{Disposition, JudgedFinding, Outcome};
use crate::council::{is_namesake, means_same};

/// The most findings that a note names which came back.
const MAX_NAMED: usize = 3;

/// What became of an earlier finding.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FindingFate {
    /// Its file was judged again and it is gone.
    Resolved,
    /// It was dismissed, and the dismissal no longer holds; or it was resolved, and its code is there again. It counts.
    CameBack,
    /// It stands as it stood.
    StillOpen,
    /// Somebody has dismissed it since.
    Dismissed,
    /// Nobody can say: it counts as it did.
    NotVerifiable,
}

impl FindingFate {
    /// In the order in which they are told.
    const ALL: [Self; 5] = [
        Self::Resolved,
        Self::CameBack,
        Self::StillOpen,
        Self::Dismissed,
        Self::NotVerifiable,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::CameBack => "came back",
            Self::StillOpen => "still open",
            Self::Dismissed => "dismissed",
            Self::NotVerifiable => "not verifiable",
        }
    }
}

/// The findings that an earlier review left open or that were dismissed in it, each with what is to become of it unless this
/// one raises it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CarriedReview {
    /// The commit that was reviewed, as hex.
    pub commit: String,
    pub findings: Vec<(JudgedFinding, FindingFate)>,
    /// What they were called in that review, where other lines stand around them now: by the names that they have now.
    #[serde(default)]
    pub renamed: BTreeMap<String, String>,
    /// How many there were beside these, of which nothing but their number is known.
    pub lost: usize,
    /// Who was asked about which of them and said nothing of it, by its fingerprint.
    pub asked: BTreeMap<String, Vec<JudgeId>>,
}

impl CarriedReview {
    /// What counts in the new verdict, as long as nobody finds it again.
    pub(crate) fn standing(&self) -> Vec<JudgedFinding> {
        let all = self.findings.iter();
        let standing = all.filter(|(_, fate)| *fate != FindingFate::Resolved);
        // Whether a dismissal still holds, the new review decides.
        let undecided = |found: &JudgedFinding| JudgedFinding {
            dismissed: None,
            ..found.clone()
        };
        standing.map(|(found, _)| undecided(found)).collect()
    }

    /// The same, told among the notes of the new review.
    pub(crate) fn settle_in(&self, outcome: &mut Outcome) -> EarlierReview {
        let settled = self.settle(outcome);
        let told = settled.notes(&outcome.findings);
        outcome.notes.extend(told);
        settled
    }

    /// What has become of each, now that the new review is over.
    pub(crate) fn settle(&self, outcome: &Outcome) -> EarlierReview {
        let again = self.found_again(&outcome.findings);
        let told =
            |((found, fate), now): (&(JudgedFinding, FindingFate), Option<&JudgedFinding>)| {
                let counts = now.is_some_and(|now| now.level.is_some() && now.since.is_none());
                let is_tools = found.finding.rule.is_some();
                let lapsed = now.and_then(|now| LapsedDismissal::find(found, now));
                let is_dismissed = now.is_some_and(|now| now.dismissed.is_some());
                // What was dismissed was not open: unless it came back, nothing became of it.
                let was_open = found.dismissed.is_none() || found.level.is_some();
                let is_listed = now.is_some_and(|now| now.level.is_some()) || is_dismissed;
                let name = self.renamed.get(&found.fingerprint);
                let name = name.unwrap_or(&found.fingerprint);
                let renamed = now.filter(|now| is_listed && now.fingerprint != *name);
                (was_open || lapsed.is_some()).then(|| EarlierFinding {
                    fingerprint: name.clone(),
                    fingerprint_now: renamed.map(|now| now.fingerprint.clone()),
                    severity: found.finding.severity,
                    location: found.finding.location.clone(),
                    description: found.finding.description.clone(),
                    fate: match fate {
                        _ if lapsed.is_some() => FindingFate::CameBack,
                        _ if is_dismissed => FindingFate::Dismissed,
                        FindingFate::CameBack => FindingFate::CameBack,
                        _ if counts => FindingFate::StillOpen,
                        // The tool that had found it looked again.
                        FindingFate::StillOpen if is_tools && now.is_none() => {
                            FindingFate::Resolved
                        }
                        fate => *fate,
                    },
                    lapsed,
                    asked: self.asked.get(name).cloned().unwrap_or_default(),
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
        let by_name = |old: &JudgedFinding| now.iter().position(|new| is_namesake(new, old));
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
        return means_same(new, old);
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
    /// Whose dismissal of it no longer holds, where it came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapsed: Option<LapsedDismissal>,
    /// Judges that were shown it in a second round and said nothing of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<JudgeId>,
}

impl EarlierFinding {
    fn is_called(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint || self.fingerprint_now.as_deref() == Some(fingerprint)
    }
}

impl EarlierReview {
    /// Whether it has left this finding open.
    pub(crate) fn knows_finding(&self, fingerprint: &str) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|found| found.is_called(fingerprint))
    }

    /// What a finding of the last review with this fingerprint is called now, if it is called otherwise.
    pub(crate) fn name_now(&self, fingerprint: &str) -> Option<&str> {
        let mut findings = self.findings.iter();
        let found = findings.find(|found| found.fingerprint == fingerprint)?;
        found.fingerprint_now.as_deref()
    }

    /// Who was shown a finding of now in an earlier review and said nothing of it.
    pub(crate) fn asked_about(&self, fingerprint: &str) -> Vec<&JudgeId> {
        let mut findings = self.findings.iter();
        let found = findings.find(|found| found.is_called(fingerprint));
        found.map_or(Vec::new(), |found| found.asked.iter().collect())
    }

    /// The same review when a verdict is told again: what has been dismissed since is not open, and what is restored is.
    pub(crate) fn follow_dismissals(&mut self, now: &[JudgedFinding]) {
        for old in &mut self.findings {
            let Some(now) = now.iter().find(|now| old.is_called(&now.fingerprint)) else {
                continue;
            };
            match old.fate {
                FindingFate::StillOpen | FindingFate::CameBack if now.dismissed.is_some() => {
                    old.fate = FindingFate::Dismissed;
                    old.lapsed = None;
                }
                FindingFate::Dismissed if now.level.is_some() => old.fate = FindingFate::StillOpen,
                _ => {}
            }
        }
    }

    /// The commit in short, as people read it.
    pub(crate) fn short_commit(&self) -> &str {
        self.commit.get(..7).unwrap_or(&self.commit)
    }

    /// `2 resolved, 1 still open, 1 new`: how many findings met each fate, and how many of this review are none of them;
    /// empty where there is none of any.
    pub(crate) fn counts_in_words(&self, now: &[JudgedFinding]) -> String {
        let is_new = |now: &&JudgedFinding| {
            now.level.is_some()
                && now.since.is_none()
                && !self
                    .findings
                    .iter()
                    .any(|old| old.is_called(&now.fingerprint))
        };
        let new = now.iter().filter(is_new).count();
        let mut counts = self.counts();
        counts.extend((new > 0).then_some((new, "new")));
        let words = counts.iter().map(|(count, word)| format!("{count} {word}"));
        words.collect::<Vec<_>>().join(", ")
    }

    /// How many findings met each fate, those with none left out.
    fn counts(&self) -> Vec<(usize, &'static str)> {
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

    /// How the note begins that counts them.
    pub(crate) fn counts_label(&self) -> String {
        format!("findings since the last review ({}): ", self.short_commit())
    }

    /// What a reader of any surface should know of them, and of what is new in this review; none: none was open.
    pub(crate) fn notes(&self, now: &[JudgedFinding]) -> Vec<String> {
        let since = self.short_commit();
        let is_told = !self.findings.is_empty() || self.lost > 0;
        let told = is_told.then(|| format!("{}{}", self.counts_label(), self.counts_in_words(now)));
        let lost = (self.lost > 0).then(|| {
            format!(
                "{} findings of the last review ({since}) were too many to be carried over: nobody can say whether they are \
                 resolved",
                self.lost
            )
        });
        told.into_iter()
            .chain(self.lapsed_notes())
            .chain(lost)
            .collect()
    }

    /// Which findings count again that had been dismissed or resolved, and why: who sees a verdict turn red with
    /// nothing new in it looks for this.
    fn lapsed_notes(&self) -> Vec<String> {
        let back = self.findings.iter();
        let back = back.filter(|found| found.fate == FindingFate::CameBack);
        let line = |found: &EarlierFinding| {
            let why = match &found.lapsed {
                Some(lapsed) => lapsed.in_words(),
                None => "its code, which had gone, is there again".to_owned(),
            };
            format!("{}{why}", came_back(&found.location))
        };
        let mut notes: Vec<String> = back.map(line).collect();
        if notes.len() > MAX_NAMED + 1 {
            let left = notes.len() - MAX_NAMED;
            notes.truncate(MAX_NAMED);
            notes.push(format!("{left} more findings came back"));
        }
        notes
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
