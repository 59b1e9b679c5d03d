//! What the types have to extend that a parameter of types stands for.

use council_syntax::language::Language;

use super::super::definitions::{DefinitionKind, indent_of, last_word, without_generics};
use super::super::search::{FileOutline, is_whole_word};

/// What the types have to extend that a parameter of types stands for: `<S: Store>`, `<S extends Store>`, `[S Store]`,
/// `where S : Store`.
pub(super) fn bounds_of(outline: &FileOutline<'_>, line: u32, typed: &str) -> Vec<String> {
    let mut types = outline.definitions.iter();
    let is_known = types.any(|one| one.kind == DefinitionKind::Type && one.name == typed)
        || outline
            .imported_names()
            .iter()
            .any(|one| one.local == typed);
    if is_known || typed.is_empty() {
        return Vec::new();
    }
    let heads = heads_around(outline, line).into_iter();
    let mut found = heads.map(|head| bounds_in(outline.language(), &head, typed));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// The heads of the functions and types around a line, each with the lines on which it goes on.
fn heads_around(outline: &FileOutline<'_>, line: u32) -> Vec<String> {
    const MAX_HEAD: u32 = 8;
    let functions = outline.functions_around(line);
    let mut heads: Vec<u32> = functions
        .filter_map(|span| u32::try_from(span.head).ok())
        .collect();
    heads.sort_by_key(|head| std::cmp::Reverse(*head));
    let types = outline
        .definitions
        .iter()
        .filter(|one| one.kind == DefinitionKind::Type && one.head < line && line <= one.end);
    heads.extend(types.map(|one| one.head));
    heads.extend(impl_above(outline, line));
    let joined = heads.into_iter().map(|head| {
        let mut text = String::new();
        for at in head..head.saturating_add(MAX_HEAD) {
            text.push_str(outline.line(at));
            text.push(' ');
            if text.contains('{') {
                break;
            }
        }
        text
    });
    joined.collect()
}

/// The `impl` of Rust that a line stands in: that of a type's own methods defines nothing.
fn impl_above(outline: &FileOutline<'_>, line: u32) -> Option<u32> {
    let mut above = (1..line)
        .rev()
        .filter(|_| outline.language() == Language::Rust);
    above.find(|&at| {
        let code = outline.line(at);
        let head = code.strip_prefix("unsafe ").unwrap_or(code);
        indent_of(code) == 0 && head.starts_with("impl")
    })
}

fn bounds_in(language: Language, head: &str, typed: &str) -> Vec<String> {
    let places = head.match_indices(typed).map(|(at, _)| at);
    let mut places = places.filter(|&at| is_whole_word(head.as_bytes(), at, at + typed.len()));
    let found = places.find_map(|at| {
        let behind = &head[at + typed.len()..];
        let bound = match language {
            Language::Go => head[..at]
                .contains('[')
                .then(|| behind.strip_prefix(' '))
                .flatten(),
            Language::Script | Language::Java => behind.trim_start().strip_prefix("extends "),
            Language::Rust | Language::Kotlin | Language::CSharp | Language::Swift => {
                behind.trim_start().strip_prefix(':')
            }
            Language::Scala => behind.trim_start().strip_prefix("<:"),
            _ => None,
        }?;
        let bound = without_generics(until_end(bound));
        let named = bound.split(['+', '&']).filter_map(last_word);
        let named: Vec<String> = named.collect();
        (!named.is_empty()).then_some(named)
    });
    found.unwrap_or_default()
}

/// The part of a text that ends with the list that it stands in, the generics of its types included.
fn until_end(text: &str) -> &str {
    let mut depth = 0_usize;
    let end = text.char_indices().find(|(_, c)| match c {
        '<' => {
            depth += 1;
            false
        }
        '>' if depth > 0 => {
            depth -= 1;
            false
        }
        c => depth == 0 && ">,{()]=".contains(*c),
    });
    end.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_tells_what_a_parameter_of_types_extends() {
        use Language::{CSharp, Go, Java, Kotlin, Rust, Script};
        for (language, head, bounds) in [
            (
                Rust,
                "fn show<S: store::Store + Send>(s: &S) -> u32 {",
                &["Store", "Send"][..],
            ),
            (
                Rust,
                "fn show<S>(s: &S) -> u32 where S: Store<u8>, {",
                &["Store"],
            ),
            (Rust, "fn show<S>(s: &S) -> u32 {", &[]),
            (
                Java,
                "<S extends Store & Closeable> int show(S s) {",
                &["Store", "Closeable"],
            ),
            (Script, "function show<S extends Store>(s: S) {", &["Store"]),
            (Kotlin, "fun <S : Store> show(s: S): Int {", &["Store"]),
            (CSharp, "int Show<S>(S s) where S : IStore {", &["IStore"]),
            (Go, "func show[S store.Store](s S) int {", &["Store"]),
        ] {
            assert_eq!(bounds_in(language, head, "S"), bounds, "{head}");
        }
    }
}
