//! The configuration of one command: the layers that it may see, merged.

use crate::config::{Config, Layer, Pair, Source, resolve};
use crate::git::{
    self, ConfigOrigin, ConfigValue, GitError, Place, Request, TargetSpec, TrustedTree,
};

use super::Start;
use super::error::CliError;
use super::layers::{self, REPOSITORY_FILE};

/// What of a repository may speak.
pub(crate) struct Voices<'a> {
    /// Where the repository lies, if there is one.
    pub(crate) place: Option<&'a Place>,
    /// Its trusted side.
    pub(crate) trusted: Option<&'a dyn TrustedTree>,
    /// Whether the checkout is heard: not where strangers' changes are reviewed.
    pub(crate) checkout: bool,
}

/// Merges every layer; `flags` are those of the subcommand.
pub(crate) fn load(
    start: &Start,
    flags: Vec<Pair>,
    voices: &Voices<'_>,
) -> Result<Config, CliError> {
    let mut pairs = start.global.config.clone();
    pairs.extend(flags);
    let mut layers = layers::of_the_user(&start.environment, pairs)?;
    if let Some(tree) = voices.trusted {
        let file = tree.read(REPOSITORY_FILE)?;
        let layer = file.map(|bytes| layers::of_the_trusted_branch(&tree.origin(), &bytes));
        layers.extend(layer.transpose()?);
    }
    let root = voices.place.and_then(|place| place.workdir.as_deref());
    if let Some(root) = root.filter(|_| voices.checkout) {
        layers.extend(layers::of_the_worktree(root)?);
    }
    let values = git::config_values(&start.dir, &start.git())?;
    layers.extend(of_git(values, voices.checkout));
    Ok(resolve(&layers)?)
}

/// Git's own configuration; `.git/config` belongs to the checkout.
fn of_git(values: Vec<ConfigValue>, checkout: bool) -> [Layer; 3] {
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
        Pair::new(key, value.value, value.name.clone())
    };
    let layer = |source, values: Vec<ConfigValue>| Layer::Pairs {
        source,
        pairs: values.into_iter().map(pair).collect(),
    };
    let local = if checkout { local } else { Vec::new() };
    [
        layer(Source::GitLocal, local),
        layer(Source::Git, global),
        of_colours(colours),
    ]
}

/// `color.ui` and, stronger, `color.council`: weaker than what is said to this program alone, and not the repository's.
fn of_colours(mut values: Vec<ConfigValue>) -> Layer {
    values.retain(|value| value.origin != ConfigOrigin::Repository);
    values.sort_by_key(|value| value.name != "color.ui");
    let pair = |value: ConfigValue| {
        let word = match value.value.to_ascii_lowercase().as_str() {
            "always" => "always",
            "never" | "false" | "no" | "off" | "0" => "never",
            _ => "auto",
        };
        Pair::new("output.color", word, value.name)
    };
    Layer::Pairs {
        source: Source::System,
        pairs: values.into_iter().map(pair).collect(),
    }
}

/// The configuration as a review of the current branch would see it.
pub(crate) fn of_the_branch(start: &Start) -> Result<Config, CliError> {
    let place = match Place::discover(&start.dir, &start.git()) {
        Ok(place) => Some(place),
        Err(GitError::NotARepository { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let branch = Request {
        dir: start.dir.clone(),
        spec: TargetSpec::Default,
        pathspecs: Vec::new(),
        env: start.git(),
    };
    // A branch without a base has no trusted side; that is no reason to show nothing.
    let change = git::read(&branch).ok();
    let voices = Voices {
        place: place.as_ref(),
        trusted: change.as_ref().and_then(|change| change.trusted()),
        checkout: !start.environment.is_ci(),
    };
    load(start, Vec::new(), &voices)
}
