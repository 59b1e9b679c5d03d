//! A locked dependency that becomes another one while its version stays, in the files of each package manager.

use council_protocol::BlobSource;

use super::wrong_classes::{assert_silent, assert_speaks};
use crate::fixture::RuleFixture;

/// A name, a lockfile, a part of it that tells what the dependency must be, and another one in its place.
const LOCKED: &[(&str, &str, &str, &str)] = &[
    (
        "package-lock.json",
        "{\n  \"packages\": {\n    \"node_modules/a\": {\n      \"version\": \"1.0.0\",\n      \"resolved\": \"https://packages.example.org/a/-/a-1.0.0.tgz\",\n      \"integrity\": \"sha512-AAAA\"\n    }\n  }\n}\n",
        "packages.example.org",
        "registry.evil.org",
    ),
    (
        "package-lock.json",
        "{\"dependencies\": {\"a\": {\"version\": \"1.0.0\", \"integrity\": \"sha512-AAAA\"}}}\n",
        "AAAA",
        "BBBB",
    ),
    (
        "yarn.lock",
        "a@^1.0.0:\n  version \"1.0.0\"\n  resolved \"https://packages.example.org/a/-/a-1.0.0.tgz#aa\"\n  integrity sha512-AAAA\n",
        "AAAA",
        "BBBB",
    ),
    (
        "pnpm-lock.yaml",
        "packages:\n\n  a@1.0.0:\n    resolution: {integrity: sha512-AAAA}\n",
        "AAAA",
        "BBBB",
    ),
    (
        "Cargo.lock",
        "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+x\"\nchecksum = \"aaaa\"\n",
        "aaaa",
        "bbbb",
    ),
    (
        "uv.lock",
        "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsdist = { url = \"https://packages.example.org/a-1.tar.gz\", hash = \"sha256:aaaa\", size = 1 }\n",
        "aaaa",
        "bbbb",
    ),
    (
        "uv.lock",
        "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsdist = { url = \"https://packages.example.org/a-1.tar.gz\", hash = \"sha256:aaaa\", size = 1 }\n",
        "packages.example.org",
        "files.evil.org",
    ),
    (
        "poetry.lock",
        "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nfiles = [\n    {file = \"a-1.tar.gz\", hash = \"sha256:aaaa\"},\n]\n",
        "aaaa",
        "bbbb",
    ),
    (
        "Pipfile.lock",
        "{\"default\": {\"a\": {\"hashes\": [\"sha256:aaaa\"], \"version\": \"==1.0.0\"}}}\n",
        "aaaa",
        "bbbb",
    ),
    (
        "requirements.txt",
        "a==1.0.0 \\\n    --hash=sha256:aaaa \\\n    --hash=sha256:cccc\n",
        "aaaa",
        "bbbb",
    ),
    ("go.sum", "example.org/a v1.0.0 h1:AAAA=\n", "AAAA", "BBBB"),
    (
        "Gemfile.lock",
        "CHECKSUMS\n  rake (1.0.0) sha256=aaaa\n",
        "aaaa",
        "bbbb",
    ),
];

/// The whole file replaced by another one.
fn replaced(path: &str, old: &str, new: &str) -> String {
    let side = |mark: char, text: &str| -> String {
        text.lines().map(|line| format!("{mark}{line}\n")).collect()
    };
    format!("=== {path}\n{}{}", side('-', old), side('+', new))
}

#[test]
fn lockfile_tampering_knows_the_files_of_each_package_manager() {
    for (path, text, old, new) in LOCKED {
        let tampered = text.replace(old, new);
        assert_speaks("lockfile-tampering", &replaced(path, text, &tampered));
        let updated = tampered.replace("1.0.0", "1.0.1").replace("a-1.", "a-2.");
        assert_silent("lockfile-tampering", &replaced(path, text, &updated));
        let more = format!("{text}\n");
        assert_silent("lockfile-tampering", &replaced(path, text, &more));
    }
}

#[test]
fn lockfile_tampering_knows_that_archives_are_added() {
    let old = "a==1.0.0 --hash=sha256:aaaa\n";
    let new = "a==1.0.0 --hash=sha256:aaaa --hash=sha256:bbbb\n";
    assert_silent(
        "lockfile-tampering",
        &replaced("requirements.txt", old, new),
    );
    let (old, new) = (
        "a v1.0.0 h1:A=\n",
        "a v1.0.0 h1:A=\na v1.0.0/go.mod h1:B=\n",
    );
    assert_silent("lockfile-tampering", &replaced("go.sum", old, new));
}

/// Lockfiles are left out of a packet, unless this says that they must not be.
#[test]
fn a_lockfile_that_was_tampered_with_is_not_left_out() {
    for (path, text, old, new) in LOCKED {
        let speaks = |new: &str| {
            let fixture = RuleFixture::parse(&replaced(path, text, new));
            let mut file = fixture.packet.files[0].clone();
            file.hunks.clear();
            let blobs: &dyn BlobSource = &*fixture.blobs;
            crate::speaks_of(&file, blobs)
        };
        assert!(speaks(&text.replace(old, new)), "{path}");
        assert!(!speaks(&text.replace("1.0.0", "1.0.1")), "{path}");
    }
}
