//! Which names a change makes worth a look: what it uses, what it changes or removes, and the keys it spells out.

mod edited;
mod made_names;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use council_protocol::change::{FileKind, FileStatus};
use council_protocol::{FileChange, LineKind, Packet, RepoPath};
use council_syntax::language::Language;

use super::abstract_methods::asked_methods;
use super::causes::lost_causes;
use super::common_words;
use super::edited::{collect_words, edited_names, imported_alone, value_names};
use super::edited_lines;
use super::enumerations::counted_types;
use super::fields;
use super::fixtures::edited_fixtures;
use super::given_fields;
use super::imported::NameSources;
use super::limits;
use super::moved;
use super::orphans::orphaned_names;
use super::outlets::{Outlet, outlets_of};
use super::own_fields::{FieldOwners, changed_own_fields};
use super::read_side::ReadSide;
use super::readers::ReadElsewhere;
use super::receivers;
use super::remarks::lines_of_code;
use super::schema;
use super::search::{FileOutline, is_searched};
use super::setting_words::parts_of;
use super::spelled;
use super::unnamed;
use super::wanted::{NameReason, Spelling, WantedName};
use super::words::{self, CodeWord, WordUse};
use crate::git::ReviewedTree;
use crate::prompt::{is_test_path, rank_files};
use made_names::{is_type_name, key_name, names_of_setting, wanted};

/// The most names that are searched for one change.
const MAX_NAMES: usize = 400;

/// The most edited lines of a side whose names are read: for many of them all that the file defines is gone through, and a
/// file with more is new or generated. A table of 30,000 lines took a minute without this.
const MAX_EDITED_LINES: usize = 2_000;

/// The largest side of a file whose names are read.
const MAX_SIDE: usize = 512 << 10;

/// A changed file with both its sides.
pub(super) struct ChangedFile<'p> {
    pub(super) file: &'p FileChange,
    pub(super) new: Option<Arc<str>>,
    old: Option<Arc<str>>,
    /// Added lines on the new side.
    pub(super) added: Vec<u32>,
    /// Removed lines on the old side.
    pub(super) removed: Vec<u32>,
    /// How many edited lines stand in a side that is too large to be read for names.
    oversized: usize,
    /// What is read of both sides once.
    edited: OnceLock<Vec<u32>>,
}

/// The changed files of a packet that have lines, the most telling first.
pub(super) fn changed_files<'p>(packet: &'p Packet, tree: &ReviewedTree) -> Vec<ChangedFile<'p>> {
    let files = rank_files(&packet.files);
    let files = files.into_iter().map(|index| &packet.files[index]);
    let files = files.filter(|file| file.kind == FileKind::Text && !file.hunks.is_empty());
    files.map(|file| ChangedFile::read(file, tree)).collect()
}

/// One side of a changed file: its path, its text, and which lines the change edits.
type FileSide<'f> = (&'f RepoPath, &'f Option<Arc<str>>, &'f Vec<u32>);

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
        let added: Vec<u32> = added.filter_map(|line| line.new_no).collect();
        let removed: Vec<u32> = removed.filter_map(|line| line.old_no).collect();
        let mut oversized = 0;
        let mut bounded = |text: Option<Arc<str>>, edited: &[u32]| {
            let is_read = text.as_ref().is_none_or(|text| text.len() <= MAX_SIDE);
            oversized += if is_read { 0 } else { edited.len() };
            text.filter(|_| is_read)
        };
        Self {
            file,
            new: bounded(new, &added),
            old: bounded(old, &removed),
            added,
            removed,
            oversized,
            edited: OnceLock::new(),
        }
    }

    pub(super) fn path(&self) -> &RepoPath {
        &self.file.path
    }

    /// The text of a file that the change edits and does not add, where it is one that is searched.
    pub(super) fn edited_text(&self) -> Option<&Arc<str>> {
        let is_shown = self.file.status != FileStatus::Added && is_searched(self.path().as_bytes());
        self.new.as_ref().filter(|_| is_shown)
    }

    /// Path, text and edited lines before and after the change.
    pub(super) fn sides(&self) -> [FileSide<'_>; 2] {
        [
            (self.file.path_before(), &self.old, &self.removed),
            (self.path(), &self.new, &self.added),
        ]
    }

    /// Both sides, as far as they are there.
    fn read_sides(&self) -> [Option<ReadSide<'_>>; 2] {
        self.sides().map(|(path, text, lines)| {
            let text = text.as_deref()?;
            let outline = FileOutline::of(path, text);
            let mut lines = lines_of_code(&outline, lines);
            let unread = lines.len().saturating_sub(MAX_EDITED_LINES);
            lines.truncate(MAX_EDITED_LINES);
            Some(ReadSide {
                path,
                text,
                lines,
                unread,
                outline,
            })
        })
    }

    /// Where the change edits the new side.
    pub(super) fn edited_lines(&self) -> &[u32] {
        self.edited.get_or_init(|| edited_lines::edited_lines(self))
    }
}

/// What is looked for around a change.
pub(super) struct SoughtNames {
    /// The most telling first.
    pub(super) names: Vec<WantedName>,
    /// How many more there are.
    pub(super) left_out: usize,
    /// How many edited lines were not read for names.
    pub(super) unread_lines: usize,
}

/// The names of a change.
pub(super) fn wanted_names(files: &[ChangedFile<'_>], packet: &Packet) -> SoughtNames {
    let moved = packet.files.iter().flat_map(moved::moved_names);
    let mut wanted: BTreeMap<String, WantedName> = BTreeMap::new();
    for name in moved.take(MAX_MOVED_NAMES) {
        WantedName::merge(&mut wanted, name);
    }
    let mut elsewhere = ReadElsewhere::default();
    let mut unread_lines = 0;
    for file in files {
        let mut names = FileNames::default();
        elsewhere.extend(names.read(file));
        unread_lines += names.unread_lines;
        let in_test = is_test_path(&file.path().display());
        for mut name in names.into_wanted() {
            if in_test {
                name.reason = NameReason::InTest;
                name.uses = name.is_fixture;
            }
            WantedName::merge(&mut wanted, name);
        }
    }
    for name in elsewhere.into_names() {
        WantedName::merge(&mut wanted, name);
    }
    let mut all: Vec<WantedName> = wanted.into_values().collect();
    // Long names are rarer, and so tell more.
    all.sort_by(|a, b| {
        let rank = |name: &WantedName| (name.reason, std::cmp::Reverse(name.text.len().min(12)));
        rank(a).cmp(&rank(b)).then_with(|| a.text.cmp(&b.text))
    });
    let left_out = all.len().saturating_sub(MAX_NAMES);
    all.truncate(MAX_NAMES);
    SoughtNames {
        names: all,
        left_out,
        unread_lines,
    }
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
    /// Where names come from.
    sources: NameSources,
    /// What the change edits.
    changed: BTreeSet<String>,
    /// The types whose methods these are.
    owners: BTreeMap<String, BTreeSet<String>>,
    /// Types of which the change edits how they are made.
    built: BTreeSet<String>,
    /// Types of which it edits what nobody calls by its name.
    unnamed: BTreeSet<String>,
    /// Types that lose steps of these methods.
    overridden: BTreeMap<String, BTreeSet<String>>,
    /// Fields, and the types that hold them.
    fields: BTreeMap<String, BTreeSet<String>>,
    /// Fields that the change takes from methods of these types, or gives to them.
    own: FieldOwners,
    /// Fields that these types no longer have.
    lost_fields: FieldOwners,
    /// Methods that types ask for since the change.
    asked: BTreeMap<String, BTreeSet<String>>,
    /// Errors that edited lines no longer wrap.
    causes: BTreeSet<String>,
    /// What others have what it edits through.
    outlets: BTreeSet<Outlet>,
    /// Fixtures that the change edits.
    fixtures: BTreeSet<String>,
    /// Names that edited lines only import.
    imports_alone: BTreeSet<String>,
    /// What the file no longer imports.
    orphans: BTreeSet<String>,
    /// What others use without code, by both sides.
    spelled: [BTreeMap<String, Spelling>; 2],
    is_schema: bool,
    /// The file, under its names of both sides.
    homes: BTreeSet<RepoPath>,
    /// What only the old side defined.
    gone: BTreeSet<String>,
    /// Variables and fields that the file defines: a method may use them by their bare name.
    values: BTreeSet<String>,
    is_settings: bool,
    /// Whether they are those of a service that runs jobs: no program reads them, and every such file has the same keys.
    is_ci: bool,
    language: Option<Language>,
    /// How many edited lines are beyond a bound.
    unread_lines: usize,
}

impl FileNames {
    /// Reads a file; what is read elsewhere concerns all files of the change together.
    fn read(&mut self, file: &ChangedFile<'_>) -> ReadElsewhere {
        let language = Language::from_path(&file.path().display());
        self.is_settings = words::is_settings(language);
        self.is_ci = words::is_ci(&file.path().display());
        self.language = Some(language);
        self.homes = [file.path(), file.file.path_before()]
            .map(Clone::clone)
            .into();
        self.is_schema = schema::is_schema(&file.path().display());
        let sides = file.read_sides();
        let beyond = sides.iter().flatten().map(|side| side.unread);
        self.unread_lines = file.oversized + beyond.sum::<usize>();
        let mut defined = [HashSet::new(), HashSet::new()];
        for (index, side) in sides.iter().enumerate() {
            let Some(side) = side else {
                continue;
            };
            let (outline, lines) = (&side.outline, &side.lines);
            collect_words(outline, lines, [&mut self.removed, &mut self.added][index]);
            self.receivers.collect(outline, lines);
            self.sources.collect(outline, (side.path, side.text), lines);
            self.imports_alone.extend(imported_alone(outline, lines));
            self.changed.extend(edited_names(outline, lines));
            self.changed.extend(counted_types(outline, lines));
            self.own_methods(outline, side.text, lines);
            self.around_lines(side);
            self.fixtures.extend(edited_fixtures(outline, lines));
            for (field, holder) in fields::edited_fields(outline, lines) {
                self.fields.entry(field).or_default().insert(holder);
            }
            self.spelled[index] = spelled::spelled_names(&side.path.display(), side.text, lines);
            defined[index].extend(outline.definitions.iter().map(|one| one.name.clone()));
            if index == 1 {
                self.values.extend(value_names(outline));
            }
        }
        self.removed_steps(&sides);
        self.own = changed_own_fields(&sides);
        if let [Some(before), Some(now)] = &sides {
            self.lost_fields = fields::lost_fields(before, now);
            self.altered_fields(before, now);
            self.orphans = orphaned_names(before, now);
            self.asked = asked_methods(before, now);
            self.causes = lost_causes(before, now);
        }
        if let Some(now) = sides[1]
            .as_ref()
            .filter(|_| !is_test_path(&file.path().display()))
        {
            self.outlets = outlets_of(now, &self.changed);
        }
        let [defined_before, defined_now] = defined;
        self.gone = defined_before.difference(&defined_now).cloned().collect();
        self.gone.retain(|name| !words::is_common(name));
        if language == Language::Markup || language == Language::Css {
            // Of text that is shown to people only what is written as code names something.
            for words in [&mut self.added, &mut self.removed, &mut self.around] {
                words.retain(|name, _| words::is_compound(name));
            }
        }
        ReadElsewhere::of(&sides)
    }

    /// Fields that are declared or set otherwise, and the methods that tell them.
    fn altered_fields(&mut self, before: &ReadSide<'_>, now: &ReadSide<'_>) {
        let mut altered = fields::altered_fields(before, now);
        for (field, owners) in given_fields::regiven_fields(before, now) {
            altered.entry(field).or_default().extend(owners);
        }
        for (method, owners) in given_fields::telling_methods(now, &altered) {
            self.changed.insert(method.clone());
            self.owners.entry(method).or_default().extend(owners);
        }
        for (field, owners) in altered {
            self.fields.entry(field).or_default().extend(owners);
        }
    }

    /// The methods that lose a call, and those that they call: a subclass may rely on it.
    fn removed_steps(&mut self, sides: &[Option<ReadSide<'_>>; 2]) {
        let is_step = |word: &CodeWord<'_>| {
            word.how == WordUse::Called && !self.added.contains_key(word.text)
        };
        let Some(side) = sides[0].as_ref() else {
            return;
        };
        let (outline, text) = (&side.outline, side.text);
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for &line in side
            .lines
            .iter()
            .filter(|line| outline.words_at(**line).iter().any(is_step))
        {
            for span in outline.functions_around(line) {
                if let Some(owner) = outline.owner_of(text, span) {
                    let lines = (span.head..=span.end).filter_map(|line| u32::try_from(line).ok());
                    let words = lines.flat_map(|line| outline.words_at(line));
                    let called = words.filter(|word| word.how == WordUse::Called);
                    let methods = found.entry(owner).or_default();
                    methods.extend(called.map(|word| word.text.to_owned()));
                }
            }
        }
        self.overridden = found;
    }

    /// Whose methods the edited functions are.
    fn own_methods(&mut self, outline: &FileOutline<'_>, text: &str, lines: &[u32]) {
        for span in lines
            .iter()
            .flat_map(|line| outline.functions_around(*line))
        {
            let Some(owner) = outline.owner_of(text, span) else {
                continue;
            };
            if unnamed::is_unnamed(outline, span, &owner) {
                self.unnamed.insert(owner.clone());
            } else if words::is_constructor(&span.name, &owner) {
                self.built.insert(owner.clone());
            }
            let owners = self.owners.entry(span.name.clone()).or_default();
            owners.insert(owner);
        }
    }

    /// The words of the changed functions, their unchanged lines included.
    fn around_lines(&mut self, side: &ReadSide<'_>) {
        const MAX_AROUND: usize = 120;
        let outline = &side.outline;
        let mut around = BTreeSet::new();
        for &line in &side.lines {
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
        self.sources
            .collect(outline, (side.path, side.text), &around);
    }

    fn into_wanted(self) -> Vec<WantedName> {
        let mut found: Vec<WantedName> = self.edited().chain(self.spelled()).collect();
        if self.is_schema {
            return found;
        }
        for (name, how) in &self.removed {
            found.extend(self.used(name, *how, self.reason_of(name)));
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
                    WordUse::Called
                        | WordUse::Command
                        | WordUse::Named
                        | WordUse::Key
                        | WordUse::Member
                );
            if !is_known && tells {
                let mut around = self.used(name, *how, NameReason::Around);
                around
                    .iter_mut()
                    .for_each(|name| name.uses &= name.is_local);
                found.append(&mut around);
            }
        }
        found.extend(self.sources.originals(|name| self.reason_of(name)));
        found
    }

    /// Why a name that stands in the changed functions is worth a look.
    fn reason_of(&self, name: &str) -> NameReason {
        match (
            self.removed.contains_key(name),
            self.added.contains_key(name),
        ) {
            (true, true) => NameReason::Kept,
            (true, false) => NameReason::Removed,
            (false, true) => NameReason::Added,
            (false, false) => NameReason::Around,
        }
    }

    /// A name of this file whose uses are wanted.
    fn at_home(&self, name: &str, reason: NameReason) -> WantedName {
        WantedName {
            homes: self.homes.clone(),
            ..WantedName::new(name, reason)
        }
    }

    fn used(&self, name: &str, how: WordUse, reason: NameReason) -> Vec<WantedName> {
        let is_common = words::is_common(name) && how != WordUse::Key;
        let is_of_language = |language| common_words::is_of_language(language, name);
        if is_common || self.language.is_some_and(is_of_language) {
            return Vec::new();
        }
        let one = |definition, uses, is_local| WantedName {
            sources: self.sources.of(name),
            is_import_alone: self.imports_alone.contains(name),
            ..wanted(name, reason, (definition, uses), is_local)
        };
        match how {
            WordUse::Key if self.is_settings && !self.may_be_read(name) => Vec::new(),
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
            WordUse::Named | WordUse::Command => vec![one(true, false, false)],
            // What Ruby has behind a dot is called, with brackets or without.
            WordUse::Member if self.language == Some(Language::Ruby) => {
                vec![one(true, false, words::is_common_method(name))]
            }
            WordUse::Local if !self.values.contains(name) => Vec::new(),
            WordUse::Member | WordUse::Handed | WordUse::Plain | WordUse::Local => {
                let is_telling = words::is_compound(name) || self.values.contains(name);
                let is_c = self.language == Some(Language::C);
                vec![WantedName {
                    is_bare: !is_telling && how != WordUse::Handed,
                    is_member: is_c && how == WordUse::Member,
                    ..one(true, is_telling, true)
                }]
            }
            WordUse::Key => parts_of(name)
                .into_iter()
                .filter(|part| !words::is_common_method(part) && !is_type_name(part))
                .map(|part| WantedName {
                    definition: true,
                    crosses: reason == NameReason::Removed && words::is_compound(part),
                    ..key_name(part, NameReason::Key)
                })
                .collect(),
        }
    }
}
