//! A council larger than one machine: planned in one job, judged in many, concluded in one; joined by the run's files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use council_protocol::capability::Grant;
use council_protocol::packet::Target;
use council_protocol::{BlobSource, Capability, CapabilitySet, Packet, Seat, Turn};
use serde::{Deserialize, Serialize};

use crate::council::Plan;
use crate::council::plan::{
    DebateMode, Exchange, Options, PlannedSeat, Procedure, Subject as Matter,
};
use crate::prompt;
use crate::report::{self, BackendFacts, Gate, Report, RunFacts, Subject};
use crate::session::matrix::{self, Desk, Due, Stage};
use crate::session::{Places, Prompter, RealWorld, RunRef, World as _, worker};

use super::Start;
use super::bench::Bench;
use super::convene::draw;
use super::digests;
use super::error::CliError;
use super::history::REPORT;
use super::prepare::Prepared;
use super::prompts::{Prompts, overrides, shown_to};

/// What the last stage must know beside the plan.
const HEADER: &str = "matrix.json";

/// Version of that file.
const VERSION: u32 = 1;

/// What the reader of the verdict should know.
const NOTE: &str =
    "every judge was a job of its own: nobody could be sent a message, so there was one round";

/// What is done where a judge of a job cannot be sent a message.
const AFRESH: &str = "another job briefs it afresh, with what it said before";

#[derive(Serialize, Deserialize)]
struct Header {
    version: u32,
    target: Target,
    facts: RunFacts,
    /// Whether judges read redacted text.
    redacted: bool,
    fail_on: report::FailOn,
    max_answer_bytes: u64,
    /// The user's own templates, by name: the next round's prompts are rendered where his files are not.
    templates: BTreeMap<String, String>,
}

/// Writes everything that judges in other jobs need; says which turns are theirs.
pub(crate) fn plan(prepared: &Prepared, deep: bool, run: &Path) -> Result<Vec<Due>, CliError> {
    let cannot =
        |error: std::io::Error| CliError::run(format!("cannot write {}: {error}", run.display()));
    if run.exists() {
        return Err(
            CliError::usage(format!("{} is there already", run.display()))
                .hint("a run is planned once; name another folder"),
        );
    }
    let world = RealWorld::new();
    let bench = Bench {
        config: &prepared.config,
        deep,
    };
    let seats = bench.seats()?;
    let seed = draw(&world)?;
    let prompts = Prompts::for_seats(&seats, prepared, &seed)?;
    let settings = &prepared.config.settings;
    let debate = debate(settings.review.procedure, settings.review.debate);
    let planned = seats.iter().map(|seat| PlannedSeat {
        seat: seat.clone(),
        grant: grant(debate),
        coverage: shown_to(seat, prompts.as_deref(), prepared),
    });
    let mut notes = prepared.notes.clone();
    notes.extend(bench.notes());
    notes.extend((debate == DebateMode::Off).then(|| NOTE.to_owned()));
    let plan = Plan {
        procedure: procedure(settings.review.procedure)?,
        debate,
        consensus: bench.consensus(Matter::Change),
        quorum: bench.quorum(seats.len())?,
        policy: settings.policy(),
        seats: planned.collect(),
        exchange: Exchange::Inline {
            max_bytes: settings.limits.exchange,
        },
        timeouts: settings.timeouts(),
        seed,
        framing: prepared.packet.framing.clone(),
        notes,
        options: Options::default(),
    };
    let known = digests::of(prepared, &seats, prompts.as_deref().map(Prompts::digest));
    let named = RunRef::create(
        &world,
        &Places::default(),
        &prepared.packet.target.slug,
        &world.moment(),
    )?;
    let header = Header {
        version: VERSION,
        target: prepared.packet.target.clone(),
        facts: RunFacts {
            name: named.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started: named.started.clone(),
            backend: Some(BackendFacts {
                name: "matrix".to_owned(),
                requested: Some("matrix".to_owned()),
                passed_over: Vec::new(),
            }),
            debate: Some(debate),
            digests: known.digests(&prepared.packet),
            recognition_key: Some(known.key),
            seed: Some(plan.seed.clone()),
            ..RunFacts::default()
        },
        redacted: prompts.is_some(),
        fail_on: settings.review.fail_on,
        max_answer_bytes: settings.limits.answer,
        templates: overrides(prepared)?,
    };
    std::fs::create_dir_all(run).map_err(cannot)?;
    let brief = prompts.as_ref().map(|prompts| prompts.text());
    worker::export(
        run,
        &prepared.packet,
        brief.as_deref(),
        &*prepared.change.blobs,
    )
    .map_err(cannot)?;
    matrix::keep(run, &plan).map_err(cannot)?;
    let json = serde_json::to_vec_pretty(&header).map_err(|error| cannot(error.into()))?;
    std::fs::write(run.join(HEADER), json).map_err(cannot)?;
    let desk = Desk {
        run,
        packet: Arc::clone(&prepared.packet),
        blobs: Arc::clone(&prepared.change.blobs),
        redact: prompts.as_ref().map(|_| Prompts::redact()),
        prompter: prompts.as_deref().map(|prompts| prompts as &dyn Prompter),
        max_answer_bytes: header.max_answer_bytes,
    };
    match matrix::advance(&desk, plan, false).map_err(cannot)? {
        Stage::Due(due) => Ok(due),
        Stage::Over(_) => Ok(Vec::new()),
    }
}

/// Gives out the turns of the next round, as far as the replies in the run's folder go; none: nobody is asked any more.
pub(crate) fn next(run: &Path) -> Result<Vec<Due>, CliError> {
    let kept = Kept::read(run)?;
    let prompter = prompt::Prompter::new(&kept.plan.seed, &kept.header.templates)
        .map_err(CliError::usage)?
        .over(kept.packet.target.kind);
    let stage = kept.advance(run, Some(&Later(prompter)), false)?;
    match stage {
        Stage::Due(due) => Ok(due),
        Stage::Over(_) => Ok(Vec::new()),
    }
}

/// A run that was concluded.
pub(crate) struct Concluded {
    pub(crate) report: Report,
    pub(crate) packet: Packet,
    pub(crate) gate: Gate,
}

/// Makes the verdict from the replies that lie in the run's folder.
pub(crate) fn conclude(run: &Path) -> Result<Concluded, CliError> {
    let kept = Kept::read(run)?;
    let Stage::Over(outcome) = kept.advance(run, None, true)? else {
        return Err(CliError::run(
            "the council asks for more than its jobs answered",
        ));
    };
    let Kept { header, packet, .. } = kept;
    let report = Report::new(*outcome, Subject::of(&packet), header.facts);
    let gate = Gate {
        fail_on: header.fail_on,
        ..Gate::default()
    };
    std::fs::write(run.join(REPORT), report::json::render(&report, gate))
        .map_err(|error| cannot_go_on(run, &error))?;
    Ok(Concluded {
        report,
        packet,
        gate,
    })
}

/// What lies in the folder of a run that was planned.
struct Kept {
    header: Header,
    plan: Plan,
    packet: Packet,
    blobs: Arc<worker::FolderBlobs>,
}

impl Kept {
    fn read(run: &Path) -> Result<Self, CliError> {
        let cannot = |error: std::io::Error| cannot_go_on(run, &error);
        let header = std::fs::read(run.join(HEADER)).map_err(cannot)?;
        let header: Header =
            serde_json::from_slice(&header).map_err(|error| cannot(error.into()))?;
        if header.version != VERSION {
            return Err(cannot(std::io::Error::other(format!(
                "it has version {}, and {VERSION} is read",
                header.version
            ))));
        }
        let plan = matrix::plan(run).map_err(cannot)?;
        let (mut packet, blobs) = worker::open(run).map_err(cannot)?;
        packet.target = header.target.clone();
        packet.framing = plan.framing.clone();
        Ok(Self {
            header,
            plan,
            packet,
            blobs: Arc::new(blobs),
        })
    }

    fn advance(
        &self,
        run: &Path,
        prompter: Option<&dyn Prompter>,
        last: bool,
    ) -> Result<Stage, CliError> {
        let desk = Desk {
            run,
            packet: Arc::new(self.packet.clone()),
            blobs: Arc::clone(&self.blobs) as Arc<dyn BlobSource>,
            redact: self.header.redacted.then(Prompts::redact),
            prompter,
            max_answer_bytes: self.header.max_answer_bytes,
        };
        matrix::advance(&desk, self.plan.clone(), last).map_err(|error| cannot_go_on(run, &error))
    }
}

fn cannot_go_on(run: &Path, error: &std::io::Error) -> CliError {
    CliError::usage(format!("cannot go on with {}: {error}", run.display())).hint(
        "the folder is the one that `git council plan --run` wrote, with the replies of its judges",
    )
}

/// Prompts of later rounds; the brief lies with each judge's seat already.
struct Later(prompt::Prompter);

impl Prompter for Later {
    fn brief(&self, _: &Seat) -> Arc<str> {
        Arc::from("")
    }

    fn prompt(&self, seat: &Seat, turn: &Turn, explorers: u8) -> Result<String, String> {
        self.0
            .turn_exploring(seat, turn.round, &turn.key, &turn.task, explorers)
            .map_err(|error| error.to_string())
    }

    fn reminder(&self, seat: &Seat, said: &[Arc<str>]) -> Result<String, String> {
        self.0
            .reminder(seat, said)
            .map_err(|error| error.to_string())
    }
}

/// What a job of its own can do. It can be sent no message; it is briefed afresh for R2 only where a debate was asked for.
fn grant(debate: DebateMode) -> Grant {
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

/// R2 over jobs is never run unasked (3-debate.md, "Settled contradictions").
fn debate(procedure: Procedure, mode: DebateMode) -> DebateMode {
    match (procedure, mode) {
        (_, DebateMode::Force) | (Procedure::Debate, DebateMode::Auto) => DebateMode::Force,
        _ => DebateMode::Off,
    }
}

fn procedure(asked: Procedure) -> Result<Procedure, CliError> {
    match asked {
        Procedure::Quick => Ok(Procedure::Quick),
        Procedure::Review | Procedure::Debate => Ok(Procedure::Review),
        other => Err(CliError::usage(
            format!("{other:?} needs judges that can be sent messages, and jobs cannot")
                .to_lowercase(),
        )
        .hint("plan it as a review: --procedure review")),
    }
}

/// The folder of a run as it was named on the command line.
pub(crate) fn folder(start: &Start, run: &Path) -> PathBuf {
    start.dir.join(run)
}
