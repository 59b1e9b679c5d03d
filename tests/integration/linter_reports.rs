//! What a linter reports of odd places and names, and what of it is a verdict.

use serde_json::Value;

use crate::harness::Repo;
use crate::linters::{install, review};

/// A linter of one's own over these files, which reports whatever `script` prints as plain lines.
fn house(repo: &Repo, more: &str) {
    let config = format!(
        "[agents.house]\ndriver = 'command'\ncommand = ['house', '{{files}}']\nformat = 'lines'\nmax-severity = 'critical'\n{more}"
    );
    repo.write_home(".config/git-council/config.toml", &config);
}

fn judged(repo: &Repo) -> Value {
    let run = review(repo, &["--agents", "house", "--fresh", "--json"]);
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

/// Compilers report a missing bracket there.
#[test]
fn an_error_on_a_blank_line_is_a_finding() {
    let repo = Repo::with_base();
    house(&repo, "");
    repo.write("w.py", "def a():\n    return (1\n\n");
    repo.commit("Open");
    for line in 1..=3 {
        install(
            &repo,
            "house",
            &format!("echo 'w.py:{line}:1: error: unexpected end of input'"),
        );
        let report = judged(&repo);
        let place = &report["findings"][0]["finding"]["location"];
        assert_eq!(report["verdict"], "FAIL", "{line}: {report}");
        let end = place["end_line"]
            .as_u64()
            .unwrap_or_else(|| place["line"].as_u64().unwrap());
        assert_eq!(
            (place["line"].as_u64(), end),
            (Some(line.min(2)), line),
            "{report}"
        );
    }
}

/// A file's author chooses its name.
#[test]
fn no_name_of_a_file_hides_it_from_a_linter() {
    use std::os::unix::ffi::OsStrExt as _;

    let repo = Repo::with_base();
    house(&repo, "");
    install(
        &repo,
        "house",
        r#"for f in "$@"; do echo "$f:1:1: error: bad [R]"; done"#,
    );
    repo.write("util.py", "ok = 1\n");
    repo.commit("Util");
    for name in [&b"uti%6C.py"[..], b"l\xe4t.py", b"a b.py", b"-q.py"] {
        std::fs::write(
            repo.path().join(std::ffi::OsStr::from_bytes(name)),
            "x = 1\n",
        )
        .unwrap();
        repo.commit("Name");
        let report = judged(&repo);
        assert_eq!(report["verdict"], "FAIL", "{name:?}: {report}");
    }
    // What names its file in lines cannot name this one.
    std::fs::write(repo.path().join("n\nl.py"), "x = 1\n").unwrap();
    repo.commit("Line");
    assert_eq!(judged(&repo)["verdict"], "WARN");
    // A linter that takes a list on standard input may not have heard of it.
    let config = "[agents.house]\ndriver = 'command'\ncommand = ['house']\nformat = 'sarif'\n";
    repo.write_home(".config/git-council/config.toml", config);
    let silent = r#"echo '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "h"}}, "results": []}]}'"#;
    install(&repo, "house", silent);
    assert_eq!(judged(&repo)["verdict"], "WARN");
}

/// With the base to compare with, what a change breaks is told where it does not stand in the change: a caller in
/// another file, or a use in another line.
#[test]
fn what_a_change_breaks_elsewhere_is_told_where_the_base_has_it_not() {
    let repo = Repo::with_base();
    repo.write("f.txt", "two\n");
    repo.write("calls.txt", "call f two\n");
    repo.commit("Base");
    repo.write("f.txt", "three\n");
    repo.commit("Breaks the caller");
    // Complains of a call that does not fit, and of one that never did.
    install(
        &repo,
        "house",
        r#"echo "calls.txt:9:1: error: was there before"
grep -q two f.txt || echo "calls.txt:1:1: error: f takes three""#,
    );
    let whole = "command = ['house']\n";
    let config = |more: &str| {
        let config = format!("[agents.house]\ndriver = 'command'\nformat = 'lines'\n{whole}{more}");
        repo.write_home(".config/git-council/config.toml", &config);
    };
    config("baseline = true\n");
    let report = judged(&repo);
    assert_eq!(report["verdict"], "WARN", "{report}");
    let told = report.to_string();
    assert!(
        told.contains("f takes three") && !told.contains("was there before"),
        "{told}"
    );
    // Nobody knows without the base.
    config("");
    assert_eq!(judged(&repo)["verdict"], "PASS");
}

/// Cargo looks at nothing behind an error, wherever that stands.
#[test]
fn a_build_that_fails_is_never_a_pass() {
    let repo = Repo::with_base();
    repo.write("src/a.rs", "pub fn f() {}\n");
    repo.commit("Base");
    repo.write("src/a.rs", "pub fn f(x: u8) {}\n");
    repo.commit("Breaks the build");
    let script = |broken: &str| {
        format!(
            r#"if {broken}; then
echo '{{"reason":"compiler-message","message":{{"message":"no x","level":"error","code":null,"spans":[{{"file_name":"src/lib.rs","line_start":1,"line_end":1,"is_primary":true}}]}}}}'
echo '{{"reason":"build-finished","success":false}}'; exit 101
fi
echo '{{"reason":"build-finished","success":true}}'"#
        )
    };
    let config = |baseline: bool| {
        let config = format!(
            "[agents.house]\ndriver = 'command'\ncommand = ['house']\nformat = 'cargo'\nbaseline = {baseline}\n"
        );
        repo.write_home(".config/git-council/config.toml", &config);
    };
    config(true);
    install(&repo, "house", &script("grep -q u8 src/a.rs"));
    let report = judged(&repo);
    assert_eq!(report["verdict"], "WARN", "{report}");
    assert!(report.to_string().contains("no x"), "{report}");
    // The base is as broken, or is not asked: nobody knows what lies behind the error.
    install(&repo, "house", &script("true"));
    assert_eq!(judged(&repo)["verdict"], "INCONCLUSIVE");
    config(false);
    assert_eq!(judged(&repo)["verdict"], "INCONCLUSIVE");
}

/// It is neither asked about a link nor about a submodule, and so is no judge that failed.
#[test]
fn a_link_is_no_file_for_a_linter() {
    let repo = Repo::with_base();
    house(&repo, "");
    install(&repo, "house", "");
    std::os::unix::fs::symlink("src/lib.rs", repo.path().join("l.py")).unwrap();
    repo.commit("Link");
    let run = review(&repo, &["--agents", "builtin,house", "--fresh", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["verdict"], "PASS", "{report}");
}

/// Its second answer would be its first.
#[test]
fn a_linter_alone_has_one_seat() {
    let repo = Repo::with_base();
    house(&repo, "");
    install(
        &repo,
        "house",
        "echo run >>@HOME/runs; echo './a.py:1:1: error: invalid'",
    );
    repo.write("a.py", "ok = 2\n");
    repo.commit("A");
    let path = format!("{}:/usr/bin:/bin", repo.in_home("bin").display());
    let args = ["review", "HEAD", "--agents", "house", "--json"];
    let run = repo.council_with(&[("PATH", &path)], &args).ends(1);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        report["findings"].as_array().map(Vec::len),
        Some(1),
        "{report}"
    );
    assert_eq!(
        std::fs::read_to_string(repo.in_home("runs")).unwrap(),
        "run\n"
    );
}

/// A scanner may name a hit by what it has found.
#[test]
fn no_name_of_a_rule_carries_a_secret_out() {
    let repo = Repo::with_base();
    house(&repo, "");
    let value = concat!("tR5wPz8Kq", "LmXv7Nb2");
    install(
        &repo,
        "house",
        &format!("echo './c.py:1:1: error: a password [{value}]'"),
    );
    repo.write("c.py", format!("password = \"{value}\"\n"));
    repo.commit("C");
    review(&repo, &["--agents", "house"]).ends(1);
    for format in [
        "sarif", "json", "markdown", "junit", "gitlab", "html", "terminal",
    ] {
        let run = repo.council(["show", "--format", format]).ends(0);
        assert!(!run.stdout.contains(value), "{format}: {}", run.stdout);
    }
}

#[test]
fn a_verdict_is_not_reused_for_another_folder_of_rules_or_another_variable() {
    let repo = Repo::with_base();
    install(
        &repo,
        "house",
        r#"[ "$MODE" = strict ] && echo './a.py:1:1: error: strict'; cat "$1"/*"#,
    );
    repo.write_home("rules/one", "");
    let config = format!(
        "[agents.house]\ndriver = 'command'\ncommand = ['house', '{}', '{{files}}']\nformat = 'lines'\nmax-severity = 'critical'\nenv = ['MODE']\n",
        repo.in_home("rules").display()
    );
    repo.write_home(".config/git-council/config.toml", &config);
    repo.write("a.py", "ok = 1\n");
    repo.commit("A");
    let path = format!("{}:/usr/bin:/bin", repo.in_home("bin").display());
    let judged = |mode: &str| {
        let args = ["review", "HEAD", "--agents", "house"];
        repo.council_with(&[("PATH", &path), ("MODE", mode)], &args)
    };
    judged("mild").ends(0);
    judged("mild").ends(0).prints("reused");
    judged("strict").ends(1);
    judged("mild").ends(0);
    repo.write_home("rules/two", "./a.py:1:1: error: by a rule\n");
    judged("mild").ends(1);
}

#[test]
fn the_patterns_of_a_linters_files_are_those_of_gitignore() {
    let repo = Repo::with_base();
    install(&repo, "house", r#"printf '%s ' "$@" >@HOME/arguments"#);
    for file in ["a.py", "src/b.py", "src/x/d.py", "gen/c.py"] {
        repo.write(file, "x = 1\n");
    }
    repo.commit("Files");
    for (files, given) in [
        ("'/a.py'", "./a.py "),
        ("'src/'", "./src/b.py ./src/x/d.py "),
        ("'src'", "./src/b.py ./src/x/d.py "),
        ("'src/*.py'", "./src/b.py "),
        (
            "'*.py', '!gen/'",
            "./a.py ./gen/c.py ./src/b.py ./src/x/d.py ",
        ),
        ("'*.py', '!gen/*.py'", "./a.py ./src/b.py ./src/x/d.py "),
        ("'[ab].py'", "./a.py ./src/b.py "),
    ] {
        house(&repo, &format!("files = [{files}]\n"));
        judged(&repo);
        assert_eq!(
            std::fs::read_to_string(repo.in_home("arguments")).unwrap(),
            given,
            "{files}"
        );
    }
}
