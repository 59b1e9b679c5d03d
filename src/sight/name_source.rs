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
    /// It stands behind a value of an imported type that was handed a function: one from outside may give what that gives.
    Handed(ImportedFrom),
    /// It stands behind a type of this file, or behind the value whose method is running.
    Member(RepoPath, String),
}

impl NameSource {
    /// The same where a function was handed to what is imported.
    pub(in crate::sight) fn handed(self) -> Self {
        match self {
            Self::From(from) => Self::Handed(from),
            other => other,
        }
    }
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

/// The constant that a name from outside ends with, and what stands before it: `settings.PAGE_SIZE`.
pub(in crate::sight) fn handed_constant(from: &ImportedFrom) -> Option<(&str, &str)> {
    let [.., holder, name] = from.steps.as_slice() else {
        return None;
    };
    let is_constant = name.len() > 2 && !name.contains(|c: char| c.is_lowercase());
    is_constant.then_some((holder, name))
}

/// Whether a file is called so, or lies in a folder that is: `settings.py`, `settings/base.py`.
pub(in crate::sight) fn is_known_as(path: &str, word: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = folder.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or(name);
    word == stem || (word == parent && !word.is_empty())
}
