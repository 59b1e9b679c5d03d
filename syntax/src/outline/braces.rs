//! Functions of languages with braces: a stack of open brackets, and a look at what stands before each `{`.

use super::FunctionSpan;
use super::heads::{self, Head, Place};
use super::tokens::{self, Branch, Piece, Token, TokenKind};
use super::{expressions, members, script};
use crate::language::Language;

/// The most brackets that are open at once, and the most branches of a preprocessor: no hand writes more, and each `{` is
/// read with all that is open around it.
const MAX_DEPTH: usize = 256;

/// The most tokens of a head that holds braces: each of its braces is read with all that stands before it.
const MAX_HEAD: usize = 2_000;

/// An open bracket.
#[derive(Debug, Clone)]
struct Group {
    open: u8,
    /// Where the statement begins that is read now, as an index of tokens.
    statement: usize,
    /// What a `{` opened.
    head: Option<Head>,
    /// Whether members stand in it, and no statements.
    holds_members: bool,
    /// A type in a head, such as `f(): {a: string} {`: the statement goes on behind it.
    resumes: Option<usize>,
}

/// The state between two tokens.
#[derive(Debug, Clone)]
struct Reader<'t> {
    language: Language,
    tokens: Vec<Token<'t>>,
    groups: Vec<Group>,
    /// Where the statement outside of all brackets begins.
    statement: usize,
}

pub(super) fn functions(language: Language, text: &str) -> Vec<FunctionSpan> {
    let mut reader = Reader {
        language,
        tokens: Vec::new(),
        groups: Vec::new(),
        statement: 0,
    };
    let mut found = Vec::new();
    // The brackets that were open at each `#if`: every branch of it begins with them.
    let mut branches: Vec<Vec<Group>> = Vec::new();
    let pieces = tokens::read(language, text);
    for &piece in &pieces {
        if reader.groups.len().max(branches.len()) > MAX_DEPTH {
            break;
        }
        match piece {
            Piece::Token(token) => reader.take(token, &mut found),
            Piece::Branch(Branch::Open) => branches.push(reader.groups.clone()),
            Piece::Branch(Branch::Other) => {
                if let Some(groups) = branches.last() {
                    reader.groups.clone_from(groups);
                }
            }
            Piece::Branch(Branch::Close) => {
                branches.pop();
            }
        }
    }
    if expressions::knows(language) {
        expressions::merge(&mut found, expressions::functions(language, text, &pieces));
    }
    found
}

impl<'t> Reader<'t> {
    fn take(&mut self, token: Token<'t>, found: &mut Vec<FunctionSpan>) {
        let index = self.tokens.len();
        self.tokens.push(token);
        match token.kind {
            TokenKind::Mark(open @ (b'(' | b'[')) => {
                let head = self.subshell(open, index);
                self.groups.push(Group {
                    open,
                    statement: index + 1,
                    head,
                    holds_members: false,
                    resumes: None,
                });
            }
            TokenKind::Mark(close @ (b')' | b']')) => self.close_bracket(close, token, found),
            TokenKind::Mark(b'{') => self.open_brace(index),
            TokenKind::Mark(b'}') => self.close_brace(token.line, index, found),
            TokenKind::Mark(b';') => self.set_statement(index + 1),
            TokenKind::Mark(b',') if self.separates() => self.set_statement(index + 1),
            _ => {}
        }
    }

    /// Whether a comma here ends what may become a head: in arguments, and in the objects of scripts.
    fn separates(&self) -> bool {
        match self.groups.last() {
            Some(group) => {
                group.open != b'{'
                    || (self.language == Language::Script
                        && group.head.is_none()
                        && !script::is_in_type(&self.tokens[group.statement..]))
            }
            None => false,
        }
    }

    fn set_statement(&mut self, index: usize) {
        match self.groups.last_mut() {
            Some(group) => group.statement = index,
            None => self.statement = index,
        }
    }

    fn statement(&self) -> usize {
        self.groups
            .last()
            .map_or(self.statement, |group| group.statement)
    }

    /// The head of a function of shells whose body is a subshell: `name() (`.
    fn subshell(&self, open: u8, index: usize) -> Option<Head> {
        if self.language != Language::Shell || open != b'(' {
            return None;
        }
        let tokens = &self.tokens[self.statement()..index];
        let (name, head) = heads::shell(tokens).filter(|_| tokens[tokens.len() - 1].is(b')'))?;
        Some(Head::Function {
            name,
            start: tokens[head].line,
            line: tokens[head].line,
        })
    }

    /// A bracket that was never opened in this block is passed over: text that is cut must not close what is outside.
    fn close_bracket(&mut self, close: u8, token: Token<'t>, found: &mut Vec<FunctionSpan>) {
        let open = if close == b')' { b'(' } else { b'[' };
        let from = self
            .groups
            .iter()
            .rposition(|group| group.open == b'{')
            .map_or(0, |brace| brace + 1);
        let Some(at) = self.groups[from..]
            .iter()
            .rposition(|group| group.open == open)
        else {
            return;
        };
        match &self.groups[from + at].head {
            // `case x in a)` closes nothing.
            Some(Head::Function { line, .. }) if !token.opens_line && *line != token.line => {}
            head => {
                push_function(head.as_ref(), token.line, found);
                self.groups.truncate(from + at);
            }
        }
    }

    fn open_brace(&mut self, index: usize) {
        let statement = self.statement();
        let tokens = &self.tokens[statement..index];
        let resumes = (tokens.len() < MAX_HEAD
            && heads::goes_on_after_braces(self.language, tokens))
        .then_some(statement);
        let head = match resumes {
            Some(_) => None,
            None => self.head(statement, index),
        };
        let holds_members = match self.language {
            Language::Script => {
                let before = index.checked_sub(1).map(|before| &self.tokens[before]);
                script::holds_members(tokens, before)
            }
            _ => matches!(head, Some(Head::Type { .. })),
        };
        self.groups.push(Group {
            open: b'{',
            statement: index + 1,
            head,
            holds_members,
            resumes,
        });
    }

    /// What the brace at `index` opens, whose statement begins at `statement`.
    fn head(&self, statement: usize, index: usize) -> Option<Head> {
        let place = Place {
            holders: self
                .groups
                .iter()
                .filter_map(|group| group.head.as_ref())
                .collect(),
            is_outermost: self.groups.is_empty(),
            among_members: self.groups.last().is_some_and(|group| group.holds_members),
        };
        if statement < index {
            return heads::read(self.language, &self.tokens[statement..index], &place);
        }
        let line = self.tokens[index].line;
        match self.language {
            Language::C if !place.in_function() => members::old_style(&self.tokens[..index]),
            // A block between the members of a class initializes it.
            Language::Java if place.among_members && !place.in_function() => Some(Head::Function {
                name: String::new(),
                start: line,
                line,
            }),
            _ => None,
        }
    }

    fn close_brace(&mut self, line: usize, index: usize, found: &mut Vec<FunctionSpan>) {
        let Some(at) = self.groups.iter().rposition(|group| group.open == b'{') else {
            return self.set_statement(index + 1);
        };
        let group = self.groups.swap_remove(at);
        self.groups.truncate(at);
        self.set_statement(group.resumes.unwrap_or(index + 1));
        push_function(group.head.as_ref(), line, found);
    }
}

/// What a bracket on the line `end` closes, where it is a function.
fn push_function(head: Option<&Head>, end: usize, found: &mut Vec<FunctionSpan>) {
    if let Some(Head::Function { name, start, line }) = head {
        found.push(FunctionSpan {
            name: name.clone(),
            start: *start,
            head: *line,
            end,
        });
    }
}
