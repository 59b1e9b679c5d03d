//! The fields of structs that a change edits: whoever reads one relies on its size and its meaning.

use council_syntax::language::Language;

use super::declared;
use super::definitions::{DefinedName, DefinitionKind};
use super::search::FileOutline;

/// The fields on these lines, each with the type that holds it. C alone: elsewhere the type is what callers name.
pub(super) fn edited_fields(outline: &FileOutline<'_>, lines: &[u32]) -> Vec<(String, String)> {
    if outline.language() != Language::C {
        return Vec::new();
    }
    let mut found = Vec::new();
    for &line in lines {
        let Some(holder) = holding_type(outline, line) else {
            continue;
        };
        let declared = match holder.head == line || holder.start == line {
            true => inside_braces(outline.line(line)),
            false => outline.line(line),
        };
        let names = fields_of(declared).into_iter();
        found.extend(names.map(|name| (name, holder.name.clone())));
    }
    found
}

/// The innermost type whose body holds a line that stands in no function.
fn holding_type<'o>(outline: &'o FileOutline<'_>, line: u32) -> Option<&'o DefinedName> {
    let is_plain = outline.function_span(line).is_none();
    let types = outline.definitions.iter().filter(|one| {
        // The name of a `typedef` stands behind its body.
        let (first, last) = (one.start.min(one.head), one.end);
        one.kind == DefinitionKind::Type && first <= line && line <= last
    });
    types.max_by_key(|one| one.start).filter(|_| is_plain)
}

/// What of the body of a struct stands on the line of its head or of its end: `struct user { char name[17]; };`.
fn inside_braces(code: &str) -> &str {
    let end = code.rfind('}').unwrap_or(code.len());
    let start = code.find('{').map(|at| at + 1);
    // On the last line of a `typedef` only what is behind the body is its head.
    let start = start.or(code.contains('}').then_some(0));
    start
        .and_then(|start| code.get(start..end))
        .unwrap_or_default()
}

/// What a line of a struct declares: `char name[32];`, `int a, *b;`, `unsigned kind : 4;`, `int (*run)(int);`.
fn fields_of(code: &str) -> Vec<String> {
    let code = code.split("//").next().unwrap_or_default();
    let code = code.split("/*").next().unwrap_or_default();
    let ended = code.rsplit_once(';').map_or("", |(ended, _)| ended);
    ended.split(';').flat_map(declared_fields).collect()
}

fn declared_fields(declared: &str) -> Vec<String> {
    if declared.contains('(') && !declared.contains("(*") {
        return Vec::new();
    }
    let parts = declared.replace("::", "__");
    let parts = parts
        .split(',')
        .map(|part| part.split([':', '=']).next().unwrap_or(part));
    let plain: Vec<&str> = parts.collect();
    let names = declared::typedef_names(&plain.join(",")).into_iter();
    names
        .filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_struct_tells_its_fields() {
        for (code, names) in [
            ("    char payload[64]; // bytes", &["payload"][..]),
            ("    int width, *height;", &["width", "height"]),
            ("    unsigned kind : 4;", &["kind"]),
            ("    std::string title = \"x\";", &["title"]),
            ("    int (*run)(int);", &["run"]),
            ("    int left; int right;", &["left", "right"]),
            ("    struct { int inner; } held;", &["inner", "held"]),
            ("    void close();", &[]),
            ("};", &[]),
        ] {
            assert_eq!(fields_of(code), names, "{code}");
        }
    }

    #[test]
    fn the_line_of_a_head_tells_the_fields_between_its_braces() {
        for (code, names) in [
            ("struct user { char name[17]; };", &["name"][..]),
            ("typedef struct { int x, y; } point;", &["x", "y"]),
            ("struct user { char name[17];", &["name"]),
            ("    int last; } point;", &["last"]),
            ("struct user {", &[]),
            ("struct user", &[]),
            ("} point;", &[]),
            ("enum color { RED, GREEN };", &[]),
        ] {
            assert_eq!(fields_of(inside_braces(code)), names, "{code}");
        }
    }
}
