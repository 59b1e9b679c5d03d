//! The report itself.

use council_protocol::packet::{Target, TargetKind};
use council_protocol::{Coverage, JudgeId};
use council_secrets::Redactor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::council::Dismissal;
use crate::council::outcome::{
    Disposition, FindingLevel, JudgeRecord, JudgedFinding, Outcome, ReviewedBy, Verdict,
    VerdictReason,
};
use crate::council::plan::Procedure;
use crate::council::reproduction::ReproductionStanding;
use crate::report::bottom_line::{FailOn, GatePolicy};
use crate::report::facts::{
    ChangeSize, DUEL_BACKEND, Participation, Receipt, ReviewSubject, RunFacts,
};
use crate::report::lapsed::{LapsedDismissal, came_back};
use crate::report::redact;
use crate::report::source::ReportSource;

/// Version that every report carries.
pub(crate) const REPORT_VERSION: u32 = 1;

/// Everything that is known at the end of a run: the one object from which every surface is rendered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    pub schema_version: u32,
    /// What the council came to.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Why in words, where the reason alone does not say it (what was skipped, what broke); may be empty.
    #[serde(default)]
    pub detail: String,
    /// The run was cut short: findings and votes may be missing.
    #[serde(default)]
    pub incomplete: bool,
    /// Who says all this.
    #[serde(default, skip_serializing_if = "ReportSource::is_own")]
    pub source: ReportSource,
    /// What was under review.
    pub target: Target,
    /// How much that is.
    pub change: ChangeSize,
    /// How it came about.
    pub receipt: Receipt,
}

impl Report {
    /// What proves a finding, in words; none: no test does.
    pub(in crate::report) fn proof_of(&self, id: &str) -> Option<String> {
        let mut brought = self.outcome.ledger.reproductions.iter();
        let proof = brought.find(|r| {
            r.standing == ReproductionStanding::Proved && r.finding.as_deref() == Some(id)
        })?;
        Some(format!("proved by test {}", proof.id))
    }

    /// The test of one of these judges that counts against a finding.
    pub(in crate::report) fn refutation_of(
        &self,
        id: &str,
        is_one: impl Fn(&JudgeId) -> bool,
    ) -> Option<&str> {
        let mut brought = self.outcome.ledger.reproductions.iter();
        let test =
            brought.find(|r| r.refutes && r.finding.as_deref() == Some(id) && is_one(&r.judge));
        test.map(|test| test.id.as_str())
    }

    /// A report of what a council came to.
    ///
    /// Secrets that a judge quoted are replaced: `redactor` knows those of the change. A run that was cut short is FAIL or INCONCLUSIVE, whatever the outcome says.
    pub fn new(
        mut outcome: Outcome,
        mut subject: ReviewSubject,
        mut run: RunFacts,
        redactor: &Redactor,
    ) -> Self {
        let redactor = redact::ReportRedactor(redactor);
        redactor.redact_outcome(&mut outcome);
        for instruction in &mut subject.instructions {
            redactor.redact_place(&mut instruction.path, &mut instruction.origin);
        }
        run.earlier
            .iter_mut()
            .for_each(|earlier| redactor.redact_earlier(earlier));
        outcome.reviewed_by = ReviewedBy::of_records(&outcome.judges);
        let cut_short = run.cut_short.map(VerdictReason::from);
        let cut_short = cut_short.or(Some(outcome.reason).filter(|reason| reason.is_cut_short()));
        if let (Some(cause), true) = (cut_short, outcome.verdict != Verdict::Fail) {
            (outcome.verdict, outcome.reason) = (Verdict::Inconclusive, cause);
        }
        Self {
            schema_version: REPORT_VERSION,
            detail: String::new(),
            incomplete: cut_short.is_some(),
            source: ReportSource::ThisProgram,
            target: subject.target,
            change: subject.change,
            receipt: Receipt::new(
                run,
                subject.instructions,
                Participation::of(&outcome.judges, outcome.quorum),
                &outcome.judges,
            ),
            outcome,
        }
    }

    /// The coverage of a change as a report has it: no name of a file in it holds a secret.
    pub(crate) fn shown_coverage(coverage: &Coverage, redactor: &Redactor) -> Coverage {
        let mut shown = coverage.clone();
        redact::ReportRedactor(redactor).redact_coverage(&mut shown);
        shown
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
            outcome: Outcome::skipped(reason, coverage),
            detail: why.into(),
            incomplete: false,
            source: ReportSource::ThisProgram,
            target: subject.target,
            change: subject.change,
            receipt: Receipt::new(run, subject.instructions, Participation::default(), &[]),
        }
    }

    /// The findings that weigh: at least WARN.
    pub fn weighty_findings(&self) -> impl Iterator<Item = &JudgedFinding> {
        self.outcome
            .findings
            .iter()
            .filter(|f| f.level.is_some_and(|level| level > FindingLevel::Note))
    }

    /// The findings because of which the run fails, under its own gate.
    pub fn failing_findings(&self) -> impl Iterator<Item = &JudgedFinding> {
        let warns =
            self.outcome.verdict == Verdict::Warn && self.own_gate().fail_on == FailOn::Warn;
        let least = if warns {
            FindingLevel::Warn
        } else {
            FindingLevel::Fail
        };
        self.weighty_findings()
            .filter(move |f| f.level >= Some(least))
    }

    /// The findings that are listed only.
    pub fn note_findings(&self) -> impl Iterator<Item = &JudgedFinding> {
        self.outcome
            .findings
            .iter()
            .filter(|f| f.level == Some(FindingLevel::Note))
    }

    /// The findings that do not count: their quote is not there, or they were withdrawn.
    pub fn rejected_findings(&self) -> impl Iterator<Item = &JudgedFinding> {
        self.outcome
            .findings
            .iter()
            .filter(|f| f.dismissed.is_none())
            .filter(|f| f.level.is_none() || f.disposition == Disposition::Rejected)
    }

    /// The findings that somebody argued away, each with its dismissal.
    pub fn dismissed_findings(&self) -> impl Iterator<Item = (&JudgedFinding, &Dismissal)> {
        self.outcome
            .findings
            .iter()
            .filter_map(|f| Some((f, f.dismissed.as_ref()?)))
    }

    /// Whether a document was asked for, and no verdict: a stage, a brainstorm, research.
    pub fn is_document(&self) -> bool {
        let kinds = [TargetKind::Topic, TargetKind::File, TargetKind::Stage];
        self.outcome.procedure == Some(Procedure::Staged) && kinds.contains(&self.target.kind)
    }

    /// What it says of the findings of the review before it.
    pub(crate) fn fate_notes(&self) -> Vec<String> {
        let earlier = self.receipt.run.earlier.iter();
        let notes = earlier.flat_map(|earlier| earlier.notes(&self.outcome.findings));
        notes.collect()
    }

    /// Tells anew what became of the findings of the review before it, where dismissals are others by now; `told` is what was
    /// said of that.
    pub(crate) fn retell_fates(&mut self, told: &[String]) {
        if let Some(earlier) = &mut self.receipt.run.earlier {
            earlier.follow_dismissals(&self.outcome.findings);
        }
        self.outcome.notes.retain(|note| !told.contains(note));
        let fates = self.fate_notes();
        self.outcome.notes.extend(fates);
    }

    /// Tells which findings count again that were dismissed `before`, and no longer of those that are dismissed by now.
    pub(crate) fn tell_taken_back(&mut self, before: &[JudgedFinding]) {
        let findings = &self.outcome.findings;
        let is_over = |note: &String| {
            let mut dismissed = findings.iter().filter(|found| found.dismissed.is_some());
            dismissed.any(|found| note.starts_with(&came_back(&found.finding.location)))
        };
        self.outcome.notes.retain(|note| !is_over(note));
        let lapsed = findings.iter().filter_map(|now| {
            let mut known = before.iter();
            let earlier = known.find(|earlier| earlier.fingerprint == now.fingerprint)?;
            let lapsed = LapsedDismissal::find(earlier, now)?;
            let place = came_back(&now.finding.location);
            Some(format!("{place}{}", lapsed.in_words()))
        });
        let lapsed: Vec<String> = lapsed.collect();
        self.outcome.notes.extend(lapsed);
    }

    /// Whether two sides wrote it in turn.
    pub(super) fn is_duel(&self) -> bool {
        let backend = self.receipt.run.backend.as_ref();
        backend.is_some_and(|backend| backend.name == DUEL_BACKEND)
    }

    /// The judges that were asked and do not count. Whoever only puts a document together is asked nothing before.
    pub(super) fn abstained_judges(&self) -> impl Iterator<Item = &JudgeRecord> {
        let asked = |j: &&JudgeRecord| !self.is_document() || !j.failures.is_empty();
        let absent = self.outcome.judges.iter().filter(|j| j.counted.is_none());
        absent.filter(asked)
    }

    /// How the run that made the report turned its verdict into an ending.
    pub fn own_gate(&self) -> GatePolicy {
        GatePolicy {
            fail_on: self.receipt.run.fail_on.unwrap_or_default(),
            ..GatePolicy::default()
        }
    }

    /// Whether every judge that counts is a rule: rules match patterns, and nobody read the change.
    pub fn is_rules_only(&self) -> bool {
        self.outcome.reviewed_by == ReviewedBy::Rules
    }

    /// The judges that changed their vote, or wanted to.
    pub fn moved_judges(&self) -> impl Iterator<Item = &JudgeRecord> {
        self.outcome.judges.iter().filter(|j| j.change.is_some())
    }

    /// The day of the run, `YYYY-MM-DD`.
    pub fn date(&self) -> &str {
        let started = &self.receipt.run.started;
        started.get(..10).unwrap_or(started)
    }
}
