//! What a side says: its agent is asked, and asked again where what it says cannot be used.

use council_agents::AgentReply;
use council_protocol::{
    Answer, Failure, FailureKind, Finding, RoundNumber, Task, Turn, TurnId, Vote,
};

use super::file::DuelFile;
use super::past::{HeardReply, SideLine, SidePast};
use super::{DuelError, DuelSeat, SideTurns, judge_name, render_closing, render_own_signature};
use crate::council::extract::{self, ExpectedEcho};
use crate::council::objects_beyond;
use crate::duel::protocol::render::{self, SectionDraft};
use crate::duel::protocol::side::is_settled;
use crate::duel::protocol::speak;
use crate::duel::protocol::transcript::{DebateTranscript, SectionKind};
use crate::duel::protocol::{DuelEnding, DuelRole};
use crate::duel::verdict::UnheardReply;

/// A duel's sections are turns of one conversation: to the agent it is one round.
const ROUND: RoundNumber = RoundNumber::FIRST;

/// Our own agent: one review of the subject, then a section each time.
pub(super) struct DuelAgent<'a> {
    seat: &'a DuelSeat,
    turns: SideTurns<'a>,
    review: Option<Answer>,
    /// How many questions there were.
    count: u32,
    /// Replies to the question that is open which do not count.
    lost: Vec<String>,
}

impl<'a> DuelAgent<'a> {
    pub(super) fn new(seat: &'a DuelSeat, turns: SideTurns<'a>) -> Self {
        Self {
            seat,
            turns,
            review: None,
            count: 0,
            lost: Vec::new(),
        }
    }

    pub(super) fn write_section(
        &mut self,
        desk: &dyn DuelFile,
        text: &str,
        section: SectionKind,
        last: bool,
    ) -> Result<String, DuelError> {
        let heading = section.heading();
        let review = match self.review.take() {
            Some(review) => review,
            None => self.ask_with_mending(&heading, Task::Review)?,
        };
        self.review = Some(review.clone());
        let role = self.seat.role;
        let answer = match section {
            SectionKind::Opening => None,
            _ => {
                let task = speak::build_task(role, section, text);
                Some(self.ask_for_replies(&heading, task)?)
            }
        };
        let speech: SectionDraft =
            speak::draft_section(role, text, section, &review, answer.as_ref());
        let head = if section == SectionKind::Opening {
            render::render_head(&self.seat.subject.title())
        } else {
            String::new()
        };
        let sign = render_own_signature(self.seat, desk);
        let written = render::render_section(section, &speech, &sign);
        let mut out = head + &self.seat.redactor.redact_words(&written).text;
        if last {
            let whole = format!("{text}{out}");
            let ending = if is_settled(&DebateTranscript::parse(&whole)) {
                DuelEnding::Consensus
            } else {
                DuelEnding::Limit
            };
            out += &render_closing(self.seat, desk, &whole, ending);
        }
        Ok(out)
    }

    /// An answer to the other side. One that leaves points uncategorised is sent back once. What comes then counts with it:
    /// many models send what was missing and no more.
    fn ask_for_replies(&mut self, section: &str, task: Task) -> Result<Answer, DuelError> {
        let answer = self.ask_with_mending(section, task.clone())?;
        let missing = speak::unanswered_points(&task, &answer);
        if missing.is_empty() {
            return Ok(answer);
        }
        let error = format!(
            "responses: nothing is said of {}; each point is agreed, partially_agreed or disagreed",
            missing.join(", ")
        );
        let form = task.form();
        let Some(again) = self.run_turn(section, Task::Mend { error, form })?.ok() else {
            self.tell_unheard(&answer);
            return Ok(answer);
        };
        let is_better = speak::unanswered_points(&task, &again).len() < missing.len();
        let kept = join_answers(&answer, again, is_better);
        self.lost.extend(serde_json::to_string(&answer).ok());
        self.tell_unheard(&kept);
        Ok(kept)
    }

    /// What was said in replies that do not count stays known, unless the answer that does says it again.
    fn tell_unheard(&mut self, counted: &Answer) {
        let key = &self.seat.key;
        for said in std::mem::take(&mut self.lost) {
            if objects_beyond(&said, key, counted) {
                self.turns.meter.unheard(UnheardReply {
                    key: key.clone(),
                    said: self.seat.redactor.redact_words(&said).text,
                });
            }
        }
    }

    /// One turn, and once more with the exact error when the answer cannot be used.
    fn ask_with_mending(&mut self, section: &str, task: Task) -> Result<Answer, DuelError> {
        let form = task.form();
        let first = self.run_turn(section, task)?;
        let answer = match first {
            Err(failure) if is_mendable(&failure) => {
                let error = failure.to_string();
                self.run_turn(section, Task::Mend { error, form })?
            }
            other => other,
        };
        let answer = answer.map_err(|failure| {
            // No answer of it counts, so that none says it again.
            self.tell_unheard(&Answer::new(ROUND, self.seat.key.clone(), Vote::Pass));
            let role = self.seat.role;
            DuelError::Agent { role, failure }
        })?;
        self.tell_unheard(&answer);
        Ok(answer)
    }

    /// One turn, for the section of that heading. The outer error: what was said could not be kept.
    fn run_turn(
        &mut self,
        section: &str,
        task: Task,
    ) -> Result<Result<Answer, Failure>, DuelError> {
        self.count += 1;
        let mut reply = match self.turns.memory.past.recall(section, &task) {
            Some(reply) => reply,
            None => {
                let reply = self.ask(task.clone());
                self.keep(HeardReply::of(section, &task, &reply))?;
                reply
            }
        };
        self.lost.extend(take_unread(&mut reply));
        let reply = match reply {
            Ok(reply) => reply,
            Err(failure) => return Ok(Err(failure)),
        };
        let answer = read_answer(self.seat.role, &self.seat.key, &reply.raw);
        if answer.is_err() {
            self.lost.push(reply.raw);
        }
        Ok(answer)
    }

    /// Asks the agent, if there is money for it.
    fn ask(&mut self, task: Task) -> Result<AgentReply, Failure> {
        let prompt = (self.turns.prompt)(&task, &self.seat.key)
            .map_err(|detail| Failure::new(FailureKind::Unsupported, detail))?;
        let mut turn = Turn {
            id: TurnId(self.count),
            round: ROUND,
            key: self.seat.key.clone(),
            task,
            prompt,
            timeout_ms: self.seat.agent_timeout_ms,
            spend: None,
        };
        self.turns.meter.before_turn(&mut turn)?;
        let reply = self.turns.sitting.take_turn(&turn, self.turns.stop);
        let mut counted = reply.clone();
        take_unread(&mut counted);
        self.turns.meter.after_turn(&turn, &counted);
        reply
    }

    fn keep(&self, heard: Option<HeardReply>) -> Result<(), DuelError> {
        let (Some(keeper), Some(heard)) = (self.turns.memory.keeper, heard) else {
            return Ok(());
        };
        let role = self.seat.role;
        let kept = keeper.keep(&SideLine::Heard(Box::new(heard)));
        kept.map_err(|cause| DuelError::Unkept { role, cause })
    }
}

/// An answer with what the one before it has found and said, as far as it does not say so itself: it was sent back for what
/// was missing in it, and not for what it has. An answer that is no better only adds to it, and takes no vote back.
fn join_answers(before: &Answer, mut again: Answer, is_better: bool) -> Answer {
    if !is_better {
        again.verdict = again.verdict.max(before.verdict);
    }
    let raised = again
        .independent_findings
        .iter()
        .map(|raised| &raised.finding);
    let known: Vec<Finding> = again.findings.iter().chain(raised).cloned().collect();
    let is_new = |found: &Finding| !known.iter().any(|known| speak::says_it(known, found));
    let findings = before.findings.iter().filter(|found| is_new(found));
    let raised = before
        .independent_findings
        .iter()
        .filter(|raised| is_new(&raised.finding));
    let answered: Vec<String> = again.responses.iter().map(|said| said.to.clone()).collect();
    let responses = before
        .responses
        .iter()
        .filter(|said| !answered.contains(&said.to));
    again.findings.extend(findings.cloned());
    again.independent_findings.extend(raised.cloned());
    again.responses.extend(responses.cloned());
    again
}

/// What was cut off, or replaced by what another model said, before a turn was over.
fn take_unread(reply: &mut Result<AgentReply, Failure>) -> Vec<String> {
    let usage = match reply {
        Ok(reply) => reply.usage.as_mut(),
        Err(failure) => failure.usage.as_deref_mut(),
    };
    usage
        .map(|usage| std::mem::take(&mut usage.unread))
        .unwrap_or_default()
}

/// Whether asking again can help: the agent is there, but what it wrote cannot be used.
pub(super) fn is_mendable(failure: &Failure) -> bool {
    use FailureKind as K;
    matches!(
        failure.kind,
        K::Empty | K::Prose | K::Malformed | K::Truncated | K::WrongRound | K::WrongKey
    )
}

/// What a reply of that side answers.
fn read_answer(role: DuelRole, key: &str, raw: &str) -> Result<Answer, Failure> {
    let expected = ExpectedEcho {
        round: ROUND,
        key,
        judge: judge_name(role),
        others: &[judge_name(role.other())],
        is_foreign: &|_| false,
    };
    extract::extract_answer(raw, expected)
}

/// The review of a side that was ended, as its agent gave it; none: it had not.
pub(crate) fn heard_review(role: DuelRole, past: &SidePast) -> Option<Answer> {
    heard_answers(role, past).next()
}

/// What a side recommends in the last of its answers that says so.
pub(crate) fn heard_recommendation(role: DuelRole, past: &SidePast) -> String {
    let said = heard_answers(role, past).map(|answer| answer.recommendation);
    let said = said.filter(|words| !words.trim().is_empty());
    said.last().unwrap_or_default()
}

fn heard_answers(role: DuelRole, past: &SidePast) -> impl Iterator<Item = Answer> + '_ {
    let key = past.key();
    let said = past.said_for(|_| true);
    said.filter_map(move |raw| read_answer(role, key?, raw).ok())
}

#[cfg(test)]
mod tests {
    use council_protocol::Severity;
    use council_protocol::answer::{IndependentFinding, Response, Stance, Tag};

    use super::*;
    use crate::council::testing::finding;

    fn reply(to: &str) -> Response {
        Response {
            to: to.into(),
            stance: Stance::Agreed,
            reasoning: "so".into(),
            evidence: None,
        }
    }

    #[test]
    fn what_was_sent_back_for_a_missing_reply_keeps_what_it_found_and_said() {
        let mut first = Answer::new(ROUND, "k", Vote::Fail);
        first.findings = vec![finding(Severity::Critical, 3)];
        first.independent_findings = vec![IndependentFinding {
            tag: Tag::New,
            finding: finding(Severity::Critical, 40),
        }];
        first.responses = vec![reply("A2")];
        let mut second = Answer::new(ROUND, "k", Vote::Fail);
        second.responses = vec![reply("A1")];
        let whole = join_answers(&first, second.clone(), true);
        assert_eq!(whole.findings, first.findings);
        assert_eq!(whole.independent_findings, first.independent_findings);
        let answered: Vec<&str> = whole
            .responses
            .iter()
            .map(|said| said.to.as_str())
            .collect();
        assert_eq!(answered, ["A1", "A2"]);
        // What it says again is no second finding.
        second.findings = first.findings.clone();
        assert_eq!(join_answers(&first, second, true).findings, first.findings);
    }

    /// Law: whichever of two answers to one question has a finding, a reply or an objection, it counts.
    #[test]
    fn an_answer_that_only_adds_to_the_one_before_it_takes_nothing_of_it_away() {
        let mut reply_alone = Answer::new(ROUND, "k", Vote::Pass);
        reply_alone.responses = vec![reply("A1")];
        let mut finds = Answer::new(ROUND, "k", Vote::Fail);
        finds.independent_findings = vec![IndependentFinding {
            tag: Tag::New,
            finding: finding(Severity::Critical, 40),
        }];
        finds.responses = vec![reply("A2")];
        for (first, second) in [(&reply_alone, &finds), (&finds, &reply_alone)] {
            let whole = join_answers(first, second.clone(), false);
            assert_eq!(whole.verdict, Vote::Fail);
            assert_eq!(whole.independent_findings, finds.independent_findings);
            let mut answered: Vec<&str> = whole
                .responses
                .iter()
                .map(|said| said.to.as_str())
                .collect();
            answered.sort_unstable();
            assert_eq!(answered, ["A1", "A2"]);
        }
    }
}
