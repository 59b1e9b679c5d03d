//! What suites say of tests that ran, and of such that could not.

use std::collections::BTreeSet;

use council_protocol::reproduction::ReproductionFile;
use proptest::prelude::*;

use super::super::runner_word::runners_of;
use super::*;

/// A test of these files.
fn own_of(files: &[String]) -> OwnTests {
    let files = files.iter().map(|path| ReproductionFile {
        path: path.as_str().into(),
        content: String::new(),
    });
    OwnTests::of_files(&files.collect::<Vec<_>>())
}

/// A run of the change as it is, of which nothing else is known.
fn facts(own: &OwnTests) -> TrialFacts<'_> {
    TrialFacts {
        own,
        gone: &[],
        is_edited: false,
        is_renamed: &|_| false,
        runners: &[],
        refused: None,
    }
}

fn finished(ending: TrialEnding, output: &str) -> FinishedTrial {
    FinishedTrial {
        ending,
        output: output.to_owned(),
        is_cut: false,
        refused: BTreeSet::new(),
        has_served: false,
    }
}

proptest! {
    /// What the borders refuse and the change newly needs is no defect, whatever the test says of it.
    #[test]
    fn what_borders_refuse_is_no_failure_by_whatever_words(
        output in "[a-zA-Z:\\n ]{0,80}",
        nth in 0_usize..4,
        code in prop::sample::select(&FAILED[..]),
    ) {
        let refused = [Refusal::Network, Refusal::Memory, Refusal::Git, Refusal::Service][nth];
        let own = OwnTests::default();
        let facts = TrialFacts { refused: Some(refused), ..facts(&own) };
        let read = |code| read_ending(&finished(TrialEnding::Exited(code), &output), &facts);
        let is_broken = matches!(read(code), TestRun::Broken { .. });
        prop_assert!(is_broken, "{output}");
        prop_assert_eq!(read(0), TestRun::Passed);
    }
}

fn why_of(told: Told) -> Option<&'static str> {
    match told {
        Told::Obstacle(why) => Some(why),
        Told::OfChange | Told::Nothing => None,
    }
}

fn obstacle(output: &str, own: &[String]) -> Option<&'static str> {
    why_of(super::told_obstacle(output, &facts(&own_of(own))))
}

#[test]
fn only_a_test_that_ran_and_failed_has_failed() {
    let own = OwnTests::default();
    let read = |ending, output: &str| read_ending(&finished(ending, output), &facts(&own));
    assert_eq!(read(TrialEnding::Exited(0), ""), TestRun::Passed);
    assert_eq!(read(TrialEnding::Exited(1), "1 failed"), TestRun::Failed);
    let panicked = "thread 'main' panicked at a.rs:1:1:\nno";
    assert_eq!(read(TrialEnding::Exited(101), panicked), TestRun::Failed);
    for (ending, output) in [
        (TrialEnding::Exited(2), "error during collection"),
        (TrialEnding::Exited(5), "no tests ran"),
        (TrialEnding::Exited(101), "error: could not compile `a`"),
        (
            TrialEnding::Exited(101),
            "error: no matching package named `a` found",
        ),
        (
            TrialEnding::Exited(1),
            "error[E0425]: cannot find function `f`\nerror: aborting due to 1 previous error",
        ),
        (TrialEnding::Exited(1), "FAIL a [build failed]"),
        (TrialEnding::Broken("it took more than 60 s".to_owned()), ""),
    ] {
        assert!(
            matches!(read(ending, output), TestRun::Broken { .. }),
            "{output}"
        );
    }
}
#[test]
fn what_the_borders_refuse_is_known_by_its_words_as_well() {
    for refused in [
        "OSError: [Errno 30] Read-only file system: '/x'",
        "OSError: out of pty devices",
        "subprocess.CalledProcessError: Command '['ps', 'aux']' returned non-zero exit status 47.",
        "not ok 1 - t\n  ---\n  error: \"EROFS: read-only file system, open '/x'\"\n  code: 'EROFS'\n",
        "Error: EACCES: permission denied\n  errno: -13,\n  code: 'EACCES',\n",
    ] {
        assert_eq!(obstacle(refused, &[]), Some(KEPT_FROM), "{refused}");
    }
    for failed in [
        "not ok 1 - t\n  ---\n  error: 'EROFS is told'\n  code: 'ERR_ASSERTION'\n",
        "subprocess.CalledProcessError: Command '['pspp', 'x']' returned non-zero exit status 1.",
    ] {
        assert_eq!(obstacle(failed, &[]), None, "{failed}");
    }
}

#[test]
fn only_the_last_exception_says_that_nothing_ran() {
    let chained = "ModuleNotFoundError: No module named 'yaml'\n\nDuring handling of the above exception, another \
                   exception occurred:\n\nTraceback (most recent call last):\nAssertionError\n";
    for failed in [
        chained,
        "SyntaxError: bad input is told\nAssertionError: 1 != 2",
        "calc.TemplateSyntaxError: bad",
        "E       calc.ImportErrorOfOurs: bad",
        "AttributeError: 'NoneType' object has no attribute 'x'",
        "AssertionError [ERR_ASSERTION]: ImportError: told",
        "ImportError: cannot import name 'a' from partially initialized module 'b' (most likely due to a circular \
         import) (/b.py)",
        "AttributeError: partially initialized module 'b' has no attribute 'a' (most likely due to a circular import)",
    ] {
        assert_eq!(obstacle(failed, &[]), None, "{failed}");
    }
    for (broken, why) in [
        (
            "ImportError: cannot import name 'add' from 'calc'\n\nFAILED (errors=1)",
            NO_IMPORT,
        ),
        (
            "E   ModuleNotFoundError: No module named 'x'\n1 failed",
            NO_MODULE,
        ),
        (
            "AttributeError: module 'calc' has no attribute 'add'",
            NO_IMPORT,
        ),
        (
            "E  AttributeError: <module 'calc' from '/x/calc.py'> does not have the attribute 'add'",
            NO_IMPORT,
        ),
        (
            "  File \"t.py\", line 1\n    x x\n      ^\nSyntaxError: invalid syntax",
            NO_SYNTAX,
        ),
        ("# SyntaxError: Unexpected token", NO_SYNTAX),
    ] {
        let own = ["t.py".to_owned()];
        assert_eq!(obstacle(broken, &own), Some(why), "{broken}");
    }
}

/// What the program logs before a failure decides nothing, wherever the suite shows it.
#[test]
fn what_was_logged_is_no_obstacle() {
    let logged = "Traceback (most recent call last):\n  File \"/x/calc.py\", line 10, in load\n\
                  ModuleNotFoundError: No module named 'ujson'\n";
    let failure = "  File \"/x/calc.py\", line 16, in mean\nZeroDivisionError: division by zero\n";
    for output in [
        format!(
            "{failure}\nStderr:\nERROR:root:no fast json\n{logged}\n-----\nRan 1 test\n\nFAILED (errors=1)\n"
        ),
        format!(
            "{failure}----- Captured log call -----\n{logged}=== short test summary ===\n1 failed\n"
        ),
        format!(
            "{failure}----- Captured stderr call -----\n{logged}----- Captured log call -----\n{logged}"
        ),
    ] {
        assert_eq!(obstacle(&output, &[]), None, "{output}");
    }
    // What stands behind the next heading counts again.
    let other = format!("--- Captured log call ---\nx\n___ test_b ___\n{logged}");
    assert_eq!(obstacle(&other, &[]), Some(NO_MODULE));
}

/// A change that newly uses what a test may not have is right everywhere but in a test.
#[test]
fn what_the_borders_withhold_is_no_defect() {
    for (told, kept) in [
        (
            "PermissionError: [Errno 13] Permission denied: '/dev/shm/x'",
            true,
        ),
        (
            "OSError: [Errno 30] Read-only file system: '/tmp/lock'",
            true,
        ),
        (
            "OSError: [Errno 97] Address family not supported by protocol",
            true,
        ),
        ("Error: EACCES: permission denied, scandir '/'", true),
        ("PermissionError: only its owner may do that", false),
        ("OSError: [Errno 28] No space left on device", false),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: 'data'",
            false,
        ),
    ] {
        let output = format!("  File \"/x/calc.py\", line 1, in f\n{told}\n");
        let why = obstacle(&output, &[]);
        assert_eq!(why, kept.then_some(KEPT_FROM), "{told}");
    }
}

/// What the code of a change has lost breaks whoever calls it; what the test has lost breaks the test alone.
#[test]
fn what_the_code_itself_lacks_is_a_defect() {
    let files = ["tests/test_a.py".to_owned()];
    for lost in [
        "AttributeError: module 'util' has no attribute 'h'. Did you mean: 'hh'?",
        "ImportError: cannot import name 'h' from 'util' (/x/util.py)",
    ] {
        let trace = |path: &str| {
            format!(
                "  File \"/x/tests/test_a.py\", line 3, in test\n  File \"{path}\", line 1, in f\n{lost}\n"
            )
        };
        assert_eq!(obstacle(&trace("/x/calc.py"), &files), None, "{lost}");
        assert!(
            obstacle(&trace("/x/tests/test_a.py"), &files).is_some(),
            "{lost}"
        );
        let name = lost.split(':').next().unwrap();
        let pytest =
            |path: &str| format!("{path}:3: in f\n    f()\nE   {lost}\n\n{path}:3: {name}\n");
        assert_eq!(obstacle(&pytest("calc.py"), &files), None, "{lost}");
        assert!(
            obstacle(&pytest("tests/test_a.py"), &files).is_some(),
            "{lost}"
        );
    }
    let absent =
        "  File \"/x/calc.py\", line 1, in f\nModuleNotFoundError: No module named 'requests'\n";
    assert_eq!(
        obstacle(absent, &files),
        Some(NO_MODULE),
        "it is not installed here"
    );
    let library = "  File \"/x/calc.py\", line 1\nImportError: cannot import name 'a' from 'b' \
                   (/v/lib/python3/site-packages/b.py)\n";
    assert_eq!(
        obstacle(library, &files),
        Some(NO_IMPORT),
        "another version is installed here"
    );
}

/// A name that the test does not get any more is no defect; one that the code does not have is.
#[test]
fn a_name_that_is_missing_counts_where_it_is_missing() {
    let files = ["tests/test_a.py".to_owned()];
    let trace = |last: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"/x/tests/test_a.py\", line 3, in test\n    f()\n{last}\
             NameError: name 'total' is not defined\n"
        )
    };
    let pytest = |place: &str| {
        format!(
            ">       total([1])\nE       NameError: name 'total' is not defined\n\n{place}:3: NameError\n1 failed\n"
        )
    };
    for broken in [
        trace(""),
        pytest("tests/test_a.py"),
        pytest("/x/tests/test_a.py"),
    ] {
        assert_eq!(obstacle(&broken, &files), Some(NO_IMPORT), "{broken}");
    }
    let deeper = "  File \"/x/calc.py\", line 1, in f\n    total([1])\n";
    for failed in [
        trace(deeper),
        pytest("calc.py"),
        pytest("other/mytests/test_a.py_b"),
    ] {
        assert_eq!(obstacle(&failed, &files), None, "{failed}");
    }
}

/// What a change takes away from its own code is a defect; what it renames for whoever calls it is none.
#[test]
fn what_a_change_takes_away_counts_where_its_own_code_lacks_it() {
    let own = ["test_a.py".to_owned()];
    let gone = ["lib/util.py".to_owned()];
    let with = |is_edited, output: &str| {
        let facts = TrialFacts {
            own: &own_of(&own),
            gone: &gone,
            is_edited,
            is_renamed: &|name| name == "mean",
            runners: &[],
            refused: None,
        };
        why_of(super::told_obstacle(output, &facts))
    };
    let raised = |file: &str, words: &str| format!("  File \"/x/{file}\", line 1, in f\n{words}\n");
    for moved in ["util", "lib.util"] {
        let words = format!("ModuleNotFoundError: No module named '{moved}'");
        assert_eq!(with(false, &raised("calc.py", &words)), None);
        assert_eq!(with(false, &raised("test_a.py", &words)), Some(NO_MODULE));
    }
    let absent = raised("calc.py", "ModuleNotFoundError: No module named 'requests'");
    assert_eq!(with(false, &absent), Some(NO_MODULE), "not installed here");
    let unreadable = raised("util.py", "SyntaxError: '(' was never closed");
    assert_eq!(with(false, &unreadable), None);
    assert_eq!(
        with(true, &unreadable),
        Some(NO_SYNTAX),
        "a suggestion may do that"
    );
    for renamed in [
        "AttributeError: 'C' object has no attribute 'mean'",
        "AttributeError: type object 'C' has no attribute 'mean'. Did you mean: 'mode'?",
        "TypeError: f() got an unexpected keyword argument 'mean'",
    ] {
        assert_eq!(
            with(false, &raised("test_a.py", renamed)),
            Some(NO_IMPORT),
            "{renamed}"
        );
        assert_eq!(with(false, &raised("calc.py", renamed)), None, "{renamed}");
        let other = renamed.replace("'mean'", "'total'");
        assert_eq!(with(false, &raised("test_a.py", &other)), None, "{other}");
    }
    let git = "subprocess.CalledProcessError: Command '['git', 'rev-parse', 'HEAD']' returned non-zero exit status 128.";
    assert_eq!(with(false, &raised("calc.py", git)), Some(KEPT_FROM));
}

/// Whatever starts a compiler and then the test ends with the code of either: only its words tell them apart.
#[test]
fn what_did_not_compile_has_not_failed() {
    for told in [
        "ShopTest.java:3: error: cannot find symbol",
        "src/ShopTest.kt:3:5: error: unresolved reference 'total'",
        "e: file:///x/ShopTest.kt:3:5 Unresolved reference 'total'.",
        "/x/ShopTest.cs(3,5): error CS0117: 'Shop' does not contain a definition for 'Total' [/x/a.csproj]",
        "shop.test.ts(3,5): error TS2339: Property 'total' does not exist.",
        "shop_test.cpp:3:5: error: use of undeclared identifier",
    ] {
        assert_eq!(
            obstacle(&format!("building\n{told}\n1 error\n"), &[]),
            Some(NO_BUILD),
            "{told}"
        );
    }
    for ran in [
        "Exception in thread \"main\" java.lang.AssertionError\n\tat ShopTest.main(ShopTest.java:3)",
        "expected: error: none, was: Shop.java: error: 1",
        "shop.log:3: error: the shop is closed",
    ] {
        assert_eq!(obstacle(ran, &[]), None, "{ran}");
    }
}

fn read_of(words: &[&str], content: &str, code: i32, output: &str) -> TestRun {
    let own = OwnTests::of_files(&[ReproductionFile {
        path: "tests/test_a.py".into(),
        content: content.to_owned(),
    }]);
    let argv: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    let runners = runners_of(&argv);
    let facts = TrialFacts {
        runners: &runners,
        ..facts(&own)
    };
    read_ending(&finished(TrialEnding::Exited(code), output), &facts)
}

/// An exit code is the word of a runner, and of all that it asks for: of a threshold, of what it could not set up.
#[test]
fn a_runner_s_code_is_no_word_of_the_test() {
    let pytest = |code, output: &str| read_of(&["pytest", "-q", "{file}"], "", code, output);
    let cover = "FAIL Required test coverage of 100% not reached. Total coverage: 93.33%\n1 passed in 0.02s";
    assert_eq!(pytest(1, cover), TestRun::Passed, "its own test passes");
    let failed = cover.replace("1 passed", "1 failed");
    assert_eq!(pytest(1, &failed), TestRun::Failed);
    for broken in [
        "ERROR tests/test_a.py::test_a - KeyError: 'DATABASE_URL'\n1 error in 0.01s",
        "ERROR tests/test_a.py::test_a - KeyError: 'X'\n1 passed, 1 error in 0.01s",
    ] {
        let run = pytest(1, broken);
        assert!(matches!(run, TestRun::Broken { .. }), "{broken}: {run:?}");
    }
}

/// A test that did not run has not passed, whatever runner says so.
#[test]
fn a_test_that_was_skipped_has_not_passed() {
    let skipping = "@pytest.mark.skipif(True, reason='')";
    for (words, content, output) in [
        (&["pytest", "{file}"][..], skipping, "1 skipped in 0.01s"),
        (
            &["python3", "-m", "unittest", "{file}"],
            "",
            "Ran 1 test in 0.0s\n\nOK (skipped=1)",
        ),
        (&["go", "test", "{dir}"], "t.Skip()", "ok  \tpage\t0.002s"),
        (
            &["cargo", "test", "{name}"],
            "",
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out",
        ),
        (&["make", "{file}"], "pytest.importorskip('x')", ""),
    ] {
        let run = read_of(words, content, 0, output);
        assert!(matches!(run, TestRun::Broken { .. }), "{output}: {run:?}");
    }
    for (content, output) in [
        ("", "ok  \tpage\t0.002s"),
        (skipping, "1 passed, 1 skipped in 0.01s"),
        ("", ""),
    ] {
        assert_eq!(
            read_of(&["any", "{file}"], content, 0, output),
            TestRun::Passed,
            "{output}"
        );
    }
}

/// An effect by which the lines themselves end a test is seen by whoever calls them.
#[test]
fn who_raised_what_ended_a_test_is_known() {
    let trace = |last: &str| {
        format!(
            "  File \"/x/test_a.py\", line 3, in test\n  File \"/x/{last}\", line 1, in f\nValueError: percent\n"
        )
    };
    for (output, raised) in [
        (trace("shop/cart.py"), true),
        (trace("test_a.py"), false),
        ("shop/cart.py:3: in f\n    raise ValueError\nE   ValueError: no\n\nshop/cart.py:3: ValueError\n".to_owned(), true),
        ("E   assert 5 == 4\nE   AssertionError\n\ntest_a.py:3: AssertionError\n".to_owned(), false),
        ("thread 'a' panicked at shop/cart.py:3:5:\nno\n".to_owned(), true),
        ("Error: no\n    at f (/x/shop/cart.py:3:9)\n    at Test.fn (/x/a.test.js:3:1)\n".to_owned(), true),
        ("Error: no\n    at Test.fn (/x/a.test.js:3:1)\n    at f (/x/shop/cart.py:3:9)\n".to_owned(), false),
    ] {
        assert_eq!(is_raised_in(&output, "shop/cart.py"), raised, "{output}");
    }
}

#[test]
fn the_module_that_is_not_there_is_named() {
    for (output, name) in [
        ("ModuleNotFoundError: No module named 'yaml'\n", "`yaml`"),
        (
            "Error: Cannot find module 'lodash'\nRequire stack:\n- /x/a.test.js\n",
            "`lodash`",
        ),
        (
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@a/b' imported from /x/a.test.mjs\n",
            "`@a/b`",
        ),
    ] {
        let run = read_of(&["any", "{file}"], "", 1, output);
        let is_named = matches!(&run, TestRun::Broken { why } if why.contains(name));
        assert!(is_named, "{output}: {run:?}");
    }
}

#[test]
fn a_threshold_of_coverage_is_no_word_of_the_test_in_any_runner() {
    let jest = |output: &str| read_of(&["npx", "jest", "{file}"], "", 1, output);
    let passed = "Test Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n";
    let below =
        format!("Jest: \"global\" coverage threshold for lines (90%) not met: 80%\n{passed}");
    assert_eq!(jest(&below), TestRun::Passed);
    for broken in [
        "No tests found, exiting with code 1\nRun with `--passWithNoTests`",
        "Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 passed, 1 total\n",
    ] {
        assert!(matches!(jest(broken), TestRun::Broken { .. }), "{broken}");
    }
}

/// Mocha ends with the number of the tests that failed.
#[test]
fn a_runner_s_own_code_is_known() {
    let mocha = |code, output: &str| read_of(&["npx", "mocha", "{file}"], "", code, output);
    assert_eq!(
        mocha(2, "  0 passing (3ms)\n  2 failing\n"),
        TestRun::Failed
    );
    assert!(matches!(
        mocha(2, "Error: Cannot find module\n"),
        TestRun::Broken { .. }
    ));
    let nextest = |output: &str| read_of(&["cargo", "nextest", "run"], "", 100, output);
    assert_eq!(nextest("error: test run failed"), TestRun::Failed);
    assert!(matches!(nextest("error: no tests"), TestRun::Broken { .. }));
}

/// A package that moves to ES modules cannot load a test that was written for the other kind, and neither says a defect.
#[test]
fn a_name_that_node_does_not_give_the_test_is_no_defect() {
    let raised = |file: &str| {
        format!(
            "# file:///x/{file}:1\n# const a = require('./a.js');\n#           ^\n# ReferenceError: require is not \
                 defined in ES module scope\n#     at file:///x/{file}:1:11\nnot ok 1 - t\n  exitCode: 1\n"
        )
    };
    let own = ["tests/test_a.js".to_owned()];
    assert_eq!(obstacle(&raised("tests/test_a.js"), &own), Some(NO_IMPORT));
    assert_eq!(obstacle(&raised("src/a.js"), &own), None);
}
