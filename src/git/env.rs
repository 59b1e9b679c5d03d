//! The variables of the process that git's conventions name, handed in by whoever may read them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What the process's environment says about git.
///
/// Only `src/cli` reads the environment; this room is given what it may use: `GIT_*`, and what git needs to find its
/// own configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitEnvironment {
    vars: Vec<(OsString, OsString)>,
}

/// Names that git needs beside its own, to find itself and the user's configuration.
const COMMON: [&str; 6] = [
    "HOME",
    "XDG_CONFIG_HOME",
    "PATH",
    "USERPROFILE",
    "SYSTEMROOT",
    "SUDO_UID",
];

/// Names that the programs need by which git signs.
const SIGNING: [&str; 3] = ["SSH_AUTH_SOCK", "GNUPGHOME", "GPG_TTY"];

/// Variables that belong to one repository (`git rev-parse --local-env-vars`): a hook must not hand them to another.
pub const LOCAL_VARIABLES: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_QUARANTINE_PATH",
    "GIT_INTERNAL_SUPER_PREFIX",
];

/// Whether a variable belongs to one repository, so that a hook must drop it.
pub fn is_local(name: &OsStr) -> bool {
    LOCAL_VARIABLES.iter().any(|local| name == *local)
}

impl GitEnvironment {
    /// Keeps what git's conventions name.
    pub fn from_vars(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let wanted = |name: &OsStr| {
            let name = name.to_string_lossy();
            name.starts_with("GIT_")
                || COMMON.contains(&name.as_ref())
                || SIGNING.contains(&name.as_ref())
        };
        Self {
            vars: vars.into_iter().filter(|(name, _)| wanted(name)).collect(),
        }
    }

    /// The value of a variable; an empty one counts as unset, as in git.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let found = self.vars.iter().find(|(n, _)| n == name);
        found
            .map(|(_, value)| value.as_os_str())
            .filter(|value| !value.is_empty())
    }

    /// Whether a variable is set to what git takes for true.
    pub(super) fn is_true(&self, name: &str) -> bool {
        let value = self
            .get(name)
            .map(|value| value.to_string_lossy().to_ascii_lowercase());
        value.is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no" | "off"))
    }

    /// A path from a variable, relative ones from `dir`.
    pub(super) fn path_from(&self, name: &str, dir: &Path) -> Option<PathBuf> {
        self.get(name).map(|value| dir.join(value))
    }

    /// Without what names one repository.
    pub(super) fn for_other_repository(&self) -> Self {
        let kept = self.vars.iter().filter(|(name, _)| !is_local(name));
        Self {
            vars: kept.cloned().collect(),
        }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars
            .iter()
            .map(|(n, v)| (n.as_os_str(), v.as_os_str()))
    }

    /// Those variables by which git finds its configuration.
    pub(super) fn configuration_vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let wanted = |name: &OsStr| {
            let name = name.to_string_lossy();
            name.starts_with("GIT_CONFIG") || COMMON.contains(&name.as_ref())
        };
        self.vars
            .iter()
            .filter(move |(name, _)| wanted(name))
            .map(|(n, v)| (n.as_os_str(), v.as_os_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_git_names_and_nothing_else() {
        let vars = [
            ("GIT_DIR", "x.git"),
            ("GITHUB_TOKEN", "t"),
            ("HOME", "/h"),
            ("GIT_INDEX_FILE", ""),
        ];
        let env = GitEnvironment::from_vars(vars.map(|(n, v)| (n.into(), v.into())));
        assert_eq!(
            env.path_from("GIT_DIR", Path::new("/r")),
            Some("/r/x.git".into())
        );
        assert_eq!(env.get("GIT_INDEX_FILE"), None);
        assert_eq!(env.get("GITHUB_TOKEN"), None);
        assert_eq!(env.configuration_vars().count(), 1);
    }
}
