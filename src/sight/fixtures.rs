//! Fixtures of pytest: a test asks for one by the name of a parameter.

use std::collections::BTreeSet;

use council_protocol::RepoPath;
use council_syntax::language::Language;
use council_syntax::outline::FunctionSpan;

use super::definitions::DefinitionKind;
use super::receivers::Certainty;
use super::search::{FileOutline, is_whole_word};
use super::wanted::WantedName;

/// The lines above a function in which its decorators are looked for.
const MAX_ABOVE: u32 = 8;

/// The fixtures that these lines are a part of, under the names that tests know them by.
pub(super) fn edited_fixtures(outline: &FileOutline<'_>, lines: &[u32]) -> BTreeSet<String> {
    if outline.language() != Language::Python {
        return BTreeSet::new();
    }
    let functions = outline.definitions.iter();
    let functions = functions.filter(|one| one.kind == DefinitionKind::Function);
    let edited = functions.filter_map(|one| {
        let (first, name) = fixture_at(outline, one.head)?;
        let is_edited = lines.iter().any(|line| (first..=one.end).contains(line));
        is_edited.then(|| name.unwrap_or_else(|| one.name.clone()))
    });
    edited.collect()
}

/// Where the decorators of a fixture begin whose head is on a line, and the name that they give it; none: it is no fixture.
fn fixture_at(outline: &FileOutline<'_>, head: u32) -> Option<(u32, Option<String>)> {
    let above = (head.saturating_sub(MAX_ABOVE).max(1)..head).rev();
    let mut above = above.take_while(|&at| {
        let code = outline.line(at).trim();
        !code.is_empty() && !code.starts_with("def ") && !code.ends_with(':')
    });
    let is_it = |at: &u32| {
        let code = outline.line(*at).trim_start();
        let decorator = code
            .strip_prefix('@')
            .and_then(|code| code.split('(').next());
        decorator.is_some_and(|name| name.trim().rsplit('.').next() == Some("fixture"))
    };
    let first = above.find(is_it)?;
    let named = (first..head).find_map(|at| {
        let (_, rest) = outline.line(at).split_once("name=")?;
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split(quote).next().map(str::to_owned)
    });
    Some((first, named))
}

/// How certainly a line asks for a fixture; none: it does not.
pub(super) fn certainty_of_fixture(
    name: &WantedName,
    line: u32,
    path: &RepoPath,
    outline: &FileOutline<'_>,
) -> Option<Certainty> {
    let reach = name.homes.iter().filter_map(|home| reach_of(home, path));
    let reach = reach.min()?;
    asks_for(outline, line, &name.text).then_some(reach)
}

/// How certainly the tests of a file may have a fixture of another one: those below a `conftest.py` do.
fn reach_of(home: &RepoPath, path: &RepoPath) -> Option<Certainty> {
    let (home_path, path_text) = (home.display(), path.display());
    let (folder, name) = home_path.rsplit_once('/').unwrap_or(("", &home_path));
    let is_below = folder.is_empty()
        || path_text
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'));
    match name == "conftest.py" {
        _ if home == path => Some(Certainty::Exact),
        true => is_below.then_some(Certainty::Exact),
        // A plugin, or fixtures that a `conftest.py` imports.
        false => (!name.starts_with("test_")).then_some(Certainty::Likely),
    }
}

/// Whether a line asks for a fixture: as a parameter of a test or of another fixture, or by its name in a string.
fn asks_for(outline: &FileOutline<'_>, line: u32, name: &str) -> bool {
    let code = outline.line(line);
    let is_named = ["usefixtures(", "getfixturevalue("]
        .iter()
        .any(|call| code.contains(call) && outline.spells(line, name));
    let is_asking = |span: &FunctionSpan| {
        let head = u32::try_from(span.head).unwrap_or(u32::MAX);
        span.name.starts_with("test") || fixture_at(outline, head).is_some()
    };
    let mut around = outline.functions_around(line);
    is_named || around.any(|span| is_asking(span) && is_parameter(outline, span, line, name))
}

/// Whether a name is a parameter of a function, on this line.
fn is_parameter(outline: &FileOutline<'_>, span: &FunctionSpan, line: u32, name: &str) -> bool {
    let head = u32::try_from(span.head).unwrap_or(u32::MAX);
    let mut depth = 0_i32;
    for at in head..=line {
        let code = outline.line(at);
        for (place, byte) in code.bytes().enumerate() {
            let is_here = at == line && code.as_bytes()[place..].starts_with(name.as_bytes());
            if is_here && depth == 1 && is_whole_word(code.as_bytes(), place, place + name.len()) {
                return !code[..place].trim_end().ends_with(['=', ':', '.']);
            }
            depth += match byte {
                b'(' | b'[' | b'{' => 1,
                b')' | b']' | b'}' => -1,
                _ => 0,
            };
            if depth == 0 && byte == b')' {
                return false;
            }
        }
    }
    false
}
