//! Settings of Spring: a key stands in `application.yml` by its parts, and elsewhere as a path that may be spelled
//! otherwise (`shop.retry.max-attempts`, `${shop.retry.maxAttempts}`, `SHOP_RETRY_MAX_ATTEMPTS`), or as the field of a
//! class that names only what stands before it.

use std::collections::BTreeMap;

use council_syntax::language::Language;

use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::super::words;
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;
use super::setting_keys::values_of;
use super::spelling;

/// A change of more keys is one of all settings.
const MAX_KEYS: usize = 60;

/// Whether a file holds settings of Spring.
pub(super) fn is_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_one = |stem: &str| {
        ["application", "bootstrap"].iter().any(|word| {
            stem.strip_prefix(word)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    };
    let ended = [".yml", ".yaml", ".properties"];
    let mut ended = ended.iter().filter_map(|end| name.strip_suffix(end));
    ended.any(is_one)
}

/// What reads the keys whose value the change edits or that it takes away; a parent that is renamed renames its children.
pub(super) fn edited_keys(sides: &[Option<ReadSide<'_>>; 2]) -> Vec<WantedName> {
    let values = |side: &Option<ReadSide<'_>>| match side {
        Some(side) => values_of(&side.path.display(), side.text),
        None => BTreeMap::new(),
    };
    let [before, now] = [values(&sides[0]), values(&sides[1])];
    let edited = before
        .iter()
        .filter(|(path, value)| now.get(*path) != Some(*value));
    edited
        .take(MAX_KEYS)
        .flat_map(|(path, _)| {
            let reason = match now.contains_key(path) {
                true => NameReason::Changed,
                false => NameReason::Removed,
            };
            names_of(path, reason)
        })
        .collect()
}

/// How a path of settings is read.
fn names_of(path: &str, reason: NameReason) -> Vec<WantedName> {
    let parts: Vec<&str> = path.split('.').collect();
    let relaxed = [spelling::kebab, spelling::camel, spelling::snake];
    let mut spelled: Vec<String> = relaxed.map(|part| joined(&parts, part, ".")).into();
    spelled.push(path.to_owned());
    let field = parts.last().map(|last| spelling::camel(last));
    let field = field.filter(|field| !words::is_common(field) && parts.len() > 1);
    let bound = Reader::Bound(parts.iter().map(|part| spelling::plain(part)).collect());
    let placeholders = spelled
        .into_iter()
        .map(|text| read_name(&text, reason, Reader::Placeholder));
    let field = field.map(|field| read_name(&field, reason, bound));
    let variables = variables_of(&parts, reason);
    placeholders.chain(variables).chain(field).collect()
}

fn joined(parts: &[&str], part: fn(&str) -> String, sign: &str) -> String {
    let parts: Vec<String> = parts.iter().map(|one| part(one)).collect();
    parts.join(sign)
}

/// The variables of the environment that set the value of a path.
pub(super) fn variables_of(parts: &[&str], reason: NameReason) -> impl Iterator<Item = WantedName> {
    let spelled = [spelling::snake, spelling::plain];
    let names = spelled.map(|part| joined(parts, part, "_").to_uppercase());
    let names = names.into_iter().filter(|name| name.contains('_'));
    names.map(move |text| read_name(&text, reason, Reader::Variable))
}

impl ReadingPlace<'_, '_> {
    /// Whether the path stands as a whole in `${…}` or in quotes.
    pub(super) fn is_placeholder(&self) -> bool {
        self.around().iter().any(|(before, behind)| {
            let is_begun = before.ends_with("${") || before.ends_with(['"', '\'']);
            is_begun && behind.starts_with(['}', ':', '"', '\''])
        })
    }

    /// Whether the variable stands anywhere but in a comment.
    pub(super) fn is_variable(&self) -> bool {
        !self.around().is_empty()
    }

    /// Whether the line declares the field that a class takes from a path of settings.
    pub(super) fn is_bound(&self, path: &[String]) -> bool {
        let binds = matches!(
            self.outline.language(),
            Language::Java | Language::Kotlin | Language::Scala
        );
        let is_declared = || {
            let in_function = self.outline.function_span(self.line).is_some();
            !in_function
                && self
                    .around()
                    .iter()
                    .any(|(before, _)| !before.ends_with('.'))
        };
        binds
            && is_declared()
            && prefixes_of(&self.file.text).any(|prefix| is_above(&prefix, path, &self.file.text))
    }
}

/// How a class says that settings fill it.
pub(super) const FILLED: &str = "@ConfigurationProperties";

/// What the classes of a file say that their settings begin with: `@ConfigurationProperties(prefix = "shop.retry")`.
pub(super) fn prefixes_of(text: &str) -> impl Iterator<Item = String> {
    let mut pieces = text.split(FILLED);
    pieces.next();
    pieces.filter_map(|piece| {
        let (given, _) = piece.strip_prefix('(')?.split_once(')')?;
        Some(given.split('"').nth(1)?.to_owned())
    })
}

/// Whether a field may be the last part of a path below a prefix: a class within names the parts between them.
fn is_above(prefix: &str, path: &[String], text: &str) -> bool {
    let prefix: Vec<String> = prefix.split('.').map(spelling::plain).collect();
    let rest = path
        .strip_prefix(prefix.as_slice())
        .and_then(<[String]>::split_last);
    rest.is_some_and(|(_, between)| {
        let is_named = |part: &String| text.to_lowercase().contains(part.as_str());
        between.iter().all(is_named)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_spring_are_told_by_their_names() {
        for path in [
            "application.yml",
            "src/main/resources/application-prod.properties",
            "bootstrap.yaml",
        ] {
            assert!(is_settings(path), "{path}");
        }
        for path in [
            "applications.yml",
            "config/app.yaml",
            "application.json",
            "application.yml.txt",
        ] {
            assert!(!is_settings(path), "{path}");
        }
    }
}
