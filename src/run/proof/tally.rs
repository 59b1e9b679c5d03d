//! How many tests a run had, as its runner counts them: exit code 0 says nothing of a test that was skipped, or of none.

/// What a runner counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TestTally {
    pub(super) passed: u32,
    pub(super) failed: u32,
}

impl TestTally {
    fn new(passed: u32, failed: u32) -> Self {
        Self { passed, failed }
    }

    /// That no test got as far as to pass or to fail.
    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn plus(self, other: Self) -> Self {
        Self::new(self.passed + other.passed, self.failed + other.failed)
    }
}

/// How each runner sums up, on one line. Several programs of tests have a line each.
const READERS: [fn(&str) -> Option<TestTally>; 9] = [
    of_pytest, of_cargo, of_go, of_web, of_maven, of_dotnet, of_rspec, of_mocha, of_phpunit,
];

/// What the runner of an output counted; none: it is no known one, or says nothing.
pub(super) fn read_tally(output: &str) -> Option<TestTally> {
    if let Some(tally) = of_pairs(output) {
        return Some(tally);
    }
    let readers = READERS.iter();
    let mut tallies = readers.map(|reader| {
        let of_lines = output.lines().filter_map(|line| reader(line.trim_end()));
        of_lines.reduce(TestTally::plus)
    });
    tallies.find_map(|tally| tally)
}

/// Runners that sum up on several lines: Node's, and that of Python's own library.
fn of_pairs(output: &str) -> Option<TestTally> {
    let count = |word: &str| {
        let named = |mark: &str| format!("{mark} {word} ");
        let marks = [named("#"), named("ℹ")];
        let mut lines = output.lines().rev().map(str::trim);
        lines.find_map(|line| {
            let mut marks = marks.iter();
            marks.find_map(|mark| line.strip_prefix(mark.as_str())?.parse().ok())
        })
    };
    if let (Some(passed), Some(failed)) = (count("pass"), count("fail")) {
        return Some(TestTally::new(passed, failed));
    }
    let ran = output.lines().rev().find_map(|line| {
        let (count, rest) = line.strip_prefix("Ran ")?.split_once(" test")?;
        rest.contains(" in ").then(|| count.parse::<u32>().ok())?
    })?;
    let ends = |line: &&str| {
        let ends = ["OK", "FAILED (", "NO TESTS RAN"];
        ends.iter().any(|word| line.starts_with(word))
    };
    let end = output.lines().rev().find(ends)?;
    let failed = number_behind(end, "failures=") + number_behind(end, "errors=");
    let skipped = number_behind(end, "skipped=");
    let passed = ran.saturating_sub(failed).saturating_sub(skipped);
    Some(TestTally::new(passed, failed))
}

/// `1 failed, 2 passed in 0.03s`. An error is none of a test: it could not be set up.
fn of_pytest(line: &str) -> Option<TestTally> {
    let line = line.trim_matches(['=', ' ']);
    let (counts, took) = line.rsplit_once(" in ")?;
    let is_time = took.starts_with(|c: char| c.is_ascii_digit()) && took.contains('s');
    let begins = counts.starts_with(|c: char| c.is_ascii_digit()) || counts == "no tests ran";
    (is_time && begins)
        .then(|| TestTally::new(count_of(counts, "passed"), count_of(counts, "failed")))
}

fn of_cargo(line: &str) -> Option<TestTally> {
    let (_, counts) = line.split_once("test result: ")?;
    let tally = TestTally::new(count_of(counts, "passed"), count_of(counts, "failed"));
    counts.contains("filtered out").then_some(tally)
}

/// Of tests that pass Go's runner says nothing by itself, only that there are none.
fn of_go(line: &str) -> Option<TestTally> {
    let none = ["[no test files]", "[no tests to run]"];
    let is_none = none.iter().any(|word| line.ends_with(word));
    is_none.then(TestTally::default)
}

/// vitest and jest.
fn of_web(line: &str) -> Option<TestTally> {
    let line = line.trim_start();
    let counts = line
        .strip_prefix("Tests:")
        .or(line.strip_prefix("Tests "))?;
    let is_sum = counts.contains(" total") || counts.trim_end().ends_with(')');
    let is_sum = is_sum || counts.trim() == "no tests";
    is_sum.then(|| TestTally::new(count_of(counts, "passed"), count_of(counts, "failed")))
}

fn of_maven(line: &str) -> Option<TestTally> {
    let (_, counts) = line.split_once("Tests run: ")?;
    let ran = counts.split(',').next()?.trim().parse::<u32>().ok()?;
    let failed = number_behind(counts, "Failures: ") + number_behind(counts, "Errors: ");
    let skipped = number_behind(counts, "Skipped: ");
    let passed = ran.saturating_sub(failed).saturating_sub(skipped);
    Some(TestTally::new(passed, failed))
}

fn of_dotnet(line: &str) -> Option<TestTally> {
    let ends = ["Passed!", "Failed!", "Skipped!"];
    let is_sum = ends.iter().any(|word| line.starts_with(word));
    let counts = |word| number_behind(line, word);
    is_sum.then(|| TestTally::new(counts("Passed: "), counts("Failed: ")))
}

fn of_rspec(line: &str) -> Option<TestTally> {
    let (examples, rest) = line.split_once(" example")?;
    let all = examples.trim().parse::<u32>().ok()?;
    let failed = count_of(rest, "failure") + count_of(rest, "failures");
    let passed = all
        .saturating_sub(failed)
        .saturating_sub(count_of(rest, "pending"));
    rest.contains("failure")
        .then(|| TestTally::new(passed, failed))
}

fn of_mocha(line: &str) -> Option<TestTally> {
    let (count, word) = line.trim().split_once(' ')?;
    let count = count.parse::<u32>().ok()?;
    match word.split(' ').next()? {
        "passing" => Some(TestTally::new(count, 0)),
        "failing" => Some(TestTally::new(0, count)),
        _ => None,
    }
}

fn of_phpunit(line: &str) -> Option<TestTally> {
    if let Some(counts) = line
        .strip_prefix("OK (")
        .filter(|rest| rest.contains(" assertion"))
    {
        return Some(TestTally::new(counts.split(' ').next()?.parse().ok()?, 0));
    }
    let counts = line
        .strip_prefix("Tests: ")
        .filter(|rest| rest.contains("Assertions: "))?;
    let all = counts.split(',').next()?.parse::<u32>().ok()?;
    let failed = number_behind(counts, "Failures: ") + number_behind(counts, "Errors: ");
    let skipped = number_behind(counts, "Skipped: ") + number_behind(counts, "Incomplete: ");
    let passed = all.saturating_sub(failed).saturating_sub(skipped);
    Some(TestTally::new(passed, failed))
}

/// How many of something a line counts: `1 failed, 2 passed`.
pub(super) fn count_of(line: &str, what: &str) -> u32 {
    let mark = |c: char| c.is_whitespace() || ",.:;|()=".contains(c);
    let words: Vec<&str> = line.split(mark).filter(|word| !word.is_empty()).collect();
    let mut pairs = words.windows(2).filter(|pair| pair[1] == what);
    pairs.find_map(|pair| pair[0].parse().ok()).unwrap_or(0)
}

pub(super) fn number_behind(line: &str, word: &str) -> u32 {
    let behind = line.split_once(word).map_or("", |(_, behind)| behind);
    let behind = behind.trim_start();
    let end = behind.find(|c: char| !c.is_ascii_digit());
    behind[..end.unwrap_or(behind.len())].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What each runner prints last of so many tests that passed, failed and were skipped.
    fn summaries(passed: u32, failed: u32, skipped: u32) -> Vec<String> {
        let all = passed + failed + skipped;
        let unittest = match failed {
            0 => format!("OK (skipped={skipped})"),
            _ => format!("FAILED (failures={failed}, skipped={skipped})"),
        };
        vec![
            format!("{failed} failed, {passed} passed, {skipped} skipped in 0.03s"),
            format!(
                "=== {failed} failed, {passed} passed, {skipped} skipped, 1 error in 63.10s (0:01:03) ==="
            ),
            format!(
                "test result: x. {passed} passed; {failed} failed; {skipped} ignored; 0 measured; 0 filtered out"
            ),
            format!("# tests {all}\n# pass {passed}\n# fail {failed}\n# skipped {skipped}"),
            format!("ℹ tests {all}\nℹ pass {passed}\nℹ fail {failed}\nℹ skipped {skipped}"),
            format!("Ran {all} tests in 0.001s\n\n{unittest}"),
            format!(
                " Test Files  1 failed (1)\n      Tests  {failed} failed | {passed} passed | {skipped} skipped ({all})"
            ),
            format!(
                "Tests:       {failed} failed, {skipped} skipped, {passed} passed, {all} total"
            ),
            format!("[INFO] Tests run: {all}, Failures: {failed}, Errors: 0, Skipped: {skipped}"),
            format!(
                "Failed!  - Failed:     {failed}, Passed:     {passed}, Skipped:     {skipped}, Total: {all}"
            ),
            format!("{all} examples, {failed} failures, {skipped} pending"),
            format!("  {passed} passing (3ms)\n  {skipped} pending\n  {failed} failing"),
            format!("Tests: {all}, Assertions: 9, Failures: {failed}, Skipped: {skipped}."),
        ]
    }

    proptest! {
        /// Whoever counts, and whatever stands above: the numbers are those of the runner.
        #[test]
        fn every_runner_counts_the_same(
            passed in 0_u32..40,
            failed in 0_u32..40,
            skipped in 0_u32..40,
            noise in "[a-zA-Z ]{0,30}",
        ) {
            for summary in summaries(passed, failed, skipped) {
                let told = read_tally(&format!("{noise}\n{summary}\n"));
                prop_assert_eq!(told, Some(TestTally::new(passed, failed)), "{}", summary);
            }
        }
    }

    #[test]
    fn no_test_is_none_and_other_words_count_nothing() {
        for none in [
            "no tests ran in 0.00s",
            "1 skipped in 0.01s",
            "ok  \tpage\t0.001s [no tests to run]",
            "?   \tpage\t[no test files]",
            "Ran 0 tests in 0.000s\n\nNO TESTS RAN",
            "Ran 1 test in 0.000s\n\nOK (skipped=1)",
            "      Tests  no tests",
            "0 examples, 0 failures, 1 error occurred outside of examples",
        ] {
            let told = read_tally(none);
            assert!(told.is_some_and(TestTally::is_empty), "{none}: {told:?}");
        }
        for other in [
            "",
            "1 failed",
            "ok  \tpage\t0.002s",
            "Tests are good",
            "passed in 3s",
        ] {
            assert_eq!(read_tally(other), None, "{other}");
        }
        assert_eq!(
            read_tally("OK (2 tests, 3 assertions)"),
            Some(TestTally::new(2, 0))
        );
        let two = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\
                   test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(read_tally(two), Some(TestTally::new(3, 1)));
    }
}
