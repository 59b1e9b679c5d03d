//! A duel as an ordinary council: what each side wrote is put to the engine as the answers of two judges, so that one
//! rule makes every verdict.

use council_protocol::answer::{Evidence, Response, Stance, Withdrawal};
use council_protocol::message::Usage;
use council_protocol::task::Peer;
use council_protocol::{
    Answer, Failure, FailureKind, Finding, JudgeId, Location, Proof, RoundNumber, Severity, Task,
    Turn, Vote,
};
use serde::{Deserialize, Serialize};

use super::own_review::{change_of_vote, disowned, unwritten_findings};
use super::protocol::point_standing::PointStanding;
use super::protocol::standing::DebateState;
use super::protocol::transcript::DebateTranscript;
use super::protocol::votes::{vote_of, worst_vote_of};
use super::words_alone::{
    has_unexplained_vote, has_unread, shares_grave_words, unread_notes, vote_beside,
};
use super::{DuelEnding, DuelRole};
use crate::council::at_once::{ReadyAnswer, ReadyBench, play_at_once};
use crate::council::exchange::Input;
use crate::council::outcome::{Outcome, Verdict, VerdictReason};
use crate::council::plan::{DebateMode, Plan, Procedure};

/// Searches a quote in the reviewed tree: what was found, and the squeezed lines around it.
pub(crate) type ProveQuote<'a> = &'a mut dyn FnMut(&Location, &str) -> (Proof, String);

/// What a transcript leaves out.
pub(crate) trait WrittenSource {
    /// The line of the reviewed tree at a place.
    fn line_at(&mut self, location: &Location) -> Option<String>;

    /// The finding that a side wrote down, as its own rules have it; none: it has no rules, or none of them found this.
    fn rule_finding(&mut self, _role: DuelRole, _written: &Finding) -> Option<Finding> {
        None
    }
}

impl<F: FnMut(&Location) -> Option<String>> WrittenSource for F {
    fn line_at(&mut self, location: &Location) -> Option<String> {
        self(location)
    }
}

/// What became of the turns of a side, beside what it wrote: known where a process of ours asked for them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SideAccount {
    /// What they cost.
    pub spent: Option<Usage>,
    /// What it said in answers that do not count.
    pub unheard: Vec<UnheardReply>,
    /// Why it gave no more section; none: it played to the end, or was ended.
    pub failure: Option<Failure>,
    /// What it said of the subject before it had read the other side; none: nobody of ours asked it.
    pub review: Option<Answer>,
    /// What it recommends in the last answer that says so: no section has it.
    pub recommendation: String,
}

/// A reply that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnheardReply {
    /// The one-time key of its turn.
    pub key: String,
    pub said: String,
}

/// What a duel came to, with everything that makes a run of it.
#[derive(Debug)]
pub(crate) struct JudgedDuel {
    pub outcome: Outcome,
    /// The council that both sides were put to.
    pub plan: Plan,
    /// What they said, as its journal has it.
    pub inputs: Vec<Input>,
}

/// The outcome of a concluded duel. `plan` seats A and B, in this order; `ending` is what the duel came to: `limit` is at
/// least WARN, a time-out or a violation is INCONCLUSIVE.
pub(crate) fn judge_transcript(
    transcript: &DebateTranscript,
    ending: DuelEnding,
    mut plan: Plan,
    accounts: [SideAccount; 2],
    prove: ProveQuote<'_>,
    source: &mut dyn WrittenSource,
) -> Option<JudgedDuel> {
    plan.procedure = Procedure::Debate;
    plan.debate = DebateMode::Force;
    plan.options.transcript = true;
    plan.notes.extend(unread_notes(transcript));
    let mut sides =
        [DuelRole::A, DuelRole::B].map(|role| SideScript::new(transcript, role, source));
    for (side, account) in sides.iter_mut().zip(accounts) {
        side.account = account;
    }
    let judges = plan.seats.iter().map(|s| s.seat.judge.clone()).collect();
    let kept = plan.clone();
    let mut said = SaidByBoth {
        judges,
        sides,
        prove,
    };
    let (outcome, inputs) = play_at_once(plan, &mut said)?;
    Some(JudgedDuel {
        outcome: with_ending(outcome, ending, transcript),
        plan: kept,
        inputs,
    })
}

/// What both sides wrote, put to a council as its judges' answers.
struct SaidByBoth<'a> {
    judges: Vec<JudgeId>,
    sides: [SideScript; 2],
    prove: ProveQuote<'a>,
}

impl ReadyBench for SaidByBoth<'_> {
    fn unheard(&mut self, judge: &JudgeId) -> Vec<(String, String)> {
        let index = self.judges.iter().position(|known| known == judge);
        let side = index.and_then(|index| self.sides.get_mut(index));
        let replies = side.map(|side| std::mem::take(&mut side.account.unheard));
        let replies = replies.unwrap_or_default().into_iter();
        replies.map(|reply| (reply.key, reply.said)).collect()
    }

    fn answer(&mut self, judge: &JudgeId, turn: Turn) -> ReadyAnswer {
        let index = self.judges.iter().position(|known| known == judge);
        let side = index.and_then(|index| self.sides.get_mut(index));
        let no_question = || {
            let why = "a transcript answers no such question";
            Failure::new(FailureKind::Unsupported, why)
        };
        let side = side.ok_or_else(no_question)?;
        let answer = side.answer_task(turn.round, turn.key, &turn.task);
        let failure = side.account.failure.clone();
        // The whole duel is one conversation: what it cost counts once, with the first thing that is heard of it.
        let usage = side.account.spent.take();
        match answer {
            Some(raw) => Ok((raw.into(), usage)),
            None if side.vote.is_none() => {
                let why = "it said nothing of the change, so it has no vote";
                let silent = || Failure::new(FailureKind::Unsupported, why);
                Err(failure.unwrap_or_else(silent).with_usage(usage))
            }
            None => Err(no_question().with_usage(usage)),
        }
    }

    fn prove(&mut self, location: &Location, quote: &str) -> (Proof, String) {
        (self.prove)(location, quote)
    }
}

/// What one side said, as the answers of a judge.
struct SideScript {
    role: DuelRole,
    /// None: it was silent, or said only that it has read.
    vote: Option<Vote>,
    insight: String,
    /// The worst vote of all its sections, with its reason: a milder one later is a change that needs its evidence.
    worst: Option<(Vote, String)>,
    own: Vec<PointStanding>,
    theirs: Vec<PointStanding>,
    /// What it found by itself and the other side raised first.
    found_too: Vec<Finding>,
    account: SideAccount,
}

impl SideScript {
    fn new(transcript: &DebateTranscript, role: DuelRole, source: &mut dyn WrittenSource) -> Self {
        let state = DebateState::read(transcript);
        let beside = vote_beside(transcript, &state, role);
        let placed = state.points.into_iter().filter(PointStanding::is_placed);
        let quoted = placed.map(|point| completed_point(point, source));
        let (own, theirs): (Vec<_>, Vec<_>) = quoted.partition(|point| point.id.role == role);
        let opinions = theirs.iter().flat_map(|point| &point.replies);
        let found_too = opinions
            .filter_map(|opinion| opinion.found.clone())
            .collect();
        let (vote, insight) = match vote_of(transcript, role) {
            Some((vote, insight)) => (Some(vote), insight),
            None if state.speakers.contains(&role) => {
                (Some(vote_from(&own, &theirs, role)), String::new())
            }
            None => (None, String::new()),
        };
        let vote = vote.map(|vote: Vote| vote.max(beside));
        Self {
            role,
            vote,
            insight,
            worst: worst_vote_of(transcript, role),
            own,
            theirs,
            found_too,
            account: SideAccount::default(),
        }
    }

    fn answer_task(&self, round: RoundNumber, key: String, task: &Task) -> Option<String> {
        let answer = match task {
            Task::Review => self.first_answer(round, key)?,
            Task::Debate { peers, .. } => self.last_answer(round, key, peers)?,
            _ => return None,
        };
        serde_json::to_string(&answer).ok()
    }

    /// The vote that it began with: of its own review and of its sections the worst one.
    fn first_vote(&self) -> Option<Vote> {
        let reviewed = self.account.review.as_ref().map(|review| review.verdict);
        let written = self.worst.as_ref().map(|(vote, _)| *vote);
        self.vote.max(reviewed).max(written)
    }

    fn first_answer(&self, round: RoundNumber, key: String) -> Option<Answer> {
        let vote = self.first_vote()?;
        let review = self.account.review.as_ref();
        let own_words = review.filter(|review| Some(review.verdict) > self.vote);
        let written = self
            .worst
            .as_ref()
            .filter(|(worst, _)| Some(*worst) > self.vote);
        let written = written.map_or(&self.insight, |(_, reason)| reason);
        let insight = own_words.map_or(written, |review| &review.key_insight);
        // Its own points come first: replies name them by their number.
        let points = self.own.iter().map(|p| &p.finding).chain(&self.found_too);
        let findings = points.cloned().chain(self.unwritten()).collect();
        Some(Answer {
            key_insight: insight.clone(),
            restatement: Some(format!("{} votes {}. {insight}", self.role, vote.as_str())),
            findings,
            recommendation: self
                .account
                .review
                .as_ref()
                .map_or_else(String::new, |review| review.recommendation.clone()),
            ..Answer::new(round, key, vote)
        })
    }

    /// None: it wrote nothing.
    fn last_answer(&self, round: RoundNumber, key: String, peers: &[Peer]) -> Option<Answer> {
        let vote = self.vote?;
        let responses = peers.iter().flat_map(|peer| self.responses_to(peer));
        let mut withdrawn = self.withdrawn_points();
        let before = self.own.len() + self.found_too.len();
        withdrawn.extend(disowned(&self.unwritten(), before, &self.theirs, self.role));
        Some(Answer {
            key_insight: self.insight.clone(),
            responses: responses.collect(),
            change: change_of_vote(self.first_vote()?, vote, &withdrawn),
            withdrawn,
            recommendation: self.account.recommendation.clone(),
            ..Answer::new(round, key, vote)
        })
    }

    fn unwritten(&self) -> Vec<Finding> {
        unwritten_findings(self.account.review.as_ref(), &self.own, &self.found_too)
    }

    /// The other side's points stand in the exchange in their own order, some of them dropped: `A3` is the third.
    fn responses_to(&self, peer: &Peer) -> Vec<Response> {
        let reply = |finding: &council_protocol::task::PeerFinding| {
            let number: usize = finding
                .id
                .trim_start_matches(|c: char| !c.is_ascii_digit())
                .parse()
                .ok()?;
            let opinion = self
                .theirs
                .get(number.checked_sub(1)?)?
                .last_of(self.role)?;
            // "Agreed" needs no ceremony: whoever agrees has looked at the place that the other names.
            let looked_at = || Evidence {
                path: finding.finding.location.path.clone(),
                line: finding.finding.location.line,
                quote: finding.finding.quote.clone(),
            };
            let agrees = opinion.stance == Stance::Agreed;
            let evidence = opinion.evidence.clone();
            Some(Response {
                to: finding.id.clone(),
                stance: opinion.stance,
                reasoning: opinion.reasoning.clone(),
                evidence: evidence.or_else(|| agrees.then(looked_at)),
            })
        };
        peer.findings.iter().filter_map(reply).collect()
    }

    /// A point that was given up is withdrawn with the evidence that was shown against it; without any it is weak.
    fn withdrawn_points(&self) -> Vec<Withdrawal> {
        let given_up = self
            .own
            .iter()
            .zip(1u32..)
            .filter(|(point, _)| point.is_conceded());
        let withdrawal = |(point, finding): (&PointStanding, u32)| {
            let own = point.last_of(self.role).and_then(|o| o.evidence.clone());
            let shown = point
                .replies
                .iter()
                .rev()
                .filter(|r| r.role != self.role && r.stance != Stance::Agreed);
            Withdrawal {
                finding,
                evidence: own.or_else(|| shown.filter_map(|r| r.evidence.clone()).next()),
            }
        };
        given_up.map(withdrawal).collect()
    }
}

pub(super) fn vote_of_severity(severity: Severity) -> Vote {
    match severity {
        Severity::Critical => Vote::Fail,
        Severity::Significant => Vote::Warn,
        Severity::Minor => Vote::Pass,
    }
}

/// A side that names no vote holds its own points, and those of the other side that it does not reject.
pub(super) fn vote_from(own: &[PointStanding], theirs: &[PointStanding], role: DuelRole) -> Vote {
    let shared = theirs.iter().filter(|point| {
        let last = point.last_of(role);
        last.is_some_and(|opinion| opinion.stance != Stance::Disagreed)
    });
    let held = own.iter().chain(shared);
    let votes = held.map(|point| vote_of_severity(point.finding.severity));
    votes.max().unwrap_or(Vote::Pass)
}

/// The protocol asks for a place and no quote: what stands there is then what is meant. Nor does it ask for a rule, by which a
/// finding is known again, dismissed and explained.
fn completed_point(mut point: PointStanding, source: &mut dyn WrittenSource) -> PointStanding {
    let role = point.id.role;
    with_rule(&mut point.finding, role, source);
    for reply in &mut point.replies {
        if let Some(found) = &mut reply.found {
            with_rule(found, reply.role, source);
        }
    }
    if point.finding.quote.trim().is_empty() {
        point.finding.quote = source.line_at(&point.finding.location).unwrap_or_default();
    }
    point
}

fn with_rule(written: &mut Finding, role: DuelRole, source: &mut dyn WrittenSource) {
    if let Some(own) = source.rule_finding(role, written) {
        written.rule = own.rule;
        written.category = own.category;
        written.reference = own.reference;
    }
}

/// The outcome that an ending leaves of a verdict on what was said.
pub(crate) fn with_ending(
    mut outcome: Outcome,
    ending: DuelEnding,
    transcript: &DebateTranscript,
) -> Outcome {
    outcome.procedure = Some(Procedure::Duel);
    let is_open = [Verdict::Pass, Verdict::Warn].contains(&outcome.verdict);
    let is_spoken = [DuelEnding::Consensus, DuelEnding::Limit].contains(&ending);
    // Both say so: whoever reads WARN would take it for a matter of opinion.
    if is_open && is_spoken && shares_grave_words(transcript) {
        return Outcome {
            verdict: Verdict::Inconclusive,
            reason: VerdictReason::VerdictWithoutFinding,
            ..outcome
        };
    }
    let (verdict, reason) = match ending {
        DuelEnding::Consensus => {
            let says_more = || has_unread(transcript) || has_unexplained_vote(transcript);
            if outcome.verdict != Verdict::Pass || !says_more() {
                return outcome;
            }
            return Outcome {
                verdict: Verdict::Warn,
                reason: VerdictReason::DuelRemark,
                ..outcome
            };
        }
        DuelEnding::Limit if outcome.verdict == Verdict::Pass => {
            (Verdict::Warn, VerdictReason::DuelLimit)
        }
        DuelEnding::Limit => return outcome,
        DuelEnding::TimeoutA | DuelEnding::TimeoutB => {
            (Verdict::Inconclusive, VerdictReason::DuelTimeout)
        }
        DuelEnding::Violation => (Verdict::Inconclusive, VerdictReason::DuelViolation),
    };
    outcome
        .notes
        .push(format!("The duel ended with `{}`.", ending.as_str()));
    Outcome {
        verdict,
        reason,
        ..outcome
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
pub(super) mod tests;
