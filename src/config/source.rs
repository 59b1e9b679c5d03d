//! Where values come from, and how far each source is trusted.

use serde::{Deserialize, Serialize};

use std::fmt;

/// How far a source is trusted, least first. A key names the least trust that may set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceTrust {
    /// Whoever made the checkout: its files may be part of the change under review, its `.git/config` may have come
    /// out of an archive.
    Checkout,
    /// The repository's trusted branch, read by object id: what its maintainers have merged.
    Repository,
    /// The person at the machine, or who runs the job.
    User,
}

impl fmt::Display for SourceTrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Checkout => "anyone",
            Self::Repository => "trusted branch",
            Self::User => "user",
        })
    }
}

/// A layer's kind, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LayerSource {
    /// What the program does by itself.
    BuiltIn,
    /// `council.toml` of the trusted branch, read by object id.
    Repository,
    /// `council.toml` of the worktree.
    Worktree,
    /// `council.*` of `.git/config`, with the worktree's rights.
    GitLocal,
    /// `/etc/git-council/config.toml`.
    System,
    /// `$XDG_CONFIG_HOME/git-council/config.toml`.
    User,
    /// `council.*` of git's system and global configuration.
    Git,
    /// `COUNCIL_…`.
    Environment,
    /// The command line.
    Flag,
}

impl LayerSource {
    /// How far it is trusted.
    pub(crate) fn trust(self) -> SourceTrust {
        match self {
            Self::Worktree | Self::GitLocal => SourceTrust::Checkout,
            Self::Repository => SourceTrust::Repository,
            Self::BuiltIn
            | Self::System
            | Self::User
            | Self::Git
            | Self::Environment
            | Self::Flag => SourceTrust::User,
        }
    }

    /// The name in `git council config --show-origin`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::Repository => "repository",
            Self::Worktree => "worktree",
            Self::GitLocal => "git-local",
            Self::System => "system",
            Self::User => "user",
            Self::Git => "git",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// Where one value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ValueOrigin {
    /// The layer's kind.
    pub source: LayerSource,
    /// File and line, variable, or flag; empty for built-in values. Untrusted text where it is a path.
    pub place: String,
}

impl ValueOrigin {
    /// The place for a message: the layer's name where there is no place.
    pub(crate) fn place_name(&self) -> &str {
        match self.place.as_str() {
            "" => self.source.name(),
            place => place,
        }
    }
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => f.write_str(self.source.name()),
            place => write!(f, "{}:{place}", self.source.name()),
        }
    }
}

/// One layer, as `cli` has read it.
#[derive(Debug, Clone)]
pub(crate) enum ConfigLayer {
    /// A TOML file.
    File {
        source: LayerSource,
        /// Its name for messages: a path, or `<commit>:council.toml`.
        name: String,
        text: String,
    },
    /// Keys and values as strings: git configuration, environment, flags.
    Pairs {
        source: LayerSource,
        /// In the order in which they were given; the last of a key wins.
        pairs: Vec<KeyValue>,
    },
}

impl ConfigLayer {
    pub(crate) fn source(&self) -> LayerSource {
        match self {
            Self::File { source, .. } | Self::Pairs { source, .. } => *source,
        }
    }
}

/// One key with its value as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyValue {
    /// The dotted key, e.g. `review.quorum`; git configuration may leave `review.` out.
    pub key: String,
    /// The value; a list is separated by commas.
    pub value: String,
    /// What to call its place: `COUNCIL_TIMEOUT`, `--quorum`, `council.review.quorum`.
    pub place: String,
}

impl KeyValue {
    pub(crate) fn new(
        key: impl Into<String>,
        value: impl Into<String>,
        place: impl Into<String>,
    ) -> Self {
        Self {
            key: key.into(),
            value: value.into(),
            place: place.into(),
        }
    }
}
