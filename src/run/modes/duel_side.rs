//! Plays one side of a duel in this process.

use std::cell::RefCell;
use std::io;

use council_agents::StopSignal;
use council_protocol::{RoundNumber, Seat, Task, Turn, TurnId};

use crate::duel::driver::{
    self as session, DuelError, DuelFileOnDisk, DuelFinished, KEY_DIGITS, KeptFile, KnownFile,
    ReportedFile, SideKeeper, SideLine, SideMemory, SidePast, SideTurns,
};
use crate::duel::protocol::receipts::WriteReceipt;
use crate::duel::subject::DuelSubject;
use crate::duel::{DuelEnding, DuelRole};
use crate::run::convene::draw_run_seed;
use crate::run::error::RunError;
use crate::run::interrupts::{hear_interrupts, stop_when_interrupted, stop_when_left};
use crate::run::modes::duel::{Concluded, Duel, has_calls};
use crate::run::modes::duel_cut::DuelCut;
use crate::run::modes::duel_news::{DuelNews, SpeakNotice};
use crate::run::modes::duel_run::DuelRun;
use crate::run::modes::duel_subject::read_bytes;
use crate::run::modes::foreign_side::own_tool;
use crate::run::modes::side_log::{SideLog, read_side};
use crate::run::modes::side_purse::{SidePurse, SideSpending};
use crate::run::prompts::SeatPrompts;
use crate::session::{PromptRenderer as _, SessionWorld as _};

/// Hears a line of what a side has written and spent.
type Relay<'a> = &'a dyn Fn(&str) -> io::Result<()>;

impl Duel<'_> {
    /// Plays one side in this process. `relay` hears what it has written and spent, for the process that started it.
    pub(crate) fn side(&self, role: DuelRole, relay: Relay<'_>) -> Result<Concluded, RunError> {
        self.check_subject()?;
        self.check_bench()?;
        self.check_file()?;
        self.check_title()?;
        let world = self.start.sealing_world();
        let past = self.left.map(|left| read_side(&left.past.folder, role));
        let past = past.unwrap_or_default();
        let known = self.find_file(&past)?;
        let seed = match &past.seed {
            Some(seed) => seed.clone(),
            None => draw_run_seed(&world)?,
        };
        let seat = self.seat(role)?;
        let prompts = SeatPrompts::for_duel(std::slice::from_ref(&seat), self.prepared, &seed)?;
        if !self.relayed {
            self.announce(
                &[role],
                std::slice::from_ref(&seat),
                prompts.as_deref(),
                &world,
            );
        }
        let spec = self.spec(&seat, prompts.as_deref());
        let mut sitting = self.sit(spec.clone())?;
        let run = self.begin_run(&world, seed, prompts, std::slice::from_ref(&seat))?;
        let log = SideLog::open(&run.run, role, &world, self.prepared)?;
        let keeper = log.as_ref().map(|log| log as &dyn SideKeeper);
        begin_log(keeper, &past, &run)?;
        // What cannot be told is missing in the sum; the next write to the same pipe fails and ends the side.
        let tell_call = |line: &str| {
            let line = line.to_owned();
            let told = relay(&line);
            drop(keeper.map(|keeper| keeper.keep(&SideLine::Told { line })));
            drop(told);
        };
        let mut purse = SidePurse::new(&spec, self.limits(), &world, &tell_call);
        let recalled = past.told.iter().filter(|line| purse.recall(line));
        recalled.for_each(|line| drop(relay(line)));
        relay_written(&known, relay).map_err(RunError::run)?;
        let (seed, prompts) = (&run.seed, &run.prompts);
        let stop = StopSignal::default();
        stop_when_interrupted(&hear_interrupts()?, &stop);
        if self.relayed {
            stop_when_left(&stop);
        }
        let said = RefCell::new(past.said());
        let prompt = |task: &Task, key: &str| match prompts {
            None => Ok(String::new()),
            Some(prompts) => reminded(prompts, &seat, &turn(task, key), &said),
        };
        let side = session::DuelSeat {
            role,
            file: self.request.file.display().to_string(),
            subject: DuelSubject::of(&self.prepared.packet),
            tool: own_tool(&seat.agent.name),
            poll_ms: self.request.poll_ms,
            timeout_ms: self.request.timeout_ms,
            agent_timeout_ms: self.prepared.config.settings.timeouts().r1_ms,
            key: seed.0[..KEY_DIGITS].to_owned(),
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
        let on_disk = DuelFileOnDisk::new(self.request.file.clone());
        let kept = KeptFile::new(on_disk, keeper, known.bytes.clone());
        let mut desk = ReportedFile::new(kept, &mut report);
        let turns = SideTurns {
            sitting: &mut sitting,
            prompt: &prompt,
            stop: &stop,
            meter: &mut purse,
            memory: SideMemory {
                past,
                known,
                keeper,
            },
        };
        let played = session::play_side(&side, turns, &mut desk, &mut told);
        sitting.end();
        if let Err(DuelError::Agent { failure, .. }) = &played
            && !stop.is_raised()
        {
            purse.break_off(failure);
        }
        let mut spent = [SideSpending::default(), SideSpending::default()];
        spent[usize::from(role == DuelRole::B)] = purse.spent;
        let took_ms = world.now_ms();
        match played {
            Ok(finished) => self.conclude_side(finished, spent, took_ms, run),
            Err(error) => self.cut_side(error, stop.is_raised(), spent, took_ms, run),
        }
    }

    /// The end of a side that was played to its end.
    fn conclude_side(
        &self,
        finished: DuelFinished,
        spent: [SideSpending; 2],
        took_ms: u64,
        run: DuelRun,
    ) -> Result<Concluded, RunError> {
        let DuelFinished::Concluded {
            ending,
            text,
            breach,
        } = finished
        else {
            run.forget();
            let file = self.request.file.display();
            return Err(RunError::run(format!(
                "{file} did not appear in time: nobody opened the duel"
            ))
            .hint("start side A first, or wait longer: --timeout 1h"));
        };
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
            took_ms,
            spent,
        })
    }

    /// The end of a side that came to none.
    fn cut_side(
        &self,
        error: DuelError,
        is_stopped: bool,
        spent: [SideSpending; 2],
        took_ms: u64,
        run: DuelRun,
    ) -> Result<Concluded, RunError> {
        let cut = match &error {
            DuelError::Interrupted | DuelError::Agent { .. } if is_stopped => {
                Some(DuelCut::Interrupted)
            }
            // What was asked for was paid for: it is a run, as a review is whose judges are lost.
            DuelError::Agent { .. } if has_calls(&spent) => Some(DuelCut::by(&spent)),
            _ => None,
        };
        match cut.filter(|_| !self.relayed) {
            Some(cut) => {
                let text = self.text_so_far(&run);
                Ok(Concluded::cut(cut, text, spent, took_ms, run))
            }
            None if error.is_refusal() => {
                run.forget();
                Err(RunError::usage(error.to_string()).hint(
                    "move the file away or name another one with `--file`; a duel that was broken off goes on with \
                     `git council resume`",
                ))
            }
            None => {
                if !has_calls(&spent) && self.text_so_far(&run).is_empty() {
                    run.forget();
                }
                Err(RunError::run(error))
            }
        }
    }

    /// The file as a side left it. One that is gone is written again by whoever started the sides.
    fn find_file(&self, past: &SidePast) -> Result<KnownFile, RunError> {
        if !self.relayed {
            self.restore_file(std::slice::from_ref(past))?;
        }
        let actual = read_bytes(&self.request.file).ok();
        Ok(past.known_file(actual.as_deref()))
    }
}

/// A side that begins keeps what its key is made of.
fn begin_log(
    keeper: Option<&dyn SideKeeper>,
    past: &SidePast,
    run: &DuelRun,
) -> Result<(), RunError> {
    let Some(keeper) = keeper.filter(|_| past.seed.is_none()) else {
        return Ok(());
    };
    let seed = run.seed.clone();
    keeper
        .keep(&SideLine::Began { seed })
        .map_err(RunError::run)
}

/// What an earlier process of this side wrote is reported like what this one writes.
fn relay_written(known: &KnownFile, relay: Relay<'_>) -> io::Result<()> {
    let mut own = known.own.iter();
    own.try_for_each(|range| {
        let receipt = WriteReceipt::of(range.start, &known.bytes[range.clone()]);
        relay(&receipt.to_line())
    })
}

/// The prompt of a turn; of the first one that an agent takes anew, with what was said in its seat before.
fn reminded(
    prompts: &SeatPrompts,
    seat: &Seat,
    turn: &Turn,
    said: &RefCell<Vec<std::sync::Arc<str>>>,
) -> Result<String, String> {
    let text = prompts.render_prompt(seat, turn, 0)?;
    let said = said.take();
    if said.is_empty() {
        return Ok(text);
    }
    Ok(prompts.render_reminder(seat, &said)? + &text)
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
