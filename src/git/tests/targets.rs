//! Commits, ranges, branches.

use council_protocol::change::FileStatus;

use crate::git::testing::{Repo, only, unified};

#[test]
fn a_commit_is_compared_with_its_first_parent() {
    let repo = Repo::new();
    repo.write("a.txt", "one\ntwo\n").commit("first");
    repo.write("a.txt", "one\nTWO\n")
        .commit("second: more\n\nBecause.");
    let change = repo.parse("HEAD");
    let file = only(&change);
    assert_eq!(file.status, FileStatus::Modified);
    assert_eq!((file.old_size, file.new_size), (Some(8), Some(8)));
    assert_eq!(file.hunks[0].body, " one\n-two\n+TWO\n");
    assert_eq!(
        change.framing.commits[0].author,
        "A U Thor <author@example.com>"
    );
    let theirs = repo.git(&["diff", "-M", "--abbrev=10", "HEAD~", "HEAD"]);
    assert_eq!(unified(&change).trim_end(), theirs);
}
