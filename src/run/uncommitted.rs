//! What of the worktree is in no commit, beside a review of commits: whoever has just applied a fix must not think
//! that it was looked at.

use std::collections::BTreeSet;

use council_protocol::packet::{Target, TargetKind};
use council_protocol::{FileChange, RepoPath};

use crate::git::{self, ChangeRequest, TargetSpec};
use crate::run::context::RunContext;
use crate::text::Untrusted;

/// The most files that the note names.
const MAX_NAMED: usize = 3;

/// Which tracked files have changes that a review of HEAD did not read, and how to have them read; none: there are
/// none, or the review was about something else. `pathspecs` are those of the review.
pub(crate) fn uncommitted_note(
    target: &Target,
    pathspecs: &[String],
    start: &RunContext,
) -> Option<String> {
    let kinds = [TargetKind::Branch, TargetKind::Range, TargetKind::Commit];
    let head = git::commit_at(&start.dir, &start.git_environment(), "HEAD").ok();
    let is_head = head.is_some() && target.head == head;
    if !kinds.contains(&target.kind) || !is_head {
        return None;
    }
    let read = |spec| {
        let wanted = ChangeRequest {
            dir: start.dir.clone(),
            spec,
            pathspecs: pathspecs.to_vec(),
            env: start.git_environment(),
        };
        // A worktree that cannot be read has nothing to tell here.
        git::read_change(&wanted).map_or(Vec::new(), |change| change.files)
    };
    let changed = read(TargetSpec::Worktree);
    let is_new = |file: &FileChange| file.old_mode == 0;
    let staged: BTreeSet<RepoPath> = match changed.iter().any(is_new) {
        true => read(TargetSpec::Staged)
            .into_iter()
            .map(|file| file.path)
            .collect(),
        false => BTreeSet::new(),
    };
    let tracked = changed
        .iter()
        .filter(|file| !is_new(file) || staged.contains(&file.path));
    let names: Vec<String> = tracked
        .map(|file| Untrusted::new(&file.path.display()).name())
        .collect();
    note_about(&names)
}

fn note_about(names: &[String]) -> Option<String> {
    let (named, more) = names.split_at(names.len().min(MAX_NAMED));
    let has = match names.len() {
        0 => return None,
        1 => "has",
        _ => "have",
    };
    let more = match more.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "{}{more} {has} uncommitted changes, which were not reviewed: git council review --worktree",
        named.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_files_are_named_and_the_others_counted() {
        let names = |count: usize| (0..count).map(|n| format!("{n}.py")).collect::<Vec<_>>();
        assert_eq!(note_about(&names(0)), None);
        let one = note_about(&names(1)).unwrap();
        assert!(one.starts_with("0.py has uncommitted changes"), "{one}");
        let many = note_about(&names(5)).unwrap();
        assert!(
            many.starts_with("0.py, 1.py, 2.py and 2 more have uncommitted"),
            "{many}"
        );
        assert!(many.ends_with("git council review --worktree"), "{many}");
    }
}
