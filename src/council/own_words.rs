//! What a judge writes in words of its own around an answer that votes PASS. Plain consent and announcements ("Here is my
//! answer:") say nothing. A vote of another kind, or a finding, is sent back; so is what names a place of the change and does
//! not clear it. Everything else is told, so that it is never silent.

use council_protocol::Vote;

use super::consent::{APPROVALS, REASSURING, RESERVATIONS, clears_something, is_plain, vote_line};
use super::plain_words::excerpt;
use super::plain_words::{
    NEGATIONS, Words, is_place_word, names_file, names_place, names_problem, without_ends_in_code,
};

/// What words around an answer come to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OwnWords {
    /// A vote against the change, or a finding.
    pub(super) against: Option<String>,
    /// A sentence about a place that does not clear it.
    pub(super) place: Option<String>,
    /// What else is neither consent nor announcement.
    pub(super) told: Vec<String>,
}

/// Words of weights, with which a finding begins.
const WEIGHTS: &[&str] = &[
    "critical",
    "severe",
    "severity",
    "high",
    "blocker",
    "blocking",
    "major",
    "significant",
    "p0",
    "p1",
];

/// What counts findings and finds none: `Critical: none`.
const NO_FINDING: &[&str] = &["none", "0", "no", "zero", "nothing"];

/// Every word of an announcement of an answer.
const ANNOUNCING: &str = "here here's is are my our the a an answer answers verdict vote response result results output \
     review json object block format as in requested required asked below above following follows now i i've i'll i'm we \
     have has had will let me give giving provide return returning write writing submit final complete completed finished \
     done that instructions based on with of its per schema okay ok sure certainly by round judge";

/// One of these stands in it.
const ANNOUNCED: &[&str] = &[
    "answer", "verdict", "vote", "response", "result", "output", "review", "json", "object",
];

/// How somebody begins who says what comes next.
const INTENTIONS: &[&str] = &["let me", "now let me", "i'll", "i will", "first let me"];

/// Every word of it.
const LOOKING: &str = "now first let me i i'll will look read check review inspect examine at through over the this whole \
     change diff patch commit code file files carefully step by and then give my answer verdict";

/// Reads words that stand around an answer.
pub(super) fn read_own_words(text: &str) -> OwnWords {
    let mut read = OwnWords::default();
    let mut in_fence = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_fence = !in_fence;
            continue;
        }
        if vote_line(line).is_some_and(|vote| vote > Vote::Pass) || is_finding(line) {
            read.against.get_or_insert_with(|| excerpt(line));
        } else if !in_fence {
            read.read_line(line);
        }
    }
    read
}

impl OwnWords {
    fn read_line(&mut self, line: &str) {
        for sentence in sentences(line) {
            let sentence = sentence.as_str();
            if says_nothing(sentence) {
                continue;
            }
            if has_uncleared_place(sentence) {
                self.place.get_or_insert_with(|| excerpt(sentence));
            }
            self.told.push(excerpt(sentence));
        }
    }
}

/// The sentences of a line, each with its mark; code in backticks ends none.
pub(super) fn sentences(line: &str) -> Vec<String> {
    let masked = without_ends_in_code(line);
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in masked.char_indices() {
        let rest = &masked[at + c.len_utf8()..];
        let ends = "!?;".contains(c) || c == '.' && rest.starts_with(char::is_whitespace);
        if ends {
            found.push(line[start..at + c.len_utf8()].trim().to_owned());
            start = at + c.len_utf8();
        }
    }
    found.push(line[start..].trim().to_owned());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Whether a sentence is a consent, or announces an answer.
pub(super) fn says_nothing(sentence: &str) -> bool {
    is_plain(sentence, is_place_word)
        || vote_line(sentence) == Some(Vote::Pass)
        || announces(sentence)
}

fn announces(sentence: &str) -> bool {
    let words = Words::of(sentence);
    let only = |list: &str| {
        let is_known = |word: &String| list.split_whitespace().any(|known| known == word);
        words.0.iter().all(is_known)
    };
    let is_ascii = sentence.chars().all(|c| c.is_ascii() || "’—–…".contains(c));
    let intends = INTENTIONS.iter().any(|begin| words.starts_with(begin)) && only(LOOKING);
    let presents = words.has_any(ANNOUNCED) && only(ANNOUNCING);
    is_ascii && !sentence.contains(['?', '`']) && (words.0.is_empty() || intends || presents)
}

/// Whether a line is the heading or the item of a finding: it begins with its weight.
fn is_finding(line: &str) -> bool {
    let words = Words::of(line);
    let numbered = words
        .0
        .first()
        .is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
    let Some(first) = words.0.get(usize::from(numbered)) else {
        return false;
    };
    let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let bare = if numbered {
        bare.trim_start_matches(|c: char| !c.is_alphabetic())
    } else {
        bare
    };
    let behind = bare.get(first.len()..).unwrap_or_default();
    let is_label = behind.starts_with([':', '*', '_', ']', ')', '|', '—', '–'])
        || behind.starts_with(" —")
        || behind.starts_with(" -")
        || behind.starts_with(" |");
    let next = words.0.get(usize::from(numbered) + 1);
    let is_none = next.is_some_and(|word| NO_FINDING.contains(&word.as_str()));
    WEIGHTS.contains(&first.as_str()) && is_label && !is_none && !words.has_any(APPROVALS)
}

/// Whether a sentence names a place of the change, and does not say that it is fine.
pub(super) fn has_uncleared_place(sentence: &str) -> bool {
    let words = Words::of(sentence);
    let clears = words.has_any(REASSURING) || clears_something(sentence);
    let is_reserved = words.has_any(NEGATIONS) || words.has_any(RESERVATIONS);
    let is_cleared = clears && !is_reserved && !names_problem(sentence);
    (names_place(sentence) || names_file(sentence)) && !is_cleared
}

#[cfg(test)]
#[path = "own_words_tests.rs"]
mod tests;
