//! Which lines of the new side a change edits: the functions that hold them are the ones that it edits.

use std::collections::BTreeSet;

use council_protocol::FileChange;
use council_syntax::language::Language;
use council_syntax::outline::{self, FunctionSpan};

use super::candidates::ChangedFile;

/// Removed lines, and those beside them that both sides have, by their numbers before and after the change.
struct RemovedRun {
    first: u32,
    last: u32,
    beside: Vec<(u32, u32)>,
}

/// Added lines, and beside removed ones a line of what they were taken from. What is put or taken behind a function's
/// last line is none of its own.
pub(super) fn edited_lines(file: &ChangedFile<'_>) -> Vec<u32> {
    let mut found: BTreeSet<u32> = file.added.iter().copied().collect();
    let runs = removed_runs(file.file);
    if !runs.is_empty() {
        let sides = file.sides().map(|(path, text, _)| {
            let language = Language::from_path(&path.display());
            let text = text.as_deref();
            text.map(|text| outline::functions(language, text))
        });
        found.extend(runs.iter().filter_map(|run| run.kept_line(&sides)));
    }
    found.into_iter().collect()
}

fn removed_runs(file: &FileChange) -> Vec<RemovedRun> {
    let mut runs = Vec::new();
    for hunk in &file.hunks {
        let (mut above, mut open) = (None, None::<RemovedRun>);
        for line in hunk.lines() {
            match (line.old_no, line.new_no) {
                (Some(old), Some(new)) => {
                    above = Some((old, new));
                    let ended = open.take().into_iter();
                    runs.extend(ended.map(|run| run.ended_by((old, new))));
                }
                (Some(old), None) => {
                    let run = open.get_or_insert_with(|| RemovedRun {
                        first: old,
                        last: old,
                        beside: above.into_iter().collect(),
                    });
                    run.last = old;
                }
                _ => {}
            }
        }
        runs.extend(open);
    }
    runs
}

impl RemovedRun {
    fn ended_by(mut self, below: (u32, u32)) -> Self {
        self.beside.insert(0, below);
        self
    }

    /// A line of the new side in a function that lost some of these lines.
    fn kept_line(&self, sides: &[Option<Vec<FunctionSpan>>; 2]) -> Option<u32> {
        let [Some(before), Some(now)] = sides else {
            return self.beside.first().map(|(_, new)| *new);
        };
        let smallest = |functions: &[FunctionSpan], line: u32| {
            outline::enclosing(functions, line as usize).cloned()
        };
        let is_inner = |(old, new): &&(u32, u32)| {
            let (was, is) = (smallest(before, *old), smallest(now, *new));
            let (was, is) = (was.as_ref(), is.as_ref());
            was.is_some_and(|was| self.is_of(was) && is.is_some_and(|is| is.name == was.name))
        };
        let is_outer = |(old, new): &&(u32, u32)| {
            let lost = before
                .iter()
                .filter(|one| one.contains(*old as usize) && self.is_of(one));
            let is_kept = |was: &FunctionSpan| {
                let mut around = now.iter().filter(|one| one.contains(*new as usize));
                around.any(|one| one.name == was.name)
            };
            lost.into_iter().any(is_kept)
        };
        let mut beside = self.beside.iter();
        let kept = beside
            .find(is_inner)
            .or_else(|| self.beside.iter().find(is_outer));
        kept.map(|(_, new)| *new)
    }

    fn is_of(&self, function: &FunctionSpan) -> bool {
        let (first, last) = (self.first as usize, self.last as usize);
        function.start <= last && first <= function.end
    }
}
