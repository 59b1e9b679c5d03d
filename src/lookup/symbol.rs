//! Where a name is defined in the reviewed tree, and where it is used.

use council_agents::tools::QueryBounds;
use council_protocol::RepoPath;
use council_syntax::language::Language;
use council_syntax::outline;
use regex::Regex;

use super::file_view::FileView;
use super::result_text::ResultText;
use super::search::compile_regex;
use super::{CodeLookup, Found};

/// The most definitions that are shown.
const MAX_DEFINITIONS: usize = 6;

/// The most lines of one definition: of a longer one its beginning.
const MAX_DEFINITION_LINES: u32 = 120;

/// The most lines that use the name, and of one file.
const MAX_USES: usize = 60;
const MAX_USES_OF_FILE: usize = 12;

/// The share of the result that definitions may take, in parts of ten: uses need room, too.
const DEFINITION_TENTHS: usize = 7;

/// Where a name stands in a file: the runs of lines that define it, and the lines that use it.
struct NamePlaces {
    definitions: Vec<(u32, u32)>,
    uses: Vec<(u32, u32)>,
}

impl CodeLookup {
    /// Definitions first, then uses, the nearest to the change first.
    pub(super) fn find_symbol(&self, name: &str, bounds: &QueryBounds) -> Result<Found, String> {
        let name = bare_name(name).ok_or("`name` has to be one bare name")?;
        let word = compile_regex(&format!(r"\b{}\b", regex::escape(name)))?;
        let heads = compile_regex(&definition_pattern(name))?;
        let share = QueryBounds {
            max_bytes: bounds.max_bytes / 10 * DEFINITION_TENTHS,
            ..*bounds
        };
        let (mut defined, mut definitions) = (ResultText::within(&share), 0);
        let mut used: Vec<(RepoPath, FileView, Vec<(u32, u32)>)> = Vec::new();
        let mut uses = 0;
        let walk = self.walk_files(&|_| true, bounds.until, |path, text| {
            if !text.contains(name) || !word.is_match(text) {
                return true;
            }
            let view = FileView::of_file(path, text, self.find_change(path), &self.redactor);
            let mut places = find_places(&view, path, text, name, &word, &heads);
            places.definitions.truncate(MAX_DEFINITIONS - definitions);
            if !places.definitions.is_empty() {
                definitions += places.definitions.len();
                defined.push_file(path, &view, &places.definitions);
            }
            places.uses.truncate(MAX_USES_OF_FILE.min(MAX_USES - uses));
            if !places.uses.is_empty() {
                uses += places.uses.len();
                used.push((path.clone(), view, places.uses));
            }
            uses < MAX_USES || definitions == 0
        });
        if definitions == 0 {
            defined.push_line("No definition was found.");
        }
        let mut out = ResultText::within(bounds);
        let defined = defined.finish("");
        out.push_part(defined);
        if !used.is_empty() {
            out.push_line("Used in:");
        }
        for (path, view, runs) in &used {
            out.push_file(path, view, runs);
        }
        let more = match (uses >= MAX_USES || out.is_full, walk.is_cut) {
            (true, _) => ", and there may be more",
            (_, true) => ", and time ran out before the whole tree was searched",
            _ => "",
        };
        Ok(out.finish(&format!(
            "{definitions} definitions, {uses} lines that use it{more}"
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

/// Heads of what is no function with a body: types, constants, macros, declarations.
fn definition_pattern(name: &str) -> String {
    let name = regex::escape(name);
    let words = "struct|class|enum|union|interface|trait|type|typedef|record|object|protocol|module|mod|namespace|package\
                 |const|static|let|var|val|def|fn|func|fun|function|macro_rules!";
    format!(
        r"^\s*(?:[\w@(),<>\[\]*&]+\s+)*?(?:{words})\s+(?:\w+\s+)?{name}\b|^\s*#\s*define\s+{name}\b|^{name}\s*[:=][^=]"
    )
}

fn find_places(
    view: &FileView,
    path: &RepoPath,
    text: &str,
    name: &str,
    word: &Regex,
    heads: &Regex,
) -> NamePlaces {
    let language = Language::from_path(&path.display());
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let mut definitions: Vec<(u32, u32)> = outline::functions(language, text)
        .into_iter()
        .filter(|function| function.name == name)
        .map(|function| {
            let start = number(function.start);
            (
                start,
                number(function.end).min(start.saturating_add(MAX_DEFINITION_LINES)),
            )
        })
        .collect();
    let is_defined =
        |at: u32, known: &[(u32, u32)]| known.iter().any(|run| (run.0..=run.1).contains(&at));
    let mut uses = Vec::new();
    for at in 1..=view.last_line() {
        let Some(line) = view.line(at).filter(|line| word.is_match(line)) else {
            continue;
        };
        if is_defined(at, &definitions) {
            continue;
        }
        if language.is_code() && heads.is_match(line) {
            definitions.push((at, at));
        } else {
            uses.push((at, at));
        }
    }
    NamePlaces { definitions, uses }
}
