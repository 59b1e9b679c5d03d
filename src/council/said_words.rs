//! Whether two sentences tell of one problem of a line: words are all that tells two problems apart which judges file under
//! the same broad category, and models never choose the same words twice.
//!
//! Where it is not clear, they are two: who reads one problem twice loses a minute, and one that is taken for another one is
//! never seen.

use std::collections::BTreeSet;

use super::like_words::{description_words, names_in};

/// Stems that say the same of a well-known kind of problem, by which it is known in other words.
const KINDS: [(&str, &[&str]); 14] = [
    ("sql", &["sql"]),
    (
        "inject",
        &[
            "inject",
            "unescap",
            "escap",
            "interpolat",
            "concatenat",
            "sanitiz",
            "sanitis",
            "parametr",
            "parameter",
        ],
    ),
    ("shell", &["shell", "command"]),
    ("xss", &["xss", "html", "script"]),
    ("traversal", &["travers", "dotdot"]),
    ("race", &["race", "racy", "toctou", "concurren"]),
    ("secret", &["secret", "password", "credential", "token"]),
    ("overflow", &["overflow", "wraparound"]),
    ("leak", &["leak"]),
    ("deadlock", &["deadlock"]),
    ("null", &["null", "nil", "none", "undefined"]),
    (
        "authority",
        &["authoris", "authoriz", "permission", "admin"],
    ),
    ("deserial", &["deserial", "unpickl", "pickle"]),
    ("panic", &["panic", "crash"]),
];

/// Words that say nothing of a problem, in the stems of [`description_words`].
const FILLERS: [&str; 33] = [
    "value",
    "code",
    "line",
    "call",
    "function",
    "allow",
    "lead",
    "caus",
    "cause",
    "use",
    "used",
    "direct",
    "directly",
    "pass",
    "text",
    "query",
    "statement",
    "goes",
    "put",
    "string",
    "here",
    "user",
    "input",
    "allowing",
    "into",
    "through",
    "straight",
    "simply",
    "then",
    "also",
    "very",
    "inside",
    "what",
];

/// Words that turn a sentence round, however short they are.
const DENIALS: [&str; 8] = [
    "no", "not", "never", "without", "missing", "lacks", "nobody", "nothing",
];

/// The fewest telling words of a sentence that has no word of another one although both were about one problem.
const ENOUGH_WORDS: usize = 3;

/// A sentence about a line, as it is compared with another one.
pub(super) struct SaidWords {
    letters: String,
    /// The words that tell something, without those of the kinds.
    telling: BTreeSet<String>,
    /// The well-known kinds of problem that it names.
    kinds: BTreeSet<&'static str>,
    /// What of the quoted code it names.
    names: BTreeSet<String>,
    /// Whether it says that something is not there, or not so.
    denies: bool,
    /// Its words, in small letters.
    words: BTreeSet<String>,
}

impl SaidWords {
    pub(super) fn of(sentence: &str, quote: &str) -> Self {
        let (mut telling, mut kinds) = (BTreeSet::new(), BTreeSet::new());
        for word in description_words(sentence) {
            match kind_of(&word) {
                Some(kind) => _ = kinds.insert(kind),
                None if FILLERS.contains(&word.as_str()) => {}
                None => _ = telling.insert(word),
            }
        }
        let quoted = names_in(quote);
        let words = sentence.split(|c: char| !c.is_alphanumeric());
        let words: BTreeSet<String> = words.map(str::to_lowercase).collect();
        let denies = DENIALS.iter().any(|word| words.contains(*word));
        let letters = sentence.chars().filter(|c| c.is_alphanumeric());
        Self {
            letters: letters.flat_map(char::to_lowercase).collect(),
            telling,
            kinds,
            names: names_in(sentence).intersection(&quoted).cloned().collect(),
            denies,
            words,
        }
    }

    /// Whether each names well-known kinds of problem, and none that the other one names.
    pub(super) fn names_other_kind_than(&self, then: &Self) -> bool {
        !self.kinds.is_empty() && !then.kinds.is_empty() && self.kinds.is_disjoint(&then.kinds)
    }

    /// Whether the two have nothing in common that tells of a problem: no kind, and no word but the names in the code. Of two
    /// sentences without a well-known kind both have to say enough, and not even a name may be in both.
    pub(super) fn has_nothing_of(&self, then: &Self) -> bool {
        let mut shared = self.telling.intersection(&then.telling);
        match (self.kinds.is_empty(), then.kinds.is_empty()) {
            (false, false) => self.kinds.is_disjoint(&then.kinds),
            (true, true) => {
                let told = self.telling.len().min(then.telling.len());
                told >= ENOUGH_WORDS && shared.next().is_none()
            }
            _ => {
                let tells = [self, then].iter().all(|one| one.tells());
                let is_name = |word: &String| self.is_name(word) || then.is_name(word);
                tells && shared.all(is_name)
            }
        }
    }

    /// Whether it says anything of a problem.
    fn tells(&self) -> bool {
        !self.telling.is_empty() || !self.kinds.is_empty()
    }

    /// Whether a stem is that of a name in the quoted code.
    fn is_name(&self, word: &str) -> bool {
        self.names
            .iter()
            .any(|name| description_words(name).contains(word))
    }

    /// Whether it tells of nothing but what an earlier sentence told of.
    pub(super) fn says_no_more_than(&self, then: &Self) -> bool {
        if self.letters == then.letters {
            return true;
        }
        // "n may be negative" and "m may be negative" have nearly all words in common.
        if self.is_of_other_thing_than(then) {
            return false;
        }
        // "Escaped twice" and "not escaped" have all but a denial in common.
        let is_turned = self.denies != then.denies && !self.kinds.is_empty();
        let is_said = self.adds_nothing_to(then)
            || self.names_same_problem_as(then)
            || self.repeats_half_of(then);
        !is_turned && is_said
    }

    /// Whether each names another part of the quoted code.
    pub(super) fn names_other_part_than(&self, other: &Self) -> bool {
        let names = (&self.names, &other.names);
        let is_named = !names.0.is_empty() && !names.1.is_empty();
        is_named && names.0.is_disjoint(names.1) || self.is_of_other_thing_than(other)
    }

    /// Whether each has a short name, or a word of a pair, that the other one lacks.
    fn is_of_other_thing_than(&self, other: &Self) -> bool {
        let (own, others) = (self.short_names(), other.short_names());
        let is_other_name = !own.is_subset(&others) && !others.is_subset(&own);
        let has = |one: &Self, word: &str| one.words.contains(word);
        let is_other_word = CONTRASTS.iter().any(|(left, right)| {
            let sides = |one: &Self| (has(one, left), has(one, right));
            matches!(
                (sides(self), sides(other)),
                ((true, false), (false, true)) | ((false, true), (true, false))
            )
        });
        is_other_name || is_other_word
    }

    /// The names that are too short to tell anything as words: `n`, `fd`.
    fn short_names(&self) -> BTreeSet<String> {
        let is_short = |name: &&String| {
            name.chars().count() <= MAX_SHORT && !SHORT_WORDS.contains(&name.as_str())
        };
        self.names.iter().filter(is_short).cloned().collect()
    }

    /// Whether each word of it stands in an earlier sentence.
    fn adds_nothing_to(&self, then: &Self) -> bool {
        self.tells() && self.telling.is_subset(&then.telling) && self.kinds.is_subset(&then.kinds)
    }

    /// Whether both name the same kinds of problem, of what was named in the code before, and it adds less than it repeats.
    fn names_same_problem_as(&self, then: &Self) -> bool {
        let added = self.telling.difference(&then.telling).count();
        let repeated = self.repeated(then) + self.kinds.len();
        !self.kinds.is_empty()
            && self.kinds == then.kinds
            && self.names.is_subset(&then.names)
            && added < repeated
    }

    /// Whether both have half of the shorter one's words in common.
    fn repeats_half_of(&self, then: &Self) -> bool {
        let smaller = self.telling.len().min(then.telling.len());
        let repeated = self.repeated(then);
        self.kinds == then.kinds
            && !self.names_other_part_than(then)
            && repeated >= 2
            && repeated * 2 >= smaller
    }

    fn repeated(&self, then: &Self) -> usize {
        self.telling.intersection(&then.telling).count()
    }
}

/// Words of which one tells one thing and the other another, in sentences that may be alike but for them.
const CONTRASTS: [(&str, &str); 35] = [
    ("first", "second"),
    ("first", "third"),
    ("second", "third"),
    ("first", "last"),
    ("lower", "upper"),
    ("minimum", "maximum"),
    ("min", "max"),
    ("left", "right"),
    ("empty", "full"),
    ("read", "write"),
    ("reads", "writes"),
    ("reading", "writing"),
    ("source", "target"),
    ("source", "destination"),
    ("start", "end"),
    ("begin", "end"),
    ("beginning", "end"),
    ("old", "new"),
    ("key", "value"),
    ("input", "output"),
    ("request", "response"),
    ("row", "column"),
    ("rows", "columns"),
    ("width", "height"),
    ("positive", "negative"),
    ("underflow", "overflow"),
    ("encode", "decode"),
    ("open", "close"),
    ("opened", "closed"),
    ("client", "server"),
    ("sender", "receiver"),
    ("numerator", "denominator"),
    ("one", "two"),
    ("many", "few"),
    ("more", "fewer"),
];

/// The longest name that is no word of [`description_words`], in characters.
const MAX_SHORT: usize = 2;

/// Words of code that are words of a sentence, too. An article that is a name as well tells nothing, since both may have it.
const SHORT_WORDS: [&str; 12] = [
    "as", "at", "by", "do", "if", "in", "is", "no", "of", "on", "or", "to",
];

fn kind_of(stem: &str) -> Option<&'static str> {
    let is_of = |(_, stems): &&(&str, &[&str])| stems.iter().any(|known| stem.starts_with(known));
    KINDS.iter().find(is_of).map(|(kind, _)| *kind)
}

#[cfg(test)]
#[path = "said_words_tests.rs"]
mod tests;
