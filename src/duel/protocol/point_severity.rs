//! How bad a point is, in the words that people and models use.

use council_protocol::Severity;

use crate::council::plain_words::{Words, objects};

/// Words that make a point critical where its weight is not written in the protocol's words.
const GRAVE_WEIGHTS: [&str; 24] = [
    "critical",
    "blocker",
    "blocking",
    "fatal",
    "severe",
    "serious",
    "grave",
    "showstopper",
    "p0",
    "s0",
    "sev0",
    "sev1",
    "must fix",
    "security",
    "vulnerability",
    "vulnerable",
    "hole",
    "exploit",
    "urgent",
    "catastrophic",
    "kritisch",
    "critique",
    "crítico",
    "schwerwiegend",
];

/// Words of this kind that say nothing of how bad a problem is.
const PLAIN_USES: [&str; 20] = [
    "not critical",
    "non-critical",
    "nothing critical",
    "no critical",
    "not a critical",
    "not blocking",
    "non-blocking",
    "not a blocker",
    "no blocker",
    "not severe",
    "not serious",
    "critical path",
    "critical section",
    "critical region",
    "blocking call",
    "blocking read",
    "blocking write",
    "blocking operation",
    "blocking i/o",
    "blocking queue",
];

/// A text in small letters without them.
fn without_plain_uses(text: &str) -> String {
    let lower = text.to_lowercase();
    // A section may have megabytes, and is read again at every look.
    if !["critical", "block", "severe", "serious"]
        .iter()
        .any(|stem| lower.contains(stem))
    {
        return lower;
    }
    let without = |text: String, plain: &&str| text.replace(plain, " ");
    PLAIN_USES.iter().fold(lower, without)
}

pub(in crate::duel) fn is_grave(text: &str) -> bool {
    let text = without_plain_uses(text);
    Words::of(&text).has_any(&GRAVE_WEIGHTS) || objects(&text)
}

/// How bad a point is by the words for it, in small letters.
const SEVERITIES: [(&str, Severity); 13] = [
    ("critical", Severity::Critical),
    ("blocker", Severity::Critical),
    ("blocking", Severity::Critical),
    ("fatal", Severity::Critical),
    ("severe", Severity::Critical),
    ("kritisch", Severity::Critical),
    ("high", Severity::Critical),
    ("significant", Severity::Significant),
    ("major", Severity::Significant),
    ("medium", Severity::Significant),
    ("minor", Severity::Minor),
    ("low", Severity::Minor),
    ("nit", Severity::Minor),
];

/// The severity that a word stands for.
fn severity_of(word: &str) -> Option<Severity> {
    let known = SEVERITIES.iter().find(|(name, _)| *name == word);
    known.map(|(_, severity)| *severity)
}

/// What coding agents and review bots mark a finding with.
const MARKS: [(&str, Severity); 16] = [
    ("[p0]", Severity::Critical),
    ("**p0**", Severity::Critical),
    ("p0:", Severity::Critical),
    ("p0 —", Severity::Critical),
    ("(p0)", Severity::Critical),
    ("[p1]", Severity::Significant),
    ("[p2]", Severity::Significant),
    ("[p3]", Severity::Minor),
    ("🔴", Severity::Critical),
    ("🛑", Severity::Critical),
    ("⛔", Severity::Critical),
    ("🚨", Severity::Critical),
    ("🟠", Severity::Significant),
    ("🟡", Severity::Significant),
    (MUST_FIX[0], Severity::Critical),
    (MUST_FIX[1], Severity::Critical),
];

/// The mark in words.
const MUST_FIX: [&str; 2] = ["must fix", "must be fixed"];

/// The severity of the mark with which a text begins.
pub(super) fn marked_severity(lower: &str) -> Option<Severity> {
    let text = lower.trim_start_matches([' ', '-', '*', '#']);
    let begins = |mark: &str| lower.trim_start().starts_with(mark) || text.starts_with(mark);
    let known = MARKS.iter().find(|(mark, _)| begins(mark));
    known.map(|(_, severity)| *severity)
}

/// The severity with which a text begins: `**critical**`, `Severity: critical`, `🔴 critical`, `[P0]`.
pub(super) fn leading_severity(text: &str) -> Option<Severity> {
    let lower = text.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let mut words = words.filter(|word| !word.is_empty() && *word != "severity");
    let said = words.next().and_then(severity_of);
    said.or_else(|| marked_severity(&lower))
}

/// Whether a text begins with a severity.
pub(super) fn begins_with_severity(text: &str) -> bool {
    leading_severity(text).is_some()
}

/// The severity that a text states: at its beginning, or as a cell, a bracket or a clause of its own.
pub(super) fn stated_severity(text: &str) -> Option<Severity> {
    let lower = text.to_ascii_lowercase();
    let mut cells = lower
        .split(['|', '(', ')', '[', ']', ',', '—', '–', ':', '.'])
        .map(|cell| cell.trim_matches(|c: char| !c.is_alphanumeric()));
    let stated = |cell: &str| severity_of(cell).or_else(|| severity_said_in(cell));
    leading_severity(text).or_else(|| cells.find_map(stated))
}

/// Words for a severity that mean little else where something "is" so.
const SAID_SEVERITIES: [&str; 8] = [
    "critical",
    "blocker",
    "blocking",
    "fatal",
    "severe",
    "significant",
    "major",
    "minor",
];

/// The severity with which a clause ends that says it of something (`… is critical`) or of a place alone (`also a.py:14 critical`,
/// from the colon on).
fn severity_said_in(clause: &str) -> Option<Severity> {
    let words = clause.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let (last, before) = words.split_last()?;
    let is_of_place = |word: &&str| {
        ["also", "line", "lines"].contains(word) || word.bytes().all(|b| b.is_ascii_digit())
    };
    let is_said = before
        .last()
        .is_some_and(|word| ["is", "are"].contains(word));
    let is_alone = !before.is_empty() && before.iter().all(is_of_place);
    severity_of(last).filter(|_| SAID_SEVERITIES.contains(last) && (is_said || is_alone))
}

/// The severity that can be read from a text: stated, or beside other words in front of the first colon.
pub(super) fn read_severity(text: &str) -> Option<Severity> {
    let lower = without_plain_uses(text);
    let before = &lower[..lower.find(':').unwrap_or(lower.len())];
    let mut words = before.split(|c: char| !c.is_alphanumeric());
    stated_severity(text).or_else(|| words.find_map(severity_of))
}

/// A side that names no severity means one that is worth a warning.
pub(super) fn parse_severity(text: &str) -> Severity {
    read_severity(text).unwrap_or(Severity::Significant)
}

/// The severity that the value of a labelled line names: "Critical", "very high", "P0".
pub(super) fn severity_in_words(value: &str) -> Option<Severity> {
    let lower = value.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let grave = is_grave(value).then_some(Severity::Critical);
    let leading = leading_severity(value).or(grave);
    leading.or_else(|| words.find_map(severity_of))
}

/// What may stand beside a severity in a line that is nothing but one.
const BESIDE_SEVERITY: [&str; 22] = [
    "issue", "issues", "finding", "findings", "problem", "problems", "point", "points", "bug",
    "bugs", "defects", "concerns", "risk", "risks", "severity", "priority", "level", "the",
    "before", "merge", "merging", "this",
];

/// Whether a line is nothing but one severity: "Critical", "**Critical issues (2):**".
pub(super) fn is_severity_alone(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_beside =
        |word: &str| BESIDE_SEVERITY.contains(&word) || word.bytes().all(|b| b.is_ascii_digit());
    let mut named: Vec<Severity> = words.iter().filter_map(|word| severity_of(word)).collect();
    named.dedup();
    let marked = MUST_FIX.iter().find(|mark| lower.contains(*mark));
    let mark: Vec<&str> = marked.map_or(Vec::new(), |mark| mark.split(' ').collect());
    let is_mark = |word: &&&str| mark.contains(*word);
    let mut rest = words
        .iter()
        .filter(|word| severity_of(word).is_none() && !is_mark(word));
    named.len() + usize::from(marked.is_some()) == 1 && rest.all(|word| is_beside(word))
}
