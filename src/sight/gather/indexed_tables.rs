//! Tables in the order of an enumeration: where one comes in between, the table that its users index needs a new row.

use super::super::definitions::{DefinedName, DefinitionKind};
use super::super::locals::place_of;
use super::super::search::{FileHits, FileOutline, NameHit};
use super::super::words::{CodeWord, is_name};
use super::uses::around_use;
use super::{Gatherer, is_worth_showing};
use crate::prompt::ContextKind;

/// A longer table is shown by its beginning.
const MAX_TABLE: u32 = 40;

impl Gatherer<'_> {
    /// The tables of its file that what is shown around a use indexes with a value.
    pub(super) fn add_indexed_tables(
        &mut self,
        order: usize,
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) {
        let name = &self.names[hit.name];
        let is_edited = !name.homes.is_empty() && !name.is_field && !name.is_own;
        let mut texts = self.files.iter().filter_map(|file| file.new.as_deref());
        if !is_edited || !texts.any(|text| declares_type(text, &name.text)) {
            return;
        }
        let (first, last) = around_use(outline, hit.line);
        for line in first..=last {
            for table in tables_on(outline, line) {
                let end = table.end.min(table.start.saturating_add(MAX_TABLE));
                let Some((start, end)) = self.shown.next_gap(&file.path, table.start, end) else {
                    continue;
                };
                if is_worth_showing(&file.text, start, end) {
                    let note = format!("definition of `{}`, which line {line} indexes", table.name);
                    let block = self.lines_block(ContextKind::Definition, file, (start, end), note);
                    self.push((name.reason, order, start), block);
                }
            }
        }
    }
}

/// Whether a text declares an enumeration, or another type whose values may be places in a table.
fn declares_type(text: &str, name: &str) -> bool {
    let mut lines = text.lines().filter(|line| line.contains(name));
    lines.any(|line| {
        let words = line.split(|c: char| !is_name(c));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let at = words.iter().position(|word| *word == name);
        let before = at.map_or(&[][..], |at| &words[..at]);
        // The name of a `typedef` stands behind its body.
        let is_last = at.is_some() && line.starts_with('}');
        is_last
            || before
                .iter()
                .any(|word| matches!(*word, "type" | "class" | "enum"))
    })
}

/// The tables of a file that a line indexes with what is no number and no text.
fn tables_on<'o>(outline: &'o FileOutline<'_>, line: u32) -> impl Iterator<Item = &'o DefinedName> {
    let code = outline.line(line);
    let is_indexed = move |word: &&CodeWord<'_>| {
        let (code, _, to) = place_of(code, word);
        let index = code.get(to..).and_then(|behind| behind.strip_prefix('['));
        index.is_some_and(|index| index.starts_with(|c: char| is_name(c) && !c.is_ascii_digit()))
    };
    let indexed = outline.words_at(line).iter().filter(is_indexed);
    indexed.filter_map(move |word| {
        let mut values = outline.definitions.iter();
        values.find(|one| {
            let is_table = one.kind == DefinitionKind::Value
                && outline.line(one.head).contains(['{', '[', '(']);
            is_table && one.name == word.text && one.head != line
        })
    })
}
