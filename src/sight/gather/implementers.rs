//! Interfaces of Go that ask for more than before: a type that has what they asked for names them nowhere.

use std::collections::BTreeSet;
use std::sync::Arc;

use council_protocol::RepoPath;

use super::super::search::{FileHits, FileOutline};
use super::super::wanted::NameReason;
use super::grown_interfaces::{GrownInterface, grown_interfaces, shape_of};
use super::uses::around_use;
use super::{Gatherer, is_worth_showing};
use crate::prompt::{ContextKind, is_test_path};

/// How many types are shown for one interface.
const MAX_TYPES: usize = 6;

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
