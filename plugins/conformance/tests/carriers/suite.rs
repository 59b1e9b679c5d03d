//! The whole suite over every in-process backend and every carrier.

use council_conformance::{Candidate, ConformanceTable, ScenarioOutcome};
use council_protocol::Backend;
use council_protocol::message::Hello;

use crate::scripted;
use crate::support::{built, builtin, conforms, example, in_library, in_process, load};

fn play(
    name: &str,
    carrier: &str,
    make: impl Fn() -> Result<Box<dyn Backend>, String>,
) -> ConformanceTable {
    let hello = Hello {
        config: serde_json::json!({ "backend": name }),
        ..Hello::default()
    };
    let table = conforms(
        &Candidate::new(format!("{name} as {carrier}"), make, builtin())
            .scripted()
            .hello(hello),
    );
    let untried =
        |row: &&council_conformance::TableRow| matches!(row.outcome, ScenarioOutcome::Untried(_));
    assert_eq!(table.rows.iter().filter(untried).count(), 0, "{table}");
    table
}

fn value(name: &str) -> ConformanceTable {
    play(name, "a Rust value", || {
        scripted::backend(name).ok_or_else(|| "no such backend".into())
    })
}

fn library(name: &str) -> ConformanceTable {
    let library = load(&example("scripted_plugin"));
    play(name, "a library", || Ok(in_library(library)))
}

fn process(name: &str) -> ConformanceTable {
    let program = built("scripted_stdio");
    let config = serde_json::json!({ "backend": name });
    play(name, "a process", || in_process(&program, &config))
}

/// What all carriers must agree on for a backend.
fn same(name: &str) {
    let [by_value, by_library, by_process] = std::thread::scope(|scope| {
        let tables = [value, library, process].map(|carrier| scope.spawn(move || carrier(name)));
        tables.map(|table| table.join().unwrap())
    });
    for ((value, library), process) in by_value
        .rows
        .iter()
        .zip(&by_library.rows)
        .zip(&by_process.rows)
    {
        assert_eq!(value, library);
        assert_eq!(value, process);
    }
}

/// All at once, since they mostly wait.
#[test]
fn every_backend_conforms_over_every_carrier() {
    std::thread::scope(|scope| {
        for name in ["teams", "inline", "subagents"] {
            scope.spawn(move || same(name));
        }
    });
}
