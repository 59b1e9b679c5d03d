//! Whether files are still as a commit has them.

use std::path::Path;

use council_protocol::{FileChange, RepoPath};

use super::env::GitEnvironment;
use super::error::GitError;
use super::open;

/// Whether a change has each of these files, and leaves it as it is in a commit: whatever else it brings, it brings what
/// that commit made of them.
///
/// # Errors
///
/// As opening the repository, and objects that cannot be read.
pub fn brings_files(
    dir: &Path,
    env: &GitEnvironment,
    commit: &str,
    paths: &[&RepoPath],
    change: &[FileChange],
) -> Result<bool, GitError> {
    let store = open::open_repository(dir, env)?;
    if store.resolve_name(commit)?.is_none() {
        return Ok(false);
    }
    for path in paths {
        let Some(file) = change.iter().find(|file| file.path == **path) else {
            return Ok(false);
        };
        let reviewed = store.resolve_name(&format!("{commit}:{}", path.display()))?;
        if reviewed.map(|(id, _)| id.to_hex()) != file.new_id {
            return Ok(false);
        }
    }
    Ok(!paths.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Repo, filled};
    use crate::{TargetSpec, read_change};

    /// Whatever stands on top of a commit brings it as long as none of its files is another one.
    #[test]
    fn what_stands_on_top_of_a_commit_brings_it() {
        let repo = Repo::new();
        repo.write("a.py", "1").write("gone", "x").commit("Base");
        repo.write("a.py", "2").remove("gone").commit("Reviewed");
        let reviewed = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
        let paths: Vec<RepoPath> = vec!["a.py".into(), "gone".into()];
        let brings = |range: &str| {
            let change = read_change(&repo.request(TargetSpec::parse(range))).unwrap();
            let (paths, files): (Vec<&RepoPath>, _) = (paths.iter().collect(), filled(&change));
            brings_files(repo.path(), &Repo::env(&[]), &reviewed, &paths, &files).unwrap()
        };
        assert!(brings("HEAD~1..HEAD"));
        repo.write("z.txt", "z").commit("More");
        assert!(brings("HEAD~2..HEAD"));
        assert!(!brings("HEAD~1..HEAD"), "it was pushed before");
        repo.write("a.py", "3").commit("Mended");
        assert!(!brings("HEAD~3..HEAD"));
        repo.write("a.py", "2").write("gone", "y").commit("Back");
        assert!(!brings("HEAD~4..HEAD"));
    }
}
