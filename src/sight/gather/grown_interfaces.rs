//! The interfaces of Go that a change makes ask for more than before.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::candidates::ChangedFile;
use super::super::hierarchy::asked_methods;
use super::super::words::is_name;

/// An interface to which a change gives methods.
pub(super) struct GrownInterface {
    pub(super) name: String,
    /// What it asked for before.
    pub(super) before: BTreeSet<String>,
    pub(super) added: BTreeSet<String>,
    /// A method that it still asks for, the longest of them, with how many values it takes and returns.
    pub(super) method: String,
    pub(super) shape: Option<(usize, usize)>,
}

/// The interfaces of changed files that ask for more than before.
pub(super) fn grown_interfaces(files: &[ChangedFile<'_>]) -> Vec<GrownInterface> {
    let is_go =
        |file: &&ChangedFile<'_>| Language::from_path(&file.path().display()) == Language::Go;
    let mut found = Vec::new();
    for file in files.iter().filter(is_go) {
        let [before, now] = file
            .sides()
            .map(|(_, text, _)| text.as_deref().unwrap_or_default());
        let earlier = asked_methods(before);
        for (name, asked) in asked_methods(now) {
            let Some(before) = earlier.get(&name) else {
                continue;
            };
            let added: BTreeSet<String> = &asked - before;
            let longest = (before & &asked).into_iter().max_by_key(String::len);
            if let Some(method) = longest.filter(|_| !added.is_empty()) {
                let sign = format!("{method}(");
                let mut heads = now
                    .lines()
                    .map(str::trim_start)
                    .filter(|line| line.starts_with(&sign));
                found.push(GrownInterface {
                    shape: heads.next().and_then(|head| shape_of(head, &method)),
                    name,
                    before: before.clone(),
                    added,
                    method,
                });
            }
        }
    }
    found
}

/// How many values a method takes and returns.
pub(super) fn shape_of(head: &str, method: &str) -> Option<(usize, usize)> {
    let rest = head.strip_prefix(method)?.strip_prefix('(')?;
    let mut depth = 1_usize;
    let end = rest.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let results = rest[end + 1..].split(" {").next()?.split("//").next()?;
    let count = |list: &str| match list.contains(is_name) {
        true => list.matches(',').count() + 1,
        false => 0,
    };
    Some((count(&rest[..end]), count(results)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_of_a_method_is_the_same_in_an_interface_and_in_a_type() {
        for (head, shape) in [
            ("Get(key string) (string, error)", (1, 2)),
            (
                "Get(key string) (string, error) { return s.m[key], nil }",
                (1, 2),
            ),
            ("Get(do func(a, b int) error) error // why", (2, 1)),
            ("Get()", (0, 0)),
            ("Get() {", (0, 0)),
        ] {
            assert_eq!(shape_of(head, "Get"), Some(shape), "{head}");
        }
    }
}
