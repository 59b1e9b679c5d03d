//! Which lines and files tell something about behaviour.

use council_syntax::language::Language;
use council_syntax::lexer::Lexer;

use crate::prompt::is_test_path;

/// Folders of documents, examples and the settings of CI: what is mended in them is no defect of the product.
const BESIDE: [&str; 13] = [
    "doc",
    "docs",
    "documentation",
    "website",
    "example",
    "_examples",
    "samples",
    ".github",
    ".gitlab",
    ".circleci",
    ".buildkite",
    ".ci",
    "ci",
];

/// Whether a file stands beside the product. Below a folder of sources such a name is a module's.
fn is_beside_product(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let mut outside = folders
        .split('/')
        .take_while(|folder| !matches!(*folder, "src" | "lib"));
    outside.any(|folder| BESIDE.contains(&folder))
}

/// Whether a file holds code that is not a test.
pub(super) fn is_product_code(path: &str) -> bool {
    let vendored = ["vendor/", "node_modules/", "third_party/", "dist/"];
    let is_vendored = vendored
        .iter()
        .any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")));
    let is_code = Language::from_path(path).is_code();
    is_code && !is_test_path(path) && !is_vendored && !is_beside_product(path)
}

/// Whether a file holds tests.
pub(super) fn is_test_code(path: &str) -> bool {
    Language::from_path(path).is_code() && is_test_path(path)
}

const COMMENTS: [&str; 6] = ["//", "#", "/*", "*", "--", "\"\"\""];

/// Whether a line is none of a comment, and not empty: a bracket that is missing is a defect, too.
pub(super) fn is_code_line(line: &str) -> bool {
    let line = line.trim();
    let is_comment = COMMENTS.iter().any(|start| line.starts_with(start));
    !line.is_empty() && (!is_comment || line.starts_with("#include"))
}

/// Whether a line of code says more than punctuation, a comment or an import does.
pub(super) fn is_telling_line(line: &str) -> bool {
    const IMPORTS: [&str; 7] = [
        "import ", "from ", "use ", "using ", "package ", "#include", "require(",
    ];
    let line = line.trim();
    let letters = line.chars().filter(|c| c.is_alphanumeric()).count();
    letters >= 3
        && !COMMENTS.iter().any(|start| line.starts_with(start))
        && !IMPORTS.iter().any(|start| line.starts_with(start))
}

/// A line with a blank for each byte that is comment or literal.
pub(super) fn code_of(lexer: &mut Lexer, text: &str) -> String {
    let mut spans = Vec::new();
    lexer.lex_line(text, &mut spans);
    let mut bytes = text.as_bytes().to_vec();
    for span in spans {
        bytes[span.start..span.end].fill(b' ');
    }
    String::from_utf8(bytes).unwrap_or_else(|_| " ".repeat(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_documents_and_vendored_files_are_no_product_code() {
        let paths = [
            "src/a.rs",
            "a/vendor/x.go",
            "tests/a.rs",
            "README.md",
            "pkg/a_test.go",
            "lib/a.py",
        ];
        assert_eq!(
            paths.map(is_product_code),
            [true, false, false, false, false, true]
        );
        assert_eq!(
            paths.map(is_test_code),
            [false, false, true, false, true, false]
        );
    }

    #[test]
    fn documents_examples_and_settings_of_ci_stand_beside_the_product() {
        for path in [
            "docs/conf.py",
            "pkg/docs/conf.py",
            "_examples/rest/main.go",
            ".github/scripts/release.js",
            "ci/build.rb",
        ] {
            assert!(!is_product_code(path), "{path}");
        }
        for path in [
            "src/docs/render.rs",
            "lib/ci/run.rb",
            "docs.py",
            "ci.go",
            "app/doc.py",
        ] {
            assert!(is_product_code(path), "{path}");
        }
    }

    #[test]
    fn a_brace_a_comment_and_an_import_tell_nothing() {
        for line in [
            "}",
            "  });",
            "",
            "// x = 1",
            "# done",
            "import os",
            "use std::fs;",
            " * of it",
        ] {
            assert!(!is_telling_line(line), "{line}");
        }
        assert!(is_telling_line("  return x + 1"));
        assert!(is_telling_line("if err != nil {"));
    }
}
