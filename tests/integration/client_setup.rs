//! How agents come into a council: what `init` writes, what the page of agents shows, and what the user alone may allow.

use crate::clients::{failures, report, with_client};
use crate::harness::{Repo, Run};

#[test]
fn a_repository_alone_cannot_seat_an_agent_that_costs_money() {
    let repo = Repo::with_base();
    repo.write("council.toml", "[review]\nagents = ['claude']\n");
    repo.commit("Seat a model");
    repo.write("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
    repo.commit("More");
    repo.council(["review", "HEAD"])
        .ends(2)
        .tells("git council init");
}

#[test]
fn init_writes_what_is_installed_and_nothing_that_costs() {
    let repo = with_client("claude", "votes", "");
    let config = repo.in_home(".config/git-council/config.toml");
    repo.council(["init"]).ends(2).tells("already exists");
    std::fs::remove_file(&config).unwrap();
    let bin = repo.in_home("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("codex"), "#!/bin/sh\necho codex-cli 9.9.9\n").unwrap();
    std::os::unix::fs::symlink("/bin/true", bin.join("gemini")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("codex"), mode).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    repo.council_with(&[("PATH", &path)], &["init"])
        .ends(0)
        .prints("codex-cli 9.9.9");
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(
        text.contains("[agents.codex]") && text.contains("agents = [\"builtin\"]"),
        "{text}"
    );
    repo.council(["review", "HEAD", "--json"])
        .prints("\"builtin\"");
}

#[test]
fn every_preset_of_init_writes_files_that_a_review_obeys() {
    for (preset, files) in [
        ("solo", &[][..]),
        ("team", &["council.toml", ".github/workflows/council.yml"]),
        (
            "open-source",
            &[
                "council.toml",
                ".github/workflows/council-review.yml",
                ".github/workflows/council-publish.yml",
            ],
        ),
    ] {
        let repo = Repo::with_base();
        let init = ["init", "--preset", preset];
        let printed = repo.council_with(&[], &[&init[..], &["--print"]].concat());
        assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
        assert_eq!(
            repo.git(["status", "--porcelain"]),
            "",
            "--print writes nothing"
        );
        let own = repo.in_home(".config/git-council/config.toml");
        assert!(!own.exists());
        let run = repo.council_with(&[], &init).ends(0);
        let wrote = &run.stdout;
        assert_eq!(own.exists(), preset == "solo");
        for file in files {
            assert!(wrote.contains(&format!("{file}\n")), "{wrote}");
            let text = std::fs::read_to_string(repo.path().join(file)).unwrap();
            assert!(printed.stdout.contains(&text), "{file}");
        }
        // What is there is not overwritten unless that is asked for.
        repo.council_with(&[], &init)
            .ends(2)
            .tells("already exists");
        repo.council_with(&[], &[&init[..], &["--force"]].concat())
            .ends(0);
        repo.commit("Set up git-council");
        repo.write("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
        repo.commit("More");
        let doctor = repo.council(["doctor"]).ends(0);
        assert!(!doctor.stdout.contains("note: "), "{}", doctor.stdout);
        let review = repo.council(["review", "HEAD"]).ends(0);
        assert!(!review.stderr.contains("warning"), "{}", review.stderr);
    }
}

#[test]
fn a_preset_for_a_repository_needs_one() {
    let home = Repo::home();
    home.council(["init", "--preset", "team"])
        .ends(2)
        .tells("--preset solo");
}

#[test]
fn every_example_of_the_page_of_agents_is_a_configuration() {
    let page = include_str!("../../docs/agents.md");
    let examples: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(examples.len() >= 3);
    for example in examples {
        let repo = Repo::with_base();
        repo.write_home(".config/git-council/config.toml", example);
        repo.council(["config"]).ends(0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_sandbox_keeps_a_program_from_the_user_s_files_or_is_an_error() {
    let repo = Repo::with_base();
    repo.write("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
    repo.commit("More");
    repo.write_home("secret", "the secret\n");
    let (secret, out) = (repo.in_home("secret"), repo.in_home("out"));
    let shared = std::path::PathBuf::from(format!("/dev/shm/council-{}", std::process::id()));
    let script = format!(
        "cat '{0}' src/more.rs; chmod 777 '{0}'; touch -d 2001-01-01 '{0}'; echo x > '{1}'; \
         echo x > '{2}'; echo x > \"$HOME/own\" && cat \"$HOME/own\"",
        secret.display(),
        out.display(),
        shared.display()
    );
    let config = format!(
        "[agents.helper]\ndriver = 'command'\ncommand = ['/bin/sh', '-c', {script:?}]\nsandbox = 'required'\n"
    );
    repo.write_home(".config/git-council/config.toml", &config);
    let state = || {
        use std::os::unix::fs::MetadataExt as _;
        let found = std::fs::metadata(&secret).unwrap();
        (found.mode(), found.mtime(), found.ctime())
    };
    let before = state();
    let run = repo.council(["review", "HEAD", "--json", "--config", "review.judges=1"]);
    assert_eq!(state(), before, "permissions and times of the user's files");
    if !council_agents::guard::is_enforceable() {
        run.ends(3).prints("sandbox");
        return;
    }
    let text = run.stdout.clone() + &run.stderr;
    assert!(!text.contains("the secret") && !out.exists(), "{text}");
    assert!(!shared.exists(), "the memory that other programs share");
    assert_eq!(
        failures(&report(&run)).first().map(String::as_str),
        Some("prose"),
        "{text}"
    );
}

/// Whoever is at a terminal and wants a hook that a manager keeps is told that nothing else was written either.
#[test]
fn a_setup_that_is_taken_back_is_told() {
    const PTY: &str =
        "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let repo = Repo::with_base();
    repo.write(".husky/_/h", "");
    repo.git(["config", "core.hooksPath", ".husky/_"]);
    let council = repo.program(&repo.path());
    let mut terminal = std::process::Command::new("python3");
    terminal.args(["-c", PTY]).arg(council.get_program());
    terminal.args(["init", "--preset", "solo"]);
    terminal.env_clear().current_dir(repo.path());
    for (name, value) in council.get_envs() {
        value.map(|value| terminal.env(name, value));
    }
    let answers = repo.in_home("answers");
    std::fs::write(&answers, "\ny\n\n").unwrap();
    terminal.stdin(std::fs::File::open(&answers).unwrap());
    let told = Run::of(terminal.output().unwrap());
    assert!(
        told.stdout.contains("husky manages the hooks here"),
        "{told:?}"
    );
    assert!(told.stdout.contains("nothing was written"), "{told:?}");
    assert!(!repo.in_home(".config/git-council/config.toml").exists());
}
