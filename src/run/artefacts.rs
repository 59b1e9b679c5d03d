//! The files that people read, in `.agents/council/`: they go with the runs that wrote them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::safe_file;
use crate::session::artefact_stem;

/// The folder in a worktree that people find their reports in.
const FOLDERS: [&str; 2] = [".agents", ".agents/council"];

/// What stands in a worktree in the place of our folder: a link, or a file.
fn blocking_entry(worktree: &Path) -> Option<&'static str> {
    let is_free = |folder: &&str| {
        let at = worktree.join(folder).symlink_metadata();
        at.map_or(true, |at| at.is_dir())
    };
    FOLDERS.into_iter().find(|folder| !is_free(folder))
}

/// Whether reports can lie in the worktree. A change may bring a link or a file there: a review neither writes through it
/// nor fails because of it.
pub(crate) fn is_folder_free(worktree: &Path) -> bool {
    blocking_entry(worktree).is_none()
}

/// Where the reports are, if not where people look for them.
pub(crate) fn blocked_folder_note(worktree: &Path) -> Option<String> {
    let entry = blocking_entry(worktree)?;
    Some(format!(
        "{entry} is a link or a file: reports are kept in the git directory's council/artefacts instead (remove it, or set \
         `output.save = false`)"
    ))
}

/// How the names of our files end, behind the run's stem.
const ENDINGS: [&str; 2] = ["-report.md", "-session.md"];

/// What stands in the name of a judge's or a synthesizer's document.
const DOCUMENTS: [&str; 2] = ["-judge-", "-synthesizer"];

/// More is no report of ours.
const MAX_REPORT_BYTES: u64 = 16 << 20;

/// Removes the files in `folder` whose run is gone; says how many. Those are the files of `removed`, and of every run that
/// is none of `kept` and whose report lies there and names it. A file that only looks like one of ours stays.
pub(crate) fn prune_artefacts(folder: &Path, kept: &[String], removed: &[String]) -> usize {
    let stem = |name: &String| artefact_stem(name) + "-";
    let kept: BTreeSet<String> = kept.iter().map(stem).collect();
    let names = file_names(folder);
    let mut gone: BTreeSet<String> = removed.iter().map(stem).collect();
    let reports = names
        .iter()
        .filter_map(|name| Some((name, run_of_report(name)?)));
    gone.extend(
        reports
            .filter(|(name, run)| names_run(&folder.join(name), run))
            .map(|(_, run)| stem(&run)),
    );
    // `…-head-` begins the names of `…-head-2-` as well: a file is the run's whose stem says the most.
    let stem_of = |name: &str| {
        let stems = kept
            .union(&gone)
            .filter(|stem| name.starts_with(stem.as_str()));
        stems.max_by_key(|stem| stem.len())
    };
    let is_gone =
        |name: &&String| is_ours(name) && stem_of(name).is_some_and(|stem| !kept.contains(stem));
    let removed = names.iter().filter(is_gone);
    removed
        .filter(|name| fs::remove_file(folder.join(name)).is_ok())
        .count()
}

fn file_names(folder: &Path) -> Vec<String> {
    let files = safe_file::list_own(folder)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// The run that would write a report of that name: `2026-03-09-head-report.md` is `council-20260309-head`'s.
fn run_of_report(name: &str) -> Option<String> {
    let stem = name.strip_suffix("-report.md").filter(|_| is_ours(name))?;
    let (date, target) = stem.split_at_checked(10)?;
    Some(format!("council-{}{target}", date.replace('-', "")))
}

/// Whether a report says that it is the run's: a person may keep notes of the same name beside it.
fn names_run(report: &Path, run: &str) -> bool {
    let mut text = String::new();
    let read = safe_file::open_to_read(report)
        .and_then(|file| file.take(MAX_REPORT_BYTES).read_to_string(&mut text));
    read.is_ok() && text.contains(&format!("`{run}`"))
}

/// Whether a run of ours wrote a file of that name.
fn is_ours(name: &str) -> bool {
    let digit = |at: usize| name.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let dash = |at: usize| name.as_bytes().get(at) == Some(&b'-');
    let is_dated =
        [0, 1, 2, 3, 5, 6, 8, 9].into_iter().all(digit) && [4, 7, 10].into_iter().all(dash);
    let is_document = name.ends_with(".md") && DOCUMENTS.iter().any(|part| name.contains(part));
    is_dated && (is_document || ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_left_goes_with_it_and_nothing_else_does() {
        let dir = tempfile::tempdir().unwrap();
        let ours = [
            "2026-03-09-head-report.md",
            "2026-03-09-head-session.md",
            "2026-03-09-head-judge-1.md",
            "2026-03-09-head-judge-1-r2.md",
        ];
        let others = [
            "2026-03-10-main-report.md",
            "2026-03-09-notes.md",
            "2020-01-01-mine-report.md",
            "2020-01-01-mine-judge-1.md",
            "README.md",
            ".gitignore",
            "report.md",
        ];
        let kept = ["council-20260310-main".to_owned()];
        let write = |text: &str| {
            for name in ours.iter().chain(&others) {
                fs::write(dir.path().join(name), text).unwrap();
            }
        };
        let check = || {
            for name in others {
                assert!(dir.path().join(name).exists(), "{name}");
            }
        };
        // A report that names its run shows whose the files are, wherever the run has gone.
        write("| Run | `council-20260309-head` |");
        assert_eq!(prune_artefacts(dir.path(), &kept, &[]), ours.len());
        check();
        // Of two runs over the same target one stays.
        write("`council-20260309-head`");
        let second = dir.path().join("2026-03-09-head-2-judge-1.md");
        fs::write(&second, "x").unwrap();
        let two = [kept[0].clone(), "council-20260309-head-2".to_owned()];
        assert_eq!(prune_artefacts(dir.path(), &two, &[]), ours.len());
        assert!(second.exists());
        let one = [kept[0].clone(), "council-20260309-head".to_owned()];
        let removed = ["council-20260309-head-2".to_owned()];
        assert_eq!(prune_artefacts(dir.path(), &one, &removed), 1);
        check();
        // Without a report it is known of those that go now.
        write("x");
        assert_eq!(prune_artefacts(dir.path(), &kept, &[]), 0);
        let removed = ["council-20260309-head".to_owned()];
        assert_eq!(prune_artefacts(dir.path(), &kept, &removed), ours.len());
        check();
    }
}
