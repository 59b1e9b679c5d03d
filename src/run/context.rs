//! What every use case is handed: the environment that it may see, the user's own key, and whom it tells.

use std::path::PathBuf;
use std::sync::Arc;

use super::environment::ProcessEnvironment;
use crate::config::KeyValue;
use crate::memory::{MacKey, MacPurpose};
use crate::session::{LineSeal, ProgressObserver, RealWorld};

/// Hears what a use case has to say while it works. The command line prints it.
pub(crate) trait Notifier: Send + Sync {
    /// Something that a person should know and that does not stop the run.
    fn warn(&self, message: &str);
    /// A line of the run's log. May hold untrusted text.
    fn log(&self, line: &str);
    /// Lines that must be seen before the run goes on, e.g. what leaves this machine. May hold untrusted text.
    fn announce(&self, lines: &[String]);
    /// A line of what is made, on standard output. May hold untrusted text.
    fn print_line(&self, line: &str);
    /// Whether a person asked for details.
    fn is_verbose(&self) -> bool;
    /// Whether the verdict alone is printed, and none of its findings.
    fn is_quiet(&self) -> bool {
        false
    }
    /// Whether a person watches, who is shown what slow judges do.
    fn is_watched(&self) -> bool;
    /// Hears what happens in a council; none: nobody wants to know.
    fn observer(&self) -> Option<ProgressObserver> {
        None
    }
}

/// What a use case is started with.
#[derive(Clone)]
pub(crate) struct RunContext {
    pub(crate) environment: ProcessEnvironment,
    /// The directory in which it works; absolute.
    pub(crate) dir: PathBuf,
    /// How it was named (`-C DIR`); none: it is the current one.
    pub(crate) named_dir: Option<PathBuf>,
    /// Keys that the command line sets for every command (`--config KEY=VALUE`).
    pub(crate) config: Vec<KeyValue>,
    /// This program: guards, workers and reviews in the background are started from it.
    pub(crate) program: Option<PathBuf>,
    /// Where temporary folders are made.
    pub(crate) temporary: PathBuf,
    pub(crate) notifier: Arc<dyn Notifier>,
    /// The coding agent that started this, by its own word; none: a person, a hook or a job.
    pub(crate) started_by: Option<String>,
}

impl RunContext {
    /// Where folders of judges are made; none: among the system's temporary ones.
    pub(crate) fn rooms_dir(&self) -> Option<PathBuf> {
        self.environment.rooms_dir(&self.dir)
    }

    /// The key that signs this user's own files in a git directory; none, with a warning, where it cannot be kept.
    pub(crate) fn signing_key(&self) -> Option<MacKey> {
        let key = MacKey::load_or_create(&self.environment.state_dir()?);
        // Several use cases of a run ask for the key: what is wrong with it is said once.
        static TOLD: std::sync::Once = std::sync::Once::new();
        let warn = |error: &std::io::Error| {
            TOLD.call_once(|| {
                self.notifier
                    .warn(&format!("no verdict can be reused or kept: {error}"));
            });
        };
        key.inspect_err(warn).ok()
    }

    /// This machine, where the journals of runs bear this user's seal.
    pub(crate) fn sealing_world(&self) -> RealWorld {
        let seal = self.signing_key().map(|key| -> LineSeal {
            Arc::new(move |line| key.mac_hex(MacPurpose::Journal, line))
        });
        RealWorld::new().sealing(seal)
    }

    /// The environment as the git room sees it.
    pub(crate) fn git_environment(&self) -> crate::git::GitEnvironment {
        crate::git::GitEnvironment::from_vars(self.environment.vars())
    }
}
