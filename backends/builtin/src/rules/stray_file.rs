//! `stray-file`: what an editor, a build or a system leaves behind.

use council_protocol::change::FileStatus;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "stray-file",
        perspective: HYGIENE,
        category: "leftovers",
        severity: Minor,
        summary: "a file left behind by an editor, a merge, a build or the operating system",
        why: "It is useful on one machine only, and changes with every run on another.",
        fix: "Take it out of the commit and list it in `.gitignore`.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
    languages: &[],
    claims: &[
        "stray file",
        "artifact",
        "artefact",
        "leftover",
        "gitignore",
    ],
    check: RuleCheck::File(check_file),
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

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if !matches!(file.change.status, FileStatus::Added | FileStatus::Renamed)
        || file.role == FileRole::Test
    {
        return;
    }
    let name = file.file_name();
    let folder = file
        .folder_path()
        .split('/')
        .find(|folder| FOLDERS.contains(folder));
    if let Some(folder) = folder {
        hits.push(file.file_hit(format!("`{folder}/` is generated anew on every machine.")));
    } else if NAMES.contains(&name) || ENDINGS.iter().any(|end| name.ends_with(end)) {
        hits.push(file.file_hit(format!("`{name}` looks like a leftover file.")));
    }
}
