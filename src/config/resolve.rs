//! Merges layers under their rights into one configuration.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use toml::{Table, Value};

use super::checkout::{CheckoutRule, CheckoutTrust, RaisedDemands};
use super::error::ConfigError;
use super::key::{ConfigKey, KeyPath, MergeRule};
use super::keys::KEYS;
use super::read::{Assignment, read_layer};
use super::settings::Settings;
use super::source::{ConfigLayer, LayerSource, SourceTrust, ValueOrigin};

/// The configuration of a run: what holds, and where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub settings: Settings,
    /// Every key that is set, in the order of [`KEYS`].
    pub entries: Vec<ResolvedKey>,
    /// What was found and not obeyed.
    pub notices: Vec<DisobeyedKey>,
}

/// One key that is set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResolvedKey {
    pub path: KeyPath,
    /// Durations in milliseconds, sizes in bytes.
    pub value: Value,
    /// Every layer's part, weakest first; the last one holds, or all of them where the key appends.
    pub parts: Vec<LayerPart>,
    /// How the parts combine.
    pub merge: MergeRule,
}

impl ResolvedKey {
    /// The parts that hold: the strongest one, or all of them where the key appends.
    pub(crate) fn effective_parts(&self) -> &[LayerPart] {
        match self.merge {
            MergeRule::Append => &self.parts,
            MergeRule::Replace => &self.parts[self.parts.len().saturating_sub(1)..],
        }
    }
}

/// What one layer says of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LayerPart {
    /// Its value, in its normal form.
    pub value: Value,
    /// Its value as it would be written in a file.
    pub shown: String,
    /// Where it stands.
    pub origin: ValueOrigin,
}

/// A value that a layer has no right to, and that no other layer gives.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DisobeyedKey {
    pub path: KeyPath,
    /// What it was set to.
    pub value: Value,
    /// Where it stands.
    pub origin: ValueOrigin,
}

impl std::fmt::Display for DisobeyedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, origin, .. } = self;
        let is_switch = origin.source.trust() >= SourceTrust::Repository;
        let is_user_only = ConfigKey::find(path).is_some_and(|key| key.needs == SourceTrust::User);
        let why = if is_switch {
            "your own configuration makes the push a gate. To open it, git config --global council.hook false"
        } else if is_user_only {
            "no repository may set it. Set it in your own configuration, ~/.config/git-council/config.toml or git config \
             --global"
        } else {
            "a change can only make its own review stricter. Set it in your own configuration or on the trusted branch. A review \
             that you start yourself obeys it with --trust-worktree; no hook and no CI job does"
        };
        write!(f, "`{path}` ({origin}) is ignored: {why}")
    }
}

/// Merges `layers` (in any order; [`Source`] says which is stronger) over the built-in values.
/// The checkout is followed where it makes the review stricter.
pub(crate) fn resolve_layers(layers: &[ConfigLayer]) -> Result<Config, ConfigError> {
    resolve_checkout(layers, CheckoutTrust::Stricter)
}

/// The same with a checkout that is followed so far.
pub(crate) fn resolve_checkout(
    layers: &[ConfigLayer],
    checkout: CheckoutTrust,
) -> Result<Config, ConfigError> {
    let mut assignments = built_in()?;
    for layer in layers {
        assignments.extend(read_layer(layer)?);
    }
    let has_worktree = |layer: &ConfigLayer| layer.source() == LayerSource::Worktree;
    if checkout == CheckoutTrust::Full && layers.iter().any(has_worktree) {
        assignments.retain(|assignment| !is_stood_in_for(assignment));
    }
    assignments.sort_by_key(|a| a.origin.source);
    let mut notices = Vec::new();
    let mut raised = RaisedDemands::default();
    let mut merged: BTreeMap<(usize, KeyPath), ResolvedKey> = BTreeMap::new();
    for assignment in assignments {
        let rank = KEYS
            .iter()
            .position(|key| key.name == assignment.key.name)
            .unwrap_or(KEYS.len());
        let held = merged.get(&(rank, assignment.path.clone()));
        let has_right = is_permitted(&assignment, checkout)?
            || assignment
                .key
                .checkout
                .is_stricter(&assignment.value, held.map(|entry| &entry.value));
        let is_demand = matches!(
            assignment.key.checkout,
            CheckoutRule::AtLeast | CheckoutRule::AddsSeats
        );
        if !has_right && is_demand && raised.take_up(assignment.key.name, &assignment.value) {
            continue;
        }
        if !has_right {
            let Assignment {
                path,
                value,
                origin,
                ..
            } = assignment;
            notices.push(DisobeyedKey {
                path,
                value,
                origin,
            });
            continue;
        }
        let Assignment {
            path,
            key,
            value,
            origin,
        } = assignment;
        let part = LayerPart {
            shown: key.kind.show_value(&value),
            value,
            origin,
        };
        let fresh = || ResolvedKey {
            path: path.clone(),
            value: Value::Array(Vec::new()),
            parts: Vec::new(),
            merge: key.merge,
        };
        merged
            .entry((rank, path.clone()))
            .or_insert_with(fresh)
            .add_part(part);
    }
    let mut entries: Vec<ResolvedKey> = merged.into_values().collect();
    notices.extend(keep_gate_shut(&mut entries));
    notices.retain(|notice| !already_said(&entries, notice));
    let mut settings = build_settings(&entries)?;
    settings.review.raised = raised;
    Ok(Config {
        settings,
        entries,
        notices,
    })
}

impl ResolvedKey {
    /// Where the value that holds stands (of the strongest part).
    pub(crate) fn origin(&self) -> Option<&ValueOrigin> {
        self.parts.last().map(|part| &part.origin)
    }

    fn add_part(&mut self, part: LayerPart) {
        match (&mut self.value, &part.value, self.merge) {
            (Value::Array(all), Value::Array(more), MergeRule::Append) => {
                all.extend(more.iter().cloned())
            }
            (value, new, _) => *value = new.clone(),
        }
        self.parts.push(part);
    }
}

impl Config {
    /// Where the trusted branch's file switches hooks off; none: it does not, or it was the user.
    pub(crate) fn hook_switch(&self) -> Option<&ValueOrigin> {
        let origin = self.entry("hook.enabled")?.origin()?;
        let is_off = !self.settings.hook.enabled && origin.source == LayerSource::Repository;
        is_off.then_some(origin)
    }

    /// The entry of a key, if it is set.
    pub(crate) fn entry(&self, dotted: &str) -> Option<&ResolvedKey> {
        let path = KeyPath::parse(dotted);
        self.entries.iter().find(|entry| entry.path == path)
    }
}

/// Whether the layer may set the key. A `council.toml` with a key that only a user may set is refused: whoever merged it
/// would stop every review. In `.git/config` such a key is passed over like all that has no right there: a word too few of
/// `git config`, or an archive with a `.git`, must not stop every command.
fn is_permitted(assignment: &Assignment, checkout: CheckoutTrust) -> Result<bool, ConfigError> {
    let has = match (assignment.origin.source.trust(), checkout) {
        (SourceTrust::Checkout, CheckoutTrust::Full) => SourceTrust::Repository,
        (trust, _) => trust,
    };
    let needs = assignment.key.needs;
    match needs {
        _ if has >= needs => Ok(true),
        SourceTrust::User if assignment.origin.source == LayerSource::GitLocal => Ok(false),
        SourceTrust::User => Err(ConfigError::Forbidden {
            key: assignment.path.to_string(),
            origin: assignment.origin.clone(),
        }),
        SourceTrust::Repository | SourceTrust::Checkout => Ok(false),
    }
}

/// Whoever makes the push a gate means it to stay one: a weaker layer, such as the trusted branch's file, does not
/// switch the hook off behind it.
fn keep_gate_shut(entries: &mut [ResolvedKey]) -> Option<DisobeyedKey> {
    let find = |name: &str| {
        let path = KeyPath::parse(name);
        entries.iter().position(|entry| entry.path == path)
    };
    let (mode, enabled) = (find("hook.mode")?, find("hook.enabled")?);
    let gate = entries[mode].origin()?.source;
    let is_gate = entries[mode].value.as_str() == Some("gate");
    let switch = &mut entries[enabled];
    let by = switch.origin()?.source;
    let is_weaker = by < gate && by.trust() < SourceTrust::User;
    if !is_gate || switch.value.as_bool() != Some(false) || !is_weaker {
        return None;
    }
    let path = switch.path.clone();
    let part = switch.parts.pop()?;
    switch.value = switch.parts.last()?.value.clone();
    let LayerPart { value, origin, .. } = part;
    Some(DisobeyedKey {
        path,
        value,
        origin,
    })
}

/// The file of a checkout that is followed in full stands in the place of the trusted branch's, so that a branch can try a
/// setting before it is merged.
fn is_stood_in_for(assignment: &Assignment) -> bool {
    assignment.origin.source == LayerSource::Repository
}

/// Whether a layer that has the right says the same, as the worktree's copy of the trusted file does.
fn already_said(entries: &[ResolvedKey], notice: &DisobeyedKey) -> bool {
    let entry = entries.iter().find(|entry| entry.path == notice.path);
    // A default that the trusted side changed is no more what holds: to ask for it again is news.
    let is_set = |part: &LayerPart| part.origin.source != LayerSource::BuiltIn;
    entry.is_some_and(|entry| {
        let mut set = entry.parts.iter().filter(|part| is_set(part));
        entry.value == notice.value || set.any(|part| part.value == notice.value)
    })
}

/// The built-in values.
// A command resolves its configuration about four times, and reading them was 10 % of the instructions of a small review.
fn built_in() -> Result<Vec<Assignment>, ConfigError> {
    static READ: OnceLock<Vec<Assignment>> = OnceLock::new();
    match READ.get() {
        Some(read) => Ok(read.clone()),
        None => {
            let read = read_built_in()?;
            Ok(READ.get_or_init(|| read).clone())
        }
    }
}

fn read_built_in() -> Result<Vec<Assignment>, ConfigError> {
    let mut text = String::new();
    for key in KEYS {
        if let Some(default) = key.default {
            text.push_str(&format!("{} = {default}\n", key.name));
        }
    }
    let layer = ConfigLayer::File {
        source: LayerSource::BuiltIn,
        name: String::new(),
        text,
    };
    let mut assignments = read_layer(&layer)?;
    for assignment in &mut assignments {
        assignment.origin.place.clear();
    }
    Ok(assignments)
}

fn build_settings(entries: &[ResolvedKey]) -> Result<Settings, ConfigError> {
    let mut root = Table::new();
    for entry in entries {
        insert_path(&mut root, &entry.path.0, entry.value.clone());
    }
    Settings::deserialize(root).map_err(|error| ConfigError::Conflict {
        message: format!("the configuration does not fit together: {}", error.message()),
        hint: "this is a fault of git-council; please report it with `git council config --show-origin`".to_owned(),
    })
}

fn insert_path(table: &mut Table, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => {
            table.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let inner = table
                .entry(first.clone())
                .or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(inner) = inner {
                insert_path(inner, rest, value);
            }
        }
    }
}
