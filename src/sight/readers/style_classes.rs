//! Classes of CSS modules: code has them as members of what it imports, `styles.danger`.

use std::collections::BTreeSet;

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::hints::split_name;
use super::super::read_side::ReadSide;
use super::super::receivers::reaches;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::is_name;
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;
use super::spelling;

/// What has the classes that a module of CSS no longer has.
pub(super) fn lost_names(before: &ReadSide<'_>, now: Option<&ReadSide<'_>>) -> Vec<WantedName> {
    if !before.path.display().contains(".module.") || before.outline.language() != Language::Css {
        return Vec::new();
    }
    let classes = |side: &ReadSide<'_>, lines: &[u32]| -> BTreeSet<String> {
        let code = lines.iter().map(|line| side.outline.without_comment(*line));
        code.flat_map(classes_in).map(str::to_owned).collect()
    };
    let all = |side: &ReadSide<'_>| -> Vec<u32> { (1..=side.outline.last_line()).collect() };
    let kept = now.map(|now| classes(now, &all(now))).unwrap_or_default();
    let lost = classes(before, &before.lines);
    let lost = lost.difference(&kept);
    let spelled = lost.flat_map(|class| [class.clone(), spelling::camel(class)]);
    let spelled: BTreeSet<String> = spelled.collect();
    let reader = || Reader::StyleClass(before.path.clone());
    let names = spelled.iter();
    names
        .map(|text| read_name(text, NameReason::Removed, reader()))
        .collect()
}

/// The classes that a line of selectors names.
fn classes_in(code: &str) -> impl Iterator<Item = &str> {
    let begun = code.match_indices('.').map(|(at, _)| &code[at + 1..]);
    let begun = begun.filter(|rest| rest.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    begun.map(|rest| {
        let end = rest.find(|c| !is_name(c) && c != '-');
        &rest[..end.unwrap_or(rest.len())]
    })
}

impl ReadingPlace<'_, '_> {
    /// Whether the line has a class of a module of CSS that its file imports: as a member of what it calls the module, or
    /// in quotes.
    pub(super) fn is_style_class(&self, home: &RepoPath) -> bool {
        const QUOTES: [char; 3] = ['"', '\'', '`'];
        let path = home.display();
        let (_, stem, ending) = split_name(&path);
        let file = format!("{stem}.{ending}");
        let is_module = |module: &str| module.rsplit('/').next() == Some(&file);
        let is_member = |before: &str| {
            let of = before.strip_suffix('.').map(|of| of.trim_end_matches('?'));
            let imported = self.outline.imported_names().iter();
            let mut modules = imported.filter(|one| is_module(&one.module));
            of.is_some_and(|of| {
                modules.any(|one| of.rsplit(|c| !is_name(c)).next() == Some(&one.local))
            })
        };
        let is_it = |(before, behind): &(&str, &str)| {
            is_member(before) || (before.ends_with(QUOTES) && behind.starts_with(QUOTES))
        };
        self.outline.language() == Language::Script
            && self.around().iter().any(is_it)
            && reaches(self.file, self.outline, home)
    }
}
