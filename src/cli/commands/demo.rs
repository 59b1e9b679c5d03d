//! `git council demo`: a recorded debate, played offline.

use std::time::Duration;

use clap::Args;

use crate::cli::commands::show::ShowFormat;
use crate::cli::context::CommandContext;
use crate::cli::deliver::render_report;
use crate::cli::live::{LiveView, ViewKind};
use crate::run::demo::{PlayedDemo, play_demo};
use crate::run::error::RunError;

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
}

pub(crate) fn run(args: &DemoArgs, start: &CommandContext) -> Result<(), RunError> {
    let PlayedDemo { events, report } = play_demo()?;
    let (kind, console) = start.view_of_settings();
    if !args.at_once && kind != ViewKind::Off {
        start.console.write_stderr(
            "Three scripted models review a change that searches refunds, then answer each other. This is a recording.\n\n",
        );
        let view = LiveView::new(kind, console);
        let mut now = 0;
        for event in &events {
            let pause = Duration::from_millis(event.at.saturating_sub(now)).min(MAX_PAUSE);
            std::thread::sleep(pause);
            now = event.at;
            view.hear(event);
        }
    }
    let text = render_report(&report, args.format.into(), report.own_gate(), start);
    start.console.print(&text)?;
    start
        .console
        .hint("this was a recording; to review your own branch: git council review");
    Ok(())
}
