//! Verdicts that were given without a run of their own, because the change was judged before: `git council log` lists them
//! among the runs.

use serde::{Deserialize, Serialize};

use crate::council::outcome::Verdict;
use crate::git::RepositoryPaths;
use crate::report::Report;
use crate::run::context::RunContext;
use crate::safe_file;
use crate::session::{RealWorld, SessionWorld as _};

/// The file, in the folder that the program keeps in the git directory.
const GIVEN_FILE: &str = "given.json";

/// The most of them that are remembered.
const MAX_GIVEN: usize = 100;

/// A verdict that was given again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GivenVerdict {
    /// When, RFC 3339.
    pub(crate) at: String,
    /// The run that made it.
    pub(crate) run: String,
    pub(crate) verdict: Verdict,
    /// The verdict in a sentence, under the dismissals of that time.
    pub(crate) headline: String,
    /// The commit that was reviewed; none for what was not committed.
    pub(crate) commit: Option<String>,
    /// What was reviewed, as it was named.
    pub(crate) target: String,
}

impl GivenVerdict {
    fn of(report: &Report, at: String) -> Self {
        Self {
            at,
            run: report.receipt.run.name.clone(),
            verdict: report.outcome.verdict,
            headline: report.headline(),
            commit: report.target.head.clone(),
            target: report.target.label.clone(),
        }
    }

    fn says_same(&self, other: &Self) -> bool {
        let words = |given: &Self| Self {
            at: String::new(),
            ..given.clone()
        };
        words(self) == words(other)
    }
}

/// Remembers a verdict that was just given, where it was made before. Where that cannot be written, only the list lacks it.
pub(crate) fn note_given(report: &Report, start: &RunContext) {
    if report.receipt.run.recognised.is_none() || start.environment.is_ci() {
        return;
    }
    let given = GivenVerdict::of(report, RealWorld::new().read_calendar().rfc3339);
    let known = add_given(list_given(start), given);
    let Some(folder) = memory_dir(start) else {
        return;
    };
    // Plain data with string keys: this cannot fail.
    let json = serde_json::to_string(&known).unwrap_or_default();
    let _ = safe_file::make_folder(&folder)
        .and_then(|()| safe_file::write_file(&folder.join(GIVEN_FILE), json));
}

/// What was given, the latest last. A verdict that is given again and again, by a hook, say, is told once.
fn add_given(mut known: Vec<GivenVerdict>, given: GivenVerdict) -> Vec<GivenVerdict> {
    known.retain(|before| !before.says_same(&given));
    known.push(given);
    known.split_off(known.len().saturating_sub(MAX_GIVEN))
}

/// Every verdict that was given so; a file that cannot be read tells of none.
pub(crate) fn list_given(start: &RunContext) -> Vec<GivenVerdict> {
    let path = memory_dir(start).map(|folder| folder.join(GIVEN_FILE));
    let text = path.and_then(|path| safe_file::read_text(&path).ok());
    let known = text.and_then(|text| serde_json::from_slice(text.as_bytes()).ok());
    known.unwrap_or_default()
}

fn memory_dir(start: &RunContext) -> Option<std::path::PathBuf> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment()).ok()?;
    place.memory_dir()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The verdict that was given last is last, none that says the same stands beside it, and the list stays short.
        #[test]
        fn the_last_verdict_is_told_last_and_once(said in prop::collection::vec(0u8..4, 1..150)) {
            let mut known = Vec::new();
            for (second, word) in said.into_iter().enumerate() {
                let given = GivenVerdict {
                    at: second.to_string(),
                    run: "council-20260309-head".to_owned(),
                    verdict: Verdict::Pass,
                    headline: word.to_string(),
                    commit: None,
                    target: "HEAD".to_owned(),
                };
                known = add_given(known, given.clone());
                prop_assert_eq!(known.last(), Some(&given));
                let same = known.iter().filter(|other| other.says_same(&given));
                prop_assert_eq!(same.count(), 1);
                prop_assert!(known.len() <= MAX_GIVEN);
            }
        }
    }
}
