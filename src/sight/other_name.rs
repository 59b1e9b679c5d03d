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
}

/// A file whose only export the change edits: whoever imports it chooses a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DefaultExport {
    pub(super) home: RepoPath,
    /// What the file calls it.
    pub(super) of: String,
}
