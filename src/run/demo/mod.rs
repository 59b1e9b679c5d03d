//! A recorded council over a small change: what `git council demo` plays.
//!
//! `tests/demo/record.sh` makes the recording with this program. Here it is told again by the engine, as `status` and
//! `replay` do with the journal of any run.

use council_secrets::Redactor;

use crate::report::html::{self, PageMaterial};
use crate::report::{BackendFacts, Report, ReviewSubject, RunFacts};
use crate::run::error::RunError;
use crate::run::facts::run_facts;
use crate::session::journal::RunJournal;
use crate::session::{JournalFollower, ProgressEvent, RunLabel, replay_council, stored};

const JOURNAL: &[u8] = include_bytes!("journal.jsonl");
const PLAN: &[u8] = include_bytes!("plan.json");
const PACKET: &[u8] = include_bytes!("packet.json");

/// What the recorded run could cost at most, in US dollars: its journal does not say.
const MAX_USD: f64 = 1.0;

/// The recorded council, played again.
pub(crate) struct PlayedDemo {
    /// What happened, with its times.
    pub(crate) events: Vec<ProgressEvent>,
    /// What it came to.
    pub(crate) report: Report,
    /// What its page shows beside it.
    material: PageMaterial,
}

impl PlayedDemo {
    /// The report as a page for a browser.
    pub(crate) fn page(&self) -> String {
        html::render(&self.report, &self.material)
    }
}

/// Plays the recording through the engine.
pub(crate) fn play_demo() -> Result<PlayedDemo, RunError> {
    let broken = |error: &dyn std::fmt::Display| {
        RunError::run(format!(
            "the recording of the demo cannot be played: {error}"
        ))
    };
    let journal = RunJournal::parse(JOURNAL).map_err(|error| broken(&error))?;
    let plan = stored::parse_plan(PLAN).map_err(|error| broken(&error))?;
    let packet = stored::restore_packet(PACKET, &journal.header, &plan);
    let mut packet = packet.map_err(|error| broken(&error))?;
    // Its page and its lines in a pipe are read by people who did not start it.
    packet.target.label.push_str(" (a recording)");
    let label = RunLabel {
        run: journal.header.run.clone(),
        target: journal.header.target.label.clone(),
        backend: journal.backend.clone(),
        max_usd: Some(MAX_USD),
    };
    let (mut follower, mut events) =
        JournalFollower::convene(plan.clone(), label, Redactor::default());
    events.extend(follower.hear_entries(&journal.entries));
    let outcome = replay_council(plan, &journal.entries).map_err(|error| broken(&error))?;
    let facts = RunFacts {
        recorded: true,
        duration_ms: journal.entries.last().map_or(0, |entry| entry.at),
        backend: Some(BackendFacts {
            name: journal.backend.clone(),
            ..BackendFacts::default()
        }),
        ..run_facts(&journal.header.run, &journal.header.started)
    };
    let subject = ReviewSubject::of(&packet);
    let report = Report::new(outcome, subject, facts, &Redactor::default());
    let material = PageMaterial {
        files: packet.files,
        prompts: Vec::new(),
        ..PageMaterial::default()
    };
    Ok(PlayedDemo {
        events,
        report,
        material,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::council::outcome::{Disposition, Verdict};
    use crate::packet::sha256;
    use crate::session::ProgressKind;

    #[test]
    fn the_recording_is_one_run_and_shows_a_debate() {
        let journal = RunJournal::parse(JOURNAL).unwrap();
        assert_eq!(sha256(PLAN), journal.plan.sha256);
        assert_eq!(journal.header.packet, Some(sha256(PACKET)));
        assert!(journal.whole_bytes == JOURNAL.len(), "nothing is torn");
        let played = play_demo().unwrap();
        let report = &played.report;
        assert_eq!(report.outcome.verdict, Verdict::Fail);
        assert_eq!(report.outcome.rounds, 2);
        let count = |wanted| {
            let found = report.outcome.findings.iter();
            found.filter(|one| one.disposition == wanted).count()
        };
        assert_eq!(
            (count(Disposition::Confirmed), count(Disposition::Rejected)),
            (2, 1)
        );
        let told = |is: fn(&ProgressKind) -> bool| played.events.iter().any(|e| is(&e.kind));
        // F1 of a recording is another finding in the reader's own last report.
        let options = crate::report::markdown::MarkdownOptions::default();
        let text = crate::report::markdown::render(report, options);
        assert!(
            !text.contains("git council dismiss") && text.contains("next step would be"),
            "{text}"
        );
        assert!(report.headline().starts_with("FAIL (a recording): "));
        assert!(told(|kind| matches!(kind, ProgressKind::Response { .. })));
        assert!(told(|kind| matches!(kind, ProgressKind::Withdrawn { .. })));
        assert!(told(|kind| matches!(kind, ProgressKind::Concluded { .. })));
    }
}
