//! Members of types that the change uses and that no definition of their file has: fields, and methods of traits and
//! interfaces, which have no body.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::declared_places::declared_places;
use super::super::definitions::{DefinitionKind, is_comment};
use super::super::fields;
use super::super::name_source::NameSource;
use super::super::search::{FileHits, FileOutline};
use super::super::wanted::{NameReason, WantedName};
use super::{Gatherer, MAX_DEFINITIONS, is_worth_showing, relation};
use crate::prompt::ContextKind;

/// The most lines of comment above a member that are shown with it, and of what declares it.
const MAX_COMMENT: u32 = 12;
const MAX_MEMBER: u32 = 12;

impl Gatherer<'_> {
    /// The members of the types of a file that the change asks values for.
    pub(super) fn add_members(&mut self, order: usize, file: &FileHits, outline: &FileOutline<'_>) {
        if !outline.language().is_code() {
            return;
        }
        let hits: BTreeSet<usize> = file.hits.iter().map(|hit| hit.name).collect();
        for index in hits {
            let name = &self.names[index];
            let owners = self.meant[index].owners_in(file);
            let is_any = self.may_be_field(index, file, outline);
            if !name.definition || (owners.is_empty() && !is_any) {
                continue;
            }
            for place in declared_places(outline, &file.text, &name.text) {
                let (start, end) = (place.head, place.end);
                // What a function sets or is given there is a variable of its own.
                let owner =
                    type_around(outline, start).filter(|_| outline.function_span(start).is_none());
                let is_told = owner.is_some_and(|owner| owners.contains(owner));
                let is_field = is_any
                    && owner.is_some()
                    && fields::declared_field(outline.language(), outline.line(start))
                        == Some(name.text.as_str());
                if is_told || is_field {
                    self.add_member((order, index), (start, end), file, outline);
                }
            }
        }
    }

    /// Whether a name on an edited line may be a field of any struct of its package: nothing says what it is asked of.
    fn may_be_field(&self, index: usize, file: &FileHits, outline: &FileOutline<'_>) -> bool {
        let name = &self.names[index];
        let is_unknown = |name: &WantedName| {
            let mut sources = name.sources.iter();
            let is_open = |one: &NameSource| {
                let behind = self.known.source_behind(one, &name.text);
                matches!(behind, NameSource::Unknown | NameSource::Value)
            };
            !name.sources.is_empty() && sources.all(is_open)
        };
        outline.language() == Language::Go
            && matches!(name.reason, NameReason::Added | NameReason::Kept)
            && name.homes.is_empty()
            && is_unknown(name)
            && relation::is_near(self.files, &file.path)
    }

    fn add_member(
        &mut self,
        (order, index): (usize, usize),
        (first, end): (u32, u32),
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) {
        let mut from = first;
        while from > 1 && first - from < MAX_COMMENT && is_comment(outline.line(from - 1).trim()) {
            from -= 1;
        }
        let end = end.min(first.saturating_add(MAX_MEMBER));
        let is_shown = self.shown.missing(&file.path, first, end).is_none();
        if is_shown || !self.may_add(index, ContextKind::Definition, MAX_DEFINITIONS) {
            return;
        }
        while let Some((start, last)) = self.shown.next_gap(&file.path, from, end) {
            from = last + 1;
            if is_worth_showing(&file.text, start, last) {
                let name = &self.names[index];
                let note = format!("declaration of `{}`", name.text);
                let block = self.lines_block(ContextKind::Definition, file, (start, last), note);
                self.push((name.reason, order, start), block);
            }
        }
    }
}

/// The innermost type around a line of its body.
fn type_around<'o>(outline: &'o FileOutline<'_>, line: u32) -> Option<&'o str> {
    let types = outline.definitions.iter().filter(|one| {
        let lines = one.head..=one.end;
        one.kind == DefinitionKind::Type && lines.contains(&line)
    });
    types
        .max_by_key(|one| one.head)
        .map(|one| one.name.as_str())
}
