//! Two claims about one line: what a test proves, or somebody refutes, is one of them.

use council_protocol::answer::{Answer, Stance};
use council_protocol::reproduction::ReproductionClaim::{Defect, NoDefect};
use council_protocol::{Finding, Severity, Vote};
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::proof::{proof, ran, reproduction, shown_id, terms};
use crate::outcome::{Disposition, JudgedFinding, Outcome, Verdict};
use crate::plan::Procedure;
use crate::reproduction::{ReproductionResult, TestRun};
use crate::testing::{Run, evidence, finding, plan, response};
use crate::{Action, Input};

const LINE: u32 = 30;
const MEMORY: &str = "An attacker can exhaust memory with a huge list.";
const DIGITS: &str = "The default of digits changes: callers get other numbers.";

/// Two claims of one line, also such as share most of their words.
const CLAIMS: [(&str, &str); 3] = [
    (MEMORY, DIGITS),
    (
        "The guard against None was removed: parse(None) raises.",
        "The guard against empty text was removed: parse('') gives [''].",
    ),
    (
        "A text of blanks is not handled any more.",
        "An empty text is not handled any more.",
    ),
];

fn claim(severity: Severity, category: &str, words: &str) -> Finding {
    Finding {
        category: category.to_owned(),
        description: words.to_owned(),
        ..finding(severity, LINE)
    }
}

/// A debate of judges with these findings of one line; whoever is last doubts or proves the second judge's.
fn debated(
    claims: &[Option<Finding>],
    answer: impl Fn(usize, &mut Answer, &str),
    result: Option<&ReproductionResult>,
) -> Outcome {
    let mut plan = plan(Procedure::Debate, claims.len());
    plan.options.proof = result.map(|_| terms());
    let mut run = Run::seated(plan);
    let name = |index: usize| format!("judge-{}", index + 1);
    let vote = |claim: &Option<Finding>| match claim.as_ref().map(|f| f.severity) {
        Some(Severity::Critical) => Vote::Fail,
        Some(_) => Vote::Warn,
        None => Vote::Pass,
    };
    for (index, claim) in claims.iter().enumerate() {
        run.answer(&name(index), vote(claim), |a| {
            a.findings = claim.clone().into_iter().collect();
        });
    }
    for (index, claim) in claims.iter().enumerate() {
        let id = match index {
            1 => "1".to_owned(),
            _ => shown_id(&run, &name(index), claims[1].as_ref().unwrap()),
        };
        run.answer(&name(index), vote(claim), |a| answer(index, a, &id));
    }
    let asked: Vec<_> = run
        .actions
        .iter()
        .filter_map(|action| match action {
            Action::Reproduce { id, .. } => Some(*id),
            _ => None,
        })
        .collect();
    for id in asked {
        let result = result.unwrap().clone();
        run.feed(Input::Reproduced { id, result });
    }
    run.concluded().clone()
}

fn told<'o>(outcome: &'o Outcome, words: &str) -> Option<&'o JudgedFinding> {
    let mut findings = outcome.findings.iter();
    findings.find(|found| found.finding.description == words)
}

/// Whatever two judges call one line by: what a test proves is told in the words of the judge whose claim it was, at
/// its level, and the other claim is what it was without the test.
#[test]
fn a_proof_belongs_to_the_claim_that_it_was_brought_for() {
    let each = |category| CLAIMS.map(|claims| (category, claims));
    for (category, (worse, milder)) in ["bug", "security"].into_iter().flat_map(each) {
        let claims = [
            Some(claim(Severity::Critical, category, worse)),
            Some(claim(Severity::Significant, "bug", milder)),
            None,
        ];
        let proves = |index: usize, a: &mut Answer, id: &str| {
            if index == 1 {
                a.reproductions = vec![reproduction(id, Defect)];
            }
        };
        let plain = debated(&claims, |_, _, _| {}, None);
        let outcome = debated(&claims, proves, Some(&proof()));
        let proved = told(&outcome, milder).unwrap();
        assert_eq!(proved.disposition, Disposition::Confirmed);
        assert_eq!(proved.finding.severity, Severity::Significant);
        let other = told(&outcome, worse).unwrap();
        let before = told(&plain, worse).unwrap();
        assert_eq!(other.disposition, before.disposition, "{category}: {worse}");
        assert_ne!(other.fingerprint, proved.fingerprint);
        let record = &outcome.ledger.reproductions[0];
        assert_eq!(record.finding.as_ref(), Some(&proved.id));
    }
}

/// One problem in the same words, whatever level each judge gives it.
#[test]
fn a_proof_confirms_its_finding_however_bad_its_author_calls_it() {
    for own in [Severity::Minor, Severity::Significant, Severity::Critical] {
        let claims = [
            Some(claim(Severity::Critical, "bug", DIGITS)),
            Some(claim(own, "bug", DIGITS)),
            None,
        ];
        let proves = |index: usize, a: &mut Answer, id: &str| {
            if index == 1 {
                a.reproductions = vec![reproduction(id, Defect)];
            }
        };
        let outcome = debated(&claims, proves, Some(&proof()));
        assert_eq!(outcome.findings.len(), 1);
        let became = (outcome.verdict, outcome.findings[0].disposition);
        assert_eq!(became, (Verdict::Fail, Disposition::Confirmed), "{own:?}");
    }
}

fn severity() -> impl Strategy<Value = Severity> {
    prop_oneof![
        Just(Severity::Minor),
        Just(Severity::Significant),
        Just(Severity::Critical)
    ]
}

proptest! {
    #![proptest_config(Config { cases: 200, ..Config::default() })]

    /// Who refutes one of two claims, by a test or with evidence, says nothing of the worse one that more judges hold.
    #[test]
    fn what_is_said_against_one_claim_is_not_against_another(
        milder in severity(),
        (first, second) in prop::sample::select(&CLAIMS[..]),
        holders in 2..4_usize,
        doubters in 1..4_usize,
        with_evidence in any::<bool>(),
        with_test in any::<bool>(),
    ) {
        let held = Some(claim(Severity::Critical, "bug", first));
        let mut claims = vec![held.clone(), Some(claim(milder, "bug", second))];
        claims.extend(vec![held; holders - 1]);
        let first_doubter = claims.len();
        claims.extend(vec![None; doubters]);
        let doubts = |index: usize, a: &mut Answer, id: &str| {
            if index >= first_doubter {
                let found = with_evidence.then(|| evidence(LINE + 20));
                a.responses = vec![response(id, Stance::Disagreed, found)];
                if with_test {
                    a.reproductions = vec![reproduction(id, NoDefect)];
                }
            }
        };
        let plain = debated(&claims, |_, _, _| {}, None);
        let passes = ran(TestRun::Passed, TestRun::Passed);
        let doubted = debated(&claims, doubts, Some(&passes));
        prop_assert_eq!(plain.verdict, doubted.verdict);
        let became = |outcome: &Outcome| outcome.findings[0].disposition;
        prop_assert_eq!(became(&plain), became(&doubted));
    }
}
