//! The change as it is reviewed now, as far as what an earlier review left open depends on it.

use council_protocol::answer::Evidence;
use council_protocol::{FileChange, Finding, RepoPath};

use crate::council::Dismissal;
use crate::council::outcome::JudgedFinding;

/// A file of the reviewed side, for the search of a quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReviewedText {
    /// It is not there any more.
    Gone,
    Text(String),
    /// It could not be read.
    Unreadable,
}

/// The change as it is reviewed now.
pub(crate) struct ReviewedSide<'a> {
    /// The files that are changed, whether anybody judges them or not.
    pub(crate) files: Vec<RepoPath>,
    /// What the change does to those of them that are judged.
    pub(crate) changes: &'a [FileChange],
    /// Whether a file is judged this time.
    pub(crate) is_judged: &'a dyn Fn(&RepoPath) -> bool,
    pub(crate) read: &'a dyn Fn(&RepoPath) -> ReviewedText,
    /// A file as it was before the change.
    pub(crate) read_before: &'a dyn Fn(&RepoPath) -> ReviewedText,
    /// The line of a file at which a finding's quote is found as evidence is: judges quote in many forms, and what they were
    /// shown in a secret's place.
    pub(crate) prove: &'a dyn Fn(&RepoPath, &Finding) -> Option<u32>,
    /// Whether what somebody cited against a finding, or for it, is there.
    pub(crate) cites: &'a dyn Fn(&Evidence) -> bool,
    /// What was dismissed until now.
    pub(crate) dismissed: &'a [Dismissal],
    /// What a finding is called by the lines around it now, where these are others than they were.
    pub(crate) name_now: &'a dyn Fn(&JudgedFinding) -> Option<String>,
    /// Whether what stands around the quote of a finding at a line of a file, and the function there, are those that the finding
    /// is named by, wherever its own file is now: of code that stands there twice, only one place is its own.
    pub(crate) is_named_at: &'a dyn Fn(&JudgedFinding, &RepoPath, u32) -> bool,
    /// Whether a rule of the program looks for such a finding in every file that is judged, and what it finds is told. A tool may
    /// have failed.
    pub(crate) is_looked_for: &'a dyn Fn(&Finding) -> bool,
    /// Whether rules read a file that no judge is shown again.
    pub(crate) is_read_by_rules: &'a dyn Fn(&RepoPath) -> bool,
    /// Whether only a part of the change is reviewed: a file that is not listed may be changed all the same.
    pub(crate) is_part: bool,
}

impl ReviewedSide<'_> {
    /// Whether somebody looks for a finding in its file this time.
    pub(super) fn is_judged_for(&self, finding: &Finding) -> bool {
        let path = &finding.location.path;
        let by_rules = || (self.is_looked_for)(finding) && (self.is_read_by_rules)(path);
        (self.is_judged)(path) || by_rules()
    }
}
