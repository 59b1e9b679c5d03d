//! Tests that are found by their names alone: `test_rates.py` tests `rates.py`, whatever it calls of it.

use std::collections::{HashMap, HashSet};

use council_protocol::RepoPath;

use super::super::candidates::ChangedFile;
use super::super::search::{FileHits, FileOutline};
use super::super::wanted::NameReason;
use super::test_imports::imported_by;
use super::test_names::TestNames;
use super::{Gatherer, is_worth_showing};
use crate::prompt::ContextKind;

/// How many tests of one changed file are shown for their name.
const MAX_TESTS: usize = 2;

/// How many lines of each.
const TEST_LINES: u32 = 60;

impl Gatherer<'_> {
    /// What tests of the changed files are, of which no other block shows anything.
    pub(super) fn add_named_tests<'f, 't: 'f>(
        &mut self,
        files: impl Iterator<Item = (usize, &'f FileHits, &'f FileOutline<'t>)>,
    ) {
        let names = TestNames::of(self.files);
        let changed: HashSet<&RepoPath> = self.files.iter().map(ChangedFile::path).collect();
        let shown = self.found.get(&ContextKind::Test).into_iter().flatten();
        let shown: HashSet<RepoPath> = shown.map(|one| one.block.path.clone()).collect();
        let mut counts: HashMap<&RepoPath, usize> = HashMap::new();
        let files: Vec<_> = files.collect();
        for &(order, file, outline) in &files {
            let Some(tested) = names.tested_by(&file.path) else {
                continue;
            };
            let count = counts.entry(tested).or_default();
            *count += 1;
            let is_new = !changed.contains(&file.path) && !shown.contains(&file.path);
            if *count <= MAX_TESTS && is_new {
                let note = format!("by its name a test of `{}`", tested.display());
                self.add_test((order, tested), note, file, outline);
            }
        }
        self.add_importing_tests(&files);
    }

    /// Of each changed file that no test is shown of one that imports it: it may reach it through what it starts.
    fn add_importing_tests(&mut self, files: &[(usize, &FileHits, &FileOutline<'_>)]) {
        let all = self.files;
        let changed: HashSet<&RepoPath> = all.iter().map(ChangedFile::path).collect();
        for &(order, file, outline) in files {
            let tested = imported_by(all, (&file.path, &file.text));
            let Some(tested) = tested.filter(|_| !changed.contains(&file.path)) else {
                continue;
            };
            let shown = self.found.get(&ContextKind::Test).into_iter().flatten();
            let mut shown = shown.map(|one| &one.block);
            if !shown.any(|block| block.about == *tested || block.path == file.path) {
                let note = format!("a test that imports `{}`", tested.display());
                self.add_test((order, tested), note, file, outline);
            }
        }
    }

    fn add_test(
        &mut self,
        (order, tested): (usize, &RepoPath),
        note: String,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) {
        let mut from = self.first_telling_line(tested, outline);
        let end = outline.last_line().min(from.saturating_add(TEST_LINES - 1));
        while let Some((start, last)) = self.shown.next_gap(&file.path, from, end) {
            from = last + 1;
            if is_worth_showing(&file.text, start, last) {
                let note = note.clone();
                let mut block = self.lines_block(ContextKind::Test, file, (start, last), note);
                block.about = tested.clone();
                self.push((NameReason::Around, order, start), block);
            }
        }
    }

    /// Where the first function begins that uses something of the tested file; else the first line.
    fn first_telling_line(&self, tested: &RepoPath, outline: &FileOutline<'_>) -> u32 {
        let file = self.files.iter().find(|file| file.path() == tested);
        let text = file.and_then(|file| file.new.as_ref());
        let Some(text) = text.filter(|_| outline.last_line() > TEST_LINES) else {
            return 1;
        };
        let tested = FileOutline::of(tested, text);
        let defined: HashSet<&str> = tested
            .definitions
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        let is_telling = |line: &u32| {
            let mut words = outline.words_at(*line).iter();
            words.any(|word| defined.contains(word.text))
        };
        let spans = (1..=outline.last_line()).filter(is_telling);
        let start = spans.filter_map(|line| outline.function_span(line)).next();
        start.map_or(1, |span| u32::try_from(span.start).unwrap_or(1))
    }
}
