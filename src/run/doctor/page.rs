//! What `git council doctor` prints: whether a review can start, then who would sit and how.

use super::{DoctorJudge, DoctorState};
use crate::council::plan::{ConsensusRule, DebateMode, Procedure};
use crate::run::error::RunError;
use crate::run::seats::UNNAMED;
use crate::text::{Columns, Untrusted, paragraph};

/// The name of the agent that has no model.
const RULES: &str = "builtin";

pub(super) struct DoctorPage<'a> {
    pub(super) state: &'a DoctorState,
    /// Why a review would be refused, if it would.
    pub(super) trouble: Option<&'a RunError>,
    pub(super) width: Option<usize>,
    /// Whether the capabilities of backends are told.
    pub(super) verbose: bool,
}

impl DoctorPage<'_> {
    pub(super) fn render(&self) -> String {
        let sections = [
            format!("git council {}\n", self.state.version),
            self.answer(),
            format!("Judges\n{}", self.judges()),
            format!("How a review goes here\n{}", self.rules()),
            format!(
                "Backends (the ways to run judges; `git council backends` explains them)\n{}",
                self.backends()
            ),
            format!(
                "Procedures (choose one with --procedure NAME; a duel: git council duel)\n{}",
                self.procedures()
            ),
            self.notes(),
        ];
        let told = sections.into_iter().filter(|section| !section.is_empty());
        told.collect::<Vec<_>>().join("\n")
    }

    /// Whether a review can start, and what to do next.
    fn answer(&self) -> String {
        let judges = &self.state.judges;
        let sit = match judges.len() {
            1 => "1 judge".to_owned(),
            many => format!("{many} judges"),
        };
        let mut out = String::new();
        match self.trouble {
            None if judges.iter().all(|judge| judge.agent == RULES) => {
                out.push_str(&self.sentence(&format!(
                    "Ready: `git council review` asks {sit}, all of them built-in rules."
                )));
                let is_defined = self
                    .state
                    .notes
                    .iter()
                    .any(|note| note.starts_with(UNNAMED));
                out.push_str(&self.sentence(match is_defined {
                    true => "No agent with a model judges here, though one is defined: see the note below.",
                    false => "No agent with a model judges here; `git council init` sets one up.",
                }));
            }
            None => out.push_str(&self.sentence(&format!(
                "Ready: `git council review` asks {sit}: {}.",
                agents_of(judges)
            ))),
            Some(_) if !self.state.missing.is_empty() => {
                out.push_str(&self.sentence("Not ready: no review can start, because of"));
                out.push_str(&self.lacks());
            }
            Some(trouble) => {
                out.push_str(&self.sentence(&format!("Not ready: {}.", trouble.message)));
            }
        }
        out
    }

    fn lacks(&self) -> String {
        let mut rows = Columns::default();
        for lack in &self.state.missing {
            rows.push([&lack.agent, &lack.reason]);
        }
        rows.render_within("  ", self.width)
    }

    fn judges(&self) -> String {
        let mut rows = Columns::default();
        for judge in &self.state.judges {
            let model = judge.model.as_deref().unwrap_or_default();
            let who = [&judge.agent, model].join(" ");
            let focus = match judge.focus.as_str() {
                "" => "everything",
                focus => focus,
            };
            rows.push([judge.judge.as_str(), who.trim_end(), focus]);
        }
        rows.render_within("  ", self.width)
    }

    fn rules(&self) -> String {
        let state = self.state;
        let are_rules = state.judges.iter().all(|judge| judge.agent == RULES);
        let procedure = match state.procedure {
            Procedure::Review if are_rules => "one: built-in rules have no second round",
            Procedure::Review if !state.can_ask_again => {
                "one: neither rules nor tools have a second round"
            }
            Procedure::Quick => "one judge and one round (quick)",
            Procedure::Review => second_round(state.debate),
            Procedure::Debate => "two rounds (debate)",
            Procedure::CrossExamination => {
                "openings, one to four rounds, a final ballot (cross-examination)"
            }
            Procedure::Staged => "cross-review and rebuttals until it is settled (staged)",
            Procedure::Duel => "two sides that argue in one file (duel)",
        };
        let consensus = match state.consensus {
            ConsensusRule::Findings => "the worst finding that counts (findings)",
            ConsensusRule::Strict => "the worst vote (strict)",
            ConsensusRule::Majority => "the majority of the votes (majority)",
        };
        let mut rows = Columns::default();
        rows.push(["rounds", procedure]);
        rows.push(["verdict", consensus]);
        if let Some(quorum) = state.quorum {
            let judges = state.judges.len();
            let quorum = format!(
                "{quorum} of {judges} judges must answer; with fewer there is no PASS and no WARN"
            );
            rows.push(["quorum", &quorum]);
        }
        rows.render_within("  ", self.width)
    }

    fn backends(&self) -> String {
        let mut rows = Columns::default();
        for one in &self.state.backends {
            let state = match one.used {
                true => format!("{}: {}", one.state, one.about),
                false => one.state.clone(),
            };
            rows.push([&one.name, &state]);
            if self.verbose {
                rows.push(["", &one.capabilities]);
            }
        }
        rows.render_within("  ", self.width)
    }

    fn procedures(&self) -> String {
        let mut rows = Columns::default();
        for one in &self.state.procedures {
            rows.push([&one.name, &one.state]);
        }
        rows.render_within("  ", self.width)
    }

    fn notes(&self) -> String {
        let mut out = String::new();
        for note in &self.state.notes {
            out.push_str(&self.sentence(&format!("note: {}", Untrusted::new(note).line())));
        }
        out
    }

    /// A sentence, wrapped at words.
    fn sentence(&self, told: &str) -> String {
        paragraph(&Untrusted::new(told).line(), self.width)
    }
}

/// The rounds of an ordinary review.
fn second_round(debate: DebateMode) -> &'static str {
    match debate {
        DebateMode::Auto => {
            "one; a second one if the judges disagree, or only one of them reports a critical finding"
        }
        DebateMode::Force => "two, always (debate = force)",
        DebateMode::Off => "one, always (debate = off)",
    }
}

/// Each agent once, in the order in which they sit.
fn agents_of(judges: &[DoctorJudge]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for judge in judges {
        if !names.contains(&judge.agent.as_str()) {
            names.push(&judge.agent);
        }
    }
    names.join(", ")
}
