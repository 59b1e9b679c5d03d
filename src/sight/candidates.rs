//! Which names a change makes worth a look: what it uses, what it changes or removes, and the keys it spells out.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use council_protocol::change::{FileKind, FileStatus};
use council_protocol::{FileChange, LineKind, Packet, RepoPath};
use council_syntax::language::Language;

use super::edited::{collect_words, edited_names, value_names};
use super::limits;
use super::moved::{self, MovedFile};
use super::other_name::{Alias, DefaultExport};
use super::receivers;
use super::search::FileOutline;
use super::setting_words::parts_of;
use super::words::{self, WordUse};
use crate::git::ReviewedTree;
use crate::prompt::{is_test_path, rank_files};

/// The most names that are searched for one change.
const MAX_NAMES: usize = 400;

/// The largest side of a file whose names are read.
const MAX_SIDE: usize = 512 << 10;

/// Why a name is worth a look, the most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NameReason {
    /// A removed line used or defined it, and no added line does.
    Removed,
    /// The change edits what defines it.
    Changed,
    /// An added line uses it, and no removed line did.
    Added,
    /// A key in a string or in settings.
    Key,
    /// A line on both sides uses it.
    Kept,
    /// It stands in a changed function, on a line that did not change.
    Around,
    /// Only changed tests speak of it.
    InTest,
}

/// A name and what a brief wants to know of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WantedName {
    pub(super) text: String,
    pub(super) reason: NameReason,
    /// Whether what defines it is wanted.
    pub(super) definition: bool,
    /// Whether where it is used is wanted.
    pub(super) uses: bool,
    /// Whether it is a bare word that may be a variable of its function: no function of that name is meant.
    pub(super) is_bare: bool,
    /// A member is searched near the change only: elsewhere the same word means something else.
    pub(super) is_local: bool,
    /// Whether it is spelled out as a key: a setting of the same name as a function defines none.
    pub(super) is_key: bool,
    /// Whether only what is spelled as a key means it: in code the bare word is any variable.
    pub(super) is_key_alone: bool,
    /// Whether only places that make a value of this type are wanted: the change edits how it is made.
    pub(super) is_built: bool,
    /// The variables that a method with an everyday name is called on; none: it may be anybody's.
    pub(super) receivers: Option<BTreeSet<String>>,
    /// The types that the change edits a method of this name of.
    pub(super) owners: BTreeSet<String>,
    /// The files in which the change edits what has this name, under their names of both sides.
    pub(super) homes: BTreeSet<RepoPath>,
    /// The files that the change moves or deletes and that others mean by it.
    pub(super) moved: Vec<MovedFile>,
    /// What it is another name of.
    pub(super) alias: Option<Alias>,
    /// The files that it is a part of the path of and whose only export the change edits.
    pub(super) exports: Vec<DefaultExport>,
}

impl WantedName {
    /// A name of which its uses are wanted.
    pub(super) fn new(text: &str, reason: NameReason) -> Self {
        Self {
            text: text.to_owned(),
            reason,
            definition: false,
            uses: true,
            is_bare: false,
            is_local: false,
            is_key: reason == NameReason::Key,
            is_key_alone: false,
            is_built: false,
            receivers: None,
            owners: BTreeSet::new(),
            homes: BTreeSet::new(),
            moved: Vec::new(),
            alias: None,
            exports: Vec::new(),
        }
    }

    /// Whether every program has something of this name: only a use that certainly means what is edited tells.
    pub(super) fn is_everywhere(&self) -> bool {
        const SHORT: usize = 3;
        let is_plain = || {
            words::is_common(&self.text)
                || words::is_common_method(&self.text)
                || matches!(
                    self.text.as_str(),
                    "__init__" | "__new__" | "__construct" | "init" | "initialize"
                )
        };
        !self.homes.is_empty() && (self.text.len() <= SHORT || is_plain())
    }

    fn merge(wanted: &mut BTreeMap<String, Self>, name: Self) {
        let Some(have) = wanted.get_mut(&name.text) else {
            wanted.insert(name.text.clone(), name);
            return;
        };
        // How uses are told apart is for whoever wants them to say.
        have.is_built = match (have.uses, name.uses) {
            (true, false) => have.is_built,
            (false, true) => name.is_built,
            _ => have.is_built && name.is_built,
        };
        have.receivers = match (have.definition, name.definition) {
            (true, true) => have
                .receivers
                .take()
                .zip(name.receivers)
                .map(|(a, b)| &a | &b),
            (true, false) => have.receivers.take(),
            _ => name.receivers,
        };
        have.reason = have.reason.min(name.reason);
        have.definition |= name.definition;
        have.uses |= name.uses;
        have.is_bare &= name.is_bare;
        have.is_local &= name.is_local;
        have.is_key |= name.is_key;
        have.is_key_alone &= name.is_key_alone;
        have.owners.extend(name.owners);
        have.homes.extend(name.homes);
        have.moved.extend(name.moved);
    }
}

/// A changed file with both its sides.
pub(super) struct ChangedFile<'p> {
    pub(super) file: &'p FileChange,
    pub(super) new: Option<Arc<str>>,
    old: Option<Arc<str>>,
    /// Added lines on the new side.
    pub(super) added: Vec<u32>,
    /// Removed lines on the old side.
    pub(super) removed: Vec<u32>,
}

/// A line of the new side, and the one before it in its hunk.
pub(super) type EditedPlace = (u32, Option<u32>);

/// The changed files of a packet that have lines, the most telling first.
pub(super) fn changed_files<'p>(packet: &'p Packet, tree: &ReviewedTree) -> Vec<ChangedFile<'p>> {
    let files = rank_files(&packet.files);
    let files = files.into_iter().map(|index| &packet.files[index]);
    let files = files.filter(|file| file.kind == FileKind::Text && !file.hunks.is_empty());
    files.map(|file| ChangedFile::read(file, tree)).collect()
}

impl<'p> ChangedFile<'p> {
    fn read(file: &'p FileChange, tree: &ReviewedTree) -> Self {
        let lines = || file.hunks.iter().flat_map(|hunk| hunk.lines());
        let added = lines().filter(|line| line.kind == LineKind::Added);
        let removed = lines().filter(|line| line.kind == LineKind::Removed);
        let new = (file.status != FileStatus::Deleted)
            .then(|| limits::read_file(tree, &file.path))
            .flatten();
        let old = tree
            .read_before(file.path_before())
            .map(|bytes| String::from_utf8_lossy(&bytes).into());
        Self {
            file,
            new: new.filter(|text: &Arc<str>| text.len() <= MAX_SIDE),
            old: old.filter(|text: &Arc<str>| text.len() <= MAX_SIDE),
            added: added.filter_map(|line| line.new_no).collect(),
            removed: removed.filter_map(|line| line.old_no).collect(),
        }
    }

    pub(super) fn path(&self) -> &RepoPath {
        &self.file.path
    }

    /// Where the change edits the new side: added lines and those that follow on removed ones, each with the line before
    /// it, since what was removed may have been the end of something.
    pub(super) fn edited_places(&self) -> Vec<EditedPlace> {
        let mut places = Vec::new();
        for hunk in &self.file.hunks {
            let (mut before, mut is_behind_removed) = (None, false);
            for line in hunk.lines() {
                if let Some(number) = line.new_no {
                    if line.kind == LineKind::Added || is_behind_removed {
                        places.push((number, before));
                    }
                    before = Some(number);
                }
                is_behind_removed = line.kind == LineKind::Removed;
            }
            places.extend(
                before
                    .filter(|_| is_behind_removed)
                    .map(|last| (last, None)),
            );
        }
        places
    }
}

/// The names of a change, the most telling first.
pub(super) fn wanted_names(files: &[ChangedFile<'_>], packet: &Packet) -> Vec<WantedName> {
    let moved = packet.files.iter().flat_map(moved::moved_names);
    let mut wanted: BTreeMap<String, WantedName> = BTreeMap::new();
    for name in moved.take(MAX_MOVED_NAMES) {
        WantedName::merge(&mut wanted, name);
    }
    for file in files {
        let mut names = FileNames::default();
        names.read(file);
        let in_test = is_test_path(&file.path().display());
        for mut name in names.into_wanted() {
            if in_test {
                name.reason = NameReason::InTest;
                name.uses = false;
            }
            WantedName::merge(&mut wanted, name);
        }
    }
    let mut all: Vec<WantedName> = wanted.into_values().collect();
    // Long names are rarer, and so tell more.
    all.sort_by(|a, b| {
        let rank = |name: &WantedName| (name.reason, std::cmp::Reverse(name.text.len().min(12)));
        rank(a).cmp(&rank(b)).then_with(|| a.text.cmp(&b.text))
    });
    all.truncate(MAX_NAMES);
    all
}

/// The most names for files that are moved or deleted.
const MAX_MOVED_NAMES: usize = 200;

/// What the lines of one file say.
#[derive(Default)]
struct FileNames {
    added: BTreeMap<String, WordUse>,
    removed: BTreeMap<String, WordUse>,
    around: BTreeMap<String, WordUse>,
    /// What methods with everyday names are called on.
    receivers: receivers::CalledOn,
    /// What the change edits.
    changed: BTreeSet<String>,
    /// The types whose methods these are.
    owners: BTreeMap<String, BTreeSet<String>>,
    /// Types of which the change edits how they are made.
    built: BTreeSet<String>,
    /// The file, under its names of both sides.
    homes: BTreeSet<RepoPath>,
    /// What only the old side defined.
    gone: BTreeSet<String>,
    /// Variables and fields that the file defines: a method may use them by their bare name.
    values: BTreeSet<String>,
    is_settings: bool,
}

impl FileNames {
    fn read(&mut self, file: &ChangedFile<'_>) {
        let language = Language::from_path(&file.path().display());
        self.is_settings = words::is_settings(language);
        self.homes = [file.path(), file.file.path_before()]
            .map(Clone::clone)
            .into();
        let (mut defined_before, mut defined_now) = (HashSet::new(), HashSet::new());
        if let Some(old) = &file.old {
            let outline = FileOutline::of(file.file.path_before(), old);
            collect_words(&outline, &file.removed, &mut self.removed);
            self.receivers.collect(&outline, &file.removed);
            self.changed.extend(edited_names(&outline, &file.removed));
            self.own_methods(&outline, old, &file.removed);
            self.around_lines(&outline, &file.removed);
            defined_before.extend(outline.definitions.iter().map(|one| one.name.clone()));
        }
        if let Some(new) = &file.new {
            let outline = FileOutline::of(file.path(), new);
            collect_words(&outline, &file.added, &mut self.added);
            self.receivers.collect(&outline, &file.added);
            self.changed.extend(edited_names(&outline, &file.added));
            self.own_methods(&outline, new, &file.added);
            self.around_lines(&outline, &file.added);
            self.values.extend(value_names(&outline));
            defined_now.extend(outline.definitions.iter().map(|one| one.name.clone()));
        }
        self.gone = defined_before.difference(&defined_now).cloned().collect();
        self.gone.retain(|name| !words::is_common(name));
        if language == Language::Markup || language == Language::Css {
            // Of text that is shown to people only what is written as code names something.
            for words in [&mut self.added, &mut self.removed, &mut self.around] {
                words.retain(|name, _| words::is_compound(name));
            }
        }
    }

    /// Whose methods the edited functions are.
    fn own_methods(&mut self, outline: &FileOutline<'_>, text: &str, lines: &[u32]) {
        for &line in lines {
            let Some(span) = outline
                .function_span(line)
                .filter(|span| !span.name.is_empty())
            else {
                continue;
            };
            if let Some(owner) = outline.owner_of(text, span) {
                if words::is_constructor(&span.name, &owner) {
                    self.built.insert(owner.clone());
                }
                self.owners
                    .entry(span.name.clone())
                    .or_default()
                    .insert(owner);
            }
        }
    }

    /// The words of the changed functions, their unchanged lines included.
    fn around_lines(&mut self, outline: &FileOutline<'_>, lines: &[u32]) {
        const MAX_AROUND: usize = 120;
        let mut around = BTreeSet::new();
        for &line in lines {
            if let Some(span) = outline
                .function_span(line)
                .filter(|span| span.end - span.start < MAX_AROUND)
            {
                around.extend((span.start..=span.end).filter_map(|line| u32::try_from(line).ok()));
            }
        }
        let around: Vec<u32> = around.into_iter().collect();
        collect_words(outline, &around, &mut self.around);
        self.receivers.collect(outline, &around);
    }

    fn into_wanted(self) -> Vec<WantedName> {
        let mut found: Vec<WantedName> = self.edited().collect();
        for (name, how) in &self.removed {
            let reason = if self.added.contains_key(name) {
                NameReason::Kept
            } else {
                NameReason::Removed
            };
            found.extend(self.used(name, *how, reason));
        }
        for (name, how) in &self.added {
            if !self.removed.contains_key(name) {
                found.extend(self.used(name, *how, NameReason::Added));
            }
        }
        for (name, how) in &self.around {
            let is_known = self.added.contains_key(name) || self.removed.contains_key(name);
            let is_field = self.values.contains(name);
            let tells = is_field
                || matches!(
                    how,
                    WordUse::Called | WordUse::Named | WordUse::Key | WordUse::Member
                );
            if !is_known && tells {
                let mut around = self.used(name, *how, NameReason::Around);
                around
                    .iter_mut()
                    .for_each(|name| name.uses &= name.is_local);
                found.append(&mut around);
            }
        }
        found
    }

    /// What the change edits or removes.
    fn edited(&self) -> impl Iterator<Item = WantedName> + '_ {
        let names = self.changed.iter().chain(&self.gone);
        let edited = names.filter_map(|name| {
            let reason = if self.gone.contains(name) {
                NameReason::Removed
            } else {
                NameReason::Changed
            };
            if self.is_settings {
                let is_plain = words::is_common(name) || words::is_common_method(name);
                return (!is_plain).then(|| key_name(name, reason));
            }
            Some(WantedName {
                owners: self.owners.get(name).cloned().unwrap_or_default(),
                homes: self.homes.clone(),
                is_built: self.built.contains(name),
                ..WantedName::new(name, reason)
            })
        });
        let built = self
            .built
            .iter()
            .filter(|name| !self.changed.contains(*name));
        edited.chain(built.map(|name| WantedName {
            is_built: true,
            homes: self.homes.clone(),
            ..WantedName::new(name, NameReason::Changed)
        }))
    }

    fn used(&self, name: &str, how: WordUse, reason: NameReason) -> Vec<WantedName> {
        if words::is_common(name) && how != WordUse::Key {
            return Vec::new();
        }
        let one = |definition, uses, is_local| wanted(name, reason, (definition, uses), is_local);
        match how {
            _ if self.is_settings => names_of_setting(name, how),
            // Every language has a `push` and a `get`: only one nearby can be meant.
            WordUse::Called => {
                let is_local = words::is_common_method(name);
                let uses = reason == NameReason::Removed && !is_local;
                vec![WantedName {
                    receivers: self.receivers.of(name),
                    ..one(true, uses, is_local)
                }]
            }
            WordUse::Named => vec![one(true, false, false)],
            WordUse::Member | WordUse::Plain => {
                let is_telling = words::is_compound(name) || self.values.contains(name);
                let mut bare = one(true, is_telling, true);
                bare.is_bare = !is_telling;
                vec![bare]
            }
            WordUse::Key => parts_of(name)
                .into_iter()
                .filter(|part| !words::is_common_method(part))
                .map(|part| WantedName {
                    definition: true,
                    ..key_name(part, NameReason::Key)
                })
                .collect(),
        }
    }
}

fn wanted(
    name: &str,
    reason: NameReason,
    (definition, uses): (bool, bool),
    is_local: bool,
) -> WantedName {
    WantedName {
        definition,
        uses,
        is_local,
        ..WantedName::new(name, reason)
    }
}

/// A name that is spelled out as a key.
fn key_name(name: &str, reason: NameReason) -> WantedName {
    WantedName {
        is_key: true,
        is_key_alone: !words::is_compound(name),
        ..WantedName::new(name, reason)
    }
}

/// What a changed line of settings makes worth a look: who reads the key, and what the value names.
fn names_of_setting(name: &str, how: WordUse) -> Vec<WantedName> {
    let parts = parts_of(name).into_iter();
    let is_plain = |part: &str| words::is_common(part) || words::is_common_method(part);
    let parts = parts.filter(|part| !is_plain(part));
    match how {
        WordUse::Key => parts.map(|part| key_name(part, NameReason::Key)).collect(),
        _ => parts
            .map(|part| wanted(part, NameReason::Key, (true, false), false))
            .collect(),
    }
}
