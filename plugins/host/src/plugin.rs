//! A plugin as trusted configuration names it: one call from there to a backend.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use council_protocol::message::{Hello, Manifest, Message};
use council_protocol::{Backend, BackendError, JudgeId, JudgeSpec, Sink};
use serde_json::Value;

use crate::process::LaunchSpec;
use crate::{
    HostTimeouts, LoadError, PluginLibrary, PluginLog, PluginProgram, StdioBackend, TrustedFile,
    launch_process,
};

/// A plugin of the configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfiguredPlugin {
    /// Where it is and how it is spoken with.
    pub carrier: PluginCarrier,
    /// The digest that its file must have, as hex.
    pub sha256: Option<String>,
    /// Its own table, handed on as [`Hello::config`].
    pub config: Value,
}

/// How a plugin is spoken with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginCarrier {
    /// A shared library, through the C interface.
    Library(PathBuf),
    /// A child process, with one JSON object a line.
    Program {
        /// The program's file.
        path: PathBuf,
        /// The arguments it is started with.
        args: Vec<String>,
    },
}

/// What plugins need from the process, handed to them as a value.
#[derive(Clone)]
pub struct PluginSurroundings {
    /// The worktree under review, in which no plugin may lie.
    pub repository: Option<PathBuf>,
    /// The whole environment of a plugin that is a child process.
    pub env: Vec<(String, String)>,
    /// Who starts child processes.
    pub launch: LaunchSpec,
    /// Where what they say goes.
    pub log: PluginLog,
    /// How long they are waited for.
    pub patience: HostTimeouts,
}

impl Default for PluginSurroundings {
    fn default() -> Self {
        Self {
            repository: None,
            env: Vec::new(),
            launch: Arc::new(launch_process),
            log: PluginLog::none(),
            patience: HostTimeouts::default(),
        }
    }
}

impl ConfiguredPlugin {
    /// Checks its file, then loads or starts it. The backend is not open yet.
    ///
    /// # Errors
    ///
    /// When the file may not be run, or what it is does not fit.
    pub fn start_backend(
        &self,
        around: &PluginSurroundings,
    ) -> Result<Box<dyn Backend>, LoadError> {
        let file = self.check_trust(around.repository.as_deref())?;
        let (log, patience) = (around.log.clone(), around.patience);
        let backend: Box<dyn Backend> = match &self.carrier {
            PluginCarrier::Library(_) => {
                Box::new(PluginLibrary::load(&file, patience)?.backend(log, patience))
            }
            PluginCarrier::Program { args, .. } => {
                let (args, env) = (args.clone(), around.env.clone());
                let program = PluginProgram {
                    file,
                    args,
                    env,
                    launch: around.launch.clone(),
                };
                Box::new(StdioBackend::start(&program, log, patience)?)
            }
        };
        Ok(Box::new(ConfiguredBackend {
            backend,
            config: self.config.clone(),
        }))
    }

    fn check_trust(&self, repository: Option<&Path>) -> Result<TrustedFile, LoadError> {
        let (PluginCarrier::Library(path) | PluginCarrier::Program { path, .. }) = &self.carrier;
        Ok(TrustedFile::check(
            path,
            self.sha256.as_deref(),
            repository,
        )?)
    }
}

/// A backend that gets its own table of the configuration, whoever opens it.
struct ConfiguredBackend {
    backend: Box<dyn Backend>,
    config: Value,
}

impl Backend for ConfiguredBackend {
    fn manifest(&self) -> Manifest {
        self.backend.manifest()
    }

    fn open(&mut self, hello: Hello, sink: Sink) -> Result<(), BackendError> {
        let config = std::mem::take(&mut self.config);
        self.backend.open(Hello { config, ..hello }, sink)
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
