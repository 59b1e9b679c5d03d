//! What a judge said in an answer that does not count: a fault of form never turns an objection into silence.

use council_protocol::message::Usage;
use council_protocol::{Answer, Failure, FailureKind, Severity, Vote};
use proptest::prelude::*;

use crate::Input;
use crate::outcome::{Verdict, VerdictReason};
use crate::plan::{ConsensusRule, DebateMode, Procedure};
use crate::testing::{Run, finding, plan};

/// Ways in which an answer can be unreadable.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Confidence,
    SecondFinding,
    Key,
    Round,
    Cut,
    Comma,
    Twice,
}

const FAULTS: [Fault; 7] = [
    Fault::Confidence,
    Fault::SecondFinding,
    Fault::Key,
    Fault::Round,
    Fault::Cut,
    Fault::Comma,
    Fault::Twice,
];

fn spoil(fault: Fault, good: &str, key: &str) -> String {
    let spoilt = match fault {
        Fault::Confidence => good.replacen("\"confidence\":\"", "\"confidence\":\"SO ", 1),
        Fault::SecondFinding => good.replacen("\"findings\":[", "\"findings\":[{},", 1),
        Fault::Key => good.replace(key, "somebody's"),
        Fault::Round => good.replacen("\"round\":1", "\"round\":7", 1),
        Fault::Cut => good[..good.len() - 1].to_owned(),
        Fault::Comma => good.replacen(',', ",,", 1),
        Fault::Twice => format!("First:\n{good}\nThen:\n{good}"),
    };
    assert_ne!(spoilt, good, "{fault:?}");
    spoilt
}

fn said(run: &Run, judge: &str, vote: Vote, found: Option<Severity>) -> (String, String) {
    let sent = run.sent(judge);
    let mut answer = Answer::new(sent.round, sent.key.clone(), vote);
    answer.findings = found
        .map(|severity| finding(severity, 3))
        .into_iter()
        .collect();
    (serde_json::to_string(&answer).unwrap(), sent.key.clone())
}

/// Three judges in one round, of whom all but the first have voted PASS.
fn others_pass(rule: ConsensusRule) -> Run {
    let mut plan = plan(Procedure::Review, 3);
    plan.consensus = rule;
    plan.debate = DebateMode::Off;
    let mut run = Run::seated(plan);
    run.answer("judge-2", Vote::Pass, |_| {});
    run.answer("judge-3", Vote::Pass, |_| {});
    run
}

/// The first judge answers with a fault, then `second`; without it, with the fault again. The others vote PASS.
fn play(
    fault: Fault,
    vote: Vote,
    found: Option<Severity>,
    second: Option<Vote>,
    rule: ConsensusRule,
) -> Run {
    let mut run = others_pass(rule);
    let (good, key) = said(&run, "judge-1", vote, found);
    run.raw("judge-1", &spoil(fault, &good, &key));
    match second {
        Some(vote) => run.answer("judge-1", vote, |_| {}),
        None => {
            let (good, key) = said(&run, "judge-1", vote, found);
            run.raw("judge-1", &spoil(fault, &good, &key));
        }
    }
    run
}

#[test]
fn a_fail_that_comes_back_as_a_pass_is_a_warning_that_names_what_was_critical() {
    for fault in FAULTS {
        let run = play(
            fault,
            Vote::Fail,
            Some(Severity::Critical),
            Some(Vote::Pass),
            ConsensusRule::Findings,
        );
        let outcome = run.concluded();
        assert_eq!(
            (outcome.verdict, outcome.reason),
            (Verdict::Warn, VerdictReason::VerdictWithoutFinding),
            "{fault:?}"
        );
        assert!(
            run.noted("judge-1, in an answer that does not count: it said FAIL"),
            "{fault:?}: {:?}",
            outcome.notes
        );
        assert!(
            run.noted("critical a.rs:3"),
            "{fault:?}: {:?}",
            outcome.notes
        );
        let quoted = run.noted("it may be quoted from the change");
        assert_eq!(
            quoted,
            matches!(fault, Fault::Key),
            "{fault:?}: {:?}",
            outcome.notes
        );
    }
}

#[test]
fn what_is_said_once_more_in_a_proper_answer_was_not_lost() {
    for fault in FAULTS {
        let run = play(
            fault,
            Vote::Warn,
            None,
            Some(Vote::Warn),
            ConsensusRule::Findings,
        );
        assert_eq!(run.concluded().judges[0].lost_vote, None, "{fault:?}");
        assert!(!run.noted("it said"), "{fault:?}");
    }
}

#[test]
fn a_fail_that_is_sent_back_for_a_quote_and_comes_back_as_a_pass_is_a_warning() {
    let mut run = Run::seated(plan(Procedure::Review, 2));
    run.stubborn = false;
    let mut bogus = finding(Severity::Critical, 3);
    bogus.quote = "nothing like it stands anywhere".into();
    run.answer("judge-1", Vote::Fail, |a| a.findings = vec![bogus]);
    run.answer("judge-1", Vote::Pass, |_| {});
    run.answer("judge-2", Vote::Pass, |_| {});
    assert_eq!(run.concluded().verdict, Verdict::Warn);
    assert!(run.noted("judge-1 named a critical problem at a.rs:3"));
    assert!(run.noted("it said FAIL"));
}

/// One of two judges votes `first` over a finding with a quote that is nowhere, is asked for it, and votes `second`.
fn play_sent_back(first: Vote, severity: Severity, second: Vote) -> Run {
    let mut plan = plan(Procedure::Review, 2);
    // A vote that no finding explains would be debated, and this is about what is left of a first answer.
    plan.debate = DebateMode::Off;
    let mut run = Run::seated(plan);
    run.stubborn = false;
    let mut bogus = finding(severity, 3);
    bogus.quote = "nothing like it stands anywhere".into();
    run.answer("judge-1", first, |a| a.findings = vec![bogus]);
    run.answer("judge-1", second, |_| {});
    run.answer("judge-2", Vote::Pass, |_| {});
    run
}

#[test]
fn a_warn_that_is_sent_back_for_a_quote_and_comes_back_as_a_pass_is_a_warning() {
    let run = play_sent_back(Vote::Warn, Severity::Significant, Vote::Pass);
    let outcome = run.concluded();
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Warn, VerdictReason::VerdictWithoutFinding)
    );
    assert!(run.noted("it said WARN"), "{:?}", outcome.notes);
}

#[test]
fn a_last_answer_that_votes_fail_without_evidence_is_told_and_is_no_pass() {
    let mut plan = plan(Procedure::Debate, 3);
    plan.debate = DebateMode::Force;
    let mut run = Run::seated(plan);
    for judge in ["judge-1", "judge-2", "judge-3"] {
        run.answer(judge, Vote::Pass, |_| {});
    }
    run.answer("judge-1", Vote::Fail, |_| {});
    run.answer("judge-2", Vote::Pass, |_| {});
    run.answer("judge-3", Vote::Pass, |_| {});
    let outcome = run.concluded();
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Warn, VerdictReason::VerdictWithoutFinding)
    );
    assert!(run.noted("judge-1 votes FAIL in its last answer; PASS counts of it"));
}

fn severity() -> impl Strategy<Value = Option<Severity>> {
    prop_oneof![
        Just(None),
        Just(Some(Severity::Minor)),
        Just(Some(Severity::Significant)),
        Just(Some(Severity::Critical))
    ]
}

fn vote() -> impl Strategy<Value = Vote> {
    prop_oneof![Just(Vote::Pass), Just(Vote::Warn), Just(Vote::Fail)]
}

/// What a judge may say in the place of an answer or of a part of it, and what is no consent.
fn unclear() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        ("\"findings\":[]", "\"findings\":\"critical: a.rs:3\""),
        ("\"findings\":[]", "\"findings\":[\"critical: a.rs:3\"]"),
        (
            "\"findings\":[]",
            "\"findings\":[{\"severity\":\"error\",\"description\":\"x\"}]",
        ),
        (
            "\"findings\":[]",
            "\"findings\":[{\"severity\":1,\"description\":\"x\"}]",
        ),
        (
            "\"findings\":[]",
            "\"findings\":[{\"priority\":\"P0\",\"body\":\"x\"}]",
        ),
        (
            "\"findings\":[]",
            "\"findings\":[],\"bugs\":[{\"level\":\"x\",\"path\":\"a.rs\",\"text\":\"x\"}]",
        ),
        (
            "\"findings\":[]",
            "\"findings\":[],\"final_verdict\":\"FAIL\"",
        ),
        ("\"findings\":[]", "\"findings\":[],\"approved\":false"),
        (
            "\"findings\":[]",
            "\"findings\":[],\"recommendation\":\"REJECT. Do not merge.\"",
        ),
        (
            "\"findings\":[]",
            "\"findings\":[],\"change\":{\"from\":\"PASS\",\"to\":\"FAIL\"}",
        ),
        ("\"verdict\":\"PASS\"", "\"verdict\":false"),
        ("\"verdict\":\"PASS\"", "\"verdict\":{\"value\":\"FAIL\"}"),
        ("\"verdict\":\"PASS\"", "\"verdict\":\"❌\""),
        ("", "f is broken."),
        ("", "Needs changes before merge."),
        ("", "No se debe fusionar: división por cero."),
        ("", "-1"),
    ])
}

proptest! {
    /// Whoever says twice what is no answer and no consent leaves no bare PASS, and is told; a proper answer takes its place.
    #[test]
    fn what_is_no_consent_bars_a_pass(
        (part, other) in unclear(),
        again in any::<bool>(),
        rule in prop::sample::select(vec![ConsensusRule::Findings, ConsensusRule::Strict, ConsensusRule::Majority]),
    ) {
        let mut run = others_pass(rule);
        let spoil = |run: &Run| {
            let (good, _) = said(run, "judge-1", Vote::Pass, None);
            let recommends = good.replace("\"recommendation\":\"\",", "");
            match part {
                "" => other.to_owned(),
                _ => recommends.replacen(part, other, 1),
            }
        };
        let raw = spoil(&run);
        prop_assert_ne!(&raw, &said(&run, "judge-1", Vote::Pass, None).0);
        run.raw("judge-1", &raw);
        if again {
            run.answer("judge-1", Vote::Pass, |_| {});
        } else {
            let raw = spoil(&run);
            run.raw("judge-1", &raw);
        }
        let outcome = run.concluded();
        let objects = !again || run.noted("it said");
        prop_assert_eq!(outcome.verdict == Verdict::Pass, !objects, "{:?}", outcome.notes);
        prop_assert!(again || run.noted("it said"), "{:?}", outcome.notes);
    }

    /// No objection in an answer that does not count ends in PASS, whatever was wrong with it, whatever came after it, and
    /// whatever decides; what was critical or significant is named.
    #[test]
    fn no_fault_of_form_makes_an_objection_green(
        fault in prop::sample::select(FAULTS.to_vec()),
        first in vote(),
        found in severity(),
        second in prop::option::of(vote()),
        rule in prop::sample::select(vec![ConsensusRule::Findings, ConsensusRule::Strict, ConsensusRule::Majority]),
    ) {
        let run = play(fault, first, found, second, rule);
        let outcome = run.concluded();
        let critical = found == Some(Severity::Critical);
        let objects = first > Vote::Pass || critical;
        // What is said once more counts like any other vote.
        let again = second.is_some_and(|second| second >= first) && !critical;
        prop_assert!(!objects || again || outcome.verdict != Verdict::Pass, "{:?}", outcome.notes);
        // No second answer here has the finding.
        let significant = found == Some(Severity::Significant);
        let is_told = objects && !again || significant;
        prop_assert_eq!(run.noted("it said"), is_told, "{:?}", outcome.notes);
        prop_assert!(!significant || run.noted("significant a.rs:3"), "{:?}", outcome.notes);
        prop_assert!(!critical || run.noted("critical a.rs:3"), "{:?}", outcome.notes);
    }
}

mod laws {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// An objection that is sent back for its quote does not become silence either.
        #[test]
        fn no_objection_that_is_sent_back_comes_back_green(first in vote(), found in severity(), second in vote()) {
            let severity = found.unwrap_or(Severity::Significant);
            let run = play_sent_back(first, severity, second);
            let outcome = run.concluded();
            let is_milder = second < first || severity == Severity::Critical && second < Vote::Fail;
            let objects = first > Vote::Pass || severity == Severity::Critical;
            prop_assert!(!(objects && is_milder && outcome.verdict == Verdict::Pass), "{:?}", outcome.notes);
            prop_assert!(!objects || !is_milder || run.noted("it said"), "{:?}", outcome.notes);
        }
    }
}

/// A model says FAIL and is cut off, and another one stands in for it: what the first said is told.
#[test]
fn what_a_replaced_or_cut_answer_said_is_not_forgotten() {
    for answered in [true, false] {
        let mut plan = plan(Procedure::Review, 3);
        plan.debate = DebateMode::Off;
        plan.quorum = 2;
        let mut run = Run::seated(plan);
        run.answer("judge-2", Vote::Pass, |_| {});
        run.answer("judge-3", Vote::Pass, |_| {});
        let (good, _) = said(&run, "judge-1", Vote::Fail, Some(Severity::Critical));
        let cut = good[..good.len() - 1].to_owned();
        let usage = Usage {
            unread: vec![cut],
            ..Usage::default()
        };
        let (raw, _) = said(&run, "judge-1", Vote::Pass, None);
        let (judge, turn) = ("judge-1".into(), run.sent("judge-1").turn);
        run.open.clear();
        if answered {
            let (raw, usage) = (raw.into(), Some(usage));
            run.feed(Input::Answered {
                judge,
                turn,
                raw,
                usage,
            });
        } else {
            let failure = Failure::new(FailureKind::Refused, "cut").with_usage(Some(usage));
            let turn = Some(turn);
            run.feed(Input::Failed {
                judge,
                turn,
                failure,
            });
        }
        let outcome = run.concluded();
        assert_eq!(
            outcome.verdict,
            Verdict::Warn,
            "{answered}: {:?}",
            outcome.notes
        );
        assert!(
            run.noted("it said FAIL: critical a.rs:3"),
            "{answered}: {:?}",
            outcome.notes
        );
        let kept = format!("{:?}", outcome.judges[0].usage);
        assert!(!kept.contains("a.rs"), "{kept}");
    }
}

/// What a turn had said that an earlier process of the run forgot is lost until the judge says it again.
#[test]
fn what_is_recalled_is_told_unless_it_is_said_again() {
    for again in [Vote::Pass, Vote::Fail] {
        let mut plan = plan(Procedure::Review, 3);
        plan.debate = DebateMode::Off;
        let mut run = Run::seated(plan);
        let (raw, key) = said(&run, "judge-1", Vote::Fail, Some(Severity::Critical));
        let round = run.sent("judge-1").round;
        run.feed(Input::Recalled {
            judge: "judge-1".into(),
            round,
            key,
            said: vec![raw],
            usage: None,
        });
        run.answer("judge-1", again, |answer| {
            if again == Vote::Fail {
                answer.findings = vec![finding(Severity::Critical, 3)];
            }
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        run.answer("judge-3", Vote::Pass, |_| {});
        let outcome = run.concluded();
        assert_ne!(outcome.verdict, Verdict::Pass, "{again:?}");
        assert_eq!(run.noted("it said FAIL"), again == Vote::Pass, "{again:?}");
    }
}

mod helped {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// An objection in the answer that asks helpers is replaced like any other: what is milder behind it is no
        /// silence.
        #[test]
        fn an_objection_beside_a_question_to_helpers_does_not_become_green(
            first in vote(), found in severity(), second in vote(), keeps: bool,
        ) {
            let mut plan = plan(Procedure::Review, 3);
            plan.debate = DebateMode::Off;
            plan.options.explorers = 1;
            let mut run = Run::seated(plan);
            let findings: Vec<_> = found.map(|severity| finding(severity, 3)).into_iter().collect();
            run.answer("judge-1", first, |answer| {
                answer.findings.clone_from(&findings);
                answer.explore = vec!["is it right?".into()];
            });
            run.feed(Input::Explored { judge: "judge-1".into(), results: Vec::new(), usage: None });
            run.answer("judge-1", second, |answer| {
                if keeps {
                    answer.findings.clone_from(&findings);
                }
            });
            run.answer("judge-2", Vote::Pass, |_| {});
            run.answer("judge-3", Vote::Pass, |_| {});
            let critical = found == Some(Severity::Critical);
            let weight = if critical { Vote::Fail } else { first };
            let again = second >= weight && (keeps || !critical);
            let is_lost = weight > Vote::Pass && !again;
            let is_told = is_lost || found == Some(Severity::Significant) && !keeps;
            prop_assert_eq!(run.noted("it said"), is_told, "{:?}", run.concluded().notes);
            prop_assert!(!is_lost || run.concluded().verdict != Verdict::Pass);
        }
    }
}
