//! The one way in which the program writes files, and reads those that lie in a git directory or a worktree. A change under review may bring symbolic links: whoever writes through one
//! writes where the change's author wants, so nothing is written through a link of a checkout.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

mod access;
mod pipe;

use access::FileAccess;
pub use access::{close_to_others, make_folder_for_owner, write_file_for_owner};
pub use pipe::{open_input, refuse_pipe};

/// How the names of files begin that are being written: what a killed process leaves is known by it.
pub const PARTIAL_PREFIX: &str = ".council-";

/// A file that is about to be written: beside its place, then renamed, so that nobody ever sees half of it and a link in
/// its place is replaced instead of followed.
#[derive(Debug, Clone)]
pub struct FileWriter<'a> {
    path: &'a Path,
    scratch: Option<&'a Path>,
    permissions: Option<Permissions>,
    synced: bool,
}

impl<'a> FileWriter<'a> {
    /// Writes to `path`.
    pub fn new(path: &'a Path) -> Self {
        Self {
            path,
            scratch: None,
            permissions: None,
            synced: false,
        }
    }

    /// The bytes, and the name, survive the power.
    pub fn synced(mut self) -> Self {
        self.synced = true;
        self
    }

    /// These permissions instead of those that the user's umask gives.
    pub fn with_permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Nobody but its owner may read it. So it is by itself with what lies in the folder that we keep in a git directory.
    pub fn for_owner(self) -> Self {
        self.with_permissions(FileAccess::OWNER.of_file())
    }

    /// The half of a file lies in this folder, as long as both are on one disk.
    pub fn via(mut self, scratch: Option<&'a Path>) -> Self {
        self.scratch = scratch;
        self
    }

    /// Writes the file, in the place of what is there.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        refuse_linked_folders(self.path)?;
        if is_device(self.path) && !is_kept(self.path)? {
            // `-o /dev/stdout`: there is nothing to replace.
            refuse_pipe(self.path)?;
            return OpenOptions::new()
                .write(true)
                .open(self.path)?
                .write_all(bytes);
        }
        match self.half_file(self.scratch, bytes)?.persist(self.path) {
            Err(lost) if lost.error.kind() == io::ErrorKind::CrossesDevices => {
                let beside = self.half_file(None, bytes)?;
                beside.persist(self.path).map_err(|error| error.error)?;
            }
            written => drop(written.map_err(|error| error.error)?),
        }
        self.sync_folder()
    }

    /// Writes the file beside its place. Nothing changes there until it is put into it, and a file that never is goes away.
    pub fn write_beside(&self, bytes: &[u8]) -> io::Result<FileBeside> {
        refuse_linked_folders(self.path)?;
        Ok(FileBeside {
            half: self.half_file(None, bytes)?,
            path: self.path.to_owned(),
        })
    }

    /// Writes a file that is never overwritten; `AlreadyExists` when something is there.
    pub fn write_new(&self, bytes: &[u8]) -> io::Result<()> {
        refuse_linked_folders(self.path)?;
        let half = self.half_file(None, bytes)?;
        half.persist_noclobber(self.path)
            .map_err(|error| error.error)?;
        self.sync_folder()
    }

    fn half_file(
        &self,
        scratch: Option<&Path>,
        bytes: &[u8],
    ) -> io::Result<tempfile::NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PARTIAL_PREFIX);
        let kept = kept_access(self.path)?.map(FileAccess::of_file);
        let permissions = self.permissions.clone().or(kept);
        let usual = || Permissions::from_mode(0o666);
        builder.permissions(permissions.clone().unwrap_or_else(usual));
        let mut half = builder.tempfile_in(scratch.unwrap_or(folder_of(self.path)))?;
        half.write_all(bytes)?;
        if let Some(permissions) = permissions {
            half.as_file().set_permissions(permissions)?;
        }
        if self.synced {
            half.as_file().sync_all()?;
        }
        Ok(half)
    }

    fn sync_folder(&self) -> io::Result<()> {
        if self.synced {
            File::open(folder_of(self.path))?.sync_all()
        } else {
            Ok(())
        }
    }
}

/// A whole file that lies beside its place: several of them can be written before any takes the place of another.
#[derive(Debug)]
pub struct FileBeside {
    half: tempfile::NamedTempFile,
    path: PathBuf,
}

impl FileBeside {
    /// Replaces what is in the place.
    pub fn put_into_place(self) -> io::Result<()> {
        refuse_linked_folders(&self.path)?;
        let put = self.half.persist(&self.path);
        put.map(drop).map_err(|error| error.error)
    }
}

/// Writes a file, in the place of what is there.
pub fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    FileWriter::new(path).write(bytes.as_ref())
}

/// Opens a file to read it. What is no file is an error: nobody may ever write into a named pipe that came with a git
/// directory, and whoever opened it would wait for that.
pub fn open_to_read(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    kept_access(path)?;
    let mut options = OpenOptions::new();
    options.read(true);
    set_flags(&mut options, libc::O_NONBLOCK);
    refuse_no_file(options.open(path)?, path)
}

/// The bytes of a file; see [`open_to_read`].
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_to_read(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file; see [`open_to_read`].
pub fn read_text(path: impl AsRef<Path>) -> io::Result<String> {
    let mut text = String::new();
    open_to_read(path)?.read_to_string(&mut text)?;
    Ok(text)
}

fn refuse_no_file(file: File, path: &Path) -> io::Result<File> {
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other(format!(
            "{} is no file: remove it",
            path.display()
        )))
    }
}

fn set_flags(options: &mut OpenOptions, flags: i32) {
    options.custom_flags(flags);
}

/// Opens a file to append to it; it may be new. A link in its place is an error in a checkout.
pub fn open_append(path: &Path) -> io::Result<File> {
    open_here(OpenOptions::new().append(true).create(true), path)
}

/// Opens a file to read it and to write it anew under its lock; it may be new. See [`open_append`].
pub fn open_to_rewrite(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    open_here(options.read(true).append(true).create(true), path)
}

/// Opens a file as these options say, through no link of a checkout or of our own folder.
pub fn open_here(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    refuse_linked_folders(path)?;
    if guarded_folders(path)?.is_none() {
        refuse_pipe(path)?;
        return options.open(path);
    }
    let explain = |error| {
        if is_link(path) {
            link_error(path)
        } else {
            error
        }
    };
    let Some(access) = kept_access(path)? else {
        refuse_pipe(path)?;
        set_flags(options, libc::O_NOFOLLOW);
        return options.open(path).map_err(explain);
    };
    set_flags(options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options.mode(access.of_file().mode());
    let file = refuse_no_file(options.open(path).map_err(explain)?, path)?;
    access.apply_to_file(&file)?;
    Ok(file)
}

/// An error where the file, or a folder that leads to it, is a link of a checkout or of our own folder: for whoever wants
/// to know beforehand, and for whoever removes files.
pub fn check_place(path: &Path) -> io::Result<()> {
    refuse_linked_folders(path)?;
    if is_link(path) && guarded_folders(path)?.is_some() {
        Err(link_error(path))
    } else {
        Ok(())
    }
}

/// The link of a checkout or of our own folder through which a path leads, if there is one: the file itself, or a folder on the
/// way. Whoever committed it decided what lies behind it.
///
/// # Errors
/// Where the current directory is needed and cannot be told.
pub fn find_link(path: &Path) -> io::Result<Option<PathBuf>> {
    let Some(folders) = guarded_folders(path)? else {
        return Ok(None);
    };
    let mut places = std::iter::once(path.to_path_buf()).chain(folders);
    Ok(places.find(|place| is_link(place)))
}

/// What lies in a folder of ours, to be removed: nothing where a link leads to it.
pub fn list_own(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    let listed = check_place(folder).and_then(|()| fs::read_dir(folder));
    listed.into_iter().flatten().flatten()
}

/// Makes a folder with everything above it, through no link of a checkout or of our own folder.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    refuse_linked_folders(&folder.join("file"))?;
    match kept_access(folder)? {
        Some(access) => access.make_folder(folder),
        None => fs::create_dir_all(folder),
    }
}

/// Makes one folder that nobody has made; `AlreadyExists` when something is there.
pub fn make_new_folder(folder: &Path) -> io::Result<()> {
    match kept_access(folder)? {
        Some(access) => access.make_new_folder(folder),
        None => fs::create_dir(folder),
    }
}

/// Makes every folder from `root` (which exists) down to `root/below`; none of them may be a link.
pub fn make_dirs(root: &Path, below: &Path) -> io::Result<()> {
    let mut path = root.to_path_buf();
    for part in below.components() {
        path.push(part);
        match make_new_folder(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !fs::symlink_metadata(&path)?.is_dir() {
                    let text = format!("{} is in the way: it is no folder", path.display());
                    return Err(io::Error::new(io::ErrorKind::NotADirectory, text));
                }
            }
            made => made?,
        }
    }
    Ok(())
}

/// An error where a folder that leads to the file, and may not, is a symbolic link.
fn refuse_linked_folders(file: &Path) -> io::Result<()> {
    let folders = guarded_folders(file)?.unwrap_or_default();
    match folders.iter().find(|folder| is_link(folder)) {
        Some(link) => Err(link_error(link)),
        None => Ok(()),
    }
}

/// The folders above a file that may be no links, the nearest first: those of a checkout, and those of the folder that we
/// keep in a git directory, which may have come from elsewhere. What else lies in a git directory is in no checkout: git
/// keeps the name `.git` out of every tree.
fn guarded_folders(file: &Path) -> io::Result<Option<Vec<PathBuf>>> {
    let file = std::path::absolute(file)?;
    let mut folders: Vec<PathBuf> = file.ancestors().skip(1).map(Path::to_path_buf).collect();
    let kept = folders.iter().rposition(|folder| is_own_folder(folder));
    if let Some(own) = kept {
        folders.truncate(own + 1);
        return Ok(Some(folders));
    }
    if is_own_folder(&file) {
        return Ok(Some(Vec::new()));
    }
    if file.components().any(|part| part.as_os_str() == ".git") {
        return Ok(None);
    }
    let is_checkout = |folder: &PathBuf| folder.join(".git").symlink_metadata().is_ok();
    let top = folders.iter().rposition(is_checkout);
    Ok(top.map(|top| {
        folders.truncate(top);
        folders
    }))
}

/// Whether a file lies in the folder that we keep in a git directory.
fn is_kept(file: &Path) -> io::Result<bool> {
    Ok(own_folder_above(file)?.is_some())
}

/// Who may read a file or folder that we keep in a git directory; none: it lies elsewhere. Code under review, prompts and
/// answers lie there, so what an earlier version left open to others is closed by whoever comes next.
fn kept_access(place: &Path) -> io::Result<Option<FileAccess>> {
    let Some(own) = own_folder_above(place)? else {
        return Ok(None);
    };
    let access = FileAccess::of_git_directory(folder_of(&own));
    access.close_folder(&own);
    Ok(Some(access))
}

fn own_folder_above(place: &Path) -> io::Result<Option<PathBuf>> {
    let place = std::path::absolute(place)?;
    let own = place.ancestors().find(|folder| is_own_folder(folder));
    Ok(own.map(Path::to_path_buf))
}

/// Whether this is the folder that we keep in a git directory.
fn is_own_folder(folder: &Path) -> bool {
    let is_git_directory =
        |dir: &Path| dir.join("HEAD").symlink_metadata().is_ok() && dir.join("objects").is_dir();
    folder.file_name().is_some_and(|name| name == "council")
        && folder.parent().is_some_and(is_git_directory)
}

fn link_error(link: &Path) -> io::Error {
    let link = link.display();
    io::Error::other(format!(
        "{link} is a symbolic link, and nothing is written or removed through one: remove the link"
    ))
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_symlink())
}

/// Whether a path is no place for a file: a terminal, a pipe, or the name of an open file.
fn is_device(path: &Path) -> bool {
    let is_special = |meta: fs::Metadata| !meta.is_file() && !meta.is_dir() && !meta.is_symlink();
    pipe::is_of_system(path) || path.symlink_metadata().is_ok_and(is_special)
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    folder
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests;
