//! Enumerations of Go: constants that are counted, whose type nothing on their lines names but on the first.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::search::FileOutline;
use super::words::is_name;

/// The types whose constants these lines are: `const (`, `Debug Level = iota`, `Info`.
pub(super) fn counted_types(outline: &FileOutline<'_>, lines: &[u32]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if outline.language() != Language::Go {
        return found;
    }
    for line in lines {
        let groups = outline
            .definitions
            .iter()
            .filter(|one| one.start <= *line && *line <= one.end);
        let groups = groups
            .filter(|one| (one.start..=one.head).any(|at| outline.line(at).trim() == "const ("));
        for group in groups {
            found.extend((group.start..=group.end).filter_map(|at| counted_type(outline.line(at))));
        }
    }
    found
}

/// `Debug Level = iota`
fn counted_type(code: &str) -> Option<String> {
    let (declared, value) = code.split_once('=')?;
    let mut words = declared.split_whitespace();
    let typed = words.nth(1).filter(|_| words.next().is_none())?;
    let is_counted = value.split(|c| !is_name(c)).any(|word| word == "iota");
    (is_counted && typed.chars().all(is_name)).then(|| typed.to_owned())
}

#[cfg(test)]
mod tests {
    use council_protocol::RepoPath;

    use super::*;

    #[test]
    fn a_constant_in_between_is_one_of_its_type() {
        let text = "package a\n\ntype Level int\n\nconst (\n\tDebug Level = iota + 1\n\tInfo\n)\n\nconst Other Kind = 3\n";
        let outline = FileOutline::of(&RepoPath::from("a.go"), text);
        assert_eq!(counted_types(&outline, &[7]), ["Level".to_owned()].into());
        assert_eq!(counted_types(&outline, &[10]), BTreeSet::new());
    }
}
