//! What a push is told and what a gate stops, by real pushes through the real git to bare repositories beside.

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

    pub(crate) fn git_command(&self, vars: &[(&str, &str)], args: &[&str]) -> Command {
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

/// Silence looks like a PASS: where the default branch switches the hook off, a push says so. Who does it knows it.
#[test]
fn a_push_says_that_the_default_branch_switches_the_hook_off() {
    let desk = Desk::new().installed();
    desk.repo.write("council.toml", "[hook]\nenabled = false\n");
    desk.repo.commit("No hook");
    desk.push(&["--no-verify", "origin", "HEAD:main"]).ends(0);
    desk.conflict();
    desk.push(&["origin", "HEAD:topic"])
        .ends(0)
        .tells("no review: ")
        .tells("council.toml:2 switches the hook off (hook.enabled)");
    assert!(desk.has("topic"));
    let status = |told: &str| {
        let run = desk.repo.council(["hook", "status"]);
        run.ends(0).prints("switched off").prints(told);
    };
    status("council.toml:2 (hook.enabled)");
    desk.repo
        .git(["config", "--global", "council.hook", "false"]);
    status("council.hook is false");
    let run = desk.push(&["origin", "HEAD:other"]).ends(0);
    assert!(!run.stderr.contains("no review"), "{}", run.stderr);
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

/// A law: behind a manager, or a script of the user's, that hands on nothing, a push of one ref is held for that ref and
/// for no other.
#[test]
fn a_push_of_one_ref_is_held_for_no_other() {
    const NOTHING: &str = "git-council hook run pre-push \"$@\" </dev/null";
    const READ: &str = "while read a b; do :; done\ngit-council hook run pre-push \"$@\"";
    for (manager, lines) in [
        ("lefthook.yml", NOTHING),
        ("notes.yml", NOTHING),
        ("notes.yml", READ),
    ] {
        one_ref_is_held(manager, &format!("#!/bin/sh\n{lines}\n"));
    }
}

fn one_ref_is_held(manager: &str, hook: &str) {
    let desk = Desk::new();
    desk.gate();
    desk.repo.write(manager, "pre-push:\n");
    desk.repo.commit("A manager");
    desk.push(&["--no-verify", "origin", "main"]).ends(0);
    desk.repo.write(".git/hooks/pre-push", hook);
    std::fs::set_permissions(
        desk.repo.path().join(".git/hooks/pre-push"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    desk.repo.git(["checkout", "--quiet", "-b", "bad"]);
    desk.conflict();
    desk.repo.git(["checkout", "--quiet", "main"]);
    for args in [
        &["origin", "main"][..],
        &["origin"],
        &[],
        &["origin", "HEAD:other"],
    ] {
        let run = desk.push(args).ends(0);
        assert!(!run.stderr.contains("no refs received"), "{}", run.stderr);
    }
    for args in [
        &["origin", "bad"][..],
        &["origin", "bad:other"],
        &["--all", "origin"],
    ] {
        desk.push(args).ends(1).tells("the push is blocked");
    }
    desk.repo.git(["checkout", "--quiet", "bad"]);
    desk.push(&["origin", "HEAD"]).ends(1);
    desk.repo.write("more.md", "More.\n");
    desk.repo.git(["checkout", "--quiet", "-b", "good", "main"]);
    desk.repo.commit("More");
    desk.push(&["origin", "good"])
        .ends(0)
        .tells("what the `git push` names is reviewed (good)");
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
        .find(|line| line.contains("git council show "));
    // It ends its line, to be copied.
    let name = line.and_then(|line| Some(line.split_once(": git council show ")?.1));
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
