//! Reads a unified diff: from `git diff`, `git format-patch` or `diff -u`.
//!
//! A pure function from bytes, in time and space linear in them. What cannot be understood is an error with its line
//! number and never skipped: a patch that is read in part would be a change that is reviewed in part.

mod binary;
pub(crate) mod error;
mod file;
mod hunk;
mod lines;
mod mail;
mod name;
mod written;

use std::collections::HashMap;

use council_protocol::change::FileStatus;
use council_protocol::{FileChange, RepoPath};

pub(crate) use binary::{PackedFile, UnpackedFile};
pub use error::PatchError;
pub(crate) use mail::mail_framing;
pub(crate) use written::as_git_writes;

pub use crate::limits::MAX_PATCH;

use crate::limits::MAX_FILES;
use file::GitFile;
use lines::PatchLines;

/// Reads the files of a patch with their hunks, in path order. No bytes at all (white space aside) are no files.
///
/// # Errors
///
/// The first thing that cannot be understood, with its line.
pub fn parse_patch(bytes: &[u8]) -> Result<Vec<FileChange>, PatchError> {
    parse_whole(bytes).map(|parsed| parsed.files)
}

/// All that a patch says.
#[derive(Debug, Default)]
pub(crate) struct ParsedPatch {
    /// The files with their hunks, in path order.
    pub(crate) files: Vec<FileChange>,
    /// The binary files that it holds, still packed.
    pub(crate) packed: HashMap<RepoPath, PackedFile>,
    /// The ids of both sides as `index` lines have them: mostly a few digits of each.
    pub(crate) ids: HashMap<RepoPath, (String, String)>,
}

/// Reads all that a patch says.
pub(crate) fn parse_whole(bytes: &[u8]) -> Result<ParsedPatch, PatchError> {
    if bytes.len() > MAX_PATCH {
        return Err(PatchError::TooLarge { bytes: bytes.len() });
    }
    let mut lines = PatchLines::new(bytes);
    let plain = !lines.any_line(|line| line.starts_with(b"diff --git "));
    let mut files = Vec::new();
    let mut parsed = ParsedPatch::default();
    while let Some(line) = lines.peek() {
        if files.len() > MAX_FILES {
            return Err(PatchError::TooManyFiles);
        }
        if line.starts_with(b"diff --git ") {
            let GitFile { file, packed, ids } = file::read_git_file(&mut lines)?;
            let packed = packed.filter(|_| file.status != FileStatus::Deleted);
            let named = |packed| (file.path.clone(), packed);
            parsed.packed.extend(packed.map(named));
            parsed.ids.extend(ids.map(|ids| (file.path.clone(), ids)));
            files.push(file);
        } else if line.starts_with(b"--- ")
            && lines
                .peek_second()
                .is_some_and(|next| next.starts_with(b"+++ "))
        {
            files.push(file::read_plain_file(&mut lines)?);
        } else if plain
            && line.starts_with(b"Binary files ")
            && line.trim_ascii_end().ends_with(b" differ")
        {
            files.push(file::read_plain_binary(&mut lines)?);
        } else {
            let number = lines.next_number();
            refuse_line(line, number, plain)?;
            let next = lines.peek_second().unwrap_or_default();
            if starts_other_format(line, next) {
                return Err(PatchError::NotUnified { line: number });
            }
            if starts_indented(line, next) {
                return Err(PatchError::Indented { line: number });
            }
            lines.next();
        }
    }
    if bytes.trim_ascii().is_empty() {
        return Err(PatchError::Empty);
    }
    if files.is_empty() {
        return Err(PatchError::NoChange { bytes: bytes.len() });
    }
    parsed.files = sort_and_merge(files)?;
    Ok(parsed)
}

/// Lines that stand for a change which this reader would otherwise miss.
fn refuse_line(line: &[u8], number: usize, plain: bool) -> Result<(), PatchError> {
    let starts = |prefix: &[u8]| line.starts_with(prefix);
    if starts(b"diff --cc ") || starts(b"diff --combined ") || starts(b"@@@ -") {
        return Err(PatchError::Combined { line: number });
    }
    if mail::is_encoded(line) {
        return Err(PatchError::Encoded { line: number });
    }
    if starts(b"@@ -") {
        return Err(PatchError::Stray { line: number });
    }
    if plain && starts(b"Only in ") {
        return Err(PatchError::OnlyIn { line: number });
    }
    if plain
        && (starts(b"***************")
            || (starts(b"Files ") && line.trim_ascii_end().ends_with(b" differ")))
    {
        return Err(PatchError::NotUnified { line: number });
    }
    Ok(())
}

/// Whether two lines begin a change in another format that `patch` applies as well: context, normal, or an `ed` script.
/// `patch` takes one behind a unified diff, too, so it must not be read over as words between two files.
fn starts_other_format(line: &[u8], next: &[u8]) -> bool {
    let (line, next) = (line.trim_ascii_end(), next.trim_ascii_end());
    let is_context = line.starts_with(b"***************")
        && next.starts_with(b"*** ")
        && next.ends_with(b" ****");
    let is_named = line.starts_with(b"*** ") && next.starts_with(b"--- ");
    let is_line = next.starts_with(b"<") || next.starts_with(b">");
    let is_normal = is_command(line, true) && is_line;
    is_context || is_named || is_normal || is_command(line, false)
}

/// Whether two lines begin a change behind an indentation. `patch` takes that away and applies the change; git does not, and
/// takes it for words.
fn starts_indented(line: &[u8], next: &[u8]) -> bool {
    let text = without_indentation(line);
    let next = without_indentation(next);
    let starts = |prefix: &[u8]| text.starts_with(prefix);
    let is_file = starts(b"diff --git ") || (starts(b"--- ") && next.starts_with(b"+++ "));
    text.len() < line.len() && (starts(b"@@ -") || is_file || starts_other_format(text, next))
}

/// A line without what `patch` takes for its indentation: blanks, the `X` of some mail readers, and the dash that RFC 934
/// puts before a line that begins with one.
fn without_indentation(mut line: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'X', rest @ ..] | [b'-', b' ', rest @ ..] = line {
        line = rest;
    }
    line
}

/// Whether a line is a command of a normal diff (`3,4c5`, `0a1,9`), or of an `ed` script (`3,4c`, `12d`).
fn is_command(line: &[u8], is_normal: bool) -> bool {
    let Some(at) = line.iter().position(|byte| b"acd".contains(byte)) else {
        return false;
    };
    let is_range = |text: &[u8]| {
        let mut numbers = text.split(|&byte| byte == b',');
        let is_number = |n: &[u8]| !n.is_empty() && n.iter().all(u8::is_ascii_digit);
        numbers.clone().count() <= 2 && numbers.all(is_number)
    };
    let (from, to) = (&line[..at], &line[at + 1..]);
    is_range(from)
        && if is_normal {
            is_range(to)
        } else {
            to.is_empty()
        }
}

/// Path order, each path once. A change of type is written as a removal and an addition: it becomes one file again.
fn sort_and_merge(mut files: Vec<FileChange>) -> Result<Vec<FileChange>, PatchError> {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut out: Vec<FileChange> = Vec::with_capacity(files.len());
    for file in files {
        match out.last_mut().filter(|last| last.path == file.path) {
            Some(last)
                if last.status == FileStatus::Deleted && file.status == FileStatus::Added =>
            {
                file::become_other(last, file);
            }
            Some(_) => {
                return Err(PatchError::Twice {
                    path: file.path.display().into_owned(),
                });
            }
            None => out.push(file),
        }
    }
    Ok(out)
}

#[cfg(test)]
#[path = "../tests/patch_tests.rs"]
mod tests;
