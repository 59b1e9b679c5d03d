//! Messages of earlier commits, as judges may read them.

use council_protocol::RepoPath;
use council_secrets::{FileTexts, Redactor};

use crate::git::{CommitHistory, CommitWords, HistoryFindings};
use crate::prompt::redact_history;

/// The most bytes of the files of one commit that are searched for its secrets.
const MAX_TOUCHED: usize = 1 << 20;

/// The message of a commit of these findings without secrets: those of the files that it touched count as well, as it left
/// them and as it found them, whether or not the change has these files.
pub(crate) fn shown_message(
    history: &CommitHistory,
    findings: &HistoryFindings,
    commit: &CommitWords,
    redactor: &Redactor,
) -> String {
    let mut paths = commit.paths.clone();
    // Of a commit that touched many files, only those are named whose lines were asked for.
    let brought = |at: usize| {
        findings
            .commits
            .get(at)
            .is_some_and(|one| one.id == commit.id)
    };
    let asked = findings
        .origins
        .iter()
        .filter(|origin| brought(origin.commit));
    paths.extend(asked.map(|origin| origin.path.clone()));
    paths.sort_unstable();
    paths.dedup();
    let texts = history.texts_around(commit, &paths, MAX_TOUCHED);
    let texts = texts.into_iter().map(|(path, text)| {
        let path = RepoPath::new(path).display().into_owned();
        (path, String::from_utf8_lossy(&text).into_owned())
    });
    redact_history(redactor, &commit.message, &texts.collect::<FileTexts>())
}
