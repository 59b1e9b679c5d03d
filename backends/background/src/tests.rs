use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use council_protocol::message::TurnId;
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::{RoundNumber, Seat as SeatSpec, Task};

use super::*;

/// A worker in shell that leaves the reply that the test wants.
fn office(dir: &Path, script: &str) -> WorkerCommand {
    fs::write(dir.join("script"), script).unwrap();
    let exe = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/worker.sh");
    let path = std::env::var_os("PATH").unwrap();
    WorkerCommand {
        exe,
        env: BTreeMap::from([("PATH".to_owned(), path)]),
    }
}

fn spec(judge: &str) -> JudgeSpec {
    let kind = AgentKind::Builtin {
        rules: Default::default(),
    };
    let agent = AgentSpec {
        name: "builtin".into(),
        kind,
        vendor: "builtin".into(),
        model: None,
        deterministic: true,
    };
    let seat = SeatSpec {
        judge: judge.into(),
        perspective: Perspective::default(),
        agent,
    };
    JudgeSpec {
        seat,
        brief: "".into(),
        room: None,
        max_answer_bytes: 1000,
        proves: false,
    }
}

fn turn(id: u32) -> Turn {
    Turn {
        id: TurnId(id),
        round: RoundNumber::FIRST,
        key: "k".into(),
        task: Task::Review,
        prompt: String::new(),
        timeout_ms: 1000,
        spend: None,
    }
}

fn opened(office: WorkerCommand, run: &Path) -> (Box<dyn Backend>, Receiver<Event>) {
    let (sender, events) = channel();
    let sender = Mutex::new(sender);
    let sink: Sink = Arc::new(move |event| drop(sender.lock().unwrap().send(event)));
    let mut backend = background_backend(Some(office));
    let hello = Hello {
        protocols: vec![PROTOCOL_VERSION],
        folder: Some(run.into()),
        ..Hello::default()
    };
    backend.open(hello, sink).unwrap();
    assert!(matches!(events.recv().unwrap(), Event::Opened { .. }));
    (backend, events)
}

fn seated(script: &str) -> (tempfile::TempDir, Box<dyn Backend>, Receiver<Event>) {
    let dir = tempfile::tempdir().unwrap();
    let (mut backend, events) = opened(office(dir.path(), script), dir.path());
    backend.spawn(spec("judge-1")).unwrap();
    assert!(matches!(events.recv().unwrap(), Event::Started { .. }));
    backend
        .send(Message::Turn {
            judge: "judge-1".into(),
            turn: turn(1),
        })
        .unwrap();
    (dir, backend, events)
}

#[test]
fn the_file_is_the_answer() {
    let (_dir, mut backend, events) =
        seated(r#"printf '{"reply":"answered","raw":"hello"}' > $out"#);
    let Event::Answered { raw, turn, .. } = events.recv().unwrap() else {
        panic!()
    };
    assert_eq!((raw.as_str(), turn), ("hello", TurnId(1)));
    backend.shutdown(&"judge-1".into(), 1000).unwrap();
    assert_eq!(
        events.recv().unwrap(),
        Event::Ended {
            judge: "judge-1".into(),
            ending: Ending::Graceful
        }
    );
    backend.close().unwrap();
    backend.close().unwrap();
    assert_eq!(events.recv().unwrap(), Event::Closed);
    assert!(events.recv().is_err() || events.try_recv().is_err());
}

#[test]
fn a_worker_that_leaves_nothing_has_died() {
    let (_dir, _backend, events) = seated("exit 3");
    let Event::Failed {
        failure,
        turn: Some(_),
        ..
    } = events.recv().unwrap()
    else {
        panic!()
    };
    assert_eq!(failure.kind, FailureKind::Died);
    assert!(failure.detail.contains('3'), "{failure}");
}

#[test]
fn half_a_file_is_no_answer() {
    let (_dir, _backend, events) = seated(r#"printf '{"reply":"answered","raw":"hel' > $out"#);
    let Event::Failed { failure, .. } = events.recv().unwrap() else {
        panic!()
    };
    assert_eq!(failure.kind, FailureKind::Died);
}

#[test]
fn a_worker_that_ignores_the_grace_is_killed() {
    let (_dir, mut backend, events) = seated("exec sleep 600");
    backend.shutdown(&"judge-1".into(), 50).unwrap();
    let mut seen = [events.recv().unwrap(), events.recv().unwrap()];
    seen.sort_by_key(|e| matches!(e, Event::Ended { .. }));
    let [Event::Failed { failure, .. }, Event::Ended { ending, .. }] = seen else {
        panic!("{seen:?}")
    };
    assert_eq!(
        (failure.kind, ending),
        (FailureKind::Cancelled, Ending::Forced)
    );
    backend.close().unwrap();
}

#[test]
fn a_worker_that_reads_its_input_ends_in_good_order() {
    let (_dir, mut backend, events) = seated("cat > /dev/null");
    backend.shutdown(&"judge-1".into(), 30_000).unwrap();
    let endings = [events.recv().unwrap(), events.recv().unwrap()];
    let graceful = Event::Ended {
        judge: "judge-1".into(),
        ending: Ending::Graceful,
    };
    assert!(endings.contains(&graceful), "{endings:?}");
}

#[test]
fn without_a_folder_there_is_nothing_to_join_by() {
    let dir = tempfile::tempdir().unwrap();
    let mut backend = background_backend(Some(office(dir.path(), "")));
    let hello = Hello {
        protocols: vec![PROTOCOL_VERSION],
        ..Hello::default()
    };
    let error = backend.open(hello, Arc::new(|_| {})).unwrap_err();
    assert_eq!(error, BackendError::Unsupported(Capability::SharedFs));
}

#[test]
fn closing_ends_what_is_left() {
    let (_dir, mut backend, events) = seated("exec sleep 600");
    backend.close().unwrap();
    let events: Vec<_> = events.try_iter().collect();
    assert_eq!(events.last(), Some(&Event::Closed));
    assert!(events.iter().any(|e| matches!(e, Event::Ended { .. })));
}
