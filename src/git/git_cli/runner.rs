//! The hardened `git` command, for what libgit2 cannot do (a second source of objects; git's own rules of trust).
//!
//! It reads objects and nothing else: a few plumbing commands, a cleared environment, everything that a repository can
//! configure to be executed switched off, no lazy fetch, no network, a deadline and a cap on what it may say: a hostile
//! `.git/config` must find no place to run anything.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::env::GitEnvironment;

/// How long a command may take.
pub(crate) const MAX_DURATION: Duration = Duration::from_secs(60);

/// How many bytes a command may say.
pub(crate) const MAX_OUTPUT: usize = 256 << 20;

/// How much of what it says about a failure is kept.
const MAX_STDERR_BYTES: usize = 4 << 10;

/// The commands that may be run: none of them touches a worktree, an index or a remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlumbingCommand {
    /// Objects by name.
    CatFile,
    /// What the rules of `.gitignore` leave out.
    CheckIgnore,
    ForEachRef,
    /// The index listed, or what is not in it.
    LsFiles,
    MergeBase,
    RevList,
    RevParse,
    /// A symbolic ref read.
    SymbolicRef,
}

impl PlumbingCommand {
    fn name(self) -> &'static str {
        match self {
            Self::CatFile => "cat-file",
            Self::CheckIgnore => "check-ignore",
            Self::LsFiles => "ls-files",
            Self::SymbolicRef => "symbolic-ref",
            Self::ForEachRef => "for-each-ref",
            Self::MergeBase => "merge-base",
            Self::RevList => "rev-list",
            Self::RevParse => "rev-parse",
        }
    }
}

/// Why a `git` command gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// No `git` in any absolute directory of PATH.
    #[error("there is no git command on PATH")]
    NoGit,
    /// It could not be started, or spoken with.
    #[error("cannot run git {command}: {cause}")]
    Start {
        command: &'static str,
        /// What the system says.
        cause: String,
    },
    /// It did not end in time.
    #[error("git {command} did not end within {} s", deadline.as_secs_f32())]
    Deadline {
        command: &'static str,
        /// The time that it had.
        deadline: Duration,
    },
    /// It said more than it may.
    #[error("git {command} said more than {cap} bytes")]
    TooMuch { command: &'static str, cap: usize },
    #[error("git {command} failed: {stderr}")]
    Failed {
        command: &'static str,
        /// The exit code, if it had one.
        code: Option<i32>,
        /// The beginning of what it said. Untrusted text.
        stderr: String,
    },
    /// An operand that git would take for an option.
    #[error("git {command}: {operand:?} is not a name")]
    Operand {
        command: &'static str,
        operand: String,
    },
}

impl RunError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoGit => "install git, or add its directory to PATH",
            Self::Start { .. } => "check that git runs: git --version",
            Self::Deadline { .. } | Self::TooMuch { .. } => {
                "narrow the review with -- PATHSPEC, or review smaller ranges"
            }
            Self::Failed { .. } => "git fsck says whether the repository is damaged",
            Self::Operand { .. } => "a revision or path does not begin with a dash",
        }
    }
}

/// Configuration that a repository may hold and that must have no effect here.
pub(crate) const OFF: [&str; 17] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=none",
    "core.alternateRefsCommand=true",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "log.showSignature=false",
];

/// Variables that every command gets, whatever the process has.
const FIXED: [(&str, &str); 11] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_FLUSH", "0"),
    ("LC_ALL", "C"),
];

/// Runs `git` over one repository's objects.
#[derive(Debug, Clone)]
pub(crate) struct GitRunner {
    program: PathBuf,
    git_dir: PathBuf,
    worktree: Option<PathBuf>,
    /// Another index than the repository's own (`GIT_INDEX_FILE`).
    pub(crate) index_file: Option<PathBuf>,
    /// How long a command may take.
    pub deadline: Duration,
    /// How many bytes it may say.
    pub cap: usize,
}

impl GitRunner {
    /// A runner over the repository at `git_dir`, which must be absolute and already known to be trusted
    /// (`safe.directory` is not asked again).
    ///
    /// # Errors
    ///
    /// [`RunError::NoGit`].
    pub(crate) fn new(git_dir: &Path, env: &GitEnvironment) -> Result<Self, RunError> {
        let program = git_program(env)?;
        Ok(Self {
            program,
            git_dir: git_dir.to_owned(),
            worktree: None,
            index_file: None,
            deadline: MAX_DURATION,
            cap: MAX_OUTPUT,
        })
    }

    /// Runs one command and returns what it says. `options` are the program's own text; `operands` may come from
    /// anywhere and cannot become options.
    ///
    /// # Errors
    ///
    /// Every way in which it does not answer, and an exit code other than 0.
    pub(crate) fn run_command(
        &self,
        command: PlumbingCommand,
        options: &[&'static str],
        operands: &[&OsStr],
        stdin: &[u8],
    ) -> Result<Vec<u8>, RunError> {
        let name = command.name();
        if let Some(operand) = operands
            .iter()
            .find(|operand| operand.as_encoded_bytes().starts_with(b"-"))
        {
            return Err(RunError::Operand {
                command: name,
                operand: operand.to_string_lossy().into_owned(),
            });
        }
        let mut git = self.build_command(command, options);
        git.args(operands);
        let limits = ProcessLimits {
            command: name,
            deadline: self.deadline,
            cap: self.cap,
        };
        limits.run_process(git, stdin)
    }
}

impl GitRunner {
    /// The same over a worktree.
    pub(crate) fn in_worktree(&self, top: &Path) -> Self {
        Self {
            worktree: Some(top.to_owned()),
            ..self.clone()
        }
    }

    /// A process that goes on, with pipes to its input and output; what it complains about is not heard.
    pub(crate) fn spawn_piped(
        &self,
        command: PlumbingCommand,
        options: &[&'static str],
    ) -> Result<Child, RunError> {
        let mut git = self.build_command(command, options);
        git.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        git.spawn().map_err(|cause| RunError::Start {
            command: command.name(),
            cause: cause.to_string(),
        })
    }

    fn build_command(&self, command: PlumbingCommand, options: &[&'static str]) -> Command {
        let mut git = Command::new(&self.program);
        git.env_clear()
            .envs(FIXED)
            .env("GIT_DIR", &self.git_dir)
            .current_dir(self.worktree.as_ref().unwrap_or(&self.git_dir));
        if let Some(top) = &self.worktree {
            git.env("GIT_WORK_TREE", top);
        }
        if let Some(index) = &self.index_file {
            git.env("GIT_INDEX_FILE", index);
        }
        for setting in OFF {
            git.args(["-c", setting]);
        }
        git.args(["-c", "safe.directory=*", command.name()])
            .args(options);
        git
    }
}

/// The directories that the user's or the system's configuration declares safe (`safe.directory`), by git's own
/// rules: never from the repository itself.
pub(crate) fn safe_directories(env: &GitEnvironment) -> Result<Vec<String>, RunError> {
    let mut git = Command::new(git_program(env)?);
    git.env_clear()
        .envs(env.configuration_vars())
        .env("LC_ALL", "C")
        .current_dir(root_dir());
    git.args([
        "config",
        "--null",
        "--show-scope",
        "--type=path",
        "--get-all",
        "safe.directory",
    ]);
    let limits = ProcessLimits {
        command: "config",
        deadline: Duration::from_secs(10),
        cap: 1 << 20,
    };
    let said = match limits.run_process(git, &[]) {
        Ok(said) => said,
        // No such key.
        Err(RunError::Failed { code: Some(1), .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let said = String::from_utf8_lossy(&said).into_owned();
    let mut fields = said.split_terminator('\0');
    let mut found = Vec::new();
    while let (Some(scope), Some(value)) = (fields.next(), fields.next()) {
        match value {
            _ if !matches!(scope, "system" | "global" | "command") => {}
            "" => found.clear(),
            value => found.push(value.to_owned()),
        }
    }
    Ok(found)
}

/// Runs a command that was put together elsewhere, with a time limit and a limit for what it may say.
pub(crate) fn run_to_end(
    command: &'static str,
    deadline: Duration,
    git: Command,
) -> Result<Vec<u8>, RunError> {
    let limits = ProcessLimits {
        command,
        deadline,
        cap: MAX_OUTPUT,
    };
    limits.run_process(git, &[])
}

fn root_dir() -> &'static Path {
    Path::new(if cfg!(windows) { "C:\\" } else { "/" })
}

/// `git` in an absolute directory of PATH: a relative one would look into whatever directory is reviewed.
pub(crate) fn git_program(env: &GitEnvironment) -> Result<PathBuf, RunError> {
    find_program(env, "git").ok_or(RunError::NoGit)
}

/// A program in an absolute directory of PATH.
pub(crate) fn find_program(env: &GitEnvironment, name: &str) -> Option<PathBuf> {
    let path = env
        .get("PATH")
        .map(OsStr::to_owned)
        .unwrap_or_else(|| OsString::from("/usr/local/bin:/usr/bin:/bin"));
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let mut found = std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(&name));
    found.find(|file| file.is_file())
}

/// What one conversation with a program may take.
pub(crate) struct ProcessLimits {
    pub(crate) command: &'static str,
    pub(crate) deadline: Duration,
    pub(crate) cap: usize,
}

impl ProcessLimits {
    fn start_error(&self, cause: &std::io::Error) -> RunError {
        RunError::Start {
            command: self.command,
            cause: cause.to_string(),
        }
    }

    /// Starts the command, hears it out, and ends it when it says or takes too much.
    pub(crate) fn run_process(&self, mut git: Command, stdin: &[u8]) -> Result<Vec<u8>, RunError> {
        let end = Instant::now() + self.deadline;
        git.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = git.spawn().map_err(|e| self.start_error(&e))?;
        let result = self.wait_for_output(&mut child, stdin, end);
        if result.is_err() {
            // Gone already, or gone now; either way it is reaped.
            let _ = child.kill();
            let _ = child.wait();
        }
        result
    }

    fn wait_for_output(
        &self,
        child: &mut Child,
        stdin: &[u8],
        end: Instant,
    ) -> Result<Vec<u8>, RunError> {
        if let Some(mut pipe) = child.stdin.take() {
            let stdin = stdin.to_vec();
            // A command that does not read what it is sent answers for itself.
            thread::spawn(move || drop(pipe.write_all(&stdin)));
        }
        let said = read_pipe(child.stdout.take(), self.cap + 1);
        let complained = read_pipe(child.stderr.take(), MAX_STDERR_BYTES);
        let late = || RunError::Deadline {
            command: self.command,
            deadline: self.deadline,
        };
        let left = || end.saturating_duration_since(Instant::now());
        let stdout = said
            .recv_timeout(left())
            .map_err(|_| late())?
            .map_err(|e| self.start_error(&e))?;
        if stdout.len() > self.cap {
            return Err(RunError::TooMuch {
                command: self.command,
                cap: self.cap,
            });
        }
        let stderr = complained
            .recv_timeout(left())
            .map_err(|_| late())?
            .unwrap_or_default();
        loop {
            match child.try_wait().map_err(|e| self.start_error(&e))? {
                Some(status) if status.success() => return Ok(stdout),
                Some(status) => {
                    let stderr = String::from_utf8_lossy(&stderr).trim().to_owned();
                    return Err(RunError::Failed {
                        command: self.command,
                        code: status.code(),
                        stderr,
                    });
                }
                None if left().is_zero() => return Err(late()),
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

/// Reads a pipe to its end or to `cap` bytes, in a thread of its own.
fn read_pipe(
    pipe: Option<impl Read + Send + 'static>,
    cap: usize,
) -> mpsc::Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map_or(Ok(0), |pipe| pipe.take(cap as u64).read_to_end(&mut bytes));
        // Nobody listens any more when the deadline has passed.
        let _ = sender.send(read.map(|_| bytes));
    });
    receiver
}

#[cfg(test)]
#[path = "runner_tests.rs"]
mod tests;
