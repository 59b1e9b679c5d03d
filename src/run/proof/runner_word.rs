//! What a runner says where a test failed. Its exit code is no such word: most runners end with the same one where they
//! never got to the test, as where a dependency, a toolchain or a build is missing. So a failure counts only with a word
//! for it, not without a word against it: the reasons why nothing runs are too many to list.

use std::path::Path;

use super::tally::{count_of, number_behind};

/// A runner that is known by its name.
#[derive(Debug)]
pub(super) struct TestRunner {
    name: &'static str,
    /// Whether a line says that a test failed.
    says: fn(&str) -> bool,
}

impl TestRunner {
    /// Whether it can be told to fail where all tests pass: `--cov-fail-under`, `coverageThreshold`.
    pub(super) fn has_threshold(&self) -> bool {
        ["pytest", "py.test", "jest", "vitest"].contains(&self.name)
    }
}

const RUNNERS: [TestRunner; 15] = [
    named("cargo", cargo_says),
    named("go", go_says),
    named("pytest", pytest_says),
    named("py.test", pytest_says),
    named("mvn", maven_says),
    named("mvnw", maven_says),
    named("gradle", gradle_says),
    named("gradlew", gradle_says),
    named("dotnet", dotnet_says),
    named("vitest", vitest_says),
    named("jest", vitest_says),
    named("mocha", mocha_says),
    named("rspec", rspec_says),
    named("phpunit", phpunit_says),
    named("nextest", cargo_says),
];

const fn named(name: &'static str, says: fn(&str) -> bool) -> TestRunner {
    TestRunner { name, says }
}

/// The exit code of a Rust program that panics, and of cargo whatever is in its way.
const OF_RUST: i32 = 101;

/// The runners that a command names, in a shell's line, too (`sh -c 'cd a && pytest {file}'`).
pub(super) fn runners_of(argv: &[String]) -> Vec<&'static TestRunner> {
    let marks = |c: char| c.is_whitespace() || ";&|()'\"".contains(c);
    let words = argv.iter().flat_map(|word| word.split(marks));
    // `--config=ci/go` and `{dir}` name none.
    let programs = words.filter(|word| !word.starts_with('-') && !word.contains(['=', '{']));
    let names = programs.filter_map(|word| Path::new(word).file_name()?.to_str());
    let mut found: Vec<&TestRunner> = Vec::new();
    for name in names {
        let known = RUNNERS.iter().find(|runner| runner.name == name);
        found.extend(known);
    }
    found
}

/// Why the code of a failure is none of a test; none: a test failed, as far as anybody can tell.
pub(super) fn unreached(
    code: i32,
    output: &str,
    runners: &[&'static TestRunner],
) -> Option<&'static str> {
    let says = |runner: &TestRunner| output.lines().any(|line| (runner.says)(line.trim_end()));
    let Some(first) = runners.first() else {
        let is_of_cargo = code == OF_RUST && !says(&RUNNERS[0]) && !panics_alone(output);
        return is_of_cargo.then_some("cargo");
    };
    let never = output.contains("(never executed)");
    (never || !runners.iter().any(|runner| says(runner))).then_some(first.name)
}

/// Whether a runner that has its own code for failed tests says so: mocha counts them, PHPUnit has one for exceptions,
/// cargo-nextest one beside cargo's.
pub(super) fn is_own_code(code: i32, output: &str, runners: &[&'static TestRunner]) -> bool {
    let is_own = |runner: &TestRunner| match runner.name {
        "mocha" => code > 0,
        "phpunit" => code == 2,
        "nextest" => code == 100,
        _ => false,
    };
    let says = |runner: &TestRunner| output.lines().any(|line| (runner.says)(line.trim_end()));
    runners.iter().any(|runner| is_own(runner) && says(runner))
}

/// A test without the harness of Rust, started by its own name.
fn panics_alone(output: &str) -> bool {
    output.contains("panicked at") && !output.lines().any(is_error)
}

/// The line of an output that says best why nothing ran: the first error, or else the last line.
pub(super) fn telling_line(output: &str) -> Option<&str> {
    let lines = || {
        output
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let first = lines().find(|line| is_error(line));
    first.or_else(|| lines().next_back())
}

fn is_error(line: &str) -> bool {
    ["error", "Error", "ERROR", "[ERROR]", "go: "]
        .iter()
        .any(|word| line.starts_with(word))
}

fn cargo_says(line: &str) -> bool {
    const WORDS: [&str; 4] = [
        "error: test failed, to rerun",
        "error: doctest failed, to rerun",
        "error: test run failed",
        "error: process didn't exit successfully",
    ];
    line.contains("test result: FAILED") || WORDS.iter().any(|word| line.starts_with(word))
}

fn go_says(line: &str) -> bool {
    let package = line.starts_with("FAIL\t") && !line.ends_with(" failed]");
    let test = line.trim_start().starts_with("--- FAIL");
    let told = line.contains("\"Action\":\"fail\"") && line.contains("\"Test\":");
    package || test || told || line.starts_with("panic: ") || line.starts_with("fatal error: ")
}

/// An error is none of a test, which was not set up for it.
fn pytest_says(line: &str) -> bool {
    let heading = line.starts_with('=') && line.contains(" FAILURES ");
    heading || line.starts_with("FAILED ") || counts(line, "failed")
}

fn maven_says(line: &str) -> bool {
    let told = ["Failures: ", "Errors: "].map(|word| number_behind(line, word));
    let is_sum = line.contains("Tests run: ");
    is_sum && told.iter().any(|count| *count > 0) || line.contains("There are test failures")
}

fn gradle_says(line: &str) -> bool {
    let test = line.ends_with(" FAILED") && line.contains(" > ") && !line.starts_with("> Task");
    test || line.contains("There were failing tests")
}

fn dotnet_says(line: &str) -> bool {
    let words = ["Failed!", "Test Run Failed", "  Failed "];
    words.iter().any(|word| line.starts_with(word))
}

fn vitest_says(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("Tests") && counts(line, "failed")
}

fn mocha_says(line: &str) -> bool {
    counts(line, "failing")
}

fn rspec_says(line: &str) -> bool {
    counts(line, "failure") || counts(line, "failures")
}

fn phpunit_says(line: &str) -> bool {
    let told = ["Failures: ", "Errors: "].map(|word| number_behind(line, word));
    line.starts_with("Tests: ") && told.iter().any(|count| *count > 0)
}

/// Whether a line counts at least one of something: `1 failed, 2 passed`.
fn counts(line: &str, what: &str) -> bool {
    count_of(line, what) > 0
}

#[cfg(test)]
#[path = "tests/runner_word.rs"]
mod tests;
