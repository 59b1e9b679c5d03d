//! The types that methods are called on, by their names.

use council_syntax::language::Language;

use super::super::import_names::name::ImportedItem;
use super::super::search::{FileOutline, is_whole_word};
use super::super::value_types::{is_of_this, type_of_field, type_of_made, type_of_word};
use super::super::words::{CodeWord, WordUse};
use super::bounds::bounds_of;
use super::source::{Qualifier, before_dot, held_type, is_own_value, own_type, qualifier_before};

/// What a method is called on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sight) struct CalledOn {
    /// The name of a type, without its module.
    pub(in crate::sight) typed: String,
    /// Whether it is the parent of this type that is asked: `super().find()`.
    pub(in crate::sight) is_parent: bool,
}

/// The types that the methods of a name on a line are called on, as far as the file says them.
pub(in crate::sight) fn types_called_on(
    outline: &FileOutline<'_>,
    text: &str,
    line: u32,
    name: &str,
) -> Vec<CalledOn> {
    let places = places_of(outline, line, name);
    places
        .flat_map(|before| called_on(outline, text, line, before))
        .collect()
}

/// Whether every place of a name on a line says which types it is called on, and all of them are such ones.
pub(in crate::sight) fn every_place_asks(
    outline: &FileOutline<'_>,
    (line, name): (u32, &str),
    text: &str,
    is_such: impl Fn(&CalledOn) -> bool,
) -> bool {
    let mut places = places_of(outline, line, name).peekable();
    let asks = |before| {
        let called = called_on(outline, text, line, before);
        !called.is_empty() && called.iter().all(&is_such)
    };
    places.peek().is_some() && places.all(asks)
}

/// Whether a name stands on a line only where nothing is asked for it.
pub(in crate::sight) fn stands_alone(outline: &FileOutline<'_>, line: u32, name: &str) -> bool {
    let mut places = places_of(outline, line, name).peekable();
    places.peek().is_some() && places.all(|before| qualifier_before(before) == Qualifier::Nothing)
}

/// What stands before a name at each of its places on a line.
fn places_of<'a>(
    outline: &'a FileOutline<'_>,
    line: u32,
    name: &'a str,
) -> impl Iterator<Item = &'a str> {
    let code = outline.line(line);
    let is_it = move |word: &&CodeWord<'_>| word.text == name && word.how != WordUse::Key;
    let words = outline.words_at(line).iter().filter(is_it);
    words.filter_map(move |word| {
        // A word is a piece of its line.
        let at = (word.text.as_ptr() as usize).wrapping_sub(code.as_ptr() as usize);
        code.get(..at)
    })
}

fn called_on(outline: &FileOutline<'_>, text: &str, line: u32, before: &str) -> Vec<CalledOn> {
    if asks_parent(outline.language(), before) {
        let own = own_type(outline, text, line).into_iter();
        let parent = |typed| CalledOn {
            typed,
            is_parent: true,
        };
        return own.map(parent).collect();
    }
    let Some(typed) = spelled_type(outline, text, line, before) else {
        return Vec::new();
    };
    let last = typed.rsplit(['.', ':']).next().unwrap_or_default();
    let bounds = bounds_of(outline, line, last);
    let types = match bounds.is_empty() {
        true => vec![original_of(outline, last)],
        false => bounds,
    };
    let plain = |typed| CalledOn {
        typed,
        is_parent: false,
    };
    types.into_iter().map(plain).collect()
}

/// `super().`, `super(A, self).`, `parent::`, `base.`.
fn asks_parent(language: Language, before: &str) -> bool {
    let Some(held) = ["?.", ".", "::"]
        .iter()
        .find_map(|sign| before.strip_suffix(sign))
    else {
        return false;
    };
    let called = held
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('));
    let held = called.map_or(held, |(name, _)| name);
    let word = match language {
        Language::CSharp => "base",
        Language::Php => "parent",
        _ => "super",
    };
    let at = held.len().checked_sub(word.len());
    at.is_some_and(|at| held.ends_with(word) && is_whole_word(held.as_bytes(), at, held.len()))
}

/// The type before a name as the file spells it, its module before it.
fn spelled_type(outline: &FileOutline<'_>, text: &str, line: u32, before: &str) -> Option<String> {
    let language = outline.language();
    let is_type = |word: &str| word.starts_with(char::is_uppercase);
    match qualifier_before(before) {
        Qualifier::Nothing => is_of_this(language)
            .then(|| own_type(outline, text, line))
            .flatten(),
        Qualifier::Other => type_of_made(language, before_dot(before)?).map(str::to_owned),
        Qualifier::Path(words, _) if words.len() == 2 && is_own_value(outline, line, words[0]) => {
            type_of_field(outline, text, line, words[1]).map(str::to_owned)
        }
        Qualifier::Path(words, _) if words.len() == 1 => {
            let held = || held_type(outline, text, line, words[0]);
            let typed = || type_of_word(outline, text, line, words[0]).map(str::to_owned);
            // An object of a script is called as values are.
            let is_brought = || {
                let mut names = outline.imported_names().iter();
                language == Language::Script && names.any(|one| one.local == words[0])
            };
            let is_named = || is_type(words[0]) || is_brought();
            let own_name = || is_named().then(|| words[0].to_owned());
            held().or_else(typed).or_else(own_name)
        }
        Qualifier::Path(words, _) => {
            let last = words.last().filter(|last| is_type(last))?;
            Some((*last).to_owned())
        }
    }
}

/// The name that a type has where it comes from.
fn original_of(outline: &FileOutline<'_>, typed: &str) -> String {
    let mut names = outline.imported_names().iter();
    let brought = names.find(|one| one.local == typed);
    match brought.map(|one| &one.item) {
        Some(ImportedItem::Named(original)) => original.clone(),
        _ => typed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_the_parent_is_told_from_who_asks_a_value() {
        use Language::{CSharp, Java, Php, Python};
        for (language, before, is_it) in [
            (Python, "        return super().", true),
            (Python, "        return super(Own, self).", true),
            (Python, "        return get_super().", false),
            (Java, "    return super.", true),
            (Php, "    return parent::", true),
            (CSharp, "    return base.", true),
            (CSharp, "    return database.", false),
            (Java, "    return ", false),
        ] {
            assert_eq!(asks_parent(language, before), is_it, "{before}");
        }
    }
}
