//! What plainly contradicts the label "agreed" beside it, and what only adds to the point.

use council_protocol::answer::Stance;

use super::consent::names_a_defect;
use super::playing_down::{CLAUSE_ENDS, TURNING, plays_down, says, without_other_matters};
use super::wording::{REFUSALS, is_ornament, split_label, split_raw_label, strip_word};
use crate::council::consent::{CONDITIONS, REASSURING, RESERVATIONS};
use crate::council::plain_words::{NEGATIONS, Words};

/// Words with which somebody who agrees says that there is nothing to agree to.
const DENIALS: &[&str] = &[
    "false positive",
    "false alarm",
    "nonsense",
    "bogus",
    "unfounded",
    "groundless",
    "harmless",
    "by design",
    "intended",
    "overstated",
    "exaggerated",
    "misread",
    "imaginary",
];

/// What somebody denies with "no", "not a" or "never".
const DENIED: &[&str] = &[
    "bug", "bugs", "problem", "problems", "issue", "issues", "defect", "defects", "flaw", "error",
    "fault", "risk", "concern", "real", "valid", "wrong", "matter", "harm", "danger",
];

/// Behind a refusal these name a third party: whoever disagrees with the author agrees with the point.
const THIRD_PARTIES: &[&str] = &[
    "author",
    "author's",
    "authors",
    "developer",
    "developer's",
    "committer",
    "commit",
    "comment",
    "docstring",
    "documentation",
    "description",
    "message",
    "merging",
    "merge",
];

/// So many words behind a refusal name whom it is about.
const PARTY_REACH: usize = 4;

/// Whether a reason refuses the point itself, and not what somebody else said.
pub(super) fn refuses_point(reason: &str) -> bool {
    let is_of_point = |behind: &[String]| {
        let mut named = behind.iter().take(PARTY_REACH);
        !named.any(|word| THIRD_PARTIES.contains(&word.as_str()))
    };
    let mut clauses = reason.split(CLAUSE_ENDS).filter_map(split_label);
    let is_labelled =
        clauses.any(|(label, rest)| label != Stance::Agreed && is_of_point(&Words::of(rest).0));
    is_labelled || says(reason, REFUSALS, |_, behind| is_of_point(behind))
}

/// Whether a reason denies the point in words that no negation turns round: "This is not a false positive" holds it.
fn calls_it_nothing(reason: &str) -> bool {
    // "I would have called it harmless" was said before somebody looked.
    let is_supposed = |before: &[String]| {
        let mut pairs = before.windows(2);
        pairs.any(|pair| pair[0] == "would" && pair[1] == "have")
    };
    says(reason, DENIALS, |before, _| {
        !before.iter().any(|word| TURNING.contains(&word.as_str())) && !is_supposed(before)
    })
}

/// Whether the reason of an agreement denies the point: "Agreed: this is not a bug".
pub(super) fn denies(reason: &str) -> bool {
    let reason = &without_other_matters(reason);
    let words = Words::of(reason).without_ended();
    let is_no = |word: &String| {
        let word = word.as_str();
        NEGATIONS.contains(&word)
            || ["nobody", "none", "nothing", "isn't", "aren't", "wasn't"].contains(&word)
    };
    let nos = words.0.iter().enumerate().filter(|(_, word)| is_no(word));
    let is_denied = |at: usize| {
        let mut next = words.0.iter().enumerate().skip(at + 1).take(3);
        next.any(|(at, word)| DENIED.contains(&word.as_str()) && !is_said_of_reply(&words, at))
    };
    let is_bare = words.0.iter().all(is_no) && !words.0.is_empty();
    is_bare || calls_it_nothing(reason) || nos.into_iter().any(|(at, _)| is_denied(at))
}

/// Whether a word is the "matter" of a reply that is answered: "It does not matter that the caller is internal". Where the
/// problem itself is what does not matter, the point is denied.
fn is_said_of_reply(words: &Words, at: usize) -> bool {
    let behind = words.0.get(at + 1..).unwrap_or_default();
    let opens = ["that", "whether", "if", "how", "who", "where", "what"];
    let is_open = behind
        .first()
        .is_some_and(|word| opens.contains(&word.as_str()));
    words.0[at] == "matter" && is_open && !names_a_defect(&behind.join(" "))
}

/// The words of a reason that make no more than half an agreement of its label.
pub(super) fn contradicting_words(reason: &str) -> &str {
    let mut clauses = reason.split(CLAUSE_ENDS).map(str::trim);
    let found =
        plays_down(reason).or_else(|| clauses.find(|said| refuses_point(said) || denies(said)));
    found.filter(|said| !said.is_empty()).unwrap_or(reason)
}

/// With these somebody who agrees goes on; the others of [`RESERVATIONS`] are conditions.
const CONTRASTS: [&str; 6] = ["but", "however", "though", "although", "only", "yet"];

/// What mends a problem: whoever speaks of that has the problem.
const MENDS: [&str; 8] = [
    "fix",
    "mend",
    "repair",
    "patch",
    "remedy",
    "solution",
    "suggestion",
    "correction",
];

/// What stands right behind it where somebody wants another one.
const WANTED: [&str; 9] = [
    "should", "must", "could", "would", "needs", "has", "differs", "belongs", "also",
];

/// How a contrast begins that names more of the same.
const MORE: [&str; 12] = [
    "i would also",
    "i'd also",
    "i would add",
    "i'd add",
    "we should also",
    "you should also",
    "please also",
    "it is even worse",
    "it's even worse",
    "it is worse",
    "it's worse",
    "it gets worse",
];

/// Verbs of whoever tells how to mend a problem, behind "I would".
const MENDING: [&str; 11] = [
    "fix", "mend", "repair", "patch", "add", "put", "move", "handle", "check", "guard", "return",
];

/// Whether a contrast behind "agreed" only adds to the point: "However, the fix should check for zero as well", "If the list
/// is empty, it crashes". Of what else a contrast may say, nobody knows how much of the agreement it leaves.
pub(super) fn adds_only(reason: &str) -> bool {
    let mut said = reason.trim_start_matches(is_ornament);
    if tells_failing_case(said) {
        return true;
    }
    while let Some(rest) = strip_word(said, &CONTRASTS) {
        said = rest.trim_start_matches(is_ornament);
    }
    let clause = said.split(CLAUSE_ENDS).next().unwrap_or_default();
    let words = Words::of(clause);
    let is_mend = words
        .0
        .windows(2)
        .take(3)
        .any(|pair| MENDS.contains(&pair[0].as_str()) && WANTED.contains(&pair[1].as_str()));
    let is_more = MORE.iter().any(|begin| words.starts_with(begin));
    tells_effort(&words) || (is_mend || is_more || tells_a_mend(&words)) && !takes_back_part(&words)
}

/// Whether a clause tells how little the mend takes: "Only a minor change is needed to fix it".
fn tells_effort(words: &Words) -> bool {
    let efforts = ["change", "fix", "edit", "patch", "line", "check", "guard"];
    let enough = ["needed", "enough", "required", "necessary", "missing"];
    let is_told = words.0.windows(3).any(|three| {
        efforts.contains(&three[0].as_str())
            && three[1] == "is"
            && enough.contains(&three[2].as_str())
    });
    is_told
        && !words
            .0
            .iter()
            .any(|word| NEGATIONS.contains(&word.as_str()))
}

/// Whether a clause tells how its author would mend the problem: "I would fix it in the caller".
fn tells_a_mend(words: &Words) -> bool {
    let begins = ["i would", "i'd", "we should", "you should", "we could"];
    let begin = begins.iter().find(|begin| words.starts_with(begin));
    let behind = begin.map(|begin| begin.split(' ').count());
    let verb = behind.and_then(|at| words.0[at..].iter().find(|word| *word != "rather"));
    verb.is_some_and(|verb| MENDING.contains(&verb.as_str()))
}

/// What begins a sentence that tells when something happens, or what does not speak against it.
const CASES: [&str; 9] = [
    "if",
    "unless",
    "when",
    "whenever",
    "once",
    "even if",
    "even though",
    "although",
    "though",
];

/// What such a thing does, beside what is called a defect.
const HARMS: [&str; 10] = [
    "break", "stops", "stop", "kills", "dies", "die", "takes", "brings", "blocks", "costs",
];

/// Whether a sentence tells the case in which the problem strikes: "If the list is empty, it crashes", "This only works as
/// long as the list has an item", "Although it is rare, it stops the run".
fn tells_failing_case(said: &str) -> bool {
    let sentence = said.split(['.', '!', '?', ';', '\n']).next();
    let sentence = sentence.unwrap_or_default();
    let words = Words::of(sentence);
    let is_supposed = words.has_any(&["were", "would", "could"]);
    let begins = CASES.iter().any(|case| words.starts_with(case));
    let main = sentence.split_once(',').map(|(_, main)| main);
    let harms = |main: &str| names_a_defect(main) || Words::of(main).has_any(&HARMS);
    let fails = main.is_some_and(|main| harms(main) && !main.contains(" but "));
    let narrows = |pair: &[String]| {
        let next = pair[1].as_str();
        pair[0] == "only" && (REASSURING.contains(&next) || ["needs", "takes"].contains(&next))
    };
    let is_narrow = words.0.windows(2).take(2).any(narrows);
    !is_supposed && (begins && fails || is_narrow)
}

/// Whether a clause has a word by which it may take something from the point.
fn takes_back_part(words: &Words) -> bool {
    let is_no = |word: &&str| *word != "would" && NEGATIONS.contains(word);
    let said = || words.0.iter().map(String::as_str);
    let is_measured = words.0.windows(2).any(|pair| pair[0] == "too");
    let is_lowered = words.has_any(&["minor", "low", "significant", "less"]);
    said().any(|word| is_no(&word) || REASSURING.contains(&word))
        || words.has_any(RESERVATIONS)
        || words.has_any(CONDITIONS)
        || is_measured
        || is_lowered
}

/// What somebody agrees to who names it, if that is a problem: "Agreed that this is not guarded anywhere".
pub(super) fn agreed_problem(statement: &str) -> Option<&str> {
    let (label, rest) = split_raw_label(statement)?;
    let reason = rest.trim_start_matches(is_ornament);
    let fact = strip_word(reason, &["that"]).filter(|_| label == Stance::Agreed)?;
    let clause = fact.split(CLAUSE_ENDS).next().unwrap_or_default();
    let words = Words::of(clause);
    let is_no = |word: &String| word != "would" && NEGATIONS.contains(&word.as_str());
    let mut nos = words.0.iter().enumerate().filter(|(_, word)| is_no(word));
    let is_unsafe = nos.any(|(at, _)| {
        let mut next = words.0[at + 1..].iter().take(2);
        next.any(|word| REASSURING.contains(&word.as_str()))
    });
    (is_unsafe || names_a_defect(clause)).then_some(reason)
}
