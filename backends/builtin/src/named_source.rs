//! Repositories from which a manifest takes packages, and that it did not name before the change.

use std::collections::BTreeSet;

use council_protocol::Side;

use crate::locked::SOURCE;
use crate::pattern::pattern;
use crate::view::FileView;

pattern!(TABLE, r"^\s*\[([^\[\]]+)\]\s*(?:#.*)?$");
pattern!(
    FROM_GIT,
    r#"^\s*"?([\w-]+)"?\s*=\s*\{[^#]*\bgit\s*=\s*"(https://[^"]+)"[^#]*\}\s*(?:#.*)?$"#
);

/// A package, and the repository that it is taken from.
type Named = (String, String);

/// What the manifest beside a lockfile names anew.
#[derive(Debug, Default)]
pub(crate) struct NamedSources(BTreeSet<Named>);

impl NamedSources {
    /// Of a Cargo.lock, from the Cargo.toml in the same folder: everybody reads that one, and cargo obeys it.
    pub(crate) fn of_change(lockfile: &FileView<'_>) -> Self {
        if lockfile.file_name() != "Cargo.lock" {
            return Self::default();
        }
        let read = |side| lockfile.text_beside(side, "Cargo.toml").unwrap_or_default();
        let before = sources_of(&read(Side::Old));
        let mut after = sources_of(&read(Side::New));
        after.retain(|source| !before.contains(source));
        Self(after)
    }

    /// Whether it says of a locked package that it comes from there.
    pub(crate) fn name(&self, (package, _, kind): &(String, String, &str), value: &str) -> bool {
        let source = (package.clone(), repository_of(value).to_owned());
        *kind == SOURCE && value.starts_with("git+https://") && self.0.contains(&source)
    }
}

/// The repositories that the tables of dependencies name.
fn sources_of(manifest: &str) -> BTreeSet<Named> {
    let mut counts = false;
    let mut sources = BTreeSet::new();
    for line in manifest.lines() {
        if let Some(table) = TABLE.captures(line) {
            counts = lists_dependencies(&table[1]);
        } else if let Some(found) = FROM_GIT.captures(line).filter(|_| counts) {
            sources.insert((found[1].to_owned(), repository_of(&found[2]).to_owned()));
        }
    }
    sources
}

/// Whether cargo takes what stands in a table for dependencies.
fn lists_dependencies(table: &str) -> bool {
    const NAMES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    let of_target = table
        .strip_prefix("target.")
        .and_then(|rest| rest.rsplit_once('.'));
    let name = of_target.map_or(table, |(_, name)| name);
    NAMES.contains(&name) || table == "workspace.dependencies" || table.starts_with("patch.")
}

/// A source without the commit, the branch and the way to it.
pub(crate) fn repository_of(source: &str) -> &str {
    let address = source.split(['#', '?']).next().unwrap_or(source);
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    address.trim_end_matches('/').trim_end_matches(".git")
}
