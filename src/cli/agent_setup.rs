//! Coding agents that call the council: what is written for them, what goes again, and what their hook says.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::PathBuf;

use clap::Args;

use crate::cli::context::CommandContext;
use crate::config::nearest_word;
use crate::git::RepositoryPaths;
use crate::packet::packet_digest;
use crate::run::agent_files::{CLIENTS, InstallScope, Piece, Step, pieces_for};
use crate::run::convene::recall_verdict;
use crate::run::error::RunError;
use crate::run::nothing::reason_to_skip;
use crate::run::prepare::prepare_review;
use crate::run::request::{CheckoutUse, RequestedTarget, ReviewRequest};
use crate::run::shown::last_shown;

/// The most bytes of what a hook is told that are read.
const MAX_HOOK_BYTES: u64 = 1 << 20;

#[derive(Debug, Clone, Args)]
pub(crate) struct SetupArgs {
    /// The coding agent: claude, codex, gemini, cursor, copilot or opencode
    #[arg(value_name = "NAME")]
    name: String,
    /// Set it up in this worktree, for everybody who works in it, instead of in your home
    #[arg(long)]
    project: bool,
    /// Do it; without this nothing is changed
    #[arg(long)]
    write: bool,
}

pub(crate) fn install(args: &SetupArgs, start: &CommandContext) -> Result<(), RunError> {
    carry_out(args, start, Piece::install_step)
}

pub(crate) fn remove(args: &SetupArgs, start: &CommandContext) -> Result<(), RunError> {
    carry_out(args, start, Piece::remove_step)
}

/// Says what becomes of each file, and does it where that was asked for.
fn carry_out(
    args: &SetupArgs,
    start: &CommandContext,
    decide: fn(&Piece, Option<&str>) -> Step,
) -> Result<(), RunError> {
    let scope = install_scope(args.project, start)?;
    let Some(pieces) = pieces_for(&args.name, &scope, &program_word(start)) else {
        return Err(unknown_agent(&args.name));
    };
    let (mut out, mut open, mut left) = (String::new(), false, None);
    for piece in &pieces {
        let now = piece.read()?;
        let step = decide(piece, now.as_deref());
        if args.write {
            piece.carry_out(&step, &scope)?;
        }
        open |= matches!(step, Step::Write(_) | Step::Delete);
        if let (Step::Leave(why), Some(entry)) = (&step, piece.entry_text()) {
            left = Some((piece.path.display().to_string(), *why, entry));
        }
        let _ = writeln!(
            out,
            "{}",
            describe_step(piece, &step, now.is_some(), args.write)
        );
    }
    let next = match (args.write, open) {
        (false, true) => "nothing was changed yet: repeat it with --write\n",
        (true, true) if left.is_some() => "",
        (true, true) => "start the agent anew to have it look there\n",
        (_, false) => "there is nothing to do\n",
    };
    start.console.print(&(out + next))?;
    // Without the entry the agent knows no server, or keeps the one that is to go.
    match left {
        None => Ok(()),
        Some((path, why, entry)) => Err(RunError::usage(format!("{path} was left alone: {why}"))
            .hint(format!(
                "change it by hand; the entry is: {}",
                entry.trim_end()
            ))),
    }
}

fn describe_step(piece: &Piece, step: &Step, there: bool, done: bool) -> String {
    let path = piece.path.display();
    let (would, did) = match (step, there) {
        (Step::Write(_), true) => ("would change", "changed"),
        (Step::Write(_), false) => ("would write", "wrote"),
        (Step::Delete, _) => ("would remove", "removed"),
        (Step::Nothing, _) => return format!("  stays as it is: {path}"),
        (Step::Leave(why), _) => return format!("  left alone: {path} ({why})"),
    };
    format!("  {}: {path}", if done { did } else { would })
}

fn install_scope(project: bool, start: &CommandContext) -> Result<InstallScope, RunError> {
    if project {
        let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
        let top = place.workdir;
        return top
            .map(InstallScope::Project)
            .ok_or_else(|| RunError::usage("a bare repository has no worktree to set it up in"));
    }
    let home = start.environment.get("HOME").map(PathBuf::from);
    let home = home.filter(|home| home.is_absolute()).ok_or_else(|| {
        RunError::usage("there is no home directory to write to")
            .hint("set HOME, or set it up in this worktree: --project")
    })?;
    let environment = start.environment.clone();
    Ok(InstallScope::User { home, environment })
}

/// How an agent starts this program: by its name where the PATH leads to it, else by its path.
fn program_word(start: &CommandContext) -> String {
    let name = "git-council";
    let own = start
        .program
        .as_ref()
        .and_then(|program| program.canonicalize().ok());
    let path = start.environment.get("PATH").unwrap_or_default();
    let found = std::env::split_paths(path)
        .map(|folder| folder.join(name))
        .find(|program| program.is_file());
    match (own, found.and_then(|found| found.canonicalize().ok())) {
        (Some(own), found) if found.as_ref() != Some(&own) => own.display().to_string(),
        _ => name.to_owned(),
    }
}

fn unknown_agent(name: &str) -> RunError {
    let error = RunError::usage(format!("{name:?} is no coding agent that can be set up"));
    let hint = match nearest_word(name, CLIENTS) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", CLIENTS.join(", ")),
    };
    error.hint(hint)
}

/// Says in the words of Claude Code's hooks that a change has no verdict yet. A hook that fails would be in the way of the
/// work: then it says nothing.
pub(crate) fn offer(start: &CommandContext) -> Result<(), RunError> {
    let mut told = String::new();
    let _ = std::io::stdin()
        .take(MAX_HOOK_BYTES)
        .read_to_string(&mut told);
    let told: serde_json::Value = serde_json::from_slice(told.as_bytes()).unwrap_or_default();
    // The agent goes on because a hook asked it to: it has been offered already.
    if told["stop_hook_active"] == true || !lacks_verdict(start).unwrap_or(false) {
        return Ok(());
    }
    let words =
        "This change has no verdict of the council yet: /council reviews it, or ask for a review.";
    let said = serde_json::json!({ "systemMessage": words });
    start.console.print(&format!("{said}\n"))
}

/// Whether there is a change that nobody has judged as it is now.
fn lacks_verdict(start: &CommandContext) -> Result<bool, RunError> {
    for target in [RequestedTarget::Worktree, RequestedTarget::Branch] {
        let request = ReviewRequest {
            target,
            checkout: CheckoutUse::Stricter,
            ..ReviewRequest::default()
        };
        let prepared = prepare_review(&request, start)?;
        if reason_to_skip(&prepared).is_some() {
            continue;
        }
        let shown = last_shown(start).map(|shown| shown.report.receipt.run.digests.packet);
        let digest = packet_digest(&prepared.packet);
        let is_shown = shown.flatten().is_some_and(|packet| packet == digest);
        return Ok(!is_shown && recall_verdict(&prepared, start)?.is_none());
    }
    Ok(false)
}
