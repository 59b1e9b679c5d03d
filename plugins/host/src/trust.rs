//! Which files may be run as a plugin (`rust.md` A1.3, rule 7). Where a path comes from is the configuration's business:
//! the repository may never name one.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The path of a plugin that may be run: absolute, without symlinks, checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrustedFile(PathBuf);

impl TrustedFile {
    /// Checks a path of a trusted layer of the configuration.
    ///
    /// `sha256` pins the file's bytes, as hex. `repository` is the worktree under review, in which no plugin may lie:
    /// whoever can edit the change could edit the plugin.
    ///
    /// # Errors
    ///
    /// When any of the rules is broken; the file has not been run.
    pub fn check(
        path: &Path,
        sha256: Option<&str>,
        repository: Option<&Path>,
    ) -> Result<Self, UntrustedFile> {
        if !path.is_absolute() {
            return Err(UntrustedFile::Relative(path.to_path_buf()));
        }
        let unreadable = |cause: io::Error| UntrustedFile::Unreadable {
            path: path.to_path_buf(),
            cause: cause.to_string(),
        };
        let real = path.canonicalize().map_err(unreadable)?;
        let meta = fs::metadata(&real).map_err(unreadable)?;
        if !meta.is_file() {
            return Err(UntrustedFile::NotAFile(real));
        }
        check_outside(&real, repository)?;
        not_world_writable(&real, &meta)?;
        if let Some(folder) = real.parent() {
            not_world_writable(folder, &fs::metadata(folder).map_err(unreadable)?)?;
        }
        if let Some(pin) = sha256 {
            check_pinned(&real, pin, &fs::read(&real).map_err(unreadable)?)?;
        }
        Ok(Self(real))
    }

    /// The path that was checked.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

fn check_outside(real: &Path, repository: Option<&Path>) -> Result<(), UntrustedFile> {
    let Some(repository) = repository else {
        return Ok(());
    };
    let root = repository
        .canonicalize()
        .unwrap_or_else(|_| repository.to_path_buf());
    if real.starts_with(&root) {
        return Err(UntrustedFile::InRepository {
            path: real.to_path_buf(),
            repository: root,
        });
    }
    Ok(())
}

fn not_world_writable(path: &Path, meta: &fs::Metadata) -> Result<(), UntrustedFile> {
    const OTHERS_WRITE: u32 = 0o002;
    if meta.permissions().mode() & OTHERS_WRITE != 0 {
        return Err(UntrustedFile::WorldWritable(path.to_path_buf()));
    }
    Ok(())
}

fn check_pinned(real: &Path, pin: &str, bytes: &[u8]) -> Result<(), UntrustedFile> {
    let found = hex::encode(Sha256::digest(bytes));
    if found.eq_ignore_ascii_case(pin.trim()) {
        return Ok(());
    }
    Err(UntrustedFile::Pin {
        path: real.to_path_buf(),
        pinned: pin.to_owned(),
        found,
    })
}

/// Why a file must not be run as a plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UntrustedFile {
    /// A bare or relative name would be searched for, and might be found in the change.
    #[error("the plugin path {} is not absolute; write it out from /", .0.display())]
    Relative(PathBuf),
    /// It is not there, or not for us to read.
    #[error("cannot read the plugin {}: {cause}", path.display())]
    Unreadable {
        /// The path as configured.
        path: PathBuf,
        /// What the system said.
        cause: String,
    },
    /// A folder, device, pipe or socket.
    #[error("the plugin {} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// Whoever can edit the change could edit the plugin.
    #[error("the plugin {} lies in the repository {} that is under review; install it outside", path.display(), repository.display())]
    InRepository {
        /// The file of the plugin.
        path: PathBuf,
        /// The worktree that holds it.
        repository: PathBuf,
    },
    /// Anybody on the machine could have put anything there.
    #[error("{} may be written by anybody; run chmod o-w on it before a plugin is loaded from there", .0.display())]
    WorldWritable(PathBuf),
    /// Not the bytes that were pinned.
    #[error("the plugin {} has sha256 {found} and {pinned} is pinned; if you updated it, update the pin", path.display())]
    Pin {
        /// The file of the plugin.
        path: PathBuf,
        /// The digest that the configuration pins.
        pinned: String,
        /// What the file has.
        found: String,
    },
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn file(dir: &Path, name: &str, mode: u32) -> PathBuf {
        let path = dir.join(name);
        fs::write(&path, "plugin").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn an_ordinary_file_is_trusted_under_its_real_path() {
        let dir = tempfile::tempdir().unwrap();
        let real = file(dir.path(), "backend.so", 0o755);
        let link = dir.path().join("link.so");
        symlink(&real, &link).unwrap();
        let trusted = TrustedFile::check(&link, None, None).unwrap();
        assert_eq!(trusted.path(), real.canonicalize().unwrap());
    }

    #[test]
    fn a_relative_path_is_refused_even_where_it_exists() {
        let error = TrustedFile::check(Path::new("Cargo.toml"), None, None).unwrap_err();
        assert_eq!(error, UntrustedFile::Relative("Cargo.toml".into()));
    }

    #[test]
    fn what_is_missing_or_no_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let missing = TrustedFile::check(&dir.path().join("none.so"), None, None).unwrap_err();
        assert!(
            matches!(missing, UntrustedFile::Unreadable { .. }),
            "{missing}"
        );
        let folder = TrustedFile::check(dir.path(), None, None).unwrap_err();
        assert!(matches!(folder, UntrustedFile::NotAFile(_)), "{folder}");
    }

    #[test]
    fn what_anybody_may_write_is_refused_and_so_is_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let open = file(dir.path(), "open.so", 0o757);
        assert!(
            matches!(TrustedFile::check(&open, None, None), Err(UntrustedFile::WorldWritable(p)) if p.ends_with("open.so"))
        );
        let closed = file(dir.path(), "closed.so", 0o755);
        // A sticky bit does not help: whoever came first owns the name.
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(matches!(
            TrustedFile::check(&closed, None, None),
            Err(UntrustedFile::WorldWritable(_))
        ));
    }

    #[test]
    fn a_plugin_of_the_reviewed_repository_is_refused_also_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let repository = dir.path().join("repository");
        fs::create_dir(&repository).unwrap();
        let inside = file(&repository, "evil.so", 0o755);
        let link = dir.path().join("innocent.so");
        symlink(&inside, &link).unwrap();
        for path in [&inside, &link] {
            let error = TrustedFile::check(path, None, Some(&repository)).unwrap_err();
            assert!(
                matches!(error, UntrustedFile::InRepository { .. }),
                "{error}"
            );
        }
        let beside = file(dir.path(), "repository.so", 0o755);
        assert!(TrustedFile::check(&beside, None, Some(&repository)).is_ok());
    }

    #[test]
    fn a_pin_must_fit_the_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = file(dir.path(), "backend.so", 0o755);
        let right = Sha256::digest(b"plugin")
            .iter()
            .map(|b| format!("{b:02X}"))
            .collect::<String>();
        assert!(TrustedFile::check(&path, Some(&right), None).is_ok());
        let error = TrustedFile::check(&path, Some("00"), None).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("00 is pinned; if you updated it, update the pin")
        );
    }
}
