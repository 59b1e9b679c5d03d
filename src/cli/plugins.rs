//! Backends from elsewhere: plugins that trusted configuration names.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;

use council_agents::environment::allowed;
use council_agents::guard;
use council_host::{Carrier, Leash, Log, Plugin, Surroundings};

use super::Start;
use super::error::CliError;
use crate::config::BackendSettings;
use crate::registry::{Listed, Origin};

/// How long a plugin's process has between SIGTERM and SIGKILL, in milliseconds.
const GRACE_MS: u64 = 2_000;

/// Loads or starts one plugin. `repository` is the worktree under review, in which none may lie.
pub(crate) fn load(
    name: &str,
    settings: &BackendSettings,
    repository: Option<PathBuf>,
    start: &Start,
) -> Result<Listed, CliError> {
    let wrong =
        |error: &dyn std::fmt::Display| CliError::usage(format!("backend `{name}`: {error}"));
    let plugin = plugin(name, settings)?;
    let backend = plugin
        .start(&surroundings(repository, start))
        .map_err(|error| wrong(&error))?;
    let about = match &plugin.carrier {
        Carrier::Library(_) => "a plugin, loaded as a library",
        Carrier::Program { .. } => "a plugin, spoken with over stdio",
    };
    let origin = Origin::Configured(format!("`backends.{name}`"));
    Ok(Listed {
        name: name.to_owned(),
        origin,
        about: about.to_owned(),
        backend,
    })
}

fn plugin(name: &str, settings: &BackendSettings) -> Result<Plugin, CliError> {
    let carrier = match (&settings.library, settings.command.split_first()) {
        (Some(library), None) => Carrier::Library(library.into()),
        (None, Some((path, args))) => Carrier::Program {
            path: path.into(),
            args: args.to_vec(),
        },
        _ => {
            return Err(CliError::usage(format!("backend `{name}` needs a library or a command, and only one of them"))
                .hint(format!("set `backends.{name}.library` or `backends.{name}.command` in your own configuration")));
        }
    };
    let config = match settings.config.as_deref() {
        None => serde_json::Value::Null,
        Some(text) => serde_json::from_str(text).map_err(|error| {
            CliError::usage(format!("`backends.{name}.config` is no JSON: {error}"))
        })?,
    };
    Ok(Plugin {
        carrier,
        sha256: settings.sha256.clone(),
        config,
    })
}

fn surroundings(repository: Option<PathBuf>, start: &Start) -> Surroundings {
    let env = allowed(start.environment.vars(), &[]);
    let env = env
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.into_string().ok()?)))
        .collect();
    let console = start.console;
    let log = Log::new(move |_, line| {
        if console.is_verbose() {
            console.log(line);
        }
    });
    let launch =
        std::env::current_exe().map_or_else(|_| Surroundings::default().launch, |exe| leash(&exe));
    Surroundings {
        repository,
        env,
        launch,
        log,
        ..Surroundings::default()
    }
}

/// Under a guard: a plugin's process ends with us, whatever ends us.
fn leash(exe: &Path) -> council_host::Launch {
    let exe = exe.to_path_buf();
    Arc::new(move |start| {
        let env: Vec<_> = start
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.into()))
            .collect();
        let program = guard::Program {
            argv: start.argv,
            env: &env,
            dir: start.dir,
            grace_ms: GRACE_MS,
        };
        Ok(Box::new(Held(guard::spawn(&exe, &program)?)) as Box<dyn Leash>)
    })
}

struct Held(guard::Guarded);

impl Leash for Held {
    fn child(&mut self) -> &mut Child {
        &mut self.0.child
    }

    fn end(&mut self) {
        self.0.end();
    }
}
