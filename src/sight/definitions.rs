//! Where the names of a file are defined: functions by its outline, types and constants by how their lines begin.

use std::collections::HashSet;

use council_syntax::language::Language;
use council_syntax::outline::FunctionSpan;

use super::above::{comment_above, start_above};
use super::declared;
use super::lexed::LexedLines;
use super::modules::{has_own_members, module_begun, opens_object};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DefinitionKind {
    /// A function or a method.
    Function,
    /// A type, an interface, a macro.
    Type,
    /// A constant, a variable of the whole file, a setting.
    Value,
}

/// A definition in a file, by lines from 1, the comment above it included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DefinedName {
    pub(super) name: String,
    /// What it stands for.
    pub(super) kind: DefinitionKind,
    /// Its first line.
    pub(super) start: u32,
    /// The line of the name.
    pub(super) head: u32,
    /// Its last line, however long it is.
    pub(super) end: u32,
}

/// The most lines that a definition in code is followed down: for its methods, or for the rest of a table.
const MAX_BODY: usize = 5000;

/// The same in settings, in which every line defines something.
const MAX_SETTING: usize = 80;

/// The definitions of a file, in no particular order of kinds.
pub(super) fn definitions_in(
    language: Language,
    lexed: &LexedLines<'_>,
    functions: &[FunctionSpan],
) -> Vec<DefinedName> {
    let lines = lexed.lines.as_slice();
    let mut found: Vec<DefinedName> = functions
        .iter()
        .filter(|function| !function.name.is_empty())
        .filter(|function| !declared::is_of_property(language, lines, function))
        .map(|function| DefinedName {
            name: declared::bare_name(language, &function.name),
            kind: DefinitionKind::Function,
            start: number(comment_above(lines, function.start)),
            head: number(function.head),
            end: number(function.end),
        })
        .collect();
    let masked = lexed.masked();
    let mut in_function = vec![false; lines.len() + 1];
    for line in functions.iter().flat_map(|one| one.head + 1..=one.end) {
        in_function
            .get_mut(line)
            .into_iter()
            .for_each(|inside| *inside = true);
    }
    let heads: HashSet<usize> = functions.iter().map(|function| function.head).collect();
    let mut group = None;
    let mut typedef = None;
    let mut depth = 0_i64;
    for (index, code) in masked.iter().enumerate() {
        let line = index + 1;
        // Between brackets `name=value` is an argument on a line of its own.
        let is_argument = language == Language::Python && depth > 0;
        depth = (depth + bracket_balance(code)).max(0);
        if in_function[line] || is_argument {
            continue;
        }
        let here = enter_group(language, code, line, group);
        group = here.map(|group| group.after(code, line));
        if language == Language::C && code.trim_start().starts_with("typedef ") {
            typedef = Some(line);
        }
        if let Some(start) = typedef.filter(|_| depth == 0 && code.contains(';')) {
            typedef = None;
            let names = declared::typedef_names(code).into_iter();
            found.extend(names.map(|name| DefinedName {
                name,
                kind: DefinitionKind::Type,
                start: number(start_above(language, lines, start)),
                head: number(line),
                end: number(line),
            }));
            if start == line {
                continue;
            }
        }
        let expression = || {
            let name = declared::expression_function(language, code)?;
            Some((name, DefinitionKind::Function)).filter(|_| !heads.contains(&line))
        };
        let module = || {
            let name = module_begun(language, code)?.to_owned();
            let is_one = language == Language::Script || has_own_members(&masked, line);
            (is_one && !opens_object(code)).then_some((name, DefinitionKind::Type))
        };
        let named = expression().or_else(module);
        let Some((name, kind)) = named.or_else(|| named_by_line(language, code, here)) else {
            continue;
        };
        let start = here
            .filter(|_| kind == DefinitionKind::Value)
            .map_or(line, |group| group.start);
        let most = match language.is_code() {
            true => MAX_BODY,
            false => MAX_SETTING,
        };
        let end = body_end(language, (lines, &masked), start, most);
        let end = declared::end_of_accessors(language, (lines, &masked), start, end);
        found.push(DefinedName {
            name,
            kind,
            start: number(start_above(language, lines, start)),
            head: number(line),
            end: number(end),
        });
    }
    for (name, line) in declared::enum_members(language, &masked) {
        let end = body_end(language, (lines, &masked), line, MAX_SETTING);
        found.push(DefinedName {
            name,
            kind: DefinitionKind::Value,
            start: number(start_above(language, lines, line)),
            head: number(line),
            end: number(end),
        });
    }
    found
}

/// Brackets that a line opens, less those that it closes.
fn bracket_balance(code: &str) -> i64 {
    let balance = |byte| match byte {
        b'(' | b'[' | b'{' => 1,
        b')' | b']' | b'}' => -1,
        _ => 0,
    };
    code.bytes().map(balance).sum()
}

fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// `const (` or `var (` of Go, with several names in one pair of brackets.
#[derive(Debug, Clone, Copy)]
struct NameGroup {
    /// The line where it begins.
    start: usize,
    /// Brackets that are open inside of it: what stands in those is a value, and no name.
    depth: usize,
}

/// The group that a line stands in, and what it opens there.
fn enter_group(
    language: Language,
    code: &str,
    line: usize,
    group: Option<NameGroup>,
) -> Option<NameGroup> {
    if language != Language::Go {
        return None;
    }
    let trimmed = code.trim_end();
    match group {
        None => matches!(trimmed, "const (" | "var (").then_some(NameGroup {
            start: line,
            depth: 0,
        }),
        Some(NameGroup { depth: 0, .. }) if trimmed == ")" => None,
        Some(group) => Some(group),
    }
}

impl NameGroup {
    /// It behind a line.
    fn after(self, code: &str, line: usize) -> Self {
        if line == self.start {
            return self;
        }
        let count = |signs: [char; 3]| code.chars().filter(|c| signs.contains(c)).count();
        let depth = (self.depth + count(['(', '[', '{'])).saturating_sub(count([')', ']', '}']));
        Self { depth, ..self }
    }
}

/// What a line outside of functions defines.
fn named_by_line(
    language: Language,
    code: &str,
    group: Option<NameGroup>,
) -> Option<(String, DefinitionKind)> {
    let trimmed = code.trim_start();
    let top = trimmed.len() == code.len();
    if let Some(rest) = trimmed
        .strip_prefix("#define ")
        .filter(|_| language == Language::C)
    {
        return first_word(rest).map(|name| (name, DefinitionKind::Type));
    }
    if let Some(group) = group {
        let begins_name = trimmed.starts_with(super::words::is_name);
        return first_word(trimmed)
            .filter(|_| group.depth == 0 && begins_name)
            .filter(|name| name != "const" && name != "var")
            .map(|name| (name, DefinitionKind::Value));
    }
    let words: Vec<&str> = trimmed
        .split(|c: char| !super::words::is_name(c) && c != '$')
        .filter(|word| !word.is_empty())
        .take(8)
        .collect();
    if let Some(rest) = trimmed
        .strip_prefix("impl")
        .filter(|rest| language == Language::Rust && rest.starts_with([' ', '<']))
    {
        // What a type does when it is dropped, compared or read stands in the `impl` of a trait. Its own methods are
        // found by their names.
        let head = rest.split('{').next().unwrap_or_default();
        let name = head
            .split_once(" for ")
            .and_then(|(_, name)| first_word(name));
        return name.map(|name| (name, DefinitionKind::Type));
    }
    let types = [
        "struct",
        "class",
        "enum",
        "trait",
        "interface",
        "union",
        "record",
        "type",
        "object",
        "protocol",
    ];
    for pair in words.windows(2) {
        // `enum class A`: the name is the word that is none of them.
        let is_name = !types.contains(&pair[1]) && !code.contains("class <<");
        if types.contains(&pair[0]) && is_name && is_head_of_type(language, trimmed, pair[0]) {
            return Some((pair[1].to_owned(), DefinitionKind::Type));
        }
    }
    value_of_line(language, trimmed, top, &words).map(|name| (name, DefinitionKind::Value))
}

/// `struct a b;` of C and `x: type` of others use a type and define none, as do an argument `f(type=x)` and an annotation
/// `kind: type[x]`: what stands before the keyword are modifiers, and a blank behind it.
fn is_head_of_type(language: Language, code: &str, keyword: &str) -> bool {
    let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let mut places = code.match_indices(keyword).map(|(at, _)| at);
    let place = places.find(|&at| {
        let before = code[..at].chars().next_back();
        let is_begun = before.is_none_or(|c| !super::words::is_name(c));
        is_begun && is_blank(code[at + keyword.len()..].chars().next())
    });
    let Some(before) = place.map(|at| &code[..at]) else {
        return false;
    };
    let plain = before
        .chars()
        .all(|c| c.is_alphanumeric() || c.is_whitespace() || "()_@:\"".contains(c));
    let count = |sign: char| before.chars().filter(|c| *c == sign).count();
    let is_closed = count('(') == count(')');
    match language {
        Language::Python => before.trim().is_empty(),
        Language::C => plain && (code.contains('{') || !code.contains(';') && !code.contains('(')),
        _ => plain && is_closed && !before.contains([':', '"']) && !before.contains("import"),
    }
}

fn value_of_line(language: Language, code: &str, top: bool, words: &[&str]) -> Option<String> {
    let keyword = |keywords: &[&str]| {
        words
            .windows(2)
            .find(|pair| keywords.contains(&pair[0]))
            .map(|pair| pair[1].to_owned())
    };
    let assigned = || {
        let (before, _) = code.split_once('=')?;
        last_word(before.split(['[', ':']).next()?)
    };
    match language {
        Language::Rust => keyword(&["const", "static"]),
        Language::Go if top => keyword(&["const", "var"]),
        Language::Swift if top => keyword(&["let", "var"]),
        Language::Script if top => {
            // `const { save: persist } = …` names what stands elsewhere.
            let unpacks = ["const {", "let {", "var {"];
            let unpacks = unpacks.iter().any(|begin| code.starts_with(begin));
            (!unpacks)
                .then(|| keyword(&["const", "let", "var"]))
                .flatten()
        }
        Language::Ruby => {
            let (before, value) = code.split_once('=')?;
            let is_constant = before.starts_with(|c: char| c.is_ascii_uppercase());
            let is_plain = before.trim_end().chars().all(super::words::is_name);
            let is_assigned = !value.starts_with(['=', '~', '>']);
            (is_constant && is_plain && is_assigned).then(|| before.trim_end().to_owned())
        }
        Language::Python => {
            let (before, _) = code.split_once('=')?;
            let name = first_word(before)?;
            // `if a >= b` assigns nothing.
            let rest = before.strip_prefix(name.as_str())?.trim();
            (rest.is_empty() || rest.starts_with(':')).then_some(name)
        }
        Language::Kotlin => declared::kotlin_property(code),
        Language::Java | Language::CSharp => {
            let field = [
                "static",
                "final",
                "private",
                "public",
                "protected",
                "var",
                "const",
            ];
            (words.first().is_some_and(|word| field.contains(word)) && !code.contains('('))
                .then(|| assigned().or_else(|| last_word(code.trim_end_matches([';', ' ']))))
                .flatten()
                .or_else(|| {
                    words
                        .first()
                        .is_some_and(|word| field.contains(word))
                        .then(assigned)
                        .flatten()
                })
        }
        Language::C if top && code.contains(['=', ';']) && !code.starts_with('#') => {
            let before = code.split(['=', ';']).next()?;
            (!before.contains('(') && words.len() > 1)
                .then(|| last_word(before.split('[').next()?))
                .flatten()
        }
        Language::Yaml | Language::Toml | Language::Ini => {
            let (key, _) = code.split_once([':', '='])?;
            Some(key.trim().trim_matches('"').to_owned()).filter(|key| !key.is_empty())
        }
        _ => None,
    }
}

pub(super) fn without_generics(code: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::new();
    for c in code.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

fn first_word(code: &str) -> Option<String> {
    code.split(|c: char| !super::words::is_name(c))
        .find(|word| !word.is_empty())
        .map(str::to_owned)
}

pub(super) fn last_word(code: &str) -> Option<String> {
    code.split(|c: char| !super::words::is_name(c))
        .rfind(|word| !word.is_empty())
        .map(str::to_owned)
}

/// Where what begins on a line ends: with its brackets, or with its indentation; at most so many lines below.
pub(super) fn body_end(
    language: Language,
    (lines, masked): (&[&str], &[String]),
    start: usize,
    most: usize,
) -> usize {
    let last = masked.len().min(start + most);
    let head = masked[start - 1].trim();
    let is_indented = match language {
        Language::Python | Language::Yaml => head.ends_with(':'),
        // Its `end` is left out: nothing stands on it.
        Language::Ruby => head.starts_with("class ") || head.starts_with("module "),
        _ => false,
    };
    if is_indented {
        let depth = indent_of(&masked[start - 1]);
        let inside = |line: &String| line.trim().is_empty() || indent_of(line) > depth;
        let count = masked[start..last]
            .iter()
            .take_while(|line| inside(line))
            .count();
        return (start + count).max(start);
    }
    let mut depth = 0_i64;
    for (index, code) in masked.iter().enumerate().take(last).skip(start - 1) {
        for byte in code.bytes() {
            match byte {
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => depth -= 1,
                _ => {}
            }
        }
        let goes_on = code.trim_end().ends_with('\\')
            || opens_below(masked.get(index + 1), code)
            || (is_headed(&masked[start - 1]) && opens_body(masked.get(index + 1)))
            || (language.is_code() && expression_goes_on(&masked[start - 1], &masked[index..]))
            || (language.is_code() && is_in_literal(lines, masked, index + 1));
        if depth <= 0 && !goes_on {
            return index + 1;
        }
    }
    last
}

/// What an expression does not end with; `>`, `?` and `/` may be the end of a type or of a pattern.
const UNFINISHED: [&str; 11] = ["=", "=>", "->", "&&", "||", "??", "|", "&", "+", "-", "*"];

/// What begins a line that belongs to the one above it, where it is indented.
const GOING_ON: [&str; 12] = [
    "=", "&&", "||", "?", ":", ".", "|", "&", "+", "-", "*", "==",
];

/// Whether the expression of the first of these lines goes on below it; `head` is the line on which it began.
fn expression_goes_on(head: &str, lines: &[String]) -> bool {
    let code = lines[0].trim_end();
    let is_stepped = code.ends_with("++") || code.ends_with("--");
    let is_open = ["=", "=>", "->"]
        .iter()
        .any(|sign| head.trim_end().ends_with(sign));
    if UNFINISHED.iter().any(|sign| code.ends_with(sign)) && !is_stepped {
        return true;
    }
    let mut below = lines[1..].iter();
    let next = below.find(|line| !line.trim().is_empty());
    next.is_some_and(|next| {
        let is_begun = GOING_ON
            .iter()
            .any(|sign| next.trim_start().starts_with(sign));
        let is_inner = indent_of(next) > indent_of(head) && !code.ends_with([';', ',', '{']);
        is_inner && (is_begun || is_open)
    })
}

/// Whether a line is the inside of a string that goes on over several.
fn is_in_literal(lines: &[&str], masked: &[String], index: usize) -> bool {
    let code = masked.get(index).filter(|code| code.trim().is_empty());
    let text = code.and_then(|_| lines.get(index)).map(|text| text.trim());
    text.is_some_and(|text| !text.is_empty() && !is_comment(text))
}

/// Whether a line begins as comments do, which directives of a preprocessor do not.
pub(super) fn is_comment(text: &str) -> bool {
    let directives = ["#include", "#define", "#if", "#end", "#else", "#pragma"];
    let is_directive = directives.iter().any(|word| text.starts_with(word));
    let mut marks = ["//", "/*", "*", "#", "--"].iter();
    !is_directive && marks.any(|mark| text.starts_with(mark))
}

/// Whether the next line opens the body that this head announces.
fn opens_below(next: Option<&String>, code: &str) -> bool {
    !code.trim_end().ends_with([';', '}', ',', ')']) && opens_body(next)
}

fn opens_body(next: Option<&String>) -> bool {
    next.is_some_and(|next| next.trim_start().starts_with('{'))
}

/// Whether a line is the head of a type with parameters: `record Money(decimal Amount)`.
fn is_headed(code: &str) -> bool {
    let mut words = code.split_whitespace();
    code.trim_end().ends_with(')')
        && words.any(|word| matches!(word, "class" | "record" | "struct"))
}

pub(super) fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
#[path = "definitions_tests.rs"]
mod tests;
