//! Where hooks lie, what else runs there, and who hands on to them what is pushed.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::harness::Run;
use crate::hook::{CONFLICT, Desk};

#[test]
fn worktrees_submodules_and_hooks_paths_have_their_effective_directory() {
    let desk = Desk::new();
    let tree = desk.repo.in_home("tree");
    desk.repo.git([
        "worktree",
        "add",
        "--quiet",
        "-b",
        "side",
        tree.to_str().unwrap(),
    ]);
    let run = desk
        .repo
        .council_in(&tree, &["hook", "install"], &[])
        .ends(0);
    assert!(
        desk.repo.path().join(".git/hooks/pre-push").is_file(),
        "{}",
        run.stdout
    );
    desk.gate();
    fs::write(tree.join("notes.md"), CONFLICT).unwrap();
    desk.repo.git_in(&tree, &["add", "."]);
    desk.repo
        .git_in(&tree, &["commit", "--quiet", "--message", "Conflict"]);
    let run = desk
        .git(
            &[],
            &["-C", tree.to_str().unwrap(), "push", "origin", "side"],
        )
        .ends(1);
    run.tells("side: FAIL");
    desk.repo.council(["hook", "uninstall"]).ends(0);
    // A directory of the user's own, inside the repository.
    fs::create_dir(desk.repo.path().join("hooks")).unwrap();
    desk.repo.git(["config", "core.hooksPath", "hooks"]);
    desk.repo
        .council(["hook", "install"])
        .ends(0)
        .tells("a branch without git-council's lines there pushes unreviewed");
    assert!(desk.repo.path().join("hooks/pre-push").is_file());
    desk.repo.council(["hook", "uninstall"]).ends(0);
    assert!(!desk.repo.path().join("hooks/pre-push").exists());
    // One that other repositories share is not touched unasked.
    let shared = desk.repo.in_home("shared");
    desk.repo
        .git(["config", "core.hooksPath", shared.to_str().unwrap()]);
    desk.repo
        .council(["hook", "install"])
        .ends(2)
        .tells("other repositories share");
}

#[test]
fn an_earlier_hook_runs_first_and_hears_the_same_refs() {
    let desk = Desk::new();
    let hook = desk.repo.path().join(".git/hooks/pre-push");
    let heard = desk.repo.in_home("heard");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(
        &hook,
        format!(
            "#!/bin/sh\necho \"$1\" > {0}; cat >> {0}\nexit ${{EARLIER:-0}}\n",
            heard.display()
        ),
    )
    .unwrap();
    fs::set_permissions(&hook, PermissionsExt::from_mode(0o750)).unwrap();
    let earlier = fs::read(&hook).unwrap();
    let install = desk.repo.council(["hook", "install"]);
    install.ends(0).prints("the hook that was there runs first");
    let uninstall = desk.repo.council(["hook", "uninstall"]);
    uninstall.ends(0).prints("the hook that was there is back");
    assert_eq!(fs::read(&hook).unwrap(), earlier);
    let desk = desk.installed();
    desk.repo
        .council(["hook", "status"])
        .ends(0)
        .prints("runs the earlier hook first");
    desk.repo
        .council(["hook", "install"])
        .ends(0)
        .prints("already there");
    desk.gate();
    let tip = desk.conflict();
    desk.push(&["origin", "main"]).ends(1).tells("FAIL");
    let text = fs::read_to_string(&heard).unwrap();
    assert!(
        text.starts_with("origin\nrefs/heads/main ") && text.contains(&tip),
        "{text}"
    );
    let run = desk.git(&[("EARLIER", "7")], &["push", "origin", "main"]);
    assert!(
        run.code != 0 && !run.stderr.contains("FAIL"),
        "{}",
        run.stderr
    );
    // Switched off, the earlier hook still runs.
    fs::remove_file(&heard).unwrap();
    desk.git(&[("GIT_COUNCIL", "0")], &["push", "origin", "main:other"])
        .ends(0);
    assert!(heard.exists());
}

#[test]
fn without_the_program_a_push_goes_through_with_a_warning() {
    let desk = Desk::new();
    let script = desk
        .repo
        .council(["hook", "install", "--print"])
        .ends(0)
        .stdout;
    let gone = script.replace(env!("CARGO_BIN_EXE_git-council"), "/nowhere/git-council");
    assert_ne!(gone, script);
    let hook = desk.repo.path().join(".git/hooks/pre-push");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, gone).unwrap();
    fs::set_permissions(&hook, PermissionsExt::from_mode(0o755)).unwrap();
    desk.conflict();
    let mut push = desk.repo.git_command(&["push", "origin", "main"]);
    Run::of(push.output().unwrap())
        .ends(0)
        .tells("git-council is not on PATH");
    assert!(desk.has("main"));
}

#[test]
fn pre_commit_says_it_in_variables() {
    let desk = Desk::new();
    let base = desk.repo.git(["rev-parse", "HEAD"]);
    let tip = desk.conflict();
    desk.gate();
    let vars = |from: &str| {
        let vars = [
            ("PRE_COMMIT_FROM_REF", from.to_owned()),
            ("PRE_COMMIT_TO_REF", tip.clone()),
            ("PRE_COMMIT_REMOTE_NAME", "origin".to_owned()),
            ("PRE_COMMIT_REMOTE_BRANCH", "refs/heads/main".to_owned()),
        ];
        let vars: Vec<(&str, &str)> = vars.iter().map(|(n, v)| (*n, v.as_str())).collect();
        desk.repo.council_with(&vars, &["hook", "run", "pre-push"])
    };
    vars(&base).ends(1).tells("main: FAIL");
    vars(&"0".repeat(40)).ends(1).tells("main: FAIL");
}

/// Whatever a manager keeps for itself, no ref that may be pushed goes past a gate unread.
#[test]
fn a_gate_reads_what_a_manager_does_not_hand_on() {
    let desk = Desk::new();
    let base = desk.repo.git(["rev-parse", "HEAD"]);
    desk.repo.git(["checkout", "-q", "-b", "good"]);
    desk.repo.write("good.txt", "1\n");
    desk.repo.write("lefthook.yml", "pre-push:\n");
    let good = desk.repo.commit("Good");
    let first = [
        ("PRE_COMMIT_FROM_REF", base.as_str()),
        ("PRE_COMMIT_TO_REF", good.trim()),
        ("PRE_COMMIT_REMOTE_NAME", "origin"),
        ("PRE_COMMIT_REMOTE_BRANCH", "refs/heads/good"),
    ];
    let hook = ["hook", "run", "pre-push", "origin", "url"];
    let pre_commit = || desk.repo.council_with(&first, &hook);
    let nothing = || desk.repo.council_with(&[], &hook);
    desk.gate();
    pre_commit().ends(0);
    nothing().ends(0).tells("is reviewed as well (good)");
    desk.repo.git(["checkout", "-q", "-b", "bad", "main"]);
    desk.conflict();
    desk.repo.git(["tag", "v1"]);
    desk.repo.git(["checkout", "-q", "good"]);
    for run in [pre_commit(), nothing()] {
        run.ends(1).tells("bad").tells("the push is blocked");
    }
    // What the remote has is not news, and advice needs no second ref.
    desk.repo.git(["push", "-q", "origin", "bad", "v1"]);
    for run in [pre_commit(), nothing()] {
        run.ends(0);
    }
    desk.repo.git(["config", "--unset", "council.hook.mode"]);
    desk.repo.git(["branch", "-q", "again", "bad"]);
    for run in [pre_commit(), nothing()] {
        run.ends(0);
    }
}

#[test]
fn hooks_of_the_configuration_need_a_git_that_runs_them() {
    let desk = Desk::new();
    let config = fs::read(desk.repo.path().join(".git/config")).unwrap();
    let run = desk
        .repo
        .council(["hook", "install", "--in-config", "--force"])
        .ends(0);
    run.prints("hook.git-council-pre-push");
    assert_eq!(
        desk.repo.git(["config", "hook.git-council-pre-push.event"]),
        "pre-push"
    );
    let status = desk.repo.council(["hook", "status"]).ends(0);
    let version = desk.repo.git(["version"]);
    let mut numbers = version
        .split([' ', '.'])
        .filter_map(|word| word.parse::<u32>().ok());
    if (numbers.next(), numbers.next()) >= (Some(2), Some(54)) {
        assert!(!status.stdout.contains("does not run"), "{}", status.stdout);
        desk.gate();
        desk.conflict();
        desk.push(&["origin", "HEAD:stopped"]).ends(1).tells("FAIL");
        desk.repo.git(["config", "--unset", "council.hook.mode"]);
    } else {
        eprintln!("a push is skipped: {version} runs no hooks of its configuration, 2.54 does");
        status.prints("set in git's configuration, which this git does not run");
    }
    desk.repo.council(["hook", "uninstall"]).ends(0);
    assert_eq!(
        fs::read(desk.repo.path().join(".git/config")).unwrap(),
        config
    );
}
