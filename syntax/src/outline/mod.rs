//! Where functions begin and end, in any language whose comments and strings are known.

mod braces;
mod expressions;
mod heads;
mod indent;
mod index;
mod keywords;
mod members;
mod script;
#[cfg(test)]
mod tests;
mod tokens;

pub use index::FunctionIndex;

use crate::language::Language;

/// A function with a body, by lines from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSpan {
    /// As it is called; empty for a function without a name that is passed on (a callback).
    pub name: String,
    /// Its first line: that of the first attribute, decorator or modifier.
    pub start: usize,
    /// The line of its name, or of the keyword that opens it.
    pub head: usize,
    /// Its last line.
    pub end: usize,
}

impl FunctionSpan {
    /// Whether a line belongs to it.
    pub fn contains(&self, line: usize) -> bool {
        (self.start..=self.end).contains(&line)
    }
}

/// Whether functions of a language are found.
pub fn is_known(language: Language) -> bool {
    matches!(language, Language::Python | Language::Ruby | Language::Lua) || heads::knows(language)
}

/// Every function of a file that has a body, outer ones before those that they hold.
///
/// Text that is not in `language`, is cut off, or mixes several languages gives fewer functions, never a panic.
pub fn functions(language: Language, text: &str) -> Vec<FunctionSpan> {
    let mut found = match language {
        Language::Python => indent::python(text),
        Language::Ruby | Language::Lua => indent::closed_by_end(language, text),
        language if heads::knows(language) => braces::functions(language, text),
        _ => Vec::new(),
    };
    found.sort_by_key(|function| (function.start, std::cmp::Reverse(function.end)));
    found
}

/// The smallest of `functions` with a name that holds a line, else the smallest without one.
pub fn enclosing(functions: &[FunctionSpan], line: usize) -> Option<&FunctionSpan> {
    smallest(functions.iter().filter(|function| function.contains(line)))
}

/// The smallest function with a name, else the smallest without one: a callback alone tells little.
pub fn smallest<'f>(
    functions: impl Iterator<Item = &'f FunctionSpan> + Clone,
) -> Option<&'f FunctionSpan> {
    let length = |function: &&FunctionSpan| function.end - function.start;
    let named = functions
        .clone()
        .filter(|function| !function.name.is_empty());
    named
        .min_by_key(length)
        .or_else(|| functions.min_by_key(length))
}
