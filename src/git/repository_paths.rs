//! Where a change lives, and so where a run's files go.

use std::path::{Path, PathBuf};

use council_files as safe_file;

use super::env::GitEnvironment;
use super::error::GitError;
use super::open;
use super::repository::OpenRepository;

/// Directories of the repository that a change belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryPaths {
    /// The directory that was asked about.
    pub dir: PathBuf,
    /// The git directory of this worktree; none outside a repository.
    pub git_dir: Option<PathBuf>,
    /// The git directory that all worktrees share; the same as `git_dir` in most repositories.
    pub common_dir: Option<PathBuf>,
    /// The top of the worktree; none in a bare repository and outside one.
    pub workdir: Option<PathBuf>,
}

impl RepositoryPaths {
    /// Finds the repository around `dir`.
    ///
    /// # Errors
    ///
    /// As opening it does: [`GitError::NotARepository`], [`GitError::Owner`], [`GitError::Unsupported`], ….
    pub fn discover(dir: &Path, env: &GitEnvironment) -> Result<Self, GitError> {
        open::open_repository(dir, env).map(|store| Self::of_store(dir, &store))
    }

    /// A directory without a repository, for a patch.
    pub fn outside_repository(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            git_dir: None,
            common_dir: None,
            workdir: None,
        }
    }

    pub(super) fn of_store(dir: &Path, store: &OpenRepository) -> Self {
        Self {
            dir: dir.to_owned(),
            git_dir: Some(store.git_dir.clone()),
            common_dir: Some(store.common_dir.clone()),
            workdir: store.workdir.clone(),
        }
    }

    /// Whether this is a repository without a worktree.
    pub fn is_bare(&self) -> bool {
        self.git_dir.is_some() && self.workdir.is_none()
    }

    /// Whether the worktree itself names this git directory. `core.worktree` and the `gitdir` file of a linked worktree lie
    /// in the git directory, and may name the worktree of another repository.
    pub fn worktree_agrees(&self) -> bool {
        let (Some(workdir), Some(git_dir)) = (&self.workdir, &self.git_dir) else {
            return false;
        };
        let link = workdir.join(".git");
        let named = match safe_file::read_text(&link) {
            Ok(text) => match text.trim_end().strip_prefix("gitdir: ") {
                Some(path) => workdir.join(path),
                None => return false,
            },
            Err(_) => link,
        };
        let real = |path: &Path| path.canonicalize().ok();
        real(git_dir).is_some_and(|own| real(&named) == Some(own))
    }

    /// Where the files go that people and agents read: `.agents/council` of the worktree, `council` of a bare
    /// repository, `.agents/council` of the directory where there is no repository.
    pub fn council_dir(&self) -> PathBuf {
        match (&self.workdir, &self.git_dir) {
            (Some(workdir), _) => workdir.join(".agents").join("council"),
            (None, Some(git_dir)) => git_dir.join("council"),
            (None, None) => self.dir.join(".agents").join("council"),
        }
    }

    /// Where the program keeps what is its own: `council` of the git directory that all worktrees share.
    pub fn memory_dir(&self) -> Option<PathBuf> {
        Some(self.common_dir.as_ref()?.join("council"))
    }

    /// The name of this worktree among those that share a repository: its git directory below the shared one, which stays
    /// when the worktree is moved; `main` for the first. None outside a repository.
    pub fn worktree_name(&self) -> Option<String> {
        let (git_dir, common_dir) = (self.git_dir.as_ref()?, self.common_dir.as_ref()?);
        let own = git_dir.strip_prefix(common_dir).unwrap_or(git_dir);
        Some(match own.to_string_lossy() {
            own if own.is_empty() => "main".to_owned(),
            own => own.into_owned(),
        })
    }

    /// Where the program keeps what belongs to this worktree alone: `council` of its own git directory.
    pub fn own_memory_dir(&self) -> Option<PathBuf> {
        Some(self.git_dir.as_ref()?.join("council"))
    }

    /// Where the folders of runs go: under the git directory that all worktrees share, so that removing a linked
    /// worktree does not remove what was paid for.
    pub fn runs_dir(&self) -> PathBuf {
        match &self.common_dir {
            Some(common_dir) => common_dir.join("council").join("runs"),
            None => self.council_dir().join("runs"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Repo;

    fn paths(repo: &Repo) -> RepositoryPaths {
        RepositoryPaths::discover(repo.path(), &GitEnvironment::default()).unwrap()
    }

    #[test]
    fn only_the_git_directory_that_a_worktree_names_is_its_own() {
        let refused = |dir: &Path| {
            let found = RepositoryPaths::discover(dir, &GitEnvironment::default());
            matches!(found, Err(GitError::ForeignWorktree { .. }))
        };
        let (mine, download) = (Repo::new(), Repo::new());
        for repo in [&mine, &download] {
            repo.write("a.txt", "a\n").commit("first");
            assert!(paths(repo).worktree_agrees());
        }
        let own = mine.path().to_str().unwrap();
        download.git(&["config", "core.worktree", own]);
        assert!(refused(download.path()));
        let named = Repo::env(&[("GIT_DIR", download.path().join(".git").to_str().unwrap())]);
        let named = RepositoryPaths::discover(mine.path(), &named).unwrap();
        assert!(!named.worktree_agrees());
        download.git(&["config", "--unset", "core.worktree"]);

        let outside = tempfile::tempdir().unwrap();
        let linked = outside.path().join("linked");
        download.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
        let of_linked = RepositoryPaths::discover(&linked, &GitEnvironment::default()).unwrap();
        assert!(of_linked.worktree_agrees());
        let forged = mine.path().join(".git").display().to_string();
        std::fs::write(download.path().join(".git/worktrees/linked/gitdir"), forged).unwrap();
        assert!(refused(&linked));
    }
}
