//! What an imported name means: the places that may define it, through the files that hand it on.

use council_syntax::language::Language;

use super::super::import_names::name::{DEFAULT, ImportedItem, ImportedName};
use super::super::name_source::ImportedFrom;
use super::super::words::is_name;
use super::known::KnownTree;
use super::meaning::{Meaning, NamePlace, Spot};
use super::modules::{ModulePlace, place_of};

/// Through so many files a name is followed.
const MAX_DEPTH: usize = 5;

impl KnownTree {
    /// What a name means that a file imports.
    pub(in crate::sight) fn meaning(&self, from: &ImportedFrom) -> Meaning {
        if let Some(known) = self.meanings.borrow().get(from) {
            return known.clone();
        }
        let meaning = self.resolve(from, 0);
        let mut meanings = self.meanings.borrow_mut();
        meanings.insert(from.clone(), meaning.clone());
        meaning
    }

    fn resolve(&self, from: &ImportedFrom, depth: usize) -> Meaning {
        let (spots, used) = match place_of(self, from) {
            _ if depth > MAX_DEPTH => return Meaning::Unknown,
            ModulePlace::Unknown => return Meaning::Unknown,
            ModulePlace::Outside => return Meaning::Outside(from.module.clone()),
            ModulePlace::Inside(spots, used) => (spots, used),
        };
        let is_script = Language::from_path(&from.file.display()) == Language::Script;
        match from.steps.get(used..).unwrap_or_default() {
            [] if is_script => self.follow(spots, DEFAULT, depth),
            [] => Meaning::Inside(NamePlace {
                spots: spots.into_iter().collect(),
                ..NamePlace::default()
            }),
            [name] => self.follow(spots, name, depth),
            [first, inner @ ..] => member(self.follow(spots, first, depth), first, inner),
        }
    }

    /// Where these places have a name from.
    fn follow(&self, spots: Vec<Spot>, name: &str, depth: usize) -> Meaning {
        let mut places = Places::default();
        for spot in spots {
            match &spot {
                Spot::File(path) => self.follow_file(path, name, depth, &mut places),
                Spot::Folder(_) | Spot::Below(_) => {
                    let is_sure = matches!(spot, Spot::Folder(_));
                    places.add(spot, name, is_sure);
                }
            }
        }
        places.into_meaning()
    }

    fn follow_file(&self, path: &str, name: &str, depth: usize, places: &mut Places) {
        let text = self.text(path);
        let is_declared = text.is_some_and(|text| declares(text, name));
        let imported = self.imported_by(path);
        let from = |one: &ImportedName| ImportedFrom {
            file: path.into(),
            module: one.module.clone(),
            steps: one.steps(),
        };
        let mut brought = imported.iter().filter(|one| one.local == name).peekable();
        if !is_declared && brought.peek().is_some() {
            brought.for_each(|one| places.merge(self.resolve(&from(one), depth + 1)));
            return;
        }
        let own = match name {
            DEFAULT => text.and_then(|text| default_name(text)),
            name => Some(name.to_owned()),
        };
        places.add(
            Spot::File(path.to_owned()),
            own.as_deref().unwrap_or_default(),
            is_declared,
        );
        let all = imported.iter().filter(|one| one.item == ImportedItem::All);
        for one in all.filter(|_| !is_declared && depth < MAX_DEPTH && name != DEFAULT) {
            if let ModulePlace::Inside(spots, _) = place_of(self, &from(one)) {
                // What one of several does not have, another one may.
                let more = self.follow(spots, name, depth + 1);
                places.merge_known(more);
            }
        }
    }
}

/// The place of what a type or a value has.
fn member(found: Meaning, first: &str, inner: &[String]) -> Meaning {
    let Meaning::Inside(mut place) = found else {
        return found;
    };
    let (name, outer) = inner.split_last().expect("a member has a name");
    place.owner = match outer.last() {
        Some(owner) => Some(owner.clone()),
        // What a default export is called says nothing of who has its members.
        None => place.name.take().filter(|_| first != DEFAULT),
    };
    place.name = Some(name.clone());
    Meaning::Inside(place)
}

#[derive(Default)]
struct Places {
    place: NamePlace,
    outside: Option<String>,
    is_unknown: bool,
    is_unsure: bool,
}

impl Places {
    fn add(&mut self, spot: Spot, name: &str, is_sure: bool) {
        self.place.spots.insert(spot);
        self.is_unsure |= !is_sure;
        if self.place.name.is_none() && !name.is_empty() {
            self.place.name = Some(name.to_owned());
        }
    }

    fn merge(&mut self, more: Meaning) {
        match more {
            Meaning::Unknown => self.is_unknown = true,
            Meaning::Outside(module) => self.outside = Some(module),
            Meaning::Inside(place) => {
                self.is_unsure |= !place.is_sure;
                self.place.spots.extend(place.spots);
                self.place.name = self.place.name.take().or(place.name);
            }
        }
    }

    fn merge_known(&mut self, more: Meaning) {
        if matches!(more, Meaning::Inside(_)) {
            self.merge(more);
        }
    }

    fn into_meaning(self) -> Meaning {
        match self.outside {
            _ if self.is_unknown => Meaning::Unknown,
            Some(module) if self.place.spots.is_empty() => Meaning::Outside(module),
            _ if self.place.spots.is_empty() => Meaning::Unknown,
            _ => Meaning::Inside(NamePlace {
                is_sure: !self.is_unsure,
                ..self.place
            }),
        }
    }
}

/// Whether a text has the head of a definition of a name, as these languages write them.
fn declares(text: &str, name: &str) -> bool {
    const KEYWORDS: [&str; 22] = [
        "class",
        "const",
        "def",
        "enum",
        "fn",
        "fun",
        "func",
        "function",
        "function*",
        "interface",
        "let",
        "mod",
        "object",
        "record",
        "static",
        "struct",
        "trait",
        "type",
        "union",
        "val",
        "var",
        "macro_rules!",
    ];
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let is_whole = !before.ends_with(is_name) && !behind.starts_with(is_name);
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        // At the beginning of a line Python assigns.
        let is_assigned = line.is_empty() && behind.trim_start().starts_with(['=', ':']);
        is_whole
            && (is_assigned
                || line
                    .split_whitespace()
                    .next_back()
                    .is_some_and(|word| KEYWORDS.contains(&word)))
    })
}

/// What a file calls that it exports without a name.
fn default_name(text: &str) -> Option<String> {
    let mut lines = text.lines();
    lines.find_map(|line| {
        let begins = ["export default ", "module.exports = ", "module.exports="];
        let rest = begins.iter().find_map(|begin| line.strip_prefix(begin))?;
        let mut words = rest
            .split(|c: char| !is_name(c))
            .filter(|word| !word.is_empty());
        let skipped = ["async", "function", "class", "abstract", "new"];
        let name = words.find(|word| !skipped.contains(word))?;
        // `function (a)` and `{a: 1}` have none.
        let head = rest.split(['(', '{', '=']).next().unwrap_or_default();
        head.contains(name).then(|| name.to_owned())
    })
}
