//! What a function without a name is called: by the call that it is given to, else by its line.

use council_syntax::outline::FunctionSpan;

use super::search::FileOutline;
use super::words::is_name;

/// So many lines above a function the call that it is given to may begin.
const MAX_ABOVE: usize = 3;

/// The longest title that is told.
const MAX_TITLE: usize = 60;

/// A function as a person names it: `name`, `test("title")`, the function that is given to `useEffect`.
pub(super) fn describe_function(outline: &FileOutline<'_>, span: &FunctionSpan) -> String {
    if !span.name.is_empty() {
        return format!("`{}`", span.name);
    }
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let first = span.head.saturating_sub(MAX_ABOVE).max(1);
    let lines = (first..=span.head).map(|line| outline.line(number(line)));
    let code = lines.collect::<Vec<_>>().join("\n");
    let head = code.rfind('\n').map_or(0, |end| end + 1);
    match call_around(&code[..head + begin_of_body(&code[head..])]) {
        Some((callee, Some(title))) => format!("`{callee}(\"{title}\")`"),
        Some((callee, None)) => {
            format!(
                "the function that is given to `{callee}` at line {}",
                span.head
            )
        }
        None => format!("the function at line {}", span.head),
    }
}

fn begin_of_body(head: &str) -> usize {
    let body = head.rfind("=>").or_else(|| head.rfind('{'));
    body.unwrap_or(head.len())
}

/// The call whose brackets are still open at the end of a text, with its first argument where that is a string.
fn call_around(code: &str) -> Option<(String, Option<String>)> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut quote: Option<char> = None;
    let mut is_escaped = false;
    for (at, letter) in code.char_indices() {
        match (quote, letter) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(begun), _) if begun == letter => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '(' | '[' | '{') => open.push((at, letter)),
            (None, ')' | ']' | '}') => drop(open.pop()),
            _ => {}
        }
    }
    let (at, _) = open.pop().filter(|(_, letter)| *letter == '(')?;
    let callee = code[..at]
        .rsplit(|c: char| !is_name(c) && c != '.')
        .next()?;
    let is_call = !callee.is_empty() && !matches!(callee, "function" | "func" | "fn");
    is_call.then(|| (callee.to_owned(), first_title(&code[at + 1..])))
}

/// The string that a text begins with, as one line of a heading: without marks and control characters.
fn first_title(arguments: &str) -> Option<String> {
    let begun = arguments.trim_start();
    let quote = begun.chars().next().filter(|c| "\"'`".contains(*c))?;
    let (title, _) = begun[1..].split_once(quote)?;
    let plain = title.chars().map(|c| match c {
        '`' | '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    });
    let title: String = plain.collect();
    // Of a title that is cut, a secret in it could not be told any more.
    Some(title).filter(|title| title.chars().count() <= MAX_TITLE)
}

#[cfg(test)]
mod tests {
    use council_protocol::RepoPath;

    use super::*;

    #[test]
    fn a_function_without_a_name_is_called_by_what_it_is_given_to() {
        for (path, head, called) in [
            ("a.js", "test(\"one\", (t) => {", "`test(\"one\")`"),
            (
                "a.js",
                "test('it `works`', t => {",
                "`test(\"it 'works'\")`",
            ),
            (
                "a.js",
                "  it.each(rows)('adds', async ({a}) => {",
                "the function at line 3",
            ),
            (
                "a.js",
                "app.get(\"/x\", auth, (req, res) => {",
                "`app.get(\"/x\")`",
            ),
            (
                "a.js",
                "useEffect(() => {",
                "the function that is given to `useEffect` at line 3",
            ),
            (
                "a.js",
                "items.map(function (item) {",
                "the function that is given to `items.map` at line 3",
            ),
            ("a.js", "(() => {", "the function at line 3"),
            (
                "a_test.go",
                "\tt.Run(\"empty\", func(t *testing.T) {",
                "`t.Run(\"empty\")`",
            ),
        ] {
            let text = format!("\n\n{head}\n}}\n");
            let outline = FileOutline::of(&RepoPath::from(path), &text);
            let span = FunctionSpan {
                name: String::new(),
                start: 3,
                head: 3,
                end: 4,
            };
            assert_eq!(describe_function(&outline, &span), called, "{head}");
        }
    }

    #[test]
    fn the_call_may_begin_above_its_function() {
        let text = "test(\n  \"one\",\n  async (t) => {\n    t.pass();\n  },\n);\n";
        let outline = FileOutline::of(&RepoPath::from("a.js"), text);
        let span = outline.function_span(4).unwrap();
        assert_eq!(describe_function(&outline, span), "`test(\"one\")`");
    }

    proptest::proptest! {
        #![proptest_config(crate::council::testing::config())]

        /// Whatever a title holds, a heading has one line of it and no marks of its own.
        #[test]
        fn a_title_stays_within_its_heading(title in "[a-z`\\n\\\\(){}='\"é ]{0,90}") {
            let text = format!("test({title}, (t) => {{\n}});\n");
            let outline = FileOutline::of(&RepoPath::from("a.js"), &text);
            let head = text.lines().count() - 1;
            let span = FunctionSpan { name: String::new(), start: head, head, end: head + 1 };
            let called = describe_function(&outline, &span);
            proptest::prop_assert!(called.matches('`').count() <= 2 && !called.contains('\n'), "{}", called);
            proptest::prop_assert!(called.chars().count() < MAX_TITLE + 60, "{}", called);
        }
    }
}
