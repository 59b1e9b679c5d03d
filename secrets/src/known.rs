//! Secrets by their value: what was taken out of the change is taken out of every answer that repeats it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::derived::DerivedForms;
use crate::known_lines::KnownLines;
use crate::matcher::PLACEHOLDER;
use crate::plausible::{is_common_password, is_drawn};
use crate::redactor::SecretSpan;
use crate::value::{MIN_DRAWN, is_drawn_value};

/// The most bytes of values that are kept: a change that is one heap of secrets must not fill the memory.
const MAX_BYTES: usize = 1 << 20;

/// Bytes of a piece of a token that give it away: 48 bits and more of what was drawn.
const PIECE: usize = 8;

/// Shorter values count only as words of their own.
pub(crate) const MIN_ANYWHERE: usize = 12;

/// Values that were found to be secret.
#[derive(Debug, Default)]
pub(crate) struct KnownValues {
    /// Value → kind. Sorted, so that the same change makes the same redactor.
    whole: BTreeMap<String, Arc<str>>,
    /// Pieces of what was drawn at random → the number of its kind. There is one for nearly each byte of all values.
    pieces: HashMap<[u8; PIECE], u16>,
    /// All of them in the other forms that somebody may give them.
    derived: DerivedForms,
    /// Lines that lines around them give away.
    pub(crate) lines: KnownLines,
    bytes: usize,
    /// What was inserted, each value with what of it was drawn: a change may repeat one a million times.
    inserted: HashSet<(String, Option<String>)>,
    /// The kinds of all of them, each once: there may be hundreds of thousands of values.
    kinds: Vec<Arc<str>>,
    /// Values that no code can be. Each value stands in one finder: they are the largest of what is kept.
    drawn: ValueFinder,
    /// Values that code may be, too, such as words.
    other: ValueFinder,
}

/// Finds some of the values.
#[derive(Debug, Default)]
struct ValueFinder {
    finder: Option<AhoCorasick>,
    /// The kinds of what it finds.
    kinds: Vec<Arc<str>>,
}

impl ValueFinder {
    fn of(values: Vec<(&String, &Arc<str>)>) -> Self {
        let (values, kinds): (Vec<&str>, Vec<Arc<str>>) = values
            .into_iter()
            .map(|(value, kind)| (value.as_str(), Arc::clone(kind)))
            .unzip();
        let finder = finder_of(values);
        Self { finder, kinds }
    }

    /// Where values stand in a line, the leftmost and longest first, each with its kind.
    fn find<'k>(&'k self, line: &str) -> impl Iterator<Item = (Range<usize>, &'k str)> {
        let found = self
            .finder
            .iter()
            .flat_map(move |finder| finder.find_iter(line));
        found.map(|found| (found.range(), &*self.kinds[found.pattern().as_usize()]))
    }
}

impl KnownValues {
    /// Keeps the value of a span of `line`.
    pub(crate) fn insert(&mut self, line: &str, span: &SecretSpan<'_>) {
        let whole = value_of(line, span);
        if self.bytes + whole.len() > MAX_BYTES || !is_specific(whole, span.is_guess) {
            return;
        }
        let random = span.random.clone().map(|random| &line[random]);
        let value = (whole.to_owned(), random.map(str::to_owned));
        if !self.inserted.insert(value) {
            return;
        }
        self.bytes += whole.len();
        let (number, kind) = self.shared_kind(span.kind);
        // What all tokens of a kind begin with gives none of them away.
        self.derived
            .insert(&kind, random.unwrap_or(whole), span.is_guess);
        if let Some(random) = random {
            for piece in random.as_bytes().windows(PIECE) {
                let piece = piece.try_into().unwrap_or_default();
                self.pieces.entry(piece).or_insert(number);
            }
        }
        for form in written_forms(whole) {
            self.whole.entry(form).or_insert_with(|| Arc::clone(&kind));
        }
    }

    /// Keeps the value of a span of `line` where it can be nothing but this secret, as it is written.
    pub(crate) fn insert_drawn(&mut self, line: &str, span: &SecretSpan<'_>) {
        let value = value_of(line, span);
        if self.bytes + value.len() > MAX_BYTES || !may_repeat(value) {
            return;
        }
        self.bytes += value.len();
        let (_, kind) = self.shared_kind(span.kind);
        self.whole.entry(value.to_owned()).or_insert(kind);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// All that is kept, in its order.
    #[cfg(test)]
    pub(crate) fn told(&self) -> String {
        let pieces: BTreeMap<_, _> = self.pieces.iter().collect();
        format!("{:?} {pieces:?} {}", self.whole, self.lines.told())
    }

    /// A kind and its number. There are a few hundred, and nearly all values of a change are of the same few.
    fn shared_kind(&mut self, kind: &str) -> (u16, Arc<str>) {
        let known = self.kinds.iter().position(|known| **known == *kind);
        let at = known.unwrap_or_else(|| {
            self.kinds.push(kind.into());
            self.kinds.len() - 1
        });
        (
            u16::try_from(at).unwrap_or_default(),
            Arc::clone(&self.kinds[at]),
        )
    }

    /// Prepares the search; call it when all values are there.
    pub(crate) fn build(&mut self) {
        let (drawn, other) = self.whole.iter().partition(|(value, _)| may_repeat(value));
        (self.drawn, self.other) = (ValueFinder::of(drawn), ValueFinder::of(other));
    }

    /// Where a line of a file repeats a value that can be nothing but this secret.
    pub(crate) fn find_drawn<'k>(&'k self, line: &str, spans: &mut Vec<SecretSpan<'k>>) {
        let mut shown = None;
        for (range, kind) in self.drawn.find(line) {
            let shown = shown.get_or_insert_with(|| placeholders(line));
            let is_value = || is_no_code(&line[range.clone()]) || is_written_out(line, &range);
            if is_word(line, &range) && !overlaps_any(shown, &range) && is_value() {
                spans.push(SecretSpan::of_known(kind, range));
            }
        }
    }

    /// Where a text of any number of lines holds a value in another form.
    pub(crate) fn find_derived(&self, text: &str) -> Vec<SecretSpan<'_>> {
        self.derived.find(text)
    }

    /// Where a line repeats a value, or a piece of one.
    pub(crate) fn find<'k>(&'k self, line: &str, spans: &mut Vec<SecretSpan<'k>>) {
        if self.drawn.finder.is_none() && self.other.finder.is_none() {
            return;
        }
        let shown = placeholders(line);
        let is_free = |range: &Range<usize>| !overlaps_any(&shown, range);
        for (range, kind) in self.drawn.find(line).chain(self.other.find(line)) {
            if is_free(&range) && (range.len() >= MIN_ANYWHERE || is_word(line, &range)) {
                spans.push(SecretSpan::of_known(kind, range));
            }
        }
        // Many pieces may stand in one word, and each of them would look for its ends again.
        let mut last = 0..0;
        for (at, key) in line.as_bytes().windows(PIECE).enumerate() {
            let piece = at..at + PIECE;
            let is_gone = last.start <= at && piece.end <= last.end;
            let key: [u8; PIECE] = key.try_into().unwrap_or_default();
            // No word reaches into a placeholder, or out of one, but in a piece that does.
            let number = self
                .pieces
                .get(&key)
                .filter(|_| !is_gone && is_free(&piece));
            if let Some(kind) = number.and_then(|at| self.kinds.get(usize::from(*at))) {
                last = whole_word(line, piece, &last);
                spans.push(SecretSpan::of_known(kind, last.clone()));
            }
        }
    }
}

/// The value of a span, without what encloses it.
fn value_of<'l>(line: &'l str, span: &SecretSpan<'_>) -> &'l str {
    let is_edge = |c: char| c.is_whitespace() || "\"'`,;".contains(c);
    line[span.range.clone()].trim_matches(is_edge)
}

/// What finds these values, the longest first; none: there are none.
fn finder_of(values: Vec<&str>) -> Option<AhoCorasick> {
    if values.is_empty() {
        return None;
    }
    let finder = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        // Another kind takes time in the square of the length of a value such as `AAAA…`.
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(values);
    // Bounded by `MAX_BYTES`: it cannot be too large.
    finder.ok()
}

/// How often letters and digits take turns in a value, at least, that nobody has thought of.
const MIN_TURNS: usize = 4;

/// Whether a value can be no code: one word, drawn at random. Whoever calls a function as a password is called must not hide
/// the calls.
fn is_no_code(value: &str) -> bool {
    let is_word = value.bytes().all(|b| b.is_ascii_alphanumeric());
    let bytes = value.as_bytes();
    let turns = bytes
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit());
    is_word && is_drawn(value) && turns.count() >= MIN_TURNS
}

/// Whether a value is looked for on the other lines: nobody writes it by accident.
fn may_repeat(value: &str) -> bool {
    is_no_code(value) || (value.len() >= MIN_DRAWN && is_drawn_value(value))
}

/// Whether a shorter value stands where no code can: between quotes, behind a colon or an equals sign, or as all that is
/// left of a line behind the key of a setting.
fn is_written_out(line: &str, range: &Range<usize>) -> bool {
    let (before, behind) = (&line[..range.start], &line[range.end..]);
    let is_between = before.ends_with(['"', '\'', '`']) && behind.starts_with(['"', '\'', '`']);
    let is_end = behind.is_empty() || behind.starts_with([' ', '&', '@', '"', '\'']);
    let is_setting = before.ends_with(": ") && behind.trim_end().is_empty();
    is_between || is_setting || (before.ends_with([':', '=']) && is_end)
}

/// A value as it is written, as JSON writes it, and without the escapes of a URL.
fn written_forms(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned()];
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
    let decoded = percent_encoding::percent_decode_str(value).decode_utf8_lossy();
    for form in [escaped, decoded.into_owned()] {
        if form.len() >= 4 && !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// Whether a value can only be this secret. What was hidden for the name of its file alone may be any word.
fn is_specific(value: &str, is_guess: bool) -> bool {
    let has = |class: fn(char) -> bool| value.chars().any(class);
    let is_mixed = has(char::is_alphabetic)
        && (has(|c| c.is_ascii_digit()) || has(|c| c.is_ascii_punctuation()));
    let is_common = is_everyday(value) || value.contains(PLACEHOLDER);
    if is_guess {
        value.len() >= 6 && is_mixed && !is_common
    } else {
        value.len() >= 4 && !is_common
    }
}

/// Whether a value is a word of ordinary text, which nobody could read any more if it were replaced. Who has such a
/// password has none.
pub(crate) fn is_everyday(value: &str) -> bool {
    const WORDS: [&str; 32] = [
        "admins",
        "changeme",
        "client",
        "code",
        "data",
        "database",
        "debug",
        "default",
        "demo",
        "development",
        "example",
        "false",
        "hello",
        "key",
        "localhost",
        "login",
        "name",
        "none",
        "null",
        "private",
        "production",
        "public",
        "release",
        "server",
        "service",
        "staging",
        "string",
        "testing",
        "tests",
        "true",
        "value",
        "world",
    ];
    is_common_password(value) || WORDS.contains(&value.to_ascii_lowercase().as_str())
}

pub(crate) fn is_word(line: &str, range: &Range<usize>) -> bool {
    let outer = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    outer(line[..range.start].chars().next_back()) && outer(line[range.end..].chars().next())
}

/// A piece with what stands around it in the same word. `last` is the word before it that goes: where both are one, it
/// begins with that.
fn whole_word(line: &str, piece: Range<usize>, last: &Range<usize>) -> Range<usize> {
    let is_word = |b: &&u8| b.is_ascii_alphanumeric() || b"_-".contains(b);
    // A dot joins the parts of a token; at its end it closes a sentence.
    let is_joined = |b: &&u8| **b == b'.' || is_word(b);
    let bytes = line.as_bytes();
    let between = &bytes[last.end.min(piece.start)..piece.start];
    let left = between.iter().rev().take_while(is_joined).count();
    let is_one = left == between.len() && bytes[..last.end].last().as_ref().is_some_and(is_joined);
    let right = bytes[piece.end..].iter().take_while(is_word).count();
    let start = if is_one || piece.start < last.end {
        last.start
    } else {
        piece.start - left
    };
    // What was drawn may hold letters of several bytes, and a piece may begin or end inside of one.
    line.floor_char_boundary(start)..line.ceil_char_boundary(piece.end + right)
}

/// What stands for secrets in a line already, in its order.
fn placeholders(line: &str) -> Vec<Range<usize>> {
    let mut end = 0;
    let starts = line.match_indices(PLACEHOLDER);
    let range = |(at, _): (usize, &str)| {
        // One that is not closed goes on to the end of the line, and so do all behind it.
        if end <= at {
            end = line[at..].find(']').map_or(line.len(), |end| at + end + 1);
        }
        at..end
    };
    starts.map(range).collect()
}

/// Whether a range meets one of these, which are in their order by both of their ends.
fn overlaps_any(sorted: &[Range<usize>], range: &Range<usize>) -> bool {
    let next = sorted.partition_point(|other| other.end <= range.start);
    sorted
        .get(next)
        .is_some_and(|other| other.start < range.end)
}

#[cfg(test)]
mod laws {
    use std::borrow::Cow;

    use proptest::prelude::*;

    use super::*;
    use crate::Redactor;
    use crate::replaced::push_redacted;

    const TOKEN: &str = "q7Zt.k2-Wm/9xRb4_LpVn8.cD1";

    /// Law: however often a value is repeated, no other one is forgotten for it.
    #[test]
    fn a_value_that_is_repeated_takes_no_room_from_others() {
        let repeated = format!("Authorization: Bearer {TOKEN}");
        let text = format!(
            "{}password = \"Gx71-late-Vm40\"",
            format!("{repeated}\n").repeat(80_000)
        );
        let redactor = Redactor::default().knowing([(Some(Cow::Borrowed("a.txt")), text.lines())]);
        for said in [
            format!("I saw {TOKEN} there."),
            "It is Gx71-late-Vm40, then.".to_owned(),
        ] {
            let shown = redactor.redact_words(&said);
            assert_eq!(shown.secrets, 1, "{}", shown.text);
        }
    }

    /// Found by fuzzing: the program ended where a piece was cut through a letter.
    #[test]
    fn a_word_begins_and_ends_with_whole_letters() {
        let line = "x\u{e9}1234567\u{e9}";
        for piece in [2..10, 3..11, 3..10] {
            let found = whole_word(line, piece.clone(), &(0..0));
            assert!(line.is_char_boundary(found.start) && line.is_char_boundary(found.end));
            assert!(
                found.start <= piece.start && found.end >= piece.end,
                "{found:?}"
            );
        }
    }

    /// What is meant: each value and each piece with its word, as slow as it can be said.
    fn find_plainly<'k>(known: &'k KnownValues, line: &str, spans: &mut Vec<SecretSpan<'k>>) {
        let is_free = |range: &Range<usize>| {
            let mut shown = line.match_indices(PLACEHOLDER).map(|(at, _)| {
                let end = line[at..].find(']').map_or(line.len(), |end| at + end + 1);
                at..end
            });
            !shown.any(|other| other.start < range.end && range.start < other.end)
        };
        for (range, kind) in known.drawn.find(line).chain(known.other.find(line)) {
            if is_free(&range) && (range.len() >= MIN_ANYWHERE || is_word(line, &range)) {
                spans.push(SecretSpan::of_known(kind, range));
            }
        }
        for (at, piece) in line.as_bytes().windows(PIECE).enumerate() {
            let key: [u8; PIECE] = piece.try_into().unwrap_or_default();
            let word = whole_word(line, at..at + PIECE, &(0..0));
            if let Some(at) = known.pieces.get(&key).filter(|_| is_free(&word)) {
                spans.push(SecretSpan::of_known(&known.kinds[usize::from(*at)], word));
            }
        }
    }

    /// Pieces of the token, words, dots and placeholders, in any order and without anything between them.
    fn line() -> impl Strategy<Value = String> {
        let piece = (0..TOKEN.len(), 1_usize..16)
            .prop_map(|(at, length)| TOKEN[at..(at + length).min(TOKEN.len())].to_owned());
        let sign = "[a-c._ /\\]-]{1,4}";
        let part = prop_oneof![
            4 => piece,
            2 => sign,
            1 => Just(TOKEN.to_owned()),
            1 => Just(PLACEHOLDER.to_owned()),
            1 => Just("[redacted: key]".to_owned()),
        ];
        prop::collection::vec(part, 0..10).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_known_goes_as_if_every_piece_were_looked_at_by_itself(line in line()) {
            let text = format!("Authorization: Bearer {TOKEN}");
            let redactor = Redactor::default().knowing([(Some(Cow::Borrowed("a.txt")), text.lines())]);
            let known = redactor.known_values();
            prop_assert!(!known.pieces.is_empty(), "the token is known");
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            known.find(&line, &mut fast);
            find_plainly(known, &line, &mut slow);
            let shown = |spans| {
                let mut out = String::new();
                (push_redacted(&mut out, &line, spans), out)
            };
            prop_assert_eq!(shown(fast), shown(slow));
        }
    }
}
