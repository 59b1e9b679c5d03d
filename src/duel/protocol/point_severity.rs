//! How bad a point is, in the words that people and models use.

use council_protocol::Severity;

use super::claim_place::find_location;
use super::severity_marks::{
    MarkKind, MarkedPart, mark_alone, marked_parts, split_number, split_phrase, split_sign,
    strip_phrase,
};
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

/// The mark with which a text begins (`**critical**`, `Severity: critical`, `🔴 critical`, `[P0]`), whether it is set apart
/// by its form, and what follows it.
pub(super) fn leading_mark(text: &str) -> Option<(Severity, bool, &str)> {
    let mut text = text;
    loop {
        let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        if let Some((severity, _, rest)) = split_phrase(bare) {
            return Some((severity, false, rest));
        }
        match strip_phrase(bare, "severity") {
            Some(rest) => text = rest,
            None => break,
        }
    }
    let marked = leading_number(text).or_else(|| {
        split_sign(text.trim_start_matches([' ', ':', '-', '*', '#', '_', '|', '`', '[', '(']))
    });
    marked.map(|(severity, rest)| (severity, true, rest))
}

/// A tracker's number that stands apart from what follows it: in brackets, in bold, before a mark, a place or the end.
fn leading_number(text: &str) -> Option<(Severity, &str)> {
    let bare = text.trim_start_matches([' ', ':', '-', '*', '#', '_', '|']);
    let inner = bare.strip_prefix(['[', '(']);
    let (severity, rest) = split_number(inner.unwrap_or(bare))?;
    let behind = rest.trim_start();
    // `S1, a.py:3: …`, and not "p1, p2 and p3 are lost".
    let next = || behind.trim_start_matches(',').split_whitespace().next();
    let place = || next().and_then(find_location);
    let is_apart = match inner {
        Some(_) => rest.starts_with([']', ')']),
        None => {
            let is_marked = behind.starts_with([':', '—', '–', '|', '*', '`', ']', ')']);
            behind.is_empty() || is_marked || rest.starts_with(" - ") || place().is_some()
        }
    };
    is_apart.then_some((severity, rest))
}

/// The severity with which a text begins.
pub(super) fn leading_severity(text: &str) -> Option<Severity> {
    leading_mark(text).map(|(severity, ..)| severity)
}

/// Whether a text begins with a severity.
pub(super) fn begins_with_severity(text: &str) -> bool {
    leading_severity(text).is_some()
}

/// The severity that a text states: at its beginning, or as a cell, a bracket or a clause of its own.
pub(super) fn stated_severity(text: &str) -> Option<Severity> {
    let cells = text.split(['|', '(', ')', '[', ']', ',', '—', '–', ':', '.']);
    let stated = |cell: &str| word_alone(cell).or_else(|| severity_said_in(cell));
    let mut cells = cells.filter(|cell| !cell.is_empty());
    leading_severity(text)
        .or_else(|| cells.find_map(stated))
        .or_else(|| number_apart(text))
}

/// The severity that a clause is: a number may be a name there, if it is not set apart.
fn word_alone(cell: &str) -> Option<Severity> {
    let (severity, kind) = mark_alone(cell)?;
    (kind != MarkKind::Number).then_some(severity)
}

/// The severity of a tracker's number in a cell, in bold, behind a dash or in a bracket that begins a word.
fn number_apart(text: &str) -> Option<Severity> {
    let bold = text.split("**").skip(1).step_by(2);
    let mut cells = text.split(['|', '—', '–']).skip(1).chain(bold);
    let alone = |cell: &str| mark_alone(cell).map(|(severity, _)| severity);
    let bracket = |(at, _): (usize, &str)| {
        let is_own = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '`');
        let end = at + text[at..].find([')', ']'])?;
        alone(&text[at + 1..end]).filter(|_| is_own)
    };
    let mut brackets = text.match_indices(['(', '[']);
    cells.find_map(alone).or_else(|| brackets.find_map(bracket))
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
    let parts = marked_parts(clause);
    let (MarkedPart::Mark(severity, kind), before) = parts.split_last()? else {
        return None;
    };
    let is_of_place = |part: &MarkedPart<'_>| match part {
        MarkedPart::Word(word) => {
            ["also", "line", "lines"].contains(word) || word.bytes().all(|b| b.is_ascii_digit())
        }
        MarkedPart::Mark(..) => false,
    };
    let is_said = matches!(before.last(), Some(MarkedPart::Word("is" | "are")));
    let is_alone = !before.is_empty() && before.iter().all(is_of_place);
    let is_known = match kind {
        MarkKind::Phrase(name) => SAID_SEVERITIES.contains(name),
        MarkKind::Number | MarkKind::Sign => true,
    };
    (is_known && (is_said || is_alone)).then_some(*severity)
}

/// What gives a problem its weight in front of a severity: "it is only minor", "I would call it significant".
const GIVING: [&str; 11] = [
    "is", "are", "be", "as", "it", "only", "merely", "just", "rather", "most", "of",
];

/// What may follow such a severity.
const BEHIND_WEIGHT: [&str; 4] = ["at", "severity", "here", "though"];

/// The severity that a sentence gives its problem: the last word of a clause, behind one that gives it.
pub(super) fn weight_said_in(sentence: &str) -> Option<Severity> {
    let clauses = sentence.split(['.', ',', ':', '(', ')', '—', '–']);
    clauses.map(marked_parts).find_map(|parts| {
        let at = parts.iter().position(|part| {
            matches!(part, MarkedPart::Mark(_, MarkKind::Phrase(name)) if SAID_SEVERITIES.contains(name))
        })?;
        let word = |at: usize| match parts.get(at) {
            Some(MarkedPart::Word(word)) => Some(*word),
            _ => None,
        };
        let mut before = (0..at).filter_map(word);
        let is_denied = before.clone().any(|word| ["not", "no", "never"].contains(&word));
        let is_given = before.next_back().is_some_and(|word| GIVING.contains(&word));
        let is_end = at + 1 == parts.len();
        let is_bounded = word(at + 1).is_some_and(|word| BEHIND_WEIGHT.contains(&word));
        let is_weight = is_given && (is_end || is_bounded) || at == 0 && is_bounded;
        let MarkedPart::Mark(severity, _) = parts[at] else {
            return None;
        };
        (is_weight && !is_denied).then_some(severity)
    })
}

/// The first severity among the words of a text.
fn severity_among(text: &str) -> Option<Severity> {
    let mut parts = marked_parts(text).into_iter();
    parts.find_map(|part| match part {
        MarkedPart::Mark(severity, MarkKind::Phrase(_)) => Some(severity),
        _ => None,
    })
}

/// The severity that can be read from a text: stated, or beside other words in front of the first colon.
pub(super) fn read_severity(text: &str) -> Option<Severity> {
    let lower = without_plain_uses(text);
    let before = &lower[..lower.find(':').unwrap_or(lower.len())];
    stated_severity(text).or_else(|| severity_among(before))
}

/// A side that names no severity means one that is worth a warning.
pub(super) fn parse_severity(text: &str) -> Severity {
    read_severity(text).unwrap_or(Severity::Significant)
}

/// The severity that the value of a labelled line names: "Critical", "very high", "P0".
pub(super) fn severity_in_words(value: &str) -> Option<Severity> {
    let number = || match marked_parts(value).first() {
        Some(MarkedPart::Mark(severity, MarkKind::Number)) => Some(*severity),
        _ => None,
    };
    let grave = || is_grave(value).then_some(Severity::Critical);
    leading_severity(value)
        .or_else(number)
        .or_else(grave)
        .or_else(|| severity_among(value))
}

/// What may stand beside a severity in a line that is nothing but one.
const BESIDE_SEVERITY: [&str; 22] = [
    "issue", "issues", "finding", "findings", "problem", "problems", "point", "points", "bug",
    "bugs", "defects", "concerns", "risk", "risks", "severity", "priority", "level", "the",
    "before", "merge", "merging", "this",
];

/// Whether a line is nothing but one severity.
pub(super) fn is_severity_alone(text: &str) -> bool {
    severity_alone(text).is_some()
}

/// The severity that a line is and nothing else: "Critical", "**Critical issues (2):**", "🔴", "SEV-1".
pub(super) fn severity_alone(text: &str) -> Option<Severity> {
    let (mut named, mut signs) = (Vec::new(), Vec::new());
    for part in marked_parts(text) {
        match part {
            MarkedPart::Mark(severity, MarkKind::Sign) => signs.push(severity),
            MarkedPart::Mark(severity, _) => named.push(severity),
            MarkedPart::Word(word) => {
                let is_count = word.bytes().all(|b| b.is_ascii_digit());
                if !is_count && !BESIDE_SEVERITY.contains(&word.to_lowercase().as_str()) {
                    return None;
                }
            }
        }
    }
    let mut said = if named.is_empty() { signs } else { named };
    said.dedup();
    said.first().copied().filter(|_| said.len() == 1)
}
