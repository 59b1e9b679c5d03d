//! Overrides of a method that the change calls: where a subclass has its own, that is what runs.

use std::collections::{BTreeSet, HashMap};

use council_syntax::language::Language;

use super::super::definitions::{DefinedName, DefinitionKind};
use super::super::imported::{KnownTree, Meaning};
use super::super::name_source::NameSource;
use super::super::search::{FileHits, FileOutline};
use super::super::wanted::{NameReason, WantedName};
use super::Gatherer;

/// How many overrides of one method are shown.
const MAX_OVERRIDES: usize = 3;

/// The types whose method of a name may be the one that runs.
#[derive(Debug, Default)]
struct Overriding {
    heirs: BTreeSet<String>,
    /// What a type of Python has to have that is held as one of these protocols.
    asked: Vec<BTreeSet<String>>,
}

impl Overriding {
    fn of(name: &WantedName, known: &KnownTree) -> Self {
        let types = known.hierarchy();
        let mut found = Self::default();
        for asked in asked_types(name, known) {
            found.heirs.extend(types.below(&asked, |_| false));
            if types.parents_of(&asked).any(|parent| parent == "Protocol") {
                found.asked.push(known.members_of_type(&asked));
            }
        }
        found
    }

    fn holds(&self, owner: &str, known: &KnownTree) -> bool {
        let fits = |asked: &BTreeSet<String>| {
            !asked.is_empty() && asked.is_subset(&known.members_of_type(owner))
        };
        self.heirs.contains(owner) || self.asked.iter().any(fits)
    }
}

/// The types that the change calls a method on.
fn asked_types(name: &WantedName, known: &KnownTree) -> BTreeSet<String> {
    let sources = name.sources.iter();
    let owner = |source: &NameSource| match known.source_behind(source, &name.text) {
        NameSource::Member(_, owner) => Some(owner),
        NameSource::From(from) => match known.meaning(&from) {
            Meaning::Inside(place) => place.owner,
            Meaning::Outside(_) | Meaning::Unknown => None,
        },
        _ => None,
    };
    sources.filter_map(owner).collect()
}

impl Gatherer<'_> {
    /// Of methods that the change calls on a value of a type, those of the types that extend or implement it.
    pub(super) fn add_overrides<'f, 't: 'f>(
        &mut self,
        files: impl Iterator<Item = (usize, &'f FileHits, &'f FileOutline<'t>)>,
    ) {
        let mut overriding: HashMap<usize, Overriding> = HashMap::new();
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for (order, file, outline) in files {
            for defined in &outline.definitions {
                let Some((index, owner)) = self.called_method(defined, file, outline) else {
                    continue;
                };
                let (names, known) = (self.names, self.known);
                let types = overriding
                    .entry(index)
                    .or_insert_with(|| Overriding::of(&names[index], known));
                let is_open = self
                    .shown
                    .next_gap(&file.path, defined.head, defined.end)
                    .is_some();
                if !is_open || !types.holds(&owner, known) {
                    continue;
                }
                let count = counts.entry(index).or_default();
                *count += 1;
                if *count <= MAX_OVERRIDES {
                    self.add_definition((order, index), defined, file);
                }
            }
        }
    }

    /// The name that a method has of those that the change calls, and the type that has it.
    fn called_method(
        &self,
        defined: &DefinedName,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> Option<(usize, String)> {
        let index = *self.by_text.get(defined.name.as_str())?;
        let name = &self.names[index];
        let is_called =
            name.definition && name.reason <= NameReason::Kept && !name.sources.is_empty();
        let is_method = defined.kind == DefinitionKind::Function && is_called;
        // A trait, an interface and what implements it are found by their names alone.
        let is_asked = !matches!(outline.language(), Language::Go | Language::Rust);
        let span = outline
            .function_span(defined.head)
            .filter(|_| is_method && is_asked)?;
        Some((index, outline.owner_of(&file.text, span)?))
    }
}
