//! Which literals are secrets. There is one principle:
//!
//! *A value is secret where it is the literal that a secret's name gets, and looks as if somebody chose or drew it.*
//!
//! - Where: an assignment, a key and its value, a keyword argument, `ENV`, `name:` and `value:`; a type between name and
//!   value makes no difference (`assigned.rs`). So is an argument of a call that is known to take a password
//!   (`table.toml`). A string inside of any other call is code: it is loaded, run or looked up, and judges must see it.
//! - What: letters mixed with digits or signs, from 6 on; hexadecimal from 16; letters alone from 12, if their case is
//!   mixed and they do not read like words (`words.rs`). No path, address, reference, placeholder, or name said again. The answer is
//!   the same with quotes and without, in code and in settings; this file gives it.
//! - Names: `named.rs`. What says less of its value asks more of it.
//! - A value without quotes is a literal in settings, shells, comments and prose; in code it is the name of something.
//! - What is secret on one line is secret on all of them (`known.rs`).
//!
//! Whoever finds a spelling that leaks should look for the sentence above that does not hold, not for its pattern.

use crate::named::{NameKind, kind_of_name, names_code};
use crate::plausible::{
    is_list_of_checks, is_literal, is_mixed_literal, is_placeholder, is_scheme,
};
use crate::public_value::{
    is_account, is_coin, is_colour, is_cursor_name, is_match_pattern, is_public_value,
    is_sized_type, with_letters,
};
use crate::reference::{is_address, is_reference};
use crate::words::{has_form_of_words, reads_like_words};

/// The fewest signs of a value.
pub(crate) const MIN_VALUE: usize = 6;

/// The fewest signs of a value that is worth a finding, and of one that only its look gives away.
pub(crate) const MIN_DRAWN: usize = 8;

/// The fewest letters that are secret without a digit.
const MIN_LETTERS: usize = 12;

/// The fewest signs of hexadecimal that are.
const MIN_HEX: usize = 16;

/// The fewest signs of a value under a name that says little.
const MIN_KEY: usize = 20;
const MIN_DESCRIBED: usize = 16;

/// Whether a value is secret that a name gets. `before` is the line up to the value.
pub(crate) fn is_secret_value(value: &str, before: &str, name: &str) -> bool {
    // An option of a command begins with a dash.
    let is_literal = value.len() >= MIN_VALUE && is_literal(value) && !value.starts_with("--");
    if !is_literal || is_address(value) || is_reference(value, before, name) {
        return false;
    }
    let (text, kind) = (with_letters(value), kind_of_name(name));
    // Most values are of words: only the others are worth a look at their form.
    looks_secret(&text, kind) && !is_shown_form(value, name, kind)
}

/// Whether a value looks as if somebody chose or drew it, as far as its name asks for that.
fn looks_secret(value: &str, kind: Option<NameKind>) -> bool {
    match kind {
        // A place that is made for a secret has no name, or one of its own.
        None | Some(NameKind::Secret) => {
            (is_mixed_literal(value) || is_drawn_value(value)) && !names_code(value)
        }
        Some(NameKind::Perhaps) => is_drawn_value(value),
        Some(NameKind::Key) => value.len() >= MIN_KEY && is_drawn_value(value) && !is_uuid(value),
        Some(NameKind::Described) => {
            let is_drawn = value.len() >= MIN_DESCRIBED && is_drawn_value(value);
            is_drawn && !is_hex(value) && !is_generated_name(value)
        }
    }
}

/// Whether a value is public by its form; beside a name that others have, too, there are more of these: `token` is a word
/// of parsers, of chains and of palettes.
fn is_shown_form(value: &str, name: &str, kind: Option<NameKind>) -> bool {
    let is_of_others = || {
        is_account(value)
            || is_coin(value, name)
            || is_colour(value)
            || is_match_pattern(value)
            || is_sized_type(value)
    };
    let is_secret = matches!(kind, None | Some(NameKind::Secret));
    is_public_value(value) || is_cursor_name(name) || (!is_secret && is_of_others())
}

/// Whether a value is a name that a program made of words and of a few drawn signs: `my-app-tls-8f4b7f2a`.
pub(crate) fn is_generated_name(value: &str) -> bool {
    const MAX_PART: usize = 10;
    let is_word = |part: &str| part.len() > 1 && part.bytes().all(|b| b.is_ascii_lowercase());
    let is_drawn = |part: &&str| !is_word(part);
    let is_sign = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let mut parts = value.split('-');
    let is_part = |part: &str| {
        is_word(part) || ((1..=MAX_PART).contains(&part.len()) && part.bytes().all(is_sign))
    };
    parts.clone().next().is_some_and(is_word)
        && parts.clone().filter(is_drawn).count() <= 2
        && parts.all(is_part)
}

/// Whether a value looks drawn: nobody who writes words or names writes that.
pub(crate) fn is_drawn_value(value: &str) -> bool {
    let has = |class: fn(&u8) -> bool| value.bytes().any(|b| class(&b));
    let is_lettered = has(u8::is_ascii_alphabetic);
    let is_mixed = is_lettered && (has(u8::is_ascii_digit) || is_mixed_literal(value));
    let is_of_letters = value.len() >= MIN_LETTERS
        && value.bytes().all(|b| b.is_ascii_alphabetic())
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase);
    let is_one = || {
        value.len() >= MIN_VALUE
            && (is_mixed || is_of_letters || is_hex(value))
            && !is_placeholder(value)
            && !is_scheme(value)
            && !is_list_of_checks(value)
            && !value.contains("://")
            && !reads_like_words(value)
    };
    is_grouped(value) || is_one()
}

/// Whether somebody has chosen a value for a secret: no name, no label and no rule that is written beside one.
pub(crate) fn is_chosen_value(value: &str) -> bool {
    let text = value.trim_end_matches(['!', '?', '.', ':', '*']);
    is_drawn_value(value) || !has_form_of_words(text)
}

/// Whether a value is of four groups of four small letters, as mail services give a password to a program: `pttm rksb rlkk bmmn`.
fn is_grouped(value: &str) -> bool {
    let is_group = |group: &str| group.len() == 4 && group.bytes().all(|b| b.is_ascii_lowercase());
    [' ', '-'].iter().any(|sign| {
        let groups = value.split(*sign);
        groups.clone().count() == 4
            && groups.clone().all(is_group)
            && groups.filter(|group| !reads_like_words(group)).count() >= 2
    })
}

/// Whether a text with blanks is one value and no message: no word of it is one that somebody would write.
pub(crate) fn is_phrase(text: &str) -> bool {
    const MAX_WORDS: usize = 6;
    let is_plain = |word: &str| word.bytes().all(|b| b.is_ascii_alphabetic());
    // A command has paths, options and signs of its own.
    let is_command =
        |word: &str| word.starts_with(['-', '.', '/', '~', '$', '<', '>', '|', ';', '(']);
    let is_word = |word: &str| {
        let letters = word.trim_end_matches(['.', ',', ':', ';', '!', '?']);
        !(is_plain(letters) || is_command(word) || reads_like_words(letters))
    };
    let words: Vec<&str> = text.split([' ', '\t']).collect();
    let is_drawn = || {
        words.len() <= MAX_WORDS
            && text.len() > MIN_DRAWN
            && words.iter().all(|word| !word.is_empty() && is_word(word))
            && words.iter().any(|word| is_drawn_value(word))
    };
    is_grouped(text) || is_drawn()
}

/// Whether a value is hexadecimal, long enough to be no number.
pub(crate) fn is_hex(value: &str) -> bool {
    value.len() >= MIN_HEX
        && value.bytes().all(|b| b.is_ascii_hexdigit())
        && value.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Whether a value is the number of a thing, which nobody keeps secret unless the name says so.
fn is_uuid(value: &str) -> bool {
    let lengths = value.split('-').map(str::len);
    let is_sign = |b: u8| b == b'-' || b.is_ascii_hexdigit();
    lengths.eq([8, 4, 4, 4, 12]) && value.bytes().all(is_sign)
}
