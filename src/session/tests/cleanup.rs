//! Cleanup always: on success, failure, panic, Ctrl-C and deadline.

use std::sync::Arc;

use council_protocol::change::BlobError;
use council_protocol::message::Ending;
use council_protocol::{
    Answer, BlobSource, Finding, Location, RepoPath, Severity, Side, Turn, Vote,
};

use super::stage::{Deed, stage};
use crate::council::outcome::{Verdict, VerdictReason};
use crate::session::SessionError;

const PASS: Deed = Deed::Vote(Vote::Pass);

#[test]
fn ctrl_c_ends_the_run_in_good_order() {
    let mut stage = stage(2, |judge, _| match judge {
        "judge-1" => PASS,
        _ => Deed::Hang,
    });
    stage.interrupts = vec![3_000];
    let seen = stage.run().check();
    let outcome = seen.outcome();
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Inconclusive, VerdictReason::Interrupted)
    );
    assert_eq!(seen.took_ms, 3_000);
    assert_eq!(
        (
            seen.times("first shutdown judge-1"),
            seen.times("first shutdown judge-2")
        ),
        (1, 1)
    );
    assert_eq!(
        outcome.judges[0].r1,
        Some(Vote::Pass),
        "what was answered stays"
    );
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_anybody() {
    let mut stage = stage(2, |_, _| Deed::Hang);
    stage
        .manners
        .ignores_shutdown
        .extend(["judge-1", "judge-2"]);
    stage.interrupts = vec![3_000, 4_000];
    let seen = stage.run().check();
    assert_eq!(
        (seen.took_ms, seen.outcome().reason),
        (4_000, VerdictReason::Interrupted)
    );
    let endings: Vec<_> = seen
        .outcome()
        .judges
        .iter()
        .map(|judge| judge.ending)
        .collect();
    assert_eq!(endings, [Some(Ending::Forced); 2]);
}

/// Reading anything is a fault of the program.
struct Faulty;

impl BlobSource for Faulty {
    fn read(&self, _: Side, _: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        panic!("out of paper")
    }
}

fn with_finding(_: &str, turn: &Turn) -> Deed {
    let mut answer = Answer::new(turn.round, "", Vote::Fail);
    answer.findings.push(Finding {
        severity: Severity::Critical,
        category: "injection".into(),
        rule: None,
        description: "input is used unchecked".into(),
        location: Location {
            path: "a.rs".into(),
            line: 1,
            end_line: None,
        },
        quote: "risky(input)".into(),
        why: "anybody can".into(),
        fix: "check it".into(),
        suggestion: None,
        reference: None,
    });
    Deed::Say(Box::new(answer))
}

#[test]
fn a_quote_is_searched_and_the_finding_counts() {
    let seen = stage(2, with_finding).run().check();
    let outcome = seen.outcome();
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Fail, VerdictReason::CriticalConfirmed)
    );
    assert_eq!(
        seen.times("disk append proved -"),
        1,
        "asked once for both judges"
    );
}

#[test]
fn a_panic_of_the_program_still_closes_the_backends() {
    let mut stage = stage(2, with_finding);
    (stage.blobs, stage.understudy) = (Arc::new(Faulty), true);
    let seen = stage.run();
    let Err(SessionError::Panicked(text)) = &seen.result else {
        panic!("{:?}", seen.result)
    };
    assert_eq!(text, "out of paper");
    for judge in ["judge-1", "judge-2"] {
        let asked = seen.position(&format!("first shutdown {judge}"));
        assert!(asked < seen.position("first close"));
    }
    assert_eq!(
        (seen.times("first close"), seen.times("second close")),
        (1, 1)
    );
}

#[test]
fn a_full_disk_ends_a_run_that_is_paid_for() {
    let mut stage = stage(2, |_, _| PASS).paid();
    stage.full_at = Some(450);
    let seen = stage.run();
    let Err(SessionError::Disk { path, .. }) = &seen.result else {
        panic!("{:?}", seen.result)
    };
    assert!(path.ends_with("journal.jsonl"));
    assert_eq!((seen.times("first close"), seen.took_ms), (1, 0));
}

#[test]
fn a_run_that_breaks_off_waits_for_its_judges_as_long_as_their_grace() {
    let mut stage = stage(2, |_, _| PASS).paid();
    stage.full_at = Some(800);
    stage.manners.ignores_shutdown.insert("judge-1");
    let seen = stage.run();
    assert!(
        matches!(seen.result, Err(SessionError::Disk { .. })),
        "{:?}",
        seen.result
    );
    assert_eq!((seen.times("first close"), seen.took_ms), (1, 30_000));
}

#[test]
fn a_full_disk_costs_a_free_run_only_its_journal() {
    let mut stage = stage(2, |_, _| PASS);
    stage.full_at = Some(450);
    let seen = stage.run();
    assert_eq!(seen.outcome().verdict, Verdict::Pass);
    let told = seen
        .finished()
        .log
        .iter()
        .any(|line| line.starts_with("the run cannot be kept"));
    assert!(told, "{:?}", seen.finished().log);
}
