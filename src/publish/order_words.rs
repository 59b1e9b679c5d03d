//! The words of `/council dismiss …`: what is dismissed, as what, and why.
//!
//! What is not understood is never passed over, since whoever wrote it meant something by it: another finding, or a kind
//! that is not the one that would be recorded.

use super::order_lines::spoken_lines;
use crate::council::{DismissalGround, is_reason};
use crate::text::clip_chars;

/// The two words of the command.
const COMMAND: [&str; 2] = ["/council", "dismiss"];

/// What takes a dismissal back, in the place of its second word.
const TAKE_BACK: [&str; 4] = ["undo", "undismiss", "un-dismiss", "take-back"];

/// The word before the reason; people forget it.
const BECAUSE: &str = "because";

/// What may stand behind `as`, in any spelling; without it the finding is right, and somebody answers for it.
const GROUNDS: [(&str, DismissalGround); 5] = [
    ("wrong", DismissalGround::FalsePositive),
    ("false-positive", DismissalGround::FalsePositive),
    ("accepted-risk", DismissalGround::AcceptedRisk),
    ("accepted", DismissalGround::AcceptedRisk),
    ("fixed", DismissalGround::Fixed),
];

/// What people call the finding of the conversation that they are in.
const PRONOUNS: [&str; 5] = ["this-finding", "this-one", "this", "it", "that"];

/// Words before a name or a kind that say nothing.
const ARTICLES: [&str; 4] = ["the", "an", "a", "finding"];

/// Marks around a name or a kind.
const QUOTES: [char; 8] = ['`', '"', '\'', '*', '#', '[', ']', '“'];

/// The most characters of a reason, and of words that were not understood.
const MAX_REASON: usize = 500;
const MAX_WORDS: usize = 60;

/// What a reply orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderMeaning {
    Dismiss(DismissWords),
    /// What was dismissed in this conversation counts again.
    TakeBack,
    /// It does not say why.
    Unreasoned,
    /// This stands where a kind is named, and is none.
    OtherKind(String),
    /// This stands between the command and its reason.
    OtherWords(String),
    /// It holds several commands.
    Several,
}

/// A dismissal in somebody's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DismissWords {
    /// What they call the finding, if they do: its id or the first digits of its fingerprint.
    pub names: Option<String>,
    /// Whether they call it wrong, or answer for it.
    pub ground: DismissalGround,
    pub because: String,
}

/// The order in a reply, which begins one of its lines; none where there is none.
pub(super) fn read_order(body: &str) -> Option<OrderMeaning> {
    let body = body.replace("\r\n", "\n");
    let lines = spoken_lines(&body);
    let mut takes_back = lines.iter().map(|(_, line)| is_taking_back(line));
    let takes_back = takes_back.any(|takes_back| takes_back);
    let mut orders = lines
        .iter()
        .filter_map(|(at, line)| Some(at + line.len() - words_of_order(line)?.len()));
    match (orders.next(), orders.next()) {
        (None, _) => takes_back.then_some(OrderMeaning::TakeBack),
        (Some(first), None) if !takes_back => Some(read_words(body[first..].trim())),
        (Some(_), _) => Some(OrderMeaning::Several),
    }
}

/// What stands behind the command on its line.
fn words_of_order(line: &str) -> Option<&str> {
    strip_word(words_for_us(line)?, COMMAND[1])
}

fn is_taking_back(line: &str) -> bool {
    let words = words_for_us(line);
    words.is_some_and(|words| {
        TAKE_BACK
            .iter()
            .any(|name| strip_name(words, name).is_some())
    })
}

/// What stands behind the first word of a command on its line.
fn words_for_us(line: &str) -> Option<&str> {
    let rest = strip_word(line.trim_start_matches([' ', '\t']), COMMAND[0])?;
    Some(rest.trim_start())
}

/// `F1 as wrong because it is a constant`: the finding, the kind, and behind `because` the reason.
fn read_words(words: &str) -> OrderMeaning {
    let (head, reason) = split_reason(words);
    let (names, rest) = strip_target(head, reason.is_some());
    let rest = skip_mark(rest);
    let marked = strip_word(rest, "as");
    let (ground, left) = match (marked, strip_kind(marked.unwrap_or(rest))) {
        (Some(_), None) => return OrderMeaning::OtherKind(clip(rest)),
        (None, None) => (DismissalGround::AcceptedRisk, rest),
        // "wrong line": nobody can tell whether that is the kind or the reason.
        (None, Some((ground, left))) if reason.is_none() && goes_on(left) => match ground {
            DismissalGround::AcceptedRisk => (ground, rest),
            _ => return OrderMeaning::OtherKind(clip(rest)),
        },
        (_, Some(kind)) => kind,
    };
    let left = skip_mark(left);
    let is_passed_over = match reason {
        Some(_) => !left.is_empty(),
        None => names.is_some() && names_another(left),
    };
    if is_passed_over {
        return OrderMeaning::OtherWords(clip(head));
    }
    let because = reason.map_or(left, skip_mark).trim();
    if !is_reason(because) {
        return OrderMeaning::Unreasoned;
    }
    OrderMeaning::Dismiss(DismissWords {
        names,
        ground,
        because: clip_chars(because, MAX_REASON).into_owned(),
    })
}

/// What stands before the first `because` of the first paragraph, and behind it; all words where there is none.
fn split_reason(words: &str) -> (&str, Option<&str>) {
    let paragraph = words.split("\n\n").next().unwrap_or_default();
    let lower = paragraph.to_ascii_lowercase();
    let is_word = |at: usize| {
        let (before, behind) = (&lower[..at], &lower[at + BECAUSE.len()..]);
        !before.ends_with(is_in_word) && !behind.starts_with(is_in_word)
    };
    let mut places = lower.match_indices(BECAUSE).map(|(at, _)| at);
    match places.find(|at| is_word(*at)) {
        Some(at) => (words[..at].trim(), Some(&words[at + BECAUSE.len()..])),
        None => (words, None),
    }
}

/// What the finding is called, and what stands behind that. A pronoun names the finding only where nothing but a kind or
/// the reason follows: "it is a constant" is a reason.
fn strip_target(head: &str, is_before_reason: bool) -> (Option<String>, &str) {
    if let Some((name, rest)) = strip_id(head) {
        return (Some(name), rest);
    }
    let is_end = |rest: &str| {
        is_before_reason || !goes_on(rest) || strip_word(rest.trim_start(), "as").is_some()
    };
    let mut pronouns = PRONOUNS.iter();
    let rest = pronouns.find_map(|word| strip_name(head, word).filter(|rest| is_end(rest)));
    (None, rest.unwrap_or(head))
}

/// `F2`, in quotes or not, or at least eight digits of a fingerprint.
fn strip_id(text: &str) -> Option<(String, &str)> {
    let text = skip_articles(text).trim_start_matches(QUOTES);
    let end = text.find(|c: char| !c.is_ascii_alphanumeric());
    let (id, rest) = text.split_at(end.unwrap_or(text.len()));
    let number = id.strip_prefix(['F', 'f']).unwrap_or_default();
    let is_number = (1..=5).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    let is_digits = (8..=16).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_hexdigit())
        && id.bytes().any(|b| b.is_ascii_digit());
    let rest = rest.trim_start_matches(QUOTES);
    // `f1.rs` and `F1-score` are no ids.
    let mut behind = rest.chars();
    let is_whole = match (behind.next(), behind.next()) {
        (Some('.' | '/' | ':'), Some(next)) => next.is_whitespace(),
        (Some(next), _) => !is_in_word(next) && next != '(',
        (None, _) => true,
    };
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    ((is_number || is_digits) && is_whole).then(|| (id.to_owned(), rest))
}

/// A kind in any spelling, and what stands behind it.
fn strip_kind(text: &str) -> Option<(DismissalGround, &str)> {
    let text = skip_articles(text).trim_start_matches(QUOTES);
    let (ground, rest) = GROUNDS
        .iter()
        .find_map(|(name, ground)| Some((*ground, strip_name(text, name)?)))?;
    Some((ground, rest.trim_start_matches(QUOTES)))
}

/// Whether another finding is named behind the first one.
fn names_another(text: &str) -> bool {
    let joined = strip_word(text, "and").unwrap_or(text);
    strip_id(joined.trim_start_matches(['&', '+', ' '])).is_some()
}

/// Whether words follow without a mark before them.
fn goes_on(text: &str) -> bool {
    let text = text.trim_start();
    !text.is_empty() && skip_mark(text) == text
}

fn skip_articles(text: &str) -> &str {
    let mut text = text.trim_start();
    for article in ARTICLES {
        text = strip_word(text, article).unwrap_or(text).trim_start();
    }
    text
}

/// What stands behind a mark such as a colon.
fn skip_mark(text: &str) -> &str {
    let text = text.trim_start();
    let marked = text.strip_prefix([':', ',', ';', '—', '–']);
    marked
        .or_else(|| text.strip_prefix("- "))
        .unwrap_or(text)
        .trim_start()
}

/// A name whose parts may be joined by blanks, hyphens or low lines.
fn strip_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = text;
    for (at, part) in name.split('-').enumerate() {
        let joint = match at {
            0 => rest,
            _ => rest.trim_start_matches([' ', '-', '_']),
        };
        rest = strip_prefix(joint, part)?;
    }
    (!rest.starts_with(is_in_word)).then_some(rest)
}

/// What stands behind a whole word, in large or small letters.
fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    strip_prefix(text, word).filter(|rest| !rest.starts_with(is_in_word))
}

fn strip_prefix<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let begin = text.get(..word.len())?;
    let rest = &text[word.len()..];
    begin.eq_ignore_ascii_case(word).then_some(rest)
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

fn clip(words: &str) -> String {
    let line = words.lines().next().unwrap_or_default().trim();
    clip_chars(line, MAX_WORDS).into_owned()
}

#[cfg(test)]
#[path = "order_words_tests.rs"]
mod tests;
