//! Folders of judges, and files in them, that no other user of the machine can read: the code under review lies there.
//!
//! They lie where [`make_folders_below`] says. Launchers (`npx`, asdf, …) look for their settings in every folder above the
//! one in which they start: among the system's temporary files another user, and in the checkout its author, would choose
//! the program of a judge.
//!
//! They go with their value. Threads that are left behind at the end of a program hold some, and who is killed removes none:
//! [`remove_own`] is for the one, and for the other whoever makes the next folder looks for those that no process holds.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use tempfile::{Builder, TempDir};

/// What the names of judges' homes begin with.
pub const HOME_PREFIX: &str = "council-home-";

/// What the names of judges' workspaces begin with.
pub const ROOM_PREFIX: &str = "council-room-";

/// What the names of folders begin with in which tests run.
pub const PROOF_PREFIX: &str = "council-proof-";

/// A folder that is so new may not be held yet by who made it.
const MIN_AGE: Duration = Duration::from_secs(2);

/// How often a folder is removed into which a program still writes.
const MAX_REMOVALS: u32 = 3;

/// The user's own folder below which folders are made; none: among the system's temporary ones.
static OWN_PLACE: OnceLock<PathBuf> = OnceLock::new();

/// The folders that this process holds.
static HELD: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary folder, removed with the value.
#[derive(Debug)]
pub struct TemporaryFolder {
    folder: TempDir,
    /// Locked as long as this process lives; none: the file system has no locks.
    _lock: Option<File>,
}

impl TemporaryFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        held().remove(self.path());
    }
}

fn held() -> std::sync::MutexGuard<'static, BTreeSet<PathBuf>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on this process makes its folders below this one, which belongs to nobody but the user, and is made when it is
/// needed. The first word counts.
pub fn make_folders_below(place: PathBuf) {
    let _ = OWN_PLACE.set(place);
}

/// A new temporary folder of its own, removed with the value; among the system's where the user's own cannot be written to.
/// The first one of a process removes what processes that were killed have left there.
pub fn temporary_folder(prefix: &str) -> io::Result<TemporaryFolder> {
    static LOOKED: Once = Once::new();
    let own = OWN_PLACE.get().and_then(|place| {
        make_folder(place).ok()?;
        temporary_folder_in(place, prefix).ok()
    });
    let folder = own.map_or_else(|| builder(prefix).tempdir(), Ok)?;
    let lock = File::open(folder.path()).ok();
    let lock = lock.filter(|lock| lock.try_lock().is_ok());
    held().insert(folder.path().to_path_buf());
    if let Some(temporary) = folder.path().parent().map(Path::to_path_buf) {
        // Large trees take their time, and nobody waits for it.
        LOOKED.call_once(|| drop(thread::spawn(move || remove_abandoned(&temporary))));
    }
    Ok(TemporaryFolder {
        folder,
        _lock: lock,
    })
}

/// Removes what this process still holds: it is about to end, and threads that were left behind remove nothing.
pub fn remove_own() {
    let own = std::mem::take(&mut *held());
    own.iter().for_each(|folder| remove_folder(folder));
}

/// Removes the folders in which no process works any more; returns how many there were.
pub fn remove_abandoned(temporary: &Path) -> usize {
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    let abandoned = entries.filter_map(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours = [HOME_PREFIX, ROOM_PREFIX, PROOF_PREFIX]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        let lock = is_ours.then(|| lock_abandoned(&entry)).flatten()?;
        Some((entry.path(), lock))
    });
    let removed = abandoned.map(|(folder, _lock)| remove_folder(&folder));
    removed.count()
}

/// The lock of a folder that nobody holds; none: somebody does, or it is not ours.
fn lock_abandoned(entry: &fs::DirEntry) -> Option<File> {
    // Not through links: what one leads to is somebody else's.
    let meta = entry.metadata().ok().filter(fs::Metadata::is_dir)?;
    let age = SystemTime::now().duration_since(meta.modified().ok()?);
    if age.unwrap_or_default() < MIN_AGE {
        return None;
    }
    let lock = File::open(entry.path()).ok()?;
    lock.try_lock().ok().map(|()| lock)
}

fn remove_folder(folder: &Path) {
    for _ in 0..MAX_REMOVALS {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {}
            _ => return,
        }
    }
}

/// A new folder inside of another one, removed with the value.
pub fn temporary_folder_in(parent: &Path, prefix: &str) -> io::Result<TempDir> {
    builder(prefix).tempdir_in(parent)
}

/// Without this the umask decides, which lets everybody read in most systems.
fn builder(prefix: &str) -> Builder<'_, 'static> {
    let mut builder = Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    builder
}

/// Makes a folder with everything above it; what is there already stays as it is.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Writes a file; its folder must be there.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)?.write_all(content)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Law: what no process holds any more is removed, and nothing else: not what is held, new, a link, or of another name.
    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let temporary = tempfile::tempdir().unwrap();
        let at = |name: &str| temporary.path().join(name);
        let age = |name: &str, seconds: u64| {
            let then = SystemTime::now() - Duration::from_secs(seconds);
            let folder = File::open(at(name)).unwrap();
            folder
                .set_times(fs::FileTimes::new().set_modified(then))
                .unwrap();
        };
        for name in [
            "council-home-a",
            "council-room-a",
            "council-proof-a",
            "council-page-a",
            "others-a",
            "council-home-held",
        ] {
            make_folder(&at(name).join("deep/er")).unwrap();
            write_file(&at(name).join("deep/er/file"), b"code").unwrap();
            age(name, 60);
        }
        make_folder(&at("council-home-new")).unwrap();
        std::os::unix::fs::symlink(at("others-a"), at("council-home-link")).unwrap();
        let lock = File::open(at("council-home-held")).unwrap();
        lock.try_lock().unwrap();
        assert_eq!(remove_abandoned(temporary.path()), 3);
        let mut left: Vec<String> = fs::read_dir(temporary.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let expected = [
            "council-home-held",
            "council-home-link",
            "council-home-new",
            "council-page-a",
            "others-a",
        ];
        assert_eq!(left, expected);
        assert!(at("others-a").join("deep/er/file").exists());
        drop(lock);
        assert_eq!(remove_abandoned(temporary.path()), 1);
    }

    #[test]
    fn what_is_held_is_locked_and_goes_with_its_value() {
        let folder = temporary_folder(HOME_PREFIX).unwrap();
        let path = folder.path().to_path_buf();
        assert!(held().contains(&path));
        assert!(File::open(&path).unwrap().try_lock().is_err());
        drop(folder);
        assert!(!path.exists() && !held().contains(&path));
    }

    #[test]
    fn nobody_else_reads_what_is_made_here() {
        let folder = temporary_folder("council-test-").unwrap();
        let inner = temporary_folder_in(folder.path(), "").unwrap();
        let deep = inner.path().join("a/b");
        make_folder(&deep).unwrap();
        write_file(&deep.join("file"), b"1").unwrap();
        write_file(&deep.join("file"), b"2").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for path in [folder.path(), inner.path(), &inner.path().join("a"), &deep] {
            assert_eq!(mode(path), 0o700, "{}", path.display());
        }
        assert_eq!(mode(&deep.join("file")), 0o600);
        assert_eq!(fs::read(deep.join("file")).unwrap(), b"2");
    }
}
