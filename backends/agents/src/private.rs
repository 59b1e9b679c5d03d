//! Folders of judges, and files in them, that no other user of the machine can read: the code under review lies there.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::{Builder, TempDir};

/// What the names of judges' homes begin with.
pub const HOME_PREFIX: &str = "council-home-";

/// A new folder of its own among the system's temporary ones, removed with the value.
pub fn temporary_folder(prefix: &str) -> io::Result<TempDir> {
    builder(prefix).tempdir()
}

/// The same inside of another folder.
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
