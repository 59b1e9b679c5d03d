//! Anchor proof: a quote counts when it is found in the reviewed text.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Location, quote};

/// What the search for a quote found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "proof", rename_all = "kebab-case")]
pub enum Proof {
    /// The quote stands where it was said to stand.
    Verified,
    /// The quote stands in the file, at another line.
    Relocated {
        /// The line, from 1, nearest to the claimed one.
        line: u32,
    },
    /// The quote stands in a line that the change removes.
    Removed {
        /// The line of the reviewed side before which it stood, from 1.
        line: u32,
        /// Its own number before the change, from 1.
        old_line: u32,
    },
    /// The quote was not found, or there was none.
    Unverified {
        /// Why, in words for a person.
        reason: String,
    },
}

impl Proof {
    /// Whether the quote was found.
    pub fn resolves(&self) -> bool {
        !matches!(self, Self::Unverified { .. })
    }

    /// The line of the reviewed side at which the quote was found that was said to stand at `claimed`; none: nowhere.
    pub fn place(&self, claimed: u32) -> Option<u32> {
        match self {
            Self::Verified => Some(claimed),
            Self::Relocated { line } | Self::Removed { line, .. } => Some(*line),
            Self::Unverified { .. } => None,
        }
    }

    /// The first and the last line of what was said to stand at a place: where its quote was found, unless that is a line of
    /// the stretch that it names. None: the quote was found nowhere.
    pub fn span(&self, claimed: &Location) -> Option<(u32, u32)> {
        let first = self.place(claimed.line)?;
        let end = claimed.end_line.unwrap_or(claimed.line).max(claimed.line);
        let is_inside =
            matches!(self, Self::Relocated { .. }) && (claimed.line..=end).contains(&first);
        let first = if is_inside { claimed.line } else { first };
        Some((first, first.saturating_add(end - claimed.line)))
    }

    fn unverified(reason: &str) -> Self {
        Self::Unverified {
            reason: reason.to_owned(),
        }
    }
}

/// The fewest characters, white space aside, that a quote must have to prove anything when it is not a whole line.
pub const MIN_QUOTE_CHARS: usize = 4;

/// Searches `quote`, said to start at `line` (from 1), in the lines of `text`; see [`Lines::prove`].
pub fn prove_quote(text: &str, line: u32, quote: &str) -> Proof {
    FileLines::of(text).prove(line, quote)
}

/// The lines of a text as quotes are compared with them; made once for all quotes from one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLines {
    /// The lines that are not empty, each with a space behind it.
    text: String,
    /// Where each line ends in `text`, its space included.
    ends: Vec<usize>,
}

impl FileLines {
    /// The lines of `text`, their white space normalised.
    pub fn of(text: &str) -> Self {
        let mut lines = Self {
            text: String::with_capacity(text.len()),
            ends: Vec::new(),
        };
        text.lines().for_each(|line| lines.push(line));
        lines
    }

    fn push(&mut self, line: &str) {
        squeeze_onto(&mut self.text, line);
        self.end_line();
    }

    fn end_line(&mut self) {
        if self.text.len() > self.start(self.len()) {
            self.text.push(' ');
        }
        self.ends.push(self.text.len());
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The line with this index, from 0.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = self.start(index);
        self.text.get(start..end.saturating_sub(1).max(start))
    }

    fn start(&self, index: usize) -> usize {
        let before = index
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        before.copied().unwrap_or(0)
    }

    /// Lines from 0 at which `wanted`, blanks squeezed, begins where the end of a line is a blank like others and an empty
    /// line is nothing.
    pub(crate) fn flowing(&self, wanted: &str) -> Vec<usize> {
        let line_of = |(at, _)| self.ends.partition_point(|&end| end <= at);
        self.text.match_indices(wanted).map(line_of).collect()
    }

    /// Searches `quote`, said to start at `line` (from 1).
    ///
    /// Lines are compared with outer white space removed and inner runs of white space as one space, since judges copy
    /// them from a diff. The first and the last line of the quote may be parts of theirs; those between must be whole.
    /// A quote shorter than [`MIN_QUOTE_CHARS`] counts only where it is a whole line. What is not found so is read once more
    /// without what stands around quotes (numbers, markers, fences, marks), over the ends of lines, as lines that are
    /// joined by a line end or an ellipsis, and without the blanks around operators. Letters that look the same are the
    /// same, and characters that nobody sees are none.
    pub fn prove(&self, line: u32, quote: &str) -> Proof {
        if WantedQuote::from_quote(quote).lines.is_empty() {
            return Proof::unverified("no quote was given");
        }
        // Most quotes stand where they are said to stand: a file of a million lines is not searched for each of them.
        if self.holds_at(line, quote) {
            return Proof::Verified;
        }
        let claimed = line as usize;
        let near = |found: Vec<usize>| {
            found
                .into_iter()
                .min_by_key(|&at| ((at + 1).abs_diff(claimed), at))
        };
        let readings = quote::readings(&as_seen(quote));
        let whole = || {
            readings
                .iter()
                .find_map(|reading| near(self.standing(reading)))
        };
        let flowing = || {
            readings
                .iter()
                .find_map(|reading| near(quote::flowing(self, reading)))
        };
        let joined = || {
            readings
                .iter()
                .find_map(|reading| near(quote::joined(self, reading)))
        };
        let tight = || {
            let lines = self.tightened();
            readings
                .iter()
                .find_map(|reading| near(lines.standing(&tighten(reading))))
        };
        match whole().or_else(flowing).or_else(joined).or_else(tight) {
            Some(at) if at + 1 == claimed => Proof::Verified,
            Some(at) => Proof::Relocated {
                line: u32::try_from(at + 1).unwrap_or(u32::MAX),
            },
            None if quote.trim().chars().count() < MIN_QUOTE_CHARS => {
                Proof::unverified("the quote is too short to tell which line is meant")
            }
            None => Proof::unverified("the quote does not stand in the file"),
        }
    }

    /// Whether `quote` stands at `line` (from 1) as it is given; see [`Self::prove`].
    pub fn holds_at(&self, line: u32, quote: &str) -> bool {
        let wanted = WantedQuote::from_quote(&as_seen(quote));
        let at = (line as usize).checked_sub(1);
        at.is_some_and(|at| !wanted.lines.is_empty() && wanted.stands_at(self, at))
    }

    /// The same lines without the blanks around operators and brackets: a formatter puts them there, and a model leaves
    /// them out.
    pub(crate) fn tightened(&self) -> Self {
        let mut lines = Self {
            text: String::with_capacity(self.text.len()),
            ends: Vec::with_capacity(self.ends.len()),
        };
        for line in (0..self.len()).filter_map(|index| self.get(index)) {
            if line.is_ascii() {
                tighten_onto(&mut lines.text, line);
                lines.end_line();
            } else {
                // Characters that meet may be one: `e`, a blank and an accent.
                let mut tight = String::with_capacity(line.len());
                tighten_onto(&mut tight, line);
                lines.push(&tight);
            }
        }
        lines
    }

    /// The reading of `quote` that stands at `line` (from 1) line by line, without what was put around it: numbers, markers,
    /// fences. None: it stands nowhere there, runs over the ends of lines, or joins lines that are apart.
    pub fn reading_at(&self, line: u32, quote: &str) -> Option<String> {
        let at = (line as usize).checked_sub(1)?;
        let readings = quote::readings(&as_seen(quote));
        let stands = |reading: &&String| self.stands_here(at, reading);
        let tight = |reading: &&String| self.stands_tightly(at, reading);
        let found = readings.iter().find(stands);
        found.or_else(|| readings.iter().find(tight)).cloned()
    }

    fn stands_here(&self, at: usize, quote: &str) -> bool {
        let wanted = WantedQuote::from_quote(quote);
        !wanted.lines.is_empty() && wanted.stands_at(self, at)
    }

    /// The same without the blanks around operators; only the lines in question are read again.
    fn stands_tightly(&self, at: usize, quote: &str) -> bool {
        /// The blanks of a line of a bundle are nobody's to leave out, and a copy of it would be large.
        const MAX_BYTES: usize = 1 << 20;
        let mut here = Self::default();
        let lines = (at..).map_while(|index| self.get(index));
        let lines = lines.take(quote.lines().count());
        if lines.clone().map(str::len).sum::<usize>() > MAX_BYTES {
            return false;
        }
        lines.for_each(|line| here.push(line));
        here.tightened().stands_here(0, &tighten(quote))
    }

    /// Lines from 0 at which a quote stands line by line.
    fn standing(&self, quote: &str) -> Vec<usize> {
        let wanted = WantedQuote::from_quote(quote);
        if wanted.lines.is_empty() {
            return Vec::new();
        }
        (0..self.len())
            .filter(|&at| wanted.stands_at(self, at))
            .collect()
    }

    /// The line, from 1, that is most like a quote which was not found, with its text; none: the file has nothing like it.
    pub fn nearest_line(&self, line: u32, quote: &str) -> Option<(u32, &str)> {
        let at = quote::nearest(self, line, quote)?;
        Some((u32::try_from(at + 1).ok()?, self.get(at)?))
    }
}

/// A quote without the empty lines around it.
struct WantedQuote {
    lines: Vec<String>,
    /// Too short to prove anything as part of a line.
    short: bool,
}

impl WantedQuote {
    fn from_quote(quote: &str) -> Self {
        let mut lines: Vec<String> = quote.lines().map(normalize_blanks).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let leading = lines.iter().take_while(|l| l.is_empty()).count();
        lines.drain(..leading);
        let short = lines.iter().map(|l| l.chars().count()).sum::<usize>() < MIN_QUOTE_CHARS;
        Self { lines, short }
    }

    fn stands_at(&self, text: &FileLines, at: usize) -> bool {
        let last = self.lines.len() - 1;
        self.lines.iter().enumerate().all(|(i, want)| {
            let Some(line) = text.get(at + i) else {
                return false;
            };
            if self.short {
                line == want
            } else if last == 0 {
                line.contains(want.as_str())
            } else if i == 0 {
                quote::ends_line(line, want)
            } else if i == last {
                line.starts_with(want.as_str())
            } else {
                quote::is_line(line, want)
            }
        })
    }
}

/// One line with its white space normalised, as [`prove`] compares it.
pub fn normalize_blanks(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    squeeze_onto(&mut out, line);
    out
}

/// Word by word, so that no long line is copied as a whole: no blank becomes one character with what stands beside it.
fn squeeze_onto(out: &mut String, line: &str) {
    let start = out.len();
    for word in line.split_whitespace().map(as_seen) {
        if out.len() > start && !word.is_empty() {
            out.push(' ');
        }
        out.push_str(&word);
    }
}

/// A line as a reader sees it: macOS writes `é` as two characters and every model as one, and what has no width cannot be
/// copied from a page.
fn as_seen(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let composer = ComposingNormalizerBorrowed::new_nfc();
    if line.contains(has_no_width) {
        // First: what it stood between may be one character.
        let visible = line.replace(has_no_width, "");
        Cow::Owned(composer.normalize(&visible).into_owned())
    } else {
        composer.normalize(line)
    }
}

fn has_no_width(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Lines without the blanks that stand beside something that is no part of a word.
fn tighten(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (nth, line) in text.lines().enumerate() {
        if nth > 0 {
            out.push('\n');
        }
        tighten_onto(&mut out, &normalize_blanks(line));
    }
    out
}

/// One line, its white space normalised.
fn tighten_onto(out: &mut String, line: &str) {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let start = out.len();
    let mut rest = line;
    while let Some(at) = rest.find(' ') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if is_word(out[start..].chars().next_back()) && is_word(rest.chars().next()) {
            out.push(' ');
        }
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn a() {\n    let x = 1;\n}\n\nfn b() {\n    let x = 1;\n}\n";

    #[test]
    fn found_where_claimed() {
        assert_eq!(prove_quote(TEXT, 2, "let x = 1;"), Proof::Verified);
        assert_eq!(prove_quote(TEXT, 6, "  let  x = 1;\n}"), Proof::Verified);
    }

    /// Law: what is looked up at its own line is found there exactly when the search of the whole file finds it there.
    #[test]
    fn a_quote_is_found_at_its_line_as_in_the_whole_file() {
        let words = [
            "let a = 1;",
            "  let  a = 1;",
            "",
            "}",
            "le\u{301}t a = 1;",
            "a",
        ];
        let texts = words
            .iter()
            .flat_map(|one| words.iter().map(move |two| format!("{one}\n{two}\n}}")));
        for text in texts {
            let lines = FileLines::of(&text);
            let quotes = words
                .iter()
                .flat_map(|one| words.iter().map(move |two| format!("{one}\n{two}")));
            for quote in quotes.chain(words.map(str::to_owned)) {
                let standing = lines.standing(&as_seen(&quote));
                for line in 0..6 {
                    let is_there = standing.iter().any(|&at| at + 1 == line as usize);
                    assert_eq!(
                        lines.holds_at(line, &quote),
                        is_there,
                        "{text:?} {quote:?} {line}"
                    );
                }
            }
        }
    }

    #[test]
    fn found_elsewhere_takes_the_nearest_line() {
        assert_eq!(
            prove_quote(TEXT, 7, "let x = 1;"),
            Proof::Relocated { line: 6 }
        );
        assert_eq!(prove_quote(TEXT, 0, "fn b()"), Proof::Relocated { line: 5 });
    }

    #[test]
    fn blanks_around_operators_are_no_difference() {
        let text = "def f(x):\n    y = x / 0\n    return g( y, 1 )\n";
        for quote in [
            "y = x/0",
            "y=x/0",
            "return g(y,1)",
            "y = x /0\nreturn g(y, 1)",
        ] {
            assert!(prove_quote(text, 2, quote).resolves(), "{quote:?}");
        }
        for quote in ["y = x/1", "yx / 0", "returng(y, 1)"] {
            assert!(!prove_quote(text, 2, quote).resolves(), "{quote:?}");
        }
    }

    #[test]
    fn what_looks_the_same_is_the_same() {
        let written = "s = \"cafe\u{301}\"\nkey = \"a\u{200b}b\"\n";
        assert_eq!(
            prove_quote(written, 1, "s = \"caf\u{e9}\""),
            Proof::Verified
        );
        assert_eq!(prove_quote(written, 2, "key = \"ab\""), Proof::Verified);
        assert_eq!(
            prove_quote("s = \"caf\u{e9}\"", 1, "s = \"cafe\u{301}\""),
            Proof::Verified
        );
        assert!(!prove_quote(written, 1, "s = \"cafe\"").resolves());
        let parted = "s = \"cafe\u{200b}\u{301}\"";
        assert_eq!(prove_quote(parted, 1, "s = \"caf\u{e9}\""), Proof::Verified);
    }

    #[test]
    fn a_made_up_quote_proves_nothing() {
        for quote in ["let y = 1;", "", "\n \n", "fn b() {\nfn a() {", "}x"] {
            assert!(!prove_quote(TEXT, 1, quote).resolves(), "{quote:?}");
        }
    }

    #[test]
    fn lines_are_kept_squeezed() {
        let lines = FileLines::of("a  b\n\n\tc\r\n");
        let all: Vec<_> = (0..4).map(|i| lines.get(i)).collect();
        assert_eq!(all, [Some("a b"), Some(""), Some("c"), None]);
        assert_eq!(lines.len(), 3);
        assert!(FileLines::of("").is_empty());
    }

    #[test]
    fn a_short_quote_must_be_the_whole_line() {
        assert_eq!(prove_quote(TEXT, 3, "}"), Proof::Verified);
        assert!(!prove_quote(TEXT, 2, "x").resolves());
    }
}
