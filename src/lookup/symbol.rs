//! Where a name is defined in the reviewed tree, and where it is used.

use council_agents::tools::QueryBounds;
use council_protocol::RepoPath;
use council_secrets::Redactor;

use super::file_view::FileView;
use super::result_text::{ResultText, count};
use super::search::{MAX_MATCHES, compile_regex};
use super::{CodeLookup, Found};
use crate::prompt::show_path;
use crate::sight::{NamePlaces, places_of_name};

/// The most definitions that are shown.
const MAX_DEFINITIONS: usize = 6;

/// So many more are named with their places.
const MAX_ELSEWHERE: usize = 20;

/// The most lines of one definition: of a longer one its beginning.
const MAX_DEFINITION_LINES: u32 = 120;

/// The most lines that use the name, and of one file.
const MAX_USES: usize = 60;
const MAX_USES_OF_FILE: usize = 12;

/// The share of the result that definitions may take, in parts of ten: uses need room, too.
const DEFINITION_TENTHS: usize = 7;

/// A file, its text, and the first and last line of each passage that uses a name.
type FileUses = (RepoPath, FileView, Vec<(u32, u32)>);

impl CodeLookup {
    /// Definitions first, then uses, the nearest to the change first.
    pub(super) fn find_symbol(&self, name: &str, bounds: &QueryBounds) -> Result<Found, String> {
        let (owner, name) =
            split_owner(name).ok_or("`name` has to be one name: `save`, `Store.save`")?;
        if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            // Nothing would be found of it, and that would pass for a fact about the tree.
            return Err(format!(
                "names are looked up as words, and `{name}` has other signs: `search` with the regex `{}` finds its lines",
                regex::escape(name)
            ));
        }
        let word = compile_regex(&format!(r"\b{}\b", regex::escape(name)))?;
        let share = QueryBounds {
            max_bytes: bounds.max_bytes / 10 * DEFINITION_TENTHS,
            ..*bounds
        };
        let mut definitions = FoundDefinitions::within(&share);
        let mut owned = FoundDefinitions::within(&share);
        let mut used: Vec<FileUses> = Vec::new();
        let (mut uses, mut all) = (0, 0);
        let look = |path: &RepoPath, text: &str| {
            if !text.contains(name) || !word.is_match(text) {
                return None;
            }
            let view = FileView::of_file(path, text, self.find_change(path), &self.redactor);
            let places = find_places(&view, path, text, name);
            Some((view, places))
        };
        // The definition that matters may lie farther away than the uses that there is room for.
        let walk = self.walk_files(
            &|_| true,
            bounds.until,
            &look,
            |path, (view, mut places)| {
                definitions.add(path, &view, &places.definitions, &self.redactor);
                if let Some(owner) = owner {
                    owned.add(
                        path,
                        &view,
                        &definitions_of(owner, path, &places),
                        &self.redactor,
                    );
                }
                all += places.uses.len();
                places.uses.truncate(MAX_USES_OF_FILE.min(MAX_USES - uses));
                if !places.uses.is_empty() {
                    uses += places.uses.len();
                    used.push((path.clone(), view, places.uses));
                }
                true
            },
        );
        let others = definitions.count() - owned.count();
        let is_owned = owned.count() > 0;
        let shown = if is_owned { owned } else { definitions };
        let mut defined = count(shown.count(), "definition");
        defined += &match owner {
            Some(owner) if is_owned => format!(" of `{owner}` ({others} of others)"),
            Some(owner) => format!(" (`{owner}` itself has none: those of all others)"),
            None => String::new(),
        };
        let mut out = ResultText::within(bounds);
        out.push_part(shown.finish(all > 0, &self.redactor));
        if !used.is_empty() {
            out.push_line("Used in:");
        }
        for (path, view, runs) in &used {
            out.push_matches(path, view, (runs, &word), &self.redactor);
        }
        let more = match (out.is_full, walk.is_cut) {
            (true, _) => ", of which not all had room",
            (_, true) => ", and time ran out before the whole tree was searched",
            _ => "",
        };
        let used = match all - uses {
            0 => format!("{} that use it", count(all, "line")),
            _ => format!(
                "{uses} of {} that use it, at most {MAX_USES_OF_FILE} of a file \
                 (`search` with one file as its glob shows {MAX_MATCHES})",
                count(all, "line")
            ),
        };
        let unread = walk.describe_unread();
        Ok(out.finish(&format!("{defined}, {used}{more}{unread}")))
    }
}

/// What defines a name: the first places whole, the others by file and line.
struct FoundDefinitions {
    text: ResultText,
    shown: usize,
    elsewhere: Vec<(RepoPath, u32)>,
    /// Whether the last one that is shown breaks off.
    is_cut: bool,
}

impl FoundDefinitions {
    fn within(share: &QueryBounds) -> Self {
        Self {
            text: ResultText::within(share),
            shown: 0,
            elsewhere: Vec::new(),
            is_cut: false,
        }
    }

    fn count(&self) -> usize {
        self.shown + self.elsewhere.len()
    }

    fn add(&mut self, path: &RepoPath, view: &FileView, all: &[(u32, u32)], redactor: &Redactor) {
        let room = all.len().min(MAX_DEFINITIONS.saturating_sub(self.shown));
        let (shown, left) = all.split_at(if self.text.is_full { 0 } else { room });
        self.elsewhere
            .extend(left.iter().map(|(start, _)| (path.clone(), *start)));
        if shown.is_empty() {
            return;
        }
        let last =
            |(start, end): (u32, u32)| end.min(start.saturating_add(MAX_DEFINITION_LINES - 1));
        let runs: Vec<(u32, u32)> = shown.iter().map(|&run| (run.0, last(run))).collect();
        let before = self.text.bytes();
        self.text.push_file(path, view, &runs, redactor);
        if self.text.is_full {
            // Which of them were begun is not known.
            let places = shown.iter().map(|(start, _)| (path.clone(), *start));
            self.elsewhere.splice(0..0, places);
            self.is_cut = self.text.bytes() > before;
            return;
        }
        self.shown += shown.len();
        for &(start, end) in shown.iter().filter(|run| last(**run) < run.1) {
            self.text.push_line(&format!(
                "[what begins at line {start} goes on to line {end}: `read_file` shows it]"
            ));
        }
    }

    fn finish(mut self, is_used: bool, redactor: &Redactor) -> Found {
        if self.count() == 0 {
            self.text.push_line(match is_used {
                false => "No definition was found.",
                // A field or a constant has no keyword of its own.
                true => "No definition was recognised; it may be among the uses.",
            });
        }
        let places = self.elsewhere.iter().take(MAX_ELSEWHERE);
        let mut places: Vec<String> = places
            .map(|(path, line)| format!("{}:{line}", show_path(path, redactor)))
            .collect();
        if let more @ 1.. = self.elsewhere.len().saturating_sub(MAX_ELSEWHERE) {
            places.push(format!("and {more} more"));
        }
        // It stands in the part of the result that uses leave room in.
        let mut found = self.text.finish("");
        if !places.is_empty() {
            let told = match self.is_cut {
                true => "Not shown to the end, or not at all, as there was no room",
                false => "Also defined at",
            };
            found.text += &format!("{told}: {}\n", places.join(", "));
        }
        found
    }
}

/// A name without what models put around it, and the type or the module before it: `Store.save()`, `(*Mux).Routes`.
fn split_owner(name: &str) -> Option<(Option<&str>, &str)> {
    const SIGNS: [char; 4] = ['.', ':', '#', '/'];
    let name = name.trim().trim_end_matches("()");
    let (before, name) = match name.rfind(SIGNS) {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => ("", name),
    };
    let owner = before.trim_end_matches(SIGNS).rsplit(SIGNS).next();
    let owner = owner.map(|owner| owner.trim_matches(|c: char| !c.is_alphanumeric() && c != '_'));
    let owner = owner.filter(|owner| !owner.is_empty());
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '!' | '?' | '-');
    (!name.is_empty() && name.chars().all(is_word)).then_some((owner, name))
}

/// The definitions of a file that a type has, or the module that the file or its folder is.
fn definitions_of(owner: &str, path: &RepoPath, places: &NamePlaces) -> Vec<(u32, u32)> {
    let path = path.display();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let stem = name.split('.').next().unwrap_or(name);
    let is_module = stem == owner || folder.rsplit('/').next() == Some(owner);
    let is_owned = |(start, _): &&(u32, u32)| match places.owners.get(start) {
        Some(found) => found == owner,
        None => is_module,
    };
    places
        .definitions
        .iter()
        .filter(is_owned)
        .copied()
        .collect()
}

/// Where a name stands in a file as it is shown: a secret that was taken out is not told by asking for its words.
fn find_places(view: &FileView, path: &RepoPath, text: &str, name: &str) -> NamePlaces {
    let mut places = places_of_name(path, text, name);
    let is_shown = |line: u32| view.line(line).is_some_and(|shown| shown.contains(name));
    places.uses.retain(|(line, _)| is_shown(*line));
    places
}
