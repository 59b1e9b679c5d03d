//! A library that misbehaves: a clear error for each fault, no crash, no hang, and the other judges go on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use council_host::{
    HostTimeouts, LibraryBackend, LoadError, PluginLibrary, PluginLog, TrustedFile,
};
use council_protocol::message::{Ending, Hello};
use council_protocol::{Backend, Event, FailureKind};

use crate::support::{Session, compile, in_library, load};

const SOURCE: &str = "misbehaving/misbehaving.c";
const LONG: Duration = Duration::from_secs(60);

/// Loads the library that was compiled with a fault. None: no C compiler.
fn load_with(
    define: &str,
    patience: HostTimeouts,
) -> Option<Result<&'static PluginLibrary, LoadError>> {
    let dir = tempfile::tempdir().unwrap();
    let path = compile(SOURCE, &[define], dir.path())?;
    Some(PluginLibrary::load(
        &TrustedFile::check(&path, None, None).unwrap(),
        patience,
    ))
}

/// The library without a fault of its table, compiled once. None: no C compiler.
fn library() -> Option<&'static PluginLibrary> {
    static LIBRARY: OnceLock<Option<&'static PluginLibrary>> = OnceLock::new();
    *LIBRARY.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        compile(SOURCE, &[], dir.path()).map(|path| load(&path))
    })
}

fn hello(word: &str) -> Hello {
    Hello {
        config: serde_json::json!({ "misbehave": word }),
        ..Hello::default()
    }
}

/// A session with a judge that misbehaves as `word` says, called `bad`, and another one. None: no C compiler.
fn session(word: &str) -> Option<Session> {
    let library = library()?;
    let mut session = Session::open(
        Box::new(library.backend(PluginLog::none(), HostTimeouts::default())),
        hello(word),
    );
    session.spawn("bad", 1_000_000);
    session.spawn("good", 1_000_000);
    Some(session)
}

#[test]
fn every_fault_of_a_table_is_named_before_any_call() {
    let quick = HostTimeouts {
        start: Duration::from_secs(1),
        ..HostTimeouts::default()
    };
    for (define, words) in [
        ("NO_SYMBOL", "does not export git_council_backend_v1"),
        ("NO_TABLE", "returned no table"),
        (
            "WRONG_ABI",
            "was built for version 2 of the interface and this program speaks 1",
        ),
        ("SHORT_TABLE", "has a table of 56 bytes and 64 are needed"),
        ("NULL_FUNCTION", "has no function cancel in its table"),
        ("NO_MANIFEST", "has no usable manifest: it is empty"),
        ("BAD_MANIFEST", "has no usable manifest: EOF while parsing"),
        (
            "OTHER_PROTOCOL",
            "speaks protocol [7] and this program speaks 1",
        ),
        ("HANGS_WHEN_LOADED", "gave no manifest within 1 s"),
    ] {
        let Some(result) = load_with(define, quick) else {
            return;
        };
        let Err(error) = result else {
            panic!("{define} was loaded")
        };
        let message = error.to_string();
        assert!(message.contains(words), "{define}: {message}");
        assert!(message.contains("plugin.so"), "{define}: {message}");
    }
}

#[test]
fn what_is_no_library_is_refused_by_the_loader() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("not-a-library.so");
    std::fs::write(&path, "#!/bin/sh\n").unwrap();
    let error = PluginLibrary::load(
        &TrustedFile::check(&path, None, None).unwrap(),
        HostTimeouts::default(),
    )
    .err()
    .unwrap();
    assert!(matches!(error, LoadError::Open { .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("check that it is a shared library for this machine"),
        "{error}"
    );
}

#[test]
fn what_it_does_not_know_in_a_manifest_is_kept_and_ignored() {
    let Some(library) = library() else {
        return;
    };
    let manifest = library.manifest();
    assert_eq!(
        manifest.capabilities.to_string(),
        "spawn, message, shutdown, time-travel"
    );
}

#[test]
fn a_session_that_does_not_open_is_gone_and_says_why() {
    for (word, words) in [
        ("refuses-to-open", "it did not open: no licence found"),
        (
            "refuses-without-reason",
            "it did not open: it refused and gave no reason",
        ),
        (
            "odd-status",
            "it did not open: it returned the unknown status 77",
        ),
        ("opens-without-session", "it opened without a session"),
        (
            "wrong-version",
            "it chose protocol 2, which it was not offered",
        ),
    ] {
        let Some(library) = library() else {
            return;
        };
        let mut session = Session::open(in_library(library), hello(word));
        let message = session.error();
        assert!(message.contains(words), "{word}: {message}");
        session.backend.close().unwrap();
        assert_eq!(
            session.rest(Duration::from_millis(50)).last(),
            Some(&Event::Closed)
        );
    }
}

#[test]
fn a_session_that_never_opens_is_given_up_in_time() {
    let Some(library) = library() else {
        return;
    };
    let patience = HostTimeouts {
        start: Duration::from_millis(300),
        ..HostTimeouts::default()
    };
    let backend = library.backend(PluginLog::none(), patience);
    let session = Session::open(Box::new(backend), hello("never-opens"));
    assert_eq!(
        session.error(),
        "the backend is gone: it did not open in time"
    );
}

#[test]
fn what_comes_before_opened_is_dropped() {
    let Some(mut session) = session("speaks-too-early") else {
        return;
    };
    assert!(session.error().contains("before `opened`"));
    session.answers("good");
}

#[test]
fn a_refused_judge_fails_with_the_reason_and_the_other_one_goes_on() {
    for (word, kind, words) in [
        ("error-with-reason", FailureKind::Spawn, "no chair is left"),
        (
            "unsupported",
            FailureKind::Unsupported,
            "the backend cannot spawn",
        ),
    ] {
        let Some(mut session) = session(word) else {
            return;
        };
        let failure = session.failed("bad");
        assert_eq!((failure.kind, failure.detail.as_str()), (kind, words));
        session.answers("good");
    }
}

#[test]
fn a_judge_that_sends_too_much_is_oversized_and_the_other_one_goes_on() {
    for word in ["floods", "drips"] {
        let Some(mut session) = session(word) else {
            return;
        };
        session.turn("bad", LONG);
        assert_eq!(session.failed("bad").kind, FailureKind::Oversized, "{word}");
        session.answers("good");
        session.backend.close().unwrap();
        let rest = session.rest(Duration::from_millis(50));
        assert!(
            !rest
                .iter()
                .any(|e| matches!(e, Event::Answered { judge, .. } if judge.as_str() == "bad")),
            "{word}"
        );
    }
}

#[test]
fn events_that_cannot_be_read_fail_the_turn_that_they_name() {
    for (word, words) in [
        ("invalid-json", "expected value"),
        ("invalid-utf8", "invalid unicode"),
    ] {
        let Some(mut session) = session(word) else {
            return;
        };
        session.turn("bad", LONG);
        let failure = session.failed("bad");
        assert_eq!(failure.kind, FailureKind::Malformed);
        assert!(failure.detail.contains(words), "{word}: {failure}");
        session.answers("good");
    }
}

#[test]
fn events_without_content_are_errors_and_no_more() {
    let Some(mut session) = session("empty-events") else {
        return;
    };
    session.turn("bad", Duration::from_millis(300));
    assert!(
        session
            .error()
            .contains("sent an event that cannot be read")
    );
    assert_eq!(session.failed("bad").kind, FailureKind::Timeout);
    session.answers("good");
}

#[test]
fn unknown_events_are_kept_apart_and_the_answer_counts() {
    let Some(mut session) = session("unknown-events") else {
        return;
    };
    session.answers("bad");
}

#[test]
fn a_session_that_closes_itself_takes_its_judges_along() {
    let Some(mut session) = session("closes-itself") else {
        return;
    };
    session.turn("bad", LONG);
    assert_eq!(session.failed("bad").kind, FailureKind::Died);
    let ended = |e: &Event| {
        matches!(e, Event::Ended { judge, ending: Ending::Died } if judge.as_str() == "good")
            .then_some(())
    };
    session.wait(ended);
    assert!(session.error().contains("it closed itself"));
}

#[test]
fn a_call_that_hangs_times_out_and_the_session_is_left_behind() {
    let Some(mut session) = session("hangs") else {
        return;
    };
    session.turn("bad", Duration::from_millis(200));
    assert_eq!(session.failed("bad").kind, FailureKind::Timeout);
    let began = Instant::now();
    let error = session.backend.close().unwrap_err().to_string();
    assert!(
        error.contains("did not close within 2 s; it is left behind"),
        "{error}"
    );
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
    let rest = session.rest(Duration::from_millis(50));
    assert!(
        rest.contains(&Event::Ended {
            judge: "good".into(),
            ending: Ending::Forced
        }),
        "{rest:?}"
    );
    assert_eq!(rest.last(), Some(&Event::Closed));
}

#[test]
fn a_close_that_never_comes_back_is_waited_for_so_long_and_no_longer() {
    let Some(library) = library() else {
        return;
    };
    let patience = HostTimeouts {
        margin: Duration::from_millis(300),
        ..HostTimeouts::default()
    };
    let mut backend: LibraryBackend = library.backend(PluginLog::none(), patience);
    backend
        .open(
            Hello {
                protocols: vec![1],
                ..hello("never-closes")
            },
            Arc::new(|_| {}),
        )
        .unwrap();
    let began = Instant::now();
    assert!(backend.close().is_err());
    assert!(backend.leaked_sessions());
    assert!(backend.close().is_ok(), "closing twice is fine");
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn a_judge_that_does_not_end_is_declared_ended() {
    let Some(library) = library() else {
        return;
    };
    let patience = HostTimeouts {
        margin: Duration::from_millis(200),
        ..HostTimeouts::default()
    };
    let mut session = Session::open(
        Box::new(library.backend(PluginLog::none(), patience)),
        hello("never-ends"),
    );
    session.spawn("bad", 1_000);
    session.backend.shutdown(&"bad".into(), 100).unwrap();
    let ending = session.wait(|e| {
        if let Event::Ended { ending, .. } = e {
            Some(*ending)
        } else {
            None
        }
    });
    assert_eq!(ending, Ending::Forced);
}

#[test]
fn nothing_is_heard_after_close() {
    let Some(mut session) = session("emits-after-close") else {
        return;
    };
    session.backend.close().unwrap();
    let rest = session.rest(Duration::from_millis(300));
    assert_eq!(rest.last(), Some(&Event::Closed), "{rest:?}");
    drop(session);
    // The library's thread goes on for a while; it finds a host that does not listen.
    std::thread::sleep(Duration::from_millis(400));
}

#[test]
fn a_log_is_cut_and_costs_nobody_anything() {
    let Some(library) = library() else {
        return;
    };
    let bytes = Arc::new(AtomicUsize::new(0));
    let log = PluginLog::new({
        let bytes = bytes.clone();
        move |_, line| {
            bytes.fetch_add(line.len(), Ordering::Relaxed);
        }
    });
    let mut session = Session::open(
        Box::new(library.backend(log, HostTimeouts::default())),
        hello("logs"),
    );
    for judge in ["bad", "good"] {
        session.spawn(judge, 1_000);
    }
    session.turn("bad", LONG);
    session.answers("good");
    assert!((200_000..300_000).contains(&bytes.load(Ordering::Relaxed)));
}

#[test]
fn a_message_over_the_backends_limit_is_refused_and_not_sent() {
    let Some(mut session) = session("") else {
        return;
    };
    let brief = "x".repeat(5_000);
    let seat = council_protocol::Seat {
        judge: "long".into(),
        perspective: Default::default(),
        agent: crate::support::builtin(),
    };
    let spec = council_protocol::JudgeSpec {
        seat,
        brief: brief.into(),
        room: None,
        max_answer_bytes: 1_000,
        proves: false,
    };
    session.backend.spawn(spec).unwrap();
    let failure = session.failed("long");
    assert!(
        failure.detail.contains("and the backend takes 4096"),
        "{failure}"
    );
    session.answers("good");
}

#[test]
fn a_path_is_loaded_once() {
    let dir = tempfile::tempdir().unwrap();
    let Some(path) = compile(SOURCE, &[], dir.path()) else {
        return;
    };
    assert!(std::ptr::eq(load(&path), load(&path)));
    assert_eq!(load(&path).path(), path.canonicalize().unwrap());
}
