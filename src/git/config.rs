//! `council.*` keys of git's configuration, each with its origin, so that no other room needs git's library.

use std::path::Path;

use super::env::GitEnvironment;
use super::error::GitError;
use super::object_store::{ConfigEntry, ConfigLevel};
use super::{libgit2, open};

/// Whose configuration a value comes from. Ordered: a later one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigOrigin {
    /// Of the machine (`/etc/gitconfig`).
    System,
    /// Of the user (`~/.gitconfig`, `$XDG_CONFIG_HOME/git/config`).
    User,
    /// Of the repository (`.git/config`): no more rights than the repository's own files have.
    Repository,
    /// Of the command (`git -c council.key=value council …`): the user's.
    Command,
}

/// One value of git's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigValue {
    /// The key as git prints it: section and name in lower case, e.g. `council.judges`.
    pub name: String,
    /// The value; `true` for a key without one.
    pub value: String,
    /// Where it comes from.
    pub origin: ConfigOrigin,
}

/// The `council.*` values, `color.ui` and `color.council` that hold in `dir`, weakest first, so that the last one of a name wins.
///
/// `GIT_CONFIG_NOSYSTEM`, `GIT_CONFIG_SYSTEM`, `GIT_CONFIG_GLOBAL` and `GIT_CONFIG_COUNT` mean what they mean to git.
///
/// # Errors
///
/// A configuration file that cannot be parsed, and a repository that cannot be opened; no repository at all is none.
pub fn config_values(dir: &Path, env: &GitEnvironment) -> Result<Vec<ConfigValue>, GitError> {
    let found = match open::open_repository(dir, env) {
        Ok(store) => store.config_matching(PATTERN)?,
        Err(GitError::NotARepository { .. } | GitError::Unsupported { .. }) => {
            libgit2::default_settings(PATTERN)?
        }
        Err(error) => return Err(error),
    };
    let system = replaced_level(
        env,
        "GIT_CONFIG_SYSTEM",
        env.is_true("GIT_CONFIG_NOSYSTEM"),
        dir,
    )?;
    let user = replaced_level(env, "GIT_CONFIG_GLOBAL", false, dir)?;
    let keep = |setting: &ConfigEntry| match setting.level {
        ConfigLevel::System => system.is_none(),
        ConfigLevel::User => user.is_none(),
        ConfigLevel::Repository => true,
    };
    let mut values: Vec<_> = found.into_iter().filter(keep).map(with_origin).collect();
    let replaced = [(system, ConfigOrigin::System), (user, ConfigOrigin::User)];
    for (settings, origin) in replaced {
        values.extend(settings.into_iter().flatten().map(|setting| ConfigValue {
            origin,
            ..with_origin(setting)
        }));
    }
    values.extend(command_values(env));
    values.sort_by_key(|value| value.origin);
    Ok(values)
}

const PATTERN: &str = r"^(council\..*|color\.(ui|council))$";

/// What a variable of git's puts in the place of a level; none when it puts nothing.
fn replaced_level(
    env: &GitEnvironment,
    name: &str,
    off: bool,
    dir: &Path,
) -> Result<Option<Vec<ConfigEntry>>, GitError> {
    match env.path_from(name, dir) {
        _ if off => Ok(Some(Vec::new())),
        Some(file) if file == Path::new("/dev/null") => Ok(Some(Vec::new())),
        Some(file) => libgit2::settings_of_file(&file, PATTERN).map(Some),
        None => Ok(None),
    }
}

fn with_origin(setting: ConfigEntry) -> ConfigValue {
    let origin = match setting.level {
        ConfigLevel::System => ConfigOrigin::System,
        ConfigLevel::User => ConfigOrigin::User,
        ConfigLevel::Repository => ConfigOrigin::Repository,
    };
    ConfigValue {
        name: setting.name,
        value: setting.value,
        origin,
    }
}

/// `GIT_CONFIG_COUNT` with its keys, and what `git -c` hands down.
fn command_values(env: &GitEnvironment) -> Vec<ConfigValue> {
    let text = |name: &str| {
        env.get(name)
            .map(|value| value.to_string_lossy().into_owned())
    };
    let count = text("GIT_CONFIG_COUNT")
        .and_then(|count| count.parse::<usize>().ok())
        .unwrap_or(0)
        .min(1000);
    let counted = (0..count).filter_map(|n| {
        Some((
            text(&format!("GIT_CONFIG_KEY_{n}"))?,
            text(&format!("GIT_CONFIG_VALUE_{n}")).unwrap_or_default(),
        ))
    });
    let handed = text("GIT_CONFIG_PARAMETERS")
        .map(|text| parse_parameters(&text))
        .unwrap_or_default();
    let all = counted.chain(handed).map(|(name, value)| ConfigValue {
        name: name.to_ascii_lowercase(),
        value,
        origin: ConfigOrigin::Command,
    });
    all.filter(|value| value.name.starts_with("council.") || is_colour(&value.name))
        .collect()
}

/// git's own words on colour, which hold for its subcommands.
fn is_colour(name: &str) -> bool {
    matches!(name, "color.ui" | "color.council")
}

/// `'key'='value' 'key=value' 'key'=`, quoted as a shell would.
fn parse_parameters(text: &str) -> Vec<(String, String)> {
    let mut words = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        let Some(word) = words.last_mut() else {
            return Vec::new();
        };
        match c {
            _ if escaped => {
                escaped = false;
                word.push(c);
            }
            '\'' => quoted = !quoted,
            '\\' if !quoted => escaped = true,
            ' ' if !quoted => words.push(String::new()),
            c => word.push(c),
        }
    }
    let pair = |word: String| match word.split_once('=') {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None => (word, "true".to_owned()),
    };
    words
        .into_iter()
        .filter(|word| !word.is_empty())
        .map(pair)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Repo;

    fn env(vars: &[(&str, &str)]) -> GitEnvironment {
        GitEnvironment::from_vars(vars.iter().map(|(n, v)| (n.into(), v.into())))
    }

    #[test]
    fn each_value_knows_its_origin_and_the_last_one_wins() {
        let repo = Repo::new();
        repo.write(
            "user",
            "[council]\n\tjudges = 2\n\tdeep\n[other]\n\tx = 1\n",
        );
        repo.git(&["config", "council.judges", "4"]);
        let user = repo.path().join("user");
        let vars = [
            ("GIT_CONFIG_GLOBAL", user.to_str().unwrap()),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            (
                "GIT_CONFIG_PARAMETERS",
                r"'council.judges'='it'\''s' 'core.pager'='x' 'council.quiet'",
            ),
        ];
        let values = config_values(repo.path(), &env(&vars)).unwrap();
        let values: Vec<_> = values
            .iter()
            .map(|v| (v.name.as_str(), v.value.as_str(), v.origin))
            .collect();
        assert_eq!(
            values,
            [
                ("council.judges", "2", ConfigOrigin::User),
                ("council.deep", "true", ConfigOrigin::User),
                ("council.judges", "4", ConfigOrigin::Repository),
                ("council.judges", "it's", ConfigOrigin::Command),
                ("council.quiet", "true", ConfigOrigin::Command),
            ]
        );
    }

    #[test]
    fn outside_a_repository_the_user_still_has_a_say() {
        let place = Repo::outside();
        place.write("user", "[council]\n\tjudges = 2\n");
        let user = place.path().join("user");
        let vars = [
            ("GIT_CONFIG_GLOBAL", user.to_str().unwrap()),
            ("GIT_CONFIG_NOSYSTEM", "true"),
        ];
        let values = config_values(place.path(), &env(&vars)).unwrap();
        assert_eq!(values.len(), 1);
        assert_eq!(values[0].value, "2");
    }

    #[test]
    fn counted_keys() {
        let vars = [
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "Council.Judges"),
            ("GIT_CONFIG_VALUE_0", "3"),
        ];
        let values = command_values(&env(&vars));
        assert_eq!(
            (values[0].name.as_str(), values[0].value.as_str()),
            ("council.judges", "3")
        );
    }
}
