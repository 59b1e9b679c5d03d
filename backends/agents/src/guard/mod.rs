//! The guard: a process of our own between the program and an agent, so that nothing of the agent outlives us.
//!
//! The program starts `git-council __guard GRACE_MS [--read PATH]… [--write PATH]… [--borders …] … -- PROGRAM ARGS…` and keeps one end of a pipe, the *death pipe*.
//! The guard makes itself the reaper of every orphan below it, starts the program, and ends the whole tree when the
//! pipe closes — because we closed it, or because we were killed and the kernel did — and also when the program has
//! ended and left something behind. A grandchild in a session of its own is found by its ancestry.
//!
//! [`spawn`] is the program's side, [`run`] is the guard's.

#[cfg(target_os = "linux")]
mod borders;
mod child;
mod disk;
#[cfg(target_os = "linux")]
mod refusals;
mod sandbox;
mod tree;

pub use child::{hide_from_others, keep_file_size_an_error, run_guard};
pub(crate) use refusals::SERVED;
pub use sandbox::{HardBorders, Refusal, SandboxFence, TreeCopy, is_enforceable};
pub(crate) use sandbox::{coverable_places, private_folder};

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The descriptor at which the guard finds its end of the death pipe.
const DEATH_FD: i32 = 3;

/// Arguments that are text, as a guard takes them.
pub fn os_arguments(argv: &[String]) -> Cow<'static, [OsString]> {
    Cow::Owned(argv.iter().map(OsString::from).collect())
}

/// The word that makes the program a guard.
pub const SUBCOMMAND: &str = "__guard";

/// What is to be held by a guard.
#[derive(Debug, Clone)]
pub struct GuardedProgram<'a> {
    /// The program and its arguments; the program is looked up on the `PATH` of `env`.
    pub argv: Cow<'a, [OsString]>,
    /// The whole environment: nothing of ours is inherited.
    pub env: &'a [(String, OsString)],
    /// Where it works.
    pub dir: &'a Path,
    /// How long it has between SIGTERM and SIGKILL, in milliseconds.
    pub grace_ms: u64,
    /// What the kernel keeps it behind; it is not started where that cannot be enforced.
    pub fence: Option<&'a SandboxFence>,
}

/// A program under guard, with pipes to its standard streams.
#[derive(Debug)]
pub struct GuardedChild {
    /// The guard's process; its streams are the program's.
    pub child: Child,
    death: Option<OwnedFd>,
}

impl GuardedChild {
    /// Asks the tree to end: SIGTERM, the grace, then SIGKILL. Returns at once; the guard's end says that it is done.
    pub fn end(&mut self) {
        self.death = None;
    }

    /// The process id of the guard.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The end of the death pipe, for a hook that ends the tree from another thread by dropping it.
    pub fn take_death(&mut self) -> Option<OwnedFd> {
        self.death.take()
    }
}

impl Drop for GuardedChild {
    fn drop(&mut self) {
        self.end();
        // The guard ends within the grace; a zombie of ours is all that could be left, so it is reaped here.
        let _ = self.child.wait();
    }
}

/// Starts a program under a guard. `exe` is our own executable.
pub fn spawn_guarded(exe: &Path, program: &GuardedProgram<'_>) -> io::Result<GuardedChild> {
    let (guard_end, our_end) = death_pipe()?;
    let mut command = Command::new(exe);
    command
        .arg(SUBCOMMAND)
        .arg(program.grace_ms.to_string())
        .args(
            program
                .fence
                .map(SandboxFence::to_arguments)
                .unwrap_or_default(),
        )
        .arg("--")
        .args(&*program.argv);
    command
        .env_clear()
        .envs(program.env.iter().map(|(k, v)| (k, v)))
        .current_dir(program.dir);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let fd = guard_end.as_raw_fd();
    #[expect(
        unsafe_code,
        reason = "the guard's end of the pipe must stand at a known descriptor"
    )]
    // SAFETY: between fork and exec only dup2 and fcntl are called, both async-signal-safe, on a descriptor that
    // `guard_end` keeps open until the spawn is over.
    unsafe {
        command.pre_exec(move || {
            let moved = if fd == DEATH_FD {
                libc::fcntl(fd, libc::F_SETFD, 0)
            } else {
                libc::dup2(fd, DEATH_FD)
            };
            if moved < 0 {
                Err(io::Error::last_os_error())
            } else {
                Ok(())
            }
        });
    }
    let child = command.spawn()?;
    drop(guard_end);
    Ok(GuardedChild {
        child,
        death: Some(our_end),
    })
}

/// A pipe whose two ends are closed on exec: the guard's end, our end.
fn death_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}
