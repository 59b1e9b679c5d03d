//! A tool's report as a judge's answer: SARIF 2.1.0 or rdjson in, findings with quotes out.
//!
//! A tool looks at the whole tree; a judge speaks of the change. So only what stands on lines that the change added or
//! altered becomes a finding; the rest is counted. Each finding quotes the reviewed file, so that it is proved like any
//! other. A report that says that the tool failed is no answer.

mod rdjson;
mod sarif;

use std::collections::BTreeSet;
use std::path::Path;

use council_protocol::answer::NO_CAUSE;
use council_protocol::change::{FileStatus, LineKind};
use council_protocol::seat::OutputFormat;
use council_protocol::{
    Answer, BlobSource, Confidence, Failure, FailureKind, FileChange, Finding, Location, Packet,
    RepoPath, Severity, Side, Turn, Vote, json,
};
use serde::de::DeserializeOwned;

/// The most findings of one report; more would bury every other judge.
const MOST_FINDINGS: usize = 200;

/// The most lines of a quote.
const MOST_LINES: u32 = 5;

/// What a tool reports in one place.
#[derive(Debug, Clone, PartialEq)]
struct Hit {
    severity: Severity,
    rule: Option<String>,
    message: String,
    path: String,
    /// From 1; 0: the file as a whole.
    line: u32,
    end_line: Option<u32>,
    /// Replacement text for exactly those lines.
    suggestion: Option<String>,
    /// A page about the rule.
    page: Option<String>,
}

/// What is under review, for whoever translates.
pub(crate) struct Subject<'a> {
    pub(crate) packet: &'a Packet,
    pub(crate) blobs: &'a dyn BlobSource,
    /// Where the tool worked: its paths may begin with it.
    pub(crate) room: &'a Path,
}

/// The answer that a report comes to.
///
/// # Errors
/// `malformed` for what is not the format, `provider` for a tool that says that it failed.
pub(crate) fn answer(
    format: OutputFormat,
    report: &str,
    subject: &Subject<'_>,
    turn: &Turn,
) -> Result<Option<Answer>, Failure> {
    let hits = match format {
        OutputFormat::Answer => return Ok(None),
        OutputFormat::Sarif => sarif::hits(report)?,
        OutputFormat::Rdjson => rdjson::hits(report)?,
    };
    let all = hits.len();
    let mut findings: Vec<Finding> = hits
        .into_iter()
        .filter_map(|hit| subject.finding(hit))
        .collect();
    findings.sort_by(|a, b| (b.severity, &a.location).cmp(&(a.severity, &b.location)));
    findings.dedup();
    let elsewhere = all - findings.len().min(all);
    let dropped = findings.len().saturating_sub(MOST_FINDINGS);
    findings.truncate(MOST_FINDINGS);
    let mut answer = Answer::new(turn.round, turn.key.clone(), vote(&findings));
    answer.confidence = Confidence::High;
    answer.key_insight = insight(findings.len(), elsewhere, dropped);
    answer.findings = findings;
    Ok(Some(answer))
}

/// A tool's JSON, unless it would take more memory than it may.
fn read<T: DeserializeOwned>(text: &str, format: &str) -> Result<T, Failure> {
    if !json::fits(text.as_bytes(), json::REPORT) {
        let detail = format!("its {format} holds more than is read: narrow what the tool looks at");
        return Err(Failure::new(FailureKind::Oversized, detail));
    }
    serde_json::from_str(text)
        .map_err(|error| malformed(format!("what it wrote is not {format}: {error}")))
}

/// How many hits a SARIF log has, for [`crate::fuzz`].
pub(crate) fn sarif_hits(text: &str) -> Result<usize, Failure> {
    sarif::hits(text).map(|hits| hits.len())
}

/// How many hits an rdjson log has, for [`crate::fuzz`].
pub(crate) fn rdjson_hits(text: &str) -> Result<usize, Failure> {
    rdjson::hits(text).map(|hits| hits.len())
}

/// The worst finding decides.
fn vote(findings: &[Finding]) -> Vote {
    match findings.iter().map(|finding| finding.severity).max() {
        Some(Severity::Critical) => Vote::Fail,
        Some(Severity::Significant) => Vote::Warn,
        Some(Severity::Minor) | None => Vote::Pass,
    }
}

fn insight(findings: usize, elsewhere: usize, dropped: usize) -> String {
    let mut text = match findings {
        0 => "Nothing is reported on the changed lines".to_owned(),
        1 => "One finding on the changed lines".to_owned(),
        n => format!("{n} findings on the changed lines"),
    };
    if elsewhere > 0 {
        text += &format!("; {elsewhere} elsewhere or twice, left out");
    }
    if dropped > 0 {
        text += &format!("; {dropped} more, the least severe, left out");
    }
    text + "."
}

impl Subject<'_> {
    /// The finding, if it stands on what the change brought.
    fn finding(&self, hit: Hit) -> Option<Finding> {
        let path = self.path(&hit.path);
        let file = self.packet.files.iter().find(|file| {
            file.path.as_bytes() == path.as_bytes() && file.status != FileStatus::Deleted
        })?;
        let (line, end) = (hit.line, hit.end_line.unwrap_or(hit.line).max(hit.line));
        let touched = added(file);
        if line > 0 && touched.range(line..=end).next().is_none() {
            return None;
        }
        let quote = match line {
            0 => String::new(),
            _ => self.quote(&file.path, line, end.min(line + MOST_LINES - 1))?,
        };
        Some(Finding {
            severity: hit.severity,
            category: category(hit.rule.as_deref()),
            rule: hit.rule,
            description: hit.message,
            location: Location {
                path: file.path.clone(),
                line,
                end_line: (end > line).then_some(end),
            },
            quote,
            why: NO_CAUSE.to_owned(),
            fix: String::new(),
            suggestion: hit.suggestion,
            reference: hit.page,
        })
    }

    /// A tool's path as the repository has it: without the room, `file://` and `./`.
    fn path(&self, given: &str) -> RepoPath {
        let plain = given.strip_prefix("file://").unwrap_or(given);
        let plain = percent_encoding::percent_decode_str(plain).collect::<Vec<u8>>();
        let room = self.room.as_os_str().as_encoded_bytes();
        let inside = plain
            .strip_prefix(room)
            .and_then(|rest| rest.strip_prefix(b"/"))
            .unwrap_or(&plain);
        RepoPath::new(inside.strip_prefix(b"./").unwrap_or(inside))
    }

    fn quote(&self, path: &RepoPath, line: u32, end: u32) -> Option<String> {
        let content = self.blobs.read(Side::New, path).ok()??;
        let text = String::from_utf8_lossy(&content);
        let (skip, take) = (line as usize - 1, (end - line + 1) as usize);
        let lines: Vec<&str> = text.lines().skip(skip).take(take).collect();
        let quote = lines.join("\n");
        (!quote.trim().is_empty()).then_some(quote)
    }
}

/// The lines of a file, on the reviewed side, that the change added or altered.
fn added(file: &FileChange) -> BTreeSet<u32> {
    let lines = file.hunks.iter().flat_map(|hunk| hunk.lines());
    lines
        .filter(|line| line.kind == LineKind::Added)
        .filter_map(|line| line.new_no)
        .collect()
}

/// The part of a rule's name that says what it is about: `python.lang.security.eval` → `eval`.
fn category(rule: Option<&str>) -> String {
    let last = |rule: &str| {
        rule.rsplit(['.', '/', ':'])
            .next()
            .unwrap_or(rule)
            .to_owned()
    };
    rule.map(last).unwrap_or_default()
}

fn malformed(detail: String) -> Failure {
    Failure::new(FailureKind::Malformed, detail)
}

#[cfg(test)]
mod tests;
