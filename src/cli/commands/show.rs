//! `git council show`: a run of the past, or a verdict of a note.

use clap::{Args, ValueEnum};

use crate::cli::Start;
use crate::cli::deliver::render;
use crate::cli::error::CliError;
use crate::cli::history;
use crate::cli::noted;
use crate::cli::pager;
use crate::config::Format;
use crate::report::Gate;

/// Show a past run: who held what, who answered what, who moved, and the verdict
#[derive(Debug, Clone, Args)]
pub(crate) struct ShowArgs {
    /// The run's name or a part of it, or a commit whose notes hold verdicts; without it the latest run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// In which shape
    #[arg(long, value_enum, value_name = "NAME", default_value = "story")]
    format: Shape,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shape {
    /// The rounds, one after another
    Story,
    /// As the review printed it
    Terminal,
    Markdown,
    Json,
    Sarif,
    Rdjson,
}

impl From<Shape> for Format {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Story => Self::Story,
            Shape::Terminal => Self::Terminal,
            Shape::Markdown => Self::Markdown,
            Shape::Json => Self::Json,
            Shape::Sarif => Self::Sarif,
            Shape::Rdjson => Self::Rdjson,
        }
    }
}

pub(crate) fn run(args: &ShowArgs, start: &Start) -> Result<(), CliError> {
    let format = if args.json {
        Format::Json
    } else {
        args.format.into()
    };
    let past = match history::find(start, args.run.as_deref()) {
        Ok(past) => past,
        Err(error) => {
            let found = args.run.as_deref().map(|name| noted::find(start, name));
            let found = found.filter(|found| !found.is_empty()).ok_or(error)?;
            let json = matches!(format, Format::Json);
            return pager::print(&noted::show(&found, format, json, start)?, start);
        }
    };
    let Some(report) = past.report()? else {
        return Err(CliError::usage(format!(
            "{} has no report: it is going on, or was cut off",
            past.name
        ))
        .hint(format!(
            "make one from what was heard: git council replay {}",
            past.name
        )));
    };
    let text = render(&report, format, start.console.look(), Gate::default());
    pager::print(&text, start)
}
