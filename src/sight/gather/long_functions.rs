//! What of long changed functions the hunks do not show: a lock is often taken far above the line that gives it up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use council_protocol::Packet;
use council_syntax::outline::FunctionSpan;

use super::super::candidates::{ChangedFile, changed_files};
use super::super::limits::Sight;
use super::super::search::{FileOutline, is_searched};
use super::super::unnamed_calls::describe_function;
use super::{Gatherer, file_reason, is_worth_showing};
use crate::prompt::{ContextBlock, ContextBody, ContextKind};

/// So many lines before and after a changed line its function is shown before anything else.
const FUNCTION_LINES: u32 = 300;

/// So many lines of its beginning as well.
pub(super) const HEAD_LINES: u32 = 20;

/// What is farther away is shown in pieces of so many lines, the nearest first, where there is room.
const FAR_LINES: u32 = 100;

/// A changed function.
pub(super) struct EditedFunction {
    name: String,
    called: String,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) edited: Vec<u32>,
}

/// A changed file with its place among the others.
#[derive(Clone, Copy)]
pub(super) struct FilePlace<'f> {
    pub(super) order: usize,
    pub(super) file: &'f ChangedFile<'f>,
    pub(super) text: &'f Arc<str>,
}

impl EditedFunction {
    pub(super) fn of(span: &FunctionSpan, outline: &FileOutline<'_>) -> Self {
        let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        Self {
            name: span.name.clone(),
            called: describe_function(outline, span),
            start: number(span.start),
            end: number(span.end),
            edited: Vec::new(),
        }
    }

    /// How far lines are from the nearest edited one.
    fn distance(&self, start: u32, end: u32) -> u32 {
        let edited = self.edited.iter();
        let distances =
            edited.map(|&line| line.saturating_sub(end).max(start.saturating_sub(line)));
        distances.min().unwrap_or(u32::MAX)
    }
}

/// The functions that a file's change edits, each once, by where they begin.
fn edited_functions(file: &ChangedFile<'_>, text: &str) -> Vec<EditedFunction> {
    let outline = FileOutline::of(file.path(), text);
    let mut functions: BTreeMap<usize, EditedFunction> = BTreeMap::new();
    for &line in file.edited_lines() {
        if let Some(span) = outline.function_span(line) {
            let function = functions.entry(span.start);
            let function = function.or_insert_with(|| EditedFunction::of(span, &outline));
            function.edited.push(line);
        }
    }
    functions.into_values().collect()
}

/// Where the first piece of some lines ends; what would be left of the last piece goes along.
fn end_of_piece(start: u32, end: u32) -> u32 {
    let most = FAR_LINES + FAR_LINES / 2;
    if end - start < most {
        end
    } else {
        start + FAR_LINES - 1
    }
}

/// Which functions the change edits and its hunks do not show whole, in words for a person.
pub(crate) fn cut_functions(sight: &Sight, packet: &Packet) -> Option<String> {
    const MAX_NAMED: usize = 5;
    let files = changed_files(packet, &sight.tree);
    let is_shown = |file: &&ChangedFile<'_>| is_searched(file.path().as_bytes());
    let cut: Vec<String> = files
        .iter()
        .filter(is_shown)
        .flat_map(cut_in_file)
        .collect();
    let named = cut
        .iter()
        .take(MAX_NAMED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    let more = match cut.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!cut.is_empty())
        .then(|| format!("these functions are edited and not shown whole: {named}{more}"))
}

fn cut_in_file(file: &ChangedFile<'_>) -> Vec<String> {
    let Some(text) = &file.new else {
        return Vec::new();
    };
    let lines = file.file.hunks.iter().flat_map(|hunk| hunk.lines());
    let shown: BTreeSet<u32> = lines.filter_map(|line| line.new_no).collect();
    let functions = edited_functions(file, text).into_iter();
    let cut = functions.filter(|one| !(one.start..=one.end).all(|line| shown.contains(&line)));
    // Nothing takes secrets out of what is said here: titles stay away.
    let called = |one: &EditedFunction| match one.name.is_empty() {
        true => format!("the function at line {}", one.start),
        false => format!("`{}`", one.name),
    };
    cut.map(|one| format!("{} of {}", called(&one), file.path().display()))
        .collect()
}

impl Gatherer<'_> {
    /// What of long changed functions stands near the change, and how they begin.
    pub(super) fn add_changed_functions(&mut self) {
        self.for_each_edited(|gatherer, place, function| {
            let mut seen = 0;
            for &line in &function.edited {
                let begin = function.start.max(line.saturating_sub(FUNCTION_LINES));
                let near = begin.max(seen + 1);
                seen = function.end.min(line.saturating_add(FUNCTION_LINES));
                gatherer.add_rest(ContextKind::ChangedFunction, place, (near, seen), function);
            }
            let head = function.end.min(function.start + HEAD_LINES);
            let head = (function.start, head);
            gatherer.add_rest(ContextKind::ChangedFunction, place, head, function);
        });
    }

    /// All else of them. After what else there is to tell: it takes what that leaves.
    pub(super) fn add_far_functions(&mut self) {
        self.for_each_edited(|gatherer, place, function| {
            let whole = (function.start, function.end);
            gatherer.add_rest(ContextKind::FarFunction, place, whole, function);
        });
    }

    fn for_each_edited(&mut self, add: impl Fn(&mut Self, FilePlace<'_>, &EditedFunction)) {
        let files = self.files;
        for (order, file) in files.iter().enumerate() {
            if let Some(text) = file.edited_text() {
                for function in edited_functions(file, text) {
                    add(self, FilePlace { order, file, text }, &function);
                }
            }
        }
    }

    /// What is not shown yet between two lines of a function.
    pub(super) fn add_rest(
        &mut self,
        kind: ContextKind,
        FilePlace { order, file, text }: FilePlace<'_>,
        (first, last): (u32, u32),
        function: &EditedFunction,
    ) {
        let mut from = first;
        while let Some((start, end)) = self.shown.next_gap(file.path(), from, last) {
            let is_far = kind == ContextKind::FarFunction;
            let end = if is_far {
                end_of_piece(start, end)
            } else {
                end
            };
            from = end + 1;
            if !is_worth_showing(text, start, end) {
                continue;
            }
            let block = ContextBlock {
                kind,
                path: file.path().clone(),
                about: file.path().clone(),
                note: format!("rest of {}, which the change edits", function.called),
                body: ContextBody::Lines {
                    text: Arc::clone(text),
                    start,
                    end,
                },
            };
            let place = if is_far {
                function.distance(start, end)
            } else {
                start
            };
            self.push((file_reason(file), order, place), block);
        }
    }
}
