//! Fields of a class whose page shows them, and whose tags are given them: `{{ currencyCode }}`, `[currencyCode]="…"`.

use council_syntax::language::Language;

use super::super::fields::lost_fields;
use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::place::read_name;
use super::reader::Reader;
use super::spelling;

/// What reads the fields of several words that a class of a script no longer has.
pub(super) fn lost_names(before: &ReadSide<'_>, now: &ReadSide<'_>) -> Vec<WantedName> {
    if now.outline.language() != Language::Script {
        return Vec::new();
    }
    let lost = lost_fields(before, now).into_keys();
    let lost = lost.filter(|name| spelling::words_of(name).len() > 1);
    lost.map(|name| read_name(&name, NameReason::Removed, Reader::PageValue))
        .collect()
}
