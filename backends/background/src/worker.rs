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
    /// What an earlier worker said in the same turn.
    pub(crate) earlier: Vec<String>,
}

struct WorkerState {
    child: Child,
    stdin: Option<ChildStdin>,
    asked: bool,
    status: Option<String>,
    /// What it left has been told.
    is_told: bool,
}

/// How long what a killed worker left takes to be told.
const TELLING: Duration = Duration::from_secs(2);

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
        let earlier =
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
            is_told: false,
        };
        Ok(Self {
            state: Mutex::new(state),
            over: Condvar::new(),
            output: Mutex::new(output),
            earlier,
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
    }

    /// What it left is told now: whoever ends it need not wait any longer.
    pub(crate) fn mark_told(&self) {
        self.lock().is_told = true;
        self.over.notify_all();
    }

    /// Asks it to end, and kills it after `grace`. Returns how it ended, once what it left is told.
    pub(crate) fn end_within(&self, grace: Duration) -> Ending {
        let mut state = self.lock();
        state.asked = true;
        state.stdin = None;
        let mut state = self.wait_until_told(state, grace);
        if state.is_told || state.status.is_some() {
            drop(self.wait_until_told(state, TELLING));
            return Ending::Graceful;
        }
        let _ = state.child.kill();
        drop(self.wait_until_told(state, TELLING));
        Ending::Forced
    }

    fn wait_until_told<'a>(
        &self,
        state: MutexGuard<'a, WorkerState>,
        most: Duration,
    ) -> MutexGuard<'a, WorkerState> {
        let waited = self.over.wait_timeout_while(state, most, |s| !s.is_told);
        waited.unwrap_or_else(PoisonError::into_inner).0
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
