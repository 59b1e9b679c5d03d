//! The types through which an edited method is called, besides the one that has it: those that it is held as, and those
//! that inherit it.

use std::collections::BTreeSet;

use super::super::candidates::ChangedFile;
use super::super::hierarchy::Hierarchy;
use super::super::imported::{CalledOn, KnownTree};
use super::super::receivers::Certainty;
use super::super::search::{FileHits, NameHits};
use super::super::wanted::WantedName;
use super::grown_interfaces::grown_interfaces;

/// The other types through which a method is called.
#[derive(Debug, Default)]
pub(super) struct Kin {
    /// They have the very method.
    heirs: BTreeSet<String>,
    /// What is called on one of them may be it.
    above: BTreeSet<String>,
}

/// Whether a name is that of an edited method, whose callers may know it by another type.
pub(super) fn is_method(name: &WantedName) -> bool {
    name.uses && !name.owners.is_empty() && !name.is_field && !name.is_own
}

impl Kin {
    pub(super) fn of(name: &WantedName, known: &KnownTree) -> Self {
        let mut kin = Self::default();
        if !is_method(name) {
            return kin;
        }
        let all = known.hierarchy();
        for owner in &name.owners {
            let has_own = |child: &str| known.type_has(child, &name.text);
            kin.heirs.extend(all.below(owner, has_own));
        }
        kin.heirs = &kin.heirs - &name.owners;
        for one in name.owners.iter().chain(&kin.heirs) {
            kin.above.extend(all.above(one, &name.text));
        }
        kin.above = &(&kin.above - &name.owners) - &kin.heirs;
        kin
    }

    /// Whether a type is one of them.
    pub(super) fn holds(&self, typed: &str) -> bool {
        self.heirs.contains(typed) || self.above.contains(typed)
    }

    pub(super) fn certainty(
        &self,
        called: &CalledOn,
        name: &WantedName,
        types: &Hierarchy,
    ) -> Option<Certainty> {
        let has_it = |typed: &str| name.owners.contains(typed) || self.heirs.contains(typed);
        let typed = called.typed.as_str();
        if called.is_parent {
            let is_it = types.parents_of(typed).any(has_it);
            return is_it.then_some(Certainty::Exact);
        }
        match (self.heirs.contains(typed), self.above.contains(typed)) {
            (true, _) => Some(Certainty::Exact),
            (false, true) => Some(Certainty::Likely),
            (false, false) => None,
        }
    }
}

/// The types of edited methods and what these extend, and what an interface asks for that asks for more now: whoever
/// names
/// one may be of their kin.
pub(super) fn kin_names(files: &[ChangedFile<'_>], names: &[WantedName]) -> Vec<String> {
    const MAX_KIN: usize = 60;
    let paths: Vec<_> = files.iter().map(|file| file.path().display()).collect();
    let texts = files.iter().zip(&paths);
    let texts = texts.filter_map(|(file, path)| Some((path.as_ref(), file.new.as_deref()?)));
    let types = Hierarchy::of(texts);
    let edited = names.iter().filter(|name| is_method(name));
    let owners: BTreeSet<&str> = edited
        .flat_map(|name| name.owners.iter().map(String::as_str))
        .collect();
    let parents = owners.iter().flat_map(|owner| types.parents_of(owner));
    let all: BTreeSet<&str> = owners.iter().copied().chain(parents).collect();
    let grown = grown_interfaces(files).into_iter().map(|one| one.method);
    let all = all.into_iter().take(MAX_KIN).map(str::to_owned);
    all.chain(grown).collect()
}

/// Sets files aside that only name the kin, which begins at `first`: they tell who extends whom, and use nothing.
pub(super) fn set_kin_aside(
    hits: &mut NameHits,
    first: usize,
    is_wanted: impl Fn(&FileHits) -> bool,
) {
    let (mut files, mut aside) = (Vec::new(), Vec::new());
    for mut file in std::mem::take(&mut hits.files) {
        let all = file.hits.len();
        file.hits.retain(|hit| hit.name < first);
        match file.hits.is_empty() && all > 0 && !is_wanted(&file) {
            true => aside.push(file),
            false => files.push(file),
        }
    }
    hits.files = files;
    hits.kept.extend(aside);
}
