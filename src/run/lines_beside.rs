//! Lines that findings quote and that no hunk of the change has: they are shown as they stand in what was reviewed, with
//! the lines around them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use council_protocol::change::{FileKind, FileStatus, Hunk, Side};
use council_protocol::packet::TargetKind;
use council_protocol::{FileChange, Finding, RepoPath};
use council_secrets::Redactor;

use crate::git::{self, ChangeRequest, ReviewedChange, TargetSpec, TrustedTree};
use crate::report::Report;
use crate::run::context::RunContext;

/// The most bytes of a file that are read for it: all of them are searched for secrets, to show a few lines.
const MAX_FILE: usize = 1 << 20;

/// The most lines that are shown of one finding.
const MAX_LINES: u32 = 64;

/// Lines that are shown before and behind them.
const AROUND: u32 = 2;

/// Adds the lines that findings of a report quote where `files` lack them.
pub(crate) fn add_quoted_lines(
    files: &mut Vec<FileChange>,
    report: &Report,
    redactor: &Redactor,
    start: &RunContext,
) {
    let findings = report.outcome.findings.iter().map(|found| &found.finding);
    let mut lacking: BTreeMap<RepoPath, Vec<&Finding>> = BTreeMap::new();
    for finding in findings.filter(|finding| lacks_lines(files, finding)) {
        let path = finding.location.path.clone();
        lacking.entry(path).or_default().push(finding);
    }
    if lacking.is_empty() {
        return;
    }
    let Some(texts) = ReviewedTexts::open(report, lacking.keys(), start) else {
        return;
    };
    for (path, findings) in lacking {
        let known = files.iter().find(|file| file.path == path);
        if let Some(text) = texts.read(&path, known) {
            let file = file_of(files, &path);
            let hunks = quoted_hunks(&findings, &file.hunks, &text, redactor);
            file.hunks.extend(hunks);
            file.hunks.sort_by_key(|hunk| hunk.new_start);
        }
    }
}

/// Where the files of the reviewed side are read.
enum ReviewedTexts {
    Commit(Box<dyn TrustedTree>),
    /// The index or the worktree, as they are now.
    Uncommitted(Box<ReviewedChange>),
}

impl ReviewedTexts {
    fn open<'p>(
        report: &Report,
        paths: impl Iterator<Item = &'p RepoPath>,
        start: &RunContext,
    ) -> Option<Self> {
        let env = start.git_environment();
        if let Some(head) = &report.target.head {
            return git::tree_at(&start.dir, &env, head).ok().map(Self::Commit);
        }
        let spec = match report.target.kind {
            TargetKind::Staged => TargetSpec::Staged,
            TargetKind::Worktree => TargetSpec::Worktree,
            _ => return None,
        };
        let wanted = ChangeRequest {
            dir: start.dir.clone(),
            spec,
            pathspecs: paths
                .map(|path| format!(":(top,literal){}", path.display()))
                .collect(),
            env,
        };
        let change = git::read_change(&wanted).ok()?;
        Some(Self::Uncommitted(Box::new(change)))
    }

    /// The text of a file as it was reviewed, which is `known` where the change has it. What was edited since is another
    /// one.
    fn read(&self, path: &RepoPath, known: Option<&FileChange>) -> Option<String> {
        let bytes = match self {
            Self::Commit(tree) => tree.read_file(&path.display()).ok()??,
            Self::Uncommitted(change) => {
                let now = change.files.iter().find(|file| file.path == *path);
                let id = |file: Option<&FileChange>| file.map(|file| file.new_id.clone());
                let is_as_reviewed = id(now) == id(known);
                let bytes = change.blobs.read(Side::New, path).ok()??;
                is_as_reviewed.then(|| bytes.to_vec())?
            }
        };
        let text = Some(bytes).filter(|bytes| bytes.len() <= MAX_FILE)?;
        String::from_utf8(text).ok()
    }
}

/// Whether a finding quotes lines of the reviewed side that no hunk has.
fn lacks_lines(files: &[FileChange], finding: &Finding) -> bool {
    let place = &finding.location;
    let is_shown = |file: &FileChange| numbers_of(&file.hunks).contains(&place.line);
    let mut files = files.iter().filter(|file| file.path == place.path);
    place.line > 0 && !finding.quote.trim().is_empty() && !files.any(is_shown)
}

/// The lines of the reviewed side that hunks have.
fn numbers_of(hunks: &[Hunk]) -> BTreeSet<u32> {
    let lines = hunks.iter().flat_map(Hunk::lines);
    lines.filter_map(|line| line.new_no).collect()
}

/// The lines that findings quote in a file, with those around them that no hunk has yet, without secrets. A secret may run
/// over lines: where it leaves fewer of them, no number is right.
fn quoted_hunks(
    findings: &[&Finding],
    there: &[Hunk],
    text: &str,
    redactor: &Redactor,
) -> Vec<Hunk> {
    let Some(first) = findings.first() else {
        return Vec::new();
    };
    let path = first.location.path.display();
    let shown = redactor.redact_source(Some(&path), text).text;
    if shown.lines().count() != text.lines().count() {
        return Vec::new();
    }
    let shown: Vec<&str> = shown.lines().collect();
    let there = numbers_of(there);
    let count = u32::try_from(shown.len()).unwrap_or(u32::MAX);
    // A place behind the end of the file is none of it.
    let placed = findings.iter().filter(|one| one.location.line <= count);
    let wanted = placed.flat_map(|finding| wanted_lines(finding));
    let wanted = wanted.filter(|line| (1..=count).contains(line) && !there.contains(line));
    let rows = in_rows(wanted.collect());
    // As in hunks of the change: a value that is known to be secret stands on no line.
    let line = |number: u32| redactor.redact_words(shown[number as usize - 1]).text;
    let hunk = |row: RangeInclusive<u32>| {
        let (start, end) = (*row.start(), *row.end());
        Hunk {
            old_start: start,
            old_lines: end - start + 1,
            new_start: start,
            new_lines: end - start + 1,
            section: String::new(),
            body: row.map(|number| format!(" {}\n", line(number))).collect(),
        }
    };
    rows.into_iter().map(hunk).collect()
}

/// The lines that a finding quotes and those around them.
fn wanted_lines(finding: &Finding) -> RangeInclusive<u32> {
    let place = &finding.location;
    let quoted = finding.quote.trim().lines().count();
    let quoted = u32::try_from(quoted).unwrap_or(MAX_LINES);
    let named = place.end_line.unwrap_or(place.line).max(place.line) - place.line;
    // The quote may begin on any line of the stretch that is named.
    let many = named.saturating_add(quoted).min(MAX_LINES);
    let last = place.line.saturating_add(many.saturating_sub(1));
    place.line.saturating_sub(AROUND)..=last.saturating_add(AROUND)
}

/// Numbers as the rows that they make.
fn in_rows(numbers: BTreeSet<u32>) -> Vec<RangeInclusive<u32>> {
    let mut rows: Vec<RangeInclusive<u32>> = Vec::new();
    for number in numbers {
        match rows.last_mut() {
            Some(row) if *row.end() + 1 == number => *row = *row.start()..=number,
            _ => rows.push(number..=number),
        }
    }
    rows
}

/// The file of that path, which need not be one of the change.
fn file_of<'f>(files: &'f mut Vec<FileChange>, path: &RepoPath) -> &'f mut FileChange {
    let known = files.iter().position(|file| file.path == *path);
    let at = known.unwrap_or_else(|| {
        files.push(unchanged_file(path));
        files.len() - 1
    });
    &mut files[at]
}

fn unchanged_file(path: &RepoPath) -> FileChange {
    FileChange {
        path: path.clone(),
        old_path: None,
        status: FileStatus::Modified,
        kind: FileKind::Text,
        old_mode: 0o100_644,
        new_mode: 0o100_644,
        old_id: None,
        new_id: None,
        old_size: None,
        new_size: None,
        similarity: None,
        moved_from: None,
        lossy: false,
        hunks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::{Location, Severity};
    use proptest::prelude::*;

    use super::*;

    fn finding(line: u32, end_line: Option<u32>, quote: &str) -> Finding {
        Finding {
            severity: Severity::Critical,
            category: "bug".into(),
            rule: None,
            description: "It is wrong.".into(),
            location: Location {
                path: "src/a.py".into(),
                line,
                end_line,
            },
            quote: quote.into(),
            why: String::new(),
            fix: String::new(),
            suggestion: None,
            reference: None,
        }
    }

    /// The lines of a file that are shown beside its change, by their numbers.
    fn shown(findings: &[&Finding], there: &[Hunk], text: &str) -> Vec<(u32, String)> {
        let hunks = quoted_hunks(findings, there, text, &Redactor::default());
        let lines = hunks.iter().flat_map(Hunk::lines);
        let lines = lines.map(|line| (line.new_no.unwrap(), line.text.to_owned()));
        lines.collect()
    }

    proptest! {
        /// Each quoted line is there as it stands in the file, under its own number, with two lines around, once, however
        /// many findings quote it; and it is lacked no longer.
        #[test]
        fn quoted_lines_stand_as_in_the_file(
            lines in proptest::collection::vec("( {0,8}|\t)[a-z]{1,6}\\(\\)", 1..30),
            places in proptest::collection::vec((0_usize..30, 1_usize..4), 1..4),
            known in proptest::collection::btree_set(1_u32..30, 0..6),
        ) {
            let text = lines.join("\n");
            let is_there = |line: &u32| *line as usize <= lines.len();
            let there: Vec<Hunk> = known.iter().filter(|line| is_there(line)).map(|&line| Hunk {
                old_start: line, old_lines: 1, new_start: line, new_lines: 1, section: String::new(),
                body: format!(" {}\n", lines[line as usize - 1]),
            }).collect();
            let quoting = |&(at, many): &(usize, usize)| {
                let at = at % lines.len();
                let quote: Vec<&str> = lines[at..].iter().take(many).map(|line| line.trim()).collect();
                finding(u32::try_from(at + 1).unwrap(), None, &quote.join("\n"))
            };
            let findings: Vec<Finding> = places.iter().map(quoting).collect();
            let all: Vec<&Finding> = findings.iter().collect();
            let told = shown(&all, &there, &text);
            let around = |f: &Finding| {
                let many = u32::try_from(f.quote.lines().count()).unwrap();
                f.location.line.saturating_sub(2)..f.location.line + many + 2
            };
            let wanted: BTreeSet<u32> = findings.iter().flat_map(around).collect();
            let wanted = wanted.into_iter().filter(|line| *line > 0 && is_there(line) && !known.contains(line));
            let expected: Vec<(u32, String)> =
                wanted.map(|line| (line, lines[line as usize - 1].clone())).collect();
            prop_assert_eq!(told, expected);
            let mut files = Vec::new();
            let file = file_of(&mut files, &findings[0].location.path);
            file.hunks = quoted_hunks(&all, &there, &text, &Redactor::default());
            file.hunks.extend(there);
            prop_assert!(!findings.iter().any(|finding| lacks_lines(&files, finding)));
        }
    }

    #[test]
    fn no_line_shows_a_secret_and_none_is_made_up() {
        let token = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
        let text = format!("def f():\n    token = \"{token}\"\n    return token\n");
        let whole = finding(2, Some(3), "return token");
        let lines = shown(&[&whole], &[], &text);
        assert!(
            lines.contains(&(3, "    return token".to_owned())),
            "{lines:?}"
        );
        assert!(
            !lines.iter().any(|(_, line)| line.contains(&token)),
            "{lines:?}"
        );
        for line in [4, 9] {
            let behind = finding(line, None, "return token");
            assert_eq!(shown(&[&behind], &[], &text), []);
        }
        let about_file = finding(0, None, "");
        assert!(!lacks_lines(&[], &about_file), "it has no line");
    }
}
