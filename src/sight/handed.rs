//! Functions that a call is handed: what comes out of it may be what they give (`to_thread(load_user, uid)`).

use super::definitions::DefinitionKind;
use super::import_names::name::ImportedItem;
use super::made_by::closing_bracket;
use super::search::FileOutline;
use super::words::is_name;

/// Whether one of the arguments of a call is a function that the file defines or imports by its name.
pub(super) fn hands_function(outline: &FileOutline<'_>, given: &str) -> bool {
    let is_function = |word: &str| {
        let mut own = outline.definitions.iter();
        let mut brought = outline.imported_names().iter();
        own.any(|one| one.kind == DefinitionKind::Function && one.name == word)
            || brought.any(|one| one.local == word && matches!(one.item, ImportedItem::Named(_)))
    };
    let is_bare = |word: &str| {
        word.starts_with(|c: char| c.is_lowercase() || c == '_') && word.chars().all(is_name)
    };
    let mut words = given.split(',').map(str::trim);
    words.any(|word| is_bare(word) && is_function(word))
}

/// Whether a type, as it stands in a text, is called there with such a function: `Depends(load_user)`.
pub(super) fn is_made_of_function(outline: &FileOutline<'_>, text: &str, typed: &str) -> bool {
    // It is a piece of the text.
    let at = (typed.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    let behind = text.get(at.saturating_add(typed.len())..);
    let given = behind.and_then(|behind| behind.strip_prefix('('));
    given.is_some_and(|given| {
        let line = given.lines().next().unwrap_or_default();
        let end = closing_bracket(line).unwrap_or(line.len());
        hands_function(outline, &line[..end])
    })
}
