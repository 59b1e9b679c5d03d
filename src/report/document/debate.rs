//! The rounds: who held what, who challenged whom, what was answered, and who moved on which evidence.

use council_protocol::Location;
use council_protocol::RoundNumber;
use council_protocol::answer::{Evidence, Stance};
use council_protocol::capability::Capability;
use council_protocol::message::FailureKind;
use council_protocol::task::DebateBranch;

use super::model::{Depth, Section};
use crate::council::outcome::{
    ChallengeRecord, FindingLevel, FindingMember, JudgeRecord, JudgedFinding, PositionChange,
};
use crate::council::plan::Procedure;
use crate::council::proven_place;
use crate::council::readable_description;
use crate::report::group::{self, SharedOpinion};
use crate::report::places;
use crate::report::whole::Report;
use crate::report::words::{self, JudgeNames};
use crate::text;

/// The most characters of what somebody says at once.
const MAX_SPEECH: usize = 600;

/// The most places that are named of one finding.
const MAX_PLACES: usize = 12;

/// What is left out of these sections before what says that something is wrong.
const RANK: u8 = 6;

/// All rounds of a run, a section each, and what became of the findings.
pub(in crate::report) fn rounds(report: &Report, names: &JudgeNames<'_>) -> Vec<Section> {
    let mut writer = RoundWriter {
        report,
        names,
        sections: Vec::new(),
    };
    if report.is_document() {
        writer.documents();
        writer.contention();
    } else if !report.outcome.judges.is_empty() {
        writer.first_round();
        match report.outcome.procedure {
            _ if report.outcome.rounds < 2 => {}
            Some(Procedure::CrossExamination) => writer.examination(),
            _ => writer.later_rounds(),
        }
        writer.contention();
        writer.endings();
    }
    writer.sections
}

pub(super) struct RoundWriter<'a> {
    pub(super) report: &'a Report,
    pub(super) names: &'a JudgeNames<'a>,
    sections: Vec<Section>,
}

impl<'a> RoundWriter<'a> {
    pub(super) fn begin_section(&mut self, title: &str) {
        self.sections.push(Section::new(title, Depth::Detail, RANK));
    }

    /// Adds a sentence to the section that was begun last.
    pub(super) fn push_sentence(&mut self, indent: usize, sentence: String) {
        if let Some(section) = self.sections.last_mut() {
            section.push_item(indent, sentence);
        }
    }

    /// Every judge alone: its vote, its sentence, what it held.
    fn first_round(&mut self) {
        self.begin_section(match self.report.outcome.procedure {
            Some(Procedure::CrossExamination) => "The openings: every councillor alone",
            _ if self.report.is_duel() => "What each side wrote",
            _ => "Round 1: every judge alone",
        });
        for judge in &self.report.outcome.judges {
            let who = self.names.get(&judge.seat.judge);
            let why = failure_reason(self.report, judge, RoundNumber::FIRST);
            let sentence = match (judge.r1, why) {
                (Some(vote), _) => format!("{who} voted {}: {}", vote.as_str(), insight(judge)),
                (None, why) => format!("{who} gave no answer ({why}) and abstains"),
            };
            self.push_sentence(0, sentence);
            let held = self.held_by(judge).into_iter().map(|(finding, member)| {
                let version = &member.finding;
                (
                    (version.severity, version.description.as_str()),
                    (
                        finding.id.as_str(),
                        proven_place(&version.location, &member.proof),
                    ),
                )
            });
            for ((severity, what), places) in group::by_key(held) {
                let (ids, places): (Vec<&str>, Vec<Location>) = places.into_iter().unzip();
                let places = places::join_places(places.iter(), MAX_PLACES);
                let ids = words::join_names(&ids);
                let what = clip_speech(&readable_description(what));
                self.push_sentence(2, format!("{ids} {} {places}: {what}", severity.as_str()));
            }
        }
    }

    /// The findings that a judge raised in the first round.
    fn held_by(&self, judge: &'a JudgeRecord) -> Vec<(&'a JudgedFinding, &'a FindingMember)> {
        let own = |f: &'a JudgedFinding| f.members.iter().map(move |m| (f, m));
        let is_own = |(_, m): &(_, &FindingMember)| m.judge == judge.seat.judge && m.round <= 1;
        // What an earlier review raised was raised by nobody in this one.
        let raised = self.report.outcome.findings.iter();
        let raised = raised.filter(|f| f.since.is_none());
        raised.flat_map(own).filter(is_own).collect()
    }

    /// The exchange: restatements, challenges, stances, and who moved.
    fn later_rounds(&mut self) {
        self.begin_section(&self.later_title());
        for judge in &self.report.outcome.judges {
            self.preparation(judge);
        }
        self.opinions();
        for challenge in &self.report.outcome.challenges {
            self.challenge(challenge);
        }
        self.withdrawals();
        self.moves();
        self.silent_judges();
        self.convergence();
    }

    /// Who was asked and paid again and said nothing new: without it the round seems not to have been.
    fn silent_judges(&mut self) {
        let outcome = &self.report.outcome;
        if outcome.rounds != 2 || self.report.is_duel() {
            return;
        }
        let is_silent = |judge: &&JudgeRecord| {
            let id = &judge.seat.judge;
            let mut opinions = outcome.findings.iter().flat_map(|found| &found.opinions);
            let mut challenges = outcome.challenges.iter();
            judge.r2.is_some()
                && judge.r2 == judge.r1
                && !opinions.any(|opinion| opinion.judge == *id)
                && !challenges.any(|one| one.from == *id || one.to == *id)
        };
        let silent = outcome.judges.iter().filter(is_silent);
        let silent: Vec<&str> = silent
            .map(|judge| self.names.get(&judge.seat.judge))
            .collect();
        if !silent.is_empty() {
            let who = words::join_names(&silent);
            self.push_sentence(
                0,
                format!("{who} voted as before and said nothing of the others' findings"),
            );
        }
    }

    fn later_title(&self) -> String {
        if self.report.is_duel() {
            return "What the sides said of each other's points".to_owned();
        }
        let what = match self.report.outcome.branch {
            Some(DebateBranch::Agreed) => {
                "the votes agreed, so the judges looked for what all of them had missed"
            }
            Some(DebateBranch::Disagreed) => "the judges disagreed, and read each other's answers",
            None => "the judges read each other's answers",
        };
        match self.report.outcome.rounds {
            2 => format!("Round 2: {what}"),
            last => format!("Rounds 2 to {last}: {what}"),
        }
    }

    /// Who took back what of its own, with evidence.
    fn withdrawals(&mut self) {
        let (names, findings) = (self.names, self.report.outcome.findings.iter());
        let taken = findings.flat_map(move |found| {
            let own = found.members.iter().filter(|member| member.withdrawn);
            own.map(move |member| (names.get(&member.judge), found.id.as_str()))
        });
        for (who, findings) in group::by_key(taken) {
            let what = words::join_names(&findings);
            self.push_sentence(0, format!("{who} took back {what}, with evidence"));
        }
    }

    pub(super) fn convergence(&mut self) {
        if self.report.outcome.converged && !self.report.is_rules_only() {
            self.push_sentence(0, format!("Convergence: {}", words::CONVERGENCE));
        }
    }

    /// What a judge said before it saw the others, and for the other side. A rule has no second thoughts.
    fn preparation(&mut self, judge: &'a JudgeRecord) {
        // The sides of a duel write in turn: nobody speaks before it has read the other.
        if judge.seat.agent.deterministic || self.report.is_duel() {
            return;
        }
        let who = self.names.get(&judge.seat.judge);
        if let Some(text) = &judge.restatement {
            let text = clip_speech(text);
            self.push_sentence(0, format!("{who}, before it saw the others: {text}"));
        }
        if let Some(text) = &judge.steel_man {
            let text = clip_speech(text);
            self.push_sentence(0, format!("{who}, for the other side: {text}"));
        }
    }

    /// What was said of findings: the same words of the same judges once, with all the findings that they are about.
    pub(super) fn opinions(&mut self) {
        let names = self.names;
        let told = self.report.outcome.findings.iter().flat_map(|finding| {
            let holders = words::join_names(&words::holders(finding, names));
            let shared = group::group_opinions(finding, names).into_iter();
            shared.map(move |opinion| {
                (
                    ToldOpinion::of(&opinion, holders.clone()),
                    finding.id.as_str(),
                )
            })
        });
        for (told, findings) in group::by_key(told) {
            let holders = match told.holders.as_str() {
                "" => String::new(),
                holders => format!(" of {holders}"),
            };
            let what = words::join_names(&findings);
            let ToldOpinion {
                who,
                verb,
                words,
                proof,
                ..
            } = told;
            self.push_sentence(
                0,
                format!("{who} {verb} {what}{holders}: {words} ({proof})"),
            );
        }
    }

    pub(super) fn challenge(&mut self, challenge: &'a ChallengeRecord) {
        let from = self.names.get(&challenge.from);
        let to = self.names.get(&challenge.to);
        let (id, question) = (&challenge.id, clip_speech(&challenge.question));
        self.push_sentence(
            0,
            match clip_speech(&challenge.claim) {
                claim if claim.is_empty() => format!("{id}: {from} asked {to}: {question}"),
                claim => format!("{id}: {from} asked {to} about \"{claim}\": {question}"),
            },
        );
        self.push_sentence(
            2,
            match &challenge.answer {
                Some(answer) => format!("{to} answered: {}", clip_speech(answer)),
                None if challenge.evaded => format!("{to} was asked twice and did not answer it"),
                None if challenge.asked > 0 => format!("{to} was asked and did not answer it"),
                None => "nobody was asked to answer it".to_owned(),
            },
        );
    }

    /// Who moved, who wanted to, and who fell silent.
    fn moves(&mut self) {
        let judges = self.report.outcome.judges.iter();
        let is_cut = self.report.receipt.run.cut_short.is_some();
        let told = judges.filter_map(|j| {
            Some((
                later_move(self.report, j, is_cut)?,
                self.names.get(&j.seat.judge),
            ))
        });
        for (how, who) in group::by_key(told) {
            let how = if who.len() == 1 { how.one } else { how.several };
            self.push_sentence(0, format!("{} {how}", words::join_names(&who)));
        }
    }

    /// What became of every finding.
    fn endings(&mut self) {
        let findings = &self.report.outcome.findings;
        if findings.is_empty() {
            return;
        }
        self.begin_section("What became of the findings");
        let ends = findings.iter().map(|f| (finding_ending(f), f.id.as_str()));
        for (end, findings) in group::by_key(ends) {
            self.push_sentence(0, format!("{}: {end}", words::join_names(&findings)));
        }
    }
}

fn finding_ending(finding: &JudgedFinding) -> String {
    let state = words::disposition_word(finding.disposition);
    match finding.level {
        Some(FindingLevel::Fail) => format!("{state}, fails the change"),
        Some(FindingLevel::Warn) => format!("{state}, a warning"),
        Some(FindingLevel::Note) => format!("{state}, a note"),
        None if finding.dismissed.is_some() => "dismissed".to_owned(),
        None => format!("not counted: {}", words::rejection_reason(finding)),
    }
}

/// What was said of a finding, without which finding it was.
#[derive(PartialEq)]
struct ToldOpinion {
    who: String,
    verb: &'static str,
    holders: String,
    words: String,
    proof: String,
}

impl ToldOpinion {
    fn of(shared: &SharedOpinion<'_>, holders: String) -> Self {
        let verb = match shared.opinion.stance {
            Stance::Agreed if shared.opinion.resolves => "confirmed",
            // What nothing backs confirms nothing.
            Stance::Agreed => "agreed with",
            Stance::PartiallyAgreed => "accepted in part",
            Stance::Disagreed => "challenged",
        };
        let proof = match &shared.opinion.evidence {
            None => "without evidence".to_owned(),
            Some(e) if shared.opinion.resolves => format!("evidence: {}", evidence_text(e)),
            Some(e) => format!(
                "its evidence at {}:{} is not there, or shows nothing of it",
                e.path.display(),
                e.line
            ),
        };
        Self {
            who: words::join_names(&shared.who),
            verb,
            holders,
            words: clip_speech(&shared.opinion.reasoning),
            proof,
        }
    }
}

fn insight(judge: &JudgeRecord) -> String {
    match judge.first_insight.trim() {
        "" => "(no reason given)".to_owned(),
        insight => clip_speech(insight),
    }
}

pub(super) fn clip_speech(speech: &str) -> String {
    text::clip_chars(speech.trim(), MAX_SPEECH).into_owned()
}

/// Why a judge has no answer in a round, or in any later one.
fn failure_reason(report: &Report, judge: &JudgeRecord, round: RoundNumber) -> String {
    let mut failures = judge.failures.iter().rev();
    let failure = failures.find(|f| (f.round > 1) == (round > 1));
    match failure {
        Some(f) if f.failure.kind != FailureKind::Cancelled => f.failure.in_words(),
        _ => report.outcome.reason.silence().to_owned(),
    }
}

pub(super) fn evidence_text(evidence: &Evidence) -> String {
    let quote = text::clip_chars(words::first_line(&evidence.quote), 120);
    format!("{}:{}: {quote}", evidence.path.display(), evidence.line)
}

/// How the vote of one judge fared, or those of several: verbs have a number.
#[derive(Debug, PartialEq)]
struct LaterMove {
    one: String,
    several: String,
}

impl LaterMove {
    fn of_any(words: String) -> Self {
        Self {
            several: words.clone(),
            one: words,
        }
    }

    /// What is so, and that the first votes stand.
    fn standing(one: &str, several: &str) -> Self {
        Self {
            one: format!("{one}: the vote of round 1 stands"),
            several: format!("{several}: their votes of round 1 stand"),
        }
    }
}

/// Why only the first round has an answer of a judge.
fn silence(report: &Report, judge: &JudgeRecord, is_cut: bool) -> LaterMove {
    let has_failed = judge.failures.iter().any(|f| f.round > 1);
    let grant = &judge.grant;
    let can_be_asked = grant.granted.has(&Capability::Message)
        || grant.emulated.contains_key(&Capability::Message);
    let (one, several) = if has_failed {
        let why = failure_reason(report, judge, RoundNumber::SECOND);
        let words = format!("gave no answer ({why})");
        return LaterMove::standing(&words, &words);
    } else if is_cut {
        let words = "had not answered again when the run was cut short";
        (words, words)
    } else if can_be_asked {
        (
            "was not asked again, as nothing was open for it",
            "were not asked again, as nothing was open for them",
        )
    } else {
        ("cannot be asked again", "cannot be asked again")
    };
    LaterMove::standing(one, several)
}

/// How a vote fared after the first round; nothing where it was given again.
fn later_move(report: &Report, judge: &JudgeRecord, is_cut: bool) -> Option<LaterMove> {
    match &judge.change {
        _ if judge.seat.agent.deterministic => None,
        Some(change) => Some(LaterMove::of_any(move_text(change))),
        None if judge.r1.is_some() && judge.r2.is_none() => Some(silence(report, judge, is_cut)),
        None => None,
    }
}

pub(super) fn move_text(change: &PositionChange) -> String {
    let (from, to) = (change.from.as_str(), change.to.as_str());
    match (&change.evidence, change.weak) {
        (Some(evidence), false) => {
            format!("moved from {from} to {to} on {}", evidence_text(evidence))
        }
        (None, false) => format!("moved from {from} to {to}"),
        (_, true) => {
            let why = match change.note.as_str() {
                "" => "no evidence was named",
                note => note,
            };
            format!("wanted to move from {from} to {to}, but {why}: {from} stands")
        }
    }
}
