//! `hook-change`: code that runs on a developer's machine without being called.

use std::collections::BTreeMap;

use serde_json::Value;

use super::agent_file_change::{is_link, link_hit};
use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "hook-change",
        perspective: SECURITY,
        category: "hooks",
        severity: Significant,
        summary: "a hook that runs automatically on developers' machines",
        why: "Git hooks, install scripts and editor tasks run on the machine of everyone who pulls, with that \
              person's rights, before anyone has read them.\n\
              Only a note: scripts in a hook folder, hooks of \
              pre-commit, and commands inside of a development container, which many projects have.",
        fix: "Review the script as code that you are about to run; keep it short and free of downloads.",
        examples: &[RuleExample {
            path: "package.json",
            bad: "  \"scripts\": {\n    \"postinstall\": \"node setup.js\"\n",
            good: "  \"scripts\": {\n    \"build\": \"node setup.js\"\n",
        }],
    },
    scope: RuleScope::AnyFile,
    guards: Guarded::Review,
    languages: &[],
    claims: &["hook", "postinstall", "install script"],
    check: RuleCheck::File(check_file),
};

pattern!(
    INSTALL,
    r#"(?:^\s*|[{,]\s*)"(preinstall|install|postinstall|prepare|prepublish)"\s*:\s*"([^"]+)""#
);
/// The same as names of a `package.json`.
const NPM_SCRIPTS: [&str; 5] = [
    "preinstall",
    "install",
    "postinstall",
    "prepare",
    "prepublish",
];
/// What Composer runs when somebody installs what a repository needs.
const COMPOSER_SCRIPTS: [&str; 10] = [
    "pre-install-cmd",
    "post-install-cmd",
    "pre-update-cmd",
    "post-update-cmd",
    "pre-autoload-dump",
    "post-autoload-dump",
    "post-root-package-install",
    "post-create-project-cmd",
    "post-package-install",
    "post-package-update",
];
pattern!(
    /// A method of a class, or Laravel's own program.
    USUAL_COMPOSER,
    r"^(?:[\w\\]+::\w+|@php artisan [\w:-]+(?: [\w./=:-]+)*)$"
);
pattern!(
    /// What a build of `binding.gyp` runs.
    GYP,
    r#"["'](?:actions?|postbuilds|rules)["']\s*:\s*\["#
);
pattern!(PRE_COMMIT, r"^\s*(?:-\s*)?repo:\s*(\S+)");
// Of a development container one command runs outside of it, before it is made.
pattern!(
    EDITOR,
    r#""runOn"\s*:\s*"folderOpen"|"initializeCommand"\s*:"#
);
pattern!(
    CONTAINER,
    r#""(?:postCreateCommand|onCreateCommand|postStartCommand)"\s*:"#
);
pattern!(
    /// One program with plain words: what a shell reads in another way may run anything.
    USUAL,
    r"^(?:npx\s+(?:--no(?:-install)?\s+)?)?(husky|only-allow|patch-package|is-ci|simple-git-hooks)(?:\s+[\w./=-]+)*$"
);
pattern!(
    /// Husky with a folder of hooks that somebody chose: git runs what lies in it.
    OWN_FOLDER,
    r"\bhusky\s+(?:install\s+)?([\w./-]*)$"
);
pattern!(
    /// What stands between the commands of a script.
    JOINT,
    r"&&|\|\||[;&|\n]"
);
const HOOK_FOLDERS: [&str; 4] = [".githooks/", ".husky/", ".git-hooks/", "githooks/"];

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if !file.exists() || matches!(file.role, FileRole::Docs | FileRole::Test) {
        return;
    }
    if is_link(file) && is_run_from(&file.path) {
        hits.push(link_hit(file, "hooks and tasks are run from"));
        return;
    }
    match file.file_name() {
        "package.json" => {
            let is_read = report_scripts(file, &NPM_SCRIPTS, &USUAL, hits);
            if !is_read {
                report_lines(file, &INSTALL, INSTALLS, false, hits);
            }
        }
        "composer.json" => {
            report_scripts(file, &COMPOSER_SCRIPTS, &USUAL_COMPOSER, hits);
        }
        // npm builds it where no script says otherwise.
        "binding.gyp" => report_lines(file, &GYP, INSTALLS, false, hits),
        ".pre-commit-config.yaml" | "lefthook.yml" => {
            report_lines(
                file,
                &PRE_COMMIT,
                "adds code that runs before every commit",
                true,
                hits,
            );
        }
        "tasks.json" | "devcontainer.json" => {
            report_lines(
                file,
                &EDITOR,
                "runs when somebody opens the folder",
                false,
                hits,
            );
            report_lines(
                file,
                &CONTAINER,
                "runs when somebody opens the folder in a container",
                true,
                hits,
            );
        }
        _ if HOOK_FOLDERS
            .iter()
            .any(|folder| file.path.starts_with(folder)) =>
        {
            report_script(file, hits)
        }
        _ => {}
    }
}

/// Whether something is run from this path, or from below it.
fn is_run_from(path: &str) -> bool {
    const FILES: [&str; 5] = [
        "package.json",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        "tasks.json",
        "devcontainer.json",
    ];
    const FOLDERS: [&str; 6] = [
        ".githooks",
        ".husky",
        ".git-hooks",
        "githooks",
        ".vscode",
        ".devcontainer",
    ];
    let mut parts = path.rsplit('/');
    parts.next().is_some_and(|name| FILES.contains(&name))
        || path.split('/').any(|part| FOLDERS.contains(&part))
}

/// Hooks that half of all repositories run, and `local`, which only names what stands in the tree.
fn is_usual(repository: &str) -> bool {
    const OWNERS: [&str; 11] = [
        "ambv",
        "codespell-project",
        "pre-commit",
        "prettier",
        "psf",
        "pycqa",
        "astral-sh",
        "asottile",
        "charliermarsh",
        "python-poetry",
        "pre-commit-ci",
    ];
    let owner = repository
        .split_once("github.com/")
        .or_else(|| repository.split_once("gitlab.com/"))
        .and_then(|(_, rest)| rest.split('/').next());
    let known = |owner: &str| OWNERS.contains(&owner.to_ascii_lowercase().as_str());
    matches!(repository, "local" | "meta") || owner.is_some_and(known)
}

const INSTALLS: &str = "runs whenever somebody installs the package";
const INSTALLS_CHECKOUT: &str =
    "runs whenever somebody installs in a checkout, or takes the package from git";
/// Those that npm does not run for a package from a registry.
const CHECKOUT_SCRIPTS: [&str; 2] = ["prepare", "prepublish"];

fn names_folder(script: &str) -> bool {
    let mut folders = script
        .lines()
        .filter_map(|command| OWN_FOLDER.captures(command));
    folders.any(|found| !matches!(&found[1], "" | "install"))
}

/// Whether a script runs what it ran before, but for the words that a usual tool is given: `husky install && x` became
/// `husky && x`. Any other program with other words may do anything.
fn is_migrated(old: &str, new: &str, usual: &regex::Regex) -> bool {
    let joints = |script| JOINT.find_iter(script).map(|joint| joint.as_str());
    let same = |(old, new): (&str, &str)| {
        let (old, new) = (old.trim(), new.trim());
        let program = program_of(new, usual);
        let is_tool = program.is_some() && program == program_of(old, usual);
        old == new || (is_tool && !names_folder(new))
    };
    joints(old).eq(joints(new)) && JOINT.split(old).zip(JOINT.split(new)).all(same)
}

/// The usual program that a command runs.
fn program_of<'a>(command: &'a str, usual: &regex::Regex) -> Option<&'a str> {
    let found = usual.captures(command)?;
    found.get(1).map(|program| program.as_str())
}

/// Reports the scripts of a package that run by themselves and are not what they were, however its JSON is laid out.
/// Whether it could be read.
fn report_scripts(
    file: &FileView<'_>,
    names: &[&str],
    usual: &regex::Regex,
    hits: &mut HitList,
) -> bool {
    let Some(after) = file.text_after().and_then(scripts_of) else {
        return false;
    };
    let before = file.text_before().and_then(scripts_of).unwrap_or_default();
    for (name, script) in after
        .iter()
        .filter(|(name, _)| names.contains(&name.as_str()))
    {
        let is_usual = script.lines().all(|command| usual.is_match(command));
        let old = before.get(name);
        if old == Some(script) || (old.is_some() && is_usual && !names_folder(script)) {
            continue;
        }
        let quoted = format!("\"{name}\"");
        let mut added = file.added_lines();
        let named = added.find(|line| line.text().contains(&quoted));
        // A name may be written with escapes.
        let Some(line) =
            named.or_else(|| file.added_lines().find(|line| line.text().contains(':')))
        else {
            continue;
        };
        let is_migrated = old.is_some_and(|old| is_migrated(old, script, usual));
        let when = if CHECKOUT_SCRIPTS.contains(&name.as_str()) {
            INSTALLS_CHECKOUT
        } else {
            INSTALLS
        };
        let hit = line.line_hit(format!("`{name}` {when}."));
        hits.push(match is_usual || is_migrated {
            true => hit.with_severity(Minor),
            false => hit,
        });
    }
    true
}

/// The scripts of a package by name; a list of commands is one line each.
fn scripts_of(text: &str) -> Option<BTreeMap<String, String>> {
    let package: Value =
        serde_json::from_slice(text.trim_start_matches('\u{feff}').as_bytes()).ok()?;
    let Some(scripts) = package.get("scripts").and_then(Value::as_object) else {
        return Some(BTreeMap::new());
    };
    let text_of = |value: &Value| match value {
        Value::Array(all) => {
            let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
            all.join("\n")
        }
        value => value.as_str().unwrap_or_default().to_owned(),
    };
    let scripts = scripts
        .iter()
        .map(|(name, value)| (name.clone(), text_of(value)));
    Some(scripts.collect())
}

fn report_lines(
    file: &FileView<'_>,
    shape: &regex::Regex,
    what: &str,
    quiet: bool,
    hits: &mut HitList,
) {
    for line in file.added_lines() {
        let Some(found) = shape.captures(line.text()) else {
            continue;
        };
        let same = |text: &str| {
            shape.captures(text).is_some_and(|old| {
                old.get(1).map(|m| m.as_str()) == found.get(1).map(|m| m.as_str())
            })
        };
        if file.removed_lines().any(|removed| same(removed.text))
            || found.get(1).is_some_and(|m| is_usual(m.as_str()))
        {
            continue;
        }
        // Husky's and patch-package's own line is in half of all package.json files.
        let usual = found.get(2).is_some_and(|m| USUAL.is_match(m.as_str()));
        let hit = line.line_hit(format!("The line {what}."));
        hits.push(if quiet || usual {
            hit.with_severity(Minor)
        } else {
            hit
        });
    }
}

fn report_script(file: &FileView<'_>, hits: &mut HitList) {
    let first = file
        .added_lines()
        .find(|line| !line.text().trim().is_empty() && !line.text().starts_with("#!"));
    if let Some(line) = first {
        hits.push(
            line.line_hit(format!(
                "`{}` runs automatically on developers' machines.",
                file.path
            ))
            .with_severity(Minor),
        );
    }
}
