//! Errors of Go that a change no longer hands on to whoever asks for them.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::locals::place_of;
use super::read_side::ReadSide;
use super::words::WordUse;

/// The errors that edited lines wrapped (`fmt.Errorf("…: %w", ErrNotFound)`) and no longer do.
pub(super) fn lost_causes(before: &ReadSide<'_>, now: &ReadSide<'_>) -> BTreeSet<String> {
    &wrapped_on(before) - &wrapped_on(now)
}

fn wrapped_on(side: &ReadSide<'_>) -> BTreeSet<String> {
    let outline = &side.outline;
    let lines = side.lines.iter().copied();
    let lines = lines
        .filter(|line| outline.language() == Language::Go && outline.line(*line).contains("%w"));
    let words = lines.flat_map(|line| outline.words_at(line).iter().map(move |word| (line, word)));
    let causes = words.filter(|(line, word)| {
        let (code, _, to) = place_of(outline.line(*line), word);
        let is_value = matches!(word.how, WordUse::Plain | WordUse::Member | WordUse::Named);
        is_value && is_last(&code[to..]) && !outline.is_local(*line, word.text)
    });
    causes.map(|(_, word)| word.text.to_owned()).collect()
}

/// Whether what stands behind a word makes it an argument of its own.
fn is_last(behind: &str) -> bool {
    behind.trim_start().starts_with([',', ')'])
}

/// Whether a line of Go asks an error for what it wraps.
pub(super) fn asks_for_cause(code: &str) -> bool {
    ["errors.Is(", "errors.As("]
        .iter()
        .any(|call| code.contains(call))
}
