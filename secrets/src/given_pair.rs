//! A value that a call is given beside what names it, a literal or a field of a form: `param("password", "…")`,
//! `findElement(By.id("password")).sendKeys("…")`, `type(getByLabel("Password"), "…")`. Only calls that put the one
//! where the other says are read so: what validates, labels or translates a password is given words beside it, too.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::assigned::{literal_of, near_before, near_behind};
use crate::beside_name::last_word;
use crate::calls::is_called;
use crate::dialect::compile_pattern;
use crate::literal::{JoinedLiteral, joined_literals};
use crate::named::{NameKind, kind_of_name};
use crate::value::is_chosen_value;
use crate::words::words_of_name;

/// Calls that are named so put a value where a name says.
const GIVING_CALLS: &str = "set put add append insert assign store define putenv setenv getenv setdefault stubenv \
    param header env field";

/// The last of several words of their names: `setRequestHeader`, `withEnv`, `queryParam`, `BasicNameValuePair`.
const GIVEN_THINGS: &str = "param parameter header env property entry pair extra var variable field value item string \
    text default const";

/// Verbs of calls that give their second argument to a field of a form, whatever that is called.
const TYPING_VERBS: &str = "fill type send enter input set replace press val value clear change";

/// The most inner calls that end behind a name: `change(wait(screen.get("password")), …)`.
const MAX_DEPTH: usize = 4;

/// The value that a call is given beside this name, and the name as it counts for it.
pub(crate) fn given_value(line: &str, name: &Range<usize>) -> Option<(Range<usize>, String)> {
    let place = paired_place(line, name)
        .or_else(|| typed_place(line, name))
        .or_else(|| own_method(line, name))?;
    let says = match place.is_typed {
        true => name_of_field(&line[place.name.clone()])?,
        false => line[place.name.clone()].to_owned(),
    };
    let is_described = kind_of_name(&says).is_none_or(|kind| kind == NameKind::Described);
    let found = joined_literals(line, place.at, literal_of)
        .into_iter()
        .next()?;
    let value = sole_part(found).filter(|_| !is_described)?;
    (is_chosen_value(&line[value.clone()]) && !is_called(line, &value)).then_some((value, says))
}

/// Where a call has the value that it is given, and what names it.
struct GivenPlace {
    name: Range<usize>,
    at: usize,
    is_typed: bool,
}

/// `put("password", …)`, `type(getByLabel("Password"), …)`, `fill_in "Password", with: …`
fn paired_place(line: &str, name: &Range<usize>) -> Option<GivenPlace> {
    static PAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(&format!(
            r#"^{END_OF_LITERAL}(?:\.[a-z_]{{1,20}}\(\))?(?P<closed>[ \t)]{{0,8}}),[ \t]*(?::?(?:with|value|text)(?::|[ \t]*=>|=)[ \t]*|\{{[ \t]*target:[ \t]*)?"#
        ))
        .ok()
    });
    let found = PAIR.as_ref()?.captures(near_behind(line, name.end))?;
    let depth = found.name("closed")?.as_str().matches(')').count();
    let callee = call_around(near_before(line, name.start), depth)?;
    let is_option = line[..name.start].ends_with('-');
    let at = name.end + found.get(0)?.end();
    (gives_value(callee) && !is_option).then(|| GivenPlace {
        name: name.clone(),
        at,
        is_typed: is_typing(callee) && !words_of_call(callee).starts_with(&["set".to_owned()]),
    })
}

/// `By.id("password")).sendKeys(…)`, `$("#password").value = …`
fn typed_place(line: &str, name: &Range<usize>) -> Option<GivenPlace> {
    static METHOD: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(&format!(
            r#"^{END_OF_LITERAL}[)\]}} \t]{{0,8}}(?:\(\)|(?:[?!]{{0,2}}\.|->)[A-Za-z_]+){{0,6}}{}"#,
            r#"(?:\.|->)(?:value[ \t]*=[ \t]*|(?:perform\([ \t]*(?:[A-Za-z]+\.)?)?(?P<verb>[A-Za-z_]+)\()"#
        ))
        .ok()
    });
    let found = METHOD.as_ref()?.captures(near_behind(line, name.end))?;
    let is_due = found
        .name("verb")
        .is_none_or(|verb| is_typing(verb.as_str()));
    let at = name.end + found.get(0)?.end();
    is_due.then(|| GivenPlace {
        name: name.clone(),
        at,
        is_typed: true,
    })
}

/// `passwordInput.sendKeys(…)`: the method is a part of the name.
fn own_method(line: &str, name: &Range<usize>) -> Option<GivenPlace> {
    let (owner, method) = line[name.clone()].rsplit_once('.')?;
    let is_due = line[name.end..].starts_with('(') && is_typing(method);
    is_due.then(|| GivenPlace {
        name: name.start..name.start + owner.len(),
        at: name.end + 1,
        is_typed: true,
    })
}

/// What may stand between a name and the end of the literal that it ends: a label's sign, the bracket of a selector.
const END_OF_LITERAL: &str = r#"(?:[ :*?]{0,2}(?:\\?["']?\])?(?:\\?["'`]|/[a-z]{0,2}))?"#;

/// The name of the call whose bracket is open at the end of a text, within which so many others are; one without
/// brackets has a blank behind it.
fn call_around(before: &str, depth: usize) -> Option<&str> {
    let mut opened = 0;
    let mut closed = 0_usize;
    for (at, byte) in before.bytes().enumerate().rev() {
        match byte {
            b')' => closed += 1,
            b'(' if closed > 0 => closed -= 1,
            b'(' if opened == depth => return Some(last_word(&before[..at])),
            b'(' if opened == MAX_DEPTH => return None,
            b'(' => opened += 1,
            b';' => return None,
            _ => {}
        }
    }
    let text = before.trim_end_matches(['"', '\'', ':']);
    let callee = last_word(text.trim_end());
    (depth == 0 && callee == "fill_in").then_some(callee)
}

/// Whether a call of this name puts its second argument where the first one says.
fn gives_value(callee: &str) -> bool {
    let words = words_of_call(callee);
    let is_named = match words.as_slice() {
        [] => false,
        [word] => is_in(GIVING_CALLS, word),
        [.., last] => is_in(GIVEN_THINGS, last),
    };
    is_named || is_typing(callee) || ["Map.of", "Map.entry"].contains(&callee)
}

/// Whether a call of this name gives a field of a form its value.
fn is_typing(callee: &str) -> bool {
    const WHOLE: &str = "fill type set val enter change input";
    const ENDS: &str = "keys text value field sequentially in";
    let words = words_of_call(callee);
    match words.as_slice() {
        [] => false,
        [word] => is_in(WHOLE, word),
        [verb, .., last] => is_in(TYPING_VERBS, verb) && is_in(ENDS, last),
    }
}

fn words_of_call(callee: &str) -> Vec<String> {
    words_of_name(callee.rsplit(['.', ':', '>', '$']).next().unwrap_or(callee))
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

/// The name of the secret that a field of a form is for: `passwordInput`, `password_field`.
fn name_of_field(name: &str) -> Option<String> {
    let mut words = words_of_name(name);
    while kind_of_name(&words.join("_"))? == NameKind::Described {
        words.pop();
    }
    Some(words.join("_"))
}

fn sole_part(value: JoinedLiteral) -> Option<Range<usize>> {
    let mut parts = value.parts.into_iter();
    parts.next().filter(|_| parts.next().is_none())
}
