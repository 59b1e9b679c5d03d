//! Where a name on a line of code comes from, as far as the imports of its file and what it stands behind say it.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::definitions::DefinitionKind;
use super::super::handed::is_made_of_function;
use super::super::import_names::name::{DEFAULT, ImportedItem, ImportedName};
use super::super::name_source::{ImportedFrom, NameSource};
use super::super::search::FileOutline;
use super::super::value_types::{is_of_this, type_of_field, type_of_made, type_of_word};
use super::super::wanted::{NameReason, WantedName};
use super::super::words::{CodeWord, WordUse, is_name};
use super::bounds::bounds_of;
use super::globals::{is_global, is_parameter_of_types};
use super::made_values::{MadeValues, has_own_members};
use super::returned::returned_by;

/// The sources of the names that a change uses.
#[derive(Debug, Default)]
pub(in crate::sight) struct NameSources(BTreeMap<String, BTreeSet<NameSource>>);

impl NameSources {
    /// Reads the names of lines.
    pub(in crate::sight) fn collect(
        &mut self,
        outline: &FileOutline<'_>,
        (path, text): (&RepoPath, &str),
        lines: &[u32],
    ) {
        for &line in lines {
            for word in outline.words_at(line) {
                let sources = sources_of(outline, (path, text), line, word);
                if !sources.is_empty() {
                    let known = self.0.entry(word.text.to_owned()).or_default();
                    known.extend(sources);
                }
            }
        }
    }

    /// What the file imports by names of its own, under the names that it has elsewhere.
    pub(in crate::sight) fn originals(
        &self,
        reason_of: impl Fn(&str) -> NameReason,
    ) -> Vec<WantedName> {
        let all = self.0.iter();
        let all = all.flat_map(|(name, sources)| sources.iter().map(move |source| (name, source)));
        let original = |(name, source): (&String, &NameSource)| {
            let NameSource::From(from) = source else {
                return None;
            };
            let original = from.steps.last()?;
            (original != name && original != DEFAULT).then(|| WantedName {
                definition: true,
                uses: false,
                sources: [source.clone()].into(),
                imported_as: Some(name.clone()),
                ..WantedName::new(original, reason_of(name))
            })
        };
        all.filter_map(original).collect()
    }

    pub(in crate::sight) fn of(&self, name: &str) -> BTreeSet<NameSource> {
        self.0.get(name).cloned().unwrap_or_default()
    }
}

/// Where a name comes from at each of its places on a line.
pub(in crate::sight) fn sources_on(
    outline: &FileOutline<'_>,
    (path, text): (&RepoPath, &str),
    line: u32,
    name: &str,
) -> Vec<NameSource> {
    let words = outline.words_at(line).iter();
    let words = words.filter(|word| word.text == name);
    words
        .flat_map(|word| sources_of(outline, (path, text), line, word))
        .collect()
}

/// The sources of one word: several where a file imports a name in two ways (`try: import a`, `except: import b`), none
/// where it is defined or only a part of what is imported.
fn sources_of(
    outline: &FileOutline<'_>,
    (path, text): (&RepoPath, &str),
    line: u32,
    word: &CodeWord<'_>,
) -> Vec<NameSource> {
    let language = outline.language();
    let code = outline.line(line);
    // A word is a piece of its line.
    let at = (word.text.as_ptr() as usize).wrapping_sub(code.as_ptr() as usize);
    let Some(before) = code.get(..at).filter(|_| word.how != WordUse::Key) else {
        return vec![NameSource::Unknown];
    };
    let names = outline.imported_names();
    let bring = |local: &str, behind: &[&str]| {
        let brought = names.iter().filter(|one| one.local == local);
        brought
            .map(|one| NameSource::From(from_import(path, one, behind)))
            .collect::<Vec<_>>()
    };
    let name = word.text;
    if outline.is_import(line) {
        let brought = bring(name, &[]);
        let is_original = |one: &&ImportedName| one.item == ImportedItem::Named(name.to_owned());
        let originals = || {
            let originals = names.iter().filter(is_original);
            originals
                .map(|one| NameSource::From(from_import(path, one, &[])))
                .collect()
        };
        return if brought.is_empty() {
            originals()
        } else {
            brought
        };
    }
    if outline.defines(name, line) {
        return Vec::new();
    }
    let found = match qualifier_before(before) {
        Qualifier::Nothing => {
            let found = bring(name, &[]);
            let is_own = found.is_empty() && word.how == WordUse::Called && is_of_this(language);
            let own = || own_type(outline, text, line).map(|own| vec![member(path, own)]);
            let bare = || match is_global(outline, line, name, &code[at + name.len()..]) {
                true => vec![NameSource::Global],
                false => vec![NameSource::Bare],
            };
            return match found.is_empty() {
                true => is_own.then(own).flatten().unwrap_or_else(bare),
                false => found,
            };
        }
        Qualifier::Other => {
            let made = before_dot(before).and_then(|made| type_of_made(language, made));
            made.map_or_else(Vec::new, |made| member_of(outline, path, made, name))
        }
        Qualifier::Path(words, _) if words.len() == 1 && bring(words[0], &[]).is_empty() => {
            let owner = held_type(outline, text, line, words[0]);
            let typed = || type_of_word(outline, text, line, words[0]);
            match (owner, language) {
                (Some(owner), _) => vec![member(path, owner)],
                (None, Language::Rust) if before.ends_with("::") => rust_path(path, &words, name),
                (None, _) => {
                    let found = typed().map(|typed| {
                        let found = member_of(outline, path, typed, name);
                        match is_made_of_function(outline, text, typed) {
                            true => found.into_iter().map(NameSource::handed).collect(),
                            false => found,
                        }
                    });
                    found.unwrap_or_default()
                }
            }
        }
        Qualifier::Path(words, _) if words.len() == 2 && is_own_value(outline, line, words[0]) => {
            let typed = type_of_field(outline, text, line, words[1]);
            let bounds = typed.map(|typed| bounds_of(outline, line, typed));
            let bounds = bounds.filter(|bounds| !bounds.is_empty());
            let types = bounds.or_else(|| Some(vec![typed?.to_owned()]));
            let types = types.unwrap_or_default().into_iter();
            types
                .flat_map(|typed| member_of(outline, path, &typed, name))
                .collect()
        }
        Qualifier::Path(words, is_path) => {
            let behind: Vec<&str> = words[1..].iter().copied().chain([name]).collect();
            let found = match language {
                Language::Rust if !is_path => Vec::new(),
                _ => bring(words[0], &behind),
            };
            match language {
                Language::Rust if is_path && found.is_empty() => rust_path(path, &words, name),
                _ => found,
            }
        }
    };
    if !found.is_empty() {
        return found;
    }
    let made = MadeValues {
        outline,
        path,
        text,
    };
    let made = made.sources(line, before, name);
    if !made.is_empty() {
        return made;
    }
    let returned = returned_by(outline, path, line, before);
    let unknown = || match stands_behind_value(outline, line, before) {
        true => NameSource::Value,
        false => NameSource::Unknown,
    };
    vec![returned.unwrap_or_else(unknown)]
}

/// Whether what is asked for a name is certainly a value, and no module.
fn stands_behind_value(outline: &FileOutline<'_>, line: u32, before: &str) -> bool {
    has_own_members(outline.language())
        && match qualifier_before(before) {
            Qualifier::Other => true,
            Qualifier::Path(words, _) => outline.is_local(line, words[0]),
            Qualifier::Nothing => false,
        }
}

fn member(path: &RepoPath, owner: String) -> NameSource {
    NameSource::Member(path.clone(), owner)
}

/// The type whose method a line stands in.
pub(super) fn own_type(outline: &FileOutline<'_>, text: &str, line: u32) -> Option<String> {
    outline.owner_of(text, outline.function_span(line)?)
}

/// The type that a word before a name stands for: the one whose method is running, or one that the file defines.
pub(super) fn held_type(
    outline: &FileOutline<'_>,
    text: &str,
    line: u32,
    word: &str,
) -> Option<String> {
    if is_own_value(outline, line, word) {
        return own_type(outline, text, line);
    }
    let mut types = outline.definitions.iter();
    let is_type = types.any(|one| one.name == word && outline.is_holder(one));
    is_type.then(|| word.to_owned())
}

/// Whether a word is the value whose method is running, or its type.
pub(super) fn is_own_value(outline: &FileOutline<'_>, line: u32, word: &str) -> bool {
    matches!(word, "self" | "this" | "Self" | "cls") || is_receiver(outline, line, word)
}

/// What stands before the sign that a text ends with, by which a value is asked for what it has.
pub(super) fn before_dot(before: &str) -> Option<&str> {
    let mut signs = ["?.", "!.", ".", "->"].iter();
    signs.find_map(|sign| before.strip_suffix(sign))
}

/// A member of a type as a file spells it: one of the file, of what it imports, or of its package.
pub(super) fn member_of(
    outline: &FileOutline<'_>,
    path: &RepoPath,
    typed: &str,
    name: &str,
) -> Vec<NameSource> {
    let parts: Vec<&str> = typed
        .split(['.', ':'])
        .filter(|part| !part.is_empty())
        .collect();
    let mut types = outline.definitions.iter();
    let is_own = types.any(|one| one.kind == DefinitionKind::Type && one.name == typed);
    if is_own {
        return vec![member(path, typed.to_owned())];
    }
    let behind: Vec<&str> = parts[1..].iter().copied().chain([name]).collect();
    let names = outline.imported_names().iter();
    let brought = names.filter(|one| one.local == parts[0]);
    let found: Vec<NameSource> = brought
        .map(|one| NameSource::From(from_import(path, one, &behind)))
        .collect();
    let last = parts.last().copied().unwrap_or(typed);
    // A script has a type that it does not import from the language, or from a file that declares it for all.
    let is_shared = sees_package(outline.language())
        || outline.language() == Language::Script && !is_parameter_of_types(outline, last);
    match found.is_empty() && is_shared {
        true => vec![member(path, last.to_owned())],
        false => found,
    }
}

/// Whether a file sees the types of others without an import of each.
fn sees_package(language: Language) -> bool {
    matches!(
        language,
        Language::Go
            | Language::Java
            | Language::Kotlin
            | Language::Scala
            | Language::CSharp
            | Language::C
            | Language::Php
            | Language::Swift
    )
}

/// Whether a function of Go calls the value so whose method it is: `func (word *T)`.
fn is_receiver(outline: &FileOutline<'_>, line: u32, word: &str) -> bool {
    let span = outline
        .function_span(line)
        .filter(|_| outline.language() == Language::Go);
    let head = span.and_then(|span| u32::try_from(span.head).ok());
    let head = head.map_or("", |head| outline.line(head));
    let receiver = head
        .strip_prefix("func (")
        .and_then(|rest| rest.strip_prefix(word));
    receiver.is_some_and(|rest| rest.starts_with(' '))
}

pub(super) fn from_import(path: &RepoPath, one: &ImportedName, behind: &[&str]) -> ImportedFrom {
    let mut steps = one.steps();
    steps.extend(behind.iter().map(|&step| step.to_owned()));
    ImportedFrom {
        file: path.clone(),
        module: one.module.clone(),
        steps,
    }
}

/// `crate::money::convert`, `std::fs::read`, `serde_json::from_str`: a path needs no import.
fn rust_path(path: &RepoPath, words: &[&str], name: &str) -> Vec<NameSource> {
    let is_module = words[0].starts_with(|c: char| c.is_lowercase());
    let steps = words[1..].iter().copied().chain([name]);
    let from = ImportedFrom {
        file: path.clone(),
        module: words[0].to_owned(),
        steps: steps.map(str::to_owned).collect(),
    };
    is_module
        .then_some(NameSource::From(from))
        .into_iter()
        .collect()
}

/// What a name stands behind.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Qualifier<'t> {
    Nothing,
    /// Names, and whether they are joined by `::`.
    Path(Vec<&'t str>, bool),
    /// The value of an expression.
    Other,
}

pub(super) fn qualifier_before(before: &str) -> Qualifier<'_> {
    let (mut rest, mut words, mut is_path) = (before, Vec::new(), true);
    loop {
        let is_spread = rest.ends_with("..");
        let held = ["::", "?.", "!.", ".", "->"]
            .iter()
            .find_map(|sign| Some((rest.strip_suffix(sign)?, *sign)));
        let Some((held, sign)) = held.filter(|_| !is_spread) else {
            break;
        };
        is_path &= sign == "::";
        // `Map<String, u8>::new`
        let held = match held.strip_suffix('>') {
            Some(generic) => generic.rsplit_once('<').map_or(generic, |(plain, _)| plain),
            None => held,
        };
        let held = held.strip_suffix("::").unwrap_or(held);
        let begin = held
            .char_indices()
            .rev()
            .take_while(|(_, c)| is_name(*c))
            .last();
        let Some((begin, _)) = begin else {
            return Qualifier::Other;
        };
        words.push(&held[begin..]);
        rest = &held[..begin];
    }
    words.reverse();
    match words.first() {
        None => Qualifier::Nothing,
        Some(first) if first.starts_with(|c: char| c.is_ascii_digit()) => Qualifier::Other,
        Some(_) => Qualifier::Path(words, is_path),
    }
}

#[cfg(test)]
mod laws {
    use super::*;

    #[test]
    fn what_a_name_stands_behind_is_read_from_its_line() {
        for (before, words) in [
            ("x = ", Some(&[][..])),
            ("return [...", Some(&[])),
            ("for i in 0..", Some(&[])),
            ("json.", Some(&["json"])),
            ("a = lib.money.", Some(&["lib", "money"])),
            ("crate::money::", Some(&["crate", "money"])),
            ("Map<String, u8>::", Some(&["Map"])),
            ("f(x)?.", None),
            ("make().", None),
            ("items[0].", None),
            (".", None),
        ] {
            let found = match qualifier_before(before) {
                Qualifier::Nothing => Some(Vec::new()),
                Qualifier::Path(words, _) => Some(words),
                Qualifier::Other => None,
            };
            assert_eq!(found.as_deref(), words, "{before}");
        }
    }
}
