//! What can be wrong with a configuration.

use super::source::ValueOrigin;

/// Why a configuration is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("{} is not valid TOML: {message}", origin.place_name())]
    Syntax {
        /// File and line.
        origin: ValueOrigin,
        /// What the parser says.
        message: String,
    },
    /// No such key.
    #[error("unknown key `{key}` ({})", origin.place_name())]
    UnknownKey {
        /// As it was written.
        key: String,
        origin: ValueOrigin,
        /// The key that may have been meant.
        suggestion: Option<String>,
    },
    /// A value where a table belongs.
    #[error("`{key}` is a table, not a value ({})", origin.place_name())]
    NotATable { key: String, origin: ValueOrigin },
    /// A value that the key does not take.
    #[error("`{key}` cannot be {value} ({}); it takes {expected}", origin.place_name())]
    BadValue {
        key: String,
        /// The value as it was written.
        value: String,
        origin: ValueOrigin,
        /// What the key takes.
        expected: String,
    },
    /// A key that this layer may never set.
    #[error("`{key}` may not be set by the repository ({})", origin.place_name())]
    Forbidden { key: String, origin: ValueOrigin },
    /// Values that do not fit together.
    #[error("{message}")]
    Conflict {
        /// What does not fit what.
        message: String,
        /// The next step.
        hint: String,
    },
}

impl ConfigError {
    /// The next steps, one sentence each.
    pub(crate) fn hints(&self) -> Vec<String> {
        match self {
            Self::BadValue { .. } => Vec::new(),
            Self::Syntax { .. } => {
                vec!["correct that line; `git council config --keys` lists what may stand there".to_owned()]
            }
            Self::NotATable { key, .. } => vec![format!("write its keys below a line `[{key}]`")],
            Self::UnknownKey {
                suggestion: Some(key),
                ..
            } => vec![format!("did you mean `{key}`?")],
            Self::UnknownKey { .. } => {
                vec!["`git council config --keys` lists every key".to_owned()]
            }
            Self::Forbidden { .. } => vec![
                "it can start programs, reveal secrets or cost money: set it in your own configuration, \
                 ~/.config/git-council/config.toml or git config --global"
                    .to_owned(),
            ],
            Self::Conflict { hint, .. } => vec![hint.clone()],
        }
    }
}
