//! Which of the known clients are on this machine, and in which version.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use council_protocol::seat::Client;
use council_protocol::{Failure, FailureKind};

use crate::client::shorten_message;
use crate::environment::{is_allowed, is_forbidden};
use crate::guard::{GuardedProgram, os_arguments};
use crate::known::{KNOWN_CLIENTS, KnownClient};
use crate::known_tools::KnownTool;
use crate::private;
use crate::process::{GRACE_MS, find_program, run_once, spawn_failure};
use crate::{AgentContext, StopSignal};

/// How long a client has to tell its version: the slowest takes three seconds on an idle machine.
const VERSION_TIMEOUT: Duration = Duration::from_secs(20);

/// The most bytes of a version that are read.
const MAX_VERSION_BYTES: u64 = 64 << 10;

/// A known client that is here.
#[derive(Debug, Clone)]
pub struct InstalledClient {
    pub known: &'static KnownClient,
    pub program: PathBuf,
    /// What it says its version is.
    pub version: Result<String, Failure>,
}

/// The file that a program of that name is, where it is looked for there.
pub fn find_on_path(program: &str, search_path: Option<&OsStr>) -> Option<PathBuf> {
    find_program(program, search_path.map(OsStr::to_owned).as_ref())
}

/// Every known client that is here, in the order of the table; all are asked at once. May block for some seconds.
pub fn find_clients(context: &AgentContext) -> Vec<InstalledClient> {
    let path = context.env.get("PATH");
    let here = |known: &'static KnownClient| Some((known, find_program(known.argv[0], path)?));
    let found: Vec<_> = KNOWN_CLIENTS.iter().filter_map(here).collect();
    thread::scope(|scope| {
        let ask = |(known, program): (&'static KnownClient, PathBuf)| {
            let argv = known.to_command();
            scope.spawn(move || InstalledClient {
                known,
                version: ask_version(context, &argv),
                program,
            })
        };
        let asked: Vec<_> = found.into_iter().map(ask).collect();
        asked
            .into_iter()
            .filter_map(|asked| asked.join().ok())
            .collect()
    })
}

/// A known tool that is here.
#[derive(Debug, Clone)]
pub struct InstalledTool {
    pub tool: &'static KnownTool,
    /// Why it cannot be used as it is: its version is too old.
    pub problem: Option<String>,
}

/// Those of `tools` that are here. Asks only those for their version of which old ones would not do.
pub fn find_tools(
    context: &AgentContext,
    tools: impl Iterator<Item = &'static KnownTool>,
) -> Vec<InstalledTool> {
    let path = context.env.get("PATH");
    let here = tools.filter(|tool| find_program(tool.argv[0], path).is_some());
    let ask = |tool: &'static KnownTool| InstalledTool {
        tool,
        problem: match tool.min_version {
            0 | 1 => None,
            _ => ask_version(context, &[tool.argv[0].to_owned()])
                .ok()
                .and_then(|told| tool.check_version(&told)),
        },
    };
    here.map(ask).collect()
}

/// The version of a client, as it tells it: nothing of the network, a home of its own.
///
/// # Errors
/// `spawn` when it cannot be started, `empty` when it tells none in time.
pub fn version_of(context: &AgentContext, client: &Client) -> Result<String, Failure> {
    ask_version(context, &client.argv)
}

fn ask_version(context: &AgentContext, argv: &[String]) -> Result<String, Failure> {
    let name = argv.first().map_or("", String::as_str);
    let Some(exe) = &context.exe else {
        let detail = "no process can be started under a guard here";
        return Err(Failure::new(FailureKind::Unsupported, detail));
    };
    let home = private::temporary_folder(private::HOME_PREFIX)
        .map_err(|error| spawn_failure(name, &error))?;
    let seen = |name: &str| !is_forbidden(name) && is_allowed(name, &[]);
    let mut env: Vec<_> = context
        .env
        .iter()
        .filter(|(name, _)| seen(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    env.push(("HOME".into(), home.path().into()));
    // Arguments that make it a judge do not belong to this question.
    let argv = [name.to_owned(), "--version".to_owned()];
    let program = GuardedProgram {
        argv: os_arguments(&argv),
        env: &env,
        dir: home.path(),
        grace_ms: GRACE_MS,
        fence: None,
    };
    let stop = StopSignal::default();
    let late = stop.clone();
    let (done, waiting) = std::sync::mpsc::channel::<()>();
    let timer = thread::spawn(move || {
        if waiting.recv_timeout(VERSION_TIMEOUT) == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
        {
            late.raise();
        }
    });
    let finished = run_once(exe, &program, Vec::new(), MAX_VERSION_BYTES, &stop, &|_| {
        false
    });
    drop(done);
    let _ = timer.join();
    let finished = finished.map_err(|failure| match failure.kind {
        FailureKind::Cancelled => no_version(name, "not in time"),
        _ => failure,
    })?;
    let text = String::from_utf8_lossy(&finished.stdout);
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.map(shorten_message)
        .ok_or_else(|| no_version(name, &finished.describe_ending()))
}

fn no_version(name: &str, why: &str) -> Failure {
    Failure::new(
        FailureKind::Empty,
        format!("`{name} --version` told nothing ({why})"),
    )
}
