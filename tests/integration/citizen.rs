//! What git's own commands do: a pager on a terminal and nowhere else, colour by git's settings, silence when all is well.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::harness::{Repo, Run};
use crate::memory::conflicted;

/// Runs the program on a terminal of six lines; what was written to it.
fn on_a_terminal(repo: &Repo, vars: &[(&str, &str)], args: &[&str]) -> String {
    let script =
        "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    let program = repo.program(&repo.path());
    let mut terminal = Command::new("python3");
    terminal.args([
        "-c",
        script,
        "sh",
        "-c",
        "stty rows 6 cols 100 && exec \"$@\"",
        "sh",
    ]);
    terminal.arg(program.get_program()).args(args);
    terminal.env_clear().current_dir(repo.path());
    for (name, value) in program.get_envs() {
        terminal.env(name, value.unwrap());
    }
    terminal.env("TERM", "xterm").envs(vars.iter().copied());
    terminal
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let run = Run::of(terminal.output().unwrap());
    run.stdout + &run.stderr
}

/// A pager that marks every line.
const MARKING: &str = "sed s/^/paged:/";

#[test]
fn a_long_answer_goes_through_the_pager_on_a_terminal_only() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    let pager = [("GIT_PAGER", MARKING)];
    let shown = on_a_terminal(&repo, &pager, &["show"]);
    assert!(
        shown.contains("paged:") && shown.contains("notes.md"),
        "{shown}"
    );
    // One line fits.
    let short = on_a_terminal(&repo, &pager, &["log"]);
    assert!(
        !short.contains("paged:") && short.contains("FAIL"),
        "{short}"
    );
    let plain = repo.council_with(&pager, &["show"]).ends(0).stdout;
    assert!(
        !plain.contains("paged:") && plain.contains("notes.md"),
        "{plain}"
    );
    for off in [("GIT_PAGER", "cat"), ("GIT_PAGER", "/nowhere/pager")] {
        let shown = on_a_terminal(&repo, &[off], &["show"]);
        assert!(!shown.contains("paged:"), "{shown}");
    }
    // The user's pager is run, the repository's never.
    repo.git(["config", "core.pager", MARKING]);
    let theirs = on_a_terminal(&repo, &[("PAGER", "cat")], &["show"]);
    assert!(!theirs.contains("paged:"), "{theirs}");
    repo.git(["config", "--global", "pager.council", MARKING]);
    let own = on_a_terminal(&repo, &[("PAGER", "cat")], &["show"]);
    assert!(own.contains("paged:"), "{own}");
    repo.git(["config", "--global", "pager.council", "false"]);
    assert!(!on_a_terminal(&repo, &[], &["show"]).contains("paged:"));
}

#[test]
fn colour_follows_the_terminal_the_flag_no_color_and_git() {
    let repo = conflicted();
    let coloured = |vars: &[(&str, &str)], args: &[&str]| {
        let vars = [vars, &[("GIT_PAGER", "cat")]].concat();
        on_a_terminal(&repo, &vars, args).contains("\u{1b}[")
    };
    let review = ["review", "HEAD"];
    assert!(coloured(&[], &review));
    assert!(!coloured(&[("NO_COLOR", "1")], &review));
    assert!(!coloured(&[], &["review", "HEAD", "--color", "never"]));
    repo.git(["config", "--global", "color.ui", "false"]);
    assert!(!coloured(&[], &review));
    repo.git(["config", "--global", "color.council", "always"]);
    assert!(coloured(&[], &review));
    let piped = repo.council(["review", "HEAD"]).stdout;
    assert!(piped.contains("\u{1b}["), "always is always: {piped}");
    repo.git(["config", "--global", "color.council", "auto"]);
    let piped = repo.council(["review", "HEAD"]);
    assert!(!piped.stdout.contains("\u{1b}["), "{}", piped.stdout);
    // Nobody watches: nothing is told of the run.
    assert_eq!(piped.stderr, "");
}

/// A setting of colour holds for every command that prints, wherever it is said.
#[test]
fn every_command_obeys_what_is_set_about_colour() {
    let repo = conflicted();
    let vars = [("GIT_PAGER", "cat")];
    let coloured = |args: &[&str]| on_a_terminal(&repo, &vars, args).contains("\u{1b}[");
    let commands: [&[&str]; 5] = [
        &["review", "HEAD"],
        &["show"],
        &["wait"],
        &["replay"],
        &["show", "F99"],
    ];
    let all = |wanted: bool, how: &str| {
        for args in commands {
            assert_eq!(coloured(args), wanted, "{how}: {args:?}");
        }
    };
    all(true, "a terminal");
    repo.write_home(
        ".config/git-council/config.toml",
        "[output]\ncolor = \"never\"\n",
    );
    all(false, "one's own configuration");
    repo.write_home(".config/git-council/config.toml", "");
    repo.git(["config", "--global", "color.ui", "false"]);
    all(false, "git's of the user");
    repo.git(["config", "--global", "--unset", "color.ui"]);
    repo.git(["config", "color.ui", "false"]);
    all(false, "git's of the repository");
    repo.git(["config", "color.ui", "always"]);
    let piped = repo.council(["show"]).stdout;
    assert!(
        !piped.contains("\u{1b}["),
        "a repository turns none on: {piped}"
    );
}

#[test]
fn directories_pathspecs_and_the_environment_mean_what_they_mean_to_git() {
    let repo = conflicted();
    let elsewhere = repo.in_home("");
    let dir = repo.path();
    let dir = dir.to_str().unwrap();
    let run = |args: &[&str], vars: &[(&str, &str)]| repo.council_in(&elsewhere, args, vars);
    run(&["review", "HEAD"], &[])
        .ends(2)
        .tells("is not inside a git repository");
    run(&["-C", dir, "review", "HEAD"], &[]).ends(1);
    run(&["review", "-C", dir, "HEAD", "--", "notes.md"], &[]).ends(1);
    run(&["-C", dir, "review", "HEAD", "--", ":!notes.md"], &[])
        .ends(0)
        .prints("SKIPPED");
    run(&["-C", dir, "review", "HEAD", "--", "*.rs"], &[])
        .ends(2)
        .tells("no changed file matches the pathspecs");
    let named = format!("{dir}/.git");
    let vars = [("GIT_DIR", named.as_str()), ("GIT_WORK_TREE", dir)];
    run(&["review", "HEAD"], &vars).ends(1).prints("notes.md:1");
}

#[test]
fn the_man_page_is_where_git_looks_for_it() {
    let repo = Repo::with_base();
    let folder = repo.in_home("man");
    let folder_name = folder.to_str().unwrap();
    let install = ["man", "--install", folder_name];
    repo.council(install)
        .ends(0)
        .prints("man1/git-council.1")
        .tells(&format!("export MANPATH=\"{folder_name}:\""));
    // Where `man` finds the page there is nothing to say.
    repo.write_home(
        "bin/man",
        &format!("#!/bin/sh\necho '{folder_name}/man1/git-council.1'\n"),
    );
    // A checkout's folder is nobody's home.
    let relative = [("HOME", "home")];
    repo.council_with(&relative, &["man", "--install"]).ends(2);
    assert!(!repo.path().join("home").exists());
    let man = repo.in_home("bin/man");
    fs::set_permissions(&man, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        man.parent().unwrap().display(),
        env::var("PATH").unwrap()
    );
    let found = repo.council_with(&[("PATH", &path)], &install).ends(0);
    assert_eq!(found.stderr, "");
    let page = std::fs::read_to_string(folder.join("man1/git-council.1")).unwrap();
    for command in ["review", "hook", "dismiss", "log", "show", "gc"] {
        assert!(page.contains(command), "{command}");
    }
}

#[test]
fn who_has_said_nothing_of_judges_is_told_how_to_seat_others() {
    let repo = conflicted();
    let hint = "git council init";
    let told = on_a_terminal(&repo, &[], &["review", "HEAD"]);
    assert!(told.contains(hint), "{told}");
    let verdict = told.rfind("FAIL (rules only)").unwrap();
    assert!(
        told.find(hint).unwrap() < verdict,
        "the verdict is the last line: {told}"
    );
    let piped = repo.council(["review", "HEAD", "--fresh"]).ends(1);
    assert!(!piped.stderr.contains(hint), "{}", piped.stderr);
    let quiet = on_a_terminal(&repo, &[], &["review", "HEAD", "--fresh", "--quiet"]);
    assert!(!quiet.contains(hint), "{quiet}");
    let chosen = ["review", "HEAD", "--fresh", "--agents", "builtin"];
    assert!(!on_a_terminal(&repo, &[], &chosen).contains(hint));
    // Whoever is not here is listed with the reason.
    let agents = repo.council(["agents"]).ends(0);
    agents.prints("not installed: there is no `copilot` in PATH");
    repo.council(["init"]).ends(0);
    let after = on_a_terminal(&repo, &[], &["review", "HEAD", "--fresh"]);
    assert!(!after.contains(hint), "{after}");
}
