//! What a tool says that is no finding and must not be passed over: results without a place, files that it did not read.

use std::collections::BTreeSet;

use council_protocol::{FileChange, RepoPath, Severity, Vote};

use super::ToolHit;

/// Results without a place that there is, or words about files that were not read. They may be about the change or not; a
/// tool that reports an error must not come out green: a WARN of a tool is outvoted where models sit, a FAIL without a
/// finding is a warning everywhere.
#[derive(Default)]
pub(super) struct Unplaced {
    count: usize,
    /// The first sentence among the worst.
    worst: Option<(Severity, String)>,
}

impl Unplaced {
    pub(super) fn count_hit(&mut self, hit: &ToolHit) {
        self.count += 1;
        let is_worst = |(worst, _): &(Severity, String)| hit.severity > *worst;
        if self.worst.as_ref().is_none_or(is_worst) {
            let place = match (hit.path.as_str(), hit.line) {
                ("", _) => String::new(),
                (path, 0) => format!("{path}: "),
                (path, line) => format!("{path}:{line}: "),
            };
            self.worst = Some((hit.severity, place + &hit.message));
        }
    }

    pub(super) fn vote(&self) -> Vote {
        match self.worst {
            Some((Severity::Critical, _)) => Vote::Fail,
            Some((Severity::Significant, _)) => Vote::Warn,
            _ => Vote::Pass,
        }
    }

    pub(super) fn describe(&self) -> String {
        match (&self.worst, self.count) {
            (None, _) => String::new(),
            (Some((_, text)), 1) => format!("One result cannot be placed: {text} "),
            (Some((_, text)), n) => format!("{n} results cannot be placed, the worst: {text} "),
        }
    }
}

/// What a tool says of files that it did not read, or not as a whole.
#[derive(Default)]
pub(super) struct UnreadFiles {
    pub(super) told: Unplaced,
    /// The changed files that it may speak of.
    pub(super) files: BTreeSet<RepoPath>,
}

impl UnreadFiles {
    /// Counts what it says of a file; of one that is not known it may be any of the changed ones.
    pub(super) fn count_trouble(
        &mut self,
        hit: &ToolHit,
        file: Option<&RepoPath>,
        changes: &[FileChange],
    ) {
        self.told.count_hit(hit);
        match file {
            Some(path) => _ = self.files.insert(path.clone()),
            None => self
                .files
                .extend(changes.iter().map(|change| change.path.clone())),
        }
    }

    pub(super) fn describe(&self) -> String {
        match (&self.told.worst, self.told.count) {
            (None, _) => String::new(),
            (Some((_, text)), 1) => format!("It did not read everything: {text} "),
            (Some((_, text)), n) => {
                format!("It did not read everything, as it says {n} times, first: {text} ")
            }
        }
    }
}
