//! Gathers the layers of the configuration; which of them has which right is decided in [`crate::config`].

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::config::{ConfigLayer, KeyValue, LayerSource};

use crate::run::environment::ProcessEnvironment;
use crate::run::error::RunError;

/// The file in a repository.
pub(crate) const REPOSITORY_FILE: &str = "council.toml";

/// The system's file.
const SYSTEM_FILE: &str = "/etc/git-council/config.toml";

/// More is no configuration.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Every layer that does not belong to a repository: system, user, environment, flags.
pub(crate) fn user_layers(
    environment: &ProcessEnvironment,
    flags: Vec<KeyValue>,
) -> Result<Vec<ConfigLayer>, RunError> {
    let mut layers = Vec::new();
    layers.extend(read_layer(LayerSource::System, Path::new(SYSTEM_FILE))?);
    if let Some(path) = environment.user_file() {
        layers.extend(read_layer(LayerSource::User, &path)?);
    }
    layers.push(environment.config_layer()?);
    layers.push(ConfigLayer::Pairs {
        source: LayerSource::Flag,
        pairs: flags,
    });
    Ok(layers)
}

/// The worktree's file, if there is one.
pub(crate) fn worktree_layer(root: &Path) -> Result<Option<ConfigLayer>, RunError> {
    let layer = read_layer(LayerSource::Worktree, &root.join(REPOSITORY_FILE))?;
    Ok(layer.map(|layer| match layer {
        ConfigLayer::File { source, text, .. } => ConfigLayer::File {
            source,
            name: REPOSITORY_FILE.to_owned(),
            text,
        },
        other => other,
    }))
}

/// The trusted branch's file, as it was read by object id; `origin` names the commit.
pub(crate) fn trusted_layer(origin: &str, bytes: &[u8]) -> Result<ConfigLayer, RunError> {
    let name = format!("{origin}:{REPOSITORY_FILE}");
    let text = decode_text(&name, bytes.to_vec())?;
    Ok(ConfigLayer::File {
        source: LayerSource::Repository,
        name,
        text,
    })
}

/// A file as a layer; none where there is no such file.
fn read_layer(source: LayerSource, path: &Path) -> Result<Option<ConfigLayer>, RunError> {
    let name = path.display().to_string();
    let cannot = |error: std::io::Error| RunError::usage(format!("cannot read {name}: {error}"));
    let regular = match std::fs::metadata(path) {
        Ok(metadata) => metadata.is_file(),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(cannot(error)),
    };
    if !regular {
        return Err(RunError::usage(format!("{name} is not a file"))
            .hint("remove it, or put a TOML file in its place"));
    }
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(MAX_CONFIG_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(cannot)?;
    let text = decode_text(&name, bytes)?;
    Ok(Some(ConfigLayer::File { source, name, text }))
}

fn decode_text(name: &str, bytes: Vec<u8>) -> Result<String, RunError> {
    if bytes.len() as u64 > MAX_CONFIG_BYTES {
        return Err(RunError::usage(format!("{name} is larger than 1 MiB")));
    }
    String::from_utf8(bytes).map_err(|_| RunError::usage(format!("{name} is not UTF-8")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_no_layer_and_an_odd_one_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(worktree_layer(dir.path()).unwrap().is_none());
        std::fs::create_dir(dir.path().join(REPOSITORY_FILE)).unwrap();
        assert!(
            worktree_layer(dir.path())
                .unwrap_err()
                .message
                .ends_with("is not a file")
        );
    }

    #[test]
    fn a_file_that_cannot_be_a_configuration_is_refused() {
        let refused = |bytes: Vec<u8>| trusted_layer("0123456", &bytes).unwrap_err().message;
        assert_eq!(refused(vec![0xff]), "0123456:council.toml is not UTF-8");
        assert!(refused(vec![b'#'; MAX_CONFIG_BYTES as usize + 1]).contains("larger than 1 MiB"));
    }

    #[test]
    fn the_user_s_file_is_read_where_the_environment_says() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("git-council")).unwrap();
        std::fs::write(
            dir.path().join("git-council/config.toml"),
            "limits.agents = 3\n",
        )
        .unwrap();
        let environment =
            ProcessEnvironment::from_vars(&[("XDG_CONFIG_HOME", dir.path().to_str().unwrap())]);
        let layers = user_layers(&environment, Vec::new()).unwrap();
        assert!(layers.iter().any(|l| matches!(l, ConfigLayer::File { source: LayerSource::User, text, .. } if text.contains("agents"))));
    }
}
