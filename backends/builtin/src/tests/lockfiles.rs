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

const NPM: &str = "{\"packages\": {\n\"node_modules/a\": {\"version\": \"1.0.0\",\n\"resolved\": \"https://registry.example.org/a/-/a-1.0.0.tgz\",\n\"integrity\": \"sha512-AAAA\"\n}}}\n";
const CARGO: &str = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"aaaa\"\n";
const UV: &str = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = { registry = \"https://index.example.org/simple\" }\n";
const GEMS: &str = "GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1.0.0)\n      b (>= 1)\n\nPLATFORMS\n  ruby\n";
const COMPOSER: &str = "{\"packages\": [{\"name\": \"a/b\", \"version\": \"1.0.0\",\n\"source\": {\"url\": \"https://github.com/a/b.git\", \"reference\": \"aa\"},\n\"dist\": {\"url\": \"https://api.github.com/repos/a/b/zipball/aa\",\n\"shasum\": \"dddd\"}}]}\n";
const PNPM: &str = "packages:\n\n  a@1.0.0:\n    resolution: {integrity: sha512-AAAA}\n";
const BERRY: &str =
    "\"a@npm:1.0.0\":\n  version: 1.0.0\n  resolution: \"a@npm:1.0.0\"\n  checksum: 10c0/aaaa\n";
const BUN: &str = "{ \"packages\": {\n    \"a\": [\"a@1.0.0\", \"\", {}, \"sha512-AAAA\"],\n} }\n";
const DENO: &str = "{\"version\": \"4\", \"npm\": {\"a@1.0.0\": {\"integrity\": \"sha512-AAAA\"}},\n\"remote\": {\"https://deno.land/x/a@1/a.ts\": \"cccc\"}}\n";

/// Parts of a text, each with what takes its place.
type Parts = &'static [(&'static str, &'static str)];

/// A name, a lockfile, and parts of it with what takes their place: each makes another dependency of the same version.
const SWAPS: &[(&str, &str, Parts)] = &[
    (
        "package-lock.json",
        NPM,
        &[(
            "registry.example.org/a/-/a-1",
            "registry.example.org/evil/-/evil-1",
        )],
    ),
    ("package-lock.json", NPM, &[("sha512-AAAA", "sha1-AAAA")]),
    (
        "package-lock.json",
        NPM,
        &[(",\n\"integrity\": \"sha512-AAAA\"", "")],
    ),
    (
        "Cargo.lock",
        CARGO,
        &[(
            "registry+https://github.com/rust-lang/crates.io-index",
            "git+https://evil.io/a#cc",
        )],
    ),
    (
        "Cargo.lock",
        CARGO,
        &[
            (
                "registry+https://github.com/rust-lang/crates.io-index",
                "git+https://evil.io/a#cc",
            ),
            ("checksum = \"aaaa\"\n", ""),
        ],
    ),
    ("uv.lock", UV, &[("index.example.org", "evil.io")]),
    (
        "uv.lock",
        UV,
        &[(
            "registry = \"https://index.example.org/simple\"",
            "git = \"https://evil.io/a?rev=1#cc\"",
        )],
    ),
    ("Gemfile.lock", GEMS, &[("rubygems.org", "evil.io")]),
    ("composer.lock", COMPOSER, &[("api.github.com", "evil.io")]),
    (
        "composer.lock",
        COMPOSER,
        &[("https://github.com/a/b", "https://github.com/evil/b")],
    ),
    ("composer.lock", COMPOSER, &[("dddd", "eeee")]),
    (
        "pnpm-lock.yaml",
        PNPM,
        &[("AAAA}", "AAAA, tarball: https://evil.io/x.tgz}")],
    ),
    ("yarn.lock", BERRY, &[("10c0/aaaa", "10c0/bbbb")]),
    (
        "yarn.lock",
        BERRY,
        &[("resolution: \"a@npm", "resolution: \"evil@npm")],
    ),
    ("bun.lock", BUN, &[("AAAA", "BBBB")]),
    (
        "bun.lock",
        BUN,
        &[("\"\", {}", "\"https://evil.io/a.tgz\", {}")],
    ),
    ("deno.lock", DENO, &[("AAAA", "BBBB")]),
    ("deno.lock", DENO, &[("cccc", "dddd")]),
];

#[test]
fn lockfile_tampering_knows_each_way_to_another_dependency_of_the_same_version() {
    for (path, text, parts) in SWAPS {
        let swap = |text: &str| {
            parts
                .iter()
                .fold(text.to_owned(), |text, (old, new)| text.replace(old, new))
        };
        let tampered = swap(text);
        assert_ne!(tampered, *text);
        assert_speaks("lockfile-tampering", &replaced(path, text, &tampered));
        let updated = swap(&text.replace("1.0.0", "1.0.1").replace("a@1/", "a@2/"));
        assert_silent("lockfile-tampering", &replaced(path, text, &updated));
    }
}

/// What package managers and moves to the public registry do to a version that stays.
#[test]
fn lockfile_tampering_is_silent_on_what_is_the_same_program() {
    for (path, text, old, new) in [
        (
            "package-lock.json",
            NPM,
            "registry.example.org",
            "registry.yarnpkg.com",
        ),
        (
            "package-lock.json",
            NPM,
            "https://registry.example.org/a/-/a-1.0.0.tgz",
            "http://registry.example.org/a/-/a-1.0.0.tgz?x",
        ),
        (
            "Cargo.lock",
            CARGO,
            "registry+https://github.com/rust-lang/crates.io-index",
            concat!("sparse+https:", "//index.crates.io/"),
        ),
        ("yarn.lock", BERRY, "10c0/aaaa", "8/bbbb"),
        (
            "yarn.lock",
            BERRY,
            "resolution: \"a@npm:1.0.0\"",
            "resolution: \"a@patch:a@npm%3A1.0.0#~/x.patch\"",
        ),
        (
            "composer.lock",
            COMPOSER,
            "\"reference\": \"aa\"",
            "\"reference\": \"bb\"",
        ),
        ("Gemfile.lock", GEMS, "      b (>= 1)", "      b (>= 2)"),
    ] {
        let other = text.replace(old, new);
        assert_ne!(other, text);
        assert_silent("lockfile-tampering", &replaced(path, text, &other));
    }
    let git = CARGO.replace(
        "registry+https://github.com/rust-lang/crates.io-index",
        "git+https://github.com/a/a?branch=main#aa",
    );
    let git = git.replace("checksum = \"aaaa\"\n", "");
    for new in [git.replace("#aa", "#bb"), CARGO.to_owned()] {
        assert_silent("lockfile-tampering", &replaced("Cargo.lock", &git, &new));
    }
}

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
