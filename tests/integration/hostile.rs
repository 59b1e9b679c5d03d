//! Repositories that want to be obeyed (threats T1–T6, T18).

use crate::harness::{PRIVATE_KEY, Repo};

/// A repository in which everything that git may be told to run leaves a mark.
fn trapped() -> (Repo, std::path::PathBuf) {
    let repo = Repo::with_base();
    repo.write("a.txt", "one\n");
    repo.commit("One");
    repo.write("a.txt", "two\n");
    repo.write("b.rs", "fn b() {}\n");
    repo.commit("Two");
    let mark = repo.in_home("marks");
    std::fs::create_dir(&mark).unwrap();
    let trap = |name: &str| format!("touch {}/{name}; false", mark.display());
    let script = |name: &str| {
        use std::os::unix::fs::PermissionsExt;
        let path = repo.in_home(name);
        std::fs::write(
            &path,
            format!("#!/bin/sh\ntouch {}/{name}\n", mark.display()),
        )
        .unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    for (key, value) in [
        ("core.fsmonitor", script("fsmonitor")),
        ("core.pager", trap("pager")),
        ("core.editor", trap("editor")),
        ("core.sshCommand", trap("ssh")),
        ("core.askPass", script("askpass")),
        ("core.alternateRefsCommand", trap("alternates")),
        ("diff.external", script("external")),
        ("diff.trap.command", script("command")),
        ("diff.trap.textconv", script("textconv")),
        ("filter.trap.clean", trap("clean")),
        ("filter.trap.smudge", trap("smudge")),
        ("filter.trap.process", script("process")),
        ("filter.trap.required", "true".to_owned()),
        ("uploadpack.packObjectsHook", trap("pack")),
        ("gpg.program", script("gpg")),
        ("credential.helper", trap("credential")),
        ("alias.council", trap("alias")),
    ] {
        repo.git(["config", key, &value]);
    }
    let hooks = repo.path().join("hooks");
    std::fs::create_dir(&hooks).unwrap();
    for hook in [
        "pre-commit",
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
    ] {
        std::fs::copy(repo.in_home("fsmonitor"), hooks.join(hook)).unwrap();
    }
    repo.git(["config", "core.hooksPath", hooks.to_str().unwrap()]);
    repo.write(".gitattributes", "* diff=trap filter=trap\n");
    (repo, mark)
}

#[test]
fn t4_nothing_that_a_repository_configures_is_run() {
    let (repo, mark) = trapped();
    let commands: &[&[&str]] = &[
        &["review", "HEAD"],
        &["review", "HEAD~1..HEAD", "--debate"],
        &["review", "--staged"],
        &["review", "--worktree"],
        &["config"],
        &["doctor"],
        &["agents"],
        &["backends"],
        &["log"],
        &["show"],
    ];
    for args in commands {
        repo.council_with(&[], args);
        let marks: Vec<_> = std::fs::read_dir(&mark)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert!(marks.is_empty(), "git council {args:?} ran {marks:?}");
    }
}

#[test]
fn t4_the_traps_work() {
    let (repo, mark) = trapped();
    let _ = repo
        .git_command(&["diff", "HEAD~1", "HEAD"])
        .output()
        .unwrap();
    let _ = repo.git_command(&["add", "--all"]).output().unwrap();
    assert!(std::fs::read_dir(&mark).unwrap().count() >= 2);
}

#[test]
fn t5_attributes_of_the_head_hide_nothing() {
    let repo = Repo::with_base();
    repo.write(
        ".gitattributes",
        "*.pem -diff linguist-generated binary export-ignore\n",
    );
    repo.write("key.pem", PRIVATE_KEY);
    repo.commit("Hide it");
    repo.council(["review", "HEAD"]).ends(1).prints("key.pem:1");
}

#[test]
fn t1_a_change_cannot_weaken_the_rules_that_it_is_judged_by() {
    let repo = Repo::with_base();
    repo.git(["switch", "--quiet", "--create", "feature"]);
    repo.write(
        "council.toml",
        "[review]\nignore = ['*']\nconsensus = 'majority'\n[rules]\nprivate-key = 'off'\n",
    );
    repo.write("key.pem", PRIVATE_KEY);
    repo.commit("Turn the gate off");
    let ci = [("CI", "true")];
    let run = repo
        .council_with(&ci, &["review", "main...feature"])
        .ends(1)
        .prints("key.pem:1");
    run.prints("the change edits council.toml: the edit is ignored here");
    repo.council(["review", "main...feature", "--trusted-config"])
        .ends(1)
        .prints("key.pem:1");
    // At the user's own desk the checkout can only make the review stricter.
    repo.council(["review", "main...feature"])
        .ends(1)
        .prints("key.pem:1")
        .prints("`review.ignore`");
    repo.write("council.toml", "[rules]\nprivate-key = 'off'\n");
    repo.council(["review", "main...feature"])
        .ends(1)
        .prints("key.pem:1")
        .prints("`rules.private-key`");
}

#[test]
fn t1_rules_of_the_trusted_branch_hold() {
    let repo = Repo::with_base();
    repo.write("council.toml", "[rules]\nprivate-key = 'off'\n");
    repo.commit("Our keys are for tests");
    repo.git(["switch", "--quiet", "--create", "feature"]);
    repo.write("key.pem", PRIVATE_KEY);
    repo.commit("A key");
    for vars in [&[][..], &[("CI", "true")]] {
        let run = repo.council_with(vars, &["review"]);
        assert!(!run.stdout.contains("private-key"), "{}", run.stdout);
    }
}
