//! What a council comes to: the engine's part of the report.

mod finding;
mod judge;
mod word;

use council_protocol::answer::Stance;
use council_protocol::coverage::Coverage;
use council_protocol::task::DebateBranch;
use council_protocol::{JudgeId, RoundNumber, Severity, Vote};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ledger::DebateLedger;
use super::plan::{ConsensusRule, Procedure};

pub use finding::{Disposition, FindingLevel, FindingMember, JudgedFinding, Opinion, StandingVote};
pub use judge::{
    HEARD_RULES, JudgeRecord, PositionChange, ReaderBench, ReviewedBy, RoundFailure, is_lost,
};
pub use word::{Verdict, VerdictReason};

/// Two positions that no rule may average away: a flag beside the verdict, never another word of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Disagreement {
    pub kind: DisagreementKind,
    /// The finding it is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<String>,
    /// The positions in words, one per judge or vendor.
    pub positions: Vec<String>,
}

/// Kinds of disagreement.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum DisagreementKind {
    /// One vendor's judges PASS what another's FAIL.
    CrossVendor,
    /// A critical finding is disputed or unconfirmed.
    Critical,
    /// A significant finding is disputed or unconfirmed.
    Significant,
}

/// A question from one judge to another and what became of it: every challenge is answered, or recorded as evaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChallengeRecord {
    /// `C1`, `C2`, … in the order in which they were made.
    pub id: String,
    /// The round in which it was made.
    pub round: RoundNumber,
    pub from: JudgeId,
    /// Who was asked, by name and not by the label of the exchange.
    pub to: JudgeId,
    /// The specific claim.
    pub claim: String,
    pub question: String,
    /// What was answered; none: nothing so far, or nobody was asked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Asked again and still unanswered.
    #[serde(default)]
    pub evaded: bool,
    /// How often it was put to its judge.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub asked: u32,
}

fn is_zero(times: &u32) -> bool {
    *times == 0
}

/// Everything that the engine knows at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    pub verdict: Verdict,
    /// Why that word.
    pub reason: VerdictReason,
    /// The rules of the rounds, as they ran; none when no council was convened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub procedure: Option<Procedure>,
    /// The rule of the verdict; none when no council was convened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus: Option<ConsensusRule>,
    /// Rounds that ran.
    pub rounds: u8,
    /// Who gave the answers that count: rules, models, or both.
    #[serde(default)]
    pub reviewed_by: ReviewedBy,
    /// Judges that counted.
    #[serde(default)]
    pub counted: u32,
    /// Judges that had to.
    #[serde(default)]
    pub quorum: u32,
    /// Which branch R2 took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<DebateBranch>,
    /// R1 was split and R2 unanimous: persuasion, or anchoring: a reader should check which.
    #[serde(default)]
    pub converged: bool,
    /// The findings, worst first; rejected ones last.
    pub findings: Vec<JudgedFinding>,
    /// The judges in their order: who was asked, what they said, how they ended.
    pub judges: Vec<JudgeRecord>,
    /// What stands against what.
    #[serde(default)]
    pub disagreements: Vec<Disagreement>,
    /// Challenges of the later rounds, in order.
    #[serde(default)]
    pub challenges: Vec<ChallengeRecord>,
    /// What was exchanged, asked and answered between judges.
    #[serde(default)]
    pub ledger: DebateLedger,
    /// What a quorum saw.
    pub coverage: Coverage,
    /// The models that were shown the same files, where a change is larger than a brief and its files are spread over them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benches: Vec<ReaderBench>,
    /// Degradations and fallbacks in words.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Whether findings say over what a judge objects, be they refuted or dismissed by now: its own, and those of others with
/// which it agrees, with evidence. No finding that is milder than its vote does.
pub(crate) fn says_over_what(findings: &[JudgedFinding], judge: &JudgeId, vote: Vote) -> bool {
    let least = match vote {
        Vote::Fail => Severity::Critical,
        Vote::Warn | Vote::Pass => Severity::Significant,
    };
    let agrees =
        |said: &Opinion| said.judge == *judge && said.stance == Stance::Agreed && said.resolves;
    let holds = |found: &JudgedFinding| {
        let mut members = found.members.iter();
        members.any(|m| m.judge == *judge && m.finding.severity >= least)
            || found.opinions.iter().any(agrees)
    };
    let mut telling = findings.iter().filter(|f| f.finding.severity >= least);
    telling.any(holds)
}

impl Outcome {
    /// Whether a rule or a tool objects, and no finding of its says over what.
    pub fn has_unplaced_objection(&self) -> bool {
        let rules = self.judges.iter().filter(|j| j.seat.agent.deterministic);
        let mut objecting = rules.filter(|j| j.counted > Some(Vote::Pass));
        objecting.any(|j| {
            j.unplaced > Some(Vote::Pass)
                || !says_over_what(&self.findings, &j.seat.judge, Vote::Warn)
        })
    }

    /// Whether a judge objects, in whatever answer, and no finding of its that is as bad as its vote says over what.
    pub fn has_objection_without_finding(&self) -> bool {
        let objection = |vote: Option<Vote>| vote.filter(|vote| *vote > Vote::Pass);
        self.judges.iter().any(|j| {
            let counted = objection(j.counted);
            objection(j.unplaced.max(j.lost_vote)).is_some()
                || counted.is_some_and(|vote| !says_over_what(&self.findings, &j.seat.judge, vote))
        })
    }

    /// Whether more than half of the models vote WARN or FAIL, over the change as a whole.
    pub fn most_models_object(&self) -> bool {
        let models = self.judges.iter().filter(|j| !j.seat.agent.deterministic);
        let votes: Vec<Vote> = models
            .filter_map(|j| Some(j.counted?.max(j.r2.unwrap_or(Vote::Pass))))
            .collect();
        let objecting = votes.iter().filter(|vote| **vote > Vote::Pass).count();
        objecting * 2 > votes.len()
    }

    /// Nobody was convened, because there was nothing to review.
    pub fn skipped(reason: VerdictReason, coverage: Coverage) -> Self {
        Self {
            verdict: Verdict::Skipped,
            reason,
            procedure: None,
            consensus: None,
            rounds: 0,
            reviewed_by: ReviewedBy::Nobody,
            counted: 0,
            quorum: 0,
            branch: None,
            converged: false,
            findings: Vec::new(),
            judges: Vec::new(),
            disagreements: Vec::new(),
            challenges: Vec::new(),
            ledger: DebateLedger::default(),
            coverage,
            benches: Vec::new(),
            notes: Vec::new(),
        }
    }
}
