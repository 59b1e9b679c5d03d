//! What judges look up: files, matches, definitions and history of what is under review, out of git objects alone. No
//! worktree is read, nothing is run, and every line is redacted as a brief is before anybody sees it.
//!
//! Paths and patterns are a model's: a path is looked up in the list of the tree's own files and never becomes a path
//! of this machine, and patterns run in an engine whose time grows with the text alone.

#[cfg(test)]
mod bound_tests;
mod file_view;
mod history;
#[cfg(test)]
mod reach_tests;
mod result_text;
mod search;
#[cfg(test)]
mod search_tests;
mod symbol;
#[cfg(test)]
mod tests;
mod text_cache;
mod walk;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use council_agents::tools::{CodeTools, QueryBounds, QueryResult, StepStore, ToolQuery};
use council_protocol::change::{EntryKind, FileStatus, TreeEntry};
use council_protocol::message::Usage;
use council_protocol::{BlobSource, FileChange, JudgeId, Packet, RepoPath, SeenLines, Side};
use council_secrets::Redactor;

use crate::council::unmarked_path;
use crate::git::{CommitHistory, PathFilter};
use crate::prompt::{redact_words, show_path};
use file_view::{FileView, LineRoom};
use text_cache::TextCache;
use walk::LARGEST_BATCH;

/// The largest file that is read, in bytes: what is larger was not written by hand.
const MAX_FILE_BYTES: usize = 4 << 20;

/// The most characters of an argument in the record of a call.
const MAX_ASKED_CHARS: usize = 120;

/// What is said of a file that no model may see.
const KEPT_BACK: &str = "the user keeps files of this path from all models: it may be there, and nobody can read it here";

/// The reviewed repository, for judges that look into it.
pub struct CodeLookup {
    packet: Arc<Packet>,
    blobs: Arc<dyn BlobSource>,
    redactor: Redactor,
    history: Option<CommitHistory>,
    /// Files that no model may see.
    hidden: Option<PathFilter>,
    tree: OnceLock<ReviewedFiles>,
    texts: TextCache,
    shown_names: OnceLock<ShownNames>,
    /// How many files are read at once, at most.
    largest_batch: usize,
    listener: Option<LookupListener>,
    /// Where steps of unfinished turns are kept.
    steps: Option<Box<dyn StepStore>>,
}

/// What a judge does before it answers.
pub(crate) enum TurnNews<'a> {
    /// It uses a tool, and asks for this: without secrets, but untrusted.
    LooksUp { tool: &'static str, asked: &'a str },
    /// Its turn has used so much until now.
    Spent(&'a Usage),
    /// Its provider failed, for this untrusted reason, and is asked again after a pause.
    AsksAgain { why: &'a str, pause: Duration },
}

/// Hears what judges do before they answer.
pub(crate) type LookupListener = Arc<dyn Fn(&JudgeId, TurnNews<'_>) + Send + Sync>;

/// The files of the reviewed side, made when the first judge asks.
struct ReviewedFiles {
    /// The nearest to the change first.
    files: Vec<RepoPath>,
    kinds: HashMap<RepoPath, EntryKind>,
}

/// What files are called in what a judge is shown, where that is not what they are called.
type ShownNames = HashMap<RepoPath, String>;

/// What a look-up found, before it is told.
#[derive(Default)]
struct Found {
    text: String,
    seen: Vec<SeenLines>,
}

impl CodeLookup {
    /// Over one change; none where there is nothing but a patch to look at.
    pub fn over_change(
        packet: Arc<Packet>,
        blobs: Arc<dyn BlobSource>,
        redactor: Redactor,
        history: Option<CommitHistory>,
    ) -> Option<Self> {
        blobs.has_blobs().then(|| Self {
            packet,
            blobs,
            redactor,
            history,
            hidden: None,
            tree: OnceLock::new(),
            texts: TextCache::default(),
            shown_names: OnceLock::new(),
            largest_batch: LARGEST_BATCH,
            listener: None,
            steps: None,
        })
    }

    /// The same without files that no model may see.
    pub(crate) fn hiding(self, hidden: Option<PathFilter>) -> Self {
        Self { hidden, ..self }
    }

    fn hides(&self, path: &RepoPath) -> bool {
        self.hidden.as_ref().is_some_and(|hidden| hidden(path))
    }

    /// The same with somebody who watches.
    pub(crate) fn with_listener(self, listener: Option<LookupListener>) -> Self {
        Self { listener, ..self }
    }

    /// The same, for a run that another process may have to go on with.
    pub(crate) fn with_steps(self, steps: Option<Box<dyn StepStore>>) -> Self {
        Self { steps, ..self }
    }

    fn tree(&self) -> &ReviewedFiles {
        self.tree.get_or_init(|| {
            let entries = self.blobs.entries(Side::New).ok().flatten();
            let mut entries = entries.unwrap_or_default();
            entries.retain(|entry| !self.hides(&entry.path));
            ReviewedFiles::near_change(entries, &self.packet)
        })
    }

    fn find_change(&self, path: &RepoPath) -> Option<&FileChange> {
        self.packet.files.iter().find(|file| file.path == *path)
    }

    /// The file that a model means.
    fn find_file(&self, asked: &str) -> Result<RepoPath, String> {
        if asked.split('/').any(|part| part == "..") {
            return Err("a path of the repository has no `..`".to_owned());
        }
        let tree = self.tree();
        let path = RepoPath::from(asked).without_dot();
        if self.hides(&path) {
            return Err(KEPT_BACK.to_owned());
        }
        let deleted = self.packet.files.iter().map(|file| &file.path);
        let found = if tree.kinds.contains_key(&path) {
            Some(&path)
        } else {
            let known = path.resolve_among(deleted);
            let known = known.or_else(|| self.renamed_from(&path));
            let known = known.or_else(|| path.resolve_among(tree.kinds.keys()));
            known.or_else(|| self.shown_as(asked))
        };
        let Some(found) = found else {
            return Err(self.no_such_file(&path));
        };
        match tree.kinds.get(found) {
            Some(EntryKind::Symlink) => {
                Err("it is a symbolic link, and links are not followed".to_owned())
            }
            Some(EntryKind::Submodule) => {
                Err("it is a submodule: its files are in another repository".to_owned())
            }
            _ => Ok(found.clone()),
        }
    }

    /// The file that had this name before the change.
    fn renamed_from(&self, path: &RepoPath) -> Option<&RepoPath> {
        let mut files = self.packet.files.iter();
        let renamed = files.find(|file| file.path_before() == path);
        renamed.map(|file| &file.path)
    }

    /// The file whose name is shown so, where it has characters that are written out.
    fn shown_as(&self, asked: &str) -> Option<&RepoPath> {
        let tree = self.tree();
        let unmarked = unmarked_path(&RepoPath::from(asked.trim()).without_dot());
        if let Some((path, _)) = unmarked.and_then(|path| tree.kinds.get_key_value(&path)) {
            return Some(path);
        }
        // A secret in a name was taken out.
        let is_it = |path: &&RepoPath| show_path(path, &self.redactor) == asked.trim();
        let has_marks = asked.contains("<U+") || asked.contains("<0x");
        has_marks.then(|| tree.files.iter().find(is_it)).flatten()
    }

    /// Whether files lie in a folder, which is named with a slash behind.
    fn has_folder(&self, folder: &str) -> bool {
        let mut files = self.tree().files.iter();
        folder != "/" && files.any(|path| path.as_bytes().starts_with(folder.as_bytes()))
    }

    /// What is said of a path that there is not, with files of that name.
    fn no_such_file(&self, path: &RepoPath) -> String {
        let folder = path.display().trim_end_matches('/').to_owned();
        if self.has_folder(&format!("{folder}/")) {
            return format!(
                "there is no such file in the reviewed tree: it is a folder, and `list` with the glob `{folder}/**` shows what is in it"
            );
        }
        let alike = self.tree().files.iter();
        let alike: Vec<String> = alike
            .filter(|file| file.file_name() == path.file_name())
            .take(3)
            .map(|path| show_path(path, &self.redactor))
            .collect();
        match alike.as_slice() {
            [] => {
                "there is no such file in the reviewed tree: `list` shows what there is".to_owned()
            }
            alike => format!(
                "there is no such file in the reviewed tree; there is {}",
                alike.join(", ")
            ),
        }
    }

    /// The text of a file on one side; an error says why there is none.
    fn read_text(&self, side: Side, path: &RepoPath) -> Result<String, String> {
        if self.hides(path) {
            return Err(KEPT_BACK.to_owned());
        }
        let bytes = self.blobs.read(side, path);
        let bytes = bytes.map_err(|_| "it cannot be read".to_owned())?;
        let bytes = bytes.ok_or_else(|| "there is no such file".to_owned())?;
        if bytes.len() > MAX_FILE_BYTES {
            return Err(format!("it is too large to read: {} bytes", bytes.len()));
        }
        if is_binary(&bytes) {
            return Err(format!("it is binary: {} bytes", bytes.len()));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A file as a brief would show it whole.
    fn view_file(&self, path: &RepoPath) -> Result<FileView, String> {
        let change = self.find_change(path);
        if change.is_some_and(|change| change.status == FileStatus::Deleted) {
            let text = self.read_text(Side::Old, path)?;
            return Ok(FileView::of_deleted(path, &text, &self.redactor));
        }
        let text = self.read_text(Side::New, path)?;
        Ok(FileView::of_file(path, &text, change, &self.redactor))
    }

    fn read_file(
        &self,
        asked: &str,
        lines: council_agents::tools::LineRange,
        bounds: &QueryBounds,
    ) -> Result<Found, String> {
        let path = self.find_file(asked)?;
        let view = self.view_file(&path)?;
        let last = view.last_line();
        let from = lines.from.unwrap_or(1);
        if view.is_empty() {
            return Err("the file is empty".to_owned());
        }
        if from > last {
            return Err(format!("the file has {last} lines"));
        }
        let to = lines.to.unwrap_or(last).min(last);
        let what = if view.is_deleted() {
            " (deleted by the change)"
        } else {
            ""
        };
        let name = show_path(&path, &self.redactor);
        let head = |to: u32| format!("=== {name}{what}: lines {from}-{to} of {last}\n");
        let mut body = String::new();
        let room = bounds.max_bytes.saturating_sub(result_text::NOTE_BYTES);
        let room = room.saturating_sub(head(to).len());
        let most = LineRoom::of_reading((from, to), room);
        let shown = view.write_lines(&mut body, (from, to), room, most);
        let mut text = head(shown.next.saturating_sub(1).clamp(from, to)) + &body;
        if shown.next <= to {
            text.push_str(&format!(
                "[lines {}-{to} did not fit: ask for them]\n",
                shown.next
            ));
        }
        Ok(Found {
            text,
            seen: shown.into_seen(&path),
        })
    }

    /// A query in short, as the record of a run has it.
    fn describe_query(&self, query: &ToolQuery) -> String {
        let range = |lines: &council_agents::tools::LineRange| match (lines.from, lines.to) {
            (None, None) => String::new(),
            (from, to) => {
                let end = to.map(|to| to.to_string()).unwrap_or_default();
                format!(" {}-{end}", from.unwrap_or(1))
            }
        };
        let text = match query {
            ToolQuery::ReadFile { path, lines } | ToolQuery::History { path, lines } => {
                format!("{path}{}", range(lines))
            }
            ToolQuery::Search { regex, glob } => match glob {
                Some(glob) => format!("{regex} in {glob}"),
                None => regex.clone(),
            },
            ToolQuery::Symbol { name } => name.clone(),
            ToolQuery::List { glob } => glob.clone().unwrap_or_default(),
        };
        let text = redact_words(&self.redactor, &text);
        text.chars().take(MAX_ASKED_CHARS).collect()
    }
}

impl CodeTools for CodeLookup {
    fn on_query(&self, judge: &JudgeId, query: &ToolQuery) {
        if let Some(listener) = &self.listener {
            let (tool, asked) = (query.tool_name(), &self.describe_query(query));
            listener(judge, TurnNews::LooksUp { tool, asked });
        }
    }

    fn on_spent(&self, judge: &JudgeId, so_far: &Usage) {
        if let Some(listener) = &self.listener {
            listener(judge, TurnNews::Spent(so_far));
        }
    }

    fn on_repeat(&self, judge: &JudgeId, why: &str, pause: Duration) {
        if let Some(listener) = &self.listener {
            let why = &redact_words(&self.redactor, why);
            listener(judge, TurnNews::AsksAgain { why, pause });
        }
    }

    fn steps(&self) -> Option<&dyn StepStore> {
        self.steps.as_deref()
    }

    fn run_query(&self, query: &ToolQuery, bounds: &QueryBounds) -> QueryResult {
        let found = match query {
            ToolQuery::ReadFile { path, lines } => self.read_file(path, *lines, bounds),
            ToolQuery::Search { regex, glob } => self.search_tree(regex, glob.as_deref(), bounds),
            ToolQuery::Symbol { name } => self.find_symbol(name, bounds),
            ToolQuery::History { path, lines } => self.tell_history(path, *lines, bounds),
            ToolQuery::List { glob } => self.list_files(glob.as_deref(), bounds),
        };
        let asked = self.describe_query(query);
        match found {
            Ok(found) => QueryResult {
                text: Ok(found.text),
                asked,
                seen: found.seen,
            },
            Err(problem) => QueryResult {
                text: Err(problem),
                asked,
                seen: Vec::new(),
            },
        }
    }
}

impl ReviewedFiles {
    fn near_change(entries: Vec<TreeEntry>, packet: &Packet) -> Self {
        let changed: HashSet<&RepoPath> = packet.files.iter().map(|file| &file.path).collect();
        let mut folders: HashSet<&[u8]> = HashSet::new();
        for path in &changed {
            folders.extend(folders_above(path.as_bytes()));
        }
        // How many bytes of its path a file shares with the folder of a changed one: a deeper common folder is nearer.
        let nearness = |path: &RepoPath| {
            let mut above = folders_above(path.as_bytes());
            above
                .find(|folder| folders.contains(folder))
                .map_or(0, <[u8]>::len)
        };
        let files = entries.iter().filter(|entry| entry.kind == EntryKind::File);
        let mut ranked: Vec<(bool, usize, &RepoPath)> = files
            .map(|entry| {
                (
                    !changed.contains(&entry.path),
                    nearness(&entry.path),
                    &entry.path,
                )
            })
            .collect();
        ranked.sort_by(|a, b| (a.0, b.1, a.2).cmp(&(b.0, a.1, b.2)));
        let files = ranked
            .into_iter()
            .map(|(_, _, path)| path.clone())
            .collect();
        let kinds = entries.into_iter().map(|entry| (entry.path, entry.kind));
        Self {
            files,
            kinds: kinds.collect(),
        }
    }
}

/// The folders that a path lies in, the innermost first, without the top.
fn folders_above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = (0..path.len()).rev().filter(|&at| path[at] == b'/');
    slashes.map(|at| &path[..at])
}

/// A NUL among the first bytes makes a file binary, as in git.
fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(8000)].contains(&0)
}
