//! A run in one file that can be passed on: enough to compute its verdict again, and no more unless it is asked for.
//!
//! Objects stand in it by their ids and agents by their names. Of an answer only its object is kept, since nothing else of it
//! is ever read; a reply without one is kept as it is. Secrets are replaced throughout. A bundle that does not give the
//! report that is in it is not written, and none that is read is believed.

use std::collections::BTreeMap;
use std::sync::Arc;

use council_protocol::seat::AgentKind;
use council_protocol::task::Framing;
use council_protocol::{JudgeId, Packet, RoundNumber, Seat, Turn, TurnId};
use council_secrets::Redactor;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::council::{Action, Council, Input, Plan, object_of};
use crate::report::{Report, ReviewSubject};
use crate::run::error::RunError;
use crate::run::floor;
use crate::run::loaded::LoadedRun;
use crate::session::journal::JournalEntry;
use crate::session::{PromptRenderer, replay_council, stored};

/// Version that every bundle carries.
const VERSION: u32 = 1;

/// A run as a file.
#[derive(Serialize, Deserialize)]
pub(crate) struct RunBundle {
    bundle: u32,
    /// The version of the program that wrote it.
    program: String,
    /// The plan as it is stored, without commands and addresses of agents.
    plan: Value,
    /// What was under review, by object ids.
    objects: Vec<BundleFile>,
    /// The briefs that agents were sent, with their judges; only on request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    briefs: Vec<BundleBrief>,
    /// Every turn that was given, in order.
    turns: Vec<BundleTurn>,
    /// Everything that happened, in order.
    entries: Vec<JournalEntry>,
    /// What the council came to.
    report: Report,
}

/// A file of the change.
#[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BundleFile {
    path: String,
    old: Option<String>,
    new: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct BundleBrief {
    judges: Vec<JudgeId>,
    text: String,
}

/// A turn of a judge.
#[derive(Serialize, Deserialize)]
struct BundleTurn {
    id: TurnId,
    judge: JudgeId,
    round: RoundNumber,
    key: String,
    task: String,
    /// Only on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
}

/// What is put into a bundle beyond what its verdict needs.
#[derive(Default)]
pub(crate) struct BundleExtras {
    /// The words around the objects of answers.
    pub(crate) answers: bool,
    /// What agents were sent: who renders it.
    pub(crate) prompts: Option<Arc<dyn PromptRenderer>>,
}

impl RunBundle {
    /// The bundle of a run whose report this is.
    pub(crate) fn from_run(
        left: &LoadedRun,
        packet: &Packet,
        mut report: Report,
        extras: &BundleExtras,
        redactor: &Redactor,
    ) -> Result<Self, RunError> {
        for judge in &mut report.outcome.judges {
            hide_agent(&mut judge.seat);
        }
        let turns = replay_turns(&left.plan, &left.journal.entries, extras);
        let entries = left.journal.entries.iter().cloned();
        let mut bundle = Self {
            bundle: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            plan: bundled_plan(&left.plan, extras, redactor)?,
            objects: {
                let shown = |file| BundleFile::from_change(file, redactor);
                packet.files.iter().map(shown).collect()
            },
            briefs: extras
                .prompts
                .as_deref()
                .map(|p| collect_briefs(&left.plan, p))
                .unwrap_or_default(),
            turns,
            entries: entries
                .map(|entry| bundled_entry(entry, extras, redactor))
                .collect::<Result<_, _>>()?,
            report,
        };
        // Fingerprints and groups follow from the words, and the words have lost their secrets: findings that differ in
        // nothing else are one. The verdict must not change by it.
        let again = bundle.recompute_report()?;
        let weighs = |report: &Report| (report.outcome.verdict, report.outcome.reason);
        if weighs(&again) != weighs(&bundle.report) {
            let hint =
                "without its secrets the run does not say the same: pass its folder on, if you may";
            return Err(bundle.disagreement(&again).hint(hint));
        }
        bundle.report = again;
        Ok(bundle)
    }

    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct BundleVersion {
            bundle: u32,
        }
        let BundleVersion { bundle } =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if bundle != VERSION {
            return Err(format!(
                "it has version {bundle}, this program reads version {VERSION}"
            ));
        }
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // Plain data with string keys: this cannot fail.
        let mut bytes = crate::text::pretty_json(self)
            .unwrap_or_default()
            .into_bytes();
        bytes.push(b'\n');
        bytes
    }

    /// The report, computed again from what happened.
    ///
    /// # Errors
    /// When that does not give the report that is in it.
    pub(crate) fn verify(&self) -> Result<Report, RunError> {
        let again = self.recompute_report()?;
        if again == self.report {
            Ok(again)
        } else {
            Err(self.disagreement(&again))
        }
    }

    fn recompute_report(&self) -> Result<Report, RunError> {
        let broken = |error: &dyn std::fmt::Display| {
            RunError::run(format!("the bundle cannot be replayed: {error}"))
        };
        let plan = serde_json::to_vec(&self.plan).map_err(|error| broken(&error))?;
        let plan = stored::parse_plan(&plan).map_err(|error| broken(&error))?;
        let mut outcome = replay_council(plan, &self.entries).map_err(|error| broken(&error))?;
        floor::recall_rules(&mut outcome, &self.report.outcome);
        let Report {
            target,
            change,
            receipt,
            ..
        } = &self.report;
        let subject = ReviewSubject {
            target: target.clone(),
            change: *change,
            instructions: receipt.instructions.clone(),
        };
        let facts = receipt.run.clone();
        Ok(Report::new(outcome, subject, facts, &Redactor::default()))
    }

    fn disagreement(&self, again: &Report) -> RunError {
        RunError::run(format!(
            "the bundle says {}, but its recorded answers lead to {}: the bundle was changed",
            self.report.outcome.verdict.as_str(),
            again.outcome.verdict.as_str()
        ))
    }
}

impl BundleFile {
    pub(crate) fn from_change(file: &council_protocol::FileChange, redactor: &Redactor) -> Self {
        Self {
            path: redactor.redact_name(&file.path.display()).text,
            old: file.old_id.clone(),
            new: file.new_id.clone(),
        }
    }
}

/// Takes away what says how an agent is reached: commands, addresses, paths of a machine.
fn hide_agent(seat: &mut Seat) {
    seat.agent.kind = AgentKind::Backend {};
}

/// The plan without what says how agents are reached, and without the authors' words unless prompts are wanted.
fn bundled_plan(
    plan: &Plan,
    extras: &BundleExtras,
    redactor: &Redactor,
) -> Result<Value, RunError> {
    let mut plan = plan.clone();
    for planned in &mut plan.seats {
        hide_agent(&mut planned.seat);
    }
    if extras.prompts.is_none() {
        plan.framing = Framing::default();
    }
    let stored = serde_json::from_slice(&stored::plan_to_bytes(&plan));
    let stored =
        stored.map_err(|error| RunError::run(format!("the plan cannot be written: {error}")))?;
    Ok(redact_value(redactor, stored))
}

/// An entry without secrets, and an answer without the words around it.
fn bundled_entry(
    mut entry: JournalEntry,
    extras: &BundleExtras,
    redactor: &Redactor,
) -> Result<JournalEntry, RunError> {
    if let Input::Answered { raw, .. } = &mut entry.input {
        let object =
            object_of(raw).and_then(|text| serde_json::from_slice::<Value>(text.as_bytes()).ok());
        match object {
            Some(object) if !extras.answers => {
                *raw = redact_value(redactor, object).to_string().into()
            }
            _ => *raw = redactor.redact_words(raw).text.into(),
        }
    }
    let value = serde_json::to_value(entry).map(|value| redact_value(redactor, value));
    value.and_then(serde_json::from_value).map_err(|error| {
        RunError::run(format!(
            "an entry of the journal cannot be redacted: {error}"
        ))
    })
}

/// The same with secrets replaced in every text.
fn redact_value(redactor: &Redactor, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.redact_words(&text).text),
        Value::Array(values) => Value::Array(
            values
                .into_iter()
                .map(|value| redact_value(redactor, value))
                .collect(),
        ),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| (name, redact_value(redactor, value)))
                .collect(),
        ),
        other => other,
    }
}

/// What each judge that reads text was sent, in order: its name, the round and the words.
pub(crate) fn sent_prompts(
    left: &LoadedRun,
    prompter: Arc<dyn PromptRenderer>,
) -> Vec<(String, RoundNumber, String)> {
    let extras = BundleExtras {
        prompts: Some(prompter),
        ..BundleExtras::default()
    };
    let turns = replay_turns(&left.plan, &left.journal.entries, &extras).into_iter();
    turns
        .filter_map(|turn| Some((turn.judge.to_string(), turn.round, turn.prompt?)))
        .collect()
}

/// The turns that were given, as the engine gives them again.
fn replay_turns(plan: &Plan, entries: &[JournalEntry], extras: &BundleExtras) -> Vec<BundleTurn> {
    let (mut council, mut actions) = Council::convene(plan.clone());
    for JournalEntry { at, input } in entries {
        actions.extend(council.handle(input.clone(), *at));
    }
    actions
        .into_iter()
        .filter_map(|action| bundled_turn(plan, action, extras))
        .collect()
}

fn bundled_turn(plan: &Plan, action: Action, extras: &BundleExtras) -> Option<BundleTurn> {
    let Action::Send {
        judge,
        turn: id,
        round,
        key,
        task,
        timeout_ms,
    } = action
    else {
        return None;
    };
    let name = serde_json::to_value(&task).ok()?["task"]
        .as_str()?
        .to_owned();
    let seat = plan
        .seats
        .iter()
        .map(|planned| &planned.seat)
        .find(|seat| seat.judge == judge)?;
    let turn = Turn {
        id,
        round,
        key,
        task,
        prompt: String::new(),
        timeout_ms,
        spend: None,
    };
    let prompter = extras
        .prompts
        .as_deref()
        .filter(|_| seat.agent.kind.reads_text());
    Some(BundleTurn {
        prompt: prompter.and_then(|prompter| {
            prompter
                .render_prompt(seat, &turn, plan.options.explorers)
                .ok()
        }),
        key: turn.key,
        task: name,
        id,
        judge,
        round,
    })
}

/// Each brief once, with the judges that were sent it.
fn collect_briefs(plan: &Plan, prompter: &dyn PromptRenderer) -> Vec<BundleBrief> {
    let readers = plan
        .seats
        .iter()
        .map(|planned| &planned.seat)
        .filter(|seat: &&Seat| seat.agent.kind.reads_text());
    let mut briefs: BTreeMap<Arc<str>, Vec<JudgeId>> = BTreeMap::new();
    for seat in readers {
        briefs
            .entry(prompter.render_brief(seat))
            .or_default()
            .push(seat.judge.clone());
    }
    briefs
        .into_iter()
        .map(|(text, judges)| BundleBrief {
            judges,
            text: text.to_string(),
        })
        .collect()
}
