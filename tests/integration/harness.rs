//! A real repository, and the program as a user starts it: nothing of the environment of the tests reaches either.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tempfile::TempDir;

/// Every format of a report.
pub(crate) const FORMATS: [&str; 11] = [
    "terminal",
    "story",
    "markdown",
    "json",
    "sarif",
    "rdjson",
    "html",
    "agent",
    "junit",
    "checkstyle",
    "gitlab",
];

/// A repository in a home of its own.
pub(crate) struct Repo {
    root: TempDir,
    commits: Cell<u64>,
}

/// What the built-in judges hold against a change whatever else it has: written so that they do not find it here.
pub(crate) const PRIVATE_KEY: &str = concat!(
    "-----BEGIN RSA PRIVATE ",
    "KEY-----\n",
    "MIIEpAIBAAKCAQEA7bq3KfZ0xWm5uYt1sVn8RcLd2oEjHg4TPyXzQi6CwUaNvBkM\n",
    "-----END RSA PRIVATE ",
    "KEY-----\n",
);

/// How a run of the program ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Repo {
    /// An empty repository on the branch `main`.
    pub(crate) fn new() -> Self {
        let repo = Self::home();
        repo.git(["init", "--quiet", "--initial-branch=main", "."]);
        repo
    }

    /// A repository with one commit that nothing can be said against.
    pub(crate) fn with_base() -> Self {
        let repo = Self::new();
        repo.write("README.md", "# A project\n\nIt adds numbers.\n");
        repo.write("src/lib.rs", "/// Adds two numbers.\npub fn add(a: u32, b: u32) -> u32 {\n    a.saturating_add(b)\n}\n");
        repo.write(
            "tests/add.rs",
            "#[test]\nfn adds() {\n    assert_eq!(project::add(1, 2), 3);\n}\n",
        );
        repo.commit("Start");
        repo
    }

    /// A home and an empty directory without a repository.
    pub(crate) fn home() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        fs::create_dir(root.path().join("work")).unwrap();
        Self {
            root,
            commits: Cell::new(0),
        }
    }

    /// The worktree.
    pub(crate) fn path(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// A path in the home of the user.
    pub(crate) fn in_home(&self, path: &str) -> PathBuf {
        self.root.path().join("home").join(path)
    }

    /// Writes a file of the worktree.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        write(&self.path().join(path), content.as_ref());
    }

    /// Writes a file of the user's home.
    pub(crate) fn write_home(&self, path: &str, content: &str) {
        write(&self.in_home(path), content.as_bytes());
    }

    /// Commits everything that is in the worktree.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(["rev-parse", "HEAD"])
    }

    /// Runs git in the worktree; it must succeed. Its output without the last newline.
    pub(crate) fn git<const N: usize>(&self, args: [&str; N]) -> String {
        self.git_in(&self.path(), &args)
    }

    /// A git command in the worktree, not yet started.
    pub(crate) fn git_command(&self, args: &[&str]) -> Command {
        let mut command = self.command("git", &self.path());
        command.args(args);
        command
    }

    /// Runs git in a directory.
    pub(crate) fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let mut command = self.command("git", dir);
        let date = format!(
            "{} +0000",
            1_700_000_000 + self.commits.replace(self.commits.get() + 1) * 60
        );
        command.envs([("GIT_AUTHOR_DATE", &date), ("GIT_COMMITTER_DATE", &date)]);
        let output = command.args(args).output().unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    /// A script for a real shell in the worktree, not yet started.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = self.command("sh", &self.path());
        command.args(["-c", script]);
        command
    }

    /// Runs the program in the worktree.
    pub(crate) fn council<const N: usize>(&self, args: [&str; N]) -> Run {
        self.council_in(&self.path(), &args, &[])
    }

    /// Runs the program with variables.
    pub(crate) fn council_with(&self, vars: &[(&str, &str)], args: &[&str]) -> Run {
        self.council_in(&self.path(), args, vars)
    }

    /// Runs the program in a directory.
    pub(crate) fn council_in(&self, dir: &Path, args: &[&str], vars: &[(&str, &str)]) -> Run {
        let mut command = self.program(dir);
        command.args(args).envs(vars.iter().copied());
        Run::of(command.output().unwrap())
    }

    /// Runs the program with something on its standard input.
    pub(crate) fn council_reading(&self, input: &[u8], args: &[&str]) -> Run {
        let mut command = self.program(&self.path());
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that refuses its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(input);
        Run::of(child.wait_with_output().unwrap())
    }

    /// The program, not yet started.
    pub(crate) fn program(&self, dir: &Path) -> Command {
        self.command(env!("CARGO_BIN_EXE_git-council"), dir)
    }

    fn command(&self, program: impl AsRef<OsStr>, dir: &Path) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.in_home(""))
            .env("LANG", "C.UTF-8");
        command.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_TERMINAL_PROMPT", "0")]);
        let people = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "A Tester"));
        let mails =
            ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "tester@example.com"));
        command.envs(people).envs(mails);
        command.current_dir(dir).stdin(Stdio::null());
        command
    }
}

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

impl Run {
    /// Runs a program that was put together elsewhere.
    pub(crate) fn of_command(mut command: Command) -> Self {
        Self::of(command.output().unwrap())
    }

    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            // Ended by a signal: as a shell reports it.
            code: output
                .status
                .code()
                .unwrap_or_else(|| 128 + signal(output.status)),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Fails the test unless the program ended so.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// Fails the test unless standard error says so.
    #[track_caller]
    pub(crate) fn tells(self, text: &str) -> Self {
        assert!(
            self.stderr.contains(text),
            "{text:?} is not in:\n{}",
            self.stderr
        );
        self
    }

    /// Fails the test unless standard output says so.
    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Self {
        assert!(
            self.stdout.contains(text),
            "{text:?} is not in:\n{}",
            self.stdout
        );
        self
    }
}

fn signal(status: std::process::ExitStatus) -> i32 {
    std::os::unix::process::ExitStatusExt::signal(&status).unwrap_or(0)
}

/// Checks cases, so many at once, for most of the time of each is waiting; none waits for another one to hang to its end.
pub(crate) fn side_by_side<T: Sync>(cases: &[T], at_once: usize, check: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(case);
                }
            });
        }
    });
}
