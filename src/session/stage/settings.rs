//! `config/debate.jsonc`: intensity, rounds, roles and models.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::StageError;
use crate::council::plan::{Intensity, IntensityProfile};

/// The model of a role that names none, in a stage that names none.
const FALLBACK_MODEL: &str = "sonnet";

/// One role of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StageRole {
    /// Its name, e.g. `Risk Analyst`.
    pub name: String,
    /// What it is told beside the stage's context.
    pub directive: String,
    /// Role → stage default → "sonnet".
    pub model: String,
    /// Whether neither the role nor the stage names it.
    pub by_default: bool,
}

impl StageRole {
    /// The name in files: lower case, `[a-z0-9-]`.
    pub(crate) fn slug(&self) -> String {
        let plain = self.name.chars().map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        });
        let text: String = plain.collect();
        text.split('-')
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("-")
    }
}

/// Everything that the settings say of one stage.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StageSettings {
    /// How much is debated.
    pub intensity: Intensity,
    /// Rounds and agents.
    pub profile: IntensityProfile,
    /// Contention at or above which another round runs; 0 to 1.
    pub threshold: f64,
    pub roles: Vec<StageRole>,
    /// The names of further roles, for which the intensity has no seat.
    pub left_out: Vec<String>,
    /// What whoever writes the final document has to keep to: the stage's own rules, else those of the project.
    pub synthesis_rules: Vec<String>,
}

#[derive(Deserialize)]
struct SettingsFile {
    debate: RawDebate,
}

#[derive(Deserialize)]
struct RawDebate {
    #[serde(default)]
    intensity_profiles: BTreeMap<String, RawProfile>,
    #[serde(default)]
    dynamic_rounds: RawRounds,
    stage_roles: BTreeMap<String, RawStage>,
    #[serde(default)]
    synthesis_rules: Option<RawRules>,
}

/// Rules as people write them: one text, a list, or a list with names.
#[derive(Deserialize)]
#[serde(untagged)]
enum RawRules {
    Text(String),
    List(Vec<String>),
    Named(BTreeMap<String, serde_json::Value>),
}

impl RawRules {
    fn into_lines(self) -> Vec<String> {
        match self {
            Self::Text(text) => vec![text],
            Self::List(rules) => rules,
            Self::Named(rules) => rules
                .into_iter()
                .map(|(name, rule)| name_rule(&name, &rule))
                .collect(),
        }
    }
}

fn name_rule(name: &str, rule: &serde_json::Value) -> String {
    match rule.as_str() {
        Some(text) => format!("{name}: {text}"),
        None => format!("{name}: {rule}"),
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawProfile {
    min_rounds: Option<u8>,
    max_rounds: Option<u8>,
    agent_count: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawRounds {
    contention_threshold: Option<f64>,
}

#[derive(Deserialize)]
struct RawStage {
    #[serde(default)]
    intensity: Option<Intensity>,
    #[serde(default)]
    default_model: Option<String>,
    #[serde(default)]
    synthesis_rules: Option<RawRules>,
    roles: Vec<RawRole>,
}

#[derive(Deserialize)]
struct RawRole {
    name: String,
    #[serde(default)]
    directive: String,
    #[serde(default)]
    model: Option<String>,
}

impl StageSettings {
    /// Reads the settings of `stage` from JSON with comments (and trailing commas); `file` is named in errors, `asked`
    /// is the intensity of a flag.
    pub(crate) fn parse(
        text: &str,
        file: &Path,
        stage: &str,
        asked: Option<Intensity>,
    ) -> Result<Self, StageError> {
        let syntax = |cause: String| StageError::Syntax {
            file: file.into(),
            cause,
        };
        let value: serde_json::Value =
            jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
                .map_err(|e| syntax(e.to_string()))?;
        let SettingsFile { mut debate } =
            serde_json::from_value(value).map_err(|e| syntax(e.to_string()))?;
        let own_rules = debate
            .stage_roles
            .get_mut(stage)
            .and_then(|raw| raw.synthesis_rules.take());
        let rules = own_rules.or_else(|| debate.synthesis_rules.take());
        let Some(raw) = debate.stage_roles.get(stage) else {
            let known = debate
                .stage_roles
                .keys()
                .map(|k| format!("`{k}`"))
                .collect::<Vec<_>>()
                .join(", ");
            return Err(StageError::UnknownStage {
                file: file.into(),
                stage: stage.into(),
                known,
            });
        };
        let intensity = asked.or(raw.intensity).unwrap_or(Intensity::Standard);
        let settings = Self {
            left_out: Vec::new(),
            synthesis_rules: rules.map_or_else(Vec::new, RawRules::into_lines),
            intensity,
            profile: resolve_profile(intensity, debate.intensity_profiles.get(intensity.as_str())),
            threshold: debate.dynamic_rounds.contention_threshold.unwrap_or(0.5),
            roles: raw
                .roles
                .iter()
                .map(|role| with_model(role, raw.default_model.as_deref()))
                .collect(),
        };
        settings.validated(file)
    }

    fn validated(mut self, file: &Path) -> Result<Self, StageError> {
        let wrong = |what: String| {
            Err(StageError::Value {
                file: file.into(),
                what,
            })
        };
        if self.roles.is_empty() {
            return wrong("the stage has no roles: name at least one".into());
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            return wrong(format!(
                "contention_threshold is {}: it lies between 0 and 1",
                self.threshold
            ));
        }
        if self.profile.min_rounds > self.profile.max_rounds {
            let IntensityProfile {
                min_rounds,
                max_rounds,
                ..
            } = self.profile;
            return wrong(format!(
                "min_rounds is {min_rounds}, above max_rounds, which is {max_rounds}"
            ));
        }
        let mut slugs: Vec<String> = self.roles.iter().map(StageRole::slug).collect();
        slugs.sort();
        if slugs.iter().any(String::is_empty) || slugs.windows(2).any(|pair| pair[0] == pair[1]) {
            return wrong(
                "two roles share a name, or one has none: each writes a file of its own".into(),
            );
        }
        let seated = self.roles.len().min(self.profile.agents);
        let further = self.roles.split_off(seated);
        self.left_out = further.into_iter().map(|role| role.name).collect();
        Ok(self)
    }
}

fn with_model(role: &RawRole, stage: Option<&str>) -> StageRole {
    let named = role.model.as_deref().or(stage);
    let model = named.unwrap_or(FALLBACK_MODEL);
    StageRole {
        by_default: named.is_none(),
        name: role.name.clone(),
        directive: role.directive.clone(),
        model: model.to_owned(),
    }
}

/// The file's numbers over ours, within 1 to 5 rounds. Light stays one round whatever the file's minimum says.
fn resolve_profile(intensity: Intensity, raw: Option<&RawProfile>) -> IntensityProfile {
    let own = intensity.profile();
    let Some(raw) = raw else { return own };
    let agents = raw.agent_count.unwrap_or(own.agents).clamp(1, 12);
    if intensity == Intensity::Light {
        return IntensityProfile { agents, ..own };
    }
    IntensityProfile {
        min_rounds: raw.min_rounds.unwrap_or(own.min_rounds).clamp(1, 5),
        max_rounds: raw.max_rounds.unwrap_or(own.max_rounds).clamp(1, 5),
        agents,
    }
}
