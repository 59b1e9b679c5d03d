//! One key of the configuration, and the path under which it is written.

use std::fmt;

use super::checkout::CheckoutRule;
use super::keys::KEYS;
use super::kind::ValueKind;
use super::source::SourceTrust;

/// What happens when several layers set a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeRule {
    /// The strongest layer's value counts.
    Replace,
    /// Every layer's values count, weakest layer first (the last matching glob decides, as in gitignore).
    Append,
}

/// One row of [`KEYS`].
#[derive(Debug)]
pub struct ConfigKey {
    /// Dotted; `*` stands for a name that the configuration chooses.
    pub name: &'static str,
    /// What values it takes.
    pub kind: ValueKind,
    /// The built-in value as it would be written in a file; none: unset.
    pub default: Option<&'static str>,
    /// The least trust that may set it.
    pub needs: SourceTrust,
    /// What a checkout may say of it all the same.
    pub checkout: CheckoutRule,
    /// How layers combine.
    pub merge: MergeRule,
    /// What it does: one sentence or two, Markdown.
    pub doc: &'static str,
}

impl ConfigKey {
    /// The key that `path` is written for.
    pub fn find(path: &KeyPath) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.covers_path(path))
    }

    /// The dotted name's parts.
    pub fn segments(&self) -> impl Iterator<Item = &'static str> {
        self.name.split('.')
    }

    fn covers_path(&self, path: &KeyPath) -> bool {
        let mut segments = self.segments();
        let mut fits = |part: &String| segments.next().is_some_and(|one| one == "*" || one == part);
        path.0.iter().all(&mut fits) && segments.next().is_none()
    }
}

/// A concrete key, e.g. `agents.claude.model`; a chosen name may have dots in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPath(pub Vec<String>);

impl KeyPath {
    /// Reads a dotted key: the table's first and last parts are fixed, what lies between is a chosen name.
    pub fn parse(dotted: &str) -> Self {
        let parts: Vec<&str> = dotted.split('.').collect();
        let table = parts[0];
        let longest = KEYS
            .iter()
            .filter(|key| is_below(key.name, table))
            .map(|key| key.segments().count())
            .max();
        let owned = |parts: &[&str]| parts.iter().map(|&p| p.to_owned()).collect();
        match (longest, parts.as_slice()) {
            (Some(2), [first, rest @ ..]) if rest.len() > 1 => {
                Self(owned(&[first, &rest.join(".")]))
            }
            (Some(3), [first, middle @ .., last]) if middle.len() > 1 => {
                Self(owned(&[first, &middle.join("."), last]))
            }
            (_, parts) => Self(owned(parts)),
        }
    }

    /// This path one level deeper.
    pub fn join(&self, part: &str) -> Self {
        Self(self.0.iter().cloned().chain([part.to_owned()]).collect())
    }
}

/// Whether a dotted name begins with this part.
fn is_below(name: &str, first: &str) -> bool {
    let rest = name.strip_prefix(first);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Written as TOML would have it: parts that are not bare keys are quoted.
impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.0.iter().enumerate() {
            let dot = if i > 0 { "." } else { "" };
            let bare = !part.is_empty()
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
            if bare {
                write!(f, "{dot}{part}")?
            } else {
                write!(f, "{dot}{part:?}")?
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_names_may_have_dots() {
        let name = |dotted: &str| ConfigKey::find(&KeyPath::parse(dotted)).map(|k| k.name);
        assert_eq!(name("review.quorum"), Some("review.quorum"));
        assert_eq!(
            name("agents.my.own.agent.command"),
            Some("agents.*.command")
        );
        assert_eq!(name("rules.secrets.aws"), Some("rules.*"));
        assert_eq!(name("review"), None);
        assert_eq!(
            KeyPath::parse("agents.a.b.model").to_string(),
            r#"agents."a.b".model"#
        );
    }
}
