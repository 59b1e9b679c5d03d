//! Functions of languages whose blocks follow from indentation, or are written as if they did.

use std::collections::HashMap;

use super::FunctionSpan;
use crate::language::Language;
use crate::lexer::{LexSpan, Lexer, is_word};

/// A line of code with what is needed to tell blocks.
struct CodeLine<'t> {
    /// Without comments and the text of literals (their place is blank).
    code: String,
    text: &'t str,
    /// Whether it begins inside a literal or a bracket of an earlier line.
    continues: bool,
}

impl CodeLine<'_> {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn depth(&self) -> usize {
        indent_width(self.text)
    }
}

/// Columns of leading white space; a tab goes to the next multiple of eight, as Python counts.
fn indent_width(line: &str) -> usize {
    let blank = line.bytes().take_while(u8::is_ascii_whitespace);
    blank.fold(0, |width, byte| match byte {
        b'\t' => (width / 8 + 1) * 8,
        _ => width + 1,
    })
}

fn read(language: Language, text: &str) -> Vec<CodeLine<'_>> {
    let mut lexer = Lexer::new(language);
    let (mut lines, mut spans) = (Vec::new(), Vec::new());
    let (mut open, mut joined) = (0_usize, false);
    for text in text.lines() {
        spans.clear();
        lexer.lex_line(text, &mut spans);
        let code = blank_out(text, &spans);
        let in_literal =
            spans.first().is_some_and(|span| span.start == 0) && lexer_continues(&spans, text);
        let continues = open > 0 || joined || in_literal;
        for byte in code.bytes() {
            match byte {
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
        }
        joined = code.trim_end().ends_with('\\');
        lines.push(CodeLine {
            code,
            text,
            continues,
        });
    }
    lines
}

/// A literal in column 0 either begins there (with its quote) or comes from the line above.
fn lexer_continues(spans: &[LexSpan], text: &str) -> bool {
    let opens = ["\"", "'", "#", "r\"", "b\"", "f\"", "--", "=begin"];
    spans[0].end > 0 && !opens.iter().any(|mark| text.starts_with(mark))
}

fn blank_out(text: &str, spans: &[LexSpan]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for span in spans {
        bytes[span.start..span.end].fill(b' ');
    }
    // Spans end at characters' borders, so that what is left is text.
    String::from_utf8(bytes).unwrap_or_default()
}

/// `def` and `async def`, from the first decorator to the last line that is indented more.
pub(super) fn python(text: &str) -> Vec<FunctionSpan> {
    let lines = read(Language::Python, text);
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let head = line.code.trim_start();
        let head = head.strip_prefix("async ").map_or(head, str::trim_start);
        let Some(name) = head.strip_prefix("def ") else {
            continue;
        };
        if line.continues {
            continue;
        }
        let depth = line.depth();
        let body = lines[index + 1..].iter();
        let mut end = index;
        for (offset, inner) in body.enumerate() {
            let ends = !inner.continues && !inner.is_blank() && inner.depth() <= depth;
            // A comment may stand further to the left than the code around it.
            if ends && inner.code.trim().is_empty() {
                continue;
            }
            if ends {
                break;
            }
            if !inner.is_blank() && !is_comment(inner) {
                end = index + 1 + offset;
            }
        }
        found.push(FunctionSpan {
            name: leading_name(name),
            start: first_decorator(&lines, index, depth) + 1,
            head: index + 1,
            end: end + 1,
        });
    }
    found
}

fn is_comment(line: &CodeLine<'_>) -> bool {
    !line.continues && line.text.trim_start().starts_with('#')
}

fn first_decorator(lines: &[CodeLine<'_>], head: usize, depth: usize) -> usize {
    let mut first = head;
    for index in (0..head).rev() {
        let line = &lines[index];
        if line.continues {
            continue;
        }
        if line.depth() != depth || !line.code.trim_start().starts_with('@') {
            break;
        }
        first = index;
    }
    first
}

fn leading_name(text: &str) -> String {
    text.trim_start()
        .chars()
        .take_while(|&c| is_word(c) || c == '.' || c == ':' || c == '?' || c == '!')
        .collect::<String>()
        .trim_end_matches(':')
        .to_owned()
}

/// `def … end` and `function … end`, where `end` stands as far to the right as the line that opened.
pub(super) fn closed_by_end(language: Language, text: &str) -> Vec<FunctionSpan> {
    let lines = read(language, text);
    let ends = ends_by_depth(&lines);
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = opens_with_end(language, &line.code) else {
            continue;
        };
        let one_line = line
            .code
            .split(|c: char| !is_word(c))
            .any(|word| word == "end");
        let end = if one_line {
            Some(index)
        } else {
            let below = ends.get(&line.depth());
            below.and_then(|ends| Some(*ends.get(ends.partition_point(|&end| end <= index))?))
        };
        if let Some(end) = end {
            found.push(FunctionSpan {
                name,
                start: index + 1,
                head: index + 1,
                end: end + 1,
            });
        }
    }
    found
}

/// The lines that begin with `end`, by how far to the right they stand: a file may open a hundred thousand functions and
/// close none.
fn ends_by_depth(lines: &[CodeLine<'_>]) -> HashMap<usize, Vec<usize>> {
    let mut ends: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        if starts_with_word(line.code.trim_start(), "end") {
            ends.entry(line.depth()).or_default().push(index);
        }
    }
    ends
}

fn opens_with_end(language: Language, code: &str) -> Option<String> {
    let code = code.trim_start();
    if language == Language::Ruby {
        let code = ["private ", "protected ", "public "]
            .iter()
            .find_map(|word| code.strip_prefix(word))
            .unwrap_or(code);
        let defined = code.strip_prefix("def ").map(leading_name);
        return defined.or_else(|| ruby_block(code));
    }
    let code = code.strip_prefix("local ").unwrap_or(code);
    if let Some(rest) = code.strip_prefix("function") {
        return rest.starts_with([' ', '(']).then(|| leading_name(rest));
    }
    let (before, rest) = code.split_once('=')?;
    rest.trim_start()
        .strip_prefix("function")
        .filter(|rest| rest.trim_start().starts_with('('))
        .map(|_| leading_name(before))
}

/// Calls whose block is a function in all but its name: what it is called with tells which.
const BLOCK_CALLS: [&str; 20] = [
    "test", "it", "specify", "example", "scenario", "should", "setup", "teardown", "before",
    "after", "around", "let", "let!", "subject", "task", "get", "post", "put", "patch", "delete",
];

/// `test "…" do`, `define_method(:name) do |a|`: the name, where the block has one.
fn ruby_block(code: &str) -> Option<String> {
    let code = code.trim_end();
    let opens = code.ends_with(" do")
        || code.ends_with('|')
            && code
                .rsplit_once(" do ")
                .is_some_and(|(_, arguments)| arguments.trim_start().starts_with('|'));
    let call: &str = code.split([' ', '(']).next()?;
    if !opens {
        return None;
    }
    if matches!(call, "define_method" | "define_singleton_method") {
        let name = code[call.len()..].trim_start_matches([' ', '(', ':']);
        return Some(leading_name(name));
    }
    BLOCK_CALLS.contains(&call).then(String::new)
}

fn starts_with_word(code: &str, word: &str) -> bool {
    code.strip_prefix(word)
        .is_some_and(|rest| !rest.starts_with(is_word))
}
