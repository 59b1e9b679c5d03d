//! What imports say of the names around a change: which definitions and uses are those of the name that is meant.

use std::collections::{BTreeSet, HashSet};

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::definitions::{DefinedName, DefinitionKind};
use super::super::imported::{KnownTree, Meaning, NamePlace, sources_on};
use super::super::name_source::NameSource;
use super::super::receivers;
use super::super::search::{FileHits, FileOutline, NameHit};
use super::super::wanted::WantedName;
use super::Gatherer;

/// What the imports of the changed files say of one name.
#[derive(Debug, Default)]
pub(super) struct MeantName {
    /// Where it is defined.
    places: Vec<NamePlace>,
    /// The modules from outside that it is of.
    outside: BTreeSet<String>,
    /// Whether a changed file has it from where no import says.
    is_open: bool,
    /// Whether a module has it from the language itself.
    is_of_language: bool,
}

impl MeantName {
    pub(super) fn of(name: &WantedName, known: &KnownTree) -> Self {
        let mut meant = Self {
            is_open: name.sources.is_empty(),
            ..Self::default()
        };
        for source in &name.sources {
            let behind = known.source_behind(source, &name.text);
            let from = match &behind {
                NameSource::From(from) => from,
                NameSource::Handed(from) if known.is_inside(from) => from,
                NameSource::Made(from) => {
                    match known.meaning(from) {
                        Meaning::Outside(module) => drop(meant.outside.insert(module)),
                        _ => meant.is_open = true,
                    }
                    continue;
                }
                NameSource::Member(path, owner) if known.lacks_type(path, owner) => {
                    meant.outside.insert(owner.clone());
                    continue;
                }
                NameSource::Member(path, owner) => {
                    let place = NamePlace::of_type(path, owner, &name.text);
                    meant.places.extend(known.with_parents(place));
                    continue;
                }
                NameSource::Global if !known.may_be_shared(&name.text) => {
                    meant.outside.insert(name.text.clone());
                    meant.is_of_language = true;
                    continue;
                }
                NameSource::Bare
                | NameSource::Global
                | NameSource::Unknown
                | NameSource::Value
                | NameSource::Returned(..)
                | NameSource::Handed(_) => {
                    meant.is_open = true;
                    continue;
                }
            };
            match known.meaning(from) {
                // Settings of the tree, which a framework hands on.
                Meaning::Outside(_) if known.has_constants_of(from) => meant.is_open = true,
                Meaning::Outside(module) => drop(meant.outside.insert(module)),
                // By another name it is looked for under that one.
                Meaning::Inside(place) if place.name.is_some() => {
                    meant.places.extend(known.with_parents(place));
                }
                Meaning::Inside(_) | Meaning::Unknown => meant.is_open = true,
            }
        }
        meant
            .places
            .retain(|place| place.name.as_deref() == Some(&name.text));
        meant
    }

    /// Whether imports say that nothing in the tree is what it means.
    pub(super) fn is_outside(&self) -> bool {
        !self.is_open && self.places.is_empty()
    }

    /// Whether it is nothing but what a language brings: whoever uses it uses nothing of the tree.
    pub(super) fn is_of_language(&self) -> bool {
        self.is_of_language && self.is_outside()
    }

    /// The types in a file that have it as a member, as far as what it is asked of says so.
    pub(super) fn owners_in(&self, file: &FileHits) -> BTreeSet<String> {
        let path = file.path.display();
        let places = self.places.iter().filter(|place| place.holds(&path));
        places.filter_map(|place| place.owner.clone()).collect()
    }

    /// Whether imports lead to a file.
    pub(super) fn is_in(&self, file: &FileHits) -> bool {
        let path = file.path.display();
        self.places.iter().any(|place| place.holds(&path))
    }

    /// Whether a definition is where an import says.
    fn is_at(&self, defined: &DefinedName, file: &FileHits, outline: &FileOutline<'_>) -> bool {
        let path = file.path.display();
        self.places.iter().any(|place| {
            let is_owned = || match &place.owner {
                Some(owner) => owner_of(defined, file, outline).as_ref() == Some(owner),
                None => true,
            };
            place.holds(&path) && is_owned()
        })
    }
}

/// The type that has a definition as a method or a field.
pub(super) fn owner_of(
    defined: &DefinedName,
    file: &FileHits,
    outline: &FileOutline<'_>,
) -> Option<String> {
    if defined.kind == DefinitionKind::Function {
        return outline.owner_of(&file.text, outline.function_span(defined.head)?);
    }
    let types = outline.definitions.iter().filter(|one| {
        let is_around = one.head < defined.head && defined.head <= one.end;
        one.kind == DefinitionKind::Type && is_around
    });
    types.max_by_key(|one| one.head).map(|one| one.name.clone())
}

impl Gatherer<'_> {
    /// Whether imports say that a definition is the one of a name, before any other.
    pub(super) fn is_imported(
        &self,
        name: usize,
        defined: &DefinedName,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> bool {
        self.names[name].definition && self.meant[name].is_at(defined, file, outline)
    }

    /// Whether another definition than those that imports lead to may be the one of a name.
    pub(super) fn may_be_elsewhere(&self, name: usize) -> bool {
        let meant = &self.meant[name];
        meant.is_open || !(meant.is_outside() || self.placed.contains(&name))
    }

    /// The hits of edited methods in their own file that the search did not note: those of other types' methods of that name,
    /// which come before, may be all that it noted.
    pub(super) fn unnoted_hits(&self, file: &FileHits, outline: &FileOutline<'_>) -> Vec<NameHit> {
        let is_edited = |name: &WantedName| {
            !name.owners.is_empty() && name.uses && name.homes.contains(&file.path)
        };
        if !self.names.iter().any(is_edited) {
            return Vec::new();
        }
        let noted: HashSet<(usize, u32)> =
            file.hits.iter().map(|hit| (hit.name, hit.line)).collect();
        let lines = 1..=outline.last_line();
        let words =
            lines.flat_map(|line| outline.words_at(line).iter().map(move |word| (word, line)));
        let hits = words.filter_map(|(word, line)| {
            let name = *self.by_text.get(word.text)?;
            Some(NameHit { name, line })
        });
        let mut hits: Vec<NameHit> = hits
            .filter(|hit| {
                is_edited(&self.names[hit.name]) && !noted.contains(&(hit.name, hit.line))
            })
            .collect();
        hits.dedup();
        hits
    }

    /// Whether the imports of its file say that a hit is what the change means; none: they say nothing of it.
    pub(super) fn is_said_to_mean(
        &self,
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> Option<bool> {
        let text = &self.names[hit.name].text;
        let sources = sources_on(outline, (&file.path, &file.text), hit.line, text);
        let said = sources
            .iter()
            .map(|source| self.says(hit.name, source, file, outline));
        // Where one place on the line may be meant, the line may.
        let said: Vec<Option<bool>> = said.collect();
        if said.contains(&Some(true)) {
            return Some(true);
        }
        let is_another = !said.is_empty() && said.iter().all(|said| *said == Some(false));
        let is_outside = is_another && !self.may_be_handed_on(hit, &sources, outline);
        is_outside.then_some(false)
    }

    /// Whether a type is none of the tree, and none that what is edited extends.
    fn is_foreign_type(&self, name: &WantedName, path: &RepoPath, owner: &str) -> bool {
        let types = self.known.hierarchy();
        let is_parent = |one: &String| types.parents_of(one).any(|parent| parent == owner);
        !name.homes.is_empty()
            && !name.owners.is_empty()
            && !name.owners.contains(owner)
            && !name.owners.iter().any(is_parent)
            && self.known.lacks_type(path, owner)
    }

    /// Whether what a definition is called is only asked of values: a type is none of what these have, and in Go a
    /// function of a package neither.
    pub(super) fn is_asked_of_value(
        &self,
        index: usize,
        defined: &DefinedName,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> bool {
        let name = &self.names[index];
        let is_value = |source: &NameSource| {
            matches!(
                source,
                NameSource::Value
                    | NameSource::Made(_)
                    | NameSource::Returned(..)
                    | NameSource::Member(..)
            )
        };
        let is_asked =
            !name.is_key && !name.sources.is_empty() && name.sources.iter().all(is_value);
        is_asked
            && match defined.kind {
                DefinitionKind::Type => true,
                DefinitionKind::Function => {
                    outline.language() == Language::Go && owner_of(defined, file, outline).is_none()
                }
                DefinitionKind::Value => false,
            }
    }

    fn says(
        &self,
        index: usize,
        source: &NameSource,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> Option<bool> {
        let (name, meant) = (&self.names[index], &self.meant[index]);
        let is_outside = name.homes.is_empty() && meant.is_outside();
        let says_outside = |module: &str| {
            let is_same = meant.is_open || meant.outside.contains(module);
            (!name.homes.is_empty() || !is_same).then_some(false)
        };
        let source = self.known.source_behind(source, &name.text);
        match &source {
            NameSource::Made(from) => match self.known.meaning(from) {
                Meaning::Outside(module) => says_outside(&module),
                _ => is_outside.then_some(false),
            },
            NameSource::Handed(from) if self.known.is_inside(from) => {
                let from = NameSource::From(from.clone());
                self.says(index, &from, file, outline)
            }
            NameSource::Unknown
            | NameSource::Value
            | NameSource::Returned(..)
            | NameSource::Handed(_) => is_outside.then_some(false),
            NameSource::Member(path, owner) if self.is_foreign_type(name, path, owner) => {
                Some(false)
            }
            NameSource::Member(_, owner) if !name.homes.is_empty() => {
                is_of_edited(name, owner, file, outline)
            }
            NameSource::Member(..) => is_outside.then_some(false),
            NameSource::Bare | NameSource::Global => {
                (is_outside || is_own(name, file, outline)).then_some(false)
            }
            NameSource::From(from) => match self.known.meaning(from) {
                Meaning::Unknown => None,
                Meaning::Outside(module) => says_outside(&module),
                Meaning::Inside(_) if is_outside => Some(false),
                Meaning::Inside(place) if name.homes.is_empty() => {
                    let is_apart = |meant: &NamePlace| place.is_apart_from(meant);
                    let is_other = !meant.is_open && meant.places.iter().all(is_apart);
                    (is_other && place.is_sure).then_some(false)
                }
                Meaning::Inside(place) => is_at_home(name, &place),
            },
        }
    }
}

/// Whether a place is that of what the change edits.
fn is_at_home(name: &WantedName, place: &NamePlace) -> Option<bool> {
    let is_home = name.homes.iter().any(|home| place.holds(&home.display()));
    let called = place.name.as_ref()?;
    if let Some(owner) = &place.owner {
        // What a type has it may have from its parent.
        let is_other = !is_home && place.is_sure && name.owners.contains(owner);
        return is_other.then_some(false);
    }
    let of = name.alias.as_ref().map_or(&name.text, |alias| &alias.of);
    let is_called_so = called == of || *called == name.text;
    match is_home && is_called_so && name.owners.is_empty() {
        true => Some(true),
        false => (place.is_sure && !(is_home && is_called_so)).then_some(false),
    }
}

/// Whether a method of a type is the edited one; none: the type may have it from another one.
fn is_of_edited(
    name: &WantedName,
    owner: &str,
    file: &FileHits,
    outline: &FileOutline<'_>,
) -> Option<bool> {
    if name.owners.contains(owner) {
        return name.homes.contains(&file.path).then_some(true);
    }
    let mut own = outline.definitions.iter();
    let is_own = own
        .any(|one| one.name == name.text && owner_of(one, file, outline).as_deref() == Some(owner));
    is_own.then_some(false)
}

/// Whether a file has a definition of its own that a name alone means there, and does not have what the change edits.
fn is_own(name: &WantedName, file: &FileHits, outline: &FileOutline<'_>) -> bool {
    let language = outline.language();
    if name.homes.is_empty() || name.homes.contains(&file.path) || language == Language::C {
        return false;
    }
    // In these a definition of the file comes before whatever it imports.
    let is_of_file = matches!(
        language,
        Language::Python | Language::Script | Language::Rust
    );
    let mut own = outline.definitions.iter();
    let is_defined = own.any(|one| one.name == name.text && owner_of(one, file, outline).is_none());
    let reaches = || {
        name.homes
            .iter()
            .any(|home| receivers::reaches(file, outline, home))
    };
    is_defined && (is_of_file || !reaches())
}
