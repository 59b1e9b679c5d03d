//! One added line.

use std::borrow::Cow;
use std::collections::BTreeMap;

use council_secrets::SecretMatch;

use super::FileView;
use super::syntax::blank_spans;
use crate::lexer::{LexSpan, SpanKind};
use crate::rule::RuleHit;
use crate::told::count_more;

/// Parts of a line that have nothing in common. A line may hold a million of them.
#[derive(Debug, Default)]
pub(crate) struct ApartSpans(BTreeMap<usize, usize>);

impl ApartSpans {
    /// Where secrets stand that are apart from each other.
    pub(crate) fn of(secrets: &[SecretMatch<'_>]) -> Self {
        let spans = secrets.iter().map(|one| (one.span.start, one.span.end));
        Self(spans.collect())
    }

    /// Whether a secret has a part in common with one of them.
    pub(crate) fn meet(&self, secret: &SecretMatch<'_>) -> bool {
        // Of those that begin before its end, the last one ends last.
        let last = self.0.range(..secret.span.end).next_back();
        last.is_some_and(|(_, end)| *end > secret.span.start)
    }

    /// Adds a secret, if it is apart from all of them.
    fn insert(&mut self, secret: &SecretMatch<'_>) -> bool {
        let is_apart = !self.meet(secret);
        if is_apart {
            self.0.insert(secret.span.start, secret.span.end);
        }
        is_apart
    }
}

/// The most names of secrets that are told of a line.
const MAX_NAMES: usize = 12;

/// The most characters of a line that are quoted.
pub(crate) const MAX_QUOTE_CHARS: usize = 200;

/// One added line.
#[derive(Clone, Copy)]
pub(crate) struct LineView<'f, 'a> {
    pub(crate) file: &'f FileView<'a>,
    at: usize,
}

impl<'f, 'a> LineView<'f, 'a> {
    pub(crate) fn new(file: &'f FileView<'a>, at: usize) -> Self {
        Self { file, at }
    }

    /// The text without its carriage return.
    pub(crate) fn text(&self) -> &'a str {
        let text = self.file.lines[self.at].text;
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// The secrets of the line that are worth a finding and are asked for, apart from each other.
    pub(crate) fn find_secrets(
        &self,
        is_wanted: impl Fn(&SecretMatch<'_>) -> bool,
    ) -> Vec<SecretMatch<'static>> {
        let found = self.file.secrets_of(self.at, self.text());
        let mut apart = ApartSpans::default();
        let wanted = found
            .iter()
            .filter(|found| found.is_plausible && is_wanted(found))
            .filter(|found| apart.insert(found));
        wanted.cloned().collect()
    }

    /// ` There is 1 more in this line: Stripe (3f9a).` The digits tell these from others, so that a dismissal covers no more
    /// than what was there when it was made. Empty: it is the only one.
    pub(crate) fn count_more_secrets(
        &self,
        found: &[SecretMatch<'_>],
        name: impl Fn(&SecretMatch<'_>) -> String,
    ) -> String {
        let more = found.len().saturating_sub(1);
        if more == 0 {
            return String::new();
        }
        let mut names: Vec<String> = Vec::new();
        for name in found[1..].iter().map(name) {
            if names.contains(&name) {
                continue;
            }
            if names.len() == MAX_NAMES {
                names.push("…".to_owned());
                break;
            }
            names.push(name);
        }
        let place = format!("in this line: {}", names.join(", "));
        let values = found
            .iter()
            .map(|one| self.text()[one.span.clone()].to_owned());
        count_more(more, &place, values)
    }

    /// Its number after the change, from 1.
    pub(crate) fn number(&self) -> u32 {
        self.file.lines[self.at].new_no.unwrap_or_default()
    }

    /// White space before the first word, in bytes.
    pub(crate) fn indent(&self) -> usize {
        indent(self.text())
    }

    fn spans(&self) -> &'f [LexSpan] {
        self.file.syntax().spans(self.number())
    }

    /// The text with comments and what stands in literals blanked, byte for byte.
    pub(crate) fn code(&self) -> Cow<'a, str> {
        self.blanked(|_| true)
    }

    /// The text with comments blanked, byte for byte.
    pub(crate) fn without_comments(&self) -> Cow<'a, str> {
        self.blanked(|part| part == SpanKind::Comment)
    }

    fn blanked(&self, choose: impl Fn(SpanKind) -> bool) -> Cow<'a, str> {
        match self.spans() {
            [] => Cow::Borrowed(self.text()),
            spans => Cow::Owned(blank_spans(self.text(), spans, choose)),
        }
    }

    /// The comments of the line, with their marks.
    pub(crate) fn comments(&self) -> impl Iterator<Item = &'a str> {
        self.parts_of(SpanKind::Comment).map(|(_, text)| text)
    }

    /// The literals of the line, with their marks and where they begin.
    pub(crate) fn literals(&self) -> impl Iterator<Item = (usize, &'a str)> {
        self.parts_of(SpanKind::Literal)
    }

    /// Whether a byte of the line stands inside a literal, its first mark aside.
    pub(crate) fn in_literal(&self, at: usize) -> bool {
        self.literals()
            .any(|(start, text)| start < at && at < start + text.len())
    }

    fn parts_of(&self, part: SpanKind) -> impl Iterator<Item = (usize, &'a str)> {
        let text = self.text();
        let spans = self.spans().iter().filter(move |span| span.part == part);
        spans.filter_map(move |span| {
            let end = span.end.min(text.len());
            text.get(span.start..end).map(|part| (span.start, part))
        })
    }

    /// Whether a program packed it.
    pub(crate) fn is_packed(&self) -> bool {
        self.file.is_packed_line(self.number())
    }

    /// Whether the line stands in a test.
    pub(crate) fn in_test(&self) -> bool {
        self.file.in_test(self.number())
    }

    /// The line so many below (above, when negative) after the change.
    pub(crate) fn text_near(&self, by: i32) -> Option<&'f str> {
        self.file.line_text(self.number().checked_add_signed(by)?)
    }

    /// The next line below that is not blank, after the change.
    pub(crate) fn next_text(&self) -> Option<&'f str> {
        (1..20)
            .map_while(|by| self.text_near(by))
            .find(|text| !text.trim().is_empty())
    }

    /// A finding about this line that quotes it.
    pub(crate) fn line_hit(&self, description: impl Into<String>) -> RuleHit {
        RuleHit {
            line: self.number(),
            quote: clip_start(self.text().trim()).to_owned(),
            ..self.file.file_hit(description)
        }
    }

    /// Like [`Self::hit`], for this line and those below up to `last`.
    pub(crate) fn lines_hit(&self, last: u32, description: impl Into<String>) -> RuleHit {
        RuleHit {
            end_line: (last > self.number()).then_some(last),
            ..self.line_hit(description)
        }
    }
}

/// White space before the first word of a line, in bytes.
pub(crate) fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The start of a line, as long as a quote may be and not within a letter.
pub(crate) fn clip_start(text: &str) -> &str {
    let mut ends = text.char_indices().skip(MAX_QUOTE_CHARS);
    let Some((full, _)) = ends.clone().next() else {
        return text;
    };
    let whole = ends
        .by_ref()
        .take(MAX_JOINED)
        .find(|(_, c)| !joins_letter_before(*c));
    &text[..whole.map_or(full, |(end, _)| end)]
}

/// The end of a text, as long as a quote may be and not within a letter.
pub(crate) fn clip_end(text: &str) -> &str {
    let starts = text.char_indices().rev().take(MAX_QUOTE_CHARS);
    let first = starts.clone().last();
    let whole = starts.filter(|(_, c)| !joins_letter_before(*c)).last();
    whole.or(first).map_or(text, |(start, _)| &text[start..])
}

/// The most signs that a letter may be made of.
const MAX_JOINED: usize = 32;

/// Whether a sign may become one with the letter before it when texts are compared: a letter without its accent is another
/// one, and a quote that ends between them stands nowhere. What accents, vowels and half letters lie in is a superset.
fn joins_letter_before(sign: char) -> bool {
    matches!(u32::from(sign), 0x300..=0x36f | 0x483..=0x489 | 0x591..=0x5c7 | 0x610..=0x65f | 0x900..=0xdff
        | 0x1000..=0x109f | 0x1160..=0x11ff | 0x1ab0..=0x1aff | 0x1b00..=0x1bff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff
        | 0x3099..=0x309a | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f | 0x1_1000..=0x1_1fff | 0x1_d165..=0x1_d1ad)
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::*;

    /// A secret of that place.
    fn secret_at(span: std::ops::Range<usize>) -> SecretMatch<'static> {
        SecretMatch {
            kind: "secret",
            owner: "a secret",
            shape: council_secrets::SecretShape::QuotedValue,
            random: span.clone(),
            label: span.start..span.start,
            is_plausible: true,
            is_provider: false,
            span,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: a secret meets others as it meets one of them, said as slowly as it can be.
        #[test]
        fn a_secret_meets_those_that_it_has_a_part_in_common_with(
            spans in prop::collection::vec((0_usize..30, 1_usize..6), 0..12), at in 0_usize..40, length in 1_usize..6,
        ) {
            let mut apart = ApartSpans::default();
            let all = spans.into_iter().map(|(start, length)| secret_at(start..start + length));
            let kept: Vec<_> = all.filter(|one| apart.insert(one)).collect();
            let new = secret_at(at..at + length);
            let meets = |old: &SecretMatch<'_>| old.span.start < new.span.end && new.span.start < old.span.end;
            prop_assert_eq!(apart.meet(&new), kept.iter().any(meets));
            prop_assert_eq!(ApartSpans::of(&kept).meet(&new), kept.iter().any(meets));
        }
    }
}
