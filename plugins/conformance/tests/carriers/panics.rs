//! Panics in every entry of a library that was made with the SDK.

use std::time::Duration;

use council_host::{HostTimeouts, PluginLog};
use council_protocol::message::{Ending, Hello};
use council_protocol::{Event, FailureKind};

use crate::support::{Session, example, load};

fn session(place: &str) -> Session {
    let hello = Hello {
        config: serde_json::json!({ "panic": place }),
        ..Hello::default()
    };
    let library = load(&example("panics_plugin"));
    Session::open(
        Box::new(library.backend(PluginLog::none(), HostTimeouts::default())),
        hello,
    )
}

#[test]
fn in_open_the_session_is_gone() {
    let session = session("open");
    assert_eq!(
        session.error(),
        "the backend is gone: it did not open: panicked in open: on purpose"
    );
}

#[test]
fn in_spawn_the_judge_is_not_seated() {
    let mut session = session("spawn");
    session.spawn("a", 100);
    let failure = session.failed("a");
    assert_eq!(
        (failure.kind, failure.detail.as_str()),
        (FailureKind::Spawn, "panicked in spawn: on purpose")
    );
    session.backend.close().unwrap();
}

#[test]
fn in_send_the_turn_fails_and_the_judge_can_still_be_ended() {
    let mut session = session("send");
    session.spawn("a", 100);
    session.turn("a", Duration::from_secs(10));
    let failure = session.failed("a");
    assert_eq!(
        (failure.kind, failure.detail.as_str()),
        (FailureKind::Died, "panicked in send: on purpose")
    );
    session.backend.shutdown(&"a".into(), 1_000).unwrap();
    session.wait(|e| {
        (*e == Event::Ended {
            judge: "a".into(),
            ending: Ending::Graceful,
        })
        .then_some(())
    });
}

#[test]
fn in_cancel_nothing_is_lost() {
    let mut session = session("cancel");
    session.spawn("a", 100);
    session.backend.cancel(&"a".into()).unwrap();
    session.answers("a");
}

#[test]
fn in_shutdown_close_and_drop_the_session_ends_all_the_same() {
    for place in ["shutdown", "close", "drop"] {
        let mut session = session(place);
        session.spawn("a", 100);
        session.answers("a");
        session.backend.shutdown(&"a".into(), 10).unwrap();
        session.backend.close().unwrap();
        let rest = session.rest(Duration::from_millis(50));
        let told =
            |e: &Event| matches!(e, Event::Error { message } if message.contains("on purpose"));
        assert!(
            rest.iter().any(told) || place == "drop",
            "{place}: {rest:?}"
        );
        assert!(
            rest.iter().any(|e| matches!(e, Event::Ended { .. })),
            "{place}: {rest:?}"
        );
        assert_eq!(rest.last(), Some(&Event::Closed), "{place}");
    }
}
