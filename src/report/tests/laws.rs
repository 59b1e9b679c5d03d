//! Headline, exit code and conclusion agree, whatever a council comes to.

use council_protocol::Vote;
use council_secrets::Redactor;
use proptest::prelude::*;

use super::super::{CheckConclusion, FailOn, GatePolicy, Report, exit};
use super::parts;
use crate::council::exchange::CancelCause;
use crate::council::outcome::{Disposition, FindingLevel, Outcome, Verdict, VerdictReason};
use crate::council::{PART_MARK, votes_after_dismissals};

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
        VerdictReason::StandingObjection,
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

    /// Law: no PASS with a dismissed finding looks like one without.
    #[test]
    fn a_pass_says_that_something_was_dismissed(
        reason in prop::sample::select(vec![
            VerdictReason::NoFindings, VerdictReason::NotesOnly, VerdictReason::SignificantUnconfirmed,
        ]),
        is_dismissed: bool,
    ) {
        let (mut outcome, subject, run) = parts::whole();
        let note = parts::judged("F1", parts::todo(), Disposition::Confirmed, Some(FindingLevel::Note), &["tests"]);
        let mut found = parts::judged("F2", parts::sql(), Disposition::Confirmed, None, &["tests"]);
        found.dismissed = is_dismissed.then(|| parts::dismissal(&found));
        outcome.findings = vec![note, found];
        (outcome.verdict, outcome.reason) = (Verdict::Pass, reason);
        let report = Report::new(outcome, subject, run, &Redactor::default());
        let headline = report.headline();
        prop_assert_eq!(headline.contains("dismissed"), is_dismissed, "{}", headline);
    }

    /// Law: a headline by votes counts each vote as the verdict does. One that went with a dismissed finding decides nothing,
    /// and is told apart.
    #[test]
    fn a_headline_by_votes_counts_no_vote_that_was_dismissed(
        votes in prop::collection::vec(prop::sample::select(vec![Vote::Pass, Vote::Warn, Vote::Fail]), 5),
        dismissed in prop::collection::vec(any::<bool>(), 3),
    ) {
        let (mut outcome, subject, run) = parts::whole();
        for (judge, vote) in outcome.judges.iter_mut().zip(&votes) {
            judge.counted = Some(*vote);
        }
        let holders: [&[&str]; 3] = [&["security", "tests"], &["tests"], &["hygiene"]];
        let findings = ["F1", "F2", "F3"].into_iter().zip([parts::sql(), parts::unwrap(), parts::todo()]);
        for (((id, finding), by), dismissed) in findings.zip(holders).zip(dismissed) {
            let mut found = parts::judged(id, finding, Disposition::Confirmed, None, by);
            found.dismissed = dismissed.then(|| parts::dismissal(&found));
            outcome.findings.push(found);
        }
        outcome.reason = VerdictReason::Votes;
        let left = votes_after_dismissals(&outcome.judges, &outcome.findings);
        let (left, lost) = (count_votes(left.iter().map(|v| v.left)), left.iter().filter(|v| v.is_set_aside()).count());
        let report = Report::new(outcome, subject, run, &Redactor::default());
        let headline = report.bottom_line(GatePolicy::default()).headline;
        let decided = headline.split("decided by the votes, ").nth(1);
        let decided = decided.map(|words| words.split(';').next().unwrap().to_owned());
        if lost == 0 || decided.is_some() {
            prop_assert!(decided.unwrap_or_default().starts_with(&left), "{}: {}", headline, left);
        }
        prop_assert_eq!(lost > 0, headline.contains(" dismissed, and with "), "{}", headline);
    }
}

/// `2 FAIL, 1 PASS`.
fn count_votes(votes: impl Iterator<Item = Vote> + Clone) -> String {
    let count = |vote| votes.clone().filter(|&cast| cast == vote).count();
    let counts = [Vote::Fail, Vote::Warn, Vote::Pass].map(|vote| (count(vote), vote));
    let counts = counts.iter().filter(|(number, _)| *number > 0);
    let words: Vec<String> = counts
        .map(|(number, vote)| format!("{number} {}", vote.as_str()))
        .collect();
    words.join(", ")
}

proptest! {
    /// Law: a quiet headline counts whoever sits on the bench, in however many parts they read the change, and nobody whose
    /// vote is worse than PASS "found nothing".
    #[test]
    fn a_quiet_headline_says_nothing_of_those_who_object(
        votes in prop::collection::vec((any::<bool>(), 1usize..4), 1..5),
    ) {
        let (mut outcome, subject, run) = parts::whole();
        let model = outcome.judges[0].clone();
        outcome.judges.clear();
        for (nth, &(warns, shards)) in votes.iter().enumerate() {
            for part in 1..=shards {
                let mut judge = model.clone();
                let name = format!("judge-{nth}");
                judge.seat.judge = match shards {
                    1 => name.as_str().into(),
                    _ => format!("{name}{PART_MARK}{part}").as_str().into(),
                };
                judge.seat.agent.deterministic = false;
                let is_uneasy = warns && part == shards;
                judge.counted = Some(if is_uneasy { Vote::Warn } else { Vote::Pass });
                outcome.judges.push(judge);
            }
        }
        outcome.findings.clear();
        (outcome.verdict, outcome.reason) = (Verdict::Pass, VerdictReason::NoFindings);
        let headline = Report::new(outcome, subject, run, &Redactor::default()).headline();
        let (all, uneasy) = (votes.len(), votes.iter().filter(|(warns, _)| *warns).count());
        let who = if all == 1 { "1 judge".to_owned() } else { format!("{all} judges") };
        let told = match uneasy {
            0 => format!("PASS: {who} found nothing"),
            1 => format!("PASS: no finding, though 1 of {who} votes WARN"),
            _ => format!("PASS: no finding, though {uneasy} of {who} vote WARN"),
        };
        prop_assert!(headline.starts_with(&told), "{} / {}", headline, told);
    }
}
