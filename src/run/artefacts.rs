//! The files that people read, in `.agents/council/`: they go with the runs that wrote them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::session::artefact_stem;

/// How the names of our files end, behind the run's stem.
const ENDINGS: [&str; 2] = ["-report.md", "-session.md"];

/// What stands in the name of a judge's or a synthesizer's document.
const DOCUMENTS: [&str; 2] = ["-judge-", "-synthesizer"];

/// Removes the files in `folder` whose run is none of `kept`; says how many. Files that no run writes stay.
pub(crate) fn prune_artefacts(folder: &Path, kept: &[String]) -> usize {
    let stems: BTreeSet<String> = kept.iter().map(|name| artefact_stem(name) + "-").collect();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let gone = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        is_ours(&name) && !stems.iter().any(|stem| name.starts_with(stem.as_str()))
    };
    let paths = files.map(|entry| entry.path()).filter(gone);
    paths.filter(|path| fs::remove_file(path).is_ok()).count()
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
            "README.md",
            ".gitignore",
            "report.md",
        ];
        for name in ours.iter().chain(&others) {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        let kept = ["council-20260310-main".to_owned()];
        assert_eq!(prune_artefacts(dir.path(), &kept), ours.len());
        for name in others {
            assert!(dir.path().join(name).exists(), "{name}");
        }
        assert_eq!(prune_artefacts(dir.path(), &kept), 0);
    }
}
