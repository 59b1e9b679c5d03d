//! What a file has after the change and had not before, for judges without a model: they search it for secrets, whatever
//! the packet shows of the file.

use std::collections::HashMap;

use crate::change::{Hunk, LineKind};

/// The most bytes that are handed over at once, so that a pattern never runs over a line of many megabytes.
pub const MAX_ADDED_BYTES: usize = 64 << 10;

/// The bytes that two parts of one run have in common: what is no longer than this is whole in one of them.
pub const ADDED_OVERLAP: usize = 4 << 10;

/// Lines that stand below each other and that the change adds, or a part of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddedText<'a> {
    /// The line on the reviewed side, from 1, in which the text begins.
    pub first_line: u32,
    /// The lines. Bytes that are not UTF-8 are U+FFFD; NULs are left out, and lines that have some come a second time
    /// with spaces in their place, so that text which hides between them is found either way.
    pub text: &'a str,
}

/// Hands the lines that `new` has and `old` has not to `visit`, in order. A line that the old side has as often as the
/// new one was there before, wherever it stands now.
pub fn visit_added_lines(old: &[u8], new: &[u8], visit: &mut dyn FnMut(AddedText<'_>)) {
    visit_pass(old, new, NulReading::LeftOut, visit);
    // A NUL between the bytes of wide text is nothing, and one between two strings of a program parts them: both readings
    // are handed over.
    if new.contains(&0) {
        visit_pass(old, new, NulReading::Space, visit);
    }
    // Wide text behind padding is both: what stands between its letters is nothing, and the padding parts it from others.
    if new.windows(2).any(|pair| pair == [0, 0]) {
        visit_pass(old, new, NulReading::SpaceForSeveral, visit);
    }
}

/// What a NUL is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NulReading {
    LeftOut,
    /// Only lines that have a NUL are handed over.
    Space,
    /// One is nothing, several are spaces; only lines that have several are handed over.
    SpaceForSeveral,
}

impl NulReading {
    /// Whether a line reads otherwise than with NULs left out.
    fn applies_to(self, line: &[u8]) -> bool {
        match self {
            Self::LeftOut => true,
            Self::Space => line.contains(&0),
            Self::SpaceForSeveral => line.windows(2).any(|pair| pair == [0, 0]),
        }
    }

    /// What stands for a NUL between two pieces of text.
    fn between(self, before: &str, after: &str) -> &'static str {
        match self {
            Self::LeftOut => "",
            Self::Space => " ",
            Self::SpaceForSeveral if before.is_empty() || after.is_empty() => " ",
            Self::SpaceForSeveral => "",
        }
    }
}

/// One pass over the lines. Nothing is kept of them, for a file may hold a line for each of its bytes.
fn visit_pass(old: &[u8], new: &[u8], nul: NulReading, visit: &mut dyn FnMut(AddedText<'_>)) {
    let lines = |text| <[u8]>::split_inclusive(text, |&byte| byte == b'\n');
    let mut known: HashMap<&[u8], u32> = HashMap::new();
    for line in lines(old) {
        *known.entry(without_newline(line)).or_default() += 1;
    }
    let mut run = AddedRun::new(nul, visit);
    for (at, line) in lines(new).enumerate() {
        match known.get_mut(without_newline(line)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                run.end();
            }
            _ if !nul.applies_to(line) => run.end(),
            _ => run.push_line(u32::try_from(at + 1).unwrap_or(u32::MAX), line),
        }
    }
    run.end();
}

/// The same for the added lines of hunks, where nothing else is known of a file.
pub fn visit_added_hunks(hunks: &[Hunk], visit: &mut dyn FnMut(AddedText<'_>)) {
    let mut run = AddedRun::new(NulReading::LeftOut, visit);
    for line in hunks.iter().flat_map(Hunk::lines) {
        match (line.kind, line.new_no) {
            (LineKind::Added, Some(number)) => {
                run.push_line(number, line.text.as_bytes());
                run.push_text("\n");
            }
            _ => run.end(),
        }
    }
    run.end();
}

/// Collects added lines that stand below each other.
struct AddedRun<'v> {
    first_line: u32,
    text: String,
    /// Bytes at the beginning that were handed over already.
    seen: usize,
    nul: NulReading,
    visit: &'v mut dyn FnMut(AddedText<'_>),
}

impl<'v> AddedRun<'v> {
    fn new(nul: NulReading, visit: &'v mut dyn FnMut(AddedText<'_>)) -> Self {
        Self {
            first_line: 0,
            text: String::new(),
            seen: 0,
            nul,
            visit,
        }
    }

    fn push_line(&mut self, number: u32, line: &[u8]) {
        if self.text.is_empty() {
            self.first_line = number;
        }
        for chunk in line.utf8_chunks() {
            let mut before = None;
            for part in chunk.valid().split('\0') {
                self.push_text(before.map_or("", |before| self.nul.between(before, part)));
                self.push_text(part);
                before = Some(part);
            }
            if !chunk.invalid().is_empty() {
                self.push_text("\u{fffd}");
            }
        }
    }

    fn push_text(&mut self, mut text: &str) {
        while !text.is_empty() {
            let room = MAX_ADDED_BYTES.saturating_sub(self.text.len());
            let (part, rest) = text.split_at(text.floor_char_boundary(room));
            self.text.push_str(part);
            text = rest;
            if !text.is_empty() {
                self.hand_over(ADDED_OVERLAP);
            }
        }
    }

    /// Hands over what was collected and keeps its last bytes.
    fn hand_over(&mut self, keep: usize) {
        if self.text.len() > self.seen {
            (self.visit)(AddedText {
                first_line: self.first_line,
                text: &self.text,
            });
        }
        let cut = self.text.len().saturating_sub(keep);
        let cut = self.text.ceil_char_boundary(cut);
        let passed = count_newlines(&self.text.as_bytes()[..cut]);
        self.first_line = self.first_line.saturating_add(passed);
        self.text.drain(..cut);
        self.seen = self.text.len();
    }

    fn end(&mut self) {
        self.hand_over(0);
    }
}

fn without_newline(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

fn count_newlines(bytes: &[u8]) -> u32 {
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
    u32::try_from(lines).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(old: &[u8], new: &[u8]) -> Vec<(u32, String)> {
        let mut found = Vec::new();
        visit_added_lines(old, new, &mut |added| {
            found.push((added.first_line, added.text.to_owned()));
        });
        found
    }

    fn own(found: &[(u32, &str)]) -> Vec<(u32, String)> {
        found
            .iter()
            .map(|(line, text)| (*line, (*text).to_owned()))
            .collect()
    }

    #[test]
    fn lines_that_are_new_come_in_runs_with_their_number() {
        let old = b"a\nb\nc\n";
        assert_eq!(
            added(old, b"a\nx\ny\nc\nz\n"),
            own(&[(2, "x\ny\n"), (5, "z\n")])
        );
        assert_eq!(added(old, b"c\nb\na\n"), []);
        assert_eq!(added(old, b"a\na\n"), own(&[(2, "a\n")]));
        assert_eq!(added(b"", b"a\nb"), own(&[(1, "a\nb")]));
        assert_eq!(added(b"a\n", b""), []);
    }

    #[test]
    fn bytes_between_which_text_hides_are_left_out_or_replaced() {
        assert_eq!(added(b"", b"k\0e\0y\0\n\0")[..1], own(&[(1, "key\n")]));
        assert_eq!(added(b"", b"ab\0key\0c")[1], (1, "ab key c".to_owned()));
        assert_eq!(added(b"", b"caf\xe9 key"), own(&[(1, "caf\u{fffd} key")]));
    }

    #[test]
    fn wide_text_behind_padding_is_handed_over_on_its_own() {
        for token in [b"k\0e\0y\0".to_vec(), b"\0k\0e\0y".to_vec()] {
            let bytes = [b"MZ\0\0\0".to_vec(), token, vec![0; 3]].concat();
            let found = added(b"", &bytes);
            let alone = |(_, text): &(u32, String)| text.split(' ').any(|word| word == "key");
            assert!(found.iter().any(alone), "{found:?}");
        }
    }

    #[test]
    fn a_long_line_comes_in_parts_that_overlap() {
        let secret = "S".repeat(ADDED_OVERLAP / 2);
        for before in [
            MAX_ADDED_BYTES - 7,
            MAX_ADDED_BYTES,
            3 * MAX_ADDED_BYTES - ADDED_OVERLAP,
        ] {
            let text = format!(
                "x\n{}{secret}{}",
                "-".repeat(before),
                "-".repeat(9 * MAX_ADDED_BYTES)
            );
            let found = added(b"", text.as_bytes());
            assert!(found.iter().all(|(_, part)| part.len() <= MAX_ADDED_BYTES));
            let (line, _) = found
                .iter()
                .find(|(_, part)| part.contains(&secret))
                .unwrap();
            assert!(*line <= 2, "{line}");
        }
    }

    mod laws {
        use proptest::prelude::*;

        use super::*;

        proptest! {
            #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

            /// Whatever stands around a secret, it is handed over unless the old side had its line.
            #[test]
            fn every_line_that_is_new_is_handed_over(
                old in proptest::collection::vec("[ab]{0,2}", 0..6),
                new in proptest::collection::vec("[ab\\x00]{0,2}", 0..6),
                at in 0..7usize,
                nuls in proptest::collection::vec(0..20usize, 0..4),
                tail in proptest::collection::vec(any::<u8>(), 0..8),
            ) {
                let mut secret = b"AKIA1234567890".to_vec();
                for nul in nuls {
                    secret.insert(nul.min(secret.len()), 0);
                }
                let mut lines: Vec<Vec<u8>> = new.into_iter().map(String::into_bytes).collect();
                let at = at.min(lines.len());
                lines.insert(at, secret);
                lines.push(tail);
                let (old, new) = (old.join("\n"), lines.join(&b'\n'));
                let found = added(old.as_bytes(), &new);
                let holds = |(line, text): &(u32, String)| {
                    let offset = text.find("AKIA1234567890")?;
                    Some(*line as usize + text[..offset].matches('\n').count())
                };
                prop_assert_eq!(found.iter().find_map(holds), Some(at + 1), "{:?}", found);
            }
        }
    }
}
