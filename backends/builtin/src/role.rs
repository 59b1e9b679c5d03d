//! What part a file plays, by its path.

use crate::language::Language;

/// What part a file plays: rules about production code leave the others alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileRole {
    /// Everything that is none of the others.
    Production,
    /// Tests, their helpers and their data.
    Test,
    /// Examples, samples, benchmarks, fuzzers, and code inside documentation.
    Example,
    Docs,
    /// Written by a program, or somebody else's.
    Foreign,
}

const TEST_WORDS: [&str; 9] = [
    "test",
    "tests",
    "testing",
    "testsuite",
    "testdata",
    "fixture",
    "fixtures",
    "mock",
    "mocks",
];
const TEST_FOLDERS: [&str; 8] = [
    "spec",
    "specs",
    "__tests__",
    "__mocks__",
    "e2e",
    "snapshots",
    "cypress",
    "conformance",
];
const EXAMPLE_FOLDERS: [&str; 14] = [
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "fuzz",
    "tutorial",
    "tutorials",
    "playground",
];
/// What a package may be called as well.
const SINGLE_EXAMPLES: [&str; 6] = [
    "example",
    "sample",
    "demo",
    "benchmark",
    "tutorial",
    "playground",
];
const DOCS_FOLDERS: [&str; 3] = ["doc", "docs", "documentation"];
const FOREIGN_FOLDERS: [&str; 9] = [
    "vendor",
    "deps",
    "vendored",
    "third_party",
    "third-party",
    "node_modules",
    "generated",
    "dist",
    "bower_components",
];

impl FileRole {
    /// The role of a path written in `language`.
    pub(crate) fn from_path(path: &str, language: Language) -> Self {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folders: Vec<String> = folders.split('/').map(str::to_ascii_lowercase).collect();
        let folders: Vec<&str> = telling_folders(&folders).map(|(_, name)| name).collect();
        let within = |names: &[&str]| folders.iter().any(|folder| names.contains(folder));
        if within(&FOREIGN_FOLDERS) || is_generated(name, language) {
            Self::Foreign
        } else if folders.iter().any(|f| is_test_folder(f)) || is_test_file(name, language) {
            Self::Test
        } else if within(&EXAMPLE_FOLDERS) || is_benchmark(name) {
            Self::Example
        } else if language == Language::Prose {
            Self::Docs
        } else if within(&DOCS_FOLDERS) {
            Self::Example
        } else {
            Self::Production
        }
    }
}

/// Which folders say what a file is for, in words.
#[cfg(test)]
pub(crate) fn describe_folders() -> String {
    let named = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    format!(
        "What a file is for follows from its path, mostly from its folders. Code of others: {}. Tests: a folder with one of \
         the words {} in its name, or {}. Examples: {}, and code in {}. The files of all other folders are production, \
         unless their own names say otherwise (`a_test.go`, `b.min.js`). Folders below a source root say nothing: `src/main/java`, \
         `src/main/webapp` and the like, `Sources`, `com/example`, and {} right below `src`.",
        named(&FOREIGN_FOLDERS),
        named(&TEST_WORDS),
        named(&TEST_FOLDERS),
        named(&EXAMPLE_FOLDERS),
        named(&DOCS_FOLDERS),
        named(&SINGLE_EXAMPLES),
    )
}

/// Where forges look for workflows: Gitea and Forgejo run those of GitHub as well, in the same language.
const WORKFLOW_FOLDERS: [&str; 3] = [
    ".github/workflows",
    ".gitea/workflows",
    ".forgejo/workflows",
];

/// Whether a path is that of a workflow, or of an action's description.
pub(crate) fn is_workflow(path: &str, language: Language) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_of = |place: &str| {
        let above = folder.strip_suffix(place);
        above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
    };
    let workflow = WORKFLOW_FOLDERS.into_iter().any(is_of);
    language == Language::Yaml && (workflow || matches!(name, "action.yml" | "action.yaml"))
}

/// The folder that says of a path that tests or examples lie under it. Names of files, which cost nothing to choose,
/// say nothing here.
pub(crate) fn sample_folder(path: &str) -> Option<&str> {
    sample_root(path)?.rsplit('/').next()
}

/// The same with the folders that it lies in.
pub(crate) fn sample_root(path: &str) -> Option<&str> {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let lower: Vec<String> = folders.split('/').map(str::to_ascii_lowercase).collect();
    let is_sample = |folder: &str| is_test_folder(folder) || EXAMPLE_FOLDERS.contains(&folder);
    let (at, _) = telling_folders(&lower).find(|(_, folder)| is_sample(folder))?;
    let length: usize = folders
        .split('/')
        .take(at + 1)
        .map(|folder| folder.len() + 1)
        .sum();
    Some(&folders[..length - 1])
}

/// The folders that say what a file is for, with their places. Below a source root (`src/main/java`, `Sources`), and from
/// a reversed domain on (`com/example/demo`), folders spell the name of a package; so does the one below `src` that is
/// called like a single example (`src/demo`).
fn telling_folders(folders: &[String]) -> impl Iterator<Item = (usize, &str)> {
    const LANGUAGES: [&str; 6] = ["java", "kotlin", "scala", "groovy", "clojure", "resources"];
    const DOMAINS: [&str; 8] = ["com", "org", "net", "io", "dev", "edu", "de", "eu"];
    let is_root = |three: &[String]| {
        three[0] == "src" && (three[1] == "main" || LANGUAGES.contains(&three[2].as_str()))
    };
    let root = folders.windows(3).position(is_root).map(|at| at + 3);
    let swift = folders
        .iter()
        .position(|folder| folder == "sources")
        .map(|at| at + 1);
    let domain = folders
        .windows(2)
        .position(|two| DOMAINS.contains(&two[0].as_str()) && two[1] == "example");
    let end = root.or(swift).or(domain).unwrap_or(folders.len());
    let is_package = |at: &usize| {
        let is_below = *at > 0 && folders[at - 1] == "src";
        is_below && SINGLE_EXAMPLES.contains(&folders[*at].as_str())
    };
    let telling = (0..end).filter(move |at| !is_package(at));
    telling.map(|at| (at, folders[at].as_str()))
}

fn is_test_folder(folder: &str) -> bool {
    TEST_FOLDERS.contains(&folder)
        || folder
            .split(['-', '_', '.'])
            .any(|word| TEST_WORDS.contains(&word))
}

fn is_generated(name: &str, language: Language) -> bool {
    const PACKED_MARKS: [&str; 2] = [".min.", ".bundle."];
    const MARKS: [&str; 6] = [
        ".pb.",
        "_pb2.",
        "_pb2_grpc.",
        ".generated.",
        "_generated.",
        ".g.dart",
    ];
    // Nobody packs other languages: there it is only a name.
    let packed = matches!(
        language,
        Language::Script | Language::Css | Language::Unknown
    ) && PACKED_MARKS.iter().any(|mark| name.contains(mark));
    packed || MARKS.iter().any(|mark| name.contains(mark))
}

fn is_benchmark(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    ["Benchmark", "Benchmarks", "_bench", "_benchmark", "Perf"]
        .iter()
        .any(|end| stem.ends_with(end))
}

fn is_test_file(name: &str, language: Language) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let dotted = [".test.", ".spec.", ".snap", ".cy."]
        .iter()
        .any(|mark| name.contains(mark));
    let lower = stem.to_ascii_lowercase();
    let by_name =
        lower.starts_with("test_") || lower.ends_with("_test") || lower.ends_with("_tests");
    let exact = matches!(
        lower.as_str(),
        "tests" | "conftest" | "test_helper" | "spec_helper"
    );
    let camel = match language {
        Language::Java
        | Language::Kotlin
        | Language::CSharp
        | Language::Swift
        | Language::Scala
        | Language::Php => ["Test", "Tests", "TestCase", "Spec", "IT"]
            .iter()
            .any(|end| stem.ends_with(end)),
        Language::Ruby => lower.ends_with("_spec"),
        _ => false,
    };
    dotted || exact || camel || (by_name && language.is_code())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(path: &str) -> FileRole {
        FileRole::from_path(path, Language::from_path(path))
    }

    /// What is said of folders is what the rules go by.
    #[test]
    fn every_folder_that_is_named_has_the_role_that_is_said_of_it() {
        let told = describe_folders();
        let parts: Vec<&str> = told.split(". ").collect();
        for (at, expected) in [
            (1, FileRole::Foreign),
            (2, FileRole::Test),
            (3, FileRole::Example),
        ] {
            let names: Vec<&str> = parts[at].split('`').skip(1).step_by(2).collect();
            assert!(names.len() > 8, "{}", parts[at]);
            for name in names {
                assert_eq!(role(&format!("{name}/a.rs")), expected, "{name}");
            }
        }
    }

    #[test]
    fn tests_are_known_by_folder_and_by_name() {
        for path in [
            "tests/testsuite/build.rs",
            "crates/cargo-test-support/src/lib.rs",
            "pkg/a_test.go",
            "src/app.test.tsx",
            "src/tests.rs",
            "app/src/test/java/A.java",
            "lib/OrderServiceTest.kt",
            "spec/a_spec.rb",
            "tests/data/sherlock.txt",
        ] {
            assert_eq!(role(path), FileRole::Test, "{path}");
        }
    }

    #[test]
    fn only_a_folder_makes_a_sample() {
        assert_eq!(sample_folder("a/Tests/key.pem"), Some("Tests"));
        assert_eq!(sample_folder("examples/tls/key.pem"), Some("examples"));
        assert_eq!(sample_folder("src/examples/key.pem"), Some("examples"));
        assert_eq!(sample_folder("src/demo/tests/key.pem"), Some("tests"));
        assert_eq!(sample_folder("src/test/webapp/key.pem"), Some("test"));
        for path in [
            "id_rsa.txt",
            "docs/id.md",
            "a_test.go",
            "src/main/java/com/example/id.pem",
            "src/main/webapp/demo/id.pem",
            "src/main/proto/example/v1/id.pem",
            "src/main/res/demo/id.pem",
            "Sources/Example/id.pem",
            "src/demo/id.pem",
        ] {
            assert_eq!(sample_folder(path), None, "{path}");
        }
    }

    #[test]
    fn production_code_is_not_mistaken_for_something_else() {
        for path in [
            "src/cargo/core/package_id_spec.rs",
            "src/latest.rs",
            "src/contest/a.py",
            "a/Audit.java",
        ] {
            assert_eq!(role(path), FileRole::Production, "{path}");
        }
        assert_eq!(
            role("src/main/java/com/example/demo/Orders.java"),
            FileRole::Production
        );
        assert_eq!(role("app/com/example/Orders.java"), FileRole::Production);
        assert_eq!(role("src/test/java/com/acme/A.java"), FileRole::Test);
        assert_eq!(role("example/src/main/java/A.java"), FileRole::Example);
        assert_eq!(role("src/a.min.py"), FileRole::Production);
        assert_eq!(role("src/a.min.js"), FileRole::Foreign);
        assert_eq!(role("docs/guide.md"), FileRole::Docs);
        assert_eq!(role("docs/conf.py"), FileRole::Example);
        assert_eq!(role("web/vendor/jquery.js"), FileRole::Foreign);
        assert_eq!(role("api/v1/service.pb.go"), FileRole::Foreign);
    }
}
