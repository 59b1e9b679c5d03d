//! The pre-push hook: every ref that is pushed, one combined answer, and a push that goes through when nobody can say.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::time::{Duration, Instant};

use council_protocol::Severity;

use crate::cli::commands::hook::may_be_gate;
use crate::cli::context::CommandContext;
use crate::cli::hook::passing::describe_passing;
use crate::config::{HookMode, OnTimeout, Settings};
use crate::council::outcome::{ReviewedBy, Verdict, VerdictReason};
use crate::git::{self, PushedRange, RefUpdate};
use crate::report::{self, GatePolicy, Report, exit};
use crate::run::convene::{self, ConveneOptions};
use crate::run::error::RunError;
use crate::run::github::claim::use_builtin_judges;
use crate::run::hook::install::HookInstaller;
use crate::run::hook::passing_secrets::{
    PassingSecrets, PushSum, PushedSpan, find_passing_secrets, secrets_of_tags,
};
use crate::run::hook::script::HookEvent;
use crate::run::prepare::{PreparedReview, prepare_review};
use crate::run::request::{CheckoutUse, RequestedTarget, ReviewRequest};
use crate::run::shown::remember_shown;
use crate::session::InterruptSource;
use crate::text::Untrusted;

/// The most bytes of refs that are read.
const MAX_REFS_BYTES: u64 = 16 << 20;

/// Commits are looked at one by one for so long at least, when the review of their sum has taken all of the time.
const MIN_COMMITS_TIME: Duration = Duration::from_secs(5);

/// What the hook was started with.
pub(crate) struct PrePush<'a> {
    pub(crate) start: &'a CommandContext,
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
    /// Refs, each with the secrets in what is said beside the code: annotations of tags, and notes.
    said: Vec<(String, PassingSecrets)>,
}

const BLOCKED: &str =
    "the push is blocked (to push anyway: git push --no-verify, or GIT_COUNCIL=0)";

impl PrePush<'_> {
    /// Reviews what is pushed.
    pub(crate) fn review_updates(&self, updates: Vec<RefUpdate>) -> Result<u8, RunError> {
        let pushed = self.read_push(updates)?;
        let code = self.review_ranges(&pushed.ranges)?;
        let mut told = String::new();
        for (name, said) in &pushed.said {
            describe_passing(&mut told, std::slice::from_ref(name), said);
        }
        self.start.console.write_stderr(&told);
        // What nobody can read is inconclusive, and that stops a push in a gate. A secret does, wherever it stands.
        let stops = pushed.unread > 0 || pushed.said.iter().any(|(_, said)| !said.found.is_empty());
        if stops && code == exit::OK && may_be_gate(self.start) {
            self.say_line(BLOCKED);
            return Ok(exit::FAIL);
        }
        Ok(code)
    }

    /// Each distinct range once, and what is no range.
    fn read_push(&self, updates: Vec<RefUpdate>) -> Result<ReadPush, RunError> {
        let start = self.start;
        let pushed =
            git::pushed_ranges(&start.dir, &start.git_environment(), self.remote, &updates)?;
        let mut ranges: BTreeMap<String, PushedChange> = BTreeMap::new();
        let mut read = ReadPush::default();
        for (update, pushed) in updates.iter().zip(pushed) {
            let name = short_ref(&update.remote_ref).to_owned();
            let annotations = secrets_of_tags(&update.local, start)?;
            if !annotations.found.is_empty() {
                read.said.push((name.clone(), annotations));
            }
            match pushed {
                PushedRange::Nothing => {}
                PushedRange::Notes { from, to } => {
                    self.say_line(&format!(
                        "nothing to review in notes ({name}); they are searched for secrets"
                    ));
                    read.said.push((name, self.secrets_of_notes(&from, &to)?));
                }
                PushedRange::NoCommit(what) => {
                    read.unread += 1;
                    let id = &update.local;
                    // `cat-file -p` of a tree prints names, and a review of names would pass.
                    let whole = match what {
                        "a tree" => format!("git diff \"$(git mktree </dev/null)\" {id}"),
                        _ => format!("git cat-file blob {id} | git diff --no-index /dev/null -"),
                    };
                    self.say_line(&format!(
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

    fn review_ranges(&self, ranges: &[PushedChange]) -> Result<u8, RunError> {
        let began = Instant::now();
        let mut worst = PushOutcome::Passed;
        let mut told = String::new();
        let mut shown = None;
        for reviewed in ranges {
            let Some((report, settings, passing)) = self.review_range(reviewed, began)? else {
                return Ok(exit::OK);
            };
            let mut outcome = PushOutcome::from_report(&report, &settings);
            if !passing.found.is_empty() && settings.hook.mode == HookMode::Gate {
                outcome = PushOutcome::Stopped;
            }
            worst = worst.max(outcome);
            if outcome == PushOutcome::Passed && is_late(&report) {
                let _ = writeln!(
                    told,
                    "git-council: the time is up (hook.timeout), and hook.on-timeout says that the push continues"
                );
            }
            self.describe_range(&mut told, reviewed, &report, &settings);
            describe_passing(&mut told, &reviewed.refs, &passing);
            if !report.outcome.findings.is_empty() {
                shown = Some(report);
            }
        }
        self.start.console.write_stderr(&told);
        if let Some(report) = shown {
            remember_shown(&report, self.start);
        }
        if worst == PushOutcome::Stopped {
            self.say_line(BLOCKED);
        }
        Ok(if worst == PushOutcome::Stopped {
            exit::FAIL
        } else {
            exit::OK
        })
    }

    /// The verdict over one range: the one that was made before, or one of built-in judges.
    /// None where the hook is switched off.
    fn review_range(
        &self,
        reviewed: &PushedChange,
        began: Instant,
    ) -> Result<Option<(Report, Settings, PassingSecrets)>, RunError> {
        let request = ReviewRequest {
            target: RequestedTarget::Revision(reviewed.range.clone()),
            checkout: CheckoutUse::Stricter,
            ..ReviewRequest::default()
        };
        let prepared = prepare_review(&request, self.start)?;
        // The file may be what makes this hook a gate.
        if let Some(fault) = &prepared.config_fault {
            return Err(RunError::usage(fault.clone()));
        }
        let settings = prepared.config.settings.clone();
        for note in prepared.hook_notes() {
            self.say_line(&note);
        }
        if !settings.hook.enabled {
            return Ok(None);
        }
        let sum = PushSum::of(&prepared);
        let report = self.review_sum(prepared, began)?;
        // The sum comes first, whatever its commits hold.
        let timeout = Duration::from_millis(settings.hook.timeout);
        let deadline = (began + timeout).max(Instant::now() + MIN_COMMITS_TIME);
        let (from, to) = reviewed.range.split_once("..").unwrap_or_default();
        let remote = self.remote;
        let span = PushedSpan { remote, from, to };
        let passing = find_passing_secrets(&span, Some(&sum), self.start, deadline)?;
        Ok(Some((report, settings, passing)))
    }

    /// The verdict over the sum of a range.
    fn review_sum(&self, mut prepared: PreparedReview, began: Instant) -> Result<Report, RunError> {
        let hook = &prepared.config.settings.hook;
        let (timeout, models) = (Duration::from_millis(hook.timeout), hook.models);
        let left = timeout.saturating_sub(began.elapsed());
        let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
        let run = &mut prepared.config.settings.timeouts.run;
        *run = Some(run.map_or(left, |run| run.min(left)));
        prepared.config.settings.output.save = false;
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
                return Ok(known);
            }
            use_builtin_judges(&mut prepared.config.settings);
        }
        let options = ConveneOptions {
            deep: false,
            fresh: false,
            on_named: None,
            interrupts: InterruptSource::Signals,
        };
        let report = convene::convene_review(prepared, options, self.start)?;
        // What models came to before does not take the place of the rules: the stricter of the two counts.
        let stricter = recalled.filter(|known| severity_of(known) >= severity_of(&report));
        Ok(stricter.unwrap_or(report))
    }

    /// Quiet when all is well and nobody watches.
    fn describe_range(
        &self,
        out: &mut String,
        reviewed: &PushedChange,
        report: &Report,
        settings: &Settings,
    ) {
        let console = self.start.console;
        let well = matches!(report.outcome.verdict, Verdict::Pass | Verdict::Skipped);
        if well && !console.is_watched() && !console.is_verbose() {
            return;
        }
        let refs = reviewed.refs.iter().map(|name| Untrusted::new(name).name());
        let refs = refs.collect::<Vec<_>>().join(", ");
        let line = report.bottom_line(GatePolicy::default()).headline;
        let known = match &report.receipt.run.recognised {
            Some(_) => " (reused)",
            None => "",
        };
        let note = reviewed.note.as_ref();
        let note = note.map_or(String::new(), |note| format!(" ({note})"));
        let _ = writeln!(out, "git-council: {refs}: {line}{known}{note}");
        if !well {
            out.push_str(&report::terminal::render_hook(
                report,
                console.stderr_look(),
            ));
            if settings.hook.mode == HookMode::Advisory {
                let _ = writeln!(
                    out,
                    "git-council: advice only; with `git config council.hook.mode gate` such a push is blocked"
                );
            }
        }
    }

    fn say_line(&self, words: &str) {
        log_prefixed(self.start, words);
    }
}

/// What is pushed and holds code; what does not is said in a line.
pub(crate) fn read_updates(start: &CommandContext) -> Result<Vec<RefUpdate>, RunError> {
    let updates = parse_stdin(start)?;
    // git has nothing to say of what is up to date. A manager may have kept it for itself.
    let hooks = updates
        .is_empty()
        .then(|| HookInstaller::in_repository(start).ok());
    if let Some(manager) = hooks
        .flatten()
        .and_then(|hooks| hooks.detect_manager(HookEvent::PrePush))
    {
        let name = manager.name();
        let told =
            format!("no refs received, nothing to review ({name} must pass standard input on)");
        log_prefixed(start, &told);
    }
    let (gone, updates): (Vec<_>, Vec<_>) = updates.into_iter().partition(RefUpdate::is_deletion);
    if !gone.is_empty() {
        let names: Vec<&str> = gone
            .iter()
            .map(|update| short_ref(&update.remote_ref))
            .collect();
        let names = names.join(", ");
        log_prefixed(
            start,
            &format!("nothing to review in the deletion of {names}"),
        );
    }
    Ok(updates)
}

/// What git says on standard input; pre-commit says it in variables instead.
fn parse_stdin(start: &CommandContext) -> Result<Vec<RefUpdate>, RunError> {
    let mut text = String::new();
    let read = std::io::stdin()
        .lock()
        .take(MAX_REFS_BYTES)
        .read_to_string(&mut text);
    read.map_err(|error| RunError::usage(format!("cannot read the refs: {error}")))?;
    if text.trim().is_empty()
        && let Some(update) = of_pre_commit(start)
    {
        return Ok(vec![update]);
    }
    RefUpdate::parse_all(&text).map_err(|line| {
        RunError::usage(format!(
            "{line:?} is not a line of git's to a pre-push hook"
        ))
        .hint("it is <local ref> <local id> <remote ref> <remote id>")
    })
}

/// pre-commit keeps standard input for itself.
fn of_pre_commit(start: &CommandContext) -> Option<RefUpdate> {
    let var = |name: &str| Some(start.environment.get(name)?.to_str()?.to_owned());
    let local = var("PRE_COMMIT_TO_REF")?;
    let zero = "0".repeat(local.len());
    Some(RefUpdate {
        local_ref: var("PRE_COMMIT_LOCAL_BRANCH").unwrap_or_else(|| "HEAD".to_owned()),
        remote_ref: var("PRE_COMMIT_REMOTE_BRANCH").unwrap_or_else(|| "HEAD".to_owned()),
        remote: var("PRE_COMMIT_FROM_REF").unwrap_or(zero),
        local,
    })
}

fn log_prefixed(start: &CommandContext, words: &str) {
    start.console.log_line(&format!("git-council: {words}"));
}

/// From good to bad, as a gate sees it.
fn severity_of(report: &Report) -> u8 {
    match report.outcome.verdict {
        Verdict::Skipped => 0,
        Verdict::Pass => 1,
        Verdict::Warn => 2,
        Verdict::Inconclusive => 3,
        Verdict::Fail => 4,
    }
}

/// What an update comes to for the push. Ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PushOutcome {
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
        let gate = GatePolicy {
            fail_on: settings.review.fail_on,
            ..GatePolicy::default()
        };
        match settings.hook.mode {
            HookMode::Gate | HookMode::Advisory if late => match settings.hook.on_timeout {
                OnTimeout::Block => Self::Stopped,
                OnTimeout::Pass => Self::Passed,
            },
            HookMode::Gate if report.bottom_line(gate).exit_code != exit::OK => Self::Stopped,
            _ => Self::Passed,
        }
    }
}

/// Whether the time was up before there was a verdict.
fn is_late(report: &Report) -> bool {
    report.outcome.verdict == Verdict::Inconclusive
        && report.outcome.reason == VerdictReason::Deadline
}

fn short_ref(name: &str) -> &str {
    let prefixes = ["refs/heads/", "refs/"];
    prefixes
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}
