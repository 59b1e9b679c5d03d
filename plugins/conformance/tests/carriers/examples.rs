//! The examples, each through the real loader and the whole suite.

use std::time::Duration;

use council_conformance::{Candidate, SCRIPT, ScenarioOutcome};
use council_protocol::Event;
use council_protocol::message::Hello;
use council_protocol::seat::Perspective;

use crate::model::Model;
use crate::support::{
    Session, builtin, compile, conforms, example, in_library, in_process, load, run_folder,
};

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
        assert_eq!(
            table.outcome_of(claimed),
            Some(&ScenarioOutcome::Passed),
            "{claimed}"
        );
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
    let second_turn = ScenarioOutcome::Unclaimed("a second turn is refused".into());
    assert_eq!(table.outcome_of("one and only one"), Some(&second_turn));
    assert_eq!(
        table.outcome_of("shutdown that is ignored"),
        Some(&ScenarioOutcome::Passed)
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
    let key = session.turn("judge \"1\" ü", Duration::from_secs(10));
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
    session.turn("a", Duration::from_secs(10));
    assert!(session.failed("a").detail.contains("could not be started"));
}

/// The example in Python, speaking with a model. None: there is no Python, and the test's output says so.
fn chat() -> Option<(std::path::PathBuf, Model, Hello)> {
    if std::process::Command::new("python3")
        .arg("-V")
        .output()
        .is_err()
    {
        println!("SKIPPED: no python3 was found, the example in Python is not tried");
        return None;
    }
    let script =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/python/chat.py");
    let model = Model::start();
    let config = serde_json::json!({ "url": model.url, "model": "tiny" });
    Some((
        script,
        model,
        Hello {
            config,
            ..Hello::default()
        },
    ))
}

#[test]
fn the_one_in_python_conforms() {
    let Some((script, _model, hello)) = chat() else {
        return;
    };
    let candidate = Candidate::new("chat", || in_process(&script, &hello.config), builtin());
    let table = conforms(&candidate.scripted());
    for claimed in [
        "several judges at once",
        "one and only one",
        "messages in order",
        "idle judge ends",
    ] {
        assert_eq!(
            table.outcome_of(claimed),
            Some(&ScenarioOutcome::Passed),
            "{claimed}"
        );
    }
}

/// What `message` promises: the second request carries the first one and its answer.
#[test]
fn the_one_in_python_keeps_its_conversation() {
    let Some((script, model, hello)) = chat() else {
        return;
    };
    let chat = in_process(&script, &hello.config).unwrap();
    let mut session = Session::open(chat, hello);
    session.spawn_with_brief("a", "the brief\n");
    session.answers("a");
    session.turn("a", Duration::from_secs(10));
    let usage = session.wait(|e| {
        if let Event::Answered { usage, .. } = e {
            usage.clone()
        } else {
            None
        }
    });
    assert_eq!(
        (usage.input_tokens, usage.output_tokens),
        (Some(12), Some(3))
    );
    let heard = model.heard.lock().unwrap();
    let roles = |request: &serde_json::Value| {
        let messages = request["messages"].as_array().unwrap().iter();
        messages
            .map(|m| m["role"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(roles(&heard[1]), ["user", "assistant", "user"]);
    assert_eq!(
        heard[0]["messages"][0]["content"],
        "the brief\nkey: key-1\n"
    );
    assert_eq!(heard[1]["messages"][0], heard[0]["messages"][0]);
    assert_eq!(heard[1]["messages"][2]["content"], "key: key-2\n");
}

#[test]
fn the_one_in_python_says_what_is_wrong() {
    let Some((script, _model, _hello)) = chat() else {
        return;
    };
    let session = Session::open(
        in_process(&script, &serde_json::Value::Null).unwrap(),
        Hello::default(),
    );
    assert!(
        session
            .error()
            .starts_with("open: set config.url to a server")
    );
    // Nobody listens on the discard port of this machine.
    let nowhere = serde_json::json!({ "url": "http://127.0.0.1:9/v1", "model": "tiny" });
    let mut session = Session::open(in_process(&script, &nowhere).unwrap(), Hello::default());
    session.probe("a");
    let failure = session.failed("a");
    assert!(
        failure.detail.contains("127.0.0.1 cannot be reached"),
        "{failure}"
    );
}
