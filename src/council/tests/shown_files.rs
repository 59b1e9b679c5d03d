//! Judges that were shown different files, or different parts of one: what their votes weigh.

use council_protocol::coverage::FileCoverage;
use council_protocol::{Coverage, CoverageState, Finding, Severity};
use proptest::prelude::*;

use super::verdict::{FAIL, PASS, WARN, verdict_of};
use crate::outcome::{Disposition, Verdict, VerdictReason};
use crate::plan::{DebateMode, Procedure};
use crate::testing::{Run, coverage, finding, plan};

/// A change of these files, each read by the judges that are named.
fn spread(readers: &[&[usize]]) -> impl Fn(&mut crate::Plan) {
    let readers: Vec<Vec<usize>> = readers.iter().map(|of| of.to_vec()).collect();
    move |plan| {
        for (nth, seat) in plan.seats.iter_mut().enumerate() {
            let file = |(at, of): (usize, &Vec<usize>)| FileCoverage {
                path: format!("src/{at}.rs").as_str().into(),
                state: if of.contains(&nth) {
                    CoverageState::Reviewed
                } else {
                    CoverageState::OverBudget
                },
            };
            let files = readers.iter().enumerate().map(file).collect();
            seat.coverage = std::sync::Arc::new(Coverage { files });
        }
    }
}

#[test]
fn judges_that_were_shown_other_files_dilute_no_objection() {
    let readers: [&[usize]; 3] = [&[0, 1], &[2, 3], &[4, 5]];
    let says = |objecting: &[usize], vote| {
        let vote_of = |nth: usize| if objecting.contains(&nth) { vote } else { PASS };
        let answer = |nth: usize| (vote_of(nth), Vec::new());
        verdict_of(&(0..6).map(answer).collect::<Vec<_>>(), spread(&readers))
    };
    let outcome = says(&[2, 3], WARN);
    let unplaced = (Verdict::Warn, VerdictReason::VerdictWithoutFinding);
    assert_eq!((outcome.verdict, outcome.reason), unplaced);
    assert_eq!(outcome.benches.len(), 3, "{:?}", outcome.benches);
    assert_eq!(
        says(&[1, 2], WARN).verdict,
        Verdict::Pass,
        "one of two each"
    );
    let nobody_lets_it_in = says(&[4, 5], FAIL);
    assert_eq!(nobody_lets_it_in.verdict, Verdict::Inconclusive);
    let all: &[usize] = &[0, 1, 2, 3, 4, 5];
    let outcome = verdict_of(&vec![(PASS, Vec::new()); 6], spread(&[all, all]));
    assert!(outcome.benches.is_empty(), "{:?}", outcome.benches);
}

/// A change of one file that the first judges were shown whole, the others its head or nothing of it.
fn headed(whole: usize, rest: CoverageState) -> impl Fn(&mut crate::Plan) {
    move |plan| {
        for (nth, seat) in plan.seats.iter_mut().enumerate() {
            let is_whole = nth < whole;
            let state = if is_whole {
                CoverageState::Reviewed
            } else {
                rest.clone()
            };
            seat.coverage = coverage(state);
        }
    }
}

const HEAD: CoverageState = CoverageState::Truncated {
    shown: 600,
    total: 3000,
};

/// What becomes of a tool's finding of an earlier review where the tool, silent about it now, read the file or did not.
fn findings_left(is_shown: bool, unread: &[&str]) -> usize {
    let with_tool = |plan: &mut crate::Plan| {
        (plan.debate, plan.quorum) = (DebateMode::Off, 1);
        plan.seats[0].seat.agent.deterministic = true;
    };
    let mut found = finding(Severity::Critical, 3);
    found.rule = Some("R1".to_owned());
    let before = verdict_of(&[(FAIL, vec![found])], with_tool);
    let mut again = plan(Procedure::Review, 1);
    with_tool(&mut again);
    again.options.carried = before.findings;
    if !is_shown {
        again.seats[0].coverage = coverage(CoverageState::OverBudget);
    }
    let mut run = Run::seated(again);
    run.answer("judge-1", PASS, |a| {
        a.files_unread = unread.iter().map(|path| (*path).into()).collect();
    });
    run.concluded().findings.len()
}

/// A tool that says that it could not read a file resolves nothing there, and what it says of others changes nothing.
#[test]
fn a_tool_resolves_what_it_found_in_files_that_it_read_again() {
    let path = finding(Severity::Critical, 3).location.path;
    let path = path.display();
    for others in [&[][..], &["other.rs"], &["a/b.rs", "other.rs"]] {
        assert_eq!(findings_left(true, others), 0, "{others:?}");
        assert_eq!(findings_left(false, others), 1, "{others:?}");
        let with_it = [others, &[&*path]].concat();
        assert_eq!(findings_left(true, &with_it), 1, "{with_it:?}");
    }
}

/// Whoever was shown the head of a file has nothing to say of its end.
#[test]
fn judges_that_were_shown_the_head_of_a_file_dilute_no_objection() {
    let says = |found: &[Finding], vote| {
        let of = |nth: usize| {
            if nth < 2 {
                (vote, found.to_vec())
            } else {
                (PASS, vec![])
            }
        };
        verdict_of(&(0..5).map(of).collect::<Vec<_>>(), headed(2, HEAD))
    };
    let outcome = says(&[finding(Severity::Critical, 30)], FAIL);
    let failed = (Verdict::Fail, VerdictReason::CriticalConfirmed);
    assert_eq!((outcome.verdict, outcome.reason), failed);
    let outcome = says(&[], WARN);
    assert_eq!(outcome.verdict, Verdict::Warn, "most of its readers object");
    let outcome = says(&[], FAIL);
    assert_eq!(
        outcome.verdict,
        Verdict::Inconclusive,
        "all of its readers do"
    );
    let alone = |nth: usize| {
        let found = vec![finding(Severity::Critical, 30)];
        if nth == 0 {
            (FAIL, found)
        } else {
            (PASS, vec![])
        }
    };
    let outcome = verdict_of(&(0..5).map(alone).collect::<Vec<_>>(), headed(1, HEAD));
    let was = outcome.findings[0].disposition;
    assert_eq!(
        was,
        Disposition::Unconfirmed,
        "one reader alone confirms nothing"
    );
}

mod laws {
    use super::*;
    use crate::tests::verdict::laws::{consensus, vote};

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// The head of a file is no more of a hearing than nothing of it, where enough were shown all.
        #[test]
        fn the_head_of_a_file_weighs_as_nothing_of_it(
            votes in prop::collection::vec((vote(), prop::option::of(1_u32..40)), 3..7),
            consensus in consensus(),
        ) {
            let answers: Vec<_> = votes.iter().enumerate().map(|(nth, (vote, line))| {
                let found = line.filter(|_| nth < 2).map(|line| finding(Severity::Critical, line));
                (*vote, found.into_iter().collect())
            }).collect();
            let said = |rest: CoverageState| {
                let outcome = verdict_of(&answers, |plan| {
                    plan.consensus = consensus;
                    headed(2, rest)(plan);
                });
                let found: Vec<_> = outcome.findings.iter().map(|f| f.disposition).collect();
                (outcome.verdict, found)
            };
            prop_assert_eq!(said(HEAD), said(CoverageState::OverBudget));
        }

        /// However the files of a change are spread over its judges: where most of those object that were shown one, and
        /// enough were, nothing passes.
        #[test]
        fn where_most_readers_of_a_file_object_nothing_passes(
            votes in prop::collection::vec(vote(), 2..7),
            readers in prop::collection::vec(prop::collection::btree_set(0_usize..7, 2..4), 1..5),
            consensus in consensus(),
        ) {
            let readers: Vec<Vec<usize>> = readers.iter().map(|of| {
                of.iter().copied().filter(|&nth| nth < votes.len()).collect()
            }).collect();
            let answers: Vec<_> = votes.iter().map(|&vote| (vote, Vec::new())).collect();
            let files: Vec<&[usize]> = readers.iter().map(Vec::as_slice).collect();
            let outcome = verdict_of(&answers, |plan| {
                plan.consensus = consensus;
                spread(&files)(plan);
            });
            let objects = |of: &Vec<usize>| {
                let objecting = of.iter().filter(|&&nth| votes[nth] != PASS).count();
                of.len() >= 2 && objecting * 2 > of.len()
            };
            if readers.iter().any(objects) {
                prop_assert_ne!(outcome.verdict, Verdict::Pass, "{:?}", outcome);
            }
        }
    }
}
