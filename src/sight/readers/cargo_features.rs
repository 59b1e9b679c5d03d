//! Features of Cargo: code is compiled where one is there, and which are there by default the manifest says.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::hints::split_name;
use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;

/// The features of a manifest, each with those that it takes along.
type FeatureTable<'s> = BTreeMap<&'s str, BTreeSet<&'s str>>;

/// What is compiled by the features that a manifest no longer has, or has by default on one side alone.
pub(super) fn altered_names(before: &ReadSide<'_>, now: &ReadSide<'_>) -> Vec<WantedName> {
    if !before.path.display().ends_with("Cargo.toml") {
        return Vec::new();
    }
    let [had, has] = [features_of(before), features_of(now)];
    let [on_before, on_now] = [features_by_default(&had), features_by_default(&has)];
    let lost = had.keys().filter(|name| !has.contains_key(*name));
    let names: BTreeSet<&str> = (&on_before ^ &on_now)
        .into_iter()
        .chain(lost.copied())
        .filter(|name| !name.contains([':', '/']))
        .collect();
    let reader = || Reader::Feature(now.path.clone());
    names
        .iter()
        .map(|text| read_name(text, NameReason::Removed, reader()))
        .collect()
}

fn features_of<'s>(side: &'s ReadSide<'_>) -> FeatureTable<'s> {
    let lines =
        (1..=side.outline.last_line()).map(|line| side.outline.without_comment(line).trim());
    let table = lines.skip_while(|line| *line != "[features]").skip(1);
    let mut found = FeatureTable::new();
    let mut key = "";
    for line in table.take_while(|line| !line.starts_with('[')) {
        let given = match line.split_once('=').filter(|_| !line.starts_with('"')) {
            Some((named, given)) => {
                key = named.trim();
                given
            }
            // A list goes on.
            None => line,
        };
        let taken = given.split('"').skip(1).step_by(2);
        found.entry(key).or_default().extend(taken);
    }
    found.remove("");
    found
}

/// The features that are there where nobody asks for any.
fn features_by_default<'s>(table: &FeatureTable<'s>) -> BTreeSet<&'s str> {
    let mut found = BTreeSet::new();
    let mut open = vec!["default"];
    while let Some(name) = open.pop() {
        if found.insert(name) {
            open.extend(table.get(name).into_iter().flatten());
        }
    }
    found
}

impl ReadingPlace<'_, '_> {
    /// Whether a line of the same crate is compiled by a feature: `#[cfg(feature = "tls")]`.
    pub(super) fn is_feature(&self, home: &RepoPath) -> bool {
        let home = home.display();
        let (folder, ..) = split_name(&home);
        let path = self.file.path.display();
        let is_of_crate = folder.is_empty() || path.starts_with(&format!("{folder}/"));
        let is_named = |(before, behind): &(&str, &str)| {
            let set = before.strip_suffix('"').map(str::trim_end);
            let set = set.and_then(|set| set.strip_suffix('=')).map(str::trim_end);
            set.is_some_and(|set| set.ends_with("feature")) && behind.starts_with('"')
        };
        self.outline.language() == Language::Rust
            && is_of_crate
            && self.around().iter().any(is_named)
    }
}
