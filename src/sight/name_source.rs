//! What a file says of where one of its names comes from.

use council_protocol::RepoPath;

/// What a file says of one of its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) enum NameSource {
    /// It stands alone, and no import brings it.
    Bare,
    /// The same in a module of a language whose modules share nothing: what no file gives to all of them is the
    /// language's.
    Global,
    /// It stands behind something of which no import speaks.
    Unknown,
    /// It stands behind a value, of which no import speaks: it is no type.
    Value,
    From(ImportedFrom),
    /// It stands behind a value that what is imported made.
    Made(ImportedFrom),
    /// It stands behind a value that a function of this file's package returned, at this place of what it returns.
    Returned(RepoPath, String, usize),
    /// It stands behind a type of this file, or behind the value whose method is running.
    Member(RepoPath, String),
}

/// A name as an import brings it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::sight) struct ImportedFrom {
    /// The file that imports it.
    pub(in crate::sight) file: RepoPath,
    /// The module as the file spells it.
    pub(in crate::sight) module: String,
    /// The names that lead from the module to it, its own at the end; none: it is the module.
    pub(in crate::sight) steps: Vec<String>,
}
