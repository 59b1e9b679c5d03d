//! Tests that are brought against a finding: which of them count.

use council_fake_models::{FakeModels, Reply};
use serde_json::json;

use crate::proof_scene::{
    Language, became, brought, go_language, is_without_borders, java_language, node_language,
    python_language, repository, review, rust_language, script,
};

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
    assert_eq!(became(&report, 0), (json!("unconfirmed"), json!("passes")));
    assert!(report["ledger"]["reproductions"][0]["refutes"].is_null());
    // A proof stands against it.
    let test = brought("1", "defect", language.test, language.proves);
    let finder = Reply::vote("FAIL").with("reproductions", test);
    let report = run(finder, doubt(language.passes, "disagreed"));
    assert_eq!(became(&report, 0), (json!("confirmed"), json!("proved")));
    assert_eq!(report["verdict"], "FAIL");
}

/// A test that asks for what the lines decide counts, in whatever way it asks.
#[test]
fn a_doubter_s_test_that_fails_with_another_effect_of_the_lines_counts() {
    let languages = [
        python_language(),
        node_language(),
        rust_language(),
        go_language(),
        java_language(),
    ];
    for language in languages.into_iter().flatten() {
        let config = format!("[proof]\n{}", language.config);
        let path = language
            .test
            .replace("shop", "doubt")
            .replace("Shop", "Doubt");
        let other = Reply::vote("PASS")
            .with(
                "responses",
                json!([{"to": "A1", "stance": "disagreed", "reasoning": "It is guarded."}]),
            )
            .with(
                "reproductions",
                brought("A1", "no_defect", &path, language.passes),
            );
        let models = FakeModels::start(script(&language, Reply::vote("FAIL"), other)).unwrap();
        let (_, report) = review(&repository(&models, &language, &config));
        if is_without_borders(&report) {
            return;
        }
        let brought = &report["ledger"]["reproductions"][0];
        assert_eq!(brought["refutes"], true, "{}: {brought}", language.file);
    }
}

/// A doubter's test counts only if it runs the lines and asks for a result of them, whatever else it looks at.
#[test]
fn a_doubter_s_test_that_does_not_run_the_lines_proves_nothing() {
    let Some(language) = python_language() else {
        return;
    };
    let with_another = |text: &str| -> &'static str {
        let module = format!("{text}\ndef size(items):\n    return len(items)\n");
        Box::leak(module.into_boxed_str())
    };
    let language = Language {
        before: with_another(language.before),
        after: with_another(language.after),
        ..language
    };
    let case = |body: &str| {
        format!(
            "import ast, inspect, unittest\nimport shop\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        {body}\n"
        )
    };
    let bodies = [
        // It calls the lines and asks for no result, or never calls them.
        "shop.first_item([1])",
        "pass  # first_item return items",
        "assert shop.first_item",
        // It reads the source: as a text, as a tree, by reflection; loosely and to the letter.
        "assert 'return items' in open('shop.py').read()",
        "assert '    return items[0]\\n' in open('shop.py').read()",
        "assert inspect.getsource(shop.first_item) == 'def first_item(items):\\n    return items[0]\\n'",
        "assert any(isinstance(node, ast.Subscript) for node in ast.walk(ast.parse(open('shop.py').read())))",
        "assert not any(isinstance(node, ast.Raise) for node in ast.walk(ast.parse(open('shop.py').read())))",
        "assert len(ast.parse(inspect.getsource(shop.first_item)).body[0].body) == 1",
        "assert shop.first_item.__code__.co_varnames == ('items',)",
        "assert shop.first_item.__code__.co_consts[-1:] == (0,) or 0 in shop.first_item.__code__.co_consts",
        "assert list(inspect.signature(shop.first_item).parameters) == ['items']",
        // What it says of the result is true of nearly every result.
        "self.assertIsNotNone(shop.first_item([1]))",
        "assert shop.first_item([3]) is not False or shop.first_item([3]) is not None",
        "assert isinstance(shop.first_item([1]), object) and shop.first_item([1]) is not None",
        "assert str(shop.first_item([1])) != 'None'",
        // It asks for a result of something else.
        "self.assertEqual(shop.size([1]), 1)",
        "shop.first_item([1]); self.assertEqual(shop.size([1]), 1)",
    ];
    let config = format!("[proof]\n{}", language.config);
    for body in bodies {
        let other = Reply::vote("PASS")
            .with(
                "responses",
                json!([{"to": "A1", "stance": "disagreed", "reasoning": "It is guarded."}]),
            )
            .with(
                "reproductions",
                brought("A1", "no_defect", "test_doubt.py", &case(body)),
            );
        let models = FakeModels::start(script(&language, Reply::vote("FAIL"), other)).unwrap();
        let repo = repository(&models, &language, &config);
        let (_, report) = review(&repo);
        if is_without_borders(&report) {
            return;
        }
        let (finding, standing) = became(&report, 0);
        let brought = &report["ledger"]["reproductions"][0];
        assert_eq!(finding, json!("unconfirmed"), "{body}: {brought}");
        // Of the letter of a new line there was nothing before the change.
        assert!(
            standing == "passes" || standing == "mended",
            "{body}: {brought}"
        );
        assert_eq!(brought["refutes"], json!(null), "{body}: {brought}");
        let shown = repo.council_with(&[], &["show", "-v"]).ends(0).stdout;
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains("proves nothing about F1"), "{body}: {shown}");
    }
}
