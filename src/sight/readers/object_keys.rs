//! Keys of the objects and the schemas of scripts: whoever has the object in another file reads them as its members.

use std::collections::{BTreeMap, BTreeSet};

use council_syntax::language::Language;

use super::super::read_side::ReadSide;
use super::super::receivers::{Certainty, reaches};
use super::super::wanted::{NameReason, WantedName};
use super::super::words;
use super::answers::is_unpacked;
use super::objects::{ObjectKey, object_keys};
use super::place::{ReadingPlace, read_name};
use super::reader::{HeldKey, Reader};
use super::spelling;

/// The keys of several words that edited lines of a script give to objects.
pub(super) fn keys_on(side: &ReadSide<'_>) -> Vec<String> {
    if side.outline.language() != Language::Script {
        return Vec::new();
    }
    let keys = object_keys(side.text).into_iter();
    let keys = keys.filter(|key| side.lines.contains(&key.lines.0) && is_told_apart(&key.name));
    keys.map(|key| key.name).collect()
}

/// What reads the keys that a file no longer gives to any object.
pub(super) fn lost_names(before: &ReadSide<'_>, now: Option<&ReadSide<'_>>) -> Vec<WantedName> {
    let kept = now.map(|now| object_keys(now.text)).unwrap_or_default();
    let kept: BTreeSet<String> = kept.into_iter().map(|key| key.name).collect();
    let keys = keys_on(before)
        .into_iter()
        .filter(|name| !kept.contains(name));
    keys.map(|name| read_key(&name, NameReason::Removed, before, false))
        .collect()
}

/// What reads the keys of a file's own objects that are given another value: a schema says there what a key may be.
pub(super) fn altered_names(before: &ReadSide<'_>, now: &ReadSide<'_>) -> Vec<WantedName> {
    if now.outline.language() != Language::Script {
        return Vec::new();
    }
    let [was, is] = [values_of_file(before), values_of_file(now)];
    let mut names = BTreeSet::new();
    for (path, (name, values)) in &is {
        if was.get(path).is_some_and(|(_, earlier)| earlier != values) {
            names.insert(name);
        }
    }
    names
        .into_iter()
        .map(|name| read_key(name, NameReason::Changed, now, true))
        .collect()
}

/// The values of the keys of objects that stand in no function, by their paths.
fn values_of_file(side: &ReadSide<'_>) -> BTreeMap<String, (String, BTreeSet<String>)> {
    /// What is given a longer value is a part of the program, and no key of a schema.
    const MAX_VALUE: usize = 300;
    let is_plain = |key: &ObjectKey| {
        let is_function = key.value.contains("=>") || key.value.contains("function");
        let is_inside = side.outline.outermost_function(key.lines.0).is_some();
        let is_value = (1..=MAX_VALUE).contains(&key.value.len());
        is_value && !is_function && !is_inside && is_told_apart(&key.name)
    };
    let mut found: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
    for key in object_keys(side.text).into_iter().filter(is_plain) {
        let (_, values) = found
            .entry(key.path)
            .or_insert_with(|| (key.name, BTreeSet::new()));
        values.insert(key.value);
    }
    found
}

fn read_key(name: &str, reason: NameReason, side: &ReadSide<'_>, is_altered: bool) -> WantedName {
    let key = HeldKey {
        home: side.path.clone(),
        is_altered,
    };
    read_name(name, reason, Reader::Held(key))
}

/// Whether a key is made of several words: any object has an `id`.
fn is_told_apart(name: &str) -> bool {
    spelling::words_of(name).len() > 1 && !words::is_of_environment(name)
}

impl ReadingPlace<'_, '_> {
    /// How certainly the line reads a key of an object of another file; none: it does not.
    pub(super) fn certainty_of_held(&self, key: &HeldKey) -> Option<Certainty> {
        let is_script = self.outline.language() == Language::Script;
        let is_page = words::is_template(&self.file.path.display());
        let reads =
            || self.is_in_quotes() || self.is_member_of_other() || (is_page && self.is_code());
        if self.file.path == key.home || !(is_script || is_page) || !reads() {
            return None;
        }
        // A key that stays is read by many: only who has the object from its file means it.
        match reaches(self.file, self.outline, &key.home) {
            true => Some(Certainty::Likely),
            false => (!key.is_altered).then_some(Certainty::Possible),
        }
    }

    fn is_code(&self) -> bool {
        self.outline.is_code(self.line, self.name)
    }

    fn is_member_of_other(&self) -> bool {
        self.around().iter().any(|(before, behind)| {
            let is_member =
                before.ends_with('.') && !before.ends_with("..") && !before.ends_with("this.");
            is_member || is_unpacked(before, behind)
        })
    }
}
