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
    let join = |part: fn(&str) -> String, sign: &str| {
        let parts: Vec<String> = parts.iter().map(|one| part(one)).collect();
        parts.join(sign)
    };
    let relaxed = [spelling::kebab, spelling::camel, spelling::snake];
    let mut spelled: Vec<String> = relaxed.map(|part| join(part, ".")).into();
    spelled.push(path.to_owned());
    let variables = [spelling::snake, spelling::plain].map(|part| join(part, "_").to_uppercase());
    let field = parts.last().map(|last| spelling::camel(last));
    let field = field.filter(|field| !words::is_common(field) && parts.len() > 1);
    let bound = Reader::Bound(parts.iter().map(|part| spelling::plain(part)).collect());
    let placeholders = spelled
        .into_iter()
        .map(|text| read_name(&text, reason, Reader::Placeholder));
    let variables = variables
        .into_iter()
        .filter(|name| name.contains('_'))
        .map(|text| read_name(&text, reason, Reader::Variable));
    let field = field.map(|field| read_name(&field, reason, bound));
    placeholders.chain(variables).chain(field).collect()
}

/// The values of settings by their paths; one that several profiles of a file have is all of theirs.
pub(super) fn values_of(path: &str, text: &str) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    let mut add = |path: String, value: &str| {
        let known: &mut String = values.entry(path).or_default();
        known.push('\n');
        known.push_str(value.trim());
    };
    match path.ends_with(".properties") {
        true => read_properties(text, &mut add),
        false => read_yaml(text, &mut add),
    }
    values
}

fn read_properties(text: &str, add: &mut impl FnMut(String, &str)) {
    let lines = text.lines().map(str::trim_start);
    for line in lines.filter(|line| !line.starts_with(['#', '!'])) {
        if let Some((key, value)) = line.split_once(['=', ':']) {
            add(without_index(key.trim()).to_owned(), value);
        }
    }
}

/// `hosts[0]` is a value of `hosts`.
fn without_index(key: &str) -> &str {
    key.split('[').next().unwrap_or(key)
}

fn read_yaml(text: &str, add: &mut impl FnMut(String, &str)) {
    let mut holding: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.starts_with("---") {
            holding.clear();
        }
        if code.is_empty() || code.starts_with(['#', '-']) && !code.starts_with("- ") {
            continue;
        }
        let entry = (!code.starts_with("- ")).then(|| entry_of(code)).flatten();
        let Some((key, value)) = entry else {
            // An item of a list, or a line of a text.
            if let Some((_, path)) = holding.last() {
                add(path.clone(), code);
            }
            continue;
        };
        holding.retain(|(other, _)| *other < indent);
        let path = match holding.last() {
            Some((_, parent)) => format!("{parent}.{key}"),
            None => key.to_owned(),
        };
        if !value.is_empty() {
            add(path.clone(), value);
        }
        holding.push((indent, path));
    }
}

/// `key: value`, the value without a comment behind it.
fn entry_of(code: &str) -> Option<(&str, &str)> {
    let at = code
        .find(": ")
        .or(code.trim_end().strip_suffix(':').map(str::len))?;
    let (key, value) = (code[..at].trim_matches(['"', '\'']), code[at + 1..].trim());
    let value = value.split(" #").next().unwrap_or(value);
    let is_key = !key.is_empty() && !key.contains([' ', '{', '$']);
    let value = if value.starts_with('#') { "" } else { value };
    is_key.then_some((key, value))
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

/// What the classes of a file say that their settings begin with: `@ConfigurationProperties(prefix = "shop.retry")`.
fn prefixes_of(text: &str) -> impl Iterator<Item = Vec<String>> {
    let mut pieces = text.split("@ConfigurationProperties");
    pieces.next();
    pieces.filter_map(|piece| {
        let (given, _) = piece.strip_prefix('(')?.split_once(')')?;
        let prefix = given.split('"').nth(1)?;
        Some(prefix.split('.').map(spelling::plain).collect())
    })
}

/// Whether a field may be the last part of a path below a prefix: a class within names the parts between them.
fn is_above(prefix: &[String], path: &[String], text: &str) -> bool {
    let rest = path.strip_prefix(prefix).and_then(<[String]>::split_last);
    rest.is_some_and(|(_, between)| {
        let is_named = |part: &String| text.to_lowercase().contains(part.as_str());
        between.iter().all(is_named)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_values_are_read_from_settings() {
        let yaml = "# of the shop\nshop:\n  retry: # often\n    max-attempts: 5 # times\n    hosts:\n      - a\n      - \
                    b\n  \"note\": |\n    said: so\n---\nshop.name: x\nurl: http://x:80\n";
        let values = values_of("application.yml", yaml);
        let one = |path: &str| values.get(path).map(|value| value.trim().to_owned());
        assert_eq!(one("shop.retry.max-attempts").as_deref(), Some("5"));
        assert_eq!(one("shop.retry.hosts").as_deref(), Some("- a\n- b"));
        assert_eq!(one("shop.name").as_deref(), Some("x"));
        assert_eq!(one("url").as_deref(), Some("http://x:80"));
        assert!(!values.contains_key("shop.retry"), "{values:?}");
        let properties =
            "! of the shop\nshop.hosts[0]=a\nshop.hosts[1] = b\n# x=1\nshop.port: 80\n";
        let values = values_of("application-dev.properties", properties);
        let all: Vec<_> = values
            .iter()
            .map(|(path, value)| (path.as_str(), value.as_str()))
            .collect();
        assert_eq!(all, [("shop.hosts", "\na\nb"), ("shop.port", "\n80")]);
    }

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
