//! What the judges of a run look up now, for whoever watches it from another process: the journal learns of look-ups
//! only with the answer that they led to.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use council_protocol::{JudgeId, Millis};
use serde::{Deserialize, Serialize};

use crate::run::store::StoredRun;
use crate::safe_file;
use crate::session::{ProgressEvent, ProgressKind, RunRef};

/// Its name in the run's folder.
const FILE: &str = "lookups.json";

/// The last look-up of one judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CurrentLookup {
    /// The council's time.
    at: Millis,
    tool: String,
    asked: String,
}

type Lookups = BTreeMap<JudgeId, CurrentLookup>;

/// Writes them down.
pub(crate) struct LookupRecord {
    path: PathBuf,
    now: Mutex<Lookups>,
}

impl LookupRecord {
    /// For a run; none where it has no folder.
    pub(crate) fn of_run(run: &RunRef) -> Option<Self> {
        let path = run.file_path(FILE)?;
        let now = Mutex::default();
        Some(Self { path, now })
    }

    /// A look-up, in the place of the judge's last one. Where it cannot be written, whoever watches sees less.
    pub(crate) fn note(&self, judge: &JudgeId, event: &ProgressEvent) {
        let ProgressKind::LooksUp { tool, asked, .. } = &event.kind else {
            return;
        };
        let lookup = CurrentLookup {
            at: event.at,
            tool: tool.clone(),
            asked: asked.clone(),
        };
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.insert(judge.clone(), lookup);
        if let Ok(json) = serde_json::to_vec(&*now) {
            let _ = safe_file::write_file(&self.path, json);
        }
    }
}

/// Reads them, each one once.
#[derive(Debug, Default)]
pub(crate) struct LookupReader(Lookups);

impl LookupReader {
    /// What is new. A file that is not there, or no longer, tells nothing.
    pub(crate) fn poll(&mut self, run: &StoredRun) -> Vec<ProgressEvent> {
        let bytes = run.read_file(FILE).unwrap_or_default();
        let now: Lookups = serde_json::from_slice(&bytes).unwrap_or_default();
        let news = now
            .iter()
            .filter(|(judge, lookup)| self.0.get(*judge) != Some(*lookup));
        let news = news.map(|(judge, lookup)| {
            let kind = ProgressKind::LooksUp {
                judge: judge.clone(),
                tool: lookup.tool.clone(),
                asked: lookup.asked.clone(),
            };
            ProgressEvent::new(lookup.at, kind)
        });
        let news = news.collect();
        self.0 = now;
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks_up(judge: &str, at: Millis, asked: &str) -> (JudgeId, ProgressEvent) {
        let kind = ProgressKind::LooksUp {
            judge: judge.into(),
            tool: "read_file".to_owned(),
            asked: asked.to_owned(),
        };
        (judge.into(), ProgressEvent::new(at, kind))
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
        let note = |one: &(JudgeId, ProgressEvent)| record.note(&one.0, &one.1);
        let [first, second, other] = [
            looks_up("judge-1", 10, "src/a.rs"),
            looks_up("judge-1", 20, "src/b.rs"),
            looks_up("judge-2", 15, "src/a.rs"),
        ];
        note(&first);
        assert_eq!(early.poll(&run), [first.1]);
        note(&other);
        note(&second);
        let now = [second.1, other.1];
        assert_eq!(early.poll(&run), now);
        assert_eq!(early.poll(&run), []);
        assert_eq!(LookupReader::default().poll(&run), now);
        std::fs::write(folder.path().join(FILE), "{half").unwrap();
        assert_eq!(early.poll(&run), []);
    }
}
