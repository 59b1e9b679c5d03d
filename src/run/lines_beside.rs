//! Lines that findings quote and that no hunk of the change has: they are shown as they stand in the reviewed commit.

use council_protocol::change::{FileKind, FileStatus, Hunk};
use council_protocol::{FileChange, Finding, RepoPath};
use council_secrets::Redactor;

use crate::git;
use crate::report::Report;
use crate::run::context::RunContext;

/// The most bytes of a file that are read for it: all of them are searched for secrets, to show a few lines.
const MAX_FILE: usize = 1 << 20;

/// The most lines that are shown of one finding.
const MAX_LINES: u32 = 64;

/// Adds the lines that findings of a report quote where `files` lack them. Of what has no commit, nothing is left to
/// read.
pub(crate) fn add_quoted_lines(
    files: &mut Vec<FileChange>,
    report: &Report,
    redactor: &Redactor,
    start: &RunContext,
) {
    let findings = report.outcome.findings.iter().map(|found| &found.finding);
    let lacking: Vec<&Finding> = findings
        .filter(|finding| lacks_lines(files, finding))
        .collect();
    let Some(head) = report
        .target
        .head
        .as_deref()
        .filter(|_| !lacking.is_empty())
    else {
        return;
    };
    let Ok(tree) = git::tree_at(&start.dir, &start.git_environment(), head) else {
        return;
    };
    for finding in lacking {
        let path = &finding.location.path;
        let bytes = tree.read_file(&path.display()).ok().flatten();
        let bytes = bytes.filter(|bytes| bytes.len() <= MAX_FILE);
        if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok())
            && let Some(hunk) = quoted_hunk(finding, &text, redactor)
        {
            file_of(files, path).hunks.push(hunk);
        }
    }
}

/// Whether a finding quotes lines of the reviewed side that no hunk has.
fn lacks_lines(files: &[FileChange], finding: &Finding) -> bool {
    let place = &finding.location;
    let is_shown = |file: &FileChange| {
        let mut lines = file.hunks.iter().flat_map(Hunk::lines);
        lines.any(|line| line.new_no == Some(place.line))
    };
    let mut files = files.iter().filter(|file| file.path == place.path);
    place.line > 0 && !finding.quote.trim().is_empty() && !files.any(is_shown)
}

/// The quoted lines of a file without secrets. A secret may run over lines: where it leaves fewer of them, no number is
/// right.
fn quoted_hunk(finding: &Finding, text: &str, redactor: &Redactor) -> Option<Hunk> {
    let place = &finding.location;
    let shown = redactor
        .redact_source(Some(&place.path.display()), text)
        .text;
    if shown.lines().count() != text.lines().count() {
        return None;
    }
    let quoted = u32::try_from(finding.quote.trim().lines().count()).ok()?;
    let last = place.end_line.unwrap_or(place.line).max(place.line);
    // The quote may begin on any line of the stretch that is named.
    let wanted = (last - place.line).saturating_add(quoted).min(MAX_LINES);
    let lines = shown.lines().skip(place.line as usize - 1);
    let lines = lines.take(wanted as usize);
    // As in hunks of the change: a value that is known to be secret stands on no line.
    let lines = lines.map(|line| redactor.redact_words(line).text);
    let lines: Vec<String> = lines.collect();
    let count = u32::try_from(lines.len()).ok().filter(|count| *count > 0)?;
    Some(Hunk {
        old_start: place.line,
        old_lines: count,
        new_start: place.line,
        new_lines: count,
        section: String::new(),
        body: lines.iter().map(|line| format!(" {line}\n")).collect(),
    })
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

    proptest! {
        /// Each quoted line is there as it stands in the file, under its own number, and is lacked no longer.
        #[test]
        fn quoted_lines_stand_as_in_the_file(
            lines in proptest::collection::vec("( {0,8}|\t)[a-z]{1,6}\\(\\)", 1..30),
            at in 0_usize..30, many in 1_usize..4,
        ) {
            let at = at % lines.len();
            let quote: Vec<&str> = lines[at..].iter().take(many).map(|line| line.trim()).collect();
            let line = u32::try_from(at + 1).unwrap();
            let finding = finding(line, None, &quote.join("\n"));
            let mut files = Vec::new();
            prop_assert!(lacks_lines(&files, &finding));
            let hunk = quoted_hunk(&finding, &lines.join("\n"), &Redactor::default()).unwrap();
            file_of(&mut files, &finding.location.path).hunks.push(hunk);
            prop_assert!(!lacks_lines(&files, &finding));
            let shown = files[0].hunks[0].lines().map(|line| (line.new_no, line.text.to_owned()));
            let expected = lines[at..].iter().take(quote.len()).zip(line..);
            let expected = expected.map(|(text, number)| (Some(number), text.clone()));
            prop_assert_eq!(shown.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_line_shows_a_secret_and_none_is_made_up() {
        let token = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
        let text = format!("def f():\n    token = \"{token}\"\n    return token\n");
        let whole = finding(2, Some(3), "return token");
        let hunk = quoted_hunk(&whole, &text, &Redactor::default()).unwrap();
        assert!(hunk.body.contains("    return token"), "{}", hunk.body);
        assert!(!hunk.body.contains(&token), "{}", hunk.body);
        for line in [4, 9] {
            let behind = finding(line, None, "return token");
            assert_eq!(quoted_hunk(&behind, &text, &Redactor::default()), None);
        }
        let about_file = finding(0, None, "");
        assert!(!lacks_lines(&[], &about_file), "it has no line");
    }
}
