//! The ledger: what passed between judges. Written by the engine, read by the rules of a procedure and by the report.

use council_protocol::answer::{Ballot, Contention, Evidence};
use council_protocol::task::InterventionKind;
use council_protocol::{Confidence, JudgeId, RoundNumber, Vote};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reproduction::ReproductionRecord;

/// What passed between judges in the rounds after R1.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DebateLedger {
    /// How the others' answers reached the judges; none: they never did.
    pub exchange: Option<ExchangeKind>,
    /// Findings that did not fit the budget of an inline exchange, summed over all messages.
    pub dropped: u32,
    /// The rounds, one after another, where a procedure has more than two.
    pub rounds: Vec<RoundRecord>,
    /// Messages between judges, delivered or not.
    pub messages: Vec<MessageRecord>,
    /// What the moderator did.
    pub interventions: Vec<InterventionRecord>,
    /// Who made fewer challenges than were asked for, and why.
    pub unchallenged: Vec<UnchallengedRecord>,
    /// The final ballots.
    pub ballots: Vec<BallotRecord>,
    /// How clear the council is: high above three quarters and stable, low without a majority or when votes
    /// shifted at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// The contention after each round.
    pub contention: Vec<ContentionRecord>,
    /// The document that came out, outside the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthesis: Option<Synthesis>,
    /// Tests that judges brought, and what came of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reproductions: Vec<ReproductionRecord>,
}

/// One round: who took part, and where everybody stands after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundRecord {
    /// Its number, from 1.
    pub round: RoundNumber,
    /// How many were asked.
    pub asked: u32,
    pub answered: Vec<JudgeId>,
    /// Where each of them stands, before and after.
    pub stands: Vec<JudgeStand>,
    /// Findings that three or more agree on, in their words.
    pub consensus: Vec<String>,
    /// Findings that somebody disputes, in their words.
    pub disputed: Vec<String>,
    /// Whether the final ballots were asked for in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ballots: bool,
}

/// Where one judge stands after a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeStand {
    pub judge: JudgeId,
    /// The vote that counted before; none before R1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Vote>,
    /// The vote that counts now.
    pub after: Vote,
    /// The vote as it was given in this round: another one than `after` where the change was weak.
    pub given: Vote,
    /// As the judge says.
    pub confidence: Confidence,
    /// In its words.
    pub position: String,
    /// Why a change does not count, or empty.
    #[serde(default)]
    pub note: String,
    /// What a change of this round rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Its arguments of this round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
}

/// A message from one judge to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageRecord {
    pub round: RoundNumber,
    pub from: JudgeId,
    pub to: JudgeId,
    pub text: String,
    /// Whether it was passed on: two for each judge and round, to judges that can be reached.
    pub delivered: bool,
}

/// What the moderator did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InterventionRecord {
    pub round: RoundNumber,
    pub kind: InterventionKind,
    /// Who was asked.
    pub to: Vec<JudgeId>,
    /// The point, the challenge, or the question.
    pub about: String,
    /// The challenges that were asked again.
    #[serde(default)]
    pub challenges: Vec<String>,
}

/// A judge that made fewer challenges than were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnchallengedRecord {
    pub round: RoundNumber,
    pub judge: JudgeId,
    /// How many it made.
    pub made: u32,
    /// Its reason; empty: none was given.
    pub reason: String,
}

/// A final ballot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BallotRecord {
    pub judge: JudgeId,
    pub ballot: Ballot,
}

/// How much was disputed after a round, and what followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContentionRecord {
    pub round: RoundNumber,
    /// The score, computed from findings, responses and challenges.
    pub score: Contention,
    pub then: ContentionStep,
}

/// What follows from a contention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContentionStep {
    /// Another round, because it is contended.
    Extended,
    /// Another round, because the minimum is not reached.
    Forced,
    /// Synthesis: it is settled.
    Settled,
    /// Synthesis: the maximum is reached.
    Limit,
}

/// The document of a staged debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Synthesis {
    /// Who wrote it.
    pub judge: JudgeId,
    pub document: String,
    /// The writer's own view of the contention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contention: Option<Contention>,
}

impl DebateLedger {
    /// The document that came out; none: nobody wrote one, or it is empty.
    pub fn document(&self) -> Option<&str> {
        let written = self.synthesis.as_ref()?.document.trim();
        Some(written).filter(|text| !text.is_empty())
    }

    /// Notes one message of an exchange.
    pub(super) fn note_exchange(&mut self, used: ExchangeKind, dropped: u32) {
        self.exchange = match self.exchange {
            Some(before) if before != used => Some(ExchangeKind::Both),
            _ => Some(used),
        };
        self.dropped = self.dropped.saturating_add(dropped);
    }
}

/// How the others' answers reached the judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExchangeKind {
    /// Everybody read files.
    Reference,
    /// Everybody was sent the findings.
    Inline,
    /// Some read files, some were sent the findings.
    Both,
}
