//! Backends from elsewhere, built here and reached through the real loader, over a real change.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::Repo;

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A judge of three lines of shell: it copies the key that its prompt names.
const JUDGE: &str = r#"#!/bin/sh
key=$(sed -n 's/.*`key` is `\([^`]*\)`.*/\1/p' | tail -n 1)
printf '{"schema_version":1,"round":1,"key":"%s","verdict":"FAIL","confidence":"HIGH","key_insight":"No.",' "$key"
printf '"findings":[{"severity":"critical","category":"naming","description":"The name says nothing.",'
printf '"location":{"path":"src/more.rs","line":2},"quote":"pub const MORE: u32 = 1;","why":"w","fix":"f"}],"recommendation":"Rename it."}\n'
"#;

fn changed() -> Repo {
    let repo = Repo::with_base();
    repo.write("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
    repo.commit("More");
    repo
}

/// The example in C, compiled as its first comment says, with a judge on the PATH that it is given.
fn with_c_plugin() -> Repo {
    let repo = changed();
    let judge = repo.in_home("judge.sh");
    std::fs::write(&judge, JUDGE).unwrap();
    std::fs::set_permissions(&judge, PermissionsExt::from_mode(0o755)).unwrap();
    let library = repo.in_home("command.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-pthread", "-I"])
        .arg(source("plugins/abi/include"))
        .arg("-o")
        .arg(&library)
        .arg(source("plugins/examples/c/command.c"))
        .status()
        .unwrap();
    assert!(built.success());
    let config = format!(
        "[backends.linter]\nlibrary = {library:?}\nconfig = {{ argv = [{judge:?}] }}\n[agents.linter]\ndriver = 'backend'\n"
    );
    repo.write_home(".config/git-council/config.toml", &config);
    repo
}

/// The example in Rust: cargo builds it with the tests of the workspace.
fn with_rust_plugin() -> Repo {
    let examples = Path::new(env!("CARGO_BIN_EXE_git-council")).with_file_name("examples");
    let built = examples.join("libteams_plugin.so");
    assert!(
        built.is_file(),
        "{} is missing: `cargo test --workspace` builds it",
        built.display()
    );
    let repo = changed();
    repo.write(
        "notes.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    repo.commit("Merge");
    let library = repo.in_home("libteams_plugin.so");
    std::fs::copy(built, &library).unwrap();
    repo.write_home(
        ".config/git-council/config.toml",
        &format!("[backends.own]\nlibrary = {library:?}\n"),
    );
    repo
}

#[test]
fn a_plugin_in_c_reviews_a_real_change() {
    let repo = with_c_plugin();
    let run = repo
        .council([
            "review",
            "HEAD",
            "--backend",
            "linter",
            "--agents",
            "linter",
            "--json",
        ])
        .ends(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["receipt"]["run"]["backend"]["name"], "linter");
    assert_eq!(report["receipt"]["participation"]["counted"], 2);
    assert_eq!(report["findings"][0]["disposition"], "confirmed");
}

#[test]
fn a_plugin_in_rust_reviews_a_real_change_across_the_c_interface() {
    let repo = with_rust_plugin();
    let run = repo
        .council(["review", "HEAD", "--backend", "own", "--debate", "--json"])
        .ends(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    // Its judges are rules, which do not debate; the conformance suite plays debates over every carrier.
    assert_eq!(report["rounds"], 1, "{}", run.stdout);
    assert_eq!(report["receipt"]["run"]["backend"]["name"], "own");
    repo.council(["backends", "check", "own"])
        .prints("handshake");
}

#[test]
fn backends_and_doctor_name_the_plugin_and_where_it_comes_from() {
    let repo = with_c_plugin();
    repo.council(["backends"])
        .ends(0)
        .prints("`backends.linter`");
    repo.council(["doctor"]).ends(0).prints("linter");
    repo.council(["backends", "check", "linter"])
        .ends(0)
        .prints("0 failed");
}

#[test]
fn t3_a_plugin_that_the_repository_names_or_holds_is_refused() {
    let repo = changed();
    repo.write(
        "council.toml",
        "[backends.evil]\nlibrary = '/tmp/evil.so'\n",
    );
    let run = repo.council(["review", "HEAD"]);
    assert!(
        run.stdout.contains("backends.evil.library")
            || run.stderr.contains("backends.evil.library"),
        "{run:?}"
    );
    let repo = with_c_plugin();
    let inside = repo.path().join("command.so");
    std::fs::copy(repo.in_home("command.so"), &inside).unwrap();
    repo.write_home(
        ".config/git-council/config.toml",
        &format!("[backends.in]\nlibrary = {inside:?}\n"),
    );
    repo.council(["review", "HEAD", "--backend", "in"])
        .ends(2)
        .tells("repository");
    let open = repo.in_home("command.so");
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o777)).unwrap();
    repo.write_home(
        ".config/git-council/config.toml",
        &format!("[backends.open]\nlibrary = {open:?}\n"),
    );
    repo.council(["review", "HEAD", "--backend", "open"])
        .ends(2)
        .tells("writ");
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o755)).unwrap();
    let pinned = format!(
        "[backends.pin]\nlibrary = {open:?}\nsha256 = '{}'\n",
        "0".repeat(64)
    );
    repo.write_home(".config/git-council/config.toml", &pinned);
    repo.council(["review", "HEAD", "--backend", "pin"])
        .ends(2)
        .tells("sha256");
}

#[test]
fn a_configured_plugin_never_breaks_a_plain_review_and_doctor_says_the_same() {
    let repo = changed();
    let config =
        "[backends.gone]\nprogram = '/nowhere/plugin'\n[agents.gone]\ndriver = 'backend'\n";
    repo.write_home(".config/git-council/config.toml", config);
    repo.council(["review", "HEAD"]).ends(0).prints("PASS");
    let doctor = repo.council(["doctor"]).ends(0);
    assert!(doctor.stdout.contains("builtin"), "{}", doctor.stdout);
    // Whoever asks for it is told why it is not there, by both.
    for command in [
        &["review", "HEAD", "--agents", "gone"][..],
        &["doctor", "--config", "review.agents=gone"],
    ] {
        repo.council_with(&[], command)
            .ends(2)
            .tells("/nowhere/plugin");
    }
}

#[test]
fn background_workers_claim_no_agent_that_only_a_plugin_can_run() {
    let repo = with_c_plugin();
    let run = repo
        .council(["review", "HEAD", "--agents", "linter", "--json"])
        .ends(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["receipt"]["run"]["backend"]["name"], "linter");
    let doctor = repo
        .council(["doctor", "--config", "review.agents=linter"])
        .ends(0)
        .stdout;
    let row = |name: &str| {
        doctor
            .lines()
            .find(|line| line.trim_start().starts_with(name))
    };
    assert!(row("linter").unwrap().contains("used"), "{doctor}");
    assert!(row("background").unwrap().contains("not used"), "{doctor}");
}

#[test]
fn mixed_takes_agents_of_plugins() {
    let repo = with_c_plugin();
    let file = repo.in_home(".config/git-council/config.toml");
    let config = std::fs::read_to_string(&file).unwrap()
        + "vendor = 'one'\n[agents.other]\ndriver = 'backend'\nvendor = 'two'\n";
    std::fs::write(&file, config).unwrap();
    let run = repo
        .council([
            "review",
            "HEAD",
            "--mixed",
            "--agents",
            "linter,other",
            "--judges",
            "2",
            "--json",
        ])
        .ends(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        report["receipt"]["participation"]["asked"], 4,
        "{}",
        run.stdout
    );
}

#[test]
fn a_preset_works_on_a_machine_on_which_nothing_is_configured_and_doctor_answers_for_every_procedure()
 {
    let repo = changed();
    repo.council(["review", "HEAD", "--preset", "code-review"])
        .ends(0)
        .prints("PASS")
        .prints("is for agents with a model");
    let doctor = repo.council(["doctor"]).ends(0).stdout;
    for procedure in ["quick", "review", "debate", "cross-examination", "staged"] {
        let answer =
            |line: &str| line.trim_start().starts_with(procedure) && line.contains(", run by ");
        assert!(doctor.lines().any(answer), "{procedure}: {doctor}");
    }
}
