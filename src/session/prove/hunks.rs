//! The lines of a file as the packet's hunks have them, as texts that quotes are searched in.

use council_protocol::change::Line;
use council_protocol::{FileChange, LineKind, Side};

use super::MAX_OUTLINE_BYTES;

/// Stands between hunks, so that no quote reaches from one into the next.
pub(super) const HUNK_GAP: &str = "\u{0}gap\u{0}";

/// The lines of one side that the packet shows, with their numbers there.
pub(super) fn shown_lines(file: &FileChange, side: Side) -> (String, Vec<u32>) {
    gather_lines(file, |line| match side {
        Side::Old => line.old_no,
        Side::New => line.new_no,
    })
}

/// The removed lines, each with the number of the line on the reviewed side before which it stood.
pub(super) fn removed_lines(file: &FileChange) -> (String, Vec<u32>) {
    let mut next = 1;
    gather_lines(file, |line| {
        if let Some(new_no) = line.new_no {
            next = new_no.saturating_add(1);
        }
        (line.kind == LineKind::Removed).then_some(next)
    })
}

/// The lines of both sides, as their hunks have them.
pub(super) struct BothSides {
    pub(super) text: String,
    /// Numbers on the reviewed side; of a removed line that of the line before which it stood.
    pub(super) numbers: Vec<u32>,
    /// Numbers before the change; 0 of an added line.
    pub(super) old: Vec<u32>,
    pub(super) gone: Vec<bool>,
}

/// None where nothing is removed, or where no hand wrote it.
pub(super) fn both_sides(file: &FileChange) -> Option<BothSides> {
    let size: usize = file.hunks.iter().map(|hunk| hunk.body.len()).sum();
    let gone = gather_flags(file, |line| line.kind == LineKind::Removed);
    if size > MAX_OUTLINE_BYTES || !gone.contains(&true) {
        return None;
    }
    let (text, numbers) = hunk_lines(file);
    let (_, old) = gather_lines(file, |line| Some(line.old_no.unwrap_or(0)));
    Some(BothSides {
        text,
        numbers,
        old,
        gone,
    })
}

/// All lines of the hunks, each with its number on the reviewed side or that of the line before which it stood.
fn hunk_lines(file: &FileChange) -> (String, Vec<u32>) {
    let mut next = 1;
    gather_lines(file, |line| {
        if let Some(new_no) = line.new_no {
            next = new_no.saturating_add(1);
        }
        Some(line.new_no.unwrap_or(next))
    })
}

/// Something of every line, as [`gather_lines`] counts them.
fn gather_flags(file: &FileChange, flag: impl Fn(&Line<'_>) -> bool) -> Vec<bool> {
    let mut flags = Vec::new();
    for hunk in &file.hunks {
        if !flags.is_empty() {
            flags.push(false);
        }
        flags.extend(hunk.lines().map(|line| flag(&line)));
    }
    flags
}

pub(super) fn gather_lines(
    file: &FileChange,
    mut number: impl FnMut(&Line<'_>) -> Option<u32>,
) -> (String, Vec<u32>) {
    let (mut text, mut numbers) = (String::new(), Vec::new());
    for hunk in &file.hunks {
        if !numbers.is_empty() {
            text.push_str(HUNK_GAP);
            text.push('\n');
            numbers.push(0);
        }
        for line in hunk.lines() {
            if let Some(number) = number(&line) {
                text.push_str(line.text);
                text.push('\n');
                numbers.push(number);
            }
        }
    }
    (text, numbers)
}
