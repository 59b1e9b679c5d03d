//! The literal that a name gets, however a language writes it: see `value.rs` for the principle.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use crate::dialect::compile_pattern;
use crate::matcher::{PLACEHOLDER, SecretShape};
use crate::named::kind_of_name;
use crate::value::{is_drawn_value, is_secret_value};

/// The kind of what is found, and of the row of the table that speaks of it.
pub(crate) const KIND: &str = "secret";

/// Words of which each name of a secret holds one.
const WORDS: [&str; 11] = [
    "passw",
    "passphrase",
    "passcode",
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "auth",
    "bearer",
];

/// Shorter words of which the name consists, or its last part.
const SHORT_WORDS: [&str; 3] = ["pw", "pswd", "psk"];

/// The most bytes that are read for one name: the time must grow with the length of a line, not with its square.
const NEAR: usize = 512;

/// Calls whose result is what they are given, in another type: `b64("…")`, `[]byte("…")`, `Some("…")`.
const CONVERSIONS: &str = "b64 b64decode b64encode base64 atob btoa byte bytes bytearray char str string \
    str_to_string to_string tostring text some just pack encode \
    decode secretstr securestring secretstring zeroizing quote default";

/// Calls that make a value of a type, which is text: `Buffer.from("…")`.
const MAKERS: &str = "new from of from_str valueof";

/// Methods that give a literal in another type: `"…".getBytes()`.
const CONVERSIONS_OF: &str = "tochararray getbytes encode decode into to_string to_owned tostring as_bytes as_ref \
    as_str trim strip freeze bytes unwrap clone to_vec asutf8";

/// What looks a value up, and takes the literal behind its name where there is none: `getenv("PW", "…")`.
const LOOKUPS: &str = "get getenv env fetch config setting environ lookup";

/// Calls that are given the name of a setting and its value, or the user and the password.
const PAIR_CALLS: &str = "set setdefault setproperty setheader setenv put putenv add append header define map \
    mapof entry pair option argument add_argument environ connect login auth pdo setitem \
    addheader setrequestheader withheader addparam queryparam setattribute setparameter getproperty header_add";

/// Verbs of calls that take a password: `set_password("…")`, `withToken("…")`.
const TAKING_VERBS: &str = "set with use and add change new";

/// A value and the name that gets it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AssignedValue {
    pub(crate) value: Range<usize>,
    pub(crate) name: Range<usize>,
    pub(crate) shape: SecretShape,
}

/// What the names of secrets get in a line, where it is secret.
pub(crate) fn assigned_secrets(line: &str) -> Vec<AssignedValue> {
    let mut found: Vec<AssignedValue> = Vec::new();
    for name in names_of(line) {
        let (values, shape) = values_of_name(line, &name);
        for value in values {
            let text = &line[value.clone()];
            let is_in =
                |old: &AssignedValue| old.value.start < value.end && value.start < old.value.end;
            let is_secret =
                || is_secret_value(text, near_before(line, value.start), &line[name.clone()]);
            if !found.last().is_some_and(is_in) && !text.contains(PLACEHOLDER) && is_secret() {
                let name = name.clone();
                found.push(AssignedValue { value, name, shape });
            }
        }
    }
    found
}

/// The names of secrets in a line.
pub(crate) fn names_of(line: &str) -> impl Iterator<Item = Range<usize>> {
    static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let mut builder = AhoCorasick::builder();
        builder
            .ascii_case_insensitive(true)
            .build(WORDS.iter().chain(&SHORT_WORDS))
            .ok()
    });
    let found = FINDER.iter().flat_map(move |finder| finder.find_iter(line));
    let mut end = 0;
    found.filter_map(move |word| {
        // Of several words of one name the first one stands for it.
        if word.start() < end {
            return None;
        }
        let name = name_around(line, word.range());
        end = name.end;
        kind_of_name(&line[name.clone()])?;
        Some(name)
    })
}

/// The whole name that holds a word, an option's dashes left out; `API key` is one, too.
fn name_around(line: &str, word: Range<usize>) -> Range<usize> {
    let bytes = line.as_bytes();
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_.-".contains(b);
    let before = bytes[..word.start].iter().rev().take_while(is_name).count();
    let behind = bytes[word.end..].iter().take_while(is_name).count();
    let mut start = word.start - before;
    let text = line[start..word.end + behind].trim_end_matches(['.', '-']);
    let end = start + text.len();
    const HEADS: [&str; 6] = [
        "api ", "access ", "private ", "secret ", "master ", "basic ",
    ];
    if text.eq_ignore_ascii_case("key") || text.eq_ignore_ascii_case("auth") {
        let is_head = |head: &&&str| {
            let from = start
                .checked_sub(head.len())
                .and_then(|from| line.get(from..start));
            from.is_some_and(|before| before.eq_ignore_ascii_case(head))
        };
        start -= HEADS.iter().find(is_head).map_or(0, |head| head.len());
    }
    let dashes = line[start..end].len() - line[start..end].trim_start_matches(['-', '.']).len();
    start + dashes..end
}

/// The end of what stands before a place.
pub(crate) fn near_before(line: &str, at: usize) -> &str {
    &line[line.ceil_char_boundary(at.saturating_sub(NEAR))..at]
}

/// The head of what stands at a place and behind it.
fn near_behind(line: &str, at: usize) -> &str {
    &line[at..line.floor_char_boundary(at + NEAR)]
}

/// What joins a name to the value behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// `=`, `:`, `=>`, with or without a type.
    Sign,
    /// A blank: `ENV NAME value`, `#define NAME "value"`.
    Blank,
    /// The bracket of a call that is named so: `password("…")`.
    Call,
}

/// The literals that a name gets: one, or those of a list.
fn values_of_name(line: &str, name: &Range<usize>) -> (Vec<Range<usize>>, SecretShape) {
    let Some((at, joint)) = behind_joint(line, name) else {
        return (Vec::new(), SecretShape::QuotedValue);
    };
    let mut quoted = literals_of(line, at);
    // Side by side, a name and a literal may be two words of a sentence, or a call and what it loads.
    let is_beside = |value: &Range<usize>| {
        !line[..value.start].ends_with('`') && is_drawn_value(&line[value.clone()])
    };
    if joint == Joint::Blank {
        let takes = takes_password(&line[name.clone()]);
        quoted.retain(|value| takes && is_beside(value));
    }
    if quoted.is_empty() {
        let bare = bare_value(line, name, at, joint);
        return (bare.into_iter().collect(), SecretShape::BareValue);
    }
    quoted.retain(|value| !is_called(line, value));
    (quoted, SecretShape::QuotedValue)
}

/// The literals in quotes of an expression, within brackets and conversions alone.
pub(crate) fn literals_of(line: &str, at: usize) -> Vec<Range<usize>> {
    const MAX_LIST: usize = 16;
    let line = &line[..line.floor_char_boundary(at + MAX_LIST * NEAR)];
    let range_of = |(text, length): (&str, usize)| {
        let start = line.len() - text.len();
        start..start + length
    };
    let mut found: Vec<Range<usize>> = literal_of(&line[at..]).map(range_of).into_iter().collect();
    let is_list = found
        .first()
        .is_some_and(|first| line[at..first.start].contains(['(', '[', '{']));
    while is_list
        && found.len() < MAX_LIST
        && let Some(last) = found.last()
    {
        let behind = line[last.end..]
            .trim_start_matches(['"', '\'', '`'])
            .trim_start();
        let Some(next) = behind
            .strip_prefix(',')
            .and_then(|next| quoted(next.trim_start()))
        else {
            break;
        };
        found.push(range_of(next));
    }
    found
}

/// Where the text begins that an equals sign or a colon joins to a name.
pub(crate) fn behind_sign(line: &str, name: &Range<usize>) -> Option<usize> {
    let (at, joint) = behind_joint(line, name)?;
    (joint == Joint::Sign).then_some(at)
}

/// Where the text begins that a name is joined to, and how.
fn behind_joint(line: &str, name: &Range<usize>) -> Option<(usize, Joint)> {
    static JOINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // Behind the name: its quotes and brackets, its type, the sign; or the value of a pair, or of a variable.
        compile_pattern(concat!(
            r#"^(?:\\?["'`\]*]){0,4}[?!]?(?:\[[0-9]*\])?(?:"#,
            r#"(?:[ \t]*:[ \t]*|[ \t]+)"#,
            r#"(?:[&*A-Za-z_][&*A-Za-z0-9_<>\[\]'?.:| ]{0,40}?|\{[a-z; ]{0,20}\})[ \t]*(?::=|=)|"#,
            r#"[ \t]*(?::=|=>|->|===?|!==?|[?|+:]{0,2}=|:)|"#,
            r#"[ \t]*,[ \t]*["']?value["']?[ \t]*[:=]|"#,
            r#"[ \t]*\{[^{}]{0,200}\bdefault[ \t]*="#,
            r#")[ \t]*"#
        ))
        .ok()
    });
    let rest = near_behind(line, name.end);
    if let Some(found) = JOINT.as_ref()?.find(rest) {
        // `a::b` is a path, `x ? a : b` no key.
        let is_path = rest[found.end()..].starts_with(':');
        return (!is_path).then_some((name.end + found.end(), Joint::Sign));
    }
    let closed = rest.trim_start_matches(['"', '\'', '*', '`']);
    let is_taken = || takes_password(&line[name.clone()]);
    if closed.len() == rest.len() && rest.starts_with('(') {
        return is_taken().then_some((name.end + 1, Joint::Call));
    }
    let text = closed.trim_start_matches([' ', '\t']);
    let is_apart = text.len() < closed.len();
    is_apart.then_some((name.end + rest.len() - text.len(), Joint::Blank))
}

/// Whether a call of this name takes a password, and does not look one up: its verb says so, or it has none.
pub(crate) fn takes_password(name: &str) -> bool {
    let last = name.rsplit(['.', '-']).next().unwrap_or(name);
    if kind_of_name(last).is_none() {
        return false;
    }
    let words = crate::words::words_of_name(last);
    let heads = &words[..words.len().saturating_sub(1)];
    let is_upper = !last.bytes().any(|b| b.is_ascii_lowercase());
    is_upper
        || heads.first().is_none_or(|verb| {
            is_in(TAKING_VERBS, verb) || kind_of_name(&heads.join("_")).is_some() || is_noun(verb)
        })
}

/// Whether a call is given the name of a setting before its value, or before what is taken where it is not set.
pub(crate) fn is_pair_call(callee: &str) -> bool {
    is_lookup(callee) || is_in(PAIR_CALLS, &last_part(callee))
}

/// Whether a call gives back what it is given: `bytes("…")`, `String::from("…")`, but neither `flag.String("…")`, which
/// looks up, nor `Command::new("…")`.
pub(crate) fn is_conversion(callee: &str) -> bool {
    let last = last_part(callee);
    let head = callee[..callee.len() - last.len().min(callee.len())].to_ascii_lowercase();
    let is_of_text = || {
        ["string", "secret", "password", "buffer", "bytes", "str:"]
            .iter()
            .any(|word| head.contains(word))
    };
    is_in(MAKERS, &last) && is_of_text()
        || is_in(CONVERSIONS, &last) && (!head.contains('.') || last.starts_with("b64"))
}

/// Whether a call looks a value up by its name.
pub(crate) fn is_lookup(callee: &str) -> bool {
    let last = last_part(callee);
    LOOKUPS.split(' ').any(|verb| last.ends_with(verb)) || callee.contains("env")
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

/// The name of a call without what it is a part of, in small letters.
fn last_part(callee: &str) -> String {
    let last = callee.rsplit(['.', ':']).next().unwrap_or(callee);
    last.trim_end_matches(['!', '?']).to_ascii_lowercase()
}

/// Whether the first word of a name is the thing that has the password, and no verb: `db_password`, `storePassword`.
fn is_noun(word: &str) -> bool {
    const NOUNS: &str = "db database store key user admin root smtp mail api client app my access private \
    signing secret http account master";
    is_in(NOUNS, word)
}

/// The first of them: the text from it on, and its length.
fn literal_of(text: &str) -> Option<(&str, usize)> {
    const MAX_DEPTH: usize = 6;
    let mut text = text;
    for _ in 0..MAX_DEPTH {
        text = text.trim_start_matches([' ', '\t', '&', '*', '(', '[', '{', ']']);
        text = without_tag(text);
        if let Some(found) = quoted(text) {
            return Some(found);
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_.:$?!".contains(c);
        let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let rest = rest.strip_prefix("[]").unwrap_or(rest);
        let inner = rest.trim_start_matches([' ', '\t']);
        text = if is_conversion(word) {
            inner.strip_prefix('=').unwrap_or(inner)
        } else {
            // What is taken where nothing is set.
            let of_lookup = is_lookup(word).then(|| default_of(inner)).flatten();
            of_lookup.or_else(|| alternative_of(text))?
        };
    }
    None
}

/// `!vault "…"`: a tag of YAML.
fn without_tag(text: &str) -> &str {
    let Some(tag) = text.strip_prefix('!') else {
        return text;
    };
    let end = tag.find(|c: char| !(c.is_ascii_alphanumeric() || "!:/_-".contains(c)));
    end.map_or(text, |end| tag[end..].trim_start())
}

/// What stands behind the name that is looked up: `("PW", "…")`, `["PW"] || "…"`, `.PW ?? "…"`, `("PW") { "…" }`.
fn default_of(text: &str) -> Option<&str> {
    static DEFAULT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(concat!(
            r#"^(?:[(\[][ \t]*["'][A-Za-z0-9_.-]+["'][ \t]*(?:,|[)\]][ \t]*(?:or|\|\||\?\?|\?:|\{))|(?:\|\||\?\?|or\b))"#,
            r#"[ \t]*(?:default[ \t]*=[ \t]*)?"#
        ))
        .ok()
    });
    DEFAULT
        .as_ref()?
        .find(text)
        .map(|found| &text[found.end()..])
}

/// What stands behind `||`, `or` or the colon of a condition, outside of all calls.
fn alternative_of(text: &str) -> Option<&str> {
    static OR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(
            r#"^[^;"'`,]{0,200}?(?:\|\||\?\?|\?:|\bor\b|\s\?\s[^;"'`,]{0,200}?\s:)[ \t]*["'`]"#,
        )
        .ok()
    });
    let end = OR.as_ref()?.find(text)?.end() - 1;
    let count = |sign: char| text[..end].matches(sign).count();
    (count('(') == count(')')).then_some(&text[end..])
}

/// What stands between quotes at the head of a text, without blanks: the text from it on, and its length.
fn quoted(text: &str) -> Option<(&str, usize)> {
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
    let length = loop {
        let at = from + near_behind(text, from).find(end.as_str())?;
        let is_escaped = escape == 0 && text[..at].ends_with('\\') && !text[..at].ends_with("\\\\");
        if !is_escaped {
            break at;
        }
        from = at + end.len();
    };
    let inner = &text[..length];
    (!inner.is_empty() && !inner.contains([' ', '\t'])).then_some((text, length))
}

/// Whether a literal is what a method is called on that is no conversion: `"wipe2db".execute()`.
pub(crate) fn is_called(line: &str, value: &Range<usize>) -> bool {
    let behind = line[value.end..].trim_start_matches(['"', '\'', '`', '\\']);
    let Some(method) = behind
        .strip_prefix('.')
        .or_else(|| behind.strip_prefix("?."))
    else {
        return false;
    };
    let end = method
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(method.len());
    let method = method[..end].to_ascii_lowercase();
    !method.is_empty() && !is_in(CONVERSIONS_OF, &method)
}

/// A value without quotes: all that is left of the line, or a word where words follow each other.
fn bare_value(line: &str, name: &Range<usize>, at: usize, joint: Joint) -> Option<Range<usize>> {
    let rest = near_behind(line, at);
    let is_inner = !near_before(line, name.start).trim_start().is_empty();
    let is_end = |c: char| {
        c.is_whitespace() || "\"'`(){}[],;<>".contains(c) || (is_inner && "&|".contains(c))
    };
    let end = rest.find(is_end).unwrap_or(rest.len());
    let (value, behind) = rest.split_at(end);
    let behind_is_end = behind
        .trim_start_matches(['"', '\'', ' ', '\t', '\r', '\\', '}', ',', ';'])
        .is_empty();
    let is_comment = behind.starts_with([' ', '\t']) && behind.trim_start().starts_with(['#', ';']);
    let before = near_before(line, name.start).trim_start();
    let is_variable = line[name.clone()]
        .bytes()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let is_joined = line[..at].ends_with('=');
    let is_setting = is_joined
        && (is_variable || before.is_empty() || before.ends_with([';', '"', '\'', '?', '&']));
    let is_among = is_setting
        && (behind.is_empty() || behind.starts_with([' ', '\t', '"', '\'', ';', ',', '&']));
    let is_ours = match joint {
        Joint::Sign => behind_is_end || is_comment || is_among,
        Joint::Blank => {
            ["env", "setx", "arg"].contains(&before.trim_end().to_ascii_lowercase().as_str())
        }
        Joint::Call => false,
    };
    let is_value =
        !value.is_empty() && !value.starts_with(['#', '$', '-', '=', '|', '>', '&', '*', '%']);
    (is_ours && is_value).then(|| at..at + value.len())
}
