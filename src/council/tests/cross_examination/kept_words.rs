//! What one councillor says in the answers of a round: each problem is told, in its own words.

use council_protocol::Finding;
use proptest::prelude::*;

use super::*;

/// Problems of one line, in words that somebody who reads them tells apart; of each its judge may find other words.
const PROBLEMS: [(&str, [&str; 2]); 5] = [
    (
        "injection",
        [
            "SQL injection: the name goes into the query unescaped.",
            "SQL injection.",
        ],
    ),
    (
        "naming",
        [
            "The variable should be called sql.",
            "The variable should be named sql and be called so.",
        ],
    ),
    (
        "bug",
        [
            "A name of None finds the wrong user.",
            "The wrong user is found for a name of None.",
        ],
    ),
    (
        "bug",
        [
            "Every row is loaded into memory.",
            "All rows are loaded into memory, every time.",
        ],
    ),
    (
        "tests",
        [
            "No test covers an apostrophe.",
            "No test covers an apostrophe here.",
        ],
    ),
];

/// One finding of the line, by its problem, how it is said, and how bad it is taken to be.
fn said(&(problem, how, severity): &(usize, usize, usize)) -> Finding {
    let (category, words) = PROBLEMS[problem];
    Finding {
        category: category.into(),
        description: words[how].into(),
        ..finding(SEVERITIES[severity], 3)
    }
}

const SEVERITIES: [Severity; 3] = [Severity::Minor, Severity::Significant, Severity::Critical];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever a councillor says in how many answers of a round, sent back or not: each problem is in the report, in words that
    /// it used for it, and as bad as it called it in the worst case; no problem has the words or the weight of another one.
    #[test]
    fn each_problem_of_a_councillor_is_told_in_its_own_words(
        opening in prop::collection::vec((0..PROBLEMS.len(), 0usize..2, 0usize..3), 0..3),
        mended in prop::collection::vec((0..PROBLEMS.len(), 0usize..2, 0usize..3), 0..3),
        later in prop::collection::vec((0..PROBLEMS.len(), 0usize..2, 0usize..3), 0..3),
    ) {
        let mut run = Run::seated(council(3, 1));
        run.stubborn = false;
        let findings = |of: &[(usize, usize, usize)]| of.iter().map(said).collect::<Vec<_>>();
        // Without arguments an opening is sent back.
        run.answer("judge-1", FAIL, |a| a.findings = findings(&opening));
        run.answer("judge-1", FAIL, |a| {
            fill(a);
            a.findings = findings(&mended);
        });
        run.answer("judge-2", PASS, fill);
        run.answer("judge-3", PASS, fill);
        run.answer("judge-1", FAIL, |a| a.findings = findings(&later));
        while run.outcome().is_none() {
            go_on(&mut run, &[FAIL, PASS, PASS]);
        }
        let all: Vec<_> = [&opening, &mended, &later].into_iter().flatten().copied().collect();
        let told = &run.concluded().findings;
        let of_problem = |words: &str| PROBLEMS.iter().position(|(_, known)| known.contains(&words));
        for (problem, known) in PROBLEMS.iter().enumerate() {
            let worst = all.iter().filter(|said| said.0 == problem).map(|said| SEVERITIES[said.2]).max();
            let shown = told.iter().filter(|found| of_problem(&found.finding.description) == Some(problem));
            let shown = shown.map(|found| found.finding.severity).max();
            prop_assert_eq!(shown, worst, "{:?}: {:?}", known, all);
        }
    }
}

/// A quote that stands nowhere is asked for: another problem of the line is not that one with its quote mended.
#[test]
fn a_critical_problem_is_not_taken_for_another_one_of_its_line() {
    let mut run = Run::seated(council(3, 1));
    run.stubborn = false;
    let lost = Finding {
        quote: "nowhere at all".into(),
        category: "bug".into(),
        ..said(&(0, 0, 2))
    };
    run.answer("judge-1", FAIL, |a| {
        fill(a);
        a.findings = vec![lost];
    });
    run.answer("judge-1", FAIL, |a| {
        fill(a);
        a.findings = vec![said(&(2, 0, 2))];
    });
    run.answer("judge-2", PASS, fill);
    run.answer("judge-3", PASS, fill);
    while run.outcome().is_none() {
        go_on(&mut run, &[FAIL, PASS, PASS]);
    }
    assert!(run.noted("gave it up when asked for its quote: SQL injection"));
}
