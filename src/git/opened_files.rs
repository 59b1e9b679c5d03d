//! Files of a git directory that git's library opens as they are. Whoever opens a named pipe waits for another program:
//! an archive carries pipes, and so could an attacker.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use council_files as safe_file;

/// What is opened by its name.
const NAMED: [&str; 11] = [
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "gitdir",
    "index",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "packed-refs",
    "shallow",
];

/// How many stores of objects git follows from one to the next.
const MAX_ALTERNATES: usize = 5;

/// How long a git directory in which all are files counts as looked through. A review opens its repository a dozen times
/// in its first moments, and each look lists up to 256 folders.
const LOOK_HOLDS: Duration = Duration::from_millis(500);

/// When a git directory was last looked through.
static LOOKED_THROUGH: Mutex<Option<HashMap<PathBuf, Instant>>> = Mutex::new(None);

/// Something else than a file that stands in the place of one; none where all are files, as of the last half second.
pub(super) fn find_no_file(git_dir: &Path) -> Option<PathBuf> {
    let mut looked = LOOKED_THROUGH
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let looked = looked.get_or_insert_default();
    let last = looked.get(git_dir);
    if last.is_some_and(|last| last.elapsed() < LOOK_HOLDS) {
        return None;
    }
    let found = look_through(git_dir);
    if found.is_none() {
        looked.insert(git_dir.to_owned(), Instant::now());
    }
    found
}

fn look_through(git_dir: &Path) -> Option<PathBuf> {
    let common = safe_file::read_text(git_dir.join("commondir"));
    let common = common.ok().map(|named| git_dir.join(named.trim_end()));
    let mut dirs = common.iter().map(PathBuf::as_path).chain([git_dir]);
    dirs.find_map(|dir| {
        let mut named = NAMED.iter().map(|name| dir.join(name));
        named
            .find(|file| is_no_file(file))
            .or_else(|| find_below(&dir.join("refs")))
            .or_else(|| find_in_store(&dir.join("objects"), MAX_ALTERNATES))
    })
}

/// In a store of objects: only below folders that git reads, for `alternates` may name any folder of the machine.
fn find_in_store(store: &Path, further: usize) -> Option<PathBuf> {
    let is_id = |name: &str| name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let folders = entries(store).filter(|(path, _)| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| is_id(name) || matches!(name, "pack" | "info"))
    });
    let graphs = store.join("info/commit-graphs");
    let mut folders = folders.map(|(path, _)| path).chain([graphs]);
    if let Some(found) = folders.find_map(|folder| find_in(&folder)) {
        return Some(found);
    }
    let listed = safe_file::read_text(store.join("info/alternates")).unwrap_or_default();
    let mut stores = listed.lines().filter(|line| !line.starts_with('#'));
    let rest = further.checked_sub(1)?;
    stores.find_map(|other| find_in_store(&store.join(other.trim_end()), rest))
}

fn find_in(folder: &Path) -> Option<PathBuf> {
    let mut links = entries(folder).filter(|(_, is_file)| !is_file);
    links.find_map(|(path, _)| is_no_file(&path).then_some(path))
}

/// The same in all folders below.
fn find_below(folder: &Path) -> Option<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for (path, _) in entries(&folder).filter(|(_, is_file)| !is_file) {
            if is_no_file(&path) {
                return Some(path);
            }
            if !path.is_symlink() {
                folders.push(path);
            }
        }
    }
    None
}

/// What lies in a folder, and whether it is a file (a link is none).
fn entries(folder: &Path) -> impl Iterator<Item = (PathBuf, bool)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        (entry.path(), is_file)
    })
}

fn is_no_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}
