//! A child process with everything that it starts: one process group, ended as one.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};

/// A child that leads a process group of its own.
pub(crate) struct Group {
    pid: libc::pid_t,
    /// None once it was waited for: from then on the number may be somebody else's.
    child: Mutex<Option<Child>>,
}

impl Group {
    /// Starts the command as the leader of a new group; its streams are still in the child that `streams` is shown.
    pub(crate) fn start<S>(
        command: &mut Command,
        streams: impl FnOnce(&mut Child) -> S,
    ) -> io::Result<(Self, S)> {
        let mut child = command.process_group(0).spawn()?;
        let streams = streams(&mut child);
        let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
        Ok((
            Self {
                pid,
                child: Mutex::new(Some(child)),
            },
            streams,
        ))
    }

    /// Kills the whole group, unless its leader was waited for.
    #[expect(unsafe_code, reason = "the standard library cannot signal a group")]
    pub(crate) fn kill(&self) {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        if child.is_some() {
            // SAFETY: plain system call; the leader was not waited for, so the number is still its own.
            unsafe { libc::kill(-self.pid, libc::SIGKILL) };
        }
    }

    /// Blocks until the leader has ended, without waiting for it: the group keeps its number.
    #[expect(
        unsafe_code,
        reason = "the standard library cannot look without reaping"
    )]
    pub(crate) fn block_until_ended(&self) {
        let Ok(id) = libc::id_t::try_from(self.pid) else {
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

    /// Waits for the leader, which has ended.
    pub(crate) fn reap(&self) -> Option<ExitStatus> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.take().and_then(|mut child| child.wait().ok())
    }
}
