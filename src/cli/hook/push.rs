//! The pre-push hook: every ref that is pushed, one combined answer, and a push that goes through when nobody can say.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::time::{Duration, Instant};

use crate::cli::Start;
use crate::cli::commands::review::ReviewArgs;
use crate::cli::convene;
use crate::cli::error::CliError;
use crate::cli::prepare::prepare;
use crate::config::{HookMode, OnTimeout, Settings};
use crate::council::outcome::{Reason, Verdict};
use crate::git::{self, Pushed, Update};
use crate::report::{self, Gate, Report, exit};
use crate::session::Interrupts;
use crate::text::Untrusted;

/// The most bytes of refs that are read.
const MOST_BYTES: u64 = 16 << 20;

/// What the hook was started with.
pub(crate) struct Push<'a> {
    pub(crate) start: &'a Start,
    /// The remote's name, or its URL when it has none.
    pub(crate) remote: &'a str,
}

/// One range, for all refs that stand for it.
struct Reviewed {
    refs: Vec<String>,
    range: String,
    note: Option<String>,
}

impl Push<'_> {
    /// Reviews what is pushed.
    pub(crate) fn run(&self, updates: Vec<Update>) -> Result<u8, CliError> {
        let ranges = self.ranges(updates)?;
        self.review(&ranges)
    }

    /// Each distinct range once.
    fn ranges(&self, updates: Vec<Update>) -> Result<Vec<Reviewed>, CliError> {
        let start = self.start;
        let pushed = git::ranges(&start.dir, &start.git(), self.remote, &updates)?;
        let mut ranges: BTreeMap<String, Reviewed> = BTreeMap::new();
        for (update, pushed) in updates.iter().zip(pushed) {
            let name = short(&update.remote_ref).to_owned();
            match pushed {
                Pushed::Nothing => {}
                Pushed::NoCommit(what) => self.say(&format!("{name} is {what}: not reviewed")),
                Pushed::Range { from, to, note } => {
                    let range = format!("{from}..{to}");
                    let new = || Reviewed {
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
        Ok(ranges.into_values().collect())
    }

    fn review(&self, ranges: &[Reviewed]) -> Result<u8, CliError> {
        let began = Instant::now();
        let mut worst = Ending::Passed;
        let mut told = String::new();
        for reviewed in ranges {
            let Some((report, settings)) = self.one(reviewed, began)? else {
                return Ok(exit::OK);
            };
            worst = worst.max(Ending::of(&report, &settings));
            self.tell(&mut told, reviewed, &report, &settings);
        }
        self.start.console.tell(&told);
        if worst == Ending::Stopped {
            self.say(
                "the push is stopped (git push --no-verify, or GIT_COUNCIL=0, pushes all the same)",
            );
        }
        Ok(if worst == Ending::Stopped {
            exit::FAIL
        } else {
            exit::OK
        })
    }

    /// The verdict over one range: the one that was made before, or one of built-in judges.
    /// None where the hook is switched off.
    fn one(
        &self,
        reviewed: &Reviewed,
        began: Instant,
    ) -> Result<Option<(Report, Settings)>, CliError> {
        let args = ReviewArgs {
            target: Some(reviewed.range.clone()),
            ..ReviewArgs::default()
        };
        let mut prepared = prepare(&args, self.start)?;
        let settings = prepared.config.settings.clone();
        if !settings.hook.enabled {
            return Ok(None);
        }
        let left = Duration::from_millis(settings.hook.timeout).saturating_sub(began.elapsed());
        let left = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1);
        let run = &mut prepared.config.settings.timeouts.run;
        *run = Some(run.map_or(left, |run| run.min(left)));
        prepared.config.settings.output.save = false;
        if !settings.hook.models {
            if let Some(report) = convene::recall(&prepared, self.start)? {
                return Ok(Some((report, settings)));
            }
            built_in(&mut prepared.config.settings);
        }
        let report = convene::review(
            prepared,
            false,
            false,
            None,
            Interrupts::Signals,
            self.start,
        )?;
        Ok(Some((report, settings)))
    }

    /// Quiet when all is well and nobody watches.
    fn tell(&self, out: &mut String, reviewed: &Reviewed, report: &Report, settings: &Settings) {
        let console = self.start.console;
        let well = matches!(report.verdict, Verdict::Pass | Verdict::Skipped);
        if well && !console.is_watched() && !console.is_verbose() {
            return;
        }
        let refs = reviewed.refs.iter().map(|name| Untrusted::new(name).name());
        let refs = refs.collect::<Vec<_>>().join(", ");
        let line = report.bottom_line(Gate::default()).headline;
        let known = match &report.receipt.run.recognised {
            Some(_) => " (recognised)",
            None => "",
        };
        let _ = writeln!(out, "git-council: {refs}: {line}{known}");
        if let Some(note) = &reviewed.note {
            let _ = writeln!(out, "  {note}");
        }
        if !well {
            out.push_str(&report::terminal::render(report, console.look_at_errors()));
            if settings.hook.mode == HookMode::Advisory {
                let _ = writeln!(
                    out,
                    "git-council: advice only; `git config council.hook.mode gate` makes it a gate"
                );
            }
        }
    }

    fn say(&self, words: &str) {
        say(self.start, words);
    }
}

/// What is pushed and holds code; what does not is said in a line.
pub(crate) fn updates(start: &Start) -> Result<Vec<Update>, CliError> {
    let updates = received(start)?;
    if updates.is_empty() {
        say(
            start,
            "no refs received, nothing to review (a hook manager must pass standard input on)",
        );
    }
    let (left_out, updates): (Vec<_>, Vec<_>) = updates
        .into_iter()
        .partition(|update| update.is_deletion() || update.is_notes());
    if !left_out.is_empty() {
        say(start, &left_out_words(&left_out));
    }
    Ok(updates)
}

/// What git says on standard input; pre-commit says it in variables instead.
fn received(start: &Start) -> Result<Vec<Update>, CliError> {
    let mut text = String::new();
    let read = std::io::stdin()
        .lock()
        .take(MOST_BYTES)
        .read_to_string(&mut text);
    read.map_err(|error| CliError::usage(format!("cannot read the refs: {error}")))?;
    if text.trim().is_empty()
        && let Some(update) = of_pre_commit(start)
    {
        return Ok(vec![update]);
    }
    Update::parse_all(&text).map_err(|line| {
        CliError::usage(format!(
            "{line:?} is not a line of git's to a pre-push hook"
        ))
        .hint("it is <local ref> <local id> <remote ref> <remote id>")
    })
}

/// pre-commit keeps standard input for itself.
fn of_pre_commit(start: &Start) -> Option<Update> {
    let var = |name: &str| Some(start.environment.get(name)?.to_str()?.to_owned());
    let local = var("PRE_COMMIT_TO_REF")?;
    let zero = "0".repeat(local.len());
    Some(Update {
        local_ref: var("PRE_COMMIT_LOCAL_BRANCH").unwrap_or_else(|| "HEAD".to_owned()),
        remote_ref: var("PRE_COMMIT_REMOTE_BRANCH").unwrap_or_else(|| "HEAD".to_owned()),
        remote: var("PRE_COMMIT_FROM_REF").unwrap_or(zero),
        local,
    })
}

fn say(start: &Start, words: &str) {
    start.console.log(&format!("git-council: {words}"));
}

/// What an update comes to for the push. Ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ending {
    Passed,
    Stopped,
}

impl Ending {
    fn of(report: &Report, settings: &Settings) -> Self {
        let late = report.verdict == Verdict::Inconclusive && report.reason == Reason::Deadline;
        let gate = Gate {
            fail_on: settings.review.fail_on,
            ..Gate::default()
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

/// Only judges that cost nothing sit.
fn built_in(settings: &mut Settings) {
    settings.judge.clear();
    settings.agents.clear();
    settings.review.agents = vec!["builtin".to_owned()];
    settings.review.backend = "auto".to_owned();
    settings.review.judges = None;
    settings.review.quorum = None;
}

fn left_out_words(updates: &[Update]) -> String {
    let (gone, notes): (Vec<_>, Vec<_>) = updates.iter().partition(|update| update.is_deletion());
    let names = |updates: &[&Update]| {
        let names = updates
            .iter()
            .map(|update| short(&update.remote_ref).to_owned());
        names.collect::<Vec<_>>().join(", ")
    };
    let mut parts = Vec::new();
    if !gone.is_empty() {
        parts.push(format!(
            "nothing to review in the deletion of {}",
            names(&gone)
        ));
    }
    if !notes.is_empty() {
        parts.push(format!("nothing to review in notes ({})", names(&notes)));
    }
    parts.join("; ")
}

fn short(name: &str) -> &str {
    let prefixes = ["refs/heads/", "refs/"];
    prefixes
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}
