//! The examples, each through the real loader and the whole suite.

use council_conformance::{Candidate, Outcome, SCRIPT};
use council_protocol::Event;
use council_protocol::message::Hello;
use council_protocol::seat::Perspective;

use crate::support::{Session, builtin, compile, conforms, example, in_library, load, run_folder};

#[test]
fn the_one_in_rust_conforms() {
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
    for claimed in [
        "several judges at once",
        "one and only one",
        "idle judge ends",
    ] {
        assert_eq!(table.outcome(claimed), Some(&Outcome::Passed), "{claimed}");
    }
}

fn command(argv: &[&str]) -> Hello {
    Hello {
        config: serde_json::json!({ "argv": argv }),
        ..Hello::default()
    }
}

#[test]
fn the_one_in_c_conforms() {
    let dir = tempfile::tempdir().unwrap();
    let Some(path) = compile("c/command.c", &[], dir.path()) else {
        return;
    };
    let library = load(&path);
    let candidate = Candidate::new("command", || Ok(in_library(library)), builtin());
    let table = conforms(
        &candidate
            .scripted()
            .hello(command(&["/bin/sh", "-c", SCRIPT])),
    );
    let second_turn = Outcome::Unclaimed("a second turn is refused".into());
    assert_eq!(table.outcome("one and only one"), Some(&second_turn));
    assert_eq!(
        table.outcome("shutdown that is ignored"),
        Some(&Outcome::Passed)
    );
}

/// What the judge's command got and gave, by way of JSON and back.
#[test]
fn the_one_in_c_passes_any_text_both_ways() {
    let dir = tempfile::tempdir().unwrap();
    let Some(path) = compile("c/command.c", &[], dir.path()) else {
        return;
    };
    let mut session = Session::open(in_library(load(&path)), command(&["cat"]));
    let text =
        "plain, \"quoted\" \\ back\u{8}\u{c}\n\r\t\u{1} ä € \u{1f600} \u{2028}\u{10ffff}, }] [{ :";
    session.spawn_with_brief("judge \"1\" ü", text);
    let key = session.turn("judge \"1\" ü", std::time::Duration::from_secs(10));
    let raw = session.wait(|e| {
        if let Event::Answered { raw, .. } = e {
            Some(raw.clone())
        } else {
            None
        }
    });
    assert_eq!(raw, format!("{text}key: {key}\n"));
}

#[test]
fn the_one_in_c_says_what_is_wrong_with_its_configuration() {
    let dir = tempfile::tempdir().unwrap();
    let Some(path) = compile("c/command.c", &[], dir.path()) else {
        return;
    };
    let session = Session::open(in_library(load(&path)), Hello::default());
    assert!(
        session
            .error()
            .ends_with("set config.argv to a command and at most 62 arguments")
    );
    let mut session = Session::open(
        in_library(load(&path)),
        command(&["there-is-no-such-program"]),
    );
    session.spawn("a", 1_000);
    session.turn("a", std::time::Duration::from_secs(10));
    assert!(session.failed("a").detail.contains("could not be started"));
}
