//! The program behind Codex's launcher: a script of the npm package starts it at the price of a second process.

use std::path::{Path, PathBuf};

/// Where the package keeps the program for this machine.
const TRIPLES: &[(&str, &str)] = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    &[("codex-linux-x64", "x86_64-unknown-linux-musl")]
} else if cfg!(all(target_os = "linux", target_arch = "aarch64")) {
    &[("codex-linux-arm64", "aarch64-unknown-linux-musl")]
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    &[("codex-darwin-arm64", "aarch64-apple-darwin")]
} else {
    &[]
};

/// The native program behind a launcher; none where the program is no launcher, or keeps it elsewhere.
pub(super) fn find_native(launcher: &Path) -> Option<PathBuf> {
    let script = launcher.canonicalize().ok()?;
    if script.extension()? != "js" {
        return None;
    }
    // …/node_modules/@openai/codex/bin/codex.js
    let package = script.parent()?.parent()?;
    let scopes = [
        package.parent()?.to_path_buf(),
        package.join("node_modules/@openai"),
    ];
    let below = |scope: &PathBuf| {
        TRIPLES
            .iter()
            .map(move |(name, triple)| {
                scope
                    .join(name)
                    .join("vendor")
                    .join(triple)
                    .join("bin/codex")
            })
            .collect::<Vec<_>>()
    };
    scopes
        .iter()
        .flat_map(below)
        .find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_native_program_is_preferred_to_its_launcher() {
        let Some((name, triple)) = TRIPLES.first() else {
            return;
        };
        let root = tempfile::tempdir().unwrap();
        let scope = root.path().join("node_modules/@openai");
        let native = scope
            .join(name)
            .join("vendor")
            .join(triple)
            .join("bin/codex");
        for file in [&scope.join("codex/bin/codex.js"), &native] {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let launcher = root.path().join("codex");
        std::os::unix::fs::symlink(scope.join("codex/bin/codex.js"), &launcher).unwrap();
        assert_eq!(find_native(&launcher), Some(native.canonicalize().unwrap()));
        assert_eq!(find_native(&native), None, "it is no launcher");
    }
}
