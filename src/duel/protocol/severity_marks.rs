//! The words, numbers and signs by which people and bots say how bad a problem is: one table and one reader for all
//! layouts.

use council_protocol::Severity;

/// Words, in small letters. A hyphen may stand for a blank; what begins with another one stands before it.
const PHRASES: [(&str, Severity); 18] = [
    ("critical", Severity::Critical),
    ("blocker", Severity::Critical),
    ("blocking", Severity::Critical),
    ("fatal", Severity::Critical),
    ("severe", Severity::Critical),
    ("showstopper", Severity::Critical),
    ("show stopper", Severity::Critical),
    ("kritisch", Severity::Critical),
    ("high", Severity::Critical),
    ("must be fixed", Severity::Critical),
    ("must fix", Severity::Critical),
    ("significant", Severity::Significant),
    ("major", Severity::Significant),
    ("medium", Severity::Significant),
    ("moderate", Severity::Significant),
    ("minor", Severity::Minor),
    ("low", Severity::Minor),
    ("nit", Severity::Minor),
];

const SIGNS: [(char, Severity); 6] = [
    ('🔴', Severity::Critical),
    ('🛑', Severity::Critical),
    ('⛔', Severity::Critical),
    ('🚨', Severity::Critical),
    ('🟠', Severity::Significant),
    ('🟡', Severity::Significant),
];

/// How a mark is written: a variable may be called as a number of a tracker is, so that only one set apart is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkKind {
    Phrase(&'static str),
    Number,
    Sign,
}

/// A part of a text: a mark or a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkedPart<'t> {
    Mark(Severity, MarkKind),
    Word(&'t str),
}

/// A text in its marks and words, in order.
pub(super) fn marked_parts(text: &str) -> Vec<MarkedPart<'_>> {
    let is_sign = |c: char| SIGNS.iter().any(|(sign, _)| *sign == c);
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && !is_sign(c));
        if rest.is_empty() {
            return parts;
        }
        if let Some((severity, kind, behind)) = split_mark(rest) {
            parts.push(MarkedPart::Mark(severity, kind));
            rest = behind;
        } else {
            let end = rest.find(|c: char| !c.is_alphanumeric());
            let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
            parts.push(MarkedPart::Word(word));
            rest = behind;
        }
    }
}

/// The mark that a text is, whatever stands around it; a word says more than the sign beside it. None: it says more.
pub(super) fn mark_alone(text: &str) -> Option<(Severity, MarkKind)> {
    let parts = marked_parts(text);
    let marks = parts.iter().map(|part| match part {
        MarkedPart::Mark(severity, kind) => Some(Some((*severity, *kind))),
        MarkedPart::Word(word) => word.eq_ignore_ascii_case("severity").then_some(None),
    });
    let marks: Vec<_> = marks.collect::<Option<_>>()?;
    let marks = || marks.iter().flatten();
    let word = marks().find(|(_, kind)| *kind != MarkKind::Sign);
    word.or_else(|| marks().next()).copied()
}

/// The mark at the very beginning of a text, and what follows it.
fn split_mark(text: &str) -> Option<(Severity, MarkKind, &str)> {
    let phrase =
        || split_phrase(text).map(|(mark, name, rest)| (mark, MarkKind::Phrase(name), rest));
    let number = || split_number(text).map(|(mark, rest)| (mark, MarkKind::Number, rest));
    let sign = || split_sign(text).map(|(mark, rest)| (mark, MarkKind::Sign, rest));
    phrase().or_else(number).or_else(sign)
}

pub(super) fn split_phrase(text: &str) -> Option<(Severity, &'static str, &str)> {
    PHRASES.iter().find_map(|(name, severity)| {
        let rest = strip_phrase(text, name)?;
        Some((*severity, *name, rest))
    })
}

/// The text behind a phrase that it begins with, in small or capital letters.
pub(super) fn strip_phrase<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    let mut rest = text;
    for (nth, word) in phrase.split(' ').enumerate() {
        if nth > 0 {
            rest = rest.strip_prefix([' ', '-'])?;
        }
        let (begin, behind) = rest.split_at_checked(word.len())?;
        rest = Some(behind).filter(|_| begin.eq_ignore_ascii_case(word))?;
    }
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// `P0`, `S1`, `SEV-1`: how trackers number it.
pub(super) fn split_number(text: &str) -> Option<(Severity, &str)> {
    let digit = text.find(|c: char| !c.is_ascii_alphabetic())?;
    let (scale, rest) = text.split_at(digit);
    let is_long = scale.eq_ignore_ascii_case("sev");
    let rest = rest
        .strip_prefix([' ', '-'])
        .filter(|_| is_long)
        .unwrap_or(rest);
    let number = rest.chars().next()?.to_digit(10)?;
    let rest = &rest[1..];
    let severity = match (scale, number) {
        ("P" | "p", 0) => Severity::Critical,
        ("P" | "p", 1 | 2) => Severity::Significant,
        // A register is called `s1`.
        (_, 0 | 1) if is_long || scale == "S" => Severity::Critical,
        (_, 2 | 3) if is_long || scale == "S" => Severity::Significant,
        (_, 3..=5) if is_long || ["P", "p", "S"].contains(&scale) => Severity::Minor,
        _ => return None,
    };
    let is_longer = rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (!is_longer).then_some((severity, rest))
}

pub(super) fn split_sign(text: &str) -> Option<(Severity, &str)> {
    SIGNS.iter().find_map(|(sign, severity)| {
        let rest = text.strip_prefix(*sign)?;
        Some((*severity, rest.trim_start_matches('\u{fe0f}')))
    })
}
