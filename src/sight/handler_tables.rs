//! Tables of functions: whoever calls through a table calls what it holds.

use council_syntax::language::Language;

use super::definitions::DefinitionKind;
use super::search::{FileHits, FileOutline, is_whole_word};
use super::wanted::WantedName;
use super::words::is_name;
use crate::prompt::is_test_path;

/// The table that holds a function on a line, with the line on which it begins; none: nothing there holds it.
pub(super) fn table_of(name: &WantedName, file: &FileHits, line: u32) -> Option<(String, u32)> {
    let path = file.path.display();
    let language = Language::from_path(&path);
    let code = file.text.lines().nth((line as usize).checked_sub(1)?)?;
    let may_hold = language.is_code()
        && name.alias.is_none()
        && is_function(language, &name.text)
        && !is_test_path(&path)
        && is_element(code, &name.text);
    if !may_hold {
        return None;
    }
    if language == Language::C {
        return field_of(code, &name.text).map(|field| (field, line));
    }
    let outline = FileOutline::of(&file.path, &file.text);
    let is_inside = outline.function_span(line).is_some_and(|span| {
        // What a map of functions opens looks like the body of one, and the type of a table like its head.
        let head = outline.line(u32::try_from(span.head).unwrap_or(u32::MAX));
        let is_typed = || language == Language::Script && head.trim_end().ends_with("> = {");
        !head.contains("]func(") && !is_typed()
    });
    if outline.is_import(line) || is_inside {
        return None;
    }
    let tables = outline
        .definitions
        .iter()
        .filter(|one| one.kind == DefinitionKind::Value && one.head <= line && line <= one.end);
    let table = tables.min_by_key(|one| one.end - one.head)?;
    let is_list = matches!(table.name.as_str(), "__all__" | "exports" | "module");
    let is_other = !is_list && table.name != name.text;
    is_other.then(|| (table.name.clone(), table.head))
}

/// Whether functions are called like this: a constant in a table is none.
fn is_function(language: Language, name: &str) -> bool {
    let begin = name.trim_start_matches('_').chars().next();
    begin.is_some_and(|c| c.is_lowercase() || language == Language::Go)
}

/// Whether a name stands on a line as an element of a list or a table, and is not called.
fn is_element(code: &str, name: &str) -> bool {
    let mut places = code.match_indices(name).map(|(at, _)| at);
    places.any(|at| {
        let end = at + name.len();
        let before = code[..at].trim_end_matches('&').trim_end();
        let behind = code[end..].trim_start();
        is_whole_word(code.as_bytes(), at, end)
            && (before.is_empty() || before.ends_with([':', ',', '[', '{', '(', '=', '>']))
            && (behind.is_empty() || behind.starts_with([',', '}', ']', ')']))
    })
}

/// `.fetch = file_fetch,`: whoever has such a table calls the field.
fn field_of(code: &str, name: &str) -> Option<String> {
    let at = code.find(name)?;
    let left = code[..at].trim_end().trim_end_matches('&').trim_end();
    let left = left.strip_suffix('=')?.trim_end();
    let field = left.rsplit(|c: char| !is_name(c)).next()?;
    let is_field = left.strip_suffix(field)?.ends_with('.');
    (is_field && !field.is_empty() && field != name).then(|| field.to_owned())
}

/// Whether a line of C calls a field: `o->fetch(…)`.
pub(super) fn calls_field(code: &str, field: &str) -> bool {
    ["->", "."].iter().any(|sign| {
        let call = format!("{sign}{field}");
        let mut places = code.match_indices(&call);
        places.any(|(at, _)| code[at + call.len()..].trim_start().starts_with('('))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_told_from_a_call_and_from_a_key() {
        for (code, is_it) in [
            ("    \"pay\": pay,", true),
            ("    pay: pay,", true),
            ("    (\"pay\", pay),", true),
            ("x = [ship, pay]", true),
            ("    pay,", true),
            ("    \"pay\" => pay", true),
            ("    \"pay\": pay(1),", false),
            ("    \"pay\": 1,", false),
            ("x = pay + 1", false),
        ] {
            assert_eq!(is_element(code, "pay"), is_it, "{code}");
        }
        assert_eq!(
            field_of("    .fetch = &pay,", "pay").as_deref(),
            Some("fetch")
        );
        assert_eq!(field_of("    fetch = pay;", "pay"), None);
        assert!(calls_field("n = o->fetch(1);", "fetch"));
        assert!(!calls_field("n = o->fetch;", "fetch"));
    }
}
