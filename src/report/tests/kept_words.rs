//! What is said of a finding whose line or whose debate is not there any more.

use council_protocol::Proof;
use council_protocol::packet::TargetKind;

use super::promises::{PLACES, open_critical, pages};
use super::samples;
use crate::council::outcome::Disposition;
use crate::report::document::{Document, ReadingPlace};
use crate::report::words::JudgeNames;
use crate::report::{GatePolicy, agent, checkstyle, gitlab, junit, sarif};

/// A law: a form without the code says which line it was that is not there any more.
#[test]
fn every_form_says_which_removed_line_a_finding_is_about() {
    let mut report = samples::fail();
    let found = &mut report.outcome.findings[0];
    (found.finding.location.line, found.finding.location.end_line) = (0, None);
    for member in &mut found.members {
        member.proof = Proof::Removed {
            line: 41,
            old_line: 41,
        };
    }
    let gate = GatePolicy::default();
    for form in [
        agent::render(&report, gate),
        checkstyle::render(&report, gate),
        gitlab::render(&report, gate),
        junit::render(&report, gate),
        sarif::render(&report, gate),
    ] {
        assert!(form.contains("line 41 before the change"), "{form}");
    }
}

/// What an earlier review's judges said of a finding is not kept: nobody is told that it stands here, nor that nobody else
/// looked.
#[test]
fn of_a_finding_that_was_left_open_nothing_is_said_that_is_not_known() {
    for disposition in [Disposition::Disputed, Disposition::Unconfirmed] {
        let mut report = open_critical(disposition);
        report.target.kind = TargetKind::PullRequest;
        report.target.label = "#7".into();
        let found = &mut report.outcome.findings[0];
        (found.since, found.opinions) = (Some("abc1234e9d2b".into()), Vec::new());
        let names = JudgeNames::of(&report.outcome.judges);
        for place in PLACES {
            let step = Document::at_place(&report, &names, false, place)
                .verdict
                .next_step;
            assert!(step.contains("in the review of abc1234"), "{step}");
            let again = match place {
                ReadingPlace::Clone => "`git council review --pr 7 --full`",
                ReadingPlace::Agent => "`--full`",
                _ => "`/council review full`",
            };
            assert!(step.contains(again), "{step}");
            for page in pages(&report, place) {
                for said in [
                    "both sides are below",
                    "git council show F1` has",
                    "no other judge checked it",
                ] {
                    assert!(!page.contains(said), "{said}: {page}");
                }
            }
        }
    }
}
