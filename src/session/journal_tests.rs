use std::sync::Mutex;

use council_protocol::message::{Ending, Failure, FailureKind};
use council_protocol::packet::TargetKind;
use council_protocol::{Proof, TurnId};

use super::super::real::RealWorld;
use super::super::world::FileAppender;
use super::*;
use crate::council::{CancelCause, ClaimId, QuotedLines, TimerId};

fn header() -> JournalHeader {
    JournalHeader {
        journal: JOURNAL_VERSION,
        run: "council-20260309-head".into(),
        started: "2026-03-09T10:00:00+01:00".into(),
        target: Target {
            kind: TargetKind::Commit,
            label: "HEAD".into(),
            slug: "head".into(),
            base: None,
            head: None,
            only: Vec::new(),
        },
        backend: "teams".into(),
        packet: None,
        max_usd: Some(2.5),
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
            nearest: None,
            function: None,
            quoted: Some(QuotedLines::of(&[("a()", "    "), ("b()", "\t")])),
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
    let mut writer = JournalWriter::create(&world, folder.path(), &header()).unwrap();
    for (at, input) in (10..).zip(every_input()) {
        writer.append_inputs(at, &[input], at % 2 == 0).unwrap();
    }
    std::fs::read(folder.path().join(JOURNAL_FILE)).unwrap()
}

#[test]
fn what_was_written_is_read_back() {
    let bytes = written();
    let journal = RunJournal::parse(&bytes).unwrap();
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

/// Journals of before 2026-11-25 tell no cap; they are read as they are.
#[test]
fn a_header_without_a_cap_is_read() {
    let bare = JournalHeader {
        max_usd: None,
        ..header()
    };
    let text = serde_json::to_string(&bare).unwrap();
    assert!(!text.contains("max_usd"), "{text}");
    assert_eq!(JournalHeader::parse(text.as_bytes()).unwrap(), bare);
}

#[test]
fn a_journal_cut_anywhere_keeps_its_whole_lines() {
    let bytes = written();
    let first = bytes.iter().position(|b| *b == b'\n').unwrap();
    for cut in 0..=bytes.len() {
        match RunJournal::parse(&bytes[..cut]) {
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

/// The same journal as version 1 wrote it: without sums.
fn first_version() -> Vec<u8> {
    let text = String::from_utf8(written()).unwrap();
    let bare = |line: &str| format!("{}}}\n", &line[..line.rfind(",\"sum\"").unwrap()]);
    let text: String = text.lines().map(bare).collect();
    text.replacen("\"journal\":2", "\"journal\":1", 1).into()
}

#[test]
fn journals_of_version_1_are_read_and_go_on_as_they_are() {
    let old = RunJournal::parse(&first_version()).unwrap();
    assert_eq!(old.entries, RunJournal::parse(&written()).unwrap().entries);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(JOURNAL_FILE);
    std::fs::write(&path, first_version()).unwrap();
    let line = JournalLine::Resumed {
        at: 17,
        resumed: "2026-03-09T11:00:00+01:00".into(),
        kept: 8,
        max_usd: Some(4.0),
        plan: None,
    };
    let world = RealWorld::new();
    let mut writer = JournalWriter::reopen(&world, folder.path(), &old, &line).unwrap();
    let deadline = Input::Deadline { timer: TimerId(3) };
    writer.append_inputs(20, &[deadline], true).unwrap();
    let again = RunJournal::parse(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!((old.max_usd, again.max_usd), (Some(2.5), Some(4.0)));
    assert_eq!(again.entries.len(), old.entries.len() + 1);
}

#[test]
fn a_line_that_is_none_of_ours_is_an_error() {
    let mut bytes = first_version();
    bytes.extend(b"{\"at\":1,\"input\":\"horoscope\"}\n");
    let error = RunJournal::parse(&bytes).unwrap_err().to_string();
    assert!(
        error.starts_with("line 10 of the journal cannot be read"),
        "{error}"
    );
    let newer = String::from_utf8(first_version()).unwrap();
    let newer = newer.replacen("\"journal\":1", "\"journal\":3", 1);
    assert!(matches!(
        RunJournal::parse(newer.as_bytes()),
        Err(JournalError::Damaged(1) | JournalError::Version(3))
    ));
}

#[test]
fn no_flipped_bit_changes_what_was_heard() {
    let bytes = written();
    let whole = RunJournal::parse(&bytes).unwrap();
    for at in 0..bytes.len() {
        for bit in [0, 5, 7] {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            if let Ok(journal) = RunJournal::parse(&flipped) {
                let kept = journal.entries.len();
                assert_eq!(
                    journal.entries,
                    whole.entries[..kept],
                    "bit {bit} of byte {at}"
                );
                assert_eq!(journal.header, whole.header);
            }
        }
    }
}

#[test]
fn a_line_that_never_came_to_rest_is_no_line_and_one_in_the_middle_is_damage() {
    let mut bytes = written();
    let last = bytes[..bytes.len() - 1]
        .iter()
        .rposition(|&b| b == b'\n')
        .unwrap();
    let end = bytes.len() - 1;
    bytes[last + 5..end].fill(0);
    let journal = RunJournal::parse(&bytes).unwrap();
    assert_eq!(
        (journal.entries.len(), journal.whole_bytes),
        (every_input().len() - 1, last + 1)
    );
    let mut bytes = written();
    let second = bytes.iter().position(|&b| b == b'\n').unwrap();
    bytes[second + 5] ^= 1;
    let error = RunJournal::parse(&bytes).unwrap_err().to_string();
    assert!(
        error.starts_with("line 2 of the journal is damaged"),
        "{error}"
    );
}

#[test]
fn after_giving_way_only_the_new_backend_counts() {
    let folder = tempfile::tempdir().unwrap();
    let world = RealWorld::new();
    let mut writer = JournalWriter::create(&world, folder.path(), &header()).unwrap();
    writer.append_inputs(10, &every_input(), false).unwrap();
    let line = JournalLine::GaveWay {
        at: 20,
        gave_way_to: "inline".into(),
        plan: plan("plan-2.json"),
    };
    writer.append_fallback(&line).unwrap();
    let started = Input::Started { judge: "a".into() };
    writer.append_inputs(21, &[started], false).unwrap();
    let bytes = std::fs::read(folder.path().join(JOURNAL_FILE)).unwrap();
    let journal = RunJournal::parse(&bytes).unwrap();
    assert_eq!(
        (journal.backend.as_str(), journal.plan),
        ("inline", plan("plan-2.json"))
    );
    assert_eq!(journal.entries.len(), 1);
}

/// Counts writes and syncs.
struct Counting(std::sync::Arc<Mutex<(usize, usize)>>);

impl FileAppender for Counting {
    fn append_bytes(&mut self, _: &[u8]) -> std::io::Result<()> {
        self.0.lock().unwrap().0 += 1;
        Ok(())
    }

    fn sync_data(&mut self) -> std::io::Result<()> {
        self.0.lock().unwrap().1 += 1;
        Ok(())
    }
}

#[test]
fn inputs_that_come_together_share_one_write_and_one_sync() {
    let counts = std::sync::Arc::new(Mutex::new((0, 0)));
    let mut writer = JournalWriter {
        file: Box::new(Counting(counts.clone())),
        path: "journal".into(),
        buffer: Vec::new(),
        sum: None,
        seal: None,
    };
    writer.append_inputs(1, &every_input(), true).unwrap();
    assert_eq!(*counts.lock().unwrap(), (1, 1));
    writer.append_inputs(2, &every_input(), false).unwrap();
    assert_eq!(*counts.lock().unwrap(), (2, 1));
}
