//! The chapters of a council that came to a document: who wrote what in which round, and no votes (seeds 002 and 003).

use super::{StoryWriter, speech};
use crate::council::ledger::RoundRecord;
use crate::report::{group, terminal, words};

impl<'a> StoryWriter<'a> {
    /// The rounds, one after another.
    pub(super) fn documents(&mut self) {
        for record in &self.report.outcome.ledger.rounds {
            let title = match record.round {
                1 => "everybody alone",
                2 => "everybody reviews what the others wrote",
                _ => "what is still open",
            };
            self.chapter(&format!("Round {}: {title}", record.round));
            self.contributions(record);
            self.challenges_of(record.round);
        }
        if self
            .report
            .outcome
            .findings
            .iter()
            .any(|f| !f.opinions.is_empty())
        {
            self.chapter("What was said of the findings");
            self.opinions();
        }
    }

    /// What each wrote in a round, in a sentence, and who wrote nothing.
    fn contributions(&mut self, record: &'a RoundRecord) {
        let said = record.stands.iter().map(|stand| {
            let words = match stand.position.trim() {
                "" => "(a document without a summary)".to_owned(),
                words => speech(words),
            };
            (words, self.names.get(&stand.judge))
        });
        for (words, who) in group::by_key(said) {
            self.tell(2, &format!("{}: {words}", words::join_names(&who)));
        }
        let absent = self.report.outcome.judges.iter();
        for judge in absent.filter(|j| !record.answered.contains(&j.seat.judge)) {
            let failures = judge.failures.iter().rev();
            let mut failures = failures.filter(|f| f.round == record.round);
            if let Some(failed) = failures.next() {
                let who = self.names.get(&judge.seat.judge);
                self.tell(2, &format!("{who} wrote nothing ({})", failed.failure));
            }
        }
    }

    /// The document itself.
    pub(super) fn outcome(&mut self) {
        let Some(synthesis) = &self.report.outcome.ledger.synthesis else {
            return;
        };
        let who = self.names.get(&synthesis.judge).to_owned();
        self.chapter("What came out");
        self.tell(2, &format!("{who} put it together:"));
        terminal::document(&mut self.page, self.report);
    }
}
