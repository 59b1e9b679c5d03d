//! Patterns of a table, compiled when they are asked for: most reviews never ask for most of them.

use std::ops::Deref;
use std::sync::OnceLock;

use regex::{Regex, RegexSet};

use crate::dialect::{compile_pattern, compile_set};

/// Who wrote a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableAuthor {
    /// This project: a test compiles all of its patterns, so that they need not be compiled to be trusted. Compiling them at
    /// the start took two thirds of a small review.
    Project,
    /// Somebody else, who is told at once which pattern is wrong.
    User,
}

/// A pattern, or a set of them, that is compiled at its first use.
#[derive(Debug)]
pub(crate) struct LazyPattern<R> {
    source: Vec<String>,
    compile: fn(&[String]) -> Result<R, regex::Error>,
    compiled: OnceLock<R>,
}

impl<R> LazyPattern<R> {
    fn new(
        author: TableAuthor,
        source: Vec<String>,
        compile: fn(&[String]) -> Result<R, regex::Error>,
    ) -> Result<Self, regex::Error> {
        let compiled = match author {
            TableAuthor::Project => OnceLock::new(),
            TableAuthor::User => compile(&source)?.into(),
        };
        Ok(Self {
            source,
            compile,
            compiled,
        })
    }
}

impl LazyPattern<Regex> {
    pub(crate) fn one(author: TableAuthor, pattern: String) -> Result<Self, regex::Error> {
        Self::new(author, vec![pattern], |source| compile_pattern(&source[0]))
    }
}

impl LazyPattern<RegexSet> {
    pub(crate) fn any_of(author: TableAuthor, patterns: Vec<String>) -> Result<Self, regex::Error> {
        Self::new(author, patterns, compile_set)
    }
}

impl<R> Deref for LazyPattern<R> {
    type Target = R;

    fn deref(&self) -> &R {
        #[expect(
            clippy::expect_used,
            reason = "a test compiles the built-in table, and a user's is compiled when it is read"
        )]
        self.compiled
            .get_or_init(|| (self.compile)(&self.source).expect("a constant pattern compiles"))
    }
}
