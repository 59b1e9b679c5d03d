//! Fields of the very type that a change edits: what takes a lock, a connection or a timer often stands in another method
//! than what gives it up.

use std::collections::{BTreeMap, BTreeSet};

use council_syntax::language::Language;
use council_syntax::outline::FunctionSpan;

use super::read_side::ReadSide;
use super::receivers;
use super::search::FileOutline;
use super::words::WordUse;

/// Fields with the types that hold them.
pub(super) type FieldOwners = BTreeMap<String, BTreeSet<String>>;

/// The fields that a change takes from methods or gives to them: those that its removed and its added lines do not name
/// equally often.
pub(super) fn changed_own_fields(sides: &[Option<ReadSide<'_>>; 2]) -> FieldOwners {
    let fields = |side: &Option<ReadSide<'_>>| side.as_ref().map(own_fields).unwrap_or_default();
    let [old, new] = [fields(&sides[0]), fields(&sides[1])];
    let mut found = FieldOwners::new();
    for (field, owner) in old.keys().chain(new.keys()) {
        let key = (field.clone(), owner.clone());
        if old.get(&key) != new.get(&key) {
            found.entry(key.0).or_default().insert(key.1);
        }
    }
    found
}

/// How often lines name each field of the value whose method they stand in.
fn own_fields(side: &ReadSide<'_>) -> BTreeMap<(String, String), usize> {
    let ReadSide {
        outline,
        text,
        lines,
        ..
    } = side;
    let mut found = BTreeMap::new();
    for &line in lines {
        let code = outline.line(line);
        for span in outline.functions_around(line) {
            let Some(owner) = outline.owner_of(text, span) else {
                continue;
            };
            let value = own_value(outline, span);
            let fields = outline.words_at(line).iter().filter(|word| {
                let is_field = !matches!(word.how, WordUse::Called | WordUse::Key);
                is_field && receivers::is_held_by(code, word.text, value)
            });
            for field in fields {
                let key = (field.text.to_owned(), owner.clone());
                *found.entry(key).or_default() += 1;
            }
        }
    }
    found
}

/// What a method calls the value that it is a method of, where its language has no word for that.
fn own_value<'t>(outline: &FileOutline<'t>, span: &FunctionSpan) -> Option<&'t str> {
    let head = outline.line(u32::try_from(span.head).ok()?);
    let receiver = head
        .strip_prefix("func (")
        .filter(|_| outline.language() == Language::Go)?;
    receiver.split([' ', ')']).next()
}
