//! Prompts: the brief that comes first, the same bytes for all judges of a class and all rounds, and the turn that comes
//! last (3-debate.md, "Packet, brief, prompt").
//!
//! Whatever a stranger wrote (the change, the authors' words, other judges' answers) stands in fences whose mark comes
//! from the run's seed, and reaches the template engine as a value, never as a template.

mod brief;
mod choose;
mod fence;
mod rank;
mod redact;
mod show;
mod template;
mod trial;
mod turn;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use council_protocol::packet::TargetKind;
use council_protocol::{Packet, Seat, Task};

pub use brief::{Brief, BriefClass, SMALLEST_BUDGET};
pub use redact::{Rules as RedactionRules, in_force as redaction_rules, redact, redact_file};
pub use template::{PromptError, TEMPLATES};

use crate::council::plan::Seed;
use fence::Fence;
use template::Templates;

/// Makes the prompts of one run.
#[derive(Debug)]
pub struct Prompter {
    templates: Templates,
    fence: Fence,
    matter: Matter,
    mode: Mode,
}

/// What is produced where nobody gives a verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// What a stage asks for (seed 002).
    #[default]
    Stage,
    /// Ideas (seed 003's parent), by a technique if one is named.
    Brainstorm(Option<Technique>),
    /// What is known (seed 003's parent).
    Research,
}

impl Mode {
    fn word(self) -> &'static str {
        match self {
            Self::Stage => "stage",
            Self::Brainstorm(_) => "brainstorm",
            Self::Research => "research",
        }
    }
}

/// Techniques of brainstorming (councils.md 1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Technique {
    /// Substitute, combine, adapt, modify, put to other use, eliminate, reverse.
    Scamper,
    /// Six hats, one after another.
    SixHats,
    /// How to make it worse, turned round.
    Reverse,
}

impl Technique {
    fn text(self) -> &'static str {
        match self {
            Self::Scamper => {
                "SCAMPER: ask in turn what can be substituted, combined, adapted, modified, put to another use, eliminated, reversed."
            }
            Self::SixHats => {
                "Six hats: look at it in turn with facts only, with feelings, with caution, with optimism, with new ideas, and from above."
            }
            Self::Reverse => {
                "Reverse: first collect how to make it as bad as can be, then turn each of these round."
            }
        }
    }
}

/// What the judges have before them, as prompts speak of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Matter {
    Change,
    Document,
    Question,
}

impl Matter {
    fn of(kind: TargetKind) -> Self {
        match kind {
            TargetKind::File | TargetKind::Stage => Self::Document,
            TargetKind::Topic => Self::Question,
            _ => Self::Change,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Document => "document",
            Self::Question => "question",
        }
    }
}

impl Prompter {
    /// A prompter with the run's seed and the templates that the user's configuration puts in place of built-in ones
    /// (name of [`TEMPLATES`] → text).
    ///
    /// # Errors
    /// An unknown name, a template that does not parse, and one that uses something it is not given: each is tried
    /// here, before any judge starts.
    pub fn new(seed: &Seed, overrides: &BTreeMap<String, String>) -> Result<Self, PromptError> {
        let prompter = Self {
            templates: Templates::new(overrides)?,
            fence: Fence::of(seed),
            matter: Matter::Change,
            mode: Mode::Stage,
        };
        if !overrides.is_empty() {
            trial::run(&prompter)?;
        }
        Ok(prompter)
    }

    /// The same, over a target of that kind: rules speak of a change, a document or a question.
    pub fn over(self, kind: TargetKind) -> Self {
        Self {
            matter: Matter::of(kind),
            ..self
        }
    }

    /// The same, for judges who produce something of that kind.
    pub fn for_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// The brief for a class of models. It opens every conversation; a turn's prompt stands behind it.
    ///
    /// # Errors
    /// Only an overridden template can fail.
    pub fn brief(&self, packet: &Packet, class: &BriefClass) -> Result<Brief, PromptError> {
        brief::render(packet, class, &self.fence, &self.templates)
    }

    /// The prompt of one turn: what is asked, the rules, then seat, round, key and the form of the answer, last.
    ///
    /// # Errors
    /// Only an overridden template can fail.
    pub fn turn(
        &self,
        seat: &Seat,
        round: u8,
        key: &str,
        task: &Task,
    ) -> Result<String, PromptError> {
        turn::render(self, seat, round, key, task, 0)
    }

    /// The same for a judge that may put up to `explorers` questions to helpers (seed 000, `--explorers`).
    ///
    /// # Errors
    /// Only an overridden template can fail.
    pub fn turn_exploring(
        &self,
        seat: &Seat,
        round: u8,
        key: &str,
        task: &Task,
        explorers: u8,
    ) -> Result<String, PromptError> {
        turn::render(self, seat, round, key, task, explorers)
    }

    /// What a judge is told of itself and its own replies when its conversation was lost, or never kept; stands before the
    /// text of its next turn.
    ///
    /// # Errors
    /// Only an overridden template can fail.
    pub fn reminder(&self, seat: &Seat, said: &[Arc<str>]) -> Result<String, PromptError> {
        turn::reminder(self, seat, said)
    }

    /// SHA-256 of the templates as they are used, 64 hex digits: part of what recognises a change that was reviewed.
    pub fn digest(&self) -> String {
        self.templates.digest().to_owned()
    }
}

#[cfg(test)]
mod tests;
