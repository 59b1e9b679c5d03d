//! Runs a duel: one side in this process, or both as two processes of ours.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use council_agents::{JudgeMemory, SeatedJudge, StopSignal};
use council_protocol::{JudgeSpec, RoundNumber, Seat, Task, Turn, TurnId};

use crate::run::announce::{announce_once, estimate_run};
use crate::run::backends::BackendTable;
use crate::run::context::RunContext;
use crate::run::convene::draw_run_seed;
use crate::run::error::RunError;
use crate::run::estimate::cost_settings;
use crate::run::interrupts::{hear_interrupts, stop_when_interrupted, stop_when_left};
use crate::run::modes::duel_interrupt::DuelCut;
use crate::run::modes::duel_news::{DuelNews, SpeakNotice};
use crate::run::modes::duel_run::DuelRun;
use crate::run::modes::duel_subject::read_bytes;
use crate::run::modes::side_purse::{SidePurse, SideSpending};
use crate::run::modes::sides::{SideReport, StartedSide, wait_for_sides};
use crate::run::nothing::reason_to_skip;
use crate::run::prepare::PreparedReview;
use crate::run::prompts::SeatPrompts;

use crate::duel::driver::{self as session, DuelError, DuelFileOnDisk, DuelFinished, ReportedFile};
use crate::duel::protocol::receipts::{WriteReceipt, check_receipts};
use crate::duel::protocol::side::ending_of;
use crate::duel::protocol::transcript::DebateTranscript;
use crate::duel::subject::DuelSubject;
use crate::duel::{DuelEnding, DuelRole};
use crate::safe_file;
use crate::session::{BudgetLimits, PromptRenderer as _, RealWorld, SessionWorld as _};

/// A duel over a prepared change.
pub(crate) struct Duel<'a> {
    pub(crate) start: &'a RunContext,
    /// Flags of this process that another one of ours is given again.
    pub(crate) repeat_flags: Vec<String>,
    /// The arguments that name the subject.
    pub(crate) subject: Vec<OsString>,
    /// The side that this process plays; none: both are ours.
    pub(crate) role: Option<DuelRole>,
    pub(crate) prepared: &'a PreparedReview,
    /// Who speaks for A and for B; none: the configuration's first and second agent.
    pub(crate) agents: [Option<&'a str>; 2],
    pub(crate) poll_ms: u64,
    pub(crate) timeout_ms: u64,
    pub(crate) file: PathBuf,
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
    fn cut(
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
    /// Plays one side in this process. `relay` hears what it has written and spent, for the process that started it.
    pub(crate) fn side(
        &self,
        role: DuelRole,
        relay: &dyn Fn(&str) -> io::Result<()>,
    ) -> Result<Concluded, RunError> {
        self.check_subject()?;
        self.check_bench()?;
        self.check_file()?;
        self.check_title()?;
        let world = RealWorld::new();
        let seed = draw_run_seed(&world)?;
        let seat = self.seat(role)?;
        let prompts = SeatPrompts::for_duel(std::slice::from_ref(&seat), self.prepared, &seed)?;
        if !self.relayed {
            self.announce(std::slice::from_ref(&seat), prompts.as_deref(), &world);
        }
        let spec = self.spec(&seat, prompts.as_deref());
        // What cannot be told is missing in the sum; the next write to the same pipe fails and ends the side.
        let tell_call = |line: &str| drop(relay(line));
        let mut purse = SidePurse::new(&spec, self.limits(), &world, &tell_call);
        let mut sitting = self.sit(spec)?;
        let run = self.begin_run(&world, seed, prompts, std::slice::from_ref(&seat))?;
        let (seed, prompts) = (&run.seed, &run.prompts);
        let stop = StopSignal::default();
        stop_when_interrupted(&hear_interrupts()?, &stop);
        if self.relayed {
            stop_when_left(&stop);
        }
        let prompt = |task: &Task, key: &str| {
            prompts.as_ref().map_or_else(
                || Ok(String::new()),
                |p| p.render_prompt(&seat, &turn(task, key), 0),
            )
        };
        let side = session::DuelSeat {
            role,
            file: self.file.display().to_string(),
            subject: DuelSubject::of(&self.prepared.packet),
            tool: format!("git-council {}", seat.agent.name),
            poll_ms: self.poll_ms,
            timeout_ms: self.timeout_ms,
            agent_timeout_ms: self.prepared.config.settings.timeouts().r1_ms,
            key: seed.0[..24].to_owned(),
            redactor: self.prepared.redactor.clone(),
        };
        let news = DuelNews::new(self.start);
        if !self.relayed {
            let (label, limits) = (&self.prepared.packet.target.label, self.limits());
            news.convene(label, std::slice::from_ref(&seat), limits.most_usd);
        }
        let written = RefCell::new(String::new());
        let mut told = |heading: &str| {
            heading.clone_into(&mut written.borrow_mut());
            match self.relayed {
                // As with what a call cost: the next write to a broken pipe ends the side.
                true => drop(relay(&SpeakNotice::line_of(heading))),
                false => news.speaks(role, side.agent_timeout_ms),
            }
            if self.start.notifier.is_verbose() {
                self.start.notifier.log(&format!("{role}: {heading}"));
            }
        };
        let mut report = |receipt: &WriteReceipt| {
            if !self.relayed {
                news.wrote(role, &written.borrow());
            }
            relay(&receipt.to_line())
        };
        let mut desk = ReportedFile::new(DuelFileOnDisk::new(self.file.clone()), &mut report);
        let played = session::play_side(
            &side,
            &mut sitting,
            &prompt,
            &mut desk,
            &stop,
            &mut purse,
            &mut told,
        );
        sitting.end();
        if let Err(DuelError::Agent { failure, .. }) = &played
            && !stop.is_raised()
        {
            purse.break_off(failure);
        }
        let mut spent = [SideSpending::default(), SideSpending::default()];
        spent[usize::from(role == DuelRole::B)] = purse.spent;
        let finished = match played {
            Err(DuelError::Interrupted | DuelError::Agent { .. })
                if stop.is_raised() && !self.relayed =>
            {
                let (text, took_ms) = (self.text_so_far(), world.now_ms());
                return Ok(Concluded::cut(
                    DuelCut::Interrupted,
                    text,
                    spent,
                    took_ms,
                    run,
                ));
            }
            // What was asked for was paid for: it is a run, as a review is whose judges are lost.
            Err(DuelError::Agent { .. }) if !self.relayed && has_calls(&spent) => {
                let (text, took_ms) = (self.text_so_far(), world.now_ms());
                return Ok(Concluded::cut(
                    DuelCut::by(&spent),
                    text,
                    spent,
                    took_ms,
                    run,
                ));
            }
            Err(error) => {
                if written.borrow().is_empty() && !has_calls(&spent) {
                    run.forget();
                }
                return Err(RunError::run(error));
            }
            Ok(finished) => finished,
        };
        match finished {
            DuelFinished::Concluded {
                ending,
                text,
                breach,
            } => {
                let other = self.other_subject(&text);
                Ok(Concluded {
                    text,
                    ending: if other.is_some() {
                        DuelEnding::Violation
                    } else {
                        ending
                    },
                    cut: None,
                    breach: breach.map(|breach| breach.to_string()).or(other),
                    run,
                    took_ms: world.now_ms(),
                    spent,
                })
            }
            DuelFinished::NoFile => {
                run.forget();
                let file = self.file.display();
                Err(RunError::run(format!(
                    "{file} did not appear in time: nobody opened the duel"
                ))
                .hint("start side A first, or wait longer: --timeout 1h"))
            }
        }
    }

    /// Plays both sides, each in a process of its own: neither can speak for the other.
    pub(crate) fn both(&self) -> Result<Concluded, RunError> {
        self.check_subject()?;
        self.check_bench()?;
        self.check_file()?;
        // A link that leads nowhere is there, too.
        if self.file.symlink_metadata().is_ok() {
            let file = self.file.display();
            return Err(RunError::usage(format!("{file} already exists"))
                .hint("join that duel with `--as b`, or move the file away"));
        }
        let seats = [self.seat(DuelRole::A)?, self.seat(DuelRole::B)?];
        let world = RealWorld::new();
        let seed = draw_run_seed(&world)?;
        let prompts = SeatPrompts::for_duel(&seats, self.prepared, &seed)?;
        self.announce(&seats, prompts.as_deref(), &world);
        let news = DuelNews::new(self.start);
        let label = &self.prepared.packet.target.label;
        news.convene(label, &seats, self.limits().most_usd);
        let run = self.begin_run(&world, seed, prompts, &seats)?;
        let interrupts = hear_interrupts()?;
        let sides = [DuelRole::A, DuelRole::B].map(|role| self.start_side(role, &news));
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
            let (text, took_ms) = (self.text_so_far(), world.now_ms());
            return Ok(Concluded::cut(
                DuelCut::Interrupted,
                text,
                spent,
                took_ms,
                run,
            ));
        }
        if failed > 0 && !self.file.exists() && !has_calls(&spent) {
            run.forget();
            let broken = format!("{failed} of 2 sides broke off before the duel was opened");
            return Err(RunError::run(broken).hint("each side's messages are above"));
        }
        let bytes = match read_bytes(&self.file) {
            Err(_) if failed > 0 => Vec::new(),
            read => read?,
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let transcript = DebateTranscript::parse(&text);
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

    /// What leaves the machine is told before it does.
    fn announce(&self, seats: &[Seat], prompts: Option<&SeatPrompts>, world: &RealWorld) {
        let forecast = estimate_run(prompts, seats, self.prepared);
        announce_once(&forecast, self.prepared, world, self.start);
    }

    /// What this side may cost. Two processes of one duel cannot see what the other spends: each has half of it.
    fn limits(&self) -> BudgetLimits {
        let mut limits = cost_settings(&self.prepared.config.settings);
        if self.relayed {
            limits.most_usd = limits.most_usd.map(|usd| usd / 2.0);
        }
        limits
    }

    /// Nobody argues about nothing: it would be paid for, and end in no verdict.
    fn check_subject(&self) -> Result<(), RunError> {
        let Some((_, why)) = reason_to_skip(self.prepared) else {
            return Ok(());
        };
        Err(
            RunError::usage(format!("there is nothing to argue about: {why}"))
                .hint("name a commit or a range that changes something: git council duel HEAD"),
        )
    }

    /// Whoever joins a debate about another change would agree to what it has not seen.
    fn check_title(&self) -> Result<(), RunError> {
        let Ok(bytes) = read_bytes(&self.file) else {
            return Ok(());
        };
        match self.other_subject(&String::from_utf8_lossy(&bytes)) {
            None => Ok(()),
            Some(other) => Err(RunError::usage(format!("{}: {other}", self.file.display()))
                .hint("name the change of that debate, or another file: --file FILE")),
        }
    }

    /// How the subject of a transcript differs from this side's; none: it does not, or names none.
    fn other_subject(&self, text: &str) -> Option<String> {
        DuelSubject::of(&self.prepared.packet).other_subject(text)
    }

    /// The side that cannot write would leave the other one waiting for it.
    fn check_file(&self) -> Result<(), RunError> {
        let file = self.file.display().to_string();
        safe_file::check_place(&self.file).map_err(|error| RunError::output(&file, &error))
    }

    fn start_side(&self, role: DuelRole, news: &DuelNews) -> Result<StartedSide, RunError> {
        let cannot = |error: std::io::Error| RunError::run(format!("cannot start {role}: {error}"));
        let exe = self.start.program.clone();
        let exe =
            exe.ok_or_else(|| cannot(std::io::Error::other("this program's path is not known")))?;
        let mut command = Command::new(exe);
        command.arg("-C").arg(&self.start.dir);
        command.args(&self.repeat_flags);
        command
            .arg("duel")
            .args(&self.subject)
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
        // The side ends with this process, which holds the other end.
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let (news, timeout_ms) = (news.clone(), self.prepared.config.settings.timeouts().r1_ms);
        let on_report = move |report: SideReport<'_>| match report {
            SideReport::Speaks => news.speaks(role, timeout_ms),
            SideReport::Wrote(section) => news.wrote(role, section),
        };
        StartedSide::start(role, command, on_report).map_err(cannot)
    }

    fn spec(&self, seat: &Seat, prompts: Option<&SeatPrompts>) -> JudgeSpec {
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

    fn sit(&self, spec: JudgeSpec) -> Result<SeatedJudge, RunError> {
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
fn has_calls(spent: &[SideSpending; 2]) -> bool {
    spent.iter().any(|side| !side.calls.is_empty())
}

fn turn(task: &Task, key: &str) -> Turn {
    Turn {
        id: TurnId(1),
        round: RoundNumber::FIRST,
        key: key.to_owned(),
        task: task.clone(),
        prompt: String::new(),
        timeout_ms: 0,
        spend: None,
    }
}
