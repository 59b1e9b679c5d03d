//! A tool's report as a judge's answer: SARIF, rdjson, ESLint's, Bandit's or Cargo's JSON, or plain lines in, findings with quotes out.
//!
//! A tool looks at the whole tree; a judge speaks of the change. So only what stands on lines that the change added or
//! altered becomes a finding; the rest is counted. Each finding quotes the reviewed file, so that it is proved like any
//! other. A report that says that the tool failed is no answer.

mod bandit;
mod cargo;
mod eslint;
mod lines;
mod rdjson;
mod sarif;
mod sarif_log;
mod stream;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::Read;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use council_protocol::answer::NO_CAUSE;
use council_protocol::change::{FileStatus, LineKind, NoBlobs};
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::seat::{OutputFormat, ToolRules};
use council_protocol::{
    Answer, BlobSource, Confidence, Failure, FailureKind, FileChange, Finding, Location, Packet,
    RepoPath, Severity, Side, Turn, Vote, json,
};
use serde::de::DeserializeOwned;

/// The most findings of one report; more would bury every other judge.
const MAX_FINDINGS: usize = 200;

/// The most lines of a quote.
const MAX_QUOTE_LINES: u32 = 5;

/// The most hits that are kept while a report is read.
const MAX_KEPT: usize = 20_000;

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
    /// The files that configure the tool, where an error in one of them means that it did not look as it should. Empty for
    /// tools that look for anything anywhere.
    pub(crate) config: &'a [String],
}

/// Takes what a tool reports while it reports it, and keeps what is wanted.
pub(crate) struct HitSink<'a> {
    subject: &'a ReportSubject<'a>,
    side: Side,
    /// Files that were asked for, as far as they are under review.
    files: HashMap<String, Option<ReviewedFile<'a>>>,
    /// The names of changed files, without their folders.
    names: HashSet<&'a [u8]>,
    kept: Vec<ToolHit>,
    /// Hits that were offered, wanted or not.
    offered: usize,
    unplaced: Unplaced,
    /// Paths of no changed file, each with whether there is no such file at all.
    nowhere: HashMap<String, bool>,
    /// How many results with such a path were let in.
    told_nowhere: usize,
    /// What is wrong with the tool's configuration, as it says.
    misled: Option<String>,
}

impl<'a> HitSink<'a> {
    /// A sink for a tool that looks at the reviewed side, and keeps what stands on changed lines; or at the base, and
    /// keeps all that stands in files that changed.
    pub(crate) fn new(subject: &'a ReportSubject<'a>, side: Side) -> Self {
        let name_of = |file: &'a FileChange| {
            let path = match side {
                Side::New => &file.path,
                Side::Old => file.path_before(),
            };
            path.as_bytes().rsplit(|&byte| byte == b'/').next()
        };
        Self {
            subject,
            side,
            files: HashMap::new(),
            names: subject.packet.files.iter().filter_map(name_of).collect(),
            kept: Vec::new(),
            offered: 0,
            unplaced: Unplaced::default(),
            nowhere: HashMap::new(),
            told_nowhere: 0,
            misled: None,
        }
    }

    /// Whether it takes what stands on the base.
    pub(crate) fn is_of_base(&self) -> bool {
        self.side == Side::Old
    }

    /// What is wrong with the tool's configuration, as it says; none: nothing.
    pub(crate) fn misled(&self) -> Option<&str> {
        self.misled.as_deref()
    }

    /// Counts a hit, whether it is wanted or not.
    fn count_hit(&mut self) {
        self.offered += 1;
    }

    /// Whether a path may be one of a changed file: its name is that of one.
    fn may_name(&self, path: &str) -> bool {
        let path = percent_encoding::percent_decode_str(path).collect::<Vec<u8>>();
        let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next();
        name.is_some_and(|name| self.names.contains(name))
    }

    /// Whether a hit in that place is kept.
    fn wants(&mut self, path: &str, line: u32, end_line: u32) -> bool {
        let side = self.side;
        let is_full = self.kept.len() >= MAX_KEPT;
        let Some(file) = self.find_file(path) else {
            return false;
        };
        !is_full && (side == Side::Old || file.touches(line, end_line))
    }

    /// Counts a hit, and keeps it if it is wanted.
    fn offer(&mut self, hit: ToolHit) {
        self.count_hit();
        self.offer_counted(hit);
    }

    /// Keeps a hit that was counted, if it is wanted.
    fn offer_counted(&mut self, hit: ToolHit) {
        self.offer_places(vec![hit]);
    }

    /// Keeps one result, at the first of its places that is wanted. One that has no place where its tool says is told.
    fn offer_places(&mut self, hits: Vec<ToolHit>) {
        if let Some(hit) = hits.iter().find(|hit| self.is_of_config(hit)) {
            let path = self.subject.repo_path(&hit.path);
            let words = || format!("{}: {}", path.display(), hit.message);
            self.misled.get_or_insert_with(words);
        }
        let lost = hits.iter().position(|hit| self.is_lost(hit));
        let mut hits = hits.into_iter().enumerate();
        let mut first_lost = None;
        let wanted = hits.find_map(|(index, hit)| {
            if Some(index) == lost {
                first_lost = Some(hit);
                return None;
            }
            let end = hit.end_line.unwrap_or(hit.line);
            (!hit.path.is_empty() && self.wants(&hit.path, hit.line, end)).then_some(hit)
        });
        match (wanted, first_lost) {
            (Some(hit), _) => self.kept.push(hit),
            (None, Some(hit)) => self.unplaced.count_hit(&hit),
            (None, None) => {}
        }
    }

    /// Takes what a tool says went wrong on its way: an error over a changed file means that it did not read it.
    fn offer_trouble(&mut self, hit: &ToolHit) {
        let is_changed = self.is_lost(hit) || self.find_file(&hit.path).is_some();
        if hit.severity == Severity::Critical && is_changed {
            self.unplaced.count_hit(hit);
        }
    }

    /// Whether a hit is an error in what configures the tool.
    fn is_of_config(&self, hit: &ToolHit) -> bool {
        let configs = self.subject.config;
        hit.severity == Severity::Critical
            && !configs.is_empty()
            && is_one_of(configs, &self.subject.repo_path(&hit.path))
    }

    /// Whether a hit names no place that there is: no file, a path that the tree does not have, a line behind the end of a
    /// changed file, or a file of a changed one's name in a folder of another machine.
    fn is_lost(&mut self, hit: &ToolHit) -> bool {
        if hit.path.is_empty() {
            return true;
        }
        let elsewhere = is_absolute(&hit.path) && self.may_name(&hit.path);
        match self.find_file(&hit.path) {
            // Some tools name the line behind the last line end.
            Some(file) => {
                !file.lines.is_empty() && hit.line as usize > file.lines.len().saturating_add(1)
            }
            None => elsewhere && self.is_foreign(&hit.path) || self.is_nowhere(&hit.path),
        }
    }

    /// Whether a result that has to be told may stand there. A few are enough to tell of: others must leave room for results
    /// on changed lines.
    fn may_be_nowhere(&mut self, path: &str) -> bool {
        let is_told = self.told_nowhere < MAX_FINDINGS && self.is_nowhere(path);
        self.told_nowhere += usize::from(is_told);
        is_told
    }

    /// Whether a path from the root names no file of the reviewed tree, and none that the tool has made beside it: the tool
    /// counts from another folder, and what it says may well be about the change.
    fn is_nowhere(&mut self, path: &str) -> bool {
        if self.side == Side::Old || !self.subject.blobs.has_blobs() {
            return false;
        }
        if let Some(known) = self.nowhere.get(path) {
            return *known;
        }
        let is_there = [path.to_owned(), slashed(path)].iter().any(|path| {
            let path = self.subject.repo_path(path);
            let outside = [&b"/"[..], b"../"]
                .iter()
                .any(|out| path.as_bytes().starts_with(out));
            outside || path.as_bytes().contains(&b':') || self.subject.has_file(&path)
        });
        if self.nowhere.len() < MAX_KEPT {
            self.nowhere.insert(path.to_owned(), !is_there);
        }
        !is_there
    }

    /// Whether an absolute path lies outside of the folder in which the tool worked.
    fn is_foreign(&self, path: &str) -> bool {
        self.subject.repo_path(path).as_bytes().starts_with(b"/") || path.contains(':')
    }

    /// How many hits were offered, wanted or not.
    pub(crate) fn offered(&self) -> usize {
        self.offered
    }

    /// Whether nothing was kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    fn find_file(&mut self, path: &str) -> Option<&ReviewedFile<'a>> {
        // A report may name more files than there is memory for.
        if self.files.len() >= MAX_KEPT && !self.files.contains_key(path) {
            self.files.clear();
        }
        let (subject, side) = (self.subject, self.side);
        let find = || subject.find_reviewed(path, side);
        self.files
            .entry(path.to_owned())
            .or_insert_with(find)
            .as_ref()
    }

    /// What a hit is, wherever its line has moved to.
    fn identity_of(&mut self, hit: &ToolHit) -> Option<HitIdentity> {
        let file = self.find_file(&hit.path)?;
        Some(HitIdentity {
            path: file.path.clone(),
            rule: hit.rule.clone(),
            message: hit.message.clone(),
            text: file.line_text(hit.line).to_owned(),
        })
    }

    /// Takes away what `base` reports, too: it is not new.
    pub(crate) fn drop_known(&mut self, mut base: HitSink<'_>) {
        let mut known: HashMap<HitIdentity, usize> = HashMap::new();
        for hit in std::mem::take(&mut base.kept) {
            if let Some(identity) = base.identity_of(&hit) {
                *known.entry(identity).or_default() += 1;
            }
        }
        let hits = std::mem::take(&mut self.kept);
        for hit in hits {
            let identity = self.identity_of(&hit);
            match identity.and_then(|identity| known.get_mut(&identity)) {
                Some(left @ 1..) => *left -= 1,
                _ => self.kept.push(hit),
            }
        }
    }

    /// The answer that the hits come to; `note` is told beside them.
    pub(crate) fn into_answer(mut self, rules: &ToolRules, turn: &Turn, note: &str) -> Answer {
        let hits = std::mem::take(&mut self.kept);
        let mut findings: Vec<Finding> = Vec::new();
        for hit in &hits {
            let severity = hit.severity.min(rules.max_severity_of(hit.rule.as_deref()));
            let file = self.find_file(&hit.path);
            findings.extend(file.and_then(|file| file.finding_of(hit, severity)));
        }
        findings.sort_by(|a, b| (b.severity, &a.location).cmp(&(a.severity, &b.location)));
        findings.dedup();
        let elsewhere = self.offered - findings.len().min(self.offered);
        let dropped = findings.len().saturating_sub(MAX_FINDINGS);
        findings.truncate(MAX_FINDINGS);
        let vote = vote_of(&findings).max(self.unplaced.vote());
        let mut answer = Answer::new(turn.round, turn.key.clone(), vote);
        answer.confidence = Confidence::High;
        answer.key_insight =
            self.unplaced.describe() + &describe_hits(findings.len(), elsewhere, dropped) + note;
        answer.findings = findings;
        answer
    }
}

/// Whether a path is one of these, by its name or from the root.
pub(crate) fn is_one_of(configs: &[String], path: &RepoPath) -> bool {
    let path = path.as_bytes();
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    let is_it = |config: &String| config.as_bytes() == name || config.as_bytes() == path;
    configs.iter().any(is_it)
}

/// As a URI, or as a path of Unix or Windows.
fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    path.starts_with(['/', '\\']) || path.contains("://") || drive
}

/// What makes two hits the same one.
#[derive(PartialEq, Eq, Hash)]
struct HitIdentity {
    path: RepoPath,
    rule: Option<String>,
    message: String,
    text: String,
}

/// Reads a tool's report into `sink`, however long it is.
///
/// # Errors
/// `malformed` for what is not the format, `provider` for a tool that says that it failed.
pub(crate) fn read_report(
    format: OutputFormat,
    stream: impl Read,
    sink: &mut HitSink<'_>,
) -> Result<(), Failure> {
    let unreadable =
        |error: std::io::Error| malformed_report(format!("what it wrote cannot be read: {error}"));
    let mut stream = stream::bounded(stream::without_mark(stream).map_err(unreadable)?);
    match format {
        OutputFormat::Answer => Ok(()),
        OutputFormat::Sarif => sarif_log::read_hits(stream, sink),
        OutputFormat::Cargo => cargo::read_hits(stream, sink),
        OutputFormat::Lines => {
            let (mut hits, mut complaint) = (0, None);
            stream::each_line(stream, |line| {
                let line = lines::without_colours(line);
                if let Some(hit) = lines::parse_line(&line) {
                    hits += 1;
                    sink.offer(hit);
                } else if complaint.is_none() && lines::is_breakdown(&line) {
                    complaint = Some(line.into_owned());
                }
            })
            .map_err(unreadable)?;
            // Headings and summaries are no hits either; a tool that says nothing but that it broke down has not looked.
            match complaint.filter(|_| hits == 0) {
                Some(line) => Err(malformed_report(format!(
                    "no line of it reports a place, and one says: {line}"
                ))),
                None => Ok(()),
            }
        }
        OutputFormat::Rdjson | OutputFormat::Eslint | OutputFormat::Bandit => {
            let mut text = String::new();
            stream.read_to_string(&mut text).map_err(unreadable)?;
            let mut unread = Vec::new();
            let hits = match format {
                OutputFormat::Eslint => eslint::parse_hits(&text)?,
                OutputFormat::Bandit => {
                    let report = bandit::parse_hits(&text)?;
                    unread = report.unread;
                    report.found
                }
                _ => rdjson::parse_hits(&text)?,
            };
            hits.into_iter().for_each(|hit| sink.offer(hit));
            unread.iter().for_each(|hit| sink.offer_trouble(hit));
            Ok(())
        }
    }
}

/// A tool's JSON, unless it would take more memory than it may.
fn parse_json<T: DeserializeOwned>(text: &str, format: &str) -> Result<T, Failure> {
    if !json::fits_in_memory(text.as_bytes(), json::REPORT) {
        let detail = format!("its {format} holds more than is read: narrow what the tool looks at");
        return Err(Failure::new(FailureKind::Oversized, detail));
    }
    serde_json::from_slice(text.as_bytes())
        .map_err(|error| malformed_report(format!("what it wrote is not {format}: {error}")))
}

/// Reads any report, for the fuzz targets.
pub(crate) fn read_any(format: OutputFormat, text: &str) -> Result<(), Failure> {
    let packet = Packet {
        version: PACKET_VERSION,
        target: Target {
            kind: TargetKind::Topic,
            label: String::new(),
            slug: String::new(),
            base: None,
            head: None,
        },
        files: Vec::new(),
        instructions: Vec::new(),
        coverage: Default::default(),
        framing: Default::default(),
    };
    let subject = ReportSubject {
        packet: &packet,
        blobs: &NoBlobs,
        room: Path::new("/"),
        config: &[],
    };
    read_report(
        format,
        text.as_bytes(),
        &mut HitSink::new(&subject, Side::New),
    )
}

/// Results without a place that there is. They may be about the change or not; a tool that reports an error must not come
/// out green: a WARN of a tool is outvoted where models sit, a FAIL without a finding is a warning everywhere.
#[derive(Default)]
struct Unplaced {
    count: usize,
    /// The first sentence among the worst.
    worst: Option<(Severity, String)>,
}

impl Unplaced {
    fn count_hit(&mut self, hit: &ToolHit) {
        self.count += 1;
        let is_worst = |(worst, _): &(Severity, String)| hit.severity > *worst;
        if self.worst.as_ref().is_none_or(is_worst) {
            let place = match (hit.path.as_str(), hit.line) {
                ("", _) => String::new(),
                (path, 0) => format!("{path}: "),
                (path, line) => format!("{path}:{line}: "),
            };
            self.worst = Some((hit.severity, place + &hit.message));
        }
    }

    fn vote(&self) -> Vote {
        match self.worst {
            Some((Severity::Critical, _)) => Vote::Fail,
            Some((Severity::Significant, _)) => Vote::Warn,
            _ => Vote::Pass,
        }
    }

    fn describe(&self) -> String {
        match (&self.worst, self.count) {
            (None, _) => String::new(),
            (Some((_, text)), 1) => format!("One result cannot be placed: {text} "),
            (Some((_, text)), n) => format!("{n} results cannot be placed, the worst: {text} "),
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
    /// The file of that path on that side, if it is under review.
    fn find_reviewed(&self, path: &str, side: Side) -> Option<ReviewedFile<'a>> {
        let (file, path) = self
            .find_file(path, side)
            .or_else(|| self.find_file(&slashed(path), side))?;
        let content = self.blobs.read(side, path).ok().flatten();
        let text = content.map(|content| String::from_utf8_lossy(&content).into_owned());
        let lines = |text: &String| text.lines().map(str::to_owned).collect();
        Some(ReviewedFile {
            path: &file.path,
            added: added_lines(file),
            lines: text.as_ref().map(lines).unwrap_or_default(),
        })
    }

    /// Whether the reviewed tree has a file, or the folder in which the tool worked.
    fn has_file(&self, path: &RepoPath) -> bool {
        let name = std::ffi::OsStr::from_bytes(path.as_bytes());
        self.room.join(name).exists() || !matches!(self.blobs.read(Side::New, path), Ok(None))
    }

    fn find_file(&self, path: &str, side: Side) -> Option<(&'a FileChange, &'a RepoPath)> {
        let path = self.repo_path(path);
        let path_on = |file: &'a FileChange| match side {
            Side::New => (file.status != FileStatus::Deleted).then_some(&file.path),
            Side::Old => (file.status != FileStatus::Added).then(|| file.path_before()),
        };
        let mut files = self.packet.files.iter();
        files.find_map(|file| Some((file, path_on(file).filter(|found| **found == path)?)))
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

/// A path with `/`: a tool on Windows writes `src\main.rs`.
fn slashed(path: &str) -> String {
    path.replace("%5C", "/").replace('\\', "/")
}

/// A file under review, as hits are held against it.
struct ReviewedFile<'a> {
    path: &'a RepoPath,
    added: BTreeSet<u32>,
    /// The reviewed side; empty where it cannot be read.
    lines: Vec<String>,
}

impl ReviewedFile<'_> {
    /// Whether these lines hold one that the change brought; line 0 is the file as a whole.
    fn touches(&self, line: u32, end_line: u32) -> bool {
        line == 0 || self.added.range(line..=end_line.max(line)).next().is_some()
    }

    /// A line without the white space around it; empty where there is none.
    fn line_text(&self, line: u32) -> &str {
        let index = (line as usize).checked_sub(1);
        index
            .and_then(|index| self.lines.get(index))
            .map_or("", |line| line.trim())
    }

    /// The finding, if it stands on what the change brought.
    fn finding_of(&self, hit: &ToolHit, severity: Severity) -> Option<Finding> {
        let (line, end) = (hit.line, hit.end_line.unwrap_or(hit.line).max(hit.line));
        if !self.touches(line, end) {
            return None;
        }
        let quote = match line {
            0 => String::new(),
            _ => self.quote_of(line, end.min(line + MAX_QUOTE_LINES - 1))?,
        };
        Some(Finding {
            severity,
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
mod failure_laws;
#[cfg(test)]
mod tests;
