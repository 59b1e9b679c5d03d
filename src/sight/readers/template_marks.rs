//! What of a template is code: the words between its marks, without texts in quotes.

use super::super::words::{self, is_name};
use super::place::line_of;

/// Whether a file is a template; those of Blade are PHP for everybody else.
pub(super) fn is_template(path: &str) -> bool {
    words::is_template(path) || path.ends_with(".blade.php")
}

/// How the code of templates begins and ends.
const MARKS: [(&str, &str); 9] = [
    ("{{", "}}"),
    ("{%", "%}"),
    ("<%", "%>"),
    ("${", "}"),
    ("#{", "}"),
    ("<#", ">"),
    ("</#", ">"),
    ("@{", "}"),
    ("<?php", "?>"),
];

/// What begins code that goes on to the end of its line, or of its brackets, in templates of Blade and Razor.
const OPEN_MARK: char = '@';

/// A piece of code of a template.
pub(super) struct MarkedCode<'t> {
    /// The line on which it begins.
    pub(super) line: u32,
    pub(super) code: &'t str,
}

/// The pieces of code of a template, in their order.
pub(super) fn marked_code<'t>(path: &str, text: &'t str) -> Vec<MarkedCode<'t>> {
    if has_bare_lines(path) {
        let lines = text.lines().zip(1_u32..);
        return lines
            .map(|(code, line)| MarkedCode { line, code })
            .collect();
    }
    let has_open = [".blade.php", ".cshtml", ".razor"]
        .iter()
        .any(|ending| path.ends_with(ending));
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some((start, length)) = next_mark(text, at, has_open) {
        let code = &text[start..start + length];
        let is_remark = ["{{!", "{{--", "<%#", "<%--", "<#--"]
            .iter()
            .any(|begin| code.starts_with(begin));
        line += line_of(&text[at..start], start - at) - 1;
        if !is_remark {
            found.push(MarkedCode { line, code });
        }
        line += line_of(code, length) - 1;
        at = start + length;
    }
    found
}

/// Whether a template has no marks around its code.
fn has_bare_lines(path: &str) -> bool {
    [".pug", ".jade", ".haml", ".slim"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

/// Where the next piece of code begins, and how long it is.
fn next_mark(text: &str, from: usize, has_open: bool) -> Option<(usize, usize)> {
    let places = text[from..].char_indices().map(|(at, _)| from + at);
    let mut begun = places.filter_map(|at| {
        let rest = &text[at..];
        let closed = MARKS
            .iter()
            .find(|(open, _)| rest.starts_with(open))
            .map(|(open, close)| {
                let inner = &rest[open.len()..];
                let end = inner.find(close).map(|end| end + close.len());
                open.len() + end.unwrap_or(inner.len())
            });
        let is_open = has_open && rest.starts_with(OPEN_MARK);
        let length = closed.or_else(|| is_open.then(|| open_length(rest)))?;
        Some((at, length))
    });
    begun.next()
}

/// How long code is that begins with `@`: to the end of its brackets, or of its line.
fn open_length(rest: &str) -> usize {
    let line = rest.find('\n').unwrap_or(rest.len());
    let word = rest[1..]
        .find(|c: char| !is_name(c))
        .map_or(rest.len(), |end| end + 1);
    let behind = rest[word..].starts_with('(').then(|| &rest[word..]);
    let closed = behind.and_then(super::super::above::behind_brackets);
    closed.map_or(line.max(1), |behind| rest.len() - behind.len())
}

/// The words of code that stand in no text; where all words count, those of texts as well.
pub(super) fn words_of_code<'t>(
    marked: &MarkedCode<'t>,
) -> impl Iterator<Item = (u32, &'t str)> + use<'t> {
    let is_told = marked.code.starts_with(OPEN_MARK);
    let mut found = Vec::new();
    let mut quote = None;
    let mut start = None;
    let mut line = marked.line;
    for (at, sign) in marked.code.char_indices().chain([(marked.code.len(), ' ')]) {
        if is_name(sign) {
            start = start.or(Some(at));
            continue;
        }
        if let Some(begun) = start.take().filter(|_| is_told || quote.is_none()) {
            found.push((line, &marked.code[begun..at]));
        }
        match (sign, quote) {
            ('"' | '\'' | '`', None) => quote = Some(sign),
            (_, Some(open)) if open == sign => quote = None,
            ('\n', _) => (line, quote) = (line + 1, None),
            _ => {}
        }
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words_in(path: &str, text: &str) -> Vec<String> {
        let marked = marked_code(path, text);
        let words = marked.iter().flat_map(words_of_code);
        words.map(|(line, word)| format!("{line}{word}")).collect()
    }

    #[test]
    fn the_words_of_code_are_told_from_those_of_the_page() {
        for (path, text, expected) in [
            (
                "a.html",
                "<b>sum {{ total|cut:\"price\" }}</b>\n{% if big %}x{% endif %}\n",
                &["1total", "1cut", "2if", "2big", "2endif"][..],
            ),
            (
                "a.erb",
                "<%# no %>\n<%= price %> of <%=\n  tax\n%>\n",
                &["2price", "3tax"],
            ),
            (
                "a.ejs",
                "<%- include('row', { item }) %>\n",
                &["1include", "1item"],
            ),
            (
                "a.blade.php",
                "@props([\n  'cents',\n])\n<b>{{ $cents }}</b>\n",
                &["1props", "2cents", "4cents"],
            ),
            (
                "a.cshtml",
                "<b>@Model.Total now</b>\n",
                &["1Model", "1Total", "1now", "1b"],
            ),
            (
                "a.ftl",
                "<#macro row item>${item.sum}</#macro>\n",
                &["1macro", "1row", "1item", "1item", "1sum", "1macro"],
            ),
            ("a.pug", "b= price\n", &["1b", "1price"]),
            (
                "a.hbs",
                "{{!-- no --}}{{> row sum=price}}",
                &["1row", "1sum", "1price"],
            ),
        ] {
            assert_eq!(words_in(path, text), expected, "{path} {text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_template_is_read_to_its_end(text in "[a-z{}%<>@#$()'\"\nä ]{0,60}") {
            words_in("a.html", &text);
        }
    }
}
