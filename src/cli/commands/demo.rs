//! `git council demo`: a recorded debate, played offline.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::commands::show::ShowFormat;
use crate::cli::context::CommandContext;
use crate::cli::deliver::render_report;
use crate::cli::live::{LiveView, ViewKind};
use crate::cli::web;
use crate::config::ReportFormat;
use crate::run::demo::{PlayedDemo, play_demo};
use crate::run::error::RunError;
use crate::run::output_file::{check_output, write_output};

/// The longest wait between two events.
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// Play a recorded debate over a small change: offline, nothing is sent and nothing is paid
#[derive(Debug, Clone, Args)]
pub(crate) struct DemoArgs {
    /// Show only the report, at once
    #[arg(long)]
    at_once: bool,
    /// The format of the report
    #[arg(
        long,
        value_enum,
        value_name = "NAME",
        default_value = "terminal",
        hide_possible_values = true
    )]
    format: ShowFormat,
    /// Open the report as a page in your browser when the debate is over
    #[arg(long, conflicts_with_all = ["format", "html"])]
    web: bool,
    /// Write the report as a page to FILE when the debate is over
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    html: Option<PathBuf>,
}

pub(crate) fn run(args: &DemoArgs, start: &CommandContext) -> Result<(), RunError> {
    if let Some(file) = &args.html {
        check_output(&start.dir.join(file))?;
    }
    let played = play_demo()?;
    let PlayedDemo { events, report, .. } = &played;
    let (kind, console) = start.view_of_settings();
    if !args.at_once && kind != ViewKind::Off {
        start.console.write_stderr(
            "Three scripted models review a change that searches refunds, then answer\neach other. This is a recording.\n\n",
        );
        let view = LiveView::new(kind, console);
        let mut now = 0;
        for event in events {
            let pause = Duration::from_millis(event.at.saturating_sub(now)).min(MAX_PAUSE);
            std::thread::sleep(pause);
            now = event.at;
            view.hear(event);
        }
    }
    let format = ReportFormat::from(args.format);
    let text = match format {
        ReportFormat::Html => played.page(),
        _ => render_report(report, format, report.own_gate(), start),
    };
    start.console.print(&text)?;
    if let Some(file) = &args.html {
        let file = start.dir.join(file);
        write_output(&file, played.page())?;
        start
            .console
            .hint(&format!("the page was written to {}", file.display()));
    } else if args.web {
        web::open_loose_page(&played.page(), "demo.html", start)?;
    } else if format != ReportFormat::Html {
        let hint = "as a page in your browser: git council demo --at-once --web";
        start.console.hint(hint);
    }
    start
        .console
        .hint("this was a recording; to review your own branch: git council review");
    Ok(())
}
