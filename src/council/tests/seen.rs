//! What a judge looks up counts as seen for the answer that came after it, and for nothing else.

use std::collections::BTreeSet;

use council_protocol::message::Usage;
use council_protocol::{Answer, CoverageState, Failure, FailureKind, JudgeId, Vote};
use proptest::prelude::*;

use crate::Input;
use crate::outcome::Verdict;
use crate::plan::{DebateMode, Procedure};
use crate::testing::{Run, coverage, plan, without_message};

/// What becomes of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// An answer that can be used.
    Answers,
    /// Words that are none.
    Prose,
    /// It fails, for a reason for which it is not asked again or one for which it is.
    Fails(FailureKind),
}

/// One turn, in which the judge looks everything up, or nothing.
fn take_turn(run: &mut Run, judge: &str, turn: Turn, looks: bool) {
    let sent = run.sent(judge);
    let (id, answer) = (
        sent.turn,
        Answer::new(sent.round, sent.key.clone(), Vote::Pass),
    );
    let looked_up = match looks {
        true => BTreeSet::from(["a.rs".into()]),
        false => BTreeSet::new(),
    };
    let usage = Usage {
        looked_up,
        ..Usage::default()
    };
    run.open.remove(&JudgeId::from(judge));
    let raw = match turn {
        Turn::Answers => serde_json::to_string(&answer).unwrap(),
        Turn::Prose => "It is fine.".to_owned(),
        Turn::Fails(kind) => {
            let failure = Failure::new(kind, "so it goes").with_usage(Some(usage));
            let turn = Some(id);
            return run.feed(Input::Failed {
                judge: judge.into(),
                turn,
                failure,
            });
        }
    };
    run.feed(Input::Answered {
        judge: judge.into(),
        turn: id,
        raw: raw.into(),
        usage: Some(usage),
    });
}

/// Two judges that were shown a part of the only file.
fn shown_a_part(debate: DebateMode, keeps_context: bool) -> Run {
    let mut plan = plan(Procedure::Review, 2);
    plan.debate = debate;
    if debate == DebateMode::Force {
        plan.procedure = Procedure::Debate;
    }
    for seat in &mut plan.seats {
        seat.coverage = coverage(CoverageState::OverBudget);
        if !keeps_context {
            without_message(seat);
        }
    }
    Run::seated(plan)
}

fn turns() -> impl Strategy<Value = Turn> {
    prop_oneof![
        Just(Turn::Answers),
        Just(Turn::Prose),
        Just(Turn::Fails(FailureKind::Empty)),
        Just(Turn::Fails(FailureKind::Truncated)),
        Just(Turn::Fails(FailureKind::Died)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a judge reads and however its turns end: it has seen what it looked up in the turn of its answer, or
    /// in one before it that was heard in the same conversation.
    #[test]
    fn a_look_up_counts_for_the_answer_behind_it(
        all in prop::collection::vec((turns(), any::<bool>()), 1..4), keeps_context: bool,
    ) {
        let mut run = shown_a_part(DebateMode::Off, keeps_context);
        for judge in ["judge-1", "judge-2"] {
            for (turn, looks) in &all {
                if run.open.contains_key(&JudgeId::from(judge)) {
                    take_turn(&mut run, judge, *turn, *looks);
                }
            }
            if run.open.contains_key(&JudgeId::from(judge)) {
                take_turn(&mut run, judge, Turn::Fails(FailureKind::Died), true);
            }
        }
        // The first turn that is asked again is the last but one.
        let taken = &all[..all.len().min(2)];
        let answered = taken.iter().position(|(turn, _)| *turn == Turn::Answers);
        let is_green = run.concluded().verdict == Verdict::Pass;
        let expected = answered.is_some_and(|at| {
            let heard = at > 0 && keeps_context && taken[0] == (Turn::Prose, true);
            let is_asked_again = at == 0 || taken[0].0 != Turn::Fails(FailureKind::Died);
            is_asked_again && (taken[at].1 || heard)
        });
        prop_assert_eq!(is_green, expected, "{:?}: {:?}", all, run.concluded().notes);
    }

    /// What is read in a second round whose answers are lost says nothing of the votes of the first one.
    #[test]
    fn what_a_lost_round_looked_up_is_not_seen(first in turns(), second in turns(), reads: bool) {
        let mut run = shown_a_part(DebateMode::Force, true);
        for judge in ["judge-1", "judge-2"] {
            take_turn(&mut run, judge, Turn::Answers, false);
        }
        for judge in ["judge-1", "judge-2"] {
            for turn in [first, second] {
                if run.open.contains_key(&JudgeId::from(judge)) {
                    take_turn(&mut run, judge, turn, reads);
                }
            }
        }
        let is_kept = first == Turn::Answers
            || second == Turn::Answers && first != Turn::Fails(FailureKind::Died);
        prop_assert_eq!(run.concluded().verdict == Verdict::Pass, is_kept && reads);
    }
}

/// What helpers read is theirs: the judge is sent a few words of it.
#[test]
fn what_an_explorer_looked_up_is_not_seen_by_its_judge() {
    let mut plan = plan(Procedure::Review, 1);
    plan.quorum = 1;
    plan.options.explorers = 1;
    plan.seats[0].coverage = coverage(CoverageState::OverBudget);
    let mut run = Run::seated(plan);
    run.answer("judge-1", Vote::Pass, |a| {
        a.explore = vec!["is it right?".into()];
    });
    let usage = Usage {
        looked_up: BTreeSet::from(["a.rs".into()]),
        ..Usage::default()
    };
    run.feed(Input::Explored {
        judge: "judge-1".into(),
        results: Vec::new(),
        usage: Some(usage),
    });
    run.answer("judge-1", Vote::Pass, |_| {});
    assert_eq!(run.concluded().verdict, Verdict::Inconclusive);
}
