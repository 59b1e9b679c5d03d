//! A judge's suggestion, or the test that proves a finding, taken into the worktree.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use council_protocol::change::Hunk;
use council_protocol::{Location, Packet, RepoPath};
use council_secrets::Redactor;

use crate::council::outcome::JudgedFinding;
use crate::council::reproduction::{ReproductionStanding, SuggestionCheck};
use crate::git::{self, RepositoryPaths};
use crate::report::{self, Report};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::findings::{self, FoundFinding};
use crate::run::redaction::user_redactor;
use crate::run::store;
use crate::run::suggestion::{
    ShownLines, line_range, lines_of, place_now, refuse_edited, replace_lines,
};
use crate::safe_file::{self, FileWriter};
use crate::text::{Untrusted, page_address, unfit_text};

/// Writes the files of the first test about a finding, where nothing stands yet; says which.
pub(crate) fn add_test(
    id: &str,
    run: Option<&str>,
    start: &RunContext,
) -> Result<String, RunError> {
    let found = findings::find_finding(start, id, run)?;
    found.warn_of_place(start);
    let name = findings::name_finding(&found.finding);
    let test = found.tests().first().copied();
    let test = test.ok_or_else(|| {
        RunError::usage(format!("no judge brought a test about {name}")).hint(format!(
            "judges are asked for tests where `proof.run` is set: {}",
            page_address("docs/proof.md")
        ))
    })?;
    if test.standing != ReproductionStanding::Proved {
        let why = format!("the test {} does not prove {name}", test.id);
        let id = &found.finding.id;
        let hint = format!("what came of it: git council show {id} --reproduction");
        return Err(RunError::usage(why).hint(hint));
    }
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
        let shown = Untrusted::new(&file.path.display()).name();
        done.push_str(&format!("  + {shown}\n"));
    }
    let repeat = Untrusted::new(&test.command).line();
    // The command names files from the top of the repository.
    let place = if fs::canonicalize(&start.dir).ok() == fs::canonicalize(&top).ok() {
        ""
    } else {
        ", at the top of the repository"
    };
    Ok(format!("{done}run it{place}: {repeat}\n"))
}

/// A file that is not there yet: a path of a report leads through no link, and over no file.
fn new_worktree_file(top: &Path, path: &RepoPath) -> Result<PathBuf, RunError> {
    let shown = Untrusted::new(&path.display()).name();
    let odd = || {
        RunError::usage(format!(
            "{shown} is not a path for a new file in the worktree"
        ))
    };
    let text = std::str::from_utf8(path.as_bytes()).map_err(|_| odd())?;
    if crate::run::proof::is_obeyed(path) {
        return Err(RunError::usage(format!(
            "{shown} steers coding agents or this program, and is not added"
        )));
    }
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

/// What is done with a suggestion with which its test is known not to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnfitSuggestion {
    Refuse,
    Apply,
}

/// Refuses a suggestion that was tried and does not mend what its test proves.
fn refuse_unfit(
    name: &str,
    (id, run): (&str, Option<&str>),
    tried: &SuggestionCheck,
) -> Result<(), RunError> {
    if !tried.is_unfit() {
        return Ok(());
    }
    let run = run.map(|run| format!(" --run {run}")).unwrap_or_default();
    let tried = report::suggestion_words(tried);
    let why = Untrusted::new(&tried).line();
    Err(
        RunError::usage(format!("the suggestion of {name} is not applied: {why}")).hint(format!(
            "mend it yourself; the test and its output: git council show {id} --reproduction{run}; to apply the suggestion \
             all the same: git council apply {id}{run} --force"
        )),
    )
}

/// Why there is nothing to apply: nobody suggested anything, or nobody can tell where it would stand.
fn lacks_suggestion(name: &str, finding: &JudgedFinding) -> RunError {
    let members = finding.members.iter();
    let mut suggested = members.filter_map(|member| member.finding.suggestion.as_ref());
    let why = match suggested.any(|text| !text.trim().is_empty()) {
        true => {
            "has no suggestion that can be put into its lines: which of them it replaces, or how deep it stands there, cannot \
             be told from its quote"
        }
        false => "has no suggestion",
    };
    RunError::usage(format!("{name} {why}"))
        .hint("the fix is only described in words: git council show")
}

/// Writes the suggestion of a finding into the worktree; says what was written.
pub(crate) fn apply_suggestion(
    id: &str,
    run: Option<&str>,
    unfit: UnfitSuggestion,
    start: &RunContext,
) -> Result<String, RunError> {
    let found = findings::find_finding(start, id, run)?;
    found.warn_of_place(start);
    let FoundFinding {
        finding, report, ..
    } = found;
    let name = findings::name_finding(&finding);
    let check = finding.suggestion_check.as_ref();
    let tried = check.map(report::suggestion_words).unwrap_or_default();
    let judged = &finding.finding;
    let Some(suggestion) = &judged.suggestion else {
        return Err(lacks_suggestion(&name, &finding));
    };
    if let (UnfitSuggestion::Refuse, Some(check)) = (unfit, check) {
        refuse_unfit(&name, (&finding.id, run), check)?;
    }
    let finding = judged;
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
    let refused = |why: &str| {
        RunError::usage(format!("{}: {why}", findings_place(&finding.location)))
            .hint("review again and apply what the new run says")
    };
    let then = &finding.location;
    let shown = match &reviewed {
        Some(_) => ShownLines::default(),
        None => shown_lines(&report, then, start),
    };
    let judged = shown.judged(then);
    let at = match (&reviewed, &judged) {
        (Some(file), _) => place_now(file, &text, then, suggestion),
        (None, Some(_)) => Ok(shown.place_now(&text, then).unwrap_or(then.clone())),
        (None, None) => Ok(then.clone()),
    };
    let at = &at.map_err(refused)?;
    // Lines that were followed are the reviewed ones.
    let same = reviewed.is_some().then_some(text.as_slice());
    if let Some(judged) = judged {
        refuse_edited(&text, at, &judged, suggestion).map_err(refused)?;
    }
    let changed = replace_lines(&text, at, suggestion, &finding.quote, same).map_err(refused)?;
    write_with_mode(&file, &changed, own.as_deref())?;
    let redactor = user_redactor(start)?;
    let shown = shown_change(&text, at, suggestion, &redactor);
    let tried = match Untrusted::new(&tried).line().to_string() {
        none if none.is_empty() => none,
        tried => format!(" ({tried})"),
    };
    let moved = match at.line == finding.location.line {
        true => String::new(),
        false => format!(" at line {}", at.line),
    };
    Ok(format!(
        "{name}: its suggestion was applied{moved}{tried}\n{shown}"
    ))
}

/// What was taken out and what was put in, blank for blank: the print is what the user checks. Blanks at an end are marked.
/// Secrets are shown as everywhere else: an agent that applies reads the print.
fn shown_change(text: &[u8], at: &Location, suggestion: &str, redactor: &Redactor) -> String {
    let path = at.path.display();
    let whole = String::from_utf8_lossy(text);
    let hidden = redactor.redact_source(Some(&path), &whole).text;
    // A secret over several lines is known by all of them.
    let hidden = match hidden.lines().count() == whole.lines().count() {
        true => hidden.into_bytes(),
        false => text.to_vec(),
    };
    let lines = lines_of(&hidden);
    let old = lines.get(line_range(at)).unwrap_or_default().concat();
    let old = redactor
        .redact_source(Some(&path), &String::from_utf8_lossy(&old))
        .text;
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
pub(crate) fn shown_line(sign: char, line: &str) -> String {
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
    let words = words.map(|word| Untrusted::new(word).line().to_string());
    words.collect::<Vec<_>>().join(" ")
}

fn findings_place(at: &Location) -> String {
    Untrusted::new(&format!("{}:{}", at.path.display(), at.line)).name()
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

/// The lines of a finding's file as judges were shown them, where no commit has them; however they end.
fn shown_lines(report: &Report, at: &Location, start: &RunContext) -> ShownLines {
    let packet = || {
        let past = store::run_of_name(start, &report.receipt.run.name)?;
        let packet = past.read_file("packet.json").ok()?;
        serde_json::from_slice::<Packet>(&packet).ok()
    };
    let files = packet().map(|packet| packet.files).unwrap_or_default();
    let file = files.iter().find(|file| file.path == at.path);
    let lines = file.into_iter().flat_map(|file| &file.hunks);
    let lines = lines.flat_map(Hunk::lines);
    let lines = lines.filter_map(|line| Some((line.new_no?, line.text.trim_end().to_owned())));
    ShownLines(lines.collect())
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

    #[test]
    fn what_is_written_is_printed_blank_for_blank() {
        let text = b"def f(x):\n    y = x / 0\n    return y\n";
        assert_eq!(
            shown_change(text, &at(2, None), "    y =  x \t", &Redactor::default()),
            "  -     y = x / 0\n  +     y =  x·→\n"
        );
        assert_eq!(
            shown_change(text, &at(2, None), "", &Redactor::default()),
            "  -     y = x / 0\n  deletes line 2\n"
        );
        assert!(
            shown_change(text, &at(2, Some(3)), "", &Redactor::default())
                .ends_with("deletes lines 2 to 3\n")
        );
        let wide = format!("{}evil()", " ".repeat(300));
        assert!(shown_change(text, &at(2, None), &wide, &Redactor::default()).contains(&wide));
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

    /// Whatever a report says: a test is a new file below the worktree, reached through no link, and steers nobody.
    #[test]
    fn a_test_is_added_as_a_new_file_of_the_worktree_and_as_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("top");
        fs::create_dir_all(top.join("tests")).unwrap();
        fs::create_dir_all(dir.path().join("outside")).unwrap();
        fs::write(top.join("tests/known.py"), "mine").unwrap();
        std::os::unix::fs::symlink(dir.path().join("outside"), top.join("linked")).unwrap();
        std::os::unix::fs::symlink("nowhere", top.join("dangling.py")).unwrap();
        for path in ["tests/test_new.py", "new/folder/test_a.py", "test_a.py"] {
            let file = new_worktree_file(&top, &RepoPath::from(path)).unwrap();
            assert_eq!(file, top.join(path));
        }
        for path in [
            "../outside/test_a.py",
            "tests/../../outside/test_a.py",
            "/etc/test_a.py",
            "tests//test_a.py",
            "./test_a.py",
            "",
            ".git/hooks/pre-push",
            ".github/workflows/a.yml",
            "linked/test_a.py",
            "dangling.py",
            "tests/known.py",
            "tests",
            "CLAUDE.md",
            "sub/AGENTS.md",
            "council.toml",
        ] {
            assert!(
                new_worktree_file(&top, &RepoPath::from(path)).is_err(),
                "{path}"
            );
        }
        assert_eq!(
            fs::read_to_string(top.join("tests/known.py")).unwrap(),
            "mine"
        );
    }
}
