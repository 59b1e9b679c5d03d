//! A proof is about the lines of its finding: what a test shows of other lines proves nothing of them, whatever it names.

use council_fake_models::{FakeModels, Reply};
use serde_json::{Value, json};

use crate::proof_scene::{
    Language, became, brought, configure, is_without_borders, node_language, python_language,
    repository, review, script,
};

/// The same language with another change and another test.
fn with(language: &Language, change: [&'static str; 2], quote: (&'static str, u32)) -> Language {
    Language {
        config: language.config.clone(),
        before: change[0],
        after: change[1],
        quote: quote.0,
        line: quote.1,
        ..*language
    }
}

/// What becomes of the finding, and of the test that is brought for it; none: no test runs here.
fn proved_by(language: &Language, test: &str) -> Option<(Value, Value)> {
    let tests = brought("1", "defect", language.test, test);
    let finder = Reply::vote("FAIL").with("reproductions", tests);
    let models = FakeModels::start(script(language, finder, Reply::vote("PASS"))).unwrap();
    let repo = repository(&models, language, "");
    configure(&repo, &models, &format!("[proof]\n{}", language.config));
    let (_, report) = review(&repo);
    (!is_without_borders(&report)).then(|| became(&report, 0))
}

const PROVED: (&str, &str) = ("confirmed", "proved");
const ELSEWHERE: (&str, &str) = ("unconfirmed", "elsewhere");
const BROKEN: (&str, &str) = ("unconfirmed", "broken");

fn check(language: &Language, test: &str, (disposition, standing): (&str, &str)) {
    if let Some(found) = proved_by(language, test) {
        assert_eq!(found, (json!(disposition), json!(standing)), "{test}");
    }
}

const PYTHON: [&str; 2] = [
    "def mean(xs):\n    return sum(xs) / len(xs)\n\ndef greeting():\n    return 'hello'\n\ndef outer(xs):\n    return mean(xs)\n",
    "def mean(xs):\n    return sum(xs)  / (len(xs) + 1)\n\ndef greeting():\n    return 'good day'\n\ndef outer(xs):\n    return mean(xs)\n",
];

/// Python, with a change that makes `mean` wrong; none: this machine has no Python.
fn wrong_mean() -> Option<Language> {
    let fault = ("    return sum(xs)  / (len(xs) + 1)", 2);
    python_language().map(|language| with(&language, PYTHON, fault))
}

#[test]
fn only_a_test_that_runs_the_function_of_a_finding_proves_it() {
    let Some(language) = wrong_mean() else {
        return;
    };
    let test = |body: &str| {
        format!(
            "import unittest\nimport shop\n\nclass T(unittest.TestCase):\n    def test(self):\n        {body}\n"
        )
    };
    check(
        &language,
        &test("self.assertEqual(shop.mean([2]), 2)"),
        PROVED,
    );
    // By whatever way it gets there.
    check(
        &language,
        &test("self.assertEqual(shop.outer([2]), 2)"),
        PROVED,
    );
    check(
        &language,
        &test("self.assertEqual(shop.greeting(), 'hello')"),
        ELSEWHERE,
    );
    let named = "# mean\n        self.assertEqual(shop.greeting(), 'hello')";
    check(&language, &test(named), ELSEWHERE);
}

#[test]
fn a_test_need_not_name_what_it_runs() {
    let Some(language) = node_language() else {
        return;
    };
    let language = Language {
        file: "index.js",
        test: "first.test.js",
        ..with(
            &language,
            [
                "exports.mean = (xs) => {\n  return xs.length ? xs[0] : 0;\n};\n",
                "exports.mean = (xs) => {\n  return xs[0];\n};\n",
            ],
            ("  return xs[0];", 2),
        )
    };
    let test = "const test = require('node:test');\nconst assert = require('node:assert');\ntest('empty', () => assert.strictEqual(require('.').mean([]), 0));\n";
    check(&language, test, PROVED);
}

#[test]
fn what_a_change_renames_is_no_defect() {
    let Some(language) = python_language() else {
        return;
    };
    let change = [
        "class C:\n    def mean(self, digits=1):\n        return 1\n",
        "class C:\n    def average(self, places=1):\n        return 1\n",
    ];
    let language = with(&language, change, ("    def average(self, places=1):", 2));
    let test = |body: &str| {
        format!(
            "import unittest\nfrom shop import C\n\nclass T(unittest.TestCase):\n    def test(self):\n        {body}\n"
        )
    };
    check(&language, &test("self.assertEqual(C().mean(), 1)"), BROKEN);
}

/// Six runs that hang take six times as long, and the first one decides.
#[test]
fn a_test_that_hangs_before_the_change_runs_once() {
    let Some(language) = wrong_mean() else {
        return;
    };
    let tests = brought(
        "1",
        "defect",
        language.test,
        "import time\nimport shop\ntime.sleep(600)\n",
    );
    let finder = Reply::vote("FAIL").with("reproductions", tests);
    let models = FakeModels::start(script(&language, finder, Reply::vote("PASS"))).unwrap();
    let repo = repository(&models, &language, "");
    configure(
        &repo,
        &models,
        &format!("[proof]\n{}timeout = '2s'\n", language.config),
    );
    let (_, report) = review(&repo);
    if is_without_borders(&report) {
        return;
    }
    let result = &report["ledger"]["reproductions"][0]["result"];
    assert_eq!(result["base"].as_array().map(Vec::len), Some(1), "{result}");
    assert_eq!(result["head"].as_array().map(Vec::len), Some(0), "{result}");
    assert_eq!(became(&report, 0).1, "broken");
}
