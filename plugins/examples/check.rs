//! Tries a backend out from the outside: `check library|program PATH [CONFIG-JSON] [scripted]`.
//!
//! Prints the conformance table; exits with 1 when something failed and with 2 when nothing could be tried.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]

use std::path::PathBuf;
use std::process::ExitCode;

use council_conformance::Candidate;
use council_host::{ConfiguredPlugin, PluginCarrier, PluginLog, PluginSurroundings};
use council_protocol::seat::{AgentKind, AgentSpec};

const USAGE: &str = "usage: check library|program PATH [CONFIG-JSON] [scripted]";

fn main() -> ExitCode {
    match check(std::env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn check(mut args: Vec<String>) -> Result<bool, Box<dyn std::error::Error>> {
    let scripted = args.last().is_some_and(|last| last == "scripted");
    args.truncate(args.len() - usize::from(scripted));
    let [carrier, path, rest @ ..] = args.as_slice() else {
        return Err(USAGE.into());
    };
    let path = PathBuf::from(path)
        .canonicalize()
        .map_err(|error| format!("{path}: {error}"))?;
    let carrier = match carrier.as_str() {
        "library" => PluginCarrier::Library(path.clone()),
        "program" => PluginCarrier::Program {
            path: path.clone(),
            args: Vec::new(),
        },
        _ => return Err(USAGE.into()),
    };
    let config = rest.first().map_or(Ok(serde_json::Value::Null), |json| {
        serde_json::from_slice(json.as_bytes())
    })?;
    let plugin = ConfiguredPlugin {
        carrier,
        sha256: None,
        config,
    };
    let around = PluginSurroundings {
        env: std::env::vars()
            .filter(|(name, _)| name == "PATH")
            .collect(),
        log: PluginLog::new(|_, line| eprintln!("log: {line}")),
        ..PluginSurroundings::default()
    };
    // What cannot be started at all needs no table.
    drop(plugin.start_backend(&around)?);
    let make = || {
        plugin
            .start_backend(&around)
            .map_err(|error| error.to_string())
    };
    let mut candidate = Candidate::new(path.display().to_string(), make, agent());
    if scripted {
        candidate = candidate.scripted();
    }
    let table = council_conformance::run_scenarios(&candidate);
    print!("{table}");
    Ok(table.passed())
}

/// A seat whose agent the backend brings with it.
fn agent() -> AgentSpec {
    AgentSpec {
        name: "own".into(),
        kind: AgentKind::Backend {},
        vendor: "own".into(),
        model: None,
        deterministic: false,
    }
}
