//! What history says about removed lines: why they were there.

use std::collections::HashSet;

use council_protocol::RepoPath;

use super::candidates::ChangedFile;
use super::limits::{SearchLimits, Sight};
use super::shown::describe_lines;
use crate::git::{HistoryBounds, HistoryFindings, WantedLines};
use crate::packet::cut_text;
use crate::prompt::{ContextBlock, ContextBody, ContextKind};

/// Words of a message that tell why lines are as they are.
const TELLING: &[&str] = &[
    "fix",
    "fixes",
    "fixed",
    "bug",
    "revert",
    "reverts",
    "regression",
    "race",
    "deadlock",
    "leak",
    "crash",
    "security",
    "cve",
    "overflow",
    "workaround",
    "hotfix",
    "incident",
    "vulnerability",
    "corrupt",
    "corruption",
    "injection",
    "prevent",
    "avoid",
    "guard",
    "panic",
    "hang",
    "timeout",
    "closes",
    "resolves",
    "wrong",
    "broken",
    "outage",
];

/// Whether a message says more than what was done: a fix, a revert, the number of an issue.
pub(super) fn is_telling(message: &str) -> bool {
    let lower = message.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let has_word = words.any(|word| TELLING.contains(&word));
    let bytes = message.as_bytes();
    let has_number = bytes
        .windows(2)
        .any(|pair| pair[0] == b'#' && pair[1].is_ascii_digit());
    has_word || has_number || names_ticket(message)
}

/// The most removed lines whose origin is asked for.
const MAX_REMOVED: usize = 2_000;

/// The most bytes of one message.
const MAX_MESSAGE: usize = 800;

/// The most other files of a commit that are named.
const MAX_NAMED: usize = 6;

/// Follows the removed lines to the commits that brought them.
pub(super) fn walk_history(
    sight: &Sight,
    files: &[ChangedFile<'_>],
    limits: &SearchLimits,
) -> HistoryFindings {
    let Some(history) = &sight.history else {
        return HistoryFindings::default();
    };
    let mut left = MAX_REMOVED;
    let mut wanted = Vec::new();
    for file in files.iter().filter(|file| !file.removed.is_empty()) {
        let lines: Vec<u32> = file.removed.iter().copied().take(left).collect();
        left -= lines.len();
        let path = file.file.path_before().as_bytes().to_vec();
        wanted.push(WantedLines { path, lines });
    }
    let bounds = HistoryBounds {
        commits: limits.commits,
        together: limits.together,
        is_over: &|| limits.is_over(),
    };
    history.walk_back(&wanted, &bounds)
}

/// One block for each commit that brought removed lines and tells why; a commit of several files says it once.
/// `path_now` is the changed file that had a path before the change.
pub(super) fn origin_blocks(
    history: &HistoryFindings,
    path_now: &dyn Fn(&RepoPath) -> RepoPath,
) -> Vec<ContextBlock> {
    let mut blocks = Vec::new();
    for (index, commit) in history.commits.iter().enumerate() {
        let origins = history
            .origins
            .iter()
            .filter(|origin| origin.commit == index);
        let places: Vec<(RepoPath, String)> = origins
            .map(|origin| {
                (
                    RepoPath::new(origin.path.clone()),
                    describe_lines(&origin.lines),
                )
            })
            .collect();
        let Some((path, lines)) = places.first().filter(|_| is_telling(&commit.message)) else {
            continue;
        };
        let mut body = cut_text(commit.message.trim(), MAX_MESSAGE).to_owned();
        for (path, lines) in places.iter().skip(1).take(MAX_NAMED) {
            body.push_str(&format!(
                "\n(it also brought {lines} of {})",
                path.display()
            ));
        }
        let known: HashSet<&[u8]> = places.iter().map(|(path, _)| path.as_bytes()).collect();
        let others = commit
            .paths
            .iter()
            .filter(|other| !known.contains(other.as_slice()));
        let others: Vec<String> = others
            .take(MAX_NAMED)
            .map(|path| RepoPath::new(path.clone()).display().into_owned())
            .collect();
        if !others.is_empty() {
            body.push_str(&format!(
                "\n(the commit also touched {})",
                others.join(", ")
            ));
        }
        let short = commit.id.get(..12).unwrap_or(&commit.id);
        blocks.push(ContextBlock {
            kind: ContextKind::Origin,
            about: path_now(path),
            path: path.clone(),
            note: format!("removed {lines} (numbered as before the change) came with commit {short}, whose message is"),
            body: ContextBody::Words(body),
        });
    }
    blocks
}

/// Standards that look like tickets.
const STANDARDS: &[&str] = &["UTF", "SHA", "ISO", "RFC", "AES", "HTTP", "TLS", "BASE"];

/// `ABC-123`.
fn names_ticket(message: &str) -> bool {
    message
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .any(|word| {
            word.split_once('-').is_some_and(|(project, number)| {
                project.len() >= 2
                    && !STANDARDS.contains(&project)
                    && project.bytes().all(|b| b.is_ascii_uppercase())
                    && !number.is_empty()
                    && number.bytes().all(|b| b.is_ascii_digit())
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_tell_why_are_told_from_those_that_tell_what() {
        for message in [
            "Fix double free",
            "x (#123)",
            "ABC-12: y",
            "Revert \"z\"",
            "avoid a race",
        ] {
            assert!(is_telling(message), "{message}");
        }
        for message in [
            "Add pool",
            "prefix the names",
            "UTF-8 names are read",
            "bump a-1",
            "wip",
        ] {
            assert!(!is_telling(message), "{message}");
        }
    }
}
