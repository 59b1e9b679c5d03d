//! A council larger than one machine: planned in one job, judged in many, concluded in one; joined by the run's files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use council_protocol::capability::Grant;
use council_protocol::packet::Target;
use council_protocol::seat::AgentSpec;
use council_protocol::{BlobSource, Capability, CapabilitySet, Packet, Seat, Turn};
use council_secrets::{Redactor, SecretTable};
use serde::{Deserialize, Serialize};

use crate::council::Plan;
use crate::council::plan::{DebateMode, ExchangeMode, Procedure, ProcedureOptions};
use crate::packet::packet_digest;
use crate::prompt;
use crate::report::{
    self, BackendFacts, CarriedReview, GatePolicy, MATRIX_BACKEND, Report, ReviewSubject, RunFacts,
};
use crate::session::matrix::{self, DueTurn, MatrixContext, MatrixStage};
use crate::session::{PromptRenderer, RealWorld, RunFolders, RunRef, SessionWorld as _, worker};

use crate::run::context::RunContext;
use crate::run::convene::draw_run_seed;
use crate::run::digests;
use crate::run::error::RunError;
use crate::run::facts::base_facts;
use crate::run::floor::{RuleBench, configured_rules, hear_rules};
use crate::run::kept_objection::keep_objection;
use crate::run::plan::{PlanInputs, build_plan, plan_subject};
use crate::run::prepare::PreparedReview;
use crate::run::prompts::{SeatPrompts, template_overrides};
use crate::run::recognition::VerdictMemory;
use crate::run::redaction::{own_rules_text, redactor_of_job};
use crate::run::seats::SeatPlanner;
use crate::run::store::REPORT_FILE;
use crate::safe_file;

/// What the last stage must know beside the plan.
const HEADER: &str = "matrix.json";

/// Version of that file.
const VERSION: u32 = 2;

/// What the reader of the verdict should know.
const NOTE: &str =
    "every judge ran in its own job and could not be messaged, so there was one round";

/// What is done where a judge of a job cannot be sent a message.
const AFRESH: &str = "another job briefs it again, with its earlier answer";

#[derive(Serialize, Deserialize)]
struct MatrixHeader {
    version: u32,
    /// The digest of the packet's folder. What belongs to another one does not belong to this run.
    packet: String,
    /// The digest of the plan.
    plan: String,
    target: Target,
    facts: RunFacts,
    /// The user's own rules for secrets: the verdict is made where his files are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redaction_rules: Option<String>,
    fail_on: report::FailOn,
    /// The built-in rules as they are set where the run was planned: they are heard where none of them sits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rules: Option<AgentSpec>,
    max_answer_bytes: u64,
    /// What an earlier review of the same pull request left open, and what becomes of it; none: there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    earlier: Option<CarriedReview>,
    /// The user's own templates, by name: the next round's prompts are rendered where his files are not.
    templates: BTreeMap<String, String>,
}

/// A job has no tree to give to a tool: whoever plans must hear that before jobs are started whose run ends without a
/// verdict.
fn refuse_tools(seats: &[Seat]) -> Result<(), RunError> {
    let mut tools: Vec<&str> = seats
        .iter()
        .filter(|seat| seat.agent.kind.is_tool())
        .map(|seat| seat.agent.name.as_str())
        .collect();
    tools.dedup();
    if tools.is_empty() {
        return Ok(());
    }
    Err(RunError::usage(format!(
        "tools take no part where each judge is a job of its own: {}",
        tools.join(", ")
    ))
    .hint("name the other agents: git council plan --agents builtin")
    .hint("and run the tools in one job: git council review --agents TOOL"))
}

/// Writes everything that judges in other jobs need; says which turns are theirs.
pub(crate) fn plan_matrix(
    prepared: &PreparedReview,
    deep: bool,
    run: &Path,
    start: &RunContext,
) -> Result<Vec<DueTurn>, RunError> {
    let cannot =
        |error: std::io::Error| RunError::run(format!("cannot write {}: {error}", run.display()));
    if run.exists() {
        return Err(RunError::usage(format!("{} already exists", run.display()))
            .hint("a run is planned once; name another folder"));
    }
    let world = RealWorld::new();
    let bench = SeatPlanner {
        config: &prepared.config,
        deep,
    };
    let planned = bench.plan_bench(&prepared.packet)?;
    let seats = planned.seats;
    refuse_tools(&seats)?;
    SeatPlanner::require_thinking_seats(&seats, prepared.packet.target.kind)?;
    let seed = draw_run_seed(&world)?;
    let prompts = SeatPrompts::for_seats(&seats, prepared, &seed)?;
    let settings = &prepared.config.settings;
    let debate = matrix_debate(settings.review.procedure, settings.review.debate);
    let mut notes = bench.seating_notes();
    notes.extend(bench.idle_key_notes(&seats));
    notes.extend(planned.idle_note);
    notes.extend((debate == DebateMode::Off).then(|| NOTE.to_owned()));
    // What counts as dismissed is settled here: where the verdict is made there may be no repository.
    let mut heard = VerdictMemory::known_dismissals(prepared, start);
    heard.dismissals.extend(prepared.dismissed.iter().cloned());
    notes.extend(heard.notes);
    let inputs = PlanInputs {
        procedure: matrix_procedure(settings.review.procedure)?,
        debate,
        consensus: bench.consensus_rule(plan_subject(&prepared.packet)),
        quorum: planned.quorum,
        grants: seats.iter().map(|_| job_grant(debate)).collect(),
        exchange: ExchangeMode::Inline {
            max_bytes: settings.limits.exchange,
        },
        seed,
        notes,
        options: ProcedureOptions {
            dismissed: heard.dismissals,
            in_jobs: true,
            ..ProcedureOptions::default()
        },
    };
    let mut plan = build_plan(prepared, &seats, prompts.as_deref(), inputs);
    // Jobs take an agent's name from the folder and nothing else: its command and its address are its user's own.
    for planned in &mut plan.seats {
        let agent = &mut planned.seat.agent;
        agent.kind = agent.kind.clone().without_reach();
    }
    let known = digests::compute_digests(
        prepared,
        &seats,
        prompts.as_deref().map(SeatPrompts::template_digest),
    );
    let named = RunRef::create(
        &world,
        &RunFolders::default(),
        &prepared.packet.target.slug,
        &world.read_calendar(),
    )?;
    safe_file::make_folder_for_owner(run).map_err(cannot)?;
    let brief = prompts.as_ref().map(|prompts| prompts.first_brief());
    worker::export_packet(
        run,
        &prepared.packet,
        brief.as_deref(),
        &*prepared.change.blobs,
    )
    .map_err(cannot)?;
    matrix::store_plan(run, &plan).map_err(cannot)?;
    let header = MatrixHeader {
        version: VERSION,
        packet: worker::packet_folder_digest(run).map_err(cannot)?,
        plan: matrix::plan_digest(run).map_err(cannot)?,
        target: prepared.packet.target.clone(),
        facts: RunFacts {
            backend: Some(BackendFacts {
                name: MATRIX_BACKEND.to_owned(),
                requested: Some(MATRIX_BACKEND.to_owned()),
                passed_over: Vec::new(),
            }),
            debate: Some(debate),
            digests: known.receipt_digests(packet_digest(&prepared.packet), prompts.as_deref()),
            recognition_key: Some(known.key),
            seed: Some(plan.seed.clone()),
            fail_on: Some(prepared.config.settings.review.fail_on),
            brief: prompts.as_deref().map(SeatPrompts::brief_facts),
            started_by: start.started_by.clone(),
            ..base_facts(&named)
        },
        redaction_rules: own_rules_text(
            &prepared.config.settings,
            prepared.change.place.workdir.as_deref(),
        )?,
        fail_on: settings.review.fail_on,
        rules: configured_rules(&prepared.config),
        max_answer_bytes: settings.limits.answer,
        earlier: prepared.earlier.clone(),
        templates: template_overrides(
            &prepared.config.settings,
            prepared.change.place.workdir.as_deref(),
        )?,
    };
    let json = crate::text::pretty_json(&header)
        .map(String::into_bytes)
        .map_err(|error| cannot(error.into()))?;
    safe_file::write_file_for_owner(&run.join(HEADER), json).map_err(cannot)?;
    let desk = MatrixContext {
        run,
        packet: Arc::clone(&prepared.packet),
        blobs: Arc::clone(&prepared.change.blobs),
        redactor: prepared.redactor.clone(),
        prompter: prompts
            .as_deref()
            .map(|prompts| prompts as &dyn PromptRenderer),
        max_answer_bytes: header.max_answer_bytes,
        packet_digest: header.packet.clone(),
    };
    match matrix::advance_council(&desk, plan, false).map_err(cannot)? {
        MatrixStage::Due(due) => Ok(due),
        MatrixStage::Over(_) => Ok(Vec::new()),
    }
}

/// Gives out the turns of the next round, as far as the replies in the run's folder go; none: nobody is asked any more.
pub(crate) fn next_turns(run: &Path, start: &RunContext) -> Result<Vec<DueTurn>, RunError> {
    let kept = PlannedMatrix::load(run)?;
    let prompter = prompt::PromptBuilder::new(&kept.plan.seed, &kept.header.templates)
        .map_err(RunError::usage)?
        .for_target(kept.packet.target.kind);
    let stage = kept.advance_stage(run, Some(&LaterPrompter(prompter)), false, start)?;
    match stage {
        MatrixStage::Due(due) => Ok(due),
        MatrixStage::Over(_) => Ok(Vec::new()),
    }
}

/// A run that was concluded.
pub(crate) struct ConcludedMatrix {
    pub(crate) report: Report,
    pub(crate) packet: Packet,
    pub(crate) blobs: Arc<dyn BlobSource>,
    pub(crate) gate: GatePolicy,
}

/// Makes the verdict from the replies that lie in the run's folder.
pub(crate) fn conclude_matrix(run: &Path, start: &RunContext) -> Result<ConcludedMatrix, RunError> {
    let kept = PlannedMatrix::load(run)?;
    let MatrixStage::Over(mut outcome) = kept.advance_stage(run, None, true, start)? else {
        return Err(RunError::run(
            "replies are missing: the council is not finished",
        ));
    };
    let redactor = kept.redactor(start)?;
    let rules = kept.header.rules.clone().map(|agent| RuleBench {
        agent,
        packet: Arc::new(kept.packet.clone()),
        blobs: Arc::clone(&kept.blobs) as Arc<dyn BlobSource>,
        redactor: redactor.clone(),
    });
    hear_rules(&mut outcome, &kept.plan, rules);
    let PlannedMatrix {
        header,
        packet,
        blobs,
        ..
    } = kept;
    let earlier = header.earlier.as_ref();
    let facts = RunFacts {
        earlier: earlier.map(|earlier| earlier.settle_in(&mut outcome)),
        ..header.facts
    };
    let report = Report::new(*outcome, ReviewSubject::of(&packet), facts, &redactor);
    let gate = GatePolicy {
        fail_on: header.fail_on,
        ..GatePolicy::default()
    };
    let json = report::json::render(&report, gate);
    safe_file::write_file_for_owner(&run.join(REPORT_FILE), json)
        .map_err(|error| unusable_run(run, &error))?;
    keep_objection(&report, start);
    Ok(ConcludedMatrix {
        report,
        packet,
        blobs,
        gate,
    })
}

/// What lies in the folder of a run that was planned.
struct PlannedMatrix {
    header: MatrixHeader,
    plan: Plan,
    packet: Packet,
    blobs: Arc<worker::FolderBlobs>,
}

impl PlannedMatrix {
    fn load(run: &Path) -> Result<Self, RunError> {
        let cannot = |error: std::io::Error| unusable_run(run, &error);
        // Between two jobs it was in an archive, which brings the permissions of its own machine.
        safe_file::close_to_others(run);
        let header = safe_file::read(run.join(HEADER)).map_err(cannot)?;
        let header: MatrixHeader =
            serde_json::from_slice(&header).map_err(|error| cannot(error.into()))?;
        if header.version != VERSION {
            return Err(cannot(std::io::Error::other(format!(
                "it has version {}, and {VERSION} is read",
                header.version
            ))));
        }
        let plan = matrix::load_plan(run, &header.plan).map_err(cannot)?;
        if worker::packet_folder_digest(run).map_err(cannot)? != header.packet {
            return Err(cannot(std::io::Error::other(
                "packet/ is another one than was planned: it belongs to another run, or to an earlier commit",
            )));
        }
        let (mut packet, blobs) = worker::open_packet(run).map_err(cannot)?;
        // What the rules cannot read they find nothing in: damage must not look like a clean change.
        blobs.check_all().map_err(cannot)?;
        packet.target = header.target.clone();
        packet.framing = plan.framing.clone();
        Ok(Self {
            header,
            plan,
            packet,
            blobs: Arc::new(blobs),
        })
    }

    /// Takes secrets out of what is shown, as it was taken out where the run was planned.
    fn redactor(&self, start: &RunContext) -> Result<Redactor, RunError> {
        let rules = match &self.header.redaction_rules {
            Some(text) => Redactor::with_table(SecretTable::parse(text).map_err(|error| {
                RunError::usage(format!("the rules for secrets of this run: {error}"))
            })?),
            None => Redactor::default(),
        };
        Ok(redactor_of_job(&rules, &self.packet, start))
    }

    fn advance_stage(
        &self,
        run: &Path,
        prompter: Option<&dyn PromptRenderer>,
        last: bool,
        start: &RunContext,
    ) -> Result<MatrixStage, RunError> {
        let desk = MatrixContext {
            run,
            packet: Arc::new(self.packet.clone()),
            blobs: Arc::clone(&self.blobs) as Arc<dyn BlobSource>,
            redactor: self.redactor(start)?,
            prompter,
            max_answer_bytes: self.header.max_answer_bytes,
            packet_digest: self.header.packet.clone(),
        };
        matrix::advance_council(&desk, self.plan.clone(), last)
            .map_err(|error| unusable_run(run, &error))
    }
}

fn unusable_run(run: &Path, error: &std::io::Error) -> RunError {
    RunError::usage(format!("cannot continue {}: {error}", run.display()))
        .hint("name the folder that `git council plan --run` wrote, with the judges' replies in it")
}

/// Prompts of later rounds; the brief lies with each judge's seat already.
struct LaterPrompter(prompt::PromptBuilder);

impl PromptRenderer for LaterPrompter {
    fn render_brief(&self, _: &Seat) -> Arc<str> {
        Arc::from("")
    }

    fn render_prompt(&self, seat: &Seat, turn: &Turn, explorers: u8) -> Result<String, String> {
        self.0
            .render_exploring_turn(seat, turn.round, &turn.key, &turn.task, explorers)
            .map_err(|error| error.to_string())
    }

    fn render_reminder(&self, seat: &Seat, said: &[Arc<str>]) -> Result<String, String> {
        self.0
            .render_reminder(seat, said)
            .map_err(|error| error.to_string())
    }
}

/// What a job of its own can do. It can be sent no message; it is briefed afresh for R2 only where a debate was asked for.
fn job_grant(debate: DebateMode) -> Grant {
    let asked = match debate {
        DebateMode::Off => None,
        _ => Some(Capability::Message),
    };
    Grant {
        requested: CapabilitySet::from_iter(
            [Some(Capability::Spawn), asked.clone()]
                .into_iter()
                .flatten(),
        ),
        granted: CapabilitySet::from([
            Capability::Spawn,
            Capability::Shutdown,
            Capability::SharedFs,
            Capability::StructuredOutput,
            Capability::ReadOnly,
        ]),
        emulated: asked
            .map(|message| (message, AFRESH.to_owned()))
            .into_iter()
            .collect(),
    }
}

/// R2 over jobs is never run unasked.
fn matrix_debate(procedure: Procedure, mode: DebateMode) -> DebateMode {
    match (procedure, mode) {
        (_, DebateMode::Force) | (Procedure::Debate, DebateMode::Auto) => DebateMode::Force,
        _ => DebateMode::Off,
    }
}

fn matrix_procedure(asked: Procedure) -> Result<Procedure, RunError> {
    match asked {
        Procedure::Quick => Ok(Procedure::Quick),
        Procedure::Review | Procedure::Debate => Ok(Procedure::Review),
        other => Err(RunError::usage(
            format!("{other:?} needs judges that can be messaged, which separate jobs cannot be")
                .to_lowercase(),
        )
        .hint("plan it as a review: --procedure review")),
    }
}
