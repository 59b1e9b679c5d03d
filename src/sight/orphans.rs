//! Names whose import a change removes and that the file still has: in languages that ask nobody before they run,
//! only a reader finds them.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::import_names::name::ImportedItem;
use super::read_side::ReadSide;
use super::search::FileOutline;

/// The names that a file imported before the change, and that it has from nowhere now.
pub(super) fn orphaned_names(before: &ReadSide<'_>, now: &ReadSide<'_>) -> BTreeSet<String> {
    let asks_nobody = matches!(now.outline.language(), Language::Python | Language::Script);
    let imports_all = || {
        let mut imported = now.outline.imported_names().iter();
        imported.any(|one| one.item == ImportedItem::All)
    };
    if !asks_nobody || before.lines.is_empty() || imports_all() {
        return BTreeSet::new();
    }
    let known = brought_names(&now.outline);
    let mut lost = brought_names(&before.outline);
    lost.retain(|name| !known.contains(name) && !is_defined(&now.outline, name));
    lost.into_iter().map(str::to_owned).collect()
}

fn brought_names<'o>(outline: &'o FileOutline<'_>) -> BTreeSet<&'o str> {
    let names = outline
        .imported_names()
        .iter()
        .map(|one| one.local.as_str());
    // `import os.path` brings `os`.
    let names = names.map(|name| name.split('.').next().unwrap_or(name));
    names.filter(|name| !name.is_empty()).collect()
}

fn is_defined(outline: &FileOutline<'_>, name: &str) -> bool {
    outline.definitions.iter().any(|one| one.name == name)
}
