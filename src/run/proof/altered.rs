//! The source with another effect of the lines of a finding: a result that is another one, a condition turned round, a
//! sign or a number changed. A test that is brought against the finding and passes with each of them asks for nothing that
//! the lines decide (`assert f(1) is not None`).

use std::ops::Range;

use council_syntax::language::Language;
use council_syntax::lexer::Lexer;

/// The most sources of this kind: each costs a run.
pub(super) const MAX_ALTERED: usize = 4;

/// Words before a condition, the longer ones first.
const CONDITIONS: [&str; 8] = [
    "} else if ",
    "else if ",
    "elsif ",
    "elif ",
    "while ",
    "unless ",
    "until ",
    "if ",
];

/// What is replaced by what, each once in a line; blanks around keep generics and pointers as they are.
const SIGNS: [(&str, &str); 22] = [
    (" === ", " !== "),
    (" !== ", " === "),
    (" == ", " != "),
    (" != ", " == "),
    (" <= ", " > "),
    (" >= ", " < "),
    (" < ", " >= "),
    (" > ", " <= "),
    (" && ", " || "),
    (" || ", " && "),
    (" and ", " or "),
    (" or ", " and "),
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " + "),
    (" / ", " * "),
    (" % ", " * "),
    ("True", "False"),
    ("False", "True"),
    ("true", "false"),
    ("false", "true"),
    (" not in ", " in "),
];

/// A line as it is written, and with a blank for each byte that is no code.
struct CodeLine<'t> {
    text: &'t str,
    code: String,
}

/// The sources in which the lines have another effect, those that tell most first. Empty where none is known: then it tells
/// enough that a test fails without the lines.
pub(super) fn altered_sources(
    text: &[u8],
    lines: &Range<usize>,
    language: Language,
) -> Vec<Vec<u8>> {
    with_alterations(text, lines, language, &ALTERATIONS)
}

/// The same for the results of a function alone, whose body these lines are.
pub(super) fn altered_results(
    text: &[u8],
    body: &Range<usize>,
    language: Language,
) -> Vec<Vec<u8>> {
    with_alterations(text, body, language, &ALTERATIONS[..2])
}

fn with_alterations(
    text: &[u8],
    lines: &Range<usize>,
    language: Language,
    alterations: &[Alteration],
) -> Vec<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Vec::new();
    };
    let all = code_lines(text, language);
    let mut sources = Vec::new();
    for alter in alterations {
        let mut changed = false;
        let altered = all.iter().enumerate().map(|(at, line)| {
            let other = lines.contains(&at).then(|| alter(line, language)).flatten();
            changed |= other.is_some();
            other.unwrap_or_else(|| line.text.to_owned())
        });
        let source = altered.collect::<String>();
        if changed {
            sources.push(source.into_bytes());
        }
    }
    sources.truncate(MAX_ALTERED);
    sources
}

/// A way to give one line another effect; none: it has no such thing.
type Alteration = fn(&CodeLine<'_>, Language) -> Option<String>;

const ALTERATIONS: [Alteration; 5] = [
    other_result,
    opposite_result,
    opposite_condition,
    other_sign,
    other_number,
];

fn code_lines(text: &str, language: Language) -> Vec<CodeLine<'_>> {
    let mut lexer = Lexer::new(language);
    let mut spans = Vec::new();
    let lines = text.split_inclusive('\n').map(|text| {
        spans.clear();
        lexer.lex_line(text.trim_end_matches(['\n', '\r']), &mut spans);
        let mut code = text.as_bytes().to_vec();
        for span in &spans {
            let end = span.end.min(code.len());
            code[span.start.min(end)..end].fill(b' ');
        }
        // What cannot be told apart from its strings is left as it is.
        let code = String::from_utf8(code).unwrap_or_else(|_| " ".repeat(text.len()));
        CodeLine { text, code }
    });
    lines.collect()
}

/// A result that is truthy, not empty and of no type that anybody asks for.
fn other_result(line: &CodeLine<'_>, language: Language) -> Option<String> {
    match language {
        Language::Python | Language::Script | Language::Ruby | Language::Php => {
            around_result(line, "[", "]")
        }
        _ => None,
    }
}

fn opposite_result(line: &CodeLine<'_>, language: Language) -> Option<String> {
    match language {
        Language::Python => around_result(line, "not (", ")"),
        Language::Shell => None,
        _ => around_result(line, "!(", ")"),
    }
}

/// `return` with something around what it gives back, where that ends on the same line.
fn around_result(line: &CodeLine<'_>, before: &str, behind: &str) -> Option<String> {
    let given = given_back(line)?;
    let (head, tail) = (line.text.get(..given.start)?, line.text.get(given.end..)?);
    Some([head, before, line.text.get(given)?, behind, tail].concat())
}

/// Where what a line gives back stands on it.
fn given_back(line: &CodeLine<'_>) -> Option<Range<usize>> {
    const RETURN: &str = "return ";
    let at = line.code.find(RETURN)?;
    let before = line.code[..at].trim_end().chars().next_back();
    let is_statement = before.is_none_or(|before| "{;:)".contains(before));
    let start = at + RETURN.len();
    let written = line.text.get(start..).filter(|_| is_statement)?;
    let remark = ["#", "//", "/*"].iter().filter_map(|mark| {
        let at = written.find(mark)?;
        line.code.get(start + at..)?.trim().is_empty().then_some(at)
    });
    let mut given = written[..remark.min().unwrap_or(written.len())].trim_end();
    while let Some(shorter) = given
        .strip_suffix(['}', ';'])
        .filter(|_| !is_balanced(given))
    {
        given = shorter.trim_end();
    }
    let given = given.trim_end_matches(';').trim_end();
    (!given.is_empty() && is_balanced(given)).then(|| start..start + given.len())
}

fn is_balanced(code: &str) -> bool {
    let count = |signs: &[char]| code.matches(signs).count();
    count(&['(', '[', '{']) == count(&[')', ']', '}']) && !code.ends_with(['\\', ',', '('])
}

fn opposite_condition(line: &CodeLine<'_>, language: Language) -> Option<String> {
    let code = line.code.trim_start();
    let word = CONDITIONS.iter().find(|word| code.starts_with(**word))?;
    let begin = line.code.len() - code.len() + word.len();
    let end = begin + line.code[begin..].trim_end().len();
    let closing = match language {
        Language::Python => line.code[begin..end].rfind(':')?,
        Language::Ruby | Language::Shell => return None,
        _ => line.code[begin..end].rfind('{').unwrap_or(end - begin),
    };
    let condition = line.text.get(begin..begin + closing)?;
    let plain = condition.trim();
    // `if let` of Rust and `if x := f(); x` of Go hold more than a condition.
    let is_plain =
        !plain.is_empty() && is_balanced(plain) && !plain.contains("let ") && !plain.contains(';');
    if !is_plain {
        return None;
    }
    let opposite = match language {
        Language::Python => format!("not ({plain})"),
        Language::Rust | Language::Go | Language::Swift => format!("!({plain})"),
        // Its brackets may stand around the condition alone, with a statement behind them.
        _ if plain.starts_with('(') && plain.ends_with(')') => format!("(!{plain})"),
        _ => return None,
    };
    let gap = &condition[condition.trim_end().len()..];
    Some(
        [
            &line.text[..begin],
            &opposite,
            gap,
            &line.text[begin + closing..],
        ]
        .concat(),
    )
}

fn other_sign(line: &CodeLine<'_>, _: Language) -> Option<String> {
    let replaced = |(from, to): &(&str, &str)| {
        let at = line.code.find(from)?;
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let (before, behind) = (
            line.code[..at].chars().next_back(),
            line.code[at + from.len()..].chars().next(),
        );
        let is_whole = from.starts_with(' ') || (!is_word(before) && !is_word(behind));
        let (head, tail) = (
            line.text.get(..at)?,
            line.text.get(at..)?.strip_prefix(from)?,
        );
        is_whole.then(|| [head, to, tail].concat())
    };
    SIGNS.iter().find_map(replaced)
}

/// The first number that is no index: with another one of these a program would end, whatever is asked of it.
fn other_number(line: &CodeLine<'_>, _: Language) -> Option<String> {
    let mut depth = 0_usize;
    let mut before = None;
    for (at, sign) in line.code.char_indices() {
        match sign {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '$';
        if depth == 0 && sign.is_ascii_digit() && !before.is_some_and(is_name) {
            let rest = &line.code[at..];
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number: u64 = rest[..digits].parse().ok()?;
            // Of a hexadecimal or a fractional one the first part stands for it.
            let other = number.checked_add(1)?.to_string();
            return Some([&line.text[..at], &other, line.text.get(at + digits..)?].concat());
        }
        before = Some(sign);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn altered(path: &str, line: &str) -> Vec<String> {
        let language = Language::from_path(path);
        let text = format!("first\n{line}\nlast\n");
        let sources = altered_sources(text.as_bytes(), &(1..2), language);
        let line = |source: Vec<u8>| {
            let text = String::from_utf8(source).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!((lines[0], lines[2], lines.len()), ("first", "last", 3));
            lines[1].to_owned()
        };
        sources.into_iter().map(line).collect()
    }

    #[test]
    fn a_line_has_another_effect_and_stays_code() {
        for (path, line, expected) in [
            (
                "a.py",
                "    return a - b  # why",
                &[
                    "    return [a - b]  # why",
                    "    return not (a - b)  # why",
                    "    return a + b  # why",
                ][..],
            ),
            (
                "a.py",
                "    if x < 3:",
                &["    if not (x < 3):", "    if x >= 3:", "    if x < 4:"],
            ),
            (
                "a.py",
                "    return items[0]",
                &["    return [items[0]]", "    return not (items[0])"],
            ),
            ("a.py", "    x = f('a + 1')", &[]),
            (
                "a.js",
                "  return a.name;",
                &["  return [a.name];", "  return !(a.name);"],
            ),
            (
                "a.ts",
                "  if (a && b) {",
                &["  if (!(a && b)) {", "  if (a || b) {"],
            ),
            (
                "a.js",
                "  if (a) return b + 1;",
                &[
                    "  if (a) return [b + 1];",
                    "  if (a) return !(b + 1);",
                    "  if (a) return b - 1;",
                    "  if (a) return b + 2;",
                ],
            ),
            ("a.rs", "    items[0]", &[]),
            ("a.rs", "    if let Some(x) = y {", &[]),
            (
                "a.rs",
                "    if a == b {",
                &["    if !(a == b) {", "    if a != b {"],
            ),
            (
                "a.go",
                "\treturn n * 2",
                &["\treturn !(n * 2)", "\treturn n + 2", "\treturn n * 3"],
            ),
            (
                "a.go",
                "\tif err := f(); err != nil {",
                &["\tif err := f(); err == nil {"],
            ),
            (
                "A.java",
                "        return total > LIMIT;",
                &[
                    "        return !(total > LIMIT);",
                    "        return total <= LIMIT;",
                ],
            ),
            ("a.py", "    # return a - b", &[]),
            ("a.py", "    lock.release()", &[]),
        ] {
            assert_eq!(altered(path, line), expected, "{line}");
        }
    }

    mod laws {
        use proptest::prelude::*;

        use super::super::*;

        proptest! {
            /// Whatever stands in a file: nothing but the lines of the finding is another, and each source differs.
            #[test]
            fn nothing_but_the_lines_is_altered(
                lines in proptest::collection::vec("[ -~äß\t]{0,40}", 1..8),
                at in any::<prop::sample::Index>(),
                path in prop::sample::select(vec!["a.py", "a.js", "a.rs", "a.go", "A.java", "a.rb", "a.php", "a.sh", "a.kt", "a.cs"]),
            ) {
                let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
                let at = at.index(lines.len());
                let sources = altered_sources(text.as_bytes(), &(at..at + 1), Language::from_path(path));
                prop_assert!(sources.len() <= MAX_ALTERED);
                for source in sources {
                    let source = String::from_utf8(source).unwrap();
                    let mut other: Vec<&str> = source.split('\n').collect();
                    prop_assert_eq!(other.pop(), Some(""));
                    prop_assert_ne!(other[at], lines[at].as_str());
                    other[at] = &lines[at];
                    prop_assert_eq!(other, lines.iter().map(String::as_str).collect::<Vec<_>>());
                }
            }
        }
    }
}
