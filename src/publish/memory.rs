//! What one run leaves for the next one: what was judged, with which result, and which findings are open.
//!
//! It stands in the sticky report. A finding of it stays open until it is shown to be resolved.

use std::collections::BTreeMap;

use council_protocol::{Finding, JudgeId, Proof, RepoPath, RoundNumber, Severity};
use serde::{Deserialize, Serialize};

use crate::council::ledger::DebateLedger;
use crate::council::outcome::{
    Disposition, FindingLevel, FindingMember, JudgedFinding, Verdict, VerdictReason,
};
use crate::council::plan::ConsensusRule;
use crate::packet::sha256;
use crate::report::{MemoryPlace, Report, json};
use crate::text;

/// Version of the state.
const VERSION: u32 = 1;

/// The most bytes of findings that are carried; with more, the next review is a whole one.
const MAX_BYTES: usize = 20_000;

/// The most bytes of a report that is kept for recognition; a larger one is reviewed again.
const MAX_REPORT: usize = 20_000;

/// Bounds of the texts of one carried finding, in characters.
const MAX_PROSE: usize = 240;
const MAX_QUOTE: usize = 400;

/// What a run knew at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewState {
    pub version: u32,
    /// The commit that was judged.
    pub head: String,
    pub run: String,
    /// The recognition key of change, configuration, bench and templates.
    #[serde(default)]
    pub key: Option<String>,
    /// What decided beside the change: configuration, templates, program.
    #[serde(default)]
    pub rules: String,
    pub verdict: Verdict,
    /// Why that word.
    pub reason: VerdictReason,
    /// The sentence that says both.
    pub headline: String,
    /// Whether a later run may build upon it: everything was seen and every open finding is here.
    pub whole: bool,
    /// Changed files that were judged, by the digest of their path, with a digest of their change: a path may hold a secret.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The findings that count.
    #[serde(default)]
    pub open: Vec<OpenFinding>,
    /// The report in short, so that a run that is recognised shows as much as a fresh one; none where it is too large, or
    /// where nothing may be recognised by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Box<Report>>,
    /// Whether the findings were too many to be kept in that report.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
}

/// A finding in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFinding {
    pub fingerprint: String,
    /// What became of it.
    pub disposition: Disposition,
    /// What it does to the verdict.
    pub level: FindingLevel,
    /// The finding, its texts clipped.
    pub finding: Finding,
    /// Who held it.
    pub held_by: Vec<JudgeId>,
}

/// What became of an earlier finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingFate {
    /// Its file was judged again and it is gone.
    Resolved,
    /// It stands as it stood.
    StillOpen,
    /// Nobody can say: it counts as it did.
    NotVerifiable,
}

impl FindingFate {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::StillOpen => "still open",
            Self::NotVerifiable => "not verifiable",
        }
    }
}

/// An earlier finding and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedFinding {
    pub kept: OpenFinding,
    pub fate: FindingFate,
}

/// A file of the reviewed side, for the search of a quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewedText {
    /// It is not there any more.
    Gone,
    Text(String),
    /// It could not be read.
    Unreadable,
}

/// Half a SHA-256: enough to tell the files of one change apart.
fn path_digest(path: &str) -> String {
    sha256(path.as_bytes())[..32].to_owned()
}

impl ReviewState {
    /// What a report leaves. `files` are the changed files with a digest of each one's change, `rules` what else decided.
    pub fn of(report: &Report, files: BTreeMap<String, String>, rules: String) -> Self {
        let open: Vec<OpenFinding> = report
            .outcome
            .findings
            .iter()
            .filter_map(OpenFinding::of)
            .collect();
        let bytes = serde_json::to_string(&open).map_or(usize::MAX, |json| json.len());
        let fits = bytes <= MAX_BYTES;
        let kept = keep_report(report);
        let conclusive = matches!(
            report.outcome.verdict,
            Verdict::Pass | Verdict::Warn | Verdict::Fail
        );
        Self {
            version: VERSION,
            head: report.target.head.clone().unwrap_or_default(),
            run: report.receipt.run.name.clone(),
            key: report
                .receipt
                .run
                .recognition_key
                .clone()
                .filter(|_| report.source.is_own()),
            rules,
            verdict: report.outcome.verdict,
            reason: report.outcome.reason,
            headline: report.headline(),
            // By votes nothing can be carried: a vote is about the whole change.
            whole: report.source.is_own()
                && fits
                && conclusive
                && !report.incomplete
                && report.outcome.consensus == Some(ConsensusRule::Findings)
                && report.outcome.coverage.gaps().next().is_none(),
            files: files
                .into_iter()
                .map(|(path, change)| (path_digest(&path), change))
                .collect(),
            // Of a claim nothing is carried on: a later run would tell a stranger's findings as its own.
            open: if fits && report.source.is_own() {
                open
            } else {
                Vec::new()
            },
            shortened: kept
                .as_ref()
                .is_some_and(|kept| kept.outcome.findings.len() < report.outcome.findings.len()),
            report: kept,
        }
    }

    /// Whether this program can read it.
    pub fn is_current(&self) -> bool {
        self.version == VERSION
    }

    /// Whether the verdict can be taken for one of this key: only a conclusive one is.
    pub fn recognises(&self, key: &str) -> bool {
        self.key.as_deref() == Some(key)
            && matches!(self.verdict, Verdict::Pass | Verdict::Warn | Verdict::Fail)
    }

    /// The report of the recognised run, as far as it is kept and does not contradict itself, for the run that `started_by`
    /// asked for.
    pub fn recognised_report(&self, key: &str, started_by: Option<&str>) -> Option<Report> {
        let mut report = (**self.report.as_ref()?).clone();
        let is_ours = self.recognises(key)
            && report.source.is_own()
            && report.outcome.verdict == self.verdict
            && report.receipt.run.recognition_key.as_deref() == Some(key)
            && json::contradiction(&report).is_none();
        let head = report.target.head.clone();
        let started_by = started_by.map(str::to_owned);
        let run = &mut report.receipt.run;
        run.recognise(MemoryPlace::Comment, head, None, started_by);
        is_ours.then_some(report)
    }

    /// The files whose change was judged before under the same rules; none: everything is judged again.
    pub fn judged_before(&self, files: &BTreeMap<String, String>, rules: &str) -> Vec<String> {
        if !self.whole || self.rules != rules {
            return Vec::new();
        }
        let same = files
            .iter()
            .filter(|(path, digest)| self.files.get(&path_digest(path)) == Some(digest));
        same.map(|(path, _)| path.clone()).collect()
    }

    /// What became of every open finding. `again` are the paths that were judged again, `read` shows the reviewed side.
    pub fn carry_findings(
        &self,
        report: &Report,
        again: &dyn Fn(&RepoPath) -> bool,
        read: &dyn Fn(&RepoPath) -> ReviewedText,
    ) -> Vec<CarriedFinding> {
        let fate = |kept: &OpenFinding| {
            if report
                .outcome
                .findings
                .iter()
                .any(|f| f.fingerprint == kept.fingerprint && f.level.is_some())
            {
                return FindingFate::StillOpen;
            }
            match read(&kept.finding.location.path) {
                ReviewedText::Gone => FindingFate::Resolved,
                _ if !again(&kept.finding.location.path) => FindingFate::StillOpen,
                // A rule that was applied again and found nothing has the last word.
                _ if kept.finding.rule.is_some() => FindingFate::Resolved,
                ReviewedText::Unreadable => FindingFate::NotVerifiable,
                ReviewedText::Text(_) if kept.finding.quote.trim().is_empty() => {
                    FindingFate::NotVerifiable
                }
                ReviewedText::Text(text) if contains_quote(&text, &kept.finding.quote) => {
                    FindingFate::StillOpen
                }
                ReviewedText::Text(_) => FindingFate::Resolved,
            }
        };
        self.open
            .iter()
            .map(|kept| CarriedFinding {
                kept: kept.clone(),
                fate: fate(kept),
            })
            .collect()
    }
}

/// The report without what is known again from the change, or what only tells how it came about. A claim is never kept.
fn keep_report(report: &Report) -> Option<Box<Report>> {
    report.receipt.run.recognition_key.as_ref()?;
    if !report.source.is_own() {
        return None;
    }
    let clip = |text: &mut String| *text = text::clip_chars(text, MAX_PROSE).into_owned();
    let mut kept = report.clone();
    let outcome = &mut kept.outcome;
    outcome.coverage.files.clear();
    outcome.ledger = DebateLedger::default();
    outcome.challenges.clear();
    outcome.disagreements.clear();
    outcome.notes.clear();
    for judge in &mut outcome.judges {
        (judge.restatement, judge.steel_man) = (None, None);
        let texts = [
            &mut judge.first_insight,
            &mut judge.key_insight,
            &mut judge.recommendation,
        ];
        texts.into_iter().for_each(clip);
    }
    for found in &mut outcome.findings {
        found.opinions.clear();
        for member in &mut found.members {
            let finding = &mut member.finding;
            let texts = [&mut finding.description, &mut finding.why, &mut finding.fix];
            texts.into_iter().for_each(clip);
        }
    }
    if json_bytes(&kept) > MAX_REPORT {
        kept.outcome.findings.clear();
        let note =
            "there are too many findings to repeat them here: see the report on the pull request";
        kept.outcome.notes.push(note.to_owned());
    }
    (json_bytes(&kept) <= MAX_REPORT).then(|| Box::new(kept))
}

fn json_bytes(report: &Report) -> usize {
    serde_json::to_string(report).map_or(usize::MAX, |json| json.len())
}

impl OpenFinding {
    fn of(found: &JudgedFinding) -> Option<Self> {
        let clip = |text: &str| text::clip_chars(text, MAX_PROSE).into_owned();
        let finding = &found.finding;
        Some(Self {
            fingerprint: found.fingerprint.clone(),
            disposition: found.disposition,
            level: found.level?,
            finding: Finding {
                description: clip(&finding.description),
                why: clip(&finding.why),
                fix: clip(&finding.fix),
                // A beginning of it is searched as well as all of it.
                quote: finding.quote.chars().take(MAX_QUOTE).collect(),
                suggestion: None,
                reference: None,
                ..finding.clone()
            },
            held_by: found
                .members
                .iter()
                .map(|member| member.judge.clone())
                .collect(),
        })
    }

    fn restore_finding(&self, id: String) -> JudgedFinding {
        let member = |judge: &JudgeId| FindingMember {
            judge: judge.clone(),
            round: RoundNumber::FIRST,
            finding: self.finding.clone(),
            proof: Proof::Verified,
            withdrawn: false,
        };
        JudgedFinding {
            id,
            fingerprint: self.fingerprint.clone(),
            finding: self.finding.clone(),
            disposition: self.disposition,
            level: Some(self.level),
            dismissed: None,
            members: self.held_by.iter().map(member).collect(),
            opinions: Vec::new(),
            suggestion_check: None,
        }
    }
}

/// Adds what is still open to a report and makes its verdict no better than that.
pub(crate) fn absorb_carried(report: &mut Report, carried: &[CarriedFinding]) {
    let known = |report: &Report, kept: &OpenFinding| {
        report
            .outcome
            .findings
            .iter()
            .any(|f| f.fingerprint == kept.fingerprint && f.level.is_some())
    };
    for CarriedFinding { kept, fate } in carried {
        if *fate == FindingFate::Resolved || known(report, kept) {
            continue;
        }
        let id = format!("F{}", report.outcome.findings.len() + 1);
        report.outcome.findings.push(kept.restore_finding(id));
        worsen_verdict(report, kept);
    }
    let count = |fate: FindingFate| carried.iter().filter(|c| c.fate == fate).count();
    if !carried.is_empty() {
        let fates = [
            FindingFate::Resolved,
            FindingFate::StillOpen,
            FindingFate::NotVerifiable,
        ];
        let said: Vec<String> = fates
            .iter()
            .map(|&fate| format!("{} {}", count(fate), fate.as_str()))
            .collect();
        report
            .outcome
            .notes
            .push(format!("findings of the last review: {}", said.join(", ")));
    }
}

/// The least that an open finding makes of a verdict.
fn worsen_verdict(report: &mut Report, kept: &OpenFinding) {
    let reason = match (kept.level, kept.disposition) {
        (FindingLevel::Fail, Disposition::Disputed) => VerdictReason::CriticalDisputed,
        (FindingLevel::Fail, _) => VerdictReason::CriticalConfirmed,
        (FindingLevel::Warn, Disposition::Unconfirmed) => VerdictReason::CriticalUnconfirmed,
        (FindingLevel::Warn, Disposition::Disputed) => VerdictReason::CriticalDisputed,
        (FindingLevel::Warn, _) => VerdictReason::SignificantConfirmed,
        (FindingLevel::Note, _) if kept.finding.severity > Severity::Minor => {
            VerdictReason::SignificantUnconfirmed
        }
        (FindingLevel::Note, _) => VerdictReason::NotesOnly,
    };
    match (kept.level, report.outcome.verdict) {
        (_, Verdict::Fail) => {}
        (FindingLevel::Fail, _) => {
            (report.outcome.verdict, report.outcome.reason) = (Verdict::Fail, reason)
        }
        (FindingLevel::Warn, Verdict::Pass | Verdict::Skipped) => {
            (report.outcome.verdict, report.outcome.reason) = (Verdict::Warn, reason)
        }
        (FindingLevel::Note, Verdict::Pass)
            if report.outcome.reason != VerdictReason::SignificantUnconfirmed =>
        {
            report.outcome.reason = reason
        }
        _ => {}
    }
}

/// Whether the lines of a quote stand in a text, white space aside.
fn contains_quote(text: &str, quote: &str) -> bool {
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    squeeze(text).contains(&squeeze(quote))
}
