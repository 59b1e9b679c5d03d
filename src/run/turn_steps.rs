//! Steps of turns that are not answered yet: what a model asked to look up was paid for, and is not asked again by
//! whoever goes on with the run. The journal learns of it only with the answer.
//!
//! What stands there is sent to a model as its own words, so the file bears the user's seal as the journal does, and a
//! run whose steps somebody else has written is not resumed.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use council_agents::tools::StepStore;
use council_protocol::message::TurnId;
use council_protocol::{JudgeId, Location, Packet};
use council_secrets::Redactor;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::memory::{MacKey, MacPurpose};
use crate::run::store::StoredRun;
use crate::safe_file::{self, FileWriter};
use crate::session::{HandedValues, RunRef, SaidInTurn, stands_in_change};

/// Its name in the run's folder.
const FILE: &str = "steps.json";

/// What is kept at most, so that no file grows without end.
const MAX_STEPS: usize = 5_000;

/// A finished call of a turn, as it is kept on disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KeptStep {
    turn: String,
    step: Value,
}

/// The file: the steps as a JSON text, so that the seal is one of exactly these bytes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SealedSteps {
    seal: String,
    steps: String,
}

/// The steps of a run, in a file of its folder.
pub(crate) struct StepFile {
    path: PathBuf,
    run: String,
    key: MacKey,
    redactor: Redactor,
    packet: Arc<Packet>,
    steps: Mutex<Vec<KeptStep>>,
}

impl StepFile {
    /// For a run, with what an earlier process kept; none where it has no folder, or the user has no key to seal it
    /// with.
    pub(crate) fn of_run(
        run: &RunRef,
        key: Option<MacKey>,
        redactor: Redactor,
        packet: Arc<Packet>,
    ) -> Option<Box<dyn StepStore>> {
        let (path, key) = (run.file_path(FILE)?, key?);
        let bytes = safe_file::read(&path).unwrap_or_default();
        // What is not ours keeps nothing: its steps are paid for again.
        let steps = open_steps(&key, &run.name, &bytes).unwrap_or_default();
        Some(Box::new(Self {
            path,
            run: run.name.clone(),
            key,
            redactor,
            packet,
            steps: Mutex::new(steps),
        }))
    }

    fn write(&self, steps: &[KeptStep]) {
        let Some(bytes) = seal_steps(&self.key, &self.run, steps) else {
            return;
        };
        // A full disk costs what is kept, and not the turn.
        let _ = FileWriter::new(&self.path)
            .with_permissions(Permissions::from_mode(0o600))
            .write(&bytes);
    }
}

impl StepStore for StepFile {
    fn keep(&self, turn: &str, mut step: Value) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.len() >= MAX_STEPS {
            return;
        }
        let is_reviewed = |text: &str, _: &[Location]| stands_in_change(&self.packet, text);
        HandedValues::new(&self.redactor, &is_reviewed).take_out_of_json(&mut step);
        let turn = turn.to_owned();
        steps.push(KeptStep { turn, step });
        self.write(&steps);
    }

    fn kept(&self, turn: &str) -> Vec<Value> {
        let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = steps.iter().filter(|kept| kept.turn == turn);
        steps.map(|kept| kept.step.clone()).collect()
    }
}

/// Whether the steps of a run are this user's, where there are any.
pub(crate) fn are_own_steps(past: &StoredRun, key: &MacKey) -> bool {
    match safe_file::read(past.folder.join(FILE)) {
        Ok(bytes) => open_steps(key, &past.name, &bytes).is_some(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// What judges had said in turns of a run, by judge and turn, as far as it was kept under the user's seal.
pub(crate) fn said_in_turns(past: &StoredRun, key: &MacKey) -> Vec<SaidInTurn> {
    let bytes = safe_file::read(past.folder.join(FILE)).unwrap_or_default();
    let steps = open_steps(key, &past.name, &bytes).unwrap_or_default();
    let mut said: BTreeMap<(JudgeId, u32), Vec<String>> = BTreeMap::new();
    for KeptStep { turn, step } in steps {
        if let (Some(turn), Value::String(text)) = (named_turn(&turn), step) {
            said.entry(turn).or_default().push(text);
        }
    }
    let turns = said.into_iter();
    turns
        .map(|((judge, turn), texts)| SaidInTurn {
            judge,
            turn: TurnId(turn),
            texts,
        })
        .collect()
}

/// The judge and the turn of words that are kept under a name (`judge-1/4/KEY/said`).
fn named_turn(name: &str) -> Option<(JudgeId, u32)> {
    let mut parts = name.strip_suffix("/said")?.rsplitn(3, '/').skip(1);
    let turn = parts.next()?.parse().ok()?;
    Some((JudgeId(parts.next()?.to_owned()), turn))
}

fn seal_steps(key: &MacKey, run: &str, steps: &[KeptStep]) -> Option<Vec<u8>> {
    let steps = serde_json::to_string(steps).ok()?;
    let seal = key.mac_hex(MacPurpose::Steps, &sealed_bytes(run, &steps));
    serde_json::to_vec(&SealedSteps { seal, steps }).ok()
}

/// The steps, if this user's program has written them for this run.
fn open_steps(key: &MacKey, run: &str, bytes: &[u8]) -> Option<Vec<KeptStep>> {
    let SealedSteps { seal, steps } = serde_json::from_slice(bytes).ok()?;
    key.verify_mac(MacPurpose::Steps, &sealed_bytes(run, &steps), &seal)
        .then(|| serde_json::from_slice(steps.as_bytes()).ok())?
}

fn sealed_bytes(run: &str, steps: &str) -> Vec<u8> {
    format!("{run}\n{steps}").into_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_of_a_turn_are_known_by_their_name() {
        let (judge, turn) = named_turn("judge-1/4/0a1b/said").unwrap();
        assert_eq!((judge.as_str(), turn), ("judge-1", 4));
        for other in ["judge-1/4/0a1b", "said", "judge-1/x/k/said", "4/k/said"] {
            assert!(named_turn(other).is_none(), "{other}");
        }
    }

    fn key() -> MacKey {
        MacKey::new([7; 32])
    }

    proptest! {
        /// Steps are believed as they were written for their run, and in no other way.
        #[test]
        fn only_steps_as_they_were_written_are_believed(
            words in "[a-z \"\\\\é\n]{0,30}", at in any::<prop::sample::Index>(), byte: u8, run in "[ab]",
        ) {
            let step = KeptStep { turn: "judge-1/1/k".into(), step: words.into() };
            let whole = seal_steps(&key(), "a", std::slice::from_ref(&step)).unwrap();
            let read = open_steps(&key(), &run, &whole);
            prop_assert_eq!(read, (run == "a").then(|| vec![step.clone()]));
            let mut changed = whole.clone();
            changed[at.index(whole.len())] = byte;
            // A seal in capitals is the same one, and so are other blanks and escapes of the same text.
            let believed = open_steps(&key(), "a", &changed);
            prop_assert!(believed.is_none_or(|steps| steps == [step.clone()]));
            prop_assert!(open_steps(&key(), "a", &whole[..at.index(whole.len())]).is_none());
        }
    }
}
