//! The user's own `git`, with the user's own configuration: for what a person or the program writes into the repository
//! (notes, settings), and for where git looks for hooks. Nothing that a repository configures is executed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::env::GitEnvironment;
use crate::git_cli::runner::{self, OFF, ProcessLimits, RunError};

/// How long a command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(20);

/// How many bytes a command may say.
const MAX_OUTPUT_BYTES: usize = 64 << 20;

/// The user's own `git` in one directory.
#[derive(Debug, Clone)]
pub struct UserGit {
    program: PathBuf,
    dir: PathBuf,
    env: GitEnvironment,
}

impl UserGit {
    /// The `git` of PATH, run in `dir`.
    ///
    /// # Errors
    ///
    /// [`RunError::NoGit`].
    pub fn new(dir: &Path, env: &GitEnvironment) -> Result<Self, RunError> {
        Ok(Self {
            program: runner::git_program(env)?,
            dir: dir.to_owned(),
            env: env.clone(),
        })
    }

    pub(crate) fn environment(&self) -> &GitEnvironment {
        &self.env
    }

    fn git_command(&self, dir: &Path) -> Command {
        let mut git = Command::new(&self.program);
        git.env_clear()
            .envs(self.env.all())
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .current_dir(dir);
        git
    }

    fn run_git(&self, name: &'static str, git: Command, stdin: &[u8]) -> Result<Vec<u8>, RunError> {
        let limits = ProcessLimits {
            command: name,
            deadline: COMMAND_TIMEOUT,
            cap: MAX_OUTPUT_BYTES,
        };
        limits.run_process(git, stdin)
    }

    /// Runs a command that writes, with hooks, monitors and network switched off.
    pub(crate) fn run_writing(
        &self,
        name: &'static str,
        args: &[&OsStr],
        stdin: &[u8],
    ) -> Result<Vec<u8>, RunError> {
        let mut git = self.git_command(&self.dir);
        for setting in OFF {
            git.args(["-c", setting]);
        }
        git.arg(name).args(args);
        self.run_git(name, git, stdin)
    }

    /// Runs a command that only tells something and executes nothing.
    pub(crate) fn run_reading(
        &self,
        name: &'static str,
        args: &[&str],
    ) -> Result<String, RunError> {
        let mut git = self.git_command(&self.dir);
        git.arg(name).args(args);
        let said = self.run_git(name, git, &[])?;
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    /// Where git looks for hooks here: `core.hooksPath`, else the git directory that all worktrees share.
    ///
    /// # Errors
    ///
    /// As `git rev-parse` fails: no repository.
    pub fn hooks_dir(&self) -> Result<PathBuf, RunError> {
        let said = self.run_reading("rev-parse", &["--git-path", "hooks"])?;
        let dir = self.dir.join(said.trim_end_matches('\n'));
        Ok(dir.canonicalize().unwrap_or(dir))
    }

    /// The version of git as numbers, e.g. `(2, 47)`.
    ///
    /// # Errors
    ///
    /// When git cannot be run.
    pub fn version(&self) -> Result<(u32, u32), RunError> {
        let said = self.run_reading("version", &[])?;
        let numbers = said.split_whitespace().nth(2).unwrap_or_default();
        let mut numbers = numbers.split('.').map_while(|n| n.parse().ok());
        Ok((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)))
    }

    /// A value of git's configuration as it holds in the repository; none when it is unset.
    pub fn config_value(&self, key: &str) -> Option<String> {
        let said = self.run_reading("config", &["--get", key]).ok()?;
        Some(said.trim_end_matches('\n').to_owned())
    }

    /// Whether git's configuration has a key that matches, in the repository or above it.
    pub fn has_config(&self, pattern: &str) -> bool {
        self.run_reading("config", &["--name-only", "--get-regexp", pattern])
            .is_ok()
    }

    /// A value of git's configuration that the repository has no say in: the system's, the user's, or of the command.
    pub fn own_config(&self, key: &str) -> Option<String> {
        let mut git = Command::new(&self.program);
        git.env_clear()
            .envs(self.env.configuration_vars())
            .env("LC_ALL", "C")
            .current_dir("/")
            .args(["config", "--get", key]);
        let said = self.run_git("config", git, &[]).ok()?;
        Some(
            String::from_utf8_lossy(&said)
                .trim_end_matches('\n')
                .to_owned(),
        )
    }

    /// Sets values of the repository's own configuration.
    ///
    /// # Errors
    ///
    /// As `git config` fails.
    pub fn set_config(&self, key: &str, value: &str) -> Result<(), RunError> {
        let args = ["--local", "--replace-all", key, value].map(OsStr::new);
        self.run_writing("config", &args, &[]).map(drop)
    }

    /// Removes a section of the repository's own configuration; it is no error that there is none.
    pub fn remove_section(&self, section: &str) {
        let args = ["--local", "--remove-section", section].map(OsStr::new);
        let _ = self.run_writing("config", &args, &[]);
    }

    /// `Name <mail>` of whoever commits here.
    pub fn identity(&self) -> Option<String> {
        let said = self.run_reading("var", &["GIT_COMMITTER_IDENT"]).ok()?;
        let end = said.rfind('>')?;
        Some(said[..=end].to_owned())
    }

    /// A program that git is configured to use, from where the repository has no say; else `default` of PATH.
    pub(crate) fn configured_program(&self, keys: &[&str], default: &str) -> Option<PathBuf> {
        let named = keys.iter().find_map(|key| self.own_config(key));
        match named {
            Some(path) if Path::new(&path).is_absolute() => Some(path.into()),
            Some(name) => runner::find_program(&self.env, &name),
            None => runner::find_program(&self.env, default),
        }
    }
}
