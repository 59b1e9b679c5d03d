//! One report object, one renderer per format.
//!
//! A [`Report`] is made once, from what the council came to and what the run knows of itself; every surface is rendered
//! from it and from nothing else. The headline, the exit code and the conclusion of a check come from one function,
//! [`Report::bottom_line`]. Renderers are pure: width, colour and verbosity are arguments ([`Look`]).

mod bottom_line;
mod council_word;
mod facts;
mod group;
pub mod json;
pub mod judge;
pub mod markdown;
mod page;
pub mod rdjson;
mod receipt;
mod redact;
pub mod sarif;
pub mod story;
pub mod terminal;
mod words;

pub use bottom_line::{BottomLine, CheckConclusion, FailOn, GatePolicy, exit};
pub use facts::{
    BackendFacts, ChangeSize, InputDigests, InstructionFacts, MemoryPlace, Participation, Receipt,
    RecognisedVerdict, ReviewSubject, RunFacts,
};
pub use page::{DisplayOptions, Verbosity};

use council_protocol::packet::{Target, TargetKind};
use council_protocol::task::DebateBranch;
use council_protocol::{Coverage, Finding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::council::Dismissal;
use crate::council::ledger::DebateLedger;
use crate::council::outcome::{
    ChallengeRecord, Disagreement, Disposition, FindingLevel, JudgeRecord, JudgedFinding, Outcome,
    Verdict, VerdictReason,
};
use crate::council::plan::{ConsensusRule, Procedure};

/// The most lines of a document that a report shows; its own file has all of them.
pub(crate) const MAX_DOCUMENT: usize = 2_000;

/// Version that every report carries.
pub const REPORT_VERSION: u32 = 1;

/// Everything that is known at the end of a run: the one object from which every surface is rendered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Always [`REPORT_VERSION`].
    pub schema_version: u32,
    /// The word.
    pub verdict: Verdict,
    /// Why that word.
    pub reason: VerdictReason,
    /// Why in words, where the reason alone does not say it (what was skipped, what broke); may be empty.
    #[serde(default)]
    pub detail: String,
    /// The run was cut short: findings and votes may be missing.
    #[serde(default)]
    pub incomplete: bool,
    /// What was under review.
    pub target: Target,
    /// How much that is.
    pub change: ChangeSize,
    /// The rules of the rounds, as they ran; none when no council was convened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub procedure: Option<Procedure>,
    /// The rule of the verdict; none when no council was convened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus: Option<ConsensusRule>,
    /// Rounds that ran.
    pub rounds: u8,
    /// Which branch R2 took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<DebateBranch>,
    /// R1 was split and R2 unanimous: check for persuasion against anchoring (councils.md 1.16).
    #[serde(default)]
    pub converged: bool,
    /// The findings, worst first; rejected ones last.
    pub findings: Vec<JudgedFinding>,
    /// The judges in seat order: who was asked, what they said, how they ended.
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
    /// Degradations and fallbacks in words.
    #[serde(default)]
    pub notes: Vec<String>,
    /// How it came about.
    pub receipt: Receipt,
}

impl Report {
    /// A report of what a council came to.
    ///
    /// Secrets that a judge quoted are replaced. A run that was cut short is FAIL or INCONCLUSIVE, whatever the outcome says.
    pub fn new(mut outcome: Outcome, subject: ReviewSubject, run: RunFacts) -> Self {
        redact::redact_outcome(&mut outcome);
        let cut_short = run.cut_short.map(VerdictReason::from);
        let cut_short = cut_short.or(Some(outcome.reason).filter(|reason| reason.is_cut_short()));
        let (verdict, reason) = match (outcome.verdict, cut_short) {
            (Verdict::Fail, _) | (_, None) => (outcome.verdict, outcome.reason),
            (_, Some(cause)) => (Verdict::Inconclusive, cause),
        };
        Self {
            schema_version: REPORT_VERSION,
            verdict,
            reason,
            detail: String::new(),
            incomplete: cut_short.is_some(),
            target: subject.target,
            change: subject.change,
            procedure: Some(outcome.procedure),
            consensus: Some(outcome.consensus),
            rounds: outcome.rounds,
            branch: outcome.branch,
            converged: outcome.converged,
            receipt: Receipt::new(
                run,
                subject.instructions,
                Participation::of(&outcome.judges, outcome.quorum),
                &outcome.judges,
            ),
            findings: outcome.findings,
            judges: outcome.judges,
            disagreements: outcome.disagreements,
            challenges: outcome.challenges,
            ledger: outcome.ledger,
            coverage: outcome.coverage,
            notes: outcome.notes,
        }
    }

    /// A report of a run that convened nobody because there was nothing to review. `why` says so in words.
    pub fn skipped(
        subject: ReviewSubject,
        coverage: Coverage,
        reason: VerdictReason,
        why: impl Into<String>,
        run: RunFacts,
    ) -> Self {
        Self {
            schema_version: REPORT_VERSION,
            verdict: Verdict::Skipped,
            reason,
            detail: why.into(),
            incomplete: false,
            target: subject.target,
            change: subject.change,
            procedure: None,
            consensus: None,
            rounds: 0,
            branch: None,
            converged: false,
            findings: Vec::new(),
            judges: Vec::new(),
            disagreements: Vec::new(),
            challenges: Vec::new(),
            ledger: DebateLedger::default(),
            coverage,
            notes: Vec::new(),
            receipt: Receipt::new(run, subject.instructions, Participation::default(), &[]),
        }
    }

    /// The findings that weigh: at least WARN.
    pub fn weighty_findings(&self) -> impl Iterator<Item = &JudgedFinding> {
        self.findings
            .iter()
            .filter(|f| f.level.is_some_and(|level| level > FindingLevel::Note))
    }

    /// The findings that are listed only.
    pub fn note_findings(&self) -> impl Iterator<Item = &JudgedFinding> {
        self.findings
            .iter()
            .filter(|f| f.level == Some(FindingLevel::Note))
    }

    /// The findings that do not count: their quote is not there, or they were withdrawn.
    pub fn rejected_findings(&self) -> impl Iterator<Item = &JudgedFinding> {
        self.findings
            .iter()
            .filter(|f| f.dismissed.is_none())
            .filter(|f| f.level.is_none() || f.disposition == Disposition::Rejected)
    }

    /// The findings that somebody argued away, each with its dismissal.
    pub fn dismissed_findings(&self) -> impl Iterator<Item = (&JudgedFinding, &Dismissal)> {
        self.findings
            .iter()
            .filter_map(|f| Some((f, f.dismissed.as_ref()?)))
    }

    /// Whether a document was asked for, and no verdict: a stage, a brainstorm, research (seeds 002 and 003).
    pub fn is_document(&self) -> bool {
        let kinds = [TargetKind::Topic, TargetKind::File, TargetKind::Stage];
        self.procedure == Some(Procedure::Staged) && kinds.contains(&self.target.kind)
    }

    /// The judges that were asked and do not count. Whoever only puts a document together is asked nothing before.
    fn abstained_judges(&self) -> impl Iterator<Item = &JudgeRecord> {
        let asked = |j: &&JudgeRecord| !self.is_document() || !j.failures.is_empty();
        let absent = self.judges.iter().filter(|j| j.counted.is_none());
        absent.filter(asked)
    }

    /// The judges that changed their vote, or wanted to.
    pub fn moved_judges(&self) -> impl Iterator<Item = &JudgeRecord> {
        self.judges.iter().filter(|j| j.change.is_some())
    }

    /// The day of the run, `YYYY-MM-DD`.
    pub fn date(&self) -> &str {
        let started = &self.receipt.run.started;
        started.get(..10).unwrap_or(started)
    }
}

/// The id under which formats with rules list a finding: its rule, else its category.
fn rule_of(finding: &Finding) -> String {
    let id = finding.rule.as_deref().unwrap_or(&finding.category);
    let id: String = id
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "-_./".contains(*c))
        .take(64)
        .collect();
    if id.is_empty() {
        "finding".to_owned()
    } else {
        id
    }
}

#[cfg(test)]
mod tests;
