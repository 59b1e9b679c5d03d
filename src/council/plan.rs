//! What a council is convened with. Immutable; part of the journal, so that a run can be replayed.

use std::sync::Arc;

use council_protocol::answer::Contention;
use council_protocol::capability::Grant;
use council_protocol::coverage::Coverage;
use council_protocol::task::Framing;
use council_protocol::{JudgeId, Millis, RepoPath, Seat, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::outcome::JudgedFinding;
use super::reproduction::ProofTerms;
use super::said_problem::SaidProblem;

/// The rules of the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Procedure {
    /// One judge, one round, inline.
    Quick,
    /// N judges, one round; a second where the mode of debate says so.
    Review,
    /// Two rounds of the same live judges.
    Debate,
    /// Three to six councillors, one to four rounds, a final ballot.
    CrossExamination,
    /// Independent production, cross-review, rebuttals while it is contended, a synthesis.
    Staged,
    /// Two sides argue in one file; judged by the rules of a debate.
    Duel,
}

/// Whether R2 runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DebateMode {
    /// Only on a split, or on a critical finding that one judge alone holds.
    Auto,
    /// Always, in the agreed branch too.
    Force,
    /// Never: one round.
    Off,
}

/// How votes and findings become a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConsensusRule {
    /// The worst level of the surviving findings. The default.
    Findings,
    /// By the votes: all PASS → PASS, any FAIL → FAIL, otherwise WARN.
    Strict,
    /// cross-examination and staged debate: unanimous first, then majority.
    Majority,
}

/// What a verdict becomes where the rule leaves a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictPolicy {
    /// Whether a disputed critical finding fails the change; else it warns.
    // The name of plans that were stored before the words of findings changed.
    #[serde(alias = "contested_critical_fails")]
    pub disputed_critical_fails: bool,
    /// Whether PASS on incomplete coverage becomes WARN; else INCONCLUSIVE.
    pub incomplete_coverage_warns: bool,
}

/// How the others' answers reach a judge in R2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "exchange", rename_all = "kebab-case")]
pub enum ExchangeMode {
    /// Vote and path; the judge reads the file.
    Reference,
    /// Whole, under a byte budget; whole findings are dropped, least severe first.
    Inline {
        /// The most bytes of findings that one message carries.
        max_bytes: u64,
    },
}

/// Every wait has a deadline. Milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundTimeouts {
    /// R1, from the moment that all judges were asked for (120 s).
    pub r1_ms: u64,
    /// R2 (90 s).
    pub r2_ms: u64,
    /// Grace of a shutdown (30 s).
    pub shutdown_ms: u64,
    /// Explorers (60 s).
    pub explorer_ms: u64,
    /// The whole run; none: no bound beside the rounds'.
    pub run_ms: Option<Millis>,
}

impl Default for RoundTimeouts {
    fn default() -> Self {
        Self {
            r1_ms: 120_000,
            r2_ms: 90_000,
            shutdown_ms: 30_000,
            explorer_ms: 60_000,
            run_ms: None,
        }
    }
}

/// The random bytes of a run, drawn once when it is planned: keys, fences and shuffles come from it. 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RunSeed(pub String);

/// One seat with what it was granted and what its brief shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSeat {
    pub seat: Seat,
    /// Capabilities requested, granted, emulated.
    pub grant: Grant,
    /// What of the change this judge is shown.
    pub coverage: Arc<Coverage>,
}

/// What a council is convened with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The rules of the rounds.
    pub procedure: Procedure,
    /// Whether R2 runs.
    pub debate: DebateMode,
    /// The rule of the verdict.
    pub consensus: ConsensusRule,
    /// Judges that must count for PASS or WARN to stand.
    pub quorum: u32,
    /// Choices of the rule.
    pub policy: VerdictPolicy,
    /// Who sits, in the order of the configuration.
    pub seats: Vec<PlannedSeat>,
    /// How answers are exchanged.
    pub exchange: ExchangeMode,
    pub timeouts: RoundTimeouts,
    /// The run's random bytes.
    pub seed: RunSeed,
    /// Author, title, messages: sent in R2 only.
    pub framing: Framing,
    /// Degradations decided while planning, in words: they stand in the report.
    pub notes: Vec<String>,
    /// What only some procedures ask for.
    #[serde(default)]
    pub options: ProcedureOptions,
}

/// What only some procedures ask for; every default is the procedure's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProcedureOptions {
    /// What the judges have before them.
    pub subject: DebateSubject,
    /// How many rounds after R1; none: the procedure's own.
    pub rounds: Option<RoundLimits>,
    /// Helpers of each judge in R1 (`--explorers`); 0: none.
    pub explorers: u8,
    /// The model of the helpers; none: that of the judge that asks.
    pub explorer_model: Option<String>,
    /// `cross-examination` one councillor after another and without messages between them (`-e`).
    pub economy: bool,
    /// Whether [`super::Action::Minutes`] come after every round of a `cross-examination` (`--save`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub minutes: bool,
    /// The seat that writes the synthesis of a staged debate and takes no other part; none: over a stage, one of
    /// the judges; over a change, nobody.
    pub synthesizer: Option<JudgeId>,
    /// From which contention on a staged debate goes on, inclusive; none: 0.5.
    pub threshold: Option<Contention>,
    /// Modes that end without a verdict: `brainstorm`, `research`. A stage that is no change has none either.
    pub without_verdict: bool,
    /// The judges' words are written already: nobody can be asked again, and rules take part in every round.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub transcript: bool,
    /// Each answer is bought in a job of its own, and none of them is sent back.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_jobs: bool,
    /// On which terms judges bring tests; none: nobody asks them to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofTerms>,
    /// Findings that people argued away: they are listed and do not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dismissed: Vec<Dismissal>,
    /// Findings of an earlier review that stand unless they are found again: they count as if they had been raised now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<JudgedFinding>,
    /// Files that judges are shown under another name than they have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown_paths: Vec<ShownPath>,
}

/// A file whose name holds what cannot be shown as it is: a tabulator, say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShownPath {
    /// The name as it is shown, and as a judge copies it.
    pub shown: String,
    /// The file, as git has it.
    pub path: RepoPath,
}

/// How much is debated in a staged debate.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Intensity {
    /// 3 to 5 rounds.
    Full,
    /// 2 to 4 rounds.
    Standard,
    /// R1 and synthesis: no cross-review, no contention.
    Light,
}

impl Intensity {
    /// Its rounds and agents.
    pub fn profile(self) -> IntensityProfile {
        let (min_rounds, max_rounds, agents) = match self {
            Self::Full => (3, 5, 3),
            Self::Standard => (2, 4, 3),
            Self::Light => (1, 1, 2),
        };
        IntensityProfile {
            min_rounds,
            max_rounds,
            agents,
        }
    }

    /// The word in settings and flags.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Standard => "standard",
            Self::Light => "light",
        }
    }
}

/// Rounds and agents of an intensity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntensityProfile {
    /// Rounds that always run.
    pub min_rounds: u8,
    /// Rounds after which synthesis is forced.
    pub max_rounds: u8,
    /// Roles that sit.
    pub agents: usize,
}

impl IntensityProfile {
    /// Its rounds as a bound.
    pub fn round_limits(self) -> RoundLimits {
        RoundLimits {
            min: self.min_rounds,
            max: self.max_rounds,
        }
    }
}

/// What the judges have before them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DebateSubject {
    /// A change: when there is nothing of it to review, the verdict is SKIPPED.
    #[default]
    Change,
    /// A plan, a topic or a stage: no changed files.
    Text,
}

/// Sub-turns of one kind (messages of others, questions of the moderator) that a judge is given in a round.
pub const MAX_SUB_TURNS: u8 = 2;

/// Bounds on the number of rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundLimits {
    /// The fewest rounds.
    pub min: u8,
    /// The most rounds.
    pub max: u8,
}

/// Why somebody dismissed a finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DismissalGround {
    /// It is no problem.
    FalsePositive,
    /// It is one, and somebody answers for it.
    #[default]
    AcceptedRisk,
    /// It was one, and is gone.
    Fixed,
}

impl DismissalGround {
    /// The words for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::FalsePositive => "false positive",
            Self::AcceptedRisk => "accepted risk",
            Self::Fixed => "fixed",
        }
    }
}

/// One finding that was argued away. Its fingerprint holds the code around it: where that changes, the finding returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dismissal {
    /// The finding's fingerprint, 16 hex digits.
    pub fingerprint: String,
    /// How bad the finding was that the author saw: one that is worse is not dismissed. None: a line of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// What the problem in the sentence that the author saw was called by its judges, by rule or else by category, in small
    /// letters: a critical one of another kind in the same line is not dismissed. Empty: only what the shown version is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// What the finding said that the author saw: another problem of its line is not dismissed. None: a rule's, or a line of
    /// an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<SaidProblem>,
    /// On which ground.
    pub ground: DismissalGround,
    /// The reason in the author's words. Untrusted text.
    pub because: String,
    /// Who said so, `Name <mail>`. Untrusted text.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}
