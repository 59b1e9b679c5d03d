//! The blocks of a brief: what a good reviewer would open beside the change, in the order of what it tells.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use council_protocol::change::FileStatus;
use council_protocol::{Packet, RepoPath};
use council_syntax::language::Language;

use super::candidates::{ChangedFile, NameReason, WantedName, changed_files, wanted_names};
use super::definitions::DefinedName;
use super::nearest::NearestFiles;
use super::search::{FileHits, FileOutline, NameHits, NameSearch};
use super::shown::{ShownLines, describe_lines};
use super::{SearchLimits, Sight, hints, origins};
use crate::git::{HistoryBounds, HistoryFindings, WantedLines};
use crate::prompt::{ContextBlock, ContextBody, ContextKind, is_test_path};

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

/// The longest definition that is shown whole; of a longer one the beginning is.
const MAX_DEFINITION: u32 = 50;

/// The longest function that is shown whole around a use of a name.
const MAX_USER: u32 = 30;

/// Lines above and below a use in a longer one.
const USE_LINES: u32 = 6;

/// How many definitions of one name are shown.
const MAX_DEFINITIONS: usize = 2;

/// How many uses of one name are shown, and how many tests.
const MAX_USES: usize = 6;

/// So many of the nearest files with hits are read closely.
const MAX_OUTLINED: usize = 150;

/// The most bytes of one message.
const MAX_MESSAGE: usize = 800;

/// The most removed lines whose origin is asked for.
const MAX_REMOVED: usize = 2_000;

/// Looks around a change, at the tree and at history at the same time.
pub fn gather_context(sight: &Sight, packet: &Packet, limits: &SearchLimits) -> GatheredContext {
    let files = changed_files(packet, &sight.tree);
    let (hits, names, history) = thread::scope(|scope| {
        let history = scope.spawn(|| walk_history(sight, &files, limits));
        let names = wanted_names(&files);
        let hits = search_names(sight, &files, &names, limits);
        (hits, names, history.join().unwrap_or_default())
    });
    let mut gatherer = Gatherer::new(&files, &names);
    gatherer.add_small_files();
    gatherer.add_hits(&hits);
    gatherer.add_origins(&history);
    gatherer.add_companions(sight, &history);
    let mut gathered = gatherer.finish();
    if hits.is_cut {
        let read = hits.read;
        gathered.gaps.push(format!(
            "names were searched in the {read} nearest files, not in the whole tree"
        ));
    }
    if history.is_cut && Instant::now() >= limits.until {
        let walked = history.walked;
        gathered
            .gaps
            .push(format!("time ran out after {walked} commits of history"));
    }
    gathered
}

fn search_names(
    sight: &Sight,
    files: &[ChangedFile<'_>],
    names: &[WantedName],
    limits: &SearchLimits,
) -> NameHits {
    let paths: Vec<RepoPath> = files.iter().map(|file| file.path().clone()).collect();
    let hints = hints::paths_near(&sight.tree, &paths);
    let texts: Vec<String> = names.iter().map(|name| name.text.clone()).collect();
    let nearest = NearestFiles::new(&sight.tree, &paths, hints);
    NameSearch::new(&texts).run(nearest, &sight.tree, limits)
}

fn walk_history(
    sight: &Sight,
    files: &[ChangedFile<'_>],
    limits: &SearchLimits,
) -> HistoryFindings {
    let Some(history) = &sight.history else {
        return HistoryFindings::default();
    };
    let mut left = MAX_REMOVED;
    let mut wanted = Vec::new();
    for file in files.iter().filter(|file| !file.removed.is_empty()) {
        let lines: Vec<u32> = file.removed.iter().copied().take(left).collect();
        left -= lines.len();
        let path = file.file.path_before().as_bytes().to_vec();
        wanted.push(WantedLines { path, lines });
    }
    let bounds = HistoryBounds {
        commits: limits.commits,
        together: true,
        is_over: &|| limits.is_over(),
    };
    history.walk_back(&wanted, &bounds)
}

/// A block with what decides its place among those of its kind.
struct RankedBlock {
    rank: (NameReason, usize, u32),
    block: ContextBlock,
}

struct Gatherer<'a> {
    files: &'a [ChangedFile<'a>],
    names: &'a [WantedName],
    shown: ShownLines,
    /// How often a name has been shown, by kind.
    counts: HashMap<(usize, ContextKind), usize>,
    found: BTreeMap<ContextKind, Vec<RankedBlock>>,
    /// Blocks that say nothing of lines.
    words: Vec<ContextBlock>,
}

impl<'a> Gatherer<'a> {
    fn new(files: &'a [ChangedFile<'a>], names: &'a [WantedName]) -> Self {
        let mut shown = ShownLines::default();
        for file in files {
            let lines = file.file.hunks.iter().flat_map(|hunk| hunk.lines());
            shown.add(file.path(), lines.filter_map(|line| line.new_no));
        }
        Self {
            files,
            names,
            shown,
            counts: HashMap::new(),
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

    /// What of small changed files the hunks do not show.
    fn add_small_files(&mut self) {
        let files = self.files;
        for (order, file) in files.iter().enumerate() {
            let Some(text) = file
                .new
                .as_ref()
                .filter(|_| file.file.status != FileStatus::Added)
            else {
                continue;
            };
            let lines = text.lines().count();
            if lines > SMALL_FILE {
                continue;
            }
            let mut from = 1;
            let last = u32::try_from(lines).unwrap_or(0);
            while let Some((start, end)) = self.shown.next_gap(file.path(), from, last) {
                let block = ContextBlock {
                    kind: ContextKind::SmallFile,
                    path: file.path().clone(),
                    about: file.path().clone(),
                    note: "the rest of a changed file".to_owned(),
                    body: ContextBody::Lines {
                        text: Arc::clone(text),
                        start,
                        end,
                    },
                };
                self.push((NameReason::Removed, order, start), block);
                from = end + 1;
            }
        }
    }

    /// Definitions first, since a use inside one needs no block of its own; then the uses.
    fn add_hits(&mut self, hits: &NameHits) {
        let outlines: Vec<FileOutline<'_>> = hits
            .files
            .iter()
            .take(MAX_OUTLINED)
            .map(|file| FileOutline::of(&file.path, &file.text))
            .collect();
        let files = || hits.files.iter().zip(&outlines).enumerate();
        for (order, (file, outline)) in files() {
            self.add_definitions(order, file, outline);
        }
        for (order, (file, outline)) in files() {
            self.add_uses(order, file, outline);
        }
    }

    fn may_add(&mut self, name: usize, kind: ContextKind, most: usize) -> bool {
        let count = self.counts.entry((name, kind)).or_default();
        *count += 1;
        *count <= most
    }

    fn add_definitions(&mut self, order: usize, file: &FileHits, outline: &FileOutline<'_>) {
        for hit in &file.hits {
            let name = &self.names[hit.name];
            let Some(defined) =
                defined_at(outline, &name.text, hit.line).filter(|_| name.definition)
            else {
                continue;
            };
            if name.is_local && !self.is_near(&file.path) {
                continue;
            }
            if !self.may_add(hit.name, ContextKind::Definition, MAX_DEFINITIONS) {
                continue;
            }
            let end = defined.end.min(defined.start + MAX_DEFINITION - 1);
            let Some((start, end)) = self.shown.missing(&file.path, defined.start, end) else {
                continue;
            };
            let note = format!("`{}` is defined here, which the change uses", name.text);
            let block = self.lines_block(ContextKind::Definition, file, (start, end), note);
            self.push((name.reason, order, start), block);
        }
    }

    fn add_uses(&mut self, order: usize, file: &FileHits, outline: &FileOutline<'_>) {
        let in_test = is_test_path(&file.path.display());
        let kind = match in_test {
            true => ContextKind::Test,
            false => ContextKind::Use,
        };
        for hit in &file.hits {
            let name = &self.names[hit.name];
            let wanted = name.uses && (!name.is_local || self.is_near(&file.path));
            let is_use = outline.is_code(hit.line, &name.text)
                && !outline.defines(&name.text, hit.line)
                && self.shown.missing(&file.path, hit.line, hit.line).is_some();
            if !wanted || !is_use || !self.may_add(hit.name, kind, MAX_USES) {
                continue;
            }
            let last = u32::try_from(file.text.lines().count()).unwrap_or(u32::MAX);
            let (start, end) = around_use(outline, hit.line, last);
            let Some((start, end)) = self.shown.missing(&file.path, start, end) else {
                continue;
            };
            let function = outline
                .function_at(hit.line)
                .filter(|name| !name.is_empty());
            let place = function.map_or(String::new(), |function| format!(", in `{function}`"));
            let note = format!("line {} uses `{}`{place}", hit.line, name.text);
            let block = self.lines_block(kind, file, (start, end), note);
            self.push((name.reason, order, start), block);
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
            about: self.nearest_change(&file.path),
            note,
            body: ContextBody::Lines {
                text: Arc::clone(&file.text),
                start,
                end,
            },
        }
    }

    /// Whether a file lies in the folder of a changed one, where a member's name means the same.
    fn is_near(&self, path: &RepoPath) -> bool {
        let folder = folder_of(path);
        let language = Language::from_path(&path.display());
        self.files.iter().any(|file| {
            let same = Language::from_path(&file.path().display()) == language;
            file.path() == path || (same && folder_of(file.path()) == folder)
        })
    }

    /// The changed file that shares most of its path.
    fn nearest_change(&self, path: &RepoPath) -> RepoPath {
        let shared = |file: &&ChangedFile<'_>| {
            let pairs = file.path().as_bytes().iter().zip(path.as_bytes());
            let count = pairs.take_while(|(a, b)| a == b).count();
            (count, std::cmp::Reverse(file.path().clone()))
        };
        let nearest = self.files.iter().max_by_key(shared);
        nearest.map_or_else(|| path.clone(), |file| file.path().clone())
    }

    /// Why removed lines were there, where the commit that brought them tells.
    fn add_origins(&mut self, history: &HistoryFindings) {
        for origin in &history.origins {
            let commit = &history.commits[origin.commit];
            if !origins::is_telling(&commit.message) {
                continue;
            }
            let path = RepoPath::new(origin.path.clone());
            let about = self
                .files
                .iter()
                .find(|file| *file.file.path_before() == path);
            let lines = describe_lines(&origin.lines);
            let short = commit.id.get(..12).unwrap_or(&commit.id);
            let message = crate::packet::cut_text(commit.message.trim(), MAX_MESSAGE);
            let others = commit.paths.iter().filter(|other| **other != origin.path);
            let others: Vec<String> = others
                .take(6)
                .map(|path| RepoPath::new(path.clone()).display().into_owned())
                .collect();
            let along = match others.is_empty() {
                true => String::new(),
                false => format!("\n(the commit also touched {})", others.join(", ")),
            };
            self.words.push(ContextBlock {
                kind: ContextKind::Origin,
                about: about.map_or_else(|| path.clone(), |file| file.path().clone()),
                path,
                note: format!("removed {lines} (numbers before the change) came with commit {short}, which says"),
                body: ContextBody::Words(format!("{message}{along}")),
            });
        }
    }

    fn add_companions(&mut self, sight: &Sight, history: &HistoryFindings) {
        let paths: Vec<RepoPath> = self
            .files
            .iter()
            .map(|file| file.file.path_before().clone())
            .collect();
        for companion in origins::usual_companions(&sight.tree, &paths, &history.together) {
            let (together, of) = (companion.together, companion.of);
            self.words.push(ContextBlock {
                kind: ContextKind::Companion,
                path: companion.path,
                about: self.nearest_change(&companion.with),
                note: format!(
                    "changed in {together} of the {of} earlier commits that changed {}, and not in this change",
                    companion.with.display()
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

/// The definition of a name whose head is on a line.
fn defined_at<'o>(outline: &'o FileOutline<'_>, name: &str, line: u32) -> Option<&'o DefinedName> {
    let by_head = |one: &&DefinedName| one.name == name && (one.start..=one.end).contains(&line);
    outline.definitions.iter().find(by_head)
}

/// What is shown around a use: the function if it is short, else some lines.
fn around_use(outline: &FileOutline<'_>, line: u32, last: u32) -> (u32, u32) {
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let span = outline.function_span(line);
    match span.map(|span| (number(span.start), number(span.end))) {
        Some((start, end)) if end - start < MAX_USER => (start, end),
        _ => (
            line.saturating_sub(USE_LINES).max(1),
            line.saturating_add(USE_LINES).min(last.max(1)),
        ),
    }
}

fn folder_of(path: &RepoPath) -> &[u8] {
    let bytes = path.as_bytes();
    let end = bytes.iter().rposition(|&b| b == b'/').unwrap_or(0);
    &bytes[..end]
}
