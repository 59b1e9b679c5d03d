//! How much of what defines a name is shown.

use council_syntax::language::Language;

use super::super::definitions::{DefinedName, DefinitionKind};
use super::super::search::{FileHits, FileOutline};
use super::super::wanted::NameReason;
use super::{
    Gatherer, LongRest, MAX_DEFINITIONS, ScopeForms, describe_definition, is_worth_showing,
};
use crate::prompt::ContextKind;

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

impl Gatherer<'_> {
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
                    format!("{}{more}", describe_definition(name))
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
