//! A text with placeholders where its secrets stood.

use crate::known::KnownValues;
use crate::matcher::PLACEHOLDER;
use crate::redactor::SecretSpan;

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
