//! The real world.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use council_protocol::Millis;
use tokio::time::Instant;

use super::holder::LockAttempt;
use super::world::{
    CalendarMoment, FileAppender, LineSeal, SessionDisk, SessionWorld, WriteDurability,
};
use crate::safe_file::{self, FileWriter};

/// This machine. Its clock is the runtime's, so that a test can pause it.
pub struct RealWorld {
    began: Instant,
    seal: Option<LineSeal>,
}

impl RealWorld {
    /// This machine from now on.
    pub fn new() -> Self {
        Self {
            began: Instant::now(),
            seal: None,
        }
    }

    /// The same, sealing each line of the journals that are written in it.
    pub fn sealing(self, seal: Option<LineSeal>) -> Self {
        Self { seal, ..self }
    }
}

impl Default for RealWorld {
    fn default() -> Self {
        Self::new()
    }
}

impl SessionWorld for RealWorld {
    fn now_ms(&self) -> Millis {
        to_millis(self.began.elapsed())
    }

    fn read_calendar(&self) -> CalendarMoment {
        let now = jiff::Zoned::now();
        CalendarMoment {
            date: now.date().to_string(),
            rfc3339: now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        }
    }

    fn fill_random(&self, bytes: &mut [u8]) -> io::Result<()> {
        getrandom::fill(bytes).map_err(|error| io::Error::other(error.to_string()))
    }

    fn disk(&self) -> &dyn SessionDisk {
        &RealDisk
    }

    fn line_seal(&self) -> Option<LineSeal> {
        self.seal.clone()
    }
}

fn to_millis(duration: Duration) -> Millis {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The file system.
struct RealDisk;

impl SessionDisk for RealDisk {
    fn make_dirs(&self, root: &Path, below: &Path) -> io::Result<()> {
        safe_file::make_dirs(root, below)
    }

    fn make_new_dir(&self, path: &Path) -> io::Result<()> {
        safe_file::make_new_folder(path)
    }

    fn write_file(&self, path: &Path, bytes: &[u8], durability: WriteDurability) -> io::Result<()> {
        let writer = FileWriter::new(path);
        match durability {
            WriteDurability::Cheap => writer.write(bytes),
            WriteDurability::Synced => writer.synced().write(bytes),
        }
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        FileWriter::new(path).write_new(bytes)
    }

    fn open_append(&self, path: &Path) -> io::Result<Box<dyn FileAppender>> {
        Ok(Box::new(RealAppender(safe_file::open_append(path)?)))
    }

    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()> {
        let file = safe_file::open_here(OpenOptions::new().write(true), path)?;
        if file.metadata()?.len() > length {
            file.set_len(length)?;
            file.sync_all()?;
        }
        Ok(())
    }

    fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        safe_file::read(path)
    }

    fn lock_file(&self, path: &Path) -> io::Result<LockAttempt> {
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).write(true);
        let mut file = safe_file::open_here(options, path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Ok(LockAttempt::Theirs(
                    safe_file::read_text(path).unwrap_or_default(),
                ));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Who it is serves people only: the lock is what holds.
        let _ = file
            .set_len(0)
            .and_then(|()| write!(file, "process {}", std::process::id()));
        Ok(LockAttempt::Ours(Box::new(file)))
    }

    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>> {
        let names =
            fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names = names.collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }
}

struct RealAppender(File);

impl FileAppender for RealAppender {
    fn append_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        RealDisk
            .write_file(&path, b"one", WriteDurability::Cheap)
            .unwrap();
        RealDisk
            .write_file(&path, b"two", WriteDurability::Synced)
            .unwrap();
        assert_eq!(RealDisk.read_file(&path).unwrap(), b"two");
        let refused = RealDisk.write_new(&path, b"three").unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(RealDisk.read_file(&path).unwrap(), b"two");
        assert_eq!(
            RealDisk.list_folder(folder.path()).unwrap(),
            ["plan.json"],
            "nothing is left beside it"
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_we_write_others_may_read_as_their_umask_says() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        RealDisk
            .write_file(&ours, b"", WriteDurability::Cheap)
            .unwrap();
        fs::write(&plain, "").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn appending_adds_to_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        RealDisk
            .open_append(&path)
            .unwrap()
            .append_bytes(b"a\n")
            .unwrap();
        let mut again = RealDisk.open_append(&path).unwrap();
        again.append_bytes(b"b\n").unwrap();
        again.sync_data().unwrap();
        assert_eq!(RealDisk.read_file(&path).unwrap(), b"a\nb\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_way_is_not_followed() {
        let (tree, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), tree.path().join(".agents")).unwrap();
        let refused = RealDisk
            .make_dirs(tree.path(), Path::new(".agents/council"))
            .unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::NotADirectory);
        assert_eq!(RealDisk.list_folder(elsewhere.path()).unwrap(), [""; 0]);
        RealDisk.make_dirs(tree.path(), Path::new("a/b")).unwrap();
        RealDisk.make_dirs(tree.path(), Path::new("a/b")).unwrap();
        assert!(tree.path().join("a/b").is_dir());
    }

    #[test]
    fn a_moment_is_written_as_rfc_3339_with_its_date() {
        let moment = RealWorld::new().read_calendar();
        assert!(moment.rfc3339.starts_with(&moment.date), "{moment:?}");
        assert!(
            moment.rfc3339.parse::<jiff::Timestamp>().is_ok(),
            "{moment:?}"
        );
    }
}
