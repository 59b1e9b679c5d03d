//! What councils said of labelled changes: a line a trial, appended as it ends.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::{Failure, FailureKind, Severity, Vote};
use serde::{Deserialize, Serialize};

use crate::council::outcome::{
    Disposition, JudgeRecord, JudgedFinding, Outcome, Verdict, VerdictReason,
};
use crate::report::Report;

/// One council, one change, one repeat.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct TrialKey {
    /// The labelled change.
    pub(crate) item: String,
    /// The council, by the name of its file.
    pub(crate) council: String,
    /// What the council's file said, as a digest: a changed council is another one.
    pub(crate) digest: String,
    /// Counted from 1.
    pub(crate) repeat: u32,
}

/// A finding of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrialFinding {
    pub(crate) path: String,
    pub(crate) line: u32,
    /// The last line.
    pub(crate) end: u32,
    pub(crate) severity: Severity,
    pub(crate) disposition: Disposition,
    /// The problem in a sentence or two. Untrusted.
    pub(crate) description: String,
    /// Who holds it.
    pub(crate) judges: Vec<String>,
}

impl TrialFinding {
    /// Whether the report shows it as something to look at: neither a remark nor rejected.
    pub(crate) fn is_weighty(&self) -> bool {
        self.severity >= Severity::Significant && self.is_told()
    }

    /// Whether the report tells it to whoever reads: remarks, too.
    pub(crate) fn is_told(&self) -> bool {
        self.disposition != Disposition::Rejected
    }
}

/// How a trial ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrialResult {
    pub(crate) key: TrialKey,
    /// The run's name in the folder beside this file.
    pub(crate) run: String,
    pub(crate) verdict: Verdict,
    /// Why; none: an earlier version did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<VerdictReason>,
    /// What kept a judge from an answer, where there is no verdict. Untrusted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) trouble: String,
    pub(crate) findings: Vec<TrialFinding>,
    /// The votes that count, by judge.
    pub(crate) votes: Vec<(String, Vote)>,
    /// Quotes that were found, and all of them.
    pub(crate) proved_quotes: (u32, u32),
    /// What it cost in US dollars; none: nobody said.
    pub(crate) dollars: Option<f64>,
    /// The models without a known price: the money is a lower bound then.
    pub(crate) unpriced: Vec<String>,
    pub(crate) seconds: f64,
    /// The models of its judges.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) models: BTreeSet<String>,
}

impl TrialResult {
    /// What a report comes to.
    pub(crate) fn of_report(key: TrialKey, run: String, report: &Report) -> Self {
        let usage = report.receipt.usage.as_ref();
        Self {
            dollars: usage.and_then(|usage| usage.cost_usd),
            unpriced: usage
                .map(|usage| usage.unpriced.iter().cloned().collect())
                .unwrap_or_default(),
            seconds: report.receipt.run.duration_ms as f64 / 1000.0,
            ..Self::of_outcome(key, run, &report.outcome)
        }
    }

    /// The same without what it took.
    pub(crate) fn of_outcome(key: TrialKey, run: String, outcome: &Outcome) -> Self {
        let members = || outcome.findings.iter().flat_map(|finding| &finding.members);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let votes = outcome
            .judges
            .iter()
            .filter_map(|judge| Some((judge.seat.judge.to_string(), judge.counted?)));
        Self {
            key,
            run,
            verdict: outcome.verdict,
            reason: Some(outcome.reason),
            trouble: match outcome.verdict {
                Verdict::Inconclusive => first_trouble(outcome).unwrap_or_default(),
                _ => String::new(),
            },
            findings: outcome.findings.iter().map(trial_finding).collect(),
            votes: votes.collect(),
            proved_quotes: (
                count(members().filter(|member| member.proof.resolves()).count()),
                count(members().count()),
            ),
            dollars: None,
            unpriced: Vec::new(),
            seconds: 0.0,
            models: outcome.judges.iter().filter_map(judge_model).collect(),
        }
    }

    /// Whether it came to a verdict.
    pub(crate) fn has_verdict(&self) -> bool {
        self.verdict != Verdict::Inconclusive
    }

    /// Whether the council was stopped before it had decided, so that this says nothing about it.
    fn is_cut_short(&self) -> bool {
        self.reason.is_some_and(VerdictReason::is_cut_short)
    }

    /// What kept it from a verdict, as far as that is known. Untrusted.
    pub(crate) fn why_no_verdict(&self) -> &str {
        match (self.trouble.as_str(), self.reason) {
            ("", Some(reason)) => reason.as_str(),
            (trouble, _) => trouble,
        }
    }

    /// What is to its council's credit: a review without a verdict earns nothing, whatever it says.
    pub(crate) fn credited_findings(&self) -> impl Iterator<Item = &TrialFinding> {
        self.weighty_findings().filter(|_| self.has_verdict())
    }

    pub(crate) fn weighty_findings(&self) -> impl Iterator<Item = &TrialFinding> {
        self.findings.iter().filter(|finding| finding.is_weighty())
    }

    /// All findings that a reader gets to see, remarks included.
    pub(crate) fn told_findings(&self) -> impl Iterator<Item = &TrialFinding> {
        self.findings.iter().filter(|finding| finding.is_told())
    }
}

/// What kept the first judge from an answer that has none.
pub(crate) fn first_trouble(outcome: &Outcome) -> Option<String> {
    let mut judges = outcome.judges.iter();
    let (judge, failed) = judges.find_map(|judge| Some((judge, judge.own_failure()?)))?;
    Some(format!("{}: {}", judge.seat.judge, failed.failure.detail))
}

/// The model that answered, where that is known; else the one that was asked for. Rules have none.
fn judge_model(judge: &JudgeRecord) -> Option<String> {
    let agent = &judge.seat.agent;
    if agent.deterministic {
        return None;
    }
    let answered = judge.usage.as_ref().and_then(|usage| usage.model.clone());
    let asked = || agent.model.clone().unwrap_or_else(|| agent.name.clone());
    Some(answered.unwrap_or_else(asked))
}

fn trial_finding(judged: &JudgedFinding) -> TrialFinding {
    let location = &judged.finding.location;
    TrialFinding {
        path: location.path.display().to_string(),
        line: location.line,
        end: location
            .end_line
            .unwrap_or(location.line)
            .max(location.line),
        severity: judged.finding.severity,
        disposition: judged.disposition,
        description: judged.finding.description.clone(),
        judges: judged
            .members
            .iter()
            .map(|member| member.judge.to_string())
            .collect(),
    }
}

/// Whose limit holds what a review may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CostBound {
    /// What `--max-cost` of the evaluation leaves.
    Evaluation,
    /// The council's own `limits.cost`, which is the smaller one, or there is no other.
    Council,
}

impl CostBound {
    /// What a review may cost and whose bound that is, in US dollars: the smaller of the council's own limit and of what
    /// is left.
    pub(crate) fn smaller(own: Option<f64>, left: Option<f64>) -> (Option<f64>, Self) {
        match (own, left) {
            (own, Some(left)) if own.is_none_or(|own| left < own) => (Some(left), Self::Evaluation),
            (own, _) => (own, Self::Council),
        }
    }
}

/// Why a report says nothing about its council: it was stopped, or judges could not be asked at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutOff {
    /// By Ctrl-C or SIGTERM.
    Interrupted,
    /// A call was not made because of what the evaluation may still cost. A council that ends at its own `limits.cost` has
    /// answered.
    Unpaid,
    /// The deadline of the run, a backend that broke down, or a model that could not be reached.
    Lost,
}

impl CutOff {
    /// What cut a review off; none: it is the council's own answer. `bound` says whose limit held the cost.
    pub(crate) fn of_report(report: &Report, bound: CostBound) -> Option<Self> {
        let cause = report.receipt.run.cut_short.map(VerdictReason::from);
        let outcome = &report.outcome;
        let unasked = || outcome.judges.iter().flat_map(|judge| &judge.failures);
        match cause.unwrap_or(outcome.reason) {
            VerdictReason::Interrupted => Some(Self::Interrupted),
            reason if reason.is_cut_short() => Some(Self::Lost),
            VerdictReason::BelowQuorum if unasked().any(|failed| is_unpaid(&failed.failure)) => {
                (bound == CostBound::Evaluation).then_some(Self::Unpaid)
            }
            VerdictReason::BelowQuorum if unasked().any(|failed| is_outage(&failed.failure)) => {
                Some(Self::Lost)
            }
            _ => None,
        }
    }

    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::Unpaid => "--max-cost did not suffice",
            Self::Lost => "judges could not be asked, or the run was cut off",
        }
    }
}

/// Whether a call was not made for want of money: these refusals name the flag that allows more.
fn is_unpaid(failure: &Failure) -> bool {
    failure.kind == FailureKind::Quota && failure.detail.contains("--max-cost")
}

/// Whether nobody could be asked. How a judge that was asked fails says something about its council.
fn is_outage(failure: &Failure) -> bool {
    matches!(
        failure.kind,
        FailureKind::Spawn | FailureKind::Quota | FailureKind::Provider
    )
}

/// A line of the file of results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "trial", rename_all = "kebab-case")]
pub(crate) enum TrialLine {
    /// A run began, so that what it paid for is found again after a kill.
    Began {
        key: TrialKey,
        run: String,
    },
    Ended(TrialResult),
    /// The council could not be asked, or not to the end. What it has answered is in its run, which can go on.
    Failed {
        key: TrialKey,
        why: String,
        /// The run, where there is one.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        run: String,
        /// What the run has cost so far, in US dollars.
        #[serde(default)]
        cost: f64,
        /// The `--max-cost` that did not suffice for it, in US dollars; none: something else was in the way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        too_little: Option<f64>,
    },
}

/// What a file of results holds.
#[derive(Debug, Default)]
pub(crate) struct TrialBook {
    pub(crate) ended: Vec<TrialResult>,
    began: Vec<(TrialKey, String)>,
    /// What each run has cost so far, in US dollars.
    costs: BTreeMap<String, f64>,
    /// The highest `--max-cost` that did not suffice, in US dollars.
    too_little: f64,
}

impl TrialBook {
    /// Reads the lines of a file. A last line that was cut off by a crash is let go; another that cannot be read is named
    /// by its number.
    pub(crate) fn parse(text: &str) -> Result<Self, usize> {
        let mut book = Self::default();
        let count = text.lines().count();
        for (number, line) in (1..).zip(text.lines()) {
            match serde_json::from_slice(line.as_bytes()) {
                Ok(TrialLine::Began { key, run }) => book.began.push((key, run)),
                Ok(TrialLine::Ended(result)) => book.add(result),
                Ok(TrialLine::Failed {
                    run,
                    cost,
                    too_little,
                    ..
                }) => {
                    book.note_cost(&run, cost);
                    book.note_too_little(too_little);
                }
                Err(_) if number == count && !text.ends_with('\n') => {}
                Err(_) => return Err(number),
            }
        }
        Ok(book)
    }

    /// Takes note of a result; a later one for the same trial stands in the place of an earlier one. One that was cut
    /// short is no result: earlier versions noted it as one.
    pub(crate) fn add(&mut self, result: TrialResult) {
        self.note_cost(&result.run, result.dollars.unwrap_or(0.0));
        if result.is_cut_short() {
            return;
        }
        self.ended.retain(|known| known.key != result.key);
        self.ended.push(result);
    }

    /// Takes note of what a run has cost from its beginning; a run that went on has cost more than before.
    pub(crate) fn note_cost(&mut self, run: &str, dollars: f64) {
        if !run.is_empty() {
            let cost = self.costs.entry(run.to_owned()).or_default();
            // What stands under a second label of the change adds nothing to what the run has cost.
            *cost = cost.max(dollars);
        }
    }

    /// Takes note of a bound that ended a review.
    pub(crate) fn note_too_little(&mut self, bound: Option<f64>) {
        self.too_little = self.too_little.max(bound.unwrap_or(0.0));
    }

    /// Whether this bound ended a review before: what it left then suffices no better now.
    pub(crate) fn is_too_little(&self, bound: f64) -> bool {
        bound <= self.too_little
    }

    /// What a run has cost so far, in US dollars.
    pub(crate) fn cost_of(&self, run: &str) -> f64 {
        self.costs.get(run).copied().unwrap_or(0.0)
    }

    /// What all runs have cost so far, in US dollars: those of earlier councils, too.
    pub(crate) fn spent(&self) -> f64 {
        self.costs.values().sum()
    }

    /// The changes of which something was paid for, by their names.
    pub(crate) fn reviewed_items(&self) -> BTreeSet<&str> {
        let ended = self.ended.iter().map(|result| &result.key);
        let began = self.began.iter().map(|(key, _)| key);
        ended.chain(began).map(|key| key.item.as_str()).collect()
    }

    /// Whether a trial is over.
    pub(crate) fn is_over(&self, key: &TrialKey) -> bool {
        self.ended.iter().any(|result| result.key == *key)
    }

    /// How the same review ended under another label of its change.
    pub(crate) fn result_of(&self, key: &TrialKey, item: &str) -> Option<&TrialResult> {
        let of_item = |result: &&TrialResult| {
            let known = &result.key;
            known.item == item
                && (&known.council, &known.digest, known.repeat)
                    == (&key.council, &key.digest, key.repeat)
        };
        self.ended.iter().find(of_item)
    }

    /// Whether a trial is over and came to no verdict.
    pub(crate) fn is_without_verdict(&self, key: &TrialKey) -> bool {
        let mut ended = self.ended.iter();
        ended.any(|result| result.key == *key && !result.has_verdict())
    }

    /// The run of a trial that began and did not end, the last one first.
    pub(crate) fn open_run(&self, key: &TrialKey) -> Option<&str> {
        let of_key = self.began.iter().rev().find(|(began, _)| began == key);
        of_key
            .filter(|_| !self.is_over(key))
            .map(|(_, run)| run.as_str())
    }
}

#[cfg(test)]
#[path = "trials_tests.rs"]
mod tests;
