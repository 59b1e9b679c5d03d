//! The templates: one per message, built in, each overridable by the user's configuration.

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, UndefinedBehavior};

use crate::packet::sha256;

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("templates/", $name, ".md.j2")))),*]
    };
}

/// Name and text of each built-in template.
pub(crate) const TEMPLATES: &[(&str, &str)] = built_in![
    "brief",
    "guide",
    "rules",
    "method",
    "form",
    "answer",
    "echo",
    "lens",
    "review",
    "explored",
    "explorer",
    "debate-agreed",
    "debate-disagreed",
    "peers",
    "tests",
    "duel",
    "opening",
    "examine",
    "challenged",
    "message",
    "moderate",
    "ballot",
    "produce",
    "cross-review",
    "rebut",
    "synthesize",
    "mend",
    "reminder",
];

/// Why a prompt could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// The configuration names a template that does not exist.
    #[error(
        "there is no prompt template {name:?}; there are: {}",
        template_names()
    )]
    Unknown { name: String },
    /// A template does not parse, or uses something that it is not given.
    #[error("prompt template {name:?} cannot be used: {cause}")]
    Broken {
        name: String,
        /// What the engine says, with the line.
        cause: String,
    },
}

fn template_names() -> String {
    let names: Vec<_> = TEMPLATES.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// The templates of a run.
#[derive(Debug)]
pub(super) struct TemplateSet {
    engine: Environment<'static>,
    digest: String,
}

impl TemplateSet {
    /// The built-in templates, those of `overrides` (name → text) in their place.
    pub(super) fn new(overrides: &BTreeMap<String, String>) -> Result<Self, PromptError> {
        let unknown = overrides
            .keys()
            .find(|name| !TEMPLATES.iter().any(|(known, _)| known == name));
        if let Some(name) = unknown {
            return Err(PromptError::Unknown { name: name.clone() });
        }
        let mut engine = Environment::empty();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine.set_syntax(template_syntax("brief")?);
        let mut all = String::new();
        for (name, built_in) in TEMPLATES {
            let text = overrides.get(*name).map_or(*built_in, String::as_str);
            engine
                .add_template_owned(*name, text.to_owned())
                .map_err(|error| broken_template(name, &error))?;
            all.push_str(&format!("{name}\n{}\n{text}\n", text.len()));
        }
        Ok(Self {
            engine,
            digest: sha256(all.as_bytes()),
        })
    }

    /// SHA-256 of all templates as they are used, 64 hex digits.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// Renders a template; ends in one newline.
    pub(super) fn render(&self, name: &str, values: Value) -> Result<String, PromptError> {
        let template = self
            .engine
            .get_template(name)
            .map_err(|error| broken_template(name, &error))?;
        let mut text = template
            .render(values)
            .map_err(|error| broken_template(name, &error))?;
        text.truncate(text.trim_end().len());
        text.push('\n');
        Ok(text)
    }
}

/// Tags take their line with them, so that templates read as prose.
fn template_syntax(name: &str) -> Result<SyntaxConfig, PromptError> {
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    syntax
        .build()
        .map_err(|error| broken_template(name, &error))
}

fn broken_template(name: &str, error: &minijinja::Error) -> PromptError {
    let mut cause = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        cause = format!("{cause}: {inner}");
        source = inner.source();
    }
    PromptError::Broken {
        name: name.to_owned(),
        cause,
    }
}
