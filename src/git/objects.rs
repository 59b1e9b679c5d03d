//! Objects by id, with a small cache in front: the rename search, the diff and the proofs read the same blobs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::commit::CommitObject;
use super::error::GitError;
use super::id::ObjectId;
use super::limits::MAX_BLOB;
use super::object_store::ObjectKind;
use super::repository::OpenRepository;

/// The largest tree or commit that is read.
const MAX_OTHER: usize = 64 << 20;

/// How much the cache of blobs holds before its older half is forgotten, and that of trees.
const MAX_CACHE_BYTES: usize = 32 << 20;
const MAX_TREE_CACHE_BYTES: usize = 8 << 20;

/// The objects of a repository, and those that only this change has (files of the worktree).
pub(super) struct ObjectReader {
    pub(super) store: OpenRepository,
    cache: Mutex<ObjectCache>,
    /// Every path that is looked up begins at the root.
    trees: Mutex<ObjectCache>,
    own: HashMap<ObjectId, Arc<[u8]>>,
}

/// Two generations: what is used again survives, the rest is forgotten a half at a time.
struct ObjectCache {
    max_bytes: usize,
    young: HashMap<ObjectId, Arc<[u8]>>,
    old: HashMap<ObjectId, Arc<[u8]>>,
    bytes: usize,
}

impl ObjectCache {
    fn within(max_bytes: usize) -> Mutex<Self> {
        Mutex::new(Self {
            max_bytes,
            young: HashMap::new(),
            old: HashMap::new(),
            bytes: 0,
        })
    }

    fn get(&mut self, id: ObjectId) -> Option<Arc<[u8]>> {
        if let Some(found) = self.young.get(&id) {
            return Some(found.clone());
        }
        let found = self.old.remove(&id)?;
        self.put(id, found.clone());
        Some(found)
    }

    fn put(&mut self, id: ObjectId, bytes: Arc<[u8]>) {
        if bytes.len() > self.max_bytes / 4 {
            return;
        }
        if self.bytes + bytes.len() > self.max_bytes / 2 {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += bytes.len();
        self.young.insert(id, bytes);
    }
}

impl ObjectReader {
    pub(super) fn new(store: OpenRepository) -> Self {
        Self {
            store,
            cache: ObjectCache::within(MAX_CACHE_BYTES),
            trees: ObjectCache::within(MAX_TREE_CACHE_BYTES),
            own: HashMap::new(),
        }
    }

    /// Adds contents that are in no object database.
    pub(super) fn add_contents(&mut self, own: HashMap<ObjectId, Arc<[u8]>>) {
        self.own.extend(own);
    }

    /// The bytes of a tree.
    pub(super) fn tree(&self, id: ObjectId) -> Result<Arc<[u8]>, GitError> {
        if id.is_empty_tree() {
            return Ok([].into());
        }
        if let Some(found) = lock_cache(&self.trees).get(id) {
            return Ok(found);
        }
        let bytes = self.read_kind(id, ObjectKind::Tree, MAX_OTHER)?;
        lock_cache(&self.trees).put(id, bytes.clone());
        Ok(bytes)
    }

    /// The bytes of a blob.
    pub(super) fn blob(&self, id: ObjectId) -> Result<Arc<[u8]>, GitError> {
        if let Some(own) = self.own.get(&id) {
            return Ok(own.clone());
        }
        if let Some(found) = lock_cache(&self.cache).get(id) {
            return Ok(found);
        }
        let bytes = self.read_kind(id, ObjectKind::Blob, MAX_BLOB)?;
        lock_cache(&self.cache).put(id, bytes.clone());
        Ok(bytes)
    }

    /// Whether a blob is there and small enough to be read, without reading it where the store can tell.
    pub(super) fn check_blob(&self, id: ObjectId) -> Result<(), GitError> {
        if self.own.contains_key(&id) {
            return Ok(());
        }
        match self.store.object_size(id)? {
            Some(size) if size > MAX_BLOB => Err(GitError::TooLarge {
                what: format!("object {id}"),
                size: format!("{size} bytes"),
                limit: format!("{MAX_BLOB} bytes"),
            }),
            Some(_) => Ok(()),
            None => Err(self.missing_object(id)),
        }
    }

    fn missing_object(&self, id: ObjectId) -> GitError {
        GitError::MissingObject {
            id: id.to_hex(),
            partial: self.store.is_partial(),
        }
    }

    pub(super) fn commit(&self, id: ObjectId) -> Result<CommitObject, GitError> {
        let bytes = self.read_kind(id, ObjectKind::Commit, MAX_OTHER)?;
        CommitObject::parse(&bytes).ok_or_else(|| damaged_object(id, "it is not a commit"))
    }

    fn read_kind(
        &self,
        id: ObjectId,
        wanted: ObjectKind,
        limit: usize,
    ) -> Result<Arc<[u8]>, GitError> {
        let found = self.store.read_with(id, limit, |kind, bytes| {
            (kind == wanted).then(|| Arc::from(bytes))
        })?;
        match found {
            Some(Some(bytes)) => Ok(bytes),
            Some(None) => Err(damaged_object(
                id,
                "it is of another kind than its place says",
            )),
            None => Err(self.missing_object(id)),
        }
    }
}

fn lock_cache(cache: &Mutex<ObjectCache>) -> MutexGuard<'_, ObjectCache> {
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}

fn damaged_object(id: ObjectId, cause: &str) -> GitError {
    GitError::Damaged {
        what: format!("object {id}"),
        cause: cause.to_owned(),
    }
}
