//! Functions whose body is one expression over several lines: `const a = () => (`, `fun a() =`, `int A() =>`.

use std::collections::HashMap;

use super::FunctionSpan;
use super::heads::groups;
use super::script;
use super::tokens::{Piece, Token, TokenKind};
use crate::language::Language;

/// The most tokens of a statement in which a head is looked for: each arrow is read with all that stands before it.
const MAX_STATEMENT: usize = 400;

/// In so many calls a function without a name may stand: `export const A = memo(forwardRef((props) => (`.
const MAX_CALLS: usize = 3;

/// A body that has begun.
#[derive(Debug)]
struct OpenBody {
    name: String,
    start: usize,
    head: usize,
    /// The line of the sign behind which it stands.
    sign: usize,
    /// How many brackets are open around it.
    depth: usize,
}

/// A head that may get a body: `fun name(…)`, `def name(…)`.
#[derive(Debug)]
struct OpenHead {
    name: String,
    /// Its first token.
    at: usize,
    depth: usize,
}

struct ExpressionReader<'t> {
    language: Language,
    indents: Vec<usize>,
    tokens: Vec<Token<'t>>,
    /// Where the statement begins that is read now, outside of all brackets and in each one that is open.
    statements: Vec<usize>,
    /// The brackets that are open.
    opens: Vec<usize>,
    head: Option<OpenHead>,
    bodies: Vec<OpenBody>,
    found: Vec<FunctionSpan>,
}

/// Whether functions of a language may be expressions.
pub(super) fn knows(language: Language) -> bool {
    matches!(
        language,
        Language::Script | Language::Kotlin | Language::Scala | Language::CSharp | Language::Dart
    )
}

/// The functions of a file whose body is an expression that ends below the line on which it begins.
pub(super) fn functions(language: Language, text: &str, pieces: &[Piece<'_>]) -> Vec<FunctionSpan> {
    let tokens = pieces.iter().filter_map(|piece| match piece {
        Piece::Token(token) => Some(*token),
        Piece::Branch(_) => None,
    });
    let indent_of = |line: &str| line.len() - line.trim_start().len();
    let mut reader = ExpressionReader {
        language,
        indents: text.lines().map(indent_of).collect(),
        tokens: Vec::new(),
        statements: vec![0],
        opens: Vec::new(),
        head: None,
        bodies: Vec::new(),
        found: Vec::new(),
    };
    for token in tokens {
        reader.take(token);
    }
    reader.close_bodies(0, reader.last_line());
    reader.found
}

impl ExpressionReader<'_> {
    fn last_line(&self) -> usize {
        self.tokens.last().map_or(0, |token| token.line)
    }

    fn depth(&self) -> usize {
        self.statements.len() - 1
    }

    fn indent(&self, line: usize) -> usize {
        self.indents.get(line.wrapping_sub(1)).copied().unwrap_or(0)
    }
}

impl<'t> ExpressionReader<'t> {
    fn take(&mut self, token: Token<'t>) {
        if token.opens_line {
            self.end_at_line(token);
        }
        let index = self.tokens.len();
        let before = self.last_line();
        self.tokens.push(token);
        match token.kind {
            TokenKind::Mark(b'(' | b'[' | b'{') => self.open_bracket(token, index),
            TokenKind::Mark(b')' | b']' | b'}') => self.close_bracket(index, before),
            TokenKind::Mark(b';') => {
                self.close_bodies(self.depth(), token.line);
                self.set_statement(index + 1);
            }
            TokenKind::Mark(b',') if self.separates() => {
                self.close_bodies(self.depth(), before);
                self.set_statement(index + 1);
            }
            TokenKind::Arrow => self.begin_behind_arrow(index),
            TokenKind::Mark(b'=') => self.begin_behind_equals(index),
            TokenKind::Word(word) => self.begin_head(word, index),
            _ => {}
        }
        self.drop_block(token);
    }

    /// Whether a comma ends an expression here: the types of a head go on, and outside of brackets text of JSX may have one.
    fn separates(&self) -> bool {
        let depth = self.depth();
        let in_head = self.head.as_ref().is_some_and(|head| head.depth == depth);
        !in_head && depth > 0
    }

    fn set_statement(&mut self, index: usize) {
        if let Some(statement) = self.statements.last_mut() {
            *statement = index;
        }
        let depth = self.depth();
        if self.head.as_ref().is_some_and(|head| head.depth >= depth) {
            self.head = None;
        }
    }

    fn open_bracket(&mut self, token: Token<'_>, index: usize) {
        let depth = self.depth();
        let is_block = token.is(b'{') && self.bodies.last().is_none_or(|body| body.depth != depth);
        if is_block && self.head.as_ref().is_some_and(|head| head.depth == depth) {
            self.head = None;
        }
        self.statements.push(index + 1);
        self.opens.push(index);
    }

    fn close_bracket(&mut self, index: usize, before: usize) {
        let depth = self.depth();
        if depth == 0 {
            return;
        }
        self.close_bodies(depth, before);
        self.statements.pop();
        self.opens.pop();
        // Behind a block another statement begins, unless it is the value of an expression.
        let is_value = self
            .bodies
            .last()
            .is_some_and(|body| body.depth == depth - 1);
        if self.tokens[index].is(b'}') && !is_value {
            self.set_statement(index + 1);
        }
    }

    /// Ends the bodies that stand in so many brackets, or more, on a line.
    fn close_bodies(&mut self, depth: usize, end: usize) {
        while let Some(body) = self.bodies.pop_if(|body| body.depth >= depth) {
            if end > body.sign {
                self.found.push(FunctionSpan {
                    name: body.name,
                    start: body.start,
                    head: body.head,
                    end,
                });
            }
        }
    }

    /// A line that stands as far out as the head, and does not go on with what is above it, begins something else.
    fn end_at_line(&mut self, token: Token<'_>) {
        let depth = self.depth();
        let goes_on = token.kind == TokenKind::Arrow
            || matches!(token.kind, TokenKind::Mark(mark) if !b"@#[".contains(&mark));
        let ends = |reader: &Self, head: usize| {
            !goes_on && reader.indent(token.line) <= reader.indent(head)
        };
        let has_begun = self
            .tokens
            .last()
            .is_some_and(|last| last.kind != TokenKind::Arrow && !last.is(b'='));
        // In these a semicolon ends every expression.
        let by_lines = !matches!(self.language, Language::CSharp | Language::Dart);
        let body = self
            .bodies
            .last()
            .filter(|body| by_lines && body.depth == depth);
        let head = self.head.as_ref().filter(|head| head.depth == depth);
        if body.is_some_and(|body| has_begun && ends(self, body.head)) {
            self.close_bodies(depth, self.last_line());
            self.set_statement(self.tokens.len());
        } else if head.is_some_and(|head| ends(self, self.tokens[head.at].line)) {
            self.head = None;
        }
        if self.language == Language::Script && self.begins_statement(token) {
            self.set_statement(self.tokens.len());
        }
    }

    /// Whether a word that only begins statements opens a line: no semicolon need stand above it.
    fn begins_statement(&self, token: Token<'_>) -> bool {
        const WORDS: [&str; 8] = [
            "const",
            "let",
            "var",
            "export",
            "type",
            "interface",
            "class",
            "import",
        ];
        let depth = self.depth();
        let is_inner = self.bodies.last().is_some_and(|body| body.depth == depth);
        !is_inner && token.word().is_some_and(|word| WORDS.contains(&word))
    }

    /// What a sign at `index` stands behind, in its statement.
    fn statement_before(&self, index: usize) -> &[Token<'t>] {
        let start = self.statements.last().copied().unwrap_or(0);
        &self.tokens[start.max(index.saturating_sub(MAX_STATEMENT)).min(index)..index]
    }

    fn begin_behind_arrow(&mut self, index: usize) {
        let depth = self.depth();
        if self.bodies.last().is_some_and(|body| body.depth == depth) {
            return;
        }
        let found = match self.language {
            Language::Script => self.script_head(index),
            Language::CSharp | Language::Dart => self.member_head(index),
            _ => None,
        };
        if let Some((name, start, head)) = found {
            self.bodies.push(OpenBody {
                name,
                start,
                head,
                sign: self.tokens[index].line,
                depth,
            });
        }
    }

    /// The arrow of a script that a name holds, or that is given to a call outside of everything.
    fn script_head(&self, index: usize) -> Option<(String, usize, usize)> {
        let start = index - self.statement_before(index).len();
        let tokens = &self.tokens[start..=index];
        let is_type =
            |token: &Token<'_>| matches!(token.word(), Some("type" | "interface" | "function"));
        if tokens.len() < 2 || tokens.iter().take(3).any(is_type) {
            return None;
        }
        let (name, at) = script::arrow(tokens)?;
        let is_outside = || self.opens.len() <= MAX_CALLS && self.is_in_round_brackets();
        if name.is_empty() && !is_outside() {
            return None;
        }
        // `const a: T =⏎  () => (`: the name may stand above the parameters.
        let named = (start..=start + at)
            .rev()
            .find(|&at| self.tokens[at].word() == Some(name.as_str()));
        let head = named.unwrap_or(start + at);
        let first = (0..=head).rev().find(|&at| self.tokens[at].opens_line)?;
        let line = self.tokens[first].line;
        Some((name, line, line))
    }

    fn is_in_round_brackets(&self) -> bool {
        let mut opens = self.opens.iter();
        opens.all(|&at| self.tokens[at].is(b'('))
    }

    /// A member of C# or Dart: a type, a name, perhaps parameters, and the arrow.
    fn member_head(&self, index: usize) -> Option<(String, usize, usize)> {
        let tokens = self.statement_before(index);
        // `n switch { Small s => …`: what stands before these arrows are patterns.
        let before_block = self.opens.last().and_then(|&at| at.checked_sub(1));
        let is_pattern = before_block.is_some_and(|at| self.tokens[at].word() == Some("switch"));
        if is_pattern || is_statement(tokens) {
            return None;
        }
        let name = match tokens.last()?.is(b')') {
            true => groups(tokens).pop()?.0?,
            false => tokens.len() - 1,
        };
        let word = tokens[name].word()?;
        let before = &tokens[name.checked_sub(1)?];
        let is_typed = before.word().is_some_and(|word| word != "async")
            || [b'>', b']', b'?', b'.'].iter().any(|&mark| before.is(mark));
        is_typed.then(|| (word.to_owned(), tokens[0].line, tokens[name].line))
    }

    fn begin_head(&mut self, word: &str, index: usize) {
        let is_keyword = match self.language {
            Language::Kotlin => word == "fun" || self.is_accessor(word, index),
            Language::Scala => word == "def",
            _ => false,
        };
        let depth = self.depth();
        if is_keyword {
            self.head = Some(OpenHead {
                name: if word == "fun" || word == "def" {
                    ""
                } else {
                    word
                }
                .to_owned(),
                at: index,
                depth,
            });
            return;
        }
        // The last word before the brackets is the name: `fun <T : A> List<T>.name(`, `def name: T`.
        let ends = |token: &Token<'_>| {
            token.is(b'(') || self.language == Language::Scala && (token.is(b':') || token.is(b'['))
        };
        if let Some(head) = &mut self.head
            && head.depth == depth
            && index - head.at < MAX_STATEMENT
            && !self.tokens[head.at..index].iter().any(ends)
        {
            head.name = word.to_owned();
        }
    }

    /// `get() =` and `set(value) =` of a property.
    fn is_accessor(&self, word: &str, index: usize) -> bool {
        matches!(word, "get" | "set") && self.tokens[index].opens_line
    }

    fn begin_behind_equals(&mut self, index: usize) {
        let depth = self.depth();
        let before = index.checked_sub(1).map(|before| self.tokens[before]);
        // `==`, `<=`, `!=`
        let is_part = before.is_some_and(
            |token| matches!(token.kind, TokenKind::Mark(mark) if b"=<!".contains(&mark)),
        );
        let Some(head) = self.head.take_if(|head| head.depth == depth && !is_part) else {
            return;
        };
        // `get(1).x = 2` gives a value, and no body.
        let is_given = matches!(head.name.as_str(), "get" | "set")
            && !before.is_some_and(|token| token.is(b')'));
        if is_given && self.tokens[head.at].word() != Some("fun") {
            return;
        }
        let first = (0..=head.at).rev().find(|&at| self.tokens[at].opens_line);
        let line = self.tokens[head.at].line;
        self.bodies.push(OpenBody {
            name: head.name,
            start: first.map_or(line, |at| self.tokens[at].line),
            head: line,
            sign: self.tokens[index].line,
            depth,
        });
    }

    /// What opens a block behind an arrow is a body with a block, which is found by its braces.
    fn drop_block(&mut self, token: Token<'_>) {
        let index = self.tokens.len() - 1;
        let is_behind_arrow = index > 0 && self.tokens[index - 1].kind == TokenKind::Arrow;
        let depth = self.depth();
        if token.is(b'{') && is_behind_arrow && self.language != Language::Scala {
            self.bodies.pop_if(|body| body.depth + 1 == depth);
        }
    }
}

/// Whether what stands before an arrow is a part of a statement, and no head.
fn is_statement(tokens: &[Token<'_>]) -> bool {
    const WORDS: [&str; 9] = [
        "return", "new", "case", "when", "throw", "await", "is", "switch", "select",
    ];
    let mut depth = 0_usize;
    tokens.iter().any(|token| {
        match token.kind {
            TokenKind::Mark(b'(' | b'[') => depth += 1,
            TokenKind::Mark(b')' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_part = token.is(b'=') || token.word().is_some_and(|word| WORDS.contains(&word));
        depth == 0 && is_part
    })
}

/// Functions found by their braces, with those that are expressions: where both have a head, the longer one is whole.
pub(super) fn merge(found: &mut Vec<FunctionSpan>, expressions: Vec<FunctionSpan>) {
    let mut by_head: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, one) in found.iter().enumerate() {
        by_head.entry(one.head).or_default().push(index);
    }
    for expression in expressions {
        let known = by_head.get(&expression.head).into_iter().flatten();
        let same = known
            .copied()
            .find(|&index| found[index].name == expression.name);
        match same {
            Some(index) => found[index].end = found[index].end.max(expression.end),
            None => found.push(expression),
        }
    }
}
