//! Named pipes. Whoever opens one waits until another program opens its other end, which may never happen: in the place of
//! a file that the user named, one is an error, told at once.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

/// Opens a file that the user named, to read it. A pipe that is open already has a name below `/dev` (`/dev/stdin`, or
/// what a shell makes of `<(command)`) and is read as it is.
pub fn open_input(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    if is_of_system(path) {
        return File::open(path);
    }
    let mut options = File::options();
    options.read(true);
    super::set_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    if file.metadata()?.file_type().is_fifo() {
        return Err(pipe_error());
    }
    Ok(file)
}

/// An error where somebody who opened the path would wait for another program.
pub fn refuse_pipe(path: &Path) -> io::Result<()> {
    let is_pipe = |meta: fs::Metadata| meta.file_type().is_fifo();
    if !is_of_system(path) && fs::metadata(path).is_ok_and(is_pipe) {
        return Err(pipe_error());
    }
    Ok(())
}

/// Whether the system gave it its name: that of a device, or of a file that is open already.
pub(super) fn is_of_system(path: &Path) -> bool {
    let is_memory = |folder: &&str| path.starts_with(folder);
    let is_device = path.starts_with("/dev") && !["/dev/shm", "/dev/mqueue"].iter().any(is_memory);
    is_device || path.starts_with("/proc")
}

fn pipe_error() -> io::Error {
    io::Error::other(
        "it is a named pipe, which keeps everybody waiting who opens it alone: name a file, or use the standard input or \
         output (`-`, `/dev/stdout`)",
    )
}
