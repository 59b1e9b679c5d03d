//! Keys of settings that a template names by the path that leads to them: `{{ .Values.service.portNumber }}`,
//! `${{ steps.build.outputs.image_tag }}`.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::super::words;
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;
use super::setting_keys::values_of;

/// What reads the paths that settings no longer have.
pub(super) fn lost_paths(before: &ReadSide<'_>, now: Option<&ReadSide<'_>>) -> Vec<WantedName> {
    /// Settings that lose more are others.
    const MAX_LOST: usize = 40;
    if before.outline.language() != Language::Yaml {
        return Vec::new();
    }
    let kept = now.map(spelled_paths).unwrap_or_default();
    let lost = spelled_paths(before)
        .into_iter()
        .filter(|path| !kept.contains(path));
    let lost = lost.take(MAX_LOST);
    lost.map(|path| read_name(&path, NameReason::Removed, Reader::Path))
        .collect()
}

/// The ends of the paths of settings as a template writes them: the last two keys, or one of several words at the top.
fn spelled_paths(side: &ReadSide<'_>) -> BTreeSet<String> {
    let values = values_of(&side.path.display(), side.text);
    let mut found = BTreeSet::new();
    for path in values.keys() {
        let parts: Vec<&str> = path.split('.').collect();
        found.extend(parts.windows(2).map(|pair| pair.join(".")));
        found.extend(
            parts
                .first()
                .filter(|first| words::is_compound(first))
                .map(|first| (*first).to_owned()),
        );
    }
    found
}

impl ReadingPlace<'_, '_> {
    /// Whether the line names the path between the marks of a template.
    pub(super) fn is_templated(&self) -> bool {
        const MARKS: [&str; 3] = ["{{", "${", "<%"];
        let is_whole = self.name.contains('.');
        self.around().iter().any(|(before, behind)| {
            let is_inside = MARKS.iter().any(|mark| before.contains(mark));
            is_inside && (is_whole || before.ends_with('.')) && !behind.starts_with(['(', '-'])
        })
    }
}
