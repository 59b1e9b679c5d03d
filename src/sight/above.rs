//! What belongs to a definition and stands above it: comments, decorators, annotations, attributes.

use council_syntax::language::Language;

use super::definitions::is_comment;
use super::words::is_name;

/// The most lines of comment that are taken for part of a definition.
const MAX_COMMENT: usize = 15;

/// The most lines of decorators and comments above one definition, and of one decorator.
const MAX_ABOVE: usize = 40;
const MAX_DECORATOR: usize = 12;

/// The first line of the comment that stands directly above a line.
pub(super) fn comment_above(lines: &[&str], line: usize) -> usize {
    let above = lines[..line.saturating_sub(1).min(lines.len())]
        .iter()
        .rev();
    let count = above
        .take(MAX_COMMENT)
        .take_while(|text| is_comment(text.trim()))
        .count();
    line - count
}

/// The first line of what stands above the head of a type or a value and belongs to it: `@dataclass` says what a class is.
pub(super) fn start_above(language: Language, lines: &[&str], line: usize) -> usize {
    let mut start = line;
    loop {
        let above = decorator_above(language, lines, comment_above(lines, start));
        if above == start || line - above > MAX_ABOVE {
            return start;
        }
        start = above;
    }
}

/// The first line of the decorator directly above a line, else the line itself.
fn decorator_above(language: Language, lines: &[&str], line: usize) -> usize {
    use Language::{CSharp, Dart, Java, Kotlin, Python, Scala, Script, Swift};
    let Some(last) = line.checked_sub(2).and_then(|index| lines.get(index)) else {
        return line;
    };
    let last = last.trim();
    if language == CSharp {
        let is_attribute = last.starts_with('[') && last.ends_with(']');
        return line - usize::from(is_attribute);
    }
    if !matches!(
        language,
        Dart | Java | Kotlin | Python | Scala | Script | Swift
    ) {
        return line;
    }
    let first = line.saturating_sub(MAX_DECORATOR).max(1);
    let mut begins = (first..line).rev();
    // Of several lines only the last one ends with the bracket.
    let begin = match last.starts_with('@') {
        true => Some(line - 1),
        false if last.ends_with(')') => {
            begins.find(|&at| lines[at - 1].trim_start().starts_with('@'))
        }
        false => None,
    };
    let is_alone = |&at: &usize| is_decorator(&lines[at - 1..line - 1].join(" "));
    begin.filter(is_alone).unwrap_or(line)
}

/// Whether a text holds decorators and nothing else: `@a.b`, `@a(1) @b`; `@Inject Repo repo` declares another thing.
fn is_decorator(text: &str) -> bool {
    let Some(rest) = text.trim().strip_prefix('@') else {
        return false;
    };
    let rest = rest.trim_start_matches(|c| is_name(c) || c == '.' || c == ':');
    let rest = match rest.starts_with('(') {
        true => behind_brackets(rest),
        false => Some(rest),
    };
    rest.is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.is_empty() || rest.starts_with('#') || rest.starts_with("//") || is_decorator(rest)
    })
}

/// What stands behind the brackets that a text begins with.
pub(super) fn behind_brackets(text: &str) -> Option<&str> {
    let mut depth = 0_i32;
    let close = text.bytes().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    Some(&text[close + 1..])
}
