//! The second source of objects: the hardened `git` command, for ids of SHA-256, reftables, sparse indexes and rules of
//! ownership that libgit2 does not know.

mod batch;
mod index;
pub(crate) mod runner;
pub(super) mod user;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::env::GitEnvironment;
use crate::error::GitError;
use crate::git_cli::runner::{GitRunner, PlumbingCommand, RunError};
use crate::git_cli::user::UserGit;
use crate::id::{ObjectFormat, ObjectId};
use crate::limits::MAX_BLOB;
use crate::object_hash::verify_object;
use crate::object_store::{
    ConfigEntry, ConfigLevel, HeadPosition, ObjectKind, ObjectSink, ObjectStore, TouchedPath,
};
use crate::tree_item::LocatedItem;
use batch::CatFileBatch;

/// A repository behind the `git` command.
pub(crate) struct GitCliStore {
    runner: GitRunner,
    user: UserGit,
    workdir: Option<PathBuf>,
    batch: Mutex<Option<CatFileBatch>>,
}

/// Where it lies, as git says.
pub(crate) struct RepositoryLayout {
    pub(crate) git_dir: PathBuf,
    pub(crate) common_dir: PathBuf,
    pub(crate) workdir: Option<PathBuf>,
    pub(crate) shallow: bool,
    pub(crate) format: ObjectFormat,
    /// e.g. `git 2.47`.
    pub(crate) version: String,
}

impl GitCliStore {
    /// Opens the repository that git finds from `dir`, where git itself trusts it.
    pub(crate) fn open(
        dir: &Path,
        env: &GitEnvironment,
    ) -> Result<(Self, RepositoryLayout), GitError> {
        let user = UserGit::new(dir, env)?;
        let place = locate_repository(&user, dir)?;
        let mut runner = GitRunner::new(&place.git_dir, env)?;
        runner.index_file = env.path_from("GIT_INDEX_FILE", dir);
        let command = Self {
            runner,
            user,
            workdir: place.workdir.clone(),
            batch: Mutex::new(None),
        };
        Ok((command, place))
    }

    fn run_for_text(
        &self,
        command: PlumbingCommand,
        options: &[&'static str],
        operands: &[&str],
    ) -> Result<String, RunError> {
        let operands: Vec<&OsStr> = operands.iter().map(OsStr::new).collect();
        let said = self.runner.run_command(command, options, &operands, &[])?;
        Ok(String::from_utf8_lossy(&said)
            .trim_end_matches('\n')
            .to_owned())
    }

    /// What a command says; none when it says that there is nothing.
    fn run_optional(
        &self,
        command: PlumbingCommand,
        options: &[&'static str],
        operands: &[&str],
    ) -> Result<Option<String>, GitError> {
        match self.run_for_text(command, options, operands) {
            Ok(said) => Ok(Some(said).filter(|said| !said.is_empty())),
            Err(RunError::Failed { code: Some(1), .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The object of that kind that a revision leads to.
    fn peel_to_kind(&self, rev: &str, kind: &str) -> Result<Option<ObjectId>, GitError> {
        let wanted = format!("{rev}^{{{kind}}}");
        let options = ["--verify", "--quiet", "--end-of-options"];
        match self.run_for_text(PlumbingCommand::RevParse, &options, &[&wanted]) {
            Ok(said) => Ok(ObjectId::from_hex(&said)),
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
fn locate_repository(user: &UserGit, dir: &Path) -> Result<RepositoryLayout, GitError> {
    let facts = [
        "--path-format=absolute",
        "--git-dir",
        "--git-common-dir",
        "--is-inside-work-tree",
        "--is-shallow-repository",
        "--show-object-format",
    ];
    let said = user
        .run_reading("rev-parse", &facts)
        .map_err(|error| match error {
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
        .then(|| user.run_reading("rev-parse", &["--path-format=absolute", "--show-toplevel"]))
        .transpose()?;
    let (major, minor) = user.version()?;
    Ok(RepositoryLayout {
        git_dir: git_dir.into(),
        common_dir: common_dir.into(),
        workdir: top.map(|top| top.trim_end_matches('\n').into()),
        shallow: *shallow == "true",
        format: if *format == "sha256" {
            ObjectFormat::Sha256
        } else {
            ObjectFormat::Sha1
        },
        version: format!("git {major}.{minor}"),
    })
}

impl ObjectStore for GitCliStore {
    fn read_head(&self) -> Result<HeadPosition, GitError> {
        let branch = self.run_optional(PlumbingCommand::SymbolicRef, &["--quiet"], &["HEAD"])?;
        let commit = self.peel_to_kind("HEAD", "commit")?;
        match (branch, commit) {
            (Some(branch), Some(commit)) => Ok(HeadPosition::Branch(branch, commit)),
            (Some(branch), None) => Ok(HeadPosition::Unborn(
                branch.trim_start_matches("refs/heads/").to_owned(),
            )),
            (None, Some(commit)) => Ok(HeadPosition::Detached(commit)),
            (None, None) => Err(GitError::UnknownRevision {
                rev: "HEAD".to_owned(),
                fetch: None,
            }),
        }
    }

    fn resolve_name(&self, rev: &str) -> Result<Option<(ObjectId, ObjectKind)>, GitError> {
        if let Some(commit) = self.peel_to_kind(rev, "commit")? {
            return Ok(Some((commit, ObjectKind::Commit)));
        }
        if let Some(tree) = self.peel_to_kind(rev, "tree")? {
            return Ok(Some((tree, ObjectKind::Tree)));
        }
        let blob = self.peel_to_kind(rev, "blob")?;
        Ok(blob.map(|blob| (blob, ObjectKind::Blob)))
    }

    fn refs_named(&self, names: &[String]) -> Result<Vec<(String, ObjectId)>, GitError> {
        let format = "--format=%(objectname) %(*objectname) %(refname)";
        let patterns: Vec<&str> = names.iter().map(String::as_str).collect();
        let said = self.run_optional(PlumbingCommand::ForEachRef, &[format], &patterns)?;
        let read = |line: &str| {
            let [id, tagged, name] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
            // A pattern also stands for what lies below it.
            let wanted = names.iter().find(|wanted| *wanted == name)?;
            let id = if tagged.is_empty() { id } else { tagged };
            Some((wanted.clone(), ObjectId::from_hex(id)?))
        };
        Ok(said.unwrap_or_default().lines().filter_map(read).collect())
    }

    fn may_abbreviate(&self, digits: &str) -> bool {
        digits.len() >= 7
    }

    fn commit_of(&self, name: &str) -> Option<ObjectId> {
        self.peel_to_kind(name, "commit").ok().flatten()
    }

    fn symbolic_target(&self, name: &str) -> Option<String> {
        self.run_optional(PlumbingCommand::SymbolicRef, &["--quiet"], &[name])
            .ok()
            .flatten()
    }

    fn upstream_of(&self, branch: &str) -> Option<String> {
        self.run_optional(
            PlumbingCommand::ForEachRef,
            &["--format=%(upstream)"],
            &[branch],
        )
        .ok()
        .flatten()
    }

    fn remote_names(&self) -> Vec<String> {
        let settings = self
            .config_matching(r"^remote\..*\.url$")
            .unwrap_or_default();
        let name = |setting: ConfigEntry| {
            let name = setting.name.strip_prefix("remote.")?.strip_suffix(".url")?;
            Some(name.to_owned())
        };
        let mut names: Vec<String> = settings.into_iter().filter_map(name).collect();
        names.sort();
        names.dedup();
        names
    }

    fn merge_base(&self, one: ObjectId, two: ObjectId) -> Result<Option<ObjectId>, GitError> {
        let said = self.run_optional(
            PlumbingCommand::MergeBase,
            &[],
            &[&one.to_hex(), &two.to_hex()],
        )?;
        Ok(said.and_then(|said| ObjectId::from_hex(said.lines().next()?)))
    }

    fn walk_commits(
        &self,
        tip: ObjectId,
        hidden: &[ObjectId],
        limit: usize,
    ) -> Result<Vec<ObjectId>, GitError> {
        let hidden = hidden.iter().map(|id| format!("^{id}\n"));
        let asked = format!("{tip}\n") + &hidden.collect::<String>();
        let said = self.runner.run_command(
            PlumbingCommand::RevList,
            &["--topo-order", "--stdin"],
            &[],
            asked.as_bytes(),
        )?;
        let said = String::from_utf8_lossy(&said).into_owned();
        Ok(said
            .lines()
            .take(limit)
            .filter_map(ObjectId::from_hex)
            .collect())
    }

    fn refs_below(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, GitError> {
        let format =
            "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)";
        let said = self
            .run_optional(PlumbingCommand::ForEachRef, &[format], &[prefix])?
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
            Some(((*name).to_owned(), ObjectId::from_hex(id)?))
        };
        Ok(said.lines().filter_map(read).collect())
    }

    fn symbolic_refs_below(&self, prefix: &str) -> Result<Vec<String>, GitError> {
        let format = "--format=%(refname) %(symref)";
        let said = self.run_optional(PlumbingCommand::ForEachRef, &[format], &[prefix])?;
        let said = said.unwrap_or_default();
        let named = said.lines().filter_map(|line| line.split_once(' '));
        let symbolic = named.filter(|(_, target)| !target.is_empty());
        Ok(symbolic.map(|(name, _)| name.to_owned()).collect())
    }

    fn read_object(
        &self,
        wanted: ObjectId,
        limit: usize,
        hear: ObjectSink<'_>,
    ) -> Result<bool, GitError> {
        let mut batch = self
            .batch
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let open = match batch.take() {
            Some(open) => open,
            None => CatFileBatch::start(&self.runner)?,
        };
        let (open, answer) = open.request_object(wanted, limit)?;
        *batch = Some(open);
        Ok(match answer {
            Some((kind, bytes)) => {
                verify_object(wanted, kind, &bytes)?;
                hear(kind, &bytes);
                true
            }
            None => false,
        })
    }

    fn object_size(&self, wanted: ObjectId) -> Result<Option<usize>, GitError> {
        let mut size = None;
        let mut hear = |_: ObjectKind, bytes: &[u8]| size = Some(bytes.len());
        self.read_object(wanted, MAX_BLOB, &mut hear)?;
        Ok(size)
    }

    fn config_value(&self, name: &str) -> Option<String> {
        self.user.config_value(name)
    }

    fn config_matching(&self, pattern: &str) -> Result<Vec<ConfigEntry>, GitError> {
        let said = match self.user.run_reading(
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
                "system" => ConfigLevel::System,
                "global" => ConfigLevel::User,
                // What the command says is read from the environment.
                "command" => continue,
                _ => ConfigLevel::Repository,
            };
            found.push(ConfigEntry {
                name: name.to_owned(),
                value: value.to_owned(),
                level,
            });
        }
        Ok(found)
    }

    fn changed_in_worktree(&self) -> Result<Vec<TouchedPath>, GitError> {
        index::changed_paths(self)
    }

    fn is_ignored(&self, folder: &[u8]) -> Result<bool, GitError> {
        index::is_ignored(self, folder)
    }

    fn index_entries(&self) -> Result<Vec<LocatedItem>, GitError> {
        index::index_entries(self)
    }
}
