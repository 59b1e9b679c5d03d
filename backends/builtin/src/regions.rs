//! Which lines of a file stand inside a test, though the file is not a test file.

use crate::language::Language;

/// Follows the lines of one file and says of each whether it stands inside a test.
#[derive(Debug)]
pub(crate) struct TestRegions {
    language: Language,
    depth: i32,
    /// A test was announced (an attribute, a heading) and its block has not begun.
    pending: bool,
    inside: Option<TestBlock>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestBlock {
    /// Until this depth of braces is reached again.
    Braces(i32),
    /// Until a line is indented this much or less.
    Indent(usize),
    /// To the end of what is known.
    End,
}

impl TestRegions {
    pub(crate) fn new(language: Language) -> Self {
        Self {
            language,
            depth: 0,
            pending: false,
            inside: None,
        }
    }

    /// For a hunk whose start is all that is known: `section` is what git shows as the enclosing function.
    pub(crate) fn from_section(language: Language, section: &str) -> Self {
        const MARKS: [&str; 6] = [
            "mod test",
            "fn test_",
            "def test_",
            "class Test",
            "func Test",
            "describe(",
        ];
        let inside = MARKS
            .iter()
            .any(|mark| section.contains(mark))
            .then_some(TestBlock::End);
        Self {
            inside,
            ..Self::new(language)
        }
    }

    /// Whether the next line, given with comments and strings blanked, stands inside a test.
    pub(crate) fn advance_line(&mut self, code: &str) -> bool {
        match self.language {
            Language::Python | Language::Ruby => self.advance_indented(code),
            _ => self.advance_braced(code),
        }
    }

    fn advance_indented(&mut self, code: &str) -> bool {
        if code.trim().is_empty() {
            return self.inside.is_some();
        }
        let indent = code.len() - code.trim_start().len();
        if let Some(TestBlock::Indent(outer)) = self.inside
            && indent <= outer
        {
            self.inside = None;
        }
        let word = code.trim_start();
        let starts = word.starts_with("def test_")
            || word.starts_with("async def test_")
            || word.starts_with("class Test")
            || (word.starts_with("class ") && word.contains("TestCase"));
        if starts && self.inside.is_none() {
            self.inside = Some(TestBlock::Indent(indent));
        }
        self.inside.is_some()
    }

    fn advance_braced(&mut self, code: &str) -> bool {
        if self.inside == Some(TestBlock::End) {
            return true;
        }
        let starts = self.inside.is_none() && announces_test(self.language, code);
        self.pending |= starts;
        let mut test = self.inside.is_some() || self.pending;
        for byte in code.bytes() {
            match byte {
                b'{' => {
                    if std::mem::take(&mut self.pending) {
                        self.inside = Some(TestBlock::Braces(self.depth));
                        test = true;
                    }
                    self.depth += 1;
                }
                b'}' => {
                    self.depth -= 1;
                    if self.inside == Some(TestBlock::Braces(self.depth)) {
                        self.inside = None;
                    }
                }
                b';' if self.inside.is_none() => self.pending = false,
                _ => {}
            }
        }
        test
    }
}

/// Whether a line announces a test: the next block is one.
fn announces_test(language: Language, code: &str) -> bool {
    let code = code.trim_start();
    match language {
        Language::Rust => code.starts_with('#') && test_attribute(code),
        Language::Script => ["describe(", "describe.", "it(", "test("]
            .iter()
            .any(|mark| code.starts_with(mark)),
        Language::Java | Language::Kotlin | Language::Scala => {
            code.starts_with("@Test") || code.starts_with("@ParameterizedTest")
        }
        Language::CSharp => ["[Test", "[Fact", "[Theory"]
            .iter()
            .any(|mark| code.starts_with(mark)),
        Language::Go => code.starts_with("func Test") || code.starts_with("func Benchmark"),
        _ => false,
    }
}

/// Whether an attribute line makes what follows a test: `#[test]`, `#[tokio::test]`, `#[cfg(test)]`, `#[cargo_test]`.
fn test_attribute(code: &str) -> bool {
    let Some(inner) = code.trim_start_matches(['#', '!']).strip_prefix('[') else {
        return false;
    };
    let path = inner.split(['(', ']', ' ', '=']).next().unwrap_or_default();
    if path == "cfg" {
        let words = inner.split(|c: char| !c.is_alphanumeric() && c != '_');
        return words.into_iter().any(|word| word == "test") && !inner.contains("not(test");
    }
    let last = path.rsplit(':').next().unwrap_or_default();
    last.split('_').any(|word| {
        matches!(
            word,
            "test" | "bench" | "rstest" | "proptest" | "quickcheck"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(language: Language, text: &str) -> String {
        let mut regions = TestRegions::new(language);
        text.lines()
            .map(|line| if regions.advance_line(line) { 't' } else { '.' })
            .collect()
    }

    #[test]
    fn a_rust_test_module_ends_with_its_brace() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {\n    }\n}\nfn c() {}";
        assert_eq!(marks(Language::Rust, text), ".ttttt.");
    }

    #[test]
    fn attributes_count_and_other_configurations_do_not() {
        assert_eq!(
            marks(
                Language::Rust,
                "#[tokio::test]\nasync fn a() {\n}\nfn b() {"
            ),
            "ttt."
        );
        assert_eq!(
            marks(Language::Rust, "#[cfg(not(test))]\nfn a() {\n}"),
            "..."
        );
        assert_eq!(
            marks(Language::Rust, "#[cfg(test)]\nmod tests;\nfn a() {\n}"),
            "tt.."
        );
        assert_eq!(
            marks(Language::Rust, "#[cfg(all(test, unix))]\nfn a() {\n}"),
            "ttt"
        );
        assert_eq!(marks(Language::Rust, "#![cfg(test)]\nuse a::B;"), "tt");
    }

    #[test]
    fn python_tests_end_with_their_indentation() {
        let text = "def a():\n    x\ndef test_b():\n    x\n\n    y\nz";
        assert_eq!(marks(Language::Python, text), "..tttt.");
    }

    #[test]
    fn script_and_java_blocks() {
        assert_eq!(
            marks(
                Language::Script,
                "f();\ndescribe(s, () => {\n  it(s, () => {\n  });\n});\ng();"
            ),
            ".tttt."
        );
        assert_eq!(
            marks(
                Language::Java,
                "  @Test\n  void a() {\n  }\n  void b() {\n  }"
            ),
            "ttt.."
        );
    }
}
