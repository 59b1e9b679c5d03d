//! Prompts: the brief that comes first, the same bytes for all judges of a class and all rounds, and the turn that comes
//! last.
//!
//! Whatever a stranger wrote (the change, the authors' words, other judges' answers) stands in fences whose mark comes
//! from the run's seed, and reaches the template engine as a value, never as a template.

mod brief;
mod choose;
mod context;
mod fence;
mod hidden_values;
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
use council_protocol::{Packet, RoundNumber, Seat, Task};
use council_secrets::Redactor;
use serde::{Deserialize, Serialize};

pub(crate) use brief::Brief;
pub(crate) use brief::BriefSizes;
#[cfg(test)]
pub(crate) use brief::MIN_BRIEF_BYTES;
pub use brief::{BriefClass, ChangeContext};
pub(crate) use context::{ContextBlock, ContextBody, ContextKind};
pub(crate) use hidden_values::HiddenValues;
pub(crate) use rank::{SeatShare, is_test_path, rank_files};
pub(crate) use redact::{
    hidden_on_added, redact_history, redact_source, redact_words, redactor_knowing,
};
pub(crate) use show::{MAX_EDITED_LINE, show_path, shown_paths, truncate_bytes};
pub(crate) use template::PromptError;

use crate::council::plan::RunSeed;
use crate::packet::sha256;
use fence::PromptFence;
use template::TemplateSet;

/// Makes the prompts of one run.
#[derive(Debug)]
pub struct PromptBuilder {
    templates: TemplateSet,
    fence: PromptFence,
    matter: SubjectKind,
    mode: ProductionMode,
    ending: BriefEnding,
    redactor: Redactor,
    /// Whether there is one judge only: prompts speak of others where there are some.
    alone: bool,
}

/// What stands behind the subject in a brief.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BriefEnding {
    Nothing,
    /// Rules, method and form of a review: in the brief they are the same bytes for all judges and rounds.
    Guide,
}

/// What is produced where nobody gives a verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProductionMode {
    /// What a stage asks for.
    #[default]
    Stage,
    /// Ideas, by a technique if one is named.
    Brainstorm(Option<BrainstormTechnique>),
    /// What is known.
    Research,
}

impl ProductionMode {
    fn as_str(self) -> &'static str {
        match self {
            Self::Stage => "stage",
            Self::Brainstorm(_) => "brainstorm",
            Self::Research => "research",
        }
    }
}

/// Techniques of brainstorming.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BrainstormTechnique {
    /// Substitute, combine, adapt, modify, put to other use, eliminate, reverse.
    Scamper,
    /// Six hats, one after another.
    SixHats,
    /// How to make it worse, turned round.
    Reverse,
}

impl BrainstormTechnique {
    fn instruction_text(self) -> &'static str {
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
enum SubjectKind {
    Change,
    Document,
    Question,
}

impl SubjectKind {
    fn from_target(kind: TargetKind) -> Self {
        match kind {
            TargetKind::File | TargetKind::Stage => Self::Document,
            TargetKind::Topic => Self::Question,
            _ => Self::Change,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Document => "document",
            Self::Question => "question",
        }
    }
}

impl PromptBuilder {
    /// A prompter with the run's seed and the templates that the user's configuration puts in place of built-in ones
    /// (name of [`TEMPLATES`] → text).
    ///
    /// # Errors
    /// An unknown name, a template that does not parse, and one that uses something it is not given: each is tried
    /// here, before any judge starts.
    pub fn new(seed: &RunSeed, overrides: &BTreeMap<String, String>) -> Result<Self, PromptError> {
        let prompter = Self {
            templates: TemplateSet::new(overrides)?,
            fence: PromptFence::from_seed(seed),
            matter: SubjectKind::Change,
            mode: ProductionMode::Stage,
            ending: BriefEnding::Nothing,
            redactor: Redactor::default(),
            alone: false,
        };
        if overrides.is_empty() {
            return Ok(prompter);
        }
        let mut tried = prompter;
        for alone in [true, false] {
            tried = tried.with_guide().for_lone_judge(alone);
            trial::try_templates(&tried)?;
            tried.ending = BriefEnding::Nothing;
            trial::try_templates(&tried)?;
        }
        Ok(tried)
    }

    /// The same, over a target of that kind: rules speak of a change, a document or a question.
    pub fn for_target(self, kind: TargetKind) -> Self {
        Self {
            matter: SubjectKind::from_target(kind),
            ..self
        }
    }

    /// The same, whose briefs end with how to judge: for procedures that begin with a review.
    pub(crate) fn with_guide(self) -> Self {
        Self {
            ending: BriefEnding::Guide,
            ..self
        }
    }

    /// The same where there is one judge only, if so.
    pub(crate) fn for_lone_judge(self, alone: bool) -> Self {
        Self { alone, ..self }
    }

    /// The same, with what takes secrets out of everything that a prompt shows.
    pub fn with_redactor(self, redactor: Redactor) -> Self {
        Self { redactor, ..self }
    }

    /// The same, for judges who produce something of that kind.
    pub fn for_mode(self, mode: ProductionMode) -> Self {
        Self { mode, ..self }
    }

    /// The brief for a class of models. It opens every conversation; a turn's prompt stands behind it.
    ///
    /// # Errors
    /// Only an overridden template can fail.
    pub fn render_brief(&self, packet: &Packet, class: &BriefClass) -> Result<Brief, PromptError> {
        self.render_filled_brief(packet, ChangeContext::default(), class)
    }

    /// The same with what stands around the change, as far as it fits.
    ///
    /// # Errors
    /// Only an overridden template can fail.
    pub fn render_filled_brief(
        &self,
        packet: &Packet,
        around: ChangeContext<'_>,
        class: &BriefClass,
    ) -> Result<Brief, PromptError> {
        let tools = brief::BriefTools {
            fence: &self.fence,
            templates: &self.templates,
            redactor: &self.redactor,
        };
        let guide = match self.ending {
            BriefEnding::Nothing => return brief::render_brief(packet, around, class, tools),
            BriefEnding::Guide => turn::render_guide(self)?,
        };
        let class = BriefClass {
            budget_bytes: class.budget_bytes.saturating_sub(guide.len()),
            ..class.clone()
        };
        let mut brief = brief::render_brief(packet, around, &class, tools)?;
        let text = format!("{}\n{guide}\n", brief.text);
        brief.sizes.frame += text.len() - brief.text.len();
        brief.digest = sha256(text.as_bytes());
        brief.text = text.into();
        Ok(brief)
    }

    /// The prompt of one turn: what is asked, the rules, then seat, round, key and the form of the answer, last.
    ///
    /// # Errors
    /// Only an overridden template can fail.
    pub fn render_turn(
        &self,
        seat: &Seat,
        round: RoundNumber,
        key: &str,
        task: &Task,
    ) -> Result<String, PromptError> {
        turn::render_turn(self, seat, round, key, task, 0)
    }

    /// The same for a judge that may put up to `explorers` questions to helpers.
    ///
    /// # Errors
    /// Only an overridden template can fail.
    pub fn render_exploring_turn(
        &self,
        seat: &Seat,
        round: RoundNumber,
        key: &str,
        task: &Task,
        explorers: u8,
    ) -> Result<String, PromptError> {
        turn::render_turn(self, seat, round, key, task, explorers)
    }

    /// What a judge is told of itself and its own replies when its conversation was lost, or never kept; stands before the
    /// text of its next turn.
    ///
    /// # Errors
    /// Only an overridden template can fail.
    pub fn render_reminder(&self, seat: &Seat, said: &[Arc<str>]) -> Result<String, PromptError> {
        turn::render_reminder(self, seat, said)
    }

    /// SHA-256 of the templates as they are used, 64 hex digits: part of what recognises a change that was reviewed.
    pub fn digest(&self) -> String {
        self.templates.digest().to_owned()
    }
}

#[cfg(test)]
mod tests;
