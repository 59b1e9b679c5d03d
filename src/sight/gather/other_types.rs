//! Types that have a method of the edited one's name, and nothing to do with it.

use council_syntax::language::Language;

use super::super::definitions::{DefinedName, DefinitionKind};
use super::super::imported::{CalledOn, every_place_asks, sources_on};
use super::super::locals::place_of;
use super::super::name_source::NameSource;
use super::super::receivers;
use super::super::search::{FileHits, FileOutline, NameHit};
use super::super::wanted::WantedName;
use super::super::words::CodeWord;
use super::{Gatherer, meant};

impl Gatherer<'_> {
    /// Whether a line says that it asks other types of the tree, which have a method of that name from elsewhere.
    pub(super) fn asks_other_types(
        &self,
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> bool {
        let name = &self.names[hit.name];
        let is_edited = !name.homes.is_empty() && !name.is_field && !name.is_own;
        let is_other = |called: &CalledOn| self.is_other_type(hit.name, called);
        is_edited && every_place_asks(outline, (hit.line, &name.text), &file.text, is_other)
    }

    /// Whether a line only has a word that is called like what the change edits: a member that it sets, in a file that
    /// does not have the edited one, or a part of the name of a module.
    pub(super) fn is_only_called_so(
        &self,
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> bool {
        let name = &self.names[hit.name];
        let is_of_file = !name.homes.is_empty() && name.owners.is_empty() && !name.is_field;
        let is_plain = is_of_file && !name.is_key && !name.crosses && name.exports.is_empty();
        let has_it = || {
            let mut homes = name.homes.iter();
            homes.any(|home| *home == file.path || receivers::reaches(file, outline, home))
        };
        let is_module = || {
            let sources = sources_on(outline, (&file.path, &file.text), hit.line, &name.text);
            let is_part = sources.is_empty() && outline.is_import(hit.line);
            let is_home = !sources.is_empty() && sources.iter().all(|one| is_home(name, one));
            outline.language() == Language::Python && (is_part || is_home)
        };
        is_plain && (is_module() || (sets_member(outline, hit.line, &name.text) && !has_it()))
    }

    /// Whether a type has a method of this name that is not the edited one.
    fn is_other_type(&self, index: usize, called: &CalledOn) -> bool {
        let method = &self.names[index].text;
        let declares = |typed: &String| self.known.type_declares(typed, method);
        let is_own = !called.is_parent && declares(&called.typed);
        let inherits = || {
            let mut ancestors = self.known.hierarchy().ancestors_of(&called.typed);
            let is_heir = self.extends_edited(index, &called.typed);
            ancestors.retain(declares);
            !is_heir && !ancestors.is_empty()
        };
        !self.is_of_kin(index, &called.typed) && (is_own || inherits())
    }

    fn is_of_kin(&self, index: usize, typed: &String) -> bool {
        self.names[index].owners.contains(typed) || self.kin[index].holds(typed)
    }

    /// Whether a type extends one whose method the change edits.
    fn extends_edited(&self, index: usize, typed: &str) -> bool {
        let ancestors = self.known.hierarchy().ancestors_of(typed);
        !ancestors.is_disjoint(&self.names[index].owners)
    }

    /// Whether a method is that of another type than those whose method of this name the change edits, where it does
    /// nothing else with the name: then what it means is what it edits.
    pub(super) fn is_of_other_type(
        &self,
        index: usize,
        defined: &DefinedName,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> bool {
        let name = &self.names[index];
        let is_kin =
            |typed: &String| self.is_of_kin(index, typed) || self.extends_edited(index, typed);
        is_only_edited(name)
            && defined.kind == DefinitionKind::Function
            // What stands beside it for another system has a type of the same name.
            && outline.language() != Language::C
            && meant::owner_of(defined, file, outline).is_some_and(|owner| !is_kin(&owner))
    }
}

/// Whether a name is the very module of Python that the change edits: `from app import rates` brings nothing of what
/// `app/rates.py` calls so.
fn is_home(name: &WantedName, source: &NameSource) -> bool {
    let NameSource::From(from) = source else {
        return false;
    };
    let names = from.module.split('.').filter(|part| !part.is_empty());
    let parts: Vec<&str> = names.chain(from.steps.iter().map(String::as_str)).collect();
    let module = format!("/{}.py", parts.join("/"));
    let mut homes = name.homes.iter();
    name.moved.is_empty() && homes.any(|home| format!("/{}", home.display()).ends_with(&module))
}

/// Whether a line has a name only as a member that it gives a value to: `x.limit = 1`.
fn sets_member(outline: &FileOutline<'_>, line: u32, name: &str) -> bool {
    let words = outline.words_at(line).iter();
    let mut words = words.filter(|word| word.text == name).peekable();
    let is_set = |word: &CodeWord<'_>| {
        let (code, from, to) = place_of(outline.line(line), word);
        let behind = code[to..].trim_start();
        let is_given =
            behind.starts_with('=') && !behind.starts_with("==") && !behind.starts_with("=>");
        is_given && (code[..from].ends_with('.') || code[..from].ends_with("->"))
    };
    // A table of C holds functions by such names.
    outline.language() != Language::C && words.peek().is_some() && words.all(is_set)
}

/// Whether the change edits what has a name, and uses it nowhere.
fn is_only_edited(name: &WantedName) -> bool {
    !name.homes.is_empty() && name.sources.is_empty()
}
