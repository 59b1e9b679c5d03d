//! Sight: what a reviewer would open beside the change, found in the tree's own objects.
//!
//! Definitions, uses, the commits that brought lines, and the files that usually change together. Nothing is checked out
//! and no command runs. Every search begins near the change and ends at a bound of files, bytes and time; a result that
//! a bound cut short says so.

mod candidates;
mod definitions;
mod gather;
mod hints;
mod nearest;
mod origins;
mod search;
mod shown;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;
use std::time::{Duration, Instant};

use council_protocol::RepoPath;
use council_syntax::language::Language;

use crate::git::{CommitHistory, HistoryBounds, ReviewedChange, ReviewedTree, WantedLines};
use nearest::NearestFiles;
use search::{NameHits, NameSearch};

use definitions::definitions_in;
pub use gather::{GatheredContext, gather_context};

/// How much one search may read.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimits {
    /// The most files that are opened.
    pub files: usize,
    /// The most bytes of them.
    pub bytes: usize,
    /// The most commits that are looked at.
    pub commits: usize,
    /// When the search ends, however far it is.
    pub until: Instant,
}

impl SearchLimits {
    /// The bounds of one search that may take `time`. Files and bytes end it first on an ordinary machine, so that the same
    /// tree gives the same result.
    pub fn within(time: Duration) -> Self {
        Self {
            files: 1_500,
            bytes: 16 << 20,
            commits: 300,
            until: Instant::now() + time,
        }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// What a search found, nearest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult<T> {
    /// What was found.
    pub items: Vec<T>,
    /// Whether a bound ended the search before the whole tree or history was looked at.
    pub is_cut: bool,
}

/// Lines of the reviewed side, both included, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLines {
    /// Where they stand.
    pub path: RepoPath,
    /// The first line.
    pub start: u32,
    /// The last line.
    pub end: u32,
    /// Their text. Untrusted and not redacted.
    pub text: String,
}

/// A place where a name is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameUse {
    /// Where.
    pub path: RepoPath,
    /// The line, from 1.
    pub line: u32,
    /// Its text. Untrusted and not redacted.
    pub text: String,
    /// The function that it stands in; empty: none.
    pub function: String,
    /// Whether the file is a test.
    pub in_test: bool,
}

/// Lines before the change and the commit that brought them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHistory {
    /// Numbers on the side before the change.
    pub lines: Vec<u32>,
    /// The commit in hexadecimal.
    pub commit: String,
    /// Its message. Untrusted and not redacted.
    pub message: String,
}

/// A file that usually changes together with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Companion {
    /// The file.
    pub path: RepoPath,
    /// The file that it changes with.
    pub with: RepoPath,
    /// In how many of the commits that changed that file.
    pub together: usize,
    /// How many commits changed that file.
    pub of: usize,
}

/// The tree and the history around a change.
pub struct Sight {
    tree: ReviewedTree,
    history: Option<CommitHistory>,
    changed: Vec<RepoPath>,
}

impl Sight {
    /// Around a change; none: nothing but a patch or a text is known. `changed` are its paths: searches begin near them.
    pub fn around(change: &ReviewedChange, changed: Vec<RepoPath>) -> Option<Self> {
        Some(Self {
            tree: change.reviewed_tree()?,
            history: change.earlier_history(),
            changed,
        })
    }

    fn search(&self, name: &str, near: Option<&RepoPath>, limits: &SearchLimits) -> NameHits {
        let near: Vec<RepoPath> = near.into_iter().chain(&self.changed).cloned().collect();
        let hints = hints::paths_near(&self.tree, &near);
        let files = NearestFiles::new(&self.tree, &near, hints);
        let search = NameSearch::new(&[name.to_owned()]);
        search.run(files, &self.tree, limits)
    }

    /// Where a name is defined, nearest first.
    pub fn definitions(
        &self,
        name: &str,
        near: Option<&RepoPath>,
        limits: &SearchLimits,
    ) -> SearchResult<SourceLines> {
        let hits = self.search(name, near, limits);
        let mut items = Vec::new();
        for file in &hits.files {
            let language = Language::from_path(&file.path.display());
            for defined in definitions_in(language, &file.text) {
                if defined.name == name {
                    items.push(source_lines(
                        &file.path,
                        &file.text,
                        defined.start,
                        defined.end,
                    ));
                }
            }
        }
        SearchResult {
            items,
            is_cut: hits.is_cut,
        }
    }

    /// Where a name is used in code and settings, nearest first; its definitions are left out.
    pub fn call_sites(
        &self,
        name: &str,
        near: Option<&RepoPath>,
        limits: &SearchLimits,
    ) -> SearchResult<NameUse> {
        let hits = self.search(name, near, limits);
        let mut items = Vec::new();
        for file in &hits.files {
            let outline = search::FileOutline::of(&file.path, &file.text);
            for hit in file
                .hits
                .iter()
                .filter(|hit| !outline.defines(name, hit.line))
            {
                if outline.is_code(hit.line, name) {
                    items.push(NameUse {
                        path: file.path.clone(),
                        line: hit.line,
                        text: line_text(&file.text, hit.line).to_owned(),
                        function: outline.function_at(hit.line).unwrap_or_default(),
                        in_test: crate::prompt::is_test_path(&file.path.display()),
                    });
                }
            }
        }
        SearchResult {
            items,
            is_cut: hits.is_cut,
        }
    }

    /// The commits that brought lines `from` to `to` of a file of the reviewed side. Lines that the change itself adds
    /// have no history: what its author says of them is not told.
    pub fn history(
        &self,
        path: &RepoPath,
        (from, to): (u32, u32),
        limits: &SearchLimits,
    ) -> SearchResult<LineHistory> {
        let nothing = SearchResult {
            items: Vec::new(),
            is_cut: false,
        };
        let Some(history) = &self.history else {
            return nothing;
        };
        let Some(before) = self.tree.read_before(path) else {
            return nothing;
        };
        let lines: Vec<u32> = (from..=to.min(from.saturating_add(MAX_HISTORY_LINES))).collect();
        let lines = match self.read_text(path) {
            Some(now) => history.lines_before(&before, now.as_bytes(), &lines),
            None => Ok(lines),
        };
        let wanted = WantedLines {
            path: path.as_bytes().to_vec(),
            lines: lines.unwrap_or_default(),
        };
        let bounds = HistoryBounds {
            commits: limits.commits,
            together: false,
            is_over: &|| limits.is_over(),
        };
        let found = history.walk_back(&[wanted], &bounds);
        let items = found.origins.into_iter().map(|origin| LineHistory {
            lines: origin.lines,
            commit: found.commits[origin.commit].id.clone(),
            message: found.commits[origin.commit].message.clone(),
        });
        SearchResult {
            items: items.collect(),
            is_cut: found.is_cut,
        }
    }

    /// Files that usually change together with one of `paths` and are none of them.
    pub fn companions(&self, paths: &[RepoPath], limits: &SearchLimits) -> SearchResult<Companion> {
        let found = self.history.as_ref().map(|history| {
            let bounds = HistoryBounds {
                commits: limits.commits,
                together: true,
                is_over: &|| limits.is_over(),
            };
            history.walk_back(&[], &bounds)
        });
        SearchResult {
            is_cut: found.as_ref().is_some_and(|found| found.is_cut),
            items: found.map_or_else(Vec::new, |found| {
                origins::usual_companions(&self.tree, paths, &found.together)
            }),
        }
    }

    fn read_text(&self, path: &RepoPath) -> Option<Arc<str>> {
        read_file(&self.tree, path)
    }
}

/// The most lines whose history is asked for at once.
const MAX_HISTORY_LINES: u32 = 2_000;

fn read_file(tree: &ReviewedTree, path: &RepoPath) -> Option<Arc<str>> {
    let file = tree.find_file(path.as_bytes()).ok().flatten()?;
    let bytes = tree.read_text(&file).ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).into())
}

fn line_text(text: &str, line: u32) -> &str {
    let index = (line as usize).saturating_sub(1);
    text.lines().nth(index).unwrap_or_default()
}

fn source_lines(path: &RepoPath, text: &str, start: u32, end: u32) -> SourceLines {
    let count = (end.saturating_sub(start) as usize) + 1;
    let lines = text
        .lines()
        .skip((start as usize).saturating_sub(1))
        .take(count);
    let lines: Vec<&str> = lines.collect();
    SourceLines {
        path: path.clone(),
        start,
        end,
        text: lines.join("\n"),
    }
}
