//! Where the plugins are, and what a council would tell them.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use council_conformance::Candidate;
use council_host::{
    ConfiguredPlugin, HostTimeouts, PluginCarrier, PluginLibrary, PluginLog, PluginSurroundings,
    TrustedFile,
};
use council_protocol::message::{Hello, Message};
use council_protocol::packet::{Target, TargetKind};
use council_protocol::seat::{AgentKind, AgentSpec};
use council_protocol::{
    Backend, Event, Failure, JudgeSpec, PROTOCOL_VERSION, Packet, RoundNumber, Seat, Task, Turn,
    TurnId,
};

/// A shared library that cargo builds as an example.
pub(crate) fn example(name: &str) -> PathBuf {
    built(&format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
}

/// A program or library among the examples that cargo has built.
pub(crate) fn built(file: &str) -> PathBuf {
    let deps = std::env::current_exe().unwrap();
    let profile = deps.parent().and_then(Path::parent).unwrap();
    let path = profile.join("examples").join(file);
    assert!(
        path.exists(),
        "{} is missing: run `cargo build -p council-conformance --examples`",
        path.display()
    );
    path
}

/// A C source below `plugins/examples`, compiled to a shared library in `dir`. None: there is no C compiler, and the
/// test's output says so.
pub(crate) fn compile(source: &str, defines: &[&str], dir: &Path) -> Option<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    compile_file(&examples.join(source), defines, dir)
}

/// The same for a source anywhere.
pub(crate) fn compile_file(source: &Path, defines: &[&str], dir: &Path) -> Option<PathBuf> {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abi/include");
    let library = dir.join("plugin.so");
    let mut cc = std::process::Command::new("cc");
    cc.args([
        "-std=gnu11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O1",
        "-fPIC",
        "-shared",
        "-pthread",
    ]);
    cc.args(defines.iter().map(|define| format!("-D{define}")));
    cc.arg("-I").arg(include).arg("-o").arg(&library);
    let Ok(output) = cc.arg(source).output() else {
        println!(
            "SKIPPED: no C compiler (cc) was found, {} is not tried",
            source.display()
        );
        return None;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(library)
}

/// The library at `path`, loaded as the program would.
pub(crate) fn load(path: &Path) -> &'static PluginLibrary {
    let file = TrustedFile::check(path, None, None).unwrap();
    PluginLibrary::load(&file, HostTimeouts::default()).unwrap()
}

/// A backend in a library.
pub(crate) fn in_library(library: &'static PluginLibrary) -> Box<dyn Backend> {
    Box::new(library.backend(PluginLog::none(), HostTimeouts::default()))
}

pub(crate) fn builtin() -> AgentSpec {
    AgentSpec {
        name: "builtin".into(),
        kind: AgentKind::Builtin {
            rules: Default::default(),
        },
        vendor: "builtin".into(),
        model: None,
        deterministic: true,
    }
}

/// A backend in a child process, with the environment that it needs and no more.
pub(crate) fn in_process(
    path: &Path,
    config: &serde_json::Value,
) -> Result<Box<dyn Backend>, String> {
    let args = Vec::new();
    let carrier = PluginCarrier::Program {
        path: path.canonicalize().unwrap(),
        args,
    };
    let around = PluginSurroundings {
        env: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
        log: PluginLog::new(|_, line| println!("stderr: {line}")),
        ..PluginSurroundings::default()
    };
    let plugin = ConfiguredPlugin {
        carrier,
        sha256: None,
        config: config.clone(),
    };
    plugin
        .start_backend(&around)
        .map_err(|error| error.to_string())
}

/// A run's folder with a packet in it, and the hello that names it.
pub(crate) fn run_folder(folder: &Path) -> Hello {
    let target = Target {
        kind: TargetKind::Patch,
        label: "a patch".into(),
        slug: "a-patch".into(),
        base: None,
        head: None,
        only: Vec::new(),
    };
    let packet = Packet {
        version: council_protocol::packet::PACKET_VERSION,
        target,
        files: Vec::new(),
        instructions: Vec::new(),
        coverage: Default::default(),
        framing: Default::default(),
    };
    let index = r#"{"version":1,"packet":"","files":[]}"#;
    std::fs::write(folder.join("files.json"), index).unwrap();
    std::fs::write(
        folder.join("packet.json"),
        serde_json::to_vec(&packet).unwrap(),
    )
    .unwrap();
    Hello {
        run: "council-20000101-a-patch".into(),
        folder: Some(folder.to_path_buf()),
        ..Hello::default()
    }
}

/// Plays the whole suite and prints its table.
pub(crate) fn conforms(candidate: &Candidate<'_>) -> council_conformance::ConformanceTable {
    let table = council_conformance::run_scenarios(candidate);
    println!("{table}");
    assert!(table.passed(), "{table}");
    table
}

/// A session with its events, as the program holds it.
pub(crate) struct Session {
    pub(crate) backend: Box<dyn Backend>,
    events: Receiver<Event>,
    turns: u32,
}

impl Session {
    pub(crate) fn open(mut backend: Box<dyn Backend>, hello: Hello) -> Self {
        let (sender, events) = channel();
        let hello = Hello {
            protocols: vec![PROTOCOL_VERSION],
            ..hello
        };
        let sink = Arc::new(move |event| drop(sender.send(event)));
        backend.open(hello, sink).unwrap();
        Self {
            backend,
            events,
            turns: 0,
        }
    }

    pub(crate) fn spawn(&mut self, judge: &str, max_answer_bytes: u64) {
        self.seat(judge, "", max_answer_bytes);
    }

    pub(crate) fn spawn_with_brief(&mut self, judge: &str, brief: &str) {
        self.seat(judge, brief, 100_000);
    }

    fn seat(&mut self, judge: &str, brief: &str, max_answer_bytes: u64) {
        let seat = Seat {
            judge: judge.into(),
            perspective: Default::default(),
            agent: builtin(),
        };
        let spec = JudgeSpec {
            seat,
            brief: brief.into(),
            room: None,
            max_answer_bytes,
            proves: false,
        };
        self.backend.spawn(spec).unwrap();
    }

    pub(crate) fn probe(&mut self, judge: &str) {
        let seat = Seat {
            judge: judge.into(),
            perspective: Default::default(),
            agent: builtin(),
        };
        self.backend.send(Message::Probe { seat }).unwrap();
    }

    /// Sends a turn; gives its key.
    pub(crate) fn turn(&mut self, judge: &str, timeout: Duration) -> String {
        self.turns += 1;
        let key = format!("key-{}", self.turns);
        let timeout_ms = timeout.as_millis() as u64;
        let (id, task) = (TurnId(self.turns), Task::Review);
        let turn = Turn {
            id,
            round: RoundNumber::FIRST,
            key: key.clone(),
            task,
            prompt: format!("key: {key}\n"),
            timeout_ms,
            spend: None,
        };
        self.backend
            .send(Message::Turn {
                judge: judge.into(),
                turn,
            })
            .unwrap();
        key
    }

    /// Waits at most ten seconds for an event that `pick` takes; what comes before it is lost.
    pub(crate) fn wait<T>(&self, pick: impl Fn(&Event) -> Option<T>) -> T {
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut seen = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(event) = self.events.recv_timeout(left) else {
                {
                    let last = seen.iter().rev().take(20).collect::<Vec<_>>();
                    panic!(
                        "it did not come; of {} events the last were {last:?}",
                        seen.len()
                    )
                }
            };
            match pick(&event) {
                Some(found) => return found,
                None => seen.push(event),
            }
        }
    }

    pub(crate) fn failed(&self, judge: &str) -> Failure {
        self.wait(|event| match event {
            Event::Failed {
                judge: who,
                failure,
                ..
            } if who.as_str() == judge => Some(failure.clone()),
            _ => None,
        })
    }

    pub(crate) fn error(&self) -> String {
        self.wait(|event| match event {
            Event::Error { message } => Some(message.clone()),
            _ => None,
        })
    }

    /// A turn of `judge`, answered with its key.
    pub(crate) fn answers(&mut self, judge: &str) {
        let key = self.turn(judge, Duration::from_secs(10));
        self.wait(|event| match event {
            Event::Answered {
                judge: who, raw, ..
            } if who.as_str() == judge && raw.contains(&key) => Some(()),
            _ => None,
        });
    }

    /// Everything that comes within a while.
    pub(crate) fn rest(&self, a_while: Duration) -> Vec<Event> {
        let deadline = Instant::now() + a_while;
        let next = || {
            self.events
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
                .ok()
        };
        std::iter::from_fn(next).collect()
    }
}
