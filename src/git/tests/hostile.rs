//! Repositories that attack whoever reviews them: nothing of them is run or obeyed.

use std::path::{Path, PathBuf};

use crate::testing::{Repo, filled, unified};
use crate::{GitEnvironment, GitError, TargetSpec, config_values, read_change};

#[test]
fn attributes_of_the_reviewed_side_hide_nothing() {
    let repo = Repo::new();
    repo.write("evil.rs", "fn good() {}\n").commit("first");
    let hiding = "* -diff -text\n*.rs binary linguist-generated diff=hidden filter=hidden\n";
    repo.write(".gitattributes", hiding)
        .write("evil.rs", "fn evil() {}\n")
        .commit("second");
    let shown = |change| {
        let text: String = unified(&change);
        assert!(text.contains("+fn evil() {}"), "{text}");
    };
    shown(repo.parse("HEAD"));
    repo.git(&["reset", "-q", "--soft", "HEAD~"]);
    shown(repo.read(TargetSpec::Staged));
    repo.git(&["reset", "-q"]);
    shown(repo.read(TargetSpec::Worktree));
    repo.write(".git/info/attributes", hiding);
    shown(repo.read(TargetSpec::Worktree));
}

/// An archive carries pipes: whoever opens one waits until somebody writes into it.
#[test]
fn a_pipe_in_the_place_of_a_file_stops_no_review() {
    let places = [
        ".git/info/grafts",
        ".git/info/exclude",
        ".git/info/attributes",
        ".git/shallow",
        ".git/packed-refs",
        ".git/index",
        ".git/config",
        ".git/HEAD",
        ".git/commondir",
        ".git/refs/heads/pipe",
        ".git/refs/tags/a/pipe",
        ".git/objects/info/alternates",
        ".git/objects/info/commit-graph",
        ".git/objects/info/commit-graphs/commit-graph-chain",
        ".git/objects/pack/multi-pack-index",
        ".git/objects/pack/pack-0.idx",
        ".git/objects/pack/pack-0.pack",
        ".git/objects/00/00000000000000000000000000000000000000",
        ".gitignore",
        ".gitattributes",
        "dir/.gitignore",
        "dir/pipe",
    ];
    for place in places {
        for spec in [
            TargetSpec::Worktree,
            TargetSpec::parse("HEAD"),
            TargetSpec::Default,
        ] {
            let repo = Repo::new();
            repo.write("a.txt", "one\n").commit("first");
            repo.write("a.txt", "two\n")
                .write("dir/b.txt", "b\n")
                .commit("second");
            repo.write("dir/c.txt", "c\n");
            put_pipe(&repo.path().join(place));
            let named = format!("{place}: {spec:?}");
            let read = read_in_time(repo, spec, &named);
            if let Err(why) = &read
                && place.starts_with(".git/")
                && !matches!(place, ".git/HEAD" | ".git/index")
            {
                assert!(
                    why.contains("is no file") || why.contains("compare"),
                    "{named}: {why}"
                );
            }
        }
    }
}

/// Puts a named pipe in the place of what is there.
fn put_pipe(at: &Path) {
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    drop(std::fs::remove_file(at));
    let make = std::process::Command::new("mkfifo").arg(at).status();
    assert!(make.unwrap().success());
}

/// How many files the change has, or why it cannot be read; nobody may have to wait for that.
fn read_in_time(repo: Repo, spec: TargetSpec, named: &str) -> Result<usize, String> {
    let (said, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let read = repo.try_read(spec).map(|change| filled(&change).len());
        said.send(read.map_err(|error| error.to_string())).ok();
    });
    let read = heard.recv_timeout(std::time::Duration::from_secs(20));
    read.unwrap_or_else(|_| panic!("{named}: it waits"))
}

/// Law: whichever file below `.git/objects` is a pipe, or a link to one, packed or loose, here or in an alternate: the
/// review ends with an error that names it.
#[test]
fn a_pipe_in_the_place_of_an_object_is_named() {
    for (is_packed, is_elsewhere) in [(false, false), (false, true), (true, false), (true, true)] {
        let build = || {
            let (repo, elsewhere) = (Repo::new(), Repo::new());
            repo.write("a.txt", "one\n").commit("first");
            repo.write("a.txt", "two\n").commit("second");
            if is_packed {
                repo.git(&["repack", "-adq"]);
                repo.git(&["prune-packed", "-q"]);
                repo.git(&["multi-pack-index", "write", "--no-progress"]);
            }
            let mut store = repo.path().join(".git/objects");
            if is_elsewhere {
                let other = elsewhere.path().join("store");
                std::fs::rename(&store, &other).unwrap();
                std::fs::create_dir_all(store.join("info")).unwrap();
                let named = format!("{}\n", other.display());
                std::fs::write(store.join("info/alternates"), named).unwrap();
                store = other;
            }
            (repo, elsewhere, store)
        };
        let (_repo, _elsewhere, store) = build();
        let files: Vec<PathBuf> = std::fs::read_dir(&store)
            .unwrap()
            .flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap())
            .map(|file| file.unwrap().path())
            .map(|file| file.strip_prefix(&store).unwrap().to_owned())
            .collect();
        assert!(files.len() > 2, "{files:?}");
        for (n, file) in files.iter().enumerate() {
            let (repo, elsewhere, store) = build();
            let at = store.join(file);
            if n % 2 == 0 {
                put_pipe(&at);
            } else {
                let pipe = elsewhere.path().join("pipe");
                put_pipe(&pipe);
                drop(std::fs::remove_file(&at));
                std::os::unix::fs::symlink(pipe, &at).unwrap();
            }
            let named = format!("{} ({is_packed}, {is_elsewhere})", file.display());
            let why = read_in_time(repo, TargetSpec::parse("HEAD"), &named).unwrap_err();
            assert!(why.contains("is no file"), "{named}: {why}");
        }
    }
}

/// With these off, git's library mixes the modes of both sides, and its binding panics at what comes of it.
#[test]
fn no_setting_of_modes_and_no_kind_of_file_ends_the_program() {
    let kinds = [
        "file",
        "run",
        "link",
        "folder",
        "repository",
        "pipe",
        "nothing",
    ];
    for before in ["file", "run", "link", "submodule"] {
        let repo = Repo::new();
        put_kind(&repo, before);
        repo.commit("first");
        let settings = repo.path().join(".git/config");
        let first = std::fs::read_to_string(&settings).unwrap();
        for after in kinds {
            put_kind(&repo, after);
            for (modes, links) in [(true, true), (true, false), (false, true), (false, false)] {
                let core = format!("[core]\n\tfileMode = {modes}\n\tsymlinks = {links}\n");
                std::fs::write(&settings, format!("{first}{core}")).unwrap();
                let named = format!("{before} to {after}, {modes}, {links}");
                let change = repo.try_read(TargetSpec::Worktree);
                let change = change.unwrap_or_else(|error| panic!("{named}: {error}"));
                if before != after && matches!(after, "link" | "nothing") {
                    assert_eq!(change.files.len(), 1, "{named}");
                }
                filled(&change);
            }
        }
    }
}

/// Puts something of a kind in the place of `it`.
fn put_kind(repo: &Repo, kind: &str) {
    use std::os::unix::fs::PermissionsExt;
    let at = repo.path().join("it");
    drop(std::fs::remove_file(&at));
    drop(std::fs::remove_dir_all(&at));
    match kind {
        "file" | "run" => drop(repo.write("it", format!("{kind}\n"))),
        "link" => drop(repo.link("it", "elsewhere")),
        "folder" => drop(repo.write("it/in", "in\n")),
        "submodule" | "repository" => {
            std::fs::create_dir(&at).unwrap();
            repo.git(&["-C", "it", "init", "-q"]);
            let id = ["-C", "it", "commit", "-q", "--allow-empty", "-m", kind];
            repo.git(&id);
        }
        "pipe" => put_pipe(&at),
        _ => {}
    }
    if kind == "run" {
        std::fs::set_permissions(&at, PermissionsExt::from_mode(0o755)).unwrap();
    }
}

/// A repository whose every place for a program holds one that leaves a mark.
fn with_traps() -> (Repo, PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let repo = Repo::new();
    repo.write("a.txt", "one\n").commit("first");
    repo.write("a.txt", "two\n")
        .write(".gitattributes", "* filter=trap diff=trap merge=trap\n");
    repo.commit("second");
    let mark = repo.path().join("marked");
    let trap = repo.path().join(".git/trap");
    let script = format!(
        "#!/bin/sh\necho \"$0 $*\" >> '{}'\nexit 0\n",
        mark.display()
    );
    std::fs::write(&trap, &script).unwrap();
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    let hooks = repo.path().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "post-index-change",
        "pre-auto-gc",
        "fsmonitor-watchman",
        "post-checkout",
    ] {
        std::fs::copy(&trap, hooks.join(hook)).unwrap();
    }
    let trap = trap.to_str().unwrap();
    let keys = [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "core.alternateRefsCommand",
        "core.gitProxy",
        "credential.helper",
        "diff.external",
        "diff.trap.command",
        "diff.trap.textconv",
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "merge.trap.driver",
        "gpg.program",
        "uploadpack.packObjectsHook",
        "trailer.trap.command",
        "alias.cat-file",
        "alias.diff-tree",
    ];
    let mut config = std::fs::read_to_string(repo.path().join(".git/config")).unwrap();
    for key in keys {
        let (section, name) = key.rsplit_once('.').unwrap();
        let section = match section.split_once('.') {
            Some((section, sub)) => format!("{section} \"{sub}\""),
            None => section.to_owned(),
        };
        let trap = if section == "alias" {
            format!("!{trap}")
        } else {
            trap.to_owned()
        };
        config.push_str(&format!("[{section}]\n\t{name} = {trap}\n"));
    }
    config.push_str("[filter \"trap\"]\n\trequired = true\n[log]\n\tshowSignature = true\n");
    std::fs::write(repo.path().join(".git/config"), config).unwrap();
    (repo, mark)
}

#[test]
fn a_hostile_configuration_runs_nothing() {
    let (repo, mark) = with_traps();
    repo.write("a.txt", "three\n").write("untracked", "x\n");
    let specs = [
        TargetSpec::parse("HEAD"),
        TargetSpec::parse("HEAD~..HEAD"),
        TargetSpec::parse("HEAD~...HEAD"),
        TargetSpec::Staged,
        TargetSpec::Worktree,
        TargetSpec::Patch(
            b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_vec(),
            "p".into(),
        ),
    ];
    for spec in specs {
        let change = repo.read(spec.clone());
        filled(&change);
        assert!(
            !mark.exists(),
            "{spec:?}: {}",
            std::fs::read_to_string(&mark).unwrap()
        );
    }
    config_values(repo.path(), &GitEnvironment::default()).unwrap();
    assert!(!mark.exists());
    // The traps are real: git itself falls into them.
    let _ = repo.command(&["diff"]).output().unwrap();
    assert!(mark.exists());
}

#[test]
fn the_runner_runs_nothing_that_a_repository_configures() {
    use crate::git_cli::runner::{GitRunner, PlumbingCommand};
    let (repo, mark) = with_traps();
    let env = Repo::env(&[("PATH", std::env::var("PATH").unwrap().as_str())]);
    let runner = GitRunner::new(&repo.path().join(".git"), &env).unwrap();
    let cases: [(PlumbingCommand, &[&'static str], &[&str]); 5] = [
        (PlumbingCommand::CatFile, &["-p"], &["HEAD:a.txt"]),
        (PlumbingCommand::ForEachRef, &[], &[]),
        (PlumbingCommand::MergeBase, &[], &["HEAD", "HEAD~"]),
        (PlumbingCommand::RevList, &["--parents"], &["HEAD"]),
        (PlumbingCommand::RevParse, &["--verify"], &["HEAD"]),
    ];
    for (command, options, operands) in cases {
        let operands: Vec<_> = operands.iter().map(std::ffi::OsStr::new).collect();
        let said = runner
            .run_command(command, options, &operands, b"")
            .unwrap();
        assert!(!said.is_empty());
        assert!(
            !mark.exists(),
            "{command:?}: {}",
            std::fs::read_to_string(&mark).unwrap()
        );
    }
}

#[test]
fn a_bare_repository_among_tracked_files_is_refused_unless_it_is_named() {
    let repo = Repo::new();
    repo.write("a.txt", "a\n").commit("first");
    let trap = repo.inside("vendor/trap");
    trap.git(&["init", "-q", "--bare", "-b", "main"]);
    // As long as it is not a part of the tree, it is the user's own.
    assert!(matches!(
        trap.refused(TargetSpec::Default),
        GitError::Unborn { .. }
    ));
    repo.commit("a trap");
    let error = trap.refused(TargetSpec::parse("HEAD"));
    assert!(matches!(error, GitError::NestedBare { .. }), "{error}");
    assert!(error.hints()[0].contains("GIT_DIR="));
    let mut request = trap.request(TargetSpec::Default);
    request.env = Repo::env(&[("GIT_DIR", trap.path().to_str().unwrap())]);
    assert!(matches!(
        read_change(&request),
        Err(GitError::Unborn { .. })
    ));
    // Below it, too.
    let error = repo.inside("vendor/trap/refs").refused(TargetSpec::Default);
    assert!(matches!(error, GitError::NestedBare { .. }), "{error}");
}

#[test]
fn a_bare_repository_beside_linked_worktrees_is_not_a_trap() {
    let origin = Repo::new();
    origin.write("a.txt", "a\n").commit("first");
    let outer = Repo::outside();
    let url = format!("file://{}", origin.path().display());
    outer.git(&["clone", "-q", "--bare", &url, ".bare"]);
    outer.write(".git", "gitdir: ./.bare\n");
    assert_eq!(outer.parse("HEAD").files.len(), 1);
    assert_eq!(outer.inside(".bare").parse("HEAD").files.len(), 1);
}

#[test]
fn a_git_directory_behind_a_link_is_the_one_that_it_leads_to() {
    let (repo, other) = (Repo::new(), Repo::outside());
    repo.write("a.txt", "a\n").commit("first");
    other.link(".git", repo.path().join(".git").to_str().unwrap());
    let change = other.parse("HEAD");
    assert_eq!(change.files.len(), 1);
    let git_dir = change.place.git_dir.unwrap().canonicalize().unwrap();
    assert_eq!(git_dir, repo.path().join(".git"));
}

/// A graft would say that a branch is merged which is not.
#[test]
fn grafts_are_refused_and_never_obeyed() {
    let repo = Repo::new();
    let head = repo.write("a.txt", "one\n").commit("One");
    let grafts = repo.path().join(".git/info/grafts");
    std::fs::create_dir_all(grafts.parent().unwrap()).unwrap();
    std::fs::write(&grafts, "").unwrap();
    repo.read(TargetSpec::parse("HEAD"));
    std::fs::write(&grafts, format!("{}\n", head.trim())).unwrap();
    let error = repo.refused(TargetSpec::parse("HEAD"));
    assert!(matches!(error, GitError::Grafts { .. }), "{error}");
}
