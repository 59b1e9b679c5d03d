//! What stands before a token and seems to belong to it: the end of an escape, an underscore.

use std::ops::Range;

use crate::escape::{Reading, escape_length, may_begin};

/// The line with a blank for each byte of an escape (`\n`, `\x22`, `\u0022`, `\047`, `%3D`, a terminal's `ESC[32m`) and
/// for each underscore before one of `words` that belongs to no other one: what would seem to belong to the token behind
/// it. Every other byte stays where it is. None: there is nothing of that kind, or nothing that is not in the short reading.
pub(crate) fn without_glue(line: &str, words: &[Range<usize>], reading: Reading) -> Option<String> {
    let bytes = line.as_bytes();
    let joined = join_ranges(words);
    let before = words.iter().filter_map(|word| word.start.checked_sub(1));
    let mut out: Vec<u8> = Vec::new();
    let mut blank = |range: Range<usize>| {
        if out.is_empty() {
            out.extend_from_slice(bytes);
        }
        out[range].fill(b' ');
    };
    for at in before.filter(|at| bytes[*at] == b'_' && !is_within(&joined, *at)) {
        blank(at..at + 1);
    }
    let mut is_other = reading == Reading::Short;
    for (at, _) in bytes.iter().enumerate().filter(|(_, b)| may_begin(**b)) {
        let length = escape_length(&bytes[at..], reading);
        is_other |= length != escape_length(&bytes[at..], Reading::Short);
        length.into_iter().for_each(|length| blank(at..at + length));
    }
    String::from_utf8(out)
        .ok()
        .filter(|out| !out.is_empty() && is_other)
}

/// Ranges in their order, without those that are part of another one or go on where it ends.
pub(crate) fn join_ranges(ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Whether one of these ranges, in their order and apart from each other, contains a place.
pub(crate) fn is_within(joined: &[Range<usize>], at: usize) -> bool {
    let next = joined.partition_point(|range| range.end <= at);
    joined.get(next).is_some_and(|range| range.contains(&at))
}
