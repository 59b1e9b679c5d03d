//! What a model says in a turn elsewhere than in the answer that counts: none of it is forgotten, however the turn ends.

use std::time::Instant;

use council_protocol::message::Usage;
use serde_json::Value;

use super::HttpConversation;
use crate::command::keyed_objects;
use crate::http::wire::{self, AnswerEnd, ApiAnswer, ApiMessage, ModelCall};
use crate::meant_answer::{is_meant_as_answer, is_meant_since};
use crate::tools::tool_declarations;

/// The most answers of a turn that are kept beside the one that counts.
const MAX_UNREAD: usize = 8;

/// What a model is told that has looked things up and then said nothing.
const NO_ANSWER: &str =
    "Your answer is missing. Answer the task now, from what you have seen, without another call.";

/// What a model is told whose answer behind its look-ups was too long.
const CUT_OFF: &str = "Your answer broke off, since it was too long. Answer the task now, from what you have seen, shorter.";

/// What a model is told whose call of a tool came as text: its server does not know the form in which the model calls.
const CALL_AS_TEXT: &str = "Your call of a tool came as text, which nobody runs. Answer the task now, from what you have seen.";

impl HttpConversation {
    /// What the turn has cost, with what was looked up in it.
    pub(super) fn take_usage(&mut self) -> Option<Usage> {
        self.set_aside();
        let unread = std::mem::take(&mut self.unread);
        // A stream that breaks off tells no usage, and may have told an objection.
        let spent = self.spending.take_usage();
        let spent = spent.or_else(|| (!unread.is_empty()).then(Usage::default))?;
        Some(self.tools.add_to_usage(Usage { unread, ..spent }))
    }

    /// What has come so far is no answer: it is kept apart.
    pub(super) fn set_aside(&mut self) {
        let thoughts = std::mem::take(&mut self.thoughts);
        let thoughts = Some(thoughts).filter(|_| std::mem::take(&mut self.thinks_answer));
        let said = std::mem::take(&mut self.partial);
        let asides = std::mem::take(&mut self.asides);
        for said in [said].into_iter().chain(thoughts).chain(asides) {
            if !said.trim().is_empty() && self.unread.len() < MAX_UNREAD {
                self.unread.push(said);
            }
        }
        self.draft.set("");
        self.tell_asides();
    }

    /// Takes down what has come of an answer: the stream may end at any time, or nobody may wait for it any longer.
    pub(super) fn hear(&mut self, heard: &ApiAnswer) {
        let new = heard.text.get(self.partial.len()..).unwrap_or_default();
        self.draft.push(new.as_bytes());
        self.partial.push_str(new);
        let begin = self.thoughts.len();
        let has_thought = heard.thoughts.len() > begin;
        self.thoughts
            .push_str(heard.thoughts.get(begin..).unwrap_or_default());
        self.thinks_answer |= has_thought && is_meant_since(&self.thoughts, begin, &self.key);
        let asides = self.told_asides(heard);
        if has_thought || asides != self.asides {
            self.asides = asides;
            self.tell_asides();
        }
    }

    /// What was said outside of an answer, and is told where no answer says it again. Who declines may say why.
    fn told_asides(&self, heard: &ApiAnswer) -> Vec<String> {
        // A model that was offered no such tool may hand in a finding by it, or its vote.
        let strange = |text: &str| {
            let mut calls = heard.calls.iter();
            let is_told = text.contains("severity") || is_meant_as_answer(text, &self.key);
            let mut is_call = || calls.any(|call| call.arguments == text && !is_tool(&call.name));
            is_told && (is_call() || heard.strays().any(|other| other == text))
        };
        let told = heard
            .asides()
            .filter(|text| self.holds_key(text) || *text == heard.refusal || strange(text));
        let told = told.filter(|text| !text.trim().is_empty());
        told.map(str::to_owned).collect()
    }

    pub(super) fn forget_thoughts(&mut self) {
        self.thoughts.clear();
        self.thinks_answer = false;
    }

    /// Whoever ends the turn from outside tells what was said elsewhere than in the answer under way.
    fn tell_asides(&self) {
        let thoughts = Some(&self.thoughts).filter(|_| self.thinks_answer);
        let asides = self.unread.iter().chain(&self.asides).chain(thoughts);
        self.draft.set_asides(asides.cloned().collect());
    }

    /// What is said beside a call of a tool is no answer yet; but one that has the key of its turn, or gives its vote, was
    /// meant as one, and what it objects to is told where the next one does not say it again.
    pub(super) fn set_draft_aside(&mut self) {
        // What it thinks before it looks something up is no end of its thoughts.
        self.forget_thoughts();
        if is_meant_as_answer(&self.partial, &self.key) {
            self.set_aside();
        }
        self.partial.clear();
        self.draft.set("");
        self.tell_asides();
    }

    /// An answer that came as the arguments of a call is taken at its word at once, with the words beside it: a model that
    /// hands it in so, since other clients of ours have a tool for it, would only repeat what it paid for. Look-ups beside it
    /// are not run; a call of another name may say something else, and is told that there is no such tool. One that says the answer
    /// of the text again adds nothing, and one that says another is heard behind it.
    pub(super) fn take_called_answer(&self, mut heard: ApiAnswer) -> ApiAnswer {
        let others = heard.calls.iter().filter(|call| !is_tool(&call.name));
        let others: Vec<&ModelCall> = others.collect();
        let is_done = heard.ended == Some(AnswerEnd::Done);
        match others.as_slice() {
            [only] if is_done && self.holds_key(&only.arguments) => {
                if !self.says_again(&heard.text, &only.arguments) {
                    heard.text = format!("{}\n{}", heard.text.trim_end(), only.arguments);
                }
                heard.calls.clear();
                heard
            }
            _ => heard,
        }
    }

    /// Whether the arguments of a call are the one answer that a text has already.
    fn says_again(&self, text: &str, arguments: &str) -> bool {
        let mut said = keyed_objects(&self.key, text.as_bytes());
        let called = serde_json::from_slice::<Value>(arguments.as_bytes()).ok();
        called.is_some() && said.next() == called && said.next().is_none()
    }

    /// A whole answer that stands elsewhere than in an answer's text is taken where there is no other; else it is kept like
    /// what was said beside a call.
    pub(super) fn find_answer(&mut self, mut heard: ApiAnswer) -> ApiAnswer {
        let is_silent = heard.text.trim().is_empty() && heard.ended == Some(AnswerEnd::Done);
        if heard.ended == Some(AnswerEnd::Done) && self.holds_key(&heard.text) {
            self.forget_thoughts();
        }
        self.asides.clear();
        let said = heard.asides().chain([heard.thoughts.as_str()]);
        let keyed: Vec<&str> = said.filter(|text| self.holds_key(text)).collect();
        match keyed.as_slice() {
            [only] if is_silent => heard.text = (*only).to_owned(),
            _ => self.set_asides_aside(&heard),
        }
        heard
    }

    /// What was said outside of an answer and has the key of its turn was meant as one.
    pub(super) fn set_asides_aside(&mut self, heard: &ApiAnswer) {
        self.asides.clear();
        let told = self.told_asides(heard);
        let room = MAX_UNREAD.saturating_sub(self.unread.len());
        self.unread.extend(told.into_iter().take(room));
        self.tell_asides();
    }

    /// Goes on with a turn whose look-ups no answer followed, or that calls in words: what was read and paid for is not looked
    /// up again. Once a turn.
    pub(super) fn reminds_of_answer(&mut self, heard: &ApiAnswer, until: Instant) -> bool {
        if !self.is_reminded && self.calls_in_words(heard) {
            self.is_reminded = true;
            self.said.push(ApiMessage::Answer(heard.text.clone()));
            self.said.push(ApiMessage::Prompt(CALL_AS_TEXT.to_owned()));
            return true;
        }
        let reminder = match heard.ended {
            Some(AnswerEnd::Limit) => CUT_OFF,
            Some(AnswerEnd::Done) if heard.text.trim().is_empty() => NO_ANSWER,
            _ => return false,
        };
        let mut said = heard.asides().chain([heard.thoughts.as_str()]);
        let has_looked = matches!(self.said.last(), Some(ApiMessage::Results(_)));
        if self.is_reminded || !has_looked || said.any(|text| self.holds_key(text)) {
            return false;
        }
        self.is_reminded = true;
        if heard.ended == Some(AnswerEnd::Done) && !heard.calls.is_empty() {
            // No API takes a call without a result: this one says that there are none left.
            let results = self.tools.answer_calls(&heard.calls, until);
            let items = wire::spoken_calls(self.endpoint.api, heard.clone());
            self.said.push(ApiMessage::Calls(items));
            self.said.push(ApiMessage::Results(results));
        }
        self.said.push(ApiMessage::Prompt(reminder.to_owned()));
        true
    }

    /// Whether the model calls a tool in its text instead of answering.
    fn calls_in_words(&self, heard: &ApiAnswer) -> bool {
        let said = heard
            .asides()
            .chain([heard.text.as_str(), heard.thoughts.as_str()]);
        let has_answer = said.into_iter().any(|text| self.holds_key(text));
        let is_call = is_call_in_words(&heard.text);
        is_call && !has_answer && heard.calls.is_empty() && heard.ended == Some(AnswerEnd::Done)
    }

    fn holds_key(&self, text: &str) -> bool {
        !self.key.is_empty() && text.contains(&self.key)
    }
}

/// How far behind its mark the name of a called tool stands, in characters.
const NAME_WITHIN: usize = 80;

fn is_tool(name: &str) -> bool {
    tool_declarations().iter().any(|tool| tool.name == name)
}

/// Whether a text has a call of one of our tools, in a form in which models write calls where their server reads none.
fn is_call_in_words(text: &str) -> bool {
    const MARKS: [&str; 6] = [
        "<tool_call>",
        "<function_call>",
        "<function=",
        "[TOOL_CALLS]",
        "<|python_tag|>",
        "<|tool_call",
    ];
    let names_tool = |said: &str| {
        let near: String = said.chars().take(NAME_WITHIN).collect();
        near.split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(is_tool)
    };
    let is_marked = |mark: &&str| {
        text.split_once(*mark)
            .is_some_and(|(_, said)| names_tool(said))
    };
    // Llama writes nothing but the object, in a fence or without one.
    let is_call = |part: &str| {
        let part = part.trim_start_matches(char::is_alphabetic).trim();
        let object = serde_json::from_slice::<Value>(part.as_bytes()).unwrap_or_default();
        let has_arguments = object["parameters"].is_object() || object["arguments"].is_object();
        has_arguments && object["name"].as_str().is_some_and(is_tool)
    };
    MARKS.iter().any(is_marked) || text.split("```").any(is_call)
}
