//! Nothing of a report is cut, told twice or told at two places.

use super::super::{DisplayOptions, Verbosity, markdown, terminal};
use super::samples;
use super::surfaces::EIGHTY;

/// "Everything in full": what a judge was paid for is in the file, however little it weighs, and in a comment's fold.
#[test]
fn markdown_leaves_nothing_of_a_finding_out_however_little_it_weighs() {
    let mut report = samples::fail();
    for (n, found) in report.outcome.findings.iter_mut().enumerate() {
        found.finding.why = format!("the reason {n}");
        found.finding.fix = format!("the remedy {n}");
        found.finding.suggestion = Some(format!("the_line_{n}();"));
    }
    let comment = markdown::MarkdownOptions {
        frontmatter: false,
        max_bytes: None,
        fold: true,
        links: None,
        place: markdown::ReadingPlace::Conversation,
        update: None,
        council: None,
        headless: false,
    };
    let file = markdown::MarkdownOptions {
        fold: false,
        ..comment
    };
    let counting = report.outcome.findings.iter().enumerate();
    let counting: Vec<usize> = counting
        .filter(|(_, found)| found.level.is_some())
        .map(|(n, _)| n)
        .collect();
    assert!(counting.len() > 1, "one that weighs and one that is noted");
    for text in [file, comment].map(|options| markdown::render(&report, options)) {
        for n in &counting {
            for part in [
                format!("the reason {n}"),
                format!("the remedy {n}"),
                format!("the_line_{n}();"),
            ] {
                assert!(text.contains(&part), "{part} is left out:\n{text}");
            }
        }
    }
}

/// The vendor of the second judge is what is paid for.
#[test]
fn the_judges_of_a_finding_are_named_whole_at_every_width() {
    let mut report = samples::fail();
    let names = ["claude-opus-4-5-20251101", "gpt-5.2-codex"];
    let finding = &mut report.outcome.findings[0];
    finding.finding.rule = None;
    finding.members.truncate(1);
    finding.members.push(finding.members[0].clone());
    for (n, name) in names.iter().enumerate() {
        let judge = format!("judge-{n}");
        finding.members[n].judge = judge.as_str().into();
        finding.members[n].finding.rule = None;
        let record = &mut report.outcome.judges[n];
        record.seat.judge = judge.as_str().into();
        record.seat.perspective = Default::default();
        record.seat.agent.name = (*name).to_owned();
    }
    for width in [40, 80, 120] {
        let look = DisplayOptions { width, ..EIGHTY };
        let text = terminal::render(&report, look, &[]);
        let words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for name in names {
            assert!(words.contains(name), "{name} at {width}:\n{text}");
        }
    }
}

/// A judge may name another line than the one where its quote stands; the report has one place for a finding.
#[test]
fn a_finding_is_told_at_one_place_in_every_section() {
    let mut report = samples::fail();
    let found = &mut report.outcome.findings[0];
    for member in &mut found.members {
        member.finding.location.line = 7777;
        member.finding.location.end_line = None;
        member.proof = council_protocol::Proof::Relocated {
            line: found.finding.location.line,
        };
    }
    for verbosity in [Verbosity::Normal, Verbosity::Verbose] {
        let look = DisplayOptions {
            verbosity,
            ..EIGHTY
        };
        let text = terminal::render(&report, look, &[]);
        assert!(!text.contains("7777"), "{text}");
    }
}

/// Whoever can be asked again costs only himself: the advice names `resume` exactly where `resume` asks somebody again.
#[test]
fn a_lost_judge_is_asked_again_and_nobody_else() {
    use crate::council::outcome::{RoundFailure, VerdictReason, is_lost};
    use council_protocol::message::FailureKind::*;
    use council_protocol::{Failure, RoundNumber};
    for kind in [
        Spawn,
        Timeout,
        Died,
        Refused,
        Empty,
        Prose,
        Malformed,
        Truncated,
        Oversized,
        ContextCut,
        WrongRound,
        WrongKey,
        Violation,
        Unsupported,
        Quota,
        Provider,
    ] {
        let mut report = samples::inconclusive();
        report.outcome.reason = VerdictReason::BelowQuorum;
        let failure = Failure::new(kind, "the answer breaks off: at the end");
        for judge in &mut report.outcome.judges {
            judge.seat.agent.deterministic = false;
        }
        report.outcome.reviewed_by = crate::council::outcome::ReviewedBy::Models;
        for judge in report
            .outcome
            .judges
            .iter_mut()
            .filter(|j| j.counted.is_none())
        {
            judge.failures = vec![RoundFailure {
                round: RoundNumber::FIRST,
                failure: failure.clone(),
            }];
        }
        let text = terminal::render(&report, EIGHTY, &[]);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            words.contains("git council resume"),
            is_lost(kind),
            "{kind}: {text}"
        );
        assert!(
            !words.contains("answer breaks off: the answer breaks off"),
            "{text}"
        );
    }
}

/// Who was stopped did not fail: the report says what stopped it, and not that nothing is known.
#[test]
fn a_judge_that_was_stopped_is_told_with_what_stopped_it() {
    use crate::council::outcome::{RoundFailure, VerdictReason};
    use council_protocol::{Failure, FailureKind, RoundNumber};
    let asked_to_end = RoundFailure {
        round: RoundNumber::FIRST,
        failure: Failure::new(FailureKind::Cancelled, "the judge was asked to end"),
    };
    for (reason, told) in [
        (
            VerdictReason::Interrupted,
            "the run was interrupted before an answer came",
        ),
        (
            VerdictReason::Deadline,
            "the run's time was over before an answer came",
        ),
        (
            VerdictReason::BackendLost,
            "the backend broke down before an answer came",
        ),
    ] {
        for failures in [vec![], vec![asked_to_end.clone()]] {
            let mut report = samples::inconclusive();
            report.outcome.reason = reason;
            for judge in report
                .outcome
                .judges
                .iter_mut()
                .filter(|j| j.counted.is_none())
            {
                (judge.r1, judge.failures) = (None, failures.clone());
            }
            let look = DisplayOptions {
                width: 200,
                ..EIGHTY
            };
            for text in [
                terminal::render(&report, look, &[]),
                terminal::render_all(&report, look, &[]),
            ] {
                assert!(text.contains(told), "{reason:?}: {text}");
                for empty in ["asked to end", "no reason is known", ": no answer"] {
                    assert!(!text.contains(empty), "{empty}: {text}");
                }
            }
        }
    }
}

/// A reason in a table's cell is told to its end: the receipt is the one place that says that a judge worked blind.
#[test]
fn no_cell_of_the_receipt_is_cut() {
    let mut report = samples::fail();
    let why =
        "without tools: 127.0.0.1 answered the request with tools with 400 and is asked without";
    for judge in &mut report.outcome.judges {
        judge.seat.agent.model = Some(why.to_owned());
    }
    for width in [40, 80, 200] {
        let look = DisplayOptions { width, ..EIGHTY };
        let text = terminal::render_all(&report, look, &[]);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(why), "at {width}: {text}");
    }
}
