//! What becomes of a debate when judges fail, end to end over session and engine.

use council_protocol::message::Ending;
use council_protocol::{FailureKind, Task, Vote};

use super::stage::{Deed, Manners, Seen, stage};
use crate::council::outcome::{Verdict, VerdictReason};
use crate::council::plan::DebateMode;

const PASS: Deed = Deed::Vote(Vote::Pass);

fn is_debate(task: &Task) -> bool {
    matches!(task, Task::Debate { .. })
}

fn failures(seen: &Seen, judge: usize) -> Vec<FailureKind> {
    let failures = &seen.outcome().judges[judge].failures;
    failures
        .iter()
        .map(|failure| failure.failure.kind)
        .collect()
}

#[test]
fn everybody_answers() {
    let seen = stage(3, |_, _| PASS).run().check();
    let outcome = seen.outcome();
    assert_eq!(
        (outcome.verdict, outcome.counted, outcome.rounds),
        (Verdict::Pass, 3, 1)
    );
    assert_eq!(seen.took_ms, 0, "nothing waits for anything but judges");
    assert!(
        outcome
            .judges
            .iter()
            .all(|judge| judge.ending == Some(Ending::Graceful))
    );
}

/// A judge that times out is done without, and the report says so.
#[test]
fn a_late_judge_of_r1_is_done_without() {
    let mut seen = stage(3, |judge, _| match judge {
        "judge-2" => Deed::Hang,
        _ => PASS,
    });
    // Without a built-in judge no PASS can be: its rules have not looked. A model can be done without.
    for planned in &mut seen.plan.seats {
        planned.seat.agent.kind = council_protocol::seat::AgentKind::Backend {};
    }
    let seen = seen.run().check();
    assert_eq!(
        (seen.outcome().verdict, seen.outcome().counted),
        (Verdict::Pass, 2)
    );
    assert_eq!(
        (seen.took_ms, failures(&seen, 1)),
        (120_000, vec![FailureKind::Timeout])
    );
    assert_eq!(seen.times("first cancel judge-2"), 1);
    assert!(
        seen.logged("Judge judge-2 R1 timeout -- proceeding without it."),
        "{:?}",
        seen.finished().log
    );
}

/// Whoever missed round 1 is sent nothing in round 2.
#[test]
fn who_missed_r1_is_not_messaged_in_r2() {
    let seen = stage(3, |judge, _| match judge {
        "judge-2" => Deed::Hang,
        _ => PASS,
    });
    let seen = seen.debate().run().check();
    assert_eq!(seen.times("first send judge-2 review"), 1);
    let asked = seen
        .diary
        .iter()
        .filter(|line| line.starts_with("first send judge-2"));
    assert_eq!(asked.count(), 1);
    assert_eq!(seen.times("first send judge-1 debate"), 1);
}

/// Whoever is late in round 2 keeps its verdict of round 1.
#[test]
fn a_late_judge_of_r2_keeps_its_r1() {
    let seen = stage(3, |judge, turn| match judge {
        "judge-3" if is_debate(&turn.task) => Deed::Hang,
        _ => PASS,
    });
    let seen = seen.debate().run().check();
    let late = &seen.outcome().judges[2];
    assert_eq!(
        (late.r1, late.r2, late.counted),
        (Some(Vote::Pass), None, Some(Vote::Pass))
    );
    assert_eq!(seen.took_ms, 90_000);
    assert!(
        seen.logged("Judge judge-3 R2 timeout -- using R1 verdict."),
        "{:?}",
        seen.finished().log
    );
}

/// Without any answer of round 2 the first round decides, and the report says so.
#[test]
fn without_any_r2_the_r1_stands() {
    let seen = stage(2, |_, turn| {
        if is_debate(&turn.task) {
            Deed::Hang
        } else {
            PASS
        }
    });
    let seen = seen.debate().run().check();
    assert_eq!(
        (seen.outcome().verdict, seen.outcome().counted),
        (Verdict::Pass, 2)
    );
    assert!(
        seen.outcome()
            .notes
            .iter()
            .any(|note| note.contains("the verdict rests on round 1 alone")),
        "{:?}",
        seen.outcome().notes
    );
}

/// Without messaging a debate is one round.
#[test]
fn without_messaging_there_is_one_round() {
    let mut stage = stage(2, |_, _| PASS).debate();
    for planned in &mut stage.plan.seats {
        let message = council_protocol::Capability::Message;
        let granted = planned.grant.granted.iter().filter(|c| **c != message);
        planned.grant.granted = granted.cloned().collect();
    }
    let seen = stage.run().check();
    assert_eq!(
        (seen.outcome().rounds, seen.outcome().verdict),
        (1, Verdict::Pass)
    );
    assert!(!seen.outcome().notes.is_empty());
}

#[test]
fn when_nobody_answers_nobody_can_say() {
    let seen = stage(2, |_, _| Deed::Hang).run().check();
    let outcome = seen.outcome();
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Inconclusive, VerdictReason::BelowQuorum)
    );
}

#[test]
fn a_dead_judge_is_done_without() {
    let seen = stage(3, |judge, _| match judge {
        "judge-1" => Deed::Die,
        _ => PASS,
    });
    let seen = seen.run().check();
    assert_eq!(seen.outcome().counted, 2);
    assert_eq!(seen.outcome().judges[0].ending, Some(Ending::Died));
    assert_eq!(seen.took_ms, 0, "nobody waits for the dead");
}

/// Rule 11: malformed answers are sent back once with the schema error; then the judge abstains.
#[test]
fn rule_11_a_malformed_answer_is_sent_back_once() {
    let mended = stage(2, |judge, turn| match (judge, &turn.task) {
        ("judge-1", Task::Review) => Deed::Raw("I think it is fine."),
        _ => PASS,
    });
    let mended = mended.run().check();
    assert_eq!(
        (
            mended.times("first send judge-1 mend"),
            mended.outcome().counted
        ),
        (1, 2)
    );
    let hopeless = stage(3, |judge, _| match judge {
        "judge-1" => Deed::Raw("I think it is fine."),
        _ => PASS,
    });
    let hopeless = hopeless.run().check();
    assert_eq!(
        (
            hopeless.times("first send judge-1 mend"),
            hopeless.outcome().counted
        ),
        (1, 2)
    );
}

/// Rule 12: 30 s grace, then the judge is ended by force; the receipt says so.
#[test]
fn rule_12_who_ignores_the_shutdown_is_forced() {
    let mut stage = stage(2, |_, _| PASS);
    stage.manners.ignores_shutdown.insert("judge-2");
    let seen = stage.run().check();
    assert_eq!(seen.outcome().judges[1].ending, Some(Ending::Forced));
    assert_eq!(
        seen.outcome().verdict,
        Verdict::Pass,
        "cleanup never changes the verdict"
    );
    assert!(
        (30_000..=40_000).contains(&seen.took_ms),
        "{}",
        seen.took_ms
    );
}

#[test]
fn the_whole_run_is_bounded() {
    let mut stage = stage(2, |_, _| Deed::Hang);
    stage.plan.timeouts.run_ms = Some(5_000);
    let seen = stage.run().check();
    assert_eq!(
        (seen.outcome().reason, seen.took_ms),
        (VerdictReason::Deadline, 5_000)
    );
}

/// "A backend whose probe passed and whose spawn fails gives way to the next one, once."
#[test]
fn a_backend_that_seats_nobody_gives_way_once() {
    for manners in [
        Manners {
            seats_nobody: true,
            ..Manners::default()
        },
        Manners {
            refuses_spawn: true,
            ..Manners::default()
        },
    ] {
        let mut stage = stage(2, |_, _| PASS);
        (stage.manners, stage.understudy) = (manners, true);
        let seen = stage.run().check();
        let finished = seen.finished();
        assert_eq!(
            (finished.outcome.verdict, finished.backend.as_str()),
            (Verdict::Pass, "second")
        );
        assert_eq!(
            finished.gave_way.as_ref().map(|gave| gave.backend.as_str()),
            Some("first")
        );
        let told = finished
            .outcome
            .notes
            .iter()
            .any(|note| note.contains("`second` instead"));
        assert!(told, "{:?}", finished.outcome.notes);
        assert_eq!(
            (seen.times("second close"), seen.journal().backend.as_str()),
            (1, "second")
        );
        assert!(seen.files.contains_key("plan-2.json"));
    }
}

#[test]
fn the_second_backend_does_not_give_way() {
    let nobody = Manners {
        seats_nobody: true,
        ..Manners::default()
    };
    let mut stage = stage(2, |_, _| PASS);
    (stage.manners, stage.understudy) = (nobody.clone(), true);
    stage.understudy_manners = nobody;
    let seen = stage.run().check();
    assert_eq!(seen.outcome().verdict, Verdict::Inconclusive);
    assert_eq!(
        (
            seen.times("first spawn judge-1"),
            seen.times("second spawn judge-1")
        ),
        (1, 1)
    );
}

#[test]
fn one_judge_that_sits_keeps_the_backend() {
    let mut stage = stage(3, |_, _| PASS);
    stage.manners.never_seats.insert("judge-1");
    stage.understudy = true;
    let seen = stage.run().check();
    assert_eq!(
        (seen.finished().backend.as_str(), seen.outcome().counted),
        ("first", 2)
    );
    assert_eq!(seen.times("second spawn judge-1"), 0);
}

#[test]
fn a_forced_debate_runs_both_rounds_over_the_same_judges() {
    let seen = stage(3, |_, _| PASS).debate().run().check();
    assert_eq!(seen.outcome().rounds, 2);
    for judge in ["judge-1", "judge-2", "judge-3"] {
        assert_eq!(
            seen.times(&format!("first spawn {judge}")),
            1,
            "N spawned, not 2N"
        );
        assert_eq!(seen.times(&format!("first send {judge} debate")), 1);
    }
}

#[test]
fn without_a_split_the_default_stops_after_r1() {
    let mut stage = stage(2, |_, _| PASS);
    stage.plan.debate = DebateMode::Auto;
    assert_eq!(stage.run().check().outcome().rounds, 1);
}
