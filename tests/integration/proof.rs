//! Proof by running, from the judges' answers to the report, with real suites of four languages.

use std::process::Command;

use council_fake_models::{FakeModels, Reply, Rule};
use serde_json::{Value, json};

use crate::harness::{Repo, Run};

const KEY: (&str, &str) = ("MODEL_KEY", "sk-test-0123456789");

/// A language with a function that the change breaks.
struct Language {
    /// `[proof]` of the user's configuration.
    config: String,
    file: &'static str,
    before: &'static str,
    after: &'static str,
    /// The line that is wrong, and where it stands.
    quote: &'static str,
    line: u32,
    test: &'static str,
    /// A test that passes before the change and fails after it.
    proves: &'static str,
    /// One that passes on both sides.
    passes: &'static str,
}

/// What a program prints; none: it is not here.
fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The interpreter itself, whatever stands before it on the PATH, and the folders that it reads: a virtual environment has
/// its library elsewhere.
fn python() -> Option<(String, String)> {
    let script =
        "import sys; print(sys.executable); print(repr(sorted({sys.prefix, sys.base_prefix})))";
    let told = printed("python3", &["-c", script])?;
    let (program, folders) = told.split_once('\n')?;
    Some((program.to_owned(), folders.to_owned()))
}

fn python_language() -> Option<Language> {
    let (program, folders) = python()?;
    // Where pytest is, it runs the tests; the library's own runner does it, too.
    let module = match printed(&program, &["-m", "pytest", "--version"]) {
        Some(_) => "['-m', 'pytest', '-q', '{file}']",
        None => "['-m', 'unittest', '-q', '{file}']",
    };
    let command = module.replacen('[', &format!("['{program}', "), 1);
    Some(Language {
        config: format!("run = {command}\nread = {folders}\n"),
        file: "shop.py",
        before: "def first_item(items):\n    return items[0] if items else None\n",
        after: "def first_item(items):\n    return items[0]\n",
        quote: "    return items[0]",
        line: 2,
        test: "test_shop.py",
        proves: "import unittest\nfrom shop import first_item\n\nclass T(unittest.TestCase):\n    def test_empty(self):\n        self.assertIsNone(first_item([]))\n",
        passes: "import unittest\nfrom shop import first_item\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(first_item([1]), 1)\n",
    })
}

fn node_language() -> Option<Language> {
    let program = printed("node", &["-p", "process.execPath"])?;
    Some(Language {
        config: format!("run = ['{program}', '--test', '{{file}}']\n"),
        file: "shop.js",
        before: "exports.firstItem = (items) => {\n  return items.length ? items[0].name : null;\n};\n",
        after: "exports.firstItem = (items) => {\n  return items[0].name;\n};\n",
        quote: "  return items[0].name;",
        line: 2,
        test: "shop.test.js",
        proves: "const test = require('node:test');\nconst assert = require('node:assert');\nconst { firstItem } = require('./shop.js');\ntest('empty', () => assert.strictEqual(firstItem([]), null));\n",
        passes: "const test = require('node:test');\nconst assert = require('node:assert');\nconst { firstItem } = require('./shop.js');\ntest('one', () => assert.strictEqual(firstItem([{ name: 'a' }]), 'a'));\n",
    })
}

fn rust_language() -> Option<Language> {
    let root = printed("rustc", &["--print", "sysroot"])?;
    let script = format!("{root}/bin/rustc --edition 2021 --test {{file}} -o t && ./t");
    Some(Language {
        config: format!("run = ['sh', '-c', '{script}']\nread = ['{root}']\n"),
        file: "shop.rs",
        before: "pub fn first_item(items: &[u32]) -> u32 {\n    items.first().copied().unwrap_or_default()\n}\n",
        after: "pub fn first_item(items: &[u32]) -> u32 {\n    items[0]\n}\n",
        quote: "    items[0]",
        line: 2,
        test: "shop_test.rs",
        proves: "mod shop;\n#[test]\nfn empty() { assert_eq!(shop::first_item(&[]), 0); }\n",
        passes: "mod shop;\n#[test]\nfn one() { assert_eq!(shop::first_item(&[1]), 1); }\n",
    })
}

fn go_language() -> Option<Language> {
    let root = printed("go", &["env", "GOROOT"])?;
    Some(Language {
        config: format!(
            "run = ['{root}/bin/go', 'test', '{{dir}}']\nread = ['{root}']\ntimeout = '180s'\n"
        ),
        file: "shop.go",
        before: "package shop\n\nfunc FirstItem(items []int) int {\n\tif len(items) == 0 {\n\t\treturn 0\n\t}\n\treturn items[0]\n}\n",
        after: "package shop\n\nfunc FirstItem(items []int) int {\n\treturn items[0]\n}\n",
        quote: "\treturn items[0]",
        line: 4,
        test: "shop_test.go",
        proves: "package shop\n\nimport \"testing\"\n\nfunc TestEmpty(t *testing.T) {\n\tif FirstItem(nil) != 0 {\n\t\tt.Fatal(\"not 0\")\n\t}\n}\n",
        passes: "package shop\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif FirstItem([]int{1}) != 1 {\n\t\tt.Fatal(\"not 1\")\n\t}\n}\n",
    })
}

/// A repository with the change, and two judges of different vendors.
fn repository(models: &FakeModels, language: &Language, proof: &str) -> Repo {
    let repo = Repo::with_base();
    repo.write("go.mod", "module shop\n\ngo 1.19\n");
    repo.write(language.file, language.before);
    repo.commit("Before");
    repo.write(language.file, language.after);
    repo.commit("After");
    configure(&repo, models, proof);
    repo
}

fn configure(repo: &Repo, models: &FakeModels, proof: &str) {
    let url = models.url();
    let mut config = String::new();
    for (api, base) in [("anthropic", "/v1"), ("responses", "/v1")] {
        config.push_str(&format!(
            "[agents.{api}]\ndriver = 'http'\napi = '{api}'\nurl = '{url}{base}'\nkey = 'MODEL_KEY'\nmodel = 'fake-{api}'\n"
        ));
    }
    repo.write_home(
        ".config/git-council/config.toml",
        &format!("{config}{proof}"),
    );
}

fn finding(language: &Language) -> Value {
    json!({"severity": "critical", "category": "logic", "description": "An empty list ends the program.",
        "location": {"path": language.file, "line": language.line}, "quote": language.quote, "why": "w", "fix": "f"})
}

fn brought(finding: &str, shows: &str, path: &str, content: &str) -> Value {
    json!([{"finding": finding, "shows": shows, "suite": "run", "files": [{"path": path, "content": content}]}])
}

/// The first judge finds the problem in round 1; what both say in round 2.
fn script(language: &Language, finder: Reply, other: Reply) -> Vec<Rule> {
    vec![
        Rule::on(finder).model("fake-anthropic").last("# Round 2"),
        Rule::on(other).model("fake-responses").last("# Round 2"),
        Rule::on(Reply::finding("FAIL", finding(language))).model("fake-anthropic"),
    ]
}

fn review(repo: &Repo) -> (Run, Value) {
    let run = repo.council_with(&[KEY], &["review", "HEAD", "--fresh", "--debate", "--json"]);
    let report = serde_json::from_str(&run.stdout).unwrap_or_default();
    (run, report)
}

/// What became of the finding, and of the test number `nth`.
fn became(report: &Value, nth: usize) -> (Value, Value) {
    let finding = report["findings"][0]["disposition"].clone();
    (
        finding,
        report["ledger"]["reproductions"][nth]["standing"].clone(),
    )
}

/// Whether this machine has no border to run tests behind: then no test was run, and the report says why.
#[expect(
    clippy::print_stderr,
    reason = "who runs the tests must see what was not tried"
)]
fn is_without_borders(report: &Value) -> bool {
    let result = &report["ledger"]["reproductions"][0]["result"];
    let why = result["why"].as_str().unwrap_or_default();
    let missing = why.contains("namespaces") || why.contains("Landlock");
    if missing {
        assert_eq!(report["ledger"]["reproductions"][0]["standing"], "not-run");
        eprintln!("not tried here: {why}");
    }
    missing
}

fn proves(language: &Language) {
    let finder = Reply::vote("FAIL").with(
        "reproductions",
        brought("1", "defect", language.test, language.proves),
    );
    let models = FakeModels::start(script(language, finder, Reply::vote("PASS"))).unwrap();
    let repo = repository(&models, language, "");
    // Argued only, one voice of two confirms nothing.
    let (_, report) = review(&repo);
    assert_eq!(became(&report, 0), (json!("unconfirmed"), Value::Null));
    assert_ne!(report["verdict"], "FAIL");
    configure(&repo, &models, &format!("[proof]\n{}", language.config));
    let (run, report) = review(&repo);
    if is_without_borders(&report) {
        return;
    }
    assert_eq!(
        became(&report, 0),
        (json!("confirmed"), json!("proved")),
        "{}",
        report["ledger"]
    );
    run.ends(1);
    assert_eq!(
        (&report["verdict"], &report["reason"]),
        (&json!("FAIL"), &json!("critical-confirmed"))
    );
}

#[test]
fn a_python_test_proves_its_finding() {
    if let Some(language) = python_language() {
        proves(&language);
    }
}

#[test]
fn a_node_test_proves_its_finding() {
    if let Some(language) = node_language() {
        proves(&language);
    }
}

#[test]
fn a_rust_test_proves_its_finding() {
    if let Some(language) = rust_language() {
        proves(&language);
    }
}

#[test]
fn a_go_test_proves_its_finding() {
    if let Some(language) = go_language() {
        proves(&language);
    }
}

#[test]
fn a_proof_is_shown_added_and_replayed_without_running_anything() {
    let Some(language) = python_language() else {
        return;
    };
    let test = brought("1", "defect", language.test, language.proves);
    let finder = Reply::vote("FAIL").with("reproductions", test);
    let models = FakeModels::start(script(&language, finder, Reply::vote("PASS"))).unwrap();
    let repo = repository(&models, &language, &format!("[proof]\n{}", language.config));
    let (_, report) = review(&repo);
    if is_without_borders(&report) {
        return;
    }
    // Nothing is configured any more that could run a test.
    configure(&repo, &models, "");
    repo.council(["replay"]).ends(1);
    repo.council(["show", "--format", "terminal"])
        .ends(0)
        .prints("proved by test P1")
        .prints("repeat it: ");
    repo.council(["show", "F1", "--reproduction"])
        .ends(0)
        .prints("passes before the change and fails after it")
        .prints("self.assertIsNone(first_item([]))");
    repo.council(["apply", "F1", "--test"])
        .ends(0)
        .prints("test_shop.py");
    let added = std::fs::read_to_string(repo.path().join(language.test)).unwrap();
    assert_eq!(added, language.proves);
    repo.council(["apply", "F1", "--test"])
        .ends(2)
        .tells("is there already");
}

/// A finding with a suggestion, proved by a test: what the report and the surfaces say of the suggestion.
fn suggested(language: &Language, suggestion: &str) -> Option<(Repo, Value)> {
    let test = brought("1", "defect", language.test, language.proves);
    let finder = Reply::vote("FAIL").with("reproductions", test);
    let mut found = finding(language);
    found["suggestion"] = json!(suggestion);
    let mut rules = script(language, finder, Reply::vote("PASS"));
    rules[2] = Rule::on(Reply::finding("FAIL", found)).model("fake-anthropic");
    let models = FakeModels::start(rules).unwrap();
    let config = format!("[proof]\n{}", language.config);
    let repo = repository(&models, language, &config);
    let (_, report) = review(&repo);
    configure(&repo, &models, "");
    (!is_without_borders(&report)).then_some((repo, report))
}

#[test]
fn a_suggestion_is_tried_by_the_test_that_proves_its_finding() {
    let Some(language) = python_language() else {
        return;
    };
    for (suggestion, outcome, words, exported) in [
        (
            "    return items[0] if items else None",
            "mends",
            "with it the test passes (3 runs)",
            true,
        ),
        (
            "return items[0] if items else None",
            "breaks",
            "with it the test does not run: it cannot be read",
            false,
        ),
        (
            "    return items[-1]",
            "still-fails",
            "with it the test still fails",
            false,
        ),
        (
            "    return items[0] if items els",
            "breaks",
            "with it the test does not run: it cannot be read",
            false,
        ),
    ] {
        let Some((repo, report)) = suggested(&language, suggestion) else {
            return;
        };
        let found = &report["findings"][0];
        assert_eq!(became(&report, 0), (json!("confirmed"), json!("proved")));
        assert_eq!(found["suggestion_check"]["outcome"], outcome, "{report}");
        // Nothing is run for these.
        repo.council(["replay"]).ends(1);
        for more in [
            &["show", "F1", "--reproduction"][..],
            &["show", "-v"],
            &["show", "--format", "html"],
            &["show", "--format", "markdown"],
        ] {
            let shown = repo.council_with(&[], more).ends(0).stdout;
            let words = words.replace(['(', ')'], "");
            let shown = shown.replace(['(', ')'], "");
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(shown.contains(&words), "{more:?}: {words}: {shown}");
        }
        let rdjson = repo.council(["show", "--format", "rdjson"]).ends(0).stdout;
        assert_eq!(rdjson.contains("\"suggestions\""), exported, "{rdjson}");
        repo.council(["apply", "F1"]).ends(0).prints(words);
    }
}

#[test]
fn a_doubter_s_passing_test_disputes_what_nobody_proved() {
    let Some(language) = python_language() else {
        return;
    };
    let doubt = |content: &str, stance: &str| {
        Reply::vote("PASS")
            .with(
                "responses",
                json!([{"to": "A1", "stance": stance, "reasoning": "It is guarded."}]),
            )
            .with(
                "reproductions",
                brought("A1", "no_defect", "test_doubt.py", content),
            )
    };
    let config = format!("[proof]\n{}", language.config);
    let run = |finder: Reply, other: Reply| {
        let models = FakeModels::start(script(&language, finder, other)).unwrap();
        review(&repository(&models, &language, &config)).1
    };
    let report = run(Reply::vote("FAIL"), doubt(language.passes, "disagreed"));
    if is_without_borders(&report) {
        return;
    }
    assert_eq!(became(&report, 0), (json!("disputed"), json!("passes")));
    assert_ne!(
        report["verdict"], "PASS",
        "a critical finding that is disputed is never green"
    );
    // What it is disputed by is told: a test is evidence.
    let models = FakeModels::start(script(
        &language,
        Reply::vote("FAIL"),
        doubt(language.passes, "disagreed"),
    ))
    .unwrap();
    let repo = repository(&models, &language, &config);
    review(&repo);
    let shown = repo.council_with(&[], &["show", "-v"]).ends(0).stdout;
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("disagrees by test P1"), "{shown}");
    // Who does not disagree refutes nothing, and neither does a test of something else.
    let report = run(Reply::vote("FAIL"), doubt(language.passes, "agreed"));
    assert_eq!(became(&report, 0).0, json!("unconfirmed"));
    let empty =
        "import unittest\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        pass\n";
    let report = run(Reply::vote("FAIL"), doubt(empty, "disagreed"));
    assert_eq!(became(&report, 0), (json!("unconfirmed"), json!("not-run")));
    // One that names the lines and never runs them says nothing of them; nor does one that calls them and asks for no
    // result, or reads them as a text.
    for idle in [
        "import unittest\nfrom shop import first_item\nclass T(unittest.TestCase):\n    def test_x(self):\n        first_item([1])\n",
        "import unittest\nclass T(unittest.TestCase):\n    def test_x(self):\n        assert 'first_item' in open('shop.py').read() and 'return items' in open('shop.py').read()\n",
        "import unittest\n# first_item return items\nclass T(unittest.TestCase):\n    def test_x(self):\n        pass\n",
        "import unittest\nfrom shop import first_item\nclass T(unittest.TestCase):\n    def test_x(self):\n        pass\n",
    ] {
        let report = run(Reply::vote("FAIL"), doubt(idle, "disagreed"));
        assert_eq!(became(&report, 0), (json!("unconfirmed"), json!("passes")));
    }
    // A proof stands against it.
    let test = brought("1", "defect", language.test, language.proves);
    let finder = Reply::vote("FAIL").with("reproductions", test);
    let report = run(finder, doubt(language.passes, "disagreed"));
    assert_eq!(became(&report, 0), (json!("confirmed"), json!("proved")));
    assert_eq!(report["verdict"], "FAIL");
}

#[test]
fn what_is_no_proof_leaves_the_finding_as_it_was() {
    let Some(language) = python_language() else {
        return;
    };
    let header = "import unittest, random, os, sys\nfrom shop import first_item\n";
    let case = |body: &str| {
        format!("{header}\nclass T(unittest.TestCase):\n    def test_x(self):\n        {body}\n")
    };
    let config = format!("[proof]\ntimeout = '10s'\n{}", language.config);
    for (standing, path, content) in [
        (
            "passes",
            "test_x.py",
            case("self.assertEqual(first_item([1]), 1)"),
        ),
        (
            "fails",
            "test_x.py",
            case("self.assertEqual(first_item([1]), 2)"),
        ),
        (
            "broken",
            "test_x.py",
            "from shop import no_such_name\n".to_owned(),
        ),
        ("broken", "test_x.py", case("os._exit(7)")),
        (
            "flaky",
            "test_x.py",
            case(
                "import time; self.assertEqual(time.time_ns() % 2 + first_item([0]), os.urandom(1)[0] % 2)",
            ),
        ),
        // It looks for the side it is on in everything but the code.
        (
            "passes",
            "test_x.py",
            case(
                "self.assertTrue(first_item([1]) and not os.path.exists('.git') and int(os.stat('shop.py').st_mtime) == 1000000000)",
            ),
        ),
        ("not-run", "shop.py", case("pass")),
        ("not-run", "../test_x.py", case("pass")),
        ("not-run", ".git/hooks/test_x.py", case("pass")),
        ("not-run", "CLAUDE.md", case("first_item([1])")),
        ("not-run", "council.toml", case("first_item([1])")),
        // What the change renames is no defect, however it is named.
        (
            "passes",
            "test_x.py",
            case("import shop; self.assertFalse(hasattr(shop, 'no_such_name'))"),
        ),
        (
            "broken",
            "test_x.py",
            case("import shop; shop.no_such_name()"),
        ),
    ] {
        let finder =
            Reply::vote("FAIL").with("reproductions", brought("1", "defect", path, &content));
        let models = FakeModels::start(script(&language, finder, Reply::vote("PASS"))).unwrap();
        let repo = repository(&models, &language, &config);
        let (_, report) = review(&repo);
        if is_without_borders(&report) {
            return;
        }
        let (finding, found) = became(&report, 0);
        assert_eq!(finding, json!("unconfirmed"), "{path}: {content}");
        // Six tosses agree by themselves once in a while.
        if standing != "flaky" {
            assert_eq!(
                found,
                json!(standing),
                "{path}: {content}: {}",
                report["ledger"]
            );
        }
    }
}

/// A file that becomes a link is in the copy of one side alone: the test fails there, and would not in the repository.
#[test]
fn what_only_one_copy_has_proves_nothing() {
    let Some(language) = python_language() else {
        return;
    };
    let test = brought("1", "defect", language.test, language.proves);
    let finder = Reply::vote("FAIL").with("reproductions", test);
    let models = FakeModels::start(script(&language, finder, Reply::vote("PASS"))).unwrap();
    let repo = Repo::with_base();
    repo.write("shared.txt", "1\n");
    repo.write("data.txt", "1\n");
    repo.write(language.file, language.before);
    repo.commit("Before");
    let data = repo.path().join("data.txt");
    std::fs::remove_file(&data).unwrap();
    std::os::unix::fs::symlink("shared.txt", &data).unwrap();
    repo.write(language.file, language.after);
    repo.commit("After");
    configure(&repo, &models, &format!("[proof]\n{}", language.config));
    let (_, report) = review(&repo);
    assert_eq!(became(&report, 0), (json!("unconfirmed"), json!("not-run")));
    let why = &report["ledger"]["reproductions"][0]["result"]["why"];
    let why = why.as_str().unwrap();
    assert!(why.contains("data.txt") && why.contains("link"), "{why}");
}

#[test]
fn tests_are_asked_for_only_where_the_user_wants_them() {
    let Some(language) = python_language() else {
        return;
    };
    let test = brought("1", "defect", language.test, language.proves);
    let finder = || Reply::vote("FAIL").with("reproductions", test.clone());
    let asked = |models: &FakeModels| {
        models
            .records()
            .iter()
            .any(|r| r.body.contains("reproductions"))
    };
    let models = FakeModels::start(script(&language, finder(), Reply::vote("PASS"))).unwrap();
    let repo = repository(&models, &language, "");
    // The repository's own word counts for nothing, and neither does the checkout's.
    let config = format!("[proof]\n{}", language.config);
    repo.write("council.toml", &config);
    repo.commit("Run it");
    repo.git(["config", "council.proof.network", "true"]);
    repo.write(language.file, language.before);
    repo.commit("Mend");
    repo.write(language.file, language.after);
    repo.commit("Break");
    let (_, report) = review(&repo);
    assert!(!asked(&models));
    assert_eq!(report["ledger"]["reproductions"], Value::Null);
    repo.git(["config", "--unset", "council.proof.network"]);
    repo.git(["reset", "--quiet", "--hard", "HEAD~3"]);
    // In a job of a CI service whoever asked for the review may be a stranger.
    configure(&repo, &models, &config);
    let refused = |vars: &[(&str, &str)], what: &str| {
        let run = repo.council_with(vars, &["review", what, "--fresh", "--debate", "--json"]);
        assert!(!asked(&models), "{what}");
        let told = "is set, and no test of a judge was run";
        assert!(run.stdout.contains(told), "{what}: {}", run.stdout);
    };
    refused(&[KEY, ("CI", "true")], "HEAD");
    // A pull request that was fetched is a stranger's as well, by whatever name.
    let tip = repo.git(["rev-parse", "HEAD"]);
    repo.git(["update-ref", "refs/pull/5/head", "HEAD"]);
    repo.git(["update-ref", "refs/merge-requests/5/head", "HEAD"]);
    for what in [
        "HEAD~1..refs/pull/5/head",
        "pull/5/head",
        "HEAD~1..pull/5/head",
        "merge-requests/5/head",
    ] {
        refused(&[KEY], what);
    }
    let branch = repo.git(["symbolic-ref", "HEAD"]);
    repo.git(["checkout", "--quiet", "--detach"]);
    repo.git(["update-ref", &branch, "HEAD~1"]);
    repo.git(["symbolic-ref", "refs/heads/alias", "refs/pull/5/head"]);
    for what in ["HEAD", &*tip, "alias"] {
        refused(&[KEY], what);
    }
    // A branch of one's own that is made of it is one's own.
    repo.git(["branch", "mine"]);
    let (_, report) = review(&repo);
    assert!(asked(&models), "{report}");
}
