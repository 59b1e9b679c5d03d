//! What is kept of an open finding is what the sentences about it need.

use council_protocol::RepoPath;
use council_protocol::answer::{Evidence, Stance};
use proptest::prelude::*;

use super::carry::{no_side, state};
use super::plan::report;
use crate::council::outcome::{Disposition, FindingLevel, Opinion, Verdict};
use crate::publish::{ReviewState, ReviewedSide, ReviewedText};
use crate::report::{Report, both_sides};

/// A report with one finding of a model's, on which it stands alone.
fn lone(disposition: Disposition) -> Report {
    let mut report = report(1);
    report.outcome.verdict = Verdict::Warn;
    let found = &mut report.outcome.findings[0];
    (found.disposition, found.level) = (disposition, Some(FindingLevel::Warn));
    found.members.truncate(1);
    report
}

/// The report after a push that nobody says anything about.
fn after_push(left: ReviewState, before: &Report) -> Report {
    let kept: ReviewState = serde_json::from_value(serde_json::to_value(left).unwrap()).unwrap();
    let text = |_: &RepoPath| ReviewedText::Text("let x = 1;\n".to_owned());
    let side = ReviewedSide {
        files: vec!["src/a.rs".into()],
        read: &text,
        ..no_side()
    };
    let carried = kept.carry_findings(&side);
    let mut now = before.clone();
    now.outcome.findings = carried.standing();
    now.receipt.run.earlier = Some(carried.settle(&now.outcome));
    now
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// However many pushes follow: who disputes a finding is heard in its own words, with its evidence.
    #[test]
    fn whoever_disputes_an_open_finding_is_heard_after_each_push(
        said in prop::collection::vec((0usize..3, any::<bool>(), "[a-z ]{1,40}"), 1..6),
        pushes in 1usize..4,
    ) {
        let mut now = lone(Disposition::Disputed);
        let opinion = |(at, (stance, resolves, reasoning)): (usize, &(usize, bool, String))| Opinion {
            judge: format!("judge-{}", at + 2).as_str().into(),
            stance: [Stance::Agreed, Stance::PartiallyAgreed, Stance::Disagreed][*stance],
            reasoning: reasoning.clone(),
            evidence: Some(Evidence { path: "src/a.rs".into(), line: 1, quote: "let x".into() }),
            resolves: *resolves,
        };
        now.outcome.findings[0].opinions = said.iter().enumerate().map(opinion).collect();
        let mut before = now.outcome.findings[0].opinions.clone();
        before.sort_by_key(|said| (said.stance != Stance::Disagreed, !said.resolves));
        for _ in 0..pushes {
            now = after_push(state(&now), &now);
            prop_assert_eq!(&now.outcome.findings[0].opinions, &before);
        }
    }

    /// Whoever was asked about a finding and did not take it up is named for as long as it is open.
    #[test]
    fn whoever_was_asked_about_an_open_finding_is_named_after_each_push(
        asked in 0usize..4,
        pushes in 1usize..4,
    ) {
        let mut now = lone(Disposition::Unconfirmed);
        let mut left = state(&now);
        left.open[0].asked = (0..asked).map(|at| format!("judge-{}", at + 2).as_str().into()).collect();
        for _ in 0..pushes {
            now = after_push(left, &now);
            left = state(&now);
            let told = both_sides(&now, &now.outcome.findings[0]).join("\n");
            prop_assert_eq!(told.contains("did not take it up"), asked > 0, "{}", told);
            prop_assert!(!told.contains("no other judge checked it"), "{}", told);
            prop_assert_eq!(left.open[0].asked.len(), asked);
        }
    }
}
