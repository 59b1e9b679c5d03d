//! How much a program has written: limits of the kernel bound each of its files, and nothing bounds all of them.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The most that all files of a program may take together, in bytes.
pub(super) const MAX_WRITTEN_BYTES: u64 = 4 << 30;

/// Files that were counted, by device and number.
type Counted = BTreeSet<(u64, u64)>;

/// Whether what lies in these folders, and what these processes hold open of files that are gone, takes more than this,
/// in bytes.
pub(super) fn have_written_more(folders: &[PathBuf], pids: &[i32], most: u64) -> bool {
    let (mut counted, mut sum) = (Counted::new(), 0);
    let mut open: Vec<PathBuf> = folders
        .iter()
        .filter(|path| path.is_dir())
        .cloned()
        .collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else {
                continue;
            };
            if found.is_dir() {
                open.push(entry.path());
            } else {
                sum += new_bytes(&mut counted, &found);
            }
        }
    }
    let unlinked = pids.iter().flat_map(|pid| unlinked_files(*pid));
    sum += unlinked
        .map(|found| new_bytes(&mut counted, &found))
        .sum::<u64>();
    sum > most
}

/// What a file takes that was not counted before.
fn new_bytes(counted: &mut Counted, found: &Metadata) -> u64 {
    match counted.insert((found.dev(), found.ino())) {
        true => found.blocks().saturating_mul(512),
        false => 0,
    }
}

/// The files of no folder that a process holds open.
fn unlinked_files(pid: i32) -> Vec<Metadata> {
    let place = format!("/proc/{pid}/fd");
    let entries = fs::read_dir(Path::new(&place))
        .into_iter()
        .flatten()
        .flatten();
    let files = entries.filter_map(|entry| fs::metadata(entry.path()).ok());
    files
        .filter(|found| found.is_file() && found.nlink() == 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn each_file_counts_once_and_one_that_is_gone_as_long_as_it_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().to_path_buf()];
        let own = [i32::try_from(std::process::id()).unwrap()];
        let write = |name: &str| {
            fs::create_dir_all(folder.path().join("below")).unwrap();
            let path = folder.path().join("below").join(name);
            let mut file = fs::File::create(&path).unwrap();
            file.write_all(&vec![1; 1 << 20]).unwrap();
            file.sync_all().unwrap();
            (path, file)
        };
        let more_than = |most: u64, pids: &[i32]| have_written_more(&folders, pids, most);
        let (first, file) = write("a");
        assert!(more_than(1 << 19, &[]) && !more_than(3 << 19, &[]));
        fs::hard_link(&first, folder.path().join("b")).unwrap();
        assert!(!more_than(3 << 19, &[]), "two names of one file");
        fs::remove_file(folder.path().join("b")).unwrap();
        fs::remove_file(&first).unwrap();
        assert!(!more_than(1 << 19, &[]) && more_than(1 << 19, &own));
        drop(file);
    }
}
