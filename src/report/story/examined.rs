//! The chapters of a cross-examination (seed 001) and of a staged debate (seed 002).

use council_protocol::task::InterventionKind;

use super::{StoryWriter, moved, shown, speech};
use crate::council::ledger::{
    ContentionStep, InterventionRecord, JudgeStand, MessageRecord, RoundRecord,
};
use crate::council::outcome::PositionChange;
use crate::council::plan::Procedure;
use crate::report::council_word::{self, ballot_decision};
use crate::report::page::colours;
use crate::report::{group, words};

impl<'a> StoryWriter<'a> {
    /// Everything between the first round and what became of the findings.
    pub(super) fn examination(&mut self) {
        self.challenges_of(1);
        let ballots = !self.report.outcome.ledger.ballots.is_empty();
        let rounds: Vec<&'a RoundRecord> = self.report.outcome.ledger.rounds.iter().collect();
        let last = rounds.last().map(|r| r.round).filter(|_| ballots);
        let examined = rounds
            .into_iter()
            .filter(|r| r.round > 1 && Some(r.round) != last);
        let examined: Vec<&RoundRecord> = examined.collect();
        for record in &examined {
            let (number, of) = (record.round - 1, examined.len());
            self.chapter(&format!(
                "Round {number} of {of}: the councillors challenge each other"
            ));
            self.round(record);
        }
        if self
            .report
            .outcome
            .findings
            .iter()
            .any(|f| !f.opinions.is_empty())
        {
            self.chapter("What the others said of the findings");
            self.opinions();
        }
        if ballots {
            self.chapter("The final ballots");
            self.ballots();
            self.decision();
        }
        self.converged();
    }

    fn round(&mut self, record: &'a RoundRecord) {
        let ledger = &self.report.outcome.ledger;
        self.challenges_of(record.round);
        let few = ledger
            .unchallenged
            .iter()
            .filter(|u| u.round == record.round);
        let few = few.map(|u| ((u.made, u.reason.as_str()), self.names.get(&u.judge)));
        for ((made, reason), who) in group::by_key(few) {
            let did = match made {
                0 => "challenged nobody".to_owned(),
                1 => "made one challenge only".to_owned(),
                n => format!("made {n} challenges"),
            };
            let why = match reason.trim() {
                "" => "without giving a reason".to_owned(),
                reason => speech(reason),
            };
            self.tell(2, &format!("{} {did}: {why}", words::join_names(&who)));
        }
        for message in ledger.messages.iter().filter(|m| m.round == record.round) {
            self.message(message);
        }
        for intervention in ledger
            .interventions
            .iter()
            .filter(|i| i.round == record.round)
        {
            self.intervention(intervention);
        }
        self.movements_of(record);
        for (what, points) in [
            ("Agreed by three or more", &record.consensus),
            ("Still disputed", &record.disputed),
        ] {
            if !points.is_empty() {
                let points: Vec<String> = points.iter().map(|p| speech(p)).collect();
                self.tell(2, &format!("{what}: {}", points.join(" · ")));
            }
        }
    }

    pub(super) fn challenges_of(&mut self, round: u8) {
        let report = self.report;
        for challenge in report
            .outcome
            .challenges
            .iter()
            .filter(|c| c.round == round)
        {
            self.challenge(challenge);
        }
    }

    fn message(&mut self, message: &'a MessageRecord) {
        let (from, to) = (self.names.get(&message.from), self.names.get(&message.to));
        let late = if message.delivered {
            ""
        } else {
            " (not passed on)"
        };
        let text = self.quoted(&speech(&message.text));
        self.tell(2, &format!("{from} wrote to {to}{late}: {text}"));
    }

    fn intervention(&mut self, done: &'a InterventionRecord) {
        let to: Vec<&str> = done.to.iter().map(|judge| self.names.get(judge)).collect();
        let (to, about) = (words::join_names(&to), self.quoted(&speech(&done.about)));
        let told = match done.kind {
            InterventionKind::Groupthink => {
                format!("asked {to} to argue against {about}, which nobody had challenged")
            }
            InterventionKind::Evasion => {
                format!("asked {to} again about {}", done.challenges.join(", "))
            }
            InterventionKind::Stale => format!("found nothing new and asked {to}: {about}"),
        };
        self.tell(2, &format!("The moderator {told}"));
    }

    /// Who stands elsewhere after a round, or wanted to.
    fn movements_of(&mut self, record: &'a RoundRecord) {
        let moves = record
            .stands
            .iter()
            .filter_map(|stand| Some((moved(&change(stand)?), self.names.get(&stand.judge))));
        let moves = group::by_key(moves);
        if moves.is_empty() {
            self.tell(2, "Nobody moved.");
        }
        for (how, who) in moves {
            self.tell(2, &format!("{} {how}", words::join_names(&who)));
        }
    }

    fn ballots(&mut self) {
        let report = self.report;
        for cast in &report.outcome.ledger.ballots {
            let who = self.names.get(&cast.judge);
            let ballot = &cast.ballot;
            self.tell(
                2,
                &format!("{who}: {}", council_word::ballot_word(ballot.vote)),
            );
            let parts = [
                ("strongest point", ballot.strongest_point.as_str()),
                ("concedes", &ballot.concession),
                ("still worries about", &ballot.remaining_concern),
                ("conditions", &ballot.conditions.join(" · ")),
            ];
            for (what, said) in parts {
                if !said.trim().is_empty() {
                    self.tell(4, &format!("{what}: {}", speech(said)));
                }
            }
            let counted = report
                .outcome
                .judges
                .iter()
                .find(|j| j.seat.judge == cast.judge);
            let counted = counted.and_then(|j| j.counted);
            if let Some(stands) = counted.filter(|vote| *vote != ballot.vote.vote()) {
                let stands = stands.as_str();
                self.tell(
                    4,
                    &format!("it names nothing that was missed: {stands} stands"),
                );
            }
        }
    }

    fn decision(&mut self) {
        let Some(decision) = ballot_decision(self.report) else {
            return;
        };
        let tally = decision.tally.iter();
        let tally: Vec<String> = tally
            .map(|(vote, n)| format!("{n} {}", council_word::ballot_word(*vote)))
            .collect();
        let mut line = format!(
            "{} by the ballots ({})",
            council_word::ballot_word(decision.word),
            tally.join(", ")
        );
        if decision.divided {
            line.push_str(", and the council is divided");
        }
        if let Some(confidence) = decision.confidence {
            line.push_str(&format!(
                "; confidence {}",
                words::confidence_word(confidence)
            ));
        }
        self.page
            .push_hanging("  Decision: ", colours::BOLD, &line, 4);
    }

    /// Seed 002: how contended it was after each round, and what came out.
    pub(super) fn contention(&mut self) {
        let ledger = &self.report.outcome.ledger;
        if self.report.outcome.procedure != Some(Procedure::Staged) || ledger.contention.is_empty()
        {
            return;
        }
        self.chapter("How contended it was");
        for after in &ledger.contention {
            let then = match after.then {
                ContentionStep::Extended => "another round",
                ContentionStep::Forced => "another round, since the minimum was not reached",
                ContentionStep::Settled => "settled",
                ContentionStep::Limit => "the maximum was reached",
            };
            self.tell(
                2,
                &format!(
                    "after round {}: {:.2}, {then}",
                    after.round,
                    after.score.score()
                ),
            );
        }
        let synthesis = ledger.synthesis.as_ref();
        if let Some(synthesis) = synthesis.filter(|_| !self.report.is_document()) {
            let who = self.names.get(&synthesis.judge);
            let own = synthesis.contention.map_or(String::new(), |score| {
                format!("; its own score of what is disputed: {:.2}", score.score())
            });
            self.tell(2, &format!("{who} wrote the synthesis{own}"));
        }
    }

    fn quoted(&self, text: &str) -> String {
        let (open, close) = (
            self.page.pick_mark("“", "\""),
            self.page.pick_mark("”", "\""),
        );
        format!("{open}{text}{close}")
    }
}

/// The change of one round; none where the vote was given again.
fn change(stand: &JudgeStand) -> Option<PositionChange> {
    let from = stand.before?;
    let weak = stand.given != stand.after;
    (weak || from != stand.after).then(|| PositionChange {
        from,
        to: stand.given,
        weak,
        evidence: stand.evidence.clone(),
        note: stand.note.clone(),
    })
}

/// What a change rests on, for a table.
pub(in crate::report) fn reason(stand: &JudgeStand) -> Option<String> {
    let change = change(stand)?;
    Some(match (&change.evidence, change.weak) {
        (_, true) => format!("wanted {}, {}", change.to.as_str(), change.note),
        (Some(evidence), false) => shown(evidence),
        (None, false) => "without evidence".to_owned(),
    })
}
