//! The imports that made a value: `con = sqlite3.connect(path)` has what `sqlite3` gives it.

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::definitions::DefinitionKind;
use super::super::handed::{hands_function, is_made_of_function};
use super::super::locals::{WordPlace, is_declared, place_of};
use super::super::made_by::{Chain, assigned_value, expression_before, read_chain};
use super::super::name_source::{ImportedFrom, NameSource};
use super::super::search::FileOutline;
use super::super::shadowed::names_parameters;
use super::super::value_types::type_of_word;
use super::super::words::WordUse;
use super::source::{before_dot, from_import, is_own_value, member_of, own_type};

/// A variable of a variable of a variable is not followed.
const MAX_DEPTH: usize = 3;

/// A file, and where a word stands in it.
pub(super) struct MadeValues<'o, 't> {
    pub(super) outline: &'o FileOutline<'t>,
    pub(super) path: &'o RepoPath,
    pub(super) text: &'o str,
}

impl MadeValues<'_, '_> {
    /// The imports that made the value whose member a name is; none: something else may have made it.
    pub(super) fn sources(&self, line: u32, before: &str, name: &str) -> Vec<NameSource> {
        let value = before_dot(before).map(expression_before);
        let chain = value.and_then(|value| read_chain(self.outline.language(), value));
        let made = chain.and_then(|chain| self.makers(line, &chain, 0));
        let made = made.unwrap_or_default().into_iter();
        made.map(|mut from| {
            from.steps.push(name.to_owned());
            NameSource::Made(from)
        })
        .collect()
    }

    fn makers(&self, line: u32, chain: &Chain<'_>, depth: usize) -> Option<Vec<ImportedFrom>> {
        let &[root, ref members @ ..] = chain.words.as_slice() else {
            return None;
        };
        if hands_function(self.outline, chain.given) {
            return None;
        }
        let brought = self.outline.imported_names().iter();
        let brought = brought.filter(|one| one.local == root);
        let brought: Vec<ImportedFrom> = brought
            .map(|one| from_import(self.path, one, members))
            .collect();
        if !brought.is_empty() {
            return Some(brought);
        }
        // What a method of a value gives may be anything: `session.first()` is a row of the tree's own type.
        if chain.is_called || depth >= MAX_DEPTH {
            return None;
        }
        if is_own_value(self.outline, line, root) {
            return match members {
                [field] => self.makers_of(&self.values_of_field(line, field)?, depth),
                _ => None,
            };
        }
        // Elsewhere anybody hangs anything on a value: `app.state.pool`.
        let has_members = members.is_empty() || has_own_members(self.outline.language());
        has_members.then(|| self.makers_of_word(line, root, depth))?
    }

    fn makers_of_word(&self, line: u32, word: &str, depth: usize) -> Option<Vec<ImportedFrom>> {
        let Some(typed) = type_of_word(self.outline, self.text, line, word) else {
            return self.makers_of(&self.values_of_word(line, word)?, depth);
        };
        if is_made_of_function(self.outline, self.text, typed) {
            return None;
        }
        let sources = member_of(self.outline, self.path, typed, word).into_iter();
        let from = sources.map(|source| match source {
            NameSource::From(from) => Some(from),
            _ => None,
        });
        from.collect::<Option<Vec<_>>>()
            .filter(|from| !from.is_empty())
    }

    /// The makers of all of these values: one that nothing is known of may be the one that is meant.
    fn makers_of(&self, values: &[(u32, &str)], depth: usize) -> Option<Vec<ImportedFrom>> {
        let language = self.outline.language();
        let made = values.iter().map(|(line, value)| {
            let chain = read_chain(language, value)?;
            self.makers(*line, &chain, depth + 1)
        });
        let made = made.collect::<Option<Vec<_>>>()?;
        (!made.is_empty()).then(|| made.concat())
    }

    /// What a variable is given, in its function, or in the file where it is none of that; none: it may be given more.
    fn values_of_word(&self, line: u32, word: &str) -> Option<Vec<(u32, &str)>> {
        let outline = self.outline;
        let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        let own = outline.outermost_function(line);
        if let Some(own) = own.filter(|_| outline.is_local(line, word)) {
            return self.values_on(number(own.head)..=number(own.end), word);
        }
        let is_of_file = |at: &u32| outline.outermost_function(*at).is_none();
        let lines = 1..=outline.last_line();
        self.values_on(lines.filter(is_of_file), word)
    }

    fn values_on(
        &self,
        lines: impl IntoIterator<Item = u32>,
        word: &str,
    ) -> Option<Vec<(u32, &str)>> {
        let outline = self.outline;
        let mut found = Vec::new();
        for line in lines {
            let code = outline.line(line);
            let words = outline.words_at(line).iter();
            for place in words.filter(|one| one.text == word && one.how == WordUse::Plain) {
                let place = place_of(code, place);
                if is_declared(outline.language(), place) || names_parameters(outline, line) {
                    found.push((line, assigned_value(place)?));
                }
            }
        }
        Some(found)
    }

    /// What a field of the type whose method a line stands in is given.
    fn values_of_field(&self, line: u32, field: &str) -> Option<Vec<(u32, &str)>> {
        let outline = self.outline;
        let owner = own_type(outline, self.text, line)?;
        let mut types = outline.definitions.iter();
        let holder = types.find(|one| one.kind == DefinitionKind::Type && one.name == owner)?;
        let mut found = Vec::new();
        for line in holder.head..=holder.end {
            let code = outline.line(line);
            let words = outline.words_at(line).iter();
            for place in words.filter(|one| one.text == field) {
                let place = place_of(code, place);
                if is_field(outline, holder.head, line, place) && is_set(place) {
                    found.push((line, assigned_value(place)?));
                }
            }
        }
        Some(found)
    }
}

/// Languages whose values have what their types declare, and nothing else.
pub(super) fn has_own_members(language: Language) -> bool {
    matches!(
        language,
        Language::Go
            | Language::Rust
            | Language::Java
            | Language::Kotlin
            | Language::Scala
            | Language::CSharp
    )
}

/// Whether a word is a field there: of the value whose method is running, or declared where no method is.
fn is_field(
    outline: &FileOutline<'_>,
    holder: u32,
    line: u32,
    (code, from, _): WordPlace<'_>,
) -> bool {
    const MODIFIERS: [&str; 8] = [
        "private",
        "protected",
        "public",
        "readonly",
        "static",
        "override",
        "val",
        "var",
    ];
    let before = code[..from].trim_start();
    let is_in_method = || {
        let around = outline.function_span(line);
        around.is_some_and(|span| span.head > holder as usize)
    };
    let mut words = before.split_whitespace();
    matches!(before, "self." | "this.")
        || (words.all(|word| MODIFIERS.contains(&word)) && !is_in_method())
}

fn is_set((code, _, to): WordPlace<'_>) -> bool {
    let behind = code[to..].trim_start();
    behind.starts_with('=') && !behind.starts_with("==")
}
