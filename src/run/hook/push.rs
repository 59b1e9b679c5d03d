//! The pre-push hook: every ref that is pushed, one combined answer, and a push that goes through when nobody can say.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use council_protocol::Severity;

use crate::config::{HookMode, OnTimeout, Settings};
use crate::council::outcome::{ReviewedBy, Verdict, VerdictReason};
use crate::git::{self, PushedRange, RefUpdate, UnmergedRange};
use crate::report::{FailOn, GatePolicy, Report, exit};
use crate::run::context::RunContext;
use crate::run::convene::{self, ConveneOptions};
use crate::run::cut_off::cut_off_objection;
use crate::run::error::RunError;
use crate::run::github::claim::use_builtin_judges;
use crate::run::hook::expected::await_review;
use crate::run::hook::gate::may_be_gate;
use crate::run::hook::passing_secrets::{
    PassingSecrets, PushSum, PushedSpan, find_passing_secrets, secrets_of_ref, secrets_of_tags,
};
use crate::run::hook::push_news::{PushEnding, PushNews, is_well, severity_of};
use crate::run::hook::updates::short_ref;
use crate::run::prepare::{PreparedReview, prepare_review};
use crate::run::request::{CheckoutUse, RequestedTarget, ReviewRequest};
use crate::run::shown::remember_verdict;
use crate::session::InterruptSource;

/// Commits are looked at one by one for so long at least, when the review of their sum has taken all of the time.
const MIN_COMMITS_TIME: Duration = Duration::from_secs(5);

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
        let stops = pushed.unread > 0 || news.has_secrets();
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
                    news.add_secrets(&name, self.secrets_of_notes(&from, &to)?);
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
    fn secrets_of_notes(&self, from: &str, to: &str) -> Result<PassingSecrets, RunError> {
        let remote = self.remote;
        let span = PushedSpan { remote, from, to };
        find_passing_secrets(&span, None, self.start, Instant::now() + MIN_COMMITS_TIME)
    }

    fn review_ranges(
        &self,
        ranges: &[PushedChange],
        news: &mut PushNews,
    ) -> Result<PushOutcome, RunError> {
        let began = Instant::now();
        let mut worst = PushOutcome::Passed;
        for reviewed in ranges {
            let Some((report, settings, passing)) = self.review_range(reviewed, began, news)?
            else {
                return Ok(PushOutcome::Passed);
            };
            let mut outcome = PushOutcome::from_report(&report, &settings);
            if !passing.found.is_empty() && settings.hook.mode == HookMode::Gate {
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
        began: Instant,
        news: &mut PushNews,
    ) -> Result<Option<(Report, Settings, PassingSecrets)>, RunError> {
        let request = ReviewRequest {
            target: RequestedTarget::Unmerged(self.unmerged(&reviewed.range)),
            checkout: CheckoutUse::Stricter,
            ..ReviewRequest::default()
        };
        let prepared = prepare_review(&request, self.start)?;
        // The file may be what makes this hook a gate.
        if let Some(fault) = &prepared.config_fault {
            return Err(RunError::usage(fault.clone()));
        }
        let settings = prepared.config.settings.clone();
        news.know_secrets(&prepared.redactor);
        for note in prepared.hook_notes() {
            news.add_note(&note);
        }
        if !settings.hook.enabled {
            return Ok(None);
        }
        let sum = PushSum::of(&prepared);
        // The rules need some of the time.
        let until = began + Duration::from_millis(settings.hook.timeout) * 3 / 4;
        let tip = prepared.packet.target.head.as_deref();
        if let Some(note) = await_review(tip, settings.hook.mode, until, self.start) {
            news.add_note(&note);
        }
        let report = self.review_sum(prepared, began, news)?;
        // The sum comes first, whatever its commits hold.
        let timeout = Duration::from_millis(settings.hook.timeout);
        let deadline = (began + timeout).max(Instant::now() + MIN_COMMITS_TIME);
        let (from, to) = reviewed.range.split_once("..").unwrap_or_default();
        let remote = self.remote;
        let span = PushedSpan { remote, from, to };
        // A review whose time was up says nothing of what the sum adds.
        let sum = Some(&sum).filter(|_| !is_late(&report));
        let passing = find_passing_secrets(&span, sum, self.start, deadline)?;
        Ok(Some((report, settings, passing)))
    }

    /// The range, judged by what the remote's default branch says: what the remote has of the pushed branch itself, a
    /// stranger may have put there.
    fn unmerged(&self, range: &str) -> UnmergedRange {
        let (from, to) = range.split_once("..").unwrap_or_default();
        UnmergedRange {
            from: from.to_owned(),
            to: to.to_owned(),
            remote: Some(self.remote.to_owned()),
        }
    }

    /// The verdict over the sum of a range.
    fn review_sum(
        &self,
        mut prepared: PreparedReview,
        began: Instant,
        news: &mut PushNews,
    ) -> Result<Report, RunError> {
        let hook = &prepared.config.settings.hook;
        let (timeout, models) = (Duration::from_millis(hook.timeout), hook.models);
        let left = timeout.saturating_sub(began.elapsed());
        let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
        // Rules need no time of their own: a `timeouts.run` of the repository opens no gate before the hook's time is up.
        let run = &mut prepared.config.settings.timeouts.run;
        *run = Some(run.filter(|_| models).map_or(left, |run| run.min(left)));
        prepared.config.settings.output.save = false;
        let standing = convene::standing_objection(&prepared, self.start)
            .or_else(|| cut_off_objection(&prepared, self.start));
        let mut recalled = None;
        if !models {
            recalled = convene::recall_verdict(&prepared, self.start)?;
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
        let report = convene::convene_review(prepared, options, self.start)?;
        // What models came to before does not take the place of the rules: the stricter of the two counts.
        let report = match recalled {
            Some(known)
                if severity_of(known.outcome.verdict) >= severity_of(report.outcome.verdict) =>
            {
                known
            }
            Some(known) => {
                news.add_note(&format!(
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

/// The report that weighs more; the first one where both say the same.
fn stricter(report: Report, other: Option<Report>) -> Report {
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

/// Whether the time was up before there was a verdict.
fn is_late(report: &Report) -> bool {
    report.outcome.verdict == Verdict::Inconclusive
        && report.outcome.reason == VerdictReason::Deadline
}
