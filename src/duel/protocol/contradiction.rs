//! What plainly contradicts the label "agreed" beside it, and what only adds to the point.

use council_protocol::answer::Stance;

use super::consent::names_a_defect;
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

/// Marks at which a clause ends: a negation reaches no further.
const CLAUSE_ENDS: [char; 11] = ['.', '!', '?', ';', ',', ':', '(', ')', '—', '–', '\n'];

/// So many words before a denial can turn it round: "by no means intended", "not just a false alarm".
const TURNING_REACH: usize = 3;

/// Words that turn round the denial behind them.
const TURNING: &[&str] = &[
    "not", "no", "never", "cannot", "can't", "isn't", "aren't", "wasn't", "weren't", "hardly",
    "neither", "nor", "nobody", "nothing", "none", "anything", "far", "without",
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
    says(reason, DENIALS, |before, _| {
        let mut near = before.iter().rev().take(TURNING_REACH);
        !near.any(|word| TURNING.contains(&word.as_str()))
    })
}

/// Whether one of these phrases stands in a clause of a text, where the words of the clause before and behind it fit.
fn says(text: &str, phrases: &[&str], fits: impl Fn(&[String], &[String]) -> bool) -> bool {
    text.split(CLAUSE_ENDS).any(|clause| {
        let words = Words::of(clause).without_ended();
        phrases.iter().any(|phrase| {
            let length = phrase.split(' ').count();
            let mut starts = (0..words.0.len()).filter(|at| words.stands_at(*at, phrase));
            starts.any(|at| fits(&words.0[..at], &words.0[at + length..]))
        })
    })
}

/// Whether the reason of an agreement denies the point: "Agreed: this is not a bug".
pub(super) fn denies(reason: &str) -> bool {
    let words = Words::of(reason).without_ended();
    let is_no = |word: &String| {
        let word = word.as_str();
        NEGATIONS.contains(&word)
            || ["nobody", "none", "nothing", "isn't", "aren't", "wasn't"].contains(&word)
    };
    let nos = words.0.iter().enumerate().filter(|(_, word)| is_no(word));
    let is_denied = |at: usize| {
        let next = words.0[at + 1..].iter().take(3);
        next.clone().any(|word| DENIED.contains(&word.as_str()))
    };
    let is_bare = words.0.iter().all(is_no) && !words.0.is_empty();
    is_bare || calls_it_nothing(reason) || nos.into_iter().any(|(at, _)| is_denied(at))
}

/// What is said of a problem that nobody meets.
const SHIELDED: &[&str] = &["guarded", "unreachable", "mitigated", "already handled"];

/// The same with its negation, and what is said of one that is not as bad.
const PLAYING_DOWN: &[&str] = &[
    "not reachable",
    "not reached",
    "never reached",
    "cannot be reached",
    "can't be reached",
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

/// Whole clauses that take a part back.
const PARTS: [&str; 5] = [
    "partially",
    "partly",
    "in part",
    "only partially",
    "only in part",
];

/// The words of a reason that play the point down, in a clause.
pub(super) fn plays_down(reason: &str) -> Option<&str> {
    let is_turned = |before: &[String], behind: &[String]| {
        let near = before.iter().rev().take(TURNING_REACH);
        let mut near = near.chain(behind.first());
        near.any(|word| TURNING.contains(&word.as_str()) || word == "nowhere")
    };
    let is_itself = |before: &[String]| {
        let subject = before.last().map(String::as_str);
        subject.is_none_or(|word| ["it", "this", "that", "which"].contains(&word))
    };
    let is_said = |clause: &&str| {
        PARTS.contains(&Words::of(clause).0.join(" ").as_str())
            || says(clause, PLAYING_DOWN, |_, _| true)
            || says(clause, ABSENT, |before, _| is_itself(before))
            || says(clause, SHIELDED, |before, behind| {
                !is_turned(before, behind)
            })
    };
    let mut clauses = reason.split(CLAUSE_ENDS).map(str::trim);
    clauses.find(is_said)
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

/// Whether a contrast behind "agreed" only adds to the point: "However, the fix should check for zero as well". Of what
/// else a contrast may say, nobody knows how much of the agreement it leaves.
pub(super) fn adds_only(reason: &str) -> bool {
    let mut said = reason.trim_start_matches(is_ornament);
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
    (is_mend || is_more) && !takes_back_part(&words)
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
