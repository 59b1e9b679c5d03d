//! Names as the words of a change give them.

use super::super::setting_words::parts_of;
use super::super::wanted::{NameReason, Spelling, WantedName};
use super::super::words::{self, WordUse};

/// What `typeof` gives and validators take: as a string it is no key.
pub(super) fn is_type_name(text: &str) -> bool {
    matches!(
        text,
        "bigint" | "boolean" | "function" | "number" | "object" | "string" | "symbol" | "undefined"
    )
}

pub(super) fn wanted(
    name: &str,
    reason: NameReason,
    (definition, uses): (bool, bool),
    is_local: bool,
) -> WantedName {
    WantedName {
        definition,
        uses,
        is_local,
        ..WantedName::new(name, reason)
    }
}

/// A name that is spelled out as a key.
pub(super) fn key_name(name: &str, reason: NameReason) -> WantedName {
    WantedName {
        is_key: true,
        is_key_alone: !words::is_compound(name),
        spelling: match words::is_of_environment(name) {
            true => Spelling::Word,
            false => Spelling::Code,
        },
        ..WantedName::new(name, reason)
    }
}

/// What a changed line of settings makes worth a look: who reads the key, and what the value names.
pub(super) fn names_of_setting(name: &str, how: WordUse) -> Vec<WantedName> {
    let parts = parts_of(name).into_iter();
    let is_plain = |part: &str| words::is_common(part) || words::is_common_method(part);
    let parts = parts.filter(|part| !is_plain(part));
    match how {
        WordUse::Key => parts.map(|part| key_name(part, NameReason::Key)).collect(),
        _ => parts
            .map(|part| wanted(part, NameReason::Key, (true, false), false))
            .collect(),
    }
}
