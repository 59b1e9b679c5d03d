//! The tables of a cross-examination: nobody and nothing is left out of them.

use super::super::markdown::session;
use super::samples;
use crate::council::outcome::Disposition;
use council_protocol::Vote;

/// The cells of the first column of the table under a heading.
fn first_cells(text: &str, heading: &str) -> Vec<String> {
    let from = text
        .find(heading)
        .unwrap_or_else(|| panic!("no {heading} in\n{text}"));
    let lines = text[from..]
        .lines()
        .skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.split('|').nth(1).unwrap().trim().to_owned())
        .collect()
}

#[test]
fn every_councillor_and_every_vote_has_its_cell() {
    let mut report = samples::examined();
    for judge in &mut report.outcome.judges {
        judge.seat.agent.deterministic = false;
    }
    let seats = report.outcome.judges.len();
    // One casts no ballot, and is there in no later round; one's ballot does not count.
    let gone = report.outcome.judges[0].seat.judge.clone();
    report.outcome.judges[1].counted = Some(Vote::Pass);
    report
        .outcome
        .ledger
        .ballots
        .retain(|cast| cast.judge != gone);
    for record in report.outcome.ledger.rounds.iter_mut().skip(1) {
        record.stands.retain(|stand| stand.judge != gone);
    }
    let text = session(&report).unwrap();
    for heading in [
        "## Final votes",
        "#### Position Updates",
        "### Position evolution",
    ] {
        assert_eq!(
            first_cells(&text, heading).len(),
            seats,
            "{heading} in\n{text}"
        );
    }
    assert!(text.contains("| no ballot; WARN stands |"), "{text}");
    assert!(text.contains(", counts as PROCEED |"), "{text}");
    assert!(text.contains("| absent |"), "{text}");
    let votes = first_cells(&text, "| Vote | Counted | Who |");
    assert_eq!(
        votes,
        [
            "PROCEED",
            "PROCEED WITH CONDITIONS",
            "RECONSIDER",
            "DO NOT PROCEED"
        ]
    );
    report.outcome.judges[0].counted = None;
    let text = session(&report).unwrap();
    assert!(!text.contains("no ballot, counts as"), "{text}");
}

#[test]
fn every_finding_is_in_the_risk_matrix_or_named_below_it() {
    let mut report = samples::examined();
    let mut second = report.outcome.findings[0].clone();
    second.id = "F2".into();
    second.disposition = Disposition::Rejected;
    report.outcome.findings.push(second);
    let text = session(&report).unwrap();
    assert_eq!(first_cells(&text, "### Risk matrix").len(), 1, "{text}");
    assert!(text.contains("Not rated, because rejected: F2."), "{text}");
    report.outcome.findings.clear();
    let text = session(&report).unwrap();
    assert!(
        text.contains("No finding stands, so no risk is rated."),
        "{text}"
    );
}
