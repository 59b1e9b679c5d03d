//! Places of a name that mean a variable or a parameter of a function, or what is given a value by it.

use super::locals::{WordPlace, count, declared_names, place_of};
use super::search::{FileOutline, is_whole_word};
use super::words::{self, WordUse, is_name};

/// Whether a line is one of those on which a function names its parameters.
pub(super) fn names_parameters(outline: &FileOutline<'_>, line: u32) -> bool {
    let declared = outline.locals.get_or_init(|| declared_names(outline));
    outline.function_span(line).is_some_and(|span| {
        let names = declared.get(&span.head);
        span.head == line as usize || names.is_some_and(|names| line <= names.head_end)
    })
}

/// Whether a line has a name only as a variable or a parameter of a function around it.
pub(super) fn is_shadowed(outline: &FileOutline<'_>, line: u32, name: &str) -> bool {
    let code = outline.line(line);
    let is_head = names_parameters(outline, line);
    let mut words = outline
        .words_at(line)
        .iter()
        .filter(|word| words::is_name_of(word, name))
        .peekable();
    words.peek().is_some()
        && words.all(|word| {
            let place = place_of(code, word);
            let is_plain = !matches!(word.how, WordUse::Key | WordUse::Member);
            is_plain && is_bare(place) && (is_head || !is_key(place))
        })
        && outline.is_bound(line, name)
}

/// Whether a line gives a value to what has a name: `f(limit=1)`, `{ limit: 1 }`.
pub(super) fn is_argument(code: &str, name: &str) -> bool {
    let mut places = code.match_indices(name).map(|(at, _)| at);
    places.any(|at| {
        let to = at + name.len();
        is_whole_word(code.as_bytes(), at, to) && is_bare((code, at, to)) && is_key((code, at, to))
    })
}

/// Whether a word stands behind nothing that it is a part of.
fn is_bare((code, from, _): WordPlace<'_>) -> bool {
    let before = &code[..from];
    let is_spread = before.ends_with("..");
    is_spread
        || !(before.ends_with(['.', '@', '$', '#'])
            || before.ends_with("->")
            || before.ends_with("::"))
}

/// Whether a word names what is given a value: an argument or a key, and no variable that is declared with its type.
fn is_key((code, from, to): WordPlace<'_>) -> bool {
    const KEYWORDS: [&str; 5] = ["let", "const", "var", "val", "mut"];
    let (before, behind) = (&code[..from], code[to..].trim_start());
    let is_open = count(before, &['(', '[', '{']) > count(before, &[')', ']', '}']);
    let last = before
        .trim_end()
        .rsplit(|c: char| !is_name(c))
        .next()
        .unwrap_or_default();
    let is_set = behind.starts_with('=') && !behind.starts_with("==") && !behind.starts_with("=>");
    let is_named =
        behind.starts_with(':') && !behind.starts_with("::") && !behind.starts_with(":=");
    (is_set && is_open) || (is_named && !KEYWORDS.contains(&last))
}
