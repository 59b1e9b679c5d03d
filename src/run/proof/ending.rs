//! Whether a test failed, or only could not be run: the commands of most suites say that by their exit code, and some only in
//! words.

use council_agents::trial::{FinishedTrial, TrialEnding};

use crate::council::reproduction::TestRun;

/// Exit codes by which a suite says that a test failed: most have 1, Rust's has 101. pytest's 2 and more are no failed
/// test.
const FAILED: [i32; 2] = [1, 101];

/// Words of suites that end with such a code, too, when a test could not be built or loaded. A test that calls what the
/// change has renamed is broken by that, and shows no defect.
const BROKEN: [(&str, &str); 11] = [
    ("error: could not compile", "it does not compile"),
    ("[build failed]", "it does not compile"),
    ("[setup failed]", "it does not compile"),
    (
        "ERR_MODULE_NOT_FOUND",
        "a module that it needs is not there",
    ),
    ("Cannot find module", "a module that it needs is not there"),
    ("ModuleNotFoundError", "a module that it needs is not there"),
    ("ImportError", "what it imports is not there"),
    (
        "does not provide an export named",
        "what it imports is not there",
    ),
    ("SyntaxError", "it cannot be read"),
    ("IndentationError", "it cannot be read"),
    ("TabError", "it cannot be read"),
];

/// How a run of a test ended.
pub(super) fn read_ending(finished: &FinishedTrial) -> TestRun {
    let broken = |why: String| TestRun::Broken { why };
    match &finished.ending {
        TrialEnding::Exited(0) => TestRun::Passed,
        TrialEnding::Exited(code) if FAILED.contains(code) => {
            let mut words = BROKEN.iter();
            match words.find(|(word, _)| finished.output.contains(word)) {
                Some((_, why)) => broken((*why).to_owned()),
                None => TestRun::Failed,
            }
        }
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
}
