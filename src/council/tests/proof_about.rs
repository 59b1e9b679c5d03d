//! What a test has to do with the finding that it is brought for.

use council_protocol::reproduction::ReproductionClaim;
use council_protocol::{Severity, Vote};

use super::proof::{proof, reproduction, terms};
use crate::outcome::Disposition;
use crate::plan::{DebateMode, Procedure};
use crate::reproduction::{ReproductionResult, ReproductionStanding, TestRun};
use crate::testing::{Run, finding, plan};
use crate::{Action, Input};

const LINE: u32 = 30;

/// A test proves the finding whose lines it runs; where nobody could tell, the one that it names.
#[test]
fn a_test_proves_what_it_is_about() {
    let told = [None, Some(TestRun::Passed), Some(TestRun::Failed)];
    for (without, names) in told.iter().flat_map(|told| [(told, true), (told, false)]) {
        let mut plan = plan(Procedure::Debate, 2);
        plan.options.proof = Some(terms());
        let mut run = Run::seated(plan);
        run.answer("judge-1", Vote::Fail, |a| {
            a.findings = vec![finding(Severity::Critical, LINE)];
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        run.answer("judge-1", Vote::Fail, |a| {
            let mut test = reproduction("1", ReproductionClaim::Defect);
            if !names {
                test.files[0].content = "assert True".to_owned();
            }
            a.reproductions = vec![test];
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        let mut result = proof();
        if let ReproductionResult::Ran { without: told, .. } = &mut result {
            told.clone_from(without);
        }
        let id = run
            .actions
            .iter()
            .find_map(|action| match action {
                Action::Reproduce { id, place, .. } => {
                    assert!(place.is_some(), "whoever runs it is told of which lines");
                    Some(*id)
                }
                _ => None,
            })
            .unwrap();
        run.feed(Input::Reproduced { id, result });
        let outcome = run.concluded();
        let proves = match without {
            Some(run) => *run == TestRun::Failed,
            None => names,
        };
        let (disposition, standing) = if proves {
            (Disposition::Confirmed, ReproductionStanding::Proved)
        } else {
            (Disposition::Unconfirmed, ReproductionStanding::Elsewhere)
        };
        let found = &outcome.findings[0];
        assert_eq!(found.disposition, disposition, "{without:?} {names}");
        assert_eq!(outcome.ledger.reproductions[0].standing, standing);
    }
}

/// Whoever found something alone may settle it by a test, so that it is asked as well; without tests it is not.
#[test]
fn whoever_found_something_alone_is_asked_for_a_test() {
    for (with_tests, found_by, asked) in [
        (true, 1, vec![1, 2]),
        (false, 1, vec![1]),
        (true, 2, vec![1]),
        (true, 3, vec![1]),
    ] {
        let mut plan = plan(Procedure::Review, 3);
        plan.debate = DebateMode::Auto;
        plan.options.proof = with_tests.then(terms);
        let mut run = Run::seated(plan);
        for number in 1..=3 {
            let finds = number <= found_by;
            let vote = if finds { Vote::Fail } else { Vote::Pass };
            run.answer(&format!("judge-{number}"), vote, |a| {
                if finds {
                    a.findings = vec![finding(Severity::Critical, LINE)];
                }
            });
        }
        assert_eq!(run.rounds_of("judge-1"), asked, "{with_tests} {found_by}");
    }
}
