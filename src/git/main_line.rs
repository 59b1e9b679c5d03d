//! The main line, commit by commit, each compared with its first parent: what a review would have been asked to read.
//!
//! Where work is merged, a commit of the main line is the merge of a pull request; where it is squashed or pushed, it
//! is the commit itself.

use std::collections::HashMap;
use std::path::Path;

use super::brought_commits::{BroughtCommit, BroughtWalk};
use super::commit::CommitObject;
use super::diff::raw_hunk::RawHunk;
use super::diff::rename;
use super::diff::window;
use super::env::GitEnvironment;
use super::error::GitError;
use super::id::ObjectId;
use super::objects::ObjectReader;
use super::tree_item::{ItemSort, RawChange, TreeItem};
use super::{open, revision, tree};

/// The largest file that is compared here, in bytes: what is larger is data.
const MAX_COMPARED: usize = 1 << 20;

/// A commit that touches more files than this is an import or a reformatting: renames are not searched in it.
const MAX_RENAMED: usize = 200;

/// A commit of the main line and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainLineCommit {
    /// Its id in hexadecimal.
    pub id: String,
    /// The id of its first parent in hexadecimal.
    pub parent: String,
    /// When it was committed, in seconds since 1970.
    pub seconds: i64,
    /// Its whole message. Untrusted.
    pub message: String,
    /// The commits that it brings where it is a merge: neither itself nor what its first parent holds. Empty where not all
    /// of them are here.
    pub brought: Vec<BroughtCommit>,
    /// The files that differ, in the order of the tree.
    pub files: Vec<ChangedLines>,
}

/// The lines of a file that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLines {
    /// The path after the change; the one before it for a removed file.
    pub path: Vec<u8>,
    /// The path before the change; none for a new file.
    pub old_path: Option<Vec<u8>>,
    /// Whether the file is gone.
    pub is_removed: bool,
    /// What differs, ascending; none: it is no text, or too large to be compared.
    pub spans: Option<Vec<LineSpan>>,
    /// The whole text of both sides; none where there are no spans.
    pub texts: Option<SideTexts>,
}

/// A file before and after a change; empty where it is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideTexts {
    pub old: Vec<u8>,
    pub new: Vec<u8>,
}

/// Lines that stand in the place of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineSpan {
    /// The first of the old lines, from 1; without any, the line behind which the new ones stand, plus 1.
    pub old_start: u32,
    /// The first of the new lines, from 1, likewise.
    pub new_start: u32,
    /// The lines that went.
    pub removed: Vec<String>,
    /// The lines that came.
    pub added: Vec<String>,
}

/// How much of the main line is read.
#[derive(Debug, Clone, Copy)]
pub struct MainLineLimits {
    /// The most commits.
    pub commits: usize,
    /// None that was committed before, in seconds since 1970.
    pub since: i64,
}

/// What was read of the main line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MainLineWalk {
    /// How many commits.
    pub commits: usize,
    /// Whether the history goes on, and its objects are not here: a shallow clone, or a damaged one.
    pub is_cut: bool,
    /// How many files could not be read, and were not compared.
    pub unread: usize,
}

/// Hands over the commits of the main line of `tip`, oldest first. A file whose text is not here is handed over without
/// lines: one that is missing must not cost all the others.
///
/// # Errors
///
/// As opening the repository, and the error of the first commit or tree that cannot be read.
pub fn walk_main_line(
    dir: &Path,
    env: &GitEnvironment,
    tip: &str,
    limits: MainLineLimits,
    visit: &mut dyn FnMut(MainLineCommit),
) -> Result<MainLineWalk, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let (chain, is_cut) = first_parents(&objects, tip, limits)?;
    let mut unread = 0;
    let mut walk = chain
        .last()
        .map(|(_, _, (base, _))| BroughtWalk::behind(&objects, *base));
    for (id, commit, parent) in chain.iter().rev() {
        let brought = walk.as_mut().map(|walk| walk.brought_by(*id, commit));
        visit(MainLineCommit {
            id: id.to_hex(),
            parent: parent.0.to_hex(),
            seconds: commit.seconds,
            message: commit.message.clone(),
            brought: brought.unwrap_or_default(),
            files: changed_files(&objects, (parent.1, commit.tree), &mut unread)?,
        });
    }
    Ok(MainLineWalk {
        commits: chain.len(),
        is_cut,
        unread,
    })
}

/// The files that a commit changes, compared with its first parent; empty where it has none.
///
/// # Errors
///
/// As opening the repository, and the error of the commit or tree that cannot be read.
pub fn commit_lines(
    dir: &Path,
    env: &GitEnvironment,
    name: &str,
) -> Result<Vec<ChangedLines>, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let limits = MainLineLimits {
        commits: 1,
        since: i64::MIN,
    };
    let (chain, _) = first_parents(&objects, name, limits)?;
    let changed = chain
        .first()
        .map(|(_, commit, (_, before))| changed_files(&objects, (*before, commit.tree), &mut 0));
    changed.unwrap_or_else(|| Ok(Vec::new()))
}

/// A commit with its first parent: the parent's id and tree.
type WithParent = (ObjectId, CommitObject, (ObjectId, ObjectId));

/// The commits from `tip` back along first parents, newest first. A root commit has nothing to be compared with, and the
/// boundary of a shallow clone neither: whether one was met is told beside them.
fn first_parents(
    objects: &ObjectReader,
    tip: &str,
    limits: MainLineLimits,
) -> Result<(Vec<WithParent>, bool), GitError> {
    let resolved = revision::resolve_revision(objects, tip)?;
    let Some(mut id) = resolved.commit else {
        return Ok((Vec::new(), false));
    };
    let mut commit = objects.commit(id)?;
    let mut chain = Vec::new();
    while chain.len() < limits.commits && commit.seconds >= limits.since {
        let Some(&first) = commit.parents.first() else {
            break;
        };
        let Ok(parent) = objects.commit(first) else {
            return Ok((chain, true));
        };
        let tree = parent.tree;
        chain.push((id, std::mem::replace(&mut commit, parent), (first, tree)));
        id = first;
    }
    Ok((chain, false))
}

fn changed_files(
    objects: &ObjectReader,
    (old, new): (ObjectId, ObjectId),
    unread: &mut usize,
) -> Result<Vec<ChangedLines>, GitError> {
    let raws = tree::compare_trees(objects, Some(old), Some(new))?;
    let found = if raws.len() > MAX_RENAMED {
        rename::RenameSearchResult::default()
    } else {
        // Renames are a help, and need every text.
        rename::find_renames(objects, &raws).unwrap_or_default()
    };
    let sources: HashMap<usize, usize> = found.renames.iter().map(|r| (r.to, r.from)).collect();
    let gone: Vec<usize> = found.renames.iter().map(|r| r.from).collect();
    let kept = (0..raws.len()).filter(|at| !gone.contains(at));
    kept.map(|at| compare_file(objects, &raws, (at, sources.get(&at).copied()), unread))
        .collect()
}

fn compare_file(
    objects: &ObjectReader,
    raws: &[RawChange],
    (at, source): (usize, Option<usize>),
    unread: &mut usize,
) -> Result<ChangedLines, GitError> {
    let raw = &raws[at];
    let from = source.map_or(raw, |source| &raws[source]);
    let texts = match (text_of(objects, from.old), text_of(objects, raw.new)) {
        (Ok(Some(old)), Ok(Some(new))) => Some(SideTexts { old, new }),
        (Ok(_), Ok(_)) => None,
        _ => {
            *unread += 1;
            None
        }
    };
    let hunks = texts.as_ref();
    let hunks = hunks.map(|texts| window::diff_hunks(&texts.old, &texts.new));
    let spans = hunks.transpose()?.map(|hunks| spans_of(&hunks));
    Ok(ChangedLines {
        path: raw.path.clone(),
        old_path: from.old.map(|_| from.path.clone()),
        is_removed: raw.new.is_none(),
        spans,
        texts,
    })
}

/// The bytes of a file of text; empty where there is no file, none for what is not compared.
fn text_of(objects: &ObjectReader, item: Option<TreeItem>) -> Result<Option<Vec<u8>>, GitError> {
    let Some(item) = item else {
        return Ok(Some(Vec::new()));
    };
    if item.sort() != ItemSort::File {
        return Ok(None);
    }
    let bytes = objects.blob(item.id)?;
    let is_text = bytes.len() <= MAX_COMPARED && !bytes.contains(&0);
    Ok(is_text.then(|| bytes.to_vec()))
}

/// The changed lines of hunks, without the context around them.
fn spans_of(hunks: &[RawHunk]) -> Vec<LineSpan> {
    let mut spans = Vec::new();
    for hunk in hunks {
        let first = |side: (u32, u32)| side.0 + u32::from(side.1 == 0);
        let (mut old, mut new) = (first(hunk.old), first(hunk.new));
        let mut open: Option<LineSpan> = None;
        for line in hunk.body.split(|&b| b == b'\n') {
            let Some((marker, text)) = line.split_first() else {
                continue;
            };
            if matches!(marker, b'-' | b'+') {
                let span = open.get_or_insert(LineSpan {
                    old_start: old,
                    new_start: new,
                    removed: Vec::new(),
                    added: Vec::new(),
                });
                let text = String::from_utf8_lossy(text).into_owned();
                match marker {
                    b'-' => span.removed.push(text),
                    _ => span.added.push(text),
                }
            }
            match marker {
                b'-' => old += 1,
                b'+' => new += 1,
                // "\ No newline at end of file" is no line.
                b'\\' => {}
                _ => {
                    spans.extend(open.take());
                    (old, new) = (old + 1, new + 1);
                }
            }
        }
        spans.extend(open.take());
    }
    spans
}

#[cfg(test)]
#[path = "tests/main_line.rs"]
mod tests;
