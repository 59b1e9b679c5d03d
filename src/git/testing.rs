//! Real repositories for tests, made with the `git` command.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use council_protocol::FileChange;

use super::{Change, Environment, GitError, Request, TargetSpec, read};

/// A repository in a directory of its own, removed at the end.
pub(super) struct Repo {
    dir: tempfile::TempDir,
    /// Where commands run: the directory, or a part of it.
    pub(super) at: PathBuf,
}

impl Repo {
    /// An empty repository on the branch `main`.
    pub(super) fn new() -> Self {
        Self::with(&[])
    }

    /// An empty repository with more options of `git init`.
    pub(super) fn with(options: &[&str]) -> Self {
        let repo = Self::outside();
        repo.git(&[&["init", "-q", "-b", "main"], options].concat());
        repo
    }

    /// A directory that is no repository.
    pub(super) fn outside() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        Self { dir, at }
    }

    /// A clone of another repository, over its URL, so that `--depth` and `--filter` mean something.
    pub(super) fn clone_of(other: &Self, options: &[&str]) -> Self {
        let repo = Self::outside();
        let url = format!("file://{}", other.at.display());
        repo.git(&[&["clone", "-q"], options, &[&url, "."]].concat());
        repo
    }

    pub(super) fn path(&self) -> &Path {
        &self.at
    }

    pub(super) fn command(&self, args: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(&self.at)
            .args(args)
            .env_clear()
            .stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HOME", self.dir.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        command
            .env("GIT_AUTHOR_NAME", "A U Thor")
            .env("GIT_AUTHOR_EMAIL", "author@example.com");
        command
            .env("GIT_COMMITTER_NAME", "C O Mitter")
            .env("GIT_COMMITTER_EMAIL", "committer@example.com");
        command
            .env("GIT_AUTHOR_DATE", "1700000000 +0000")
            .env("GIT_COMMITTER_DATE", "1700000000 +0000");
        command.env("GIT_ALLOW_PROTOCOL", "file").env("LC_ALL", "C");
        command
    }

    /// Runs git, which must succeed; its output without the last newline.
    pub(super) fn git(&self, args: &[impl AsRef<OsStr>]) -> String {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(args).output().unwrap();
        let args: Vec<_> = args.iter().map(AsRef::as_ref).collect();
        assert!(
            status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&stderr)
        );
        String::from_utf8_lossy(&stdout)
            .trim_end_matches('\n')
            .to_owned()
    }

    pub(super) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.at.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// Commits everything that is in the worktree.
    pub(super) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(super) fn request(&self, spec: TargetSpec) -> Request {
        Request {
            dir: self.at.clone(),
            spec,
            pathspecs: Vec::new(),
            env: Environment::default(),
        }
    }

    pub(super) fn try_read(&self, spec: TargetSpec) -> Result<Change, GitError> {
        read(&self.request(spec))
    }

    pub(super) fn read(&self, spec: TargetSpec) -> Change {
        self.try_read(spec).unwrap()
    }

    /// Why a target cannot be read.
    pub(super) fn refused(&self, spec: TargetSpec) -> GitError {
        match self.try_read(spec) {
            Ok(change) => panic!(
                "{:?} was read, with {} files",
                change.target,
                change.files.len()
            ),
            Err(error) => error,
        }
    }

    /// Reads `git council review REV`.
    pub(super) fn parse(&self, arg: &str) -> Change {
        self.read(TargetSpec::parse(arg))
    }
}

/// The files with their hunks.
pub(super) fn filled(change: &Change) -> Vec<FileChange> {
    let mut files = change.files.clone();
    files.iter_mut().for_each(|file| change.fill(file).unwrap());
    files
}

/// The only file, with its hunks.
pub(super) fn only(change: &Change) -> FileChange {
    let [file]: [FileChange; 1] = filled(change).try_into().unwrap();
    file
}

/// The whole unified diff.
pub(super) fn unified(change: &Change) -> String {
    filled(change).iter().map(FileChange::unified).collect()
}
