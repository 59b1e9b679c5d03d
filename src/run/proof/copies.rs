//! What the copies for tests have of the repository, and what they lack.

use std::collections::BTreeSet;

use council_agents::trial::TrialFolder;
use council_protocol::reproduction::{Reproduction, is_free_path};
use council_protocol::{BlobSource, RepoPath, Side};

use super::{ProofRunner, is_obeyed};

/// A file that no copy has, and why.
pub(super) type LackingFile = (RepoPath, &'static str);

/// What the copies of both sides lack.
pub(super) enum Lacking {
    /// One side alone lacks something: why no test is run.
    One(String),
    /// Both lack the same files.
    Both(Vec<LackingFile>),
}

/// What a copy has of a file that git keeps elsewhere.
const FILTERED: &str = "a filter of git (such as LFS) makes its content";

/// What is left out on one side alone.
fn one_sided<'a>(
    old: &'a [(RepoPath, &'static str)],
    new: &'a [(RepoPath, &'static str)],
) -> Option<&'a (RepoPath, &'static str)> {
    let paths = |side: &'a [(RepoPath, &'static str)]| -> BTreeSet<&'a RepoPath> {
        side.iter().map(|(path, _)| path).collect()
    };
    let (in_old, in_new) = (paths(old), paths(new));
    let only_new = new.iter().find(|(path, _)| !in_old.contains(path));
    only_new.or_else(|| old.iter().find(|(path, _)| !in_new.contains(path)))
}

/// The files that the change takes away, or moves.
pub(super) fn paths_taken_away(blobs: &dyn BlobSource) -> Vec<String> {
    let paths = |side| -> BTreeSet<String> {
        let entries = blobs.entries(side).ok().flatten().unwrap_or_default();
        let paths = entries
            .iter()
            .map(|entry| entry.path.display().into_owned());
        paths.collect()
    };
    let left = paths(Side::New);
    let gone = paths(Side::Old).into_iter();
    gone.filter(|path| !left.contains(path)).collect()
}

/// Why a test that failed shows nothing: it names a file that no copy has, or the change newly does.
pub(super) fn needed_but_lacking(
    lacking: &[LackingFile],
    [before, after]: &[String; 2],
    said: &str,
) -> Option<String> {
    let is_needed = |(path, _): &&LackingFile| {
        let path = path.display();
        let name = path.rsplit('/').next().unwrap_or_default();
        names_path(said, &path) || count_named(after, name) > count_named(before, name)
    };
    let (path, why) = lacking.iter().find(is_needed)?;
    Some(format!(
        "it needs `{}`, which no copy for tests has: {why}",
        path.display()
    ))
}

/// Whether what a test said names a path of the copy: whole (`…/tree/a/b`), or as a program opens it (`'a/b'`).
fn names_path(said: &str, path: &str) -> bool {
    said.match_indices(path).any(|(at, _)| {
        let (before, behind) = (&said[..at], &said[at + path.len()..]);
        let begins = before.ends_with("/tree/") || before.trim_end_matches("./").ends_with(QUOTES);
        begins && !behind.starts_with(|c: char| c.is_alphanumeric() || "_-.".contains(c))
    })
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// How often a text has a name of a file as a part of a literal: `'d.txt'`, `"data/d.txt"`.
fn count_named(text: &str, name: &str) -> usize {
    let is_edge = |c: Option<char>| c.is_some_and(|c| c == '/' || QUOTES.contains(&c));
    let places = text.match_indices(name).filter(|(at, _)| {
        let (before, behind) = (&text[..*at], &text[at + name.len()..]);
        is_edge(before.chars().next_back()) && is_edge(behind.chars().next())
    });
    if name.is_empty() { 0 } else { places.count() }
}

/// The files of a side to which a filter of git gives their content: those of `.gitattributes`, and pointers of LFS.
fn filtered_files(blobs: &dyn BlobSource, side: Side) -> Vec<LackingFile> {
    let attributes = blobs
        .read(side, &RepoPath::from(".gitattributes"))
        .ok()
        .flatten();
    let attributes = attributes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let attributes = attributes.unwrap_or_default();
    let lines = attributes.lines().filter(|line| line.contains(" filter="));
    let patterns: Vec<&str> = lines
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    if patterns.is_empty() {
        return Vec::new();
    }
    let is_meant = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        patterns
            .iter()
            .any(|pattern| match pattern.strip_prefix('*') {
                Some(ending) => path.ends_with(ending),
                None => {
                    *pattern == name
                        || pattern.trim_start_matches('/') == path
                        || path.starts_with(pattern.trim_start_matches('/').trim_end_matches('*'))
                            && pattern.ends_with("/**")
                }
            })
    };
    let entries = blobs.entries(side).ok().flatten().unwrap_or_default();
    let paths = entries.into_iter().map(|entry| entry.path);
    let meant = paths.filter(|path| is_meant(&path.display()));
    meant.map(|path| (path, FILTERED)).collect()
}

impl ProofRunner {
    /// Whether the files can be put there: a test replaces nothing of what it is about.
    pub(super) fn check_paths(&self, side: Side, brought: &Reproduction) -> Result<(), String> {
        let entries = self
            .blobs
            .entries(side)
            .map_err(|error| error.to_string())?;
        let entries = entries.ok_or("the files of the repository are not known")?;
        for file in &brought.files {
            if is_obeyed(&file.path) {
                let path = file.path.display();
                return Err(format!(
                    "`{path}` steers coding agents or this program, and is no test"
                ));
            }
            // A test that was taken over from an earlier review is the same one.
            let there = self.blobs.read(side, &file.path).ok().flatten();
            if there.is_some_and(|there| *there == *file.content.as_bytes()) {
                continue;
            }
            if !is_free_path(&file.path, entries.iter().map(|entry| &entry.path)) {
                let path = file.path.display();
                return Err(format!("`{path}` is there already, and is not replaced"));
            }
        }
        Ok(())
    }

    /// What the copies lack of the repository. A file that only one of them has makes a test fail there which passes in
    /// the repository, and nothing would be proved by that.
    pub(super) fn lacking_files(&self, folder: &TrialFolder) -> Result<Lacking, String> {
        let lacking = |side| -> Result<Vec<LackingFile>, String> {
            let filled = folder.fill(&*self.blobs, side, None, &[]);
            let mut lacking = filled
                .map_err(|error| format!("the files cannot be put into a folder: {error}"))?;
            lacking.extend(filtered_files(&*self.blobs, side));
            Ok(lacking)
        };
        let (old, new) = (lacking(Side::Old)?, lacking(Side::New)?);
        Ok(match one_sided(&old, &new) {
            Some((path, why)) => Lacking::One(format!(
                "the change is about `{}`, which no copy for tests has: {why}",
                path.display()
            )),
            None => Lacking::Both(new),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the file is called and however the test fails: what no copy has is no defect of the change, and what it
    /// always named, or does not name, is no excuse.
    #[test]
    fn what_no_copy_has_proves_nothing_where_it_is_needed() {
        let texts = |before: &str, after: &str| [before.to_owned(), after.to_owned()];
        for (path, use_of_it) in [
            (
                "data/current",
                "open(join(HERE, 'data', 'current', 'd.txt'))",
            ),
            ("model.bin", "open(\"model.bin\")"),
            ("AGENTS.md", "open(join(HERE, 'AGENTS.md'))"),
            ("third", "require('./third/c.json')"),
        ] {
            let lacking = [(RepoPath::from(path), "it is a link")];
            let needed = |[before, after]: [String; 2], said: &str| {
                needed_but_lacking(&lacking, &[before, after], said).is_some()
            };
            assert!(needed(texts("", use_of_it), "ValueError: none"), "{path}");
            assert!(
                !needed(texts(use_of_it, use_of_it), "AssertionError"),
                "{path}"
            );
            assert!(
                !needed(texts("", "x = currently(modelbin)"), "AssertionError"),
                "{path}"
            );
            for said in [
                format!("No such file or directory: '/tmp/council-x/tree/{path}'"),
                format!("No such file or directory: '/tmp/council-x/tree/{path}/d.txt'"),
                format!("ENOENT: no such file, open '{path}'"),
                format!("cannot open \"./{path}\""),
            ] {
                assert!(needed(texts("", ""), &said), "{said}");
            }
            let other = format!("No such file: '/tmp/council-x/tree/{path}x'");
            assert!(!needed(texts("", ""), &other), "{path}");
        }
    }
}
