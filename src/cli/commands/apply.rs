//! `git council apply`: a judge's suggestion, taken into the worktree.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use council_protocol::{Location, RepoPath};

use crate::cli::context::CommandContext;
use crate::git::{self, RepositoryPaths};
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::findings::{self, FoundFinding};
use crate::safe_file::{self, FileWriter};

/// Apply a finding's suggested fix to the worktree, unless its lines have changed
#[derive(Debug, Clone, Args)]
pub(crate) struct ApplyArgs {
    /// The finding: its id in the last report (F1), or the first digits of its fingerprint
    #[arg(value_name = "ID")]
    id: String,
    /// Add the test that proves the finding to the worktree, instead of the fix (docs/proof.md)
    #[arg(long)]
    test: bool,
    /// Look in this run instead of the last report
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
}

pub(crate) fn run(args: &ApplyArgs, start: &CommandContext) -> Result<(), RunError> {
    if args.test {
        return start.console.print(&add_test(args, start)?);
    }
    let done = apply_suggestion(&args.id, args.run.as_deref(), start)?;
    start.console.print(&done)
}

/// Writes the files of the first test about a finding, where nothing stands yet; says which.
fn add_test(args: &ApplyArgs, start: &RunContext) -> Result<String, RunError> {
    let found = findings::find_finding(start, &args.id, args.run.as_deref())?;
    let name = findings::name_finding(&found.finding);
    let test = found.tests().first().copied();
    let test = test.ok_or_else(|| {
        RunError::usage(format!("no judge brought a test about {name}"))
            .hint("judges are asked for tests where `proof.run` is set: docs/proof.md")
    })?;
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let none = || RunError::usage("a bare repository has no worktree to add it to");
    let top = place.workdir.clone().ok_or_else(none)?;
    let mut files = Vec::new();
    for file in &test.files {
        if let Some(why) = unfit_text(&file.content) {
            return Err(RunError::usage(format!(
                "the test of {name} is not added: {why}"
            )));
        }
        files.push((new_worktree_file(&top, &file.path)?, file));
    }
    let mut done = format!("{name}: its test {} was added\n", test.id);
    for (path, file) in files {
        let cannot = |error: io::Error| RunError::output(&path.display().to_string(), &error);
        fs::create_dir_all(path.parent().unwrap_or(&top)).map_err(cannot)?;
        FileWriter::new(&path)
            .synced()
            .write(file.content.as_bytes())
            .map_err(cannot)?;
        let shown = crate::text::Untrusted::new(&file.path.display()).name();
        done.push_str(&format!("  + {shown}\n"));
    }
    let repeat = crate::text::Untrusted::new(&test.command).line();
    Ok(format!("{done}run it: {repeat}\n"))
}

/// A file that is not there yet: a path of a report leads through no link, and over no file.
fn new_worktree_file(top: &Path, path: &RepoPath) -> Result<PathBuf, RunError> {
    let shown = crate::text::Untrusted::new(&path.display()).name();
    let odd = || {
        RunError::usage(format!(
            "{shown} is not a path for a new file in the worktree"
        ))
    };
    let text = std::str::from_utf8(path.as_bytes()).map_err(|_| odd())?;
    let mut file = top.to_path_buf();
    for part in text.split('/') {
        if part.is_empty() || part.starts_with('.') {
            return Err(odd());
        }
        file.push(part);
        if file.is_symlink() {
            return Err(odd());
        }
    }
    if file.exists() {
        return Err(RunError::usage(format!("{shown} is there already")));
    }
    Ok(file)
}

/// Writes the suggestion of a finding into the worktree; says what was written.
pub(crate) fn apply_suggestion(
    id: &str,
    run: Option<&str>,
    start: &RunContext,
) -> Result<String, RunError> {
    let FoundFinding { finding, report } = findings::find_finding(start, id, run)?;
    let name = findings::name_finding(&finding);
    let finding = finding.finding;
    let Some(suggestion) = &finding.suggestion else {
        return Err(RunError::usage(format!("{name} has no suggestion"))
            .hint("the fix is only described in words: git council show"));
    };
    if let Some(why) = unfit_text(suggestion) {
        return Err(
            RunError::usage(format!("the suggestion of {name} is not applied: {why}"))
                .hint("the fix is only described in words: git council show"),
        );
    }
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let own = place.memory_dir();
    let Some(top) = place.workdir else {
        return Err(RunError::usage(
            "a bare repository has no worktree to apply it to",
        ));
    };
    let file = worktree_file(&top, &finding.location.path)?;
    let cannot = |error| RunError::usage(format!("cannot read {}: {error}", file.display()));
    let text = safe_file::read(&file).map_err(cannot)?;
    let reviewed = reviewed_file(&report, &finding.location, start)?;
    let suggestion = &with_indentation(suggestion, &text, &finding.location, &finding.quote);
    let changed = replace_lines(
        &text,
        &finding.location,
        suggestion,
        &finding.quote,
        reviewed.as_deref(),
    );
    let changed = changed.map_err(|why| {
        RunError::usage(format!("{}: {why}", findings_place(&finding.location)))
            .hint("review again and apply what the new run says")
    })?;
    write_with_mode(&file, &changed, own.as_deref())?;
    let shown = shown_change(&text, &finding.location, suggestion);
    Ok(format!("{name}: its suggestion was applied\n{shown}"))
}

/// The lines that a finding speaks of, from 0.
fn line_range(at: &Location) -> std::ops::Range<usize> {
    let first = (at.line as usize).saturating_sub(1);
    first..at.end_line.unwrap_or(at.line).max(at.line) as usize
}

/// What was taken out and what was put in, blank for blank: the print is what the user checks. Blanks at an end are marked.
fn shown_change(text: &[u8], at: &Location, suggestion: &str) -> String {
    let lines = lines_of(text);
    let old = lines.get(line_range(at)).unwrap_or_default().concat();
    let old = String::from_utf8_lossy(&old);
    let mut shown: String = old.lines().map(|line| shown_line('-', line)).collect();
    if suggestion.is_empty() {
        let range = line_range(at);
        let deleted = match range.len() {
            0 | 1 => format!("deletes line {}", at.line),
            _ => format!("deletes lines {} to {}", at.line, range.end),
        };
        return format!("{shown}  {deleted}\n");
    }
    shown.extend(suggestion.lines().map(|line| shown_line('+', line)));
    shown
}

/// One line of a change. Tabs between words are kept, and what could steer a terminal is not printed.
fn shown_line(sign: char, line: &str) -> String {
    let kept = line.trim_end_matches([' ', '\t']);
    let marked: String = line[kept.len()..]
        .chars()
        .map(|blank| if blank == '\t' { '→' } else { '·' })
        .collect();
    let parts: Vec<String> = kept.split('\t').map(shown_words).collect();
    format!("  {sign} {}{marked}\n", parts.join("\t"))
}

/// Text without tabs, with every space that it has: cleaning folds them.
fn shown_words(text: &str) -> String {
    let words = text.split(' ');
    let words = words.map(|word| crate::text::Untrusted::new(word).line().to_string());
    words.collect::<Vec<_>>().join(" ")
}

/// The suggestion with the line's own indentation in front, where the judge left it out of its quote and of its suggestion:
/// a report shows code without it.
fn with_indentation(suggestion: &str, text: &[u8], at: &Location, quote: &str) -> String {
    let lines = lines_of(text);
    let first = lines.get(line_range(at).start).copied().unwrap_or_default();
    let blank = |byte: &&u8| matches!(**byte, b' ' | b'\t');
    let indent = first.iter().take_while(blank).count();
    let indent = String::from_utf8_lossy(&first[..indent]).into_owned();
    let is_bare = |text: &str| !text.starts_with([' ', '\t']);
    if suggestion.is_empty() || !is_bare(suggestion) || !is_bare(quote) || quote.is_empty() {
        return suggestion.to_owned();
    }
    let indented = suggestion
        .split_inclusive('\n')
        .map(|line| match line.trim().is_empty() {
            true => line.to_owned(),
            false => format!("{indent}{line}"),
        });
    indented.collect()
}

/// Why a text has no business in a file of the user's: a judge wrote it.
fn unfit_text(text: &str) -> Option<&'static str> {
    let is_odd =
        |c: char| !matches!(c, '\n' | '\t') && (c.is_control() || crate::text::is_marked(c));
    if text.contains("[redacted: ") {
        return Some("a secret of it was redacted, and the placeholder would stand in its place");
    }
    let odd = text.replace("\r\n", "\n").chars().any(is_odd);
    odd.then_some("it holds control, bidirectional or invisible characters")
}

fn findings_place(at: &Location) -> String {
    crate::text::Untrusted::new(&format!("{}:{}", at.path.display(), at.line)).name()
}

/// The file in the worktree: a path of a report leads nowhere else, through no link.
fn worktree_file(top: &Path, path: &RepoPath) -> Result<PathBuf, RunError> {
    let odd = || RunError::usage(format!("{} is not a file in the worktree", path.display()));
    let text = std::str::from_utf8(path.as_bytes()).map_err(|_| odd())?;
    let mut file = top.to_path_buf();
    for part in text.split('/') {
        if matches!(part, "" | "." | "..") || part.eq_ignore_ascii_case(".git") {
            return Err(odd());
        }
        file.push(part);
        if file.is_symlink() {
            return Err(odd());
        }
    }
    if file.is_file() { Ok(file) } else { Err(odd()) }
}

/// The file as it was reviewed, where that was a commit that is still here.
fn reviewed_file(
    report: &Report,
    at: &Location,
    start: &RunContext,
) -> Result<Option<Vec<u8>>, RunError> {
    let Some(head) = &report.target.head else {
        return Ok(None);
    };
    let Ok(tree) = git::tree_at(&start.dir, &start.git_environment(), head) else {
        return Ok(None);
    };
    let path = at.path.display().into_owned();
    Ok(tree.read_file(&path)?)
}

/// The mark that begins some files of UTF-8; no judge is shown it.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The text with the lines replaced, or why not.
fn replace_lines(
    text: &[u8],
    at: &Location,
    suggestion: &str,
    quote: &str,
    reviewed: Option<&[u8]>,
) -> Result<Vec<u8>, &'static str> {
    let is_utf16 = text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff");
    if is_utf16 || text.contains(&0) || !suggestion.is_ascii() && std::str::from_utf8(text).is_err()
    {
        return Err("the file has another encoding than the suggestion: mend it by hand");
    }
    let lines = lines_of(text);
    let first = (at.line as usize)
        .checked_sub(1)
        .ok_or("it speaks of the file as a whole")?;
    let last = at.end_line.unwrap_or(at.line).max(at.line) as usize;
    let old = lines
        .get(first..last)
        .ok_or("the lines are not there any more")?;
    let moved = "the lines have changed since they were reviewed";
    match reviewed.map(lines_of) {
        Some(then) if then.get(first..last) != Some(old) => return Err(moved),
        None if !contains_quote(&old.concat(), quote) => return Err(moved),
        _ => {}
    }
    let crlf = old.first().is_some_and(|line| line.ends_with(b"\r\n"));
    let mut new: Vec<u8> = lines[..first].concat();
    if first == 0 && text.starts_with(MARK) && !suggestion.as_bytes().starts_with(MARK) {
        new.extend_from_slice(MARK);
    }
    let ended = old.last().is_none_or(|line| line.ends_with(b"\n"));
    let mut parts = suggestion
        .strip_suffix('\n')
        .unwrap_or(suggestion)
        .split('\n')
        .peekable();
    while let Some(line) = parts.next() {
        // An empty suggestion takes the lines away.
        if suggestion.is_empty() {
            break;
        }
        new.extend_from_slice(line.trim_end_matches('\r').as_bytes());
        if parts.peek().is_some() || ended {
            new.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
        }
    }
    new.extend(lines[last..].concat());
    Ok(new)
}

/// Lines with their ends.
fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|&b| b == b'\n').collect()
}

/// Whether a quote stands in a text, blanks aside.
fn contains_quote(text: &[u8], quote: &str) -> bool {
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (text, quote) = (squeezed(&String::from_utf8_lossy(text)), squeezed(quote));
    !quote.is_empty() && text.contains(&quote)
}

/// Writes with the file's own mode: whoever is killed leaves the old file or the new one. The half of it lies in the git
/// directory, `own`, where it is in nobody's way; beside the file where that lies on another disk.
fn write_with_mode(file: &Path, text: &[u8], own: Option<&Path>) -> Result<(), RunError> {
    let write = || {
        if let Some(own) = own {
            safe_file::make_folder(own)?;
        }
        FileWriter::new(file)
            .with_permissions(fs::metadata(file)?.permissions())
            .via(own)
            .synced()
            .write(text)
    };
    write().map_err(|error: io::Error| RunError::output(&file.display().to_string(), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, end: Option<u32>) -> Location {
        Location {
            path: "a".into(),
            line,
            end_line: end,
        }
    }

    fn applied(
        text: &str,
        at: &Location,
        suggestion: &str,
        quote: &str,
        then: Option<&str>,
    ) -> Result<String, &'static str> {
        let new = replace_lines(
            text.as_bytes(),
            at,
            suggestion,
            quote,
            then.map(str::as_bytes),
        );
        new.map(|new| String::from_utf8(new).unwrap())
    }

    #[test]
    fn an_encoding_survives_or_the_file_is_left_alone() {
        let put = |text: &[u8], line, suggestion: &str, quote: &str| {
            replace_lines(text, &at(line, None), suggestion, quote, Some(text))
        };
        let utf16: Vec<u8> = "\u{feff}a\nbad()\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(put(&utf16, 2, "good()", "bad()").is_err());
        assert!(put(b"caf\xe9\nbad()\n", 2, "gut\u{e9}()", "bad()").is_err());
        assert_eq!(
            put(b"caf\xe9\nbad()\n", 2, "good()", "bad()").unwrap(),
            b"caf\xe9\ngood()\n"
        );
        let marked = b"\xef\xbb\xbfbad()\nb\n";
        assert_eq!(
            put(marked, 1, "good()", "bad()").unwrap(),
            b"\xef\xbb\xbfgood()\nb\n"
        );
    }

    #[test]
    fn a_suggestion_that_nobody_could_see_is_not_applied() {
        assert_eq!(unfit_text("let a = 1;\n\tb();\r\n"), None);
        for text in [
            "t = \"[redacted: github-token]\"",
            "z = 1  # \u{1b}[2J",
            "z = 1  # \u{202e}",
            "ad\u{200b}min = 1",
            "a\rb",
        ] {
            assert!(unfit_text(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn what_is_written_is_printed_blank_for_blank() {
        let text = b"def f(x):\n    y = x / 0\n    return y\n";
        assert_eq!(
            shown_change(text, &at(2, None), "    y =  x \t"),
            "  -     y = x / 0\n  +     y =  x·→\n"
        );
        assert_eq!(
            shown_change(text, &at(2, None), ""),
            "  -     y = x / 0\n  deletes line 2\n"
        );
        assert!(shown_change(text, &at(2, Some(3)), "").ends_with("deletes lines 2 to 3\n"));
        let wide = format!("{}evil()", " ".repeat(300));
        assert!(shown_change(text, &at(2, None), &wide).contains(&wide));
    }

    #[test]
    fn a_suggestion_without_indentation_gets_that_of_its_line() {
        let text = b"def f(x):\n\ty = x / 0\n";
        let indented = |suggestion, quote| with_indentation(suggestion, text, &at(2, None), quote);
        assert_eq!(indented("y = x", "y = x / 0"), "\ty = x");
        assert_eq!(
            indented("if x:\n\n    y = x", "y = x / 0"),
            "\tif x:\n\n\t    y = x"
        );
        assert_eq!(indented("\ty = x", "y = x / 0"), "\ty = x");
        assert_eq!(
            indented("y = x", "\ty = x / 0"),
            "y = x",
            "the quote has it: it is meant"
        );
        assert_eq!(indented("", "y = x / 0"), "");
    }

    #[test]
    fn exactly_the_lines_are_replaced() {
        let text = "one\ntwo\nthree\n";
        assert_eq!(
            applied(text, &at(2, None), "2", "two", None).unwrap(),
            "one\n2\nthree\n"
        );
        assert_eq!(
            applied(text, &at(2, Some(3)), "2\n3\n4\n", "two", None).unwrap(),
            "one\n2\n3\n4\n"
        );
        assert_eq!(
            applied(text, &at(1, None), "", "one", None).unwrap(),
            "two\nthree\n"
        );
        assert_eq!(
            applied("a\r\nb\r\n", &at(1, None), "x\ny", "a", None).unwrap(),
            "x\r\ny\r\nb\r\n"
        );
        assert_eq!(
            applied("a\nb", &at(2, None), "c", "b", None).unwrap(),
            "a\nc"
        );
    }

    #[test]
    fn lines_that_changed_are_left_alone() {
        let text = "one\ntwo\nthree\n";
        for (at, quote, then) in [
            (at(2, None), "other", None),
            (at(2, None), "", None),
            (at(9, None), "two", None),
            (at(0, None), "two", None),
            (at(2, None), "two", Some("one\nzwei\nthree\n")),
            (at(3, Some(4)), "three", None),
        ] {
            assert!(applied(text, &at, "x", quote, then).is_err(), "{at:?}");
        }
        assert!(applied(text, &at(2, None), "x", "", Some("eins\ntwo\n")).is_ok());
    }

    #[test]
    fn a_test_is_added_only_where_nothing_is() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("d")).unwrap();
        fs::write(dir.path().join("d/f"), "x").unwrap();
        std::os::unix::fs::symlink("d", dir.path().join("link")).unwrap();
        assert!(new_worktree_file(dir.path(), &"d/new.py".into()).is_ok());
        assert!(new_worktree_file(dir.path(), &"a/b/new.py".into()).is_ok());
        for odd in [
            "../x",
            "/x",
            "",
            "d/../x",
            ".git/hooks/x",
            "d/.x",
            "link/x",
            "d/f",
            "link",
            "d",
        ] {
            assert!(new_worktree_file(dir.path(), &odd.into()).is_err(), "{odd}");
        }
    }

    #[test]
    fn no_path_leads_out_of_the_worktree() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("d")).unwrap();
        fs::write(dir.path().join("d/f"), "x").unwrap();
        std::os::unix::fs::symlink("d", dir.path().join("link")).unwrap();
        assert!(worktree_file(dir.path(), &"d/f".into()).is_ok());
        for odd in [
            "../x",
            "/etc/passwd",
            "d/../d/f",
            ".git/config",
            "link/f",
            "d",
            "none",
            "",
        ] {
            assert!(worktree_file(dir.path(), &odd.into()).is_err(), "{odd}");
        }
    }
}
