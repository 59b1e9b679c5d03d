//! Where the function that encloses a hunk begins: by indentation, then by the section that git found.

use council_protocol::{Hunk, LineKind};

/// The line (from 1) on which the enclosing function begins, not above `lowest`; `first` is the hunk's first line on the
/// old side. A line at or below `first` means that the hunk shows it already. None: nothing was recognised.
pub(super) fn enclosing_function(
    hunk: &Hunk,
    first: usize,
    lines: &[&str],
    lowest: usize,
) -> Option<usize> {
    let (at, changed) = first_change(hunk, first)?;
    if is_header(changed.trim()) {
        return Some(at);
    }
    let depth = indent_width(changed);
    by_indent(lines, at, depth, lowest).or_else(|| {
        (depth > 0)
            .then(|| by_section(lines, first, &hunk.section, lowest))
            .flatten()
    })
}

/// Whether one of `lines` is the one that git names as a hunk's section.
pub(super) fn names_section(lines: &[&str], section: &str) -> bool {
    let section = section.trim();
    !section.is_empty() && lines.iter().any(|line| line.trim().starts_with(section))
}

/// The first changed line that is code (not blank, not a comment or an attribute), and where it stands on the old side.
fn first_change(hunk: &Hunk, first: usize) -> Option<(usize, &str)> {
    let mut at = first;
    let mut fallback = None;
    for line in hunk.lines() {
        let text = line.text.trim();
        if line.kind != LineKind::Context && !text.is_empty() {
            if !is_preamble(text) {
                return Some((at, line.text));
            }
            fallback.get_or_insert((at, line.text));
        }
        at += usize::from(line.kind != LineKind::Added);
    }
    fallback
}

fn is_preamble(text: &str) -> bool {
    ["//", "/*", "*", "#", "@", "\"\"\"", "--"]
        .iter()
        .any(|leader| text.starts_with(leader))
}

/// Climbs to ever smaller indentation until a line looks like the head of a function or of what holds one.
fn by_indent(lines: &[&str], at: usize, depth: usize, lowest: usize) -> Option<usize> {
    // A line must be indented less than this to enclose the change.
    let mut below = depth;
    for no in (lowest..at).rev() {
        let line = lines.get(no - 1)?;
        let text = line.trim();
        let depth = indent_width(line);
        if text.is_empty() || depth >= below {
            continue;
        }
        if is_header(text) {
            return Some(no);
        }
        // The tail of a head over several lines (`) -> T {`, `where`, a brace alone) belongs to what stands above it
        // at the same depth.
        below = if is_tail(text) { depth + 1 } else { depth };
        if below == 0 {
            return None;
        }
    }
    None
}

fn by_section(lines: &[&str], first: usize, section: &str, lowest: usize) -> Option<usize> {
    (lowest..first).rev().find(|no| {
        lines
            .get(no - 1)
            .is_some_and(|line| names_section(&[line], section))
    })
}

/// Columns of leading white space, a tab counting as four.
fn indent_width(line: &str) -> usize {
    line.bytes()
        .take_while(u8::is_ascii_whitespace)
        .map(|b| if b == b'\t' { 4 } else { 1 })
        .sum()
}

fn is_tail(text: &str) -> bool {
    text.starts_with([')', '{', ']']) || text == "where" || text.starts_with("throws ")
}

/// Whether a line looks like the head of a function, or of what holds functions, in one of the usual languages.
fn is_header(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "fn",
        "def",
        "func",
        "fun",
        "function",
        "class",
        "struct",
        "impl",
        "trait",
        "interface",
        "enum",
        "mod",
        "module",
        "namespace",
        "sub",
        "proc",
        "macro_rules!",
        "describe",
        "test",
        "it",
    ];
    const CONTROL: &[&str] = &[
        "if",
        "else",
        "for",
        "foreach",
        "while",
        "until",
        "unless",
        "switch",
        "match",
        "select",
        "when",
        "case",
        "default",
        "do",
        "loop",
        "try",
        "catch",
        "except",
        "finally",
        "rescue",
        "ensure",
        "with",
        "using",
        "lock",
        "synchronized",
        "return",
        "elif",
        "elsif",
        "elseif",
        "let",
        "var",
        "const",
        "await",
        "yield",
        "throw",
        "raise",
        "assert",
        "defer",
        "go",
        "unsafe",
        "async",
    ];
    if is_preamble(text) || text.ends_with([';', ',']) {
        return false;
    }
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '!'));
    if words
        .clone()
        .filter(|w| !w.is_empty())
        .take(6)
        .any(|w| WORDS.contains(&w))
    {
        return true;
    }
    // An arm of a `match` ends like a callback of JavaScript, but closes all that it opens.
    let arm = text.ends_with("=> {") && text.matches('(').count() == text.matches(')').count();
    let control = arm
        || words
            .next()
            .is_none_or(|first| first.is_empty() || CONTROL.contains(&first));
    !control && text.contains('(') && text.ends_with(['{', ')', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head that is found for a change of the line that contains `<<`.
    fn head_of(text: &str) -> Option<&str> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let at = lines.iter().position(|l| l.contains("<<")).unwrap() + 1;
        let hunk = Hunk {
            old_start: at as u32,
            old_lines: 1,
            new_start: at as u32,
            new_lines: 0,
            section: String::new(),
            body: format!("-{}", lines[at - 1]),
        };
        enclosing_function(&hunk, at, &lines, 1).map(|no| lines[no - 1].trim())
    }

    #[test]
    fn heads_of_functions_are_found_in_the_usual_languages() {
        for (text, head) in [
            ("fn a() {\n    if x {\n        y <<\n", "fn a() {"),
            (
                "impl A {\n    pub fn b(\n        self,\n    ) -> C {\n        d <<\n",
                "pub fn b(",
            ),
            (
                "int main(int c)\n{\n\tif (c)\n\t{\n\t\tf(); <<\n",
                "int main(int c)",
            ),
            (
                "class A:\n    def b(self):\n        for c in d:\n            e <<\n",
                "def b(self):",
            ),
            ("class A {\n  foo(bar) {\n    return 1 <<\n", "foo(bar) {"),
            (
                "func (s *S) Run() error {\n\tif err := s.x(); err != nil {\n\t\treturn <<\n",
                "func (s *S) Run() error {",
            ),
            (
                "fn a() {\n    match b {\n        Ok(c) => {\n            d <<\n",
                "fn a() {",
            ),
            (
                "app.get(\"/\", (a, b) => {\n  c <<\n",
                "app.get(\"/\", (a, b) => {",
            ),
            (
                "fn a<T>(t: T)\nwhere\n    T: X,\n{\n    t <<\n",
                "fn a<T>(t: T)",
            ),
            (
                "  public void a() throws E {\n    try {\n      b(); <<\n",
                "public void a() throws E {",
            ),
        ] {
            assert_eq!(head_of(text), Some(head), "{text}");
        }
    }

    #[test]
    fn a_changed_head_encloses_itself() {
        assert_eq!(
            head_of("mod tests {\n    fn a() {} // <<\n"),
            Some("fn a() {} // <<")
        );
    }

    #[test]
    fn top_level_text_has_no_head() {
        assert_eq!(head_of("fn a() {}\n\nuse b; <<\n"), None);
        assert_eq!(head_of("A title\n\nText <<\n"), None);
    }
}
