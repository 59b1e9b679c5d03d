//! Which lines and files tell something about behaviour.

use council_syntax::language::Language;
use council_syntax::lexer::Lexer;

use crate::prompt::is_test_path;

/// Whether a file holds code that is not a test.
pub(super) fn is_product_code(path: &str) -> bool {
    let vendored = ["vendor/", "node_modules/", "third_party/", "dist/"];
    let is_vendored = vendored
        .iter()
        .any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")));
    Language::from_path(path).is_code() && !is_test_path(path) && !is_vendored
}

/// Whether a file holds tests.
pub(super) fn is_test_code(path: &str) -> bool {
    Language::from_path(path).is_code() && is_test_path(path)
}

/// Whether a line of code says more than punctuation, a comment or an import does.
pub(super) fn is_telling_line(line: &str) -> bool {
    const COMMENTS: [&str; 6] = ["//", "#", "/*", "*", "--", "\"\"\""];
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
