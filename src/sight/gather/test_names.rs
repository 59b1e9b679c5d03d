//! What tests of a file are called: `test_rates.py` and `RatesTest.java` test `rates`.

use std::collections::HashMap;

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::super::candidates::ChangedFile;
use super::super::relation;
use crate::prompt::is_test_path;

/// The changed files by what tests of them are called.
pub(super) struct TestNames<'a>(HashMap<String, Vec<&'a RepoPath>>);

impl<'a> TestNames<'a> {
    pub(super) fn of(files: &'a [ChangedFile<'a>]) -> Self {
        let mut names: HashMap<String, Vec<&RepoPath>> = HashMap::new();
        let paths = files.iter().map(ChangedFile::path);
        for path in paths.filter(|path| !is_test_path(&path.display())) {
            let stem = plain_stem(&path.display());
            let of_package = with_package(&path.display(), &stem);
            for name in [Some(stem), of_package].into_iter().flatten() {
                names.entry(name).or_default().push(path);
            }
        }
        names.remove("");
        Self(names)
    }

    /// The changed file that a file is the test of, by its name.
    pub(super) fn tested_by(&self, path: &RepoPath) -> Option<&'a RepoPath> {
        let shown = path.display();
        if self.0.is_empty() || !is_test_path(&shown) || is_helper_of_tests(&shown) {
            return None;
        }
        let tested = self.0.get(&plain_stem(&shown))?;
        let related = tested
            .iter()
            .filter(|file| relation::same_family(file, path));
        related.copied().find(|file| *file != path)
    }
}

/// Whether a file stands among tests and is none by its name, where names say that: `tests/utils.py`.
pub(super) fn is_helper_of_tests(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let says_test = matches!(stem, "test" | "tests" | "__init__")
        || stem.starts_with("test_")
        || stem.starts_with("Test")
        || stem.contains("_test")
        || stem.contains("_unittest")
        || stem.ends_with("_spec");
    Language::from_path(path) == Language::Python && !says_test
}

/// A file's name without its ending and without what says that it is a test, in small letters.
fn plain_stem(path: &str) -> String {
    // Every folder has one of these: the folder's name is theirs.
    const OF_FOLDER: [&str; 5] = ["index", "__init__", "mod", "main", "lib"];
    const ENDS: [&str; 17] = [
        "_internal_test",
        "_external_test",
        "_integration_test",
        "_unittests",
        "_unittest",
        "_tests",
        "_test",
        "_spec",
        "-tests",
        "-test",
        "-spec",
        "Tests",
        "TestCase",
        "Test",
        "Spec",
        "ITCase",
        "IT",
    ];
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    if OF_FOLDER.contains(&stem) || matches!(stem, "tests" | "test") {
        return plain(folder.rsplit('/').next().unwrap_or_default());
    }
    let rest = stem.strip_prefix("test_").unwrap_or(stem);
    // `TestRates.java`
    let rest = rest
        .strip_prefix("Test")
        .filter(|rest| rest.starts_with(char::is_uppercase))
        .unwrap_or(rest);
    let end = ENDS.iter().find_map(|end| rest.strip_suffix(end));
    plain(end.unwrap_or(rest))
}

/// `test_app_rates.py` tests `app/rates.py`.
fn with_package(path: &str, stem: &str) -> Option<String> {
    let (folder, _) = path.rsplit_once('/')?;
    let package = folder.rsplit('/').next()?;
    Some(format!("{}{stem}", plain(package)))
}

fn plain(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_called_like_what_it_tests() {
        for (path, test) in [
            ("app/rates.py", "tests/unit/test_rates.py"),
            ("go/pool.go", "go/pool_test.go"),
            ("src/calc.ts", "src/calc.test.ts"),
            ("src/calc.tsx", "src/__tests__/calc.spec.tsx"),
            ("src/main/java/x/Calc.java", "src/test/java/x/CalcTest.java"),
            ("src/calc.rs", "tests/calc.rs"),
            ("lib/rate_table.rb", "spec/rate_table_spec.rb"),
            ("src/pool/mod.rs", "tests/pool.rs"),
            ("src/pool/mod.rs", "src/pool/tests.rs"),
            ("src/pool.rs", "src/pool/tests.rs"),
            ("src/pool.cc", "src/pool_unittest.cc"),
            ("go/pool.go", "go/pool_internal_test.go"),
            ("src/main/java/x/Calc.java", "src/test/java/x/TestCalc.java"),
            ("src/main/java/x/Calc.java", "src/test/java/x/CalcIT.java"),
            ("src/calc.ts", "cypress/e2e/calc.cy.ts"),
        ] {
            assert_eq!(plain_stem(path), plain_stem(test), "{path}");
            assert!(is_test_path(test), "{test}");
            assert!(!is_helper_of_tests(test), "{test}");
        }
        for helper in [
            "tests/utils.py",
            "tests/compat.py",
            "app/tests/factories.py",
        ] {
            assert!(is_helper_of_tests(helper), "{helper}");
        }
        let package = with_package("app/rates.py", "rates");
        assert_eq!(package, Some(plain_stem("tests/test_app_rates.py")));
        assert_ne!(plain_stem("app/latest.py"), plain_stem("app/la.py"));
    }
}
