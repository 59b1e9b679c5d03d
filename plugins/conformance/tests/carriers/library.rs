//! The C ABI.

use council_conformance::{Candidate, Outcome};
use council_protocol::seat::Perspective;

use crate::support::{builtin, conforms, example, in_library, load, run_folder};

#[test]
fn the_example_in_rust_conforms() {
    let dir = tempfile::tempdir().unwrap();
    let library = load(&example("teams_plugin"));
    assert_eq!(library.manifest().name, "teams-plugin");
    let perspective = Perspective {
        name: "security".into(),
        focus: String::new(),
    };
    let candidate = Candidate::new("teams-plugin", || Ok(in_library(library)), builtin())
        .perspective(perspective)
        .hello(run_folder(dir.path()));
    let table = conforms(&candidate);
    assert_eq!(
        table.outcome("several judges at once"),
        Some(&Outcome::Passed)
    );
    assert_eq!(table.outcome("one and only one"), Some(&Outcome::Passed));
    assert_eq!(table.outcome("idle judge ends"), Some(&Outcome::Passed));
}
