//! Whether a test failed, or only could not be run: the commands of most suites say that by their exit code, and some only in
//! words.

use council_agents::trial::{FinishedTrial, TrialEnding};

use crate::council::reproduction::TestRun;

/// Exit codes by which a suite says that a test failed: most have 1, Rust's has 101. pytest's 2 and more are no failed
/// test.
const FAILED: [i32; 2] = [1, 101];

/// Words of suites that end with such a code, too, when a test could not be built or loaded. A test that calls what the
/// change has renamed is broken by that, and shows no defect.
const BROKEN: [(&str, &str); 6] = [
    ("error: could not compile", "it does not compile"),
    ("[build failed]", "it does not compile"),
    ("[setup failed]", "it does not compile"),
    ("ERR_MODULE_NOT_FOUND", NO_MODULE),
    ("Cannot find module", NO_MODULE),
    ("does not provide an export named", NO_IMPORT),
];

const NO_MODULE: &str = "a module that it needs is not there";
const NO_IMPORT: &str = "what it imports is not there";
const NO_SYNTAX: &str = "it cannot be read";

/// Exceptions that say the same, where nothing was raised after them: what is caught, printed or handled is none of them.
const BREAKING: [(&str, &str); 5] = [
    ("ModuleNotFoundError", NO_MODULE),
    ("ImportError", NO_IMPORT),
    ("SyntaxError", NO_SYNTAX),
    ("IndentationError", NO_SYNTAX),
    ("TabError", NO_SYNTAX),
];

/// Why a test that ended with the code of a failure did not run; none: it ran.
fn obstacle(output: &str) -> Option<&'static str> {
    let mut words = BROKEN.iter();
    if let Some((_, why)) = words.find(|(word, _)| output.contains(word)) {
        return Some(why);
    }
    let (name, words) = output.lines().rev().find_map(exception_in)?;
    // What a module of the change has lost is as good as an import that fails.
    if name == "AttributeError" && words.starts_with("module '") {
        return Some(NO_IMPORT);
    }
    let mut breaking = BREAKING.iter();
    breaking
        .find(|(known, _)| *known == name)
        .map(|(_, why)| *why)
}

/// The exception of a line such as `E   pkg.SomeError: words`, and its words.
fn exception_in(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("E ").unwrap_or(line);
    let line = line.trim_start_matches(['#', ' ']);
    let end = line.find([':', ' ']).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let is_one =
        (name.ends_with("Error") || name.ends_with("Exception")) && name.chars().all(is_name);
    let is_told = rest.is_empty() || rest.starts_with(':') || rest.starts_with(" [");
    (is_one && is_told).then(|| (name, rest.trim_start_matches([':', ' '])))
}

/// How a run of a test ended.
pub(super) fn read_ending(finished: &FinishedTrial) -> TestRun {
    let broken = |why: String| TestRun::Broken { why };
    match &finished.ending {
        TrialEnding::Exited(0) => TestRun::Passed,
        TrialEnding::Exited(code) if FAILED.contains(code) => match obstacle(&finished.output) {
            Some(why) => broken(why.to_owned()),
            None => TestRun::Failed,
        },
        TrialEnding::Exited(code) => broken(format!("it ended with exit code {code}")),
        TrialEnding::Broken(why) | TrialEnding::NoBorders(why) => broken(why.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_test_that_ran_and_failed_has_failed() {
        let read = |ending, output: &str| {
            read_ending(&FinishedTrial {
                ending,
                output: output.to_owned(),
            })
        };
        assert_eq!(read(TrialEnding::Exited(0), ""), TestRun::Passed);
        assert_eq!(read(TrialEnding::Exited(1), "1 failed"), TestRun::Failed);
        assert_eq!(read(TrialEnding::Exited(101), "panicked"), TestRun::Failed);
        for (ending, output) in [
            (TrialEnding::Exited(2), "error during collection"),
            (TrialEnding::Exited(5), "no tests ran"),
            (TrialEnding::Exited(101), "error: could not compile `a`"),
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
        ] {
            assert_eq!(obstacle(failed), None, "{failed}");
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
                "  File \"t.py\", line 1\n    x x\n      ^\nSyntaxError: invalid syntax",
                NO_SYNTAX,
            ),
            ("# SyntaxError: Unexpected token", NO_SYNTAX),
        ] {
            assert_eq!(obstacle(broken), Some(why), "{broken}");
        }
    }
}
