//! What of a change behaves otherwise than before: neither comments nor docstrings, nor how its code is laid out.

use council_syntax::language::Language;
use council_syntax::lexer::{Lexer, SpanKind, is_word};

use super::telling::is_product_code;
use crate::git::{ChangedLines, LineSpan};

/// Whether a changed file is code that the product is made of.
pub(super) fn is_product_file(file: &ChangedLines) -> bool {
    is_product_code(&String::from_utf8_lossy(&file.path))
}

/// The files of product code whose behaviour a commit changes, each with the spans that do.
pub(super) fn behaving_files(files: &[ChangedLines]) -> Vec<ChangedLines> {
    let code = files.iter().filter(|file| is_product_file(file));
    let behaving = code.map(|file| ChangedLines {
        path: file.path.clone(),
        old_path: file.old_path.clone(),
        is_removed: file.is_removed,
        spans: Some(behaving_spans(file)),
        texts: None,
    });
    let has_spans = |file: &ChangedLines| file.spans.as_ref().is_some_and(|s| !s.is_empty());
    behaving.filter(has_spans).collect()
}

/// The spans of a file whose code differs, as far as the texts of both sides are known: a line alone does not say whether
/// it stands in a docstring.
fn behaving_spans(file: &ChangedLines) -> Vec<LineSpan> {
    let spans = file.spans.as_deref().unwrap_or_default();
    let Some(texts) = &file.texts else {
        return spans.to_vec();
    };
    let language = Language::from_path(&String::from_utf8_lossy(&file.path));
    let [old, new] = [&texts.old, &texts.new]
        .map(|text| CodeTokens::of_text(&String::from_utf8_lossy(text), language));
    if old.is_same(&new) {
        return Vec::new();
    }
    let differs = |span: &&LineSpan| {
        let old = old.of_lines(span.old_start, span.removed.len());
        !old.eq(new.of_lines(span.new_start, span.added.len()))
    };
    let telling: Vec<LineSpan> = spans.iter().filter(differs).cloned().collect();
    // A mark of a comment that goes alone makes code of lines that no span has.
    match telling.is_empty() {
        true => spans.to_vec(),
        false => telling,
    }
}

/// The code of a text line by line, without what only readers see.
struct CodeTokens {
    lines: Vec<Vec<String>>,
}

impl CodeTokens {
    fn of_text(text: &str, language: Language) -> Self {
        let mut reader = TokenReader::new(language);
        for line in text.lines() {
            reader.read_line(line);
        }
        reader.end_statement();
        Self {
            lines: reader.lines,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.lines.iter().flatten().eq(other.lines.iter().flatten())
    }

    /// The tokens of some lines, from 1.
    fn of_lines(&self, first: u32, count: usize) -> impl Iterator<Item = &String> {
        let before = (first as usize).saturating_sub(1);
        self.lines.iter().skip(before).take(count).flatten()
    }
}

/// Where the end of a line ends a statement, it is a token of its own.
const LINE_START: &str = "\n";

struct TokenReader {
    language: Language,
    lexer: Lexer,
    /// Brackets that are open: within them the end of a line says nothing.
    depth: usize,
    /// Whether a backslash joins the next line.
    is_joined: bool,
    lines: Vec<Vec<String>>,
    /// The first line of the statement that is under way, and whether it is a text and nothing else so far.
    statement: usize,
    is_text: bool,
}

impl TokenReader {
    fn new(language: Language) -> Self {
        Self {
            language,
            lexer: Lexer::new(language),
            depth: 0,
            is_joined: false,
            lines: Vec::new(),
            statement: 0,
            is_text: true,
        }
    }

    fn read_line(&mut self, text: &str) {
        let begins = !self.lexer.is_in_literal() && self.depth == 0 && !self.is_joined;
        if begins {
            self.end_statement();
        }
        let mut tokens = Vec::new();
        self.push_tokens(text, &mut tokens);
        if begins && !tokens.is_empty() && self.ends_statements() {
            tokens.insert(0, self.line_start(text));
        }
        self.lines.push(tokens);
    }

    /// A statement that is a text alone is a docstring.
    fn end_statement(&mut self) {
        if self.is_text && self.language == Language::Python {
            self.lines[self.statement..].iter_mut().for_each(Vec::clear);
        }
        (self.statement, self.is_text) = (self.lines.len(), true);
    }

    fn ends_statements(&self) -> bool {
        use Language::{CSharp, Dart, Java, Php, Rust};
        !matches!(self.language, Rust | Java | CSharp | Php | Dart)
    }

    fn line_start(&self, text: &str) -> String {
        let blanks = text.len() - text.trim_start().len();
        match self.language {
            Language::Python => format!("{LINE_START}{}", &text[..blanks]),
            _ => LINE_START.to_owned(),
        }
    }

    fn push_tokens(&mut self, text: &str, tokens: &mut Vec<String>) {
        let mut spans = Vec::new();
        self.lexer.lex_line(text, &mut spans);
        let mut at = 0;
        for span in spans {
            self.push_code(&text[at..span.start], tokens);
            if span.part == SpanKind::Literal {
                tokens.push(text[span.start..span.end].to_owned());
            }
            at = span.end;
        }
        self.push_code(&text[at..], tokens);
        self.is_joined = self.language == Language::Python && text.ends_with('\\');
    }

    fn push_code(&mut self, code: &str, tokens: &mut Vec<String>) {
        let mut word = String::new();
        for c in code.chars() {
            if is_word(c) {
                word.push(c);
                continue;
            }
            self.push_word(&mut word, tokens);
            if !c.is_whitespace() && c != '\\' {
                self.is_text = false;
                self.note_bracket(c);
                tokens.push(c.to_string());
            }
        }
        self.push_word(&mut word, tokens);
    }

    fn push_word(&mut self, word: &mut String, tokens: &mut Vec<String>) {
        if word.is_empty() {
            return;
        }
        // `r"""…"""` is a docstring, too.
        self.is_text &= word.len() <= 2 && word.chars().all(|c| "rubRUB".contains(c));
        tokens.push(std::mem::take(word));
    }

    fn note_bracket(&mut self, c: char) {
        let is_python = self.language == Language::Python;
        match c {
            '(' | '[' => self.depth += 1,
            ')' | ']' => self.depth = self.depth.saturating_sub(1),
            '{' if is_python => self.depth += 1,
            '}' if is_python => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "behaviour_tests.rs"]
mod tests;
