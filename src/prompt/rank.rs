//! Which files tell most about a change: when not everything fits, these are shown first.

use std::cmp::Reverse;

use council_protocol::FileChange;

/// How telling a file is, most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileTier {
    /// Code and configuration that guard something.
    Security,
    /// Code.
    Code,
    /// Builds, settings, data that code reads.
    Config,
    /// Tests.
    Test,
    /// Documents and everything else.
    Document,
}

/// The order in which the files of a packet are shown: indices, most telling first.
pub(super) fn rank_files(files: &[FileChange]) -> Vec<usize> {
    let mut keyed: Vec<_> = files
        .iter()
        .enumerate()
        .map(|(index, file)| {
            let (added, removed) = file.counts();
            ((file_tier(file), Reverse(added + removed), index), index)
        })
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, index)| index).collect()
}

/// The tier of a file, by its path.
pub(super) fn file_tier(file: &FileChange) -> FileTier {
    let path = file.path.display().to_ascii_lowercase();
    let kind = path_tier(
        &path,
        file.path
            .extension()
            .map(str::to_ascii_lowercase)
            .as_deref(),
    );
    match kind {
        FileTier::Code | FileTier::Config if is_guarding_path(&path) => FileTier::Security,
        kind => kind,
    }
}

fn path_tier(path: &str, extension: Option<&str>) -> FileTier {
    const TESTS: &[&str] = &[
        "test",
        "tests",
        "spec",
        "specs",
        "testdata",
        "fixtures",
        "__tests__",
        "bench",
        "benches",
        "examples",
    ];
    const DOCUMENTS: &[&str] = &[
        "md", "rst", "txt", "adoc", "tex", "svg", "csv", "tsv", "po", "ipynb", "snap",
    ];
    const CONFIG: &[&str] = &[
        "toml",
        "yaml",
        "yml",
        "json",
        "jsonc",
        "ini",
        "cfg",
        "conf",
        "xml",
        "properties",
        "env",
        "gradle",
        "cmake",
        "tf",
        "hcl",
        "nix",
        "mk",
        "lock",
        "plist",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let in_tests = path.split('/').any(|part| TESTS.contains(&part));
    if in_tests
        || ["_test", "_spec", "test_"]
            .iter()
            .any(|t| stem.ends_with(t) || stem.starts_with(t))
        || name.contains(".test.")
        || name.contains(".spec.")
    {
        return FileTier::Test;
    }
    match extension {
        Some(e) if DOCUMENTS.contains(&e) => FileTier::Document,
        Some(e) if CONFIG.contains(&e) => FileTier::Config,
        Some(_) => FileTier::Code,
        None if matches!(stem, "dockerfile" | "makefile" | "justfile" | "jenkinsfile") => {
            FileTier::Config
        }
        None => FileTier::Document,
    }
}

/// Whether a path speaks of something that guards: words of it, not parts of words.
fn is_guarding_path(path: &str) -> bool {
    const WORDS: &[&str] = &[
        "auth",
        "authn",
        "authz",
        "oauth",
        "oidc",
        "saml",
        "jwt",
        "login",
        "signin",
        "session",
        "sessions",
        "password",
        "passwords",
        "crypto",
        "cipher",
        "tls",
        "ssl",
        "cert",
        "certs",
        "secret",
        "secrets",
        "token",
        "tokens",
        "key",
        "keys",
        "permission",
        "permissions",
        "acl",
        "rbac",
        "policy",
        "sandbox",
        "security",
        "sanitize",
        "sanitizer",
        "escape",
        "csrf",
        "cors",
        "sudo",
        "payment",
        "payments",
        "billing",
        "workflows",
        "hooks",
        "dockerfile",
        "deploy",
        "migrations",
    ];
    path.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::tests::file;

    #[test]
    fn paths_fall_into_tiers() {
        for (path, expected) in [
            ("src/auth/login.rs", FileTier::Security),
            (".github/workflows/ci.yml", FileTier::Security),
            ("src/main.rs", FileTier::Code),
            ("src/monkey.rs", FileTier::Code),
            ("Cargo.toml", FileTier::Config),
            ("Makefile", FileTier::Config),
            ("tests/auth.rs", FileTier::Test),
            ("pkg/auth_test.go", FileTier::Test),
            ("benches/session.rs", FileTier::Test),
            ("web/login.spec.ts", FileTier::Test),
            ("docs/security.md", FileTier::Document),
            ("LICENSE", FileTier::Document),
        ] {
            assert_eq!(file_tier(&file(path)), expected, "{path}");
        }
    }

    #[test]
    fn the_order_is_by_tier_then_size_then_path() {
        let mut big = file("src/b.rs");
        big.hunks.push(council_protocol::Hunk {
            old_start: 1,
            old_lines: 0,
            new_start: 1,
            new_lines: 2,
            section: String::new(),
            body: "+a\n+b\n".into(),
        });
        let files = [
            file("README.md"),
            file("src/a.rs"),
            big,
            file("src/c.rs"),
            file("src/jwt.rs"),
        ];
        assert_eq!(rank_files(&files), [4, 2, 1, 3, 0]);
    }
}
