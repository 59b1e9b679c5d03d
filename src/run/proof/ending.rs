//! Whether a test failed, or only could not be run: the commands of most suites say that by their exit code, and some
//! only in words.

use council_agents::trial::{FinishedTrial, Refusal, TrialEnding};

use super::node_ending;
use super::runner_word::{TestRunner, is_own_code, unreached};
use super::tally::{count_of, read_tally};
use super::whose_test::{FailedTests, OwnTests};
use crate::council::reproduction::TestRun;

/// What is known of a run beside what it printed.
pub(super) struct TrialFacts<'a> {
    /// The tests that the judge brought.
    pub(super) own: &'a OwnTests,
    /// The files that the change takes away.
    pub(super) gone: &'a [String],
    /// Whether something else stands in the place of the change's lines: a file that cannot be read is none of its.
    pub(super) is_edited: bool,
    /// Whether the change takes a name away from the file of the finding: what it renames is no defect.
    pub(super) is_renamed: &'a dyn Fn(&str) -> bool,
    /// The runners that the command names.
    pub(super) runners: &'a [&'static TestRunner],
    /// What the borders kept from it, and not from the same test before the change: what it needs so is no defect.
    pub(super) refused: Option<Refusal>,
}

impl TrialFacts<'_> {
    /// Whether a line names a file of the test.
    pub(super) fn is_of_test(&self, line: &str) -> bool {
        self.own.files.iter().any(|file| names_file(line, file))
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

/// What an output says of why nothing ran.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    Obstacle(&'static str),
    /// The code of the change lacks what it had before: that is a defect.
    OfChange,
}

/// What a runner did that has no word for a failed test.
const BEFORE_TEST: &str = "ended before it ran the test";

/// Whether only the output of a run says why it broke off.
pub(super) fn is_before_test(why: &str) -> bool {
    why.ends_with(BEFORE_TEST)
}

/// Why a test that ended with the code of a failure did not run; none: it ran.
fn obstacle(code: i32, output: &str, facts: &TrialFacts<'_>) -> Option<String> {
    match told_obstacle(output, facts) {
        Told::Obstacle(why) if why == NO_MODULE => Some(match missing_module(output) {
            Some(name) => format!("{why}: `{name}`"),
            None => why.to_owned(),
        }),
        Told::Obstacle(why) => Some(why.to_owned()),
        // A runner that cannot load a test for that has no word for a failed one.
        Told::OfChange => None,
        Told::Nothing => {
            unreached(code, output, facts.runners).map(|runner| format!("`{runner}` {BEFORE_TEST}"))
        }
    }
}

fn told_obstacle(output: &str, facts: &TrialFacts<'_>) -> Told {
    let mut words = BROKEN.iter();
    if let Some((_, why)) = words.find(|(word, _)| output.contains(word)) {
        return Told::Obstacle(why);
    }
    let lines = node_ending::without_printed(without_captured(output));
    if lines.iter().any(|line| is_of_compiler(line)) {
        return Told::Obstacle(NO_BUILD);
    }
    match node_ending::missing(&lines, facts) {
        Some(Missing::InTest(why)) => return Told::Obstacle(why),
        Some(Missing::InChange) => return Told::OfChange,
        None => {}
    }
    if lines.iter().any(|line| node_ending::is_refusal(line)) {
        return Told::Obstacle(KEPT_FROM);
    }
    told_exception(&lines, facts)
}

/// Behind an exception of Node its first place stands among so many lines.
const STACK_LINES: usize = 3;

/// What the last exception says.
fn told_exception(lines: &[&str], facts: &TrialFacts<'_>) -> Told {
    let found = lines.iter().enumerate().rev();
    let mut found = found.filter_map(|(at, line)| Some((at, exception_in(line)?)));
    let Some((at, (name, words))) = found.next() else {
        return Told::Nothing;
    };
    if words.contains(CIRCULAR) {
        return Told::OfChange;
    }
    let place = place_of(name, &lines[..at], &lines[at..]);
    let stack = |line: &&&str| line.trim_start_matches(['#', ' ']).starts_with("at ");
    let stacked = lines[at + 1..].iter().take(STACK_LINES).find(stack);
    let is_of_test = [place, stacked.copied()]
        .into_iter()
        .flatten()
        .any(|place| facts.is_of_test(place));
    // What the code of the change itself lacks is a defect, but for what is not installed here.
    let is_of_code = place.is_some_and(|place| !is_of_test && !is_of_library(place));
    if is_refusal(name, words) {
        return Told::Obstacle(KEPT_FROM);
    }
    let mut breaking = BREAKING.iter();
    let breaking = breaking.find(|(known, _)| *known == name);
    if is_of_code && !is_of_library(words) && is_told(name, words, facts) {
        return match breaking {
            Some(_) => Told::OfChange,
            None => Told::Nothing,
        };
    }
    if is_lost(name, words, is_of_test, facts) {
        return Told::Obstacle(NO_IMPORT);
    }
    breaking.map_or(Told::Nothing, |(_, why)| Told::Obstacle(why))
}

/// Whether a compiler says so of a line of code: `T.java:3: error: …`, `a.kt:3:5: error: …`, `a.cs(3,5): error CS0103: …`.
/// What starts a compiler and then the test ends with the code of either.
fn is_of_compiler(line: &str) -> bool {
    const ENDINGS: [&str; 9] = [
        ".java:", ".kt:", ".kts:", ".scala:", ".swift:", ".c:", ".cc:", ".cpp:", ".h:",
    ];
    let names = |place: &str| ENDINGS.iter().any(|ending| place.contains(ending));
    let place = line.split_once(": error:").map(|(place, _)| place);
    let is_place = |place: &str| names(place) && place.ends_with(|c: char| c.is_ascii_digit());
    let gradle = line.starts_with("e: ") && names(line);
    let numbered = ["): error CS", "): error TS", " - error TS"];
    let rustc = line.starts_with("error[E") || line.starts_with("error: aborting due to ");
    place.is_some_and(is_place)
        || rustc
        || gradle
        || numbered.iter().any(|told| line.contains(told))
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
        "NameError" | "ReferenceError" => is_of_test,
        _ => false,
    }
}

/// Whether the borders of a test raise such an exception: what a change newly needs, and they withhold, is no defect.
fn is_refusal(name: &str, words: &str) -> bool {
    let refused = ["[Errno 1]", "[Errno 13]", "[Errno 30]", "[Errno 97]"];
    let said = ["EPERM:", "EACCES:", "EROFS:", "EAFNOSUPPORT:"];
    let is_told = |told: &[&str]| told.iter().any(|told| words.starts_with(told));
    match name {
        "PermissionError" | "OSError" => is_told(&refused) || words == "out of pty devices",
        "Error" => is_told(&said),
        // No copy has the folder of git, and no test sees the processes of others.
        "subprocess.CalledProcessError" => ["git", "ps", "pgrep", "lsof"].iter().any(|program| {
            is_told(&[
                &*format!("Command '['{program}'"),
                &*format!("Command '{program} "),
            ])
        }),
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

/// Whether what ended a test was raised by the code of this file itself, as far as the words of Python, Rust and Node say
/// so.
pub(super) fn is_raised_in(output: &str, file: &str) -> bool {
    let lines = without_captured(output);
    let panicked = |line: &&str| {
        let (_, place) = line.split_once("panicked at ").unwrap_or_default();
        names_file(place, file)
    };
    let stacked = lines
        .iter()
        .find(|line| line.trim_start().starts_with("at "));
    let is_stacked = stacked.is_some_and(|line| names_file(line, file));
    let found = lines.iter().enumerate().rev();
    let mut found = found.filter_map(|(at, line)| Some((at, exception_in(line)?)));
    let raised = found
        .next()
        .and_then(|(at, (name, _))| place_of(name, &lines[..at], &lines[at..]));
    lines.iter().any(panicked) || is_stacked || raised.is_some_and(|place| names_file(place, file))
}

/// The module that Python or Node did not find last.
fn missing_module(output: &str) -> Option<&str> {
    const WORDS: [&str; 3] = [
        "No module named '",
        "Cannot find module '",
        "Cannot find package '",
    ];
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-./@".contains(c);
    let behind = output.lines().rev().filter_map(|line| {
        let mut words = WORDS.iter();
        words.find_map(|word| line.split_once(word))
    });
    let mut names = behind.filter_map(|(_, rest)| rest.split('\'').next());
    names.find(|name| !name.is_empty() && name.chars().all(is_name))
}

/// The module that Python did not find last; pytest, which cannot load a test for want of it, ends with its own code.
fn lost_module(output: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let found = output.lines().rev().filter_map(exception_in);
    let mut names = found.filter_map(|(_, words)| {
        let quoted = words.strip_prefix("No module named '")?;
        quoted.split('\'').next()
    });
    names.find(|name| !name.is_empty() && name.chars().all(is_name))
}

/// Whether nothing ran since a file cannot be read or compiled.
pub(super) fn is_unreadable(run: &TestRun) -> bool {
    matches!(run, TestRun::Broken { why } if why == NO_SYNTAX || why == NO_BUILD)
}

/// Exit code 0 says that nothing failed: where the runner counts, a test has to have passed, and where it does not, none
/// that may skip itself counts.
fn read_success(output: &str, facts: &TrialFacts<'_>) -> TestRun {
    let why = match read_tally(output) {
        Some(tally) if tally.is_empty() => "no test ran: it was skipped, or there is none",
        None if facts.own.may_skip => "it may have skipped itself, and its runner does not say",
        _ => return TestRun::Passed,
    };
    TestRun::Broken {
        why: why.to_owned(),
    }
}

/// Whether a runner says that every test passed and ends with the code of a failure: because of a threshold that one test
/// alone cannot reach, mostly of what it covers.
fn passed_all_the_same(output: &str, facts: &TrialFacts<'_>) -> bool {
    let has_threshold = facts.runners.iter().any(|runner| runner.has_threshold());
    let not_set_up = |line: &str| {
        let file = line.starts_with("Test Suites:") || line.trim_start().starts_with("Test Files");
        line.starts_with("ERROR ") || file && count_of(line, "failed") > 0
    };
    let tally = read_tally(output).filter(|_| has_threshold && !output.lines().any(not_set_up));
    tally.is_some_and(|tally| tally.failed == 0 && tally.passed > 0)
}

/// A failure of tests that were run, whosever they are.
fn read_failure(finished: &FinishedTrial, facts: &TrialFacts<'_>) -> TestRun {
    match facts.own.failed_in(&finished.output, finished.is_cut) {
        FailedTests::Own => TestRun::Failed,
        FailedTests::Others(_) => TestRun::Passed,
        FailedTests::Unknown(other) => TestRun::Broken {
            why: format!(
                "another test of its folder failed (`{other}`), and may have kept it from running"
            ),
        },
    }
}

/// How a run of a test ended.
pub(super) fn read_ending(finished: &FinishedTrial, facts: &TrialFacts<'_>) -> TestRun {
    let broken = |why: String| TestRun::Broken { why };
    match &finished.ending {
        TrialEnding::Exited(0) => read_success(&finished.output, facts),
        TrialEnding::Exited(code)
            if FAILED.contains(code) || is_own_code(*code, &finished.output, facts.runners) =>
        {
            match (obstacle(*code, &finished.output, facts), facts.refused) {
                (Some(_), _) if passed_all_the_same(&finished.output, facts) => TestRun::Passed,
                (Some(why), _) => broken(why),
                (None, Some(refused)) => broken(format!(
                    "the borders of a test keep it from {}, which it did not need before the change",
                    refused.name()
                )),
                (None, None) => read_failure(finished, facts),
            }
        }
        TrialEnding::Exited(code) => {
            let lost = lost_module(&finished.output);
            let lost = lost.map_or(String::new(), |name| {
                format!(": there is no module `{name}`")
            });
            broken(format!("it ended with exit code {code}{lost}"))
        }
        TrialEnding::Broken(why) | TrialEnding::NoBorders(why) => broken(why.clone()),
    }
}

#[cfg(test)]
#[path = "tests/ending.rs"]
mod tests;
