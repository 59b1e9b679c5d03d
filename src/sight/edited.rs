//! What lines of a file say: their words, and the names of what holds them.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::DefinitionKind;
use super::search::FileOutline;
use super::words::{self, CodeWord, WordUse};

pub(super) fn collect_words(
    outline: &FileOutline<'_>,
    lines: &[u32],
    into: &mut BTreeMap<String, WordUse>,
) {
    for &line in lines {
        let words = outline.words_at(line).iter();
        // The module that a line imports is no key.
        let is_loading = outline.is_import(line) || loads_module(outline.line(line));
        let is_module = |word: &CodeWord<'_>| word.how == WordUse::Key && is_loading;
        for word in words.filter(|word| !is_module(word)) {
            let said = outline.use_of(line, word);
            let how = into.entry(word.text.to_owned()).or_insert(said);
            *how = (*how).min(said);
        }
    }
}

/// Whether a line of Ruby, PHP or Lua loads a module: `require "json"`, `local json = require 'json'`.
fn loads_module(code: &str) -> bool {
    const LOADING: [&str; 5] = [
        "require",
        "require_relative",
        "require_once",
        "include",
        "include_once",
    ];
    let value = code
        .rsplit_once('=')
        .map_or(code, |(_, value)| value)
        .trim_start();
    let loaded = LOADING.iter().filter_map(|word| value.strip_prefix(word));
    loaded
        .map(str::trim_start)
        .any(|rest| rest.starts_with(['"', '\'', '(']))
}

/// The words of lines that import, without those of the others.
pub(super) fn imported_alone(outline: &FileOutline<'_>, lines: &[u32]) -> BTreeSet<String> {
    let (imports, others): (Vec<u32>, Vec<u32>) =
        lines.iter().partition(|line| outline.is_import(**line));
    let words = |lines: &[u32]| -> BTreeSet<String> {
        let words = lines.iter().flat_map(|line| outline.words_at(*line));
        words.map(|word| word.text.to_owned()).collect()
    };
    &words(&imports) - &words(&others)
}

/// The names of what holds these lines: the functions, and what is no function.
pub(super) fn edited_names(outline: &FileOutline<'_>, lines: &[u32]) -> BTreeSet<String> {
    const MAX_NAMED: u32 = 60;
    let mut names = BTreeSet::new();
    for &line in lines {
        let functions: Vec<&str> = outline
            .functions_around(line)
            .map(|one| &*one.name)
            .collect();
        let has_function = !functions.is_empty();
        let called = functions
            .into_iter()
            .filter(|name| !words::is_entry_point(name));
        names.extend(called.map(str::to_owned));
        let holding = outline.definitions.iter().filter(|one| {
            (one.start..=one.end).contains(&line) && one.end - one.start <= MAX_NAMED
        });
        names.extend(
            holding
                .filter(|one| !has_function && !words::is_common(&one.name))
                .map(|one| one.name.clone()),
        );
    }
    // Who makes a value names the type, and who calls the parent's constructor names neither.
    let is_plain = |name: &String| !words::is_unnamed_constructor(outline.language(), name);
    names.retain(is_plain);
    names
}

pub(super) fn value_names<'o>(outline: &'o FileOutline<'_>) -> impl Iterator<Item = String> + 'o {
    let values = outline.definitions.iter();
    let values = values.filter(|one| one.kind == DefinitionKind::Value);
    values.map(|one| one.name.clone())
}
