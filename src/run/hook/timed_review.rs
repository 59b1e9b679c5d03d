//! The review of one range of a push, beside the clock: reading a large change is not asked how long it takes, so the hook
//! does not wait for it longer than it may.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use council_secrets::Redactor;

use crate::config::Settings;
use crate::council::outcome::ReviewedBy;
use crate::git::UnmergedRange;
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::convene::{self, ConveneOptions};
use crate::run::cut_off::cut_off_objection;
use crate::run::error::RunError;
use crate::run::github::claim::use_builtin_judges;
use crate::run::hook::expected::await_review;
use crate::run::hook::passing_secrets::PushSum;
use crate::run::hook::push::stricter;
use crate::run::hook::push_news::severity_of;
use crate::run::prepare::{EXCUSED, PreparedReview, prepare_review};
use crate::run::recognition::VerdictMemory;
use crate::run::request::{CheckoutUse, RequestedTarget, ReviewRequest};
use crate::session::InterruptSource;

/// As much as the thread that a program begins with usually has.
const STACK_BYTES: usize = 8 << 20;

/// What a review of a range comes to.
pub(super) struct RangeReview {
    pub(super) report: Report,
    pub(super) sum: PushSum,
    /// What is said beside the verdict once the range is prepared.
    pub(super) notes: Vec<String>,
}

/// A range that was read, before anybody judges it.
pub(super) struct PreparedRange {
    pub(super) settings: Settings,
    pub(super) redactor: Redactor,
    pub(super) notes: Vec<String>,
}

enum ReviewStep {
    Prepared(Box<PreparedRange>),
    Reviewed(Box<RangeReview>),
    Failed(RunError),
}

/// What is reviewed, and since when the hook runs.
pub(super) struct RangeJob {
    pub(super) start: RunContext,
    pub(super) remote: String,
    pub(super) range: String,
    pub(super) began: Instant,
}

/// A review that goes on while the hook waits.
pub(super) struct RunningReview {
    steps: Receiver<ReviewStep>,
    worker: Option<JoinHandle<()>>,
    /// None: the range has not been read yet.
    pub(super) prepared: Option<PreparedRange>,
}

impl RunningReview {
    /// Starts a review.
    ///
    /// # Errors
    ///
    /// A system that gives no thread.
    pub(super) fn start(job: RangeJob) -> Result<Self, RunError> {
        let (teller, steps) = mpsc::channel();
        let worker = thread::Builder::new()
            .name("review".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                if let Err(error) = job.review(&teller) {
                    // Who does not wait any more has its answer.
                    let _ = teller.send(ReviewStep::Failed(error));
                }
            });
        let worker = worker.map_err(|error| RunError::run(format!("no thread: {error}")))?;
        Ok(Self {
            steps,
            worker: Some(worker),
            prepared: None,
        })
    }

    /// Waits until the range is read, for at most so long.
    pub(super) fn await_prepared(&mut self, until: Instant) -> Result<(), RunError> {
        if self.prepared.is_none() {
            self.next_step(until)?;
        }
        Ok(())
    }

    /// Waits for the review itself; none: it has not ended by then, or there is none.
    pub(super) fn await_review(&mut self, until: Instant) -> Result<Option<RangeReview>, RunError> {
        loop {
            match self.next_step(until)? {
                Some(NextStep::Reviewed(review)) => return Ok(Some(*review)),
                Some(NextStep::Prepared) => {}
                None => return Ok(None),
            }
        }
    }

    fn next_step(&mut self, until: Instant) -> Result<Option<NextStep>, RunError> {
        let left = until.saturating_duration_since(Instant::now());
        match self.steps.recv_timeout(left) {
            Ok(ReviewStep::Prepared(prepared)) => {
                self.prepared = Some(*prepared);
                Ok(Some(NextStep::Prepared))
            }
            Ok(ReviewStep::Reviewed(review)) => {
                self.join();
                Ok(Some(NextStep::Reviewed(review)))
            }
            Ok(ReviewStep::Failed(error)) => {
                self.join();
                Err(error)
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                self.join();
                Ok(None)
            }
        }
    }

    /// Nothing of it is left, so that nobody draws over what is told.
    fn join(&mut self) {
        let ended = self.worker.take().map(JoinHandle::join);
        if let Some(Err(panic)) = ended {
            std::panic::resume_unwind(panic);
        }
    }
}

enum NextStep {
    Prepared,
    Reviewed(Box<RangeReview>),
}

/// What a hook tells even of a change that passes: what of the configuration was not obeyed or is changed, which critical
/// findings a comment silences, and that the trusted branch switches it off, since silence looks like a PASS.
fn hook_notes(prepared: &PreparedReview) -> Vec<String> {
    let disobeyed = prepared.config.notices.iter().map(ToString::to_string);
    let is_told = |note: &&String| {
        note.starts_with("the change edits council.toml: ")
            || (note.starts_with(EXCUSED) && note.contains("(critical)"))
    };
    let notes = prepared.notes.iter().filter(is_told);
    let off = prepared.config.hook_switch().map(|origin| {
        let place = origin.place_name();
        format!("no review: {place} switches the hook off (hook.enabled)")
    });
    let told = disobeyed.chain(notes.cloned());
    told.chain(off).collect()
}

impl RangeJob {
    fn review(&self, teller: &Sender<ReviewStep>) -> Result<(), RunError> {
        let request = ReviewRequest {
            target: RequestedTarget::Unmerged(self.unmerged()),
            checkout: CheckoutUse::Stricter,
            ..ReviewRequest::default()
        };
        let prepared = prepare_review(&request, &self.start)?;
        // The file may be what makes this hook a gate.
        if let Some(fault) = &prepared.config_fault {
            return Err(RunError::usage(fault.refusal()));
        }
        let settings = prepared.config.settings.clone();
        let hook = settings.hook.clone();
        let known = PreparedRange {
            settings,
            redactor: prepared.redactor.clone(),
            notes: hook_notes(&prepared),
        };
        let _ = teller.send(ReviewStep::Prepared(Box::new(known)));
        if !hook.enabled {
            return Ok(());
        }
        let sum = PushSum::of(&prepared);
        // The rules need some of the time.
        let until = self.began + Duration::from_millis(hook.timeout) * 3 / 4;
        let tip = prepared.packet.target.head.as_deref();
        let mut notes: Vec<String> = await_review(tip, hook.mode, until, &self.start)
            .into_iter()
            .collect();
        let report = self.review_sum(prepared, &mut notes)?;
        let review = RangeReview { report, sum, notes };
        let _ = teller.send(ReviewStep::Reviewed(Box::new(review)));
        Ok(())
    }

    /// The range, judged by what the remote's default branch says: what the remote has of the pushed branch itself, a
    /// stranger may have put there.
    fn unmerged(&self) -> UnmergedRange {
        let (from, to) = self.range.split_once("..").unwrap_or_default();
        UnmergedRange {
            from: from.to_owned(),
            to: to.to_owned(),
            remote: Some(self.remote.clone()),
        }
    }

    /// The verdict over the sum of a range.
    fn review_sum(
        &self,
        mut prepared: PreparedReview,
        notes: &mut Vec<String>,
    ) -> Result<Report, RunError> {
        let hook = &prepared.config.settings.hook;
        let (timeout, models) = (Duration::from_millis(hook.timeout), hook.models);
        let left = timeout.saturating_sub(self.began.elapsed());
        let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
        // Rules need no time of their own: a `timeouts.run` of the repository opens no gate before the hook's time is up.
        let run = &mut prepared.config.settings.timeouts.run;
        *run = Some(run.filter(|_| models).map_or(left, |run| run.min(left)));
        prepared.config.settings.output.save = false;
        notes.extend(tell_unread(VerdictMemory::unread_objections(
            &prepared,
            &self.start,
        )));
        let standing = convene::standing_objection(&prepared, &self.start)
            .or_else(|| cut_off_objection(&prepared, &self.start));
        let mut recalled = None;
        if !models {
            recalled = convene::recall_verdict(&prepared, &self.start)?;
            let rules_spoke = |report: &Report| {
                matches!(
                    report.outcome.reviewed_by,
                    ReviewedBy::Rules | ReviewedBy::Both
                )
            };
            if let Some(known) = recalled.take_if(|known| rules_spoke(known)) {
                return Ok(stricter(known, standing));
            }
            use_builtin_judges(&mut prepared.config.settings);
        }
        let options = ConveneOptions {
            deep: false,
            fresh: false,
            keeps_objections: true,
            on_named: None,
            interrupts: InterruptSource::Signals,
        };
        let report = convene::convene_review(prepared, options, &self.start)?;
        // What models came to before does not take the place of the rules: the stricter of the two counts.
        let report = match recalled {
            Some(known)
                if severity_of(known.outcome.verdict) >= severity_of(report.outcome.verdict) =>
            {
                known
            }
            Some(known) => {
                notes.push(format!(
                    "models say {} of this change ({}); the hook hears all built-in rules beside them",
                    known.outcome.verdict.as_str(),
                    known.receipt.run.name
                ));
                report
            }
            None => report,
        };
        Ok(stricter(report, standing))
    }
}

/// Objections that count no more since their seal is not this user's key, e.g. that of another machine or another state folder.
fn tell_unread(unread: usize) -> Option<String> {
    let what = match unread {
        0 => return None,
        1 => "an objection".to_owned(),
        many => format!("{many} objections"),
    };
    Some(format!(
        "{what} to code of this repository cannot be read, and nobody heard it: damaged, or sealed with another key than \
         this user's now (XDG_STATE_HOME); push with that key, or have the change judged anew (git council review --fresh) \
         and remove the file in .git/council/standing"
    ))
}
