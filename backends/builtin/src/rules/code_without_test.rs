//! `code-without-test`: a good deal of new code, and no test that changes with it.

use council_protocol::Side;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "code-without-test",
        perspective: TESTS,
        category: "missing-tests",
        severity: Minor,
        summary: "new code in a tested file, without a change to the tests",
        why: "No test will fail when a later change breaks this code.\n\
              The rule ignores files that had no tests \
              before.",
        fix: "Add a test for the new behaviour, or say where it is already tested.",
        examples: &[],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[],
    claims: &[
        "without test",
        "no test",
        "untested",
        "missing test",
        "test coverage",
    ],
    check: RuleCheck::Change(check_change),
};

/// Lines of new code, net of removed ones, from which on a test is missed.
const ENOUGH: usize = 30;

fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    let tested = |file: &FileView<'_>| file.role == FileRole::Test && !file.lines.is_empty();
    if change.files.iter().any(tested) {
        return;
    }
    let files: Vec<&FileView<'_>> = change
        .files
        .iter()
        .filter(|file| wants_tests(file))
        .collect();
    // Counting lines as they stand is cheap; what is string or comment is asked only of changes that are large enough.
    if files
        .iter()
        .map(|file| net_code(change, file, |_| true))
        .sum::<usize>()
        < ENOUGH
    {
        return;
    }
    let code = |line: &LineView<'_, '_>| is_code(&line.code());
    let nets: Vec<usize> = files
        .iter()
        .map(|file| net_code(change, file, code))
        .collect();
    let total: usize = nets.iter().sum();
    let inline = |file: &&FileView<'_>| {
        let test = |line: LineView<'_, '_>| {
            line.in_test() || C_TEST.is_match(line.text()) || DOCUMENTED_TEST.is_match(line.text())
        };
        file.added_lines().any(test) || adds_run_example(file)
    };
    if total < ENOUGH || files.iter().any(inline) {
        return;
    }
    let Some((_, most)) = nets.iter().zip(&files).max_by_key(|(net, _)| **net) else {
        return;
    };
    if most.is_generated() || most.is_packed() {
        return;
    }
    let tests = match tests_beside(change, most) {
        TestsBeside::Inside => "and no test inside the file changes".to_owned(),
        TestsBeside::At(path) => format!("and `{path}` does not change with it"),
        TestsBeside::Unknown => "and no test changes with it".to_owned(),
        // Code that nobody tests is a habit, and no news of this change.
        TestsBeside::None => return,
    };
    let declares = most
        .added_lines()
        .find(|line| DECLARES.is_match(&line.code()));
    if let Some(line) = declares.or_else(|| most.added_lines().find(|line| is_code(&line.code()))) {
        hits.push(line.line_hit(format!(
            "The change adds about {total} lines of code, {tests}."
        )));
    }
}

pattern!(
    DECLARES,
    r"\b(?:fn|def|func|function|class|struct|enum|interface|impl)\s+\w|=>\s*\{|\)\s*\{\s*$"
);

fn wants_tests(file: &FileView<'_>) -> bool {
    const APART: [&str; 12] = [
        "scripts/",
        "script/",
        "tools/",
        "ci/",
        ".github/",
        "xtask/",
        "migrations/",
        "hack/",
        "contrib/",
        "bin/",
        "etc/",
        "locale/",
    ];
    const NAMES: [&str; 6] = [
        "build.rs",
        "setup.py",
        "conf.py",
        "noxfile.py",
        "manage.py",
        "Package.swift",
    ];
    let apart = APART
        .iter()
        .any(|folder| file.path.starts_with(folder) || file.path.contains(&format!("/{folder}")));
    let config = NAMES.contains(&file.file_name())
        || file.file_name().contains(".config.")
        || file.file_name().ends_with(".d.ts");
    file.role == FileRole::Production
        && file.language.is_code()
        && file.is_text()
        && !apart
        && !config
}

/// Added lines of code, moved ones aside, less removed ones.
fn net_code(
    change: &ChangeView<'_>,
    file: &FileView<'_>,
    also: impl Fn(&LineView<'_, '_>) -> bool,
) -> usize {
    let new = |line: &LineView<'_, '_>| {
        is_code(line.text()) && !change.removes_line(line.text()) && also(line)
    };
    let added = file.added_lines().filter(new).count();
    added.saturating_sub(
        file.removed_lines()
            .filter(|line| is_code(line.text))
            .count(),
    )
}

/// Whether a line does something: no comment, no import, no lone bracket.
fn is_code(text: &str) -> bool {
    const NOT: [&str; 12] = [
        "//", "#", "/*", "*", "use ", "import ", "from ", "package ", "mod ", "pub mod ",
        "pub use ", "\"\"\"",
    ];
    let text = text.trim();
    text.chars().filter(|c| c.is_alphanumeric()).count() > 2
        && !NOT.iter().any(|mark| text.starts_with(mark))
}

/// Names that many files have: a test of that name may be of another one.
const COMMON_NAMES: [&str; 16] = [
    "mod", "lib", "main", "index", "init", "__init__", "util", "utils", "types", "type", "client",
    "server", "helper", "helpers", "common", "base",
];

/// Where the tests of a file stand.
enum TestsBeside {
    Inside,
    At(String),
    None,
    /// The tree cannot be listed.
    Unknown,
}

/// The tests of a file: those inside it, or a test file that is named after it.
fn tests_beside(change: &ChangeView<'_>, file: &FileView<'_>) -> TestsBeside {
    let inside = |text: &str| text.contains("#[cfg(test)]") || text.contains("#[test]");
    if file.language == Language::Rust && file.text_before().is_some_and(inside) {
        return TestsBeside::Inside;
    }
    let Ok(Some(entries)) = change.blobs.entries(Side::New) else {
        return TestsBeside::Unknown;
    };
    let stem = stem_of(file.file_name());
    let common = COMMON_NAMES.contains(&stem.as_str());
    if stem.len() < 3 || common || file.change.old_mode == 0 {
        return TestsBeside::None;
    }
    let names_it = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let language = Language::from_path(path);
        let folder = path.strip_suffix(name).unwrap_or_default();
        // Beside the file, or in a folder that holds nothing but tests.
        let near = folder == file.folder_path()
            || FileRole::from_path(&format!("{folder}a.txt"), Language::Unknown) == FileRole::Test;
        // A test says so in its name; what else lies there is data.
        let marked = stem_of(name) != stem || name.split('.').count() > 2;
        near && marked
            && language == file.language
            && FileRole::from_path(path, language) == FileRole::Test
            && TEST_NAME.replace_all(name, "").to_lowercase() == stem
    };
    let paths = entries
        .iter()
        .map(|entry| entry.path.display().into_owned());
    paths
        .into_iter()
        .find(names_it)
        .map_or(TestsBeside::None, TestsBeside::At)
}

pattern!(
    /// What the name of a test file has beside the name of what it tests, and the ending.
    TEST_NAME,
    r"^(?:tests?_|Test)|(?:[._-](?:tests?|specs?)|Tests?|TestCase|Spec|IT)(?:\.\w+)*$|\.\w+$"
);

fn stem_of(name: &str) -> String {
    name.split('.').next().unwrap_or(name).to_lowercase()
}

/// Whether the change adds an example to a table that the file's own tests run.
fn adds_run_example(file: &FileView<'_>) -> bool {
    let adds = file.added_lines().any(|line| EXAMPLE.is_match(line.text()));
    let runs = |text: &str| {
        let mut lines = (1..).zip(text.lines());
        lines.any(|(number, line)| file.in_test(number) && RUN_EXAMPLES.is_match(line))
    };
    adds && file.text_after().is_some_and(runs)
}

pattern!(EXAMPLE, r"^\s*(?:vec!\[\s*)?(?:\w+::)?Example\s*[({]");
pattern!(RUN_EXAMPLES, r"\w*examples?\w*\(");
pattern!(
    /// Code in the documentation that the tests run: of Rust behind a fence, of Python behind `>>>`.
    DOCUMENTED_TEST,
    r"^\s*(?://[/!]\s*```(?:rust)?\s*$|>>> )"
);

pattern!(
    /// Tests that C keeps inside the file, behind a switch.
    C_TEST,
    r"^\s*#\s*if(?:def)?\b.*TEST|\bint\s+\w+Test\(int\s+argc"
);
