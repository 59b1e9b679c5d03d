//! Real repositories for tests, made with the `git` command.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use council_protocol::FileChange;
use council_protocol::packet::TargetKind;
use council_protocol::task::Framing;

use crate::change::{HunkSource, list_changed_files};
use crate::diff::sides::{ChangeSides, SideListing};
use crate::objects::ObjectReader;
use crate::open::open_repository;
use crate::target::make_target;
use crate::tree_item::TreeItem;
use crate::{
    ChangeRequest, GitEnvironment, GitError, RepositoryPaths, ReviewedChange, TargetSpec,
    read_change,
};

/// Whether permissions bind this process. If not (root reads everything), the test of this name is run again as somebody
/// whom they bind, from a copy that everybody may start; it must pass there.
pub fn is_bound_by_permissions(test: &str) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let closed = dir.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    set(&closed, 0);
    if std::fs::read_dir(&closed).is_err() {
        return true;
    }
    let (own, copy) = (std::env::current_exe().unwrap(), dir.path().join("tests"));
    std::fs::copy(own, &copy).unwrap();
    set(dir.path(), 0o755);
    set(&copy, 0o755);
    let (_, test) = test.split_once("::").unwrap();
    let start = || {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(&copy).args(["--exact", test]);
        command.env_remove("TMPDIR").env("HOME", dir.path());
        command.current_dir("/").output().unwrap()
    };
    // What another test starts at this moment has the copy open for writing, until it runs a program of its own.
    let is_busy = |said: &std::process::Output| {
        String::from_utf8_lossy(&said.stderr).contains("Text file busy")
    };
    let mut said = start();
    for _ in 0..200 {
        if !is_busy(&said) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        said = start();
    }
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(
        said.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&said.stderr)
    );
    false
}

/// A repository in a directory of its own, removed at the end.
pub struct Repo {
    dir: tempfile::TempDir,
    /// Where commands run: the directory, or a part of it.
    pub at: PathBuf,
}

impl Repo {
    /// An empty repository on the branch `main`.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// An empty repository with more options of `git init`.
    pub fn with(options: &[&str]) -> Self {
        let repo = Self::outside();
        repo.git(&[&["init", "-q", "--template=", "-b", "main"], options].concat());
        repo
    }

    /// A directory that is no repository.
    pub fn outside() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().canonicalize().unwrap();
        Self { dir, at }
    }

    /// A clone of another repository, over its URL, so that `--depth` and `--filter` mean something.
    pub fn clone_of(other: &Self, options: &[&str]) -> Self {
        let repo = Self::outside();
        let url = format!("file://{}", other.at.display());
        repo.git(&[&["clone", "-q"], options, &[&url, "."]].concat());
        repo
    }

    /// The same repository, seen from one of its directories.
    pub fn inside(&self, dir: &str) -> Self {
        let at = self.at.join(dir);
        std::fs::create_dir_all(&at).unwrap();
        Self {
            dir: tempfile::tempdir().unwrap(),
            at,
        }
    }

    /// Variables as a process would have them.
    pub fn env(vars: &[(&str, &str)]) -> GitEnvironment {
        GitEnvironment::from_vars(vars.iter().map(|(name, value)| (name.into(), value.into())))
    }

    pub fn path(&self) -> &Path {
        &self.at
    }

    pub fn command(&self, args: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new("git");
        command
            .current_dir(&self.at)
            .args([
                "-c",
                "core.fsync=none",
                "-c",
                "gc.auto=0",
                "-c",
                "maintenance.auto=false",
                "-c",
                "fastimport.unpackLimit=1",
            ])
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

    /// Runs git with something to read.
    pub fn pipe(&self, args: &[&str], stdin: &[u8]) -> String {
        let mut command = self.command(args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), stdin).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {args:?}");
        String::from_utf8(output.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    /// Runs git, which must succeed; its output without the last newline.
    pub fn git(&self, args: &[impl AsRef<OsStr>]) -> String {
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

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.at.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub fn link(&self, path: &str, target: &str) -> &Self {
        std::os::unix::fs::symlink(target, self.at.join(path)).unwrap();
        self
    }

    pub fn remove(&self, path: &str) -> &Self {
        std::fs::remove_file(self.at.join(path)).unwrap();
        self
    }

    /// Commits everything that is in the worktree.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn request(&self, spec: TargetSpec) -> ChangeRequest {
        ChangeRequest {
            dir: self.at.clone(),
            spec,
            pathspecs: Vec::new(),
            env: GitEnvironment::default(),
        }
    }

    pub fn try_read(&self, spec: TargetSpec) -> Result<ReviewedChange, GitError> {
        read_change(&self.request(spec))
    }

    pub fn read(&self, spec: TargetSpec) -> ReviewedChange {
        self.try_read(spec).unwrap()
    }

    /// Why a target cannot be read.
    pub fn refused(&self, spec: TargetSpec) -> GitError {
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
    pub fn parse(&self, arg: &str) -> ReviewedChange {
        self.read(TargetSpec::parse(arg))
    }
}

/// A change of one file from one content to another, none of which is an object.
pub fn change_of(repo: &Repo, path: &str, old: &[u8], new: &[u8]) -> ReviewedChange {
    let store = open_repository(repo.path(), &GitEnvironment::default()).unwrap();
    let place = RepositoryPaths::of_store(repo.path(), &store);
    let mut own = HashMap::new();
    let mut side = |bytes: &[u8]| {
        if bytes.is_empty() {
            return SideListing::Nothing;
        }
        let id = store.blob_id(bytes).unwrap();
        own.insert(id, bytes.into());
        SideListing::Entries(vec![(path.into(), TreeItem::new(0o100_644, id))])
    };
    let (old, new) = (side(old), side(new));
    let mut objects = ObjectReader::new(store);
    objects.add_contents(own);
    let sides = Arc::new(ChangeSides {
        objects: Arc::new(objects),
        old,
        new,
        unreadable: HashMap::new(),
    });
    let (files, _) = list_changed_files(&sides).unwrap();
    ReviewedChange {
        target: make_target(TargetKind::Range, "a..b".to_owned(), None, None),
        files,
        framing: Framing::default(),
        nothing: None,
        notes: Vec::new(),
        blobs: sides.clone(),
        place,
        git_source: None,
        excluded: Default::default(),
        source: HunkSource::Sides(sides),
        trusted: None,
    }
}

/// The files with their hunks.
pub fn filled(change: &ReviewedChange) -> Vec<FileChange> {
    let mut files = change.files.clone();
    files
        .iter_mut()
        .for_each(|file| change.fill_hunks(file).unwrap());
    files
}

/// The only file, with its hunks.
pub fn only(change: &ReviewedChange) -> FileChange {
    let [file]: [FileChange; 1] = filled(change).try_into().unwrap();
    file
}

/// The whole unified diff.
pub fn unified(change: &ReviewedChange) -> String {
    filled(change).iter().map(FileChange::unified).collect()
}
