//! The same text in two functions beside each other: two findings, whatever is said, dismissed or proved of one.

use council_protocol::answer::{IndependentFinding, Stance, Tag};
use council_protocol::reproduction::ReproductionClaim;
use council_protocol::{Finding, Proof, Severity, Vote};

use super::proof::{proof, reproduction, terms};
use crate::outcome::{Disposition, Outcome};
use crate::plan::{DebateMode, Procedure};
use crate::testing::{Run, finding, plan};
use crate::{Action, Input};

const QUOTE: &str = "return cache[key]";

/// Two lines of one text, and the function that begins before each.
const FIRST: u32 = 5;
const SECOND: u32 = 8;

fn unchecked(line: u32) -> Finding {
    let mut found = finding(Severity::Critical, line);
    found.description = "the key is never checked".into();
    found.quote = QUOTE.into();
    found
}

/// Answers what is asked of quotes: each stands at its line, in the function that `function_of` gives it.
fn prove(run: &mut Run, function_of: impl Fn(u32) -> Option<u32>) {
    let asked = run.actions.iter().filter_map(|action| match action {
        Action::Prove {
            claim, location, ..
        } => Some((*claim, location.line)),
        _ => None,
    });
    for (claim, line) in asked.collect::<Vec<_>>() {
        run.feed(Input::Proved {
            claim,
            proof: Proof::Verified,
            context: QUOTE.into(),
            nearest: None,
            function: function_of(line),
            quoted: None,
        });
    }
}

/// Judge 1 names the first line and judge 2 the second one.
fn convened(proves: bool) -> Run {
    let mut plan = plan(Procedure::Debate, 2);
    plan.debate = DebateMode::Auto;
    plan.options.proof = proves.then(terms);
    let mut run = Run::seated(plan);
    run.proves = false;
    for (judge, line) in [("judge-1", FIRST), ("judge-2", SECOND)] {
        run.answer(judge, Vote::Fail, |a| a.findings = vec![unchecked(line)]);
    }
    run
}

fn ended(mut run: Run, function_of: impl Fn(u32) -> Option<u32>) -> Outcome {
    prove(&mut run, function_of);
    for judge in ["judge-1", "judge-2"] {
        run.answer(judge, Vote::Fail, |_| {});
    }
    run.concluded().clone()
}

/// Each line in a function of its own.
fn apart(line: u32) -> Option<u32> {
    Some(line - 1)
}

#[test]
fn the_same_text_in_two_functions_is_two_findings() {
    let outcome = ended(convened(false), apart);
    let lines = outcome.findings.iter().map(|f| f.finding.location.line);
    assert!(lines.eq([FIRST, SECOND]), "{:?}", outcome.findings);
    let alone = |found: &crate::outcome::JudgedFinding| found.members.len() == 1;
    assert!(outcome.findings.iter().all(alone));
}

/// A journal of an earlier version knows no functions, and its verdict is repeated.
#[test]
fn two_ends_of_one_function_and_of_none_are_one_finding() {
    for function in [Some(4), None] {
        let outcome = ended(convened(false), |_| function);
        assert_eq!(outcome.findings.len(), 1, "{function:?}");
        assert_eq!(outcome.findings[0].disposition, Disposition::Confirmed);
    }
    let outcome = ended(convened(false), |line| (line == FIRST).then_some(4));
    assert_eq!(outcome.findings.len(), 1, "one of them is in no function");
}

/// Whoever could not reproduce one of them has said nothing of the other.
#[test]
fn a_denial_of_one_is_none_of_the_other() {
    for (line, disputed) in [(FIRST, true), (SECOND, false)] {
        let mut run = Run::seated(plan(Procedure::Debate, 2));
        run.proves = false;
        run.answer("judge-1", Vote::Fail, |a| {
            a.findings = vec![unchecked(FIRST)]
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        prove(&mut run, apart);
        run.answer("judge-1", Vote::Fail, |_| {});
        run.answer("judge-2", Vote::Pass, |a| {
            a.independent_findings = vec![IndependentFinding {
                tag: Tag::NotReproduced,
                finding: unchecked(line),
            }];
        });
        prove(&mut run, apart);
        let found = &run.concluded().findings[0];
        let denies = found.opinions.iter();
        let denied = denies.filter(|o| o.stance == Stance::Disagreed).count();
        assert_eq!(denied, usize::from(disputed), "line {line}");
    }
}

/// A test that judge 1 brings for its own finding proves nothing of the other function.
#[test]
fn a_test_proves_only_the_function_for_which_it_was_brought() {
    for (function_of, proved) in [(apart as fn(u32) -> Option<u32>, 1), (|_| Some(4), 2)] {
        let mut run = convened(true);
        prove(&mut run, function_of);
        run.answer("judge-1", Vote::Fail, |a| {
            a.reproductions = vec![reproduction("1", ReproductionClaim::Defect)];
        });
        run.answer("judge-2", Vote::Fail, |_| {});
        let asked = run.actions.iter().find_map(|action| match action {
            Action::Reproduce { id, .. } => Some(*id),
            _ => None,
        });
        let id = asked.expect("the test is run");
        run.feed(Input::Reproduced {
            id,
            result: proof(),
        });
        let outcome = run.concluded();
        let first = &outcome.findings[0];
        assert_eq!(first.disposition, Disposition::Confirmed);
        assert_eq!(first.members.len(), proved);
        let second = outcome.findings.get(1).map(|found| found.disposition);
        assert_eq!(second, (proved == 1).then_some(Disposition::Unconfirmed));
        let record = &outcome.ledger.reproductions[0];
        assert_eq!(record.finding.as_ref(), Some(&first.id));
    }
}
