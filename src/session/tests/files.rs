//! What is on the disk, and when.

use std::sync::{Arc, Mutex};

use council_protocol::{RoundNumber, Task, Vote};

use super::stage::{Deed, Seen, stage};
use crate::council::outcome::Verdict;
use crate::council::plan::{Procedure, RoundLimits};
use crate::session::journal::{JOURNAL_FILE, RunJournal};
use crate::session::replay::ReplayError;
use crate::session::replay_council;
use crate::session::stored;

fn split(judge: &str, turn: &council_protocol::Turn) -> Deed {
    match (judge, &turn.task) {
        ("judge-1", Task::Review) => Deed::Vote(Vote::Warn),
        _ => Deed::Vote(Vote::Pass),
    }
}

/// Every round leaves a file of every judge.
#[test]
fn files_of_both_rounds() {
    let seen = stage(2, split).debate().run().check();
    let names: Vec<_> = seen.files.keys().map(String::as_str).collect();
    let expected = [
        ".gitignore",
        "2026-03-09-head-judge-1-r2.md",
        "2026-03-09-head-judge-1.md",
        "2026-03-09-head-judge-2-r2.md",
        "2026-03-09-head-judge-2.md",
        "journal.jsonl",
        "packet.json",
        "plan.json",
    ];
    assert_eq!(names, expected);
}

#[test]
fn r2_files_stand_beside_r1_which_is_never_overwritten() {
    let seen = stage(2, split).debate().run().check();
    let r1 =
        crate::report::judge::parse_judge_file(seen.text("2026-03-09-head-judge-1.md")).unwrap();
    let r2 =
        crate::report::judge::parse_judge_file(seen.text("2026-03-09-head-judge-1-r2.md")).unwrap();
    assert_eq!(
        (r1.round, r1.verdict, r2.round),
        (RoundNumber::FIRST, Vote::Warn, RoundNumber::SECOND)
    );
}

/// What was said is on the disk after every round, and stays there when the run breaks off.
#[test]
fn minutes_are_written_after_every_round() {
    let mut stage = stage(3, |_, turn| match turn.task {
        Task::Ballot => Deed::Hang,
        _ => Deed::Vote(Vote::Pass),
    });
    stage.plan.procedure = Procedure::CrossExamination;
    stage.plan.options.minutes = true;
    stage.plan.options.rounds = Some(RoundLimits { min: 1, max: 2 });
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    stage.minutes = Some(Arc::new(move |so_far| {
        let (rounds, verdict) = (so_far.ledger.rounds.len(), so_far.verdict);
        heard.lock().unwrap().push((rounds, verdict));
        Some(format!("{rounds} rounds\n"))
    }));
    stage.interrupts = vec![5_000];
    let seen = stage.run().check();
    let open = Verdict::Inconclusive;
    assert_eq!(
        *told.lock().unwrap(),
        [(1, open), (2, open), (3, open)],
        "no minutes are green"
    );
    assert_eq!(seen.text("2026-03-09-head-session.md"), "3 rounds\n");
}

#[test]
fn every_input_is_written_before_it_is_acted_upon() {
    let seen = stage(2, split).debate().run().check();
    for judge in ["judge-1", "judge-2"] {
        let started = seen.position(&format!("disk append started {judge}"));
        assert!(started < seen.position(&format!("first send {judge} review")));
        let answered = seen.position(&format!("disk append answered {judge}"));
        assert!(answered < seen.position(&format!("first send {judge} debate")));
    }
}

fn syncs(seen: &Seen) -> usize {
    seen.times("disk sync")
}

#[test]
fn only_what_was_paid_for_is_synced_before_it_is_acted_upon() {
    assert_eq!(
        syncs(&stage(2, split).debate().run()),
        0,
        "built-in judges can be asked again"
    );
    let paid = stage(2, split).debate().paid().run().check();
    assert!(paid.position("disk keep plan.json") < paid.position("first spawn judge-1"));
    let answered = paid.position("disk append answered judge-2");
    let synced = answered
        + paid.diary[answered..]
            .iter()
            .position(|l| l == "disk sync")
            .unwrap();
    assert!(synced < paid.position("first send judge-2 debate"));
    // Two turns of each judge; answers that arrive together share a sync.
    assert_eq!(syncs(&paid), 2);
}

#[test]
fn a_journal_that_ends_early_is_unfinished_and_never_something_else() {
    let seen = stage(2, split).run().check();
    let bytes = &seen.files[JOURNAL_FILE];
    let plan = stored::parse_plan(&seen.files["plan.json"]).unwrap();
    let whole = RunJournal::parse(bytes).unwrap().entries.len();
    for cut in (0..bytes.len()).filter(|cut| bytes[*cut] == b'\n') {
        let Ok(journal) = RunJournal::parse(&bytes[..cut]) else {
            continue;
        };
        match replay_council(plan.clone(), &journal.entries) {
            Ok(outcome) => assert_eq!(&outcome, seen.outcome()),
            Err(ReplayError::Unfinished { inputs, .. }) => assert!(inputs < whole),
        }
    }
}

#[test]
fn a_plan_is_read_back_with_the_coverage_that_its_seats_share() {
    let seen = stage(3, split).run();
    let plan = stored::parse_plan(&seen.files["plan.json"]).unwrap();
    assert_eq!(plan, seen.finished().plan);
    assert!(std::sync::Arc::ptr_eq(
        &plan.seats[0].coverage,
        &plan.seats[2].coverage
    ));
    assert_eq!(seen.text("plan.json").matches("a.rs").count(), 1);
    let other = seen
        .text("plan.json")
        .replacen("\"version\":1", "\"version\":9", 1);
    assert!(matches!(
        stored::parse_plan(other.as_bytes()),
        Err(stored::PlanError::Version(9))
    ));
}

/// Exchange by reference: the others' answers lie in the judge's own folder before it is asked, without a name.
#[test]
fn peers_are_files_of_the_judge_that_reads_them() {
    let mut stage = stage(2, split);
    stage.plan.exchange = crate::council::plan::ExchangeMode::Reference;
    for planned in &mut stage.plan.seats {
        let shared = council_protocol::Capability::SharedFs;
        planned.grant.granted.insert(shared);
    }
    let seen = stage.run().check();
    let peer: serde_json::Value = serde_json::from_str(seen.text("peer-a.json")).unwrap();
    assert_eq!(
        (peer["label"].as_str(), peer["file"].as_str()),
        (Some("A"), Some("peer-a.json"))
    );
    assert!(!seen.text("peer-a.json").contains("judge-"), "no name");
    assert_eq!(
        seen.finished().outcome.ledger.exchange,
        Some(crate::council::ledger::ExchangeKind::Reference)
    );
}
