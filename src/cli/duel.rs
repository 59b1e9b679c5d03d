//! Runs a duel: one side in this process, or both as two processes of ours.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use council_agents::{JudgeMemory, SeatedJudge, StopSignal};
use council_protocol::capability::Grant;
use council_protocol::seat::{AgentSpec, Perspective};
use council_protocol::{
    Capability, CapabilitySet, JudgeSpec, Location, Proof, Seat, Task, Turn, TurnId,
};

use super::context::CommandContext;
use crate::run::backends::BackendTable;
use crate::run::convene::draw_run_seed;
use crate::run::error::RunError;
use crate::run::prepare::PreparedReview;
use crate::run::prompts::SeatPrompts;
use crate::run::seats::SeatPlanner;

use crate::council::Plan;
use crate::council::plan::{
    DebateMode, ExchangeMode, PlannedSeat, Procedure, ProcedureOptions, RunSeed,
};
use crate::duel::driver::{self as session, DuelFileOnDisk, DuelFinished, MAX_TRANSCRIPT_BYTES};
use crate::duel::protocol::side::ending_of;
use crate::duel::protocol::transcript::DebateTranscript;
use crate::duel::{DuelEnding, DuelRole, verdict};
use crate::report::{BackendFacts, Report, ReviewSubject, RunFacts};
use crate::session::{PromptRenderer as _, QuoteProver, RealWorld, SessionWorld};

/// A duel over a prepared change.
pub(crate) struct Duel<'a> {
    pub(crate) start: &'a CommandContext,
    pub(crate) prepared: &'a PreparedReview,
    /// Who speaks for A and for B; none: the configuration's first and second agent.
    pub(crate) agents: [Option<&'a str>; 2],
    pub(crate) poll_ms: u64,
    pub(crate) timeout_ms: u64,
    pub(crate) file: PathBuf,
}

/// A transcript that came to an end.
pub(crate) struct Concluded {
    text: String,
    ending: DuelEnding,
    seed: RunSeed,
    took_ms: u64,
    started: String,
}

impl Duel<'_> {
    /// Plays one side in this process.
    pub(crate) fn side(&self, role: DuelRole) -> Result<Concluded, RunError> {
        let world = RealWorld::new();
        let started = world.read_calendar().rfc3339;
        let seed = draw_run_seed(&world)?;
        let seat = self.seat(role)?;
        let prompts = SeatPrompts::for_seats(std::slice::from_ref(&seat), self.prepared, &seed)?;
        let mut sitting = self.sit(&seat, prompts.as_deref())?;
        let stop = StopSignal::default();
        let prompt = |task: &Task, key: &str| {
            prompts.as_ref().map_or_else(
                || Ok(String::new()),
                |p| p.render_prompt(&seat, &turn(task, key), 0),
            )
        };
        let side = session::DuelSeat {
            role,
            subject: self.prepared.packet.target.label.clone(),
            tool: format!("git-council {}", seat.agent.name),
            poll_ms: self.poll_ms,
            timeout_ms: self.timeout_ms,
            agent_timeout_ms: self.prepared.config.settings.timeouts().r1_ms,
            key: seed.0[..24].to_owned(),
        };
        let mut told = |heading: &str| {
            if self.start.console.is_verbose() {
                self.start.console.log_line(&format!("{role}: {heading}"));
            }
        };
        let mut desk = DuelFileOnDisk::new(self.file.clone());
        let played = session::play_side(&side, &mut sitting, &prompt, &mut desk, &stop, &mut told);
        sitting.end();
        match played.map_err(RunError::run)? {
            DuelFinished::Concluded(ending) => {
                let text = read(&self.file)?;
                Ok(Concluded {
                    text,
                    ending,
                    seed,
                    took_ms: world.now_ms(),
                    started,
                })
            }
            DuelFinished::NoFile => {
                let file = self.file.display();
                Err(RunError::run(format!(
                    "{file} did not appear in time: nobody opened the duel"
                ))
                .hint("start side A first, or wait longer: --timeout 1h"))
            }
        }
    }

    /// Plays both sides, each in a process of its own: neither can speak for the other.
    pub(crate) fn both(&self, subject: Option<&str>) -> Result<Concluded, RunError> {
        if self.file.exists() {
            let file = self.file.display();
            return Err(RunError::usage(format!("{file} is there already"))
                .hint("answer it with `--as b`, or move it away"));
        }
        let world = RealWorld::new();
        let started = world.read_calendar().rfc3339;
        let seed = draw_run_seed(&world)?;
        let mut sides = [DuelRole::A, DuelRole::B].map(|role| self.start_side(role, subject));
        let failed = sides.iter_mut().map(|side| match side {
            Ok(child) => child.wait().map(|s| s.success()).unwrap_or(false),
            Err(_) => false,
        });
        let failed = failed.filter(|ok| !ok).count();
        if let Some(Err(error)) = sides.into_iter().find(Result::is_err) {
            return Err(error);
        }
        let text = read(&self.file)?;
        let transcript = DebateTranscript::parse(&text);
        if !transcript.is_concluded() {
            return Err(
                RunError::run(format!("{failed} of 2 sides broke off before the end"))
                    .hint(format!("the transcript is kept: {}", self.file.display())),
            );
        }
        let ending = ending_of(&transcript);
        Ok(Concluded {
            text,
            ending,
            seed,
            took_ms: world.now_ms(),
            started,
        })
    }

    fn start_side(&self, role: DuelRole, subject: Option<&str>) -> Result<Child, RunError> {
        let cannot = |error| RunError::run(format!("cannot start {role}: {error}"));
        let exe = std::env::current_exe().map_err(cannot)?;
        let mut command = Command::new(exe);
        command.arg("-C").arg(&self.start.dir);
        command.args(self.start.global.repeat_flags());
        command
            .arg("duel")
            .args(subject)
            .arg("--relay")
            .arg("--file")
            .arg(&self.file);
        command
            .arg("--as")
            .arg(if role == DuelRole::A { "a" } else { "b" });
        command.arg("--poll").arg(format!("{}ms", self.poll_ms));
        command
            .arg("--timeout")
            .arg(format!("{}ms", self.timeout_ms));
        let names = ["--agent-a", "--agent-b"].into_iter().zip(self.agents);
        for (flag, name) in names.filter_map(|(flag, name)| Some((flag, name?))) {
            command.arg(flag).arg(name);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(cannot)
    }

    /// The transcript as an ordinary report.
    pub(crate) fn report(&self, concluded: &Concluded) -> Result<Report, RunError> {
        let transcript = DebateTranscript::parse(&concluded.text);
        let blobs = Arc::clone(&self.prepared.change.blobs);
        let mut prover = QuoteProver::new(
            Arc::clone(&self.prepared.packet),
            blobs,
            self.prepared.redactor.clone(),
        );
        let mut prove = |location: &Location, quote: &str| -> (Proof, String) {
            prover.prove_quote(location, quote)
        };
        let plan = self.plan(&concluded.seed)?;
        let outcome = verdict::judge_transcript(&transcript, concluded.ending, plan, &mut prove)
            .ok_or_else(|| RunError::run("the transcript could not be judged"))?;
        let facts = RunFacts {
            name: format!("duel-{}", self.prepared.packet.target.slug),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started: concluded.started.clone(),
            duration_ms: concluded.took_ms,
            backend: Some(BackendFacts {
                name: "duel".to_owned(),
                ..BackendFacts::default()
            }),
            debate: Some(DebateMode::Force),
            seed: Some(concluded.seed.clone()),
            ..RunFacts::default()
        };
        Ok(Report::new(
            outcome,
            ReviewSubject::of(&self.prepared.packet),
            facts,
            &self.prepared.redactor,
        ))
    }

    fn plan(&self, seed: &RunSeed) -> Result<Plan, RunError> {
        let settings = &self.prepared.config.settings;
        let seats = [DuelRole::A, DuelRole::B].map(|role| self.seat(role));
        let granted = CapabilitySet::from([Capability::Spawn, Capability::Message]);
        let planned = |seat: Result<Seat, RunError>| -> Result<PlannedSeat, RunError> {
            let grant = Grant {
                requested: granted.clone(),
                granted: granted.clone(),
                ..Grant::default()
            };
            Ok(PlannedSeat {
                seat: seat?,
                grant,
                coverage: Arc::clone(&self.prepared.coverage),
            })
        };
        Ok(Plan {
            procedure: Procedure::Debate,
            debate: DebateMode::Force,
            consensus: settings.review.consensus,
            quorum: 2,
            policy: settings.policy(),
            seats: seats.into_iter().map(planned).collect::<Result<_, _>>()?,
            exchange: ExchangeMode::Inline {
                max_bytes: u64::MAX,
            },
            timeouts: settings.timeouts(),
            seed: seed.clone(),
            framing: self.prepared.packet.framing.clone(),
            notes: self.prepared.notes.clone(),
            options: ProcedureOptions::default(),
        })
    }

    fn seat(&self, role: DuelRole) -> Result<Seat, RunError> {
        let index = usize::from(role == DuelRole::B);
        let bench = SeatPlanner {
            config: &self.prepared.config,
            deep: false,
        };
        let agent: AgentSpec = bench.agent_in_turn(self.agents[index], index)?;
        let judge = session::judge_name(role).into();
        Ok(Seat {
            judge,
            perspective: Perspective::default(),
            agent,
        })
    }

    fn sit(&self, seat: &Seat, prompts: Option<&SeatPrompts>) -> Result<SeatedJudge, RunError> {
        let packet = Arc::clone(&self.prepared.packet);
        let blobs = Arc::clone(&self.prepared.change.blobs);
        let table = BackendTable::for_packet(self.start, packet, blobs, "duel", None);
        let spec = JudgeSpec {
            seat: seat.clone(),
            brief: prompts.map_or_else(
                || "".into(),
                |p| crate::session::PromptRenderer::render_brief(p, seat),
            ),
            room: None,
            max_answer_bytes: self.prepared.config.settings.limits.answer,
        };
        let agent = table
            .kit
            .agents
            .find_agent(&seat.agent.kind)
            .map_err(RunError::run)?;
        SeatedJudge::open(agent, spec, JudgeMemory::Kept).map_err(RunError::run)
    }
}

fn turn(task: &Task, key: &str) -> Turn {
    Turn {
        id: TurnId(1),
        round: 1,
        key: key.to_owned(),
        task: task.clone(),
        prompt: String::new(),
        timeout_ms: 0,
        spend: None,
    }
}

/// A transcript's text.
pub(crate) fn read(file: &Path) -> Result<String, RunError> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(file)
        .and_then(|opened| {
            opened
                .take(MAX_TRANSCRIPT_BYTES + 1)
                .read_to_end(&mut bytes)
        })
        .map_err(|error| RunError::usage(format!("cannot read {}: {error}", file.display())))?;
    if bytes.len() as u64 > MAX_TRANSCRIPT_BYTES {
        let large = format!(
            "{} is larger than {} MiB",
            file.display(),
            MAX_TRANSCRIPT_BYTES >> 20
        );
        return Err(RunError::usage(large).hint("no debate is that long"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Deletes a transcript.
pub(crate) fn remove(file: &Path) -> Result<(), RunError> {
    std::fs::remove_file(file)
        .map_err(|error| RunError::output(&file.display().to_string(), &error))
}
