//! The debate as a story (`git council show RUN`): who held what, who challenged what, what was answered, who moved and
//! on which evidence.

mod documents;
pub(in crate::report) mod examined;

use council_protocol::Location;
use council_protocol::answer::{Evidence, Stance};
use council_protocol::task::DebateBranch;

use super::group::{self, SharedOpinion};
use super::page::{TerminalPage, colours};
use super::terminal;
use super::words::{self, JudgeNames};
use super::{DisplayOptions, Report, Verbosity};
use crate::council::outcome::{
    ChallengeRecord, FindingLevel, JudgeRecord, JudgedFinding, PositionChange,
};
use crate::council::plan::Procedure;
use crate::text::{self, Untrusted};

/// The most characters of one speech.
const MOST_SPEECH: usize = 600;

/// The most places that are named of one finding.
const MOST_PLACES: usize = 12;

/// The run as a story, ended by a newline; escape sequences stand in it only when `look.colour` says so.
pub fn render(report: &Report, look: DisplayOptions) -> String {
    let names = JudgeNames::of(&report.outcome.judges);
    let mut story = StoryWriter {
        page: TerminalPage::new(look),
        report,
        names: &names,
    };
    story.opening();
    if report.is_document() {
        story.documents();
        story.contention();
        story.outcome();
    } else if !report.outcome.judges.is_empty() {
        story.first_round();
        match report.outcome.procedure {
            _ if report.outcome.rounds < 2 => {}
            Some(Procedure::CrossExamination) => story.examination(),
            _ => story.later_rounds(),
        }
        story.contention();
        story.endings();
    }
    story.page.push_gap();
    terminal::ending(&mut story.page, report);
    story.page.finish()
}

struct StoryWriter<'a> {
    page: TerminalPage,
    report: &'a Report,
    names: &'a JudgeNames<'a>,
}

impl<'a> StoryWriter<'a> {
    /// The run, its subject and its judges.
    fn opening(&mut self) {
        let report = self.report;
        let name = Untrusted::new(&report.receipt.run.name).name();
        self.page.push_line(&self.page.paint(colours::BOLD, &name));
        let label = Untrusted::new(&report.target.label).name();
        let minus = self.page.pick_mark("−", "-");
        let mut parts = vec![label];
        // A question or a document changes no file.
        parts.extend((report.change.files > 0).then(|| words::change_size(report.change, minus)));
        parts.extend(
            report
                .outcome
                .procedure
                .map(|p| format!("procedure {}", words::procedure_name(p))),
        );
        parts.push(Untrusted::new(report.date()).name());
        self.page.push_parts("", colours::PLAIN, &parts);
    }

    fn chapter(&mut self, title: &str) {
        self.page.push_gap();
        self.page.push_line(&self.page.paint(colours::BOLD, title));
    }

    /// A sentence of the story, its later lines indented below it.
    fn tell(&mut self, indent: usize, sentence: &str) {
        let label = " ".repeat(indent);
        self.page.push_hanging(
            &label,
            colours::PLAIN,
            &Untrusted::new(sentence).line(),
            indent + 2,
        );
    }

    /// Every judge alone: its vote, its sentence, what it held.
    fn first_round(&mut self) {
        self.chapter(match self.report.outcome.procedure {
            Some(Procedure::CrossExamination) => "The openings: every councillor alone",
            _ => "Round 1: every judge alone",
        });
        for judge in &self.report.outcome.judges {
            let who = self.names.get(&judge.seat.judge);
            match (judge.r1, failure(judge, 1)) {
                (Some(vote), _) => self.tell(
                    2,
                    &format!("{who} voted {}: {}", vote.as_str(), insight(judge)),
                ),
                (None, why) => self.tell(2, &format!("{who} gave no answer ({why}) and abstains")),
            }
            let held = self.held(judge).into_iter().map(|(finding, member)| {
                let version = &member.finding;
                (
                    (version.severity, version.description.as_str()),
                    (finding.id.as_str(), &version.location),
                )
            });
            for ((severity, what), places) in group::by_key(held) {
                let (ids, places): (Vec<&str>, Vec<&Location>) = places.into_iter().unzip();
                let places = words::join_places(places.into_iter(), MOST_PLACES);
                let ids = words::join_names(&ids);
                self.tell(
                    4,
                    &format!("{ids} {} {places}: {}", severity.as_str(), speech(what)),
                );
            }
        }
    }

    /// The findings that a judge raised in the first round.
    fn held(
        &self,
        judge: &'a JudgeRecord,
    ) -> Vec<(
        &'a JudgedFinding,
        &'a crate::council::outcome::FindingMember,
    )> {
        let own = |f: &'a JudgedFinding| f.members.iter().map(move |m| (f, m));
        let is_own = |(_, m): &(_, &crate::council::outcome::FindingMember)| {
            m.judge == judge.seat.judge && m.round <= 1
        };
        self.report
            .outcome
            .findings
            .iter()
            .flat_map(own)
            .filter(is_own)
            .collect()
    }

    /// The exchange: restatements, challenges, stances, and who moved.
    fn later_rounds(&mut self) {
        let title = match self.report.outcome.branch {
            Some(DebateBranch::Agreed) => {
                "the votes agreed, so the judges looked for what all of them had missed"
            }
            Some(DebateBranch::Disagreed) => "the judges disagreed, and read each other's answers",
            None => "the judges read each other's answers",
        };
        let rounds = match self.report.outcome.rounds {
            2 => "Round 2".to_owned(),
            last => format!("Rounds 2 to {last}"),
        };
        self.chapter(&format!("{rounds}: {title}"));
        for judge in &self.report.outcome.judges {
            self.prepared(judge);
        }
        self.opinions();
        for challenge in &self.report.outcome.challenges {
            self.challenge(challenge);
        }
        self.movements();
        self.converged();
    }

    fn converged(&mut self) {
        if self.report.outcome.converged {
            self.page.push_hanging(
                "  Convergence Detected: ",
                colours::YELLOW,
                words::CONVERGENCE,
                4,
            );
        }
    }

    /// What a judge said before and for the other side.
    fn prepared(&mut self, judge: &'a JudgeRecord) {
        let who = self.names.get(&judge.seat.judge);
        // A rule says the same every time, and its findings say it better.
        if judge.seat.agent.deterministic && self.page.look().verbosity < Verbosity::Verbose {
            return;
        }
        if let Some(text) = &judge.restatement {
            self.tell(
                2,
                &format!("{who}, before it saw the others: {}", speech(text)),
            );
        }
        if let Some(text) = &judge.steel_man {
            self.tell(2, &format!("{who}, for the other side: {}", speech(text)));
        }
    }

    /// What was said of findings: the same words of the same judges once, with all the findings they are about.
    fn opinions(&mut self) {
        let names = self.names;
        let told = self.report.outcome.findings.iter().flat_map(|finding| {
            let whose = words::join_names(&words::holders(finding, names));
            let voices = group::group_opinions(finding, names).into_iter();
            voices.map(move |voice| (ToldOpinion::of(&voice, whose.clone()), finding.id.as_str()))
        });
        for (told, findings) in group::by_key(told) {
            let whose = if told.whose.is_empty() {
                String::new()
            } else {
                format!(" of {}", told.whose)
            };
            let what = words::join_names(&findings);
            self.tell(
                2,
                &format!(
                    "{} {} {what}{whose}: {} ({})",
                    told.who, told.did, told.words, told.proof
                ),
            );
        }
    }

    fn challenge(&mut self, challenge: &'a ChallengeRecord) {
        let from = self.names.get(&challenge.from);
        let to = self.names.get(&challenge.to);
        let claim = speech(&challenge.claim);
        let (open, close) = (
            self.page.pick_mark("“", "\""),
            self.page.pick_mark("”", "\""),
        );
        self.tell(
            2,
            &match claim.is_empty() {
                true => format!(
                    "{}: {from} asked {to}: {}",
                    challenge.id,
                    speech(&challenge.question)
                ),
                false => format!(
                    "{}: {from} asked {to} about {open}{claim}{close}: {}",
                    challenge.id,
                    speech(&challenge.question)
                ),
            },
        );
        match &challenge.answer {
            Some(answer) => self.tell(4, &format!("{to} answered: {}", speech(answer))),
            None if challenge.evaded => {
                self.tell(4, &format!("{to} was asked twice and evaded it"))
            }
            None => self.tell(4, "nobody was asked to answer it"),
        }
    }

    /// Who moved, who wanted to, and who fell silent.
    fn movements(&mut self) {
        let told = self
            .report
            .outcome
            .judges
            .iter()
            .filter_map(|judge| Some((movement(judge)?, self.names.get(&judge.seat.judge))));
        for (how, who) in group::by_key(told) {
            self.tell(2, &format!("{} {how}", words::join_names(&who)));
        }
    }

    /// What became of every finding.
    fn endings(&mut self) {
        if self.report.outcome.findings.is_empty() {
            return;
        }
        self.chapter("What became of the findings");
        let ends = self
            .report
            .outcome
            .findings
            .iter()
            .map(|finding| (ending(finding), finding.id.as_str()));
        for (end, findings) in group::by_key(ends) {
            self.tell(2, &format!("{}: {end}", words::join_names(&findings)));
        }
    }
}

fn ending(finding: &JudgedFinding) -> String {
    let state = words::disposition_word(finding.disposition);
    match finding.level {
        Some(FindingLevel::Fail) => format!("{state}, fails the change"),
        Some(FindingLevel::Warn) => format!("{state}, a warning"),
        Some(FindingLevel::Note) => format!("{state}, a note"),
        None => format!("not counted: {}", words::rejection_reason(finding)),
    }
}

/// What was said of a finding, without which finding it was.
#[derive(PartialEq)]
struct ToldOpinion {
    who: String,
    did: &'static str,
    whose: String,
    words: String,
    proof: String,
}

impl ToldOpinion {
    fn of(voices: &SharedOpinion<'_>, whose: String) -> Self {
        let did = match voices.opinion.stance {
            Stance::Agreed => "confirmed",
            Stance::PartiallyAgreed => "accepted in part",
            Stance::Disagreed => "challenged",
        };
        let proof = match &voices.opinion.evidence {
            None => "without evidence".to_owned(),
            Some(evidence) if voices.opinion.resolves => format!("evidence: {}", shown(evidence)),
            Some(e) => format!(
                "its evidence at {}:{} is not there",
                e.path.display(),
                e.line
            ),
        };
        Self {
            who: words::join_names(&voices.who),
            did,
            whose,
            words: speech(&voices.opinion.reasoning),
            proof,
        }
    }
}

fn insight(judge: &JudgeRecord) -> String {
    match judge.first_insight.trim() {
        "" => "no word on why".to_owned(),
        insight => speech(insight),
    }
}

fn speech(text: &str) -> String {
    text::clip_chars(text.trim(), MOST_SPEECH).into_owned()
}

/// Why a judge has no answer in a round, or in any later one.
fn failure(judge: &JudgeRecord, round: u8) -> String {
    let failure = judge
        .failures
        .iter()
        .rev()
        .find(|f| (f.round > 1) == (round > 1));
    failure.map_or("no reason is known".to_owned(), |f| f.failure.to_string())
}

fn shown(evidence: &Evidence) -> String {
    let quote = words::first_line(&evidence.quote);
    format!(
        "{}:{}: {}",
        evidence.path.display(),
        evidence.line,
        text::clip_chars(quote, 120)
    )
}

/// How a vote fared after R1; nothing where it was given again.
fn movement(judge: &JudgeRecord) -> Option<String> {
    match &judge.change {
        Some(change) => Some(moved(change)),
        None if judge.r1.is_some() && judge.r2.is_none() => Some(format!(
            "gave no answer ({}): the vote of round 1 stands",
            failure(judge, 2)
        )),
        None => None,
    }
}

fn moved(change: &PositionChange) -> String {
    let (from, to) = (change.from.as_str(), change.to.as_str());
    match (&change.evidence, change.weak) {
        (Some(evidence), false) => format!("moved from {from} to {to} on {}", shown(evidence)),
        (None, false) => format!("moved from {from} to {to}"),
        (_, true) => {
            let why = if change.note.is_empty() {
                "no evidence was named"
            } else {
                &change.note
            };
            format!("wanted to move from {from} to {to}, but {why}: {from} stands")
        }
    }
}
