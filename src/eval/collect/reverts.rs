//! Which commit another one takes back.

use std::collections::BTreeSet;

use super::{LabelCollector, SeenCommit, is_product_file, messages};
use crate::git::MainLineCommit;

impl LabelCollector {
    pub(super) fn note_revert(&mut self, at: usize, commit: &MainLineCommit) {
        let ids = messages::reverted_commits(&commit.message).into_iter();
        let mut taken_back: Vec<usize> = ids.filter_map(|id| self.named(id)).collect();
        // The id may stand in a branch that was merged, or nowhere.
        if taken_back.is_empty() {
            taken_back.extend(self.retitled_revert(commit));
        }
        for taken_back in taken_back {
            // Who takes back a revert says that the first change was right.
            self.reverted.retain(|_, by| *by != taken_back);
            self.reverted.insert(taken_back, at);
        }
    }

    /// The commit that another one takes back by the number of its request, or else the last one of its title: its lines
    /// are among those that are taken out, or it brought none.
    fn retitled_revert(&self, commit: &MainLineCommit) -> Option<usize> {
        let title = messages::reverted_title(&commit.message)?;
        let request = messages::reverted_request(&commit.message);
        let code = commit.files.iter().filter(|file| is_product_file(file));
        let origins = code.flat_map(|file| self.origins.removed_origins(file));
        let origins = origins.flatten().flatten().map(|line| line.commit as usize);
        let taken_out: BTreeSet<usize> = origins.collect();
        let is_taken_out = |at: usize| taken_out.contains(&at) || self.seen[at].code_lines == 0;
        let last = |is_it: &dyn Fn(&SeenCommit) -> bool| {
            let found = self.seen.iter().enumerate().rev();
            let mut found = found.filter(|(at, seen)| is_it(seen) && is_taken_out(*at));
            found.next().map(|(at, _)| at)
        };
        let by_number = request.and_then(|number| last(&|seen| seen.request == Some(number)));
        by_number.or_else(|| last(&|seen| seen.title == title))
    }
}
