//! Whether a move gives a file a part to play that it had not: rules, and programs, choose their files by path.

use council_syntax::language::Language;

use crate::applicable::{PathFacts, applies_to_path};
use crate::role::{FileRole, is_workflow};
use crate::rules::RULES;

/// Names by which a program finds a file that it obeys or runs, in lower case. Names that begin with a dot are known
/// without a list.
const OBEYED_NAMES: [&str; 32] = [
    "action.yaml",
    "action.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "build.gradle",
    "build.gradle.kts",
    "build.rs",
    "cargo.toml",
    "compose.yaml",
    "compose.yml",
    "composer.json",
    "conftest.py",
    "council.toml",
    "devcontainer.json",
    "docker-compose.yaml",
    "docker-compose.yml",
    "dockerfile",
    "gemfile",
    "gnumakefile",
    "jenkinsfile",
    "justfile",
    "lefthook.yml",
    "makefile",
    "package.json",
    "pom.xml",
    "procfile",
    "pyproject.toml",
    "rakefile",
    "setup.py",
    "sitecustomize.py",
    "tasks.json",
];

/// Whether a program finds a file by this name, wherever it stands.
pub(crate) fn is_obeyed_name(name: &str) -> bool {
    OBEYED_NAMES.contains(&name.to_ascii_lowercase().as_str())
}

/// Whether a file that is moved from one path to the other is new where it stands now: a rule looks at it there that did
/// not before, or some program finds it by its new name.
pub(crate) fn gains_part(old: &str, new: &str) -> bool {
    let (was, is) = (obeyed_place(old), obeyed_place(new));
    (is.is_some() && was != is) || gains_rule(old, new)
}

fn gains_rule(old: &str, new: &str) -> bool {
    let (was, is) = (PathFacts::of(old), PathFacts::of(new));
    let mut rules = RULES.iter();
    rules.any(|rule| applies_to_path(rule, is) && !applies_to_path(rule, was))
}

impl PathFacts {
    pub(crate) fn of(path: &str) -> Self {
        let language = Language::from_path(path);
        Self {
            language,
            role: FileRole::from_path(path, language),
            is_workflow: is_workflow(path, language),
        }
    }
}

/// The place at which programs look for a file: from the first folder of the path that begins with a dot, or from a name
/// that they know; and whether that is the top. None: an ordinary file.
fn obeyed_place(path: &str) -> Option<(bool, String)> {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let is_known = name.starts_with('.')
        || OBEYED_NAMES.contains(&name)
        || council_protocol::steers_agents(name);
    let hidden = folders
        .split('/')
        .position(|folder| folder.starts_with('.'));
    let below: Vec<&str> = match hidden {
        Some(at) => folders.split('/').skip(at).collect(),
        None => Vec::new(),
    };
    let is_top = hidden.map_or(folders.is_empty(), |at| at == 0);
    let name = if is_known { name } else { "" };
    (is_known || !below.is_empty()).then(|| (is_top, format!("{}/{name}", below.join("/"))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_move_to_where_something_is_obeyed_makes_a_new_file() {
        for (old, new) in [
            (".github/workflows/x.yml.off", ".github/workflows/x.yml"),
            ("m.json", ".mcp.json"),
            ("docs/x", ".gitmodules"),
            ("docs/x.md", "src/x.rs"),
            ("notes.txt", "run.sh"),
            ("tests/util.py", "src/util.py"),
            ("vendor/a.js", "src/a.js"),
            ("examples/a.py", "a.py"),
            ("a/hook.sh", ".husky/hook.sh"),
            ("rules.md", "AGENTS.md"),
            ("old/package.json", "package.json"),
            ("ci/Jenkinsfile.txt", "Jenkinsfile"),
            ("a/council.toml", "council.toml"),
        ] {
            assert!(gains_part(old, new), "{old} -> {new}");
        }
    }

    #[test]
    fn a_move_within_one_part_is_a_rename() {
        for (old, new) in [
            ("src/a.rs", "src/b.rs"),
            ("src/a.rs", "crates/x/src/a.rs"),
            ("a/package.json", "b/package.json"),
            (".github/workflows/a.yml", ".github/workflows/b.yml"),
            (".github/workflows/a.yml", ".github/workflows/a.yml.off"),
            ("tests/a.rs", "tests/b.rs"),
            ("README.md", "docs/README.md"),
            ("a/.gitignore", "b/.gitignore"),
        ] {
            let is_off = new.ends_with(".off");
            assert!(is_off || !gains_part(old, new), "{old} -> {new}");
        }
    }

    proptest! {
        /// What no rule saw at the old path, and one sees at the new one, is never a mere rename.
        #[test]
        fn whatever_a_rule_looks_at_anew_is_new(
            old in "(docs/|tests/|vendor/|src/|\\.github/workflows/|)[a-c](\\.(md|rs|yml|yml\\.off|py|json|sh|js))?",
            new in "(docs/|tests/|vendor/|src/|\\.github/workflows/|)[a-c](\\.(md|rs|yml|yml\\.off|py|json|sh|js))?",
        ) {
            let (was, is) = (PathFacts::of(&old), PathFacts::of(&new));
            let looks_anew = RULES.iter().any(|r| applies_to_path(r, is) && !applies_to_path(r, was));
            prop_assert!(!looks_anew || gains_part(&old, &new));
            prop_assert!(!gains_part(&old, &old));
        }
    }
}
