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
    ("error: could not compile", NO_BUILD),
    ("[build failed]", NO_BUILD),
    ("[setup failed]", NO_BUILD),
    ("ERR_MODULE_NOT_FOUND", NO_MODULE),
    ("Cannot find module", NO_MODULE),
    ("does not provide an export named", NO_IMPORT),
];

const NO_MODULE: &str = "a module that it needs is not there";
const NO_IMPORT: &str = "what it imports is not there";
const NO_BUILD: &str = "it does not compile";
const NO_SYNTAX: &str = "it cannot be read";

/// Exceptions that say the same, where nothing was raised after them: what is caught, printed or handled is none of them.
const BREAKING: [(&str, &str); 5] = [
    ("ModuleNotFoundError", NO_MODULE),
    ("ImportError", NO_IMPORT),
    ("SyntaxError", NO_SYNTAX),
    ("IndentationError", NO_SYNTAX),
    ("TabError", NO_SYNTAX),
];

/// What Python says where modules import each other in a ring: a change that makes one breaks whoever imports them.
const CIRCULAR: &str = "partially initialized module";

/// Why a test that ended with the code of a failure did not run; none: it ran. `files` are those of the test.
fn obstacle(output: &str, files: &[String]) -> Option<&'static str> {
    let mut words = BROKEN.iter();
    if let Some((_, why)) = words.find(|(word, _)| output.contains(word)) {
        return Some(why);
    }
    let lines: Vec<&str> = output.lines().collect();
    let found = lines.iter().enumerate().rev();
    let (at, (name, words)) = found
        .map(|(at, line)| (at, exception_in(line)))
        .find_map(|(at, exception)| Some((at, exception?)))?;
    if words.contains(CIRCULAR) {
        return None;
    }
    // What a module of the change has lost is as good as an import that fails.
    let is_lost = match name {
        "AttributeError" => words.starts_with("module '") || words.starts_with("<module '"),
        // A name that a star import brought no more; one that the code itself lacks is a defect.
        "NameError" => is_raised_in(&lines[..at], &lines[at..], files),
        _ => false,
    };
    if is_lost {
        return Some(NO_IMPORT);
    }
    let mut breaking = BREAKING.iter();
    breaking
        .find(|(known, _)| *known == name)
        .map(|(_, why)| *why)
}

/// Whether an exception was raised by a line of the test itself: the last place above it (`File "…", line 3`), or else the
/// first below (`test_a.py:3: NameError`), is one of its files.
fn is_raised_in(above: &[&str], below: &[&str], files: &[String]) -> bool {
    let is_place = |line: &&&str| {
        let line = line.trim_start();
        line.starts_with("File \"") || line.ends_with(": NameError")
    };
    let last = above.iter().rev().find(is_place);
    let place = below.iter().skip(1).find(is_place).or(last);
    place.is_some_and(|place| files.iter().any(|file| names_file(place, file)))
}

/// Whether a line holds a path that ends in this one.
fn names_file(line: &str, file: &str) -> bool {
    line.match_indices(file).any(|(at, _)| {
        let behind = &line[at + file.len()..];
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| matches!(c, '/' | '"' | ' ')) && behind.starts_with(['"', ':'])
    })
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

/// Whether nothing ran since a file cannot be read or compiled.
pub(super) fn is_unreadable(run: &TestRun) -> bool {
    matches!(run, TestRun::Broken { why } if why == NO_SYNTAX || why == NO_BUILD)
}

/// How a run of a test of these files ended.
pub(super) fn read_ending(finished: &FinishedTrial, files: &[String]) -> TestRun {
    let broken = |why: String| TestRun::Broken { why };
    match &finished.ending {
        TrialEnding::Exited(0) => TestRun::Passed,
        TrialEnding::Exited(code) if FAILED.contains(code) => {
            match obstacle(&finished.output, files) {
                Some(why) => broken(why.to_owned()),
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
            let finished = FinishedTrial {
                ending,
                output: output.to_owned(),
            };
            read_ending(&finished, &[])
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
            assert_eq!(obstacle(broken, &[]), Some(why), "{broken}");
        }
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
}
