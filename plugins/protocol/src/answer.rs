//! What a judge returns in a round. One family; later rounds add fields.

use crate::RoundNumber;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RepoPath;
pub use crate::ballot::{Ballot, BallotVote};
use crate::reproduction::Reproduction;

/// What one judge says. Only the program can say INCONCLUSIVE or SKIPPED.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Vote {
    /// Nothing stands against the change.
    Pass,
    /// It may go in, but something should be looked at.
    Warn,
    /// It must not go in as it is.
    Fail,
}

impl Vote {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Warn => "WARN",
            Self::Fail => "FAIL",
        }
    }
}

/// How sure a judge says it is: reported, never weighed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Confidence {
    /// The judge would not be surprised to be wrong.
    Low,
    /// The judge thinks it is right.
    Medium,
    /// The judge has checked and is sure.
    High,
}

/// How bad a finding is. Ordered: minor < significant < critical.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth a note.
    Minor,
    /// Worth a warning when it is confirmed.
    Significant,
    /// Fails the change when it is confirmed.
    Critical,
}

impl Severity {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minor => "minor",
            Self::Significant => "significant",
            Self::Critical => "critical",
        }
    }
}

/// Where a finding is, on the reviewed side.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Location {
    /// The path of the file.
    pub path: RepoPath,
    /// First line, from 1; 0 for a finding about the file as a whole.
    pub line: u32,
    /// Last line, when there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
}

/// One claimed problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A short class, e.g. `injection`; for a built-in judge its rule's group.
    #[serde(default)]
    pub category: String,
    /// The rule that found it, for judges that have rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The problem in a sentence or two.
    pub description: String,
    /// Where the problem stands.
    pub location: Location,
    /// Text copied from the reviewed file at that place, one or more whole or partial lines. Empty only for a finding
    /// about the file as a whole (line 0).
    #[serde(default)]
    pub quote: String,
    /// Why it is a problem.
    #[serde(default = "no_cause")]
    pub why: String,
    /// What to do about it.
    #[serde(default)]
    pub fix: String,
    /// Replacement text for exactly the lines of `location`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// A document, rule page or place that backs the finding.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// What stands for a missing `why`: an answer is not lost for one field.
pub const NO_CAUSE: &str = "No root cause specified";

fn no_cause() -> String {
    NO_CAUSE.to_owned()
}

/// Text that the program can find again: without it nothing a judge claims counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The file, of the packet or of the reviewed tree.
    pub path: RepoPath,
    /// The line, from 1.
    pub line: u32,
    /// Text copied from there.
    pub quote: String,
}

/// What a judge thinks of a point of another.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Stance {
    /// No further discussion needed.
    Agreed,
    /// In part, with reasons.
    PartiallyAgreed,
    /// Not, with reasons.
    Disagreed,
}

/// A reaction to one finding of another judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// The finding's id as it was shown, e.g. `A1` (first finding of Judge A).
    pub to: String,
    /// Whether the judge agrees.
    pub stance: Stance,
    /// Why the judge thinks so.
    pub reasoning: String,
    /// What the judge found itself when it looked; counts only where it resolves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// How a later finding relates to what the others said.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Tag {
    /// Same as another's.
    Same,
    /// Nobody had it.
    New,
    /// Looked for and not reproduced, or disagreed with.
    NotReproduced,
}

/// A finding that a judge reports in a later round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndependentFinding {
    /// How it relates to the others'.
    pub tag: Tag,
    /// The finding itself.
    pub finding: Finding,
}

/// A finding of its own that a judge takes back; needs evidence that resolves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withdrawal {
    /// Number of the finding in the judge's own R1 answer, from 1.
    pub finding: u32,
    /// What it had missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// A question that another judge must answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Challenge {
    /// To whom: a peer's label (`A`) or a councillor's role.
    pub to: String,
    /// The specific claim.
    pub claim: String,
    /// What the other judge must answer.
    pub question: String,
}

/// The answer to a challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChallengeAnswer {
    /// The challenge's id, e.g. `C3`.
    pub challenge: String,
    /// What the judge says to it.
    pub response: String,
}

/// A changed vote and what the judge had missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The earlier vote.
    pub from: Vote,
    /// The new one.
    pub to: Vote,
    /// What was missed; without it the change is weak and the earlier vote stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// A message from one judge to another, routed by the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PeerMessage {
    /// A peer's label or role.
    pub to: String,
    /// What the message says.
    pub text: String,
}

/// A question to one other councillor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The role asked.
    pub to: String,
    /// What the other councillor is asked.
    pub text: String,
}

/// How much of a debate is still disputed, from 0 to 1 in steps of a thousandth.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "f64", into = "f64")]
pub struct Contention(u16);

impl Contention {
    /// A debate goes on at this share of disputed points or more.
    pub const THRESHOLD: Self = Self(500);

    /// So many of so many; nothing of nothing is 0.
    pub fn share(part: u64, whole: u64) -> Self {
        let thousandths = part
            .min(whole)
            .saturating_mul(1_000)
            .checked_div(whole)
            .unwrap_or(0);
        Self(u16::try_from(thousandths).unwrap_or(1_000))
    }

    /// From 0 to 1.
    pub fn score(self) -> f64 {
        f64::from(self.0) / 1_000.0
    }
}

impl TryFrom<f64> for Contention {
    type Error = &'static str;

    fn try_from(score: f64) -> Result<Self, Self::Error> {
        if (0.0..=1.0).contains(&score) {
            Ok(Self((score * 1_000.0).round() as u16))
        } else {
            Err("a contention is a number from 0 to 1")
        }
    }
}

impl From<Contention> for f64 {
    fn from(contention: Contention) -> Self {
        contention.score()
    }
}

impl JsonSchema for Contention {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Contention".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

/// What a judge returns in a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// What the judge thought before it decided anything: a model that votes first only defends its vote afterwards.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub analysis: String,
    /// The version of this form, which is 1.
    pub schema_version: u32,
    /// The round it answers, from 1.
    pub round: RoundNumber,
    /// The one-time key of this seat and round, echoed.
    pub key: String,
    /// The vote on the whole change.
    pub verdict: Vote,
    /// How sure the judge says it is.
    pub confidence: Confidence,
    /// The most important point, in one sentence.
    pub key_insight: String,
    /// The problems found.
    // What a model calls them instead must not be taken for an answer without any.
    #[serde(default, alias = "issues", alias = "problems", alias = "finding")]
    pub findings: Vec<Finding>,
    /// The worst vote that results of a tool come to which have no place in the change. The program sets it: a tool's
    /// report is translated into an answer, and a result without a place is no finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub unplaced: Option<Vote>,
    /// Changed files of which a tool says that it did not read them, or not as a whole. The program sets it, too: that the
    /// tool reports nothing there says nothing of what it had found there before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub files_unread: Vec<RepoPath>,
    /// What to do.
    #[serde(default)]
    pub recommendation: String,
    /// The judge's own position in two or three sentences, at the end of its R1 answer; quoted back to it in R2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restatement: Option<String>,
    /// Reactions to the others' findings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub responses: Vec<Response>,
    /// Findings first reported in a later round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub independent_findings: Vec<IndependentFinding>,
    /// Own findings taken back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<Withdrawal>,
    /// Tests about findings, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reproductions: Vec<Reproduction>,
    /// Challenges to others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub challenges: Vec<Challenge>,
    /// Why there is nothing to challenge in what the others hold, where challenges were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_challenge: Option<String>,
    /// Answers to challenges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<ChallengeAnswer>,
    /// The best case for the position that the judge does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steel_man: Option<String>,
    /// A changed vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// Messages to other judges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<PeerMessage>,
    /// Questions for explorers (R1 only).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explore: Vec<String>,
    /// A councillor's position in a sentence or two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// A councillor's arguments, three to five.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// A councillor's question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// A councillor's final ballot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ballot: Option<Ballot>,
    /// The document of a stage role or synthesizer, Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// A synthesizer's own view of how much is still disputed; recorded beside the computed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contention: Option<Contention>,
}

impl Answer {
    /// An answer with the given vote and nothing else.
    pub fn new(round: impl Into<RoundNumber>, key: impl Into<String>, verdict: Vote) -> Self {
        Self {
            analysis: String::new(),
            schema_version: crate::ANSWER_VERSION,
            round: round.into(),
            key: key.into(),
            verdict,
            confidence: Confidence::High,
            key_insight: String::new(),
            findings: Vec::new(),
            unplaced: None,
            files_unread: Vec::new(),
            recommendation: String::new(),
            restatement: None,
            responses: Vec::new(),
            independent_findings: Vec::new(),
            withdrawn: Vec::new(),
            reproductions: Vec::new(),
            challenges: Vec::new(),
            no_challenge: None,
            answers: Vec::new(),
            steel_man: None,
            change: None,
            messages: Vec::new(),
            explore: Vec::new(),
            position: None,
            arguments: Vec::new(),
            question: None,
            ballot: None,
            document: None,
            contention: None,
        }
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
