//! Programs of `[proof]` that are links to where no test may read: Python of a virtual environment, mostly.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::safe_file;

/// Where every test may read.
const OF_SYSTEM: [&str; 7] = ["/usr", "/opt", "/bin", "/sbin", "/lib", "/lib64", "/nix"];

/// The most bytes that a kernel reads of the first line of a script.
const MAX_FIRST_LINE: u64 = 256;

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

    /// The one behind a command: its program, or what the first line of a script names (`pytest` of an environment).
    pub(super) fn of_command(program: &str, read: &[PathBuf]) -> Option<(String, Self)> {
        let named = [Some(program.to_owned()), interpreter_of(program)];
        let mut named = named.into_iter().flatten();
        named.find_map(|name| Self::of(&name, read).map(|link| (name, link)))
    }

    /// What it is, and what to do.
    pub(super) fn describe(&self, program: &str) -> String {
        let (target, folder) = (self.target.display(), self.folder.display());
        format!(
            "`{program}` is a link to {target}, and no test may read what it needs beside it: add `{folder}` to `proof.read`"
        )
    }
}

/// The program that the first line of a script names by its whole path.
fn interpreter_of(script: &str) -> Option<String> {
    let mut start = Vec::new();
    let file = safe_file::open_to_read(script)
        .ok()
        .filter(|_| Path::new(script).is_absolute())?;
    file.take(MAX_FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.strip_prefix("#!")?;
    line.split_whitespace().next().map(str::to_owned)
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
        let script = venv.join("bin/pytest");
        std::fs::write(&script, format!("#!{program} -E\nimport pytest\n")).unwrap();
        let script = script.to_str().unwrap();
        let (named, link) = UnreadLink::of_command(script, std::slice::from_ref(&venv)).unwrap();
        assert_eq!((&*named, &link), (program, &found), "of pyenv and uv");
        let both = [venv, python.clone()];
        assert_eq!(UnreadLink::of(program, &both), None);
        assert_eq!(UnreadLink::of_command(script, &both), None);
        let plain = python.join("bin/python3");
        assert_eq!(
            UnreadLink::of(plain.to_str().unwrap(), &[]),
            None,
            "no link"
        );
        assert_eq!(UnreadLink::of("/no/such/program", &[]), None);
    }
}
