//! Whose test failed: a command that is given a folder runs the other tests in it as well, and what they say is no word of
//! the test that a judge brought.

use council_protocol::reproduction::ReproductionFile;

use super::ending::names_file;

/// The tests of a judge, as runners name them.
#[derive(Debug, Default)]
pub(super) struct OwnTests {
    pub(super) files: Vec<String>,
    /// The functions of Go, whose runner names no file.
    functions: Vec<String>,
    /// Whether one of them may skip itself.
    pub(super) may_skip: bool,
}

/// Whose tests failed, as far as the runner names them.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FailedTests {
    /// The judge's own, or nobody knows.
    Own,
    /// Others alone, the first of which has this name; all of the folder were run.
    Others(String),
    /// The same, and nobody knows whether the judge's own were run.
    Unknown(String),
}

impl OwnTests {
    pub(super) fn of_files(files: &[ReproductionFile]) -> Self {
        let functions = files.iter().flat_map(|file| functions_of_go(&file.content));
        let mut words = files.iter().flat_map(|file| words_of(&file.content));
        Self {
            may_skip: words.any(is_of_skipping),
            functions: functions.collect(),
            files: files
                .iter()
                .map(|file| file.path.display().into_owned())
                .collect(),
        }
    }

    /// Reads what a runner says of each failed test. `is_cut`: the beginning of the output is not there.
    pub(super) fn failed_in(&self, output: &str, is_cut: bool) -> FailedTests {
        let (go, pytest) = (self.failed_of_go(output), self.failed_of_pytest(output));
        let Some(other) = go.or(pytest) else {
            return FailedTests::Own;
        };
        // What ends the program ends all tests, and a name may stand in what is cut off.
        let ends = ["panic: ", "fatal error: "];
        let ends_all = |line: &str| ends.iter().any(|word| line.starts_with(word));
        let is_ended = output
            .lines()
            .any(|line| ends_all(line) || self.is_error_of_own(line));
        match is_cut || is_ended {
            true => FailedTests::Unknown(other),
            false => FailedTests::Others(other),
        }
    }

    /// The first failed test where none of them is an own one.
    fn failed_of_go(&self, output: &str) -> Option<String> {
        let named = output
            .lines()
            .filter_map(|line| line.strip_prefix("--- FAIL: "));
        let names = named.filter_map(|rest| rest.split_whitespace().next());
        let is_own = |name: &str| self.functions.iter().any(|own| own == name);
        first_of_others(names, is_own)
    }

    fn failed_of_pytest(&self, output: &str) -> Option<String> {
        let paths = output
            .lines()
            .filter_map(|line| path_of_pytest(line, "FAILED "));
        first_of_others(paths, |path| self.has_file(path))
    }

    /// Whether pytest could not set up an own test.
    fn is_error_of_own(&self, line: &str) -> bool {
        path_of_pytest(line, "ERROR ").is_some_and(|path| self.has_file(path))
    }

    fn has_file(&self, path: &str) -> bool {
        let line = format!("{path}:");
        self.files.iter().any(|file| names_file(&line, file))
    }
}

/// `FAILED tests/test_a.py::test_b - AssertionError`
fn path_of_pytest<'o>(line: &'o str, word: &str) -> Option<&'o str> {
    let (path, _) = line.strip_prefix(word)?.split_once("::")?;
    Some(path)
}

fn first_of_others<'o>(
    mut names: impl Iterator<Item = &'o str>,
    is_own: impl Fn(&str) -> bool,
) -> Option<String> {
    let first = names.next()?;
    let has_own = is_own(first) || names.any(is_own);
    (!has_own).then(|| first.to_owned())
}

/// The words of a text, as code has them.
pub(super) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Whether a word lets a test be skipped: `skipif`, `importorskip`, `t.SkipNow()`, `@Disabled`, `assumeTrue`, `#[ignore]`.
fn is_of_skipping(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.contains("skip")
        || word.starts_with("assum")
        || ["disabled", "ignore", "xit", "pending"].contains(&&*word)
}

fn functions_of_go(text: &str) -> impl Iterator<Item = String> {
    let heads = text.lines().filter_map(|line| line.strip_prefix("func "));
    let names = heads.filter_map(|rest| Some(rest.split_once('(')?.0.trim()));
    let kinds = ["Test", "Example", "Fuzz"];
    let is_test = move |name: &&str| kinds.iter().any(|kind| name.starts_with(kind));
    names.filter(is_test).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(path: &str, content: &str) -> OwnTests {
        OwnTests::of_files(&[ReproductionFile {
            path: path.into(),
            content: content.to_owned(),
        }])
    }

    #[test]
    fn what_may_skip_itself_is_known_by_its_words() {
        for skips in [
            "@pytest.mark.skipif(not hasattr(c, 'f'), reason='')",
            "pytest.importorskip('x')",
            "    t.SkipNow()",
            "@Disabled",
            "Assume.assumeTrue(x);",
            "#[ignore = \"later\"]",
        ] {
            assert!(own("a", skips).may_skip, "{skips}");
        }
        assert!(!own("a", "def test_a():\n    assert f(1) == 2\n").may_skip);
    }

    #[test]
    fn another_test_of_the_folder_is_no_word_of_the_judge_s() {
        let go = own(
            "page/exact_test.go",
            "package page\n\nfunc TestExact(t *testing.T) {\n}\n",
        );
        let pytest = own("tests/test_exact.py", "def test_exact():\n    pass\n");
        let others = |name: &str| FailedTests::Others(name.to_owned());
        for (tests, output, told) in [
            (
                &go,
                "--- FAIL: TestOther (0.00s)\n    a_test.go:3: no\nFAIL\n",
                others("TestOther"),
            ),
            (
                &go,
                "--- FAIL: TestOther (0.00s)\n--- FAIL: TestExact (0.00s)\n",
                FailedTests::Own,
            ),
            (
                &go,
                "--- FAIL: TestExact (0.00s)\n    --- FAIL: TestExact/zero\n",
                FailedTests::Own,
            ),
            (
                &go,
                "--- FAIL: TestExactly (0.00s)\n",
                others("TestExactly"),
            ),
            (&go, "exit status 1\nFAIL\tpage\t0.01s\n", FailedTests::Own),
            (
                &go,
                "--- FAIL: TestOther (0.00s)\npanic: no [recovered]\n",
                FailedTests::Unknown("TestOther".to_owned()),
            ),
            (
                &pytest,
                "FAILED tests/test_other.py::test_b - assert 1 == 2\n1 failed\n",
                others("tests/test_other.py"),
            ),
            (
                &pytest,
                "FAILED tests/test_exact.py::test_exact - no\n",
                FailedTests::Own,
            ),
            (
                &pytest,
                "FAILED tests/test_other.py::test_b - no\nERROR tests/test_exact.py::test_exact - no\n",
                FailedTests::Unknown("tests/test_other.py".to_owned()),
            ),
            (&pytest, "1 failed in 0.1s\n", FailedTests::Own),
        ] {
            assert_eq!(tests.failed_in(output, false), told, "{output}");
        }
        let cut = go.failed_in("--- FAIL: TestOther (0.00s)\n", true);
        assert_eq!(cut, FailedTests::Unknown("TestOther".to_owned()));
    }
}
