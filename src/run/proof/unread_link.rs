//! Programs of `[proof]` that are links to where no test may read: Python of a virtual environment, mostly.

use std::path::{Path, PathBuf};

/// Where every test may read.
const OF_SYSTEM: [&str; 7] = ["/usr", "/opt", "/bin", "/sbin", "/lib", "/lib64", "/nix"];

/// A link with the folder of its target, which is missing in `proof.read`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnreadLink {
    target: PathBuf,
    folder: PathBuf,
}

impl UnreadLink {
    /// Of a program that is named by its whole path and can be read, as far as `read` says; none: its target can be, too.
    pub(super) fn of(program: &str, read: &[PathBuf]) -> Option<Self> {
        let program = Path::new(program);
        let target = program
            .canonicalize()
            .ok()
            .filter(|_| program.is_absolute())?;
        let own = read.iter().cloned();
        let own = own.chain(read.iter().filter_map(|folder| folder.canonicalize().ok()));
        let mut readable = own.chain(OF_SYSTEM.iter().map(PathBuf::from));
        if target == program || readable.any(|folder| target.starts_with(folder)) {
            return None;
        }
        // The program alone does not start: what it needs lies beside its `bin`.
        let folder = target.parent()?;
        let folder = match folder.file_name().is_some_and(|name| name == "bin") {
            true => folder.parent()?,
            false => folder,
        };
        let folder = folder.to_owned();
        Some(Self { target, folder })
    }

    /// What it is, and what to do.
    pub(super) fn describe(&self, program: &str) -> String {
        let (target, folder) = (self.target.display(), self.folder.display());
        format!(
            "`{program}` is a link to {target}, which no test may read: add `{folder}` to `proof.read`"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_out_of_what_may_be_read_names_the_folder_that_is_missing() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let (venv, python) = (place.join("venv"), place.join("versions/3.11"));
        for folder in [venv.join("bin"), python.join("bin")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(python.join("bin/python3"), "").unwrap();
        let link = venv.join("bin/python");
        std::os::unix::fs::symlink(python.join("bin/python3"), &link).unwrap();
        let program = link.to_str().unwrap();
        let found = UnreadLink::of(program, std::slice::from_ref(&venv)).unwrap();
        assert_eq!(found.folder, python);
        let words = found.describe(program);
        assert!(
            words.contains(&format!("add `{}` to `proof.read`", python.display())),
            "{words}"
        );
        assert_eq!(UnreadLink::of(program, &[venv, python.clone()]), None);
        let plain = python.join("bin/python3");
        assert_eq!(
            UnreadLink::of(plain.to_str().unwrap(), &[]),
            None,
            "no link"
        );
        assert_eq!(UnreadLink::of("/no/such/program", &[]), None);
    }
}
