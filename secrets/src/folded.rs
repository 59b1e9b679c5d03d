//! A text without what may stand between the letters of a secret, and without their case.

use std::ops::Range;

use icu_normalizer::DecomposingNormalizerBorrowed;

use crate::matcher::PLACEHOLDER;

/// Stands for a secret that is replaced already: nothing reaches over it.
const BREAK: u8 = 0;

/// The letters and digits of a text, in lower case.
#[derive(Debug)]
pub(crate) struct FoldedText {
    pub(crate) signs: Vec<u8>,
    /// Where each of them stands.
    places: Vec<usize>,
}

impl FoldedText {
    pub(crate) fn of(text: &str) -> Self {
        let mut folded = Self {
            signs: Vec::with_capacity(text.len()),
            places: Vec::with_capacity(text.len()),
        };
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            at += folded.push_next(text, at, c);
        }
        folded
    }

    /// Reads what begins at a place, and says how long that is.
    fn push_next(&mut self, text: &str, at: usize, c: char) -> usize {
        let rest = &text[at..];
        if c == '[' && rest.starts_with(PLACEHOLDER) {
            self.push(BREAK, at);
            return rest.find(']').map_or(rest.len(), |end| end + 1);
        }
        // An answer as it came holds its line breaks as escapes.
        if matches!(rest.as_bytes(), [b'\\', b'n' | b'r' | b't', ..]) {
            return 2;
        }
        let is_first = || !text[..at].ends_with(|c: char| c.is_alphanumeric());
        if c == '0' && is_hex_byte(rest) && is_first() {
            return 2;
        }
        if c.is_ascii_alphanumeric() {
            self.push(c.to_ascii_lowercase() as u8, at);
        } else if !c.is_ascii() {
            // `ä` may be written as one character or as two: what stands for both is the letter without its mark.
            let normalizer = DecomposingNormalizerBorrowed::new_nfd();
            let letters = normalizer.normalize_iter(std::iter::once(c));
            for letter in letters.filter(|letter| letter.is_alphanumeric()) {
                let letter = letter.to_ascii_lowercase();
                for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                    self.push(byte, at);
                }
            }
        }
        c.len_utf8()
    }

    fn push(&mut self, sign: u8, at: usize) {
        self.signs.push(sign);
        self.places.push(at);
    }

    /// Where a part stands in the text, its first and its last letter whole. None: there is no such part.
    pub(crate) fn place_of(&self, text: &str, part: &Range<usize>) -> Option<Range<usize>> {
        let start = *self.places.get(part.start)?;
        let last = *self.places.get(part.end.checked_sub(1)?)?;
        let end = text.ceil_char_boundary(last + 1);
        // The marks of its last letter belong to it.
        let marks = text[end..]
            .find(|c| !is_mark(c))
            .unwrap_or(text.len() - end);
        Some(text.floor_char_boundary(start)..end + marks)
    }
}

/// Whether a character is a mark of the letter before it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}')
}

/// Whether a text begins with one byte as programs write it: `0x4f`.
fn is_hex_byte(text: &str) -> bool {
    match text.as_bytes() {
        [b'0', b'x' | b'X', high, low, rest @ ..] => {
            let ends = rest.first().is_none_or(|b| !b.is_ascii_alphanumeric());
            high.is_ascii_hexdigit() && low.is_ascii_hexdigit() && ends
        }
        _ => false,
    }
}
