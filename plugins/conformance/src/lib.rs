//! The scenarios that every backend must pass, whatever carries it: `git council backends check NAME`, and the tests of
//! backends here and elsewhere.
//!
//! ```ignore
//! let table = council_conformance::run(&Candidate::new("mine", || Ok(Box::new(Mine::default())), agent));
//! print!("{table}");
//! assert!(table.passed());
//! ```
//!
//! A scenario opens a fresh backend, seats judges, speaks with them and closes it again. Whatever it was about, one law
//! is checked each time: `opened` first, one outcome for every turn, one end for every judge that was started, `closed`
//! last and once.
//!
//! # What an author provides
//!
//! An agent that takes part ([`Candidate::new`]), and what the backend is told when it is opened. Scenarios in which a
//! judge misbehaves need one that can be told to: a **scripted** judge follows the last line of its prompt that begins
//! with `conformance:`, and echoes the last line that begins with `key:` in its answer. [`SCRIPT`] is such a judge, as a
//! POSIX shell script that reads brief and prompt from stdin and writes its answer to stdout; backends that run commands
//! seat it as it is ([`scripted_agent`]), others build the same few words into an agent of theirs. Without a scripted
//! judge those scenarios are not tried, and the table says so.

#![warn(missing_docs)]

mod scenario;
mod script;
mod stage;
mod table;

use std::time::Duration;

use council_protocol::message::Hello;
use council_protocol::seat::{AgentSpec, Perspective};
use council_protocol::{Backend, PROTOCOL_VERSION, Seat};

pub use script::{SCRIPT, ScriptLine, scripted_agent};
pub use table::{ConformanceTable, ScenarioOutcome, TableRow};

type MakeBackend<'a> = Box<dyn Fn() -> Result<Box<dyn Backend>, String> + 'a>;

/// A backend that is to be tried.
pub struct Candidate<'a> {
    name: String,
    make: MakeBackend<'a>,
    agent: AgentSpec,
    perspective: Perspective,
    hello: Hello,
    scripted: bool,
    patience: Duration,
}

impl<'a> Candidate<'a> {
    /// A backend that `make` makes afresh for every scenario, and the agent that is to be seated in it.
    pub fn new(
        name: impl Into<String>,
        make: impl Fn() -> Result<Box<dyn Backend>, String> + 'a,
        agent: AgentSpec,
    ) -> Self {
        Self {
            name: name.into(),
            make: Box::new(make),
            agent,
            perspective: Perspective::default(),
            hello: Hello {
                protocols: vec![PROTOCOL_VERSION],
                run: "council-20000101-conformance".into(),
                ..Hello::default()
            },
            scripted: false,
            patience: Duration::from_secs(10),
        }
    }

    /// The judges follow the script of their prompts.
    #[must_use]
    pub fn scripted(mut self) -> Self {
        self.scripted = true;
        self
    }

    /// What the backend is told when it is opened: its configuration, the run's folder.
    #[must_use]
    pub fn hello(mut self, hello: Hello) -> Self {
        self.hello = Hello {
            protocols: vec![PROTOCOL_VERSION],
            ..hello
        };
        self
    }

    /// The perspective of every judge.
    #[must_use]
    pub fn perspective(mut self, perspective: Perspective) -> Self {
        self.perspective = perspective;
        self
    }

    /// How long an ordinary judge may take for an answer; 10 s unless it is said.
    #[must_use]
    pub fn timeout(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    fn seat_for(&self, judge: &str) -> Seat {
        Seat {
            judge: judge.into(),
            perspective: self.perspective.clone(),
            agent: self.agent.clone(),
        }
    }
}

/// Plays every scenario with a backend, one after another.
pub fn run_scenarios(candidate: &Candidate<'_>) -> ConformanceTable {
    let rows = scenario::ALL
        .iter()
        .map(|scenario| scenario.run_scenario(candidate))
        .collect();
    ConformanceTable {
        backend: candidate.name.clone(),
        rows,
    }
}

/// The Rust of `docs/backends.md` is compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/backends.md")]
struct Page;
