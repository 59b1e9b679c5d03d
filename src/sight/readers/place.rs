//! A line that may read a name, and the name that is looked for so.

use super::super::search::{FileHits, FileOutline, is_whole_name};
use super::super::wanted::{NameReason, WantedName};
use super::reader::Reader;

/// A name that is looked for only as one that reads it spells it.
pub(super) fn read_name(text: &str, reason: NameReason, reader: Reader) -> WantedName {
    WantedName {
        uses: false,
        // Whoever looks for the same word as code decides what of it is meant.
        is_bare: true,
        is_local: true,
        is_key_alone: true,
        readers: [reader].into(),
        ..WantedName::new(text, reason)
    }
}

/// The line of a place in a text.
pub(super) fn line_of(text: &str, at: usize) -> u32 {
    let before = &text.as_bytes()[..at.min(text.len())];
    let lines = memchr::memchr_iter(b'\n', before).count();
    u32::try_from(lines + 1).unwrap_or(u32::MAX)
}

/// A line of a file that may read a name.
pub(super) struct ReadingPlace<'a, 't> {
    pub(super) name: &'a str,
    pub(super) line: u32,
    pub(super) file: &'a FileHits,
    pub(super) outline: &'a FileOutline<'t>,
}

impl<'a> ReadingPlace<'a, '_> {
    /// The line without comments.
    pub(super) fn code(&self) -> &'a str {
        self.outline.without_comment(self.line)
    }

    /// What stands before and behind the name, at each of its places.
    pub(super) fn around(&self) -> Vec<(&'a str, &'a str)> {
        let (code, name) = (self.code(), self.name);
        let is_whole = |at: usize| is_whole_name(code.as_bytes(), at, at + name.len());
        let places = code.match_indices(name).map(|(at, _)| at);
        let places = places.filter(|at| is_whole(*at));
        places
            .map(|at| (&code[..at], &code[at + name.len()..]))
            .collect()
    }
}
