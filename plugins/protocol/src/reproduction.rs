//! A test that shows a finding, or that shows that there is nothing in it. A judge writes the files; which command runs
//! them is the user's to say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Finding, RepoPath};

/// The most files of one reproduction.
pub const MAX_REPRODUCTION_FILES: usize = 3;

/// The most bytes of all of its files together.
pub const MAX_REPRODUCTION_BYTES: usize = 64 << 10;

/// The most reproductions of one answer that are taken.
pub const MAX_REPRODUCTIONS: usize = 4;

/// What a test is brought for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ReproductionClaim {
    /// It passes before the change and fails after it: the finding is real.
    Defect,
    /// It passes after the change, though the finding says otherwise.
    NoDefect,
}

/// A new file of a reproduction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReproductionFile {
    /// Where it is put: a path in the repository at which there is nothing.
    pub path: RepoPath,
    /// The whole file.
    pub content: String,
}

/// A test about one finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reproduction {
    /// The finding: the id under which it was shown (`A1`), or the number of a finding of one's own, from 1.
    pub finding: String,
    /// What it is brought for.
    pub shows: ReproductionClaim,
    /// Which of the offered commands runs it, by name.
    pub suite: String,
    /// The files; the command is given the first one.
    pub files: Vec<ReproductionFile>,
}

/// A command that the user lets run reproductions, as judges are told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestSuite {
    /// The name by which judges choose it.
    pub name: String,
    /// The command as it is written; `{file}` stands for the first file, `{dir}` for its folder, `{name}` for its name
    /// without folder and ending.
    pub command: String,
}

impl Reproduction {
    /// Why it cannot be run, whatever stands in the repository; none: it can.
    pub fn fault(&self) -> Option<String> {
        if self.files.is_empty() {
            return Some("it has no file".to_owned());
        }
        if self.files.len() > MAX_REPRODUCTION_FILES {
            return Some(format!(
                "it has {} files, {MAX_REPRODUCTION_FILES} are allowed",
                self.files.len()
            ));
        }
        let bytes: usize = self.files.iter().map(|file| file.content.len()).sum();
        if bytes > MAX_REPRODUCTION_BYTES {
            return Some(format!(
                "its files have {bytes} bytes, {MAX_REPRODUCTION_BYTES} are allowed"
            ));
        }
        let odd = self.files.iter().find(|file| !is_plain_path(&file.path));
        if let Some(file) = odd {
            return Some(format!(
                "`{}` is not a plain path in the repository (letters, digits, `_`, `-`, `.` and `/`; no name begins \
                 with `.` or `-`)",
                file.path.display()
            ));
        }
        let mut paths: Vec<String> = self.files.iter().map(|f| folded(&f.path)).collect();
        paths.sort_unstable();
        let clash = |pair: &[String]| is_above(&pair[0], &pair[1]);
        let clashes = paths.windows(2).any(clash);
        clashes.then(|| "two of its files have one path".to_owned())
    }

    /// Whether the files name what the finding is about: a word of the lines that it quotes, or its file, or the module
    /// that the file is. A test that does none of that shows nothing of it.
    pub fn names_place_of(&self, finding: &Finding) -> bool {
        let path = finding.location.path.display();
        let name = path.rsplit('/').next().unwrap_or_default();
        let words: Vec<&str> = words_of(&finding.quote).filter(|w| is_telling(w)).collect();
        let modules = modules_of(&path);
        let mut files = self.files.iter();
        files.any(|file| {
            let names_file = !name.is_empty() && file.content.contains(name);
            names_file
                || words_of(&file.content).any(|word| words.contains(&word))
                || modules
                    .iter()
                    .any(|module| names_module(&file.content, module))
        })
    }
}

/// Whether a word may tell one piece of code from others: `add` does, `def` stands everywhere.
fn is_telling(word: &str) -> bool {
    const EVERYWHERE: [&str; 20] = [
        "and", "any", "def", "del", "end", "for", "fun", "int", "let", "mod", "mut", "new", "nil",
        "not", "out", "pub", "str", "try", "use", "var",
    ];
    word.len() > 2 && !EVERYWHERE.contains(&word)
}

/// The names by which other code speaks of a file: its own without its ending, and that of its folder where the file
/// stands for the folder (`pkg/__init__.py`) or is a part of it (Go).
fn modules_of(path: &str) -> Vec<&str> {
    const OF_FOLDER: [&str; 6] = ["__init__", "__main__", "index", "mod", "lib", "main"];
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or_default();
    let is_of_folder = OF_FOLDER.contains(&stem) || name.ends_with(".go");
    let folder = folder.rsplit('/').next().filter(|_| is_of_folder);
    let names = std::iter::once(stem).chain(folder);
    names.filter(|name| !name.is_empty()).collect()
}

/// Whether a text names a module. A long name is one wherever it stands; a short one (`db`, `io`), which may stand for
/// anything, only where a line loads it or reaches into it: `import db`, `require("./db")`, `db.save()`, `io::read`.
fn names_module(text: &str, module: &str) -> bool {
    const LOADS: [&str; 10] = [
        "import",
        "from",
        "require",
        "require_relative",
        "use",
        "using",
        "mod",
        "include",
        "load",
        "source",
    ];
    if is_telling(module) {
        return words_of(text).any(|word| word == module);
    }
    text.lines().any(|line| {
        let loads = words_of(line).any(|word| LOADS.contains(&word));
        let mut places = line.match_indices(module);
        places.any(|(at, _)| {
            let (before, behind) = (&line[..at], &line[at + module.len()..]);
            let is_word = !before.ends_with(is_of_word) && !behind.starts_with(is_of_word);
            let reaches_in = [".", "::", "->"]
                .iter()
                .any(|sign| behind.starts_with(sign));
            is_word && (loads || reaches_in && !before.ends_with('.'))
        })
    })
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_of_word(c))
}

/// A path as a file system without case sees it.
fn folded(path: &RepoPath) -> String {
    path.display().to_ascii_lowercase()
}

/// Whether a path is another one, or a folder on the way to it.
fn is_above(path: &str, other: &str) -> bool {
    other
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a path is one that can be put into any command: nothing that a shell, a tool or a file system reads otherwise.
fn is_plain_path(path: &RepoPath) -> bool {
    let Ok(text) = std::str::from_utf8(path.as_bytes()) else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    text.len() <= 200
        && text.split('/').all(|part| {
            !part.is_empty() && !part.starts_with(['.', '-']) && part.chars().all(plain)
        })
}

/// Whether a path of a reproduction is free in a tree with these paths: there is nothing there, nothing below it, and no
/// file on the way to it.
pub fn is_free_path<'a>(path: &RepoPath, mut present: impl Iterator<Item = &'a RepoPath>) -> bool {
    let wanted = folded(path);
    !present.any(|there| {
        let there = folded(there);
        is_above(&there, &wanted) || is_above(&wanted, &there)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a test with this text names a finding at this file.
    fn names(path: &str, quote: &str, test: &str) -> bool {
        let finding: Finding = serde_json::from_value(serde_json::json!({
            "severity": "critical", "category": "logic", "description": "d", "location": {"path": path, "line": 1},
            "quote": quote, "why": "w", "fix": "f"
        }))
        .unwrap();
        let mut reproduction = with_paths(&["test_new"]);
        reproduction.files[0].content = test.to_owned();
        reproduction.names_place_of(&finding)
    }

    /// However short the name of a module is, a test that loads it or reaches into it names it.
    #[test]
    fn a_module_is_named_whatever_its_length() {
        for module in ["a", "db", "io", "x1", "é", "log", "mod", "shop", "a_b"] {
            for (path, test) in [
                ("%.py", "import %\n"),
                ("%.py", "from % import f\n"),
                ("src/%.py", "from src.% import f as g\n"),
                ("%.py", "assert %.f(1) == 2"),
                ("%.js", "const { f } = require('./%');"),
                ("lib/%.js", "import { f } from '../lib/%';"),
                ("src/%.rs", "use crate::%::f;"),
                ("src/%.rs", "assert_eq!(%::f(), 1)"),
                ("%/store.go", "if %.F() != nil {"),
                ("%/__init__.py", "import %"),
                ("lib/%/index.ts", "import f from '../lib/%';"),
                ("%.sh", "source ./%.sh"),
            ] {
                let (path, test) = (path.replace('%', module), test.replace('%', module));
                assert!(names(&path, "x = 1", &test), "{path}: {test}");
                // The same test says nothing of another module.
                assert!(
                    !names(&path.replace(module, "zq"), "x = 1", &test),
                    "{path}: {test}"
                );
            }
        }
        for test in [
            "assert True",
            "x.db.save()",
            "db = 1",
            "import dbx",
            "import adb",
            "ab.db()",
        ] {
            assert!(!names("db.py", "x = 1", test), "{test}");
        }
    }

    fn with_paths(paths: &[&str]) -> Reproduction {
        let file = |path: &&str| ReproductionFile {
            path: (*path).into(),
            content: "x".to_owned(),
        };
        Reproduction {
            finding: "1".to_owned(),
            shows: ReproductionClaim::Defect,
            suite: "run".to_owned(),
            files: paths.iter().map(file).collect(),
        }
    }

    #[test]
    fn only_plain_paths_of_the_tree_are_taken() {
        for good in ["test_a.py", "tests/unit/test-a.py", "pkg/a_test.go"] {
            assert_eq!(with_paths(&[good]).fault(), None, "{good}");
        }
        for bad in [
            "",
            "/etc/x",
            "../x",
            "a/../b",
            "./x",
            "a//b",
            ".git/hooks/x",
            "a/.git/x",
            ".cargo/config.toml",
            "-x.py",
            "a/-rf",
            "a b.py",
            "a;b",
            "a\nb",
            "$(x)",
            "a\\b",
            "tést.py",
        ] {
            assert!(with_paths(&[bad]).fault().is_some(), "{bad:?}");
        }
    }

    #[test]
    fn it_is_bounded() {
        assert!(with_paths(&[]).fault().is_some());
        assert!(with_paths(&["a", "b", "c", "d"]).fault().is_some());
        assert!(with_paths(&["a.py", "A.py"]).fault().is_some());
        assert!(with_paths(&["a", "a/b"]).fault().is_some());
        let mut large = with_paths(&["a"]);
        large.files[0].content = "x".repeat(MAX_REPRODUCTION_BYTES + 1);
        assert!(large.fault().is_some());
    }

    #[test]
    fn it_replaces_nothing_of_the_tree() {
        let tree: Vec<RepoPath> = ["src/app.py", "tests/test_app.py"]
            .map(RepoPath::from)
            .into();
        let free = |path: &str| is_free_path(&path.into(), tree.iter());
        assert!(free("tests/test_new.py") && free("src/app.pyx"));
        for taken in [
            "src/app.py",
            "SRC/App.py",
            "src/app.py/x.py",
            "src",
            "tests",
        ] {
            assert!(!free(taken), "{taken}");
        }
    }
}
