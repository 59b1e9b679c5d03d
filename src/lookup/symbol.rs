//! Where a name is defined in the reviewed tree, and where it is used.

use council_agents::tools::QueryBounds;
use council_protocol::RepoPath;

use super::file_view::FileView;
use super::result_text::ResultText;
use super::search::compile_regex;
use super::{CodeLookup, Found};
use crate::sight::{NamePlaces, places_of_name};

/// The most definitions that are shown.
const MAX_DEFINITIONS: usize = 6;

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
        let name = bare_name(name).ok_or("`name` has to be one bare name")?;
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
        let (mut defined, mut definitions) = (ResultText::within(&share), 0);
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
        let walk = self.walk_files(
            &|_| true,
            bounds.until,
            &look,
            |path, (view, mut places)| {
                places.definitions.truncate(MAX_DEFINITIONS - definitions);
                if !places.definitions.is_empty() {
                    definitions += places.definitions.len();
                    defined.push_file(path, &view, &places.definitions, &self.redactor);
                }
                all += places.uses.len();
                places.uses.truncate(MAX_USES_OF_FILE.min(MAX_USES - uses));
                if !places.uses.is_empty() {
                    uses += places.uses.len();
                    used.push((path.clone(), view, places.uses));
                }
                uses < MAX_USES || definitions == 0
            },
        );
        if definitions == 0 {
            defined.push_line(match used.is_empty() {
                true => "No definition was found.",
                // A field or a constant has no keyword of its own.
                false => "No definition was recognised; it may be among the uses.",
            });
        }
        let mut out = ResultText::within(bounds);
        let defined = defined.finish("");
        out.push_part(defined);
        if !used.is_empty() {
            out.push_line("Used in:");
        }
        for (path, view, runs) in &used {
            out.push_matches(path, view, (runs, &word), &self.redactor);
        }
        let more = match (uses >= MAX_USES || out.is_full, walk.is_cut) {
            (true, _) => ", and there may be more",
            (_, true) => ", and time ran out before the whole tree was searched",
            _ => "",
        };
        let others = match all - uses {
            0 => String::new(),
            _ => format!(
                "; {all} lines of these files use it: `search` in one of them for the others"
            ),
        };
        let unread = walk.describe_unread();
        Ok(out.finish(&format!(
            "{definitions} definitions, {uses} lines that use it{others}{more}{unread}"
        )))
    }
}

/// A name without what models put around it: a call's parentheses, the module before it.
fn bare_name(name: &str) -> Option<&str> {
    let name = name.trim().trim_end_matches("()");
    let name = name.rsplit(['.', ':', '#', '/']).next().unwrap_or(name);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '!' | '?' | '-');
    (!name.is_empty() && name.chars().all(is_word)).then_some(name)
}

/// Where a name stands in a file as it is shown: a secret that was taken out is not told by asking for its words.
fn find_places(view: &FileView, path: &RepoPath, text: &str, name: &str) -> NamePlaces {
    let mut places = places_of_name(path, text, name);
    let is_shown = |line: u32| view.line(line).is_some_and(|shown| shown.contains(name));
    places.uses.retain(|(line, _)| is_shown(*line));
    for (start, end) in &mut places.definitions {
        *end = (*end).min(start.saturating_add(MAX_DEFINITION_LINES - 1));
    }
    places
}
