//! The two processes of a duel: started, heard, and ended together.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::duel::DuelRole;
use crate::duel::protocol::receipts::WriteReceipt;
use crate::run::modes::duel_news::SpeakNotice;
use crate::run::modes::side_purse::SideSpending;

/// A side that plays in a process of its own, and what it reports meanwhile.
pub(super) struct StartedSide {
    role: DuelRole,
    child: Child,
    reader: JoinHandle<SideReports>,
}

/// What a side tells while it plays, for whoever watches.
pub(super) enum SideReport<'a> {
    /// It writes a section now.
    Speaks,
    /// The section with this heading stands in the file.
    Wrote(&'a str),
}

/// What a side has told.
#[derive(Debug, Default)]
struct SideReports {
    receipts: Vec<WriteReceipt>,
    spent: SideSpending,
}

/// A side whose process has ended.
pub(super) struct EndedSide {
    pub(super) succeeded: bool,
    pub(super) receipts: Vec<(DuelRole, WriteReceipt)>,
    pub(super) role: DuelRole,
    pub(super) spent: SideSpending,
}

/// How often a side is asked whether it still plays.
const SIDE_POLL: Duration = Duration::from_millis(20);

/// How long a side has to end in good order once the duel is interrupted, or the other side broke off.
const GRACE: Duration = Duration::from_secs(5);

/// Waits for both sides. Where one has broken off, nobody will answer the other: it is let go.
pub(super) fn wait_for_sides(
    mut sides: Vec<StartedSide>,
    mut is_broken: bool,
    is_interrupted: &dyn Fn() -> bool,
) -> Vec<EndedSide> {
    let mut let_go: Option<Instant> = None;
    loop {
        let states = sides.iter_mut().map(|side| side.child.try_wait());
        let states: Vec<_> = states.collect();
        let ended = states.iter().all(|state| !matches!(state, Ok(None)));
        is_broken |= states
            .iter()
            .any(|state| matches!(state, Ok(Some(status)) if !status.success()));
        if ended {
            return sides.into_iter().map(StartedSide::reap).collect();
        }
        if is_broken || is_interrupted() {
            // A side that is let go ends its turn, says what that has cost, and ends.
            sides
                .iter_mut()
                .for_each(|side| drop(side.child.stdin.take()));
            let since = *let_go.get_or_insert_with(Instant::now);
            if since.elapsed() > GRACE {
                // One that ends by itself meanwhile cannot be ended, and need not be.
                sides.iter_mut().for_each(|side| drop(side.child.kill()));
            }
        }
        std::thread::sleep(SIDE_POLL);
    }
}

impl StartedSide {
    /// Starts the process of a side, and hears what it reports.
    pub(super) fn start(
        role: DuelRole,
        mut command: Command,
        on_report: impl Fn(SideReport<'_>) + Send + 'static,
    ) -> io::Result<Self> {
        let mut child = command.spawn()?;
        let pipe = child.stdout.take();
        let read = move |pipe| read_reports(pipe, &on_report);
        let reader = std::thread::spawn(move || pipe.map_or_else(SideReports::default, read));
        Ok(Self {
            role,
            child,
            reader,
        })
    }

    fn reap(mut self) -> EndedSide {
        let status = self.child.wait();
        // A reader that broke down read nothing: then no byte of the file is accounted for.
        let reports = self.reader.join().unwrap_or_default();
        let receipts = reports.receipts.into_iter();
        EndedSide {
            succeeded: status.is_ok_and(|status| status.success()),
            receipts: receipts.map(|r| (self.role, r)).collect(),
            role: self.role,
            spent: reports.spent,
        }
    }
}

/// The most bytes of reports that are read from a side: a few hundred for each of its sections, and answers that do not count.
const MAX_REPORTED_BYTES: u64 = 64 << 20;

fn read_reports(pipe: ChildStdout, on_report: &dyn Fn(SideReport<'_>)) -> SideReports {
    let lines = BufReader::new(pipe.take(MAX_REPORTED_BYTES)).lines();
    let (mut reports, mut section) = (SideReports::default(), String::new());
    for line in lines.map_while(Result::ok) {
        if let Some(heading) = SpeakNotice::heading_of(&line) {
            on_report(SideReport::Speaks);
            section = heading;
        } else if !reports.spent.count_line(&line)
            && let Some(receipt) = WriteReceipt::from_line(&line)
        {
            on_report(SideReport::Wrote(&section));
            reports.receipts.push(receipt);
        }
    }
    reports
}
