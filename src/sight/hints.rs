//! Paths that a file names or that are named after it: what it imports, and its tests.

use std::collections::BTreeSet;

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::{imports, limits};
use crate::git::ReviewedTree;

/// The most paths that are looked up for what one file imports. They are counted apart from those of its tests: of these
/// there are more than 200, however few are there.
const MAX_IMPORTED: usize = 400;

/// How many lines of a file are read for imports.
const IMPORT_LINES: usize = 200;

/// The most bytes of a file that are read for imports.
const MAX_IMPORTING: usize = 512 << 10;

/// Where what files import may lie, and their tests, folders with a slash behind; whether they are there is not asked.
pub(super) fn paths_near(tree: &ReviewedTree, paths: &[RepoPath]) -> Vec<Vec<u8>> {
    let mut hints = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        let shown = path.display().into_owned();
        let text = limits::read_file(tree, path);
        let text = text.filter(|text| text.len() <= MAX_IMPORTING);
        let imported = text.map(|text| import_paths(&shown, &text));
        let imported = imported.into_iter().flatten().take(MAX_IMPORTED);
        let found = imported.chain(test_paths(&shown));
        let found = found.filter(|hint| is_tree_path(hint));
        hints.extend(found.filter(|hint| seen.insert(hint.clone())));
    }
    hints.into_iter().map(String::into_bytes).collect()
}

/// Whether a path is spelled as the tree spells its own: what is read from code may be any string (`return "/"`), and a file
/// under two names is shown twice, once where no judge can quote it.
fn is_tree_path(hint: &str) -> bool {
    let path = hint.strip_suffix('/').unwrap_or(hint);
    path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

pub(super) fn split_name(path: &str) -> (&str, &str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    (folder, stem, ending)
}

pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// Where tests of a file usually lie.
fn test_paths(path: &str) -> Vec<String> {
    let (folder, stem, ending) = split_name(path);
    let inner = folder.split_once('/').map_or("", |(_, inner)| inner);
    let names = [
        format!("{stem}_test.{ending}"),
        format!("test_{stem}.{ending}"),
        format!("{stem}.test.{ending}"),
        format!("{stem}.spec.{ending}"),
        format!("{stem}Test.{ending}"),
        format!("{stem}Tests.{ending}"),
        format!("{stem}.{ending}"),
        format!("{stem}_tests.{ending}"),
        format!("{stem}_unittest.{ending}"),
        format!("{stem}_internal_test.{ending}"),
        format!("Test{stem}.{ending}"),
        format!("{stem}IT.{ending}"),
        format!("{stem}/tests.{ending}"),
        format!("tests.{ending}"),
    ];
    let mut folders = vec![folder.to_owned()];
    folders.extend(
        ["tests", "test", "__tests__", "spec"]
            .iter()
            .flat_map(|tests| {
                [
                    join(folder, tests),
                    (*tests).to_owned(),
                    join(tests, inner),
                    join(tests, folder),
                ]
            }),
    );
    if folder.contains("src/main/") {
        folders.push(folder.replace("src/main/", "src/test/"));
    }
    folders
        .iter()
        .flat_map(|folder| {
            names
                .iter()
                .map(move |name| join(folder.trim_end_matches('/'), name))
        })
        .filter(|hint| hint != path)
        .collect()
}

/// Where the modules lie that a file imports.
fn import_paths(path: &str, text: &str) -> Vec<String> {
    let lines = text.lines().take(IMPORT_LINES);
    lines.flat_map(|line| paths_of_line(path, line)).collect()
}

/// Where the modules may lie that a line of a file imports; a folder with a slash behind.
fn paths_of_line(path: &str, line: &str) -> Vec<String> {
    let language = Language::from_path(path);
    let ((folder, ..), line) = (split_name(path), line.trim());
    match language {
        Language::Python => python_imports(folder, line),
        Language::Script => script_imports(folder, line),
        Language::Rust => rust_imports(folder, path, line),
        Language::Java | Language::Kotlin => java_imports(path, line),
        Language::C => c_includes(folder, line),
        Language::Go => go_imports(line),
        Language::Ruby => imports::ruby_requires(folder, line),
        Language::Css => imports::style_imports(folder, line),
        _ => Vec::new(),
    }
}

/// The lines of a file that import something, from 1, with where it may lie.
pub(super) fn import_lines(path: &str, lines: &[&str]) -> Vec<(u32, Vec<String>)> {
    let lines = lines.iter().take(IMPORT_LINES).zip(1..);
    let imported = lines.map(|(line, number)| (number, paths_of_line(path, line)));
    imported.filter(|(_, paths)| !paths.is_empty()).collect()
}

/// The lines of a file on which names are imported, those of statements over several lines among them, from 1.
pub(super) fn importing_lines(language: Language, lines: &[&str]) -> BTreeSet<u32> {
    const BEGINS: [&str; 7] = [
        "import ",
        "from ",
        "use ",
        "pub use ",
        "pub(crate) use ",
        "export {",
        "#include",
    ];
    let balance = |line: &str| {
        let count = |signs: [char; 2]| line.chars().filter(|c| signs.contains(c)).count();
        (count(['(', '{']), count([')', '}']))
    };
    let (mut found, mut open) = (BTreeSet::new(), 0);
    for (line, number) in lines.iter().zip(1..) {
        if line.trim().is_empty() {
            open = 0;
        }
        let begins = BEGINS.iter().any(|begin| line.starts_with(begin));
        let is_one = begins || open > 0 || line.contains("require(");
        if is_one && language.is_code() {
            found.insert(number);
            let (opened, closed) = balance(line);
            open = (open + opened).saturating_sub(closed);
        }
    }
    found
}

/// Whether a line of a file imports `file`, or its folder where folders are what is imported; none: it imports nothing.
pub(super) fn imports_file(path: &str, line: &str, file: &str) -> Option<bool> {
    let paths = paths_of_line(path, line);
    (!paths.is_empty()).then(|| is_among(&paths, file))
}

/// Whether one of the paths that a line imports is a file's, or that of its folder.
pub(super) fn is_among(paths: &[String], file: &str) -> bool {
    let (folder, ..) = split_name(file);
    let is_it = |found: &String| match found.strip_suffix('/') {
        Some(found) => found == folder,
        // Where packages begin is not always known: `app.pool` may be `services/app/pool.py`.
        None => {
            let before = file.strip_suffix(found.as_str());
            let is_end = before.is_some_and(|before| before.ends_with('/'));
            found == file || (found.contains('/') && is_end)
        }
    };
    paths.iter().any(is_it)
}

fn python_imports(folder: &str, line: &str) -> Vec<String> {
    let words: Vec<&str> = line
        .split([' ', ',', '(', ')'])
        .filter(|word| !word.is_empty())
        .collect();
    let (module, names) = match words.as_slice() {
        ["from", module, "import", names @ ..] => (*module, names),
        ["import", module, ..] => (*module, &[][..]),
        _ => return Vec::new(),
    };
    let dots = module.bytes().take_while(|&b| b == b'.').count();
    let rest = module[dots..].replace('.', "/");
    let mut roots = vec![String::new(), "src".to_owned(), "lib".to_owned()];
    if dots > 0 {
        let up = (1..dots).fold(folder, |at, _| split_name(at).0);
        roots = vec![up.to_owned()];
    }
    let mut found = Vec::new();
    for root in roots {
        let base = join(&root, &rest).trim_end_matches('/').to_owned();
        found.push(format!("{base}.py"));
        found.push(format!("{base}/__init__.py"));
        found.extend(names.iter().map(|name| format!("{base}/{name}.py")));
    }
    found
}

fn script_imports(folder: &str, line: &str) -> Vec<String> {
    if !line.contains("import") && !line.contains("require") && !line.contains("from") {
        return Vec::new();
    }
    let quoted = line.split(['"', '\'', '`']).skip(1).step_by(2);
    let mut found = Vec::new();
    let bases = quoted.flat_map(|target| match target {
        target if target.starts_with('.') => vec![normalize(&join(folder, target))],
        // What these stand for is usually the folder of the sources.
        target if target.starts_with("@/") || target.starts_with("~/") => {
            let inner = normalize(&target[2..]);
            ["src", "app", ""].map(|root| join(root, &inner)).to_vec()
        }
        _ => Vec::new(),
    });
    for base in bases {
        found.push(base.clone());
        for ending in ["ts", "tsx", "js", "jsx", "mjs", "cjs"] {
            found.push(format!("{base}.{ending}"));
            found.push(format!("{base}/index.{ending}"));
        }
        if let Some(stem) = base.strip_suffix(".js") {
            found.push(format!("{stem}.ts"));
        }
    }
    found
}

fn rust_imports(folder: &str, path: &str, line: &str) -> Vec<String> {
    let line = line.split("//").next().unwrap_or(line).trim_end();
    let line = match line.strip_prefix("#[") {
        Some(attribute) => attribute
            .rsplit_once(']')
            .map_or(line, |(_, rest)| rest.trim_start()),
        None => line,
    };
    let rest = line
        .trim_start_matches("pub ")
        .trim_start_matches("pub(crate) ");
    if let Some(name) = rest
        .strip_prefix("mod ")
        .and_then(|rest| rest.strip_suffix(';'))
    {
        let (_, stem, _) = split_name(path);
        let inner = join(folder, stem);
        return [folder, inner.as_str()]
            .iter()
            .flat_map(|at| {
                [
                    join(at, &format!("{name}.rs")),
                    join(at, &format!("{name}/mod.rs")),
                ]
            })
            .collect();
    }
    let Some(used) = rest.strip_prefix("use ") else {
        return Vec::new();
    };
    let Some((common, group)) = used.split_once('{') else {
        return rust_modules(folder, path, used);
    };
    let inner = group.split([',', '{', '}']);
    let whole = inner.map(|one| format!("{common}{}", one.trim()));
    whole
        .flat_map(|one| rust_modules(folder, path, &one))
        .collect()
}

/// Where the modules of one path of names may lie.
fn rust_modules(folder: &str, path: &str, used: &str) -> Vec<String> {
    let parts: Vec<&str> = used
        .split([';', ' '])
        .next()
        .unwrap_or_default()
        .split("::")
        .filter(|part| !part.is_empty())
        .collect();
    let root = match parts.first() {
        Some(&"crate") => path
            .split_once("src/")
            .map_or("src".to_owned(), |(before, _)| format!("{before}src")),
        Some(&"super") => split_name(folder).0.to_owned(),
        Some(&"self") => folder.to_owned(),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    // `crate::name`: what the root of the crate defines, or hands on.
    if parts.len() == 2 {
        let roots = ["lib.rs", "main.rs", "mod.rs"];
        found.extend(roots.map(|name| join(&root, name)));
    }
    for end in 2..=parts.len() {
        let base = join(&root, &parts[1..end].join("/"));
        found.push(format!("{base}.rs"));
        found.push(format!("{base}/mod.rs"));
        found.push(join(folder, &format!("{}.rs", parts[1..end].join("/"))));
    }
    found
}

fn java_imports(path: &str, line: &str) -> Vec<String> {
    let Some(name) = line
        .strip_prefix("import ")
        .map(|rest| rest.trim_start_matches("static "))
    else {
        return Vec::new();
    };
    let parts: Vec<&str> = name.trim_end_matches(';').split('.').collect();
    let Some(top) = parts.first() else {
        return Vec::new();
    };
    // The file's own path tells where packages begin.
    let Some(at) = path.find(&format!("{top}/")) else {
        return Vec::new();
    };
    let (_, _, ending) = split_name(path);
    (2..=parts.len())
        .map(|end| format!("{}{}.{ending}", &path[..at], parts[..end].join("/")))
        .collect()
}

/// A package is a folder; how much of its name is the module's is not known here, so every end of it is tried.
fn go_imports(line: &str) -> Vec<String> {
    let mut words = line.trim_start_matches("import ").split_whitespace();
    let Some(name) = words
        .next_back()
        .and_then(|word| word.strip_prefix('"')?.strip_suffix('"'))
    else {
        return Vec::new();
    };
    let ends = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
    let whole = name.contains('/').then_some(name);
    whole
        .into_iter()
        .chain(ends)
        .map(|end| format!("{end}/"))
        .collect()
}

fn c_includes(folder: &str, line: &str) -> Vec<String> {
    let Some(name) = line
        .strip_prefix("#include")
        .and_then(|rest| rest.split('"').nth(1))
    else {
        return Vec::new();
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut found = Vec::new();
    for root in [folder, "include", "src", ""] {
        found.push(normalize(&join(root, name)));
        found.push(normalize(&join(root, &format!("{stem}.c"))));
    }
    found
}

/// A path without `.` and `..`; what would leave the tree stays at its top.
pub(super) fn normalize(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_lead_to_paths_of_the_tree() {
        for (path, line, hint) in [
            (
                "app/api/views.py",
                "from app.store.pool import Pool",
                "app/store/pool.py",
            ),
            (
                "app/api/views.py",
                "from .models import User",
                "app/api/models.py",
            ),
            (
                "web/src/a.ts",
                "import { x } from '../lib/x'",
                "web/lib/x.ts",
            ),
            (
                "src/run/a.rs",
                "use crate::git::change::{A, B};",
                "src/git/change.rs",
            ),
            (
                "src/main/java/com/x/A.java",
                "import com.x.db.Pool;",
                "src/main/java/com/x/db/Pool.java",
            ),
            (
                "cmd/x/main.go",
                "\"example.com/m/internal/db\"",
                "internal/db/",
            ),
            ("src/a.c", "#include \"list.h\"", "src/list.c"),
            ("lib/u.rb", "require_relative 'db'", "lib/db.rb"),
            ("lib/u.rb", "require_relative '../app/db'", "app/db.rb"),
            ("u.rb", "require \"app/db\"", "lib/app/db.rb"),
            ("css/main.scss", "@use 'vars';", "css/_vars.scss"),
            (
                "css/main.scss",
                "@use '../theme/vars' as v;",
                "theme/_vars.scss",
            ),
            ("css/main.css", "@import \"a.css\";", "css/a.css"),
            ("src/u.ts", "import { a } from '@/db';", "src/db.ts"),
        ] {
            let found = import_paths(path, line);
            assert!(found.iter().any(|found| found == hint), "{line}: {found:?}");
        }
    }

    mod laws {
        use proptest::prelude::*;

        use super::*;

        proptest! {
            #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

            /// Whatever stands in the code, what is looked up is a path as trees have them.
            #[test]
            fn no_string_of_the_code_becomes_another_name_of_a_file(
                ending in prop::sample::select(&["go", "py", "rs", "ts", "java", "c"][..]),
                folder in prop::sample::select(&["", "src/", "a/b/"][..]),
                line in "(import |from |use |#include |return |\\t)?[\"'./:a-z ]{0,16}[\"';]?",
            ) {
                let path = format!("{folder}x.{ending}");
                let found = import_paths(&path, &line).into_iter().filter(|hint| is_tree_path(hint));
                for hint in found {
                    prop_assert!(!hint.starts_with('/') && !hint.contains("//"), "{:?} {}", hint, line);
                }
            }
        }
    }

    #[test]
    fn tests_lie_beside_a_file_or_in_a_folder_of_their_own() {
        let tests = |path: &str| test_paths(path);
        assert!(tests("pkg/pool.go").contains(&"pkg/pool_test.go".to_owned()));
        assert!(tests("src/app/pool.py").contains(&"tests/app/test_pool.py".to_owned()));
        let java = tests("src/main/java/com/x/A.java");
        assert!(java.contains(&"src/test/java/com/x/ATest.java".to_owned()));
    }
}
