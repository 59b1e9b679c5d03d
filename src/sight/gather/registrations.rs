//! Where a type is handed to a framework: of a method that nobody calls by its name this is who runs it.

use std::collections::BTreeSet;
use std::sync::Arc;

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::definitions::DefinitionKind;
use super::super::imported::{Meaning, sources_on};
use super::super::name_source::NameSource;
use super::super::registered::names_as_value;
use super::super::search::{FileHits, FileOutline, is_searched};
use super::super::shadowed::names_parameters;
use super::super::wanted::{NameReason, WantedName};
use super::super::words;
use super::kin::is_method;
use super::uses::around_use;
use super::{Gatherer, is_worth_showing, relation};
use crate::prompt::{ContextKind, is_test_path};

/// How many places of one type are shown.
const MAX_PLACES: usize = 4;

/// So many files are read closely for one type.
const MAX_FILES: usize = 24;

impl Gatherer<'_> {
    /// Of types whose edited methods, or whose making, no shown line calls: the lines that name them as values.
    pub(super) fn add_registrations(&mut self) {
        for (typed, homes) in self.uncalled_types() {
            let files = self.known.files_with(&typed);
            let files = files.iter().filter(|(path, text)| {
                let path = RepoPath::from(path.as_str());
                let is_other = !homes.contains(&path) && !is_test_path(&path.display());
                is_other
                    && is_searched(path.as_bytes())
                    && relation::is_related(self.files, &path)
                    && may_register(&path, text, &typed)
            });
            let files: Vec<(String, Arc<str>)> = files
                .take(MAX_FILES)
                .map(|(path, text)| (path.clone(), Arc::clone(text)))
                .collect();
            let mut count = 0;
            for (path, text) in files {
                let file = FileHits {
                    path: RepoPath::from(path.as_str()),
                    text,
                    hits: Vec::new(),
                };
                for line in self.registering_lines(&file, &typed, &homes) {
                    count += 1;
                    if count <= MAX_PLACES {
                        self.add_registration(&typed, line, &file);
                    }
                }
            }
        }
    }

    /// The types of edited methods and constructors that are not known to be called, with the files that have them.
    fn uncalled_types(&self) -> BTreeSet<(String, BTreeSet<RepoPath>)> {
        let is_shown = |name: &str| {
            let index = self.by_text.get(name);
            index.is_some_and(|index| self.reached.contains(index))
        };
        let is_edited = |name: &&WantedName| {
            let is_one = matches!(name.reason, NameReason::Changed | NameReason::Removed);
            is_one && name.uses && !is_shown(&name.text)
        };
        let edited = self.names.iter().filter(is_edited);
        let types = edited.flat_map(|name| {
            let made = name.is_built.then_some(&name.text);
            let owners = name.owners.iter().filter(move |_| is_method(name));
            owners
                .chain(made)
                .map(move |typed| (typed.clone(), name.homes.clone()))
        });
        types.filter(|(typed, _)| !is_shown(typed)).collect()
    }

    fn registering_lines(
        &self,
        file: &FileHits,
        typed: &str,
        homes: &BTreeSet<RepoPath>,
    ) -> Vec<u32> {
        let outline = FileOutline::of(&file.path, &file.text);
        let is_head = |line: u32| {
            let mut types = outline.definitions.iter();
            types.any(|one| one.kind == DefinitionKind::Type && one.head == line)
        };
        let is_it = |line: &u32| {
            outline.is_code(*line, typed)
                && names_as_value(outline.language(), outline.without_comment(*line), typed)
                && !outline.is_import(*line)
                && !names_parameters(&outline, *line)
                && !is_head(*line)
                && self.is_from(
                    homes,
                    &sources_on(&outline, (&file.path, &file.text), *line, typed),
                )
        };
        (1..=outline.last_line())
            .filter(is_it)
            .take(MAX_PLACES)
            .collect()
    }

    /// Whether imports do not say that a type is another one.
    fn is_from(&self, homes: &BTreeSet<RepoPath>, sources: &[NameSource]) -> bool {
        sources.iter().all(|source| match source {
            NameSource::From(from) => match self.known.meaning(from) {
                Meaning::Outside(_) => false,
                Meaning::Inside(place) => {
                    !place.is_sure || homes.iter().any(|home| place.holds(&home.display()))
                }
                Meaning::Unknown => true,
            },
            _ => true,
        })
    }

    fn add_registration(&mut self, typed: &str, line: u32, file: &FileHits) {
        let outline = FileOutline::of(&file.path, &file.text);
        let (first, last) = around_use(&outline, line);
        let Some((start, end)) = self.shown.next_gap(&file.path, first, last) else {
            return;
        };
        if is_worth_showing(&file.text, start, end) {
            let note = format!("`{typed}` is handed on at line {line}");
            let block = self.lines_block(ContextKind::Use, file, (start, end), note);
            self.push((NameReason::Changed, 0, start), block);
        }
    }
}

/// Whether a file has a line that names a type as a value, as far as its text alone tells.
fn may_register(path: &RepoPath, text: &str, typed: &str) -> bool {
    let language = Language::from_path(&path.display());
    let mut lines = text.lines().filter(|line| line.contains(typed));
    !words::is_settings(language) && lines.any(|line| names_as_value(language, line, typed))
}
