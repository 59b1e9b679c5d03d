//! One process at a time: whoever runs a council holds its folder until it ends, in order or not.

use std::any::Any;
use std::path::Path;

use super::error::SessionError;
use super::world::SessionDisk;

/// The file that is locked by whoever runs a council, for as long as it does.
pub(crate) const LOCK_FILE: &str = "holder";

/// What became of an attempt to lock a file.
pub enum LockAttempt {
    /// It is ours until this is dropped, or the process ends.
    Ours(Box<dyn Any + Send>),
    /// Another process has it, and wrote this about itself.
    Theirs(String),
}

/// A run that this process holds.
pub struct RunLock(#[expect(dead_code, reason = "its end is what counts")] Box<dyn Any + Send>);

impl RunLock {
    /// Holds the run of that name in its folder. Refused, with the holder named, while another process goes on with it.
    pub fn acquire(disk: &dyn SessionDisk, run: &str, folder: &Path) -> Result<Self, SessionError> {
        let path = folder.join(LOCK_FILE);
        let lock = disk
            .lock_file(&path)
            .map_err(SessionError::disk("hold", &path))?;
        match lock {
            LockAttempt::Ours(lock) => Ok(Self(lock)),
            LockAttempt::Theirs(holder) => Err(SessionError::GoesOn {
                run: run.to_owned(),
                holder: match holder.trim() {
                    "" => "another process".to_owned(),
                    holder => holder.to_owned(),
                },
            }),
        }
    }
}
