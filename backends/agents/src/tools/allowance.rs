//! How often, how much and how long a judge may look things up in one turn.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use council_protocol::message::Usage;
use council_protocol::{JudgeId, ToolCall};
use serde_json::Value;

use super::{CodeTools, QueryBounds, QueryResult, StepStore, ToolQuery};

/// The most bytes of one result: a long function with what stands around it, some 6,000 tokens.
pub(super) const MAX_RESULT_BYTES: usize = 24 << 10;

/// The most bytes of all results of a turn: they are sent again with every further call.
pub(super) const MAX_TURN_BYTES: usize = 160 << 10;

/// Less than this shows nothing.
const MIN_RESULT_BYTES: usize = 512;

/// The longest time of one look-up.
const MAX_QUERY_TIME: Duration = Duration::from_secs(5);

/// The most characters of a tool's name that are kept where there is no such tool.
const MAX_NAME_CHARS: usize = 40;

/// What is said once nothing more may be looked up.
const NOTHING_LEFT: &str =
    "You have no more calls in this turn: answer the task now, from what you have seen.";

/// Whether so little of a turn is left that another look-up would take the time of the answer. A judge takes as long for
/// that as it took before, and longer for an answer.
pub(crate) fn is_late(left: Duration, longest: Duration) -> bool {
    left < longest * 5 / 2
}

/// What a judge may look things up with.
#[derive(Clone)]
pub(crate) struct ToolSetup {
    pub(crate) runner: Arc<dyn CodeTools>,
    /// Who looks things up.
    pub(crate) judge: JudgeId,
    /// Calls of one turn.
    pub(crate) max_calls: u32,
}

/// What a model is told after a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolAnswer {
    pub(crate) text: String,
    pub(crate) failed: bool,
}

/// The look-ups of the turn under way.
pub(crate) struct TurnTools {
    setup: ToolSetup,
    left: u32,
    bytes_left: usize,
    calls: Vec<ToolCall>,
}

impl TurnTools {
    pub(crate) fn new(setup: ToolSetup) -> Self {
        let mut tools = Self {
            setup,
            left: 0,
            bytes_left: 0,
            calls: Vec::new(),
        };
        tools.begin_turn();
        tools
    }

    /// Every turn has its own share.
    pub(crate) fn begin_turn(&mut self) {
        self.left = self.setup.max_calls;
        self.bytes_left = MAX_TURN_BYTES;
        self.calls.clear();
    }

    /// Where steps of the turn under way are kept.
    pub(crate) fn steps(&self) -> Option<&dyn StepStore> {
        self.setup.runner.steps()
    }

    /// Who looks things up.
    pub(crate) fn judge(&self) -> &JudgeId {
        &self.setup.judge
    }

    /// What the turn has used until now is told to whoever watches.
    pub(crate) fn tell_spent(&self, so_far: &Usage) {
        self.setup.runner.on_spent(&self.setup.judge, so_far);
    }

    /// A call is made again after a pause: told to whoever watches.
    pub(crate) fn tell_repeat(&self, why: &str, pause: Duration) {
        self.setup.runner.on_repeat(&self.setup.judge, why, pause);
    }

    /// Whether another call would be run.
    pub(crate) fn has_calls_left(&self) -> bool {
        self.left > 0 && self.bytes_left >= MIN_RESULT_BYTES
    }

    /// No call is run any more in this turn.
    pub(crate) fn stop(&mut self) {
        self.left = 0;
    }

    /// One more call is run in this turn, and none behind it.
    pub(crate) fn make_next_last(&mut self) {
        self.left = self.left.min(1);
    }

    /// How many calls of the turn are recorded.
    pub(crate) fn call_count(&self) -> usize {
        self.calls.len()
    }

    /// What the calls so far have shown, the model that answers will not have seen.
    pub(crate) fn forget_seen(&mut self) {
        for call in &mut self.calls {
            call.seen.clear();
        }
    }

    /// The calls of the turn so far, in order.
    pub(crate) fn calls(&self) -> &[ToolCall] {
        &self.calls
    }

    /// The calls of the turn, in order.
    pub(crate) fn take_calls(&mut self) -> Vec<ToolCall> {
        std::mem::take(&mut self.calls)
    }

    /// Runs a call of a model, or says why not. `until` is the end of the turn.
    pub(crate) fn answer_call(
        &mut self,
        tool: &str,
        arguments: &Result<Value, String>,
        until: Instant,
    ) -> ToolAnswer {
        let begun = Instant::now();
        let query = match arguments {
            _ if !self.has_calls_left() => Err(NOTHING_LEFT.to_owned()),
            Ok(arguments) => ToolQuery::parse(tool, arguments),
            Err(problem) => Err(problem.clone()),
        };
        // What cannot be run counts, too: a model that only makes mistakes has to end.
        self.left = self.left.saturating_sub(1);
        let result = match &query {
            Ok(query) => self.run_query(query, begun, until),
            Err(problem) => refused(problem.clone()),
        };
        let failed = result.text.is_err();
        let (Ok(text) | Err(text)) = result.text;
        let mut text = truncate(text, MAX_RESULT_BYTES);
        self.bytes_left = self.bytes_left.saturating_sub(text.len());
        // A flood of calls leaves no flood of records.
        if self.calls.len() <= self.setup.max_calls as usize {
            self.calls.push(ToolCall {
                tool: tool.chars().take(MAX_NAME_CHARS).collect(),
                asked: result.asked,
                bytes: text.len() as u64,
                elapsed_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
                failed,
                seen: result.seen,
            });
        }
        if text != NOTHING_LEFT {
            text.push_str(&self.what_is_left());
        }
        ToolAnswer { text, failed }
    }

    fn run_query(&self, query: &ToolQuery, begun: Instant, until: Instant) -> QueryResult {
        let bounds = QueryBounds {
            max_bytes: MAX_RESULT_BYTES.min(self.bytes_left),
            until: until.min(begun + MAX_QUERY_TIME),
        };
        // A look-up that panics costs the judge this look-up, and not its seat.
        let run = AssertUnwindSafe(|| {
            self.setup.runner.on_query(&self.setup.judge, query);
            self.setup.runner.run_query(query, &bounds)
        });
        catch_unwind(run).unwrap_or_else(|_| refused("the look-up failed".to_owned()))
    }

    fn what_is_left(&self) -> String {
        if self.has_calls_left() {
            format!("\n[{} calls left in this turn]", self.left)
        } else {
            format!("\n[{NOTHING_LEFT}]")
        }
    }
}

fn refused(problem: String) -> QueryResult {
    QueryResult {
        text: Err(problem),
        asked: String::new(),
        seen: Vec::new(),
    }
}

/// At most so many bytes, cut between characters.
fn truncate(mut text: String, max_bytes: usize) -> String {
    if text.len() > max_bytes {
        let end = (0..=max_bytes).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or(0));
    }
    text
}
