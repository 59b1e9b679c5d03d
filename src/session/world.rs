//! Where a session meets the outside: one seam, real or simulated.

use std::io;
use std::path::Path;
use std::sync::Arc;

use council_protocol::Millis;

use super::holder::LockAttempt;
use crate::council::plan::RunSeed;

/// Clock, disk and randomness of a session.
pub trait SessionWorld: Send + Sync {
    /// Milliseconds since this world began; never goes back.
    fn now_ms(&self) -> Millis;

    /// What calendar and clock say at this moment.
    fn read_calendar(&self) -> CalendarMoment;

    /// Fills `bytes` with randomness that nobody can foresee.
    fn fill_random(&self, bytes: &mut [u8]) -> io::Result<()>;

    fn disk(&self) -> &dyn SessionDisk;

    /// What binds each line of a journal to this user; none: nobody has a key here.
    fn line_seal(&self) -> Option<LineSeal> {
        None
    }
}

/// Seals some bytes with the user's key, as hexadecimal digits.
pub(crate) type LineSeal = Arc<dyn Fn(&[u8]) -> String + Send + Sync>;

/// A moment as a person at this place would write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarMoment {
    /// The local date, `YYYY-MM-DD`.
    pub date: String,
    /// Date, time and offset, RFC 3339.
    pub rfc3339: String,
}

/// Whether a write may be lost with the power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteDurability {
    /// It may: whoever needs it can make it again.
    Cheap,
    /// It may not: it was paid for.
    Synced,
}

/// What a session does with files. Every path is absolute.
pub trait SessionDisk: Send + Sync {
    /// Makes every folder from `root` (which exists) down to `root/below`. A symbolic link on the way is refused: it may
    /// come from the change under review.
    fn make_dirs(&self, root: &Path, below: &Path) -> io::Result<()>;

    /// Makes one folder; `AlreadyExists` when it is there.
    fn make_new_dir(&self, path: &Path) -> io::Result<()>;

    /// Writes a file beside its place and renames it, so that nobody ever sees half of it.
    fn write_file(&self, path: &Path, bytes: &[u8], durability: WriteDurability) -> io::Result<()>;

    /// The same, for a file that is never overwritten; `AlreadyExists` when it is there.
    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Opens a file, which may be new, to append to it.
    fn open_append(&self, path: &Path) -> io::Result<Box<dyn FileAppender>>;

    /// Shortens a file to its first `length` bytes, durably; a shorter one stays as it is.
    fn truncate_file(&self, path: &Path, length: u64) -> io::Result<()>;

    /// The whole content of a file.
    fn read_file(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Locks a file, which may be new, for this process, and says in it who that is.
    fn lock_file(&self, path: &Path) -> io::Result<LockAttempt>;

    /// The names in a folder, sorted.
    fn list_folder(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Removes a folder with everything in it.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
}

/// A file that only grows.
pub trait FileAppender: Send {
    /// Appends in one write.
    fn append_bytes(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Waits until everything that was appended is on the disk.
    fn sync_data(&mut self) -> io::Result<()>;
}

/// Draws the random bytes of a run.
pub(crate) fn draw_seed(world: &dyn SessionWorld) -> io::Result<RunSeed> {
    let mut bytes = [0; 32];
    world.fill_random(&mut bytes)?;
    Ok(RunSeed(hex::encode(bytes)))
}
