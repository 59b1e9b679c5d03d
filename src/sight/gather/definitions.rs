//! How much of what defines a name is shown.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::definitions::{DefinedName, DefinitionKind};
use super::super::search::{FileHits, FileOutline};
use super::super::wanted::NameReason;
use super::super::{fields, words};
use super::{Gatherer, LongRest, MAX_DEFINITIONS, ScopeForms, is_worth_showing};
use crate::prompt::{ContextKind, is_test_path};

/// The lines of a definition, from its head on, that are shown before anything else.
const MAX_DEFINITION: u32 = 50;

/// So many more are shown rather than cut off.
const MAX_MORE: u32 = 25;

/// The most lines of the rest of a function, where there is room.
const MAX_REST: u32 = 300;

/// The most functions of one name in one scope: overloads, branches, a property with its setter.
const MAX_FORMS: usize = 4;

/// The last line of a definition that is shown at once.
fn last_at_once(defined: &DefinedName) -> u32 {
    let last = defined.head.saturating_add(MAX_DEFINITION - 1);
    if defined.end <= last.saturating_add(MAX_MORE) {
        defined.end
    } else {
        last
    }
}

/// Whether a function tells types alone, and another one of its name in the file is what runs.
fn is_stub(defined: &DefinedName, outline: &FileOutline<'_>) -> bool {
    let is_overload = |one: &DefinedName| {
        (one.start..one.head).any(|line| {
            let code = outline.line(line).trim();
            code.starts_with('@') && code.trim_end_matches("()").ends_with("overload")
        })
    };
    let runs = |one: &&DefinedName| {
        one.kind == DefinitionKind::Function && one.name == defined.name && !is_overload(one)
    };
    outline.language() == Language::Python
        && is_overload(defined)
        && outline.definitions.iter().any(|one| runs(&one))
}

/// Whether a function is read as a value is: `@property`, `get total() {`.
pub(super) fn is_property(defined: &DefinedName, outline: &FileOutline<'_>) -> bool {
    let above = (defined.start..defined.head).map(|line| outline.line(line).trim());
    let mut decorators = above.filter(|code| code.starts_with('@'));
    let is_decorated =
        decorators.any(|code| code.ends_with("property") || code.ends_with(".getter"));
    let head = outline.line(defined.head).trim_start();
    let head = head.strip_prefix("static ").unwrap_or(head);
    is_decorated
        || head
            .strip_prefix("get ")
            .is_some_and(|rest| rest.starts_with(defined.name.as_str()))
}

impl Gatherer<'_> {
    /// Whether a function stands in a test without a name (`test("…", () => {`) that the change does not edit: nobody
    /// outside of it can mean what it defines.
    pub(super) fn is_of_another_test(
        &self,
        defined: &DefinedName,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> bool {
        let is_function = defined.kind == DefinitionKind::Function;
        if !is_function || !is_test_path(&file.path.display()) {
            return false;
        }
        let outer = outline.outermost_function(defined.head);
        let outer =
            outer.filter(|outer| outer.name.is_empty() && outer.head < defined.head as usize);
        let changed = self
            .files
            .iter()
            .filter(|changed| *changed.path() == file.path);
        let mut edited = changed.flat_map(|changed| changed.edited_lines());
        outer.is_some_and(|outer| !edited.any(|line| outer.contains(*line as usize)))
    }

    /// Whether one more definition of a name is shown; what is not is counted.
    pub(super) fn may_define(
        &mut self,
        forms: &mut ScopeForms,
        index: usize,
        defined: &DefinedName,
        (file, outline): (&FileHits, &FileOutline<'_>),
    ) -> bool {
        if is_stub(defined, outline) {
            return false;
        }
        let span = outline
            .function_span(defined.head)
            .filter(|_| defined.kind == DefinitionKind::Function);
        let scope = span.map(|span| outline.owner_of(&file.text, span));
        let known = scope
            .as_ref()
            .and_then(|owner| forms.get_mut(&(index, owner.clone())));
        let is_shown = match known {
            Some((count, is_shown)) => {
                *count += 1;
                *is_shown && *count <= MAX_FORMS
            }
            None => {
                let is_shown = self.may_add(index, ContextKind::Definition, MAX_DEFINITIONS);
                if let Some(owner) = scope {
                    forms.insert((index, owner), (1, is_shown));
                }
                is_shown
            }
        };
        if !is_shown {
            *self.undefined.entry(index).or_default() += 1;
        }
        is_shown
    }

    /// A definition, of a long one its beginning; the rest waits.
    pub(super) fn add_definition(
        &mut self,
        (order, index): (usize, usize),
        defined: &DefinedName,
        file: &FileHits,
    ) {
        let name = &self.names[index];
        let end = last_at_once(defined);
        let more = match defined.end {
            last if last > end => format!(", which goes on to line {last}"),
            _ => String::new(),
        };
        let mut from = defined.start;
        // Around methods that are shown already, what is left of a type is several pieces.
        while let Some((start, last)) = self.shown.next_gap(&file.path, from, end) {
            from = last + 1;
            if is_worth_showing(&file.text, start, last) {
                let note = if last < defined.head {
                    format!("comment above `{}`", name.text)
                } else {
                    format!("{}{more}", self.describe_definition(index, file))
                };
                let block = self.lines_block(ContextKind::Definition, file, (start, last), note);
                self.push((name.reason, order, start), block);
            }
        }
        let is_followed =
            defined.kind == DefinitionKind::Function && name.reason <= NameReason::Kept;
        if is_followed && defined.end > end {
            self.rests.push(LongRest {
                rank: (name.reason, order, end + 1),
                file: FileHits {
                    hits: Vec::new(),
                    ..file.clone()
                },
                lines: (end + 1, defined.end.min(end.saturating_add(MAX_REST))),
                name: name.text.clone(),
            });
        }
    }

    /// What the heading of a definition says: of what the change edits, one in another file that no import leads to is
    /// another one.
    fn describe_definition(&self, index: usize, file: &FileHits) -> String {
        let name = &self.names[index];
        let is_edited = !name.homes.is_empty();
        let is_it = name.homes.contains(&file.path) || self.meant[index].is_in(file);
        match &name.imported_as {
            Some(called) => format!("definition of `{}`, imported as `{called}`", name.text),
            None if is_edited && !is_it => format!("another `{}`", name.text),
            None => format!("definition of `{}`", name.text),
        }
    }

    /// What makes a value of a type, where that stands behind what is shown of it: it is what a call of the type runs.
    pub(super) fn add_constructor(
        &mut self,
        (order, index): (usize, usize),
        defined: &DefinedName,
        (file, outline): (&FileHits, &FileOutline<'_>),
    ) {
        let last = last_at_once(defined);
        if defined.kind != DefinitionKind::Type || defined.end <= last {
            return;
        }
        let mut functions = outline.functions_of(defined);
        let made = functions.find(|one| words::is_constructor(&one.name, &defined.name));
        let lines = made.map(|one| (one.start.max(last as usize + 1), one.end));
        let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        let Some((mut from, end)) = lines.map(|(from, end)| (number(from), number(end))) else {
            return;
        };
        let end = end.min(from.saturating_add(MAX_DEFINITION));
        while let Some((start, last)) = self.shown.next_gap(&file.path, from, end) {
            from = last + 1;
            if is_worth_showing(&file.text, start, last) {
                let note = format!("constructor of `{}`", defined.name);
                let block = self.lines_block(ContextKind::Definition, file, (start, last), note);
                self.push((self.names[index].reason, order, start), block);
            }
        }
    }

    /// The types of C that have a member which the change uses.
    pub(super) fn add_member_types(
        &mut self,
        order: usize,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) {
        let hits: BTreeSet<usize> = file.hits.iter().map(|hit| hit.name).collect();
        for index in hits
            .into_iter()
            .filter(|index| self.names[*index].is_member)
        {
            for (defined, _) in fields::fields_of_c(outline, &self.names[index].text) {
                if self.may_add(index, ContextKind::Definition, MAX_DEFINITIONS) {
                    self.add_definition((order, index), defined, file);
                }
            }
        }
    }

    /// What is left of long functions that the change uses. After what else there is to tell: it takes what that leaves.
    pub(super) fn add_long_definitions(&mut self) {
        for rest in std::mem::take(&mut self.rests) {
            let (mut from, end) = rest.lines;
            while let Some((start, last)) = self.shown.next_gap(&rest.file.path, from, end) {
                from = last + 1;
                if is_worth_showing(&rest.file.text, start, last) {
                    let note = format!("rest of the definition of `{}`", rest.name);
                    let kind = ContextKind::LongDefinition;
                    let block = self.lines_block(kind, &rest.file, (start, last), note);
                    self.push(rest.rank, block);
                }
            }
        }
    }

    /// Which names have more definitions than are shown.
    pub(super) fn more_definitions(&self) -> Option<String> {
        self.describe_more(&self.undefined, "definitions")
    }
}
