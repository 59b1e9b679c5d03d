//! Findings that somebody dismissed and that count all the same: every surface says so, in the notes of the report.

use std::collections::BTreeMap;

use crate::council::outcome::{JudgedFinding, Outcome};
use crate::council::{Dismissal, is_outgrown};
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::dismissals;
use crate::run::error::RunError;
use crate::run::findings::name_finding;

/// Stands in every note that is made here, and in no other.
const MARK: &str = " counts again: ";

/// Says of each finding that counts why its dismissal does not hold it back: it was taken back, or says nothing of what
/// is there now. What was said of them before is replaced.
pub(crate) fn note_returned(outcome: &mut Outcome, dismissals: &[Dismissal], start: &RunContext) {
    // In CI a file of the checkout is nobody's word. A log that cannot be read says nothing; who adds to it is told.
    let decisions = if start.environment.is_ci() {
        BTreeMap::new()
    } else {
        dismissals::own_decisions(start).unwrap_or_default()
    };
    outcome.notes.retain(|note| !note.contains(MARK));
    let notes = outcome.findings.iter().filter_map(|found| {
        let why = returned(found, dismissals, &decisions)?;
        Some(format!("{}{MARK}{why}", name_finding(found)))
    });
    let notes: Vec<String> = notes.collect();
    outcome.notes.extend(notes);
}

fn returned(
    found: &JudgedFinding,
    dismissals: &[Dismissal],
    decisions: &BTreeMap<String, Option<Dismissal>>,
) -> Option<&'static str> {
    // What does not count cannot count again.
    found.level?;
    if dismissals.iter().any(|one| is_outgrown(one, found)) {
        return Some("it is worse than what was dismissed, or about something else");
    }
    let is_taken_back = decisions
        .get(&found.fingerprint)
        .is_some_and(Option::is_none);
    is_taken_back.then_some("its dismissal was taken back")
}

/// A report as it is shown: with what was decided of its findings since it was made, which it cannot know.
///
/// # Errors
/// The log of decisions cannot be read.
pub(crate) fn with_later_decisions(
    report: &Report,
    start: &RunContext,
) -> Result<Report, RunError> {
    let decisions = dismissals::own_decisions(start)?;
    let mut report = report.clone();
    let later = report.outcome.findings.iter().filter_map(|found| {
        let what = match decisions.get(&found.fingerprint)? {
            Some(_) if found.level.is_some() => "is dismissed since this report was made:",
            None if found.dismissed.is_some() => {
                "counts again: its dismissal was taken back since this report was made;"
            }
            _ => return None,
        };
        let next = "`git council review` gives the verdict of today";
        Some(format!("{} {what} {next}", name_finding(found)))
    });
    let later: Vec<String> = later.collect();
    report.outcome.notes.extend(later);
    Ok(report)
}

#[cfg(test)]
mod tests {
    use council_protocol::Severity;

    use super::*;
    use crate::council::DismissalGround;
    use crate::report;

    fn dismissal(found: &JudgedFinding, severity: Severity) -> Dismissal {
        Dismissal {
            fingerprint: found.fingerprint.clone(),
            severity: Some(severity),
            classes: Vec::new(),
            said: None,
            ground: DismissalGround::FalsePositive,
            because: "it is fine".to_owned(),
            by: "somebody".to_owned(),
            at: "2026-02-14T09:00:00Z".to_owned(),
        }
    }

    /// Law: of each finding that counts there is one note if and only if a decision about it does not hold it back.
    #[test]
    fn every_finding_that_counts_again_is_named_once_and_no_other() {
        let sample = report::json::parse(include_str!("../../docs/examples/report.json")).unwrap();
        let all = &sample.outcome.findings;
        for found in all {
            for taken_back in [false, true] {
                for outgrown in [false, true] {
                    let mut decisions = BTreeMap::new();
                    if taken_back {
                        decisions.insert(found.fingerprint.clone(), None);
                    }
                    let milder = dismissal(found, Severity::Minor);
                    let dismissals: Vec<_> = outgrown.then_some(milder).into_iter().collect();
                    let why = returned(found, &dismissals, &decisions);
                    let is_worse = outgrown && is_outgrown(&dismissals[0], found);
                    let counts = found.level.is_some();
                    assert_eq!(
                        why.is_some(),
                        counts && (taken_back || is_worse),
                        "{}",
                        found.id
                    );
                    for other in all
                        .iter()
                        .filter(|other| other.fingerprint != found.fingerprint)
                    {
                        assert_eq!(returned(other, &dismissals, &decisions), None);
                    }
                }
            }
        }
        let is_worse =
            |f: &&JudgedFinding| f.level.is_some() && f.finding.severity > Severity::Minor;
        let worse = all.iter().find(is_worse).unwrap();
        assert!(is_outgrown(&dismissal(worse, Severity::Minor), worse));
        let same = dismissal(worse, worse.finding.severity);
        assert!(!is_outgrown(&same, worse));
    }
}
