//! Sets a coding agent up to ask for reviews, or takes that back; and whether a change waits for a review.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::{CLIENTS, InstallScope, Piece, Step, pieces_for};
use crate::config::nearest_word;
use crate::git::RepositoryPaths;
use crate::packet::packet_digest;
use crate::run::context::RunContext;
use crate::run::convene::recall_verdict;
use crate::run::error::RunError;
use crate::run::nothing::reason_to_skip;
use crate::run::prepare::prepare_review;
use crate::run::request::{CheckoutUse, RequestedTarget, ReviewRequest};
use crate::run::shown::last_shown;

/// Which agent, where, and whether anything is changed.
#[derive(Debug, Clone)]
pub(crate) struct SetupRequest {
    /// The coding agent's name.
    pub(crate) name: String,
    /// In the worktree, for everybody who works in it, not in the user's home.
    pub(crate) in_project: bool,
    /// Without it, it is only told what would be done.
    pub(crate) write: bool,
}

/// What was done, in words; and what nobody but a person can do now.
pub(crate) struct SetupOutcome {
    pub(crate) told: String,
    /// Without the entry the agent knows no server, or keeps the one that is to go.
    pub(crate) left: Option<RunError>,
}

/// Says what becomes of each file, and does it where that was asked for.
pub(crate) fn carry_out(
    request: &SetupRequest,
    start: &RunContext,
    decide: fn(&Piece, Option<&str>) -> Step,
) -> Result<SetupOutcome, RunError> {
    let scope = install_scope(request.in_project, start)?;
    // A path of this machine is none of somebody else's.
    let program = match scope {
        InstallScope::Project(_) => "git-council".to_owned(),
        InstallScope::User { .. } => program_word(start),
    };
    let Some(pieces) = pieces_for(&request.name, &scope, &program) else {
        return Err(unknown_agent(&request.name));
    };
    let (mut out, mut open, mut left) = (String::new(), false, None);
    for piece in &pieces {
        let now = piece.read()?;
        let step = piece.spare_linked(decide(piece, now.as_deref()));
        if matches!(step, Step::Write(_) | Step::Delete) {
            // What cannot be done is told before it is to be done, too.
            piece
                .place(&scope)
                .map_err(|error| with_done_before(error, &out))?;
        }
        if request.write {
            let carried_out = piece.carry_out(&step, &scope);
            carried_out.map_err(|error| with_done_before(error, &out))?;
        }
        open |= matches!(step, Step::Write(_) | Step::Delete);
        if let (Step::Leave(why), Some(entry)) = (&step, piece.entry_text()) {
            left = Some((piece.path.display().to_string(), why.clone(), entry));
        }
        let _ = writeln!(
            out,
            "{}",
            describe_step(piece, &step, now.is_some(), request.write)
        );
    }
    let next = match (request.write, open) {
        (false, true) => "nothing was changed yet: repeat it with --write\n",
        (true, true) if left.is_some() => "",
        (true, true) => "start the agent anew to have it look there\n",
        (_, false) => "there is nothing to do\n",
    };
    let left = left.map(|(path, why, entry)| {
        let by_hand = format!("change it by hand; the entry is: {}", entry.trim_end());
        RunError::usage(format!("{path} was left alone: {why}")).hint(by_hand)
    });
    Ok(SetupOutcome {
        told: out + next,
        left,
    })
}

/// An error with what was done before it, which stays done.
fn with_done_before(error: RunError, done: &str) -> RunError {
    match done.lines().map(str::trim).collect::<Vec<_>>().join(", ") {
        done if done.is_empty() => error,
        done => error.hint(format!(
            "done before that: {done}; repeat the command when it can be written"
        )),
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

fn install_scope(project: bool, start: &RunContext) -> Result<InstallScope, RunError> {
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
fn program_word(start: &RunContext) -> String {
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

/// Whether there is a change that nobody has judged as it is now.
pub(crate) fn lacks_verdict(start: &RunContext) -> Result<bool, RunError> {
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
        let digest = packet_digest(&prepared.packet);
        let is_shown = last_shown(start)
            .is_some_and(|shown| shown.report.receipt.run.packet_told() == Some(&digest));
        return Ok(!is_shown && recall_verdict(&prepared, start)?.is_none());
    }
    Ok(false)
}
