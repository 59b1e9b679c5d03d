//! The rounds of a cross-examination: challenges, messages, interventions of the moderator, moves, ballots.

use council_protocol::RoundNumber;
use council_protocol::answer::BallotVote;
use council_protocol::packet::TargetKind;
use council_protocol::task::InterventionKind;

use super::debate::{RoundWriter, clip_speech, evidence_text, move_text};
use crate::council::ledger::{InterventionRecord, JudgeStand, MessageRecord, RoundRecord};
use crate::council::outcome::PositionChange;
use crate::report::council_word::{self, ballot_decision};
use crate::report::whole::Report;
use crate::report::words::JudgeNames;
use crate::report::{group, words};

impl<'a> RoundWriter<'a> {
    /// Everything between the first round and what became of the findings.
    pub(super) fn examination(&mut self) {
        self.challenges_of(RoundNumber::FIRST);
        let ledger = &self.report.outcome.ledger;
        // Reports of earlier versions tell of ballots by those that were cast.
        let is_cast = !ledger.ballots.is_empty();
        let last = ledger.rounds.last().filter(|r| is_cast || r.ballots);
        let (ballots, last) = (last.is_some(), last.map(|r| r.round));
        let examined = ledger.rounds.iter();
        let examined = examined.filter(|r| r.round > 1 && Some(r.round) != last);
        let examined: Vec<&RoundRecord> = examined.collect();
        for record in &examined {
            let (number, of) = (record.round.previous(), examined.len());
            self.begin_section(&format!(
                "Round {number} of {of}: the councillors challenge each other"
            ));
            self.examined_round(record);
        }
        let findings = &self.report.outcome.findings;
        if findings.iter().any(|f| !f.opinions.is_empty()) {
            self.begin_section("What the others said of the findings");
            self.opinions();
        }
        if ballots {
            self.begin_section("The final ballots");
            self.ballots();
            if is_cast {
                self.decision();
            } else {
                self.push_sentence(
                    0,
                    "Everybody was asked for one, and nobody cast any.".to_owned(),
                );
            }
        }
        self.convergence();
    }

    fn examined_round(&mut self, record: &'a RoundRecord) {
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
                reason => clip_speech(reason),
            };
            self.push_sentence(0, format!("{} {did}: {why}", words::join_names(&who)));
        }
        for message in ledger.messages.iter().filter(|m| m.round == record.round) {
            self.message(message);
        }
        for done in ledger
            .interventions
            .iter()
            .filter(|i| i.round == record.round)
        {
            self.intervention(done);
        }
        self.round_moves(record);
        for (what, points) in [
            ("Agreed by three or more", &record.consensus),
            ("Still disputed", &record.disputed),
        ] {
            if !points.is_empty() {
                let points: Vec<String> = points.iter().map(|p| clip_speech(p)).collect();
                self.push_sentence(0, format!("{what}: {}", points.join("; ")));
            }
        }
    }

    pub(super) fn challenges_of(&mut self, round: RoundNumber) {
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
        let text = clip_speech(&message.text);
        self.push_sentence(0, format!("{from} wrote to {to}{late}: \"{text}\""));
    }

    fn intervention(&mut self, done: &'a InterventionRecord) {
        let to: Vec<&str> = done.to.iter().map(|judge| self.names.get(judge)).collect();
        let (to, about) = (words::join_names(&to), clip_speech(&done.about));
        let told = match done.kind {
            InterventionKind::Groupthink => {
                format!("asked {to} to argue against \"{about}\", which nobody had challenged")
            }
            InterventionKind::Evasion => {
                format!("asked {to} again about {}", done.challenges.join(", "))
            }
            InterventionKind::Stale => format!("found nothing new and asked {to}: \"{about}\""),
        };
        self.push_sentence(0, format!("The moderator {told}"));
    }

    /// Who stands elsewhere after a round, or wanted to.
    fn round_moves(&mut self, record: &'a RoundRecord) {
        let moves = record
            .stands
            .iter()
            .filter(|s| !self.names.is_rule(&s.judge));
        let moves =
            moves.filter_map(|s| Some((move_text(&stand_change(s)?), self.names.get(&s.judge))));
        let moves = group::by_key(moves);
        if moves.is_empty() {
            self.push_sentence(0, "Nobody moved.".to_owned());
        }
        for (how, who) in moves {
            self.push_sentence(0, format!("{} {how}", words::join_names(&who)));
        }
    }

    fn ballots(&mut self) {
        let report = self.report;
        for cast in &report.outcome.ledger.ballots {
            let who = self.names.get(&cast.judge);
            let ballot = &cast.ballot;
            let word = council_word::ballot_word(ballot.vote);
            self.push_sentence(0, format!("{who}: {word}"));
            let parts = [
                ("strongest point", ballot.strongest_point.as_str()),
                ("concedes", &ballot.concession),
                ("still worries about", &ballot.remaining_concern),
                ("conditions", &ballot.conditions.join("; ")),
            ];
            for (what, said) in parts
                .into_iter()
                .filter(|(_, said)| !said.trim().is_empty())
            {
                self.push_sentence(2, format!("{what}: {}", clip_speech(said)));
            }
            let mut judges = report.outcome.judges.iter();
            let counted = judges.find(|j| j.seat.judge == cast.judge);
            let counted = counted.and_then(|j| j.counted);
            if let Some(stands) = counted.filter(|vote| *vote != ballot.vote.vote()) {
                let stands = stands.as_str();
                self.push_sentence(
                    2,
                    format!("it names nothing that was missed: {stands} stands"),
                );
            }
        }
    }

    fn decision(&mut self) {
        if let Some(line) = decision_line(self.report) {
            self.push_sentence(0, line);
        }
    }
}

/// What the ballots come to, in a sentence.
fn decision_line(report: &Report) -> Option<String> {
    let decision = ballot_decision(report)?;
    let word = council_word::ballot_word(decision.word);
    let mut line = format!(
        "Decision: {word} by the ballots ({})",
        decision.tally_text()
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
    Some(line)
}

/// What whoever asked a question wanted to know: whether to proceed, on which conditions, and what still worries. A
/// change has
/// findings for that.
pub(super) fn answer_to_question(report: &Report, names: &JudgeNames<'_>) -> Vec<String> {
    let is_question = matches!(report.target.kind, TargetKind::Topic | TargetKind::File);
    let Some(line) = decision_line(report).filter(|_| is_question) else {
        return Vec::new();
    };
    let ballots = || report.outcome.ledger.ballots.iter();
    let conditions = ballots().flat_map(|cast| {
        let who = names.get(&cast.judge);
        let own = cast.ballot.conditions.iter();
        own.map(move |said| (said.trim(), who))
    });
    let worries = ballots().filter(|cast| cast.ballot.vote != BallotVote::Proceed);
    let worries = worries.map(|cast| {
        let said = cast.ballot.remaining_concern.trim();
        (said, names.get(&cast.judge))
    });
    let tell = |what: &str, said: Vec<(&str, Vec<&str>)>| {
        let said = said.into_iter().filter(|(said, _)| !said.is_empty());
        let told = said.map(|(said, who)| {
            let who = words::join_names(&who);
            format!("{what} ({who}): {}", clip_speech(said))
        });
        told.collect::<Vec<_>>()
    };
    let mut told = vec![line];
    told.extend(tell("condition", group::by_key(conditions)));
    told.extend(tell("still worries", group::by_key(worries)));
    told
}

/// The change of one round; none where the vote was given again.
fn stand_change(stand: &JudgeStand) -> Option<PositionChange> {
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

/// What a change of a vote rests on, for a table; none where the vote was given again.
pub(in crate::report) fn move_reason(stand: &JudgeStand) -> Option<String> {
    let change = stand_change(stand)?;
    Some(match (&change.evidence, change.weak) {
        (_, true) => format!("wanted {}, {}", change.to.as_str(), change.note),
        (Some(evidence), false) => evidence_text(evidence),
        (None, false) => "without evidence".to_owned(),
    })
}
