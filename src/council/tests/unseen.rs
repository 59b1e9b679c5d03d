//! A judge that votes PASS and says that it was not shown the change: asked once more, and then an abstention.

use council_protocol::{Answer, CoverageState, FailureKind, Task, Vote};

use crate::outcome::Verdict;
use crate::plan::{DebateMode, Procedure};
use crate::testing::{Run, coverage, plan};

/// A PASS of the judge's, with these words in one of its fields.
fn passes(run: &mut Run, judge: &str, field: &str, words: &str) {
    let sent = run.sent(judge);
    let answer = Answer::new(sent.round, sent.key.clone(), Vote::Pass);
    let mut answer = serde_json::to_value(answer).unwrap();
    answer[field] = words.into();
    run.raw(judge, &answer.to_string());
}

/// Two judges in one round, shown what `state` says.
fn two_judges(state: CoverageState) -> Run {
    let mut plan = plan(Procedure::Review, 2);
    plan.debate = DebateMode::Off;
    for seat in &mut plan.seats {
        seat.coverage = coverage(state.clone());
    }
    Run::seated(plan)
}

fn is_asked_again(run: &Run, judge: &str) -> bool {
    run.open.get(judge).is_some_and(
        |sent| matches!(&sent.task, Task::Mend { error, .. } if error.starts_with("context-cut")),
    )
}

#[test]
fn a_judge_that_says_twice_that_it_was_shown_nothing_abstains() {
    for (field, words) in [
        ("key_insight", "No diff was included in the prompt."),
        (
            "analysis",
            "The prompt appears to be cut off; I saw only the first part of the diff.",
        ),
        (
            "recommendation",
            "Please paste the diff so that I can review it.",
        ),
        ("remark", "Es wurde kein Diff mitgeschickt."),
    ] {
        let mut run = two_judges(CoverageState::Reviewed);
        for judge in ["judge-1", "judge-2"] {
            passes(&mut run, judge, field, words);
            assert!(is_asked_again(&run, judge), "{field}");
            passes(&mut run, judge, field, words);
        }
        let outcome = run.concluded();
        assert_eq!(outcome.verdict, Verdict::Inconclusive, "{field}: {words}");
        for judge in &outcome.judges {
            let kinds: Vec<FailureKind> =
                judge.failures.iter().map(|one| one.failure.kind).collect();
            assert_eq!(kinds, [FailureKind::ContextCut; 2], "{field}");
        }
    }
}

#[test]
fn a_judge_that_takes_it_back_keeps_its_vote() {
    let mut run = two_judges(CoverageState::Reviewed);
    run.answer("judge-2", Vote::Pass, |_| {});
    passes(&mut run, "judge-1", "key_insight", "The diff is empty.");
    assert!(is_asked_again(&run, "judge-1"));
    passes(&mut run, "judge-1", "key_insight", "The diff adds a check.");
    assert_eq!(run.concluded().verdict, Verdict::Pass);
}

#[test]
fn words_beside_an_answer_are_heard_as_well() {
    let mut run = two_judges(CoverageState::Reviewed);
    run.answer("judge-2", Vote::Pass, |_| {});
    let sent = run.sent("judge-1");
    let answer = Answer::new(sent.round, sent.key.clone(), Vote::Pass);
    let answer = serde_json::to_string(&answer).unwrap();
    run.raw(
        "judge-1",
        &format!("I was unable to access the change.\n\n{answer}"),
    );
    assert!(is_asked_again(&run, "judge-1"));
}

/// What is said of the context, and not of the change, costs no vote.
#[test]
fn a_remark_about_the_context_is_no_abstention() {
    let mut run = two_judges(CoverageState::Reviewed);
    run.answer("judge-2", Vote::Pass, |_| {});
    let words = "The rest of the function was not shown to me, but the diff does not depend on it.";
    passes(&mut run, "judge-1", "key_insight", words);
    assert_eq!(run.concluded().verdict, Verdict::Pass);
}

/// Whoever was in truth sent a part says so rightly; the report counts the rest as unread.
#[test]
fn a_judge_that_was_sent_a_part_may_say_so() {
    for state in [
        CoverageState::OverBudget,
        CoverageState::Truncated { shown: 1, total: 9 },
    ] {
        let mut run = two_judges(state);
        passes(
            &mut run,
            "judge-1",
            "key_insight",
            "I saw only the first part of the diff.",
        );
        assert!(!is_asked_again(&run, "judge-1"));
        passes(&mut run, "judge-2", "key_insight", "No diff was provided.");
        assert!(is_asked_again(&run, "judge-2"), "a part is not nothing");
    }
}
