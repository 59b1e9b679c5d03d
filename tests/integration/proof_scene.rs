//! Languages with a function that a change breaks, and a review in which a judge brings a test of it.

use std::process::Command;

use council_fake_models::{FakeModels, Reply, Rule};
use serde_json::{Value, json};

use crate::harness::{Repo, Run};

pub(crate) const KEY: (&str, &str) = ("MODEL_KEY", "sk-test-0123456789");

/// A language with a function that the change breaks.
pub(crate) struct Language {
    /// `[proof]` of the user's configuration.
    pub(crate) config: String,
    pub(crate) file: &'static str,
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    /// The line that is wrong, and where it stands.
    pub(crate) quote: &'static str,
    pub(crate) line: u32,
    pub(crate) test: &'static str,
    /// A test that passes before the change and fails after it.
    pub(crate) proves: &'static str,
    /// One that passes on both sides.
    pub(crate) passes: &'static str,
}

/// What a program prints; none: it is not here.
pub(crate) fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The interpreter itself, whatever stands before it on the PATH, and the folders that it reads: a virtual environment has
/// its library elsewhere.
pub(crate) fn python() -> Option<(String, String)> {
    let script =
        "import sys; print(sys.executable); print(repr(sorted({sys.prefix, sys.base_prefix})))";
    let told = printed("python3", &["-c", script])?;
    let (program, folders) = told.split_once('\n')?;
    Some((program.to_owned(), folders.to_owned()))
}

pub(crate) fn python_language() -> Option<Language> {
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

pub(crate) fn node_language() -> Option<Language> {
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

pub(crate) fn rust_language() -> Option<Language> {
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

pub(crate) fn go_language() -> Option<Language> {
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

pub(crate) fn java_language() -> Option<Language> {
    printed("javac", &["-version"])?;
    let home = printed(
        "sh",
        &[
            "-c",
            "dirname \"$(dirname \"$(readlink -f \"$(command -v javac)\")\")\"",
        ],
    )?;
    let script = format!(
        "{home}/bin/javac -J-Xmx512m -d out Shop.java {{file}} && {home}/bin/java -Xmx512m -ea -cp out {{name}}"
    );
    Some(Language {
        // The settings of a Debian package stand in /etc.
        config: format!(
            "run = ['sh', '-c', '{script}']\nread = ['{home}', '/etc']\nmemory = '16G'\n"
        ),
        file: "Shop.java",
        before: "class Shop {\n    static int firstItem(int[] items) {\n        return items.length == 0 ? 0 : items[0] + 1;\n    }\n}\n",
        after: "class Shop {\n    static int firstItem(int[] items) {\n        return items[0] + 1;\n    }\n}\n",
        quote: "        return items[0] + 1;",
        line: 3,
        test: "ShopTest.java",
        proves: "class ShopTest {\n    public static void main(String[] args) {\n        if (Shop.firstItem(new int[0]) != 0) throw new AssertionError();\n    }\n}\n",
        passes: "class DoubtTest {\n    public static void main(String[] args) {\n        if (Shop.firstItem(new int[] {1}) != 2) throw new AssertionError();\n    }\n}\n",
    })
}

/// A repository with the change, and two judges of different vendors.
pub(crate) fn repository(models: &FakeModels, language: &Language, proof: &str) -> Repo {
    let repo = Repo::with_base();
    repo.write("go.mod", "module shop\n\ngo 1.19\n");
    repo.write(language.file, language.before);
    repo.commit("Before");
    repo.write(language.file, language.after);
    repo.commit("After");
    configure(&repo, models, proof);
    repo
}

pub(crate) fn configure(repo: &Repo, models: &FakeModels, proof: &str) {
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

pub(crate) fn finding(language: &Language) -> Value {
    json!({"severity": "critical", "category": "logic", "description": "An empty list ends the program.",
        "location": {"path": language.file, "line": language.line}, "quote": language.quote, "why": "w", "fix": "f"})
}

pub(crate) fn brought(finding: &str, shows: &str, path: &str, content: &str) -> Value {
    json!([{"finding": finding, "shows": shows, "suite": "run", "files": [{"path": path, "content": content}]}])
}

/// The first judge finds the problem in round 1; what both say in round 2.
pub(crate) fn script(language: &Language, finder: Reply, other: Reply) -> Vec<Rule> {
    vec![
        Rule::on(finder).model("fake-anthropic").last("# Round 2"),
        Rule::on(other).model("fake-responses").last("# Round 2"),
        Rule::on(Reply::finding("FAIL", finding(language))).model("fake-anthropic"),
    ]
}

pub(crate) fn review(repo: &Repo) -> (Run, Value) {
    let run = repo.council_with(&[KEY], &["review", "HEAD", "--fresh", "--debate", "--json"]);
    let report = serde_json::from_str(&run.stdout).unwrap_or_default();
    (run, report)
}

/// What became of the finding, and of the test number `nth`.
pub(crate) fn became(report: &Value, nth: usize) -> (Value, Value) {
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
pub(crate) fn is_without_borders(report: &Value) -> bool {
    let result = &report["ledger"]["reproductions"][0]["result"];
    let why = result["why"].as_str().unwrap_or_default();
    let missing = why.contains("namespaces") || why.contains("Landlock");
    if missing {
        assert_eq!(report["ledger"]["reproductions"][0]["standing"], "not-run");
        eprintln!("not tried here: {why}");
    }
    missing
}
