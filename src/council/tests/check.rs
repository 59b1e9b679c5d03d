//! Answers that can be read and are wanting: quotes that stand nowhere, ids that nobody has.

use council_protocol::answer::Stance;
use council_protocol::{FailureKind, Finding, Proof, Severity, Task, Vote};

use crate::outcome::{Disposition, Verdict};
use crate::plan::{DebateMode, Procedure};
use crate::testing::{Run, evidence, finding, made_up, plan, response, without_message};
use crate::{Action, Input, NearestLine, Plan};

fn alone() -> Plan {
    let mut plan = plan(Procedure::Review, 2);
    plan.debate = DebateMode::Off;
    plan
}

/// Its first judge is started afresh for each question.
fn mute(mut plan: Plan) -> Plan {
    without_message(&mut plan.seats[0]);
    plan
}

fn bogus() -> Finding {
    Finding {
        quote: "let value_3 = computed(3) + 1;".into(),
        ..finding(Severity::Critical, 3)
    }
}

fn complaint(run: &Run, judge: &str) -> String {
    match run.task(judge) {
        Task::Mend { error, .. } => error.clone(),
        other => panic!("{judge} was sent {other:?}"),
    }
}

#[test]
fn a_lost_quote_is_sent_back_once_with_the_nearest_line() {
    let mut run = Run::seated(alone());
    (run.stubborn, run.proves) = (false, false);
    run.answer("judge-1", Vote::Fail, |a| a.findings = vec![bogus()]);
    let claims = run.actions.iter().filter_map(|a| match a {
        Action::Prove { claim, .. } => Some(*claim),
        _ => None,
    });
    let [claim] = claims.collect::<Vec<_>>()[..] else {
        panic!()
    };
    let proof = Proof::Unverified {
        reason: "it is nowhere".into(),
    };
    let nearest = Some(NearestLine {
        line: 3,
        text: "let value_3 = compute(3);".into(),
    });
    run.feed(Input::Proved {
        claim,
        proof,
        context: String::new(),
        nearest,
        function: None,
        quoted: None,
    });
    let error = complaint(&run, "judge-1");
    for part in [
        "findings[0].quote",
        "`let value_3 = computed(3) + 1;`",
        "a.rs is 3: `let value_3 = compute(3);`",
    ] {
        assert!(error.contains(part), "{error}");
    }
    run.proves = true;
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 3)]
    });
    run.answer("judge-2", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 3)]
    });
    assert_eq!(run.concluded().verdict, Verdict::Fail);
}

/// A program that is started for each question is told again what it was asked. Only the jobs of a matrix are not.
#[test]
fn a_judge_without_memory_gets_its_answer_back_as_well() {
    for in_jobs in [false, true] {
        let mut plan = mute(alone());
        plan.options.in_jobs = in_jobs;
        let mut run = Run::seated(plan);
        run.stubborn = false;
        run.answer("judge-1", Vote::Fail, |a| a.findings = vec![bogus()]);
        run.answer("judge-2", Vote::Pass, |_| {});
        let found = if in_jobs {
            Disposition::Rejected
        } else {
            run.answer("judge-1", Vote::Fail, |a| {
                a.findings = vec![finding(Severity::Critical, 3)];
            });
            Disposition::Unconfirmed
        };
        let outcome = run.concluded();
        assert_eq!(outcome.findings[0].disposition, found, "{in_jobs}");
        assert_ne!(outcome.verdict, Verdict::Pass, "{in_jobs}");
    }
}

/// A backend that cannot give an answer back is no failure of the judge: what it said counts.
#[test]
fn an_answer_that_cannot_be_given_back_counts_as_it_is() {
    let mut run = Run::seated(mute(alone()));
    run.stubborn = false;
    let lost_and_found = vec![bogus(), finding(Severity::Critical, 40)];
    run.answer("judge-1", Vote::Fail, |a| a.findings = lost_and_found);
    run.fail("judge-1", FailureKind::Unsupported);
    run.answer("judge-2", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 40)];
    });
    let outcome = run.concluded();
    assert_eq!(outcome.verdict, Verdict::Fail);
    assert_eq!(outcome.judges[0].failures, []);
}

#[test]
fn what_is_still_nowhere_counts_for_nothing_and_is_told() {
    let mut run = Run::seated(alone());
    run.answer("judge-1", Vote::Fail, |a| a.findings = vec![bogus()]);
    assert!(
        !run.open.contains_key("judge-1"),
        "it is not asked a third time"
    );
    run.answer("judge-2", Vote::Pass, |_| {});
    assert_eq!(
        run.concluded().findings[0].disposition,
        Disposition::Rejected
    );
    assert!(
        run.noted(
            "a critical finding of judge-1 at a.rs:3 does not count: its quote does not hold"
        )
    );
}

#[test]
fn a_critical_finding_that_is_left_out_when_asked_for_its_quote_is_told() {
    let mut run = Run::seated(alone());
    run.stubborn = false;
    run.answer("judge-1", Vote::Fail, |a| a.findings = vec![bogus()]);
    run.answer("judge-1", Vote::Pass, |_| {});
    run.answer("judge-2", Vote::Pass, |_| {});
    assert!(run.noted(
        "judge-1 named a critical problem at a.rs:3 and gave it up when asked for its quote"
    ));
}

/// The weight of a finding is not what was asked about.
#[test]
fn a_critical_finding_that_is_lowered_when_asked_for_a_quote_is_told_or_stays() {
    for line in [3, 40] {
        let mut run = Run::seated(alone());
        run.stubborn = false;
        run.answer("judge-1", Vote::Fail, |a| {
            a.findings = vec![bogus(), finding(Severity::Critical, 40)]
        });
        run.answer("judge-1", Vote::Pass, |a| {
            a.findings = vec![finding(Severity::Minor, line)];
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        assert!(run.noted(
            "judge-1 named a critical problem at a.rs:3 and gave it up when asked for its quote"
        ));
        let outcome = run.concluded();
        let critical = outcome
            .findings
            .iter()
            .filter(|f| f.finding.severity == Severity::Critical);
        let lines: Vec<u32> = critical.map(|f| f.finding.location.line).collect();
        assert_eq!(lines, [40], "what was proven keeps its weight");
        assert_ne!(outcome.verdict, Verdict::Pass);
    }
}

#[test]
fn what_was_right_stays_when_only_the_rest_is_mended() {
    let mut run = Run::seated(alone());
    run.stubborn = false;
    let minor = finding(Severity::Minor, 40);
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![minor.clone(), bogus()]
    });
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 3)]
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    let lines: Vec<u32> = run
        .concluded()
        .findings
        .iter()
        .map(|f| f.finding.location.line)
        .collect();
    assert_eq!(lines, [3, 40]);
    assert!(!run.noted("gave it up"));
}

#[test]
fn an_id_that_nobody_has_is_sent_back_with_those_that_there_are() {
    let mut run = Run::seated(plan(Procedure::Debate, 2));
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 3)]
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    run.answer("judge-1", Vote::Fail, |_| {});
    run.stubborn = false;
    run.answer("judge-2", Vote::Pass, |a| {
        a.responses = vec![
            response("F1", Stance::Agreed, Some(evidence(20))),
            response("A1", Stance::Agreed, Some(made_up())),
        ];
    });
    let error = complaint(&run, "judge-2");
    assert!(
        error.contains(
            "responses[0].to: no finding has the id `F1`; the ids that you were shown are A1"
        ),
        "{error}"
    );
    assert!(
        error.contains("responses[1].evidence.quote: `launch_missiles();` was not found"),
        "all at once: {error}"
    );
    run.answer("judge-2", Vote::Fail, |a| {
        a.responses = vec![response("A1", Stance::Agreed, Some(evidence(20)))];
    });
    assert_eq!(
        run.concluded().findings[0].disposition,
        Disposition::Confirmed
    );
}

#[test]
fn rules_are_not_asked_again() {
    let mut plan = alone();
    plan.seats[0].seat.agent.deterministic = true;
    let mut run = Run::seated(plan);
    run.answer("judge-1", Vote::Fail, |a| a.findings = vec![bogus()]);
    assert!(!run.open.contains_key("judge-1"));
}

#[test]
fn a_path_means_the_changed_file_that_it_can_mean() {
    for path in ["./a.rs", "b/a.rs", "/tmp/tree/a.rs"] {
        let mut run = Run::seated(alone());
        let named = |a: &mut council_protocol::Answer| {
            a.findings = vec![finding(Severity::Critical, 3)];
            a.findings[0].location.path = path.into();
        };
        run.answer("judge-1", Vote::Fail, named);
        run.answer("judge-2", Vote::Fail, |a| {
            a.findings = vec![finding(Severity::Critical, 3)]
        });
        let outcome = run.concluded();
        assert_eq!(
            (outcome.verdict, outcome.findings.len()),
            (Verdict::Fail, 1),
            "{path}"
        );
    }
}

/// A caller that breaks lies in a file that the change does not touch: no list of the change names it.
#[test]
fn a_name_as_it_is_shown_means_its_file_in_the_rest_of_the_tree_too() {
    for (shown, bytes) in [
        ("zero<U+200B>.py", "zero\u{200b}.py".as_bytes().to_vec()),
        ("caf<0xE9>.py", b"caf\xe9.py".to_vec()),
        ("caf%E9.py", b"caf%E9.py".to_vec()),
        ("n<U+000A>l<U+0009>.py", b"n\nl\t.py".to_vec()),
        ("a<U+003C>0xE9>.py", b"a<0xE9>.py".to_vec()),
        ("100%.py", b"100%.py".to_vec()),
        ("a%20b.py", b"a%20b.py".to_vec()),
        ("<U+ZZ>.py", b"<U+ZZ>.py".to_vec()),
    ] {
        let mut run = Run::seated(alone());
        for judge in ["judge-1", "judge-2"] {
            run.answer(judge, Vote::Fail, |a| {
                a.findings = vec![finding(Severity::Critical, 3)];
                a.findings[0].location.path = shown.into();
            });
        }
        let outcome = run.concluded();
        let path = &outcome.findings[0].finding.location.path;
        assert_eq!(path.as_bytes(), bytes, "{shown}");
        assert_eq!(outcome.verdict, Verdict::Fail, "{shown}");
    }
}

#[test]
fn a_judge_that_leaves_while_its_answer_is_checked_has_answered() {
    let mut run = Run::seated(alone());
    run.proves = false;
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 3)]
    });
    let ending = council_protocol::message::Ending::Graceful;
    run.feed(Input::Ended {
        judge: "judge-1".into(),
        ending,
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    run.wait(60_000);
    let judge = &run.concluded().judges[0];
    assert_eq!((judge.counted, judge.failures.len()), (Some(Vote::Fail), 0));
}
