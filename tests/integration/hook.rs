//! The hooks, by real pushes through the real git to bare repositories beside.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::{Repo, Run};

/// A clone with the hook, its remote, and the program on PATH.
pub(crate) struct Desk {
    pub(crate) repo: Repo,
    remote: PathBuf,
}

pub(crate) const CONFLICT: &str = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n";

impl Desk {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    fn with(init: &[&str]) -> Self {
        let repo = Repo::with_base();
        let remote = repo.in_home("remote.git");
        let mut args = vec!["init", "--quiet", "--bare", "--initial-branch=main"];
        args.extend(init);
        args.push(remote.to_str().unwrap());
        repo.git_in(&repo.path(), &args);
        repo.git(["remote", "add", "origin", remote.to_str().unwrap()]);
        repo.git(["push", "--quiet", "--set-upstream", "origin", "main"]);
        Self { repo, remote }
    }

    pub(crate) fn installed(self) -> Self {
        self.repo
            .council(["hook", "install"])
            .ends(0)
            .prints("installed");
        self
    }

    /// Runs git with the program on PATH.
    pub(crate) fn git(&self, vars: &[(&str, &str)], args: &[&str]) -> Run {
        Run::of(self.git_command(vars, args).output().unwrap())
    }

    fn git_command(&self, vars: &[(&str, &str)], args: &[&str]) -> Command {
        let bin = Path::new(env!("CARGO_BIN_EXE_git-council"))
            .parent()
            .unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut command = self.repo.git_command(args);
        command.env("PATH", format!("{}:{path}", bin.display()));
        command.envs(vars.iter().copied());
        command
    }

    pub(crate) fn push(&self, args: &[&str]) -> Run {
        self.git(&[], &[&["push"], args].concat())
    }

    pub(crate) fn conflict(&self) -> String {
        self.repo.write("notes.md", CONFLICT);
        self.repo.commit("Conflict")
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        let mut command = self
            .repo
            .git_command(&["rev-parse", "--verify", "--quiet", name]);
        command.current_dir(&self.remote).stdout(Stdio::null());
        command.status().unwrap().success()
    }

    pub(crate) fn gate(&self) {
        self.repo.git(["config", "council.hook.mode", "gate"]);
    }
}

#[test]
fn advice_lets_a_push_through_and_a_gate_stops_it() {
    let desk = Desk::new().installed();
    desk.conflict();
    desk.gate();
    let run = desk.push(&["origin", "HEAD:stopped"]).ends(1);
    run.tells("FAIL")
        .tells("notes.md:1")
        .tells("the push is blocked");
    assert!(!desk.has("stopped"));
    desk.push(&["--no-verify", "origin", "HEAD:unverified"])
        .ends(0);
    desk.git(&[("GIT_COUNCIL", "0")], &["push", "origin", "HEAD:off"])
        .ends(0);
    desk.repo
        .git(["config", "--global", "council.hook", "false"]);
    let run = desk.push(&["origin", "HEAD:off-too"]).ends(0);
    assert!(!run.stderr.contains("FAIL"), "{}", run.stderr);
    desk.repo
        .git(["config", "--global", "--unset", "council.hook"]);
    desk.repo.git(["config", "council.hook.mode", "advisory"]);
    desk.repo.write("more.md", CONFLICT);
    let tip = desk.repo.commit("Another conflict");
    desk.push(&["origin", &format!("{tip}:refs/heads/told")])
        .ends(0)
        .tells("FAIL")
        .tells("advice only");
    assert!(desk.has("told"));
}

/// Whoever may push a branch may have put anything there: what is obeyed is what was merged.
#[test]
fn t1_a_branch_that_nobody_merged_opens_no_gate() {
    let desk = Desk::new().installed();
    desk.repo
        .git(["config", "--global", "council.hook.mode", "gate"]);
    desk.repo.git(["checkout", "--quiet", "-b", "shared"]);
    for (name, text) in [
        ("rules", "[rules]\nconflict-marker = \"off\"\n"),
        ("ignore", "[review]\nignore = [\"*.md\"]\n"),
        ("hook", "[hook]\nenabled = false\n"),
    ] {
        desk.repo.git(["reset", "--quiet", "--hard", "origin/main"]);
        desk.repo.write("council.toml", text);
        desk.repo.commit("Theirs");
        let target = format!("HEAD:{name}");
        desk.push(&["--no-verify", "origin", &target]).ends(0);
        let theirs = desk.repo.git(["rev-parse", "HEAD"]);
        desk.conflict();
        desk.push(&["origin", &target])
            .ends(1)
            .tells("the push is blocked");
        let reached = format!("refs/heads/{name}");
        assert!(desk.has(&reached), "{theirs}");
        desk.repo
            .git(["branch", "--quiet", "--force", name, &theirs]);
        let upstream = format!("--set-upstream-to=origin/{name}");
        desk.repo.git(["branch", "--quiet", &upstream]);
        desk.repo.council(["review"]).ends(1);
    }
}

/// Containers, and the shells of coding agents, set what CI services set.
#[test]
fn a_variable_of_a_ci_service_opens_no_gate() {
    let desk = Desk::new().installed();
    desk.conflict();
    desk.gate();
    for (name, value) in [
        ("CI", "true"),
        ("CI", "1"),
        ("GITHUB_ACTIONS", "true"),
        ("GITLAB_CI", "true"),
        ("JENKINS_URL", "http://ci"),
        ("TF_BUILD", "True"),
    ] {
        desk.git(&[(name, value)], &["push", "origin", "HEAD:stopped"])
            .ends(1)
            .tells("the push is blocked");
        assert!(!desk.has("stopped"), "{name}={value}");
    }
}

/// What a gate lets through is not said to be blocked by one.
#[test]
fn advice_speaks_of_a_gate_only_where_one_would_stop_the_push() {
    let desk = Desk::new().installed();
    desk.repo.write("b.py", "import os\nos.system(\"a\" + b)\n");
    desk.repo.commit("A warning");
    let told = desk.push(&["origin", "HEAD:warned"]).ends(0).tells("WARN");
    assert!(!told.stderr.contains("advice only"), "{}", told.stderr);
    desk.gate();
    desk.repo.write("c.py", "import os\nos.system(\"a\" + c)\n");
    desk.repo.commit("Another warning");
    desk.push(&["origin", "HEAD:warned"]).ends(0).tells("WARN");
    desk.repo.council(["hook", "uninstall"]).ends(0);
    desk.repo
        .council(["hook", "status"])
        .ends(0)
        .prints("no push is stopped");
}

/// Who asks the hook why nobody can push is told it.
#[test]
fn a_hook_with_a_broken_configuration_says_so() {
    let desk = Desk::new().installed();
    desk.repo.git(["config", "council.hook.mode", "nonsense"]);
    desk.repo
        .council(["hook", "status"])
        .ends(0)
        .prints("every push is stopped")
        .prints("nonsense");
    let json = desk.repo.council(["hook", "status", "--json"]).ends(0);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert!(
        json["error"].as_str().unwrap().contains("nonsense"),
        "{json}"
    );
    assert!(json["settings"].is_null(), "{json}");
}

#[test]
fn a_clean_push_is_quiet() {
    let desk = Desk::new().installed();
    desk.repo
        .write("README.md", "# A project\n\nIt adds numbers, carefully.\n");
    desk.repo.commit("Say more");
    let run = desk.push(&["--quiet", "origin", "main"]).ends(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
}

#[test]
fn what_holds_no_new_code_is_not_reviewed() {
    let desk = Desk::new().installed();
    desk.gate();
    desk.push(&["origin", "main:gone"]).ends(0);
    desk.push(&["origin", ":gone"])
        .ends(0)
        .tells("nothing to review in the deletion of gone");
    desk.repo.git(["notes", "add", "-m", "a note"]);
    desk.push(&["origin", "refs/notes/commits"])
        .ends(0)
        .tells("nothing to review in notes");
    // Notes by name alone are none.
    desk.conflict();
    let code = desk.repo.git(["rev-parse", "HEAD"]);
    desk.repo.git(["update-ref", "refs/notes/x", &code]);
    desk.push(&["origin", "refs/notes/x"])
        .ends(1)
        .tells("the push is blocked");
    // What is up to date, git does not tell its hook; a manager may have kept it for itself.
    let up_to_date = desk.push(&["origin", "main~1:main"]);
    assert!(!up_to_date.stderr.contains("no refs received"));
    let args = ["hook", "run", "pre-push", "origin", "url"];
    let quiet = desk.repo.council(args).ends(0);
    assert!(
        !quiet.stderr.contains("no refs received"),
        "{}",
        quiet.stderr
    );
    desk.repo.write("lefthook.yml", "pre-push:\n");
    let told = desk.repo.council(args).ends(1);
    told.tells("no refs received (lefthook must pass standard input on), and the hook is a gate");
    desk.repo
        .git(["update-ref", "refs/remotes/origin/main", "main"]);
    let told = desk.repo.council(args).ends(0);
    told.tells("no refs received (lefthook must pass standard input on), nothing to review");
}

/// A PASS over what somebody excused is told from a PASS over nothing.
#[test]
fn what_a_comment_excuses_is_told_by_a_review_and_by_a_push() {
    let desk = Desk::new().installed();
    desk.gate();
    let key = "# council: allow(bidi-control) a test of our editor\n";
    desk.repo
        .write("src/a.py", format!("{key}level = \"user\"\n"));
    desk.repo.commit("An excuse");
    desk.push(&["origin", "main"]).ends(0);
    desk.repo
        .write("src/a.py", format!("{key}level = \"user\u{202e}\"\n"));
    desk.repo.commit("What it excuses");
    let told =
        "excused by a comment in the code and not counted: bidi-control at src/a.py:2 (critical)";
    for format in ["terminal", "markdown", "json", "sarif"] {
        let run = desk
            .repo
            .council(["review", "HEAD", "--format", format])
            .ends(0);
        let text = format!("{} {}", run.stdout, run.stderr).replace('\\', "");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(told), "{format}: {text}");
    }
    desk.push(&["origin", "main"])
        .ends(0)
        .tells("bidi-control at src/a.py:2 (critical)");
}

#[test]
fn several_refs_have_one_answer_and_the_worst_decides() {
    let desk = Desk::new().installed();
    desk.gate();
    desk.repo.git(["branch", "clean"]);
    desk.conflict();
    desk.repo.git(["tag", "-a", "-m", "v1", "v1"]);
    let run = desk.push(&["origin", "main", "clean", "v1"]).ends(1);
    // The branch and the tag stand for the same range.
    assert_eq!(
        run.stderr.matches(": FAIL (rules only): ").count(),
        1,
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("main, tags/v1") || run.stderr.contains("tags/v1, main"),
        "{}",
        run.stderr
    );
    assert!(!desk.has("clean"));
}

/// A push is read among the lines of other programs: five lines, however many branches are bad.
#[test]
fn two_bad_branches_are_told_in_five_lines() {
    let desk = Desk::new().installed();
    desk.gate();
    let base = desk.repo.git(["rev-parse", "HEAD"]);
    desk.conflict();
    desk.repo.git(["branch", "one"]);
    desk.repo.git(["reset", "--quiet", "--hard", &base]);
    desk.repo.write("more.md", CONFLICT);
    desk.repo.commit("Another conflict");
    desk.repo.git(["branch", "two"]);
    let run = desk.push(&["origin", "one", "two"]).ends(1);
    let own = run
        .stderr
        .lines()
        .filter(|line| !line.starts_with("error: "));
    assert!(own.count() <= 5, "{}", run.stderr);
    for told in [
        "one: FAIL",
        "two: FAIL",
        "git council show ",
        "the push is blocked",
    ] {
        assert!(run.stderr.contains(told), "{told}: {}", run.stderr);
    }
    // What is named leads to the findings that are shown.
    let line = run
        .stderr
        .lines()
        .find(|line| line.starts_with("git council show "));
    let name = line.and_then(|line| line.strip_prefix("git council show ")?.split(':').next());
    let shown = desk
        .repo
        .council(["show", name.unwrap()])
        .ends(0)
        .stdout
        .clone();
    let places = ["notes.md:1", "more.md:1"];
    let told: Vec<_> = places
        .iter()
        .filter(|place| run.stderr.contains(**place))
        .collect();
    assert!(
        !told.is_empty() && told.iter().all(|place| shown.contains(**place)),
        "{shown}"
    );
}

#[test]
fn a_force_push_is_reviewed_since_the_histories_parted() {
    let desk = Desk::new().installed();
    desk.gate();
    desk.repo.write("README.md", "# Another\n");
    desk.repo.commit("Replace");
    desk.push(&["origin", "main"]).ends(0);
    desk.repo.git(["reset", "--quiet", "--hard", "HEAD~1"]);
    desk.conflict();
    desk.push(&["--force", "origin", "main"])
        .ends(1)
        .tells("force-push");
}

#[test]
fn a_first_push_of_sha256_is_reviewed() {
    let desk = Desk::new();
    let repo = Repo::home();
    repo.git_in(
        &repo.path(),
        &[
            "init",
            "--quiet",
            "--initial-branch=main",
            "--object-format=sha256",
            ".",
        ],
    );
    let remote = desk.repo.in_home("wide.git");
    repo.git_in(
        &repo.path(),
        &[
            "init",
            "--quiet",
            "--bare",
            "--object-format=sha256",
            remote.to_str().unwrap(),
        ],
    );
    repo.git(["remote", "add", "origin", remote.to_str().unwrap()]);
    let wide = Desk { repo, remote };
    wide.repo.write("notes.md", CONFLICT);
    wide.repo.commit("Conflict");
    let wide = wide.installed();
    wide.gate();
    wide.push(&["origin", "main"]).ends(1).tells("notes.md:1");
    wide.repo.git(["config", "council.hook.mode", "advisory"]);
    wide.push(&["origin", "main"]).ends(0);
    wide.push(&["origin", ":main"])
        .tells("nothing to review in the deletion");
}

#[test]
fn t27_names_of_refs_are_never_part_of_a_command() {
    let desk = Desk::new().installed();
    let hostile = [
        "x;touch${IFS}pwned",
        "$(touch${IFS}pwned)",
        "`touch${IFS}pwned`",
        "a\"b'c|touch${IFS}pwned&",
        "--upload-pack=touch${IFS}pwned",
    ];
    for (at, name) in hostile.into_iter().enumerate() {
        desk.repo.write(&format!("notes-{at}.md"), CONFLICT);
        desk.repo.commit("Conflict");
        let to = format!("HEAD:refs/heads/{name}");
        let run = desk.push(&["origin", &to]).ends(0).tells("FAIL");
        assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
    }
    let places = [desk.repo.path(), desk.repo.path().join(".git"), desk.remote];
    assert!(places.iter().all(|place| !place.join("pwned").exists()));
}

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
    desk.repo.council(["hook", "install"]).ends(0);
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

#[test]
fn a_commit_is_reviewed_in_the_background_and_the_push_finds_its_verdict() {
    let desk = Desk::new();
    desk.repo
        .git(["config", "--global", "council.background.load", "10000"]);
    desk.repo
        .git(["config", "--global", "council.background.battery", "true"]);
    desk.repo
        .council(["hook", "install", "--post-commit"])
        .ends(0);
    desk.repo.write("notes.md", CONFLICT);
    desk.git(&[], &["add", "."]).ends(0);
    desk.git(&[], &["commit", "--quiet", "--message", "Conflict"])
        .ends(0);
    desk.repo
        .council(["wait", "--timeout", "60s"])
        .ends(1)
        .prints("notes.md:1");
    desk.gate();
    let run = desk.push(&["origin", "main"]).ends(1);
    run.tells("(reused)").tells("git council show");
}

/// A law: whatever happens in one worktree, the commit of another has its own review, and its own last report; also where
/// both are made at once, and while a review goes on.
#[test]
fn each_worktree_has_the_review_of_its_own_commit() {
    let desk = Desk::new();
    for (key, value) in [("load", "10000"), ("battery", "true")] {
        let key = format!("council.background.{key}");
        desk.repo.git(["config", "--global", &key, value]);
    }
    desk.repo
        .council(["hook", "install", "--post-commit"])
        .ends(0);
    let tree = |n: usize| desk.repo.in_home(&format!("tree-{n}"));
    for n in 0..3 {
        let (branch, tree) = (format!("side-{n}"), tree(n));
        let add = [
            "worktree",
            "add",
            "--quiet",
            "-b",
            &branch,
            tree.to_str().unwrap(),
        ];
        desk.repo.git(add);
    }
    // In a hook git names the repository and the index: each commit under its own variables, all of them at once.
    let commits = (0..3).map(|n| {
        let bad = if n == 1 { CONFLICT } else { "fine\n" };
        fs::write(tree(n).join(format!("file-{n}.md")), bad).unwrap();
        let (at, words) = (tree(n), format!("commit-{n}"));
        let at = at.to_str().unwrap();
        desk.git(&[], &["-C", at, "add", "."]).ends(0);
        desk.git_command(&[], &["-C", at, "commit", "--quiet", "--message", &words])
    });
    let started: Vec<_> = commits.map(|mut commit| commit.spawn().unwrap()).collect();
    for mut commit in started {
        assert!(commit.wait().unwrap().success());
    }
    for n in 0..3 {
        let wait = ["wait", "--timeout", "100s", "--json"];
        let run = desk.repo.council_in(&tree(n), &wait, &[]);
        let told: serde_json::Value = serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{n}: {error}: {}{}", run.stdout, run.stderr));
        let head = desk.repo.git_in(&tree(n), &["rev-parse", "HEAD"]);
        assert_eq!(told["target"]["head"], head.trim(), "{n}");
        assert_eq!(run.code, i32::from(n == 1), "{n}: {}", run.stdout);
    }
}

#[test]
fn a_superseded_review_ends_and_the_latest_commit_has_its_verdict() {
    let desk = Desk::new();
    let judge = desk.repo.in_home("slow.sh");
    fs::write(&judge, "#!/bin/sh\nexec sleep 600\n").unwrap();
    fs::set_permissions(&judge, PermissionsExt::from_mode(0o755)).unwrap();
    let slow = format!(
        "[agents.slow]\ndriver = 'command'\ncommand = [{judge:?}]\n[background]\nload = 10000\nbattery = true\n"
    );
    desk.repo
        .write_home(".config/git-council/config.toml", &slow);
    desk.repo
        .git(["config", "--global", "council.review.agents", "slow"]);
    desk.repo
        .council(["hook", "install", "--post-commit"])
        .ends(0);
    let commit = |name: &str| {
        desk.repo.write(name, "x\n");
        desk.git(&[], &["add", "."]).ends(0);
        desk.git(&[], &["commit", "--quiet", "--message", name])
            .ends(0);
    };
    commit("one.txt");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !desk.repo.council(["status"]).stdout.contains("council-") {
        assert!(std::time::Instant::now() < end, "no review began");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    desk.repo
        .git(["config", "--global", "council.review.agents", "builtin"]);
    commit("two.txt");
    desk.repo
        .council(["wait", "--timeout", "100s"])
        .ends(0)
        .prints("PASS");
    let log = desk.repo.council(["log"]).stdout;
    assert!(log.contains("interrupted"), "{log}");
}

/// A law: however fast commits follow each other, also where there is nothing to compare the branch with, no commit is left
/// out of the review of the last one.
#[test]
fn each_of_several_fast_commits_is_reviewed() {
    let desk = Desk::new();
    desk.repo.git(["remote", "remove", "origin"]);
    desk.repo
        .council(["hook", "install", "--post-commit"])
        .ends(0);
    for n in 0..4 {
        desk.repo.write(&format!("file-{n}.md"), CONFLICT);
        desk.git(&[], &["add", "."]).ends(0);
        desk.git(&[], &["commit", "--quiet", "--message", "One more"])
            .ends(0);
    }
    let mut reviewed = String::new();
    let is_whole = |said: &str| (0..4).all(|n| said.contains(&format!("file-{n}.md")));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(100);
    while !is_whole(&reviewed) {
        assert!(std::time::Instant::now() < end, "{reviewed}");
        desk.repo.council(["wait", "--timeout", "60s"]);
        reviewed += &desk.repo.council(["show", "--json"]).stdout;
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// A judge that is not built in, so that its review waits for a quiet machine; no machine is quiet enough.
fn waiting_desk() -> Desk {
    let desk = Desk::new();
    let judge = desk.repo.in_home("judge.sh");
    let answer = r#"{"schema_version":1,"round":1,"key":"@KEY@","confidence":"HIGH","key_insight":"i","verdict":"PASS","findings":[]}"#;
    let script = format!(
        "#!/bin/sh\ncat >/dev/null; sed \"s/@KEY@/$COUNCIL_KEY/\" <<'END'\n{answer}\nEND\n"
    );
    fs::write(&judge, script).unwrap();
    fs::set_permissions(&judge, PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!(
        "[agents.one]\ndriver = 'command'\ncommand = [{judge:?}]\n[review]\nagents = ['one']\njudges = 1\nquorum = 1\n\
         [background]\nload = 1\nbattery = true\n"
    );
    desk.repo
        .write_home(".config/git-council/config.toml", &config);
    desk.repo
        .council(["hook", "install", "--post-commit"])
        .ends(0);
    desk
}

fn commit_and_wait_until(desk: &Desk, name: &str, told: &str) {
    desk.repo.write(name, "x\n");
    desk.git(&[], &["add", "."]).ends(0);
    desk.git(&[], &["commit", "--quiet", "--message", name])
        .ends(0);
    until(desk, "status", told);
}

fn until(desk: &Desk, command: &str, told: &str) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let said = desk.repo.council([command]).stdout;
        if said.contains(told) {
            return;
        }
        assert!(std::time::Instant::now() < end, "{told}: {said}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn whoever_needs_the_verdict_ends_the_waiting_for_a_quiet_machine() {
    let desk = waiting_desk();
    commit_and_wait_until(&desk, "one.txt", "is waiting: the load is");
    desk.repo
        .council(["wait", "--timeout", "100s"])
        .ends(0)
        .prints("PASS");
    // So does a push, which goes on without the models.
    let runs = || {
        desk.repo
            .council(["log"])
            .stdout
            .matches("council-")
            .count()
    };
    let before = runs();
    commit_and_wait_until(&desk, "two.txt", "is waiting: the load is");
    desk.push(&["origin", "main"]).ends(0);
    until(&desk, "status", "no review is running");
    assert!(runs() > before);
}

#[test]
fn a_configuration_that_cannot_be_read_leaves_no_commit_waiting() {
    let desk = waiting_desk();
    commit_and_wait_until(&desk, "one.txt", "is waiting: the load is");
    desk.repo.council(["wait", "--timeout", "100s"]).ends(0);
    desk.repo.write("council.toml", "x = 1\n");
    commit_and_wait_until(&desk, "two.txt", "no review is running");
    // What was said of the commit before is not said of this one.
    desk.repo
        .council(["wait", "--timeout", "100s"])
        .ends(3)
        .tells("not about HEAD");
    until(&desk, "log", "council-");
}
