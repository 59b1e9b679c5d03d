//! The blocks of a brief: what a good reviewer would open beside the change, in the order of what it tells.

mod added_handlers;
mod definitions;
mod elsewhere;
mod gaps;
mod grown_interfaces;
mod handed_on;
mod implementers;
mod indexed_tables;
mod kin;
mod kin_uses;
pub(super) mod long_functions;
mod meant;
mod members;
mod named_tests;
mod other_types;
mod outer_functions;
mod overrides;
mod registrations;
mod searching;
mod syntax_words;
mod test_imports;
mod test_names;
mod use_notes;
mod uses;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use council_protocol::{Packet, RepoPath};
use council_syntax::language::Language;

use super::candidates::{ChangedFile, changed_files, wanted_names};
use super::definitions::DefinitionKind;
use super::imported::KnownTree;
use super::limits::{SearchLimits, Sight};
use super::receivers::Certainty;
use super::search::{FileHits, FileOutline, NameHit, NameHits};
use super::shown::ShownLines;
use super::wanted::{NameReason, WantedName};
use super::{companions, origins, receivers, relation, words};
use crate::git::{HistoryFindings, map_parallel};
use crate::prompt::{ContextBlock, ContextBody, ContextKind, is_test_path};
use kin::Kin;
use meant::MeantName;
use searching::{MAX_OUTLINED, search_names};

/// What was found around a change.
#[derive(Debug, Default)]
pub struct GatheredContext {
    /// The blocks, within each kind the most telling first.
    pub blocks: Vec<ContextBlock>,
    /// What a bound left out, in words for a person.
    pub gaps: Vec<String>,
}

/// A file of at most so many lines is shown whole where it is changed.
const SMALL_FILE: usize = 150;

/// How many definitions of one name are shown.
const MAX_DEFINITIONS: usize = 2;

/// So many are even where time is over: what was found is shown.
const MIN_OUTLINED: usize = 48;

/// The same with other bounds for what comes after the search.
#[cfg(test)]
pub(super) fn with_search_of(
    sight: &Sight,
    packet: &Packet,
    search: &SearchLimits,
    after: &SearchLimits,
) -> GatheredContext {
    let files = changed_files(packet, &sight.tree);
    let mut names = wanted_names(&files, packet).names;
    let (hits, known) = search_names(sight, packet, (&files, &mut names), search);
    let mut gatherer = Gatherer::new(&files, &names, &known);
    gatherer.add_hits(&hits, after);
    gatherer.finish()
}

/// Looks around a change.
pub fn gather_context(sight: &Sight, packet: &Packet, limits: &SearchLimits) -> GatheredContext {
    gather_for_part(sight, packet, packet, limits)
}

/// Looks around a part of a change, at the tree and at history at the same time. The rest of the change is the code that it
/// is: whoever is shown a caller is shown what it calls, though another part changes that.
pub(crate) fn gather_for_part(
    sight: &Sight,
    packet: &Packet,
    whole: &Packet,
    limits: &SearchLimits,
) -> GatheredContext {
    let files = changed_files(packet, &sight.tree);
    let ((hits, known), sought, history) = thread::scope(|scope| {
        let history = scope.spawn(|| origins::walk_history(sight, &files, limits));
        let mut sought = wanted_names(&files, packet);
        let hits = search_names(sight, packet, (&files, &mut sought.names), limits);
        (hits, sought, history.join().unwrap_or_default())
    });
    let mut gatherer = Gatherer::new(&files, &sought.names, &known);
    gatherer.add_changed_functions();
    gatherer.add_outer_functions();
    gatherer.add_small_files();
    let unread = gatherer.add_hits(&hits, limits);
    let more = [gatherer.more_definitions(), gatherer.more_uses()];
    gatherer.add_origins(sight, &history);
    gatherer.add_companions(sight, whole, &history);
    gatherer.add_far_functions();
    gatherer.add_long_definitions();
    let mut gathered = gatherer.finish();
    gathered.gaps.extend(gaps::names_gap(&sought));
    gathered.gaps.extend(gaps::lines_gap(&sought));
    gathered.gaps.extend(gaps::search_gap(&hits, unread));
    gathered.gaps.extend(more.into_iter().flatten());
    gathered.gaps.extend(gaps::language_gap(packet));
    gathered.gaps.extend(gaps::size_gap(&hits));
    gathered.gaps.extend(gaps::missing_gap(&hits));
    gathered.gaps.extend(gaps::history_gap(&history, limits));
    gathered
}

/// A block with what decides its place among those of its kind.
struct RankedBlock {
    rank: (NameReason, usize, u32),
    block: ContextBlock,
}

/// How often a name is defined in each scope of a file, and whether that scope is shown.
type ScopeForms = HashMap<(usize, Option<String>), (usize, bool)>;

/// The rest of a long function, which has to wait for all that is shorter.
struct LongRest {
    rank: (NameReason, usize, u32),
    file: FileHits,
    lines: (u32, u32),
    name: String,
}

struct Gatherer<'a> {
    files: &'a [ChangedFile<'a>],
    names: &'a [WantedName],
    /// What the search saw of the tree.
    known: &'a KnownTree,
    /// What imports say of each name.
    meant: Vec<MeantName>,
    /// The types through which each method is called.
    kin: Vec<Kin>,
    /// Names whose definition is where imports say.
    placed: HashSet<usize>,
    by_text: HashMap<&'a str, usize>,
    shown: ShownLines,
    /// How often a name has been shown, by kind.
    counts: HashMap<(usize, ContextKind), usize>,
    /// Names with uses outside of the files that the change edits them in.
    reached: HashSet<usize>,
    /// How many uses of a name are left out.
    left: HashMap<usize, usize>,
    /// How many definitions of a name are.
    undefined: HashMap<usize, usize>,
    /// What of long functions has to wait.
    rests: Vec<LongRest>,
    /// The hits that may mean a name of the change, by the order of their files.
    meant_hits: HashMap<usize, Rc<Vec<(NameHit, Certainty)>>>,
    /// In how many files a name stands.
    spread: HashMap<usize, usize>,
    /// Names that are defined near the change.
    near: HashSet<usize>,
    found: BTreeMap<ContextKind, Vec<RankedBlock>>,
    /// Blocks that say nothing of lines.
    words: Vec<ContextBlock>,
}

impl<'a> Gatherer<'a> {
    fn new(files: &'a [ChangedFile<'a>], names: &'a [WantedName], known: &'a KnownTree) -> Self {
        let mut shown = ShownLines::default();
        for file in files {
            let lines = file.file.hunks.iter().flat_map(|hunk| hunk.lines());
            shown.add(file.path(), lines.filter_map(|line| line.new_no));
        }
        let texts = names.iter().enumerate();
        Self {
            files,
            names,
            known,
            meant: names
                .iter()
                .map(|name| MeantName::of(name, known))
                .collect(),
            kin: names.iter().map(|name| Kin::of(name, known)).collect(),
            placed: HashSet::new(),
            by_text: texts
                .map(|(index, name)| (name.text.as_str(), index))
                .collect(),
            shown,
            counts: HashMap::new(),
            reached: HashSet::new(),
            left: HashMap::new(),
            undefined: HashMap::new(),
            rests: Vec::new(),
            meant_hits: HashMap::new(),
            spread: HashMap::new(),
            near: HashSet::new(),
            found: BTreeMap::new(),
            words: Vec::new(),
        }
    }

    fn push(&mut self, rank: (NameReason, usize, u32), block: ContextBlock) {
        if let ContextBody::Lines { start, end, .. } = &block.body {
            self.shown.add(&block.path, *start..=*end);
        }
        self.found
            .entry(block.kind)
            .or_default()
            .push(RankedBlock { rank, block });
    }

    /// What of small changed files the hunks do not show: code and settings, the most telling file first.
    fn add_small_files(&mut self) {
        let files = self.files;
        for (order, file) in files.iter().enumerate() {
            let Some(text) = file.edited_text() else {
                continue;
            };
            let lines = text.lines().count();
            if lines > SMALL_FILE {
                continue;
            }
            let reason = file_reason(file);
            let mut from = 1;
            let last = u32::try_from(lines).unwrap_or(0);
            while let Some((start, end)) = self.shown.next_gap(file.path(), from, last) {
                from = end + 1;
                let block = ContextBlock {
                    kind: ContextKind::SmallFile,
                    path: file.path().clone(),
                    about: file.path().clone(),
                    note: "rest of a small changed file".to_owned(),
                    body: ContextBody::Lines {
                        text: Arc::clone(text),
                        start,
                        end,
                    },
                };
                if is_worth_showing(text, start, end) {
                    self.push((reason, order, start), block);
                }
            }
        }
    }

    /// Definitions first, since a use inside one needs no block of its own; then the uses. Returns how many files time left
    /// unread.
    fn add_hits(&mut self, hits: &NameHits, limits: &SearchLimits) -> usize {
        for file in &hits.files {
            let names: HashSet<usize> = file.hits.iter().map(|hit| hit.name).collect();
            names
                .into_iter()
                .for_each(|name| *self.spread.entry(name).or_default() += 1);
        }
        let files = hits.files.iter().take(MAX_OUTLINED).enumerate();
        let mut files: Vec<(usize, &FileHits)> = files.collect();
        let outlines = map_parallel(&mut files, &|(order, file)| {
            let may_read = *order < MIN_OUTLINED || !limits.is_over();
            may_read.then(|| FileOutline::of(&file.path, &file.text))
        });
        let pairs = || {
            let files = files.iter().map(|(_, file)| *file);
            files.zip(&outlines).enumerate()
        };
        // Where an import says that something is, it is before any other of its name.
        for is_told in [true, false] {
            for (order, (file, outline)) in pairs() {
                if let Some(outline) = outline {
                    self.add_definitions((order, is_told), file, outline);
                }
            }
        }
        let read = || {
            pairs().filter_map(|(order, (file, outline))| Some((order, file, outline.as_ref()?)))
        };
        self.add_overrides(read());
        // Calls of the very method that is meant come before those of others with its name.
        for is_outlet in [false, true] {
            for sure in Certainty::ALL {
                for (order, file, outline) in read() {
                    self.add_uses((order, sure), is_outlet, (file, outline));
                }
            }
        }
        self.add_registrations();
        self.add_implementers();
        for (order, file, outline) in read() {
            self.add_members(order, file, outline);
        }
        self.add_named_tests(read());
        outlines.iter().filter(|outline| outline.is_none()).count()
    }

    fn may_add(&mut self, name: usize, kind: ContextKind, most: usize) -> bool {
        let count = self.counts.entry((name, kind)).or_default();
        *count += 1;
        *count <= most
    }

    /// By the outline and not by the hits, since of a name that a file uses often not every hit is noted.
    fn add_definitions(
        &mut self,
        (order, is_told): (usize, bool),
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) {
        let mut forms = ScopeForms::new();
        for defined in &outline.definitions {
            let Some(&index) = self.by_text.get(defined.name.as_str()) else {
                continue;
            };
            if self.is_imported(index, defined, file, outline) != is_told {
                continue;
            }
            let name = &self.names[index];
            let is_function = defined.kind == DefinitionKind::Function;
            let is_near = relation::is_near(self.files, &file.path);
            // A job `test` of CI is no function of that name.
            let is_setting = words::is_settings(Language::from_path(&file.path.display()));
            let is_ci = name.is_key_alone && words::is_ci(&file.path.display());
            let is_meant = name.definition
                && !is_ci
                && (name.is_key || !is_setting)
                && !(name.is_bare && is_function && !definitions::is_property(defined, outline))
                && (!name.is_key_alone || is_setting || defined.kind == DefinitionKind::Value)
                && (!is_function || self.may_be_called(name, defined.head, file, outline))
                && self.may_mean(name, &file.path)
                && !self.is_of_another_test(defined, file, outline)
                && !self.is_asked_of_value(index, defined, file, outline)
                && !self.is_of_other_type(index, defined, file, outline)
                && self.may_be_elsewhere(index);
            // What is defined beside the change is what it means; of others the nearest.
            let is_meant = is_meant && (is_near || !self.near.contains(&index));
            if !is_told && !is_meant {
                continue;
            }
            if is_told {
                self.placed.insert(index);
            }
            if is_near {
                self.near.insert(index);
            }
            if self.may_define(&mut forms, index, defined, (file, outline)) {
                self.add_definition((order, index), defined, file);
                self.add_constructor((order, index), defined, (file, outline));
            }
        }
        if !is_told {
            self.add_member_types(order, file, outline);
        }
    }

    fn lines_block(
        &self,
        kind: ContextKind,
        file: &FileHits,
        (start, end): (u32, u32),
        note: String,
    ) -> ContextBlock {
        ContextBlock {
            kind,
            path: file.path.clone(),
            about: relation::nearest_change(self.files, &file.path),
            note,
            body: ContextBody::Lines {
                text: Arc::clone(&file.text),
                start,
                end,
            },
        }
    }

    /// Whether a name in this file can be the one that the change speaks of.
    fn may_mean(&self, name: &WantedName, path: &RepoPath) -> bool {
        if name.is_local {
            relation::is_near(self.files, path)
        } else {
            relation::is_related(self.files, path)
        }
    }

    /// Whether a function is one that the change may call, by what it calls that name on.
    fn may_be_called(
        &self,
        name: &WantedName,
        head: u32,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> bool {
        let Some(receivers) = &name.receivers else {
            return true;
        };
        let span = outline.function_span(head);
        let owner = span.and_then(|span| outline.owner_of(&file.text, span));
        let changed = self.files.iter().filter_map(|file| file.new.as_deref());
        let texts: Vec<&str> = changed.collect();
        receivers::may_be_called_on(receivers, owner.as_deref(), &file.path, &texts)
    }

    /// Why removed lines were there, where the commit that brought them tells.
    fn add_origins(&mut self, sight: &Sight, history: &HistoryFindings) {
        let paths = |path: &RepoPath| {
            let file = self
                .files
                .iter()
                .find(|file| file.file.path_before() == path);
            file.map_or_else(|| path.clone(), |file| file.path().clone())
        };
        let blocks = origins::origin_blocks(sight, history, &paths);
        self.words.extend(blocks);
    }

    fn add_companions(&mut self, sight: &Sight, whole: &Packet, history: &HistoryFindings) {
        let files = self.files.iter().map(|file| file.file.path_before());
        let paths: Vec<RepoPath> = files.cloned().collect();
        let changed = whole.files.iter().map(|file| file.path_before());
        let changed: Vec<RepoPath> = changed.cloned().collect();
        let usual = companions::USUAL.find(&sight.tree, &paths, &changed, &history.together);
        for companion in usual {
            let (together, of) = (companion.together, companion.of);
            self.words.push(ContextBlock {
                kind: ContextKind::Companion,
                path: companion.path,
                about: relation::nearest_change(self.files, &companion.with),
                note: format!(
                    "changed in {together} of the {of} earlier commits that changed {} and at most {} files, and not in \
                     this change",
                    companion.with.display(),
                    companions::MAX_COMMIT
                ),
                body: ContextBody::Words(String::new()),
            });
        }
    }

    fn finish(self) -> GatheredContext {
        let mut blocks = Vec::new();
        for (_, mut ranked) in self.found {
            ranked.sort_by(|a, b| {
                a.rank
                    .cmp(&b.rank)
                    .then_with(|| a.block.path.cmp(&b.block.path))
            });
            blocks.extend(ranked.into_iter().map(|ranked| ranked.block));
        }
        blocks.extend(self.words);
        GatheredContext {
            blocks,
            gaps: Vec::new(),
        }
    }
}

/// What tests say comes after the code.
fn file_reason(file: &ChangedFile<'_>) -> NameReason {
    if is_test_path(&file.path().display()) {
        NameReason::InTest
    } else {
        NameReason::Removed
    }
}

/// Whether lines say more than that something ends.
fn is_worth_showing(text: &str, start: u32, end: u32) -> bool {
    let count = (end - start) as usize + 1;
    let mut lines = text.lines().skip(start as usize - 1).take(count);
    lines.any(|line| line.bytes().any(|b| b.is_ascii_alphanumeric() || b >= 0x80))
}
