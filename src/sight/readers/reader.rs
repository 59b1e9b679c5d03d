//! How files of another kind read a name.

/// One way to read a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sight) enum Reader {
    /// The whole path of a setting, in `${…}` or in quotes.
    Placeholder,
    /// The variable of the environment that a setting is read from.
    Variable,
    /// The field that a class takes from settings: the words of the whole path, part by part.
    Bound(Vec<String>),
}
