//! What a council comes to: the engine's part of the report.

use std::collections::BTreeMap;

use council_protocol::answer::{Evidence, Stance};
use council_protocol::capability::Grant;
use council_protocol::coverage::Coverage;
use council_protocol::message::{Ending, Failure, FailureKind, Usage};
use council_protocol::task::DebateBranch;
use council_protocol::{
    Confidence, Finding, JudgeId, Millis, Proof, RepoPath, RoundNumber, Seat, Severity, Vote,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::ledger::DebateLedger;
use super::plan::{ConsensusRule, Dismissal, Procedure};
use super::reproduction::SuggestionCheck;

/// The one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// A quorum saw everything and nothing stands against it.
    Pass,
    /// It may go in; something should be looked at.
    Warn,
    /// It must not go in.
    Fail,
    /// Nobody can say: too few judges, too little coverage, or the run was cut short.
    Inconclusive,
    /// There was nothing to review.
    Skipped,
}

impl Verdict {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Warn => "WARN",
            Self::Fail => "FAIL",
            Self::Inconclusive => "INCONCLUSIVE",
            Self::Skipped => "SKIPPED",
        }
    }
}

/// The machine-readable reason beside the verdict.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictReason {
    /// No finding is left.
    NoFindings,
    /// A significant finding that nobody confirmed, and nothing worse.
    SignificantUnconfirmed,
    /// Only findings that are worth a note.
    NotesOnly,
    /// A critical finding is confirmed.
    #[serde(alias = "critical-carried")]
    CriticalConfirmed,
    /// A critical finding is disputed.
    #[serde(alias = "critical-contested")]
    CriticalDisputed,
    /// A critical finding with less support than the number of judges asks for.
    #[serde(alias = "critical-unproven")]
    CriticalUnconfirmed,
    /// A significant finding is confirmed.
    #[serde(alias = "significant-carried")]
    SignificantConfirmed,
    /// A judge votes FAIL and no finding of it survives. Inconclusive where every model does so.
    VerdictWithoutFinding,
    /// `strict` or `majority`: the votes decided.
    Votes,
    /// Fewer judges counted than the quorum.
    BelowQuorum,
    /// Changed files were not seen by a quorum.
    IncompleteCoverage,
    /// Quotes could not be searched, so that findings may be missing.
    UncheckedEvidence,
    /// A built-in judge gave no answer, so that its rules did not look.
    RulesAbstained,
    /// A question was debated, and fewer final ballots were cast than the quorum.
    MissingBallots,
    /// The run was interrupted.
    Interrupted,
    /// The run's deadline passed.
    Deadline,
    /// The backend broke down.
    BackendLost,
    /// The target is empty.
    NothingToReview,
    /// Every changed file is skipped by a trusted glob.
    AllSkipped,
    /// A document was to come out of the debate, and nobody wrote it.
    NoSynthesis,
    /// What was debated asks for no verdict: a stage, a brainstorm, a piece of research.
    NoVerdict,
    /// Another review has failed this very commit on the forge, and nobody has argued that away.
    CommitFailed,
    /// A duel used up its rounds with points open.
    DuelLimit,
    /// A side of a duel wrote what is neither vote, point nor reply, or a point without a place.
    DuelRemark,
    /// A side of a duel did not answer in time.
    DuelTimeout,
    /// A side of a duel gave no more section.
    DuelBrokenOff,
    /// A side of a duel broke the protocol.
    DuelViolation,
}

impl VerdictReason {
    /// Why a judge of a run that ended so has no answer, where it did not fail by itself: nobody did anything wrong.
    pub fn silence(self) -> &'static str {
        match self {
            Self::Interrupted => "the run was interrupted before an answer came",
            Self::Deadline => "the run's time was over before an answer came",
            Self::BackendLost => "the backend broke down before an answer came",
            _ => "no answer",
        }
    }
}

/// Whether a judge was lost to the machine, the network, the clock or its provider: whoever asks it again may be answered.
/// What a judge said, and what it did wrong itself, stays.
pub fn is_lost(kind: FailureKind) -> bool {
    use FailureKind::{Died, Provider, Quota, Spawn, Timeout};
    matches!(kind, Spawn | Timeout | Died | Quota | Provider)
}

impl JudgeRecord {
    /// The failure that tells why the judge has no answer; none: it was asked to end, or nothing is known of it.
    pub fn own_failure(&self) -> Option<&RoundFailure> {
        let last = self.failures.last();
        last.filter(|failed| failed.failure.kind != FailureKind::Cancelled)
    }
}

/// Who read the change. Rules match patterns; that nothing matched is no review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewedBy {
    /// No judge gave an answer that counts.
    #[default]
    Nobody,
    /// Built-in rules and tools alone: no reviewer read this change.
    Rules,
    /// Models, and no rules.
    Models,
    /// Rules and models.
    Both,
}

impl VerdictReason {
    /// Whether the run ended before the council had decided.
    pub fn is_cut_short(self) -> bool {
        matches!(self, Self::Interrupted | Self::Deadline | Self::BackendLost)
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoFindings => "no-findings",
            Self::SignificantUnconfirmed => "significant-unconfirmed",
            Self::NotesOnly => "notes-only",
            Self::CriticalConfirmed => "critical-confirmed",
            Self::CriticalDisputed => "critical-disputed",
            Self::CriticalUnconfirmed => "critical-unconfirmed",
            Self::SignificantConfirmed => "significant-confirmed",
            Self::VerdictWithoutFinding => "verdict-without-finding",
            Self::Votes => "votes",
            Self::BelowQuorum => "below-quorum",
            Self::IncompleteCoverage => "incomplete-coverage",
            Self::UncheckedEvidence => "unchecked-evidence",
            Self::RulesAbstained => "rules-abstained",
            Self::MissingBallots => "missing-ballots",
            Self::Interrupted => "interrupted",
            Self::Deadline => "deadline",
            Self::BackendLost => "backend-lost",
            Self::NothingToReview => "nothing-to-review",
            Self::AllSkipped => "all-skipped",
            Self::NoSynthesis => "no-synthesis",
            Self::NoVerdict => "no-verdict",
            Self::CommitFailed => "commit-failed",
            Self::DuelLimit => "duel-limit",
            Self::DuelRemark => "duel-remark",
            Self::DuelTimeout => "duel-timeout",
            Self::DuelBrokenOff => "duel-broken-off",
            Self::DuelViolation => "duel-violation",
        }
    }
}

impl ReviewedBy {
    /// What so many judges that count make together: whether each is a rule. The only place that decides it.
    pub fn counting_rules(judges: impl IntoIterator<Item = bool>) -> Self {
        let (mut rules, mut models) = (false, false);
        for is_rule in judges {
            rules |= is_rule;
            models |= !is_rule;
        }
        match (rules, models) {
            (true, true) => Self::Both,
            (true, false) => Self::Rules,
            (false, true) => Self::Models,
            (false, false) => Self::Nobody,
        }
    }

    /// The same of records.
    pub fn of_records(judges: &[JudgeRecord]) -> Self {
        let counted = judges.iter().filter(|j| j.counted.is_some());
        Self::counting_rules(counted.map(|j| j.seat.agent.deterministic))
    }
}

/// What became of a finding.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Disposition {
    /// It has the support that the number of judges asks for, or every judge holds it with evidence, or a rule found it.
    #[serde(alias = "carried")]
    Confirmed,
    /// It has less support, and somebody refuted it with evidence that was found.
    #[serde(alias = "contested")]
    Disputed,
    /// It has less support, nobody refuted it, and its quote is real.
    #[serde(alias = "unproven")]
    Unconfirmed,
    /// Its quote is not there, or it was withdrawn with evidence and nobody else holds it.
    Rejected,
}

/// What a finding does to the verdict. Ordered: note < warn < fail.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FindingLevel {
    /// It is listed and changes nothing.
    Note,
    /// At least WARN.
    Warn,
    /// It alone makes the verdict FAIL.
    Fail,
}

/// One judge's version of a finding, verbatim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingMember {
    pub judge: JudgeId,
    /// In which round it was raised.
    pub round: RoundNumber,
    /// The finding as the judge gave it.
    pub finding: Finding,
    /// What the search for its quote found.
    pub proof: Proof,
    /// Whether it was withdrawn with evidence.
    #[serde(default)]
    pub withdrawn: bool,
    /// What the finding is called where this version of it stands by itself, which is of another kind than what is shown;
    /// none: it is of the kind that is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// What another judge said of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Opinion {
    pub judge: JudgeId,
    pub stance: Stance,
    pub reasoning: String,
    /// What it points to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Whether that evidence was found.
    #[serde(default)]
    pub resolves: bool,
}

/// Findings that mean the same, with what became of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedFinding {
    /// `F1`, `F2`, … in the order of the report: worst first, then path and line.
    pub id: String,
    /// Stable over line shifts: category or rule, path, normalised context. 16 hex digits.
    pub fingerprint: String,
    /// The version that is shown: the worst verified one, its line as proven.
    pub finding: Finding,
    /// What became of it.
    pub disposition: Disposition,
    /// What it does to the verdict; none for a rejected or dismissed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<FindingLevel>,
    /// Who argued it away, and why; none: nobody. It is listed and does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dismissed: Option<Dismissal>,
    /// The commit of an earlier review that found it, as hex, where it still stands and this review did not raise it again;
    /// none: this review found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Every judge's version, verbatim.
    pub members: Vec<FindingMember>,
    /// What others said of it.
    #[serde(default)]
    pub opinions: Vec<Opinion>,
    /// Whether it is disputed by a judge's test and by nothing else: that takes no votes from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disputed_by_test: bool,
    /// Whether its suggestion mends what a judge's test proved; none: nobody tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion_check: Option<SuggestionCheck>,
}

/// A changed vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PositionChange {
    /// The R1 vote.
    pub from: Vote,
    /// The later vote as it was given.
    pub to: Vote,
    /// No evidence that resolves: the R1 vote stands.
    pub weak: bool,
    /// What was said to have been missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Why it is weak, or empty.
    #[serde(default)]
    pub note: String,
}

/// A failure in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundFailure {
    /// The round; 0: while it was seated.
    pub round: RoundNumber,
    pub failure: Failure,
}

/// One line of the receipt: a judge, from its start to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeRecord {
    pub seat: Seat,
    /// Requested, granted, emulated.
    pub grant: Grant,
    /// Whether it was seated.
    pub started: bool,
    /// The vote of R1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r1: Option<Vote>,
    /// The vote of the last later round, as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r2: Option<Vote>,
    /// The vote that counts; none: an abstention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Vote>,
    /// As the judge said; never weighed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Its sentence of R1.
    #[serde(default)]
    pub first_insight: String,
    /// Its sentence of the last round that it answered.
    #[serde(default)]
    pub key_insight: String,
    #[serde(default)]
    pub recommendation: String,
    /// Its restatement before R2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restatement: Option<String>,
    /// Its best case for the other side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steel_man: Option<String>,
    /// A changed vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<PositionChange>,
    /// What went wrong.
    #[serde(default)]
    pub failures: Vec<RoundFailure>,
    /// What it objected in an answer that does not count (it could not be read, or was replaced by a milder one), where no
    /// later answer says it again: its vote; FAIL for a critical finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_vote: Option<Vote>,
    /// The vote that a tool's results come to which have no place in the change: no finding says them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unplaced: Option<Vote>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// What it cost, summed where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The same by round.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "usage_by_round"
    )]
    pub usage_by_round: BTreeMap<RoundNumber, Usage>,
    /// When its last answer came, in milliseconds since the run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_ms: Option<Millis>,
}

impl JudgeRecord {
    /// Whether it said, in an answer that does not count, that something is wrong.
    pub fn objects_unread(&self) -> bool {
        self.lost_vote > Some(Vote::Pass)
    }

    /// Whether these are the built-in rules that sat on no seat and were heard all the same.
    pub fn is_heard_rules(&self) -> bool {
        let seat = &self.seat;
        let is_unseated = seat.judge.as_str() == HEARD_RULES && seat.perspective.name.is_empty();
        is_unseated && seat.agent.deterministic
    }
}

/// What the built-in rules are called where they sat on no seat and are heard all the same.
pub const HEARD_RULES: &str = "rules";

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

/// The models that were shown the same files, of a change that not all of them were shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReaderBench {
    /// Who: only judges that count.
    pub judges: Vec<JudgeId>,
    /// The files that they and nobody else were shown.
    pub files: Vec<RepoPath>,
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

/// Whether findings of a judge say over what it objects, be they refuted or dismissed by now.
pub(crate) fn says_over_what(findings: &[JudgedFinding], judge: &JudgeId) -> bool {
    let mut members = findings.iter().flat_map(|found| &found.members);
    members.any(|m| m.judge == *judge && m.finding.severity > Severity::Minor)
}

impl Outcome {
    /// Whether a rule or a tool objects, and no finding of its says over what.
    pub fn has_unplaced_objection(&self) -> bool {
        let rules = self.judges.iter().filter(|j| j.seat.agent.deterministic);
        let mut objecting = rules.filter(|j| j.counted > Some(Vote::Pass));
        objecting.any(|j| {
            j.unplaced > Some(Vote::Pass) || !says_over_what(&self.findings, &j.seat.judge)
        })
    }

    /// Whether a judge objects, in whatever answer, and no finding of its says over what.
    pub fn has_objection_without_finding(&self) -> bool {
        let objects = |vote: Option<Vote>| vote > Some(Vote::Pass);
        self.judges.iter().any(|j| {
            objects(j.unplaced)
                || objects(j.lost_vote)
                || objects(j.counted) && !says_over_what(&self.findings, &j.seat.judge)
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

/// The numbers of rounds are names in JSON. Inside of a flattened object serde reads names as text only, so they are
/// parsed here.
fn usage_by_round<'de, D: Deserializer<'de>>(
    json: D,
) -> Result<BTreeMap<RoundNumber, Usage>, D::Error> {
    let named = BTreeMap::<String, Usage>::deserialize(json)?;
    let numbered = named.into_iter().map(|(round, usage)| {
        let round = round.parse().map(RoundNumber);
        let round = round.map_err(serde::de::Error::custom)?;
        Ok((round, usage))
    });
    numbered.collect()
}
