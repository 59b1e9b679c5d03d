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
        let names = fields_of(outline.line(line)).into_iter();
        found.extend(names.map(|name| (name, holder.name.clone())));
    }
    found
}

/// The innermost type whose body holds a line that stands in no function.
fn holding_type<'o>(outline: &'o FileOutline<'_>, line: u32) -> Option<&'o DefinedName> {
    let is_plain = outline.function_span(line).is_none();
    let types = outline.definitions.iter().filter(|one| {
        // The name of a `typedef` stands behind its body.
        let (first, last) = (one.start.min(one.head), one.body_end);
        one.kind == DefinitionKind::Type && first < line && line <= last && one.head != line
    });
    types.max_by_key(|one| one.start).filter(|_| is_plain)
}

/// What a line of a struct declares: `char name[32];`, `int a, *b;`, `unsigned kind : 4;`, `int (*run)(int);`.
fn fields_of(code: &str) -> Vec<String> {
    let code = code.split("//").next().unwrap_or_default();
    let code = code.split("/*").next().unwrap_or_default();
    let is_method = code.contains('(') && !code.contains("(*");
    let Some((declared, _)) = code.split_once(';').filter(|_| !is_method) else {
        return Vec::new();
    };
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
            ("    void close();", &[]),
            ("};", &[]),
        ] {
            assert_eq!(fields_of(code), names, "{code}");
        }
    }
}
