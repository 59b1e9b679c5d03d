//! The lines that begin what has members and is no type: modules of Ruby, namespaces and objects of scripts.

use council_syntax::language::Language;

use super::words::is_name;

/// Whether a line of a script gives an object to a variable: `export const api: Api = {`.
pub(super) fn opens_object(code: &str) -> bool {
    let value = code.trim_end().strip_suffix('{').map(str::trim_end);
    value.is_some_and(|value| value.ends_with('=') && !value.ends_with("=="))
}

/// The module of Ruby, the namespace or the object of a script that a line begins.
pub(super) fn module_begun(language: Language, line: &str) -> Option<&str> {
    let code = line.trim_start();
    let behind = |words: &[&str]| words.iter().find_map(|word| code.strip_prefix(word));
    let rest = match language {
        Language::Ruby => behind(&["module "])?,
        Language::Script => {
            let code = ["export ", "declare "]
                .iter()
                .fold(code, |code, word| code.strip_prefix(word).unwrap_or(code));
            let named = ["namespace ", "module "];
            let named = named.iter().find_map(|word| code.strip_prefix(word));
            let given = ["const ", "let ", "var "];
            let given = given.iter().find_map(|word| code.strip_prefix(word));
            named.or(given.filter(|_| depth_of(line) == 0 && opens_object(code)))?
        }
        _ => return None,
    };
    let end = rest
        .find(|c| !is_name(c) && c != ':' && c != '.')
        .unwrap_or(rest.len());
    let name = rest[..end]
        .trim_end_matches(':')
        .rsplit([':', '.'])
        .next()?;
    (!name.is_empty()).then_some(name)
}

/// Whether a module of Ruby has something besides other modules and classes, for which it is only a part of their names.
pub(super) fn has_own_members(lines: &[String], head: usize) -> bool {
    const EMPTY: [&str; 5] = ["module ", "class ", "end", "#", "autoload "];
    let depth = lines.get(head - 1).map_or(0, |line| depth_of(line));
    let inside = lines[head..].iter().filter(|line| !line.trim().is_empty());
    let inside = inside.take_while(|line| depth_of(line) > depth);
    let least = inside.clone().map(|line| depth_of(line)).min();
    let mut own = inside.filter(|line| Some(depth_of(line)) == least);
    own.any(|line| !EMPTY.iter().any(|word| line.trim_start().starts_with(word)))
}

fn depth_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The modules of Rust, each with its first and its last line, from 1.
pub(super) fn modules_of_rust(masked: &[String]) -> Vec<(String, u32, u32)> {
    let mut found = Vec::new();
    for (at, code) in masked.iter().enumerate() {
        let head = code.trim_start();
        let rest = head.strip_prefix("mod ").or_else(|| {
            let (before, rest) = head.split_once(" mod ")?;
            before.starts_with("pub").then_some(rest)
        });
        let Some((name, "")) = rest.and_then(|rest| rest.trim_end().split_once(" {")) else {
            continue;
        };
        let depth = depth_of(code);
        let is_end = |line: &String| depth_of(line) == depth && line.trim_end().ends_with('}');
        if let Some(lines) = masked[at + 1..].iter().position(is_end) {
            let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
            found.push((name.to_owned(), number(at + 1), number(at + 2 + lines)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_begins_a_module_as_its_language_writes_it() {
        use Language::{Python, Ruby, Script};
        for (language, line, name) in [
            (Ruby, "module Billing::Rates", Some("Rates")),
            (Script, "export namespace Util {", Some("Util")),
            (Script, "export const api: Api = {", Some("api")),
            (Script, "  const api = {", None),
            (Script, "const api = make({", None),
            (Script, "module.exports = {", None),
            (Python, "module = load()", None),
        ] {
            assert_eq!(module_begun(language, line), name, "{line}");
        }
    }

    #[test]
    fn a_module_that_only_names_others_has_no_members() {
        for (text, has_some) in [
            ("module A\n  class B\n    X = 1\n  end\nend\n", false),
            ("module A\n  module B\n    X = 1\n  end\nend\n", false),
            ("module A\n  X = 1\n\n  class B\n  end\nend\n", true),
            ("module A\n  def self.pay\n  end\nend\n", true),
        ] {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            assert_eq!(has_own_members(&lines, 1), has_some, "{text}");
        }
    }
}
