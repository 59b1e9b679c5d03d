//! What whoever watches a run is told.

use std::sync::Arc;

use council_protocol::{FailureKind, JudgeId, TurnId};

use super::matter::plan;
use crate::council::Input;
use crate::session::journal::JournalEntry;
use crate::session::{AskedTask, JournalFollower, ProgressKind, RunLabel};

fn prose(at: u64, judge: &JudgeId, turn: u32) -> JournalEntry {
    let input = Input::Answered {
        judge: judge.clone(),
        turn: TurnId(turn),
        raw: Arc::from("no idea"),
        usage: None,
    };
    JournalEntry { at, input }
}

#[test]
fn a_reply_that_cannot_be_used_is_told_when_it_is_not_sent_back() {
    let label = RunLabel {
        run: "council-1".to_owned(),
        target: "HEAD".to_owned(),
        backend: "inline".to_owned(),
        max_usd: None,
    };
    let plan = plan(2);
    let ids: Vec<JudgeId> = plan
        .seats
        .iter()
        .map(|one| one.seat.judge.clone())
        .collect();
    let (mut follower, _) = JournalFollower::convene(plan, label, Default::default());
    let started = ids.iter().map(|judge| JournalEntry {
        at: 0,
        input: Input::Started {
            judge: judge.clone(),
        },
    });
    let mut entries: Vec<JournalEntry> = started.collect();
    follower.hear_entries(&entries);
    entries.push(prose(1_000, &ids[0], 1));
    let told = follower.hear_entries(&entries);
    let failed = |kind: &ProgressKind| matches!(kind, ProgressKind::Failed { .. });
    assert!(!told.iter().any(|event| failed(&event.kind)), "{told:?}");
    let corrects = |kind: &ProgressKind| {
        matches!(
            kind,
            ProgressKind::Asked {
                task: AskedTask::Correction,
                ..
            }
        )
    };
    assert!(told.iter().any(|event| corrects(&event.kind)), "{told:?}");
    entries.push(prose(2_000, &ids[0], 3));
    let told = follower.hear_entries(&entries);
    let failed = told.iter().find_map(|event| match &event.kind {
        ProgressKind::Failed { judge, kind, .. } => Some((judge.clone(), *kind)),
        _ => None,
    });
    assert_eq!(
        failed,
        Some((ids[0].clone(), FailureKind::Prose)),
        "{told:?}"
    );
}
