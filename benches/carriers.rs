//! What it costs to cross a carrier: a turn of 2 KiB to a backend that answers at once, and its event back.
//!
//! `cargo build --release -p council-conformance --examples && cargo bench -p council-conformance --bench carriers`
#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use council_host::{ConfiguredPlugin, PluginCarrier, PluginSurroundings};
use council_protocol::message::{Hello, Message};
use council_protocol::seat::{AgentKind, AgentSpec};
use council_protocol::{
    Backend, Event, JudgeSpec, PROTOCOL_VERSION, RoundNumber, Seat, Task, Turn, TurnId,
};

const WARM_UP: u32 = 500;
const TURNS: u32 = 20_000;
const PROMPT_BYTES: usize = 2_048;

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let examples = examples()?;
    let library = examples.join(format!("libpanics_plugin{}", std::env::consts::DLL_SUFFIX));
    measure("C ABI", PluginCarrier::Library(library))?;
    measure(
        "stdio",
        PluginCarrier::Program {
            path: examples.join("scripted_stdio"),
            args: Vec::new(),
        },
    )
}

/// Where cargo has put the examples of this profile.
fn examples() -> Result<PathBuf, Failed> {
    let bench = std::env::current_exe()?;
    let profile = bench
        .parent()
        .and_then(Path::parent)
        .ok_or("this program lies nowhere")?;
    Ok(profile.join("examples"))
}

fn measure(name: &str, carrier: PluginCarrier) -> Result<(), Failed> {
    let plugin = ConfiguredPlugin {
        carrier,
        sha256: None,
        config: serde_json::Value::Null,
    };
    let mut backend = plugin.start_backend(&PluginSurroundings::default())?;
    let (sender, events) = channel();
    let hello = Hello {
        protocols: vec![PROTOCOL_VERSION],
        ..Hello::default()
    };
    // The receiver lives longer than the backend.
    backend.open(hello, Arc::new(move |event| drop(sender.send(event))))?;
    backend.spawn(JudgeSpec {
        seat: seat(),
        brief: "".into(),
        room: None,
        max_answer_bytes: 65_536,
        proves: false,
    })?;
    let mut times: Vec<Duration> = Vec::with_capacity(TURNS as usize);
    for id in 0..WARM_UP + TURNS {
        let began = Instant::now();
        turn(backend.as_mut(), &events, id)?;
        if id >= WARM_UP {
            times.push(began.elapsed());
        }
    }
    backend.close()?;
    times.sort();
    let at = |percent: usize| times[times.len() * percent / 100].as_secs_f64() * 1e6;
    println!(
        "{name}: median {:.1} µs, p90 {:.1} µs, p99 {:.1} µs ({TURNS} turns)",
        at(50),
        at(90),
        at(99)
    );
    Ok(())
}

fn turn(backend: &mut dyn Backend, events: &Receiver<Event>, id: u32) -> Result<(), Failed> {
    let prompt = "x".repeat(PROMPT_BYTES);
    let turn = Turn {
        id: TurnId(id),
        round: RoundNumber::FIRST,
        key: "key".into(),
        task: Task::Review,
        prompt,
        timeout_ms: 60_000,
        spend: None,
    };
    backend.send(Message::Turn {
        judge: "judge-1".into(),
        turn,
    })?;
    loop {
        match events.recv_timeout(Duration::from_secs(10))? {
            Event::Answered { .. } => return Ok(()),
            Event::Failed { failure, .. } => return Err(failure.to_string().into()),
            _ => {}
        }
    }
}

fn seat() -> Seat {
    let agent = AgentSpec {
        name: "builtin".into(),
        kind: AgentKind::Builtin {
            rules: Default::default(),
        },
        vendor: "builtin".into(),
        model: None,
        deterministic: true,
    };
    Seat {
        judge: "judge-1".into(),
        perspective: Default::default(),
        agent,
    }
}
