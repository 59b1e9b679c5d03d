//! Hunks from changed lines: with context, markers and headings, byte for byte as libgit2 and git write them.

use crate::diff::line_names::is_space;
use crate::diff::raw_hunk::{ChangedLines, RawHunk};

/// Lines of context above and below what is changed.
const CONTEXT: usize = 3;

/// As much of a line as a hunk's header shows, in bytes, as in git.
const MAX_SECTION_BYTES: usize = 80;

/// Both texts line by line, each with its newline.
pub(super) struct TextLines<'a> {
    pub(super) old: Vec<&'a [u8]>,
    pub(super) new: Vec<&'a [u8]>,
}

/// The hunks of two texts whose changed lines are known, in their order.
pub(super) fn assemble_hunks(lines: &TextLines<'_>, changes: &[ChangedLines]) -> Vec<RawHunk> {
    let is_apart = |a: &ChangedLines, b: &ChangedLines| b.old.start - a.old.end > 2 * CONTEXT;
    let groups = changes.chunk_by(|a, b| !is_apart(a, b));
    let mut sections = SectionSearch::default();
    groups
        .filter_map(|group| {
            let (first, last) = (group.first()?, group.last()?);
            let above = CONTEXT.min(first.old.start).min(first.new.start);
            let rest = lines.old.len() - last.old.end;
            let below = CONTEXT.min(rest).min(lines.new.len() - last.new.end);
            let old = first.old.start - above..last.old.end + below;
            let new = first.new.start - above..last.new.end + below;
            Some(RawHunk {
                section: sections.above(&lines.old, old.start).to_vec(),
                body: hunk_body(lines, group, old.start, old.end),
                old: numbered_range(old.start, old.len()),
                new: numbered_range(new.start, new.len()),
            })
        })
        .collect()
}

/// First line and number of lines; an empty side names the line before it.
fn numbered_range(start: usize, lines: usize) -> (u32, u32) {
    // Files of more lines are refused long before, by their size.
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX / 2);
    (number(start + usize::from(lines > 0)), number(lines))
}

fn hunk_body(lines: &TextLines<'_>, group: &[ChangedLines], start: usize, end: usize) -> Vec<u8> {
    let mut body = Vec::with_capacity((end - start) * 48);
    let mut at = start;
    for change in group {
        push_lines(&mut body, b' ', &lines.old[at..change.old.start]);
        push_lines(&mut body, b'-', &lines.old[change.old.clone()]);
        push_lines(&mut body, b'+', &lines.new[change.new.clone()]);
        at = change.old.end;
    }
    push_lines(&mut body, b' ', &lines.old[at..end]);
    body
}

fn push_lines(body: &mut Vec<u8>, marker: u8, lines: &[&[u8]]) {
    for line in lines {
        body.push(marker);
        body.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            body.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// The nearest heading above each hunk, looked for once in every line.
#[derive(Default)]
struct SectionSearch<'a> {
    /// Lines that were looked at.
    seen: usize,
    found: &'a [u8],
}

impl<'a> SectionSearch<'a> {
    fn above(&mut self, lines: &[&'a [u8]], start: usize) -> &'a [u8] {
        let new = &lines[self.seen.min(start)..start];
        if let Some(line) = new.iter().rev().find(|line| begins_section(line)) {
            self.found = shown_section(line);
        }
        self.seen = start;
        self.found
    }
}

/// Whether a line begins as functions do, by git's default rule: a letter, `_` or `$`.
pub(super) fn begins_section(line: &[u8]) -> bool {
    line.first()
        .is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_' || b == b'$')
}

/// What a hunk's header shows of a line: no more than it has room for, no half characters, no space at the end.
pub(super) fn shown_section(line: &[u8]) -> &[u8] {
    let end = line
        .iter()
        .rposition(|&b| !is_space(b))
        .map_or(0, |at| at + 1);
    let line = &line[..end.min(MAX_SECTION_BYTES)];
    let valid = match std::str::from_utf8(line) {
        Ok(text) => text.len(),
        Err(error) => error.valid_up_to(),
    };
    line[..valid].trim_ascii_end()
}
