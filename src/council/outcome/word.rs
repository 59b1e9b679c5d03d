//! The word of a council, and the reason beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// How far it is from a pass. INCONCLUSIVE is worse than WARN: it does not let a change in.
    pub fn distance_from_pass(self) -> u8 {
        match self {
            Self::Pass | Self::Skipped => 0,
            Self::Warn => 1,
            Self::Inconclusive => 2,
            Self::Fail => 3,
        }
    }

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
    /// The votes of an earlier review over findings that are still open decided: their judges are silent this time.
    StandingObjection,
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

impl VerdictReason {
    /// Whether votes decided, and no finding says why by itself.
    pub fn is_by_votes(self) -> bool {
        matches!(
            self,
            Self::Votes | Self::StandingObjection | Self::VerdictWithoutFinding
        )
    }

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
            Self::StandingObjection => "standing-objection",
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
