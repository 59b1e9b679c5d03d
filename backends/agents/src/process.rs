//! A program under guard: run once to its end, or spoken with line by line.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, ExitStatus};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use council_protocol::{Failure, FailureKind};

use crate::StopSignal;
use crate::guard::{self, GuardedChild, GuardedProgram};
use crate::linger::LingerTimer;
use crate::stop::TurnDraft;

/// How long a program has between SIGTERM and SIGKILL, in milliseconds.
pub(crate) const GRACE_MS: u64 = 2_000;

/// How much of a program's standard error is kept for the receipt, in bytes.
const MAX_STDERR_BYTES: usize = 4_096;

/// The longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 16 << 20;

/// Where a program is: as named when it has a folder, else on the `PATH` that it will see. A folder from the root only: a
/// program is started among the reviewed files, and must not be one of them.
pub fn find_program(program: &str, path: Option<&OsString>) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|p| p.is_absolute() && p.is_file());
    }
    let folders = std::env::split_paths(path?).filter(|folder| folder.is_absolute());
    folders
        .map(|folder| folder.join(program))
        .find(|p| p.is_file())
}

/// Why a program could not be started.
pub(crate) fn spawn_failure(program: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        FailureKind::Spawn,
        format!("cannot start `{program}`: {error}"),
    )
}

/// Ends a guarded tree from any thread, once.
#[derive(Clone)]
pub(crate) struct TreeKiller(Arc<Mutex<Option<OwnedFd>>>);

impl TreeKiller {
    pub(crate) fn from_guarded(guarded: &mut GuardedChild) -> Self {
        Self(Arc::new(Mutex::new(guarded.take_death())))
    }

    pub(crate) fn kill_tree(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Whether the tree was told to end.
    fn has_killed(&self) -> bool {
        let death = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        death.is_none()
    }
}

/// What a program left that was run to its end.
pub(crate) struct FinishedProgram<O = Vec<u8>> {
    /// What it wrote.
    pub(crate) stdout: O,
    /// Whether that is all: it wrote no more than it may.
    pub(crate) whole: bool,
    /// The end of what it wrote to its standard error.
    pub(crate) noise: String,
    /// How it ended.
    pub(crate) status: io::Result<ExitStatus>,
    /// Whether we ended it.
    pub(crate) is_stopped: bool,
}

impl<O> FinishedProgram<O> {
    /// How it ended, in words.
    pub(crate) fn describe_ending(&self) -> String {
        match (&self.status, self.killed_by()) {
            (Ok(_), Some(signal)) => format!("signal {signal}"),
            (Ok(status), None) => status.to_string(),
            (Err(error), _) => error.to_string(),
        }
    }

    /// Whether somebody else killed it: it crashed, or the system ran out of memory.
    pub(crate) fn was_killed(&self) -> bool {
        !self.is_stopped && self.killed_by().is_some()
    }

    /// The signal that ended it. Its guard passes that on as 128 and the signal's number.
    fn killed_by(&self) -> Option<i32> {
        let status = self.status.as_ref().ok()?;
        let passed_on = || {
            status
                .code()?
                .checked_sub(128)
                .filter(|n| (1..=64).contains(n))
        };
        status.signal().or_else(passed_on)
    }
}

/// Runs a program to its end: `input` on its standard input, at most `max_bytes` read. A raised `stop` ends the tree. Once what
/// it wrote `is_whole`, it has a second to end: a program that has answered and lingers costs nobody the answer.
pub(crate) fn run_once(
    exe: &Path,
    program: &GuardedProgram<'_>,
    input: Vec<u8>,
    max_bytes: u64,
    stop: &StopSignal,
    is_whole: &dyn Fn(&[u8]) -> bool,
) -> Result<FinishedProgram, Failure> {
    let finished = run_reading(
        exe,
        program,
        input,
        |stream, killer| {
            stream.map_or_else(ReadAnswer::nothing, |stream| {
                let stream = HeardStream {
                    stream,
                    draft: stop.draft(),
                };
                read_answer(stream, max_bytes, killer, is_whole)
            })
        },
        stop,
    )?;
    let read = finished.stdout;
    if stop.is_raised() && !read.has_answer {
        return Err(cancelled_failure());
    }
    Ok(FinishedProgram {
        stdout: read.content,
        whole: read.within_bounds,
        noise: finished.noise,
        status: finished.status,
        is_stopped: finished.is_stopped,
    })
}

/// What a program is called in a message.
fn name_of<'a>(program: &'a GuardedProgram<'_>) -> Cow<'a, str> {
    let name = program.argv.first();
    name.map_or(Cow::Borrowed(""), |name| name.to_string_lossy())
}

/// Runs a program to its end; `read` reads what it writes, while it writes it. Whether a raised `stop` makes what was read
/// worthless is for the caller to say.
pub(crate) fn run_reading<O>(
    exe: &Path,
    program: &GuardedProgram<'_>,
    input: Vec<u8>,
    read: impl FnOnce(Option<ChildStdout>, &TreeKiller) -> O,
    stop: &StopSignal,
) -> Result<FinishedProgram<O>, Failure> {
    let mut guarded = guard::spawn_guarded(exe, program)
        .map_err(|error| spawn_failure(&name_of(program), &error))?;
    let ender = TreeKiller::from_guarded(&mut guarded);
    stop.on_raise({
        let ender = ender.clone();
        move || ender.kill_tree()
    });
    let (stdin, stdout, stderr) = (
        guarded.child.stdin.take(),
        guarded.child.stdout.take(),
        guarded.child.stderr.take(),
    );
    let writer = thread::spawn(move || {
        // A program that does not read its input is free not to: a broken pipe is no failure.
        stdin.map(|mut stdin| stdin.write_all(&input))
    });
    let noise = thread::spawn(move || stderr.map_or_else(Vec::new, read_tail));
    let output = read(stdout, &ender);
    // Who has closed its output can say nothing more.
    let linger = LingerTimer::start(ender.clone());
    let status = guarded.child.wait();
    drop(linger);
    let is_stopped = ender.has_killed();
    ender.kill_tree();
    let _ = writer.join();
    let noise = noise.join().unwrap_or_default();
    Ok(FinishedProgram {
        stdout: output,
        whole: true,
        noise: String::from_utf8_lossy(&noise).trim().to_owned(),
        status,
        is_stopped,
    })
}

/// A turn that nobody waits for any more.
pub(crate) fn cancelled_failure() -> Failure {
    Failure::new(FailureKind::Cancelled, "the turn was cancelled")
}

/// More than a judge may say.
pub(crate) fn oversized_failure(most: u64) -> Failure {
    let detail = format!("the answer has more than the {most} bytes that are allowed");
    Failure::new(FailureKind::Oversized, detail)
}

/// What a program wrote to its standard output.
struct ReadAnswer {
    content: Vec<u8>,
    /// Whether it wrote no more than it may.
    within_bounds: bool,
    /// Whether the content was found to be a whole answer.
    has_answer: bool,
}

impl ReadAnswer {
    fn nothing() -> Self {
        Self {
            content: Vec::new(),
            within_bounds: true,
            has_answer: false,
        }
    }
}

/// Reads to the end; ends the tree as soon as there are more than `most` bytes, or a while after the answer was whole.
/// A stream whose words are kept while they come, for the case that time ends in the middle.
struct HeardStream<'d, R> {
    stream: R,
    draft: &'d TurnDraft,
}

impl<R: Read> Read for HeardStream<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.draft.push(&buffer[..count]);
        Ok(count)
    }
}

fn read_answer(
    mut stream: impl Read,
    most: u64,
    ender: &TreeKiller,
    is_whole: &dyn Fn(&[u8]) -> bool,
) -> ReadAnswer {
    let mut read = ReadAnswer::nothing();
    let mut buffer = vec![0; 1 << 16];
    let (mut linger, mut whole_bytes) = (None, 0);
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => read.content.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => read.within_bounds = false,
        }
        if read.content.len() as u64 > most || !read.within_bounds {
            read.within_bounds = false;
            ender.kill_tree();
            let _ = io::copy(&mut stream, &mut io::sink());
            return read;
        }
        if is_whole(&read.content) {
            whole_bytes = read.content.len();
            linger.get_or_insert_with(|| LingerTimer::start(ender.clone()));
        }
    }
    read.has_answer = whole_bytes > 0;
    // What it was cut off in is no part of its answer.
    if read.has_answer && !is_whole(&read.content) {
        read.content.truncate(whole_bytes);
    }
    read
}

/// Reads to the end and keeps the last bytes.
fn read_tail(mut stream: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    keep_tail(&mut stream, |bytes| push_tail(&mut kept, bytes));
    kept
}

fn push_tail(kept: &mut Vec<u8>, bytes: &[u8]) {
    kept.extend_from_slice(bytes);
    let surplus = kept.len().saturating_sub(MAX_STDERR_BYTES);
    kept.drain(..surplus);
}

fn keep_tail(stream: &mut impl Read, mut keep: impl FnMut(&[u8])) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        keep(&buffer[..read]);
    }
}

/// What is heard of a program that is spoken with.
#[derive(Debug)]
pub(crate) enum ProgramOutput {
    /// One line, without its end.
    Line(Vec<u8>),
    /// A line that is longer than any that is read: the program is being ended.
    Flood,
    /// It closed its standard output.
    End,
}

/// Says lines to a program, from any thread.
#[derive(Clone)]
pub(crate) struct StdinWriter(Sender<Option<Vec<u8>>>);

impl StdinWriter {
    /// One that nobody listens to.
    pub(crate) fn disconnected() -> Self {
        Self(channel().0)
    }

    /// Says one line; it is written on a thread of its own, so a program that does not read blocks nobody.
    pub(crate) fn write_line(&self, line: &serde_json::Value) {
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        let _ = self.0.send(Some(bytes));
    }

    /// Closes the program's standard input, once everything that was said is written.
    pub(crate) fn close_stdin(&self) {
        let _ = self.0.send(None);
    }
}

/// How long a program's standard error is listened to after its standard output has ended.
const STDERR_TIMEOUT: Duration = Duration::from_millis(500);

/// A program that is spoken with line by line.
pub(crate) struct LineProcess {
    guarded: GuardedChild,
    ender: TreeKiller,
    stdin_writer: StdinWriter,
    noise: Arc<Mutex<Vec<u8>>>,
}

impl LineProcess {
    /// Starts it; `heard` is called on a thread of its own for every line.
    pub(crate) fn start(
        exe: &Path,
        program: &GuardedProgram<'_>,
        mut heard: impl FnMut(ProgramOutput, &StdinWriter) + Send + 'static,
    ) -> Result<Self, Failure> {
        let mut guarded = guard::spawn_guarded(exe, program)
            .map_err(|error| spawn_failure(&name_of(program), &error))?;
        let ender = TreeKiller::from_guarded(&mut guarded);
        let (stdin, stdout, stderr) = (
            guarded.child.stdin.take(),
            guarded.child.stdout.take(),
            guarded.child.stderr.take(),
        );
        let (saying, said) = channel::<Option<Vec<u8>>>();
        let stdin_writer = StdinWriter(saying);
        thread::spawn(move || {
            let Some(mut stdin) = stdin else { return };
            // A program that is gone is told of by its standard output.
            while let Ok(Some(line)) = said.recv() {
                if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        let noise = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&noise);
        let (hearing, quiet) = channel::<()>();
        thread::spawn(move || {
            // Dropped with the last word.
            let _hearing = hearing;
            let Some(mut stderr) = stderr else { return };
            keep_tail(&mut stderr, |bytes| {
                push_tail(
                    &mut kept.lock().unwrap_or_else(PoisonError::into_inner),
                    bytes,
                );
            });
        });
        let (flooded, reply) = (ender.clone(), stdin_writer.clone());
        thread::spawn(move || {
            let Some(stdout) = stdout else { return };
            let whole = read_lines(BufReader::new(stdout), &mut |line| heard(line, &reply));
            if whole.is_err() {
                flooded.kill_tree();
                heard(ProgramOutput::Flood, &reply);
            }
            // Its last words may still be on their way.
            let _ = quiet.recv_timeout(STDERR_TIMEOUT);
            heard(ProgramOutput::End, &reply);
        });
        Ok(Self {
            guarded,
            ender,
            stdin_writer,
            noise,
        })
    }

    /// The process that holds it.
    pub(crate) fn pid(&self) -> u32 {
        self.guarded.pid()
    }

    /// What it is spoken to with.
    pub(crate) fn stdin_writer(&self) -> &StdinWriter {
        &self.stdin_writer
    }

    /// Ends the tree: SIGTERM, the grace, SIGKILL. Returns at once.
    pub(crate) fn kill(&self) {
        self.ender.kill_tree();
    }

    /// Waits for its end, at most `patience`, then ends the tree and waits until it is gone.
    pub(crate) fn finish(&mut self, patience: Duration) {
        self.stdin_writer.close_stdin();
        let until = Instant::now() + patience;
        while Instant::now() < until {
            match self.guarded.child.try_wait() {
                Ok(None) => thread::sleep(Duration::from_millis(10)),
                _ => break,
            }
        }
        self.kill();
        let _ = self.guarded.child.wait();
    }

    /// The end of what it wrote to its standard error.
    pub(crate) fn stderr_tail(&self) -> String {
        let kept = self.noise.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).trim().to_owned()
    }
}

/// Hands on every line; fails on one that is too long.
fn read_lines(mut stream: impl BufRead, heard: &mut impl FnMut(ProgramOutput)) -> Result<(), ()> {
    loop {
        let mut line = Vec::new();
        match (&mut stream)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)
        {
            Ok(0) | Err(_) => return Ok(()),
            Ok(read) if read as u64 == MAX_LINE_BYTES && line.last() != Some(&b'\n') => {
                return Err(());
            }
            Ok(_) => {}
        }
        let end = line.trim_ascii_end().len();
        line.truncate(end);
        if !line.is_empty() {
            heard(ProgramOutput::Line(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_handed_on_and_a_flood_is_none() {
        let mut seen = Vec::new();
        let mut hear = |heard| {
            if let ProgramOutput::Line(line) = heard {
                seen.push(String::from_utf8(line).unwrap());
            }
        };
        assert!(read_lines(&b"a\r\n\n{\"b\":1}\nlast"[..], &mut hear).is_ok());
        assert_eq!(seen, ["a", "{\"b\":1}", "last"]);
        let flood = vec![b'x'; MAX_LINE_BYTES as usize + 1];
        assert!(read_lines(&flood[..], &mut |_| ()).is_err());
    }

    #[test]
    fn only_the_last_noise_is_kept() {
        let noise = [vec![b'a'; 10_000], b"the reason".to_vec()].concat();
        let kept = read_tail(&noise[..]);
        assert_eq!(kept.len(), MAX_STDERR_BYTES);
        assert!(kept.ends_with(b"the reason"));
    }
}
