//! Secrets that one commit of a push adds and a later one takes back, and those in messages. The sum of the push shows
//! nothing of them, and yet whoever fetches it has them: this push is the last moment to take them back.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use council_builtin::{AddedSecret, added_secrets, secrets_of_text};
use council_protocol::{BlobSource, Hunk, LineKind, Packet};

use crate::git::{self, ChangeRequest, PushedCommit, TargetSpec};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::prepare::PreparedReview;

/// The most commits of one push that are looked at, the newest first.
const MAX_COMMITS: usize = 1_000;

/// What of a push holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SecretCarrier {
    /// A commit, by its id.
    Commit(String),
    /// An annotated tag, the one that is pushed.
    Tag,
    /// The name under which something is pushed.
    RefName,
}

/// What the commits of a push hold beside their sum.
#[derive(Debug, Clone, Default)]
pub(crate) struct PassingSecrets {
    /// Each with what brings it.
    pub(crate) found: Vec<(SecretCarrier, AddedSecret)>,
    /// How many commits were looked at, where they are not all.
    pub(crate) looked_at: Option<usize>,
}

impl PassingSecrets {
    /// What the sum adds too, the review of the sum has judged. The oldest commit tells of what several have.
    fn leave_out_shown(&mut self, sum: &PushSum) {
        if self.found.is_empty() {
            return;
        }
        let files = sum.packet.files.iter();
        let added = files.flat_map(|file| added_secrets(file, &*sum.blobs));
        let mut shown: HashSet<String> = added.map(|secret| secret.text).collect();
        // What the sum removes was there before, and is out already.
        let known: HashSet<&str> = self
            .found
            .iter()
            .map(|(_, secret)| secret.text.as_str())
            .collect();
        let hunks = sum.packet.files.iter().flat_map(|file| &file.hunks);
        let removed = hunks
            .flat_map(Hunk::lines)
            .filter(|line| line.kind == LineKind::Removed);
        let removed = removed
            .map(|line| line.text.trim())
            .filter(|text| known.contains(text));
        shown.extend(removed.map(str::to_owned));
        let mut told = HashSet::new();
        self.found.reverse();
        self.found.retain(|(_, secret)| {
            !shown.contains(&secret.text) && told.insert(secret.text.clone())
        });
    }
}

/// What a range comes to.
pub(crate) struct PushSum {
    packet: Arc<Packet>,
    blobs: Arc<dyn BlobSource>,
}

impl PushSum {
    /// Of the review of the range.
    pub(crate) fn of(prepared: &PreparedReview) -> Self {
        Self {
            packet: Arc::clone(&prepared.packet),
            blobs: Arc::clone(&prepared.change.blobs),
        }
    }
}

/// A range that is pushed.
pub(crate) struct PushedSpan<'a> {
    pub(crate) remote: &'a str,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
}

/// Looks at each commit of a range for secrets that its sum, where somebody reviews that, no longer adds; after
/// `deadline` no further file is read.
///
/// # Errors
///
/// A history that cannot be walked.
pub(crate) fn find_passing_secrets(
    span: &PushedSpan<'_>,
    sum: Option<&PushSum>,
    start: &RunContext,
    deadline: Instant,
) -> Result<PassingSecrets, RunError> {
    let env = start.git_environment();
    let range = (span.from, span.to);
    let mut commits = git::pushed_commits(&start.dir, &env, span.remote, range, MAX_COMMITS + 1)?;
    let mut passing = PassingSecrets::default();
    // A single commit is its own sum, but for what is said of it.
    let is_sum = commits.len() < 2 && sum.is_some();
    if commits.len() > MAX_COMMITS {
        commits.truncate(MAX_COMMITS);
        passing.looked_at = Some(MAX_COMMITS);
    }
    for (at, commit) in commits.iter().enumerate() {
        let said = secrets_of_message(commit).into_iter();
        let carrier = SecretCarrier::Commit(commit.id.clone());
        passing
            .found
            .extend(said.map(|secret| (carrier.clone(), secret)));
        if is_sum {
            continue;
        }
        // The history of a shallow clone ends somewhere, and so do what can be compared and the time.
        let read = secrets_of_commit(commit, start, deadline);
        let (added, is_whole) = read.unwrap_or_default();
        let taken_back = |secret: AddedSecret| AddedSecret {
            description: match sum {
                Some(_) => format!(
                    "{} A later commit of this push removes it.",
                    secret.description
                ),
                None => secret.description,
            },
            ..secret
        };
        let added = added.into_iter().map(taken_back);
        passing
            .found
            .extend(added.map(|secret| (carrier.clone(), secret)));
        if !is_whole {
            passing.looked_at = Some(at);
            break;
        }
    }
    if let Some(sum) = sum {
        passing.leave_out_shown(sum);
    }
    Ok(passing)
}

/// The secrets in what a commit says of itself.
fn secrets_of_message(commit: &PushedCommit) -> Vec<AddedSecret> {
    let mut found = secrets_of_text("the message", &commit.message);
    found.extend(secrets_of_text("the author", &commit.author));
    found.extend(secrets_of_text("the headers", &commit.headers));
    found
}

/// The secrets in what annotated tags say, from the object with this id on: a push sends them along.
///
/// # Errors
///
/// A tag that cannot be read.
pub(crate) fn secrets_of_tags(id: &str, start: &RunContext) -> Result<PassingSecrets, RunError> {
    let texts = git::tag_texts(&start.dir, &start.git_environment(), id)?;
    let secrets = texts
        .iter()
        .flat_map(|text| secrets_of_text("the annotation", text));
    Ok(PassingSecrets {
        found: secrets.map(|secret| (SecretCarrier::Tag, secret)).collect(),
        looked_at: None,
    })
}

/// The secrets in the name of a branch or a tag: whoever lists the refs of the remote reads it.
pub(crate) fn secrets_of_ref(name: &str) -> PassingSecrets {
    let secrets = secrets_of_text("the name", name).into_iter();
    PassingSecrets {
        found: secrets
            .map(|secret| (SecretCarrier::RefName, secret))
            .collect(),
        looked_at: None,
    }
}

/// What a commit adds to every one of its parents: what a merge takes from one of them is that one's. With it, whether all
/// of the commit was read before the deadline.
fn secrets_of_commit(
    commit: &PushedCommit,
    start: &RunContext,
    deadline: Instant,
) -> Result<(Vec<AddedSecret>, bool), RunError> {
    let mut common: Option<Vec<AddedSecret>> = None;
    for parent in &commit.parents {
        let mut change = git::read_change(&ChangeRequest {
            dir: start.dir.clone(),
            spec: TargetSpec::parse(&format!("{parent}..{}", commit.id)),
            pathspecs: Vec::new(),
            env: start.git_environment(),
        })?;
        // No large file takes the time of the small ones beside it.
        change.files.sort_by_key(|file| file.new_size);
        let mut added = Vec::new();
        for file in &change.files {
            if Instant::now() >= deadline {
                // Of a merge nobody knows yet what it took from where.
                let known = if commit.parents.len() == 1 {
                    added
                } else {
                    Vec::new()
                };
                return Ok((known, false));
            }
            added.extend(added_secrets(file, &*change.blobs));
        }
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
    Ok((common.unwrap_or_default(), true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_ref_is_looked_at() {
        let token = ["gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA"].concat();
        for name in [
            format!("refs/heads/{token}"),
            format!("refs/tags/v1-{token}"),
        ] {
            assert_eq!(secrets_of_ref(&name).found.len(), 1, "{name}");
        }
        assert!(secrets_of_ref("refs/heads/main").found.is_empty());
    }

    #[test]
    fn every_part_of_a_commit_that_is_pushed_is_looked_at() {
        let token = ["gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA"].concat();
        type Part = fn(&mut PushedCommit) -> &mut String;
        let parts: [(&str, Part); 5] = [
            ("", |commit| &mut commit.message),
            ("", |commit| &mut commit.author),
            ("committer ", |commit| &mut commit.headers),
            ("xheader ", |commit| &mut commit.headers),
            ("gpgsig -----BEGIN PGP SIGNATURE-----\n ", |commit| {
                &mut commit.headers
            }),
        ];
        for (before, part) in parts {
            let mut commit = PushedCommit {
                id: "1".repeat(40),
                parents: Vec::new(),
                author: "A <a@example.com>".to_owned(),
                message: "More\n".to_owned(),
                headers: "committer A <a@example.com> 1 +0000\n".to_owned(),
            };
            assert!(secrets_of_message(&commit).is_empty());
            part(&mut commit).push_str(&format!("{before}{token}\n"));
            assert_eq!(secrets_of_message(&commit).len(), 1, "{before}");
        }
    }
}
