//! What a file of a deployment starts by the name of a module and of something in it: `uvicorn app.main:app`,
//! `handler: src/handler.main`.

use std::collections::BTreeSet;

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::hints::split_name;
use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::super::words;
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;

/// What starts what a file of modules no longer has.
pub(super) fn lost_names(before: &ReadSide<'_>, now: Option<&ReadSide<'_>>) -> Vec<WantedName> {
    let is_module = matches!(
        before.outline.language(),
        Language::Python | Language::Script | Language::Ruby
    );
    if !is_module {
        return Vec::new();
    }
    let kept = now.map(defined_at_top).unwrap_or_default();
    let path = before.path.display();
    let (_, stem, _) = split_name(&path);
    let lost = defined_at_top(before)
        .into_iter()
        .filter(|name| !kept.contains(name));
    let spelled = lost.flat_map(|name| [':', '.'].map(|sign| format!("{stem}{sign}{name}")));
    let started = Reader::Started(before.path.clone());
    spelled
        .map(|text| read_name(&text, NameReason::Removed, started.clone()))
        .collect()
}

/// The names that a file defines at the beginning of a line.
fn defined_at_top(side: &ReadSide<'_>) -> BTreeSet<String> {
    let outline = &side.outline;
    let is_top = |head: u32| !outline.line(head).starts_with([' ', '\t']);
    let all = outline.definitions.iter().filter(|one| is_top(one.head));
    all.map(|one| one.name.clone()).collect()
}

impl ReadingPlace<'_, '_> {
    /// Whether the line names a part of this file by the path of its module, with dots or slashes.
    pub(super) fn is_started(&self, home: &RepoPath) -> bool {
        let language = self.outline.language();
        let is_plain =
            words::is_settings(language) || matches!(language, Language::Shell | Language::Unknown);
        let path = home.display();
        let (folder, ..) = split_name(&path);
        let is_part = |c: char| words::is_name(c) || matches!(c, '.' | '/' | '-');
        self.around().iter().any(|(before, _)| {
            let written = &before[before.trim_end_matches(is_part).len()..];
            let above = written
                .trim_end_matches(['.', '/'])
                .trim_start_matches(['.', '/']);
            let above = above.replace('.', "/");
            let leads_here =
                above.is_empty() || format!("/{folder}").ends_with(&format!("/{above}"));
            let is_quoted = || {
                ['"', '\'']
                    .iter()
                    .any(|quote| before.matches(*quote).count() % 2 == 1)
            };
            leads_here && (is_plain || is_quoted())
        })
    }
}
