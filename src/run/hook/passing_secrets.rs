//! Secrets that one commit of a push adds and a later one takes back, and those in messages. The sum of the push shows
//! nothing of them, and yet whoever fetches it has them: this push is the last moment to take them back.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use council_builtin::{AddedSecret, added_secrets, secrets_of_text};
use council_protocol::{BlobSource, Hunk, LineKind, Packet};

use crate::git::{self, PushedCommit};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::prepare::PreparedReview;

/// What of a push holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SecretCarrier {
    /// A commit, by its id.
    Commit(String),
    /// A commit of git notes, by its id: no rebase writes it anew.
    Note(String),
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
    /// What the time did not suffice for.
    pub(crate) unsearched: Unsearched,
    /// Whether somebody reviewed what the commits come to.
    pub(crate) is_sum_reviewed: bool,
}

/// What of a push has not been searched for secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unsearched {
    /// Commits of which nobody knows yet which files they change.
    pub(crate) commits: usize,
    /// Files, each with the commit that brings it.
    pub(crate) files: BTreeSet<(String, String)>,
}

impl Unsearched {
    pub(crate) fn is_empty(&self) -> bool {
        self.commits == 0 && self.files.is_empty()
    }
}

impl PassingSecrets {
    /// Whether a gate stays shut: something was found, or not all was looked at.
    pub(crate) fn stops_gate(&self) -> bool {
        !self.found.is_empty() || !self.unsearched.is_empty()
    }

    /// The same, found in the commits of git notes.
    pub(crate) fn into_notes(mut self) -> Self {
        for (carrier, _) in &mut self.found {
            if let SecretCarrier::Commit(id) = carrier {
                *carrier = SecretCarrier::Note(std::mem::take(id));
            }
        }
        self
    }

    /// Files that were not looked at, by their names: several commits may change one of them.
    pub(super) fn unsearched_names(&self) -> Vec<&str> {
        let names = self.unsearched.files.iter().map(|(name, _)| &**name);
        let mut names: Vec<&str> = names.collect();
        names.dedup();
        names
    }

    /// What the sum adds too, the review of the sum has judged. The oldest commit tells of what several have.
    pub(super) fn leave_out_shown(&mut self, sum: &PushSum) {
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
#[derive(Clone)]
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

/// The secrets in what a commit says of itself.
pub(super) fn secrets_of_message(commit: &PushedCommit) -> Vec<AddedSecret> {
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
        ..PassingSecrets::default()
    })
}

/// The secrets in the name of a branch or a tag: whoever lists the refs of the remote reads it.
pub(crate) fn secrets_of_ref(name: &str) -> PassingSecrets {
    let secrets = secrets_of_text("the name", name).into_iter();
    PassingSecrets {
        found: secrets
            .map(|secret| (SecretCarrier::RefName, secret))
            .collect(),
        ..PassingSecrets::default()
    }
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
