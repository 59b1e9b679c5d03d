//! Files that were read, kept within bounds: judges search the same tree again and again.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use council_protocol::RepoPath;

/// Bytes of all files that are kept in a run.
const MAX_BYTES: usize = 64 << 20;

/// Files by path; the least recently used go first.
///
/// A walk never takes the place of what it has read itself: it goes from the change outwards, and one over more than fits
/// would keep nothing but its end, which the next walk reaches last.
pub(super) struct TextCache {
    max_bytes: usize,
    kept: Mutex<KeptFiles>,
    walks: AtomicU64,
}

/// Which walk reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WalkNumber(u64);

#[derive(Default)]
struct KeptFiles {
    files: HashMap<RepoPath, KeptFile>,
    /// Paths by when they were used last.
    by_use: BTreeMap<u64, RepoPath>,
    uses: u64,
    bytes: usize,
}

struct KeptFile {
    bytes: Arc<[u8]>,
    used: u64,
    walk: WalkNumber,
}

impl Default for TextCache {
    fn default() -> Self {
        Self::within(MAX_BYTES)
    }
}

impl TextCache {
    pub(super) fn within(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            kept: Mutex::default(),
            walks: AtomicU64::new(0),
        }
    }

    /// A new walk over files begins.
    pub(super) fn begin_walk(&self) -> WalkNumber {
        WalkNumber(self.walks.fetch_add(1, Ordering::Relaxed))
    }

    /// A file, from here or by `read`; what fails, and what there is not, is not kept.
    pub(super) fn read_through<E>(
        &self,
        path: &RepoPath,
        walk: WalkNumber,
        read: impl FnOnce() -> Result<Option<Arc<[u8]>>, E>,
    ) -> Result<Option<Arc<[u8]>>, E> {
        if let Some(kept) = self.lock_kept().use_file(path, walk) {
            return Ok(Some(kept));
        }
        let bytes = read()?;
        if let Some(bytes) = &bytes {
            self.lock_kept()
                .keep_file(path, bytes, walk, self.max_bytes);
        }
        Ok(bytes)
    }

    fn lock_kept(&self) -> MutexGuard<'_, KeptFiles> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptFiles {
    fn use_file(&mut self, path: &RepoPath, walk: WalkNumber) -> Option<Arc<[u8]>> {
        let kept = self.files.get_mut(path)?;
        let path = self.by_use.remove(&kept.used)?;
        self.uses += 1;
        (kept.used, kept.walk) = (self.uses, walk);
        self.by_use.insert(self.uses, path);
        Some(Arc::clone(&kept.bytes))
    }

    fn keep_file(
        &mut self,
        path: &RepoPath,
        bytes: &Arc<[u8]>,
        walk: WalkNumber,
        max_bytes: usize,
    ) {
        // Another thread may have read it meanwhile. One large file is not worth many small ones.
        if self.files.contains_key(path) || bytes.len() > max_bytes / 8 {
            return;
        }
        while self.bytes + bytes.len() > max_bytes {
            let Some(oldest) = self.by_use.first_entry() else {
                return;
            };
            if self
                .files
                .get(oldest.get())
                .is_some_and(|kept| kept.walk == walk)
            {
                return;
            }
            let gone = self.files.remove(&oldest.remove());
            self.bytes -= gone.map_or(0, |gone| gone.bytes.len());
        }
        self.uses += 1;
        self.bytes += bytes.len();
        self.by_use.insert(self.uses, path.clone());
        let kept = KeptFile {
            bytes: Arc::clone(bytes),
            used: self.uses,
            walk,
        };
        self.files.insert(path.clone(), kept);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn file(number: usize, bytes: usize) -> (RepoPath, Arc<[u8]>) {
        let text = vec![b'a' + (number % 26) as u8; bytes];
        (format!("f{number}").as_str().into(), text.into())
    }

    /// How many of the files a walk had to read.
    fn walk(cache: &TextCache, files: &[(RepoPath, Arc<[u8]>)]) -> usize {
        let (number, read) = (cache.begin_walk(), Cell::new(0));
        for (path, bytes) in files {
            let found = cache.read_through(path, number, || {
                read.set(read.get() + 1);
                Ok::<_, Infallible>(Some(Arc::clone(bytes)))
            });
            assert_eq!(found, Ok(Some(Arc::clone(bytes))));
        }
        read.get()
    }

    #[test]
    fn a_second_walk_reads_what_did_not_fit_and_no_more() {
        let files: Vec<_> = (0..200).map(|number| file(number, 10)).collect();
        let (all, half) = (TextCache::within(2_000), TextCache::within(1_000));
        assert_eq!((walk(&all, &files), walk(&all, &files)), (200, 0));
        assert_eq!((walk(&half, &files), walk(&half, &files)), (200, 100));
        // The nearest are kept, and a walk elsewhere takes the place of those that were used least recently.
        assert_eq!(walk(&half, &files[..100]), 0);
        assert_eq!(
            (walk(&half, &files[150..]), walk(&half, &files[150..])),
            (50, 0)
        );
        assert_eq!(walk(&half, &files[50..100]), 0);
    }

    #[test]
    fn what_is_not_there_and_what_fails_is_asked_for_again() {
        let cache = TextCache::within(100);
        let (path, bytes) = file(1, 10);
        let asked = |answer| cache.read_through(&path, cache.begin_walk(), || answer);
        assert_eq!(asked(Err("broken")), Err("broken"));
        assert_eq!(asked(Ok(None)), Ok(None));
        assert_eq!(
            asked(Ok(Some(Arc::clone(&bytes)))),
            Ok(Some(Arc::clone(&bytes)))
        );
        assert_eq!(asked(Err("not asked")), Ok(Some(bytes)));
    }

    proptest! {
        /// Whatever is read in whichever order: every file comes as it is, and no more is kept than the bound.
        #[test]
        fn the_bound_holds_and_nothing_is_mixed_up(
            walks in prop::collection::vec(prop::collection::vec(0..40_usize, 0..60), 1..6),
        ) {
            let cache = TextCache::within(400);
            for files in walks {
                let files: Vec<_> = files.iter().map(|number| file(*number, number * 7 % 61)).collect();
                walk(&cache, &files);
                let kept = cache.lock_kept();
                let bytes: usize = kept.files.values().map(|file| file.bytes.len()).sum();
                prop_assert_eq!(bytes, kept.bytes);
                prop_assert!(bytes <= 400);
                prop_assert_eq!(kept.files.len(), kept.by_use.len());
            }
        }
    }
}
