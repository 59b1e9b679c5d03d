//! What lines of a file say: their words, and the names of what holds them.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::DefinitionKind;
use super::search::FileOutline;
use super::words::{self, WordUse};

pub(super) fn collect_words(
    outline: &FileOutline<'_>,
    lines: &[u32],
    into: &mut BTreeMap<String, WordUse>,
) {
    for &line in lines {
        for word in outline.words_at(line) {
            let said = outline.use_of(line, word);
            let how = into.entry(word.text.to_owned()).or_insert(said);
            *how = (*how).min(said);
        }
    }
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
