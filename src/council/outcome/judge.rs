//! The judges: what they said, what went wrong, and what they make together.

use std::collections::BTreeMap;

use council_protocol::answer::Evidence;
use council_protocol::capability::Grant;
use council_protocol::message::{Ending, Failure, FailureKind, Usage};
use council_protocol::{Confidence, JudgeId, Millis, RepoPath, RoundNumber, Seat, Vote};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

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

/// The models that were shown the same files, of a change that not all of them were shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReaderBench {
    /// Who: only judges that count.
    pub judges: Vec<JudgeId>,
    /// The files that they and nobody else were shown.
    pub files: Vec<RepoPath>,
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
