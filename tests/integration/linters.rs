//! Linters as judges: what they are asked, what of their reports counts, and what they must not run.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::harness::{Repo, Run};

/// A linter under a name of its own, before all other programs. `@HOME` in its script is the user's home.
pub(crate) fn install(repo: &Repo, name: &str, script: &str) {
    let home = repo.in_home("").display().to_string();
    let file = format!("bin/{name}");
    repo.write_home(
        &file,
        &format!("#!/bin/sh\n{}\n", script.replace("@HOME", &home)),
    );
    std::fs::set_permissions(repo.in_home(&file), PermissionsExt::from_mode(0o755)).unwrap();
}

pub(crate) fn review(repo: &Repo, args: &[&str]) -> Run {
    let path = format!("{}:/usr/bin:/bin", repo.in_home("bin").display());
    let args: Vec<&str> = ["review", "HEAD", "--judges", "1", "--quorum", "1"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    repo.council_with(&[("PATH", &path)], &args)
}

/// Reports an error in the first line of each file that it is given, unless its configuration switches it off.
const RUFF: &str = r#"printf '%s\n' "$@" >@HOME/arguments
cat >@HOME/input
results=
grep -qs off ruff.toml || for file in "$@"; do
  case $file in ./*) results="$results${results:+,}{\"ruleId\": \"E999\", \"level\": \"error\", \"message\": {\"text\": \"wrong\"},
   \"locations\": [{\"physicalLocation\": {\"artifactLocation\": {\"uri\": \"file://$PWD/${file#./}\"}, \"region\": {\"startLine\": 1}}}]}" ;;
  esac
done
echo "{\"version\": \"2.1.0\", \"runs\": [{\"tool\": {\"driver\": {\"name\": \"ruff\"}}, \"results\": [$results]}]}""#;

#[test]
fn a_known_linter_sees_the_changed_files_and_the_configuration_of_the_base() {
    let repo = Repo::with_base();
    install(&repo, "ruff", RUFF);
    repo.write("old.py", "import os\n");
    repo.commit("Old");
    repo.write("new.py", "import sys\n");
    repo.write("notes.md", "Notes\n");
    repo.write("ruff.toml", "off = true\n");
    repo.commit("New");
    let run = review(&repo, &["--agents", "ruff", "--json"]).ends(0);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["verdict"], "WARN", "{}", run.stdout);
    assert_eq!(report["findings"][0]["finding"]["severity"], "significant");
    assert_eq!(
        report["findings"][0]["finding"]["location"]["path"],
        "new.py"
    );
    let told = |name: &str| std::fs::read_to_string(repo.in_home(name)).unwrap();
    assert!(
        told("arguments").ends_with("--\n./new.py\n"),
        "{}",
        told("arguments")
    );
    assert_eq!(told("input"), "./new.py\n");
}

/// What the configuration extends is a part of it, wherever it lies, and so is what is moved away.
#[test]
fn a_change_cannot_switch_a_linter_off_through_a_file_that_its_configuration_extends() {
    let script = RUFF.replace(
        "grep -qs off ruff.toml",
        "grep -qs off lint/base.toml || ! grep -qs extend ruff.toml",
    );
    for edit in ["base", "moved"] {
        let repo = Repo::with_base();
        install(&repo, "ruff", &script);
        repo.write("ruff.toml", "extend = \"lint/base.toml\"\n");
        repo.write("lint/base.toml", "select = [\"F\"]\n");
        repo.commit("Old");
        repo.write("new.py", "import sys\n");
        match edit {
            "base" => repo.write("lint/base.toml", "off = true\n"),
            _ => drop(repo.git(["mv", "ruff.toml", "lint/gone.toml"])),
        }
        repo.commit("New");
        let run = review(&repo, &["--agents", "ruff", "--json"]).ends(0);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["verdict"], "WARN", "{edit}: {}", run.stdout);
    }
}

#[test]
fn a_linter_with_nothing_to_look_at_is_not_started() {
    let repo = Repo::with_base();
    install(&repo, "ruff", RUFF);
    repo.write("notes.md", "Notes\n");
    repo.commit("Notes");
    review(&repo, &["--agents", "ruff"]).ends(0);
    assert!(!repo.in_home("arguments").exists());
}

/// Three linters of Python files, and two judges that run `script`.
fn beside_linters(script: &str) -> Repo {
    let repo = crate::programs::with_judge(script, "");
    install(&repo, "house", "touch @HOME/started");
    let file = ".config/git-council/config.toml";
    let mut config = std::fs::read_to_string(repo.in_home(file)).unwrap();
    for name in ["lint", "typo", "style"] {
        config += &format!(
            "[agents.{name}]\ndriver = 'command'\nformat = 'sarif'\nfiles = ['*.py']\ncommand = ['house', '{{files}}']\n"
        );
    }
    repo.write_home(file, &config);
    repo
}

/// A linter that is asked about no file is no judge that found nothing: it makes up for nobody who failed, and dilutes
/// nobody who found something.
#[test]
fn linters_that_have_nothing_to_look_at_are_no_judges() {
    let bench = [
        "--judges",
        "5",
        "--agents",
        "helper,helper,lint,typo,style",
        "--json",
    ];
    let path = |repo: &Repo| format!("{}:/usr/bin:/bin", repo.in_home("bin").display());
    let review = |repo: &Repo, bench: &[&str]| {
        let args: Vec<&str> = ["review", "HEAD"].iter().chain(bench).copied().collect();
        let run = repo.council_with(&[("PATH", &path(repo))], &args);
        assert!(!repo.in_home("started").exists());
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        (run.code, report)
    };
    let silent = beside_linters("cat >/dev/null");
    let (code, report) = review(&silent, &bench);
    assert_eq!((code, report["counted"].as_u64()), (3, Some(0)), "{report}");

    let finding = r#"{"severity": "critical", "description": "It overflows.", "quote": "pub const MORE: u32 = 1;",
 "location": {"path": "src/more.rs", "line": 2}}"#;
    let finders = beside_linters(&crate::programs::answer("FAIL", finding));
    let (code, report) = review(&finders, &bench);
    assert_eq!(
        (code, &report["reason"]),
        (1, &"critical-confirmed".into()),
        "{report}"
    );
    assert!(
        report
            .to_string()
            .contains("not asked, since none of the changed files is theirs: "),
        "{report}"
    );

    // Nobody is left, so that nobody read it; what no change may bring in, rules find all the same.
    let linters = ["--judges", "3", "--agents", "lint,typo,style", "--json"];
    let (code, report) = review(&silent, &linters);
    assert_eq!(
        (code, &report["verdict"]),
        (0, &"SKIPPED".into()),
        "{report}"
    );
    silent.write("d.md", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n");
    silent.commit("Conflict");
    let (code, report) = review(&silent, &linters);
    assert_eq!((code, &report["verdict"]), (1, &"FAIL".into()), "{report}");
}

#[test]
fn a_linter_covers_the_files_that_it_was_given_and_no_others() {
    let repo = Repo::with_base();
    install(
        &repo,
        "ruff",
        RUFF.replace("grep -qs off", "true || grep").as_str(),
    );
    repo.write("new.py", "import sys\n");
    repo.write("notes.md", "Notes\n");
    repo.commit("New");
    let run = review(&repo, &["--agents", "ruff", "--json"]).ends(0);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let states = report["coverage"]["files"].as_array().unwrap().iter();
    let states: Vec<_> = states
        .map(|file| file["state"]["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["reviewed", "skipped"], "{report}");
}

#[test]
fn a_linter_that_is_killed_abstains_whatever_it_wrote() {
    let repo = Repo::with_base();
    install(&repo, "ruff", &format!("{RUFF}\nkill -9 $$"));
    repo.write("new.py", "import sys\n");
    repo.commit("New");
    review(&repo, &["--agents", "ruff", "--json"])
        .ends(3)
        .prints("was ended (signal 9)");
}

/// A linter that counts its paths from another folder speaks of the change as likely as not: its error does not vanish.
#[test]
fn what_a_linter_says_of_a_file_that_is_not_there_is_told_and_never_a_pass() {
    let repo = Repo::with_base();
    let script = |path: &str, more: &str| {
        format!(
            r#"echo '{{"version": "2.1.0", "runs": [{{"tool": {{"driver": {{"name": "t"}}}}, "results": [{{"ruleId": "R", "level": "error",
 "message": {{"text": "SQL injection"}}, "locations": [{{"physicalLocation": {{"artifactLocation": {{"uri": "{path}"}},
 "region": {{"startLine": 1}}}}}}]{more}}}]}}]}}'"#
        )
    };
    repo.write("src/x.py", "import sys\n");
    repo.commit("New");
    let verdict_of = |path: &str, more: &str| {
        install(&repo, "ruff", &script(path, more));
        let run = review(&repo, &["--agents", "ruff", "--json", "--fresh"]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        (report["verdict"].as_str().unwrap().to_owned(), run.stdout)
    };
    for path in [
        "x.py",
        "proj/src/x.py",
        "file:///build/proj/src/x.py",
        "gone/y.py",
    ] {
        let (verdict, report) = verdict_of(path, "");
        assert_eq!(verdict, "WARN", "{path}: {report}");
        assert!(
            report.contains("SQL injection") && report.contains(path),
            "{report}"
        );
    }
    assert_eq!(
        verdict_of("src/lib.rs", "").0,
        "PASS",
        "a file that the change leaves alone"
    );
    let gone = r#", "baselineState": "absent""#;
    assert_eq!(
        verdict_of("src/x.py", gone).0,
        "PASS",
        "a problem that is gone"
    );
}

#[test]
fn a_linter_is_not_told_of_what_its_workspace_leaves_out() {
    let repo = Repo::with_base();
    install(&repo, "ruff", RUFF);
    repo.write("new.py", "import sys\n");
    std::os::unix::fs::symlink("new.py", repo.path().join("link.py")).unwrap();
    repo.commit("New");
    review(&repo, &["--agents", "ruff"]);
    let told = std::fs::read_to_string(repo.in_home("arguments")).unwrap();
    assert!(told.ends_with("--\n./new.py\n"), "{told}");
}

#[test]
fn what_a_linter_says_of_the_base_too_is_not_new() {
    let script = r#"for file in "$@"; do
  grep -n BAD "$file" | sed "s|^\([0-9]*\):.*|$file:\1: error: bad [X1]|"
done"#;
    let repo = Repo::with_base();
    install(&repo, "house", script);
    repo.write("a.txt", "BAD one\n");
    repo.commit("One");
    repo.write("a.txt", "first\nBAD one\nBAD two\n");
    repo.commit("Two");
    let config = |more: &str| {
        format!(
            "[agents.house]\ndriver = 'command'\ncommand = ['house', '{{files}}']\nformat = 'lines'\ndeterministic = true\n{more}"
        )
    };
    let findings = |more: &str| {
        repo.write_home(".config/git-council/config.toml", &config(more));
        let run = review(&repo, &["--fresh", "--json"]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        (run.code, report["findings"].as_array().unwrap().len())
    };
    assert_eq!(findings("baseline = true\n"), (0, 1));
    // One result there is one here: a copy of a line that was there is new.
    repo.write("a.txt", "BAD one\nfirst\nBAD one\n");
    repo.git(["add", "--all"]);
    repo.git(["commit", "--quiet", "--amend", "--message", "Copy"]);
    assert_eq!(findings("baseline = true\n"), (0, 1));
    repo.write("a.txt", "first\nBAD one\nBAD two\n");
    repo.git(["add", "--all"]);
    repo.git(["commit", "--quiet", "--amend", "--message", "Two"]);
    assert_eq!(findings("max-severity = 'critical'\n"), (1, 1));
    // A file that was moved: its lines are new to the diff, and not to the linter.
    repo.git(["mv", "a.txt", "b.txt"]);
    repo.commit("Move");
    assert_eq!(findings("baseline = true\n"), (0, 0));
}

/// It sits alone, and what it warns of has no place that a finding could name.
#[test]
fn a_warning_without_a_place_is_no_pass() {
    let repo = Repo::with_base();
    let report = r#"echo '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "house"}}, "results": [
  {"ruleId": "H1", "level": "LEVEL", "message": {"text": "The licence is missing."}}]}]}'"#;
    repo.write_home(
        ".config/git-council/config.toml",
        "[agents.house]\ndriver = 'command'\ncommand = ['house']\nformat = 'sarif'\ndeterministic = true\n",
    );
    repo.write("a.txt", "one\n");
    repo.commit("One");
    let judged = |level: &str, code| {
        install(&repo, "house", &report.replace("LEVEL", level));
        let args = [
            "--agents",
            "house",
            "--fresh",
            "--json",
            "--fail-on",
            "warn",
        ];
        let run = review(&repo, &args).ends(code);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        (report["verdict"].clone(), report["reason"].clone())
    };
    let unplaced = (Value::from("WARN"), Value::from("verdict-without-finding"));
    assert_eq!(judged("warning", 1), unplaced);
    assert_eq!(judged("error", 1), unplaced);
    assert_eq!(judged("note", 0).0, "PASS");
}

#[test]
fn a_linter_that_fails_abstains_with_its_last_words() {
    let repo = Repo::with_base();
    install(&repo, "ruff", "echo 'unknown option: --bad' >&2; exit 2");
    repo.write("new.py", "import sys\n");
    repo.commit("New");
    review(&repo, &["--agents", "ruff", "--json"])
        .ends(3)
        .prints("unknown option: --bad");
    install(
        &repo,
        "mypy",
        "echo 'usage: mypy'; echo 'no such thing' >&2; exit 2",
    );
    review(&repo, &["--agents", "mypy", "--json"])
        .ends(3)
        .prints("no such thing");
}

#[test]
fn a_linter_that_runs_code_of_the_change_needs_the_user_s_leave() {
    let repo = Repo::with_base();
    install(&repo, "eslint", "touch @HOME/ran; echo '[]'");
    repo.write("a.js", "f();\n");
    repo.write(
        "council.toml",
        "[review]\nagents = ['ruff']\n[agents.eslint]\nallow-code = true\n",
    );
    repo.commit("Code");
    review(&repo, &["--agents", "eslint"])
        .ends(2)
        .tells("agents.eslint.allow-code = true");
    assert!(!repo.in_home("ran").exists());
    let own = "[agents.eslint]\nallow-code = true\n";
    repo.write_home(".config/git-council/config.toml", own);
    review(&repo, &["--agents", "eslint"]).ends(0);
    assert!(repo.in_home("ran").exists());
}

#[test]
fn a_linter_that_cannot_use_its_configuration_abstains() {
    let repo = Repo::with_base();
    let script =
        r#"echo "tsconfig.json(1,24): error TS5023: Unknown compiler option 'x'."; exit 1"#;
    install(&repo, "tsc", script);
    repo.write(
        "tsconfig.json",
        "{ \"compilerOptions\": { \"x\": true } }\n",
    );
    repo.commit("Configuration");
    repo.write("a.ts", "export const n = 1;\n");
    repo.commit("New");
    review(&repo, &["--agents", "tsc", "--json"])
        .ends(3)
        .prints("tsconfig.json: Unknown compiler option 'x'.");
}

#[test]
fn a_linter_that_asks_for_its_configuration_is_told_where_it_is() {
    let repo = Repo::with_base();
    install(
        &repo,
        "actionlint",
        r#"printf '%s\n' "$@" >@HOME/arguments"#,
    );
    let told = || std::fs::read_to_string(repo.in_home("arguments")).unwrap();
    repo.write(".github/workflows/ci.yml", "on: push\n");
    repo.commit("New");
    review(&repo, &["--agents", "actionlint"]).ends(0);
    assert!(!told().contains("config"), "{}", told());
    repo.write(".github/actionlint.yml", "self-hosted-runner:\n");
    repo.commit("Configuration");
    repo.write(".github/workflows/ci.yml", "on: [push]\n");
    repo.commit("More");
    review(&repo, &["--agents", "actionlint"]).ends(0);
    assert!(
        told().contains("-config-file=.github/actionlint.yml\n"),
        "{}",
        told()
    );
}

/// A tool works among the reviewed files, which are none of its modules: the change would switch off who judges it.
#[test]
fn a_file_of_the_change_is_no_module_of_the_tool_that_judges_it() {
    let repo = Repo::with_base();
    repo.write_home(
        "mods/housecheck.py",
        "import os, re\nfor name in os.listdir('.'):\n    if name == 'bad.py':\n        print('bad.py:1:1: error: forbidden')\n",
    );
    repo.write_home(
        ".config/git-council/config.toml",
        "[agents.house]\ndriver = 'command'\ncommand = ['python3', '-m', 'housecheck']\nenv = ['PYTHONPATH']\n\
         format = 'lines'\nmax-severity = 'critical'\ndeterministic = true\n",
    );
    let mark = repo.in_home("mark");
    let evil = format!("open({:?}, 'w').write('ran')\n", mark.display().to_string());
    repo.write("housecheck.py", &evil);
    repo.write("re.py", &evil);
    repo.write("bad.py", "launch()\n");
    repo.commit("Bad");
    let mods = repo.in_home("mods").display().to_string();
    let run = repo.council_with(
        &[("PYTHONPATH", &mods)],
        &["review", "HEAD", "--agents", "house"],
    );
    assert!(!mark.exists(), "{}", run.stdout);
    run.prints("forbidden");
}
