//! Whether a test failed, or only could not be run: the commands of most suites say that by their exit code, and some
//! only in words.

use council_agents::trial::{FinishedTrial, TrialEnding};

use super::node_ending;
use crate::council::reproduction::TestRun;

/// What is known of a run beside what it printed.
pub(super) struct TrialFacts<'a> {
    /// The files of the test.
    pub(super) own: &'a [String],
    /// The files that the change takes away.
    pub(super) gone: &'a [String],
    /// Whether something else stands in the place of the change's lines: a file that cannot be read is none of its.
    pub(super) is_edited: bool,
    /// Whether the change takes a name away from the file of the finding: what it renames is no defect.
    pub(super) is_renamed: &'a dyn Fn(&str) -> bool,
}

impl TrialFacts<'_> {
    /// Whether a line names a file of the test.
    pub(super) fn is_of_test(&self, line: &str) -> bool {
        self.own.iter().any(|file| names_file(line, file))
    }

    /// Whether the change takes away what other code calls so: `./util.js`, `pkg.util`.
    pub(super) fn has_lost_module(&self, module: &str) -> bool {
        let (name, dotted) = (last_part(module, &['/']), last_part(module, &['/', '.']));
        let mut gone = self.gone.iter().map(|path| last_part(path, &['/']));
        gone.any(|file| {
            let stem = file.split('.').next().unwrap_or_default();
            file == name || stem == name || stem == dotted
        })
    }
}

/// What stands behind the last of these marks.
fn last_part<'t>(text: &'t str, marks: &[char]) -> &'t str {
    text.rsplit(marks).next().unwrap_or(text)
}

/// Exit codes by which a suite says that a test failed: most have 1, Rust's has 101. pytest's 2 and more are no failed
/// test.
const FAILED: [i32; 2] = [1, 101];

/// Words of suites that end with such a code, too, when a test could not be built or loaded. A test that calls what the
/// change has renamed is broken by that, and shows no defect.
const BROKEN: [(&str, &str); 3] = [
    ("error: could not compile", NO_BUILD),
    ("[build failed]", NO_BUILD),
    ("[setup failed]", NO_BUILD),
];

pub(super) const NO_MODULE: &str = "a module that it needs is not there";
pub(super) const NO_IMPORT: &str = "what it imports is not there";
const NO_BUILD: &str = "it does not compile";
const KEPT_FROM: &str = "the borders of a test keep it from a file or a service that it needs";
const NO_SYNTAX: &str = "it cannot be read";

/// Exceptions that say the same, where nothing was raised after them: what is caught, printed or handled is none of
/// them.
const BREAKING: [(&str, &str); 5] = [
    ("ModuleNotFoundError", NO_MODULE),
    ("ImportError", NO_IMPORT),
    ("SyntaxError", NO_SYNTAX),
    ("IndentationError", NO_SYNTAX),
    ("TabError", NO_SYNTAX),
];

/// Exceptions that a file raises which cannot be read.
const UNREADABLE: [&str; 3] = ["SyntaxError", "IndentationError", "TabError"];

/// What Python says where modules import each other in a ring: a change that makes one breaks whoever imports them.
const CIRCULAR: &str = "partially initialized module";

/// Why a test that ended with the code of a failure did not run; none: it ran.
fn obstacle(output: &str, facts: &TrialFacts<'_>) -> Option<&'static str> {
    let mut words = BROKEN.iter();
    if let Some((_, why)) = words.find(|(word, _)| output.contains(word)) {
        return Some(why);
    }
    let lines = node_ending::without_printed(without_captured(output));
    match node_ending::missing(&lines, facts) {
        Some(Missing::InTest(why)) => return Some(why),
        Some(Missing::InChange) => return None,
        None => {}
    }
    let found = lines.iter().enumerate().rev();
    let (at, (name, words)) = found
        .map(|(at, line)| (at, exception_in(line)))
        .find_map(|(at, exception)| Some((at, exception?)))?;
    if words.contains(CIRCULAR) {
        return None;
    }
    let place = place_of(name, &lines[..at], &lines[at..]);
    let is_of_test = place.is_some_and(|place| facts.is_of_test(place));
    // What the code of the change itself lacks is a defect, but for what is not installed here.
    let is_of_code = place.is_some_and(|place| !is_of_test && !is_of_library(place));
    if is_refusal(name, words) {
        return Some(KEPT_FROM);
    }
    if is_of_code && !is_of_library(words) && is_told(name, words, facts) {
        return None;
    }
    if is_lost(name, words, is_of_test, facts) {
        return Some(NO_IMPORT);
    }
    let mut breaking = BREAKING.iter();
    breaking
        .find(|(known, _)| *known == name)
        .map(|(_, why)| *why)
}

/// Who lacks what a test needs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// The test itself, or a library of this machine.
    InTest(&'static str),
    /// The code of the change, which had it before: that is a defect.
    InChange,
}

/// Whether the change brought what its own code raises: a module may not be installed here, and other words than its own
/// may leave a file that cannot be read.
fn is_told(name: &str, words: &str, facts: &TrialFacts<'_>) -> bool {
    if name == "ModuleNotFoundError" {
        let module = words.split('\'').nth(1);
        return module.is_some_and(|module| facts.has_lost_module(module));
    }
    !(UNREADABLE.contains(&name) && facts.is_edited)
}

/// Whether a test asks for a name that the change has taken away: that is as good as an import that fails.
fn is_lost(name: &str, words: &str, is_of_test: bool, facts: &TrialFacts<'_>) -> bool {
    let last_name = || words.rsplit('\'').nth(1).unwrap_or_default();
    match name {
        "AttributeError" if words.starts_with("module '") || words.starts_with("<module '") => true,
        "AttributeError" => {
            let (_, of) = words.split_once("has no attribute '").unwrap_or_default();
            is_of_test && (facts.is_renamed)(of.split('\'').next().unwrap_or_default())
        }
        "TypeError" if words.contains("got an unexpected keyword argument") => {
            is_of_test && (facts.is_renamed)(last_name())
        }
        // A name that a star import brought no more.
        "NameError" => is_of_test,
        _ => false,
    }
}

/// Whether the borders of a test raise such an exception: what a change newly needs, and they withhold, is no defect.
fn is_refusal(name: &str, words: &str) -> bool {
    let refused = ["[Errno 1]", "[Errno 13]", "[Errno 30]", "[Errno 97]"];
    let said = ["EPERM:", "EACCES:", "EROFS:", "EAFNOSUPPORT:"];
    let is_told = |told: &[&str]| told.iter().any(|told| words.starts_with(told));
    match name {
        "PermissionError" | "OSError" => is_told(&refused),
        "Error" => is_told(&said),
        // No copy has the folder of git.
        "subprocess.CalledProcessError" => is_told(&["Command '['git'", "Command 'git "]),
        _ => false,
    }
}

/// The lines without what suites show behind a failure of what the program wrote or logged before it.
fn without_captured(output: &str) -> Vec<&str> {
    let mut captured = false;
    let is_shown = |line: &&str| {
        let begins = line.starts_with("---") && line.contains(" Captured ");
        let is_rule = ["===", "___", "---"]
            .iter()
            .any(|rule| line.starts_with(rule));
        // The runner of Python's own library has two headings, without a rule.
        captured = begins || ["Stdout:", "Stderr:"].contains(line) || captured && !is_rule;
        !captured
    };
    output.lines().filter(is_shown).collect()
}

/// Where an exception was raised: the last place above it (`File "…", line 3`, `a.py:3: in f`), or else the first below
/// (`test_a.py:3: NameError`).
fn place_of<'t>(name: &str, above: &[&'t str], below: &[&'t str]) -> Option<&'t str> {
    let is_place = |line: &&&str| {
        let line = line.strip_prefix("E ").unwrap_or(line).trim_start();
        // The loader's own lines stand between an import and what it could not load.
        line.starts_with("File \"") && !line.contains("\"<frozen ")
            || line.contains(".py:") && line.contains(": in ")
    };
    let summed_up = format!(": {name}");
    let is_sum = |line: &&&str| line.contains(".py:") && line.ends_with(&summed_up);
    let last = above.iter().rev().find(is_place);
    below.iter().skip(1).find(is_sum).or(last).copied()
}

/// Whether a place is in a library of this machine.
fn is_of_library(place: &str) -> bool {
    ["/lib/python", "site-packages/", "dist-packages/"]
        .iter()
        .any(|part| place.contains(part))
}

/// Whether a line holds a path that ends in this one.
pub(super) fn names_file(line: &str, file: &str) -> bool {
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

/// How a run of a test ended.
pub(super) fn read_ending(finished: &FinishedTrial, facts: &TrialFacts<'_>) -> TestRun {
    let broken = |why: String| TestRun::Broken { why };
    match &finished.ending {
        TrialEnding::Exited(0) => TestRun::Passed,
        TrialEnding::Exited(code) if FAILED.contains(code) => {
            match obstacle(&finished.output, facts) {
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

    /// A run of the change as it is, of which nothing else is known.
    fn facts(own: &[String]) -> TrialFacts<'_> {
        TrialFacts {
            own,
            gone: &[],
            is_edited: false,
            is_renamed: &|_| false,
        }
    }

    fn obstacle(output: &str, own: &[String]) -> Option<&'static str> {
        super::obstacle(output, &facts(own))
    }

    #[test]
    fn only_a_test_that_ran_and_failed_has_failed() {
        let read = |ending, output: &str| {
            let finished = FinishedTrial {
                ending,
                output: output.to_owned(),
            };
            read_ending(&finished, &facts(&[]))
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

    /// What the program logs before a failure decides nothing, wherever the suite shows it.
    #[test]
    fn what_was_logged_is_no_obstacle() {
        let logged = "Traceback (most recent call last):\n  File \"/x/calc.py\", line 10, in load\n\
                      ModuleNotFoundError: No module named 'ujson'\n";
        let failure =
            "  File \"/x/calc.py\", line 16, in mean\nZeroDivisionError: division by zero\n";
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
        let absent = "  File \"/x/calc.py\", line 1, in f\nModuleNotFoundError: No module named 'requests'\n";
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
                own: &own,
                gone: &gone,
                is_edited,
                is_renamed: &|name| name == "mean",
            };
            super::obstacle(output, &facts)
        };
        let raised =
            |file: &str, words: &str| format!("  File \"/x/{file}\", line 1, in f\n{words}\n");
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
}
