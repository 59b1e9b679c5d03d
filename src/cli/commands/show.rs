//! `git council show`: a run of the past, or a verdict of a note.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::context::CommandContext;
use crate::cli::deliver::render_report;
use crate::cli::pager;
use crate::cli::web;
use crate::config::ReportFormat;
use crate::council::outcome::JudgedFinding;
use crate::report::{Report, Verbosity};
use crate::run::counts_again;
use crate::run::dismissals;
use crate::run::error::RunError;
use crate::run::explain::explain;
use crate::run::finding_tests::describe_tests;
use crate::run::findings;
use crate::run::notes::{self, NotedVerdict, repository_trust};
use crate::run::output_file::write_output;
use crate::run::page::render_artefact;
use crate::run::shown::{about_other, verdict_after};
use crate::run::store::{self, StoredRun};
use crate::text::Untrusted;

/// The most findings that are named which somebody dismissed after the report.
const MAX_NAMED: usize = 5;

/// Show a past run: each judge's findings, the debate, and the verdict
#[derive(Debug, Clone, Args)]
pub(crate) struct ShowArgs {
    /// The run's name or a part of it, a reviewed commit, or a finding such as F1 [default: the last verdict]
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// The format
    #[arg(long, value_enum, value_name = "NAME", default_value = "story")]
    format: ShowFormat,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// The same as --format html
    #[arg(long, conflicts_with_all = ["format", "json"])]
    html: bool,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["reproduction", "web"])]
    output: Option<PathBuf>,
    /// Print the tests that judges wrote to prove a finding, and whether they failed as they should; RUN is the
    /// finding's id (F1)
    #[arg(long, conflicts_with_all = ["format", "json", "html", "web"])]
    reproduction: bool,
    /// Open the report as a page in your browser
    #[arg(long, conflicts_with_all = ["format", "json", "html"])]
    web: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ShowFormat {
    /// Round by round
    Story,
    /// As the review printed it
    Terminal,
    Markdown,
    Json,
    Sarif,
    Rdjson,
    /// One page for a browser
    Html,
    /// A few stable lines for coding agents
    Agent,
    Junit,
    Checkstyle,
    /// GitLab's code quality report
    Gitlab,
}

impl From<ShowFormat> for ReportFormat {
    fn from(shape: ShowFormat) -> Self {
        match shape {
            ShowFormat::Story => Self::Story,
            ShowFormat::Terminal => Self::Terminal,
            ShowFormat::Markdown => Self::Markdown,
            ShowFormat::Json => Self::Json,
            ShowFormat::Sarif => Self::Sarif,
            ShowFormat::Rdjson => Self::Rdjson,
            ShowFormat::Html => Self::Html,
            ShowFormat::Agent => Self::Agent,
            ShowFormat::Junit => Self::Junit,
            ShowFormat::Checkstyle => Self::Checkstyle,
            ShowFormat::Gitlab => Self::Gitlab,
        }
    }
}

pub(crate) fn run(args: &ShowArgs, start: &CommandContext) -> Result<(), RunError> {
    if args.reproduction {
        return pager::print_paged(&describe_tests(args.run.as_deref(), start)?, start);
    }
    let is_quiet = start.console.verbosity == Verbosity::Quiet;
    let format = match args.format.into() {
        _ if args.json => ReportFormat::Json,
        _ if args.html => ReportFormat::Html,
        // Which says the verdict alone.
        ReportFormat::Story if is_quiet => ReportFormat::Terminal,
        format => format,
    };
    let found = store::find_run(start, args.run.as_deref());
    if args.run.is_none()
        && let Some(report) = verdict_after(found.as_ref().ok(), start)
    {
        return show_report(&report, None, args, format, start);
    }
    let past = match found {
        Ok(past) => past,
        Err(error) => {
            let found = args
                .run
                .as_deref()
                .map(|name| notes::find_verdicts(start, name));
            let has_notes = found.as_ref().is_some_and(|found| !found.is_empty());
            let of_commit = args.run.as_deref().filter(|_| !has_notes);
            if let Some(past) = of_commit.and_then(|rev| store::find_run_of(start, rev)) {
                return show_run(&past, args, format, start);
            }
            let Some(found) = found.filter(|found| !found.is_empty()) else {
                return show_finding(args, error, start);
            };
            let json = matches!(format, ReportFormat::Json);
            return deliver(&show_verdicts(&found, format, json, start)?, args, start);
        }
    };
    show_run(&past, args, format, start)
}

/// What is neither a run nor a commit may be a finding, which `explain` tells of; `error`: it is none.
fn show_finding(args: &ShowArgs, error: RunError, start: &CommandContext) -> Result<(), RunError> {
    let name = args.run.as_deref().unwrap_or_default();
    let is_story =
        matches!(args.format, ShowFormat::Story) && !(args.json || args.html || args.web);
    if findings::may_name_finding(name) {
        let columns = start.console.stdout_look().width.clamp(40, 100);
        return match explain(name, None, columns, start) {
            Ok(page) if is_story => deliver(&page, args, start),
            Ok(_) => Err(error.hint(format!("of the finding: git council explain {name}"))),
            // Digits alone may have been meant as a commit.
            Err(unknown) if name.starts_with(['F', 'f']) => Err(unknown),
            Err(_) => Err(error),
        };
    }
    Err(error.hint("of a commit: one that was reviewed here; of a finding: its id, e.g. F1"))
}

/// Prints a text, or writes it to the file that is asked for.
fn deliver(text: &str, args: &ShowArgs, start: &CommandContext) -> Result<(), RunError> {
    match &args.output {
        Some(file) => write_output(&start.dir.join(file), text),
        None => pager::print_paged(text, start),
    }
}

fn show_run(
    past: &StoredRun,
    args: &ShowArgs,
    format: ReportFormat,
    start: &CommandContext,
) -> Result<(), RunError> {
    let Some(report) = past.report()? else {
        return Err(RunError::usage(format!(
            "{} has no report: it is still running, or was interrupted",
            past.name
        ))
        .hint(format!(
            "compute one from its journal: git council replay {}",
            past.name
        )));
    };
    show_report(&report, Some(past), args, format, start)
}

/// Shows a report, and says what happened since it was made. One that was reused has no run.
fn show_report(
    report: &Report,
    past: Option<&StoredRun>,
    args: &ShowArgs,
    format: ReportFormat,
    start: &CommandContext,
) -> Result<(), RunError> {
    warn_of_decisions(report, start)?;
    if args.run.is_none()
        && let Some(about) = about_other(report, start)
    {
        start.console.caution(&format!(
            "this report is {about}; to review what is here now: git council review"
        ));
    }
    let told = counts_again::with_later_decisions(report, start)?;
    let shown_as = if args.web { ReportFormat::Html } else { format };
    match past {
        Some(past) if args.web => web::open_page(past, &told, start)?,
        None if args.web => {
            web::open_loose_page(&render_artefact(&told, start), "report.html", start)?
        }
        _ => {
            let text = render_report(&told, format, report.own_gate(), start);
            deliver(&text, args, start)?;
        }
    }
    // What is in a file stands on no screen.
    if args.web || args.output.is_none() {
        start.remember_shown(report, shown_as);
    }
    Ok(())
}

/// A report is what it was when it was made. Whoever has dismissed a finding since is told that it still shows it.
fn warn_of_decisions(report: &Report, start: &CommandContext) -> Result<(), RunError> {
    let decisions = dismissals::own_decisions(start)?;
    let is_gone = |found: &&JudgedFinding| {
        let decided = decisions.get(&found.fingerprint);
        found.level.is_some() && decided.is_some_and(Option::is_some)
    };
    let gone = report.outcome.findings.iter().filter(is_gone);
    let gone: Vec<String> = gone.take(MAX_NAMED).map(findings::name_finding).collect();
    if !gone.is_empty() {
        start.console.warning(&format!(
            "dismissed since this report was made: {}; `git council review` gives the verdict without",
            gone.join(", ")
        ));
    }
    let back = findings::taken_back(report, start)?;
    if !back.is_empty() {
        let back: Vec<String> = back.into_iter().take(MAX_NAMED).collect();
        start.console.caution(&format!(
            "counts again since this report was made: {}; `git council review` gives the verdict with it",
            back.join(", ")
        ));
    }
    Ok(())
}

/// Each with what it is worth, then its report as the note has it.
fn show_verdicts(
    found: &[NotedVerdict],
    format: ReportFormat,
    json: bool,
    start: &CommandContext,
) -> Result<String, RunError> {
    let trust = repository_trust(start)?;
    let mut out = String::new();
    for noted in found {
        let worth = noted.check_signer(&trust);
        if json {
            out.push_str(&noted.render_json(&worth));
            continue;
        }
        let says = match &worth {
            Ok(signer) => format!("signed by {} and trusted here", signer.describe_key()),
            Err(_) if noted.is_own(&trust) => notes::OWN.to_owned(),
            Err(why) => format!("not trusted: {why}"),
        };
        let line = format!(
            "a note on {} says {}",
            noted.commit,
            noted.verdict.verdict.as_str()
        );
        out.push_str(&format!(
            "{}\n\n",
            Untrusted::new(&format!("{line} ({says})")).line()
        ));
        let report = &noted.verdict.report;
        out.push_str(&render_report(report, format, report.own_gate(), start));
        // A finding that a person names is one of this report.
        start.remember_shown(report, format);
    }
    let with_findings = found
        .iter()
        .filter(|noted| !noted.verdict.report.outcome.findings.is_empty());
    if !json && with_findings.count() > 1 {
        start.console.caution(
            "several reports are shown, each with an F1: `dismiss`, `apply` and `explain` mean those of the last one",
        );
    }
    Ok(out)
}
