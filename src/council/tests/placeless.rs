//! Findings that quote nothing: what is missing has no line, and a question has no file.

use council_protocol::{Severity, Vote};
use proptest::prelude::*;

use crate::outcome::Verdict;
use crate::plan::{ConsensusRule, DebateMode, Procedure};
use crate::testing::{Run, finding, plan};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whoever keeps to a critical finding about a file that is nowhere, or about no file, bars a PASS, whatever is voted
    /// and by which rule; and no note speaks of a quote that nobody gave.
    #[test]
    fn a_critical_without_a_place_is_no_pass(
        path in prop::sample::select(vec!["migrations/0002.sql", "README", "src/", ".", ""]),
        votes in prop::collection::vec(prop::sample::select(vec![Vote::Pass, Vote::Warn, Vote::Fail]), 2..5),
        holders in prop::collection::vec(any::<bool>(), 4),
        rule in prop::sample::select(vec![ConsensusRule::Findings, ConsensusRule::Strict, ConsensusRule::Majority]),
    ) {
        let mut missing = finding(Severity::Critical, 0);
        missing.location.path = path.into();
        missing.quote = String::new();
        let mut plan = plan(Procedure::Review, votes.len());
        (plan.debate, plan.consensus) = (DebateMode::Off, rule);
        let mut run = Run::seated(plan);
        for (index, vote) in votes.iter().enumerate() {
            let holds = index == 0 || holders[index];
            run.answer(&format!("judge-{}", index + 1), *vote, |answer| {
                answer.findings = holds.then(|| missing.clone()).into_iter().collect();
            });
        }
        let outcome = run.concluded();
        prop_assert_ne!(outcome.verdict, Verdict::Pass);
        let told = outcome.notes.iter().find(|note| note.contains("critical finding")).unwrap();
        prop_assert!(!told.contains("quote does not hold") && !told.contains("at  "), "{}", told);
    }
}
