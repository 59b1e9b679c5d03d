//! Names of scripts that no import brings and no declaration of their file: what the language itself has (`fetch`,
//! `localStorage`), unless a file of the tree gives it to all.

use council_syntax::language::Language;

use super::super::definitions::DefinitionKind;
use super::super::search::{FileOutline, is_whole_word};
use super::known::KnownTree;

/// Whether a name on a line that stands alone is none of its file; `behind` follows it.
pub(super) fn is_global(outline: &FileOutline<'_>, line: u32, name: &str, behind: &str) -> bool {
    let is_key = || behind.trim_start_matches('?').trim_start().starts_with(':');
    let is_in_type = || {
        let mut types = outline
            .definitions
            .iter()
            .filter(|one| one.kind == DefinitionKind::Type);
        types.any(|one| one.head < line && line <= one.end)
    };
    // A member of a type is declared where it stands.
    let is_member = || outline.outermost_function(line).is_none() && is_in_type();
    outline.language() == Language::Script
        && is_module(outline)
        && !is_key()
        && !is_member()
        && !outline.definitions.iter().any(|one| one.name == name)
        && !outline.is_local(line, name)
}

/// Whether a name stands for a type in the head of a function or a type: `<Row extends Base>`, `load<Row>(`.
pub(super) fn is_parameter_of_types(outline: &FileOutline<'_>, name: &str) -> bool {
    const ENDS: [&str; 7] = [" extends ", ">(", "> {", "> =", " =", ", ", "> extends "];
    let begun = [format!("<{name}"), format!(", {name}")];
    (1..=outline.last_line()).any(|line| {
        let code = outline.line(line);
        let places = begun
            .iter()
            .flat_map(|sign| code.match_indices(sign.as_str()));
        let mut behind = places.map(|(at, sign)| &code[at + sign.len()..]);
        code.contains('<') && behind.any(|behind| ENDS.iter().any(|end| behind.starts_with(end)))
    })
}

/// Whether a script has its names for itself: it imports or exports.
fn is_module(outline: &FileOutline<'_>) -> bool {
    let is_sign = |line: u32| {
        let code = outline.line(line);
        outline.is_import(line) || code.starts_with("export ") || code.contains("module.exports")
    };
    *outline
        .is_module
        .get_or_init(|| (1..=outline.last_line()).any(is_sign))
}

impl KnownTree {
    /// Whether a file of the tree may give a name to those that do not import it: it exports it, and a framework brings
    /// it, or it sets it for all.
    pub(in crate::sight) fn may_be_shared(&self, name: &str) -> bool {
        let scripts = self
            .texts
            .iter()
            .filter(|(path, _)| Language::from_path(path) == Language::Script);
        let mut lines = scripts
            .flat_map(|(_, text)| text.lines())
            .filter(|line| line.contains(name));
        lines.any(|line| shares(line, name))
    }
}

fn shares(line: &str, name: &str) -> bool {
    let places = line.match_indices(name).map(|(at, _)| at);
    let mut places = places.filter(|&at| is_whole_word(line.as_bytes(), at, at + name.len()));
    places.any(|at| {
        let (before, behind) = (&line[..at], line[at + name.len()..].trim_start());
        let declares = ["function ", "class ", "const ", "let ", "var "]
            .iter()
            .any(|word| before.ends_with(word));
        let is_set = behind.starts_with('=') && !behind.starts_with("==");
        let is_held = before.ends_with("exports.")
            || before.ends_with("globalThis.")
            || before.ends_with("window.");
        (declares && !line.starts_with([' ', '\t'])) || (is_set && is_held)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_gives_to_all_is_told_from_what_it_has_for_itself() {
        for (line, is_it) in [
            ("export function fetch(path) {", true),
            ("function fetch(path) {", true),
            ("declare const fetch: Fetch;", true),
            ("globalThis.fetch = stub;", true),
            ("exports.fetch = stub;", true),
            ("  const fetch = stub;", false),
            ("  return fetch(path);", false),
            ("client.fetch = stub;", false),
            ("export const refetch = 1;", false),
        ] {
            assert_eq!(shares(line, "fetch"), is_it, "{line}");
        }
    }
}
