//! `lockfile-without-manifest`: dependencies that change by the way.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "lockfile-without-manifest",
        perspective: HYGIENE,
        category: "dependencies",
        severity: Minor,
        summary: "a lockfile that changes along with code, but without its manifest",
        why: "It updates dependencies that nobody chose to update, in a file that hardly anybody reads.",
        fix: "Update dependencies in a separate change, or take the lockfile out of this one.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
    languages: &[],
    claims: &["lockfile", "lock file", "manifest"],
    check: RuleCheck::Change(check_change),
};

/// Lockfiles and the manifests from which they are made.
const LOCKS: [(&str, &[&str]); 12] = [
    ("Cargo.lock", &["Cargo.toml"]),
    ("package-lock.json", &["package.json"]),
    ("npm-shrinkwrap.json", &["package.json"]),
    ("yarn.lock", &["package.json"]),
    ("pnpm-lock.yaml", &["package.json", "pnpm-workspace.yaml"]),
    ("bun.lock", &["package.json"]),
    ("poetry.lock", &["pyproject.toml"]),
    ("uv.lock", &["pyproject.toml"]),
    ("Pipfile.lock", &["Pipfile"]),
    ("Gemfile.lock", &["Gemfile"]),
    ("composer.lock", &["composer.json"]),
    ("flake.lock", &["flake.nix"]),
];

/// Whether a package manager writes the file of that name.
pub(super) fn is_lockfile(name: &str) -> bool {
    let known = LOCKS.iter().any(|(lock, _)| *lock == name);
    known || name == "go.sum" || name.ends_with(".lock")
}

fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    let manifest = |names: &[&str]| {
        change
            .files
            .iter()
            .any(|f| names.contains(&f.file_name()) || f.file_name().ends_with(".gemspec"))
    };
    // An update of dependencies by itself is what lockfiles are for.
    let code = change
        .files
        .iter()
        .any(|f| f.language.is_code() && f.role == FileRole::Production && f.is_text());
    for file in change
        .files
        .iter()
        .filter(|f| f.exists() && f.change.old_mode != 0)
    {
        let Some((_, manifests)) = LOCKS.iter().find(|(name, _)| *name == file.file_name()) else {
            continue;
        };
        if code && !manifest(manifests) && matches!(file.role, FileRole::Production) {
            hits.push(file.file_hit(format!(
                "`{}` changes, but no {} does.",
                file.file_name(),
                manifests[0]
            )));
        }
    }
}
