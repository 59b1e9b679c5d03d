//! Which change another one takes back: named by its own id or by those of all commits that it brought, by its title or by
//! the number of its request.

use std::collections::{BTreeMap, BTreeSet};

use super::behaviour::{self, is_product_file};
use super::{LabelCollector, SHORT, SeenCommit, messages};
use crate::eval::labelled::{LabelConfidence, LabelSet, LabelledChange};
use crate::git::MainLineCommit;

/// What a message may name: a change of the main line, or a commit that it brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RevertUnit {
    /// The change's number in the walk.
    pub(super) change: usize,
    /// The number of the brought commit; none: the change itself.
    part: Option<usize>,
}

impl RevertUnit {
    fn whole(change: usize) -> Self {
        Self { change, part: None }
    }
}

/// Who took back what, in the order of the walk.
#[derive(Debug, Default)]
pub(super) struct RevertLedger {
    /// In order, so that an abbreviated id is found.
    ids: BTreeMap<String, RevertUnit>,
    /// Of each change the commits that it brought, without merges, and without those that its own branch took back.
    parts: Vec<BTreeSet<usize>>,
    takers: BTreeMap<RevertUnit, BTreeSet<RevertUnit>>,
    /// The changes that take something back and change no behaviour by that: documents, comments.
    idle: BTreeSet<usize>,
}

/// What became of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ChangeFate {
    /// The changes that took it back as a whole; none: it stands.
    by: BTreeSet<usize>,
    /// Whether they did so commit by commit.
    is_by_parts: bool,
    /// Which of its commits were taken back.
    parts: BTreeSet<usize>,
}

impl ChangeFate {
    /// Whether any of it was taken back.
    pub(super) fn is_touched(&self) -> bool {
        !self.by.is_empty() || !self.parts.is_empty()
    }

    fn is_taken_back(&self, unit: RevertUnit) -> bool {
        !self.by.is_empty() || unit.part.is_some_and(|part| self.parts.contains(&part))
    }
}

impl RevertLedger {
    fn add_change(&mut self, commit: &MainLineCommit) {
        let change = self.parts.len();
        self.ids
            .insert(commit.id.clone(), RevertUnit::whole(change));
        let mut parts = BTreeSet::new();
        for (part, brought) in commit.brought.iter().enumerate() {
            let unit = RevertUnit {
                change,
                part: Some(part),
            };
            self.ids.insert(brought.id.clone(), unit);
            parts.extend((!brought.is_merge).then_some(part));
        }
        self.parts.push(parts);
    }

    /// What an id names, abbreviated or not; none where it might be one of two.
    pub(super) fn named(&self, id: &str) -> Option<RevertUnit> {
        let id = id.to_ascii_lowercase();
        let mut like = self.ids.range(id.clone()..);
        let (first, unit) = like.next().filter(|(known, _)| known.starts_with(&id))?;
        let is_unclear = like.next().is_some_and(|(known, _)| known.starts_with(&id));
        (*first == id || !is_unclear).then_some(*unit)
    }

    /// The change of the main line that has this id itself.
    pub(super) fn change_of(&self, id: &str) -> Option<usize> {
        let unit = self.ids.get(id).filter(|unit| unit.part.is_none());
        unit.map(|unit| unit.change)
    }

    fn take_back(&mut self, taken: RevertUnit, by: RevertUnit) {
        if taken.change != by.change {
            self.takers.entry(taken).or_default().insert(by);
            return;
        }
        // Neither is left of what the branch brought.
        let of_branch = [taken.part, by.part].into_iter().flatten();
        for part in of_branch {
            self.parts[taken.change].remove(&part);
        }
    }

    /// Whether what these changes take back behaved.
    fn took_behaviour(&self, by: &BTreeSet<usize>) -> bool {
        by.iter().any(|by| !self.idle.contains(by))
    }

    /// What became of each change in the end: who takes back a revert says that the first change was right.
    pub(super) fn fates(&self) -> Vec<ChangeFate> {
        let mut fates = vec![ChangeFate::default(); self.parts.len()];
        // A revert is younger than what it takes back: whether it stands is known by then.
        for change in (0..fates.len()).rev() {
            fates[change] = self.fate_of(change, &fates);
        }
        fates
    }

    fn fate_of(&self, change: usize, fates: &[ChangeFate]) -> ChangeFate {
        let mut fate = ChangeFate::default();
        let mut by_parts = BTreeSet::new();
        let units = RevertUnit::whole(change)..RevertUnit::whole(change + 1);
        for (unit, takers) in self.takers.range(units) {
            let mut standing = takers
                .iter()
                .filter(|by| !fates[by.change].is_taken_back(**by))
                .map(|by| by.change)
                .peekable();
            match unit.part {
                None => fate.by.extend(standing),
                Some(part) => {
                    fate.parts.extend(standing.peek().map(|_| part));
                    by_parts.extend(standing);
                }
            }
        }
        let needed = &self.parts[change];
        if fate.by.is_empty() && !needed.is_empty() && needed.is_subset(&fate.parts) {
            (fate.by, fate.is_by_parts) = (by_parts, true);
        }
        fate
    }
}

impl LabelCollector {
    /// Takes note of what a change is, and of what it takes back, on the main line or in the branch that it merges.
    pub(super) fn note_reverts(&mut self, change: usize, commit: &MainLineCommit) {
        self.reverts.add_change(commit);
        let mut takes = false;
        for (part, brought) in commit.brought.iter().enumerate() {
            let by = RevertUnit {
                change,
                part: Some(part),
            };
            takes |= self.note_revert(by, &brought.message);
        }
        takes |= self.note_own_revert(RevertUnit::whole(change), commit);
        if takes && behaviour::behaving_files(&commit.files).is_empty() {
            self.reverts.idle.insert(change);
        }
    }

    /// Whether a change of the main line names what it takes back itself. The id may stand in a branch that was merged
    /// otherwise, or nowhere.
    fn note_own_revert(&mut self, by: RevertUnit, commit: &MainLineCommit) -> bool {
        if self.note_revert(by, &commit.message) {
            return true;
        }
        let taken = self.retitled_revert(commit);
        if let Some(taken) = taken {
            self.reverts.take_back(RevertUnit::whole(taken), by);
        }
        taken.is_some()
    }

    /// Whether a message names what its commit takes back.
    fn note_revert(&mut self, by: RevertUnit, message: &str) -> bool {
        let ids = messages::reverted_commits(message).into_iter();
        let taken: Vec<RevertUnit> = ids.filter_map(|id| self.reverts.named(id)).collect();
        for taken in &taken {
            self.reverts.take_back(*taken, by);
        }
        !taken.is_empty()
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

    pub(super) fn reverted_changes(&self, fates: &[ChangeFate]) -> Vec<LabelledChange> {
        let reverted = fates.iter().enumerate().filter_map(|(at, fate)| {
            let last = *fate.by.last()?;
            let is_code = self.seen[at].code_lines > 0 && self.reverts.took_behaviour(&fate.by);
            is_code.then(|| self.reverted_change(at, fate, last))
        });
        reverted.collect()
    }

    fn reverted_change(&self, at: usize, fate: &ChangeFate, last: usize) -> LabelledChange {
        let whole = &self.seen[last].id;
        let last = &whole[..SHORT.min(whole.len())];
        let how = match (fate.is_by_parts, fate.by.len()) {
            (false, _) => format!("{last} reverts it"),
            (true, 1) => format!("{last} reverts all of its commits"),
            (true, _) => {
                format!("{last} reverts the last of its commits, and earlier ones the others")
            }
        };
        LabelledChange {
            confidence: LabelConfidence::High,
            how,
            mended_by: Some(whole.clone()),
            ..self.item(LabelSet::Reverts, at)
        }
    }
}

#[cfg(test)]
#[path = "reverts_tests.rs"]
mod tests;
