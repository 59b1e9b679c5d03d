//! A text with placeholders where its secrets stood.

use crate::known::KnownValues;
use crate::matcher::PLACEHOLDER;
use crate::redactor::{RedactedText, SecretSpan};

/// Secrets of a text in its order, as little of each as it takes: a text may hold a million of them.
#[derive(Debug, Default)]
pub(crate) struct FoundSpans<'k> {
    kinds: Vec<&'k str>,
    spans: Vec<FoundSpan>,
}

#[derive(Debug, Clone, Copy)]
struct FoundSpan {
    /// Where it stands in the text.
    start: usize,
    end: usize,
    /// By its place among the kinds, of which there are a few hundred at most.
    kind: u32,
}

impl<'k> FoundSpans<'k> {
    /// Adds those of the line that begins at `start`.
    pub(crate) fn extend(&mut self, start: usize, spans: Vec<SecretSpan<'k>>) {
        for span in spans {
            let known = self.kinds.iter().position(|kind| *kind == span.kind);
            let kind = known.unwrap_or_else(|| {
                self.kinds.push(span.kind);
                self.kinds.len() - 1
            });
            self.spans.push(FoundSpan {
                start: start + span.range.start,
                end: start + span.range.end,
                kind: kind as u32,
            });
        }
    }

    /// Those of each line of a text, in their order.
    fn by_line<'f>(
        &'f self,
        text: &'f str,
    ) -> impl Iterator<Item = (&'f str, Vec<SecretSpan<'k>>)> + use<'f, 'k> {
        let mut left = self.spans.as_slice();
        lines_of(text).map(move |(start, line)| {
            let end = start + line.len();
            let count = left.iter().take_while(|span| span.end <= end).count();
            let (here, rest) = left.split_at(count);
            left = rest;
            let of_line = |span: &FoundSpan| {
                let range = span.start - start..span.end - start;
                SecretSpan::of_known(self.kinds[span.kind as usize], range)
            };
            (line, here.iter().map(of_line).collect())
        })
    }
}

/// The lines of a text without their ends, and where each of them begins.
pub(crate) fn lines_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = end;
        end += line.len();
        (start, line.strip_suffix('\n').unwrap_or(line))
    })
}

/// A text without what was found on its lines. A drawn value that one of them gives away is shown on none of them, and
/// neither is one of its `own`, which a line below gives away.
pub(crate) fn replace_found(
    text: &str,
    found: &FoundSpans<'_>,
    mut own: KnownValues,
) -> RedactedText {
    if found.spans.is_empty() && own.is_empty() {
        let text = text.to_owned();
        return RedactedText { text, secrets: 0 };
    }
    for (line, spans) in found.by_line(text) {
        spans.iter().for_each(|span| own.insert_drawn(line, span));
    }
    if !own.is_empty() {
        own.build();
    }
    // A placeholder may be longer than what it stands for: text of many megabytes must not be copied for it.
    let mut out = String::with_capacity(text.len() + text.len() / 64);
    let mut secrets = 0;
    for (line, mut spans) in found.by_line(text) {
        own.find_drawn(line, &mut spans);
        secrets += push_redacted(&mut out, line, spans);
        out.push('\n');
    }
    if !text.ends_with('\n') {
        out.pop();
    }
    RedactedText { text: out, secrets }
}

/// Takes out what is known in another form, and says how many times. Where a placeholder stands now, a word may end
/// that went on before: what is left is looked at again.
pub(crate) fn redact_derived(known: &KnownValues, text: &mut String) -> usize {
    const MAX_PASSES: usize = 8;
    let mut secrets = 0;
    for _ in 0..MAX_PASSES {
        let spans = known.find_derived(text);
        if spans.is_empty() {
            break;
        }
        let parts = spans.iter().flat_map(|span| parts_of_lines(text, span));
        let mut out = String::with_capacity(text.len());
        secrets += push_redacted(&mut out, text, parts.collect());
        *text = out;
    }
    secrets
}

/// The parts of a place that stand in one line each: lines stay lines.
fn parts_of_lines<'k>(
    text: &str,
    span: &SecretSpan<'k>,
) -> impl Iterator<Item = SecretSpan<'k>> + use<'k> {
    let mut end = span.range.start;
    let lines = text[span.range.clone()].split_inclusive('\n');
    let parts: Vec<SecretSpan<'k>> = lines
        .map(|line| {
            let start = end;
            end += line.len();
            start..start + line.trim_end_matches(['\n', '\r']).len()
        })
        .filter(|part| text[part.clone()].contains(char::is_alphanumeric))
        .map(|part| SecretSpan::of_known(span.kind, part))
        .collect();
    parts.into_iter()
}

/// Writes `line` with its secrets replaced, and says how many there were. Of secrets that overlap, the one that was found
/// first names them all. A line may hold a million of them: none is copied.
pub(crate) fn push_redacted(out: &mut String, line: &str, spans: Vec<SecretSpan<'_>>) -> usize {
    let mut by_place: Vec<usize> = (0..spans.len()).collect();
    by_place.sort_by_key(|rank| spans[*rank].range.start);
    let mut by_place = by_place.into_iter().peekable();
    let (mut end, mut secrets) = (0, 0);
    while let Some(mut first) = by_place.next() {
        let start = spans[first].range.start;
        out.push_str(&line[end..start]);
        end = spans[first].range.end;
        while let Some(rank) = by_place.next_if(|rank| spans[*rank].range.start < end) {
            end = end.max(spans[rank].range.end);
            first = first.min(rank);
        }
        out.push_str(PLACEHOLDER);
        out.push_str(spans[first].kind);
        out.push(']');
        secrets += 1;
    }
    out.push_str(&line[end..]);
    secrets
}
