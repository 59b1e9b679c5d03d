//! What a type has from its parents: where it has no method of a name itself, theirs is the one that is meant.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use council_protocol::RepoPath;

use super::super::definitions::{self, DefinedName};
use super::super::name_source::ImportedFrom;
use super::super::parents;
use super::super::search::FileOutline;
use super::known::KnownTree;
use super::meaning::{Meaning, NamePlace};

/// Through so many parents a method is followed.
const MAX_PARENTS: usize = 4;

/// A type of a file, as far as it says whose methods it has.
#[derive(Debug)]
pub(super) struct KnownType {
    name: String,
    parents: Vec<String>,
    members: BTreeSet<String>,
    /// The methods that it only declares.
    asks: BTreeSet<String>,
}

impl KnownTree {
    /// The places of a member, those of the parents of its type included where the type has none of that name.
    pub(in crate::sight) fn with_parents(&self, place: NamePlace) -> Vec<NamePlace> {
        let mut places = vec![place];
        let mut at = 0;
        while let Some(place) = places.get(at).filter(|_| at < MAX_PARENTS) {
            let more = self.parents_of(place);
            let more: Vec<NamePlace> = more
                .into_iter()
                .filter(|one| !places.contains(one))
                .collect();
            places.extend(more);
            at += 1;
        }
        places
    }

    /// The same member of the parents of its type; none where the type has it itself.
    fn parents_of(&self, place: &NamePlace) -> Vec<NamePlace> {
        let (Some(name), Some(owner)) = (&place.name, &place.owner) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for path in self.paths_with(place, owner) {
            for known in self.types_of(&path).iter().filter(|one| one.name == *owner) {
                if known.members.contains(name) {
                    return Vec::new();
                }
                let parents = known.parents.iter();
                found.extend(parents.filter_map(|parent| self.member_of(&path, parent, name)));
            }
        }
        found
    }

    /// The files of a place that name a type.
    fn paths_with(&self, place: &NamePlace, owner: &str) -> Vec<String> {
        let texts = self.texts.iter();
        let texts = texts.filter(|(path, text)| place.holds(path) && text.contains(owner));
        let mut paths: Vec<String> = texts.map(|(path, _)| path.clone()).collect();
        paths.sort();
        paths
    }

    /// Whether a type has a method of its own, and not only its parent's.
    pub(in crate::sight) fn type_has(&self, typed: &str, method: &str) -> bool {
        let types = self.hierarchy();
        let mut places = types.places_of(typed);
        let is_own = |one: &KnownType| one.name == typed && one.members.contains(method);
        types.has_go_method(typed, method)
            || places.any(|path| self.types_of(path).iter().any(is_own))
    }

    /// Whether a method that is called on a type is its own or one of its parents', as far as the tree has them.
    pub(in crate::sight) fn type_declares(&self, typed: &str, method: &str) -> bool {
        let types = self.hierarchy();
        let is_own = |one: &KnownType| {
            one.name == typed && (one.members.contains(method) || one.asks.contains(method))
        };
        types.has_go_method(typed, method)
            || types
                .places_of(typed)
                .any(|path| self.types_of(path).iter().any(is_own))
    }

    /// The methods of the types of a name.
    pub(in crate::sight) fn members_of_type(&self, typed: &str) -> BTreeSet<String> {
        let places = self.hierarchy().places_of(typed);
        let types = places.flat_map(|path| {
            let types = self.types_of(path);
            let own = types.iter().filter(|one| one.name == typed);
            own.flat_map(|one| one.members.iter().cloned())
                .collect::<Vec<_>>()
        });
        types.collect()
    }

    /// A member of a type that a file names.
    fn member_of(&self, path: &str, parent: &str, name: &str) -> Option<NamePlace> {
        let file = RepoPath::from(path);
        let imported = self.imported_by(path);
        let Some(one) = imported.iter().find(|one| one.local == parent) else {
            return Some(NamePlace::of_type(&file, parent, name));
        };
        let mut steps = one.steps();
        steps.push(name.to_owned());
        let from = ImportedFrom {
            file,
            module: one.module.clone(),
            steps,
        };
        match self.meaning(&from) {
            Meaning::Inside(place) => Some(place),
            Meaning::Outside(_) | Meaning::Unknown => None,
        }
    }

    fn types_of(&self, path: &str) -> Rc<Vec<KnownType>> {
        if let Some(known) = self.types.borrow().get(path) {
            return Rc::clone(known);
        }
        let types = self.text(path).map(|text| types_in(path, text));
        let types = Rc::new(types.unwrap_or_default());
        let mut known = self.types.borrow_mut();
        known.insert(path.to_owned(), Rc::clone(&types));
        types
    }
}

fn types_in(path: &str, text: &str) -> Vec<KnownType> {
    let outline = FileOutline::of(&RepoPath::from(path), text);
    let mut members: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for span in &outline.functions {
        if let Some(owner) = outline.owner_of(text, span) {
            members.entry(owner).or_default().insert(span.name.clone());
        }
    }
    let types = outline.definitions.iter();
    let types = types.filter(|one| outline.is_holder(one));
    let known = types.map(|one| KnownType {
        name: one.name.clone(),
        parents: parents::parents_in(&outline, one),
        members: members.get(&one.name).cloned().unwrap_or_default(),
        asks: asked_by(&outline, one),
    });
    known.collect()
}

/// The heads of methods without a body in a type: `int find(int id);`, `fn run(&self);`, `Save(x int) error`.
fn asked_by(outline: &FileOutline<'_>, typed: &DefinedName) -> BTreeSet<String> {
    /// A longer type is data.
    const MAX_LINES: u32 = 400;
    let last = typed.end.min(typed.head.saturating_add(MAX_LINES));
    let lines = typed.head + 1..=last;
    let heads = lines.filter(|&line| outline.function_span(line).is_none());
    let asked = heads.filter_map(|line| {
        let (before, _) = outline.line(line).split_once('(')?;
        let is_head = !before.contains(['=', '.', '"', '/', '*', '#', '@']);
        definitions::last_word(before).filter(|_| is_head)
    });
    asked.collect()
}
