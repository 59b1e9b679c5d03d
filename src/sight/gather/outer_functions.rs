//! The functions around a changed one: a handler takes its variables from the component that it stands in.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use council_syntax::outline::FunctionSpan;

use super::super::candidates::ChangedFile;
use super::super::locals::{declared_names, is_declared, place_of};
use super::super::search::FileOutline;
use super::super::words::{CodeWord, WordUse};
use super::Gatherer;
use super::long_functions::{EditedFunction, FilePlace, HEAD_LINES};
use crate::prompt::{ContextKind, is_test_path};

/// An outer function of at most so many lines is shown whole.
const MAX_OUTER: u32 = 200;

/// The most places of a longer one that are shown for what the inner one takes from there.
const MAX_PLACES: usize = 24;

/// A longer function without a name in a file of tests holds many of them, and tells nothing of one.
const MAX_UNNAMED_TEST: usize = 60;

/// A function that holds a changed one, and what is shown of it.
struct OuterFunction {
    function: EditedFunction,
    /// Where it declares what the inner ones use, and what else does something with that.
    places: BTreeSet<u32>,
}

impl OuterFunction {
    fn of(span: &FunctionSpan, outline: &FileOutline<'_>) -> Self {
        Self {
            function: EditedFunction::of(span, outline),
            places: BTreeSet::new(),
        }
    }

    /// All of a short one; of a long one its beginning, and what stands around its places.
    fn pieces(&self) -> Vec<(u32, u32)> {
        let (start, end) = (self.function.start, self.function.end);
        if end - start < MAX_OUTER {
            return vec![(start, end)];
        }
        let places = self.places.iter().take(MAX_PLACES);
        let around = places.map(|&line| (line.saturating_sub(1).max(start), (line + 1).min(end)));
        let head = (start, end.min(start + HEAD_LINES));
        std::iter::once(head).chain(around).collect()
    }
}

/// The functions around those that a file's change edits, each once.
fn outer_functions(file: &ChangedFile<'_>, text: &str) -> Vec<OuterFunction> {
    let outline = FileOutline::of(file.path(), text);
    let in_test = is_test_path(&file.path().display());
    let mut edited: BTreeMap<(usize, usize), (&FunctionSpan, Vec<u32>)> = BTreeMap::new();
    for &line in file.edited_lines() {
        if let Some(inner) = outline.function_span(line) {
            let known = edited.entry((inner.start, inner.end));
            known.or_insert_with(|| (inner, Vec::new())).1.push(line);
        }
    }
    let mut found: BTreeMap<(usize, usize), OuterFunction> = BTreeMap::new();
    for (inner, lines) in edited.into_values() {
        let around = outline.functions.iter();
        for outer in around.filter(|outer| holds(outer, inner) && tells(outer, in_test)) {
            let known = found.entry((outer.start, outer.end));
            let known = known.or_insert_with(|| OuterFunction::of(outer, &outline));
            known
                .places
                .extend(taken_places(&outline, outer, inner, &lines));
            known.function.edited.extend(&lines);
        }
    }
    found.into_values().collect()
}

fn holds(outer: &FunctionSpan, inner: &FunctionSpan) -> bool {
    let is_around = outer.start <= inner.start && inner.end <= outer.end;
    is_around && (outer.start, outer.end) != (inner.start, inner.end)
}

fn tells(outer: &FunctionSpan, in_test: bool) -> bool {
    !in_test || !outer.name.is_empty() || outer.end - outer.start < MAX_UNNAMED_TEST
}

/// The lines of a function outside of an inner one that declare what the inner one uses, and those that have what is used
/// on its edited lines.
fn taken_places(
    outline: &FileOutline<'_>,
    outer: &FunctionSpan,
    inner: &FunctionSpan,
    edited: &[u32],
) -> BTreeSet<u32> {
    let declared = outline.locals.get_or_init(|| declared_names(outline));
    let Some(known) = declared.get(&outer.head).map(|names| &names.known) else {
        return BTreeSet::new();
    };
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let words = |line: u32| {
        let words = outline.words_at(line).iter();
        words.filter(|word| !matches!(word.how, WordUse::Member | WordUse::Key))
    };
    let taken = |lines: &mut dyn Iterator<Item = u32>| -> HashSet<&str> {
        let all = lines.flat_map(words).map(|word| word.text);
        all.filter(|word| known.contains(word)).collect()
    };
    let inside = number(inner.start)..=number(inner.end);
    let used = taken(&mut inside.clone());
    let changed = taken(&mut edited.iter().copied());
    let is_place = |line: u32, word: &CodeWord<'_>| {
        let declares = || is_declared(outline.language(), place_of(outline.line(line), word));
        changed.contains(word.text) || (used.contains(word.text) && declares())
    };
    let lines = (number(outer.start)..=number(outer.end)).filter(|line| !inside.contains(line));
    lines
        .filter(|&line| words(line).any(|word| is_place(line, word)))
        .collect()
}

impl Gatherer<'_> {
    /// What stands around changed functions that others hold.
    pub(super) fn add_outer_functions(&mut self) {
        let files = self.files;
        for (order, file) in files.iter().enumerate() {
            let Some(text) = file.edited_text() else {
                continue;
            };
            for outer in outer_functions(file, text) {
                for piece in outer.pieces() {
                    let place = FilePlace { order, file, text };
                    self.add_rest(ContextKind::ChangedFunction, place, piece, &outer.function);
                }
            }
        }
    }
}
