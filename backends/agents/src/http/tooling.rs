//! The tools of one conversation: whether the model is offered them, and what becomes of its calls.

use std::time::{Duration, Instant};

use council_protocol::JudgeId;
use council_protocol::message::Usage;

use super::wire::{ApiAnswer, CallResult, ModelCall, ToolUse};
use crate::tools::{StepStore, ToolSetup, TurnTools};

/// How often a model that has no calls left is told so before it is kept from calling: a forbidden call is another
/// request to the provider, whose cache of the conversation may be lost by it.
const MAX_REMINDERS: u32 = 1;

/// Words by which a server says that it knows no tools.
const TOOL_WORDS: [&str; 3] = ["tool", "function call", "functiondeclaration"];

/// Words by which it says that the form of the answer is what it cannot hold to beside them.
const FORM_WORDS: [&str; 4] = ["schema", "response_format", "mime type", "grammar"];

/// Whether a server's refusal is about tools.
pub(super) fn is_about_tools(refusal: &str) -> bool {
    let said = refusal.to_lowercase();
    TOOL_WORDS.iter().any(|word| said.contains(word)) && !is_about_form(refusal)
}

/// Whether it is about the form of the answer.
pub(super) fn is_about_form(refusal: &str) -> bool {
    let refusal = refusal.to_lowercase();
    FORM_WORDS.iter().any(|word| refusal.contains(word))
}

/// What a judge has to look things up with.
#[derive(Default)]
pub(super) struct ToolBelt {
    /// None: there is nothing to look into, or the server takes no tools.
    tools: Option<TurnTools>,
    /// Why the judge has none, where it was to have some.
    given_up: Option<String>,
    /// How often it was told in this turn that it has no calls left.
    reminders: u32,
    /// Whether the turn can pay for no call beside its answer.
    forbidden: bool,
    /// What the steps of the turn under way are kept under.
    pub(super) turn: String,
}

impl ToolBelt {
    pub(super) fn new(setup: ToolSetup) -> Self {
        Self {
            tools: Some(TurnTools::new(setup)),
            ..Self::default()
        }
    }

    /// For a model that is not to have tools, where others have.
    pub(super) fn switched_off() -> Self {
        Self {
            given_up: Some("they are switched off in the configuration".to_owned()),
            ..Self::default()
        }
    }

    pub(super) fn begin_turn(&mut self) {
        self.reminders = 0;
        self.forbidden = false;
        if let Some(tools) = &mut self.tools {
            tools.begin_turn();
        }
    }

    /// Where steps are kept.
    pub(super) fn steps(&self) -> Option<&dyn StepStore> {
        self.tools.as_ref()?.steps()
    }

    pub(super) fn judge(&self) -> Option<&JudgeId> {
        self.tools.as_ref().map(TurnTools::judge)
    }

    pub(super) fn is_offered(&self) -> bool {
        self.tools.is_some()
    }

    /// The server takes none.
    pub(super) fn give_up(&mut self, why: String) {
        self.tools = None;
        self.given_up = Some(why);
    }

    /// What the next request says of tools. The declarations stay the same in all of them.
    pub(super) fn tool_use(&self) -> ToolUse {
        match &self.tools {
            None => ToolUse::Absent,
            Some(_) if self.forbidden => ToolUse::Absent,
            Some(_) if self.reminders > MAX_REMINDERS => ToolUse::Forbidden,
            Some(_) => ToolUse::Allowed,
        }
    }

    /// Whether the next answer may be one with calls to run.
    pub(super) fn may_look_up(&self) -> bool {
        let has_calls = self.tools.as_ref().is_some_and(TurnTools::has_calls_left);
        has_calls && self.tool_use() == ToolUse::Allowed
    }

    /// Whether an answer is one that ends with calls to run. A model that calls where it must not has given its answer.
    pub(super) fn runs_calls_of(&self, heard: &ApiAnswer) -> bool {
        let is_whole = heard.ended == Some(super::wire::AnswerEnd::Done);
        is_whole && !heard.calls.is_empty() && self.tool_use() == ToolUse::Allowed
    }

    /// The model is offered no tools in this turn.
    pub(super) fn forbid_calls(&mut self) {
        self.forbidden = self.tools.is_some();
    }

    /// The calls that come now are not run, and none after them.
    pub(super) fn make_calls_last(&mut self) {
        if let Some(tools) = &mut self.tools {
            tools.stop();
        }
    }

    /// Runs calls in their order. Each has an answer, since no API takes a call without one.
    pub(super) fn answer_calls(&mut self, calls: &[ModelCall], until: Instant) -> Vec<CallResult> {
        let Some(tools) = &mut self.tools else {
            return Vec::new();
        };
        let answer = |call: &ModelCall| {
            let answer = tools.answer_call(&call.name, &call.parse_arguments(), until);
            CallResult {
                id: call.id.clone(),
                name: call.name.clone(),
                text: answer.text,
                failed: answer.failed,
            }
        };
        let results = calls.iter().map(answer).collect();
        if !tools.has_calls_left() {
            self.reminders += 1;
        }
        results
    }

    /// Another model goes on with the turn, and is sent nothing of what was looked up.
    pub(super) fn forget_seen(&mut self) {
        self.tools.iter_mut().for_each(TurnTools::forget_seen);
    }

    /// Why nothing could be looked up.
    fn why_without(&self) -> Option<String> {
        let limit = || "the limit of cost pays for one call of a turn alone".to_owned();
        self.given_up.clone().or_else(|| self.forbidden.then(limit))
    }

    /// What the turn has used until now is told to whoever watches.
    pub(super) fn tell_spent(&self, so_far: &Usage) {
        self.tools.iter().for_each(|tools| tools.tell_spent(so_far));
    }

    /// A call is made again after a pause: told to whoever watches.
    pub(super) fn tell_repeat(&self, why: &str, pause: Duration) {
        let tools = self.tools.iter();
        tools.for_each(|tools| tools.tell_repeat(why, pause));
    }

    /// Says in the usage of a turn that goes on what was looked up so far.
    pub(super) fn add_so_far(&self, usage: Usage) -> Usage {
        let calls = self.tools.as_ref().map(TurnTools::calls);
        Usage {
            tool_calls: calls.unwrap_or_default().to_vec(),
            without_tools: self.why_without(),
            ..usage
        }
    }

    /// Says in the usage of a turn what was looked up.
    pub(super) fn add_to_usage(&mut self, usage: Usage) -> Usage {
        let calls = self.tools.as_mut().map(TurnTools::take_calls);
        Usage {
            tool_calls: calls.unwrap_or_default(),
            without_tools: self.why_without(),
            ..usage
        }
    }
}
