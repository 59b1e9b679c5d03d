//! What happens in a council as events for whoever watches it: the same while it sits and from its journal later.
//!
//! Everything is told from the engine's inputs and actions, which a journal gives again. So a program that attaches to a
//! run in the background sees what the terminal that started it would have shown.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use council_protocol::answer::{Answer, Stance};
use council_protocol::message::Usage;
use council_protocol::task::Form;
use council_protocol::{FailureKind, JudgeId, Location, Millis, RoundNumber, Severity, Task, Vote};
use council_secrets::Redactor;
use schemars::JsonSchema;
use serde::Serialize;

use super::journal::JournalEntry;
use crate::council::outcome::{Outcome, Verdict, VerdictReason};
use crate::council::plan::Procedure;
use crate::council::{Action, Council, Input, Plan};

/// Version of the events: it goes up when readers of the present ones could misunderstand them.
const EVENTS_VERSION: u32 = 1;

/// The most characters of a judge's words in an event.
const MAX_WORDS: usize = 300;

/// Something that happened in a run: one line of `--events`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "RunEvent")]
pub struct ProgressEvent {
    /// Version of this format.
    pub(crate) v: u32,
    /// Milliseconds since the council was convened.
    pub(crate) at: Millis,
    #[serde(flatten)]
    pub(crate) kind: ProgressKind,
}

/// What happened. Readers should skip events whose name they do not know.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum ProgressKind {
    /// The council is convened. Comes again when another backend takes over.
    Convened {
        /// The run's name.
        run: String,
        /// What is under review.
        target: String,
        /// The rules of the rounds.
        procedure: Procedure,
        /// The backend that runs the judges.
        backend: String,
        /// The most US dollars that the run may cost, where there is a limit.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_usd: Option<f64>,
        /// Who was asked to sit.
        judges: Vec<SeatedJudge>,
    },
    /// A judge is ready.
    Started { judge: JudgeId },
    /// A judge was asked something.
    Asked {
        judge: JudgeId,
        /// Counted from 1.
        round: RoundNumber,
        /// What kind of answer is wanted.
        task: AskedTask,
        /// How long the judge has, in milliseconds.
        timeout_ms: u64,
    },
    /// A judge looks something up in the repository.
    LooksUp {
        judge: JudgeId,
        /// The tool: `read_file`, `search`, `symbol`, `history` or `list`.
        tool: String,
        /// What it asks for, in short.
        asked: String,
    },
    /// A reply came in. Its quotes are looked up before it counts.
    Replied {
        judge: JudgeId,
        /// What this call used, where known.
        #[serde(flatten)]
        used: UsedTokens,
    },
    /// A judge's answer of a round counts.
    Answered {
        judge: JudgeId,
        /// Counted from 1.
        round: RoundNumber,
        vote: Vote,
        /// How many of its findings are critical; in later rounds: those that are new.
        critical: usize,
        /// How many are significant.
        significant: usize,
        /// How many are minor.
        minor: usize,
        /// Its most important point.
        insight: String,
    },
    /// A judge says what it thinks of another's finding.
    Response {
        judge: JudgeId,
        /// Counted from 2; the first round is the independent one.
        round: RoundNumber,
        stance: Stance,
        /// Who reported the finding.
        of: JudgeId,
        /// Where the finding is.
        place: String,
        /// The finding in a sentence.
        finding: String,
        /// Why the judge thinks so.
        because: String,
    },
    /// A side of a duel has written a section of the file.
    Wrote { judge: JudgeId, section: String },
    /// A judge takes back a finding of its own.
    Withdrawn {
        judge: JudgeId,
        round: RoundNumber,
        /// Where the finding is; empty where it cannot be told.
        place: String,
        /// The finding in a sentence.
        finding: String,
    },
    /// A judge changes its vote.
    Moved {
        judge: JudgeId,
        round: RoundNumber,
        from: Vote,
        to: Vote,
    },
    /// A judge asks another one a question that must be answered.
    Challenged {
        judge: JudgeId,
        round: RoundNumber,
        /// The label or role of the one that must answer.
        to: String,
        question: String,
    },
    /// A judge could not be started, or gave no usable answer.
    Failed {
        judge: JudgeId,
        /// The kind of failure.
        kind: FailureKind,
        why: String,
    },
    /// The judge's time for this round is over.
    TimedOut { judge: JudgeId },
    /// A judge gave no usable answer at all: it does not count.
    Abstained { judge: JudgeId, why: String },
    /// A judge has ended.
    Ended { judge: JudgeId },
    /// A line of the run's log.
    Note { text: String },
    /// The judges are done, and this is what they came to.
    Concluded {
        verdict: Verdict,
        reason: VerdictReason,
        /// Rounds that ran.
        rounds: u8,
    },
    /// The last event: what the program ends with. It is told also where no council was needed.
    Finished {
        verdict: Verdict,
        /// The verdict in a sentence.
        headline: String,
        exit_code: u8,
        /// Whether the verdict of an earlier run was reused.
        reused: bool,
    },
}

/// A judge as it was asked to sit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SeatedJudge {
    pub(crate) judge: JudgeId,
    /// What it looks for.
    pub(crate) perspective: String,
    /// The agent's name in the configuration.
    pub(crate) agent: String,
    /// The model, where one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    /// Whether its answers take time or money.
    pub(crate) paid: bool,
}

/// What a call used, as far as it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct UsedTokens {
    /// Tokens read, those of a cache included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input_tokens: Option<u64>,
    /// Tokens that the judge wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output_tokens: Option<u64>,
    /// What it cost, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usd: Option<f64>,
    /// How often the judge looked something up in the repository.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) lookups: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What a judge is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AskedTask {
    /// Review the change alone.
    Review,
    /// Answer the other judges.
    Debate,
    /// Write the next section of a duel.
    Duel,
    /// Give an opening statement.
    Opening,
    /// Take part in a cross-examination.
    Examination,
    /// Give the final vote.
    Ballot,
    /// Write a document.
    Document,
    /// Review what the others wrote.
    Rebuttal,
    /// Put the documents together.
    Synthesis,
    /// Correct the last answer, which could not be used.
    Correction,
}

impl AskedTask {
    fn of(task: &Task) -> Self {
        if matches!(task, Task::Mend { .. }) {
            return Self::Correction;
        }
        match task.form() {
            Form::Text | Form::Review => Self::Review,
            Form::Debate | Form::ProvenDebate => Self::Debate,
            Form::Duel => Self::Duel,
            Form::Opening => Self::Opening,
            Form::Examination => Self::Examination,
            Form::Ballot => Self::Ballot,
            Form::Document => Self::Document,
            Form::Rebuttal => Self::Rebuttal,
            Form::Synthesis => Self::Synthesis,
        }
    }
}

impl UsedTokens {
    fn of(usage: Option<&Usage>) -> Self {
        let Some(usage) = usage else {
            return Self::default();
        };
        let read = [usage.input_tokens, usage.cached_tokens];
        let read = read.into_iter().flatten().reduce(u64::saturating_add);
        let earlier = usage.earlier.iter().map(|call| Self::of(Some(call)));
        let this = Self {
            input_tokens: read,
            output_tokens: usage.output_tokens,
            usd: usage.cost_usd,
            lookups: usage.tool_calls.len(),
        };
        earlier.fold(this, Self::plus)
    }

    /// Both together; what only one of them knows is a lower bound.
    pub(crate) fn plus(self, other: Self) -> Self {
        let sum =
            |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).reduce(u64::saturating_add);
        Self {
            input_tokens: sum(self.input_tokens, other.input_tokens),
            output_tokens: sum(self.output_tokens, other.output_tokens),
            usd: self.usd.into_iter().chain(other.usd).reduce(|a, b| a + b),
            lookups: self.lookups + other.lookups,
        }
    }
}

/// Hears each event as it happens. Texts in it are untrusted; secrets are redacted.
pub(crate) type ProgressObserver = Arc<dyn Fn(&ProgressEvent) + Send + Sync>;

/// The council's time, for events that do not come from its engine.
#[derive(Debug, Clone, Default)]
pub(crate) struct CouncilClock(Arc<Mutex<Option<Instant>>>);

impl CouncilClock {
    /// The same observer; the clock begins with the event that convenes the council.
    pub(crate) fn watch(&self, observer: ProgressObserver) -> ProgressObserver {
        let clock = self.clone();
        Arc::new(move |event| {
            if matches!(event.kind, ProgressKind::Convened { .. }) {
                let age = Duration::from_millis(event.at);
                *clock.lock() = Instant::now().checked_sub(age);
            }
            observer(event);
        })
    }

    /// Milliseconds since the council was convened.
    pub(crate) fn now_ms(&self) -> Millis {
        let since = self.lock().map(|began| began.elapsed().as_millis());
        since.map_or(0, |ms| Millis::try_from(ms).unwrap_or(Millis::MAX))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an event of a whole run tells beside what the plan says.
#[derive(Debug, Clone)]
pub(crate) struct RunLabel {
    pub(crate) run: String,
    pub(crate) target: String,
    pub(crate) backend: String,
    pub(crate) max_usd: Option<f64>,
}

impl ProgressEvent {
    pub(crate) fn new(at: Millis, kind: ProgressKind) -> Self {
        Self {
            v: EVENTS_VERSION,
            at,
            kind,
        }
    }

    /// The first event of a council.
    pub(super) fn convened(label: RunLabel, plan: &Plan, at: Millis) -> Self {
        let judges = plan.seats.iter().map(|planned| SeatedJudge {
            judge: planned.seat.judge.clone(),
            perspective: planned.seat.perspective.name.clone(),
            agent: planned.seat.agent.name.clone(),
            model: planned.seat.agent.model.clone(),
            paid: planned.seat.agent.kind.is_paid(),
        });
        let kind = ProgressKind::Convened {
            run: label.run,
            target: label.target,
            procedure: plan.procedure,
            backend: label.backend,
            max_usd: label.max_usd,
            judges: judges.collect(),
        };
        Self::new(at, kind)
    }
}

/// Turns the engine's inputs and actions into events.
pub(super) struct ProgressTeller<'a> {
    pub(super) council: &'a Council,
    pub(super) redactor: &'a Redactor,
}

impl ProgressTeller<'_> {
    /// What an input tells before the engine has heard it.
    pub(super) fn input_event(input: &Input, redactor: &Redactor) -> Option<ProgressKind> {
        Some(match input {
            Input::Started { judge } => ProgressKind::Started {
                judge: judge.clone(),
            },
            Input::Answered { judge, usage, .. } => ProgressKind::Replied {
                judge: judge.clone(),
                used: UsedTokens::of(usage.as_ref()),
            },
            Input::Failed { judge, failure, .. } => ProgressKind::Failed {
                judge: judge.clone(),
                kind: failure.kind,
                why: clean(&failure.detail, redactor),
            },
            Input::Ended { judge, .. } => ProgressKind::Ended {
                judge: judge.clone(),
            },
            _ => return None,
        })
    }

    /// What the engine's actions tell after it has heard an input.
    pub(super) fn action_events(&self, actions: &[Action]) -> Vec<ProgressKind> {
        actions
            .iter()
            .flat_map(|action| self.action_event(action))
            .collect()
    }

    /// A reply that the engine has heard and cannot use. It is told at once: nobody looks up its quotes.
    pub(super) fn rejection_event(&self, replied: Option<&JudgeId>) -> Option<ProgressKind> {
        let judge = replied?;
        let failure = self.council.unusable_reply(judge)?;
        Some(ProgressKind::Failed {
            judge: judge.clone(),
            kind: failure.kind,
            why: self.clean(&failure.detail),
        })
    }

    fn action_event(&self, action: &Action) -> Vec<ProgressKind> {
        match action {
            Action::Send {
                judge,
                round,
                task,
                timeout_ms,
                ..
            } => vec![ProgressKind::Asked {
                judge: judge.clone(),
                round: *round,
                task: AskedTask::of(task),
                timeout_ms: *timeout_ms,
            }],
            Action::CancelTurn { judge } => vec![ProgressKind::TimedOut {
                judge: judge.clone(),
            }],
            Action::Record {
                judge,
                round,
                answer,
            } => self.answer_events(judge, *round, answer),
            Action::Log { line } => vec![ProgressKind::Note {
                text: self.clean(line),
            }],
            Action::Conclude { outcome } => self.conclusion_events(outcome),
            _ => Vec::new(),
        }
    }

    fn answer_events(
        &self,
        judge: &JudgeId,
        round: RoundNumber,
        answer: &Answer,
    ) -> Vec<ProgressKind> {
        let new = answer.independent_findings.iter().map(|one| &one.finding);
        let found: Vec<Severity> = answer
            .findings
            .iter()
            .chain(new)
            .map(|finding| finding.severity)
            .collect();
        let count = |severity| found.iter().filter(|one| **one == severity).count();
        let mut told = self.debate_events(judge, round, answer);
        told.push(ProgressKind::Answered {
            judge: judge.clone(),
            round,
            vote: answer.verdict,
            critical: count(Severity::Critical),
            significant: count(Severity::Significant),
            minor: count(Severity::Minor),
            insight: self.clean(&answer.key_insight),
        });
        told
    }

    /// What an answer says to the others.
    fn debate_events(
        &self,
        judge: &JudgeId,
        round: RoundNumber,
        answer: &Answer,
    ) -> Vec<ProgressKind> {
        let mut told = Vec::new();
        for response in &answer.responses {
            let Some((of, finding)) = self.council.finding_meant(judge, round, &response.to) else {
                continue;
            };
            told.push(ProgressKind::Response {
                judge: judge.clone(),
                round,
                stance: response.stance,
                of: of.clone(),
                place: self.clean(&place_of(&finding.location)),
                finding: self.clean(&finding.description),
                because: self.clean(&response.reasoning),
            });
        }
        for withdrawal in &answer.withdrawn {
            let own = self.council.own_finding(judge, withdrawal.finding);
            told.push(ProgressKind::Withdrawn {
                judge: judge.clone(),
                round,
                place: own
                    .as_ref()
                    .map_or_else(String::new, |own| self.clean(&place_of(&own.location))),
                finding: own
                    .as_ref()
                    .map_or_else(String::new, |own| self.clean(&own.description)),
            });
        }
        told.extend(
            answer
                .challenges
                .iter()
                .map(|challenge| ProgressKind::Challenged {
                    judge: judge.clone(),
                    round,
                    to: match self.council.peer_meant(judge, &challenge.to) {
                        Some(peer) => peer.as_str().to_owned(),
                        None => self.clean(&challenge.to),
                    },
                    question: self.clean(&challenge.question),
                }),
        );
        if let Some(change) = answer.change.as_ref().filter(|c| c.from != c.to) {
            told.push(ProgressKind::Moved {
                judge: judge.clone(),
                round,
                from: change.from,
                to: change.to,
            });
        }
        told
    }

    fn conclusion_events(&self, outcome: &Outcome) -> Vec<ProgressKind> {
        let silent = outcome.judges.iter().filter(|one| one.counted.is_none());
        let mut told: Vec<ProgressKind> = silent
            .filter(|one| one.first_insight.is_empty())
            .map(|one| ProgressKind::Abstained {
                judge: one.seat.judge.clone(),
                why: one.own_failure().map_or_else(
                    || outcome.reason.silence().to_owned(),
                    |failed| self.clean(&failed.failure.to_string()),
                ),
            })
            .collect();
        told.push(ProgressKind::Concluded {
            verdict: outcome.verdict,
            reason: outcome.reason,
            rounds: outcome.rounds,
        });
        told
    }

    fn clean(&self, text: &str) -> String {
        clean(text, self.redactor)
    }
}

/// A judge's words without secrets, on one line and not too long.
fn clean(text: &str, redactor: &Redactor) -> String {
    let text = redactor.redact_words(text).text;
    let words: Vec<&str> = text.split_whitespace().collect();
    crate::text::clip_chars(&words.join(" "), MAX_WORDS).into_owned()
}

/// Whose reply an input is.
pub(super) fn replied_judge(input: &Input) -> Option<&JudgeId> {
    match input {
        Input::Answered { judge, .. } => Some(judge),
        _ => None,
    }
}

fn place_of(location: &Location) -> String {
    match location.line {
        0 => location.path.display().into_owned(),
        line => format!("{}:{line}", location.path.display()),
    }
}

/// Tells a council again from its journal, entry by entry as they are written.
pub(crate) struct JournalFollower {
    council: Council,
    heard: usize,
    redactor: Redactor,
}

impl JournalFollower {
    /// The council at its beginning, and what is told of that.
    pub(crate) fn convene(
        plan: Plan,
        label: RunLabel,
        redactor: Redactor,
    ) -> (Self, Vec<ProgressEvent>) {
        let mut told = vec![ProgressEvent::convened(label, &plan, 0)];
        let (council, actions) = Council::convene(plan);
        let follower = Self {
            council,
            heard: 0,
            redactor,
        };
        told.extend(follower.tell_actions(&actions, 0));
        (follower, told)
    }

    /// What the entries tell that were not heard before.
    pub(crate) fn hear_entries(&mut self, entries: &[JournalEntry]) -> Vec<ProgressEvent> {
        let mut told = Vec::new();
        for JournalEntry { at, input } in entries.iter().skip(self.heard) {
            let heard = ProgressTeller::input_event(input, &self.redactor);
            told.extend(heard.map(|kind| ProgressEvent::new(*at, kind)));
            let actions = self.council.handle(input.clone(), *at);
            told.extend(self.tell_rejection(replied_judge(input), *at));
            told.extend(self.tell_actions(&actions, *at));
        }
        self.heard = self.heard.max(entries.len());
        told
    }

    fn tell_rejection(&self, replied: Option<&JudgeId>, at: Millis) -> Option<ProgressEvent> {
        let teller = ProgressTeller {
            council: &self.council,
            redactor: &self.redactor,
        };
        let told = teller.rejection_event(replied);
        told.map(|kind| ProgressEvent::new(at, kind))
    }

    fn tell_actions(&self, actions: &[Action], at: Millis) -> Vec<ProgressEvent> {
        let teller = ProgressTeller {
            council: &self.council,
            redactor: &self.redactor,
        };
        let told = teller.action_events(actions).into_iter();
        told.map(|kind| ProgressEvent::new(at, kind)).collect()
    }
}
