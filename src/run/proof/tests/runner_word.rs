//! Outputs of runners as they print them: of tests that failed, and of such that they never got to.

use proptest::prelude::*;

use super::*;

fn argv(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn names(words: &[&str]) -> Vec<&'static str> {
    let found = runners_of(&argv(words)).into_iter();
    found.map(|runner| runner.name).collect()
}

#[test]
fn a_runner_is_known_wherever_a_command_names_it() {
    for (words, known) in [
        (&["cargo", "test", "--test", "{name}"][..], &["cargo"][..]),
        (&["/opt/go/bin/go", "test", "{dir}"], &["go"]),
        (&["python3", "-m", "pytest", "{file}"], &["pytest"]),
        (&["uv", "run", "pytest", "-q", "{file}"], &["pytest"]),
        (
            &["sh", "-c", "cd a && cargo build; ./mvnw -o test"],
            &["cargo", "mvnw"],
        ),
        (&["make", "--file=ci/go", "{dir}/go"], &[]),
        (&["node", "--test", "{file}"], &[]),
    ] {
        assert_eq!(names(words), known, "{words:?}");
    }
}

/// Of each runner what it says of a failed test, and what it says where it never got to one. All end with the same code.
const SAID: [(&str, &[&str], &[&str]); 8] = [
    (
        "cargo",
        &[
            "running 1 test\ntest a ... FAILED\n\ntest result: FAILED. 0 passed; 1 failed\n",
            "error: test failed, to rerun pass `--test a`\n\nCaused by:\n  process didn't exit successfully: (signal: 6)",
        ],
        &[
            "error: no matching package named `zzz-not-here` found\nlocation searched: crates.io index",
            "error: rustc 1.80.0 is not supported by the following package:\n  a@0.1.0 requires rustc 1.95.0",
            "error: could not create temp file /root/.rustup/tmp/x: Read-only file system (os error 30)",
            "error: failed to run custom build command for `a v0.1.0`\n\nCaused by:\n  process didn't exit \
             successfully: `/x/build-script-build` (exit status: 101)\n  thread 'main' panicked at build.rs:2:5",
            "error: failed to get `common` as a dependency of package `a`",
            "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly",
            "error: test failed, to rerun pass `--test a`\n\nCaused by:\n  could not execute process `a` (never executed)",
            "test result: ok. 3 passed; 0 failed\nerror: no test target named `b`",
        ],
    ),
    (
        "go",
        &[
            "--- FAIL: TestA (0.00s)\n    a_test.go:3: no\nFAIL\nFAIL\ta\t0.002s\nFAIL",
            "panic: taken away\n\ngoroutine 1 [running]:\nexit status 2\nFAIL\ta\t0.01s",
        ],
        &[
            "go: go.mod requires go >= 1.99 (running go 1.22.2; GOTOOLCHAIN=local)",
            "a.go:3:8: no required module provides package example.com/x; to add it:\n\tgo get example.com/x",
            "FAIL\ta [setup failed]\nFAIL",
            "go: errors parsing go.mod:\ngo.mod:3: unknown directive: foo",
        ],
    ),
    (
        "pytest",
        &[
            "F\n=== FAILURES ===\nE   assert 1 == 2\n1 failed in 0.01s",
            "FAILED test_a.py::test_a - assert 1 == 2",
            "1 failed, 2 errors in 0.10s",
        ],
        &[
            "  × No solution found when resolving dependencies:\n  ╰─▶ Because zzz was not found in the cache",
            "error: Failed to spawn: `pytest`",
            "ERROR test_a.py::test_a - KeyError: 'DATABASE_URL'\n1 error in 0.01s",
            "==== ERRORS ====\n___ ERROR at setup of test_a ___\n1 passed, 1 error in 0.01s",
            "0 failed, 3 passed",
        ],
    ),
    (
        "mvn",
        &["[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0"],
        &[
            "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[ERROR] Failed to execute goal on project a: Could \
             not resolve dependencies for project a:a:jar:1",
            "[ERROR] COMPILATION ERROR : \n[INFO] BUILD FAILURE",
        ],
    ),
    (
        "gradlew",
        &["ShopTest > total FAILED\n    java.lang.AssertionError\n\n1 test completed, 1 failed"],
        &[
            "> Task :compileJava FAILED\n\nFAILURE: Build failed with an exception.",
            "* What went wrong:\nCould not resolve all files for configuration ':testCompileClasspath'.",
        ],
    ),
    (
        "dotnet",
        &["Failed!  - Failed:     1, Passed:     0, Skipped:     0, Total:     1"],
        &["/x/a.csproj : error NU1101: Unable to find package zzz."],
    ),
    (
        "vitest",
        &[" Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)"],
        &[
            " FAIL  a.test.ts [ a.test.ts ]\nError: Failed to resolve import\n Test Files  1 failed (1)\n      Tests  no tests",
            "failed to load config from /x/vitest.config.ts",
        ],
    ),
    (
        "rspec",
        &["2 examples, 1 failure"],
        &[
            "An error occurred while loading ./a_spec.rb.\n\n0 examples, 0 failures, 1 error occurred outside of examples",
        ],
    ),
];

#[test]
fn only_the_word_of_a_runner_says_that_a_test_failed() {
    for (name, failed, idle) in SAID {
        let runners = runners_of(&argv(&[name, "{file}"]));
        assert_eq!(runners.len(), 1, "{name}");
        for output in failed {
            assert_eq!(unreached(1, output, &runners), None, "{name}: {output}");
        }
        for output in idle {
            assert_eq!(unreached(1, output, &runners), Some(name), "{output}");
        }
    }
}

/// Who starts cargo may not say so (`just test`); its code does.
#[test]
fn the_code_of_cargo_is_known_without_its_name() {
    let (_, failed, idle) = SAID[0];
    for output in failed {
        assert_eq!(unreached(OF_RUST, output, &[]), None, "{output}");
    }
    for output in idle
        .iter()
        .filter(|output| !output.contains("never executed"))
    {
        assert_eq!(unreached(OF_RUST, output, &[]), Some("cargo"), "{output}");
    }
    let alone = "thread 'main' panicked at a.rs:3:5:\nno";
    assert_eq!(unreached(OF_RUST, alone, &[]), None);
    assert_eq!(
        unreached(1, "whatever it says", &[]),
        None,
        "nothing is known of it"
    );
}

proptest! {
    /// Whatever else stands beside it: the words of a failure make one, and nothing else does.
    #[test]
    fn a_failure_is_one_by_its_own_word_alone(
        nth in 0_usize..SAID.len(),
        failed in 0_usize..3,
        idle in 0_usize..8,
        noise in "[ -~]{0,40}",
    ) {
        let (name, told, others) = SAID[nth];
        let runners = runners_of(&argv(&[name]));
        let output = format!("# {noise}\n{}", told[failed % told.len()]);
        prop_assert_eq!(unreached(1, &output, &runners), None, "{}", output);
        let output = format!("# {noise}\n{}", others[idle % others.len()]);
        prop_assume!(!output.lines().take(1).any(|line| (runners[0].says)(line)));
        prop_assert_eq!(unreached(1, &output, &runners), Some(name), "{}", output);
    }
}

#[test]
fn the_line_that_says_why_is_found() {
    for (output, line) in [
        (
            "   Compiling a\nerror: no package\nmore\n",
            "error: no package",
        ),
        (
            "go: errors parsing go.mod:\nx",
            "go: errors parsing go.mod:",
        ),
        ("one\n\ntwo\n\n", "two"),
    ] {
        assert_eq!(telling_line(output), Some(line));
    }
    assert_eq!(telling_line(" \n"), None);
}
