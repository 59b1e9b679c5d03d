//! Backends from elsewhere: plugins that trusted configuration names.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;

use council_agents::environment::allowed;
use council_agents::guard;
use council_host::{Carrier, Leash, Log, Plugin, Surroundings};
use council_protocol::message::{Hello, Manifest, Message};
use council_protocol::{Backend, BackendError, JudgeId, JudgeSpec, Sink};

use super::Start;
use super::error::CliError;
use crate::config::BackendSettings;
use crate::registry::{Listed, Origin};
use crate::session::worker::PACKET_FOLDER;

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
    let backend = Box::new(Outsider {
        name: name.to_owned(),
        backend,
    });
    Ok(Listed {
        name: name.to_owned(),
        origin,
        about: about.to_owned(),
        backend,
    })
}

fn plugin(name: &str, settings: &BackendSettings) -> Result<Plugin, CliError> {
    let carrier = match (&settings.library, &settings.program) {
        (Some(library), None) => Carrier::Library(library.clone()),
        (None, Some(program)) => Carrier::Program {
            path: program.clone(),
            args: settings.args.clone(),
        },
        _ => {
            let message =
                format!("backend `{name}` needs a library or a program, and only one of them");
            return Err(CliError::usage(message)
                .hint(format!("set `backends.{name}.library` or `backends.{name}.program` in your own configuration")));
        }
    };
    Ok(Plugin {
        carrier,
        sha256: settings.sha256.clone(),
        config: settings.config.clone(),
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
            fence: None,
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

/// A plugin is shown the packet's folder (docs/run-folder.md), not the run's: no journal, no other judge's answer.
struct Outsider {
    /// The name under which the configuration knows it, which is the one that people ask for.
    name: String,
    backend: Box<dyn Backend>,
}

impl Backend for Outsider {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: self.name.clone(),
            ..self.backend.manifest()
        }
    }

    fn open(&mut self, hello: Hello, sink: Sink) -> Result<(), BackendError> {
        let folder = hello.folder.map(|run| run.join(PACKET_FOLDER));
        self.backend.open(Hello { folder, ..hello }, sink)
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        self.backend.spawn(spec)
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        self.backend.send(message)
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.backend.cancel(judge)
    }

    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        self.backend.shutdown(judge, grace_ms)
    }

    fn close(&mut self) -> Result<(), BackendError> {
        self.backend.close()
    }
}
