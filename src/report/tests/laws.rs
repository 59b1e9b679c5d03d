//! Headline, exit code and conclusion agree, whatever a council comes to.

use council_secrets::Redactor;
use proptest::prelude::*;

use super::super::{CheckConclusion, FailOn, GatePolicy, Report, exit};
use super::parts;
use crate::council::exchange::CancelCause;
use crate::council::outcome::{Outcome, Verdict, VerdictReason};

fn any_verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(vec![
        Verdict::Pass,
        Verdict::Warn,
        Verdict::Fail,
        Verdict::Inconclusive,
        Verdict::Skipped,
    ])
}

fn any_reason() -> impl Strategy<Value = VerdictReason> {
    prop::sample::select(vec![
        VerdictReason::NoFindings,
        VerdictReason::SignificantUnconfirmed,
        VerdictReason::NotesOnly,
        VerdictReason::CriticalConfirmed,
        VerdictReason::CriticalDisputed,
        VerdictReason::CriticalUnconfirmed,
        VerdictReason::SignificantConfirmed,
        VerdictReason::VerdictWithoutFinding,
        VerdictReason::Votes,
        VerdictReason::BelowQuorum,
        VerdictReason::IncompleteCoverage,
        VerdictReason::UncheckedEvidence,
        VerdictReason::Interrupted,
        VerdictReason::Deadline,
        VerdictReason::BackendLost,
        VerdictReason::NothingToReview,
        VerdictReason::AllSkipped,
    ])
}

fn any_cause() -> impl Strategy<Value = Option<CancelCause>> {
    prop::option::of(prop::sample::select(vec![
        CancelCause::Interrupted,
        CancelCause::Deadline,
        CancelCause::BackendLost,
    ]))
}

proptest! {
    /// Law: exit code, check conclusion and headline come from one object, and none is greener than another.
    #[test]
    fn headline_exit_code_and_conclusion_agree(
        verdict in any_verdict(), reason in any_reason(), cause in any_cause(), strict: bool, advisory: bool,
    ) {
        let (outcome, subject, mut run) = parts::whole();
        run.cut_short = cause;
        let outcome = Outcome { verdict, reason, ..outcome };
        let report = Report::new(outcome, subject, run, &Redactor::default());
        let fail_on = if strict { FailOn::Warn } else { FailOn::Fail };
        let line = report.bottom_line(GatePolicy { fail_on, advisory });
        let word = line.headline.split([':', ' ']).next().unwrap();
        let green = line.exit_code == exit::OK;
        prop_assert_eq!(word, report.outcome.verdict.as_str());
        prop_assert_eq!(green, matches!(word, "PASS" | "SKIPPED") || (word == "WARN" && !strict), "{:?}", &line);
        let passes = matches!(line.conclusion, CheckConclusion::Success | CheckConclusion::Neutral | CheckConclusion::Skipped);
        prop_assert_eq!(passes, green || (advisory && line.exit_code == exit::INCONCLUSIVE && report.outcome.reason != VerdictReason::Deadline), "{:?}", &line);
        prop_assert_eq!(line.conclusion == CheckConclusion::Success, word == "PASS");
        if cause.is_some() {
            prop_assert!(!matches!(word, "PASS" | "WARN"), "{:?}", &line);
            prop_assert!(line.headline.ends_with("(INCOMPLETE)"), "{}", line.headline);
        }
        prop_assert_eq!(line.exit_code == exit::INTERRUPTED, cause == Some(CancelCause::Interrupted) || report.outcome.reason == VerdictReason::Interrupted);
        prop_assert_ne!(line.unpublished_code(), exit::OK);
    }

}
