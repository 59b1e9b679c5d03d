//! What a checkout may say of a review of itself: whatever makes it stricter, and nothing else.
//!
//! `council.toml` of the worktree may be part of the change under review, and `.git/config` may have come out of an archive.
//! Whoever wrote the change must not be able to turn a FAIL into anything milder with them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use toml::Value;

use super::settings::JudgeSettings;

/// What a value from a checkout does to a key that only the trusted side sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckoutRule {
    Never,
    /// It holds where it stands later in this list than what holds without it.
    Stricter(&'static [&'static str]),
    /// At least so many judges sit, or count.
    AtLeast,
    /// Perspectives sit beside those that sit anyway.
    AddsSeats,
}

/// How far the checkout is followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CheckoutTrust {
    /// Where it makes the review stricter.
    #[default]
    Stricter,
    /// Like the trusted branch, in whose place it stands: its user says that it is their own.
    Full,
}

/// What a checkout asks for beyond what holds without it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RaisedDemands {
    /// So many judges sit at least, as far as `limits.agents` lets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judges: Option<u32>,
    /// So many must count at least, as far as so many sit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// Perspectives that sit, too. Names alone: what they mean is the trusted side's to say.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub perspectives: BTreeSet<String>,
}

impl RaisedDemands {
    /// Whether the checkout asks for nothing more.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes up a value; false where it asks for something that a checkout cannot ask for.
    pub(super) fn take_up(&mut self, key: &str, value: &Value) -> bool {
        let number = value.as_integer().and_then(|n| u32::try_from(n).ok());
        match (key, number, value) {
            // One judge always sits, and one always counts: whoever asks for no more asks for less.
            ("review.judges" | "review.quorum", Some(1), _) => return false,
            ("review.judges", Some(judges), _) => self.judges = self.judges.max(Some(judges)),
            ("review.quorum", Some(quorum), _) => self.quorum = self.quorum.max(Some(quorum)),
            ("review.perspectives", _, Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                self.perspectives.extend(names.map(str::to_owned));
            }
            ("judge", _, Value::Array(seats)) => {
                let seats = seats.iter().cloned().map(Value::try_into);
                let seats: Result<Vec<JudgeSettings>, _> = seats.collect();
                return seats.is_ok_and(|seats| self.add_seats(seats));
            }
            _ => return false,
        }
        true
    }

    /// Who thinks for a judge is not the checkout's to say: it could name the one that finds nothing.
    fn add_seats(&mut self, seats: Vec<JudgeSettings>) -> bool {
        let is_plain = |seat: &JudgeSettings| seat.agent.is_none() && seat.model.is_none();
        let obeyed = seats.iter().all(is_plain);
        let plain = seats.into_iter().filter(is_plain);
        self.perspectives
            .extend(plain.filter_map(|seat| seat.perspective));
        obeyed
    }
}

impl CheckoutRule {
    /// Whether `value` is stricter than what holds without it.
    pub(super) fn is_stricter(self, value: &Value, held: Option<&Value>) -> bool {
        let Self::Stricter(words) = self else {
            return false;
        };
        let rank = |value: &Value| {
            let word = match value {
                Value::String(word) => word.as_str(),
                Value::Boolean(true) => "true",
                Value::Boolean(false) => "false",
                _ => return None,
            };
            words.iter().position(|known| *known == word)
        };
        // What is not set at all may be as strict as can be.
        let held = held.map_or(Some(words.len() - 2), rank);
        rank(value).zip(held).is_some_and(|(new, held)| new > held)
    }
}

#[cfg(test)]
mod laws {
    use std::collections::BTreeSet;

    use serde_json::Value as Json;

    use super::super::*;
    use super::CheckoutRule;

    /// Values that somebody who wants to get through would try, as a file has them.
    fn hostile_values(key: &ConfigKey) -> Vec<String> {
        let own = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
        match key.kind {
            ValueKind::Choice(words) => words.iter().map(|word| format!("{word:?}")).collect(),
            ValueKind::Count { least, most } => vec![
                least.to_string(),
                (least + 1).to_string(),
                most.min(64).to_string(),
            ],
            ValueKind::Switch => own(&["true", "false"]),
            ValueKind::Duration => own(&[r#""1ms""#, "0", r#""10h""#]),
            ValueKind::Bytes | ValueKind::BytesOrNone => own(&["0", "1", r#""1G""#]),
            ValueKind::Names | ValueKind::Models => own(&[r#"["tests"]"#, "[]", r#"["nobody"]"#]),
            ValueKind::Globs | ValueKind::Signers | ValueKind::Folders => {
                own(&[r#"["**"]"#, r#"["!**", "*.pem"]"#])
            }
            ValueKind::Name | ValueKind::Text | ValueKind::Model => own(&[r#""tests""#, r#""""#]),
            ValueKind::Judges => own(&[
                r#"[{ perspective = "tests" }]"#,
                r#"[{ perspective = "tests", agent = "builtin" }]"#,
                r#"[{ model = "weak" }]"#,
                "[]",
            ]),
            ValueKind::Command | ValueKind::Arguments => own(&[r#"["true"]"#]),
            ValueKind::EnvNames => own(&[r#"["HOME"]"#]),
            ValueKind::EnvName => own(&[r#""HOME""#]),
            ValueKind::File => own(&[r#""/dev/null""#]),
            ValueKind::Url => own(&[r#""http://127.0.0.1:9""#]),
            ValueKind::Money => own(&[r#""0""#, r#""9""#]),
            ValueKind::Table => own(&["{}", "{ a = 1 }"]),
        }
    }

    fn file(source: LayerSource, text: String) -> ConfigLayer {
        ConfigLayer::File {
            source,
            name: "council.toml".to_owned(),
            text,
        }
    }

    /// A key and its value as `git config` has them: no quotes, lists with commas.
    fn git_layer(name: &str, value: &str) -> ConfigLayer {
        let line: toml::Table = format!("x = {value}").parse().unwrap();
        let plain = match &line["x"] {
            toml::Value::String(text) => text.clone(),
            toml::Value::Array(parts) => {
                let texts = parts.iter().map(|part| part.as_str().unwrap_or_default());
                texts.collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        };
        ConfigLayer::Pairs {
            source: LayerSource::GitLocal,
            pairs: vec![KeyValue::new(name, plain, "here")],
        }
    }

    /// The places where two configurations differ.
    fn differences(a: &Json, b: &Json, at: &str, found: &mut BTreeSet<String>) {
        let (Json::Object(a), Json::Object(b)) = (a, b) else {
            if a != b {
                found.insert(at.to_owned());
            }
            return;
        };
        for name in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
            let null = Json::Null;
            let (a, b) = (a.get(name).unwrap_or(&null), b.get(name).unwrap_or(&null));
            differences(a, b, &format!("{at}/{name}"), found);
        }
    }

    fn resolved(layers: &[ConfigLayer]) -> Option<Json> {
        let config = resolve_layers(layers).ok()?;
        Some(serde_json::to_value(&config.settings).unwrap())
    }

    /// Whether the checkout altered nothing but the key itself, and to no milder word, or asks for something in
    /// addition.
    fn is_harmless(key: &ConfigKey, name: &str, held: &Json, with: &Json) -> bool {
        let mut found = BTreeSet::new();
        differences(held, with, "", &mut found);
        let field = format!("/{}", name.replace('.', "/"));
        let word = |settings: &Json| {
            let value = settings.pointer(&field).cloned().unwrap_or_default();
            value.as_str().map_or(value.to_string(), str::to_owned)
        };
        match key.checkout {
            CheckoutRule::Never => found.is_empty(),
            CheckoutRule::Stricter(words) => {
                let rank = |word: &str| words.iter().position(|known| *known == word);
                let (before, after) = (rank(&word(held)), rank(&word(with)));
                let is_milder = match (before, after) {
                    (Some(before), Some(after)) => after < before,
                    // A rule has a severity of its own: no word but the strictest is known to be no milder.
                    (None, Some(after)) => after + 1 < words.len(),
                    (_, None) => before != after,
                };
                found.iter().all(|place| *place == field) && !is_milder
            }
            CheckoutRule::AtLeast | CheckoutRule::AddsSeats => found
                .iter()
                .all(|place| place.starts_with("/review/raised")),
        }
    }

    /// What the trusted side says of a key beforehand: nothing, or any of its values.
    fn trusted_sides(key: &ConfigKey, name: &str) -> Vec<Vec<ConfigLayer>> {
        let source = match key.needs {
            SourceTrust::User => LayerSource::User,
            _ => LayerSource::Repository,
        };
        let lines = hostile_values(key).into_iter();
        let layers = lines.map(|value| vec![file(source, format!("{name} = {value}\n"))]);
        [Vec::new()]
            .into_iter()
            .chain(layers)
            .filter(|layers| resolved(layers).is_some())
            .collect()
    }

    /// Whatever a checkout says of whatever key, over whatever the trusted side says of it: settings are the same, or
    /// stricter in that key alone.
    #[test]
    fn no_value_of_a_checkout_makes_any_setting_milder() {
        let mut tried = 0;
        for key in KEYS {
            let name = key.name.replace('*', "private-key");
            for trusted in trusted_sides(key, &name) {
                let held = resolved(&trusted).unwrap();
                for value in hostile_values(key) {
                    let line = format!("{name} = {value}\n");
                    let layers = [
                        file(LayerSource::Worktree, line.clone()),
                        file(LayerSource::GitLocal, line.clone()),
                        git_layer(&name, &value),
                    ];
                    for layer in layers {
                        let all: Vec<_> = trusted.iter().cloned().chain([layer]).collect();
                        // What cannot be read at all is refused, or passed over as a whole.
                        let Some(with) = resolved(&all) else { continue };
                        tried += 1;
                        assert!(
                            is_harmless(key, &name, &held, &with),
                            "{all:#?} makes of {held:#} {with:#}"
                        );
                    }
                }
            }
        }
        assert!(tried > 1000, "{tried}");
    }
}
