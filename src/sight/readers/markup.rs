//! Names that stand in files of XML: what code calls so, and what code takes from there.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::{self, CodeWord, WordUse, is_name};
use super::place::{ReadingPlace, read_name};
use super::quoted_texts;
use super::reader::Reader;

pub(in crate::sight) fn is_xml(path: &str) -> bool {
    path.ends_with(".xml")
}

/// The methods and types of several words that edited lines declare, and the names with dots that they have in quotes: of a
/// logger, of a bean.
pub(super) fn declared_on(side: &ReadSide<'_>) -> BTreeSet<String> {
    let outline = &side.outline;
    if !matches!(outline.language(), Language::Java | Language::Kotlin) {
        return BTreeSet::new();
    }
    let is_head = |line: &u32| {
        let span = outline.function_span(*line);
        span.is_none_or(|span| span.head == *line as usize) && !outline.is_import(*line)
    };
    let is_one = |word: &&CodeWord<'_>| {
        let is_declared = matches!(word.how, WordUse::Called | WordUse::Named);
        is_declared && words::is_compound(word.text)
    };
    let lines = side.lines.iter().filter(|line| is_head(line));
    let found = lines.flat_map(|line| outline.words_at(*line).iter().filter(is_one));
    let quoted = quoted_texts::texts_on(side).into_iter();
    found
        .map(|word| word.text.to_owned())
        .chain(quoted.filter(|text| has_dots(text)))
        .collect()
}

/// Whether a text is several words with dots between them, and no name of a file.
fn has_dots(text: &str) -> bool {
    let is_word = |word: &str| word.starts_with(char::is_alphabetic) && word.chars().all(is_name);
    text.contains('.')
        && text.split('.').all(is_word)
        && Language::from_path(text) == Language::Unknown
}

/// What takes the resources of a program of Android that edited lines declare: an identifier, a text.
pub(super) fn resources_on(side: &ReadSide<'_>) -> BTreeSet<String> {
    let path = side.path.display();
    if !is_xml(&path) || !path.contains("res/") {
        return BTreeSet::new();
    }
    let lines = side.lines.iter().map(|line| side.outline.line(*line));
    let found = lines.flat_map(|line| {
        let begun = ["@+id/", " name=\""]
            .into_iter()
            .flat_map(|sign| line.match_indices(sign));
        begun.map(|(at, sign)| &line[at + sign.len()..])
    });
    let names = found.map(|rest| &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())]);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

pub(super) fn edited_resources(sides: &[Option<ReadSide<'_>>; 2]) -> Vec<WantedName> {
    let before = sides[0].as_ref().map(resources_on).unwrap_or_default();
    before
        .iter()
        .map(|name| read_name(name, NameReason::Changed, Reader::Resource))
        .collect()
}

impl ReadingPlace<'_, '_> {
    /// Whether the line of a file of XML has the name as a whole in quotes, or at the end of a path there.
    pub(super) fn is_attribute_value(&self) -> bool {
        is_xml(&self.file.path.display())
            && self.around().iter().any(|(before, behind)| {
                before.ends_with(['"', '.', '#']) && behind.starts_with(['"', '<', '('])
            })
    }

    /// Whether the line takes a resource: `R.string.save_label`, `@string/save_label`.
    pub(super) fn is_resource(&self) -> bool {
        self.around().iter().any(|(before, _)| {
            let kind = before.strip_suffix(['.', '/']).unwrap_or_default();
            let held = kind.trim_end_matches(is_name);
            held.len() < kind.len() && (held.ends_with("R.") || held.ends_with('@'))
        })
    }
}
