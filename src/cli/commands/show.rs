//! `git council show`: a run of the past, or a verdict of a note.

use clap::{Args, ValueEnum};

use crate::cli::RunContext;
use crate::cli::deliver::render_report;
use crate::cli::error::RunError;
use crate::cli::history;
use crate::cli::noted;
use crate::cli::pager;
use crate::config::ReportFormat;
use crate::report::GatePolicy;

/// Show a past run: who held what, who answered what, who moved, and the verdict
#[derive(Debug, Clone, Args)]
pub(crate) struct ShowArgs {
    /// The run's name or a part of it, or a commit whose notes hold verdicts; without it the latest run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// In which shape
    #[arg(long, value_enum, value_name = "NAME", default_value = "story")]
    format: ShowFormat,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ShowFormat {
    /// The rounds, one after another
    Story,
    /// As the review printed it
    Terminal,
    Markdown,
    Json,
    Sarif,
    Rdjson,
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
        }
    }
}

pub(crate) fn run(args: &ShowArgs, start: &RunContext) -> Result<(), RunError> {
    let format = if args.json {
        ReportFormat::Json
    } else {
        args.format.into()
    };
    let past = match history::find_run(start, args.run.as_deref()) {
        Ok(past) => past,
        Err(error) => {
            let found = args
                .run
                .as_deref()
                .map(|name| noted::find_verdicts(start, name));
            let found = found.filter(|found| !found.is_empty()).ok_or(error)?;
            let json = matches!(format, ReportFormat::Json);
            return pager::print_paged(&noted::show_verdicts(&found, format, json, start)?, start);
        }
    };
    let Some(report) = past.report()? else {
        return Err(RunError::usage(format!(
            "{} has no report: it is going on, or was cut off",
            past.name
        ))
        .hint(format!(
            "make one from what was heard: git council replay {}",
            past.name
        )));
    };
    let text = render_report(
        &report,
        format,
        start.console.stdout_look(),
        GatePolicy::default(),
    );
    pager::print_paged(&text, start)
}
