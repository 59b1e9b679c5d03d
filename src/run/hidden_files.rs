//! What models are shown nothing of: files that the user leaves out of reviews, be they part of the change or around it.

use std::collections::BTreeSet;
use std::sync::Arc;

use council_protocol::{Packet, RepoPath};

use crate::git::{ExcludedPaths, PathFilter};
use crate::packet::IgnoreGlobs;

/// What a brief and a report say of them.
pub(crate) const HIDDEN_GAP: &str =
    "files that the user leaves out (`review.ignore`, `:!PATH`) exist, but no model may read them";

/// Whether models may see a path; none: they may see everything.
///
/// `left_out` are the patterns of `review.ignore`, and `excluded` what the pathspecs exclude. What judges are to review all the
/// same, e.g. since it was moved there, they may look up, too.
pub(crate) fn hidden_files(
    ignore: IgnoreGlobs,
    left_out: &[String],
    excluded: ExcludedPaths,
    packet: &Packet,
) -> Option<PathFilter> {
    let leaves_out = |line: &String| !line.trim_start().starts_with(['!', '#']);
    if excluded.is_empty() && !left_out.iter().any(leaves_out) {
        return None;
    }
    let covered = packet.coverage.files.iter();
    let reviewed: BTreeSet<RepoPath> = covered
        .filter(|file| file.state.is_shown())
        .map(|file| file.path.clone())
        .collect();
    Some(Arc::new(move |path: &RepoPath| {
        let is_left_out = excluded.matches(path) || ignore.is_left_out_by_user(path);
        is_left_out && !reviewed.contains(path)
    }))
}
