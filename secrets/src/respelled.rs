//! A line as whoever reads it in the end has it: Markdown, HTML, JSON, URLs and programs write the signs of a token in
//! other ways, and some signs that are written are never seen.

use std::ops::Range;
use std::sync::LazyLock;

use crate::line_signs::{LineSigns, Sign};
use crate::word_finder::WordFinder;

/// What is written, and what it stands for.
const SPELLINGS: [(&str, &str); 20] = [
    ("\\_", "_"),
    ("\\-", "-"),
    ("&lowbar;", "_"),
    ("&underbar;", "_"),
    ("&hyphen;", "-"),
    ("&colon;", ":"),
    ("&period;", "."),
    ("&shy;", ""),
    ("&zwj;", ""),
    ("&zwnj;", ""),
    ("&nobreak;", ""),
    ("&zerowidthspace;", ""),
    ("<wbr>", ""),
    ("<wbr/>", ""),
    ("\u{ad}", ""),
    ("\u{200b}", ""),
    ("\u{200c}", ""),
    ("\u{200d}", ""),
    ("\u{2060}", ""),
    ("\u{feff}", ""),
];

/// Letters of other scripts, and below each of them the Latin letter that it looks like.
const LOOK_ALIKES: [&str; 2] = [
    "\u{430}\u{441}\u{435}\u{456}\u{458}\u{43a}\u{43e}\u{440}\u{455}\u{51d}\u{443}\u{445}\u{3b1}\u{3b9}\u{3ba}\u{3bf}\
     \u{3c1}\u{3c9}\u{410}\u{412}\u{421}\u{415}\u{406}\u{41a}\u{41c}\u{41d}\u{41e}\u{420}\u{405}\u{422}\u{425}\
     \u{4bb}\u{51b}\u{501}\u{4cf}\u{408}\u{423}\u{4ae}\u{3bd}\u{3c5}\u{3f2}\u{3f3}\u{391}\u{392}\u{395}\u{396}\
     \u{397}\u{399}\u{39a}\u{39c}\u{39d}\u{39f}\u{3a1}\u{3a4}\u{3a5}\u{3a7}\u{570}\u{575}\u{578}\u{57d}\u{581}\
     \u{585}",
    "aceijkopswyxaikopwABCEIKMHOPSTXhqdlJYYvucjABEZHIKMNOPTYXhjnugo",
];

/// The Latin letter that a Greek, Cyrillic or Armenian one looks like.
pub fn latin_letter(c: char) -> Option<&'static str> {
    // Most texts have nothing of these scripts.
    matches!(c, '\u{370}'..='\u{58f}').then_some(())?;
    let [others, latin] = LOOK_ALIKES;
    let at = others.chars().position(|other| other == c)?;
    latin.get(at..at + 1)
}

/// How the escapes begin that give a sign by its number.
const NUMBERED: [&str; 17] = [
    "\\u", "\\x", "\\0", "\\1", "&#", "%2", "%3", "%4", "%5", "%6", "%7", "=2", "=3", "=4", "=5",
    "=6", "=7",
];

static MARKS: LazyLock<Option<WordFinder>> = LazyLock::new(|| WordFinder::new(escape_marks()).ok());

/// How each sign that is written in another way begins.
pub(crate) fn escape_marks() -> impl Iterator<Item = &'static str> {
    SPELLINGS.iter().map(|(mark, _)| *mark).chain(NUMBERED)
}

/// A line in its plain spelling.
pub struct PlainSpelling {
    /// The line with each such sign written as itself.
    pub text: String,
    /// Where the text comes from, in order; a line may be of many megabytes, so equal steps are one piece.
    pieces: Vec<Piece>,
}

/// Signs of the text that the line writes with equally many bytes each.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Where the first of them stands in the text.
    start: usize,
    /// Where it stands in the line.
    place: usize,
    /// How many bytes of the line stand for one of the text.
    step: usize,
}

impl PlainSpelling {
    /// The same for a line with these signs.
    pub(crate) fn of_signed(line: &str, signs: &LineSigns) -> Option<Self> {
        signs.has(Sign::Escape).then(|| Self::of(line)).flatten()
    }

    /// None: the line has no other spelling.
    pub fn of(line: &str) -> Option<Self> {
        let mut plain: Option<Self> = None;
        let mut end = 0;
        for found in MARKS.as_ref()?.for_text(line).find_iter(line) {
            if found.start() < end {
                continue;
            }
            let written = &line[found.start()..];
            let (length, sign) = match SPELLINGS.get(found.pattern().as_usize()) {
                Some((_, sign)) => (found.len(), *sign),
                None => match numbered_sign(written) {
                    Some(numbered) => numbered,
                    None => continue,
                },
            };
            // An escape that was written into another text has its backslash escaped as well.
            let before = line[end..found.start()].trim_end_matches('\\').len();
            let start = match written.starts_with('\\') {
                true => end + before,
                false => found.start(),
            };
            let plain = plain.get_or_insert_with(|| Self::with_capacity(line.len()));
            plain.push_part(&line[end..start], end);
            end = found.start() + length;
            plain.push(sign, start, end - start);
        }
        let mut plain = plain?;
        plain.push_part(&line[end..], end);
        Some(plain)
    }

    /// A line in which words of Latin letters have no letters of other scripts that look like them. None: it has none.
    pub(crate) fn in_latin(line: &str) -> Option<Self> {
        if line.is_ascii() || !line.chars().any(|c| latin_letter(c).is_some()) {
            return None;
        }
        let mut latin = Self::with_capacity(line.len());
        let mut place = 0;
        for word in line.split_inclusive(|c: char| !c.is_alphanumeric()) {
            let is_mixed = word.contains(|c: char| c.is_ascii_alphabetic());
            for c in word.chars() {
                match latin_letter(c).filter(|_| is_mixed) {
                    Some(letter) => latin.push(letter, place, c.len_utf8()),
                    None => latin.push(c.encode_utf8(&mut [0; 4]), place, 1),
                }
                place += c.len_utf8();
            }
        }
        Some(latin)
    }

    fn with_capacity(length: usize) -> Self {
        Self {
            text: String::with_capacity(length),
            pieces: Vec::new(),
        }
    }

    fn push_part(&mut self, text: &str, place: usize) {
        self.push(text, place, 1);
    }

    /// One sign that is written with `step` bytes, or a part of the line as it is.
    fn push(&mut self, text: &str, place: usize, step: usize) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        let goes_on = self.pieces.last().is_some_and(|last| {
            last.step == step && last.place + (start - last.start) * step == place
        });
        if !goes_on {
            self.pieces.push(Piece { start, place, step });
        }
        self.text.push_str(text);
    }

    /// Where a part of the text stands in the line.
    pub fn place_of(&self, part: &Range<usize>) -> Range<usize> {
        let start = self.place(part.start).0;
        match part.end.checked_sub(1).filter(|last| *last >= part.start) {
            Some(last) => {
                let (place, step) = self.place(last);
                start..place + step
            }
            None => start..start,
        }
    }

    /// Where a byte of the text is written, and with how many bytes.
    fn place(&self, at: usize) -> (usize, usize) {
        let next = self.pieces.partition_point(|piece| piece.start <= at);
        match self.pieces.get(next.saturating_sub(1)) {
            Some(piece) => (piece.place + (at - piece.start) * piece.step, piece.step),
            None => (0, 1),
        }
    }
}

/// The sign that an escape gives by its number, and how long the escape is; an empty sign is one that is never seen.
fn numbered_sign(written: &str) -> Option<(usize, &'static str)> {
    let bytes = written.as_bytes();
    let (length, value) = match *bytes.first()? {
        b'\\' => after_backslash(bytes)?,
        b'%' => after_percent(bytes)?,
        b'=' => (3, number(bytes, 1..3, 16)?),
        _ => entity(bytes)?,
    };
    Some((length, sign_of(value)?))
}

/// `\u0067`, `\u{67}`, `\U00000067`, `\x67`, `\147` and `\0147`.
fn after_backslash(bytes: &[u8]) -> Option<(usize, u32)> {
    match bytes.get(1)? {
        b'u' if bytes.get(2) == Some(&b'{') => {
            let digits = bytes[3..].iter().take(8).position(|&b| b == b'}')?;
            Some((4 + digits, number(bytes, 3..3 + digits, 16)?))
        }
        b'u' => Some((6, number(bytes, 2..6, 16)?)),
        b'U' => Some((10, number(bytes, 2..10, 16)?)),
        b'x' | b'X' => Some((4, number(bytes, 2..4, 16)?)),
        b'0' => {
            // `\0601` is a `0` and a `1`, `\0147` is one letter.
            let long = number(bytes, 2..5, 8).filter(|&value| sign_of(value).is_some());
            let long = long.map(|value| (5, value));
            long.or_else(|| Some((4, number(bytes, 1..4, 8)?)))
        }
        _ => Some((4, number(bytes, 1..4, 8)?)),
    }
}

/// `%67`; `%2567` is that, written into a URL once more.
fn after_percent(bytes: &[u8]) -> Option<(usize, u32)> {
    let again = bytes[1..]
        .chunks_exact(2)
        .take_while(|pair| *pair == b"25")
        .count()
        * 2;
    let nested = number(bytes, 1 + again..3 + again, 16).map(|value| (3 + again, value));
    nested.or_else(|| Some((3, number(bytes, 1..3, 16)?)))
}

/// `&#103;` and `&#x67;`, whose last sign may be missing.
fn entity(bytes: &[u8]) -> Option<(usize, u32)> {
    let is_hex = bytes.get(2).is_some_and(|b| b.eq_ignore_ascii_case(&b'x'));
    let (start, radix) = if is_hex { (3, 16) } else { (2, 10) };
    let is_digit = |b: &&u8| char::from(**b).is_digit(radix);
    let digits = bytes.get(start..)?.iter().take(8).take_while(is_digit);
    let end = start + digits.count();
    let value = number(bytes, start..end, radix)?;
    let is_closed = bytes.get(end) == Some(&b';');
    Some((end + usize::from(is_closed), value))
}

fn number(bytes: &[u8], digits: Range<usize>, radix: u32) -> Option<u32> {
    let digits = bytes.get(digits).filter(|digits| !digits.is_empty())?;
    let mut values = digits.iter().map(|&b| char::from(b).to_digit(radix));
    values.try_fold(0_u32, |sum, value| {
        sum.checked_mul(radix)?.checked_add(value?)
    })
}

/// The signs from the blank to the tilde, one after another.
const SIGNS: &str = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/// A sign that may belong to a token or stand around it, or nothing where the number is that of a sign that is never
/// seen.
fn sign_of(value: u32) -> Option<&'static str> {
    match value {
        0xad | 0x200b..=0x200d | 0x2060 | 0xfeff => Some(""),
        _ => {
            let at = usize::try_from(value.checked_sub(0x20)?).ok()?;
            SIGNS.get(at..at + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(line: &str) -> Option<String> {
        PlainSpelling::of(line).map(|plain| plain.text)
    }

    #[test]
    fn each_spelling_of_a_sign_is_that_sign() {
        for written in [
            "\\u0067",
            "\\u{67}",
            "\\u{000067}",
            "\\U00000067",
            "\\x67",
            "\\\\x67",
            "\\\\\\\\u0067",
            "\\147",
            "\\0147",
            "%67",
            "%2567",
            "%252567",
            "=67",
            "&#103;",
            "&#103",
            "&#0103;",
            "&#x67;",
            "&#X0067;",
            "g\\u200b",
            "g\\u{ad}",
            "&#8203;g",
            "g\u{200d}",
            "&ZeroWidthSpace;g",
        ] {
            let line = format!("é {written}hp");
            assert_eq!(plain(&line).as_deref(), Some("é ghp"), "{written}");
        }
        // Numbers of other signs, and what is no number.
        for line in [
            "a\\u001b", "\\x1", "\\u{", "&#;", "%0a", "100%", "a == b", "\\99", "é",
        ] {
            assert_eq!(plain(line), None, "{line}");
        }
    }

    proptest::proptest! {
        /// What is found in the text stands at a place of the line that reads as it.
        #[test]
        fn a_part_stands_where_it_is_written(
            parts in proptest::collection::vec("[a-z]{1,3}|é|\\\\x6[1-9]|\\\\u006[1-9]|%6[1-9]|&shy;|\\\\_", 1..12),
            from in 0_usize..40, length in 1_usize..8,
        ) {
            let line = parts.concat();
            if let Some(plain) = PlainSpelling::of(&line) {
                let part = from..from + length;
                if let Some(text) = plain.text.get(part.clone()) {
                    let place = plain.place_of(&part);
                    let written = &line[place];
                    let read = PlainSpelling::of(written).map_or(written.to_owned(), |plain| plain.text);
                    proptest::prop_assert_eq!(read, text, "{} in {}", written, line);
                }
            }
        }
    }
}
