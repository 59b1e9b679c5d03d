//! What plays a point down beside the label "agreed": somebody takes care of it, nobody meets it, or it is not as bad.
//!
//! The lists will never be whole. What they miss is told as agreed, which makes a verdict harsher and never milder.

use std::borrow::Cow;

use super::point_ref::PointId;
use crate::council::plain_words::Words;

/// Marks at which a clause ends: a negation reaches no further.
pub(super) const CLAUSE_ENDS: [char; 11] = ['.', '!', '?', ';', ',', ':', '(', ')', '—', '–', '\n'];

/// Words that turn round the denial behind them.
pub(super) const TURNING: &[&str] = &[
    "not", "no", "never", "cannot", "can't", "isn't", "aren't", "wasn't", "weren't", "hardly",
    "neither", "nor", "nobody", "nothing", "none", "anything", "far", "without",
];

/// Words that make a clause one of what somebody else says, or of what is not so: "was guarded before", "must be checked".
const UNREAL: &[&str] = &[
    "was",
    "were",
    "been",
    "used",
    "should",
    "must",
    "would",
    "could",
    "might",
    "needs",
    "need",
    "until",
    "unless",
    "if",
    "whether",
    "once",
    "says",
    "say",
    "said",
    "saying",
    "claims",
    "claim",
    "claimed",
    "promises",
    "assumes",
    "assumed",
    "assume",
    "assumption",
    "believes",
    "supposed",
    "suggests",
    "pretends",
    "hopes",
    "trusts",
];

/// What is said of a problem of which somebody takes care, or that nobody meets.
const SHIELDED: &[&str] = &[
    "guarded",
    "unreachable",
    "mitigated",
    "already handled",
    "handled by",
    "handled in",
    "handled upstream",
    "handled elsewhere",
    "is handled",
    "gets handled",
    "taken care of",
    "caught by",
    "caught in",
    "caught upstream",
    "is caught",
    "validated by",
    "validated in",
    "validated upstream",
    "validated to be",
    "checked by",
    "checked in",
    "checked upstream",
    "checked before",
    "checked earlier",
    "checked elsewhere",
    "prevented",
    "protected by",
    "covered by",
    "ruled out",
    "rules it out",
    "rules this out",
    "rules that out",
    "guards it",
    "guards this",
    "guards against it",
    "guards against this",
    "checks it",
    "checks this",
    "checks for it",
    "checks for this",
    "handles it",
    "handles this",
    "handles that",
    "catches it",
    "catches this",
    "validates it",
    "validates this",
    "prevents it",
    "prevents this",
    "prevents that",
    "guarantee",
    "guarantees",
    "guaranteed",
    "ensures",
    "ensured",
    "makes sure",
    "has at least one",
    "have at least one",
    "passes at least one",
    "contains at least one",
    "holds at least one",
    "gets at least one",
    "always has",
    "always contains",
    "always positive",
    "always non",
    "always set",
    "always at least",
];

/// What is said of a problem that is none, or not as bad, without a negation of its own.
const LESSER: &[&str] = &[
    "less bad",
    "less severe",
    "less serious",
    "less critical",
    "milder",
    "lower severity",
    "lower the severity",
    "downgrade",
    "with reservations",
    "with a reservation",
    "with caveats",
    "with a caveat",
    "at best",
    "nit",
    "nitpick",
    "cosmetic",
    "theoretical",
    "dead code",
    "works as designed",
    "works as intended",
    "as designed",
    "can be ignored",
    "may be ignored",
    "premise is wrong",
    "premise is false",
    "wrong premise",
    "false premise",
    "wrong conclusion",
];

/// What is said of a problem that nobody meets, or that is not as bad, with its negation.
const PLAYING_DOWN: &[&str] = &[
    "not reachable",
    "not reached",
    "never reached",
    "cannot be reached",
    "can't be reached",
    "no way to reach",
    "no way to trigger",
    "no way to hit",
    "cannot be triggered",
    "can't be triggered",
    "never triggered",
    "cannot be hit",
    "can't be hit",
    "not exploitable",
    "cannot be exploited",
    "can't be exploited",
    "not so bad",
    "not that bad",
    "not as bad",
    "not too bad",
    "not critical",
    "not so critical",
    "not that critical",
    "not severe",
    "not so severe",
    "not that severe",
    "not as severe",
    "not serious",
    "not so serious",
    "not that serious",
    "not urgent",
    "not blocking",
    "not a blocker",
    "no blocker",
    "no harm",
    "no action",
    "nothing to fix",
    "no need to fix",
    "not worth",
    "won't fix",
    "wouldn't fix",
    "would not fix",
    "not reproducible",
    "premise does not hold",
    "premise doesn't hold",
    "point does not hold",
    "point doesn't hold",
    "claim does not hold",
    "claim doesn't hold",
];

/// The same of the problem itself, behind "it" or nothing: a retry that never happens is a problem.
const ABSENT: &[&str] = &[
    "cannot happen",
    "can't happen",
    "never happens",
    "does not happen",
    "doesn't happen",
    "cannot occur",
    "can't occur",
    "never occurs",
];

/// Behind "is" these say that all is well.
const UNHARMED: &[&str] = &["safe", "fine", "ok", "okay", "impossible", "acceptable"];

/// What stands in front of them.
const BEING: &[&str] = &[
    "is", "it's", "that's", "are", "be", "stays", "remains", "seems",
];

/// What may stand between.
const SURELY: &[&str] = &[
    "already",
    "always",
    "perfectly",
    "quite",
    "entirely",
    "actually",
    "still",
];

/// Behind these an input that makes it strike is one that nobody passes.
const NEVER: &[&str] = &["never", "never be", "cannot be", "can't be", "can not be"];

/// Inputs with which code often fails.
const INPUTS: &[&str] = &[
    "empty",
    "null",
    "none",
    "nil",
    "zero",
    "negative",
    "undefined",
];

/// What else may be dead or as designed, which leaves the point as it stands: "the check above it is dead code".
const GUARDS: &[&str] = &[
    "check",
    "checks",
    "guard",
    "guards",
    "validation",
    "assertion",
    "handler",
    "fallback",
    "test",
    "tests",
];

/// Behind "not worth" these say that all is said: "Not worth a discussion: it crashes".
const TALK: &[&str] = &[
    "discussion",
    "discussing",
    "debate",
    "debating",
    "argument",
    "arguing",
];

/// Whole clauses that take a part back.
const PARTS: [&str; 5] = [
    "partially",
    "partly",
    "in part",
    "only partially",
    "only in part",
];

/// What makes a sentence one of something else than the point: "I see no other issue", "Apart from that, it is fine".
const OTHER_MATTERS: &[&str] = &[
    "no other",
    "any other",
    "nothing else",
    "anything else",
    "everything else",
    "apart from that",
    "apart from this",
    "aside from that",
    "aside from this",
    "other than that",
    "the rest of",
    "for other errors",
    "in other cases",
    "for other inputs",
];

/// The sentences of a reason that are about the point.
fn about_point(reason: &str) -> impl Iterator<Item = &str> {
    let sentences = reason.split(['.', '!', '?', ';', '\n']);
    sentences.filter(|sentence| !is_of_other(sentence))
}

/// A reason without its sentences about another matter; letter by letter where it has none.
pub(super) fn without_other_matters(reason: &str) -> Cow<'_, str> {
    match is_of_other(reason) {
        true => about_point(reason).collect::<Vec<_>>().join(".").into(),
        false => reason.into(),
    }
}

fn is_of_other(text: &str) -> bool {
    let words = text.replace(',', " ");
    Words::of(&words).has_any(OTHER_MATTERS)
}

/// The words of a reason that play the point down, in a clause.
pub(super) fn plays_down(reason: &str) -> Option<&str> {
    let find = |sentence| {
        let clauses = str::split(sentence, CLAUSE_ENDS).map(str::trim);
        let clauses = clauses.filter(|clause| clause.contains(char::is_alphanumeric));
        let clauses: Vec<&str> = clauses.collect();
        let mut pairs = clauses.iter().zip(clauses.iter().skip(1).chain([&""]));
        // "It is guarded in `mean()`, but not here."
        let found = pairs.find(|(clause, next)| clears(clause) && !next.starts_with("but not"));
        found.map(|(clause, _)| *clause)
    };
    about_point(reason).find_map(find)
}

/// Whether one of these phrases stands in a clause of a text, where the words of the clause before and behind it fit.
pub(super) fn says(
    text: &str,
    phrases: &[&str],
    fits: impl Fn(&[String], &[String]) -> bool,
) -> bool {
    text.split(CLAUSE_ENDS).any(|clause| {
        let words = Words::of(clause).without_ended();
        phrases.iter().any(|phrase| {
            let length = phrase.split(' ').count();
            let mut starts = (0..words.0.len()).filter(|at| words.stands_at(*at, phrase));
            starts.any(|at| fits(&words.0[..at], &words.0[at + length..]))
        })
    })
}

fn clears(clause: &str) -> bool {
    let words = Words::of(clause);
    PARTS.contains(&words.0.join(" ").as_str())
        || says(clause, PLAYING_DOWN, |before, behind| {
            !is_one_of(before, TURNING) && !is_one_of(&behind[..behind.len().min(2)], TALK)
        })
        || says(clause, ABSENT, |before, _| is_itself(before))
        || says(clause, LESSER, |before, behind| {
            !is_turned(before, behind)
                && !is_one_of(before, GUARDS)
                && !is_one_of(behind, &["excuse"])
        })
        || says(clause, SHIELDED, is_so)
        || says(clause, UNHARMED, |before, behind| {
            is_stated(before)
                && is_so(before, behind)
                && behind.first().is_none_or(|word| word != "to")
        })
        || says(clause, NEVER, |before, behind| {
            behind
                .first()
                .is_some_and(|word| INPUTS.contains(&word.as_str()))
                && !is_one_of(before, UNREAL)
                && !is_one_of(behind, &["test", "tests"])
        })
        || calls_point_wrong(&words)
}

fn is_one_of(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// Whether a negation stands in front of a phrase, anywhere in its clause, or right behind it: "checked by nobody".
fn is_turned(before: &[String], behind: &[String]) -> bool {
    let next = behind.first().map(String::as_str);
    is_one_of(before, TURNING)
        || next.is_some_and(|word| TURNING.contains(&word) || word == "nowhere")
}

/// Whether a phrase is said of what is so, and not of what was, should be or is told by somebody, nor under a condition.
fn is_so(before: &[String], behind: &[String]) -> bool {
    let next = behind.first().map(String::as_str);
    let is_bounded = next.is_some_and(|word| ["if", "when", "unless", "until"].contains(&word))
        || is_one_of(behind, &["only"]);
    let is_real = !is_one_of(before, UNREAL) && !is_called_untrue(behind);
    !is_turned(before, behind) && is_real && !is_bounded
}

/// Whether the end of a clause denies what its beginning names: "That the caller handles it is not true".
fn is_called_untrue(behind: &[String]) -> bool {
    let is_untrue = |pair: &[String]| {
        let (first, second) = (pair[0].as_str(), pair[1].as_str());
        first == "not" && ["true", "so", "correct", "right"].contains(&second)
            || first == "is" && ["untrue", "false", "wrong", "incorrect"].contains(&second)
    };
    behind.windows(2).any(is_untrue)
}

/// Whether a reason begins by denying that somebody takes care of the problem: "That the caller handles it is not true".
pub(super) fn denies_a_shield(reason: &str) -> bool {
    let clause = reason
        .split(CLAUSE_ENDS)
        .find(|clause| !clause.trim().is_empty());
    let clause = clause.unwrap_or_default();
    Words::of(clause).starts_with("that")
        && says(clause, SHIELDED, |before, behind| {
            !is_turned(before, &[]) && is_called_untrue(behind)
        })
}

fn is_itself(before: &[String]) -> bool {
    let subject = before.last().map(String::as_str);
    subject.is_none_or(|word| ["it", "this", "that", "which"].contains(&word))
}

/// Whether the words in front of an adjective end with "is", and an adverb perhaps.
fn is_stated(before: &[String]) -> bool {
    let mut near = before.iter().rev().map(String::as_str);
    near.find(|word| !SURELY.contains(word))
        .is_some_and(|word| BEING.contains(&word))
}

/// "A1 is wrong".
fn calls_point_wrong(words: &Words) -> bool {
    let named = |three: &[String]| {
        PointId::parse(&three[0].to_uppercase()).is_some()
            && three[1] == "is"
            && ["wrong", "incorrect", "invalid"].contains(&three[2].as_str())
    };
    words.0.windows(3).any(named)
}

#[cfg(test)]
#[path = "playing_down_tests.rs"]
mod tests;
