//! Interfaces of Go that ask for more than before: a type that has what they asked for names them nowhere.

use std::collections::BTreeSet;
use std::sync::Arc;

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::candidates::ChangedFile;
use super::super::hierarchy::asked_methods;
use super::super::search::{FileHits, FileOutline};
use super::super::wanted::NameReason;
use super::super::words::is_name;
use super::uses::around_use;
use super::{Gatherer, is_worth_showing};
use crate::prompt::{ContextKind, is_test_path};

/// How many types are shown for one interface.
const MAX_TYPES: usize = 6;

/// An interface to which a change gives methods.
pub(super) struct GrownInterface {
    name: String,
    /// What it asked for before.
    before: BTreeSet<String>,
    added: BTreeSet<String>,
    /// A method that it still asks for, the longest of them, with how many values it takes and returns.
    pub(super) method: String,
    shape: Option<(usize, usize)>,
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

impl Gatherer<'_> {
    /// The types that have what an interface asked for before, and not what it asks for now.
    pub(super) fn add_implementers(&mut self) {
        for interface in grown_interfaces(self.files) {
            let lacks =
                |has: &BTreeSet<String>| interface.added.iter().any(|one| !has.contains(one));
            let types = self
                .known
                .hierarchy()
                .go_types_with(&interface.before, lacks);
            let files = self.known.files_with(&interface.method);
            let mut count = 0;
            for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".go")) {
                for (typed, line) in methods_in(text, &interface) {
                    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                    if count < MAX_TYPES && types.contains(&(folder.to_owned(), typed.to_owned())) {
                        count += 1;
                        self.add_implementer(&interface, (path, text), (typed, line));
                    }
                }
            }
        }
    }

    fn add_implementer(
        &mut self,
        interface: &GrownInterface,
        (path, text): (&str, &Arc<str>),
        (typed, line): (&str, u32),
    ) {
        let file = FileHits {
            path: RepoPath::from(path),
            text: Arc::clone(text),
            hits: Vec::new(),
        };
        let (first, last) = around_use(&FileOutline::of(&file.path, &file.text), line);
        let Some((start, end)) = self.shown.next_gap(&file.path, first, last) else {
            return;
        };
        let kind = match is_test_path(path) {
            true => ContextKind::Test,
            false => ContextKind::Use,
        };
        if is_worth_showing(text, start, end) {
            let added: Vec<String> = interface
                .added
                .iter()
                .map(|one| format!("`{one}`"))
                .collect();
            let note = format!(
                "`{typed}` has what `{}` asked for before, and not {}",
                interface.name,
                added.join(", ")
            );
            let block = self.lines_block(kind, &file, (start, end), note);
            self.push((NameReason::Changed, 0, start), block);
        }
    }
}

/// The methods of a file that are like the one of the interface, with their types and lines.
fn methods_in<'t>(text: &'t str, interface: &GrownInterface) -> Vec<(&'t str, u32)> {
    let sign = format!(") {}(", interface.method);
    let lines = text.lines().zip(1_u32..);
    let heads = lines.filter_map(|(line, number)| {
        let (receiver, _) = line.strip_prefix("func (")?.split_once(&sign)?;
        let typed = receiver.split('[').next()?.rsplit([' ', '*']).next()?;
        let is_alike = shape_of(line.split_once(") ")?.1, &interface.method) == interface.shape;
        is_alike.then_some((typed, number))
    });
    heads.collect()
}

/// How many values a method takes and returns.
fn shape_of(head: &str, method: &str) -> Option<(usize, usize)> {
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
