//! From findings to the verdict, through the engine.

use council_protocol::seat::AgentKind;
use council_protocol::{CoverageState, FailureKind, Finding, Severity, Vote};

use proptest::prelude::*;

use crate::Outcome;
use crate::outcome::{DisagreementKind, Disposition, FindingLevel, Verdict, VerdictReason};
use crate::plan::{ConsensusRule, DebateMode, Procedure};
use crate::testing::{Run, coverage, finding, plan};

/// One round in which each judge votes and reports.
pub(super) fn verdict_of(
    answers: &[(Vote, Vec<Finding>)],
    with: impl FnOnce(&mut crate::Plan),
) -> Outcome {
    let mut plan = plan(Procedure::Review, answers.len());
    plan.debate = DebateMode::Off;
    with(&mut plan);
    let mut run = Run::seated(plan);
    for (index, (vote, findings)) in answers.iter().enumerate() {
        run.answer(&format!("judge-{}", index + 1), *vote, |a| {
            a.findings.clone_from(findings)
        });
    }
    run.concluded().clone()
}

fn says(answers: &[(Vote, Vec<Finding>)]) -> (Verdict, VerdictReason) {
    let outcome = verdict_of(answers, |_| {});
    (outcome.verdict, outcome.reason)
}

pub(super) const PASS: Vote = Vote::Pass;
pub(super) const WARN: Vote = Vote::Warn;
pub(super) const FAIL: Vote = Vote::Fail;

#[test]
fn the_table_of_levels() {
    use Severity::{Critical, Minor, Significant};
    let two = |s| vec![(WARN, vec![finding(s, 3)]), (WARN, vec![finding(s, 3)])];
    let one = |s| vec![(WARN, vec![finding(s, 3)]), (PASS, Vec::new())];
    assert_eq!(
        says(&two(Critical)),
        (Verdict::Fail, VerdictReason::CriticalConfirmed)
    );
    assert_eq!(
        says(&one(Critical)),
        (Verdict::Warn, VerdictReason::CriticalUnconfirmed)
    );
    assert_eq!(
        says(&two(Significant)),
        (Verdict::Warn, VerdictReason::SignificantConfirmed)
    );
    assert_eq!(
        says(&one(Significant)),
        (Verdict::Pass, VerdictReason::SignificantUnconfirmed)
    );
    let agreed = vec![
        (PASS, vec![finding(Minor, 3)]),
        (PASS, vec![finding(Minor, 3)]),
    ];
    assert_eq!(says(&agreed), (Verdict::Pass, VerdictReason::NotesOnly));
    assert_eq!(
        says(&two(Minor)),
        (Verdict::Warn, VerdictReason::VerdictWithoutFinding),
        "a majority that warns is a warning, whatever its findings weigh"
    );
}

#[test]
fn a_quote_that_is_not_there_cannot_cause_fail() {
    let mut bogus = finding(Severity::Critical, 3);
    bogus.quote = "rm -rf".into();
    let outcome = verdict_of(&[(WARN, vec![bogus.clone()]), (WARN, vec![bogus])], |_| {});
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Warn, VerdictReason::VerdictWithoutFinding)
    );
    assert!(
        outcome
            .findings
            .iter()
            .all(|f| f.disposition == Disposition::Rejected && f.level.is_none())
    );
}

/// A rule of votes is never milder than what is confirmed, be it significant only.
#[test]
fn no_rule_of_votes_is_milder_than_what_is_found() {
    let found = |severity| (PASS, vec![finding(severity, 3)]);
    for consensus in [ConsensusRule::Strict, ConsensusRule::Majority] {
        let says = |answers: &[(Vote, Vec<Finding>)]| {
            let outcome = verdict_of(answers, |plan| plan.consensus = consensus);
            (outcome.verdict, outcome.reason)
        };
        let warned = (Verdict::Warn, VerdictReason::SignificantConfirmed);
        assert_eq!(says(&vec![found(Severity::Significant); 3]), warned);
        let (verdict, _) = says(&[found(Severity::Minor), found(Severity::Minor)]);
        assert_eq!(verdict, Verdict::Pass);
    }
}

/// The majority is one of judges that each found something critical, not of those that stand in its line.
#[test]
fn who_has_a_remark_on_a_critical_line_does_not_hold_it() {
    let mut remark = finding(Severity::Minor, 3);
    (remark.category, remark.description) = ("style".into(), "an f-string reads better".into());
    let found = finding(Severity::Critical, 3);
    let says = |own: Finding| {
        says(&[
            (FAIL, vec![found.clone()]),
            (FAIL, vec![own]),
            (PASS, vec![]),
        ])
    };
    let warned = (Verdict::Warn, VerdictReason::CriticalUnconfirmed);
    assert_eq!(says(remark.clone()), warned);
    remark.location.line = 9;
    remark.quote = finding(Severity::Minor, 9).quote;
    assert_eq!(says(remark), warned, "no more than one elsewhere");
    let (verdict, _) = says(finding(Severity::Critical, 9));
    assert_eq!(verdict, Verdict::Fail, "two of three, each over its own");
}

/// The same problem in the same line is held by whoever tells of it, however bad each thinks it is.
#[test]
fn who_tells_of_the_problem_as_minor_holds_it() {
    let severities = [Severity::Minor, Severity::Significant, Severity::Critical];
    let held = |severity: Severity| finding(severity, 3);
    for worse in severities {
        let both = says(&vec![(vote_of(worse), vec![held(worse)]); 2]);
        for milder in severities.into_iter().filter(|milder| *milder <= worse) {
            let said = [worse, milder].map(|s| (vote_of(s), vec![held(s)]));
            assert_eq!(says(&said), both, "{worse:?} and {milder:?}");
            let [one, other] = said;
            assert_eq!(says(&[other, one]), both, "{milder:?} and {worse:?}");
        }
    }
}

fn vote_of(severity: Severity) -> Vote {
    match severity {
        Severity::Minor => PASS,
        Severity::Significant => WARN,
        Severity::Critical => FAIL,
    }
}

/// A judge that insists on what it cannot show must not leave the change greener than one that gives it up when asked.
#[test]
fn a_critical_whose_quote_is_nowhere_is_no_pass() {
    let mut bogus = finding(Severity::Critical, 3);
    bogus.quote = "rm -rf".into();
    let warned = (Verdict::Warn, VerdictReason::VerdictWithoutFinding);
    assert_eq!(says(&[(WARN, vec![bogus.clone()]), (PASS, vec![])]), warned);
    assert_eq!(says(&[(PASS, vec![bogus.clone()]), (PASS, vec![])]), warned);
    assert_eq!(
        says(&[(PASS, vec![bogus.clone()]), (PASS, vec![bogus.clone()])]),
        warned
    );
    let milder = Finding {
        severity: Severity::Significant,
        ..bogus
    };
    let (verdict, _) = says(&[(WARN, vec![milder]), (PASS, vec![])]);
    assert_eq!(
        verdict,
        Verdict::Pass,
        "one judge's warning without proof is a note"
    );
}

#[test]
fn a_fail_vote_without_a_finding_that_stands_is_a_warning() {
    assert_eq!(
        says(&[(FAIL, Vec::new()), (PASS, Vec::new())]),
        (Verdict::Warn, VerdictReason::VerdictWithoutFinding)
    );
    let minor = vec![finding(Severity::Minor, 3)];
    assert_eq!(
        says(&[(FAIL, minor), (PASS, Vec::new())]),
        (Verdict::Warn, VerdictReason::VerdictWithoutFinding)
    );
}

#[test]
fn where_every_model_votes_fail_and_nothing_carries_it_there_is_no_verdict() {
    let nowhere = (Verdict::Inconclusive, VerdictReason::VerdictWithoutFinding);
    assert_eq!(says(&[(FAIL, Vec::new()), (FAIL, Vec::new())]), nowhere);
    let significant = vec![finding(Severity::Significant, 3)];
    let both = [(FAIL, significant.clone()), (FAIL, significant)];
    assert_eq!(says(&both), nowhere, "one more finding makes it no better");
}

proptest! {
    #[test]
    fn what_every_model_votes_down_never_goes_in(
        severities in prop::collection::vec(prop::collection::vec((0_u8..3, 1_u32..20), 0..3), 1..5),
    ) {
        let level = |n: u8| match n {
            0 => Severity::Minor,
            1 => Severity::Significant,
            _ => Severity::Critical,
        };
        let findings = severities.iter().map(|found| {
            found.iter().map(|&(n, line)| finding(level(n), line)).collect::<Vec<_>>()
        });
        let votes: Vec<_> = findings.map(|found| (FAIL, found)).collect();
        prop_assert!(matches!(says(&votes).0, Verdict::Fail | Verdict::Inconclusive));
    }
}

#[test]
fn a_relocated_finding_is_reported_where_it_stands() {
    let mut moved = finding(Severity::Minor, 3);
    moved.location.line = 30;
    let outcome = verdict_of(&[(WARN, vec![moved]), (PASS, Vec::new())], |_| {});
    assert_eq!(outcome.findings[0].finding.location.line, 3);
    assert_eq!(
        outcome.findings[0].members[0].finding.location.line, 30,
        "members stay verbatim"
    );
}

#[test]
fn findings_are_named_worst_first() {
    let findings = [
        (Severity::Minor, 2),
        (Severity::Critical, 40),
        (Severity::Significant, 20),
    ];
    let findings = findings.map(|(s, n)| finding(s, n)).to_vec();
    let outcome = verdict_of(&[(WARN, findings), (PASS, Vec::new())], |_| {});
    let order: Vec<_> = outcome
        .findings
        .iter()
        .map(|f| (f.id.as_str(), f.finding.location.line))
        .collect();
    assert_eq!(
        order,
        [("F1", 40), ("F2", 20), ("F3", 2)],
        "level, then severity, then place"
    );
}

#[test]
fn equal_findings_at_two_places_have_two_fingerprints() {
    let mut twice = vec![finding(Severity::Minor, 3), finding(Severity::Minor, 40)];
    twice[1].location.line = 40;
    twice[0].quote = "let value_".into();
    twice[1].quote = "let value_".into();
    let outcome = verdict_of(&[(WARN, twice), (PASS, Vec::new())], |_| {});
    assert_eq!(outcome.findings.len(), 2);
    assert_ne!(
        outcome.findings[0].fingerprint,
        outcome.findings[1].fingerprint
    );
}

#[test]
fn coverage_of_a_quorum_is_needed_for_green() {
    let three = |gaps: usize, warns: bool| {
        let answers = vec![(PASS, Vec::new()); 3];
        let outcome = verdict_of(&answers, |plan| {
            for seat in plan.seats.iter_mut().take(gaps) {
                seat.coverage = coverage(CoverageState::OverBudget);
            }
            plan.policy.incomplete_coverage_warns = warns;
        });
        (outcome.verdict, outcome.reason)
    };
    assert_eq!(three(1, false), (Verdict::Pass, VerdictReason::NoFindings));
    assert_eq!(
        three(2, false),
        (Verdict::Inconclusive, VerdictReason::IncompleteCoverage)
    );
    assert_eq!(
        three(2, true),
        (Verdict::Warn, VerdictReason::IncompleteCoverage)
    );
}

#[test]
fn strict_is_the_seeds_table_on_votes() {
    let strict = |votes: &[Vote]| {
        let answers: Vec<_> = votes.iter().map(|v| (*v, Vec::new())).collect();
        verdict_of(&answers, |plan| plan.consensus = ConsensusRule::Strict).verdict
    };
    assert_eq!(strict(&[PASS, PASS]), Verdict::Pass);
    assert_eq!(strict(&[PASS, FAIL]), Verdict::Fail);
    assert_eq!(strict(&[PASS, WARN]), Verdict::Warn);
    assert_eq!(strict(&[WARN, WARN]), Verdict::Warn);
}

#[test]
fn majority_tests_unanimity_first() {
    let majority = |votes: &[Vote]| {
        let answers: Vec<_> = votes.iter().map(|v| (*v, Vec::new())).collect();
        verdict_of(&answers, |plan| plan.consensus = ConsensusRule::Majority).verdict
    };
    assert_eq!(majority(&[PASS, PASS, PASS]), Verdict::Pass);
    assert_eq!(majority(&[FAIL, FAIL, FAIL]), Verdict::Fail);
    assert_eq!(majority(&[PASS, PASS, WARN]), Verdict::Warn);
    assert_eq!(majority(&[PASS, PASS, FAIL]), Verdict::Warn);
    assert_eq!(majority(&[PASS, FAIL, FAIL]), Verdict::Fail);
    assert_eq!(
        majority(&[PASS, PASS, FAIL, FAIL]),
        Verdict::Warn,
        "split: a WARN with a divided note"
    );
}

#[test]
fn vendors_that_contradict_each_other_are_flagged_beside_the_verdict() {
    let outcome = verdict_of(&[(PASS, Vec::new()), (FAIL, Vec::new())], |plan| {
        plan.seats[1].seat.agent.vendor = "other".into();
    });
    let flag = &outcome.disagreements[0];
    assert_eq!(flag.kind, DisagreementKind::CrossVendor);
    assert_eq!(
        flag.positions,
        ["acme: PASS (judge-1)", "other: FAIL (judge-2)"]
    );
    assert_eq!(
        outcome.verdict,
        Verdict::Warn,
        "never another word of the verdict"
    );
}

#[test]
fn a_finding_that_one_judge_holds_is_a_disagreement_with_both_positions() {
    let outcome = verdict_of(
        &[
            (FAIL, vec![finding(Severity::Critical, 3)]),
            (PASS, Vec::new()),
        ],
        |_| {},
    );
    assert_eq!(outcome.disagreements[0].kind, DisagreementKind::Critical);
    assert_eq!(
        outcome.disagreements[0].positions,
        ["judge-1 holds it", "nobody else checked it"]
    );
}

#[test]
fn models_of_one_vendor_are_two_voices_with_a_note() {
    let outcome = verdict_of(&[(PASS, Vec::new()), (PASS, Vec::new())], |_| {});
    assert!(
        outcome.notes.is_empty(),
        "agreement on nothing needs no note: {:?}",
        outcome.notes
    );
    let both = vec![finding(Severity::Critical, 3)];
    let outcome = verdict_of(&[(FAIL, both.clone()), (FAIL, both)], |_| {});
    assert!(
        outcome
            .notes
            .iter()
            .any(|n| n.contains("one vendor (acme)")),
        "{:?}",
        outcome.notes
    );
}

#[test]
fn a_rule_may_speak_of_a_changed_file_as_a_whole_and_a_model_that_quotes_nothing_cannot_fail_it() {
    let mut whole = finding(Severity::Critical, 0);
    whole.quote = String::new();
    let verdict = |deterministic, path: &str| {
        let mut whole = whole.clone();
        whole.location.path = path.into();
        let answers = [(FAIL, vec![whole.clone()]), (FAIL, vec![whole])];
        let outcome = verdict_of(&answers, |plan| {
            for seat in &mut plan.seats {
                seat.seat.agent.deterministic = deterministic;
            }
        });
        let found = &outcome.findings[0];
        assert_eq!(
            found.members[0].finding.severity,
            Severity::Critical,
            "verbatim"
        );
        (found.disposition, found.level)
    };
    assert_eq!(
        verdict(true, "a.rs"),
        (Disposition::Confirmed, Some(FindingLevel::Fail))
    );
    assert_eq!(
        verdict(false, "a.rs"),
        (Disposition::Confirmed, Some(FindingLevel::Warn))
    );
    assert_eq!(verdict(true, "b.rs"), (Disposition::Rejected, None));
    assert_eq!(verdict(false, "b.rs"), (Disposition::Rejected, None));
}

#[test]
fn a_finding_without_a_cause_takes_cause_and_remedy_from_another_voice() {
    let mut tool = finding(Severity::Critical, 3);
    (tool.why, tool.fix) = (String::new(), String::new());
    let mut judge = finding(Severity::Significant, 3);
    (judge.why, judge.fix) = ("It is a shell.".into(), "Use a list.".into());
    let outcome = verdict_of(&[(FAIL, vec![tool.clone()]), (WARN, vec![judge])], |_| {});
    let [shown] = outcome.findings.as_slice() else {
        panic!("one cluster, not {:?}", outcome.findings);
    };
    assert_eq!(shown.finding.severity, Severity::Critical);
    assert_eq!(
        (shown.finding.why.as_str(), shown.finding.fix.as_str()),
        ("It is a shell.", "Use a list.")
    );
    let outcome = verdict_of(&[(FAIL, vec![tool.clone()]), (FAIL, vec![tool])], |_| {});
    assert_eq!(outcome.findings[0].finding.why, "No root cause specified");
}

/// Its rules did not look, because the change made it fail: that must not turn into silence.
#[test]
fn an_abstention_of_a_built_in_judge_is_never_a_pass() {
    let outcome = |vote| {
        let mut plan = plan(Procedure::Review, 3);
        plan.debate = DebateMode::Off;
        let rules = council_protocol::seat::RuleSettings::default();
        plan.seats[2].seat.agent.kind = AgentKind::Builtin { rules };
        let mut run = Run::seated(plan);
        run.votes(&[vote, vote]);
        run.fail("judge-3", FailureKind::Oversized);
        run.concluded().clone()
    };
    let outcome_of = |vote| {
        let outcome: Outcome = outcome(vote);
        (outcome.verdict, outcome.reason)
    };
    assert_eq!(
        outcome_of(PASS),
        (Verdict::Inconclusive, VerdictReason::RulesAbstained)
    );
    assert_ne!(outcome_of(FAIL).0, Verdict::Pass);
    // A flaw beside it, or an objection that cannot be read, makes nothing milder.
    assert_eq!(
        outcome_of(WARN),
        (Verdict::Inconclusive, VerdictReason::RulesAbstained)
    );
}

#[test]
fn no_rule_of_votes_passes_over_a_critical_that_stands() {
    let passing = [
        (PASS, vec![finding(Severity::Critical, 3)]),
        (PASS, Vec::new()),
        (PASS, Vec::new()),
    ];
    for consensus in [
        ConsensusRule::Findings,
        ConsensusRule::Strict,
        ConsensusRule::Majority,
    ] {
        let outcome = verdict_of(&passing, |plan| plan.consensus = consensus);
        assert_eq!(
            (outcome.verdict, outcome.reason),
            (Verdict::Warn, VerdictReason::CriticalUnconfirmed)
        );
    }
}

/// What a tool cannot place nobody can confirm or refute: its vote is all that there is.
#[test]
fn a_rule_that_objects_without_a_finding_bars_a_pass() {
    let judged = |findings: Vec<Finding>, models: usize| {
        let mut answers = vec![(WARN, findings)];
        answers.extend(vec![(PASS, Vec::new()); models]);
        let outcome = verdict_of(&answers, |plan| {
            plan.quorum = 1;
            plan.seats[0].seat.agent.deterministic = true;
        });
        (outcome.verdict, outcome.reason)
    };
    let unplaced = (Verdict::Warn, VerdictReason::VerdictWithoutFinding);
    for models in [0, 1, 3] {
        assert_eq!(judged(Vec::new(), models), unplaced, "beside {models}");
        let note = vec![finding(Severity::Minor, 3)];
        assert_eq!(
            judged(note, models),
            unplaced,
            "a note says nothing of a WARN"
        );
        let found = vec![finding(Severity::Significant, 3)];
        let said = (Verdict::Warn, VerdictReason::SignificantConfirmed);
        assert_eq!(judged(found, models), said);
    }
}

#[test]
fn a_rule_whose_finding_was_dismissed_has_said_over_what_it_objects() {
    let found = finding(Severity::Significant, 3);
    let rule = |plan: &mut crate::Plan| {
        plan.quorum = 1;
        plan.seats[0].seat.agent.deterministic = true;
    };
    let before = verdict_of(&[(WARN, vec![found.clone()])], rule);
    let dismissal = crate::Dismissal {
        fingerprint: before.findings[0].fingerprint.clone(),
        severity: Some(Severity::Significant),
        classes: Vec::new(),
        said: None,
        ground: crate::DismissalGround::FalsePositive,
        because: "it cannot happen".into(),
        by: "Ann <ann@example.com>".into(),
        at: "2026-03-09T10:00:00+01:00".into(),
    };
    let after = verdict_of(&[(WARN, vec![found])], |plan| {
        rule(plan);
        plan.options.dismissed = vec![dismissal];
    });
    assert_eq!(
        (before.verdict, after.verdict),
        (Verdict::Warn, Verdict::Pass)
    );
}

/// What was dismissed is one thing, and what has no place another: nobody argued that away.
#[test]
fn a_dismissal_takes_nothing_from_what_a_tool_cannot_place() {
    let found = finding(Severity::Significant, 3);
    let says = |unplaced: Option<Vote>, dismissed: Vec<crate::Dismissal>| {
        let mut plan = plan(Procedure::Review, 1);
        (plan.debate, plan.quorum) = (DebateMode::Off, 1);
        plan.seats[0].seat.agent.deterministic = true;
        plan.options.dismissed = dismissed;
        let mut run = Run::seated(plan);
        run.answer("judge-1", WARN, |a| {
            a.findings = vec![found.clone()];
            a.unplaced = unplaced;
        });
        run.concluded().clone()
    };
    let before = says(Some(WARN), Vec::new());
    assert_eq!(before.reason, VerdictReason::SignificantConfirmed);
    let dismissal = crate::Dismissal {
        fingerprint: before.findings[0].fingerprint.clone(),
        severity: Some(Severity::Significant),
        classes: Vec::new(),
        said: None,
        ground: crate::DismissalGround::FalsePositive,
        because: "it cannot happen".into(),
        by: "Ann <ann@example.com>".into(),
        at: "2026-03-09T10:00:00+01:00".into(),
    };
    let after = says(Some(WARN), vec![dismissal.clone()]);
    let objects = (Verdict::Warn, VerdictReason::VerdictWithoutFinding);
    assert_eq!((after.verdict, after.reason), objects);
    assert!(after.has_unplaced_objection());
    assert_eq!(says(None, vec![dismissal]).verdict, Verdict::Pass);
}

pub(super) mod laws {
    use super::*;

    pub(in crate::tests) fn vote() -> impl Strategy<Value = Vote> {
        prop_oneof![Just(PASS), Just(WARN), Just(FAIL)]
    }

    pub(in crate::tests) fn consensus() -> impl Strategy<Value = ConsensusRule> {
        prop_oneof![
            Just(ConsensusRule::Findings),
            Just(ConsensusRule::Strict),
            Just(ConsensusRule::Majority)
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whoever sits beside it and whatever it is called, a rule's objection that no finding of its carries is heard.
        #[test]
        fn no_objection_of_a_rule_is_passed_over(
            judges in prop::collection::vec((vote(), any::<bool>(), prop::option::of(1_u32..6)), 1..6),
            consensus in consensus(),
        ) {
            let answers: Vec<_> = judges.iter().map(|&(vote, _, note)| {
                (vote, note.map(|line| finding(Severity::Minor, line)).into_iter().collect())
            }).collect();
            let outcome = verdict_of(&answers, |plan| {
                (plan.consensus, plan.quorum) = (consensus, 1);
                for (seat, (_, rule, _)) in plan.seats.iter_mut().zip(&judges) {
                    seat.seat.agent.deterministic = *rule;
                }
            });
            if judges.iter().any(|&(vote, rule, _)| rule && vote != PASS) {
                prop_assert_ne!(outcome.verdict, Verdict::Pass, "{:?}", outcome);
            }
        }
    }
}
