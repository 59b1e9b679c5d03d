//! Who may read what the program keeps: its user alone, or those with whom the repository is shared. The umask of most
//! systems lets everybody read, and code under review need not be open to every user of the machine.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use crate::FileWriter;

/// The permissions of the group and of everybody else.
const OTHERS: u32 = 0o077;

/// New files of a shared folder belong to its group.
const SET_GROUP: u32 = 0o2000;

/// The permissions of files, without the bits of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileAccess(u32);

impl FileAccess {
    /// Those of a file that its owner alone reads and writes.
    pub(crate) const OWNER: Self = Self(0o600);

    /// What git gives the files of this git directory, except that the umask lets nobody read.
    pub(crate) fn of_git_directory(folder: &Path) -> Self {
        let config = read_config(folder).unwrap_or_default();
        Self(shared_mode(&config).unwrap_or(Self::OWNER.0))
    }

    pub(crate) fn of_file(self) -> Permissions {
        Permissions::from_mode(self.0)
    }

    fn of_folder(self) -> u32 {
        let entered = (self.0 & 0o444) >> 2;
        let group = if self.0 & 0o070 == 0 { 0 } else { SET_GROUP };
        self.0 | entered | group
    }

    fn is_shared(self) -> bool {
        self.0 & OTHERS != 0
    }

    /// Gives an open file these permissions.
    pub(crate) fn apply_to_file(self, file: &File) -> io::Result<()> {
        let found = file.metadata()?;
        if found.mode() & 0o777 != self.0 {
            // A file of somebody else with whom the repository is shared is as its owner has it.
            let _ = file.set_permissions(self.of_file());
        }
        Ok(())
    }

    /// Makes a folder with everything above it; what is there already stays as it is.
    pub(crate) fn make_folder(self, folder: &Path) -> io::Result<()> {
        let missing: Vec<_> = folder
            .ancestors()
            .take_while(|path| !path.is_dir())
            .collect();
        for path in missing
            .into_iter()
            .rev()
            .filter(|path| !path.as_os_str().is_empty())
        {
            match self.make_new_folder(path) {
                // Another process may have been faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
                made => made?,
            }
        }
        Ok(())
    }

    /// Makes one folder; `AlreadyExists` when something is there.
    pub(crate) fn make_new_folder(self, folder: &Path) -> io::Result<()> {
        let mode = self.of_folder();
        DirBuilder::new().mode(mode).create(folder)?;
        if self.is_shared() {
            // The umask would keep the group out.
            fs::set_permissions(folder, Permissions::from_mode(mode))?;
        }
        Ok(())
    }

    /// Takes from a folder and from all in it what it grants to others and these permissions do not. A folder that is
    /// closed is not searched again. What belongs to somebody else, or cannot be changed, stays.
    pub(crate) fn close_folder(self, folder: &Path) {
        if let Ok(found) = folder.symlink_metadata()
            && found.is_dir()
            && self.is_too_open(&found)
            && self.close(folder, &found).is_ok()
        {
            self.close_content(folder);
        }
    }

    fn close_content(self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else {
                continue;
            };
            if found.is_dir() {
                self.close_content(&entry.path());
            }
            if (found.is_dir() || found.is_file()) && self.is_too_open(&found) {
                let _ = self.close(&entry.path(), &found);
            }
        }
    }

    fn close(self, path: &Path, found: &fs::Metadata) -> io::Result<()> {
        let mode = found.mode() & !self.withheld() & 0o7777;
        fs::set_permissions(path, Permissions::from_mode(mode))
    }

    fn is_too_open(self, found: &fs::Metadata) -> bool {
        found.mode() & self.withheld() != 0
    }

    fn withheld(self) -> u32 {
        OTHERS & !self.of_folder()
    }
}

/// Makes a folder with everything above it that only its owner may read. One that is there is closed; what lies in it
/// stays as it is (see [`close_to_others`]).
///
/// # Errors
/// What the disk says, and a folder of a checkout on the way that is a link.
pub fn make_folder_for_owner(folder: &Path) -> io::Result<()> {
    if crate::is_kept(folder)? {
        return crate::make_folder(folder);
    }
    crate::refuse_linked_folders(&folder.join("file"))?;
    FileAccess::OWNER.make_folder(folder)?;
    let found = folder.symlink_metadata()?;
    if found.is_dir() && FileAccess::OWNER.is_too_open(&found) {
        let _ = FileAccess::OWNER.close(folder, &found);
    }
    Ok(())
}

/// Closes a folder, and all that lies in it, to everybody but its owner.
pub fn close_to_others(folder: &Path) {
    FileAccess::OWNER.close_folder(folder);
}

/// Writes a file that only its owner may read, in the place of what is there.
///
/// # Errors
/// What the disk says, and a folder of a checkout on the way that is a link.
pub fn write_file_for_owner(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let writer = FileWriter::new(path);
    let is_kept = crate::is_kept(path)?;
    let writer = if is_kept { writer } else { writer.for_owner() };
    writer.write(bytes.as_ref())
}

fn read_config(git_directory: &Path) -> io::Result<String> {
    io::read_to_string(crate::open_input(git_directory.join("config"))?)
}

/// The mode that `core.sharedRepository` asks for in the text of a git directory's configuration, read as git reads it;
/// none: the repository is its user's own.
fn shared_mode(config: &str) -> Option<u32> {
    let mut is_core = false;
    let mut mode = None;
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let name = section.split(']').next().unwrap_or_default();
            is_core = name.trim().eq_ignore_ascii_case("core");
        } else if is_core {
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            if key.trim().eq_ignore_ascii_case("sharedRepository") {
                let value = value.split(['#', ';']).next().unwrap_or_default();
                mode = mode_of_value(value.trim().trim_matches('"'));
            }
        }
    }
    mode
}

fn mode_of_value(value: &str) -> Option<u32> {
    match value.to_ascii_lowercase().as_str() {
        "group" | "true" | "yes" | "on" | "1" => Some(0o660),
        "all" | "world" | "everybody" | "2" => Some(0o664),
        octal => {
            let mode = octal
                .strip_prefix('0')
                .and_then(|digits| u32::from_str_radix(digits, 8).ok());
            mode.map(|mode| mode & 0o666 | 0o600)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    /// Every file and folder below, itself included.
    fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
        let mut found = vec![folder.to_path_buf()];
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                found.extend(walk(&entry.path()));
            } else {
                found.push(entry.path());
            }
        }
        found
    }

    fn git_directory(config: &str) -> tempfile::TempDir {
        let git = tempfile::tempdir().unwrap();
        fs::create_dir(git.path().join("objects")).unwrap();
        fs::write(git.path().join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(git.path().join("config"), config).unwrap();
        git
    }

    /// Writes in each way that there is, and returns the folder that is kept.
    fn write_in_every_way(git: &Path) -> std::path::PathBuf {
        let own = git.join("council");
        crate::make_folder(&own.join("runs")).unwrap();
        crate::make_dirs(git, Path::new("council/a/b")).unwrap();
        crate::make_new_folder(&own.join("runs/one")).unwrap();
        make_folder_for_owner(&own.join("x/y")).unwrap();
        crate::write_file(&own.join("runs/one/file"), "1").unwrap();
        write_file_for_owner(&own.join("x/file"), "1").unwrap();
        FileWriter::new(&own.join("a/new")).write_new(b"1").unwrap();
        drop(crate::open_append(&own.join("a/b/log")).unwrap());
        drop(crate::open_to_rewrite(&own.join("a/b/list")).unwrap());
        own
    }

    #[test]
    fn what_is_kept_in_a_git_directory_is_open_to_nobody_else_however_it_is_written() {
        let git = git_directory("[core]\n\tbare = false\n");
        for path in walk(&write_in_every_way(git.path())) {
            let expected = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(&path), expected, "{}", path.display());
        }
    }

    #[test]
    fn what_an_earlier_version_left_open_is_closed_by_whoever_comes_next() {
        let git = git_directory("");
        let own = write_in_every_way(git.path());
        let outside = git.path().join("outside");
        fs::write(&outside, "mine").unwrap();
        std::os::unix::fs::symlink(&outside, own.join("link")).unwrap();
        let (all, theirs) = (walk(&own), mode(&outside));
        let openings: [fn(&Path); 4] = [
            |own| drop(crate::read(own.join("x/file")).unwrap()),
            |own| crate::make_folder(&own.join("runs")).unwrap(),
            |own| crate::write_file(&own.join("x/file"), "2").unwrap(),
            |own| drop(crate::open_append(&own.join("a/b/log")).unwrap()),
        ];
        for open in openings {
            for path in all.iter().filter(|path| !path.is_symlink()) {
                let open = if path.is_dir() { 0o755 } else { 0o644 };
                fs::set_permissions(path, Permissions::from_mode(open)).unwrap();
            }
            open(&own);
            let closed = all.iter().filter(|path| !path.is_symlink());
            assert!(closed.clone().all(|path| mode(path) & OTHERS == 0));
        }
        assert_eq!(mode(&outside), theirs, "a link leads nowhere");
    }

    #[test]
    fn a_shared_repository_is_shared_as_git_shares_it() {
        for (value, file, folder) in [
            ("group", 0o660, 0o770),
            ("all", 0o664, 0o775),
            ("0640", 0o640, 0o750),
            ("umask", 0o600, 0o700),
            ("0", 0o600, 0o700),
        ] {
            let git = git_directory(&format!("[Core]\n\tsharedrepository = {value} # ours\n"));
            let own = git.path().join("council");
            crate::make_folder(&own.join("runs")).unwrap();
            crate::write_file(&own.join("runs/file"), "1").unwrap();
            drop(crate::open_append(&own.join("log")).unwrap());
            assert_eq!(mode(&own), folder, "{value}");
            assert_eq!(mode(&own.join("runs")), folder, "{value}");
            assert_eq!(mode(&own.join("runs/file")), file, "{value}");
            assert_eq!(mode(&own.join("log")), file, "{value}");
        }
        assert_eq!(shared_mode("[core \"x\"]\nsharedRepository = all\n"), None);
        assert_eq!(shared_mode("[core]\nsharedRepository\n"), Some(0o660));
    }

    #[test]
    fn elsewhere_the_umask_decides_unless_it_is_said_otherwise() {
        let home = tempfile::tempdir().unwrap();
        let (plain, ours) = (home.path().join("plain"), home.path().join("ours"));
        fs::write(&plain, "").unwrap();
        crate::write_file(&ours, "").unwrap();
        assert_eq!(mode(&ours), mode(&plain));
        let run = home.path().join("run");
        fs::create_dir(&run).unwrap();
        fs::set_permissions(&run, Permissions::from_mode(0o755)).unwrap();
        fs::write(run.join("old"), "").unwrap();
        fs::set_permissions(run.join("old"), Permissions::from_mode(0o644)).unwrap();
        make_folder_for_owner(&run.join("workers")).unwrap();
        write_file_for_owner(&run.join("file"), "").unwrap();
        close_to_others(&run);
        fs::set_permissions(&run, Permissions::from_mode(0o755)).unwrap();
        make_folder_for_owner(&run).unwrap();
        for path in walk(&run) {
            assert_eq!(mode(&path) & OTHERS, 0, "{}", path.display());
        }
    }
}
