//! A backend that is a child process: one JSON object a line, requests to its stdin, events from its stdout.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use council_protocol::message::{Hello, Manifest, Message};
use council_protocol::{Backend, BackendError, JudgeId, JudgeSpec, Request, Sink};

use crate::gate::EventGate;
use crate::library::parse_manifest;
use crate::lines::{BoundedLine, BoundedLines};
use crate::log::{PluginLog, PluginLogLevel};
use crate::process::{ChildProcess, LaunchSpec, StartProcess};
use crate::{HostTimeouts, LoadError, TrustedFile};

/// The most bytes of the first line, which is the manifest.
const FIRST_LINE: u64 = 1024 * 1024;
/// The most bytes of one line of stderr that go to the log.
const LOG_LINE: u64 = 4096;
/// How long what a dead process has still written is read.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A program that speaks the protocol, and how it is started.
#[derive(Clone)]
pub struct PluginProgram {
    /// The program's file, checked.
    pub file: TrustedFile,
    /// The arguments it is started with.
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// Who starts it; [`crate::launch`] unless there is a guard.
    pub launch: LaunchSpec,
}

impl PluginProgram {
    /// It works in `/`, so that nothing of the change under review is found by a relative path.
    fn start(&self) -> io::Result<(ChildProcess, ChildStreams)> {
        let path = self
            .file
            .path()
            .to_str()
            .ok_or_else(|| io::Error::other("its path is not UTF-8"))?;
        let argv: Vec<String> = [path.to_owned()]
            .into_iter()
            .chain(self.args.iter().cloned())
            .collect();
        let start = StartProcess {
            argv: &argv,
            env: &self.env,
            dir: Path::new("/"),
        };
        let mut leash = (self.launch)(start)?;
        let child = leash.child();
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = ChildProcess::new(leash);
        match streams {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((
                process,
                ChildStreams {
                    stdin,
                    stdout,
                    stderr,
                },
            )),
            _ => Err(io::Error::other("its streams are not pipes")),
        }
    }
}

struct ChildStreams {
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
}

/// A backend in a process of its own, killed with all that it started when it is closed or dropped.
pub struct StdioBackend {
    manifest: Manifest,
    gate: Arc<EventGate>,
    process: Arc<ChildProcess>,
    patience: HostTimeouts,
    /// Says when the process is gone; none once it was closed.
    gone: Option<Receiver<()>>,
}

impl StdioBackend {
    /// Starts the program and asks for its manifest.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or gives no manifest that fits in time; it has been killed then.
    pub fn start(
        program: &PluginProgram,
        log: PluginLog,
        patience: HostTimeouts,
    ) -> Result<Self, LoadError> {
        let path = || program.file.path().to_path_buf();
        let failed = |error: io::Error| LoadError::Start {
            path: path(),
            cause: error.to_string(),
        };
        let (process, streams) = program.start().map_err(failed)?;
        let (post, requests) = mpsc::channel();
        let (gate, process) = (EventGate::new(patience, post), Arc::new(process));
        let mut started = Self {
            manifest: no_manifest(),
            gate,
            process,
            patience,
            gone: None,
        };
        let first = started
            .start_threads(streams, requests, log)
            .map_err(failed)?;
        started.gate.post_event(Request::Manifest);
        let line = match first.recv_timeout(patience.start) {
            Ok(FirstLine::Line(line)) => line,
            Ok(FirstLine::Ended(how)) => {
                return Err(LoadError::Manifest {
                    path: path(),
                    cause: how,
                });
            }
            Err(_) => {
                return Err(LoadError::Slow {
                    path: path(),
                    within: patience.start,
                });
            }
        };
        started.manifest = parse_manifest(&line, program.file.path())?;
        let limit = started.manifest.limits.max_message_bytes;
        started.gate.message_limit(limit);
        Ok(started)
    }

    /// Starts the threads: one for each stream, one that waits for the end.
    fn start_threads(
        &mut self,
        streams: ChildStreams,
        requests: Receiver<Request>,
        log: PluginLog,
    ) -> io::Result<Receiver<FirstLine>> {
        let ChildStreams {
            stdin,
            stdout,
            stderr,
        } = streams;
        let (first, manifest) = mpsc::channel();
        let (read, all_read) = mpsc::channel();
        let (buried, gone) = mpsc::channel();
        let tail = StderrTail::default();
        let (gate, thread) = (&self.gate, |name: &str| {
            thread::Builder::new().name(format!("council-{name}"))
        });
        thread("writer").spawn({
            let gate = gate.clone();
            move || write_requests(stdin, &requests, &gate)
        })?;
        thread("reader").spawn({
            let (gate, first, read) = (gate.clone(), first.clone(), read.clone());
            move || {
                read_events(stdout, &first, &gate);
                let _ = read.send(());
            }
        })?;
        thread("stderr").spawn({
            let tail = tail.clone();
            move || {
                read_log(stderr, &log, &tail);
                let _ = read.send(());
            }
        })?;
        let (gate, process) = (gate.clone(), self.process.clone());
        thread("undertaker").spawn(move || {
            let how = bury_child(&process, &all_read, &tail);
            let _ = first.send(FirstLine::Ended(how.clone()));
            gate.with_ledger(|ledger| ledger.on_death(&how));
            let _ = buried.send(());
        })?;
        self.gone = Some(gone);
        Ok(manifest)
    }
}

impl Backend for StdioBackend {
    fn manifest(&self) -> Manifest {
        self.manifest.clone()
    }

    fn open(&mut self, hello: Hello, sink: Sink) -> Result<(), BackendError> {
        self.gate.open(hello, sink)?;
        let (gate, process) = (self.gate.clone(), self.process.clone());
        let keeper = thread::Builder::new().name("council-keeper".into());
        // When the gate has no more to do, the session is over and so is the process, whatever it thinks itself.
        let spawned = keeper.spawn(move || {
            gate.keep_time();
            process.end();
        });
        spawned
            .map(|_| ())
            .map_err(|error| BackendError::Other(format!("no thread for the backend: {error}")))
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        self.gate.spawn(spec)
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        self.gate.send(message)
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.gate.cancel(judge)
    }

    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        self.gate.shutdown(judge, grace_ms)
    }

    fn close(&mut self) -> Result<(), BackendError> {
        let Some(gone) = self.gone.take() else {
            return Ok(());
        };
        let wait = self
            .gate
            .with_ledger(|ledger| ledger.begin_close(Instant::now()));
        self.gate.post_event(Request::Close);
        if gone.recv_timeout(wait).is_err() {
            let what = format!(
                "did not close within {} s; its processes were killed",
                wait.as_secs_f32()
            );
            self.gate.with_ledger(|ledger| ledger.log_note(what));
            self.process.end();
            // A killed process is gone at once, unless the kernel itself holds it.
            let _ = gone.recv_timeout(self.patience.margin);
        }
        self.gate.with_ledger(|ledger| ledger.on_closed());
        Ok(())
    }
}

impl Drop for StdioBackend {
    fn drop(&mut self) {
        if self.gate.with_ledger(|ledger| ledger.fresh_line()) {
            self.process.end();
        }
        // Closing a child process does not fail.
        let _ = self.close();
    }
}

/// What comes first from a program.
enum FirstLine {
    Line(Vec<u8>),
    /// Nothing, and why.
    Ended(String),
}

/// The manifest of a program that has not said any yet.
fn no_manifest() -> Manifest {
    Manifest {
        name: String::new(),
        version: String::new(),
        protocols: Vec::new(),
        capabilities: Default::default(),
        limits: Default::default(),
    }
}

/// Writes requests, a line each; leaves with the stream after `close`, or when nobody reads any more.
fn write_requests(mut stdin: ChildStdin, requests: &Receiver<Request>, gate: &EventGate) {
    while let Ok(request) = requests.recv() {
        let Some(mut line) = gate.receive_line(&request, &request) else {
            continue;
        };
        line.push(b'\n');
        // That the process is gone is for the undertaker to tell.
        if stdin.write_all(&line).is_err() || request == Request::Close {
            return;
        }
    }
}

fn read_events(stdout: impl Read, first: &Sender<FirstLine>, gate: &EventGate) {
    let (mut stream, mut lines) = (
        BufReader::with_capacity(64 * 1024, stdout),
        BoundedLines::default(),
    );
    if let Ok(BoundedLine::Whole) = lines.next(&mut stream, FIRST_LINE) {
        let _ = first.send(FirstLine::Line(std::mem::take(&mut lines.buffer)));
    }
    loop {
        match lines.next(&mut stream, gate.max_event_bytes()) {
            Ok(BoundedLine::Whole) if lines.buffer.iter().all(u8::is_ascii_whitespace) => {}
            Ok(BoundedLine::Whole) => gate.receive_event(&lines.buffer),
            Ok(BoundedLine::Overlong(bytes)) => gate.reject_overlong(&lines.buffer, bytes),
            Ok(BoundedLine::End) | Err(_) => return,
        }
    }
}

/// The last line of stderr, for the reason of a death.
#[derive(Clone, Default)]
struct StderrTail(Arc<Mutex<String>>);

fn read_log(stderr: impl Read, log: &PluginLog, tail: &StderrTail) {
    let (mut stream, mut lines) = (BufReader::new(stderr), BoundedLines::default());
    loop {
        match lines.next(&mut stream, LOG_LINE) {
            Ok(BoundedLine::Whole) => {
                let text = String::from_utf8_lossy(&lines.buffer);
                log.write_line(PluginLogLevel::Info, &text);
                if !text.trim().is_empty() {
                    *tail.0.lock().unwrap_or_else(PoisonError::into_inner) = text.into_owned();
                }
            }
            Ok(BoundedLine::Overlong(bytes)) => log.write_line(
                PluginLogLevel::Info,
                &format!("a line of stderr had {bytes} bytes more"),
            ),
            Ok(BoundedLine::End) | Err(_) => return,
        }
    }
}

/// Waits for the end of the process, ends what it left behind, hears its last words; says how it ended.
fn bury_child(process: &ChildProcess, all_read: &Receiver<()>, tail: &StderrTail) -> String {
    process.block_until_ended();
    process.end();
    // Both streams are read to their ends; but somebody who left the group may hold one open for ever.
    let until = Instant::now() + LAST_WORDS;
    for _ in 0..2 {
        let _ = all_read.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
    let status = process.reap_child().map_or_else(
        || "in an unknown way".to_owned(),
        |status| status.to_string(),
    );
    let said = tail
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    if said.is_empty() {
        format!("its process ended ({status})")
    } else {
        format!("its process ended ({status}); the last line of its stderr: {said}")
    }
}
