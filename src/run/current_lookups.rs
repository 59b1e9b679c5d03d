//! What the judges of a run look up now, and what that has cost, for whoever watches it from another process: the
//! journal learns of look-ups only with the answer that they led to.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use council_protocol::{JudgeId, Millis};
use serde::{Deserialize, Serialize};

use crate::run::store::StoredRun;
use crate::safe_file;
use crate::session::{ProgressEvent, ProgressKind, RunRef, UsedTokens};

/// Its name in the run's folder.
const FILE: &str = "lookups.json";

/// What one judge does before it answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct JudgeNow {
    lookup: Option<CurrentLookup>,
    #[serde(default)]
    pause: Option<CurrentPause>,
    spending: Option<CurrentSpending>,
}

/// Its last look-up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CurrentLookup {
    /// The council's time.
    at: Millis,
    tool: String,
    asked: String,
}

/// The last time that its provider was asked again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CurrentPause {
    /// The council's time.
    at: Millis,
    why: String,
    pause_ms: u64,
}

/// What its turn has used so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CurrentSpending {
    /// The council's time.
    at: Millis,
    used: UsedTokens,
}

type Judges = BTreeMap<JudgeId, JudgeNow>;

impl JudgeNow {
    /// What differs from what was known `before`.
    fn news(&self, before: Option<&Self>, judge: &JudgeId) -> Vec<ProgressEvent> {
        let before = before.cloned().unwrap_or_default();
        let spending = self.spending.iter();
        let spending = spending.filter(|one| before.spending.as_ref() != Some(*one));
        let spends = spending.map(|one| {
            let (judge, used) = (judge.clone(), one.used);
            ProgressEvent::new(one.at, ProgressKind::Spends { judge, used })
        });
        let lookup = self.lookup.iter();
        let lookup = lookup.filter(|one| before.lookup.as_ref() != Some(*one));
        let looks_up = lookup.map(|one| {
            let kind = ProgressKind::LooksUp {
                judge: judge.clone(),
                tool: one.tool.clone(),
                asked: one.asked.clone(),
            };
            ProgressEvent::new(one.at, kind)
        });
        let pause = self.pause.iter();
        let pause = pause.filter(|one| before.pause.as_ref() != Some(*one));
        let pauses = pause.map(|one| {
            let kind = ProgressKind::AsksAgain {
                judge: judge.clone(),
                why: one.why.clone(),
                pause_ms: one.pause_ms,
            };
            ProgressEvent::new(one.at, kind)
        });
        spends.chain(looks_up).chain(pauses).collect()
    }
}

/// Writes them down.
pub(crate) struct LookupRecord {
    path: PathBuf,
    now: Mutex<Judges>,
}

impl LookupRecord {
    /// For a run; none where it has no folder.
    pub(crate) fn of_run(run: &RunRef) -> Option<Self> {
        let path = run.file_path(FILE)?;
        let now = Mutex::default();
        Some(Self { path, now })
    }

    /// What a judge does, in the place of what it did last. Where it cannot be written, whoever watches sees less.
    pub(crate) fn note(&self, event: &ProgressEvent) {
        let at = event.at;
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        match event.kind.clone() {
            ProgressKind::LooksUp { judge, tool, asked } => {
                let lookup = CurrentLookup { at, tool, asked };
                now.entry(judge).or_default().lookup = Some(lookup);
            }
            ProgressKind::Spends { judge, used } => {
                let spending = CurrentSpending { at, used };
                now.entry(judge).or_default().spending = Some(spending);
            }
            ProgressKind::AsksAgain {
                judge,
                why,
                pause_ms,
            } => {
                let pause = CurrentPause { at, why, pause_ms };
                now.entry(judge).or_default().pause = Some(pause);
            }
            _ => return,
        }
        if let Ok(json) = serde_json::to_vec(&*now) {
            let _ = safe_file::write_file(&self.path, json);
        }
    }
}

/// Reads them, each one once.
#[derive(Debug, Default)]
pub(crate) struct LookupReader(Judges);

impl LookupReader {
    /// What is new. A file that is not there, or no longer, tells nothing.
    pub(crate) fn poll(&mut self, run: &StoredRun) -> Vec<ProgressEvent> {
        let bytes = run.read_file(FILE).unwrap_or_default();
        let now: Judges = serde_json::from_slice(&bytes).unwrap_or_default();
        let news = now
            .iter()
            .flat_map(|(judge, now)| now.news(self.0.get(judge), judge));
        let news = news.collect();
        self.0 = now;
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks_up(judge: &str, at: Millis, asked: &str) -> ProgressEvent {
        let kind = ProgressKind::LooksUp {
            judge: judge.into(),
            tool: "read_file".to_owned(),
            asked: asked.to_owned(),
        };
        ProgressEvent::new(at, kind)
    }

    #[test]
    fn each_look_up_is_told_once_and_the_last_of_each_judge_to_whoever_comes_late() {
        let folder = tempfile::tempdir().unwrap();
        let record = LookupRecord {
            path: folder.path().join(FILE),
            now: Mutex::default(),
        };
        let run = StoredRun {
            name: "council-1".to_owned(),
            folder: folder.path().to_owned(),
        };
        let mut early = LookupReader::default();
        assert_eq!(early.poll(&run), [], "there is no file yet");
        let [first, second, other] = [
            looks_up("judge-1", 10, "src/a.rs"),
            looks_up("judge-1", 20, "src/b.rs"),
            looks_up("judge-2", 15, "src/a.rs"),
        ];
        record.note(&first);
        assert_eq!(early.poll(&run), [first]);
        record.note(&other);
        record.note(&second);
        let now = [second.clone(), other.clone()];
        assert_eq!(early.poll(&run), now);
        assert_eq!(early.poll(&run), []);
        let used = UsedTokens {
            usd: Some(0.25),
            ..UsedTokens::default()
        };
        let judge = "judge-1".into();
        let spends = ProgressEvent::new(25, ProgressKind::Spends { judge, used });
        record.note(&spends);
        assert_eq!(early.poll(&run), std::slice::from_ref(&spends));
        let kind = ProgressKind::AsksAgain {
            judge: "judge-2".into(),
            why: "the provider failed (503)".to_owned(),
            pause_ms: 2_000,
        };
        let again = ProgressEvent::new(30, kind);
        record.note(&again);
        assert_eq!(early.poll(&run), std::slice::from_ref(&again));
        let now = [spends, second, other, again];
        assert_eq!(early.poll(&run), []);
        assert_eq!(LookupReader::default().poll(&run), now);
        std::fs::write(folder.path().join(FILE), "{half").unwrap();
        assert_eq!(early.poll(&run), []);
    }
}
