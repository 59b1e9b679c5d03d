//! What cannot be read, or is too much for a model: one hint each, and nothing passes unread.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::harness::{Repo, Run};

const CONFLICT: &str = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n";

/// A partial clone with nothing checked out, of a repository that answers such requests.
fn partial_clone(repo: &Repo, filter: &str) -> std::path::PathBuf {
    repo.write("src/lib.rs", "/// Two.\npub const TWO: u32 = 2;\n");
    repo.commit("Two");
    repo.git(["config", "uploadpack.allowFilter", "true"]);
    let clone = repo.in_home("partial");
    let url = format!("file://{}", repo.path().display());
    let filter = format!("--filter={filter}");
    let target = clone.to_str().unwrap();
    let args = ["clone", "--quiet", "--no-checkout", &filter, &url, target];
    repo.git_in(&repo.path(), &args);
    clone
}

/// How often the run tells of the way out.
fn hints(run: &Run, hint: &str) -> usize {
    run.stdout.matches(hint).count() + run.stderr.matches(hint).count()
}

#[test]
fn a_partial_clone_without_the_files_says_once_how_to_get_them() {
    let repo = Repo::with_base();
    let clone = partial_clone(&repo, "blob:none");
    let run = repo.council_in(&clone, &["review", "HEAD"], &[]).ends(3);
    let shown = run.stdout.replace('\n', " ");
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("is not in this repository"), "{shown}");
    assert_eq!(
        shown.matches("git fetch --refetch --no-filter").count(),
        1,
        "{shown}"
    );
    assert!(!shown.contains("Split the change"), "no help here: {shown}");
    // The hint is true.
    repo.git_in(&clone, &["fetch", "--quiet", "--refetch", "--no-filter"]);
    let again = repo.council_in(&clone, &["review", "HEAD"], &[]).ends(0);
    again.prints("PASS");
}

#[test]
fn a_partial_clone_without_the_trees_says_once_how_to_get_them() {
    let repo = Repo::with_base();
    let clone = partial_clone(&repo, "tree:0");
    let run = repo.council_in(&clone, &["review", "HEAD"], &[]).ends(2);
    assert_eq!(
        hints(&run, "git fetch --refetch --no-filter"),
        1,
        "{}",
        run.stderr
    );
}

#[test]
fn a_file_over_the_bound_is_named_with_one_hint() {
    let repo = Repo::with_base();
    repo.write(
        "data.txt",
        "0123456789abcdef 0123456789abcdef\n".repeat(200_000),
    );
    repo.commit("Data");
    let run = repo.council(["review", "HEAD"]).ends(3);
    let shown = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("data.txt is too large to review"), "{shown}");
    assert_eq!(shown.matches("-- PATHSPEC").count(), 1, "{shown}");
    assert!(!shown.contains("Split the change"), "{shown}");
}

#[test]
fn a_tag_of_a_blob_is_named_as_one_in_a_review_and_in_a_push() {
    let repo = Repo::with_base();
    let blob = repo.git(["rev-parse", "HEAD:README.md"]).trim().to_owned();
    repo.git(["tag", "notes", &blob]);
    let hint = format!(
        "git cat-file blob {blob} | git diff --text --no-index /dev/null - | git council review --patch -"
    );
    let run = repo.council(["review", "notes"]).ends(2);
    assert_eq!(hints(&run, &hint), 1, "{}", run.stderr);
    let zero = "0".repeat(40);
    let line = format!("refs/tags/notes {blob} refs/tags/notes {zero}\n");
    let args = ["hook", "run", "pre-push", "origin", "nowhere"];
    let pushed = repo.council_reading(line.as_bytes(), &args).ends(0);
    assert_eq!(hints(&pushed, &hint), 1, "{}", pushed.stderr);
    // Nobody has read it, and a gate lets nothing through that nobody has read.
    repo.git(["config", "council.hook.mode", "gate"]);
    repo.council_reading(line.as_bytes(), &args)
        .ends(1)
        .tells("the push is blocked");
}

/// The hint is a command that works, whatever the tag of a tree is called.
#[test]
fn a_tag_of_a_tree_is_named_with_what_reviews_it() {
    let repo = Repo::with_base();
    repo.write(
        "notes.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    repo.commit("Notes");
    let tree = repo.git(["rev-parse", "HEAD^{tree}"]).trim().to_owned();
    repo.git(["tag", "trees/all", &tree]);
    let run = repo.council(["review", "trees/all"]).ends(2);
    let run = run.tells("\"trees/all\" is a tree, not a commit");
    let command = format!("git diff --text \"$(git mktree </dev/null)\" {tree}");
    assert_eq!(hints(&run, &command), 1, "{}", run.stderr);
    let patch = repo.shell(&command).output().unwrap().stdout;
    repo.council_reading(&patch, &["review", "--patch", "-"])
        .ends(1)
        .prints("notes.md:1");
    let hint = format!("git council review OTHER..{tree}");
    assert_eq!(hints(&run, &hint), 1, "{}", run.stderr);
    let range = format!("HEAD~1..{tree}");
    repo.council(["review", &range])
        .ends(1)
        .prints("notes.md:1");
}

/// What the hint says shows everything that a review of the file itself would: also what is no text.
#[test]
fn the_hint_for_a_blob_loses_no_secret_of_it() {
    let repo = Repo::with_base();
    // Letters as a generator draws them: what repeats itself is no key.
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".as_bytes();
    let mut state = 7_u32;
    let drawn: String = (0..640)
        .map(|n| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let letter = char::from(letters[(state >> 26) as usize]);
            if n % 64 == 63 { '\n' } else { letter }
        })
        .collect();
    let kind = "RSA PRIVATE KEY";
    let key = format!("-----BEGIN {kind}-----\n{drawn}-----END {kind}-----\n");
    repo.write("blob", format!("\0{key}"));
    let blob = repo.git(["hash-object", "-w", "blob"]).trim().to_owned();
    repo.git(["tag", "key", &blob]);
    let run = repo.council(["review", "key"]).ends(2);
    let told = run
        .stderr
        .lines()
        .find_map(|line| line.split_once("to review it: "));
    let (make_patch, _) = told.unwrap().1.split_once(" | git council").unwrap();
    let patch = Command::new("sh")
        .args(["-c", make_patch])
        .current_dir(repo.path())
        .output()
        .unwrap();
    repo.council_reading(&patch.stdout, &["review", "--patch", "-"])
        .ends(1);
}

#[test]
fn an_unresolved_merge_is_told_with_one_hint_wherever_it_is_read() {
    let repo = Repo::with_base();
    repo.git(["switch", "--quiet", "--create", "side"]);
    repo.write("README.md", "# Side\n");
    repo.commit("Side");
    repo.git(["switch", "--quiet", "main"]);
    repo.write("README.md", "# Main\n");
    repo.commit("Main");
    let merged = repo.git_command(&["merge", "--quiet", "side"]).output();
    assert!(!merged.unwrap().status.success());
    for flag in ["--staged", "--worktree"] {
        let run = repo.council(["review", flag]).ends(2);
        assert_eq!(hints(&run, "hint:"), 1, "{}", run.stderr);
        run.tells("README.md has an unresolved merge conflict")
            .tells("resolve it and git add the file");
    }
}

/// A commit of so many one-line files and, last of all by name, one with markers of a conflict.
fn many_files(repo: &Repo, count: usize) {
    let mut fast = repo.git_command(&["fast-import", "--quiet"]);
    let mut child = fast.stdin(Stdio::piped()).spawn().unwrap();
    let mut text = format!(
        "blob\nmark :1\ndata 2\nx\n\nblob\nmark :2\ndata {}\n{CONFLICT}\n\
         commit refs/heads/many\ncommitter A <a@example.com> 1700000000 +0000\n\
         data 4\nMany\nfrom refs/heads/main^0\n",
        CONFLICT.len()
    );
    (0..count).for_each(|n| text.push_str(&format!("M 100644 :1 d{}/f{n}\n", n / 1000)));
    text.push_str("M 100644 :2 zz/last.md\n");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn built_in_judges_see_all_of_more_than_15_000_files() {
    let repo = Repo::with_base();
    many_files(&repo, 20_000);
    let run = repo.council(["review", "many", "--json"]).ends(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["verdict"], "FAIL");
    let found = report["findings"].as_array().unwrap();
    let is_last = |f: &&serde_json::Value| f["finding"]["location"]["path"] == "zz/last.md";
    assert!(found.iter().any(|f| is_last(&f)), "{found:?}");
    let files = report["coverage"]["files"].as_array().unwrap();
    assert_eq!(files.len(), 20_001);
    assert!(
        files.iter().all(|f| f["state"]["state"] == "reviewed"),
        "{:?}",
        files[0]
    );
}

/// A file of another object under the name of a changed one: what is read is what its name says, or it is not read.
#[test]
fn an_object_under_another_one_s_name_is_never_green() {
    let repo = Repo::with_base();
    repo.write("a.py", "x = 1\n");
    repo.commit("One");
    repo.write("harmless.py", "x = 2\n");
    repo.commit("Another");
    let place = |name: &str| {
        let id = repo.git(["rev-parse", name]);
        let (folder, file) = id.trim().split_at(2);
        (repo.path().join(".git/objects").join(folder).join(file), id)
    };
    let (harmless, _) = place("HEAD:harmless.py");
    for name in ["HEAD~:a.py", "HEAD~^{tree}"] {
        let (object, id) = place(name);
        let kept = std::fs::read(&object).unwrap();
        std::fs::remove_file(&object).unwrap();
        std::fs::copy(&harmless, &object).unwrap();
        let run = repo.council(["review", "HEAD~"]);
        assert!(![0, 1].contains(&run.code), "{name}: {}", run.stdout);
        let told = run.stdout.clone() + &run.stderr;
        assert!(told.contains(id.trim()), "{name}: {told}");
        std::fs::remove_file(&object).unwrap();
        std::fs::write(&object, kept).unwrap();
    }
    repo.council(["review", "HEAD~"]).ends(0);
}
