//! What a judge says in a turn outlives this process: whoever goes on with the run is told of it, where the same turn
//! is asked again and the answer is milder.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use council_protocol::{Failure, FailureKind, JudgeId, Turn};
use serde_json::Value;

use crate::StopSignal;
use crate::tools::CodeTools;

/// How often it is looked whether more was said.
const LOOK: Duration = Duration::from_millis(200);

/// How many texts of a turn are kept at most.
const MAX_TEXTS: usize = 50;

/// Keeps the words of one judge among the steps of its turns.
pub(crate) struct TurnKeeper {
    runner: Arc<dyn CodeTools>,
    judge: JudgeId,
}

/// A turn whose words are kept while it lives.
#[derive(Default)]
pub(crate) struct KeptTurn {
    /// What an earlier process kept of it.
    earlier: Vec<String>,
    watch: Option<(Sender<()>, JoinHandle<()>)>,
}

/// What was said when it was last looked at, and what is kept of it.
#[derive(Default)]
struct SaidTexts {
    last: Vec<String>,
    kept: Vec<String>,
}

impl TurnKeeper {
    pub(crate) fn new(runner: Arc<dyn CodeTools>, judge: JudgeId) -> Self {
        Self { runner, judge }
    }

    /// A turn begins: what an earlier process kept of it is remembered.
    pub(crate) fn begin_turn(&self, turn: &Turn, stop: &StopSignal) -> KeptTurn {
        // Calls of models have names of their own (`http/steps.rs`).
        let name = format!("{}/{}/{}/said", self.judge, turn.id.0, turn.key);
        let Some(store) = self.runner.steps() else {
            return KeptTurn::default();
        };
        let kept = store.kept(&name);
        let text = |step: Value| step.as_str().map(str::to_owned);
        let earlier: Vec<String> = kept.into_iter().filter_map(text).collect();
        let (alive, over) = channel();
        let (runner, stop) = (Arc::clone(&self.runner), stop.clone());
        let mut said = SaidTexts {
            kept: earlier.clone(),
            ..SaidTexts::default()
        };
        let watch = thread::spawn(move || {
            while over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                for text in said.look(stop.said_so_far().0) {
                    if let Some(store) = runner.steps() {
                        store.keep(&name, text.into());
                    }
                }
            }
        });
        KeptTurn {
            earlier,
            watch: Some((alive, watch)),
        }
    }
}

impl SaidTexts {
    /// The texts to be kept now: those that are whole, as far as can be seen, and have not been kept.
    fn look(&mut self, said: Vec<String>) -> Vec<String> {
        let said = shortened(said);
        let is_whole = |text: &String| {
            let end = text.trim_end();
            self.last.contains(text) || end.ends_with('}') || end.ends_with("```")
        };
        let is_new = |text: &&String| !self.kept.contains(text);
        let new: Vec<String> = said.iter().filter(is_new).cloned().collect();
        let mut new: Vec<String> = new.into_iter().filter(is_whole).collect();
        new.truncate(MAX_TEXTS.saturating_sub(self.kept.len()));
        self.last = said;
        self.kept.extend_from_slice(&new);
        new
    }
}

/// Of a long text the begin and the end.
fn shortened(said: Vec<String>) -> Vec<String> {
    let failure = Failure::new(FailureKind::Died, "").with_drafts(said);
    failure.usage.map(|usage| usage.unread).unwrap_or_default()
}

impl KeptTurn {
    /// The turn is over: what an earlier process kept of it.
    pub(crate) fn end(mut self) -> Vec<String> {
        std::mem::take(&mut self.earlier)
    }
}

impl Drop for KeptTurn {
    fn drop(&mut self) {
        if let Some((alive, watch)) = self.watch.take() {
            drop(alive);
            // A thread that panicked has nothing more to keep.
            let _ = watch.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Instant;

    use council_protocol::message::TurnId;
    use council_protocol::{RoundNumber, Task};
    use proptest::prelude::*;

    use super::*;
    use crate::tools::{QueryBounds, QueryResult, StepStore, ToolQuery};

    /// Steps in memory.
    #[derive(Default)]
    struct Steps(Mutex<Vec<(String, Value)>>);

    impl StepStore for Steps {
        fn keep(&self, turn: &str, step: Value) {
            self.0.lock().unwrap().push((turn.to_owned(), step));
        }

        fn kept(&self, turn: &str) -> Vec<Value> {
            let steps = self.0.lock().unwrap();
            let of_turn = steps.iter().filter(|(of, _)| of == turn);
            of_turn.map(|(_, step)| step.clone()).collect()
        }
    }

    impl CodeTools for Steps {
        fn run_query(&self, _: &ToolQuery, _: &QueryBounds) -> QueryResult {
            unreachable!("nobody asks")
        }

        fn steps(&self) -> Option<&dyn StepStore> {
            Some(self)
        }
    }

    fn turn(id: u32) -> Turn {
        Turn {
            id: TurnId(id),
            round: RoundNumber::FIRST,
            key: "k".into(),
            task: Task::Review,
            prompt: String::new(),
            timeout_ms: 1000,
            spend: None,
        }
    }

    /// The program is killed while a turn goes on: what was written or handed in is told to the one that takes the same
    /// turn again, and to no other.
    #[test]
    fn whoever_goes_on_with_a_run_is_told_what_was_said_before() {
        let steps = Arc::new(Steps::default());
        let keeper = TurnKeeper::new(Arc::clone(&steps) as Arc<dyn CodeTools>, "judge-1".into());
        let stop = StopSignal::default();
        let killed = keeper.begin_turn(&turn(1), &stop);
        stop.draft().push(b"FAIL, and no more");
        stop.draft().add_handed_in(|| vec!["handed in".to_owned()]);
        let began = Instant::now();
        while steps.0.lock().unwrap().len() < 2 && began.elapsed() < Duration::from_secs(20) {
            thread::sleep(Duration::from_millis(10));
        }
        std::mem::forget(killed);
        let again = keeper.begin_turn(&turn(1), &StopSignal::default());
        assert_eq!(again.end(), ["FAIL, and no more", "handed in"]);
        let other = keeper.begin_turn(&turn(2), &StopSignal::default());
        assert_eq!(other.end(), Vec::<String>::new());
    }

    proptest! {
        /// However a text comes, it is kept once it is whole, and once only.
        #[test]
        fn every_text_is_kept_when_it_is_whole(
            text in "[a-z{}`\n]{1,40}", parts in proptest::collection::vec(0_usize..40, 0..6),
        ) {
            prop_assume!(!text.trim().is_empty());
            let (mut said, mut kept) = (SaidTexts::default(), Vec::new());
            let mut ends: Vec<usize> = parts.into_iter().map(|end| end.min(text.len())).collect();
            ends.sort_unstable();
            ends.extend([text.len(); 3]);
            for end in ends {
                kept.extend(said.look(vec![text[..end].to_owned()]));
            }
            let whole = kept.iter().filter(|kept| **kept == text).count();
            prop_assert_eq!(whole, 1, "{:?}", kept);
        }
    }
}
