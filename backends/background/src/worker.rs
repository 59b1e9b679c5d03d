//! One worker process.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use council_protocol::message::Ending;
use council_protocol::{Failure, FailureKind, JudgeId, Turn};

use crate::{WorkerCommand, files};

/// A process that answers one turn. It ends itself when its standard input closes, which also happens when we are
/// killed; so does everything that it has started, since its guards see their own pipes close.
pub(crate) struct WorkerProcess {
    state: Mutex<WorkerState>,
    over: Condvar,
    output: Mutex<Option<ChildStdout>>,
}

struct WorkerState {
    child: Child,
    stdin: Option<ChildStdin>,
    asked: bool,
    status: Option<String>,
}

impl WorkerProcess {
    /// Writes the turn and starts the process on it.
    pub(crate) fn start(
        office: &WorkerCommand,
        run: &Path,
        judge: &JudgeId,
        turn: &Turn,
    ) -> Result<Self, Failure> {
        let failed = |what: &str, error: std::io::Error| {
            Failure::new(FailureKind::Spawn, format!("cannot {what}: {error}"))
        };
        files::write_turn(run, judge, turn).map_err(|e| failed("write the turn's file", e))?;
        let mut command = Command::new(&office.exe);
        command
            .arg("judge")
            .arg("--run")
            .arg(run)
            .arg("--judge")
            .arg(judge.as_str());
        command
            .arg("--turn")
            .arg(turn.id.0.to_string())
            .arg("--tied");
        command.env_clear().envs(&office.env).current_dir(run);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // A Ctrl-C at our terminal is ours to pass on.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|e| failed("start a worker", e))?;
        let (stdin, output) = (child.stdin.take(), child.stdout.take());
        let state = WorkerState {
            child,
            stdin,
            asked: false,
            status: None,
        };
        Ok(Self {
            state: Mutex::new(state),
            over: Condvar::new(),
            output: Mutex::new(output),
        })
    }

    /// Blocks until the process has ended. Called once, by the thread that waits for it.
    pub(crate) fn wait_for_end(&self) {
        // Its output is nothing but a way to see its end without holding the lock.
        let output = self
            .output
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(mut output) = output {
            let mut sink = [0; 256];
            while output.read(&mut sink).is_ok_and(|n| n > 0) {}
        }
        let mut state = self.lock();
        let status = state
            .child
            .wait()
            .map_or_else(|e| e.to_string(), |s| s.to_string());
        state.status = Some(status);
        self.over.notify_all();
    }

    /// Asks it to end, and kills it after `grace`. Returns how it ended.
    pub(crate) fn end_within(&self, grace: Duration) -> Ending {
        let mut state = self.lock();
        state.asked = true;
        state.stdin = None;
        let waited = self
            .over
            .wait_timeout_while(state, grace, |s| s.status.is_none());
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.status.is_some() {
            return Ending::Graceful;
        }
        let _ = state.child.kill();
        Ending::Forced
    }

    /// Ends it at once.
    pub(crate) fn kill_now(&self) {
        let mut state = self.lock();
        state.asked = true;
        state.stdin = None;
        let _ = state.child.kill();
    }

    /// Whether it was we who ended it.
    pub(crate) fn was_ended(&self) -> bool {
        self.lock().asked
    }

    /// The failure of a worker that left no reply.
    pub(crate) fn death_failure(&self) -> Failure {
        let status = self.lock().status.clone().unwrap_or_default();
        Failure::new(
            FailureKind::Died,
            format!("the worker ended without a reply ({status})"),
        )
    }

    fn lock(&self) -> MutexGuard<'_, WorkerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
