//! What a duel is about, and where it is written.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use council_protocol::seat::AgentSpec;

use crate::duel::DuelRole;
use crate::duel::driver::MAX_TRANSCRIPT_BYTES;
use crate::git;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hints::without_options;
use crate::run::prepare::{PreparedReview, prepare_review};
use crate::run::request::{RequestedTarget, ReviewRequest};

/// The transcript's name in the run's folder.
pub(crate) const TRANSCRIPT_FILE: &str = "DEBATE.md";

/// Prepares what two sides are to argue over: a revision, else a pull request that was fetched, else a file.
pub(crate) fn prepare_subject(
    request: &ReviewRequest,
    subject: Option<&str>,
    start: &RunContext,
) -> Result<PreparedReview, RunError> {
    let Some(subject) = subject else {
        return prepare_review(request, start).map_err(hint_for_duel);
    };
    let with_target = |target| ReviewRequest {
        target,
        ..request.clone()
    };
    if let Some(number) = pull_request_number(subject) {
        let range = pull_request_range(number, start)?;
        return prepare_review(&with_target(RequestedTarget::Revision(range)), start);
    }
    let as_revision = prepare_review(
        &with_target(RequestedTarget::Revision(subject.to_owned())),
        start,
    );
    // Under the name that its user gave it, as in a review: whoever reads the file does not learn where somebody keeps it.
    let path = PathBuf::from(subject);
    match as_revision {
        Err(_) if start.dir.join(&path).is_file() => {
            let is_patch = path
                .extension()
                .is_some_and(|e| e == "diff" || e == "patch");
            let target = if is_patch {
                RequestedTarget::Patch(path)
            } else {
                RequestedTarget::Document(path)
            };
            prepare_review(&with_target(target), start)
        }
        prepared => prepared.map_err(hint_for_duel),
    }
}

/// A duel is begun by a command of its own, which has no option for what is not committed.
fn hint_for_duel(mut error: RunError) -> RunError {
    let as_duel = |hint: &String| {
        let hint = hint.replace(", --staged or --worktree", "");
        let hint = without_options(&hint)?;
        Some(hint.replace("git council review ", "git council duel "))
    };
    error.hints = error.hints.iter().filter_map(as_duel).collect();
    error
}

/// What a fetched pull request brings into the default branch. What is checked out says nothing of that: it may have some of
/// the pull request's commits.
fn pull_request_range(number: u32, start: &RunContext) -> Result<String, RunError> {
    let env = start.git_environment();
    let mut refs = ["refs/pull", "refs/remotes/origin/pull"]
        .map(|base| format!("{base}/{number}/head"))
        .into_iter();
    let head = refs.find(|head| git::commit_at(&start.dir, &env, head).is_ok());
    let Some(head) = head else {
        let absent = format!("pull request {number} is not in this repository");
        return Err(RunError::usage(absent).hint(format!(
            "fetch it first: git fetch origin pull/{number}/head:refs/pull/{number}/head"
        )));
    };
    match git::default_branch_name(&start.dir, &env) {
        Ok(Some(base)) => Ok(format!("{base}...{head}")),
        _ => {
            let unknown =
                format!("nothing here tells into which branch pull request {number} goes");
            let hint = format!("name the range: git council duel BRANCH...{head}");
            Err(RunError::usage(unknown).hint(hint))
        }
    }
}

/// Rules say nothing of a document, and their silence would be taken for agreement.
pub(super) fn only_reads_code(role: DuelRole, agent: &AgentSpec) -> RunError {
    let flag = match role {
        DuelRole::A => "--agent-a",
        DuelRole::B => "--agent-b",
    };
    let name = &agent.name;
    RunError::usage(format!(
        "a duel over a document needs agents with a model, but {role} is `{name}`, which only applies rules to code"
    ))
    .hint(format!("name an agent with a model: {flag} NAME (`git council agents` lists them)"))
}

/// The number in `#12`, `pull/12`, or the address of a pull request.
fn pull_request_number(subject: &str) -> Option<u32> {
    let number = match subject
        .strip_prefix('#')
        .or_else(|| subject.strip_prefix("pull/"))
    {
        Some(number) => number,
        None if subject.contains("://") => subject.split_once("/pull/")?.1.split('/').next()?,
        None => return None,
    };
    number.parse().ok()
}

/// A transcript's text.
pub(crate) fn read(file: &Path) -> Result<String, RunError> {
    let bytes = read_bytes(file)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn read_bytes(file: &Path) -> Result<Vec<u8>, RunError> {
    let mut bytes = Vec::new();
    crate::safe_file::open_to_read(file)
        .and_then(|opened| {
            opened
                .take(MAX_TRANSCRIPT_BYTES + 1)
                .read_to_end(&mut bytes)
        })
        .map_err(|error| RunError::usage(format!("cannot read {}: {error}", file.display())))?;
    if bytes.len() as u64 > MAX_TRANSCRIPT_BYTES {
        let large = format!(
            "{} is larger than {} MiB",
            file.display(),
            MAX_TRANSCRIPT_BYTES >> 20
        );
        return Err(RunError::usage(large).hint("no debate is that long"));
    }
    Ok(bytes)
}

/// Deletes a transcript.
pub(crate) fn remove(file: &Path) -> Result<(), RunError> {
    std::fs::remove_file(file)
        .map_err(|error| RunError::output(&file.display().to_string(), &error))
}
