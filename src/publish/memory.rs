//! What one run leaves for the next one: what was judged, with which result, and which findings are open.
//!
//! It stands in the sticky report. A finding of it stays open until it is shown to be resolved (peers.md 4.2, no. 27).

use std::collections::BTreeMap;

use council_protocol::{Finding, JudgeId, Proof, RepoPath};
use serde::{Deserialize, Serialize};

use crate::council::outcome::{
    Disposition, FindingLevel, FindingMember, JudgedFinding, Verdict, VerdictReason,
};
use crate::council::plan::ConsensusRule;
use crate::report::Report;
use crate::text;

/// Version of the state.
const VERSION: u32 = 1;

/// The most bytes of findings that are carried; with more, the next review is a whole one.
const MAX_BYTES: usize = 20_000;

/// Bounds of the texts of one carried finding, in characters.
const MAX_PROSE: usize = 240;
const MAX_QUOTE: usize = 400;

/// What a run knew at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewState {
    /// Always 1.
    pub version: u32,
    /// The commit that was judged.
    pub head: String,
    /// The run.
    pub run: String,
    /// The recognition key of change, configuration, bench and templates.
    #[serde(default)]
    pub key: Option<String>,
    /// What decided beside the change: configuration, templates, program.
    #[serde(default)]
    pub rules: String,
    /// The word.
    pub verdict: Verdict,
    /// Why that word.
    pub reason: VerdictReason,
    /// The sentence that says both.
    pub headline: String,
    /// Whether a later run may build upon it: everything was seen and every open finding is here.
    pub whole: bool,
    /// Changed files that were judged, by path, with a digest of their change.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The findings that count.
    #[serde(default)]
    pub open: Vec<OpenFinding>,
}

/// A finding in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFinding {
    /// Its fingerprint.
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
    /// In words.
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
    /// The finding.
    pub kept: OpenFinding,
    /// Its fate.
    pub fate: FindingFate,
}

/// A file of the reviewed side, for the search of a quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewedText {
    /// It is not there any more.
    Gone,
    /// Its text.
    Text(String),
    /// It could not be read.
    Unreadable,
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
        let conclusive = matches!(
            report.outcome.verdict,
            Verdict::Pass | Verdict::Warn | Verdict::Fail
        );
        Self {
            version: VERSION,
            head: report.target.head.clone().unwrap_or_default(),
            run: report.receipt.run.name.clone(),
            key: report.receipt.run.recognition_key.clone(),
            rules,
            verdict: report.outcome.verdict,
            reason: report.outcome.reason,
            headline: report.headline(),
            // By votes nothing can be carried: a vote is about the whole change.
            whole: fits
                && conclusive
                && !report.incomplete
                && report.outcome.consensus == Some(ConsensusRule::Findings)
                && report.outcome.coverage.gaps().next().is_none(),
            files,
            open: if fits { open } else { Vec::new() },
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

    /// The files whose change was judged before under the same rules; none: everything is judged again.
    pub fn judged_before(&self, files: &BTreeMap<String, String>, rules: &str) -> Vec<String> {
        if !self.whole || self.rules != rules {
            return Vec::new();
        }
        let same = files
            .iter()
            .filter(|(path, digest)| self.files.get(*path) == Some(digest));
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
            round: 1,
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
        }
    }
}

/// Adds what is still open to a report and makes its verdict no better than that.
pub fn absorb_carried(report: &mut Report, carried: &[CarriedFinding]) {
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
        (FindingLevel::Note, Verdict::Pass) => report.outcome.reason = VerdictReason::NotesOnly,
        _ => {}
    }
}

/// Whether the lines of a quote stand in a text, white space aside.
fn contains_quote(text: &str, quote: &str) -> bool {
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    squeeze(text).contains(&squeeze(quote))
}
