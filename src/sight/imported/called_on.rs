//! The types that methods are called on, by their names.

use council_syntax::language::Language;

use super::super::definitions::{DefinitionKind, indent_of, last_word, without_generics};
use super::super::import_names::name::ImportedItem;
use super::super::search::{FileOutline, is_whole_word};
use super::super::value_types::{is_of_this, type_of_field, type_of_made, type_of_word};
use super::super::words::{CodeWord, WordUse};
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
            let own_name = || is_type(words[0]).then(|| words[0].to_owned());
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

/// What the types have to extend that a parameter of types stands for: `<S: Store>`, `<S extends Store>`, `[S Store]`,
/// `where S : Store`.
fn bounds_of(outline: &FileOutline<'_>, line: u32, typed: &str) -> Vec<String> {
    let mut types = outline.definitions.iter();
    let is_known = types.any(|one| one.kind == DefinitionKind::Type && one.name == typed)
        || outline
            .imported_names()
            .iter()
            .any(|one| one.local == typed);
    if is_known || typed.is_empty() {
        return Vec::new();
    }
    let heads = heads_around(outline, line).into_iter();
    let mut found = heads.map(|head| bounds_in(outline.language(), &head, typed));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// The heads of the functions and types around a line, each with the lines on which it goes on.
fn heads_around(outline: &FileOutline<'_>, line: u32) -> Vec<String> {
    const MAX_HEAD: u32 = 8;
    let functions = outline.functions_around(line);
    let mut heads: Vec<u32> = functions
        .filter_map(|span| u32::try_from(span.head).ok())
        .collect();
    heads.sort_by_key(|head| std::cmp::Reverse(*head));
    let types = outline
        .definitions
        .iter()
        .filter(|one| one.kind == DefinitionKind::Type && one.head < line && line <= one.end);
    heads.extend(types.map(|one| one.head));
    heads.extend(impl_above(outline, line));
    let joined = heads.into_iter().map(|head| {
        let mut text = String::new();
        for at in head..head.saturating_add(MAX_HEAD) {
            text.push_str(outline.line(at));
            text.push(' ');
            if text.contains('{') {
                break;
            }
        }
        text
    });
    joined.collect()
}

/// The `impl` of Rust that a line stands in: that of a type's own methods defines nothing.
fn impl_above(outline: &FileOutline<'_>, line: u32) -> Option<u32> {
    let mut above = (1..line)
        .rev()
        .filter(|_| outline.language() == Language::Rust);
    above.find(|&at| {
        let code = outline.line(at);
        let head = code.strip_prefix("unsafe ").unwrap_or(code);
        indent_of(code) == 0 && head.starts_with("impl")
    })
}

fn bounds_in(language: Language, head: &str, typed: &str) -> Vec<String> {
    let places = head.match_indices(typed).map(|(at, _)| at);
    let mut places = places.filter(|&at| is_whole_word(head.as_bytes(), at, at + typed.len()));
    let found = places.find_map(|at| {
        let behind = &head[at + typed.len()..];
        let bound = match language {
            Language::Go => head[..at]
                .contains('[')
                .then(|| behind.strip_prefix(' '))
                .flatten(),
            Language::Script | Language::Java => behind.trim_start().strip_prefix("extends "),
            Language::Rust | Language::Kotlin | Language::CSharp | Language::Swift => {
                behind.trim_start().strip_prefix(':')
            }
            Language::Scala => behind.trim_start().strip_prefix("<:"),
            _ => None,
        }?;
        let bound = without_generics(until_end(bound));
        let named = bound.split(['+', '&']).filter_map(last_word);
        let named: Vec<String> = named.collect();
        (!named.is_empty()).then_some(named)
    });
    found.unwrap_or_default()
}

/// The part of a text that ends with the list that it stands in, the generics of its types included.
fn until_end(text: &str) -> &str {
    let mut depth = 0_usize;
    let end = text.char_indices().find(|(_, c)| match c {
        '<' => {
            depth += 1;
            false
        }
        '>' if depth > 0 => {
            depth -= 1;
            false
        }
        c => depth == 0 && ">,{()]=".contains(*c),
    });
    end.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_tells_what_a_parameter_of_types_extends() {
        use Language::{CSharp, Go, Java, Kotlin, Rust, Script};
        for (language, head, bounds) in [
            (
                Rust,
                "fn show<S: store::Store + Send>(s: &S) -> u32 {",
                &["Store", "Send"][..],
            ),
            (
                Rust,
                "fn show<S>(s: &S) -> u32 where S: Store<u8>, {",
                &["Store"],
            ),
            (Rust, "fn show<S>(s: &S) -> u32 {", &[]),
            (
                Java,
                "<S extends Store & Closeable> int show(S s) {",
                &["Store", "Closeable"],
            ),
            (Script, "function show<S extends Store>(s: S) {", &["Store"]),
            (Kotlin, "fun <S : Store> show(s: S): Int {", &["Store"]),
            (CSharp, "int Show<S>(S s) where S : IStore {", &["IStore"]),
            (Go, "func show[S store.Store](s S) int {", &["Store"]),
        ] {
            assert_eq!(bounds_in(language, head, "S"), bounds, "{head}");
        }
    }

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
