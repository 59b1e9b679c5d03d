//! The repository through libgit2: the one file that names `git2`.
//!
//! libgit2 is used as a reader of objects, refs, index and configuration, and for the diff of two buffers. Its own tree
//! diff and rename search are not used (they walk what did not change and miss renames), nor are its attributes.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use git2::{
    Config, Delta, DiffOptions, ErrorClass, ErrorCode, Index, ObjectType, Odb, Oid, Patch,
    Repository, RepositoryOpenFlags, Sort, StatusOptions, SubmoduleIgnore,
};

use super::diff::raw_hunk::ChangedLines;
#[cfg(test)]
use super::diff::raw_hunk::RawHunk;
use super::env::GitEnvironment;
use super::error::GitError;
use super::id::ObjectId;
use super::object_store::{
    ASSUME_UNCHANGED, ConfigEntry, ConfigLevel, HeadPosition, ObjectKind, ObjectSink, ObjectStore,
    SKIP_WORKTREE, TouchedPath,
};
use super::opened_files;
use super::path_bytes::bytes_to_path;
use super::tree_item::{LocatedItem, TreeItem};

/// A repository, open for reading.
pub(super) struct Libgit2Store {
    repository: Mutex<Repository>,
    /// The object database alone, which is read from several threads at once; none where its path is no text.
    objects: Option<Odb<'static>>,
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) workdir: Option<PathBuf>,
    pub(super) shallow: bool,
    index_file: Option<PathBuf>,
}

impl Libgit2Store {
    /// Opens the repository that `dir` lies in, or the one that the environment names.
    pub(super) fn open_around(dir: &Path, env: &GitEnvironment) -> Result<Self, OpenError> {
        Self::try_open(dir, env).map_err(|error| open_error(dir, &error))
    }

    /// Opens it whoever owns it: only where git's own rules allow that.
    pub(super) fn open_whoever_owns_it(dir: &Path, env: &GitEnvironment) -> Result<Self, GitError> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        validate_owner(false);
        let opened = Self::open_around(dir, env);
        validate_owner(true);
        opened.map_err(|error| match error {
            OpenError::Owner(dir) => GitError::Owner { dir },
            OpenError::Other(error) => error,
        })
    }

    fn try_open(dir: &Path, env: &GitEnvironment) -> Result<Self, git2::Error> {
        static SETTINGS: Once = Once::new();
        // A store can hold other bytes under an id than those that the id stands for: somebody else would review and run
        // another change. Hashing each object again costs 7–22 % of the time.
        SETTINGS.call_once(|| git2::opts::strict_hash_verification(true));
        let repository = match env.path_from("GIT_DIR", dir) {
            Some(git_dir) => {
                refuse_pipes(&git_dir)?;
                Repository::open_ext(git_dir, RepositoryOpenFlags::NO_SEARCH, NOWHERE)?
            }
            None => {
                if let Ok(found) = Repository::discover_path(dir, ceiling_dirs(env)) {
                    refuse_pipes(&found)?;
                }
                Repository::open_ext(dir, RepositoryOpenFlags::empty(), ceiling_dirs(env))?
            }
        };
        if let Some(work_tree) = env.path_from("GIT_WORK_TREE", dir) {
            repository.set_workdir(&work_tree, false)?;
        }
        Ok(Self {
            objects: open_object_database(&repository)?,
            git_dir: repository.path().to_owned(),
            common_dir: repository.commondir().to_owned(),
            workdir: repository.workdir().map(Path::to_owned),
            shallow: repository.is_shallow(),
            index_file: env.path_from("GIT_INDEX_FILE", dir),
            repository: Mutex::new(repository),
        })
    }

    fn lock_repository(&self) -> MutexGuard<'_, Repository> {
        self.repository
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the object database, whose own failures are the inner result.
    fn with_database<T>(
        &self,
        work: impl FnOnce(&Odb<'_>) -> Result<T, git2::Error>,
    ) -> Result<Result<T, git2::Error>, GitError> {
        if let Some(objects) = &self.objects {
            return Ok(work(objects));
        }
        let repository = self.lock_repository();
        let shared = repository
            .odb()
            .map_err(|e| library_error("open the object database", &e))?;
        Ok(work(&shared))
    }

    fn open_index(&self, repository: &Repository) -> Result<Index, GitError> {
        let index = match &self.index_file {
            Some(file) => Index::open(file),
            None => repository.index(),
        };
        index.map_err(|e| index_error(&e))
    }
}

impl ObjectStore for Libgit2Store {
    fn read_head(&self) -> Result<HeadPosition, GitError> {
        let repository = self.lock_repository();
        let head = repository
            .find_reference("HEAD")
            .map_err(|e| library_error("read HEAD", &e))?;
        let Ok(Some(branch)) = head.symbolic_target() else {
            let commit = head
                .peel_to_commit()
                .map_err(|e| library_error("read HEAD", &e))?;
            return Ok(HeadPosition::Detached(from_oid(commit.id())));
        };
        match head.peel_to_commit() {
            Ok(commit) => Ok(HeadPosition::Branch(
                branch.to_owned(),
                from_oid(commit.id()),
            )),
            Err(e) if e.code() == ErrorCode::NotFound || e.code() == ErrorCode::UnbornBranch => Ok(
                HeadPosition::Unborn(branch.trim_start_matches("refs/heads/").to_owned()),
            ),
            Err(e) => Err(library_error("read HEAD", &e)),
        }
    }

    fn resolve_name(&self, rev: &str) -> Result<Option<(ObjectId, ObjectKind)>, GitError> {
        let repository = self.lock_repository();
        let bad = |e: &git2::Error| GitError::BadRevision {
            rev: rev.to_owned(),
            cause: e.message().to_owned(),
        };
        let object = match repository.revparse_single(rev) {
            Ok(object) => object,
            Err(e) if e.code() == ErrorCode::NotFound => return Ok(None),
            Err(e) => return Err(bad(&e)),
        };
        if let Ok(commit) = object.peel(ObjectType::Commit) {
            return Ok(Some((from_oid(commit.id()), ObjectKind::Commit)));
        }
        if let Ok(blob) = object.peel(ObjectType::Blob) {
            return Ok(Some((from_oid(blob.id()), ObjectKind::Blob)));
        }
        let tree = object.peel(ObjectType::Tree).map_err(|e| bad(&e))?;
        Ok(Some((from_oid(tree.id()), ObjectKind::Tree)))
    }

    fn refs_named(&self, names: &[String]) -> Result<Vec<(String, ObjectId)>, GitError> {
        let repository = self.lock_repository();
        let found = |name: &String| {
            let object = repository.find_reference(name).ok()?.peel(ObjectType::Any);
            Some((name.clone(), from_oid(object.ok()?.id())))
        };
        Ok(names.iter().filter_map(found).collect())
    }

    fn may_abbreviate(&self, digits: &str) -> bool {
        let Ok(id) = Oid::from_str(digits) else {
            return false;
        };
        let found = self.with_database(|odb| odb.exists_prefix(id, digits.len()));
        found.is_ok_and(|found| match found {
            Ok(_) => true,
            Err(error) => error.code() == ErrorCode::Ambiguous,
        })
    }

    fn commit_of(&self, name: &str) -> Option<ObjectId> {
        let repository = self.lock_repository();
        repository
            .find_reference(name)
            .ok()?
            .peel_to_commit()
            .ok()
            .map(|commit| from_oid(commit.id()))
    }

    fn symbolic_target(&self, name: &str) -> Option<String> {
        let repository = self.lock_repository();
        let reference = repository.find_reference(name).ok()?;
        reference
            .symbolic_target()
            .ok()
            .flatten()
            .map(str::to_owned)
    }

    fn upstream_of(&self, branch: &str) -> Option<String> {
        let name = self.lock_repository().branch_upstream_name(branch).ok()?;
        name.as_str().ok().map(str::to_owned)
    }

    fn remote_names(&self) -> Vec<String> {
        let names = self.lock_repository().remotes();
        names
            .iter()
            .flat_map(|names| {
                names
                    .iter()
                    .flatten()
                    .flatten()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    fn merge_base(&self, one: ObjectId, two: ObjectId) -> Result<Option<ObjectId>, GitError> {
        match self.lock_repository().merge_base(to_oid(one), to_oid(two)) {
            Ok(base) => Ok(Some(from_oid(base))),
            Err(e) if e.code() == ErrorCode::NotFound => Ok(None),
            Err(e) => Err(library_error("find the merge base", &e)),
        }
    }

    fn walk_commits(
        &self,
        tip: ObjectId,
        hidden: &[ObjectId],
        limit: usize,
    ) -> Result<Vec<ObjectId>, GitError> {
        let repository = self.lock_repository();
        let walk = || {
            let mut walk = repository.revwalk()?;
            walk.set_sorting(Sort::TOPOLOGICAL)?;
            walk.push(to_oid(tip))?;
            hidden.iter().try_for_each(|&id| walk.hide(to_oid(id)))?;
            walk.take(limit)
                .map(|commit| commit.map(from_oid))
                .collect::<Result<Vec<_>, _>>()
        };
        walk().map_err(|e| library_error("list the commits", &e))
    }

    fn refs_below(&self, prefix: &str) -> Result<Vec<(String, ObjectId)>, GitError> {
        let repository = self.lock_repository();
        let failed = |e: git2::Error| library_error("list the refs", &e);
        // Other refs are not even opened: each of them may be a file.
        let below = format!("{prefix}*");
        let all = repository.references_glob(&below).map_err(failed)?;
        let commit = |reference: git2::Reference<'_>| {
            let name = reference.name().ok()?.to_owned();
            let wanted = name.starts_with(prefix);
            let commit = wanted.then(|| reference.peel_to_commit().ok()).flatten()?;
            Some((name, from_oid(commit.id())))
        };
        Ok(all.filter_map(Result::ok).filter_map(commit).collect())
    }

    fn symbolic_refs_below(&self, prefix: &str) -> Result<Vec<String>, GitError> {
        let repository = self.lock_repository();
        let failed = |e: git2::Error| library_error("list the refs", &e);
        let all = repository
            .references_glob(&format!("{prefix}*"))
            .map_err(failed)?;
        let all = all.filter_map(Result::ok);
        let symbolic = all.filter(|one| one.kind() == Some(git2::ReferenceType::Symbolic));
        Ok(symbolic
            .filter_map(|one| one.name().ok().map(str::to_owned))
            .collect())
    }

    fn read_object(
        &self,
        wanted: ObjectId,
        limit: usize,
        hear: ObjectSink<'_>,
    ) -> Result<bool, GitError> {
        match self.object_size(wanted)? {
            Some(size) if size > limit => return Err(too_large(wanted, size, limit)),
            Some(_) => {}
            None => return Ok(false),
        }
        let read = self.with_database(|odb| {
            let object = odb.read(to_oid(wanted))?;
            hear(object_kind(object.kind()), object.data());
            Ok(())
        })?;
        Ok(found_object(wanted, read)?.is_some())
    }

    fn object_size(&self, wanted: ObjectId) -> Result<Option<usize>, GitError> {
        let header = self.with_database(|odb| odb.read_header(to_oid(wanted)))?;
        Ok(found_object(wanted, header)?.map(|(size, _)| size))
    }

    fn config_value(&self, name: &str) -> Option<String> {
        self.lock_repository().config().ok()?.get_string(name).ok()
    }

    fn config_matching(&self, pattern: &str) -> Result<Vec<ConfigEntry>, GitError> {
        let config = self.lock_repository().config();
        config
            .and_then(|config| config_entries(&config, pattern))
            .map_err(|e| library_error("read git's configuration", &e))
    }

    fn changed_in_worktree(&self) -> Result<Vec<TouchedPath>, GitError> {
        let repository = self.lock_repository();
        let index = self.open_index(&repository)?;
        let mut options = DiffOptions::new();
        options
            .include_untracked(true)
            .recurse_untracked_dirs(true)
            .include_typechange(true);
        options.include_unreadable(true).skip_binary_check(true);
        let diff = repository.diff_index_to_workdir(Some(&index), Some(&mut options));
        let diff = diff.map_err(|e| library_error("compare the worktree with the index", &e))?;
        let mut touched: Vec<TouchedPath> = Vec::new();
        let top = repository.workdir();
        let submodules: HashSet<_> = index
            .iter()
            .filter(|entry| entry.mode == SUBMODULE)
            .map(|entry| entry.path)
            .collect();
        for delta in diff.deltas() {
            let (old, new) = (delta.old_file(), delta.new_file());
            let Some(path) = new.path_bytes().or(old.path_bytes()) else {
                continue;
            };
            // The file's mode is not asked for: with `core.fileMode` off the library mixes those of both sides, and its
            // binding ends the process at what comes of it.
            let folder = top.map(|top| top.join(bytes_to_path(path)));
            let is_folder = folder
                .as_ref()
                .is_some_and(|folder| folder.symlink_metadata().is_ok_and(|meta| meta.is_dir()));
            let tracked = !matches!(delta.status(), Delta::Untracked);
            let submodule = is_folder && submodules.contains(path);
            let is_repository = || folder.is_some_and(|folder| folder.join(".git").exists());
            if tracked && is_folder && !submodule && is_repository() {
                // A repository of its own in the place of a file.
                touched.push(TouchedPath {
                    path: [path, b"/"].concat(),
                    tracked: false,
                    submodule: None,
                    overlooked: None,
                });
            }
            touched.push(TouchedPath {
                path: path.to_vec(),
                tracked,
                submodule: submodule.then(|| from_oid(new.id())),
                overlooked: None,
            });
        }
        let known: HashSet<Vec<u8>> = touched.iter().map(|found| found.path.clone()).collect();
        let hidden = submodules.iter().filter(|path| !known.contains(*path));
        touched.extend(hidden.filter_map(|path| hidden_submodule(&repository, &index, path)));
        // What the library is told to overlook it does not compare; a file that is not there is out of a sparse checkout.
        let marks: HashMap<_, _> = index
            .iter()
            .filter_map(|entry| {
                let mark = overlooked_as(&entry)?;
                Some((entry.path, mark))
            })
            .collect();
        let is_there = |path: &[u8]| {
            top.is_some_and(|top| top.join(bytes_to_path(path)).symlink_metadata().is_ok())
        };
        touched.retain(|found| !marks.contains_key(&found.path));
        let overlooked = marks
            .into_iter()
            .filter(|(path, mark)| *mark != SKIP_WORKTREE || is_there(path));
        touched.extend(overlooked.map(|(path, mark)| TouchedPath {
            path,
            tracked: true,
            submodule: None,
            overlooked: Some(mark),
        }));
        Ok(touched)
    }

    fn is_ignored(&self, folder: &[u8]) -> Result<bool, GitError> {
        let mut path = bytes_to_path(folder).into_os_string();
        path.push("/");
        self.lock_repository()
            .is_path_ignored(Path::new(&path))
            .map_err(|e| library_error("read the rules of .gitignore", &e))
    }

    fn index_entries(&self) -> Result<Vec<LocatedItem>, GitError> {
        let index = self.open_index(&self.lock_repository())?;
        let mut entries = Vec::with_capacity(index.len());
        for entry in index.iter() {
            if entry.flags & STAGE != 0 {
                return Err(GitError::Unmerged {
                    path: String::from_utf8_lossy(&entry.path).into_owned(),
                });
            }
            if entry.flags_extended & INTENT_TO_ADD == 0 {
                entries.push((entry.path, TreeItem::new(entry.mode, from_oid(entry.id))));
            }
        }
        Ok(entries)
    }
}

/// A submodule in which something differs, though a rule says to ignore that: the change itself may have brought the rule, with
/// its `.gitmodules`.
fn hidden_submodule(repository: &Repository, index: &Index, path: &[u8]) -> Option<TouchedPath> {
    let at = bytes_to_path(path);
    let rule = repository.find_submodule(at.to_str()?).ok()?.ignore_rule();
    let config = repository.config().ok()?;
    let is_ruled = !matches!(rule, SubmoduleIgnore::None | SubmoduleIgnore::Unspecified)
        || config.get_string("diff.ignoreSubmodules").is_ok();
    let inside = repository
        .workdir()
        .map(|top| top.join(&at))
        .filter(|_| is_ruled)?;
    let inside = Repository::open(inside).ok()?;
    let head = inside.head().ok()?.target()?;
    let mut options = StatusOptions::new();
    options.include_untracked(true);
    let mut is_edited = || {
        let found = inside.statuses(Some(&mut options));
        found.is_ok_and(|found| !found.is_empty())
    };
    let has_moved = index.get_path(&at, 0).is_some_and(|entry| entry.id != head);
    (has_moved || is_edited()).then(|| TouchedPath {
        path: path.to_vec(),
        tracked: true,
        submodule: Some(from_oid(head)),
        overlooked: None,
    })
}

/// Bits of an index entry's flags.
const STAGE: u16 = 0x3000;
/// The mode of a submodule's entry.
const SUBMODULE: u32 = 0o160000;
const INTENT_TO_ADD: u16 = 1 << 13;
const SKIPPED: u16 = 1 << 14;
const ASSUMED: u16 = 0x8000;

/// The mark that tells git to overlook an entry. A submodule is known by its commit, whatever its mark.
fn overlooked_as(entry: &git2::IndexEntry) -> Option<&'static str> {
    if entry.mode == SUBMODULE {
        None
    } else if entry.flags_extended & SKIPPED != 0 {
        Some(SKIP_WORKTREE)
    } else {
        (entry.flags & ASSUMED != 0).then_some(ASSUME_UNCHANGED)
    }
}

/// An error where git's library would wait for what stands in the place of a file.
fn refuse_pipes(git_dir: &Path) -> Result<(), git2::Error> {
    opened_files::find_no_file(git_dir).map_or(Ok(()), |found| {
        let why = format!("{} is no file: remove it", found.display());
        Err(git2::Error::from_str(&why))
    })
}

/// git's own configuration where there is no repository.
pub(super) fn default_settings(pattern: &str) -> Result<Vec<ConfigEntry>, GitError> {
    let config = Config::open_default();
    config
        .and_then(|config| config_entries(&config, pattern))
        .map_err(|e| library_error("read git's configuration", &e))
}

/// The values of one configuration file; none where there is no such file.
pub(super) fn settings_of_file(file: &Path, pattern: &str) -> Result<Vec<ConfigEntry>, GitError> {
    // A device or a pipe in its place (`GIT_CONFIG_GLOBAL=/dev/null`) says nothing.
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let config = Config::open(file);
    config
        .and_then(|config| config_entries(&config, pattern))
        .map_err(|e| library_error("read git's configuration", &e))
}

/// What the database said of an object; none when it is not there.
fn found_object<T>(wanted: ObjectId, said: Result<T, git2::Error>) -> Result<Option<T>, GitError> {
    match said {
        Ok(found) => Ok(Some(found)),
        Err(e) if e.code() == ErrorCode::NotFound => Ok(None),
        Err(e) => Err(GitError::Damaged {
            what: format!("object {wanted}"),
            cause: e.message().to_owned(),
        }),
    }
}

/// The SHA-1 id of an object; tags have none here.
pub(super) fn sha1_id(kind: ObjectKind, bytes: &[u8]) -> Result<ObjectId, GitError> {
    let kind = match kind {
        ObjectKind::Commit => ObjectType::Commit,
        ObjectKind::Tree => ObjectType::Tree,
        ObjectKind::Blob => ObjectType::Blob,
        ObjectKind::Other => ObjectType::Tag,
    };
    Oid::hash_object(kind, bytes)
        .map(from_oid)
        .map_err(|e| library_error("hash an object", &e))
}

/// The lines on which two texts differ. Neither paths nor attributes have a say.
pub(super) fn changed_lines(old: &[u8], new: &[u8]) -> Result<Vec<ChangedLines>, GitError> {
    let failed = |e: git2::Error| library_error("compare two files", &e);
    let patch = compare_buffers(old, new, 0).map_err(failed)?;
    let range = |start: u32, lines: u32| {
        // An empty side names the line before it.
        let first = (start as usize).saturating_sub(usize::from(lines > 0));
        first..first + lines as usize
    };
    (0..patch.num_hunks())
        .map(|at| {
            let (hunk, _) = patch.hunk(at).map_err(failed)?;
            Ok(ChangedLines {
                old: range(hunk.old_start(), hunk.old_lines()),
                new: range(hunk.new_start(), hunk.new_lines()),
            })
        })
        .collect()
}

fn compare_buffers<'b>(
    old: &'b [u8],
    new: &'b [u8],
    context: u32,
) -> Result<Patch<'b>, git2::Error> {
    let mut options = DiffOptions::new();
    options
        .context_lines(context)
        .interhunk_lines(0)
        .force_text(true)
        .indent_heuristic(true)
        .max_size(i64::MAX);
    Patch::from_buffers(old, None, new, None, Some(&mut options))
}

/// The hunks as libgit2 writes them, with three lines of context: what ours are held against.
#[cfg(test)]
pub(super) fn buffer_hunks(old: &[u8], new: &[u8]) -> Result<Vec<RawHunk>, GitError> {
    let failed = |e: git2::Error| library_error("compare two files", &e);
    let patch = compare_buffers(old, new, 3).map_err(failed)?;
    let mut hunks = Vec::with_capacity(patch.num_hunks());
    for at in 0..patch.num_hunks() {
        let (hunk, lines) = patch.hunk(at).map_err(failed)?;
        let mut raw = RawHunk {
            old: (hunk.old_start(), hunk.old_lines()),
            new: (hunk.new_start(), hunk.new_lines()),
            section: header_section(hunk.header()).to_vec(),
            body: Vec::new(),
        };
        for line in 0..lines {
            let line = patch.line_in_hunk(at, line).map_err(failed)?;
            if matches!(line.origin(), ' ' | '+' | '-') {
                raw.body.push(line.origin() as u8);
            }
            raw.body.extend_from_slice(line.content());
        }
        hunks.push(raw);
    }
    Ok(hunks)
}

/// What stands behind the second `@@` of a hunk's header.
#[cfg(test)]
fn header_section(header: &[u8]) -> &[u8] {
    let rest = header.strip_prefix(b"@@ ").unwrap_or(header);
    let end = rest.windows(2).position(|pair| pair == b"@@");
    let text = end.map_or(&[][..], |end| &rest[end + 2..]);
    text.trim_ascii()
}

const NOWHERE: [&str; 0] = [];

fn ceiling_dirs(env: &GitEnvironment) -> Vec<PathBuf> {
    env.get("GIT_CEILING_DIRECTORIES")
        .map(|dirs| std::env::split_paths(dirs).collect())
        .unwrap_or_default()
}

fn config_entries(config: &Config, pattern: &str) -> Result<Vec<ConfigEntry>, git2::Error> {
    let mut found = Vec::new();
    config.entries(Some(pattern))?.for_each(|entry| {
        use git2::ConfigLevel::{Global, ProgramData, System, XDG};
        let level = match entry.level() {
            ProgramData | System => ConfigLevel::System,
            XDG | Global => ConfigLevel::User,
            _ => ConfigLevel::Repository,
        };
        let value = if entry.has_value() {
            entry.value_bytes()
        } else {
            b"true"
        };
        found.push(ConfigEntry {
            name: String::from_utf8_lossy(entry.name_bytes()).into_owned(),
            value: String::from_utf8_lossy(value).into_owned(),
            level,
        });
    })?;
    Ok(found)
}

/// The object database without its repository; libgit2 takes its path as text only.
fn open_object_database(repository: &Repository) -> Result<Option<Odb<'static>>, git2::Error> {
    let folder = repository.commondir().join("objects");
    let Some(folder) = folder.to_str() else {
        return Ok(None);
    };
    let objects = Odb::new()?;
    objects.add_disk_alternate(folder)?;
    Ok(Some(objects))
}

fn from_oid(oid: Oid) -> ObjectId {
    // A SHA-1 build of libgit2 has no other length.
    ObjectId::from_bytes(oid.as_bytes()).unwrap_or(ObjectId::EMPTY_TREE)
}

fn to_oid(id: ObjectId) -> Oid {
    Oid::from_bytes(id.as_bytes()).unwrap_or(Oid::ZERO_SHA1)
}

fn object_kind(kind: ObjectType) -> ObjectKind {
    match kind {
        ObjectType::Commit => ObjectKind::Commit,
        ObjectType::Tree => ObjectKind::Tree,
        ObjectType::Blob => ObjectKind::Blob,
        _ => ObjectKind::Other,
    }
}

fn library_error(doing: &str, error: &git2::Error) -> GitError {
    GitError::Library {
        doing: doing.to_owned(),
        cause: error.message().to_owned(),
    }
}

fn too_large(id: ObjectId, size: usize, limit: usize) -> GitError {
    GitError::TooLarge {
        what: format!("object {id}"),
        size: format!("{size} bytes"),
        limit: format!("{limit} bytes"),
    }
}

fn index_error(error: &git2::Error) -> GitError {
    if error.message().contains("unsupported mandatory extension") {
        GitError::Unsupported {
            feature: "its index is sparse".to_owned(),
        }
    } else {
        library_error("read the index", error)
    }
}

/// Why a repository could not be opened.
pub(super) enum OpenError {
    /// It belongs to somebody else: the directory that git would name.
    Owner(PathBuf),
    Other(GitError),
}

fn open_error(dir: &Path, error: &git2::Error) -> OpenError {
    let message = error.message();
    let unsupported = |feature: &str| GitError::Unsupported {
        feature: feature.to_owned(),
    };
    OpenError::Other(match (error.code(), error.class()) {
        (ErrorCode::Owner, _) => {
            // "repository path '/srv/repo/' is not owned by current user"
            let named = message.split('\'').nth(1).map(Path::new);
            return OpenError::Owner(named.unwrap_or(dir).components().collect());
        }
        (ErrorCode::NotFound, ErrorClass::Repository | ErrorClass::Os) => {
            GitError::NotARepository {
                dir: dir.to_owned(),
            }
        }
        _ if message.contains("refstorage") => unsupported("it keeps its refs in reftables"),
        _ if message.contains("object format") => unsupported("its objects have SHA-256 ids"),
        _ if message.contains("extension") => unsupported(message),
        _ => library_error(&format!("open the repository at {}", dir.display()), error),
    })
}

fn validate_owner(on: bool) {
    #[expect(
        unsafe_code,
        reason = "libgit2 has no other way to open what safe.directory allows"
    )]
    // SAFETY: the switch is one integer of libgit2, written under a lock of ours; a repository that another thread
    // opens meanwhile is checked or not, and no memory depends on it.
    let set = unsafe { git2::opts::set_verify_owner_validation(on) };
    // It cannot fail on this option; if it did, the repository would stay closed.
    drop(set);
}
