//! What happens in a council as events for whoever watches it: the same while it sits and from its journal later.
//!
//! Everything is told from the engine's inputs and actions, which a journal gives again. So a program that attaches to a
//! run in the background sees what the terminal that started it would have shown.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use council_protocol::answer::Stance;
use council_protocol::message::Usage;
use council_protocol::price::ModelPrice;
use council_protocol::task::Form;
use council_protocol::{FailureKind, JudgeId, Millis, RoundNumber, Task, Vote};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::council::Plan;
use crate::council::outcome::{Verdict, VerdictReason};
use crate::council::plan::Procedure;

/// Version of the events: it goes up when readers of the present ones could misunderstand them.
const EVENTS_VERSION: u32 = 1;

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
    /// A turn of a judge that has tools goes on, and has used so much until now; its reply names the sum once more.
    Spends {
        judge: JudgeId,
        /// What its calls have used, as far as they are over.
        #[serde(flatten)]
        used: UsedTokens,
    },
    /// The provider of a judge failed, and is asked again after a pause.
    AsksAgain {
        judge: JudgeId,
        /// Why it failed.
        why: String,
        /// How long is waited, in milliseconds.
        pause_ms: u64,
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
    /// A test of a judge is to be run, before the change and after it.
    TestQueued {
        /// Its number, e.g. `P1`.
        test: String,
    },
    /// It was run, or could not be.
    TestEnded { test: String },
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    pub(super) fn of(task: &Task) -> Self {
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
    pub(super) fn of(usage: Option<&Usage>) -> Self {
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

    /// The same of a turn that goes on: its calls come without a price.
    pub(crate) fn priced(usage: &Usage, prices: &BTreeMap<String, ModelPrice>) -> Self {
        let with_price = |call: &Usage| {
            let price = call.model.as_ref().and_then(|model| prices.get(model));
            let usd = price.and_then(|price| price.of_usage(call));
            Usage {
                cost_usd: call.cost_usd.or(usd),
                earlier: Vec::new(),
                ..call.clone()
            }
        };
        let earlier = usage.earlier.iter().map(with_price).collect();
        Self::of(Some(&Usage {
            earlier,
            ..with_price(usage)
        }))
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
