//! Objects of a pull request, brought here by the user's own `git`: nothing is checked out, no branch or tracking ref is
//! touched, the depth of the clone stays what it is. What was brought is named below `refs/council/`.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::env::GitEnvironment;
use super::git_cli::runner::{self, RunError};

/// How long a fetch may take.
const DEADLINE: Duration = Duration::from_secs(600);

/// Settings of the repository that must run nothing and move nothing while we fetch.
const OFF: [&str; 6] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// A ref of the remote and where it is kept here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedRef {
    /// A whole name, e.g. `refs/pull/12/head`.
    pub remote: String,
    /// A name below `refs/council/`.
    pub local: String,
}

/// Whom to ask and as whom.
pub struct FetchSource<'a> {
    /// A remote's name or an address.
    pub remote: &'a str,
    /// All variables of the process: credentials are the user's own affair.
    pub vars: Vec<(OsString, OsString)>,
    /// A header for an address, `(https://host/, header)`, given to git by its environment and never in an argument.
    pub header: Option<(String, String)>,
}

/// Brings refs and what they need.
///
/// # Errors
///
/// When there is no git, a ref is not there, or it took too long.
pub fn fetch_refs(
    dir: &Path,
    env: &GitEnvironment,
    source: &FetchSource<'_>,
    wanted: &[WantedRef],
) -> Result<(), RunError> {
    let mut git = fetch_command(dir, env, source)?;
    git.args([
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--refmap=",
        "--force",
        "--end-of-options",
    ]);
    git.arg(source.remote);
    git.args(
        wanted
            .iter()
            .map(|want| format!("{}:{}", want.remote, want.local)),
    );
    runner::run_to_end("fetch", DEADLINE, git).map(drop)
}

/// The addresses of the remotes, with their names.
///
/// # Errors
///
/// When there is no git, or it fails.
pub fn remote_urls(dir: &Path, env: &GitEnvironment) -> Result<Vec<(String, String)>, RunError> {
    let source = FetchSource {
        remote: "",
        vars: env
            .all()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        header: None,
    };
    let mut git = fetch_command(dir, env, &source)?;
    git.args(["config", "--null", "--get-regexp", r"^remote\..*\.url$"]);
    let said = match runner::run_to_end("config", Duration::from_secs(10), git) {
        Err(RunError::Failed { code: Some(1), .. }) => return Ok(Vec::new()),
        other => other?,
    };
    let said = String::from_utf8_lossy(&said).into_owned();
    let pair = |entry: &str| {
        let (key, value) = entry.split_once('\n')?;
        let name = key.strip_prefix("remote.")?.strip_suffix(".url")?;
        Some((name.to_owned(), value.to_owned()))
    };
    Ok(said.split_terminator('\0').filter_map(pair).collect())
}

fn fetch_command(
    dir: &Path,
    env: &GitEnvironment,
    source: &FetchSource<'_>,
) -> Result<Command, RunError> {
    let mut git = Command::new(runner::git_program(env)?);
    git.env_clear()
        .envs(source.vars.iter().map(|(name, value)| (name, value)));
    git.envs([("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")])
        .current_dir(dir);
    if let Some((address, header)) = &source.header {
        let key = format!("http.{address}.extraheader");
        let pairs: [(&str, &OsStr); 3] = [
            ("GIT_CONFIG_COUNT", OsStr::new("1")),
            ("GIT_CONFIG_KEY_0", OsStr::new(&key)),
            ("GIT_CONFIG_VALUE_0", OsStr::new(header)),
        ];
        git.envs(pairs);
    }
    for setting in OFF {
        git.args(["-c", setting]);
    }
    Ok(git)
}
