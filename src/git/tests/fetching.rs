//! Fetching a pull request runs and obeys nothing that the repository's own configuration names.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::fetch::{FetchSource, WantedRef, fetch_refs, ignored_keys};
use crate::testing::Repo;
use crate::{GitEnvironment, GitError, commit_at};

const LOCAL: &str = "refs/council/pr/1/head";

/// A clone whose configuration names a trap wherever git would run a program while it fetches.
fn trapped() -> (Repo, Repo, PathBuf) {
    let origin = Repo::new();
    origin.write("a", "1\n").commit("first");
    let clone = Repo::clone_of(&origin, &[]);
    let head = origin.write("a", "2\n").commit("second");
    origin.git(&["update-ref", "refs/pull/1/head", &head]);
    let (trap, mark) = (clone.path().join("trap"), clone.path().join("mark"));
    let script = format!(
        "#!/bin/sh\necho \"$0 $*\" >> '{}'\nexit 1\n",
        mark.display()
    );
    std::fs::write(&trap, script).unwrap();
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    let hook = clone.path().join(".git/hooks/reference-transaction");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::copy(&trap, hook).unwrap();
    let trap = trap.to_str().unwrap();
    for key in [
        "core.sshCommand",
        "core.gitProxy",
        "core.askPass",
        "core.fsmonitor",
        "core.alternateRefsCommand",
        "credential.helper",
        "remote.origin.uploadpack",
        "remote.origin.proxy",
        "http.proxy",
        "gpg.program",
    ] {
        clone.git(&["config", key, trap]);
    }
    clone.git(&["config", "protocol.ext.allow", "always"]);
    clone.git(&["config", &format!("url.ext::{trap} .insteadOf"), "file://"]);
    (origin, clone, mark)
}

fn env(repo: &Repo) -> GitEnvironment {
    let path = std::env::var("PATH").unwrap();
    let home = repo.path().to_str().unwrap();
    Repo::env(&[
        ("PATH", &path),
        ("HOME", home),
        ("GIT_CONFIG_NOSYSTEM", "1"),
    ])
}

fn fetch(repo: &Repo, remote: &str, name: &str) -> Result<(), GitError> {
    let env = env(repo);
    let vars = env
        .all()
        .map(|(n, v)| (n.to_owned(), v.to_owned()))
        .collect();
    let source = FetchSource {
        remote,
        vars,
        header: None,
    };
    let wanted = WantedRef {
        remote: name.to_owned(),
        local: LOCAL.to_owned(),
    };
    fetch_refs(repo.path(), &env, &source, &[wanted])
}

#[test]
fn what_of_the_configuration_has_no_part_in_a_fetch_is_known() {
    let (origin, clone, _mark) = trapped();
    let known = ignored_keys(clone.path(), &env(&clone));
    for key in [
        "core.sshcommand",
        "core.gitproxy",
        "core.askpass",
        "credential.helper",
        "remote.origin.uploadpack",
        "remote.origin.proxy",
        "http.proxy",
    ] {
        assert!(known.iter().any(|known| known == key), "{key}: {known:?}");
    }
    let is_other = |key: &String| key.starts_with("gpg.") || key == "remote.origin.url";
    assert!(!known.iter().any(is_other), "{known:?}");
    assert!(ignored_keys(origin.path(), &env(&origin)).is_empty());
}

/// The traps are real: git itself, asked in the clone, steps into them.
#[test]
fn git_alone_runs_what_the_repository_configures() {
    let (_origin, clone, mark) = trapped();
    let plain = |args: &[&str]| {
        let _ = std::fs::remove_file(&mark);
        let mut git = std::process::Command::new("git");
        git.current_dir(clone.path()).args(args);
        git.env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", clone.path());
        let _ = git.output().unwrap();
        std::fs::read_to_string(&mark).unwrap_or_default()
    };
    let fetched = plain(&["fetch", "origin", "refs/pull/1/head"]);
    assert!(fetched.contains("/trap"), "{fetched}");
    let hooked = plain(&["update-ref", LOCAL, "HEAD"]);
    assert!(hooked.contains("reference-transaction"), "{hooked}");
}

#[test]
fn nothing_that_the_repository_configures_is_run() {
    let (origin, clone, mark) = trapped();
    fetch(&clone, "origin", "refs/pull/1/head").unwrap();
    let fetched = commit_at(clone.path(), &env(&clone), LOCAL).unwrap();
    assert_eq!(fetched, origin.git(&["rev-parse", "refs/pull/1/head"]));
    assert!(
        !mark.exists(),
        "{}",
        std::fs::read_to_string(&mark).unwrap()
    );
    // Nothing of it is left behind.
    let left = std::fs::read_dir(clone.path().join(".git/council")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn an_address_that_names_a_program_is_refused() {
    let (_origin, clone, mark) = trapped();
    let trap = clone.path().join("trap");
    let address = format!("ext::{} x", trap.display());
    clone.git(&["config", "remote.origin.url", &address]);
    for remote in ["origin", &address] {
        assert!(fetch(&clone, remote, "refs/pull/1/head").is_err());
    }
    assert!(!mark.exists());
}

#[test]
fn a_failed_fetch_moves_nothing_and_says_so() {
    let (_origin, clone, _) = trapped();
    fetch(&clone, "origin", "refs/pull/1/head").unwrap();
    let before = clone.git(&["rev-parse", LOCAL]);
    assert!(fetch(&clone, "origin", "refs/pull/9/head").is_err());
    assert_eq!(clone.git(&["rev-parse", LOCAL]), before);
}

#[test]
fn a_shallow_clone_stays_shallow_and_still_reads_its_history() {
    let origin = Repo::new();
    for n in 0..4 {
        origin.write("a", format!("{n}\n")).commit("more");
    }
    let clone = Repo::clone_of(&origin, &["--depth=1"]);
    let head = origin.write("a", "new\n").commit("head");
    origin.git(&["update-ref", "refs/pull/1/head", &head]);
    fetch(&clone, "origin", "refs/pull/1/head").unwrap();
    assert_eq!(clone.git(&["rev-list", "--count", LOCAL]), "2");
    assert_eq!(clone.git(&["rev-parse", "--is-shallow-repository"]), "true");
    clone.git(&["fsck", "--connectivity-only"]);
}
