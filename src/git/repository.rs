//! The two ways to read a repository: libgit2, and the `git` command for what libgit2 does not know.

use std::path::{Path, PathBuf};

use super::env::GitEnvironment;
use super::error::GitError;
use super::git_cli::GitCliStore;
use super::id::{ObjectFormat, ObjectId};
use super::libgit2::{Libgit2Store, OpenError};
use super::object_hash::object_id;
use super::object_store::{ObjectKind, ObjectStore};

/// A repository, open for reading.
pub(super) struct OpenRepository {
    source: Box<dyn ObjectStore>,
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) workdir: Option<PathBuf>,
    pub(super) shallow: bool,
    pub(super) format: ObjectFormat,
    /// The second source and why it was needed, for the receipt; none: the first.
    pub(super) named: Option<String>,
}

impl std::ops::Deref for OpenRepository {
    type Target = dyn ObjectStore;

    fn deref(&self) -> &Self::Target {
        &*self.source
    }
}

impl From<Libgit2Store> for OpenRepository {
    fn from(library: Libgit2Store) -> Self {
        Self {
            git_dir: library.git_dir.clone(),
            common_dir: library.common_dir.clone(),
            workdir: library.workdir.clone(),
            shallow: library.shallow,
            format: ObjectFormat::Sha1,
            named: None,
            source: Box::new(library),
        }
    }
}

impl OpenRepository {
    /// Opens the repository that `dir` lies in with libgit2.
    pub(super) fn open(dir: &Path, env: &GitEnvironment) -> Result<Self, OpenError> {
        Libgit2Store::open_around(dir, env).map(Self::from)
    }

    /// The same, whoever owns it: only where git's own rules allow that.
    pub(super) fn open_whoever_owns_it(dir: &Path, env: &GitEnvironment) -> Result<Self, GitError> {
        Libgit2Store::open_whoever_owns_it(dir, env).map(Self::from)
    }

    /// Opens it with the `git` command, by git's own rules; `why` it has to be.
    pub(super) fn by_command(
        dir: &Path,
        env: &GitEnvironment,
        why: &str,
    ) -> Result<Self, GitError> {
        let (command, place) = GitCliStore::open(dir, env)?;
        Ok(Self {
            source: Box::new(command),
            git_dir: place.git_dir,
            common_dir: place.common_dir,
            workdir: place.workdir,
            shallow: place.shallow,
            format: place.format,
            named: Some(format!(
                "the git command ({}), because {why}",
                place.version
            )),
        })
    }

    /// The kind and the bytes of an object, handed to `read`; none when it is not there. `limit` in bytes.
    pub(super) fn read_with<T>(
        &self,
        wanted: ObjectId,
        limit: usize,
        read: impl FnOnce(ObjectKind, &[u8]) -> T,
    ) -> Result<Option<T>, GitError> {
        let (mut read, mut found) = (Some(read), None);
        let mut hear = |kind: ObjectKind, bytes: &[u8]| {
            found = read.take().map(|read| read(kind, bytes));
        };
        self.source.read_object(wanted, limit, &mut hear)?;
        Ok(found)
    }

    /// Whether objects were left at a remote (a partial clone).
    pub(super) fn is_partial(&self) -> bool {
        self.config_value("extensions.partialclone").is_some()
            || self
                .config_matching(r"^remote\..*\.promisor$")
                .is_ok_and(|found| !found.is_empty())
    }

    /// The id that a blob of these bytes has.
    pub(super) fn blob_id(&self, bytes: &[u8]) -> Result<ObjectId, GitError> {
        object_id(self.format, ObjectKind::Blob, bytes)
    }
}
