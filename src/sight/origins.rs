//! What history says about a change: why removed lines were there, and what usually changes along.

use std::collections::{HashMap, HashSet};

use council_protocol::RepoPath;

use super::Companion;
use crate::git::ReviewedTree;

/// A file must have changed so often before it is said what usually changes with it.
const MIN_CHANGES: usize = 3;

/// The most companions that are named.
const MAX_COMPANIONS: usize = 8;

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

/// The files that at least every second commit of a changed file touched too, and that this change does not touch. Most
/// often together first.
pub(super) fn usual_companions(
    tree: &ReviewedTree,
    paths: &[RepoPath],
    together: &[Vec<Vec<u8>>],
) -> Vec<Companion> {
    let changed: HashSet<&[u8]> = paths.iter().map(RepoPath::as_bytes).collect();
    let mut counts: HashMap<(&[u8], &[u8]), usize> = HashMap::new();
    let mut changes: HashMap<&[u8], usize> = HashMap::new();
    for commit in together {
        for path in commit
            .iter()
            .filter(|path| changed.contains(path.as_slice()))
        {
            *changes.entry(path).or_default() += 1;
            for other in commit
                .iter()
                .filter(|other| !changed.contains(other.as_slice()))
            {
                *counts.entry((path, other)).or_default() += 1;
            }
        }
    }
    let mut best: HashMap<&[u8], Companion> = HashMap::new();
    for ((with, path), count) in counts {
        let of = changes.get(with).copied().unwrap_or(0);
        let is_usual = of >= MIN_CHANGES && count * 2 >= of && count >= 2;
        let companion = Companion {
            path: RepoPath::new(path.to_vec()),
            with: RepoPath::new(with.to_vec()),
            together: count,
            of,
        };
        let rank = |one: &Companion| (one.together, std::cmp::Reverse(one.with.clone()));
        if is_usual
            && best
                .get(path)
                .is_none_or(|have| rank(have) < rank(&companion))
        {
            best.insert(path, companion);
        }
    }
    let mut found: Vec<Companion> = best.into_values().collect();
    found.sort_by(|a, b| {
        b.together
            .cmp(&a.together)
            .then_with(|| a.path.cmp(&b.path))
    });
    found.retain(|one| {
        tree.find_file(one.path.as_bytes())
            .is_ok_and(|file| file.is_some())
    });
    found.truncate(MAX_COMPANIONS);
    found
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
