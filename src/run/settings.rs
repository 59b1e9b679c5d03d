//! The configuration of one command: the layers that it may see, merged.

use crate::config::{Config, ConfigLayer, KeyValue, LayerSource, resolve_layers};
use crate::git::{
    self, ChangeRequest, ConfigOrigin, ConfigValue, GitError, RepositoryPaths, TargetSpec,
    TrustedTree,
};

use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::layers::{self, REPOSITORY_FILE};

/// What of a repository may speak.
pub(crate) struct ConfigSources<'a> {
    /// Where the repository lies, if there is one.
    pub(crate) place: Option<&'a RepositoryPaths>,
    /// Its trusted side.
    pub(crate) trusted: Option<&'a dyn TrustedTree>,
    /// Whether the checkout is heard: not where strangers' changes are reviewed.
    pub(crate) checkout: bool,
}

/// Merges every layer; `flags` are those of the subcommand.
pub(crate) fn load_config(
    start: &RunContext,
    flags: Vec<KeyValue>,
    voices: &ConfigSources<'_>,
) -> Result<Config, RunError> {
    let mut pairs = start.config.clone();
    pairs.extend(flags);
    let mut layers = layers::user_layers(&start.environment, pairs)?;
    if let Some(tree) = voices.trusted {
        let file = tree.read_file(REPOSITORY_FILE)?;
        let layer = file.map(|bytes| layers::trusted_layer(&tree.origin(), &bytes));
        layers.extend(layer.transpose()?);
    }
    let root = voices.place.and_then(|place| place.workdir.as_deref());
    if let Some(root) = root.filter(|_| voices.checkout) {
        layers.extend(layers::worktree_layer(root)?);
    }
    let values = git::config_values(&start.dir, &start.git_environment())?;
    layers.extend(git_layers(values, voices.checkout));
    Ok(resolve_layers(&layers)?)
}

/// Git's own configuration; `.git/config` belongs to the checkout.
fn git_layers(values: Vec<ConfigValue>, checkout: bool) -> [ConfigLayer; 3] {
    let (colours, values): (Vec<_>, Vec<_>) = values
        .into_iter()
        .partition(|value| value.name.starts_with("color."));
    let (local, global): (Vec<_>, Vec<_>) = values
        .into_iter()
        .partition(|value| value.origin == ConfigOrigin::Repository);
    let pair = |value: ConfigValue| {
        let key = match value.name.as_str() {
            "council.hook" => "hook.enabled",
            "council.trustednotes" => "notes.trusted",
            name => name.strip_prefix("council.").unwrap_or(name),
        };
        KeyValue::new(key, value.value, value.name.clone())
    };
    let layer = |source, values: Vec<ConfigValue>| ConfigLayer::Pairs {
        source,
        pairs: values.into_iter().map(pair).collect(),
    };
    let local = if checkout { local } else { Vec::new() };
    [
        layer(LayerSource::GitLocal, local),
        layer(LayerSource::Git, global),
        color_layer(colours),
    ]
}

/// `color.ui` and, stronger, `color.council`: weaker than what is said to this program alone, and not the repository's.
fn color_layer(mut values: Vec<ConfigValue>) -> ConfigLayer {
    values.retain(|value| value.origin != ConfigOrigin::Repository);
    values.sort_by_key(|value| value.name != "color.ui");
    let pair = |value: ConfigValue| {
        let word = match value.value.to_ascii_lowercase().as_str() {
            "always" => "always",
            "never" | "false" | "no" | "off" | "0" => "never",
            _ => "auto",
        };
        KeyValue::new("output.color", word, value.name)
    };
    ConfigLayer::Pairs {
        source: LayerSource::System,
        pairs: values.into_iter().map(pair).collect(),
    }
}

/// The configuration as a review of the current branch would see it.
pub(crate) fn branch_config(start: &RunContext) -> Result<Config, RunError> {
    let place = match RepositoryPaths::discover(&start.dir, &start.git_environment()) {
        Ok(place) => Some(place),
        Err(GitError::NotARepository { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let branch = ChangeRequest {
        dir: start.dir.clone(),
        spec: TargetSpec::Default,
        pathspecs: Vec::new(),
        env: start.git_environment(),
    };
    // A branch without a base has no trusted side; that is no reason to show nothing.
    let change = git::read_change(&branch).ok();
    let voices = ConfigSources {
        place: place.as_ref(),
        trusted: change.as_ref().and_then(|change| change.trusted_tree()),
        checkout: !start.environment.is_ci(),
    };
    load_config(start, Vec::new(), &voices)
}
