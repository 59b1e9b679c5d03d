//! `stray-file`: what an editor, a build or a system leaves behind.

use council_protocol::change::FileStatus;

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "stray-file",
        perspective: HYGIENE,
        category: "leftovers",
        severity: Minor,
        summary: "a file that an editor, a merge, a build or a system has left behind",
        why: "It is of use to one machine and changes with every run on another.",
        fix: "Take it out of the commit and list it in `.gitignore`.",
        examples: &[],
    },
    scope: Scope::Everywhere,
    languages: &[],
    claims: &[
        "stray file",
        "artifact",
        "artefact",
        "leftover",
        "gitignore",
    ],
    check: Check::File(look),
};

const NAMES: [&str; 9] = [
    ".DS_Store",
    "Thumbs.db",
    "desktop.ini",
    "npm-debug.log",
    "yarn-error.log",
    ".coverage",
    "nohup.out",
    "hs_err_pid.log",
    "core",
];
const ENDINGS: [&str; 11] = [
    ".orig",
    ".rej",
    ".swp",
    ".swo",
    ".pyc",
    ".bak",
    ".tmp",
    "~",
    ".log",
    ".rs.bk",
    ".stackdump",
];
const FOLDERS: [&str; 7] = [
    "__pycache__",
    "node_modules",
    ".pytest_cache",
    ".mypy_cache",
    ".ipynb_checkpoints",
    ".gradle",
    ".venv",
];

fn look(file: &FileView<'_>, hits: &mut Hits) {
    if !matches!(file.change.status, FileStatus::Added | FileStatus::Renamed)
        || file.role == Role::Test
    {
        return;
    }
    let name = file.name();
    let folder = file
        .folder()
        .split('/')
        .find(|folder| FOLDERS.contains(folder));
    if let Some(folder) = folder {
        hits.push(file.hit(format!("`{folder}/` is made anew on every machine.")));
    } else if NAMES.contains(&name) || ENDINGS.iter().any(|end| name.ends_with(end)) {
        hits.push(file.hit(format!("`{name}` looks like something left behind.")));
    }
}
