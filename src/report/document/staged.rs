//! A council that was asked for a document: who wrote what in which round, and the document itself. Nobody votes there.

use super::debate::{RoundWriter, clip_speech};
use super::model::{Block, Depth, Section};
use crate::council::ledger::{ContentionStep, RoundRecord};
use crate::council::plan::Procedure;
use crate::report::whole::Report;
use crate::report::{group, words};
use council_protocol::RoundNumber;

/// What came out of a debate without a verdict.
pub(in crate::report) fn written_document(report: &Report) -> Section {
    let mut section = Section::new("Document", Depth::Essential, 1);
    let synthesis = report.outcome.ledger.synthesis.as_ref();
    let written = synthesis.map(|s| s.document.trim()).unwrap_or_default();
    if !written.is_empty() {
        section.blocks.push(Block::Written(written.to_owned()));
    }
    section
}

impl<'a> RoundWriter<'a> {
    /// The rounds, one after another.
    pub(super) fn documents(&mut self) {
        for record in &self.report.outcome.ledger.rounds {
            let title = match record.round {
                RoundNumber::FIRST => "everybody alone",
                RoundNumber::SECOND => "everybody reviews what the others wrote",
                _ => "what is still open",
            };
            self.begin_section(&format!("Round {}: {title}", record.round));
            self.contributions(record);
            self.challenges_of(record.round);
        }
        let findings = &self.report.outcome.findings;
        if findings.iter().any(|f| !f.opinions.is_empty()) {
            self.begin_section("What was said of the findings");
            self.opinions();
        }
    }

    /// What each wrote in a round, in a sentence, and who wrote nothing.
    fn contributions(&mut self, record: &'a RoundRecord) {
        let said = record.stands.iter().map(|stand| {
            let words = match stand.position.trim() {
                "" => "(a document without a summary)".to_owned(),
                words => clip_speech(words),
            };
            (words, self.names.get(&stand.judge))
        });
        for (words, who) in group::by_key(said) {
            self.push_sentence(0, format!("{}: {words}", words::join_names(&who)));
        }
        let absent = self.report.outcome.judges.iter();
        for judge in absent.filter(|j| !record.answered.contains(&j.seat.judge)) {
            let mut failures = judge.failures.iter().rev();
            if let Some(failed) = failures.find(|f| f.round == record.round) {
                let who = self.names.get(&judge.seat.judge);
                self.push_sentence(0, format!("{who} wrote nothing ({})", failed.failure));
            }
        }
    }

    /// How much was disputed after each round of a staged debate, and who put the result together.
    pub(super) fn contention(&mut self) {
        let ledger = &self.report.outcome.ledger;
        if self.report.outcome.procedure != Some(Procedure::Staged) || ledger.contention.is_empty()
        {
            return;
        }
        self.begin_section("How much was disputed");
        for after in &ledger.contention {
            let then = match after.then {
                ContentionStep::Extended => "another round",
                ContentionStep::Forced => "another round, since the minimum was not reached",
                ContentionStep::Settled => "settled",
                ContentionStep::Limit => "the maximum was reached",
            };
            let score = after.score.score();
            self.push_sentence(
                0,
                format!("after round {}: {score:.2}, {then}", after.round),
            );
        }
        if let Some(synthesis) = &ledger.synthesis {
            let who = self.names.get(&synthesis.judge);
            let own = synthesis.contention.map_or(String::new(), |score| {
                format!("; its own score of what is disputed: {:.2}", score.score())
            });
            self.push_sentence(0, format!("{who} put the document together{own}"));
        }
    }
}
