//! Statements of SQL that a file of MyBatis has for the methods of an interface.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::definitions::DefinitionKind;
use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::{WordUse, is_name};
use super::markup::is_xml;
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;

/// The statements of the methods of interfaces that edited lines declare.
pub(super) fn edited_names(side: &ReadSide<'_>) -> Vec<WantedName> {
    let outline = &side.outline;
    let mut found = BTreeSet::new();
    if !matches!(outline.language(), Language::Java | Language::Kotlin) {
        return Vec::new();
    }
    for &line in &side.lines {
        let types = outline.definitions.iter().filter(|one| {
            one.kind == DefinitionKind::Type && (one.start..=one.end).contains(&line)
        });
        let typed = types.max_by_key(|one| one.head);
        let Some(typed) = typed.filter(|one| outline.line(one.head).contains("interface ")) else {
            continue;
        };
        let called = outline.words_at(line).iter();
        let called = called.filter(|word| word.how == WordUse::Called);
        // Annotations of parameters are called as well.
        let methods = called.filter(|word| word.text.starts_with(char::is_lowercase));
        found.extend(methods.map(|word| (word.text, &typed.name)));
    }
    let names = found.into_iter();
    names
        .map(|(text, typed)| read_name(text, NameReason::Changed, Reader::Statement(typed.clone())))
        .collect()
}

impl ReadingPlace<'_, '_> {
    /// Whether the line of a file of statements has the one for a method of an interface.
    pub(super) fn is_statement(&self, typed: &str) -> bool {
        let is_named =
            |(before, behind): &(&str, &str)| before.ends_with(" id=\"") && behind.starts_with('"');
        let is_mapped = || {
            let mut spaces = self.file.text.split("namespace=\"").skip(1);
            spaces.any(|rest| {
                let space = rest.split('"').next().unwrap_or_default();
                space.rsplit(|c| !is_name(c)).next() == Some(typed)
            })
        };
        is_xml(&self.file.path.display()) && self.around().iter().any(is_named) && is_mapped()
    }
}
