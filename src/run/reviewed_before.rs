//! What an earlier review of the repository saw, beside what a change brings now.

use std::collections::HashSet;

use council_protocol::{CoverageState, FileChange, Packet, RepoPath, Side};

use crate::git;
use crate::packet::PACKET_FILE;
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::prepare::PreparedReview;
use crate::run::store;

/// Reads files as other reviews of the repository saw them: of what had no commit, nothing is left.
pub(super) fn reviewed_text(
    prepared: &PreparedReview,
    start: &RunContext,
) -> impl Fn(&Report, &RepoPath) -> Option<String> {
    let (dir, env) = (prepared.change.place.dir.clone(), start.git_environment());
    move |report, path| {
        let tree = git::tree_at(&dir, &env, report.target.head.as_deref()?).ok()?;
        let bytes = tree.read_file(&path.display()).ok()??;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Whether a file is the very one that another review has read: of what had no commit, the packet of its run says which.
pub(super) fn is_as_reviewed(
    standing: &Report,
    path: &RepoPath,
    prepared: &PreparedReview,
    start: &RunContext,
) -> bool {
    let object_in = |files: &[FileChange]| {
        let mut files = files.iter();
        files.find(|file| file.path == *path)?.new_id.clone()
    };
    let packet = || -> Option<Packet> {
        let run = store::find_run(start, Some(&standing.receipt.run.name)).ok()?;
        let bytes = run.read_file(PACKET_FILE).ok()?;
        serde_json::from_slice(&bytes).ok()
    };
    let now = object_in(&prepared.packet.files);
    now.is_some() && packet().and_then(|packet| object_in(&packet.files)) == now
}

/// The files that globs leave out and that hold one of these words, with their hunks.
pub(super) fn left_out_files(prepared: &PreparedReview, words: &[String]) -> Vec<FileChange> {
    let covered = prepared.coverage.files.iter();
    let skipped = covered.filter(|file| matches!(file.state, CoverageState::Skipped { .. }));
    let skipped: HashSet<&RepoPath> = skipped.map(|file| &file.path).collect();
    let files = prepared.packet.files.iter();
    let holds_word = |file: &&FileChange| {
        let text = prepared
            .change
            .blobs
            .read(Side::New, &file.path)
            .ok()
            .flatten();
        text.is_some_and(|text| {
            let mut words = words.iter();
            words.any(|word| memchr::memmem::find(&text, word.as_bytes()).is_some())
        })
    };
    let files = files.filter(|file| !words.is_empty() && skipped.contains(&file.path));
    let filled = files.filter(holds_word).filter_map(|file| {
        let mut file = file.clone();
        prepared.change.fill_hunks(&mut file).ok()?;
        Some(file)
    });
    filled.collect()
}

/// Whether these files are all that another review has looked at, as they were then; `prepared` says in which repository.
pub(super) fn brings_change_of(
    standing: &Report,
    files: &[FileChange],
    prepared: &PreparedReview,
    start: &RunContext,
) -> bool {
    let Some(commit) = standing.target.head.as_deref() else {
        return false;
    };
    let reviewed = standing.outcome.coverage.files.iter();
    let paths: Vec<_> = reviewed.map(|file| &file.path).collect();
    // Whoever mends the caller of what was reviewed has changed a file that the review only quoted.
    let findings = standing.outcome.findings.iter();
    let mut quoted = findings.map(|found| &found.finding.location.path);
    let is_mended =
        |path: &RepoPath| !paths.contains(&path) && files.iter().any(|file| file.path == *path);
    if quoted.any(is_mended) {
        return false;
    }
    let (dir, env) = (&prepared.change.place.dir, start.git_environment());
    git::brings_files(dir, &env, commit, &paths, files).unwrap_or(false)
}
