//! Proof by running, from the judges' answers to the report, with real suites of five languages.

use council_fake_models::{FakeModels, Reply, Rule};
use serde_json::{Value, json};

use crate::harness::Repo;
use crate::proof_scene::{
    KEY, Language, became, brought, configure, finding, go_language, is_without_borders,
    java_language, node_language, python_language, repository, review, rust_language, script,
};

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
fn a_java_test_proves_its_finding() {
    if let Some(language) = java_language() {
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
        if exported {
            repo.council(["apply", "F1"]).ends(0).prints(words);
            continue;
        }
        // What is known not to work is put in by those who say so.
        let before = std::fs::read_to_string(repo.path().join(language.file)).unwrap();
        let read = || std::fs::read_to_string(repo.path().join(language.file)).unwrap();
        repo.council(["apply", "F1"])
            .ends(2)
            .tells(words)
            .tells("git council apply F1 --force");
        assert_eq!(read(), before);
        repo.council(["apply", "F1", "--force"])
            .ends(0)
            .prints(words);
        assert_ne!(read(), before);
    }
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
                "self.assertNotEqual(int.from_bytes(os.urandom(2), 'big') % 100, first_item([0]))",
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
        // What was skipped before the change has not passed before it.
        (
            "broken",
            "test_x.py",
            case(
                "self.assertFalse('else' in open('shop.py').read() and self.skipTest('it is not there')) or self.assertIsNone(first_item([]))",
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
        // A test that fails once in a hundred seems to be sound most of the time. A coin would do so once in 64 reviews: three
        // heads before the change and three tails after it, which is a proof to whoever cannot look into it.
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
    // A patch may be anybody's, and has no two sides. What can be done is said.
    let patch = repo.git(["show", "HEAD"]);
    repo.write("change.diff", patch + "\n");
    let of_patch = [
        "review",
        "--patch",
        "change.diff",
        "--fresh",
        "--debate",
        "--json",
    ];
    let run = repo.council_with(&[KEY], &of_patch);
    let told = run.stdout.contains("commit it, and review the commit");
    assert!(told && !asked(&models), "{}", run.stdout);
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
    // A test runs on both sides, so that nobody else's commit is the one before, either.
    let own = branch.trim_start_matches("refs/heads/");
    let before = format!("{tip}..{own}");
    for what in ["HEAD", &*tip, "alias", &*before] {
        refused(&[KEY], what);
    }
    // A branch of one's own that is made of it is one's own. A verdict without tests is not reused then.
    let again = ["review", "HEAD", "--debate", "--json"];
    let told = "no branch of yours has both sides";
    let idle = repo.council_with(&[KEY], &again);
    assert!(idle.stdout.contains(told) && !asked(&models));
    repo.git(["branch", "mine"]);
    let run = repo.council_with(&[KEY], &again);
    assert!(
        asked(&models) && !run.stdout.contains(told),
        "{}",
        run.stdout
    );
}
