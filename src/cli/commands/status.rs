//! `git council status`: reviews that go on.

use clap::Args;

use crate::cli::context::CommandContext;
use crate::cli::live::Board;
use crate::report::DisplayOptions;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::status::{collect_status, describe_status};
use crate::run::store::StoredRun;
use crate::run::watch::RunWatcher;
use crate::text::Untrusted;

/// List the runs that are going on or were interrupted, and what continues each
#[derive(Debug, Clone, Args)]
pub(crate) struct StatusArgs {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &StatusArgs, start: &CommandContext) -> Result<(), RunError> {
    if args.json {
        return start.console.print_json(&collect_status(start)?);
    }
    let look = start.console.stdout_look();
    let board = |past| render_board(past, look, start);
    start
        .console
        .print_wrapped(&describe_status(start, Some(&board))?)
}

/// What the judges of a run do now, as its journal tells.
fn render_board(past: StoredRun, look: DisplayOptions, start: &RunContext) -> String {
    let mut watcher = RunWatcher::new(past, start);
    let mut board = Board::default();
    for event in watcher.poll() {
        board.hear(&event);
    }
    if !board.is_running() {
        return String::new();
    }
    let now = watcher.age_ms(board.last_ms());
    let lines = board.render(now, look.width.saturating_sub(2), look.ellipsis());
    let target = Untrusted::new(board.target()).name();
    let lines = std::iter::once(target).chain(lines);
    lines.map(|line| format!("  {line}\n")).collect()
}
