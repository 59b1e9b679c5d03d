//! Which functions a hunk changes: read from the file's outline, else guessed by indentation and by the section that git found.

use council_protocol::{Hunk, LineKind};
use council_syntax::language::Language;
use council_syntax::outline::{self, FunctionSpan};

/// The functions of a file's old side.
pub(super) struct FileOutline {
    functions: Vec<FunctionSpan>,
    /// Whether the language is one whose functions are known: then a line without a function stands outside of all.
    is_known: bool,
}

/// The lines of the old side that a reader of a hunk wants to see, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WantedLines {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl FileOutline {
    pub(super) fn read(path: &str, text: &str) -> Self {
        let language = Language::from_path(path);
        Self {
            functions: outline::functions(language, text),
            is_known: language.is_code(),
        }
    }

    /// The functions around the first and the last change of a hunk whose first old line is `first`, if neither is longer
    /// than `longest` lines. None: what is changed stands in no function, or in one too long to be shown.
    pub(super) fn changed_functions(
        &self,
        hunk: &Hunk,
        first: usize,
        longest: usize,
    ) -> Option<WantedLines> {
        let places = changed_places(hunk, first);
        let around = |place: &ChangedPlace| {
            let inside = self
                .functions
                .iter()
                .filter(|function| place.is_inside(function));
            outline::smallest(inside).filter(|function| function.end - function.start < longest)
        };
        let (top, bottom) = (places.first()?, places.last()?);
        let (above, below) = (around(top), around(bottom));
        let start = above.map_or(top.line, |function| function.start);
        let end = below.map_or(bottom.line, |function| function.end);
        (above.is_some() || below.is_some()).then_some(WantedLines { start, end })
    }

    /// Whether nothing but the outline is needed to say that a line stands in no function.
    pub(super) fn is_known(&self) -> bool {
        self.is_known
    }

    /// Whether a change of this hunk stands in some function.
    pub(super) fn is_in_function(&self, hunk: &Hunk, first: usize) -> bool {
        let places = changed_places(hunk, first);
        let inside = |place: &ChangedPlace| {
            self.functions
                .iter()
                .any(|function| place.is_inside(function))
        };
        places.iter().any(inside)
    }
}

/// A changed line of code, by its place on the old side.
#[derive(Debug, Clone, Copy)]
struct ChangedPlace {
    /// A removed line's own number; for an added one that of the old line behind it.
    line: usize,
    is_added: bool,
}

impl ChangedPlace {
    /// A line that is added above a function's first line does not belong to it.
    fn is_inside(&self, function: &FunctionSpan) -> bool {
        function.contains(self.line) && !(self.is_added && self.line == function.start)
    }
}

fn changed_places(hunk: &Hunk, first: usize) -> Vec<ChangedPlace> {
    let (mut at, mut places) = (first, Vec::new());
    for line in hunk.lines() {
        if line.kind != LineKind::Context && !line.text.trim().is_empty() {
            places.push(ChangedPlace {
                line: at,
                is_added: line.kind == LineKind::Added,
            });
        }
        at += usize::from(line.kind != LineKind::Added);
    }
    places
}

/// Which lines are taken for heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heads {
    /// Those with a word such as `class` or `fn`.
    WithKeyword,
    /// Those, and what only looks like one: `int main(int c)`.
    Likely,
}

/// The line (from 1) on which the enclosing function begins, not above `lowest`; `first` is the hunk's first line on the
/// old side. A line at or below `first` means that the hunk shows it already. None: nothing was recognised.
///
/// A guess, for languages without an outline and for functions too long to be shown.
pub(super) fn enclosing_function(
    hunk: &Hunk,
    first: usize,
    lines: &[&str],
    (lowest, heads): (usize, Heads),
) -> Option<usize> {
    let (at, changed) = first_change(hunk, first)?;
    if is_header(changed.trim(), heads) {
        return Some(at);
    }
    let depth = indent_width(changed);
    by_indent(lines, at, depth, (lowest, heads)).or_else(|| {
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
fn by_indent(
    lines: &[&str],
    at: usize,
    depth: usize,
    (lowest, heads): (usize, Heads),
) -> Option<usize> {
    // A line must be indented less than this to enclose the change.
    let mut below = depth;
    for no in (lowest..at).rev() {
        let line = lines.get(no - 1)?;
        let text = line.trim();
        let depth = indent_width(line);
        if text.is_empty() || depth >= below {
            continue;
        }
        if is_header(text, heads) {
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
fn is_header(text: &str, heads: Heads) -> bool {
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
    if heads == Heads::WithKeyword {
        return false;
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
        enclosing_function(&hunk, at, &lines, (1, Heads::Likely)).map(|no| lines[no - 1].trim())
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
