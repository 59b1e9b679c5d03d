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
const MAX_FINDINGS: usize = 200;

/// The most lines of a quote.
const MAX_QUOTE_LINES: u32 = 5;

/// What a tool reports in one place.
#[derive(Debug, Clone, PartialEq)]
struct ToolHit {
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
pub(crate) struct ReportSubject<'a> {
    pub(crate) packet: &'a Packet,
    pub(crate) blobs: &'a dyn BlobSource,
    /// Where the tool worked: its paths may begin with it.
    pub(crate) room: &'a Path,
}

/// The answer that a report comes to.
///
/// # Errors
/// `malformed` for what is not the format, `provider` for a tool that says that it failed.
pub(crate) fn answer_from_report(
    format: OutputFormat,
    report: &str,
    subject: &ReportSubject<'_>,
    turn: &Turn,
) -> Result<Option<Answer>, Failure> {
    let mut hits = match format {
        OutputFormat::Answer => return Ok(None),
        OutputFormat::Sarif => sarif::parse_hits(report)?,
        OutputFormat::Rdjson => rdjson::parse_hits(report)?,
    };
    let all = hits.len();
    let unplaced = Unplaced::of(&hits);
    // File by file: each is read once, and one at a time.
    hits.sort_by(|a, b| a.path.cmp(&b.path));
    let mut findings: Vec<Finding> = Vec::new();
    for hits in hits.chunk_by(|a, b| a.path == b.path) {
        if let Some(file) = subject.find_reviewed(&hits[0].path) {
            findings.extend(hits.iter().filter_map(|hit| file.finding_of(hit)));
        }
    }
    findings.sort_by(|a, b| (b.severity, &a.location).cmp(&(a.severity, &b.location)));
    findings.dedup();
    let elsewhere = all - findings.len().min(all);
    let dropped = findings.len().saturating_sub(MAX_FINDINGS);
    findings.truncate(MAX_FINDINGS);
    let vote = vote_of(&findings).max(unplaced.vote());
    let mut answer = Answer::new(turn.round, turn.key.clone(), vote);
    answer.confidence = Confidence::High;
    answer.key_insight = unplaced.describe() + &describe_hits(findings.len(), elsewhere, dropped);
    answer.findings = findings;
    Ok(Some(answer))
}

/// A tool's JSON, unless it would take more memory than it may.
fn parse_json<T: DeserializeOwned>(text: &str, format: &str) -> Result<T, Failure> {
    if !json::fits_in_memory(text.as_bytes(), json::REPORT) {
        let detail = format!("its {format} holds more than is read: narrow what the tool looks at");
        return Err(Failure::new(FailureKind::Oversized, detail));
    }
    serde_json::from_str(text)
        .map_err(|error| malformed_report(format!("what it wrote is not {format}: {error}")))
}

/// How many hits a SARIF log has, for the fuzz targets.
pub(crate) fn sarif_hits(text: &str) -> Result<usize, Failure> {
    sarif::parse_hits(text).map(|hits| hits.len())
}

/// How many hits an rdjson log has, for the fuzz targets.
pub(crate) fn rdjson_hits(text: &str) -> Result<usize, Failure> {
    rdjson::parse_hits(text).map(|hits| hits.len())
}

/// Results without a path. They may be about the change or not; a tool that reports an error must not come out green.
#[derive(Default)]
struct Unplaced {
    count: usize,
    /// The first sentence among the worst.
    worst: Option<(Severity, String)>,
}

impl Unplaced {
    fn of(hits: &[ToolHit]) -> Self {
        let mut unplaced = Self::default();
        for hit in hits.iter().filter(|hit| hit.path.is_empty()) {
            unplaced.count += 1;
            if unplaced
                .worst
                .as_ref()
                .is_none_or(|(worst, _)| hit.severity > *worst)
            {
                unplaced.worst = Some((hit.severity, hit.message.clone()));
            }
        }
        unplaced
    }

    fn vote(&self) -> Vote {
        match self.worst {
            Some((Severity::Critical | Severity::Significant, _)) => Vote::Warn,
            _ => Vote::Pass,
        }
    }

    fn describe(&self) -> String {
        match (&self.worst, self.count) {
            (None, _) => String::new(),
            (Some((_, text)), 1) => format!("One result names no file: {text} "),
            (Some((_, text)), n) => format!("{n} results name no file, the worst: {text} "),
        }
    }
}

/// The worst finding decides.
fn vote_of(findings: &[Finding]) -> Vote {
    match findings.iter().map(|finding| finding.severity).max() {
        Some(Severity::Critical) => Vote::Fail,
        Some(Severity::Significant) => Vote::Warn,
        Some(Severity::Minor) | None => Vote::Pass,
    }
}

fn describe_hits(findings: usize, elsewhere: usize, dropped: usize) -> String {
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

impl<'a> ReportSubject<'a> {
    /// The file of that path, if it is under review.
    fn find_reviewed(&self, path: &str) -> Option<ReviewedFile<'a>> {
        // A tool on Windows writes `src\main.rs`.
        let slashed = path.replace("%5C", "/").replace('\\', "/");
        let file = self.find_file(path).or_else(|| self.find_file(&slashed))?;
        let content = self.blobs.read(Side::New, &file.path).ok().flatten();
        let text = content.map(|content| String::from_utf8_lossy(&content).into_owned());
        let lines = |text: &String| text.lines().map(str::to_owned).collect();
        Some(ReviewedFile {
            path: &file.path,
            added: added_lines(file),
            lines: text.as_ref().map(lines).unwrap_or_default(),
        })
    }

    fn find_file(&self, path: &str) -> Option<&'a FileChange> {
        let path = self.repo_path(path);
        let wanted = |file: &&FileChange| {
            file.path.as_bytes() == path.as_bytes() && file.status != FileStatus::Deleted
        };
        self.packet.files.iter().find(wanted)
    }

    /// A tool's path as the repository has it: without the workspace, `file://` and `./`.
    fn repo_path(&self, given: &str) -> RepoPath {
        let plain = given.strip_prefix("file://").unwrap_or(given);
        let plain = percent_encoding::percent_decode_str(plain).collect::<Vec<u8>>();
        let room = self.room.as_os_str().as_encoded_bytes();
        let inside = plain
            .strip_prefix(room)
            .and_then(|rest| rest.strip_prefix(b"/"))
            .unwrap_or(&plain);
        RepoPath::new(inside.strip_prefix(b"./").unwrap_or(inside))
    }
}

/// A file under review, as hits are held against it.
struct ReviewedFile<'a> {
    path: &'a RepoPath,
    added: BTreeSet<u32>,
    /// The reviewed side; empty where it cannot be read.
    lines: Vec<String>,
}

impl ReviewedFile<'_> {
    /// The finding, if it stands on what the change brought.
    fn finding_of(&self, hit: &ToolHit) -> Option<Finding> {
        let (line, end) = (hit.line, hit.end_line.unwrap_or(hit.line).max(hit.line));
        if line > 0 && self.added.range(line..=end).next().is_none() {
            return None;
        }
        let quote = match line {
            0 => String::new(),
            _ => self.quote_of(line, end.min(line + MAX_QUOTE_LINES - 1))?,
        };
        Some(Finding {
            severity: hit.severity,
            category: category_of(hit.rule.as_deref()),
            rule: hit.rule.clone(),
            description: hit.message.clone(),
            location: Location {
                path: self.path.clone(),
                line,
                end_line: (end > line).then_some(end),
            },
            quote,
            why: NO_CAUSE.to_owned(),
            fix: String::new(),
            suggestion: hit.suggestion.clone(),
            reference: hit.page.clone(),
        })
    }

    fn quote_of(&self, line: u32, end: u32) -> Option<String> {
        let from = line as usize - 1;
        let to = self.lines.len().min(end as usize);
        let quote = self.lines.get(from..to)?.join("\n");
        (!quote.trim().is_empty()).then_some(quote)
    }
}

/// The lines of a file, on the reviewed side, that the change added or altered.
fn added_lines(file: &FileChange) -> BTreeSet<u32> {
    let lines = file.hunks.iter().flat_map(|hunk| hunk.lines());
    lines
        .filter(|line| line.kind == LineKind::Added)
        .filter_map(|line| line.new_no)
        .collect()
}

/// The part of a rule's name that says what it is about: `python.lang.security.eval` → `eval`.
fn category_of(rule: Option<&str>) -> String {
    let last = |rule: &str| {
        rule.rsplit(['.', '/', ':'])
            .next()
            .unwrap_or(rule)
            .to_owned()
    };
    rule.map(last).unwrap_or_default()
}

fn malformed_report(detail: String) -> Failure {
    Failure::new(FailureKind::Malformed, detail)
}

#[cfg(test)]
mod tests;
