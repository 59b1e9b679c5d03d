//! One seat: takes turns, gives answers.

use std::cell::OnceCell;
use std::sync::Arc;

use council_protocol::answer::Change;
use council_protocol::seat::{AgentKind, RuleSettings};
use council_protocol::task::DebateBranch;
use council_protocol::{Answer, BlobSource, Finding, Packet, Seat, Task, Turn};

use crate::applicable::ActiveRules;
use crate::councillor::{self, HeldPosition};
use crate::debate::{self, ClaimChecker};
use crate::duel;
use crate::perspective::{PERSPECTIVES, covers_perspective};
use crate::review::RulePosition;
use crate::rules::RULES;
use crate::shared::with_all_rules;

/// What a judge without a model says when it is asked to write: never an answer, so that nothing is faked.
const NO_DOCUMENT: &str =
    "A judge without a model cannot write or answer questions; seat an agent that thinks.";

/// Why a seat cannot be taken by the built-in judge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeatError {
    /// Its agent is another one.
    #[error("the agent `{agent}` is not the built-in one")]
    NotBuiltin {
        /// The agent that the seat names.
        agent: String,
    },
    /// There are no rules for its perspective; a judge without rules would pass everything.
    #[error(
        "the built-in agent has no rules for the perspective `{name}`; it has {}",
        known_perspectives()
    )]
    UnknownPerspective { name: String },
    /// Its settings name a rule that does not exist.
    #[error("there is no rule `{id}`; `git council explain` lists them")]
    UnknownRule { id: String },
}

fn known_perspectives() -> String {
    PERSPECTIVES.map(|perspective| perspective.name).join(", ")
}

/// The judge of one seat.
///
/// It keeps its R1 in memory for R2; one that has lost it (a fresh process per turn) makes the same again.
pub struct BuiltinJudge {
    perspective: String,
    settings: RuleSettings,
    packet: Arc<Packet>,
    blobs: Arc<dyn BlobSource>,
    position: OnceCell<RulePosition>,
    last: Option<Answer>,
    /// Why it no longer votes as its own rules do.
    moved: Option<Change>,
}

impl BuiltinJudge {
    /// Takes a seat: its perspective names the rules (none: all of them), its agent's settings their levels.
    ///
    /// # Errors
    ///
    /// When the seat's agent is not `builtin`, or perspective or settings name what does not exist.
    pub fn new(
        seat: &Seat,
        packet: Arc<Packet>,
        blobs: Arc<dyn BlobSource>,
    ) -> Result<Self, SeatError> {
        let AgentKind::Builtin { rules: settings } = &seat.agent.kind else {
            return Err(SeatError::NotBuiltin {
                agent: seat.agent.name.clone(),
            });
        };
        let name = &seat.perspective.name;
        if covers_perspective(name, "").is_none() {
            return Err(SeatError::UnknownPerspective { name: name.clone() });
        }
        let unknown = settings
            .levels
            .keys()
            .find(|id| !RULES.iter().any(|rule| rule.info.id == id.as_str()));
        if let Some(id) = unknown {
            return Err(SeatError::UnknownRule { id: id.clone() });
        }
        Ok(Self {
            perspective: name.clone(),
            settings: settings.clone(),
            packet,
            blobs,
            position: OnceCell::new(),
            last: None,
            moved: None,
        })
    }

    /// Answers a turn: an [`Answer`] as JSON. The same turn of the same seat over the same packet gives the same bytes.
    pub fn take_turn(&mut self, turn: &Turn) -> String {
        let answer = match &turn.task {
            Task::Review | Task::Explored { .. } => self.own_position().build_answer(turn),
            Task::Debate { branch, peers, .. } => debate::answer_debate(
                &self.claim_checker(),
                self.own_position(),
                turn,
                *branch,
                peers,
            ),
            Task::Duel {
                theirs, objections, ..
            } => duel::answer_section(
                &self.claim_checker(),
                self.own_position(),
                turn,
                theirs,
                objections,
            ),
            Task::Opening { .. } => councillor::opening_statement(self.own_position(), turn),
            Task::Examine {
                councillors,
                challenges,
                ..
            } => {
                let witness = self.claim_checker();
                councillor::cross_examine(
                    &witness,
                    self.own_position(),
                    turn,
                    councillors,
                    challenges,
                )
            }
            Task::Challenged { challenges }
            | Task::Moderate { challenges, .. }
            | Task::Rebut { challenges, .. } => councillor::reply_to_challenges(
                self.own_position(),
                &self.held_position(),
                turn,
                challenges,
            ),
            Task::Message { .. } => councillor::reply_to_challenges(
                self.own_position(),
                &self.held_position(),
                turn,
                &[],
            ),
            Task::Ballot => {
                councillor::cast_ballot(self.own_position(), &self.held_position(), turn)
            }
            Task::CrossReview { peers, .. } => {
                let branch = DebateBranch::Disagreed;
                debate::answer_debate(
                    &self.claim_checker(),
                    self.own_position(),
                    turn,
                    branch,
                    peers,
                )
            }
            Task::Explore { .. } | Task::Produce | Task::Synthesize { .. } => {
                return NO_DOCUMENT.to_owned();
            }
            Task::Mend { .. } => match &self.last {
                Some(last) => Answer {
                    round: turn.round,
                    key: turn.key.clone(),
                    ..last.clone()
                },
                None => self.own_position().build_answer(turn),
            },
        };
        let raw = serde_json::to_string(&answer);
        if answer.change.is_some() {
            self.moved.clone_from(&answer.change);
        }
        self.last = Some(answer);
        // Strings, numbers and paths only: there is nothing in an answer that could fail to become JSON.
        raw.unwrap_or_default()
    }

    /// Its own finding of which this is what stands in a transcript: written down and read back, it has lost its rule.
    pub fn recall_finding(&self, written: &Finding) -> Option<&Finding> {
        duel::matching_finding(self.own_position(), written)
    }

    /// Made for each turn that asks for it: a live judge is asked once, a fresh one never twice.
    fn claim_checker(&self) -> ClaimChecker<'_> {
        ClaimChecker::new(&self.packet, &*self.blobs, &self.settings)
    }

    /// The vote that it gave last, and why; a fresh judge knows only its first.
    fn held_position(&self) -> HeldPosition<'_> {
        let last = self.last.as_ref();
        HeldPosition {
            vote: last.map_or_else(|| self.own_position().vote, |answer| answer.verdict),
            moved: self.moved.as_ref(),
        }
    }

    fn own_position(&self) -> &RulePosition {
        self.position.get_or_init(|| {
            let bench = ActiveRules::new(&self.perspective, &self.settings);
            with_all_rules(&self.packet, &self.blobs, &self.settings, |all| {
                all.take_position(&self.perspective, &bench)
            })
        })
    }
}
