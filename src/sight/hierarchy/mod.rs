//! Which types extend, implement or embed which: through what types a method is called, besides its own.

mod heads;

use std::collections::{BTreeMap, BTreeSet};

use council_syntax::language::Language;

use super::hints::split_name;
use heads::{go_methods, heads_in};

/// Through so many types a method is followed.
const MAX_DEPTH: usize = 5;

/// So many types are followed at most.
const MAX_TYPES: usize = 60;

/// A type of Go with the folder that it lies in: its methods may stand in several files there.
type PlacedType = (String, String);

/// The types of some files, by their names without modules.
#[derive(Debug, Default)]
pub(super) struct Hierarchy {
    parents: BTreeMap<String, BTreeSet<String>>,
    children: BTreeMap<String, BTreeSet<String>>,
    /// The files that have the head of a type.
    places: BTreeMap<String, BTreeSet<String>>,
    /// The methods of the types of Go.
    methods: BTreeMap<PlacedType, BTreeSet<String>>,
    /// What the interfaces of Go ask for themselves.
    asks: BTreeMap<String, BTreeSet<String>>,
}

/// The methods that the interfaces of a file of Go ask for themselves.
pub(super) fn asked_methods(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let heads = heads_in(Language::Go, text).into_iter();
    let asked = heads.filter_map(|head| Some((head.name, head.asks?.into_iter().collect())));
    asked.collect()
}

impl Hierarchy {
    /// Reads files, each with its path.
    pub(super) fn of<'t>(files: impl Iterator<Item = (&'t str, &'t str)>) -> Self {
        let mut all = Self::default();
        for (path, text) in files {
            all.read(path, text);
        }
        all
    }

    fn read(&mut self, path: &str, text: &str) {
        let language = Language::from_path(path);
        if !language.is_code() {
            return;
        }
        for head in heads_in(language, text) {
            let places = self.places.entry(head.name.clone()).or_default();
            places.insert(path.to_owned());
            if let Some(asks) = head.asks {
                self.asks.entry(head.name.clone()).or_default().extend(asks);
            }
            for parent in head.parents {
                let children = self.children.entry(parent.clone()).or_default();
                children.insert(head.name.clone());
                self.parents
                    .entry(head.name.clone())
                    .or_default()
                    .insert(parent);
            }
        }
        if language == Language::Go {
            let folder = split_name(path).0;
            for (typed, method) in go_methods(text) {
                let key = (folder.to_owned(), typed.to_owned());
                self.methods
                    .entry(key)
                    .or_default()
                    .insert(method.to_owned());
            }
        }
    }

    /// Whether a file has the head of a type of this name.
    pub(super) fn has_type(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The files that have the head of a type.
    pub(super) fn places_of(&self, name: &str) -> impl Iterator<Item = &str> {
        let places = self.places.get(name).into_iter().flatten();
        places.map(String::as_str)
    }

    /// What a type says that it extends or implements.
    pub(super) fn parents_of(&self, name: &str) -> impl Iterator<Item = &str> {
        let parents = self.parents.get(name).into_iter().flatten();
        parents.map(String::as_str)
    }

    /// What a type extends or implements, through however many others.
    pub(super) fn ancestors_of(&self, name: &str) -> BTreeSet<String> {
        self.follow(name, &self.parents, |_| true)
    }

    /// The types that have what a type has, without those of which `stops` says that they have their own, and what
    /// extends these.
    pub(super) fn below(&self, name: &str, stops: impl Fn(&str) -> bool) -> BTreeSet<String> {
        self.follow(name, &self.children, |child| !stops(child))
    }

    /// The types that a value of this one can be held as, and that are in the files; of Go the interfaces that ask for
    /// this method and for no other one than it has.
    pub(super) fn above(&self, name: &str, method: &str) -> BTreeSet<String> {
        let mut places = self.places_of(name);
        if places.any(|path| Language::from_path(path) == Language::Go) {
            return self.satisfied(name, method);
        }
        let mut above = self.ancestors_of(name);
        above.retain(|parent| self.has_type(parent));
        above
    }

    fn follow(
        &self,
        name: &str,
        links: &BTreeMap<String, BTreeSet<String>>,
        may_follow: impl Fn(&str) -> bool,
    ) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut next = vec![name.to_owned()];
        for _ in 0..MAX_DEPTH {
            let linked = next.iter().filter_map(|one| links.get(one)).flatten();
            let new: BTreeSet<String> = linked
                .filter(|one| *one != name && !found.contains(*one) && may_follow(one))
                .take(MAX_TYPES)
                .cloned()
                .collect();
            found.extend(new.iter().cloned());
            next = new.into_iter().collect();
            if next.is_empty() || found.len() >= MAX_TYPES {
                break;
            }
        }
        found
    }

    /// The interfaces of Go that a type satisfies and that have a method.
    fn satisfied(&self, name: &str, method: &str) -> BTreeSet<String> {
        let folders = self
            .places_of(name)
            .map(|path| split_name(path).0.to_owned());
        let folders: BTreeSet<String> = folders.collect();
        let has = folders
            .into_iter()
            .map(|folder| self.methods_of(&folder, name));
        let has: Vec<BTreeSet<String>> = has.collect();
        let interfaces = self.asks.keys().filter(|interface| {
            let asked = self.asked_by(interface);
            asked.contains(method) && has.iter().any(|has| asked.is_subset(has))
        });
        interfaces
            .filter(|one| *one != name)
            .take(MAX_TYPES)
            .cloned()
            .collect()
    }

    /// The methods of a type of Go, those of what it embeds included.
    fn methods_of(&self, folder: &str, name: &str) -> BTreeSet<String> {
        let own = self.methods.get(&(folder.to_owned(), name.to_owned()));
        let mut all = own.cloned().unwrap_or_default();
        for embedded in self.ancestors_of(name) {
            let named = self
                .methods
                .iter()
                .filter(|((_, typed), _)| *typed == embedded);
            all.extend(named.flat_map(|(_, methods)| methods.iter().cloned()));
            all.extend(self.asks.get(&embedded).into_iter().flatten().cloned());
        }
        all
    }

    /// What an interface of Go asks for, as far as the files have the interfaces that it embeds.
    fn asked_by(&self, interface: &str) -> BTreeSet<String> {
        let embedded = self.ancestors_of(interface);
        let all = embedded.iter().map(String::as_str).chain([interface]);
        let asked = all.filter_map(|one| self.asks.get(one)).flatten();
        asked.cloned().collect()
    }

    /// The types of Go that have these methods, each with its folder, as far as they lack what `lacks` asks.
    pub(super) fn go_types_with(
        &self,
        asked: &BTreeSet<String>,
        lacks: impl Fn(&BTreeSet<String>) -> bool,
    ) -> BTreeSet<(String, String)> {
        let types = self.methods.keys().filter(|(folder, typed)| {
            let has = self.methods_of(folder, typed);
            asked.is_subset(&has) && lacks(&has)
        });
        types.cloned().collect()
    }

    /// Whether a type of Go has a method of its own.
    pub(super) fn has_go_method(&self, name: &str, method: &str) -> bool {
        let mut typed = self.methods.iter().filter(|((_, typed), _)| typed == name);
        typed.any(|(_, methods)| methods.contains(method))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: BTreeSet<String>) -> Vec<String> {
        found.into_iter().collect()
    }

    #[test]
    fn a_method_is_followed_up_and_down_to_where_another_one_stands() {
        let all = Hierarchy::of(
            [
                ("a.py", "class Base(Foreign):\n    pass\n"),
                (
                    "b.py",
                    "class Mid(Base):\n    pass\n\n\nclass Own(Base):\n    pass\n",
                ),
                (
                    "c.py",
                    "class Leaf(Mid):\n    pass\n\n\nclass Far(Own):\n    pass\n",
                ),
            ]
            .into_iter(),
        );
        assert_eq!(
            names(all.below("Base", |name| name == "Own")),
            ["Leaf", "Mid"]
        );
        assert_eq!(names(all.above("Leaf", "find")), ["Base", "Mid"]);
    }

    #[test]
    fn a_type_of_go_is_held_as_the_interfaces_whose_methods_it_has() {
        let all = Hierarchy::of(
            [
                ("s/i.go", "type Loader interface {\n\tLoad() int\n}\n\ntype Store interface {\n\tLoader\n\tSave()\n}\n\ntype Wide interface {\n\tLoad() int\n\tDrop()\n}\n"),
                ("m/a.go", "type mem struct {\n\tbase\n}\n\nfunc (m *mem) Load() int {\n"),
                ("m/b.go", "type base struct {\n\tn int\n}\n\nfunc (b base) Save() {\n"),
                ("x/c.go", "type mem struct {\n\tn int\n}\n\nfunc (m *mem) Drop() {\n"),
            ]
            .into_iter(),
        );
        assert_eq!(names(all.above("mem", "Load")), ["Loader", "Store"]);
        assert_eq!(names(all.above("mem", "Other")), Vec::<String>::new());
    }
}
