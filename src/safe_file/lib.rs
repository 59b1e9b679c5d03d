//! The one way in which the program writes files, and reads those that lie in a git directory or a worktree. A change under review may bring symbolic links: whoever writes through one
//! writes where the change's author wants, so nothing is written through a link of a checkout.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

mod pipe;

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
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let usual = || Permissions::from_mode(0o666);
            builder.permissions(self.permissions.clone().unwrap_or_else(usual));
        }
        let mut half = builder.tempfile_in(scratch.unwrap_or(folder_of(self.path)))?;
        half.write_all(bytes)?;
        if let Some(permissions) = &self.permissions {
            half.as_file().set_permissions(permissions.clone())?;
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
    use std::os::unix::fs::OpenOptionsExt as _;
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
    let kept = is_kept(path)?;
    if !kept {
        refuse_pipe(path)?;
    }
    let waits = if kept { libc::O_NONBLOCK } else { 0 };
    set_flags(options, libc::O_NOFOLLOW | waits);
    let opened = options.open(path).map_err(|error| {
        if is_link(path) {
            link_error(path)
        } else {
            error
        }
    });
    if kept {
        refuse_no_file(opened?, path)
    } else {
        opened
    }
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
    fs::create_dir_all(folder)
}

/// Makes every folder from `root` (which exists) down to `root/below`; none of them may be a link.
pub fn make_dirs(root: &Path, below: &Path) -> io::Result<()> {
    let mut path = root.to_path_buf();
    for part in below.components() {
        path.push(part);
        match fs::create_dir(&path) {
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
    let file = std::path::absolute(file)?;
    Ok(file.ancestors().any(is_own_folder))
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
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// A checkout, and a folder outside of it with one file.
    fn places() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let home = tempfile::tempdir().unwrap();
        let (tree, outside) = (home.path().join("tree"), home.path().join("outside"));
        fs::create_dir_all(tree.join(".git")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("own"), "mine").unwrap();
        (home, tree, outside)
    }

    fn content(folder: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        let read = |entry: fs::DirEntry| {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            (entry.file_name().into_string().unwrap(), text)
        };
        entries.map(read).collect()
    }

    #[test]
    fn a_link_in_the_place_of_a_file_is_replaced_and_one_on_the_way_is_refused() {
        let (_home, tree, outside) = places();
        symlink(outside.join("own"), tree.join("report.sarif")).unwrap();
        write_file(&tree.join("report.sarif"), "report").unwrap();
        assert!(!is_link(&tree.join("report.sarif")));
        symlink(&outside, tree.join("out")).unwrap();
        let refused = write_file(&tree.join("out/own"), "report").unwrap_err();
        assert!(refused.to_string().contains("symbolic link"), "{refused}");
        assert!(make_folder(&tree.join("out/deep")).is_err());
        // A checkout behind the link makes it no better.
        fs::create_dir(outside.join(".git")).unwrap();
        assert!(write_file(&tree.join("out/own"), "report").is_err());
        fs::remove_dir(outside.join(".git")).unwrap();
        symlink(outside.join("own"), tree.join("log")).unwrap();
        assert!(open_append(&tree.join("log")).is_err());
        assert_eq!(content(&outside), [("own".to_owned(), "mine".to_owned())]);
    }

    #[test]
    fn a_pipe_in_the_place_of_a_file_keeps_nobody_waiting() {
        let home = tempfile::tempdir().unwrap();
        let git = home.path().join(".git");
        let own = git.join("council");
        fs::create_dir_all(git.join("objects")).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main").unwrap();
        fs::create_dir_all(&own).unwrap();
        let pipe = own.join("shown.json");
        let make = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(make.unwrap().success());
        let (said, heard) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for path in [&*pipe, Path::new("/dev/zero"), Path::new("/dev/tty")] {
                assert!(read(path).is_err() && read_text(path).is_err());
                assert!(open_to_read(path).is_err());
            }
            assert!(open_append(&pipe).is_err());
            assert!(open_here(OpenOptions::new().write(true), &pipe).is_err());
            write_file(&pipe, "whole").unwrap();
            assert_eq!(read_text(&pipe).unwrap(), "whole");
            assert_eq!(read(&pipe).unwrap(), b"whole");
            said.send(()).unwrap();
        });
        let waited = heard.recv_timeout(std::time::Duration::from_secs(20));
        waited.expect("it waits, or an assertion failed");
    }

    #[test]
    fn the_user_s_own_links_outside_of_a_checkout_lead_where_they_lead() {
        let (home, _, outside) = places();
        symlink(&outside, home.path().join("reports")).unwrap();
        write_file(&home.path().join("reports/new"), "report").unwrap();
        assert_eq!(fs::read_to_string(outside.join("new")).unwrap(), "report");
    }

    /// Whichever part of a path in our own folder is a link: nothing outside of it changes.
    #[test]
    fn no_path_of_our_own_folder_leads_out_of_it() {
        for parts in [&["council"][..], &["council", "a"], &["council", "a", "a"]] {
            for link_at in 0..parts.len() {
                let (_home, tree, outside) = places();
                let git = tree.join(".git");
                fs::create_dir(git.join("objects")).unwrap();
                fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
                fs::create_dir_all(outside.join("a/a")).unwrap();
                fs::write(outside.join("a/own"), "mine").unwrap();
                fs::write(outside.join("a/a/own"), "mine").unwrap();
                let before = [
                    content(&outside),
                    content(&outside.join("a")),
                    content(&outside.join("a/a")),
                ];
                let mut path = git.clone();
                for (at, part) in parts.iter().enumerate() {
                    path.push(part);
                    if at == link_at {
                        symlink(outside.join(parts[1..=at].join("/")), &path).unwrap();
                    } else if at < link_at {
                        fs::create_dir(&path).unwrap();
                    }
                }
                for file in [path.join("own"), path.join("new")] {
                    assert!(write_file(&file, "theirs").is_err(), "{}", file.display());
                    assert!(FileWriter::new(&file).write_new(b"theirs").is_err());
                    assert!(open_append(&file).is_err());
                    assert!(check_place(&file).is_err());
                }
                assert!(make_folder(&path.join("deep")).is_err());
                assert!(make_dirs(&git, &Path::new(&parts.join("/")).join("deep")).is_err());
                assert_eq!(list_own(&path).count(), 0);
                let after = [
                    content(&outside),
                    content(&outside.join("a")),
                    content(&outside.join("a/a")),
                ];
                assert_eq!(before, after, "{parts:?} {link_at}");
            }
        }
    }

    #[test]
    fn a_pipe_or_a_device_is_written_to_instead_of_replaced() {
        let (_home, tree, _) = places();
        let socket = tree.join("socket");
        let _open = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        fs::write(tree.join("file"), "").unwrap();
        symlink(&socket, tree.join("link")).unwrap();
        for device in ["/dev/null", "/dev/stdout", "/proc/self/fd/1"].map(Path::new) {
            assert!(is_device(device), "{}", device.display());
        }
        assert!(is_device(&socket));
        for name in ["file", "link", "new", ".git"] {
            assert!(!is_device(&tree.join(name)), "{name}");
        }
    }

    #[test]
    fn what_is_written_has_the_user_s_mode_and_nothing_is_left_beside_it() {
        let (_home, tree, _) = places();
        fs::write(tree.join("plain"), "").unwrap();
        write_file(&tree.join("ours"), "one").unwrap();
        write_file(&tree.join("ours"), "two").unwrap();
        let refused = FileWriter::new(&tree.join("ours"))
            .write_new(b"three")
            .unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        let mode = |name| fs::metadata(tree.join(name)).unwrap().permissions().mode();
        assert_eq!(mode("ours"), mode("plain"));
        let mut names: Vec<_> = content(&tree).into_iter().map(|(name, _)| name).collect();
        names.sort();
        assert_eq!(names, [".git", "ours", "plain"]);
    }

    /// Whichever folder of a path is a link, and wherever in it: nothing outside of the checkout changes. There are so
    /// few ways that all of them are tried.
    #[test]
    fn no_path_of_a_checkout_leads_out_of_it() {
        let ways = (1..5).flat_map(|depth| (0..5).map(move |link_at| (depth, link_at)));
        for (depth, link_at) in ways {
            for to_file in [false, true] {
                stays_inside(depth, link_at, to_file);
            }
        }
    }

    fn stays_inside(depth: usize, link_at: usize, to_file: bool) {
        let (_home, tree, outside) = places();
        fs::create_dir_all(outside.join("a/a/a/a")).unwrap();
        let before = content(&outside);
        let mut path = tree.clone();
        for at in 0..depth {
            let next = path.join("a");
            if at == link_at {
                symlink(
                    if to_file {
                        outside.join("own")
                    } else {
                        outside.clone()
                    },
                    &next,
                )
                .unwrap()
            } else {
                let _ = fs::create_dir(&next);
            }
            path = next;
        }
        let _ = make_folder(&path);
        let _ = write_file(&path.join("own"), "theirs");
        let _ = FileWriter::new(&path.join("new")).write_new(b"theirs");
        let _ = write_file(&path, "theirs");
        let _ = open_append(&path.join("own")).and_then(|mut file| file.write_all(b"theirs"));
        let _ = make_dirs(&tree, Path::new("a/a/a/a/a/a"));
        assert_eq!(content(&outside), before, "{depth} {link_at} {to_file}");
        let deep = fs::read_dir(outside.join("a/a/a/a")).unwrap().count();
        assert_eq!(deep, 0);
    }
}
