//! Links of the user's own, such as those of a manager of dotfiles: what is written goes where they lead, and they stay.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where a file of the user's is written. Its link may lead to a file that is not there yet.
///
/// # Errors
/// Where a link leads to no folder, as that of a disk that is not there just now, or to itself.
pub(crate) fn follow_own_link(path: &Path) -> io::Result<PathBuf> {
    let lost = match path.canonicalize() {
        Ok(place) => return Ok(place),
        Err(error) => error,
    };
    let Ok(to) = fs::read_link(path) else {
        return Ok(path.to_owned());
    };
    if lost.kind() != io::ErrorKind::NotFound {
        return Err(lost);
    }
    let to = path.parent().unwrap_or(Path::new("")).join(to);
    let folder = to.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, to.file_name()) {
        (Some(folder), Some(name)) => follow_own_link(&folder.join(name)),
        _ => Err(io::Error::other(format!(
            "it is a symbolic link to {}, whose folder is not there: make the folder, or remove the link",
            to.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Law: a link leads to its end over any number of others, whether a file is there or not; without a folder it is an error.
    #[test]
    fn a_link_is_followed_to_where_a_file_may_be_written() {
        for links in 0..4 {
            let dir = tempfile::tempdir().unwrap();
            let top = dir.path().canonicalize().unwrap();
            let name = |at: usize| top.join(format!("link{at}"));
            for (end, leads) in [("file", true), ("none/file", links == 0)] {
                for at in 0..links {
                    let _ = fs::remove_file(name(at));
                    let to = match at + 1 == links {
                        true => end.into(),
                        false => name(at + 1),
                    };
                    symlink(to, name(at)).unwrap();
                }
                let first = match links {
                    0 => top.join(end),
                    _ => name(0),
                };
                let found = follow_own_link(&first);
                assert_eq!(found.ok(), leads.then(|| top.join(end)), "{links} {end}");
            }
        }
    }

    #[test]
    fn a_link_to_itself_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("link");
        symlink(&path, &path).unwrap();
        assert!(follow_own_link(&path).is_err());
    }
}
