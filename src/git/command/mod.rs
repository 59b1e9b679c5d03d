//! The second source of objects: the hardened `git` command, for ids of SHA-256, reftables, sparse indexes and rules of
//! ownership that libgit2 does not know.

mod batch;
mod index;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::base::Head;
use super::config::{Level, Setting};
use super::env::Environment;
use super::error::GitError;
use super::id::{Format, Id};
use super::objects::ObjectKind;
use super::runner::{Plumbing, RunError, Runner};
use super::source::{Hear, Source};
use super::tree::Located;
use super::user::UserGit;
use super::worktree::Touched;
use batch::Batch;

/// A repository behind the `git` command.
pub(super) struct Command {
    runner: Runner,
    user: UserGit,
    workdir: Option<PathBuf>,
    batch: Mutex<Option<Batch>>,
}

/// Where it lies, as git says.
pub(super) struct Found {
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) workdir: Option<PathBuf>,
    pub(super) shallow: bool,
    pub(super) format: Format,
    /// e.g. `git 2.47`.
    pub(super) version: String,
}

impl Command {
    /// Opens the repository that git finds from `dir`, where git itself trusts it.
    pub(super) fn open(dir: &Path, env: &Environment) -> Result<(Self, Found), GitError> {
        let user = UserGit::new(dir, env)?;
        let place = locate(&user, dir)?;
        let mut runner = Runner::new(&place.git_dir, env)?;
        runner.index_file = env.path("GIT_INDEX_FILE", dir);
        let command = Self {
            runner,
            user,
            workdir: place.workdir.clone(),
            batch: Mutex::new(None),
        };
        Ok((command, place))
    }

    fn say(
        &self,
        command: Plumbing,
        options: &[&'static str],
        operands: &[&str],
    ) -> Result<String, RunError> {
        let operands: Vec<&OsStr> = operands.iter().map(OsStr::new).collect();
        let said = self.runner.run(command, options, &operands, &[])?;
        Ok(String::from_utf8_lossy(&said)
            .trim_end_matches('\n')
            .to_owned())
    }

    /// What a command says; none when it says that there is nothing.
    fn ask(
        &self,
        command: Plumbing,
        options: &[&'static str],
        operands: &[&str],
    ) -> Result<Option<String>, GitError> {
        match self.say(command, options, operands) {
            Ok(said) => Ok(Some(said).filter(|said| !said.is_empty())),
            Err(RunError::Failed { code: Some(1), .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The object of that kind that a revision leads to.
    fn peel(&self, rev: &str, kind: &str) -> Result<Option<Id>, GitError> {
        let wanted = format!("{rev}^{{{kind}}}");
        let options = ["--verify", "--quiet", "--end-of-options"];
        match self.say(Plumbing::RevParse, &options, &[&wanted]) {
            Ok(said) => Ok(Id::from_hex(&said)),
            Err(RunError::Failed { stderr, .. }) if stderr.contains("ambiguous") => {
                Err(GitError::BadRevision {
                    rev: rev.to_owned(),
                    cause: "it could be several".to_owned(),
                })
            }
            Err(RunError::Failed { .. } | RunError::Operand { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Asks git where a repository lies, with the user's own rules of trust.
fn locate(user: &UserGit, dir: &Path) -> Result<Found, GitError> {
    let facts = [
        "--path-format=absolute",
        "--git-dir",
        "--git-common-dir",
        "--is-inside-work-tree",
        "--is-shallow-repository",
        "--show-object-format",
    ];
    let said = user.ask("rev-parse", &facts).map_err(|error| match error {
        RunError::Failed { stderr, .. } if stderr.contains("dubious ownership") => {
            GitError::Owner {
                dir: dir.to_owned(),
            }
        }
        RunError::Failed { stderr, .. } if stderr.contains("not a git repository") => {
            GitError::NotARepository {
                dir: dir.to_owned(),
            }
        }
        error => error.into(),
    })?;
    let lines: Vec<&str> = said.lines().collect();
    let [git_dir, common_dir, inside, shallow, format] = lines.as_slice() else {
        return Err(GitError::Unsupported {
            feature: "git does not say where it lies".to_owned(),
        });
    };
    let top = (*inside == "true")
        .then(|| user.ask("rev-parse", &["--path-format=absolute", "--show-toplevel"]))
        .transpose()?;
    let (major, minor) = user.version()?;
    Ok(Found {
        git_dir: git_dir.into(),
        common_dir: common_dir.into(),
        workdir: top.map(|top| top.trim_end_matches('\n').into()),
        shallow: *shallow == "true",
        format: if *format == "sha256" {
            Format::Sha256
        } else {
            Format::Sha1
        },
        version: format!("git {major}.{minor}"),
    })
}

impl Source for Command {
    fn head(&self) -> Result<Head, GitError> {
        let branch = self.ask(Plumbing::SymbolicRef, &["--quiet"], &["HEAD"])?;
        let commit = self.peel("HEAD", "commit")?;
        match (branch, commit) {
            (Some(branch), Some(commit)) => Ok(Head::Branch(branch, commit)),
            (Some(branch), None) => Ok(Head::Unborn(
                branch.trim_start_matches("refs/heads/").to_owned(),
            )),
            (None, Some(commit)) => Ok(Head::Detached(commit)),
            (None, None) => Err(GitError::UnknownRevision {
                rev: "HEAD".to_owned(),
            }),
        }
    }

    fn resolve(&self, rev: &str) -> Result<Option<(Id, ObjectKind)>, GitError> {
        if let Some(commit) = self.peel(rev, "commit")? {
            return Ok(Some((commit, ObjectKind::Commit)));
        }
        Ok(self.peel(rev, "tree")?.map(|tree| (tree, ObjectKind::Tree)))
    }

    fn commit_of(&self, name: &str) -> Option<Id> {
        self.peel(name, "commit").ok().flatten()
    }

    fn symbolic(&self, name: &str) -> Option<String> {
        self.ask(Plumbing::SymbolicRef, &["--quiet"], &[name])
            .ok()
            .flatten()
    }

    fn upstream(&self, branch: &str) -> Option<String> {
        self.ask(Plumbing::ForEachRef, &["--format=%(upstream)"], &[branch])
            .ok()
            .flatten()
    }

    fn remotes(&self) -> Vec<String> {
        let settings = self.settings(r"^remote\..*\.url$").unwrap_or_default();
        let name = |setting: Setting| {
            let name = setting.name.strip_prefix("remote.")?.strip_suffix(".url")?;
            Some(name.to_owned())
        };
        let mut names: Vec<String> = settings.into_iter().filter_map(name).collect();
        names.sort();
        names.dedup();
        names
    }

    fn merge_base(&self, one: Id, two: Id) -> Result<Option<Id>, GitError> {
        let said = self.ask(Plumbing::MergeBase, &[], &[&one.hex(), &two.hex()])?;
        Ok(said.and_then(|said| Id::from_hex(said.lines().next()?)))
    }

    fn walk(&self, tip: Id, hidden: &[Id], limit: usize) -> Result<Vec<Id>, GitError> {
        let hidden = hidden.iter().map(|id| format!("^{id}\n"));
        let asked = format!("{tip}\n") + &hidden.collect::<String>();
        let said = self.runner.run(
            Plumbing::RevList,
            &["--topo-order", "--stdin"],
            &[],
            asked.as_bytes(),
        )?;
        let said = String::from_utf8_lossy(&said).into_owned();
        Ok(said.lines().take(limit).filter_map(Id::from_hex).collect())
    }

    fn refs(&self, prefix: &str) -> Result<Vec<(String, Id)>, GitError> {
        let format =
            "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)";
        let said = self
            .ask(Plumbing::ForEachRef, &[format], &[prefix])?
            .unwrap_or_default();
        let read = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let [kind, id, peeled, of, name] = words.as_slice() else {
                return None;
            };
            let id = match (*kind, *peeled) {
                ("commit", _) => id,
                (_, "commit") => of,
                _ => return None,
            };
            Some(((*name).to_owned(), Id::from_hex(id)?))
        };
        Ok(said.lines().filter_map(read).collect())
    }

    fn read(&self, wanted: Id, limit: usize, hear: Hear<'_>) -> Result<bool, GitError> {
        let mut batch = self
            .batch
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let open = match batch.take() {
            Some(open) => open,
            None => Batch::start(&self.runner)?,
        };
        let (open, answer) = open.ask(wanted, limit)?;
        *batch = Some(open);
        Ok(match answer {
            Some((kind, bytes)) => {
                hear(kind, &bytes);
                true
            }
            None => false,
        })
    }

    fn setting(&self, name: &str) -> Option<String> {
        self.user.config(name)
    }

    fn settings(&self, pattern: &str) -> Result<Vec<Setting>, GitError> {
        let said = match self.user.ask(
            "config",
            &["--null", "--show-scope", "--get-regexp", pattern],
        ) {
            Ok(said) => said,
            Err(RunError::Failed { code: Some(1), .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let mut fields = said.split_terminator('\0');
        let mut found = Vec::new();
        while let (Some(scope), Some(entry)) = (fields.next(), fields.next()) {
            let (name, value) = entry.split_once('\n').unwrap_or((entry, "true"));
            let level = match scope {
                "system" => Level::System,
                "global" => Level::User,
                // What the command says is read from the environment.
                "command" => continue,
                _ => Level::Repository,
            };
            found.push(Setting {
                name: name.to_owned(),
                value: value.to_owned(),
                level,
            });
        }
        Ok(found)
    }

    fn changed_in_worktree(&self) -> Result<Vec<Touched>, GitError> {
        index::changed(self)
    }

    fn index(&self) -> Result<Vec<Located>, GitError> {
        index::entries(self)
    }
}
