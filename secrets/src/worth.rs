//! Whether what stands in the place of a secret is one, and is worth a finding.

use regex::Captures;

use crate::assigned::near_before;
use crate::beside_name::last_word;
use crate::calls::{is_pair_call, takes_password};
use crate::filler::is_filler;
use crate::matcher::SecretShape;
use crate::named::{NameKind, is_secret_name, kind_of_name};
use crate::plausible::{is_common_password, is_nobodys_host, is_own_password, sign_in_pair};
use crate::table::SecretRule;
use crate::template::is_template;
use crate::value::{MIN_DRAWN, is_drawn_value};

/// Whether the bracket of a pair is that of a call which is given a name and its value, or of none.
pub(crate) fn is_pair_of(line: &str, bracket: usize) -> bool {
    let callee = last_word(near_before(line, bracket));
    callee.is_empty() || is_pair_call(callee) || takes_password(callee)
}

/// The name in a place that is made for a secret: a key there is no key of a map.
pub(crate) fn place_name<'l>(found: &Captures<'l>) -> &'l str {
    let name = found.name("name").map_or("", |name| name.as_str());
    let is_key = kind_of_name(name) == Some(NameKind::Key);
    if is_key { "" } else { name }
}

/// Whether a password is filled in later: `%s`, `{password}`, `$PASSWORD`; `%40` is a sign of it, as a URL writes that.
fn is_filled_in(value: &str) -> bool {
    let mut rest = value;
    while let Some((_, behind)) = rest.split_once('%') {
        let is_escape = behind.len() >= 2 && behind.bytes().take(2).all(|b| b.is_ascii_hexdigit());
        if !is_escape {
            return true;
        }
        rest = behind;
    }
    let is_variable = value
        .split('$')
        .skip(1)
        .any(|behind| behind.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    is_variable || is_template(value) || value.contains(['(', ')', '[', ']', '*'])
}

/// Whether a drawn password is for a host of a network of its own, as Compose has them: `db`, `redis`.
fn is_drawn_for_service(value: &str, host: &str) -> bool {
    const MIN_LENGTH: usize = 12;
    let is_service = host.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
    is_service && host != "localhost" && value.len() >= MIN_LENGTH && is_drawn_value(value)
}

/// What pages show in the place of a password in a URL.
pub(crate) fn is_nobodys_password(text: &str) -> bool {
    const WORDS: [&str; 5] = ["foo", "bar", "baz", "redacted", "changeme"];
    let lower = text.to_ascii_lowercase();
    let is_name = lower == text
        && text.contains('_')
        && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        && is_secret_name(text);
    WORDS.contains(&lower.as_str()) || is_common_password(text) || is_name
}

pub(crate) fn is_plausible(rule: &SecretRule, value: &str, user: &str, label: &str) -> bool {
    match rule.shape {
        SecretShape::Token => !is_filler(value),
        SecretShape::UrlPassword => {
            is_own_password(value, user)
                && !is_filled_in(value)
                && (!is_nobodys_host(label) || is_drawn_for_service(value, label))
        }
        // Two words in base64, as sent to sign in: they are looked at as what they are.
        SecretShape::PlacedValue => match sign_in_pair(value) {
            Some((user, password)) => is_own_password(&password, &user),
            None => is_worth_a_finding(value, label),
        },
        SecretShape::QuotedValue | SecretShape::BareValue => is_worth_a_finding(value, label),
    }
}

/// Whether a secret is no example: it looks drawn, and its name does not say that it is something else.
pub(crate) fn is_worth_a_finding(value: &str, name: &str) -> bool {
    value.len() >= MIN_DRAWN
        && is_drawn_value(value)
        && kind_of_name(name) != Some(NameKind::Described)
}
