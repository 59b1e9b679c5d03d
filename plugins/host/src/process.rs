//! A child process with everything that it starts, ended as one.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// What is to be started: its streams are to be pipes.
#[derive(Debug, Clone, Copy)]
pub struct StartProcess<'a> {
    /// The program, by its whole path, and its arguments.
    pub argv: &'a [String],
    /// Its whole environment.
    pub env: &'a [(String, String)],
    /// Where it works.
    pub dir: &'a Path,
}

/// What a child process is held by.
pub trait ProcessHandle: Send {
    /// The process itself, of which we are the parent.
    fn child(&mut self) -> &mut Child;

    /// Ends the process and everything that it has started, without waiting for it.
    fn end_process(&mut self);
}

/// How child processes are started: [`launch`], or something that keeps them on a shorter leash, e.g. under a guard that
/// ends them when we are killed.
pub type LaunchSpec =
    Arc<dyn Fn(StartProcess<'_>) -> io::Result<Box<dyn ProcessHandle>> + Send + Sync>;

/// Starts a program as the leader of a process group of its own.
///
/// # Errors
///
/// When the system cannot start it.
pub fn launch_process(start: StartProcess<'_>) -> io::Result<Box<dyn ProcessHandle>> {
    let Some((program, args)) = start.argv.split_first() else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .envs(start.env.iter().cloned())
        .current_dir(start.dir);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(Box::new(ProcessGroup(command.process_group(0).spawn()?)))
}

/// The leader of a group.
struct ProcessGroup(Child);

impl ProcessHandle for ProcessGroup {
    fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    #[expect(unsafe_code, reason = "the standard library cannot signal a group")]
    fn end_process(&mut self) {
        if let Some(pid) = pid(&self.0) {
            // SAFETY: plain system call; a leash is used until its child is waited for, so the number is its own.
            unsafe { libc::kill(-pid, libc::SIGKILL) };
        }
    }
}

fn pid(child: &Child) -> Option<libc::pid_t> {
    libc::pid_t::try_from(child.id()).ok()
}

/// A child process from its start until it was waited for.
pub(crate) struct ChildProcess {
    pid: Option<libc::pid_t>,
    /// None once it was waited for: from then on its number may be somebody else's.
    leash: Mutex<Option<Box<dyn ProcessHandle>>>,
}

impl ChildProcess {
    pub(crate) fn new(mut leash: Box<dyn ProcessHandle>) -> Self {
        Self {
            pid: pid(leash.child()),
            leash: Mutex::new(Some(leash)),
        }
    }

    /// Ends it with all that it has started, unless it was waited for.
    pub(crate) fn end(&self) {
        let mut leash = self.leash.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(leash) = leash.as_mut() {
            leash.end_process();
        }
    }

    /// Blocks until it has ended, without waiting for it: its number stays its own.
    #[expect(
        unsafe_code,
        reason = "the standard library cannot look without reaping"
    )]
    pub(crate) fn block_until_ended(&self) {
        let Some(id) = self.pid.and_then(|pid| libc::id_t::try_from(pid).ok()) else {
            return;
        };
        loop {
            // SAFETY: `siginfo_t` is plain data for which zeros are valid; the kernel fills it in.
            let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
            // SAFETY: plain system call that writes to `info` only.
            let result = unsafe {
                libc::waitid(
                    libc::P_PID,
                    id,
                    &raw mut info,
                    libc::WEXITED | libc::WNOWAIT,
                )
            };
            if result == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return;
            }
        }
    }

    /// Waits for it; it has ended.
    pub(crate) fn reap_child(&self) -> Option<ExitStatus> {
        let leash = self
            .leash
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        leash.and_then(|mut leash| leash.child().wait().ok())
    }
}
