//! The configuration of one command: the layers that it may see, merged.

use std::path::Path;

use crate::config::{
    CheckoutTrust, Config, ConfigLayer, KeyValue, LayerSource, resolve_checkout, resolve_layers,
};
use crate::git::{self, ConfigOrigin, ConfigValue, GitError, RepositoryPaths, TrustedTree};

use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::layers::{self, REPOSITORY_FILE};
use crate::run::request::CheckoutUse;
use crate::run::seats::check_rules;

/// What of a repository may speak.
pub(crate) struct ConfigSources<'a> {
    /// Where the repository lies, if there is one.
    pub(crate) place: Option<&'a RepositoryPaths>,
    /// Its trusted side.
    pub(crate) trusted: Option<&'a dyn TrustedTree>,
    /// How far the checkout is followed: not at all where strangers' changes are reviewed.
    pub(crate) checkout: CheckoutUse,
}

impl CheckoutUse {
    /// The same, and nothing at all in a job of a CI service. A hook keeps what makes it stricter: its gate must not open
    /// because a container or an agent's shell sets `CI`.
    pub(crate) fn outside_ci(self, start: &RunContext) -> Self {
        if self != Self::Stricter && start.environment.is_ci() {
            Self::Ignored
        } else {
            self
        }
    }
}

/// What of a checkout is read.
#[derive(Clone, Copy)]
struct CheckoutParts {
    /// The worktree's `council.toml`.
    file: bool,
    /// `council.*` of `.git/config`.
    git: bool,
}

impl CheckoutParts {
    const ALL: Self = Self {
        file: true,
        git: true,
    };
}

/// Merges every layer; `flags` are those of the subcommand.
pub(crate) fn load_config(
    start: &RunContext,
    flags: Vec<KeyValue>,
    voices: &ConfigSources<'_>,
) -> Result<Config, RunError> {
    load_layers(start, flags, voices, CheckoutParts::ALL).map(|(config, _)| config)
}

/// What is wrong with a part of the checkout's configuration.
pub(crate) struct ConfigFault {
    /// The part, and its verb.
    part: String,
    fault: String,
}

impl ConfigFault {
    /// What a review says that goes on without that part.
    pub(crate) fn note(&self) -> String {
        let Self { part, fault } = self;
        format!("{part} ignored, because it is broken: {fault}")
    }

    /// What is said where nothing goes on without it.
    pub(crate) fn refusal(&self) -> String {
        let Self { part, fault } = self;
        format!("{part} broken: {fault}")
    }
}

/// The same for a review, with what is wrong with the worktree's `council.toml`, or with `.git/config`, where it cannot be
/// obeyed. That file may come with the change, and a `.git` with an archive: neither may make a change unreviewable. Both
/// can only make a review stricter, so that nothing gets milder without them. Files that the user follows as their own are
/// theirs to mend.
pub(crate) fn load_review_config(
    start: &RunContext,
    flags: Vec<KeyValue>,
    voices: &ConfigSources<'_>,
) -> Result<(Config, Option<ConfigFault>), RunError> {
    let load = |parts: CheckoutParts| {
        let (config, trust) = load_layers(start, flags.clone(), voices, parts)?;
        check_rules(&config.settings)?;
        Ok::<_, RunError>((config, trust))
    };
    let error = match load(CheckoutParts::ALL) {
        Ok((config, _)) => return Ok((config, None)),
        Err(error) => error,
    };
    let file = format!("{REPOSITORY_FILE} of the worktree is");
    let git = "what .git/config says of git-council is".to_owned();
    let both =
        format!("{REPOSITORY_FILE} of the worktree, and what .git/config says of git-council, are");
    for (file, git, part) in [
        (false, true, file),
        (true, false, git),
        (false, false, both),
    ] {
        let parts = CheckoutParts { file, git };
        if let Ok((config, CheckoutTrust::Stricter)) = load(parts) {
            let fault = error.message;
            return Ok((config, Some(ConfigFault { part, fault })));
        }
    }
    Err(error)
}

fn load_layers(
    start: &RunContext,
    flags: Vec<KeyValue>,
    voices: &ConfigSources<'_>,
    parts: CheckoutParts,
) -> Result<(Config, CheckoutTrust), RunError> {
    let mut pairs = start.config.clone();
    pairs.extend(flags);
    let mut layers = layers::user_layers(&start.environment, pairs)?;
    let values = git::config_values(&start.dir, &start.git_environment())?;
    let (local, global): (Vec<_>, Vec<_>) = values
        .into_iter()
        .partition(|value| value.origin == ConfigOrigin::Repository);
    layers.extend(git_layers(global, LayerSource::Git));
    let root = voices.place.and_then(|place| place.workdir.as_deref());
    let own = voices.place.filter(|place| place.worktree_agrees());
    let asked = asked_checkout(voices.checkout, start)?;
    let trust = checkout_trust(asked, own.and(root), &layers)?;
    if let Some(tree) = voices.trusted {
        let file = tree.read_file(REPOSITORY_FILE)?;
        let layer = file.map(|bytes| layers::trusted_layer(&tree.origin(), &bytes));
        layers.extend(layer.transpose()?);
    }
    if voices.checkout != CheckoutUse::Ignored {
        let root = root.filter(|_| parts.file);
        layers.extend(root.map(layers::worktree_layer).transpose()?.flatten());
        if parts.git {
            layers.extend(git_layers(local, LayerSource::GitLocal));
        }
    }
    Ok((resolve_checkout(&layers, trust)?, trust))
}

/// How far the checkout is to be followed. A coding agent may have written its files: they make no review of its own milder.
fn asked_checkout(asked: CheckoutUse, start: &RunContext) -> Result<CheckoutUse, RunError> {
    match (&start.started_by, asked) {
        (Some(agent), CheckoutUse::Trusted) => Err(RunError::usage(format!(
            "{agent} is a coding agent: only a person trusts the worktree's configuration"
        ))
        .hint("leave --trust-worktree out, or run this yourself, in a shell of your own")),
        (Some(_), CheckoutUse::AsConfigured) => Ok(CheckoutUse::Stricter),
        (_, asked) => Ok(asked),
    }
}

/// Whether the user follows this worktree as their own; `layers` are theirs alone. `root` is the worktree, if the git
/// directory is its own: `.git/config` must not gain by naming a worktree that is followed.
fn checkout_trust(
    asked: CheckoutUse,
    root: Option<&Path>,
    layers: &[ConfigLayer],
) -> Result<CheckoutTrust, RunError> {
    let is_listed = || -> Result<bool, RunError> {
        let listed = resolve_layers(layers)?.settings.trust.worktrees;
        let real = |path: &Path| path.canonicalize().ok();
        let root = root.and_then(real);
        Ok(root.is_some() && listed.iter().any(|own| real(Path::new(own)) == root))
    };
    Ok(match asked {
        CheckoutUse::Trusted => CheckoutTrust::Full,
        CheckoutUse::AsConfigured if is_listed()? => CheckoutTrust::Full,
        _ => CheckoutTrust::Stricter,
    })
}

/// Git's own configuration; `.git/config` belongs to the checkout.
fn git_layers(values: Vec<ConfigValue>, source: LayerSource) -> Vec<ConfigLayer> {
    let (colours, values): (Vec<_>, Vec<_>) = values
        .into_iter()
        .partition(|value| value.name.starts_with("color."));
    let pair = |value: ConfigValue| {
        let key = match value.name.as_str() {
            "council.hook" => "hook.enabled",
            "council.trustednotes" => "notes.trusted",
            name => name.strip_prefix("council.").unwrap_or(name),
        };
        KeyValue::new(key, value.value, value.name.clone())
    };
    let own = ConfigLayer::Pairs {
        source,
        pairs: values.into_iter().map(pair).collect(),
    };
    vec![own, color_layer(colours)]
}

/// `color.ui` and, stronger, `color.council`: weaker than what is said to this program alone. A repository can only turn
/// colours off: it may come with an archive, and must not write escapes into what a program reads.
fn color_layer(mut values: Vec<ConfigValue>) -> ConfigLayer {
    let word_of = |value: &ConfigValue| match value.value.to_ascii_lowercase().as_str() {
        "always" => "always",
        "never" | "false" | "no" | "off" | "0" => "never",
        _ => "auto",
    };
    values.retain(|v| v.origin != ConfigOrigin::Repository || word_of(v) == "never");
    values.sort_by_key(|value| value.name != "color.ui");
    let pair = |value: ConfigValue| {
        let word = word_of(&value);
        KeyValue::new("output.color", word, value.name)
    };
    ConfigLayer::Pairs {
        source: LayerSource::System,
        pairs: values.into_iter().map(pair).collect(),
    }
}

/// The configuration as a review of the current branch would see it.
pub(crate) fn branch_config(start: &RunContext) -> Result<Config, RunError> {
    config_of_branch(start, CheckoutUse::default().outside_ci(start))
}

/// The same without the checkout.
pub(crate) fn trusted_config(start: &RunContext) -> Result<Config, RunError> {
    config_of_branch(start, CheckoutUse::Ignored)
}

/// The configuration as the hook sees it at a push of the current branch.
pub(crate) fn push_config(start: &RunContext) -> Result<Config, RunError> {
    config_of_branch(start, CheckoutUse::Stricter)
}

fn config_of_branch(start: &RunContext, checkout: CheckoutUse) -> Result<Config, RunError> {
    let sources = match git::branch_sources(&start.dir, &start.git_environment()) {
        Ok(sources) => Some(sources),
        Err(GitError::NotARepository { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let trusted = sources
        .as_ref()
        .and_then(|sources| sources.trusted.as_deref());
    let voices = ConfigSources {
        place: sources.as_ref().map(|sources| &sources.place),
        trusted,
        checkout,
    };
    load_config(start, Vec::new(), &voices)
}
