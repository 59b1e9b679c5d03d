//! Secrets that one commit of a push adds and a later one takes back. The sum of the push shows nothing of them, and yet
//! whoever fetches it has them: this push is the last moment at which they can still be taken back.

use std::collections::HashSet;
use std::time::Instant;

use council_builtin::{AddedSecret, added_secrets};

use crate::git::{self, ChangeRequest, PushedCommit, TargetSpec};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::prepare::PreparedReview;

/// The most commits of one push that are looked at, the newest first.
const MAX_COMMITS: usize = 1_000;

/// What the commits of a push hold beside their sum.
#[derive(Debug, Default)]
pub(crate) struct PassingSecrets {
    /// Each with the commit that adds it.
    pub(crate) found: Vec<(String, AddedSecret)>,
    /// How many commits were looked at, where they are not all.
    pub(crate) looked_at: Option<usize>,
}

/// A range that is pushed.
pub(crate) struct PushedSpan<'a> {
    pub(crate) remote: &'a str,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
}

/// Looks at each commit of a range for secrets that its sum no longer adds. `prepared` is the sum; after `deadline` no
/// further commit is begun.
///
/// # Errors
///
/// A history that cannot be walked.
pub(crate) fn find_passing_secrets(
    span: &PushedSpan<'_>,
    prepared: &PreparedReview,
    start: &RunContext,
    deadline: Instant,
) -> Result<PassingSecrets, RunError> {
    let env = start.git_environment();
    let range = (span.from, span.to);
    let mut commits = git::pushed_commits(&start.dir, &env, span.remote, range, MAX_COMMITS + 1)?;
    let mut passing = PassingSecrets::default();
    // A single commit is its own sum.
    if commits.len() < 2 {
        return Ok(passing);
    }
    if commits.len() > MAX_COMMITS {
        commits.truncate(MAX_COMMITS);
        passing.looked_at = Some(MAX_COMMITS);
    }
    for (at, commit) in commits.iter().enumerate() {
        if Instant::now() >= deadline {
            passing.looked_at = Some(at);
            break;
        }
        // The history of a shallow clone ends somewhere, and so does what can be compared.
        let Ok(added) = secrets_of_commit(commit, start) else {
            passing.looked_at = Some(at);
            break;
        };
        passing
            .found
            .extend(added.into_iter().map(|secret| (commit.id.clone(), secret)));
    }
    if !passing.found.is_empty() {
        let files = prepared.packet.files.iter();
        let sum = files.flat_map(|file| added_secrets(file, &*prepared.change.blobs));
        let shown: HashSet<String> = sum.map(|secret| secret.text).collect();
        let mut told = HashSet::new();
        // What the sum adds too, the review of the sum has judged. The oldest commit tells of what several have.
        passing.found.reverse();
        passing.found.retain(|(_, secret)| {
            !shown.contains(&secret.text) && told.insert(secret.text.clone())
        });
    }
    Ok(passing)
}

/// What a commit adds to every one of its parents: what a merge takes from one of them is that one's.
fn secrets_of_commit(
    commit: &PushedCommit,
    start: &RunContext,
) -> Result<Vec<AddedSecret>, RunError> {
    let mut common: Option<Vec<AddedSecret>> = None;
    for parent in &commit.parents {
        let change = git::read_change(&ChangeRequest {
            dir: start.dir.clone(),
            spec: TargetSpec::parse(&format!("{parent}..{}", commit.id)),
            pathspecs: Vec::new(),
            env: start.git_environment(),
        })?;
        let files = change.files.iter();
        let added: Vec<AddedSecret> = files
            .flat_map(|file| added_secrets(file, &*change.blobs))
            .collect();
        common = Some(match common {
            None => added,
            Some(mut before) => {
                before.retain(|secret| added.iter().any(|other| other.text == secret.text));
                before
            }
        });
        if common.as_ref().is_some_and(Vec::is_empty) {
            break;
        }
    }
    Ok(common.unwrap_or_default())
}
