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
mod reviewed_file;
mod sarif;
mod sarif_log;
mod stream;

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use council_protocol::change::{FileStatus, NoBlobs};
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::seat::{OutputFormat, ToolRules};
use council_protocol::{
    Answer, BlobSource, Confidence, Failure, FailureKind, FileChange, Finding, Packet, RepoPath,
    Severity, Side, Turn, Vote, json,
};
use serde::de::DeserializeOwned;

use reviewed_file::{ReviewedFile, added_lines};

/// The most findings of one report; more would bury every other judge.
const MAX_FINDINGS: usize = 200;

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
    /// What stands elsewhere, where the base may tell whether it is new; none: it is only counted.
    aside: Option<Vec<ToolHit>>,
    /// Why the tool could not look at everything, unless one of its errors is about the change.
    broken: Option<&'static str>,
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
            aside: None,
            broken: None,
            offered: 0,
            unplaced: Unplaced::default(),
            nowhere: HashMap::new(),
            told_nowhere: 0,
            misled: None,
        }
    }

    /// The same, which also keeps what stands elsewhere, to hold it against the base.
    pub(crate) fn with_elsewhere(mut self) -> Self {
        self.aside = Some(Vec::new());
        self
    }

    /// Notes that the tool could not look at everything.
    fn tell_broken(&mut self, why: &'static str) {
        self.broken = Some(why);
    }

    /// Tells of a file that a list on standard input cannot hold; whoever is asked by one may not have looked at it.
    pub(crate) fn tell_unlisted(&mut self, path: &RepoPath) {
        if self.side == Side::New && path.as_bytes().contains(&b'\n') {
            self.unplaced.count_hit(&ToolHit {
                severity: Severity::Significant,
                rule: None,
                message: "its name holds a line break: the tool may not have looked at it"
                    .to_owned(),
                path: path.display().into_owned(),
                line: 0,
                end_line: None,
                suggestion: None,
                page: None,
            });
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
        let name = path
            .trim_end_matches(['/', '\\'])
            .rsplit(['/', '\\'])
            .next();
        name.is_some_and(|name| self.names.contains(name.as_bytes()))
    }

    /// Whether a hit in that place is kept, as long as there is room.
    fn wants(&mut self, path: &str, line: u32, end_line: u32) -> bool {
        let side = self.side;
        let Some(file) = self.find_file(path) else {
            return false;
        };
        side == Side::Old || file.touches(line, end_line)
    }

    /// Whether a place is known to lie in a changed file and on no changed line, so that nobody asks for what stands there.
    fn is_old_place(&mut self, path: &str, line: u32, end_line: u32) -> bool {
        let is_asked_for = self.side == Side::Old || self.aside.is_some() || line == 0;
        let is_config = || is_one_of(self.subject.config, &self.subject.repo_path(path));
        if is_asked_for || is_config() {
            return false;
        }
        let file = self.find_file(path);
        file.is_some_and(|file| !file.is_behind(line) && !file.touches(line, end_line))
    }

    /// Tells of results that may be about the change, and for which there was no room.
    fn tell_overflow(&mut self, severity: Severity) {
        self.unplaced.count_hit(&ToolHit {
            severity,
            rule: None,
            message: format!(
                "it reports more than {MAX_KEPT} results in changed files, and the others were not read; narrow what \
                 the tool looks at."
            ),
            path: String::new(),
            line: 0,
            end_line: None,
            suggestion: None,
            page: None,
        });
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
        let elsewhere = self.aside.as_ref().and_then(|_| hits.first().cloned());
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
        match (wanted, first_lost, elsewhere) {
            (Some(hit), _, _) if self.kept.len() >= MAX_KEPT => self.tell_overflow(hit.severity),
            (Some(hit), _, _) => self.kept.push(hit),
            (None, Some(hit), _) => self.unplaced.count_hit(&hit),
            (None, None, Some(hit)) => self.keep_aside(hit),
            (None, None, None) => {}
        }
    }

    /// Keeps what stands elsewhere. More than there is room for cannot be held against each other.
    fn keep_aside(&mut self, hit: ToolHit) {
        match &mut self.aside {
            Some(aside) if aside.len() < MAX_KEPT => aside.push(hit),
            aside => *aside = None,
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
        let leads_out = is_absolute(&hit.path) || slashed(&hit.path).starts_with("../");
        let elsewhere = leads_out && self.may_name(&hit.path);
        match self.find_file(&hit.path) {
            Some(file) if file.is_behind(hit.line) => {
                // Parsers name the line behind the last one where the file ends too early, wherever the cause stands.
                let is_far = hit.line as usize > file.lines.len().saturating_add(1);
                is_far || !file.touches(hit.line, hit.line) && self.aside.is_none()
            }
            Some(_) => false,
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
            // The root alone is the tree itself, as some tools call it.
            (outside && path.as_bytes() != b"/")
                || path.as_bytes().contains(&b':')
                || self.subject.has_file(&path)
        });
        if self.nowhere.len() < MAX_KEPT {
            self.nowhere.insert(path.to_owned(), !is_there);
        }
        !is_there
    }

    /// Whether an absolute path lies outside of the folder in which the tool worked.
    fn is_foreign(&self, path: &str) -> bool {
        let inside = self.subject.repo_path(&slashed(path));
        let outside = [&b"/"[..], b"../"];
        outside.iter().any(|out| inside.as_bytes().starts_with(out)) || path.contains(':')
    }

    /// How many hits were offered, wanted or not.
    pub(crate) fn offered(&self) -> usize {
        self.offered
    }

    /// Whether the base has to be asked what of this is new.
    pub(crate) fn asks_base(&mut self) -> bool {
        let aside = self.aside.take();
        let has_worse = aside.iter().flatten().any(|hit| self.is_worth_telling(hit));
        self.aside = aside;
        !self.kept.is_empty() || has_worse
    }

    /// Whether a result elsewhere is told where it is new: a change may break what it does not touch. Warnings only in
    /// files that it touches.
    fn is_worth_telling(&mut self, hit: &ToolHit) -> bool {
        match hit.severity {
            Severity::Critical => true,
            Severity::Significant => self.find_file(&hit.path).is_some(),
            Severity::Minor => false,
        }
    }

    /// Gives up what stands elsewhere: the base did not tell whether it is new.
    pub(crate) fn forget_elsewhere(&mut self) {
        self.aside = None;
    }

    /// Whether the tool has looked at what it was to look at, or one of its errors is about the change.
    ///
    /// # Errors
    /// `provider` where it could not.
    pub(crate) fn check_whole(&self) -> Result<(), Failure> {
        let told = self.kept.iter().chain(self.aside.iter().flatten());
        let has_error = told
            .into_iter()
            .any(|hit| hit.severity == Severity::Critical);
        match self.broken {
            Some(why) if !has_error => Err(Failure::new(FailureKind::Provider, why)),
            _ => Ok(()),
        }
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

    /// What a hit is, wherever its line has moved to. A file that did not change has its lines where they were.
    fn identity_of(&mut self, hit: &ToolHit) -> HitIdentity {
        let unchanged = self.subject.repo_path(&hit.path);
        let (path, text) = match self.find_file(&hit.path) {
            Some(file) => (file.path.clone(), file.line_text(hit.line).to_owned()),
            None => (unchanged, hit.line.to_string()),
        };
        HitIdentity {
            path,
            rule: hit.rule.clone(),
            message: without_numbers(&hit.message),
            text,
        }
    }

    /// Takes away what `base` reports, too: it is not new. What stands elsewhere first, as it is the likelier to be what
    /// was there before its like came with the change.
    pub(crate) fn drop_known(&mut self, mut base: HitSink<'_>) {
        let mut known: HashMap<HitIdentity, usize> = HashMap::new();
        let of_base = std::mem::take(&mut base.kept);
        let (has_all, others) = (base.aside.is_some(), base.aside.take());
        for hit in of_base.into_iter().chain(others.into_iter().flatten()) {
            *known.entry(base.identity_of(&hit)).or_default() += 1;
        }
        let aside = self.aside.take().filter(|_| has_all);
        self.aside = aside.map(|hits| self.new_ones(hits, &mut known));
        let hits = std::mem::take(&mut self.kept);
        self.kept = self.new_ones(hits, &mut known);
    }

    /// The hits that are not known, each known one taken once.
    fn new_ones(
        &mut self,
        hits: Vec<ToolHit>,
        known: &mut HashMap<HitIdentity, usize>,
    ) -> Vec<ToolHit> {
        let mut is_new = |hit: &ToolHit| match known.get_mut(&self.identity_of(hit)) {
            Some(left @ 1..) => {
                *left -= 1;
                false
            }
            _ => true,
        };
        hits.into_iter().filter(|hit| is_new(hit)).collect()
    }

    /// What the base does not have although it stands elsewhere: in a changed file it is a finding, in another one it has
    /// no place in the change.
    fn tell_elsewhere(&mut self) {
        for hit in self.aside.take().into_iter().flatten() {
            match self.find_file(&hit.path).is_some() {
                _ if !self.is_worth_telling(&hit) => {}
                true => self.kept.push(hit),
                false => self.unplaced.count_hit(&hit),
            }
        }
    }

    /// The answer that the hits come to; `note` is told beside them.
    pub(crate) fn into_answer(mut self, rules: &ToolRules, turn: &Turn, note: &str) -> Answer {
        self.tell_elsewhere();
        let hits = std::mem::take(&mut self.kept);
        let mut findings: Vec<Finding> = Vec::new();
        for hit in &hits {
            let severity = hit.severity.min(rules.max_severity_of(hit.rule.as_deref()));
            let file = self.find_file(&hit.path);
            findings.extend(file.map(|file| file.finding_of(hit, severity)));
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
        answer.unplaced = Some(self.unplaced.vote()).filter(|vote| *vote > Vote::Pass);
        answer
    }
}

/// A message as it stays where lines move: many name one.
fn without_numbers(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for c in message.chars() {
        match c.is_ascii_digit() {
            true if text.ends_with('0') => {}
            true => text.push('0'),
            false => text.push(c),
        }
    }
    text
}

/// Whether a path is one of these, by its name or from the root. One `*` stands for any characters of a name.
pub(crate) fn is_one_of(configs: &[String], path: &RepoPath) -> bool {
    let name = path.file_name();
    let is_it = |config: &String| match config.split_once('*') {
        Some((begin, end)) => name
            .strip_prefix(begin.as_bytes())
            .is_some_and(|rest| rest.ends_with(end.as_bytes())),
        None => config.as_bytes() == name || config.as_bytes() == path.as_bytes(),
    };
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
            only: Vec::new(),
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

    /// Whether the reviewed tree has a file, or the folder in which the tool worked. A folder is none: what is wrong with
    /// it may be what the change did there.
    fn has_file(&self, path: &RepoPath) -> bool {
        let place = self.room.join(std::ffi::OsStr::from_bytes(path.as_bytes()));
        let is_folder = path.as_bytes().is_empty() || place.is_dir();
        !is_folder && (place.exists() || !matches!(self.blobs.read(Side::New, path), Ok(None)))
    }

    fn find_file(&self, given: &str, side: Side) -> Option<(&'a FileChange, &'a RepoPath)> {
        let path = self.repo_path(given);
        let path_on = |file: &'a FileChange| match side {
            Side::New => (file.status != FileStatus::Deleted).then_some(&file.path),
            Side::Old => (file.status != FileStatus::Added).then(|| file.path_before()),
        };
        // A report is read as text: what is none in a name is written in it as such.
        let is_it = |found: &RepoPath| {
            let as_told = || String::from_utf8_lossy(found.as_bytes());
            *found == path || given.contains('\u{fffd}') && as_told().as_bytes() == path.as_bytes()
        };
        let mut files = self.packet.files.iter();
        files.find_map(|file| Some((file, path_on(file).filter(|found| is_it(found))?)))
    }

    /// A tool's path as the repository has it: without the workspace, `file://` and `./`.
    fn repo_path(&self, given: &str) -> RepoPath {
        let plain = given.strip_prefix("file://").unwrap_or(given).as_bytes();
        let room = self.room.as_os_str().as_encoded_bytes();
        let inside = plain
            .strip_prefix(room)
            .and_then(|rest| rest.strip_prefix(b"/"))
            .unwrap_or(plain);
        // `.//a/./b` is `a/b`.
        let is_absolute = inside.starts_with(b"/");
        let parts = inside.split(|&byte| byte == b'/');
        let parts: Vec<&[u8]> = parts.filter(|part| !matches!(*part, b"" | b".")).collect();
        let plain = parts.join(&b'/');
        RepoPath::new(if is_absolute {
            [b"/", &plain[..]].concat()
        } else {
            plain
        })
    }
}

/// A path with `/`: a tool on Windows writes `src\main.rs`.
fn slashed(path: &str) -> String {
    path.replace('\\', "/")
}

fn malformed_report(detail: String) -> Failure {
    Failure::new(FailureKind::Malformed, detail)
}

#[cfg(test)]
mod failure_laws;
#[cfg(test)]
mod tests;
