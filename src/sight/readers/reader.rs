//! How files of another kind read a name.

use council_protocol::RepoPath;

/// A key that a change takes from an answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) struct AnswerKey {
    /// The file that gave it.
    pub(in crate::sight) home: RepoPath,
    /// Whether it is written out where the answer is made, and is no field of a type.
    pub(in crate::sight) is_literal: bool,
}

/// One way to read a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) enum Reader {
    /// The whole path of a setting, in `${…}` or in quotes.
    Placeholder,
    /// The variable of the environment that a setting is read from.
    Variable,
    /// The field that a class takes from settings: the words of the whole path, part by part.
    Bound(Vec<String>),
    /// As a member, or in quotes.
    Answer(AnswerKey),
    /// As a value that a page shows.
    PageValue,
    /// As a route of which a page makes an address.
    PageRoute,
    /// As an attribute of this component's tags.
    Attribute(RepoPath),
}
