//! Lines around hunks: up to the enclosing function, else a few more. A judge that sees three lines asks about what it
//! cannot see; pr-agent calls the same "dynamic context".
//!
//! Only the old side is read. Between two hunks of a diff both sides hold the same lines, so whatever stands there
//! extends a hunk on both sides alike and the numbers stay right; a hunk that does not fit the text it is said to
//! come from leaves its whole file as it was.

use std::cell::LazyCell;

use council_protocol::change::{FileKind, FileStatus};
use council_protocol::{FileChange, Hunk, LineKind};

use super::function::{self, FileOutline, Heads};

/// How much context is added to what git shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextBounds {
    /// Lines above a hunk in which the head of a function is searched that is too long, or in no known language.
    pub function_lines: usize,
    /// Lines of the longest function that is shown whole.
    pub whole_function: usize,
    /// Lines added above a hunk without one.
    pub lines_before: usize,
    /// Lines added below a hunk without one.
    pub lines_after: usize,
    /// Lines added to one file at most.
    pub file_lines: usize,
    /// Lines added to the packet at most.
    pub total_lines: usize,
    /// Size of the old side in bytes from which a file is left as git shows it.
    pub blob_bytes: u64,
}

impl Default for ContextBounds {
    fn default() -> Self {
        Self {
            function_lines: 60,
            whole_function: 200,
            lines_before: 5,
            lines_after: 1,
            file_lines: 600,
            total_lines: 20_000,
            blob_bytes: 4 << 20,
        }
    }
}

impl ContextBounds {
    /// Whether the old side of a file is worth reading. Before a file is filled, its size and whether it is binary may
    /// not be known.
    pub(super) fn wants_old_side(&self, file: &FileChange) -> bool {
        let status = matches!(
            file.status,
            FileStatus::Modified | FileStatus::Renamed | FileStatus::Deleted
        );
        file.kind == FileKind::Text
            && status
            && (file.old_id.is_none() || file.old_id != file.new_id)
            && file.old_size.is_none_or(|size| size <= self.blob_bytes)
    }

    /// Whether an old side is text, and not too much of it.
    pub(super) fn admits_text(&self, bytes: &[u8]) -> bool {
        let head = &bytes[..bytes.len().min(BINARY_BYTES)];
        bytes.len() as u64 <= self.blob_bytes && !head.contains(&0)
    }
}

/// How many bytes decide whether a file is binary, as in git.
const BINARY_BYTES: usize = 8_000;

/// Extends hunks, file by file, until the packet's allowance is spent.
#[derive(Debug)]
pub(super) struct ContextExtender<'b> {
    bounds: &'b ContextBounds,
    left: usize,
}

/// A hunk's place on both sides, as half-open ranges of lines from 1. An empty side begins behind the line that git
/// names.
#[derive(Debug, Clone, Copy)]
struct HunkSpan {
    old: (usize, usize),
    new: (usize, usize),
}

impl HunkSpan {
    fn of(hunk: &Hunk) -> Self {
        let side = |start: u32, lines: u32| {
            let first = start as usize + usize::from(lines == 0);
            (first, first + lines as usize)
        };
        Self {
            old: side(hunk.old_start, hunk.old_lines),
            new: side(hunk.new_start, hunk.new_lines),
        }
    }
}

impl<'b> ContextExtender<'b> {
    pub(super) fn new(bounds: &'b ContextBounds) -> Self {
        Self {
            bounds,
            left: bounds.total_lines,
        }
    }

    /// Extends the hunks of one file (by its old path) whose old side is `text`, and merges those that touch.
    pub(super) fn extend_hunks(&mut self, path: &str, hunks: &mut Vec<Hunk>, text: &str) {
        if hunks.is_empty() || self.left == 0 {
            return;
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let spans: Vec<HunkSpan> = hunks.iter().map(HunkSpan::of).collect();
        if !hunks_fit(hunks, &spans, &lines) {
            return;
        }
        // Where nothing is left out between hunks, nobody asks for functions.
        let outline = LazyCell::new(|| FileOutline::read(path, text));
        let mut file_left = self.bounds.file_lines.min(self.left);
        let before_all = file_left;
        let mut out: Vec<Hunk> = Vec::with_capacity(hunks.len());
        let mut floor = 1;
        for (i, mut hunk) in std::mem::take(hunks).into_iter().enumerate() {
            let ceiling = spans.get(i + 1).map_or(lines.len() + 1, |next| next.old.0);
            let room = (floor, ceiling);
            let (above, below) = match room == spans[i].old {
                true => (0, 0),
                false => self.wanted_lines(&outline, &hunk, spans[i], &lines, room, &mut file_left),
            };
            prepend_lines(
                &mut hunk,
                &lines[spans[i].old.0 - 1 - above..spans[i].old.0 - 1],
            );
            append_lines(
                &mut hunk,
                &lines[spans[i].old.1 - 1..spans[i].old.1 - 1 + below],
            );
            let touches = i > 0 && floor == spans[i].old.0 - above;
            floor = spans[i].old.1 + below;
            match out.last_mut().filter(|_| touches) {
                Some(last) => merge_hunks(last, hunk),
                None => out.push(hunk),
            }
        }
        self.left -= before_all - file_left;
        *hunks = out;
    }

    /// How many lines to add above and below a hunk that may grow within `room` (half-open, lines of the old side).
    fn wanted_lines(
        &self,
        outline: &FileOutline,
        hunk: &Hunk,
        span: HunkSpan,
        lines: &[&str],
        room: (usize, usize),
        left: &mut usize,
    ) -> (usize, usize) {
        let (above, below) = self
            .whole_functions(outline, hunk, span, room)
            .filter(|(above, below)| above + below <= *left)
            .or_else(|| {
                self.up_to_head(outline, hunk, span, lines)
                    .filter(|(above, _)| (*above).min(span.old.0 - room.0) <= *left)
            })
            .unwrap_or((self.bounds.lines_before, self.bounds.lines_after));
        let above = above.min(span.old.0 - room.0).min(*left);
        *left -= above;
        let below = below.min(room.1 - span.old.1).min(*left);
        *left -= below;
        (above, below)
    }

    /// The functions that a hunk changes, from the first line to the last.
    fn whole_functions(
        &self,
        outline: &FileOutline,
        hunk: &Hunk,
        span: HunkSpan,
        room: (usize, usize),
    ) -> Option<(usize, usize)> {
        let wanted = outline.changed_functions(hunk, span.old.0, self.bounds.whole_function)?;
        let above = span
            .old
            .0
            .saturating_sub(wanted.start)
            .min(span.old.0 - room.0);
        let below = (wanted.end + 1)
            .saturating_sub(span.old.1)
            .min(room.1 - span.old.1);
        Some((above, below))
    }

    /// The lines from the head of what encloses a hunk: of a function too long to be shown whole, or in a language without outline.
    fn up_to_head(
        &self,
        outline: &FileOutline,
        hunk: &Hunk,
        span: HunkSpan,
        lines: &[&str],
    ) -> Option<(usize, usize)> {
        // What stands in no function may stand in a type; any other line that looks like a head would be a wrong guess.
        let heads = if outline.is_known() && !outline.is_in_function(hunk, span.old.0) {
            Heads::WithKeyword
        } else {
            Heads::Likely
        };
        let lowest = span.old.0.saturating_sub(self.bounds.function_lines).max(1);
        let start = function::enclosing_function(hunk, span.old.0, lines, (lowest, heads))?;
        Some((span.old.0.saturating_sub(start), 0))
    }
}

/// Whether the hunks are what a diff of this old side can be: in order, equal gaps on both sides, and every line of the
/// old side where it says it is.
fn hunks_fit(hunks: &[Hunk], spans: &[HunkSpan], lines: &[&str]) -> bool {
    let mut end = (1, 1);
    for (hunk, span) in hunks.iter().zip(spans) {
        let gap = span.old.0.checked_sub(end.0);
        let in_order = gap.is_some() && gap == span.new.0.checked_sub(end.1);
        if !in_order || span.old.1 > lines.len() + 1 || !lines_match(hunk, *span, lines) {
            return false;
        }
        end = (span.old.1, span.new.1);
    }
    true
}

fn lines_match(hunk: &Hunk, span: HunkSpan, lines: &[&str]) -> bool {
    let (mut old, mut new) = (span.old.0, span.new.0);
    for line in hunk.lines() {
        if line.kind != LineKind::Added {
            if lines
                .get(old - 1)
                .is_none_or(|have| have.trim_end_matches('\n') != line.text)
            {
                return false;
            }
            old += 1;
        }
        new += usize::from(line.kind != LineKind::Removed);
    }
    (old, new) == (span.old.1, span.new.1)
}

/// Puts lines above a hunk.
fn prepend_lines(hunk: &mut Hunk, lines: &[&str]) {
    let Some(added) = count_lines(lines) else {
        return;
    };
    if function::names_section(lines, &hunk.section) {
        // The section's own line is now shown: it does not enclose the hunk any more.
        hunk.section.clear();
    }
    // An empty side names the line before it.
    hunk.old_start = hunk.old_start + u32::from(hunk.old_lines == 0) - added;
    hunk.new_start = hunk.new_start + u32::from(hunk.new_lines == 0) - added;
    grow_hunk(hunk, added);
    hunk.body.insert_str(0, &context_body(lines));
}

/// Puts lines below a hunk.
fn append_lines(hunk: &mut Hunk, lines: &[&str]) {
    let Some(added) = count_lines(lines) else {
        return;
    };
    hunk.old_start += u32::from(hunk.old_lines == 0);
    hunk.new_start += u32::from(hunk.new_lines == 0);
    grow_hunk(hunk, added);
    hunk.body.push_str(&context_body(lines));
}

fn count_lines(lines: &[&str]) -> Option<u32> {
    u32::try_from(lines.len()).ok().filter(|&n| n > 0)
}

fn grow_hunk(hunk: &mut Hunk, added: u32) {
    hunk.old_lines += added;
    hunk.new_lines += added;
}

/// Lines as the context of a hunk's body.
fn context_body(lines: &[&str]) -> String {
    let mut body = String::with_capacity(lines.iter().map(|l| l.len() + 1).sum());
    for line in lines {
        body.push(' ');
        body.push_str(line);
        if !line.ends_with('\n') {
            body.push_str("\n\\ No newline at end of file\n");
        }
    }
    body
}

/// Joins a hunk to the one that it touches.
fn merge_hunks(into: &mut Hunk, next: Hunk) {
    // A side that was empty until here begins where the next one's does.
    if into.old_lines == 0 {
        into.old_start = next.old_start;
    }
    if into.new_lines == 0 {
        into.new_start = next.new_start;
    }
    into.old_lines += next.old_lines;
    into.new_lines += next.new_lines;
    into.body.push_str(&next.body);
}
