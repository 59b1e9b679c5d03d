//! Tools by which a judge looks into the reviewed repository: what they are called and take, who runs them, and how
//! much of them one turn has. Nothing here reads anything: the program hands in who does ([`CodeTools`]), over git
//! objects only.

mod allowance;
mod declare;
mod query;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use council_protocol::message::Usage;
use council_protocol::{JudgeId, SeenLines};
use serde_json::Value;

pub(crate) use allowance::{ToolSetup, TurnTools, is_late};
pub(crate) use declare::{ToolDeclaration, tool_declarations};
pub use query::{LineRange, ToolQuery};

/// Bytes by which the declarations of the tools lengthen every request, about.
pub fn declared_bytes() -> u64 {
    let tools = tool_declarations().iter();
    // Each API names the parts of a declaration, and its kind, in as many bytes or so.
    const NAMES: usize = 60;
    let bytes = tools
        .map(|tool| tool.name.len() + tool.about.len() + tool.schema.to_string().len() + NAMES);
    bytes.sum::<usize>() as u64
}

/// The most bytes that so many look-ups of one turn add to a conversation.
pub fn max_bytes_of_calls(calls: u32) -> u64 {
    let each = allowance::MAX_RESULT_BYTES as u64;
    max_turn_bytes().min(each * u64::from(calls))
}

/// The most bytes that all look-ups of one turn add to it.
pub fn max_turn_bytes() -> u64 {
    allowance::MAX_TURN_BYTES as u64
}

/// How much one look-up may take.
#[derive(Debug, Clone, Copy)]
pub struct QueryBounds {
    /// The most bytes of its result.
    pub max_bytes: usize,
    /// When it has to be done: what was found by then is the result.
    pub until: Instant,
}

/// What a look-up came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryResult {
    /// For the model; an error is for it, too: it may ask for something else.
    pub text: Result<String, String>,
    /// What was asked for, in short and without secrets.
    pub asked: String,
    /// Lines of the reviewed side that it shows whole.
    pub seen: Vec<SeenLines>,
}

/// Whoever looks into the repository for a judge. Reads git objects only, never a worktree, runs nothing, and shows
/// nothing that the brief would not show.
pub trait CodeTools: Send + Sync {
    /// Looks something up.
    fn run_query(&self, query: &ToolQuery, bounds: &QueryBounds) -> QueryResult;

    /// A judge looks something up now: for whoever watches.
    fn on_query(&self, judge: &JudgeId, query: &ToolQuery) {
        let _ = (judge, query);
    }

    /// What a turn of a judge has used until now, calls that are over and paid for: for whoever watches.
    fn on_spent(&self, judge: &JudgeId, so_far: &Usage) {
        let _ = (judge, so_far);
    }

    /// A call of a judge failed, and is made again after a pause: for whoever watches. `why` comes from the provider.
    fn on_repeat(&self, judge: &JudgeId, why: &str, pause: Duration) {
        let _ = (judge, why, pause);
    }

    /// Where steps of unfinished turns are kept; none: whoever goes on with a run pays for them again.
    fn steps(&self) -> Option<&dyn StepStore> {
        None
    }
}

/// Keeps what was paid for of a turn before it is answered: a model's answers that only ask for look-ups. What the
/// look-ups came to is not kept: it is read again, so that nothing on a disk poses as what a judge has seen.
pub trait StepStore: Send + Sync {
    /// Keeps a step of a turn, behind those that are kept.
    fn keep(&self, turn: &str, step: Value);

    /// The steps of a turn, in their order.
    fn kept(&self, turn: &str) -> Vec<Value>;
}
