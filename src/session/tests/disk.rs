//! A disk in memory that tells what is done to it, and a clock that can jump.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use council_protocol::Millis;

use super::super::world::{
    CalendarMoment, FileAppender, SessionDisk, SessionWorld, WriteDurability,
};
use super::super::{LockAttempt, RealWorld};
use super::scripted::Diary;

/// A disk in memory.
#[derive(Default)]
pub(super) struct MemDisk {
    pub(super) files: Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>,
    pub(super) folders: Mutex<BTreeSet<PathBuf>>,
    pub(super) diary: Diary,
    /// Files that a process has locked.
    pub(super) locked: Arc<Mutex<BTreeSet<PathBuf>>>,
    /// Appends fail once the journal has so many bytes.
    pub(super) full_at: Option<usize>,
}

impl SessionDisk for MemDisk {
    fn make_dirs(&self, root: &Path, below: &Path) -> io::Result<()> {
        self.folders.lock().unwrap().insert(root.join(below));
        Ok(())
    }

    fn make_new_dir(&self, path: &Path) -> io::Result<()> {
        if self.folders.lock().unwrap().insert(path.to_path_buf()) {
            Ok(())
        } else {
            Err(io::ErrorKind::AlreadyExists.into())
        }
    }

    fn write_file(&self, path: &Path, bytes: &[u8], durability: WriteDurability) -> io::Result<()> {
        if durability == WriteDurability::Synced {
            self.diary
                .lock()
                .unwrap()
                .push(format!("disk keep {}", name(path)));
        }
        self.files
            .lock()
            .unwrap()
            .insert(path.to_path_buf(), bytes.to_vec());
        Ok(())
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if self.read_file(path).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.write_file(path, bytes, WriteDurability::Cheap)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn FileAppender>> {
        Ok(Box::new(MemAppender {
            path: path.to_path_buf(),
            files: Arc::clone(&self.files),
            diary: Arc::clone(&self.diary),
            full_at: self.full_at,
        }))
    }

    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        let mut files = self.files.lock().unwrap();
        let file = files.get_mut(path).ok_or(io::ErrorKind::NotFound)?;
        file.truncate(length as usize);
        Ok(())
    }

    fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        let files = self.files.lock().unwrap();
        files
            .get(path)
            .cloned()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn lock_file(&self, path: &Path) -> io::Result<LockAttempt> {
        let locked = Arc::clone(&self.locked);
        if !locked.lock().unwrap().insert(path.to_path_buf()) {
            return Ok(LockAttempt::Theirs("process 1".into()));
        }
        let path = path.to_path_buf();
        Ok(LockAttempt::Ours(Box::new(MemLock { path, locked })))
    }

    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>> {
        let files = self.files.lock().unwrap();
        let inside = files.keys().filter(|file| file.parent() == Some(path));
        Ok(inside.map(|file| name(file)).collect())
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.files
            .lock()
            .unwrap()
            .retain(|file, _| !file.starts_with(path));
        Ok(())
    }
}

pub(super) fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

struct MemLock {
    path: PathBuf,
    pub(super) locked: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl Drop for MemLock {
    fn drop(&mut self) {
        self.locked.lock().unwrap().remove(&self.path);
    }
}

struct MemAppender {
    path: PathBuf,
    files: Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>,
    diary: Diary,
    full_at: Option<usize>,
}

impl FileAppender for MemAppender {
    fn append_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut files = self.files.lock().unwrap();
        let file = files.entry(self.path.clone()).or_default();
        if self
            .full_at
            .is_some_and(|most| file.len() + bytes.len() > most)
        {
            // Half of it is written, as it would be.
            file.extend(&bytes[..bytes.len() / 2]);
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.extend(bytes);
        let text = String::from_utf8_lossy(bytes);
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let (input, judge) = (&value["input"], &value["judge"]);
            let words = [input, judge].map(|v| v.as_str().unwrap_or("-").to_owned());
            self.diary
                .lock()
                .unwrap()
                .push(format!("disk append {}", words.join(" ")));
        }
        Ok(())
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.diary.lock().unwrap().push("disk sync".into());
        Ok(())
    }
}

pub(super) struct StageWorld {
    pub(super) clock: RealWorld,
    pub(super) jumps: Vec<(u64, u64)>,
    pub(super) disk: MemDisk,
}

impl SessionWorld for StageWorld {
    fn now_ms(&self) -> Millis {
        let now = self.clock.now_ms();
        let jumped = self.jumps.iter().filter(|(at, _)| *at <= now);
        now + jumped.map(|(_, by)| by).sum::<u64>()
    }

    fn read_calendar(&self) -> CalendarMoment {
        CalendarMoment {
            date: "2026-03-09".into(),
            rfc3339: "2026-03-09T10:00:00+01:00".into(),
        }
    }

    fn fill_random(&self, bytes: &mut [u8]) -> io::Result<()> {
        bytes.fill(7);
        Ok(())
    }

    fn disk(&self) -> &dyn SessionDisk {
        &self.disk
    }
}
