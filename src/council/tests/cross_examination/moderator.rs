//! Groupthink, and a debate that stands still.

use super::*;

#[test]
fn groupthink_makes_the_critic_argue_the_other_side() {
    let mut run = Run::seated(council(3, 1));
    open(&mut run, &[PASS, PASS, PASS]);
    go_on(&mut run, &[PASS, PASS, PASS]);
    assert_eq!(judges(&run), ["judge-2"], "the critic");
    let Task::Moderate {
        kind,
        opening,
        about,
        demand,
        ..
    } = run.task("judge-2")
    else {
        panic!()
    };
    assert_eq!(*kind, InterventionKind::Groupthink);
    assert_eq!(
        (opening.as_str(), about.as_str()),
        ("I notice emerging consensus on:", "the vote should be PASS")
    );
    assert!(demand.contains("steelman the OPPOSING view"));
    assert!(demand.ends_with("Provide a genuine counter-argument, not a token objection."));
}

#[test]
fn no_groupthink_where_somebody_was_challenged_or_two_differ() {
    for (votes, challenged) in [([PASS, PASS, PASS], true), ([PASS, PASS, FAIL], false)] {
        let mut run = Run::seated(council(3, 2));
        open(&mut run, &votes);
        for judge in ["judge-1", "judge-2", "judge-3"] {
            let index = usize::from(judge.as_bytes()[6] - b'1');
            run.answer(judge, votes[index], |a| {
                fill(a);
                if challenged && judge == "judge-1" {
                    a.challenges = vec![to("critic", "why"), to("pragmatist", "how")];
                }
            });
        }
        assert!(
            run.council.state.ledger.interventions.is_empty(),
            "{votes:?}"
        );
    }
}

#[test]
fn a_finding_that_three_hold_unchallenged_is_groupthink_too() {
    let mut run = Run::seated(council(3, 1));
    for judge in ["judge-1", "judge-2", "judge-3"] {
        run.answer(judge, FAIL, |a| {
            fill(a);
            a.findings = vec![finding(Severity::Critical, 3)];
        });
    }
    go_on(&mut run, &[FAIL, FAIL, FAIL]);
    let Task::Moderate { about, .. } = run.task("judge-2") else {
        panic!()
    };
    assert_eq!(about, "value 3 overflows when computed");
}

#[test]
fn a_round_without_anything_new_is_reframed_for_everybody_once() {
    let stale = |run: &Run| {
        matches!(
            run.task("judge-1"),
            Task::Moderate {
                kind: InterventionKind::Stale,
                ..
            }
        )
    };
    let repeat = |a: &mut Answer| {
        a.position = Some("I hold it".into());
        a.arguments = [
            "timing matters here",
            "nobody tested rollback",
            "docs are missing",
        ]
        .map(String::from)
        .to_vec();
        a.no_challenge = Some("seen it".into());
    };
    let mut run = Run::seated(council(3, 1));
    let votes = [PASS, WARN, FAIL];
    for vote_of_round in [votes, votes] {
        for (judge, vote) in (1..).zip(vote_of_round) {
            run.answer(&format!("judge-{judge}"), vote, repeat);
        }
    }
    assert!(stale(&run), "{:?}", run.open);
    let Task::Moderate {
        opening,
        about,
        demand,
        ..
    } = run.task("judge-1")
    else {
        panic!()
    };
    assert_eq!(opening, "The debate has stalled. Consider this angle:");
    assert!(about.starts_with("What "), "{about}");
    assert_eq!(demand, "How does this reframing change your analysis?");
    assert_eq!(judges(&run).len(), 3, "a broadcast");
    go_on(&mut run, &votes);
    assert_eq!(*run.task("judge-1"), Task::Ballot);
}
