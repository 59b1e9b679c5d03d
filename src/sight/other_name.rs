//! What a name stands for that is another name of what a change edits.

use council_protocol::RepoPath;

/// What a name is another name of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alias {
    /// The name that the change edits.
    pub(super) of: String,
    /// Whether other files may have it from the one that gives the name.
    pub(super) is_exported: bool,
    /// Whether it is a table that holds it, or of C the field of one.
    pub(super) is_table: bool,
    /// The functions that have it as a variable, where only they do.
    pub(super) scopes: Vec<AliasScope>,
}

/// The lines of a function in which a name is another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AliasScope {
    pub(super) path: RepoPath,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Alias {
    /// Whether it is another name on a line.
    pub(super) fn holds(&self, path: &RepoPath, line: u32) -> bool {
        let mut scopes = self.scopes.iter();
        self.scopes.is_empty()
            || scopes.any(|one| one.path == *path && (one.first..=one.last).contains(&line))
    }

    /// Takes what another place says of the same name.
    pub(super) fn extend(&mut self, other: Self) {
        match self.scopes.is_empty() || other.scopes.is_empty() {
            true => self.scopes.clear(),
            false => self.scopes.extend(other.scopes),
        }
    }
}

/// A file whose only export the change edits: whoever imports it chooses a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DefaultExport {
    pub(super) home: RepoPath,
    /// What the file calls it.
    pub(super) of: String,
}

/// What an outlet leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Inner {
    /// The name that the change edits.
    pub(super) text: String,
    /// Whether others may have it without the outlet.
    pub(super) is_open: bool,
}
