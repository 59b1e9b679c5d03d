//! Backends from elsewhere: plugins that trusted configuration names.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;

use council_agents::environment::filter_environment;
use council_agents::guard;
use council_host::{ConfiguredPlugin, PluginCarrier, PluginLog, PluginSurroundings, ProcessHandle};
use council_protocol::message::{Hello, Manifest, Message};
use council_protocol::{Backend, BackendError, JudgeId, JudgeSpec, Sink};

use crate::config::BackendSettings;
use crate::registry::{BackendOrigin, ListedBackend};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::session::worker::PACKET_FOLDER;

/// How long a plugin's process has between SIGTERM and SIGKILL, in milliseconds.
const GRACE_MS: u64 = 2_000;

/// Loads or starts one plugin. `repository` is the worktree under review, in which none may lie.
pub(crate) fn load_plugin(
    name: &str,
    settings: &BackendSettings,
    repository: Option<PathBuf>,
    start: &RunContext,
) -> Result<ListedBackend, RunError> {
    let wrong =
        |error: &dyn std::fmt::Display| RunError::usage(format!("backend `{name}`: {error}"));
    let plugin = describe_plugin(name, settings)?;
    let backend = plugin
        .start_backend(&plugin_surroundings(repository, start))
        .map_err(|error| wrong(&error))?;
    let about = match &plugin.carrier {
        PluginCarrier::Library(_) => "a plugin, loaded as a library",
        PluginCarrier::Program { .. } => "a plugin, spoken with over stdio",
    };
    let origin = BackendOrigin::Configured(format!("`backends.{name}`"));
    let backend = Box::new(PluginBackend {
        name: name.to_owned(),
        backend,
    });
    Ok(ListedBackend {
        name: name.to_owned(),
        origin,
        about: about.to_owned(),
        backend,
    })
}

fn describe_plugin(name: &str, settings: &BackendSettings) -> Result<ConfiguredPlugin, RunError> {
    let carrier = match (&settings.library, &settings.program) {
        (Some(library), None) => PluginCarrier::Library(library.clone()),
        (None, Some(program)) => PluginCarrier::Program {
            path: program.clone(),
            args: settings.args.clone(),
        },
        _ => {
            let message =
                format!("backend `{name}` needs a library or a program, and only one of them");
            return Err(RunError::usage(message)
                .hint(format!("set `backends.{name}.library` or `backends.{name}.program` in your own configuration")));
        }
    };
    Ok(ConfiguredPlugin {
        carrier,
        sha256: settings.sha256.clone(),
        config: settings.config.clone(),
    })
}

fn plugin_surroundings(repository: Option<PathBuf>, start: &RunContext) -> PluginSurroundings {
    let env = filter_environment(start.environment.vars(), &[]);
    let env = env
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.into_string().ok()?)))
        .collect();
    let notifier = Arc::clone(&start.notifier);
    let log = PluginLog::new(move |_, line| {
        if notifier.is_verbose() {
            notifier.log(line);
        }
    });
    let launch = start
        .program
        .as_deref()
        .map_or_else(|| PluginSurroundings::default().launch, guarded_launch);
    PluginSurroundings {
        repository,
        env,
        launch,
        log,
        ..PluginSurroundings::default()
    }
}

/// Under a guard: a plugin's process ends with us, whatever ends us.
fn guarded_launch(exe: &Path) -> council_host::LaunchSpec {
    let exe = exe.to_path_buf();
    Arc::new(move |start| {
        let env: Vec<_> = start
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.into()))
            .collect();
        let program = guard::GuardedProgram {
            argv: guard::os_arguments(start.argv),
            env: &env,
            dir: start.dir,
            grace_ms: GRACE_MS,
            fence: None,
        };
        Ok(
            Box::new(GuardedPlugin(guard::spawn_guarded(&exe, &program)?))
                as Box<dyn ProcessHandle>,
        )
    })
}

struct GuardedPlugin(guard::GuardedChild);

impl ProcessHandle for GuardedPlugin {
    fn child(&mut self) -> &mut Child {
        &mut self.0.child
    }

    fn end_process(&mut self) {
        self.0.end();
    }
}

/// A plugin is shown the packet's folder (docs/run-folder.md), not the run's: no journal, no other judge's answer.
struct PluginBackend {
    /// The name under which the configuration knows it, which is the one that people ask for.
    name: String,
    backend: Box<dyn Backend>,
}

impl Backend for PluginBackend {
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
