//! Walking over the files of the reviewed tree: read on every processor, told in order.

use std::time::Instant;

use council_protocol::{RepoPath, Side};

use super::text_cache::WalkNumber;
use super::{CodeLookup, MAX_FILE_BYTES, is_binary};
use crate::git::map_parallel;

/// How many files are read at once, first and at most: most look-ups end near the change.
const FIRST_BATCH: usize = 16;
pub(super) const LARGEST_BATCH: usize = 512;

/// What a walk over files came to.
#[derive(Default)]
pub(super) struct FileWalk {
    pub(super) read: usize,
    /// Whether time ran out before all files were read.
    pub(super) is_cut: bool,
    /// Files that are too large to read.
    pub(super) too_large: usize,
    /// Files whose content is not here, as in a partial clone.
    pub(super) missing: usize,
}

impl FileWalk {
    /// What was left out for its size, in words behind others.
    pub(super) fn describe_unread(&self) -> String {
        let most = MAX_FILE_BYTES >> 20;
        let large = match self.too_large {
            0 => String::new(),
            1 => format!("; 1 file larger than {most} MiB was not searched"),
            n => format!("; {n} files larger than {most} MiB were not searched"),
        };
        let missing = match self.missing {
            0 => String::new(),
            1 => "; 1 file could not be searched: its content is not in this clone".to_owned(),
            n => format!("; {n} files could not be searched: their content is not in this clone"),
        };
        large + &missing
    }
}

/// What became of one file.
enum LookedFile<T> {
    /// Time was over before it was read.
    Late,
    Unreadable,
    Missing,
    TooLarge,
    Read(Option<T>),
}

impl CodeLookup {
    /// Reads the text of every file that is meant, the nearest to the change first. `look` looks at several files at once, and
    /// `take` is given what it found, file by file in their order, until it has enough: the same as if they were read one
    /// after another.
    pub(super) fn walk_files<T: Send>(
        &self,
        is_meant: &dyn Fn(&RepoPath) -> bool,
        until: Instant,
        look: &(dyn Fn(&RepoPath, &str) -> Option<T> + Sync),
        mut take: impl FnMut(&RepoPath, T) -> bool,
    ) -> FileWalk {
        let mut walk = FileWalk::default();
        let mut meant = self.tree().files.iter().filter(|path| is_meant(path));
        let number = self.texts.begin_walk();
        let mut size = FIRST_BATCH.min(self.largest_batch);
        loop {
            let mut batch: Vec<&RepoPath> = meant.by_ref().take(size).collect();
            if batch.is_empty() {
                return walk;
            }
            let looked = map_parallel(&mut batch, &|path| self.look_at(path, number, until, look));
            for (path, looked) in batch.into_iter().zip(looked) {
                let found = match looked {
                    LookedFile::Late => {
                        walk.is_cut = true;
                        return walk;
                    }
                    LookedFile::Unreadable => continue,
                    LookedFile::Missing => {
                        walk.missing += 1;
                        continue;
                    }
                    LookedFile::TooLarge => {
                        walk.too_large += 1;
                        continue;
                    }
                    LookedFile::Read(found) => found,
                };
                walk.read += 1;
                if found.is_some_and(|found| !take(path, found)) {
                    return walk;
                }
            }
            size = (size * 2).min(self.largest_batch);
        }
    }

    fn look_at<T>(
        &self,
        path: &RepoPath,
        walk: WalkNumber,
        until: Instant,
        look: &(dyn Fn(&RepoPath, &str) -> Option<T> + Sync),
    ) -> LookedFile<T> {
        if Instant::now() >= until {
            return LookedFile::Late;
        }
        let read = self
            .texts
            .read_through(path, walk, || self.blobs.read(Side::New, path));
        let bytes = match read {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return LookedFile::Unreadable,
            Err(_) => return LookedFile::Missing,
        };
        if is_binary(&bytes) {
            return LookedFile::Unreadable;
        }
        if bytes.len() > MAX_FILE_BYTES {
            return LookedFile::TooLarge;
        }
        LookedFile::Read(look(path, &String::from_utf8_lossy(&bytes)))
    }
}
