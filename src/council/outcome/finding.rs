//! What became of the findings.

use council_protocol::answer::{Evidence, Stance};
use council_protocol::{Finding, JudgeId, Proof, RoundNumber, Vote};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::plan::Dismissal;
use super::super::reproduction::SuggestionCheck;

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

/// A vote of an earlier review beside a finding that it left open. It stands as long as the finding does and its judge says
/// nothing else of it: PASS for whoever did not hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingVote {
    pub judge: JudgeId,
    /// The vote that counted, as far as it rested on this finding.
    pub vote: Vote,
    /// A stricter one of its last answer, which did not count for want of evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Vote>,
    /// Whether its judge was not shown the file, or a part of it, where enough others were shown all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
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
    /// How an earlier review voted beside it, where it left the finding open; empty: this one found it, or nobody knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standing_votes: Vec<StandingVote>,
}
