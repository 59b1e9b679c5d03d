//! The driver for any program: brief and prompt on stdin, packet as files, our JSON back on stdout.
//!
//! A program is started for each turn, under a guard, with an environment of its own, and ends with the turn. Its exit
//! code is no verdict: only what it wrote counts. The command comes from trusted configuration only.

use std::ffi::OsString;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use council_protocol::seat::AgentKind;
use council_protocol::{Capability, CapabilitySet, Failure, FailureKind, JudgeSpec, Seat, Turn};

use crate::environment::is_forbidden;
use crate::guard::{self, Guarded, Program};
use crate::{Agent, Conversation, Probe, Reply, Stop, Workshop};

/// How long a program has between SIGTERM and SIGKILL, in milliseconds.
const GRACE_MS: u64 = 2_000;

/// How much of a program's standard error is kept for the receipt, in bytes.
const STDERR_BYTES: u64 = 4_096;

/// Any program.
pub struct Command(pub Arc<Workshop>);

impl Agent for Command {
    fn driver(&self) -> &'static str {
        "command"
    }

    /// A process per turn keeps nothing: no `message`.
    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([
            Capability::Spawn,
            Capability::Shutdown,
            Capability::SharedFs,
        ])
    }

    fn probe(&self, seat: &Seat) -> Result<Probe, Failure> {
        let (argv, _) = command_of(seat)?;
        let path = self.0.env.get("PATH");
        find(&argv[0], path).ok_or_else(|| {
            let detail = format!(
                "there is no program `{}` on the PATH: install it, or name it by its full path",
                argv[0]
            );
            Failure::new(FailureKind::Spawn, detail)
        })?;
        if self.0.exe.is_none() {
            return Err(Failure::new(
                FailureKind::Unsupported,
                "no process can be started under a guard here",
            ));
        }
        Ok(Probe {
            capabilities: self.capabilities(),
            note: String::new(),
        })
    }

    fn open(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        self.probe(&spec.seat)?;
        let (argv, extra) = command_of(&spec.seat)?;
        let variables = self.0.env.iter().filter(|(name, _)| !is_forbidden(name));
        let mut env: Vec<(String, OsString)> =
            variables.map(|(k, v)| (k.clone(), v.clone())).collect();
        env.retain(|(name, _)| crate::environment::is_allowed(name, extra));
        let scratch = tempfile::tempdir().map_err(|e| spawn_failure(&argv[0], &e))?;
        let dir = spec
            .room
            .clone()
            .unwrap_or_else(|| scratch.path().to_path_buf());
        env.push(("HOME".into(), scratch.path().into()));
        if let Some(room) = &spec.room {
            env.push(("COUNCIL_ROOM".into(), room.into()));
        }
        if let Some(folder) = &self.0.folder {
            env.push(("COUNCIL_FOLDER".into(), folder.into()));
            env.push(("COUNCIL_PACKET".into(), folder.join("packet.json").into()));
        }
        Ok(Box::new(Running {
            exe: self.0.exe.clone().unwrap_or_default(),
            argv: argv.to_vec(),
            env,
            dir,
            brief: Arc::clone(&spec.brief),
            max_bytes: spec.max_answer_bytes,
            _scratch: scratch,
        }))
    }
}

fn command_of(seat: &Seat) -> Result<(&[String], &[String]), Failure> {
    match &seat.agent.kind {
        AgentKind::Command { argv, env, .. } if !argv.is_empty() => Ok((argv, env)),
        _ => {
            let detail = format!(
                "agent `{}` has no command: set `agents.{0}.command`",
                seat.agent.name
            );
            Err(Failure::new(FailureKind::Spawn, detail))
        }
    }
}

/// Where a program is: as named when it has a folder, else on the `PATH` that it will see.
fn find(program: &str, path: Option<&OsString>) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|p| p.is_file());
    }
    let folders = std::env::split_paths(path?).filter(|folder| folder.is_absolute());
    folders
        .map(|folder| folder.join(program))
        .find(|p| p.is_file())
}

struct Running {
    exe: PathBuf,
    argv: Vec<String>,
    env: Vec<(String, OsString)>,
    dir: PathBuf,
    brief: Arc<str>,
    max_bytes: u64,
    /// Home of every process of this judge; removed with it.
    _scratch: tempfile::TempDir,
}

impl Conversation for Running {
    fn turn(&mut self, turn: &Turn, stop: &Stop) -> Result<Reply, Failure> {
        let mut guarded = self.start(turn)?;
        let ender = Ender::of(&mut guarded);
        stop.on_raise({
            let ender = ender.clone();
            move || ender.end()
        });
        let (stdin, stdout, stderr) = (
            guarded.child.stdin.take(),
            guarded.child.stdout.take(),
            guarded.child.stderr.take(),
        );
        let (brief, prompt) = (Arc::clone(&self.brief), turn.prompt.clone());
        let writer = thread::spawn(move || {
            // A program that does not read its input is free not to: a broken pipe is no failure.
            let mut stdin = stdin?;
            let _ = stdin
                .write_all(brief.as_bytes())
                .and_then(|()| stdin.write_all(prompt.as_bytes()));
            None::<()>
        });
        let noise =
            thread::spawn(move || stderr.map_or_else(Vec::new, |s| read_some(s, STDERR_BYTES).0));
        let (raw, whole) = stdout.map_or_else(
            || (Vec::new(), true),
            |s| read_up_to(s, self.max_bytes, &ender),
        );
        let status = guarded.child.wait();
        ender.end();
        let _ = writer.join();
        let noise = noise.join().unwrap_or_default();
        if stop.is_raised() {
            return Err(Failure::new(
                FailureKind::Cancelled,
                "the turn was cancelled",
            ));
        }
        if !whole {
            let detail = format!(
                "the answer has more than the {} bytes that are allowed",
                self.max_bytes
            );
            return Err(Failure::new(FailureKind::Oversized, detail));
        }
        self.reply(raw, &noise, status)
    }
}

impl Running {
    fn start(&self, turn: &Turn) -> Result<Guarded, Failure> {
        let mut env = self.env.clone();
        env.push(("COUNCIL_ROUND".into(), turn.round.to_string().into()));
        env.push(("COUNCIL_KEY".into(), turn.key.clone().into()));
        let program = Program {
            argv: &self.argv,
            env: &env,
            dir: &self.dir,
            grace_ms: GRACE_MS,
        };
        guard::spawn(&self.exe, &program).map_err(|error| spawn_failure(&self.argv[0], &error))
    }

    fn reply(
        &self,
        raw: Vec<u8>,
        noise: &[u8],
        status: io::Result<std::process::ExitStatus>,
    ) -> Result<Reply, Failure> {
        let ended = status.map_or_else(|e| e.to_string(), |s| s.to_string());
        let said = || match String::from_utf8_lossy(noise).trim() {
            "" => format!("`{}` ended ({ended}) and wrote nothing", self.argv[0]),
            noise => format!("`{}` ended ({ended}): {noise}", self.argv[0]),
        };
        if raw.iter().all(u8::is_ascii_whitespace) {
            return Err(Failure::new(FailureKind::Empty, said()));
        }
        let raw = String::from_utf8(raw).map_err(|_| {
            let detail = format!("`{}` wrote bytes that are not UTF-8", self.argv[0]);
            Failure::new(FailureKind::Malformed, detail)
        })?;
        Ok(Reply { raw, usage: None })
    }
}

/// Ends a guarded tree from any thread, once.
#[derive(Clone)]
struct Ender(Arc<Mutex<Option<std::os::fd::OwnedFd>>>);

impl Ender {
    fn of(guarded: &mut Guarded) -> Self {
        Self(Arc::new(Mutex::new(guarded.take_death())))
    }

    fn end(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Reads to the end, or ends the tree as soon as there are more than `most` bytes. Whether it was all.
fn read_up_to(mut stream: impl Read, most: u64, ender: &Ender) -> (Vec<u8>, bool) {
    let mut content = Vec::new();
    let read = (&mut stream)
        .take(most.saturating_add(1))
        .read_to_end(&mut content);
    let whole = read.is_ok() && content.len() as u64 <= most;
    if !whole {
        ender.end();
        let _ = io::copy(&mut stream, &mut io::sink());
    }
    (content, whole)
}

/// Reads to the end and keeps the first `most` bytes.
fn read_some(mut stream: impl Read, most: u64) -> (Vec<u8>, u64) {
    let mut content = Vec::new();
    let _ = (&mut stream).take(most).read_to_end(&mut content);
    let rest = io::copy(&mut stream, &mut io::sink()).unwrap_or(0);
    (content, rest)
}

fn spawn_failure(program: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        FailureKind::Spawn,
        format!("cannot start `{program}`: {error}"),
    )
}

/// Whether a path may be a command's program: absolute, or a bare name for the `PATH`; never relative to the tree.
pub fn is_safe_program(program: &str) -> bool {
    !program.is_empty() && (Path::new(program).is_absolute() || !program.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_never_looked_up_relative_to_the_tree() {
        assert!(is_safe_program("semgrep"));
        assert!(is_safe_program("/usr/bin/semgrep"));
        for bad in ["", "./judge", "tools/judge", "../judge"] {
            assert!(!is_safe_program(bad), "{bad}");
        }
        assert_eq!(find("sh", Some(&OsString::from("relative:."))), None);
        assert!(find("sh", Some(&OsString::from("/usr/bin:/bin"))).is_some());
    }
}
