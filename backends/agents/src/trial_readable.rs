//! What a test may read of this machine.

use std::fs;
use std::path::{Path, PathBuf};

/// What every program needs to run at all: nothing that says who else uses this machine, and no private key.
const READABLE: [&str; 40] = [
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/group",
    "/etc/hosts",
    "/etc/java",
    "/etc/java-8-openjdk",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/java-25-openjdk",
    "/etc/crypto-policies",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/ca-trust",
    "/etc/pki/java",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/openssl.cnf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/dev/random",
    "/dev/urandom",
];

/// Folders of programs: all of them but for their settings (`etc`), in which tokens stand at times (npm's `npmrc`).
const PREFIXES: [&str; 2] = ["/usr", "/opt"];

/// What a test may read of the system.
pub(super) fn of_system() -> Vec<PathBuf> {
    let prefixes = PREFIXES
        .iter()
        .flat_map(|prefix| without_settings(Path::new(prefix), 1));
    READABLE.iter().map(PathBuf::from).chain(prefixes).collect()
}

/// A folder, or what is in it where it has settings there or so many levels below (`/usr/local/etc`, `/opt/node/etc`).
fn without_settings(folder: &Path, levels: u8) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let (mut kept, mut is_whole) = (Vec::new(), true);
    for entry in entries {
        let (path, is_folder) = (
            entry.path(),
            entry.file_type().is_ok_and(|kind| kind.is_dir()),
        );
        let own = match levels.checked_sub(1) {
            _ if entry.file_name() == "etc" => Vec::new(),
            Some(below) if is_folder => without_settings(&path, below),
            _ => vec![path.clone()],
        };
        is_whole &= own == [path];
        kept.extend(own);
    }
    if is_whole {
        vec![folder.to_owned()]
    } else {
        kept
    }
}

/// Folders of a home that hold what is nobody's business, such as the key that signs verdicts.
const PRIVATE: [&str; 5] = ["", ".config", ".local/state", ".ssh", ".gnupg"];

/// The most programs of one folder that are named one by one.
const MAX_PROGRAMS: usize = 2_000;

/// What a program may read of a folder of the `PATH`: all of it, or only its programs where the home of the user lies
/// in it.
pub(super) fn of_path(folder: PathBuf, home: Option<&Path>) -> Vec<PathBuf> {
    let whole = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let own = whole(&folder);
    let holds_private = home.is_none_or(|home| {
        let mut private = PRIVATE.iter().map(|name| home.join(name));
        private.any(|path| path.starts_with(&folder) || whole(&path).starts_with(&own))
    });
    if !holds_private {
        return vec![folder];
    }
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let files = entries
        .map(|entry| entry.path())
        .filter(|path| is_program(path));
    files.take(MAX_PROGRAMS).collect()
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whichever of these folders have settings: none of them can be read, and all else can.
    #[test]
    fn no_settings_of_a_prefix_are_read_and_all_else_is() {
        let places = ["etc", "local/etc", "node/etc"];
        let others = ["bin", "local/bin", "node/lib/etc", "share", "local/share/x"];
        for present in 0..1 << places.len() {
            let prefix = tempfile::tempdir().unwrap();
            let is_there = |at: usize| present & (1 << at) != 0;
            let there = (0..places.len())
                .filter(|at| is_there(*at))
                .map(|at| places[at]);
            let there: Vec<PathBuf> = there.map(|name| prefix.path().join(name)).collect();
            let others = others.map(|name| prefix.path().join(name));
            for folder in there.iter().chain(&others) {
                fs::create_dir_all(folder).unwrap();
            }
            let read = without_settings(prefix.path(), 1);
            let is_read = |path: &Path| read.iter().any(|folder| path.starts_with(folder));
            for folder in &there {
                let above = read
                    .iter()
                    .any(|read| folder.starts_with(read) || read.starts_with(folder));
                assert!(!above, "{folder:?} in {read:?}");
            }
            for folder in &others {
                assert!(is_read(folder), "{folder:?} in {read:?}");
            }
        }
    }

    #[test]
    fn no_private_key_of_the_system_is_read() {
        let read = of_system();
        for key in [
            "/etc/ssl/private/a.key",
            "/etc/pki/tls/private/a.key",
            "/etc/letsencrypt/live/a.pem",
            "/etc/ssh/ssh_host_rsa_key",
            "/etc/shadow",
            "/usr/local/etc/npmrc",
            "/usr/etc/npmrc",
        ] {
            let is_read = read.iter().any(|folder| Path::new(key).starts_with(folder));
            // Where there is no such folder, the one above is read as a whole.
            let is_there = Path::new(key).parent().is_some_and(Path::exists);
            assert!(!is_read || !is_there, "{key}");
        }
    }
}
