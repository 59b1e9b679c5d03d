//! A tool's report as a judge's answer: SARIF, rdjson, ESLint's, Bandit's or Cargo's JSON, or plain lines in, findings with quotes out.
//!
//! A tool looks at the whole tree; a judge speaks of the change. So only what stands on lines that the change added or
//! altered becomes a finding; the rest is counted. Each finding quotes the reviewed file, so that it is proved like any
//! other. A report that says that the tool failed is no answer.

mod bandit;
mod cargo;
mod eslint;
mod lines;
mod plain_output;
mod rdjson;
mod reviewed_file;
mod sarif;
mod sarif_log;
mod sink;
mod stream;
mod unplaced;
mod unread_words;

use std::io::Read;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use council_protocol::change::{FileStatus, NoBlobs};
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::seat::OutputFormat;
use council_protocol::{
    BlobSource, Failure, FailureKind, FileChange, Packet, RepoPath, Severity, Side, json,
};
use serde::de::DeserializeOwned;

use plain_output::PlainOutput;
use reviewed_file::{ReviewedFile, added_lines};
pub(crate) use sink::HitSink;

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
            let mut output = PlainOutput::default();
            stream::each_line(stream, |line| output.read_line(line, sink)).map_err(unreadable)?;
            output.finish(sink)
        }
        OutputFormat::Rdjson | OutputFormat::Eslint | OutputFormat::Bandit => {
            let mut text = String::new();
            stream.read_to_string(&mut text).map_err(unreadable)?;
            let report = match format {
                OutputFormat::Eslint => eslint::parse_hits(&text)?,
                OutputFormat::Bandit => bandit::parse_hits(&text)?,
                _ => rdjson::parse_hits(&text)?.into(),
            };
            report.found.into_iter().for_each(|hit| sink.offer(hit));
            report
                .unread
                .into_iter()
                .for_each(|hit| sink.offer_trouble(hit));
            Ok(())
        }
    }
}

/// What a report in one piece holds.
struct FoundHits {
    found: Vec<ToolHit>,
    /// Files that were not looked at.
    unread: Vec<ToolHit>,
}

impl From<Vec<ToolHit>> for FoundHits {
    fn from(found: Vec<ToolHit>) -> Self {
        let unread = Vec::new();
        Self { found, unread }
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

    /// A tool's path as the repository has it: without the workspace, `file://` and `./`, and with each `..` taken back.
    fn repo_path(&self, given: &str) -> RepoPath {
        let plain = given.strip_prefix("file://").unwrap_or(given).as_bytes();
        let room = plain_path(self.room.as_os_str().as_encoded_bytes());
        let plain = plain_path(plain);
        // One that leaves the workspace may lead back into it: `../room/a.py`.
        let whole = match plain.starts_with(b"../") {
            true => plain_path(&[&room, &b"/"[..], &plain].concat()),
            false => plain.clone(),
        };
        let inside = whole.strip_prefix(&room[..]);
        let inside = inside.and_then(|rest| rest.strip_prefix(b"/"));
        RepoPath::new(inside.map_or(plain, <[u8]>::to_vec))
    }
}

/// A path without what it does not need: `.//a/../b/./c` is `b/c`. Above the root there is nothing, and above a path from
/// nowhere there may be something.
fn plain_path(path: &[u8]) -> Vec<u8> {
    let is_absolute = path.starts_with(b"/");
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|last| *last != b"..") => _ = parts.pop(),
            b".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    let plain = parts.join(&b'/');
    if is_absolute {
        [b"/", &plain[..]].concat()
    } else {
        plain
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
