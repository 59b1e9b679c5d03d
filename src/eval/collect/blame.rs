//! Whom a fix blames: who brought the lines that it removes, or whom its message names.

use std::collections::{BTreeMap, BTreeSet};

use super::behaviour::{self, is_product_file};
use super::origins::BroughtLine;
use super::telling::{is_code_line, is_product_code, is_telling_line};
use super::{CLEAN_SECONDS, LabelCollector, SHORT, messages};
use crate::eval::labelled::LabelConfidence;
use crate::git::{ChangedLines, MainLineCommit};

/// A fix of more files, or of more telling lines, is more than a fix.
const MAX_FIX_FILES: usize = 10;
const MAX_FIX_LINES: usize = 60;

/// Up to so many removed lines whoever brought them is probably to blame.
const SMALL_FIX_LINES: usize = 12;

/// What a fix adds so many lines beside those of a change mends it, though it removes none of them: a guard.
const GUARDED_LINES: usize = 3;

/// Who is blamed for what.
pub(super) struct Blame {
    pub(super) lines: BTreeSet<(String, u32)>,
    pub(super) confidence: LabelConfidence,
    pub(super) how: String,
    /// The fix that says so, in full.
    pub(super) fix: String,
}

impl Blame {
    /// Places, the reason and how sure it is come from one fix: the surest one, and the first of several.
    fn is_better_than(&self, known: &Self) -> bool {
        match (self.lines.is_empty(), known.lines.is_empty()) {
            (false, true) => self.confidence >= known.confidence,
            (true, false) => false,
            _ => self.confidence > known.confidence,
        }
    }
}

impl LabelCollector {
    /// Who is to blame for what a fix mends, and who is not clean since it adds something beside their lines. One that
    /// changes no behaviour mends nothing: a docstring, a blank, a document.
    pub(super) fn note_fix(&mut self, fix: &MainLineCommit) {
        let code = behaviour::behaving_files(&fix.files);
        self.blame(fix, &code);
        self.note_guards(&code);
    }

    fn note_guards(&mut self, code: &[ChangedLines]) {
        let beside = code
            .iter()
            .flat_map(|file| self.origins.neighbours(file, GUARDED_LINES));
        self.guarded.extend(beside.map(|commit| commit as usize));
    }

    /// Whose lines a commit changes, whatever it says of itself: a mend has many names, and a change may be taken back by
    /// hand.
    pub(super) fn note_removals(&mut self, commit: &MainLineCommit) {
        let code = commit.files.iter().filter(|file| is_product_file(file));
        let origins = code.flat_map(|file| self.removed_code(file, is_code_line));
        let origins = origins.flatten();
        let brought = origins.map(|line| line.commit as usize);
        let is_young = |at: &usize| {
            let seen = self.seen.get(*at);
            seen.is_some_and(|seen| commit.seconds < seen.seconds + CLEAN_SECONDS)
        };
        let touched: Vec<usize> = brought.filter(is_young).collect();
        self.touched.extend(touched);
    }

    /// Who brought the lines that a fix removes.
    fn blame(&mut self, fix: &MainLineCommit, code: &[ChangedLines]) {
        if code.is_empty() || code.len() > MAX_FIX_FILES {
            return;
        }
        let mut culprits: BTreeMap<u32, BTreeSet<(u32, u32)>> = BTreeMap::new();
        let mut removed = 0;
        for file in code {
            // What mends nothing but brackets mends them.
            let spans = file.spans.as_deref().unwrap_or_default();
            let mut lines = spans.iter().flat_map(|span| &span.removed);
            let counts = match lines.any(|line| is_telling_line(line)) {
                true => is_telling_line,
                false => is_code_line,
            };
            for origin in self.removed_code(file, counts) {
                removed += 1;
                if let Some(BroughtLine { commit, file, line }) = origin {
                    culprits.entry(commit).or_default().insert((file, line));
                }
            }
        }
        if removed > MAX_FIX_LINES {
            return;
        }
        let short = &fix.id[..SHORT.min(fix.id.len())];
        let named: Vec<usize> = messages::named_culprits(&fix.message)
            .into_iter()
            .filter_map(|id| Some(self.reverts.named(id)?.change))
            .collect();
        for culprit in &named {
            culprits
                .entry(u32::try_from(*culprit).unwrap_or(u32::MAX))
                .or_default();
        }
        let alone = culprits.len() == 1 && removed <= SMALL_FIX_LINES;
        for (culprit, lines) in culprits {
            let culprit = culprit as usize;
            let (confidence, how) = match named.contains(&culprit) {
                true => (
                    LabelConfidence::High,
                    format!("{short} names it as the cause of what it mends"),
                ),
                false if alone => (
                    LabelConfidence::Medium,
                    format!("{short} mends lines that it brought"),
                ),
                false => (
                    LabelConfidence::Low,
                    format!("{short} mends lines of it and of others"),
                ),
            };
            let lines = self.product_lines(culprit, lines);
            let blame = Blame {
                lines,
                confidence,
                how,
                fix: fix.id.clone(),
            };
            self.accuse(culprit, blame);
        }
    }

    /// Who brought the lines that a file loses, as far as they count.
    fn removed_code<'f>(
        &self,
        file: &'f ChangedLines,
        counts: fn(&str) -> bool,
    ) -> impl Iterator<Item = Option<BroughtLine>> + use<'f> {
        let spans = file.spans.as_deref().unwrap_or_default();
        let origins = self.origins.removed_origins(file);
        let pairs = spans.iter().zip(origins);
        pairs
            .flat_map(|(span, origins)| span.removed.iter().zip(origins))
            .filter(move |(line, _)| counts(line))
            .map(|(_, origin)| origin)
    }

    /// The lines of product code among those of a change, by the paths of their files.
    fn product_lines(&self, change: usize, lines: BTreeSet<(u32, u32)>) -> BTreeSet<(String, u32)> {
        // Its files are numbered as the commit lists them, tests and documents included.
        let files = self.seen.get(change).map(|seen| &seen.files);
        let path_of = |file: u32| Some(files?.get(file as usize)?.path.clone());
        lines
            .into_iter()
            .filter_map(|(file, line)| Some((path_of(file)?, line)))
            .filter(|(path, _)| is_product_code(path))
            .collect()
    }

    fn accuse(&mut self, culprit: usize, found: Blame) {
        if culprit >= self.seen.len() {
            return;
        }
        match self.blamed.get_mut(&culprit) {
            Some(known) if !found.is_better_than(known) => {}
            Some(known) => *known = found,
            None => drop(self.blamed.insert(culprit, found)),
        }
    }
}
