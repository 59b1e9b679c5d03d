//! The pre-push hook: every ref that is pushed, one combined answer, and a push that goes through when nobody can say.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use council_protocol::Severity;

use crate::config::{HookMode, OnTimeout, Settings};
use crate::council::outcome::{Verdict, VerdictReason};
use crate::git::{self, PushedRange, RefUpdate};
use crate::report::{FailOn, GatePolicy, Report, exit};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hook::gate::may_be_gate;
use crate::run::hook::passing_secrets::{PassingSecrets, secrets_of_ref, secrets_of_tags};
use crate::run::hook::push_news::{PushEnding, PushNews, is_well, severity_of};
use crate::run::hook::secret_search::{PushedSpan, search_until};
use crate::run::hook::timed_review::{RangeJob, RangeReview, RunningReview};
use crate::run::hook::updates::short_ref;
use crate::run::settings;
use crate::run::shown::remember_verdict;

/// How long a review may take where no configuration can be read: as long as by default.
const USUAL_TIME: Duration = Duration::from_secs(30);

/// Secrets are looked for until so long after the time for the review is up: reading the change takes nothing of it.
const SEARCH_TIME: Duration = Duration::from_secs(5);

/// A review may end until so long after its time is up: judges are told to stop, and a change is still read.
const ENDING_TIME: Duration = Duration::from_secs(10);

/// What the hook was started with.
pub(crate) struct PrePush<'a> {
    pub(crate) start: &'a RunContext,
    /// The remote's name, or its URL when it has none.
    pub(crate) remote: &'a str,
}

/// One range, for all refs that stand for it.
struct PushedChange {
    refs: Vec<String>,
    range: String,
    note: Option<String>,
}

/// What a push holds.
#[derive(Default)]
struct ReadPush {
    ranges: Vec<PushedChange>,
    /// How many refs are no commit.
    unread: usize,
}

impl PrePush<'_> {
    /// Reviews what is pushed. What was found before something broke down is in the news as well.
    pub(crate) fn review_updates(
        &self,
        updates: Vec<RefUpdate>,
        news: &mut PushNews,
    ) -> Result<PushOutcome, RunError> {
        let reviewed = self.review_push(updates, news);
        if let Ok(PushOutcome::Stopped) = reviewed {
            news.end_with(match self.start.started_by {
                Some(_) => PushEnding::BlockedForAgent,
                None => PushEnding::Blocked,
            });
        }
        if let Some(report) = news.worst_report() {
            remember_verdict(report, true, self.start);
        }
        reviewed
    }

    fn review_push(
        &self,
        updates: Vec<RefUpdate>,
        news: &mut PushNews,
    ) -> Result<PushOutcome, RunError> {
        let pushed = self.read_push(updates, news)?;
        // What nobody can read is inconclusive, and that stops a push in a gate. A secret does, wherever it stands.
        let stops = pushed.unread > 0 || news.stops_gate();
        let outcome = self.review_ranges(&pushed.ranges, news)?;
        Ok(match outcome {
            PushOutcome::Passed if stops && may_be_gate(self.start) => PushOutcome::Stopped,
            outcome => outcome,
        })
    }

    /// Each distinct range once, and what is no range.
    fn read_push(
        &self,
        updates: Vec<RefUpdate>,
        news: &mut PushNews,
    ) -> Result<ReadPush, RunError> {
        let start = self.start;
        let pushed =
            git::pushed_ranges(&start.dir, &start.git_environment(), self.remote, &updates)?;
        let mut ranges: BTreeMap<String, PushedChange> = BTreeMap::new();
        let mut read = ReadPush::default();
        // A mirror pushes thousands of refs that lead to few commits.
        let mut tags: BTreeMap<&str, PassingSecrets> = BTreeMap::new();
        for (update, pushed) in updates.iter().zip(pushed) {
            let name = short_ref(&update.remote_ref).to_owned();
            let named = secrets_of_ref(&update.remote_ref);
            if !named.found.is_empty() {
                news.add_secrets(&name, named);
            }
            if !tags.contains_key(&*update.local) {
                tags.insert(&update.local, secrets_of_tags(&update.local, start)?);
            }
            if let Some(annotations) = tags.get(&*update.local).filter(|tag| !tag.found.is_empty())
            {
                news.add_secrets(&name, annotations.clone());
            }
            match pushed {
                PushedRange::Nothing => {}
                PushedRange::Notes { from, to } => {
                    news.add_note(&format!(
                        "nothing to review in notes ({name}); they are searched for secrets"
                    ));
                    news.add_secrets(&name, self.secrets_of_notes(from, to)?);
                }
                PushedRange::NoCommit(what) => {
                    read.unread += 1;
                    let id = &update.local;
                    // `cat-file -p` of a tree prints names, and a review of names would pass.
                    let whole = match what {
                        "a tree" => format!("git diff --text \"$(git mktree </dev/null)\" {id}"),
                        _ => format!(
                            "git cat-file blob {id} | git diff --text --no-index /dev/null -"
                        ),
                    };
                    news.add_note(&format!(
                        "{name} is {what}: not reviewed; to review it: {whole} | git council review --patch -"
                    ));
                }
                PushedRange::Range { from, to, note } => {
                    let range = format!("{from}..{to}");
                    let new = || PushedChange {
                        refs: Vec::new(),
                        range: range.clone(),
                        note,
                    };
                    ranges
                        .entry(range.clone())
                        .or_insert_with(new)
                        .refs
                        .push(name);
                }
            }
        }
        read.ranges = ranges.into_values().collect();
        Ok(read)
    }

    /// Notes hold no code, but whoever fetches them reads them.
    fn secrets_of_notes(&self, from: String, to: String) -> Result<PassingSecrets, RunError> {
        let remote = self.remote.to_owned();
        let span = PushedSpan { remote, from, to };
        let found = search_until(Instant::now() + SEARCH_TIME, span, None, self.start)?;
        Ok(found.into_notes())
    }

    fn review_ranges(
        &self,
        ranges: &[PushedChange],
        news: &mut PushNews,
    ) -> Result<PushOutcome, RunError> {
        let clock = HookClock::start(self.start);
        let mut worst = PushOutcome::Passed;
        for reviewed in ranges {
            let Some((report, settings, passing)) = self.review_range(reviewed, &clock, news)?
            else {
                return Ok(PushOutcome::Passed);
            };
            let mut outcome = PushOutcome::from_report(&report, &settings);
            if passing.stops_gate() && settings.hook.mode == HookMode::Gate {
                outcome = PushOutcome::Stopped;
            }
            worst = worst.max(outcome);
            self.tell_range(news, reviewed, &report, &settings);
            if outcome == PushOutcome::Passed && is_late(&report) && !has_own_deadline(&settings) {
                news.end_with(PushEnding::Late);
            }
            news.add_secrets(&reviewed.refs.join(", "), passing);
            news.keep_worst(report);
        }
        Ok(worst)
    }

    /// The verdict over one range: the one that was made before, or one of built-in judges.
    /// None where the hook is switched off.
    fn review_range(
        &self,
        reviewed: &PushedChange,
        clock: &HookClock,
        news: &mut PushNews,
    ) -> Result<Option<(Report, Settings, PassingSecrets)>, RunError> {
        let job = RangeJob {
            start: self.start.clone(),
            remote: self.remote.to_owned(),
            range: reviewed.range.clone(),
            began: clock.began,
        };
        let mut running = RunningReview::start(job)?;
        running.await_prepared(clock.began + clock.timeout)?;
        let known = running.prepared.as_ref().map(|range| &range.settings.hook);
        if known.is_some_and(|hook| !hook.enabled) {
            tell_prepared(&running, news);
            return Ok(None);
        }
        let timeout = known.map_or(clock.timeout, |hook| Duration::from_millis(hook.timeout));
        let time_is_up = clock.began + timeout;
        let in_time = running.await_review(time_is_up)?;
        // A review whose time was up says nothing of what the sum adds.
        let is_judged = |review: &&RangeReview| !is_late(&review.report);
        let sum = in_time.as_ref().filter(is_judged);
        let sum = sum.map(|review| review.sum.clone());
        let passing = search_until(
            time_is_up + SEARCH_TIME,
            self.span(reviewed),
            sum,
            self.start,
        )?;
        let review = match in_time {
            Some(review) => Some(review),
            None => running.await_review(time_is_up + ENDING_TIME)?,
        };
        tell_prepared(&running, news);
        match (review, running.prepared) {
            (_, Some(range)) if !range.settings.hook.enabled => Ok(None),
            (Some(review), Some(range)) => {
                review.notes.iter().for_each(|note| news.add_note(note));
                Ok(Some((review.report, range.settings, passing)))
            }
            _ => {
                news.add_secrets(&reviewed.refs.join(", "), passing);
                Err(unended_review(timeout))
            }
        }
    }

    fn span(&self, reviewed: &PushedChange) -> PushedSpan {
        let (from, to) = reviewed.range.split_once("..").unwrap_or_default();
        PushedSpan {
            remote: self.remote.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
        }
    }

    /// Quiet when all is well and nobody watches.
    fn tell_range(
        &self,
        news: &mut PushNews,
        reviewed: &PushedChange,
        report: &Report,
        settings: &Settings,
    ) {
        let notifier = &self.start.notifier;
        let well = is_well(report.outcome.verdict);
        if well && !notifier.is_watched() && !notifier.is_verbose() {
            return;
        }
        news.add_verdict(&reviewed.refs, report, reviewed.note.as_deref());
        let gate = gate_over(report, settings);
        // A WARN goes through a gate as well.
        let is_stopped_by_gate = report.bottom_line(gate).exit_code != exit::OK;
        if is_stopped_by_gate && settings.hook.mode == HookMode::Advisory {
            news.end_with(PushEnding::Advice);
        }
    }
}

/// When the hook began, and how long its reviews may take as far as is known before a change is read.
struct HookClock {
    began: Instant,
    timeout: Duration,
}

impl HookClock {
    fn start(start: &RunContext) -> Self {
        let began = Instant::now();
        // What is wrong with the configuration, the review says.
        let config = settings::trusted_config(start).ok();
        let timeout = config.map_or(USUAL_TIME, |config| {
            Duration::from_millis(config.settings.hook.timeout)
        });
        Self { began, timeout }
    }
}

/// What is said of a range that was read, whatever it comes to.
fn tell_prepared(running: &RunningReview, news: &mut PushNews) {
    if let Some(range) = &running.prepared {
        news.know_secrets(&range.redactor);
        range.notes.iter().for_each(|note| news.add_note(note));
    }
}

/// A change that could not be read in time, or judges that do not end: whether something is wrong with it, nobody can say.
fn unended_review(timeout: Duration) -> RunError {
    let (timeout, more) = (timeout.as_secs_f32(), ENDING_TIME.as_secs());
    RunError::run(format!(
        "INCONCLUSIVE: the review has not ended {more} s after its time was up (hook.timeout, {timeout} s)"
    ))
    .hint("give it more time: git config --global council.hook.timeout 120s")
}

/// The report that weighs more; the first one where both say the same.
pub(super) fn stricter(report: Report, other: Option<Report>) -> Report {
    let weight = |report: &Report| (fails_by_itself(report), severity_of(report.outcome.verdict));
    match other {
        Some(other) if weight(&other) > weight(&report) => other,
        _ => report,
    }
}

/// Whether the run that made a report ended with an error.
fn fails_by_itself(report: &Report) -> bool {
    report.bottom_line(report.own_gate()).exit_code != exit::OK
}

/// From which verdict on the push is held: what failed where it was reviewed (`--fail-on warn`) fails here, too.
fn gate_over(report: &Report, settings: &Settings) -> GatePolicy {
    let own = report.own_gate();
    match settings.review.fail_on {
        FailOn::Warn => GatePolicy {
            fail_on: FailOn::Warn,
            ..own
        },
        FailOn::Fail => own,
    }
}

/// What an update comes to for the push. Ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PushOutcome {
    Passed,
    Stopped,
}

impl PushOutcome {
    fn from_report(report: &Report, settings: &Settings) -> Self {
        // What was found before the time was up has been found: a change cannot buy itself through by its size.
        let fails =
            report.outcome.findings.iter().any(|found| {
                found.finding.severity == Severity::Critical && found.dismissed.is_none()
            });
        let late = is_late(report) && !(fails && settings.hook.mode == HookMode::Gate);
        let gate = gate_over(report, settings);
        match settings.hook.mode {
            _ if late && settings.hook.on_timeout == OnTimeout::Block => Self::Stopped,
            // `hook.on-timeout` speaks of the hook's time. A run that gave itself less is merely inconclusive.
            _ if late && !has_own_deadline(settings) => Self::Passed,
            HookMode::Gate if report.bottom_line(gate).exit_code != exit::OK => Self::Stopped,
            _ => Self::Passed,
        }
    }
}

/// Whether the run's own time ends before the hook's.
fn has_own_deadline(settings: &Settings) -> bool {
    let run = settings.timeouts.run.filter(|_| settings.hook.models);
    run.is_some_and(|run| run < settings.hook.timeout)
}

/// Whether the time of this review was up before there was a verdict: what stood against the change before is no such one.
fn is_late(report: &Report) -> bool {
    report.receipt.run.recognised.is_none()
        && report.outcome.verdict == Verdict::Inconclusive
        && report.outcome.reason == VerdictReason::Deadline
}
