//! A checkout whose links lead elsewhere: no file of the program's is written through one, whatever writes it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::harness::{PRIVATE_KEY, Repo};

/// Everything below a folder, with its content and with where links lead.
fn snapshot(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                open.push(path.clone());
            }
            let text = match fs::read_link(&path) {
                Ok(to) => to.display().to_string(),
                Err(_) => fs::read_to_string(&path).unwrap_or_default(),
            };
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// A checkout in which the change adds a key and a link of each kind; and the folder that they lead to.
fn linked() -> (Repo, PathBuf) {
    let repo = Repo::with_base();
    let outside = repo.in_home("outside");
    fs::create_dir_all(outside.join("council")).unwrap();
    for name in ["own", "report.json", "2026-01-01-x-report.md"] {
        fs::write(outside.join(name), "mine\n").unwrap();
        fs::write(outside.join("council").join(name), "mine\n").unwrap();
    }
    repo.write("key.pem", PRIVATE_KEY);
    let own = outside.join("own");
    for (name, to) in [
        ("out", &outside),
        ("council.sarif", &own),
        ("report.json", &own),
        ("report.md", &own),
        ("bundle.html", &own),
        ("DEBATE.md", &own),
        ("run", &outside),
        (".githooks", &outside),
    ] {
        symlink(to, repo.path().join(name)).unwrap();
    }
    (repo, outside)
}

/// `.agents` comes as a link, as a file, as a link to nothing, or with a link below it.
#[test]
fn nothing_that_stands_where_our_folder_should_be_leads_it_elsewhere_or_stops_a_review() {
    type Put = fn(&Path, &Path);
    let puts: [Put; 5] = [
        |tree, outside| symlink(outside, tree.join(".agents")).unwrap(),
        |tree, _| fs::write(tree.join(".agents"), "no folder\n").unwrap(),
        |tree, outside| symlink(outside.join("none"), tree.join(".agents")).unwrap(),
        |tree, outside| {
            fs::create_dir(tree.join(".agents")).unwrap();
            symlink(outside.join("council"), tree.join(".agents/council")).unwrap();
        },
        |tree, _| {
            fs::create_dir(tree.join(".agents")).unwrap();
            fs::write(tree.join(".agents/council"), "no folder\n").unwrap();
        },
    ];
    for (number, put) in puts.into_iter().enumerate() {
        let (repo, outside) = linked();
        put(&repo.path(), &outside);
        repo.git(["add", "--all", "--force"]);
        repo.commit("Links");
        let before = (snapshot(&outside), repo.git(["status", "--porcelain"]));
        let told = repo.council(["review", "HEAD"]).ends(1).prints("key.pem:1");
        let told = told.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("is a link or a file: reports are kept"),
            "{number}: {told}"
        );
        repo.council(["review", "HEAD", "--fresh", "--debate"])
            .ends(1);
        repo.council(["gc", "--keep", "1"]).ends(0);
        let after = (snapshot(&outside), repo.git(["status", "--porcelain"]));
        assert_eq!(before, after, "{number}");
        let kept = fs::read_dir(repo.path().join(".git/council/artefacts")).unwrap();
        assert!(
            kept.count() > 0,
            "{number}: what people read is kept elsewhere"
        );
    }
}

#[test]
fn every_file_that_is_asked_for_is_written_in_the_place_of_a_link_and_never_through_one() {
    let (repo, outside) = linked();
    repo.commit("Links");
    let before = snapshot(&outside);
    // A link in the place of the file is replaced.
    repo.council(["review", "HEAD", "--format", "sarif", "-o", "council.sarif"])
        .ends(1);
    repo.council(["review", "HEAD", "--json", "--output", "report.json"])
        .ends(1);
    repo.council(["replay", "--bundle", "bundle.html"]).ends(1);
    for file in ["council.sarif", "report.json", "bundle.html"] {
        let path = repo.path().join(file);
        assert!(path.symlink_metadata().unwrap().is_file(), "{file}");
    }
    // A folder that is a link is refused, with its name; the report is shown instead.
    repo.council([
        "review",
        "HEAD",
        "--json",
        "--output",
        "out/new/report.json",
    ])
    .ends(2)
    .tells("its folder does not exist");
    for file in ["out/own", "out/council/report.json"] {
        repo.council(["review", "HEAD", "--json", "--output", file])
            .ends(1)
            .prints("\"verdict\"");
        let run = repo.council(["replay", "--bundle", file]);
        assert_ne!(run.code, 0);
    }
    let refused = repo.council(["review", "HEAD", "--json", "--output", "out/own"]);
    refused.tells("symbolic link");
    for args in [
        &["plan", "--run", "out/plan", "HEAD"][..],
        &["plan", "--run", "run", "HEAD"],
        &["duel", "HEAD", "--keep"],
        &["duel", "HEAD", "--keep", "--file", "out/DEBATE.md"],
        &["duel", "HEAD", "--as", "b", "--timeout", "1s"],
        &["man", "--install", "out/man"],
    ] {
        let run = repo.council_with(&[], args);
        assert!(run.code > 1, "{args:?}: {}{}", run.stdout, run.stderr);
    }
    repo.git(["config", "core.hooksPath", ".githooks"]);
    repo.council(["hook", "install"]);
    assert_eq!(before, snapshot(&outside));
}

#[test]
fn the_stages_of_a_matrix_write_through_no_link() {
    let (repo, outside) = linked();
    repo.commit("Links");
    repo.council(["plan", "--run", "plan", "HEAD"]).ends(0);
    // Somebody who may write the folder between two jobs.
    symlink(outside.join("own"), repo.path().join("plan/report.json")).unwrap();
    let before = snapshot(&outside);
    repo.council(["conclude", "--run", "plan"]).ends(3);
    assert_eq!(before, snapshot(&outside));
}

/// Everything that we keep in the git directory, from the folder itself down to each file.
fn kept(repo: &Repo) -> Vec<PathBuf> {
    let own = repo.path().join(".git/council");
    let mut all: Vec<PathBuf> = snapshot(&own).into_iter().map(|(path, _)| path).collect();
    all.push(own);
    all
}

/// Whatever of it is a link, to a folder or a file of somebody else: nothing there changes, and the verdict stays.
#[test]
fn nothing_that_we_keep_in_the_git_directory_leads_elsewhere() {
    let prepared = || {
        let (repo, outside) = linked();
        repo.commit("Links");
        repo.council(["review", "HEAD"]).ends(1);
        fs::write(repo.path().join(".git/council/dismissals.jsonl"), "").unwrap();
        (repo, outside)
    };
    let (first, _) = prepared();
    let count = kept(&first).len();
    for at in 0..count {
        let (repo, outside) = prepared();
        let path = kept(&repo)[at].clone();
        let elsewhere = outside.join("kept");
        let is_folder = path.is_dir();
        fs::rename(&path, &elsewhere).unwrap();
        if is_folder {
            for name in ["foreign.json", "council-20200101-x"] {
                fs::write(elsewhere.join(name), "mine\n").unwrap();
            }
        }
        symlink(&elsewhere, &path).unwrap();
        let before = snapshot(&outside);
        let shown = path.display();
        for args in [
            &["review", "HEAD", "--fresh"][..],
            &["cache", "clear"],
            &["review", "HEAD"],
            &["dismiss", "F1", "--because", "a key for tests"],
            &["gc", "--keep", "0"],
        ] {
            let run = repo.council_with(&[], args);
            let text = format!("{shown}, {args:?}: {}{}", run.stdout, run.stderr);
            assert!(args[0] != "review" || run.code != 0, "{text}");
            assert_eq!(before, snapshot(&outside), "{text}");
        }
    }
}

/// A file that somebody names is read; what somebody else put behind its name is not, be the file a link or a folder on the way.
#[test]
fn a_document_behind_a_link_of_the_checkout_is_not_sent() {
    let (repo, outside) = linked();
    fs::write(outside.join("plan.md"), "# My diary\n").unwrap();
    symlink(outside.join("plan.md"), repo.path().join("plan.md")).unwrap();
    let target = outside.join("plan.md");
    for file in ["plan.md", "./plan.md", "out/plan.md"] {
        for args in [
            &["review", "--file", file][..],
            &["duel", file],
            &["duel", "--patch", file],
            &["review", "--patch", file],
        ] {
            let run = repo.council_with(&[], args).ends(2);
            run.tells("is a symbolic link of this checkout")
                .tells(&format!("name it itself: {}", target.display()));
        }
    }
    // Links outside of checkouts are the user's own.
    let own = repo.in_home("own.md");
    symlink(&target, &own).unwrap();
    let run = repo.council_with(
        &[],
        &["review", "--file", own.to_str().unwrap(), "--dry-run"],
    );
    assert!(!run.stderr.contains("symbolic link"), "{}", run.stderr);
}
