//! Objects of a pull request, brought here by the user's own `git`: nothing is checked out, no branch or tracking ref is
//! touched, the depth of the clone stays what it is. What was brought is named below `refs/council/`.
//!
//! git runs in a directory of its own that shares only the objects. No line of the repository's configuration takes
//! part, for it may name programs (`core.sshCommand`, `uploadpack`, credential helpers), rewrite the address or send it
//! through a proxy; what the user's own configuration says holds as ever.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use super::env::{GitEnvironment, is_local};
use super::error::GitError;
use super::git_cli::runner::{self, RunError};
use super::git_cli::user::UserGit;
use super::id::ObjectFormat;
use super::open::open_repository;
use super::repository::OpenRepository;
use council_files as safe_file;

/// How long a fetch may take.
const MAX_DURATION: Duration = Duration::from_secs(600);

/// Transports that the program may use: none that runs a command which an address names (`ext::`).
const TRANSPORTS: &str = "https:http:ssh:git:file";

/// The remote's name in the directory that git runs in.
const REMOTE: &str = "council";

/// Settings of the user that must run nothing and move nothing while we fetch.
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

/// Brings refs and what they need. When it fails, no ref has moved.
///
/// # Errors
///
/// When the repository cannot be opened, there is no git, a ref is not there, or it took too long.
pub fn fetch_refs(
    dir: &Path,
    env: &GitEnvironment,
    source: &FetchSource<'_>,
    wanted: &[WantedRef],
) -> Result<(), GitError> {
    let repository = open_repository(dir, env)?;
    let address = address_of(source.remote, dir, env, &repository)?;
    let own = FetchDirectory::create(&repository, &address)?;
    let mut git = own.command(env, source)?;
    git.args([
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--refmap=",
        "--force",
        "--end-of-options",
        REMOTE,
    ]);
    let refspec = |want: &WantedRef| format!("{}:{}", want.remote, want.local);
    git.args(wanted.iter().map(refspec));
    runner::run_to_end("fetch", MAX_DURATION, git)?;
    let ids = own.fetched_ids(env, source, wanted)?;
    own.update_shallow(&repository).map_err(|e| failed(&e))?;
    let updates: String = ids
        .iter()
        .map(|(name, id)| format!("update {name} {id}\n"))
        .collect();
    let arguments = ["--stdin"].map(OsStr::new);
    UserGit::new(dir, env)?.run_writing("update-ref", &arguments, updates.as_bytes())?;
    Ok(())
}

/// The addresses of the remotes, with their names.
///
/// # Errors
///
/// When there is no git, or it fails.
pub fn remote_urls(dir: &Path, env: &GitEnvironment) -> Result<Vec<(String, String)>, RunError> {
    let pattern = r"^remote\..*\.url$";
    let asked = UserGit::new(dir, env)?.run_reading("config", &["--null", "--get-regexp", pattern]);
    let said = match asked {
        Err(RunError::Failed { code: Some(1), .. }) => return Ok(Vec::new()),
        other => other?,
    };
    let pair = |entry: &str| {
        let (key, value) = entry.split_once('\n')?;
        let name = key.strip_prefix("remote.")?.strip_suffix(".url")?;
        Some((name.to_owned(), value.to_owned()))
    };
    Ok(said.split_terminator('\0').filter_map(pair).collect())
}

/// The keys of the repository's own configuration that `git fetch` would obey and [`fetch_refs`] does not.
pub fn ignored_keys(dir: &Path, env: &GitEnvironment) -> Vec<String> {
    const OF_TRANSPORT: &str = r"^(core\.(sshcommand|gitproxy|askpass)|credential\.|https?\.|ssh\.|url\.|remote\..*\.(proxy|uploadpack|vcs)$)";
    let list = |scope| {
        let arguments = [scope, "--null", "--name-only", "--get-regexp", OF_TRANSPORT];
        // git fails where nothing matches, and where the repository has no configuration of its worktree.
        UserGit::new(dir, env).and_then(|git| git.run_reading("config", &arguments))
    };
    let listed = ["--local", "--worktree"].map(|scope| list(scope).unwrap_or_default());
    let keys = listed.iter().flat_map(|keys| keys.split_terminator('\0'));
    keys.map(str::to_owned)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// What a remote's name stands for; a path is meant from the top of the worktree.
fn address_of(
    remote: &str,
    dir: &Path,
    env: &GitEnvironment,
    repository: &OpenRepository,
) -> Result<String, GitError> {
    let named = remote_urls(dir, env)?.into_iter();
    let mut named = named.filter(|(name, _)| name == remote);
    let address = named
        .next()
        .map_or_else(|| remote.to_owned(), |(_, url)| url);
    let first = address.split('/').next().unwrap_or_default();
    let is_path = !first.contains(':') && !address.starts_with('-');
    let top = repository.workdir.as_deref().unwrap_or(&repository.git_dir);
    Ok(if is_path {
        top.join(&address).display().to_string()
    } else {
        address
    })
}

/// A git directory without refs of its own, over the objects of the repository.
struct FetchDirectory {
    home: TempDir,
    objects: PathBuf,
}

impl FetchDirectory {
    /// It lies inside of the repository's own, so that what the user configures for a path (`includeIf`) holds.
    fn create(repository: &OpenRepository, address: &str) -> Result<Self, GitError> {
        let beside = repository.common_dir.join("council");
        let mut folder = tempfile::Builder::new();
        folder.prefix("fetch-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // The address that it holds may name a password.
            folder.permissions(fs::Permissions::from_mode(0o700));
        }
        let made = safe_file::make_folder(&beside)
            .and_then(|()| folder.tempdir_in(&beside))
            .or_else(|_| folder.tempdir());
        let own = Self {
            home: made.map_err(|e| failed(&e))?,
            objects: repository.common_dir.join("objects"),
        };
        let refs = known_refs(repository)?;
        own.fill(repository, address, &refs)
            .map_err(|e| failed(&e))?;
        Ok(own)
    }

    fn fill(&self, repository: &OpenRepository, address: &str, refs: &str) -> io::Result<()> {
        let home = self.home.path();
        fs::create_dir(home.join("refs"))?;
        fs::write(home.join("HEAD"), "ref: refs/heads/none\n")?;
        fs::write(home.join("packed-refs"), refs)?;
        fs::write(home.join("config"), configuration(repository, address))?;
        match safe_file::read(repository.common_dir.join("shallow")) {
            Ok(shallow) => fs::write(home.join("shallow"), shallow),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn command(&self, env: &GitEnvironment, source: &FetchSource<'_>) -> Result<Command, RunError> {
        let mut git = Command::new(runner::git_program(env)?);
        let vars = source.vars.iter().filter(|(name, _)| !is_local(name));
        git.env_clear()
            .env("GIT_ALLOW_PROTOCOL", TRANSPORTS)
            .envs(vars.map(|(name, value)| (name, value)))
            .envs([("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")])
            .env("GIT_DIR", self.home.path())
            .env("GIT_OBJECT_DIRECTORY", &self.objects)
            .current_dir(self.home.path());
        if let Some((address, header)) = &source.header {
            let count = env.get("GIT_CONFIG_COUNT").and_then(OsStr::to_str);
            let count: usize = count.and_then(|count| count.parse().ok()).unwrap_or(0);
            git.env("GIT_CONFIG_COUNT", (count + 1).to_string())
                .env(
                    format!("GIT_CONFIG_KEY_{count}"),
                    format!("http.{address}.extraheader"),
                )
                .env(format!("GIT_CONFIG_VALUE_{count}"), header);
        }
        for setting in OFF {
            git.args(["-c", setting]);
        }
        Ok(git)
    }

    /// What the wanted refs are at now, by their names here.
    fn fetched_ids(
        &self,
        env: &GitEnvironment,
        source: &FetchSource<'_>,
        wanted: &[WantedRef],
    ) -> Result<Vec<(String, String)>, GitError> {
        let mut git = self.command(env, source)?;
        git.args([
            "for-each-ref",
            "--format=%(refname) %(objectname)",
            "refs/council/",
        ]);
        let said = runner::run_to_end("for-each-ref", MAX_DURATION, git)?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let id_of = |want: &WantedRef| {
            let mut ids = said.lines().filter_map(|line| line.split_once(' '));
            let id = ids.find(|(name, _)| *name == want.local);
            id.map(|(name, id)| (name.to_owned(), id.to_owned()))
                .ok_or_else(|| GitError::UnknownRevision {
                    rev: want.remote.clone(),
                    fetch: None,
                })
        };
        wanted.iter().map(id_of).collect()
    }

    /// Where a shallow clone ends may have moved.
    fn update_shallow(&self, repository: &OpenRepository) -> io::Result<()> {
        let (ours, theirs) = (
            repository.common_dir.join("shallow"),
            self.home.path().join("shallow"),
        );
        let Ok(moved) = safe_file::read(theirs) else {
            return Ok(());
        };
        if safe_file::read(&ours).ok().as_deref() == Some(&moved) {
            return Ok(());
        }
        let mut file = tempfile::NamedTempFile::new_in(&repository.common_dir)?;
        io::Write::write_all(&mut file, &moved)?;
        file.persist(ours).map(drop).map_err(io::Error::from)
    }
}

/// The commits that are here, under names of ours: the remote need not send them.
fn known_refs(repository: &OpenRepository) -> Result<String, GitError> {
    let refs = repository.refs_below("refs/")?.into_iter();
    let ids: BTreeSet<_> = refs.map(|(_, id)| id).collect();
    let mut text = String::new();
    for (number, id) in ids.iter().enumerate() {
        // A name has a fixed width, since git wants them sorted.
        let _ = writeln!(text, "{id} refs/here/{number:08}");
    }
    Ok(text)
}

/// The configuration of the directory: its format, the one remote, and whether objects may be left there.
fn configuration(repository: &OpenRepository, address: &str) -> String {
    let mut text =
        "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n".to_owned();
    if repository.format == ObjectFormat::Sha256 {
        text += "\tobjectFormat = sha256\n";
    }
    let filters = repository
        .config_matching(r"^remote\..*\.partialclonefilter$")
        .unwrap_or_default();
    let partial = repository.is_partial();
    if partial {
        let _ = writeln!(text, "\tpartialClone = {REMOTE}");
    }
    let _ = writeln!(text, "[remote \"{REMOTE}\"]\n\turl = {}", quoted(address));
    if let Some(filter) = filters.first().filter(|_| partial) {
        let _ = writeln!(
            text,
            "\tpromisor = true\n\tpartialclonefilter = {}",
            quoted(&filter.value)
        );
    }
    text
}

/// A value as git's configuration wants it.
fn quoted(value: &str) -> String {
    let escaped = value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}

fn failed(cause: &io::Error) -> GitError {
    GitError::Runner(RunError::Start {
        command: "fetch",
        cause: cause.to_string(),
    })
}
