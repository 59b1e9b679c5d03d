//! What each judge said of a finding, over reviews in which nobody says anything.

use council_protocol::RepoPath;
use proptest::prelude::*;

use super::carry::{CODE, Files, fates, no_side, state};
use super::plan::report;
use crate::council::outcome::FindingMember;
use crate::publish::{ReviewState, ReviewedSide, ReviewedText};
use crate::report::{FindingFate, Report};

/// What one judge says of the line of the first finding, in which words, and whether it took it back.
type Said = (usize, bool);

const WORDS: [(&str, &str, &str); 4] = [
    ("sql", "SQL injection", CODE),
    ("null", "A name of None is formatted as text", CODE),
    ("Null", "None is not handled", CODE),
    ("race", "Two requests may write at once", "x = 1;"),
];

/// A report with one finding of which judges say this.
fn said_report(said: &[Said]) -> Report {
    let mut before = report(1);
    let found = &mut before.outcome.findings[0];
    let shown = found.members[0].clone();
    found.members = said
        .iter()
        .enumerate()
        .map(|(at, (words, withdrawn))| {
            let (category, description, quote) = WORDS[*words];
            let mut member = shown.clone();
            member.judge = format!("judge-{at}").as_str().into();
            member.withdrawn = *withdrawn;
            member.finding.category = category.into();
            member.finding.description = description.into();
            member.finding.quote = quote.into();
            // Who says what is shown says it under the finding's own name.
            let is_shown = category == WORDS[said[0].0].0;
            member.fingerprint = (category == "race" && !is_shown).then(|| "5".repeat(16));
            member
        })
        .collect();
    found.finding = found.members[0].finding.clone();
    before
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// However many pushes follow in which nobody says anything: each judge is still said to have said what it said, of the
    /// same kind, and no more of them stand than did.
    #[test]
    fn an_open_finding_keeps_each_judges_words(
        said in prop::collection::vec((0usize..WORDS.len(), prop::bool::weighted(0.2)), 1..5),
        pushes in 1usize..4,
    ) {
        let mut now = said_report(&said);
        let words = |report: &Report| -> Vec<_> {
            let members = report.outcome.findings[0].members.iter();
            let one = |member: &FindingMember| {
                let finding = &member.finding;
                let said = (finding.category.clone(), finding.description.clone(), finding.quote.clone());
                (member.judge.clone(), said, finding.severity, member.withdrawn, member.fingerprint.clone())
            };
            members.map(one).collect()
        };
        let before = words(&now);
        let text = |_: &RepoPath| ReviewedText::Text(format!("{CODE}\n"));
        for _ in 0..pushes {
            let kept = serde_json::to_value(state(&now)).unwrap();
            let kept: ReviewState = serde_json::from_value(kept).unwrap();
            let side = ReviewedSide { files: vec!["src/a.rs".into()], read: &text, ..no_side() };
            now.outcome.findings = kept.carry_findings(&side).standing();
        }
        prop_assert_eq!(words(&now), before);
    }
}

/// The problem in the sentence is gone with its part of the line; the other judge's part is still there.
#[test]
fn the_problem_of_another_part_of_a_line_stays_open() {
    let mut before = said_report(&[(0, false), (3, false)]);
    let found = &mut before.outcome.findings[0];
    found.finding.quote = "let y = other();".into();
    found.members[0].finding.quote = found.finding.quote.clone();
    let files = Files::from([("src/a.rs", (format!("// one\n{CODE}\n"), true))]);
    let told = fates(&state(&before), &files);
    assert_eq!(told, [(FindingFate::StillOpen, "src/a.rs".to_owned(), 2)]);
    let side = ReviewedSide {
        files: vec!["src/a.rs".into()],
        read: &|_| ReviewedText::Text(CODE.to_owned()),
        ..no_side()
    };
    let left = state(&before).carry_findings(&side).standing();
    let says: Vec<_> = left
        .iter()
        .map(|f| {
            (
                f.fingerprint.clone(),
                f.finding.description.as_str(),
                f.members.len(),
            )
        })
        .collect();
    assert_eq!(says, [("5".repeat(16), WORDS[3].1, 1)]);
}
