//! What a sandboxed client does not read of this machine, though it reads the folder around it: the private keys of the
//! system, and files in which package managers keep tokens. The kernel is told what may be read, never what may not, so
//! that a folder with something of it inside is named by its other entries.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Where systems keep private keys.
const PRIVATE_KEYS: [&str; 8] = [
    "/etc/ssl/private",
    "/etc/pki/tls/private",
    "/etc/pki/entitlement",
    "/etc/letsencrypt",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/wireguard",
];

/// Files of package managers in a folder of settings, such as `/etc` or `/usr/local/etc`.
const CREDENTIALS: [&str; 16] = [
    "npmrc",
    ".npmrc",
    "yarnrc",
    ".yarnrc",
    ".yarnrc.yml",
    "netrc",
    ".netrc",
    "pypirc",
    ".pypirc",
    "pip.conf",
    "xdg/pip/pip.conf",
    "gemrc",
    "apt/auth.conf",
    "apt/auth.conf.d",
    "conda/.condarc",
    "maven/settings.xml",
];

/// The settings that npm brings along, below the prefix in which it is installed.
const OF_NPM: &str = "lib/node_modules/npm/npmrc";

/// Variables that name such a file in another place.
const VARIABLES: [&str; 6] = [
    "NPM_CONFIG_GLOBALCONFIG",
    "npm_config_globalconfig",
    "NPM_CONFIG_USERCONFIG",
    "npm_config_userconfig",
    "PIP_CONFIG_FILE",
    "NETRC",
];

/// The prefixes below which programs keep settings of this machine.
fn system_prefixes() -> Vec<PathBuf> {
    let own = fs::read_dir("/opt").into_iter().flatten().flatten();
    let fixed = ["/", "/usr", "/usr/local", "/opt"].map(PathBuf::from);
    fixed
        .into_iter()
        .chain(own.map(|entry| entry.path()))
        .collect()
}

/// These folders and files, without what is withheld in them.
pub(crate) fn without_credentials(
    folders: Vec<PathBuf>,
    env: &BTreeMap<String, OsString>,
) -> Vec<PathBuf> {
    let named = VARIABLES.iter().filter_map(|name| env.get(*name));
    let keys = PRIVATE_KEYS.iter().map(PathBuf::from);
    let all = keys.chain(named.map(PathBuf::from));
    let all = all.chain(credential_places(&system_prefixes()));
    let withheld = existing_places(all);
    let open = |folder: PathBuf| open_parts(folder, &withheld);
    folders.into_iter().flat_map(open).collect()
}

fn credential_places(prefixes: &[PathBuf]) -> Vec<PathBuf> {
    let below = |prefix: &PathBuf| {
        let settings = prefix.join("etc");
        let files = CREDENTIALS.map(|name| settings.join(name));
        files.into_iter().chain([prefix.join(OF_NPM)])
    };
    prefixes.iter().flat_map(below).collect()
}

/// Those of the places that are there, as the kernel names them.
fn existing_places(places: impl Iterator<Item = PathBuf>) -> BTreeSet<PathBuf> {
    places
        .filter_map(|place| fs::canonicalize(place).ok())
        .collect()
}

/// A folder or a file, or what may be read in it where something is withheld there.
fn open_parts(folder: PathBuf, withheld: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let real = fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone());
    if withheld.iter().any(|place| real.starts_with(place)) {
        return Vec::new();
    }
    if !withheld.iter().any(|place| place.starts_with(&real)) {
        return vec![folder];
    }
    let entries = fs::read_dir(&real).into_iter().flatten().flatten();
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|file| file.is_symlink());
    let below = entries.map(|entry| entry.path()).flat_map(|path| {
        let parts = if is_link(&path) {
            // A link is as open as what it leads to, and leads nowhere that holds what is withheld: to the folder above
            // it, it would lead for ever.
            linked_part(path, withheld)
        } else {
            open_parts(path, withheld)
        };
        parts.into_iter()
    });
    below.collect()
}

fn linked_part(link: PathBuf, withheld: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let Ok(real) = fs::canonicalize(&link) else {
        return Vec::new();
    };
    let mut places = withheld.iter();
    let is_near = places.any(|place| place.starts_with(&real) || real.starts_with(place));
    if is_near { Vec::new() } else { vec![link] }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILES: [&str; 8] = [
        "etc/npmrc",
        "etc/hosts",
        "etc/ssl/private/a.key",
        "etc/ssl/certs/a.pem",
        "local/etc/.netrc",
        "local/share/x",
        "lib/node_modules/npm/npmrc",
        "lib/node_modules/npm/index.js",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

        /// Whichever files are there and whichever are withheld: those are not read, and all else is.
        #[test]
        fn what_is_withheld_is_not_read_and_all_else_is(
            there in prop::collection::btree_set(0..FILES.len(), 1..FILES.len()),
            secret in prop::collection::btree_set(0..FILES.len(), 0..4),
            links_above in any::<bool>(),
        ) {
            let root = tempfile::tempdir().unwrap();
            let prefix = root.path().canonicalize().unwrap();
            for &at in &there {
                let file = prefix.join(FILES[at]);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "x").unwrap();
            }
            if links_above {
                std::os::unix::fs::symlink(&prefix, prefix.join("again")).unwrap();
            }
            let withheld = existing_places(secret.iter().map(|&at| prefix.join(FILES[at])));
            let open = open_parts(prefix.clone(), &withheld);
            for &at in &there {
                let file = prefix.join(FILES[at]);
                let is_read = open.iter().any(|part| {
                    file.starts_with(part) || part.canonicalize().is_ok_and(|part| file.starts_with(part))
                });
                prop_assert_eq!(is_read, !secret.contains(&at), "{} of {:?}", FILES[at], open);
            }
        }
    }

    /// Where npm, pip and others look for settings of a whole machine.
    #[test]
    fn the_credentials_of_a_prefix_are_withheld() {
        let root = tempfile::tempdir().unwrap();
        let prefix = root.path().canonicalize().unwrap();
        let secret = [
            "etc/npmrc",
            "etc/.pypirc",
            "etc/.netrc",
            "etc/apt/auth.conf.d/x",
            OF_NPM,
        ];
        for name in secret.into_iter().chain(["etc/passwd", "bin/npm"]) {
            fs::create_dir_all(prefix.join(name).parent().unwrap()).unwrap();
            fs::write(prefix.join(name), "x").unwrap();
        }
        let places = credential_places(std::slice::from_ref(&prefix));
        let open = open_parts(prefix.clone(), &existing_places(places.into_iter()));
        let is_read = |name: &str| open.iter().any(|part| prefix.join(name).starts_with(part));
        assert!(is_read("etc/passwd") && is_read("bin/npm"), "{open:?}");
        assert!(!secret.iter().any(|name| is_read(name)), "{open:?}");
    }

    /// This machine's own keys, and a file that a variable names.
    #[test]
    fn the_keys_of_the_system_are_withheld_and_so_is_what_a_variable_names() {
        let root = tempfile::tempdir().unwrap();
        let own = root.path().canonicalize().unwrap().join("tokens");
        fs::write(&own, "x").unwrap();
        let env = BTreeMap::from([("PIP_CONFIG_FILE".to_owned(), own.clone().into_os_string())]);
        let folders = vec![PathBuf::from("/etc"), root.path().to_path_buf()];
        let open = without_credentials(folders, &env);
        let is_read = |path: &Path| open.iter().any(|part| path.starts_with(part));
        assert!(!is_read(&own), "{open:?}");
        for key in ["/etc/ssl/private", "/etc/npmrc"].map(Path::new) {
            assert!(!key.exists() || !is_read(key), "{open:?}");
        }
        assert!(is_read(Path::new("/etc/passwd")));
    }
}
