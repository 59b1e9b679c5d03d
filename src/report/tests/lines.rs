//! Single lines that a reader acts upon: where to answer, what fails, what was read.

use std::collections::BTreeMap;

use council_protocol::Severity;
use council_protocol::packet::TargetKind;

use super::super::{markdown, terminal};
use super::surfaces::EIGHTY;
use super::{parts, samples};
use crate::council::outcome::{Disposition, FindingLevel, JudgedFinding, Verdict};
use crate::report::Report;

/// One rule's hits in several files, by number.
fn hits(count: u32) -> Vec<JudgedFinding> {
    let hit = |number: u32| {
        let mut finding = parts::sql();
        finding.location.path = format!("src/{number}.rs").as_str().into();
        let confirmed = Disposition::Confirmed;
        let level = Some(FindingLevel::Fail);
        let mut hit = parts::judged(
            &format!("F{number}"),
            finding,
            confirmed,
            level,
            &["security"],
        );
        hit.fingerprint = format!("{number:016x}");
        hit
    };
    (1..=count).map(hit).collect()
}

/// Findings of one rule share a line, and each has its own conversation: who answers in one clears one.
#[test]
fn each_finding_of_a_group_leads_to_its_conversation() {
    let mut report = samples::fail();
    report.outcome.findings = hits(3);
    let line = |known: &[u32]| {
        let url = |number: &u32| {
            let url = format!("https://github.com/o/r/pull/1#r{number}");
            (format!("{number:016x}"), url)
        };
        let links = markdown::SourceLinks {
            repository: "https://github.com/o/r".into(),
            commit: "a3f7c1e9d2b4f6a8c0e1d3b5f7a9c2e4d6b8f0a1".into(),
            base: String::new(),
            deleted: Default::default(),
            threads: known.iter().map(url).collect::<BTreeMap<_, _>>(),
        };
        let options = markdown::MarkdownOptions {
            links: Some(&links),
            ..markdown::MarkdownOptions::default()
        };
        let text = markdown::render(&report, options);
        let line = text
            .lines()
            .find(|line| line.contains("src/1.rs"))
            .map(str::to_owned);
        line.unwrap_or_else(|| panic!("{text}"))
    };
    let all = line(&[1, 2, 3]);
    for number in 1..=3 {
        assert!(all.contains(&format!("pull/1#r{number})")), "{all}");
    }
    let second = line(&[2]);
    assert!(
        second.contains("conversation 1 of 3") && second.contains("#r2)"),
        "{second}"
    );
    assert!(!line(&[]).contains("conversation"));
}

/// The worst stands first, and a long report ends a screen or two below it.
#[test]
fn the_last_line_of_a_long_report_names_what_fails() {
    let last = |report: &Report| {
        let text = terminal::render(report, EIGHTY, &[]);
        text.lines().rev().take(2).collect::<Vec<_>>().join(" ")
    };
    let mut report = samples::fail();
    assert!(!last(&report).contains("failing"), "{}", last(&report));
    let minor = |mut hit: JudgedFinding| {
        (hit.finding.severity, hit.level) = (Severity::Minor, Some(FindingLevel::Note));
        hit.finding.rule = None;
        hit
    };
    let fatal = hits(1).remove(0);
    report.outcome.findings = hits(12).into_iter().skip(1).map(minor).collect();
    report.outcome.findings.insert(0, fatal);
    assert!(last(&report).contains("failing: F1"), "{}", last(&report));
}

/// What is dismissed at a terminal counts there: the next job of the request knows nothing of it.
#[test]
fn the_next_step_of_a_pull_request_is_its_reply() {
    let mut report = samples::fail();
    report.target.kind = TargetKind::PullRequest;
    let text = terminal::render(&report, EIGHTY, &[]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("reply `/council dismiss because …`"),
        "{text}"
    );
    assert!(!words.contains("git council dismiss F1"), "{text}");
}

/// Lines of what is skipped are not counted, and neither are its files.
#[test]
fn files_are_counted_as_their_lines_are() {
    let report = samples::fail();
    let text = terminal::render(&report, EIGHTY, &[]);
    assert!(text.contains("2 of 3 files, +120 −14"), "{text}");
    assert_eq!(report.outcome.verdict, Verdict::Fail);
}

/// A round that was paid for is told, also where nobody had anything to say in it.
#[test]
fn a_quiet_second_round_is_told() {
    let mut report = samples::fail();
    report.outcome.rounds = 2;
    for judge in &mut report.outcome.judges {
        judge.r2 = judge.r1;
    }
    let text = terminal::render_all(&report, EIGHTY, &[]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("voted as before and said nothing of the others' findings"),
        "{text}"
    );
}
