//! Definitions that need more than the word before their name: members of an enum, names behind a `typedef`, functions that
//! are one expression.

use council_syntax::language::Language;

use council_syntax::outline::FunctionSpan;

use super::definitions::{body_end, indent_of};
use super::words::is_name;

/// A function's name as callers write it: `self.save` and `M.save` are called `save`.
pub(super) fn bare_name(language: Language, name: &str) -> String {
    match language {
        Language::Ruby | Language::Lua => name.rsplit(['.', ':']).next().unwrap_or(name),
        _ => name,
    }
    .to_owned()
}

/// A function without a block: `fun f(a: Int) = a + 1`, `def f(a: Int): Int = a`, `int F(int a) => 1;`.
pub(super) fn expression_function(language: Language, code: &str) -> Option<String> {
    match language {
        Language::Kotlin => after_keyword(code, "fun"),
        Language::Scala => after_keyword(code, "def"),
        Language::CSharp | Language::Dart => arrow_method(code),
        _ => None,
    }
}

/// The property that a line of Kotlin declares: `private val name: T`, `override val List<T>.name`, `val name by lazy {`.
pub(super) fn kotlin_property(code: &str) -> Option<String> {
    let keyword = ["val ", "var "]
        .iter()
        .filter_map(|word| Some((code.find(word)?, word.len())));
    let (at, length) = keyword.min()?;
    let is_modifier = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_@:.".contains(c);
    let is_begun = code[..at]
        .chars()
        .next_back()
        .is_none_or(char::is_whitespace);
    if !is_begun || !code[..at].chars().all(is_modifier) {
        return None;
    }
    let rest = code[at + length..].trim_start();
    let rest = match rest.strip_prefix('<') {
        Some(generic) => generic.split_once('>')?.1,
        None => rest,
    };
    let head = rest
        .split(" by ")
        .next()?
        .split([':', '=', '{', '('])
        .next()?;
    last_word(head)
}

/// Whether a function of Kotlin is a part of a property: what it is read by, or what makes its value.
pub(super) fn is_of_property(language: Language, lines: &[&str], function: &FunctionSpan) -> bool {
    let head = lines
        .get(function.head.wrapping_sub(1))
        .copied()
        .unwrap_or_default();
    language == Language::Kotlin
        && (is_accessor(head) || kotlin_property(head).as_ref() == Some(&function.name))
}

/// `get() = …`, `private set`, `set(value) {`.
fn is_accessor(code: &str) -> bool {
    const MODIFIERS: [&str; 6] = [
        "private",
        "protected",
        "internal",
        "inline",
        "external",
        "override",
    ];
    let mut words = code.split_whitespace();
    let rest = words.find(|word| !MODIFIERS.contains(word) && !word.starts_with('@'));
    rest.is_some_and(|word| {
        matches!(word, "get" | "set") || word.starts_with("get(") || word.starts_with("set(")
    })
}

/// Where a property of Kotlin ends whose accessors stand below it.
pub(super) fn end_of_accessors(
    language: Language,
    (lines, masked): (&[&str], &[String]),
    start: usize,
    mut end: usize,
) -> usize {
    /// The most lines of one accessor.
    const MAX_ACCESSOR: usize = 200;
    let Some(head) = masked
        .get(start - 1)
        .filter(|head| language == Language::Kotlin && kotlin_property(head).is_some())
    else {
        return end;
    };
    loop {
        let below = masked.iter().enumerate().skip(end);
        let next = below
            .map(|(index, code)| (index + 1, code))
            .find(|(_, code)| !code.trim().is_empty());
        match next {
            Some((line, code)) if is_accessor(code) && indent_of(code) > indent_of(head) => {
                end = body_end(language, (lines, masked), line, MAX_ACCESSOR);
            }
            _ => return end,
        }
    }
}

/// The name before the brackets, behind a keyword: `fun <T> List<T>.name(…)`.
fn after_keyword(code: &str, keyword: &str) -> Option<String> {
    let mut places = code.match_indices(keyword);
    let (at, _) = places.find(|(at, _)| {
        let before = code[..*at].chars().next_back();
        let is_begun = before.is_none_or(char::is_whitespace);
        is_begun && code[at + keyword.len()..].starts_with([' ', '<'])
    })?;
    // What stands before are modifiers: `private inline fun f`.
    let is_plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_@[]".contains(c);
    if !code[..at].chars().all(is_plain) {
        return None;
    }
    let rest = &code[at + keyword.len()..];
    let head = rest.split(['(', '=', ':', '{']).next()?;
    last_word(head)
}

/// A method of C# or Dart: a type, a name, brackets, and an arrow behind them.
fn arrow_method(code: &str) -> Option<String> {
    let (head, _) = code.split_once("=>")?;
    let head = head.split(" where ").next()?.trim_end();
    let (before, _) = head.split_once('(').filter(|_| head.ends_with(')'))?;
    let words = before
        .split(|c: char| c.is_whitespace() || c == '.')
        .filter(|word| !word.is_empty())
        .count();
    let is_statement = ["return ", "await ", "new ", "throw ", "case "]
        .iter()
        .any(|word| before.trim_start().starts_with(word));
    if words < 2 || is_statement || before.contains(['=', '"', ',', '{']) {
        return None;
    }
    // `name<T>`: parameters of the method, and no type.
    let name = match before.trim_end().strip_suffix('>') {
        Some(generic) => generic.rsplit_once('<')?.0,
        None => before,
    };
    last_word(name)
}

/// The names behind a `typedef` of C that may have begun on an earlier line; `code` is its last one.
pub(super) fn typedef_names(code: &str) -> Vec<String> {
    let code = code.rsplit('}').next().unwrap_or_default();
    let code = code.split(';').next().unwrap_or_default();
    // `typedef int (*handler)(int)`
    if let Some((_, rest)) = code.split_once("(*") {
        return rest
            .split(|c| !is_name(c))
            .next()
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .into_iter()
            .collect();
    }
    let names = code.split(',');
    let names = names.filter_map(|name| last_word(name.split(['[', '(']).next()?));
    names.collect()
}

/// The members of enums: each name with its line, from 1.
pub(super) fn enum_members(language: Language, masked: &[String]) -> Vec<(String, usize)> {
    use Language::{C, CSharp, Dart, Java, Kotlin, Rust, Script, Swift};
    let mut found = Vec::new();
    if !matches!(
        language,
        C | CSharp | Dart | Java | Kotlin | Rust | Script | Swift
    ) {
        return found;
    }
    for (index, code) in masked.iter().enumerate() {
        let is_enum = code.split(|c| !is_name(c)).any(|word| word == "enum");
        let is_declared = code.trim_end().ends_with(';') && !code.contains('{');
        if is_enum && !is_declared {
            read_enum(language, &masked[index..], index + 1, &mut found);
        }
    }
    found
}

/// Reads the members of the enum whose head stands on the first of `lines`.
fn read_enum(language: Language, lines: &[String], first: usize, found: &mut Vec<(String, usize)>) {
    /// An enum with more lines is data.
    const MAX_LINES: usize = 2_000;
    /// The block of an enum begins on its first line, or soon below.
    const MAX_HEAD: usize = 3;
    let (mut depth, mut expects) = (0_usize, false);
    let mut is_begun = false;
    for (offset, code) in lines.iter().take(MAX_LINES).enumerate() {
        if !is_begun && offset >= MAX_HEAD {
            return;
        }
        let from = match offset {
            0 => code.find("enum").unwrap_or(0),
            _ => 0,
        };
        // `case a, b` of Swift has no comma before it.
        expects |= language == Language::Swift && is_begun && depth == 1;
        let mut rest = &code[from..];
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            match c {
                '{' if !is_begun && depth == 0 => (is_begun, depth, expects) = (true, 1, true),
                // A function that returns one; a class of Kotlin has parameters.
                '(' if !is_begun && language != Language::Kotlin => return,
                '{' | '(' | '[' => depth += 1,
                // An annotation names something else.
                '@' => length += rest[1..].find(|c| !is_name(c)).unwrap_or(rest.len() - 1),
                '}' | ')' | ']' => depth = depth.saturating_sub(1),
                // What follows in Java and Kotlin are methods.
                ';' if depth <= 1 => return,
                ',' if is_begun && depth == 1 => expects = true,
                c if is_name(c) => {
                    length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                    let word = &rest[..length];
                    if expects && depth == 1 && word != "case" && word != "indirect" {
                        // `func` of Swift is no member, nor is what it holds.
                        let is_case = language != Language::Swift || has_case(code);
                        if is_case {
                            found.push((word.to_owned(), first + offset));
                        }
                        expects = false;
                    }
                }
                _ => {}
            }
            rest = &rest[length..];
            if is_begun && depth == 0 {
                return;
            }
        }
    }
}

fn has_case(code: &str) -> bool {
    code.split(|c| !is_name(c)).any(|word| word == "case")
}

fn last_word(code: &str) -> Option<String> {
    code.split(|c| !is_name(c))
        .rfind(|word| !word.is_empty())
        .map(str::to_owned)
}
