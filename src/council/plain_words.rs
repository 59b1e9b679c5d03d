//! What people and models write in plain words, in answers that follow no form: what stops a change, and what only sounds so.

use super::denials::without_denied_faults;

/// Phrases that name a disagreement and mean its end.
const ENDED: &[&str] = &[
    "no longer disagree",
    "don't disagree",
    "do not disagree",
    "cannot disagree",
    "can't disagree",
    "nothing to object to",
    "no objection",
    "no objections",
    "no doubt",
    "no disagreement",
];

/// Words that turn round what stands beside them.
pub const NEGATIONS: &[&str] = &[
    "not", "no", "never", "don't", "dont", "doesn't", "didn't", "can't", "cannot", "won't",
    "hardly", "unable", "neither", "nor", "refuse", "would",
];

/// A statement in lower case, word by word; marks, emphasis and characters that nobody sees are gone.
#[derive(Debug, Clone)]
pub struct Words(pub Vec<String>);

impl Words {
    pub fn of(text: &str) -> Self {
        let visible = text.chars().filter(|c| !is_invisible(*c));
        let lower: String = visible
            .flat_map(char::to_lowercase)
            .map(|c| if c == '’' { '\'' } else { c })
            .collect();
        let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
        let words = words.map(|word| word.trim_matches('\''));
        Self(
            words
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    pub fn position(&self, phrase: &str) -> Option<usize> {
        let first = phrase.split(' ').next()?;
        let mut starts = (0..self.0.len()).filter(|at| self.0[*at] == first);
        starts.find(|at| self.stands_at(*at, phrase))
    }

    pub fn has_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.position(phrase).is_some())
    }

    /// Whether there is no other word in it.
    pub fn consists_of(&self, known: &[&str]) -> bool {
        self.0.iter().all(|word| known.contains(&word.as_str()))
    }

    pub fn starts_with(&self, phrase: &str) -> bool {
        self.stands_at(0, phrase)
    }

    pub fn stands_at(&self, at: usize, phrase: &str) -> bool {
        let mut words = self.0[at..].iter();
        phrase
            .split(' ')
            .all(|wanted| words.next().is_some_and(|word| word == wanted))
    }

    /// Without the phrases that mean the end of a disagreement.
    pub fn without_ended(self) -> Self {
        self.without(ENDED)
    }

    pub fn without(mut self, phrases: &[&str]) -> Self {
        for phrase in phrases {
            while let Some(at) = self.position(phrase) {
                self.0.drain(at..at + phrase.split(' ').count());
            }
        }
        self
    }
}

pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Characters of somebody's words in a note.
pub(super) const EXCERPT_CHARS: usize = 120;

/// One line of at most [`EXCERPT_CHARS`] characters.
pub(super) fn excerpt(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    flat.chars().take(EXCERPT_CHARS).collect()
}

/// What somebody says who does not let a change in.
const BLOCKS: &[&str] = &[
    "do not merge",
    "don't merge",
    "dont merge",
    "not be merged",
    "cannot be merged",
    "can't be merged",
    "not merge this",
    "must not go in",
    "should not go in",
    "not go in",
    "do not ship",
    "don't ship",
    "not be shipped",
    "do not land",
    "don't land",
    "do not approve",
    "don't approve",
    "cannot approve",
    "can't approve",
    "not safe to merge",
    "unsafe to merge",
    "not ready to merge",
    "blocks the merge",
    "block the merge",
    "request changes",
    "requesting changes",
    "i vote fail",
    "move to fail",
    "actually fail",
    "do not proceed",
    "don't proceed",
    "vote is fail",
    "vote fail",
    "verdict fail",
    "not ok",
    "not okay",
    "not acceptable",
    "unacceptable",
    "hold off",
    "must be fixed",
    "has to be fixed",
    "have to be fixed",
    "needs to be fixed",
    "need to be fixed",
    "needs a fix",
    "i am against",
    "i'm against",
    "we are against",
    "vote against",
    "i reject",
    "changes requested",
    "changes are requested",
    "needs changes",
    "needs work",
    "not ready",
    "revert this",
    "should be reverted",
    "must be reverted",
    "not approved",
    "not approve",
    "my verdict reject",
    "verdict is reject",
    "verdict reject",
    "lehne ab",
    "änderung ab",
    "nicht freigeben",
    "nicht freigegeben",
    "nicht mergen",
    "nicht gemergt",
    "darf nicht",
    "darf so nicht",
];

/// Marks of somebody who says no.
const REFUSING_MARKS: [char; 8] = ['❌', '❎', '✘', '✗', '✖', '👎', '🚫', '⛔'];

/// Whether a text bears the mark of somebody who says no.
pub fn has_refusing_mark(text: &str) -> bool {
    text.contains(REFUSING_MARKS)
}

/// Words for problems that stop a change.
const GRAVE: &[&str] = &[
    "critical",
    "severe",
    "serious",
    "blocker",
    "blocking",
    "veto",
    "nack",
    "showstopper",
    "vulnerability",
    "vulnerabilities",
    "vulnerable",
    "data loss",
];

/// Words beside which a grave one names nothing of the change: it is absent, or gone.
pub const HARMLESS: &[&str] = &[
    "nothing",
    "0",
    "without",
    "isn't",
    "aren't",
    "wasn't",
    "non",
    "fixes",
    "fixed",
    "resolved",
    "resolves",
    "addresses",
    "addressed",
    "prevents",
];

/// The most words of a line that counts problems.
const MAX_COUNT_WORDS: usize = 4;

/// Terms of the trade that are no problems.
pub const TERMS: &[&str] = &[
    "critical path",
    "critical paths",
    "critical section",
    "critical sections",
];

/// Words that deny whatever follows them in their clause.
const DENIALS: [&str; 4] = ["nothing", "none", "neither", "nobody"];

/// So many words before a phrase can deny it: `nothing here should block the merge`.
const DENIAL_REACH: usize = 4;

/// Whether a text says in so many words that the change must not go in.
pub fn stops(text: &str) -> bool {
    let clauses = text.split(['.', '!', '?', ';', ',', ':', '\n']);
    clauses.map(Words::of).any(|words| is_stopped_by(&words))
        || text.lines().any(is_bare_refusal)
        || has_refusing_mark(text)
}

/// Words that refuse where they are all that a line says.
const REFUSES: &[&str] = &[
    "fail", "failed", "fails", "reject", "rejected", "nack", "veto", "block",
];

/// What such a line may say besides: that it is a vote.
pub(super) const VOTE_WORDS: &[&str] = &[
    "verdict", "vote", "my", "final", "result", "status", "decision", "overall", "is", "the", "i",
];

/// Whether a line is nothing but a vote against the change: `**Verdict:** FAIL`, `NACK`.
fn is_bare_refusal(line: &str) -> bool {
    let words = Words::of(line);
    words.has_any(REFUSES)
        && words.0.iter().all(|word| {
            let word = word.as_str();
            REFUSES.contains(&word) || VOTE_WORDS.contains(&word)
        })
}

fn is_stopped_by(words: &Words) -> bool {
    BLOCKS.iter().any(|phrase| {
        words.position(phrase).is_some_and(|at| {
            let before = &words.0[at.saturating_sub(DENIAL_REACH)..at];
            let is_negated = before
                .last()
                .is_some_and(|word| ["not", "don't", "doesn't", "won't"].contains(&word.as_str()));
            !is_negated && !before.iter().any(|word| DENIALS.contains(&word.as_str()))
        })
    })
}

/// What programs do that have a fault.
pub(super) const FAULTS: &[&str] = &[
    "crash",
    "crashes",
    "crashed",
    "hangs",
    "loops forever",
    "infinite loop",
    "zerodivisionerror",
    "use after free",
    "p0",
    "raises",
    "throws",
    "panics",
    "fails",
    "breaks",
    "leaks",
    "overflows",
    "overflow",
    "divides by zero",
    "division by zero",
    "deadlocks",
    "corrupts",
    "bug",
    "broken",
    "wrong",
    "injection",
    "exploitable",
    "undefined",
];

/// Whether a sentence names a problem of the change together with its place: a line, or code in backticks.
pub fn names_problem(text: &str) -> bool {
    clauses(&without_ends_in_code(text)).any(|sentence| {
        let words = Words::of(sentence).without(TERMS);
        let is_harmless = |word: &String| {
            NEGATIONS.contains(&word.as_str()) || word != "0" && HARMLESS.contains(&word.as_str())
        };
        let is_named = words.has_any(GRAVE) || words.has_any(FAULTS);
        is_named && names_place(sentence) && !words.0.iter().any(is_harmless)
    })
}

/// What a text says, one statement after the other.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(['!', '?', ';', '\n']);
    parts.flat_map(|part| part.split(". "))
}

/// The longest remark, in bytes: whoever writes so little beside an answer says something of the change, and does not think
/// aloud.
const MAX_REMARK: usize = 400;

/// Faults that a remark names by themselves, without a place.
const REMARKED: &[&str] = &[
    "bug",
    "broken",
    "crash",
    "crashes",
    "crashed",
    "hangs",
    "loops forever",
    "infinite loop",
    "zerodivisionerror",
    "divides by zero",
    "division by zero",
    "use after free",
    "deadlocks",
    "p0",
];

/// Words beside which such a fault is one that is gone.
const GONE: &[&str] = &[
    "handled", "guarded", "avoids", "avoided", "if", "unless", "old", "before",
];

/// Whether a short remark names a fault, with a place or without one: "There is a bug in f.", "This will crash in
/// production."
pub fn remarks_fault(text: &str) -> bool {
    let text = text.trim();
    text.len() <= MAX_REMARK
        && clauses(text).any(|sentence| {
            let words = Words::of(sentence).without(TERMS);
            let is_harmless = |word: &String| {
                let word = word.as_str();
                [NEGATIONS, HARMLESS, GONE]
                    .iter()
                    .any(|list| list.contains(&word))
            };
            let is_named = words.has_any(GRAVE) || words.has_any(REMARKED);
            is_named && !words.0.iter().any(is_harmless)
        })
}

/// A text whose code in backticks ends no sentence: "`x = f();` crashes". A backtick without another one in its line is
/// none of code.
pub(super) fn without_ends_in_code(text: &str) -> String {
    let mask = |line: &str| -> String {
        let is_balanced = line.matches('`').count().is_multiple_of(2);
        let mut is_code = false;
        let seen = line.chars().map(|c| {
            is_code ^= c == '`';
            let ends = is_balanced && is_code && ['!', '?', ';'].contains(&c);
            if ends { '_' } else { c }
        });
        seen.collect()
    };
    text.split('\n').map(mask).collect::<Vec<_>>().join("\n")
}

/// Whether a question is about a problem at a place: `a.py:5 always raises: is that not critical?` A negation in it denies
/// nothing.
pub fn asks_about_problem(text: &str) -> bool {
    let words = Words::of(text).without(TERMS);
    (words.has_any(GRAVE) || words.has_any(FAULTS)) && names_place(text)
}

/// `a.py:5`, `line 5`, or code in backticks.
pub fn names_place(text: &str) -> bool {
    names_line(text) || text.matches('`').count() >= 2
}

/// `a.py:5` or `line 5`.
pub fn names_line(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let lower = text.to_lowercase();
    let has_line = ["line ", "lines "].iter().any(|name| {
        let mut named = lower.match_indices(name);
        named.any(|(at, word)| lower[at + word.len()..].starts_with(is_digit))
    });
    let has_path = text.match_indices(':').any(|(at, _)| {
        let path = text[..at]
            .rsplit(|c: char| c.is_whitespace() || c == '`')
            .next();
        text[at + 1..].starts_with(is_digit) && path.is_some_and(|path| path.contains(['.', '/']))
    });
    has_line || has_path
}

/// Whether one word is a place: `` `a.py:5` ``.
pub(super) fn is_place_word(word: &str) -> bool {
    names_line(word)
}

/// Abbreviations that look like names of files.
const ABBREVIATIONS: [&str; 3] = ["e.g", "i.e", "z.b"];

/// Whether a text names a file: `a.py`, `src/a.rs`.
pub(super) fn names_file(text: &str) -> bool {
    let around = |c: char| c.is_whitespace() || "`()[]{}<>|,;*\"':".contains(c);
    text.split(around).any(|word| {
        let word = word.trim_end_matches('.');
        let is_path = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
        let is_ending = |ending: &str| {
            (1..=4).contains(&ending.len())
                && ending.bytes().all(|b| b.is_ascii_alphanumeric())
                && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        };
        let split = word.rsplit_once('.');
        let is_abbreviation = ABBREVIATIONS.contains(&word.to_lowercase().as_str());
        let is_file = split.is_some_and(|(stem, ending)| {
            !stem.is_empty() && stem.chars().all(is_path) && is_ending(ending)
        });
        is_file && !is_abbreviation
    })
}

/// Whether a text names a fault that programs have, and neither denies it nor says that it is gone.
pub(super) fn names_fault(text: &str) -> bool {
    let words = without_denied_faults(text).without(TERMS);
    let is_harmless = |word: &String| {
        NEGATIONS.contains(&word.as_str()) || word != "0" && HARMLESS.contains(&word.as_str())
    };
    (words.has_any(GRAVE) || words.has_any(FAULTS)) && !words.0.iter().any(is_harmless)
}

/// Whether a text says in plain words that the change must not go in, or names a grave problem of it.
pub fn objects(text: &str) -> bool {
    let blocks = stops(text);
    let sentences = text.split(['.', '!', '?', ';', '\n']);
    let mut sentences = sentences.map(|sentence| Words::of(sentence).without(TERMS));
    blocks
        || sentences.any(|words| {
            let is_harmless = |word: &String| {
                NEGATIONS.contains(&word.as_str()) || HARMLESS.contains(&word.as_str())
            };
            // `Critical: none`; Python's None is no such word.
            let is_none = words.0.len() <= MAX_COUNT_WORDS && words.has_any(&["none"]);
            words.has_any(GRAVE) && !is_none && !words.0.iter().any(is_harmless)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_named_with_its_place() {
        for text in [
            "One thing: `total = x / 0` crashes on every call.",
            "Note that line 5 of a.py divides by zero.",
            "1. **Critical** — `a.py:5` — `total = x / 0` always raises.",
            "Do look at src/a.py:5: it leaks the handle",
            "One thing: `pub const MORE: u32 = 1;` crashes on every call.",
            "`if !ready? { x.y }` hangs: `f();` is broken.",
            "Mind the ` key! Line 5 of a.py raises.",
            "One thing: `x = f(0);` crashes.\n\n```json\n",
        ] {
            assert!(names_problem(text), "{text}");
        }
        for text in [
            "I looked for bugs in every file.",
            "Line 5 of a.py is guarded.",
            "`total` does not overflow here.",
            "Let me know if you need anything else.",
        ] {
            assert!(!names_problem(text), "{text}");
        }
    }

    #[test]
    fn a_phrase_that_is_denied_stops_nothing() {
        for text in [
            "Nothing here should block the merge.",
            "I found no critical issues; nothing blocks the merge.",
            "Nothing has to be fixed.",
        ] {
            assert!(!stops(text), "{text}");
        }
        for text in [
            "Nothing else, but this blocks the merge.",
            "It does not work and must be fixed.",
            "No more time: do not merge.",
        ] {
            assert!(stops(text), "{text}");
        }
    }

    #[test]
    fn what_names_no_problem_of_the_change_is_no_objection() {
        for text in [
            "Nothing critical stands here.",
            "No severe problem is left.",
            "This is not critical.",
            "It fixes a critical leak.",
            "The lock is taken on the critical path.",
            "| Critical | 0 |",
            "I have read it.",
        ] {
            assert!(!objects(text), "{text}");
        }
    }

    #[test]
    fn who_stops_a_change_in_words_of_their_own_objects() {
        for text in [
            "Line 3 must be fixed before this goes in.",
            "Blocking: strip raises on None.",
            "NACK. -1. Please hold off.",
            "This is not OK.",
            "I am against this change.",
            "I have to veto this.",
            "Das darf so nicht gemergt werden.",
            "❌ strip raises on None",
        ] {
            assert!(objects(text), "{text}");
        }
        for text in [
            "Nothing blocking here.",
            "No veto from me.",
            "Critical: none",
            "Nothing stands against the change.",
        ] {
            assert!(!objects(text), "{text}");
        }
    }
}
