//! What the next review has to look at again, whatever was decided: dismissed findings among other lines, and files with a
//! critical problem that nobody proved.

use std::collections::BTreeMap;

use council_protocol::{Proof, Severity};
use proptest::prelude::*;

use super::carry::{no_side, state};
use super::plan::report;
use crate::council::outcome::{Disposition, JudgedFinding};
use crate::council::{Dismissal, DismissalGround};
use crate::publish::{ReviewState, ReviewedSide, ReviewedText};
use crate::report::FindingFate;

const CODE: &str = "let x = 1;";

proptest! {
    /// A finding goes by what stands around it: among other lines it has another name, which nobody has dismissed, and by
    /// which its conversation is known from then on.
    #[test]
    fn a_dismissed_finding_among_other_lines_is_another_one(
        is_dismissed in any::<bool>(),
        is_changed in any::<bool>(),
        quote in prop::sample::select(vec![CODE.to_owned(), "x".repeat(40), "x".repeat(5_000)]),
    ) {
        let mut before = report(1);
        let found = &mut before.outcome.findings[0];
        found.finding.rule = None;
        found.finding.quote = quote.clone();
        found.members[0].finding = found.finding.clone();
        if is_dismissed {
            found.level = None;
            found.dismissed = Some(Dismissal {
                classes: Vec::new(),
                said: None,
                fingerprint: found.fingerprint.clone(),
                severity: Some(Severity::Critical),
                ground: DismissalGround::FalsePositive,
                because: "It is bound.".into(),
                by: "@ann".into(),
                at: "2026-02-14T09:00:00Z".into(),
            });
        }
        let name = found.fingerprint.clone();
        let named = |_: &JudgedFinding| is_changed.then(|| "new".to_owned());
        let text = format!("{quote}\n");
        let side = ReviewedSide {
            files: vec!["src/a.rs".into()],
            read: &|_| ReviewedText::Text(text.clone()),
            name_now: &named,
            ..no_side()
        };
        let kept: ReviewState =
            serde_json::from_value(serde_json::to_value(state(&before)).unwrap()).unwrap();
        let (carried, fate) = &kept.carry_findings(&side).findings[0];
        prop_assert_eq!(*fate, FindingFate::StillOpen);
        // Of a quote that was cut nobody knows what stood around all of it.
        let is_renamed = is_changed && quote.len() < 5_000;
        prop_assert_eq!(&carried.fingerprint, if is_renamed { "new" } else { &name });
        let all = kept.carry_findings(&side);
        let mut now = before.outcome.clone();
        now.findings = all.standing();
        let told = &all.settle(&now).findings;
        let names: Vec<_> = told.iter().map(|old| (old.fingerprint.as_str(), old.fingerprint_now.as_deref())).collect();
        if !is_dismissed {
            prop_assert_eq!(names, [(name.as_str(), is_renamed.then_some("new"))]);
        }
    }

    /// A file in which a judge saw a critical problem that was rejected is judged again, though it is unchanged.
    #[test]
    fn a_file_with_a_critical_problem_that_does_not_count_is_judged_again(
        severity in prop::sample::select(vec![Severity::Minor, Severity::Significant, Severity::Critical]),
        is_rejected in any::<bool>(),
    ) {
        let mut before = report(1);
        let found = &mut before.outcome.findings[0];
        found.finding.severity = severity;
        if is_rejected {
            (found.disposition, found.level) = (Disposition::Rejected, None);
            found.members[0].proof = Proof::Unverified { reason: "it is not there".into() };
        }
        let files = BTreeMap::from([("src/a.rs".to_owned(), "digest".to_owned())]);
        let kept = ReviewState { whole: true, ..state(&before) };
        let is_left = !kept.judged_before(&files, "rules").is_empty();
        prop_assert_eq!(is_left, !(is_rejected && severity == Severity::Critical));
    }
}
