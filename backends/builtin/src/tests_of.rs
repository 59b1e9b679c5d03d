//! The tests that lines of a diff define, by name.

use council_protocol::change::Line;

use crate::language::Language;
use crate::pattern::pattern;
use crate::role::FileRole;
use crate::view::FileView;

pattern!(
    RUST_FN,
    r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(\w+)"
);
pattern!(
    RUST_ATTRIBUTE,
    r"^\s*#\[(?:\w+::)*\w*(?:test|rstest|test_case)\b"
);
pattern!(PYTHON, r"^\s*(?:async\s+)?def\s+(test_\w+)");
pattern!(
    /// `it("…"`, `test.skipIf(x)("…"`, or such a call whose name stands on the next line.
    SCRIPT,
    r#"^\s*(?:it|test)(?:\.\w+(?:\([^)]*\))?)*\(\s*(?:"([^"]+)"|'([^']+)'|`([^`]+)`|(?:async\s)?$)"#
);
pattern!(
    SCRIPT_NAME,
    r#"^\s*(?:"([^"]+)"|'([^']+)'|`([^`]+)`),\s*(?:async\b.*|\(.*|function.*)?$"#
);
pattern!(GO, r"^func\s+(Test\w+)\(");
pattern!(JVM_METHOD, r"\b(?:void|fun|Task)\s+`?(\w[\w ]*)`?\s*\(");
pattern!(
    /// What JUnit 3 runs without a mark.
    JAVA_PUBLIC_TEST,
    r"^\s*public\s+void\s+(test\w+)\s*\(\s*\)"
);
pattern!(
    RUBY,
    r#"^\s*(?:it|specify|test)\s+["']([^"']+)|^\s*def\s+(test_\w+)"#
);

/// The names of the tests that begin in the given lines, with the line of each.
pub(crate) fn tests_of<'f, 'a: 'f>(
    file: &FileView<'a>,
    lines: impl Iterator<Item = &'f Line<'a>>,
) -> Vec<(String, &'f Line<'a>)> {
    let mut tests = Vec::new();
    let mut announced = false;
    for line in lines {
        let name = match file.language {
            Language::Rust => {
                announced |= RUST_ATTRIBUTE.is_match(line.text);
                let function = RUST_FN.captures(line.text);
                function
                    .filter(|_| std::mem::take(&mut announced))
                    .map(|found| found[1].to_owned())
            }
            Language::Java | Language::Kotlin | Language::CSharp => {
                let text = line.text.trim_start();
                announced |= text.starts_with("@Test")
                    || text.starts_with("[Test")
                    || text.starts_with("[Fact");
                let method = JVM_METHOD.captures(line.text);
                let of_junit_3 = file.language == Language::Java
                    && file.role == FileRole::Test
                    && JAVA_PUBLIC_TEST.is_match(line.text);
                method
                    .filter(|_| std::mem::take(&mut announced) || of_junit_3)
                    .map(|found| found[1].to_owned())
            }
            Language::Python => PYTHON.captures(line.text).map(|found| found[1].to_owned()),
            Language::Go => GO.captures(line.text).map(|found| found[1].to_owned()),
            Language::Script if file.role == FileRole::Test => {
                let named = SCRIPT.captures(line.text);
                let below = std::mem::replace(
                    &mut announced,
                    named
                        .as_ref()
                        .is_some_and(|found| quoted_name(found).is_none()),
                );
                let found =
                    named.or_else(|| below.then(|| SCRIPT_NAME.captures(line.text)).flatten());
                found.as_ref().and_then(quoted_name)
            }
            Language::Ruby if file.role == FileRole::Test => {
                RUBY.captures(line.text).and_then(|found| {
                    found
                        .get(1)
                        .or_else(|| found.get(2))
                        .map(|m| m.as_str().to_owned())
                })
            }
            _ => None,
        };
        tests.extend(name.map(|name| (name, line)));
    }
    tests
}

pattern!(
    /// The mark of a test that runs once for each of several values.
    PARAMETRISED,
    r"@pytest\.mark\.parametrize|@parameterized|@ParameterizedTest|@RepeatedTest|@ValueSource|@(?:Method|Csv)Source|\[Theory|\[TestCase|#\[(?:rstest|case|test_case|values)\b|\b(?:it|test)\.each\b|@ddt"
);

/// The names of the tests among these that run once for each of several values. `lines` hold those of the tests, in order.
pub(crate) fn parametrised_tests(file: &FileView<'_>, lines: &[&Line<'_>]) -> Vec<String> {
    const FAR: usize = 8;
    let tests = tests_of(file, lines.iter().copied());
    let is_marked = |test: &Line<'_>| {
        let at = lines
            .iter()
            .position(|line| std::ptr::eq(*line, test))
            .unwrap_or(0);
        let from = at.saturating_sub(FAR);
        let above = lines[from..at].iter().rev();
        // What stands above the test before this one is of that one.
        let mut own =
            above.take_while(|line| !tests.iter().any(|(_, one)| std::ptr::eq(*one, **line)));
        PARAMETRISED.is_match(test.text) || own.any(|line| PARAMETRISED.is_match(line.text))
    };
    let marked = tests.iter().filter(|(_, line)| is_marked(line));
    marked.map(|(name, _)| name.clone()).collect()
}

/// The words of a test's name, in lower case, without the word `test`.
pub(crate) fn words_of_test(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty() && word != "test" && word != "tests");
    words
}

/// The group of a pattern that holds a name, without its marks.
fn quoted_name(found: &regex::Captures<'_>) -> Option<String> {
    found
        .iter()
        .skip(1)
        .flatten()
        .next()
        .map(|name| name.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use council_protocol::LineKind;

    use super::*;
    use crate::fixture::RuleFixture;
    use crate::view::ChangeView;

    fn names(path: &str, text: &str) -> Vec<String> {
        let fixture = RuleFixture::from_added(path, text);
        let change = ChangeView::new(&fixture.packet, &*fixture.blobs);
        let file = &change.files[0];
        let added = file
            .lines
            .iter()
            .filter(|line| line.kind == LineKind::Added);
        tests_of(file, added)
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    }

    #[test]
    fn tests_of_scripts_are_found_in_all_their_forms() {
        let text = "it('a', f);\ntest.skipIf(x)(\"it's b\", f);\ntest.each([1])(\n  `c`,\n  f);\nlist.it('no');\n  'no',\n";
        assert_eq!(names("a.test.ts", text), ["a", "it's b", "c"]);
    }

    #[test]
    fn tests_are_functions_under_their_mark() {
        assert_eq!(
            names(
                "src/a.rs",
                "#[test]\nfn a() {}\nfn b() {}\n#[tokio::test]\nasync fn c() {}\n"
            ),
            ["a", "c"]
        );
        assert_eq!(
            names("ATest.java", "@Test\npublic void a() {\n}\nvoid b() {\n"),
            ["a"]
        );
        assert_eq!(
            names("a_test.go", "func TestA(t *testing.T) {\nfunc helper() {\n"),
            ["TestA"]
        );
        assert_eq!(
            names("test_a.py", "def test_a():\n    async def test_b():\n"),
            ["test_a", "test_b"]
        );
    }
}
