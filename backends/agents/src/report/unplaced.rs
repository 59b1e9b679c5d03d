//! What a tool says that is no finding and must not be passed over: results without a place, files that it did not read.

use council_protocol::{Severity, Vote};

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

    /// The same of files that were not read, or not as a whole.
    pub(super) fn describe_unread(&self) -> String {
        match (&self.worst, self.count) {
            (None, _) => String::new(),
            (Some((_, text)), 1) => format!("It did not read everything: {text} "),
            (Some((_, text)), n) => {
                format!("It did not read everything, as it says {n} times, first: {text} ")
            }
        }
    }
}
