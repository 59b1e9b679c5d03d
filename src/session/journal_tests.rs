use std::sync::Mutex;

use council_protocol::message::{Ending, Failure, FailureKind};
use council_protocol::packet::TargetKind;
use council_protocol::{Proof, TurnId};

use super::super::real::RealWorld;
use super::super::world::World;
use super::*;
use crate::council::{CancelCause, ClaimId, TimerId};

fn header() -> Header {
    Header {
        journal: JOURNAL_VERSION,
        run: "council-20260309-head".into(),
        started: "2026-03-09T10:00:00+01:00".into(),
        target: Target {
            kind: TargetKind::Commit,
            label: "HEAD".into(),
            slug: "head".into(),
            base: None,
            head: None,
        },
        backend: "teams".into(),
        packet: None,
        plan: plan("plan.json"),
    }
}

fn plan(file: &str) -> PlanRef {
    PlanRef {
        file: file.into(),
        sha256: "00".into(),
    }
}

fn every_input() -> Vec<Input> {
    vec![
        Input::Started { judge: "a".into() },
        Input::Answered {
            judge: "a".into(),
            turn: TurnId(1),
            raw: "line\nline \u{2028} \"quoted\"".into(),
            usage: Some(Default::default()),
        },
        Input::Failed {
            judge: "b".into(),
            turn: None,
            failure: Failure::new(FailureKind::Spawn, "not there"),
        },
        Input::Proved {
            claim: ClaimId(3),
            proof: Proof::Relocated { line: 7 },
            context: "let x".into(),
        },
        Input::Explored {
            judge: "a".into(),
            results: Vec::new(),
            usage: None,
        },
        Input::Deadline { timer: TimerId(2) },
        Input::Cancel {
            cause: CancelCause::Interrupted,
        },
        Input::Ended {
            judge: "a".into(),
            ending: Ending::Forced,
        },
    ]
}

/// Writes a journal with every kind of input and gives its bytes.
fn written() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let world = RealWorld::new();
    let mut writer = Writer::begin(world.disk(), folder.path(), &header()).unwrap();
    for (at, input) in (10..).zip(every_input()) {
        writer.inputs(at, &[input], at % 2 == 0).unwrap();
    }
    std::fs::read(folder.path().join(JOURNAL)).unwrap()
}

#[test]
fn what_was_written_is_read_back() {
    let bytes = written();
    let journal = Journal::parse(&bytes).unwrap();
    assert_eq!(
        (&journal.header, journal.whole_bytes),
        (&header(), bytes.len())
    );
    let inputs: Vec<_> = journal
        .entries
        .iter()
        .map(|entry| entry.input.clone())
        .collect();
    assert_eq!(inputs, every_input());
    assert_eq!(journal.entries[3].at, 13);
    let lines = bytes.split(|b| *b == b'\n').count() - 1;
    assert_eq!(
        lines,
        1 + every_input().len(),
        "one line each, whatever is in it"
    );
}

#[test]
fn a_journal_cut_anywhere_keeps_its_whole_lines() {
    let bytes = written();
    let first = bytes.iter().position(|b| *b == b'\n').unwrap();
    for cut in 0..=bytes.len() {
        match Journal::parse(&bytes[..cut]) {
            Err(JournalError::Empty) => assert!(cut <= first),
            journal => {
                let journal = journal.unwrap();
                let whole = bytes[..cut].split(|b| *b == b'\n').count() - 2;
                assert_eq!(journal.entries.len(), whole);
                assert_eq!(bytes[journal.whole_bytes - 1], b'\n');
            }
        }
    }
}

#[test]
fn a_line_in_the_middle_that_is_none_of_ours_is_an_error() {
    let mut bytes = written();
    bytes.extend(b"{\"at\":1,\"input\":\"horoscope\"}\n");
    let error = Journal::parse(&bytes).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("line 10 of the journal cannot be read"),
        "{error}"
    );
    let newer = String::from_utf8(written())
        .unwrap()
        .replacen("\"journal\":1", "\"journal\":2", 1);
    assert!(matches!(
        Journal::parse(newer.as_bytes()),
        Err(JournalError::Version(2))
    ));
}

#[test]
fn after_giving_way_only_the_new_backend_counts() {
    let mut bytes = written();
    let line = Line::GaveWay {
        at: 20,
        gave_way_to: "inline".into(),
        plan: plan("plan-2.json"),
    };
    bytes.extend(serde_json::to_vec(&line).unwrap());
    bytes.extend(b"\n{\"at\":21,\"input\":\"started\",\"judge\":\"a\"}\n");
    let journal = Journal::parse(&bytes).unwrap();
    assert_eq!(
        (journal.backend.as_str(), journal.plan),
        ("inline", plan("plan-2.json"))
    );
    assert_eq!(journal.entries.len(), 1);
}

/// Counts writes and syncs.
struct Counting(std::sync::Arc<Mutex<(usize, usize)>>);

impl Appender for Counting {
    fn append(&mut self, _: &[u8]) -> std::io::Result<()> {
        self.0.lock().unwrap().0 += 1;
        Ok(())
    }

    fn sync(&mut self) -> std::io::Result<()> {
        self.0.lock().unwrap().1 += 1;
        Ok(())
    }
}

#[test]
fn inputs_that_come_together_share_one_write_and_one_sync() {
    let counts = std::sync::Arc::new(Mutex::new((0, 0)));
    let mut writer = Writer {
        file: Box::new(Counting(counts.clone())),
        path: "journal".into(),
        buffer: Vec::new(),
    };
    writer.inputs(1, &every_input(), true).unwrap();
    assert_eq!(*counts.lock().unwrap(), (1, 1));
    writer.inputs(2, &every_input(), false).unwrap();
    assert_eq!(*counts.lock().unwrap(), (2, 1));
}
