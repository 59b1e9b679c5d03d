//! `git council cache`: verdicts that are known again.

use std::collections::BTreeMap;
use std::path::Path;

use clap::{Args, Subcommand};
use council_secrets::{Redactor, may_repeat_secret};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::context::CommandContext;
use crate::council::outcome::Verdict;
use crate::git::{self, RepositoryPaths};
use crate::memory::{CachedVerdict, StandingObjections, VerdictCache};
use crate::report::{GatePolicy, Report};
use crate::run::error::RunError;
use crate::run::page::redactor_of_report;
use crate::run::redaction::user_redactor;
use crate::text::{self, Columns};

/// Show or clear the cached verdicts that are reused for unchanged changes
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    what: Option<CacheAction>,
    #[command(flatten)]
    show: CacheShowArgs,
}

#[derive(Debug, Clone, Copy, Args)]
struct CacheShowArgs {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

/// A cached verdict: an element of `cache show --json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "CachedVerdict")]
pub(crate) struct CachedEntry {
    /// The key under which it is reused.
    key: String,
    /// When the review began, RFC 3339.
    started: String,
    /// What was reviewed, as it was named.
    target: String,
    /// The commit that it was, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    verdict: Verdict,
    /// The verdict in a sentence.
    headline: String,
    /// The size of the file.
    bytes: u64,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum CacheAction {
    /// List the cached verdicts, latest first
    Show(CacheShowArgs),
    /// Delete all cached verdicts
    Clear,
}

pub(crate) fn run(args: &CacheArgs, start: &CommandContext) -> Result<(), RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let Some(dir) = place.memory_dir() else {
        return Ok(());
    };
    let cache = VerdictCache::new(&dir, usize::MAX, start.signing_key());
    match args.what.unwrap_or(CacheAction::Show(args.show)) {
        CacheAction::Show(CacheShowArgs { json: true }) => print_json(&cache, start),
        CacheAction::Show(_) => show_verdicts(&cache, start),
        CacheAction::Clear => {
            let cleared = cache.clear().map_err(|error| {
                RunError::run(format!("cannot clear {}: {error}", dir.display()))
            })?;
            let noun = if cleared == 1 { "verdict" } else { "verdicts" };
            start
                .console
                .print(&format!("{cleared} {noun} deleted\n"))?;
            tell_standing(&dir, start);
            Ok(())
        }
    }
}

/// An objection is no copy that a cache holds: a gate opens when the change passes, not when somebody tidies up.
fn tell_standing(memory_dir: &Path, start: &CommandContext) {
    let standing = StandingObjections::new(memory_dir, start.signing_key()).count();
    if standing > 0 {
        let noun = if standing == 1 {
            "objection stands"
        } else {
            "objections stand"
        };
        start.console.hint(&format!(
            "{standing} {noun} for hooks in gate mode; a later review of the same change that passes takes it back"
        ));
    }
}

fn print_json(cache: &VerdictCache, start: &CommandContext) -> Result<(), RunError> {
    let entry = |kept: CachedVerdict| CachedEntry {
        started: kept.report.receipt.run.started.clone(),
        target: kept.report.target.label.clone(),
        commit: kept.report.target.head.clone(),
        verdict: kept.report.outcome.verdict,
        headline: kept.report.bottom_line(GatePolicy::default()).headline,
        key: kept.key,
        bytes: kept.bytes,
    };
    let entries: Vec<CachedEntry> = cache.list().into_iter().map(entry).collect();
    start.console.print_json(&entries)
}

fn show_verdicts(cache: &VerdictCache, start: &CommandContext) -> Result<(), RunError> {
    let mut rows = Columns::default();
    let (mut count, mut bytes) = (0_usize, 0_u64);
    let verdicts = cache.list();
    let heads = verdicts
        .iter()
        .filter_map(|kept| kept.report.target.head.clone());
    let heads: Vec<String> = heads.collect();
    let subjects = git::commit_subjects(&start.dir, &start.git_environment(), &heads);
    let redactor = user_redactor(start)?;
    for kept in verdicts {
        count += 1;
        bytes += kept.bytes;
        let run = &kept.report.receipt.run;
        let made = run.started.get(..16).unwrap_or_default().replace('T', " ");
        rows.push([
            kept.key.get(..12).unwrap_or_default().to_owned(),
            made,
            about(&kept.report, &subjects, &redactor, start),
            kept.report.bottom_line(GatePolicy::default()).headline,
        ]);
    }
    let noun = if count == 1 { "verdict" } else { "verdicts" };
    let mut foot = format!(
        "{count} {noun}, {} KiB in {}\n",
        bytes.div_ceil(1024),
        cache.dir().display()
    );
    let strange = cache.count().saturating_sub(count);
    if strange > 0 {
        foot.push_str(&format!(
            "{strange} more are ignored: you did not write them, or they are damaged\n"
        ));
    }
    start
        .console
        .print(&(rows.render_within("", start.console.stdout_columns()) + &foot))
}

/// `HEAD at 0123456 Mend the parser`: a name such as `HEAD` alone says nothing later on.
fn about(
    report: &Report,
    subjects: &BTreeMap<String, String>,
    redactor: &Redactor,
    start: &CommandContext,
) -> String {
    const SHORTER: usize = 7;
    const MAX_SUBJECT: usize = 50;
    let target = &report.target;
    let Some(head) = target.head.as_deref() else {
        return target.label.clone();
    };
    let subject = subjects.get(head).map_or("", String::as_str);
    let mut subject = redactor.redact_words(subject).text;
    // Few subjects hold a word that may be a secret of their change: no other change is read for one.
    if may_repeat_secret(&subject)
        && let Some(known) = redactor_of_report(report, start)
    {
        subject = known.redact_words(&subject).text;
    }
    let subject = text::clip_chars(&subject, MAX_SUBJECT);
    let told = format!(
        "{} at {} {subject}",
        target.label,
        head.get(..SHORTER).unwrap_or(head)
    );
    told.trim_end().to_owned()
}
