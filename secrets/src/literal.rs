//! The literals of an expression, in whatever quotes and brackets a language writes them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::dialect::compile_pattern;
use crate::named::{NameKind, kind_of_name};
use crate::steps::looked_at;
use crate::value::{MIN_DRAWN, is_drawn_value, is_phrase};

/// The most literals that are read for one name.
const MAX_LITERALS: usize = 16;

/// The most bytes that are read for one literal.
const NEAR: usize = 512;

/// A literal within a text, and what stands behind it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Literal<'l> {
    pub(crate) inner: &'l str,
    pub(crate) rest: &'l str,
}

/// A value of an expression: the literals that it is joined of, and the key of the entry that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JoinedLiteral {
    pub(crate) parts: Vec<Range<usize>>,
    key: Option<String>,
}

impl JoinedLiteral {
    /// All of it in one text.
    pub(crate) fn text(&self, line: &str) -> String {
        self.parts.iter().map(|part| &line[part.clone()]).collect()
    }

    /// Whether an entry of a table may be a secret: its key says of what the table holds that it is something else
    /// (`password: { "format": "…" }`), or it looks drawn.
    pub(crate) fn may_be_secret(&self, line: &str) -> bool {
        self.key.as_ref().is_none_or(|key| {
            let text = self.text(line);
            let is_drawn = text.len() >= MIN_DRAWN && is_drawn_value(&text);
            is_drawn && kind_of_name(&format!("password_{key}")) != Some(NameKind::Described)
        })
    }
}

/// The values of the expression at a place, of which `first` finds the first literal.
pub(crate) fn joined_literals<'l>(
    line: &'l str,
    at: usize,
    first: impl Fn(&'l str) -> Option<Literal<'l>>,
) -> Vec<JoinedLiteral> {
    let line = &line[..line.floor_char_boundary(at + MAX_LITERALS * NEAR)];
    let place = |inner: &str| {
        let start = inner.as_ptr() as usize - line.as_ptr() as usize;
        start..start + inner.len()
    };
    let Some(literal) = first(looked_at(&line[at..])) else {
        return Vec::new();
    };
    let before = &line[at..place(literal.inner).start];
    let is_list = before.contains(['(', '[', '{']);
    // In a shell the word behind a value is a command: there nothing stands between a name and its value.
    let is_apart = is_list || !line[..at].ends_with('=');
    let key = key_at_end(before);
    let mut rest = literal.rest;
    let parts = vec![place(literal.inner)];
    let mut found = vec![JoinedLiteral { parts, key }];
    for _ in 1..MAX_LITERALS {
        if let Some(next) = joined_literal(rest, is_apart) {
            rest = next.rest;
            let last = found.last_mut().map(|last| &mut last.parts);
            last.into_iter()
                .for_each(|parts| parts.push(place(next.inner)));
            continue;
        }
        if let Some(next) = other_literal(rest, before) {
            rest = next.rest;
            let parts = vec![place(next.inner)];
            found.push(JoinedLiteral { parts, key: None });
            continue;
        }
        let Some((key, next)) = listed_literal(rest).filter(|_| is_list) else {
            break;
        };
        if key.is_none() && value_of_key(rest).is_some() {
            // What stands before the colon is a key itself.
            let key = found.pop().map(|last| last.text(line));
            let parts = vec![place(next.inner)];
            found.push(JoinedLiteral { parts, key });
        } else {
            let parts = vec![place(next.inner)];
            found.push(JoinedLiteral { parts, key });
        }
        rest = next.rest;
    }
    found
}

/// What goes on the literal before it: behind a sign that joins the two, or at once.
fn joined_literal(rest: &str, is_apart: bool) -> Option<Literal<'_>> {
    const SIGNS: [&str; 7] = ["++", "+", "..", ".", "<>", "~", "&"];
    let text = rest.trim_start();
    let joined = SIGNS.iter().find_map(|sign| text.strip_prefix(sign));
    let is_near = text.len() == rest.len() || is_apart;
    match joined {
        Some(text) => literal_at(text.trim_start()),
        None => literal_at(text).filter(|_| is_near),
    }
}

/// What is taken in the place of the literal before it: `a ? "…" : "…"`, `"…" if a else "…"`.
fn other_literal<'l>(rest: &'l str, before: &str) -> Option<Literal<'l>> {
    const JOINTS: [&str; 6] = ["|| ", "?? ", "?: ", "or ", "else ", "} else { "];
    const MAX_CONDITION: usize = 80;
    let text = rest.trim_start_matches([' ', '\t', ')']);
    let is_choice = before.contains('?') && !before.contains(['(', '[', '{']);
    let colon = text.strip_prefix(": ").filter(|_| is_choice);
    let near = &text[..text.floor_char_boundary(MAX_CONDITION)];
    let behind_if = || {
        near.starts_with("if ")
            .then(|| near.find(" else "))
            .flatten()
    };
    let other = colon
        .or_else(|| JOINTS.iter().find_map(|joint| text.strip_prefix(joint)))
        .or_else(|| behind_if().map(|at| &text[at + 6..]))?;
    literal_at(other.trim_start())
}

/// The next literal of a list or a table, and the key before it where that has no quotes.
fn listed_literal(rest: &str) -> Option<(Option<String>, Literal<'_>)> {
    if let Some(text) = value_of_key(rest) {
        return literal_at(text).map(|literal| (None, literal));
    }
    let text = rest.trim_start().strip_prefix(',')?.trim_start();
    let entry = key_at_head(text);
    let key = entry.map(|(key, _)| key.to_owned());
    let text = entry.map_or(text, |(_, text)| text);
    literal_at(text).map(|literal| (key, literal))
}

/// What stands behind the sign between a key and its value.
fn value_of_key(rest: &str) -> Option<&str> {
    let text = rest.trim_start();
    let signs = ["=>", ":", "to "];
    let text = signs.iter().find_map(|sign| text.strip_prefix(sign))?;
    Some(text.trim_start())
}

/// A key without quotes, and what stands behind it: `bob: `, `bob = `.
pub(crate) fn key_at_head(text: &str) -> Option<(&str, &str)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let end = text.find(|c| !is_name(c))?;
    let (key, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let rest = rest
        .strip_prefix("=>")
        .or_else(|| rest.strip_prefix([':', '=']))?;
    (!key.is_empty() && !rest.starts_with([':', '='])).then(|| (key, rest.trim_start()))
}

/// The key without quotes at the end of what opens a table: `{bob: `.
fn key_at_end(before: &str) -> Option<String> {
    let (_, text) = before.rsplit_once(['{', '('])?;
    let (key, rest) = key_at_head(text.trim_start())?;
    let is_all = rest.trim_matches(['"', '\'', '`']).is_empty();
    is_all.then(|| key.to_owned())
}

/// The literal at the head of a text. One of words is none: it is a message.
pub(crate) fn literal_at(text: &str) -> Option<Literal<'_>> {
    let literal = quoted(text)
        .map(default_within)
        .or_else(|| bracketed(text))?;
    let is_message = literal.inner.contains([' ', '\t']) && !is_phrase(literal.inner);
    (!literal.inner.is_empty() && !is_message).then_some(literal)
}

/// The default of the variable that a literal is: `"${DB_PASS:-…}"`.
fn default_within(literal: Literal<'_>) -> Literal<'_> {
    let default = bracketed(literal.inner)
        .filter(|default| literal.inner.starts_with("${") && default.rest.is_empty());
    default.map_or(literal, |default| Literal {
        inner: default.inner,
        ..literal
    })
}

/// What stands between quotes at the head of a text.
fn quoted(text: &str) -> Option<Literal<'_>> {
    let prefix = text
        .bytes()
        .take_while(|b| b.is_ascii_alphabetic() || b"@$#".contains(b))
        .count();
    let text = text.get(prefix..).filter(|_| prefix <= 2)?;
    let escape = text.bytes().take_while(|b| *b == b'\\').count();
    let text = &text[escape..];
    let quote = text.chars().next().filter(|c| "\"'`".contains(*c))?;
    let triple = quote.to_string().repeat(3);
    let (end, text) = match text.strip_prefix(triple.as_str()) {
        Some(inner) => (triple, inner),
        None => (format!("{}{quote}", "\\".repeat(escape)), &text[1..]),
    };
    let mut from = 0;
    loop {
        let near = text.floor_char_boundary(from + NEAR);
        let at = from + text[from..near].find(end.as_str())?;
        let is_escaped = escape == 0 && text[..at].ends_with('\\') && !text[..at].ends_with("\\\\");
        if !is_escaped {
            let (inner, rest) = (&text[..at], &text[at + end.len()..]);
            return Some(Literal { inner, rest });
        }
        from = at + end.len();
    }
}

/// What stands between the brackets that are quotes in Perl (`q{…}`), Ruby (`%q(…)`), Elixir (`~s(…)`), Lua (`[[…]]`) and
/// OCaml (`{|…|}`), and the default of a shell's variable (`${X:-…}`).
fn bracketed(text: &str) -> Option<Literal<'_>> {
    static OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(
            r"^(?:\$\{[A-Za-z0-9_]{1,80}:?[-=]|\[=?\[|\{[a-z]{0,8}\||qq?[ \t]?[({\[|!/<]|%[qQ]?[({\[|!<]|~[sS][({\[|/<])",
        )
        .ok()
    });
    let open = OPEN.as_ref()?.find(text)?;
    let close = match open.as_str().chars().next_back()? {
        '[' if open.as_str().starts_with('[') => open.as_str().replace('[', "]"),
        '|' if open.as_str().starts_with('{') => {
            format!("|{}}}", &open.as_str()[1..open.len() - 1])
        }
        '{' => "}".to_owned(),
        _ if open.as_str().starts_with("${") => "}".to_owned(),
        '[' => "]".to_owned(),
        '(' => ")".to_owned(),
        '<' => ">".to_owned(),
        sign => sign.to_string(),
    };
    let text = &text[open.end()..];
    let at = text[..text.floor_char_boundary(NEAR)].find(close.as_str())?;
    let (inner, rest) = (&text[..at], &text[at + close.len()..]);
    // A list of lists, and a block of code.
    let is_literal = !inner.contains(['"', '\'', '`', '(', ')', '$', ',', ' ']);
    // Where the word goes on, nothing was quoted: a drawn value of YAML may begin with `q!`.
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_!+-".contains(c);
    (is_literal && !rest.starts_with(is_word)).then_some(Literal { inner, rest })
}

/// Whether a literal begins at the end of a text.
pub(crate) fn opens_literal(before: &str) -> bool {
    before.ends_with(['"', '\'', '`', '|'])
        || before.ends_with("[[")
        || ["q{", "q(", "q[", "Q{", "Q("]
            .iter()
            .any(|open| before.ends_with(open))
}

/// The names and the literals that stand side by side: `user, password = "bob", "…"`, `($user, $password) = qw(bob …)`.
pub(crate) fn paired_literals(line: &str) -> Vec<(Range<usize>, Range<usize>)> {
    static PAIRED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(concat!(
            r"^[ \t]*(?:(?:my|our|local|let|const|var|val|auto)[ \t]+)?[(\[]?[ \t]*",
            r"([$@A-Za-z_][A-Za-z0-9_.]*(?:[ \t]*,[ \t]*[$@A-Za-z_][A-Za-z0-9_.]*){1,7})[ \t]*[)\]]?[ \t]*:?=[ \t]*",
        ))
        .ok()
    });
    let near = &line[..line.floor_char_boundary(NEAR)];
    let Some(found) = PAIRED.as_ref().and_then(|paired| paired.captures(near)) else {
        return Vec::new();
    };
    let (Some(all), Some(names)) = (found.get(0), found.get(1)) else {
        return Vec::new();
    };
    let place = |text: &str| {
        let start = text.as_ptr() as usize - line.as_ptr() as usize;
        start..start + text.len()
    };
    let is_around = |c: char| c.is_whitespace() || "$@".contains(c);
    let names = names
        .as_str()
        .split(',')
        .map(|name| name.trim_matches(is_around));
    let values = values_side_by_side(&line[all.end()..]);
    names
        .zip(values)
        .map(|(name, value)| (place(name), place(value)))
        .collect()
}

/// The texts of literals with a comma between them, or of a list of words.
fn values_side_by_side(text: &str) -> Vec<&str> {
    let words = ["qw", "%w"].iter().find_map(|head| text.strip_prefix(head));
    if let Some(words) = words.and_then(|words| words.trim_start().get(1..)) {
        let end = words.find([')', ']', '}', '/', '>', '|']).unwrap_or(0);
        return words[..end].split_whitespace().collect();
    }
    let mut found = Vec::new();
    let mut text = text.trim_start_matches(['(', '[', ' ']);
    while found.len() < MAX_LITERALS
        && let Some(literal) = literal_at(text)
    {
        found.push(literal.inner);
        let Some(next) = literal.rest.trim_start().strip_prefix(',') else {
            break;
        };
        text = next.trim_start();
    }
    found
}
