//! Runs a duel: one side in this process, or both as two processes of ours.

use std::ffi::OsString;
use std::process::{Command, Stdio};
use std::sync::Arc;

use council_agents::{JudgeMemory, SeatedJudge};
use council_protocol::{JudgeSpec, Seat};

use crate::run::announce::{announce_once, estimate_turns};
use crate::run::backends::BackendTable;
use crate::run::context::RunContext;
use crate::run::convene::draw_run_seed;
use crate::run::error::RunError;
use crate::run::estimate::{JudgeTurns, cost_settings};
use crate::run::interrupts::hear_interrupts;
use crate::run::loaded::LoadedRun;
use crate::run::modes::duel_cut::DuelCut;
use crate::run::modes::duel_news::DuelNews;
use crate::run::modes::duel_report::kept_text;
use crate::run::modes::duel_run::DuelRun;
use crate::run::modes::duel_subject::read_bytes;
use crate::run::modes::requested::DuelRequest;
use crate::run::modes::side_log::read_sides;
use crate::run::modes::side_purse::SideSpending;
use crate::run::modes::sides::{SideReport, StartedSide, wait_for_sides};
use crate::run::nothing::reason_to_skip;
use crate::run::prepare::PreparedReview;
use crate::run::prompts::SeatPrompts;

use crate::duel::driver::SidePast;
use crate::duel::protocol::ledger::has_stray_words;
use crate::duel::protocol::receipts::check_receipts;
use crate::duel::protocol::side::ending_of;
use crate::duel::protocol::transcript::DebateTranscript;
use crate::duel::subject::DuelSubject;
use crate::duel::{DuelEnding, DuelRole};
use crate::safe_file;
use crate::session::{BudgetLimits, RealWorld, SessionWorld as _};

/// A duel over a prepared change.
pub(crate) struct Duel<'a> {
    pub(crate) start: &'a RunContext,
    /// Flags of this process that another one of ours is given again.
    pub(crate) repeat_flags: Vec<String>,
    /// The arguments that name the subject.
    pub(crate) subject: Vec<OsString>,
    pub(crate) prepared: &'a PreparedReview,
    pub(crate) request: &'a DuelRequest,
    /// The run that goes on, or of which this process plays a side; none: it begins here.
    pub(crate) left: Option<&'a LoadedRun>,
    /// Whether another process of ours plays the other side: then this one may spend half of what the duel may cost.
    pub(crate) relayed: bool,
}

/// A transcript that came to an end.
pub(crate) struct Concluded {
    pub(super) text: String,
    pub(super) ending: DuelEnding,
    /// What ended it before its end: the file stays, and there is no verdict.
    pub(super) cut: Option<DuelCut>,
    /// Who broke the file, in words.
    pub(super) breach: Option<String>,
    pub(super) run: DuelRun,
    pub(super) took_ms: u64,
    /// What A and B spent, as far as they are ours.
    pub(super) spent: [SideSpending; 2],
}

impl Concluded {
    /// One that did not come to its end, with what both sides have written and spent so far.
    pub(super) fn cut(
        cut: DuelCut,
        text: String,
        spent: [SideSpending; 2],
        took_ms: u64,
        run: DuelRun,
    ) -> Self {
        Self {
            text,
            // `cut_outcome` decides what becomes of it.
            ending: DuelEnding::Consensus,
            cut: Some(cut),
            breach: None,
            run,
            took_ms,
            spent,
        }
    }

    /// Whether it did not come to its end, so that its file is still of use.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.is_some()
    }
}

impl Duel<'_> {
    /// Plays both sides, each in a process of its own: neither can speak for the other.
    pub(crate) fn both(&self) -> Result<Concluded, RunError> {
        self.check_subject()?;
        self.check_bench()?;
        self.check_file()?;
        match self.left {
            Some(left) => self.restore_file(&read_sides(&left.past.folder))?,
            None => self.check_no_file()?,
        }
        let seats = [self.seat(DuelRole::A)?, self.seat(DuelRole::B)?];
        let world = self.start.sealing_world();
        let seed = match self.left {
            Some(left) => left.plan.seed.clone(),
            None => draw_run_seed(&world)?,
        };
        let prompts = SeatPrompts::for_duel(&seats, self.prepared, &seed)?;
        self.announce(
            &[DuelRole::A, DuelRole::B],
            &seats,
            prompts.as_deref(),
            &world,
        );
        let news = DuelNews::new(self.start);
        let label = &self.prepared.packet.target.label;
        news.convene(label, &seats, self.limits().most_usd);
        let run = self.begin_run(&world, seed, prompts, &seats)?;
        let interrupts = hear_interrupts()?;
        let sides = [DuelRole::A, DuelRole::B].map(|role| self.start_side(role, &run, &news));
        let refused = sides.iter().find_map(|side| side.as_ref().err().cloned());
        let is_interrupted = || interrupts.was_interrupted();
        let sides = sides.into_iter().flatten().collect();
        let ended = wait_for_sides(sides, refused.is_some(), &is_interrupted);
        if let Some(error) = refused {
            run.forget();
            return Err(error);
        }
        let failed = ended.iter().filter(|side| !side.succeeded).count();
        let mut spent = [SideSpending::default(), SideSpending::default()];
        let mut receipts = Vec::new();
        for side in ended {
            receipts.extend(side.receipts);
            spent[usize::from(side.role == DuelRole::B)] = side.spent;
        }
        if failed > 0 && is_interrupted() {
            let (text, took_ms) = (self.text_so_far(&run), world.now_ms());
            return Ok(Concluded::cut(
                DuelCut::Interrupted,
                text,
                spent,
                took_ms,
                run,
            ));
        }
        if failed > 0 && !self.request.file.exists() && !has_calls(&spent) {
            run.forget();
            let broken = format!("{failed} of 2 sides broke off before the duel was opened");
            return Err(RunError::run(broken).hint("each side's messages are above"));
        }
        let bytes = match read_bytes(&self.request.file) {
            Err(_) if failed > 0 => self.text_so_far(&run).into_bytes(),
            Err(error) if has_calls(&spent) => {
                return Ok(broken(error.message, spent, world.now_ms(), run));
            }
            read => read?,
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let transcript = DebateTranscript::parse(&text);
        if failed == 0 && !transcript.is_concluded() {
            let breach = check_receipts(&bytes, &receipts).err();
            let breach = breach.map_or_else(|| "the file has no end".to_owned(), |b| b.to_string());
            return Ok(broken(breach, spent, world.now_ms(), run));
        }
        if !transcript.is_concluded() {
            let (cut, took_ms) = (DuelCut::by(&spent), world.now_ms());
            return Ok(Concluded::cut(cut, text, spent, took_ms, run));
        }
        let breach = check_receipts(&bytes, &receipts).err();
        // The branch may have moved on before the sides looked at it.
        let breach = breach
            .map(|breach| breach.to_string())
            .or_else(|| self.other_subject(&text));
        let ending = match breach {
            Some(_) => DuelEnding::Violation,
            None => ending_of(&transcript),
        };
        Ok(Concluded {
            text,
            ending,
            cut: None,
            breach,
            run,
            took_ms: world.now_ms(),
            spent,
        })
    }

    /// A link that leads nowhere is there, too.
    fn check_no_file(&self) -> Result<(), RunError> {
        if self.request.file.symlink_metadata().is_err() {
            return Ok(());
        }
        let file = self.request.file.display();
        Err(RunError::usage(format!("{file} already exists"))
            .hint("join that duel with `--as b`, or move the file away"))
    }

    /// The file as the sides left it, for a duel that goes on: one that is gone is written again, and one that somebody has
    /// changed is not taken for theirs.
    pub(super) fn restore_file(&self, sides: &[SidePast]) -> Result<(), RunError> {
        let file = &self.request.file;
        let actual = read_bytes(file).ok();
        let known = sides
            .iter()
            .map(|side| side.known_file(actual.as_deref()).bytes);
        let known = known.max_by_key(Vec::len).unwrap_or_default();
        match actual {
            None if known.is_empty() => Ok(()),
            None => safe_file::write_file(file, &known)
                .map_err(|error| RunError::output(&file.display().to_string(), &error)),
            Some(actual) if actual.starts_with(&known) && !has_stray_words(&known, &actual) => {
                Ok(())
            }
            Some(_) => {
                let changed = format!("{} is not as this duel left it", file.display());
                Err(RunError::usage(changed)
                    .hint("move it away: `git council resume` writes it again as it was"))
            }
        }
    }

    /// What leaves the machine is told before it does.
    pub(super) fn announce(
        &self,
        roles: &[DuelRole],
        seats: &[Seat],
        prompts: Option<&SeatPrompts>,
        world: &RealWorld,
    ) {
        let turns = JudgeTurns::of_duel(roles);
        let forecast = estimate_turns(turns, prompts, seats, self.prepared);
        announce_once(&forecast, self.prepared, world, true, self.start);
    }

    /// What this side may cost. Two processes of one duel cannot see what the other spends: each has half of it.
    pub(super) fn limits(&self) -> BudgetLimits {
        let mut limits = cost_settings(&self.prepared.config.settings);
        if self.relayed {
            limits.most_usd = limits.most_usd.map(|usd| usd / 2.0);
        }
        limits
    }

    /// Nobody argues about nothing: it would be paid for, and end in no verdict.
    pub(super) fn check_subject(&self) -> Result<(), RunError> {
        let Some((_, why)) = reason_to_skip(self.prepared) else {
            return Ok(());
        };
        Err(
            RunError::usage(format!("there is nothing to argue about: {why}"))
                .hint("name a commit or a range that changes something: git council duel HEAD"),
        )
    }

    /// Whoever joins a debate about another change would agree to what it has not seen.
    pub(super) fn check_title(&self) -> Result<(), RunError> {
        let Ok(bytes) = read_bytes(&self.request.file) else {
            return Ok(());
        };
        match self.other_subject(&String::from_utf8_lossy(&bytes)) {
            None => Ok(()),
            Some(other) => Err(RunError::usage(format!(
                "{}: {other}",
                self.request.file.display()
            ))
            .hint("name the change of that debate, or another file: --file FILE")),
        }
    }

    /// How the subject of a transcript differs from this side's; none: it does not, or names none.
    pub(super) fn other_subject(&self, text: &str) -> Option<String> {
        DuelSubject::of(&self.prepared.packet).other_subject(text)
    }

    /// The side that cannot write would leave the other one waiting for it.
    pub(super) fn check_file(&self) -> Result<(), RunError> {
        let file = self.request.file.display().to_string();
        safe_file::check_place(&self.request.file).map_err(|error| RunError::output(&file, &error))
    }

    fn start_side(
        &self,
        role: DuelRole,
        run: &DuelRun,
        news: &DuelNews,
    ) -> Result<StartedSide, RunError> {
        let cannot = |error: std::io::Error| RunError::run(format!("cannot start {role}: {error}"));
        let exe = self.start.program.clone();
        let exe =
            exe.ok_or_else(|| cannot(std::io::Error::other("this program's path is not known")))?;
        let mut command = Command::new(exe);
        command.arg("-C").arg(&self.start.dir);
        command.args(&self.repeat_flags);
        command.arg("duel").args(&self.subject);
        if run.is_resumable {
            command.arg("--run").arg(&run.run.name);
        }
        command.arg("--relay").arg("--file").arg(&self.request.file);
        command
            .arg("--as")
            .arg(if role == DuelRole::A { "a" } else { "b" });
        command
            .arg("--poll")
            .arg(format!("{}ms", self.request.poll_ms));
        command
            .arg("--timeout")
            .arg(format!("{}ms", self.request.timeout_ms));
        let names = ["--agent-a", "--agent-b"]
            .into_iter()
            .zip(&self.request.agents);
        for (flag, name) in names.filter_map(|(flag, name)| Some((flag, name.as_ref()?))) {
            command.arg(flag).arg(name);
        }
        // The side ends with this process, which holds the other end.
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let (news, timeout_ms) = (news.clone(), self.prepared.config.settings.timeouts().r1_ms);
        let on_report = move |report: SideReport<'_>| match report {
            SideReport::Speaks => news.speaks(role, timeout_ms),
            SideReport::Wrote(section) => news.wrote(role, section),
        };
        StartedSide::start(role, command, on_report).map_err(cannot)
    }

    pub(super) fn spec(&self, seat: &Seat, prompts: Option<&SeatPrompts>) -> JudgeSpec {
        JudgeSpec {
            seat: seat.clone(),
            brief: prompts.map_or_else(
                || "".into(),
                |p| crate::session::PromptRenderer::render_brief(p, seat),
            ),
            room: None,
            max_answer_bytes: self.prepared.config.settings.limits.answer,
            proves: false,
        }
    }

    pub(super) fn sit(&self, spec: JudgeSpec) -> Result<SeatedJudge, RunError> {
        let packet = Arc::clone(&self.prepared.packet);
        let blobs = Arc::clone(&self.prepared.change.blobs);
        let table = BackendTable::for_packet(self.start, packet, blobs, "duel", None, None);
        let agent = table
            .kit
            .agents
            .find_agent(&spec.seat.agent.kind)
            .map_err(RunError::run)?;
        SeatedJudge::open(agent, spec, JudgeMemory::Kept).map_err(RunError::run)
    }
}

/// Whether anybody was asked anything.
pub(super) fn has_calls(spent: &[SideSpending; 2]) -> bool {
    spent.iter().any(|side| !side.calls.is_empty())
}

/// One whose file tells nothing any more: what the sides have kept of it counts.
fn broken(breach: String, spent: [SideSpending; 2], took_ms: u64, run: DuelRun) -> Concluded {
    Concluded {
        text: kept_text(&run),
        ending: DuelEnding::Violation,
        cut: None,
        breach: Some(breach),
        run,
        took_ms,
        spent,
    }
}
