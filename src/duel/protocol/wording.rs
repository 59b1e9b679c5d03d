//! Agreement and disagreement in the words that people and models use.
//!
//! The protocol asks for one of three labels; sides that are not ours write "I agree", "not convinced" or `| A1 | Disagreed |` as
//! well. Whatever speaks against agreement counts against it: a doubt that is misread costs a round, a consent that is
//! misread costs the verdict.

use council_protocol::Vote;
use council_protocol::answer::Stance;

use super::agreement::{AgreedScope, PlainAgreement, plain_agreement};
use super::consent::is_approval;
use super::contradiction::{adds_only, agreed_problem, denies, refuses_point};
use super::displayed::outside_code;
use super::playing_down::denies_a_shield;
use crate::council::consent::{RESERVATIONS, is_hidden};
use crate::council::plain_words::{NEGATIONS, Words, has_refusing_mark, is_invisible};

/// The three labels as the protocol spells them, longest first so that none hides another.
pub(crate) const LABELS: [(&str, Stance); 3] = [
    ("Partially agreed", Stance::PartiallyAgreed),
    ("Disagreed", Stance::Disagreed),
    ("Agreed", Stance::Agreed),
];

/// Phrases that begin a statement, each a label of its own.
const LEADING: &[(&str, Stance)] = &[
    ("agree to disagree", Stance::Disagreed),
    ("agreed to disagree", Stance::Disagreed),
    ("partially agreed", Stance::PartiallyAgreed),
    ("partially agree", Stance::PartiallyAgreed),
    ("partial agreement", Stance::PartiallyAgreed),
    ("partly agreed", Stance::PartiallyAgreed),
    ("partly agree", Stance::PartiallyAgreed),
    ("mostly agreed", Stance::PartiallyAgreed),
    ("mostly agree", Stance::PartiallyAgreed),
    ("agreed in part", Stance::PartiallyAgreed),
    ("agree in part", Stance::PartiallyAgreed),
    ("agreed partially", Stance::PartiallyAgreed),
    ("partially disagreed", Stance::PartiallyAgreed),
    ("partially disagree", Stance::PartiallyAgreed),
    ("not reproduced disagreed", Stance::Disagreed),
    ("not reproduced", Stance::Disagreed),
    ("disagreement", Stance::Disagreed),
    ("disagreed", Stance::Disagreed),
    ("disagrees", Stance::Disagreed),
    ("disagree", Stance::Disagreed),
    ("not agreed", Stance::Disagreed),
    ("rejected", Stance::Disagreed),
    ("refuted", Stance::Disagreed),
    ("disputed", Stance::Disagreed),
    ("same as other agent", Stance::Agreed),
    ("fully agreed", Stance::Agreed),
    ("fully agree", Stance::Agreed),
    ("agreed", Stance::Agreed),
    ("agree", Stance::Agreed),
    ("agrees", Stance::Agreed),
    ("concur", Stance::Agreed),
    ("concede", Stance::Agreed),
    ("conceded", Stance::Agreed),
    ("accepted", Stance::Agreed),
    ("withdrawn", Stance::Agreed),
];

/// Words that may stand before a label without changing it.
const FILLERS: &[&str] = &[
    "i",
    "we",
    "stance",
    "status",
    "category",
    "position",
    "response",
    "reply",
    "verdict",
    "answer",
    "point",
    "still",
    "strongly",
    "also",
    "now",
    "completely",
    "entirely",
    "totally",
    "mark",
];

/// Whether a word before a label changes nothing of it.
pub(super) fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word.to_lowercase().as_str())
}

/// Phrases of somebody who does not agree, whatever label stands before them.
pub(super) const REFUSALS: &[&str] = &[
    "i disagree",
    "we disagree",
    "still disagree",
    "respectfully disagree",
    "strongly disagree",
    "must disagree",
    "have to disagree",
    "agree to disagree",
    "partially agree",
    "partially agreed",
    "not agree",
    "not agreed",
    "don't agree",
    "dont agree",
    "doesn't agree",
    "can't agree",
    "cannot agree",
    "never agree",
    "no longer agree",
    "not convinced",
    "unconvinced",
    "not persuaded",
    "unpersuaded",
    "i object",
    "i dispute",
    "i reject",
    "i refuse",
    "beg to differ",
    "hold my position",
    "maintain my position",
    "stand by my",
    "not reproduced",
    "cannot reproduce",
    "could not reproduce",
];

/// What an unlabelled statement says against a point.
const DOUBTS: &[&str] = &[
    "disagree",
    "disagreed",
    "disagrees",
    "disagreement",
    "still wrong",
    "is wrong",
    "are wrong",
    "you're wrong",
    "wrong here",
    "that's wrong",
    "incorrect",
    "not correct",
    "isn't correct",
    "not true",
    "isn't true",
    "untrue",
    "not right",
    "isn't right",
    "not a bug",
    "not a problem",
    "not an issue",
    "not a real",
    "isn't a bug",
    "isn't a problem",
    "isn't an issue",
    "no bug here",
    "no problem here",
    "false positive",
    "false alarm",
    "not valid",
    "invalid point",
    "unfounded",
    "does not hold",
    "doesn't hold",
    "do not hold",
    "can't reproduce",
    "couldn't reproduce",
    "not reproducible",
    "object to",
    "objection",
    "reject",
    "rejected",
    "rejecting",
    "refute",
    "refuted",
    "dispute",
    "disputed",
    "contest this",
    "oppose",
    "doubt",
    "not sure",
    "unresolved",
    "not resolved",
    "still open",
    "still stands",
    "remains open",
    "not settled",
    "won't accept",
    "bogus",
    "nonsense",
    "mistaken",
    "misguided",
    "misread",
    "misreading",
    "push back",
    "pushback",
    "don't buy",
    "not buying",
    "doesn't convince",
    "does not convince",
    "unconvincing",
    "overstated",
    "exaggerated",
    "groundless",
    "no basis",
];

/// Those of them that take back all of a sentence, wherever they stand in it.
const CONTRASTS: &[&str] = &[
    "but", "however", "except", "unless", "although", "though", "once", "provided",
];

/// The label at the start of a statement and what follows it: `**Agreed** — yes`, `I agree: yes`, `[Disagreed] no`.
pub(crate) fn split_label(text: &str) -> Option<(Stance, &str)> {
    let (stance, rest) = split_raw_label(text)?;
    Some((stance, rest.trim_start_matches(is_ornament)))
}

/// The same with the marks in front of what follows it.
pub(super) fn split_raw_label(text: &str) -> Option<(Stance, &str)> {
    let bare = text.trim_start_matches(is_ornament);
    let mut words = Words::of(bare);
    let fillers = words
        .0
        .iter()
        .take_while(|word| FILLERS.contains(&word.as_str()));
    let skipped = fillers.count();
    words.0.drain(..skipped);
    let (phrase, stance) = LEADING
        .iter()
        .find(|(phrase, _)| words.starts_with(phrase))?;
    let rest = skip_words(bare, skipped + phrase.split(' ').count());
    if *stance == Stance::Agreed && is_question(rest) {
        return None;
    }
    Some((*stance, rest))
}

/// Whether the sentence that a label begins is a question, or a choice of labels: "Agreed on all points?", "Agreed/Disagreed".
fn is_question(rest: &str) -> bool {
    let end = rest.find(['.', '!', '?', ';', '\n']);
    let is_asked = end.is_some_and(|at| rest[at..].starts_with('?'));
    let choice = rest
        .trim_start_matches(['*', '_', '`', '~', ' '])
        .strip_prefix(['/', '|']);
    is_asked || choice.is_some_and(|other| split_label(other).is_some())
}

/// What may stand around a label: emphasis, brackets, dashes, ticks and crosses.
pub(super) fn is_ornament(c: char) -> bool {
    c.is_whitespace() || is_invisible(c) || "*_`~[](){}<>|:;,.!—–-·•#\"'“”✅❌✔✘✗✓☑👍👎".contains(c)
}

/// The text behind its first `count` words.
pub(super) fn skip_words(text: &str, count: usize) -> &str {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’') || is_invisible(c);
    let mut rest = text;
    for _ in 0..count {
        rest = rest
            .trim_start_matches(|c| !is_word(c))
            .trim_start_matches(is_word);
    }
    rest
}

/// Where "except" is a word of code and bounds nothing.
const EXCEPT_IN_CODE: &[&str] = &[
    "try except",
    "except block",
    "except clause",
    "except branch",
    "except handler",
];

/// The stance of a statement that begins with a label, its whole text considered: a label counts, and a reason that
/// contradicts it makes it doubtful, never its opposite.
pub(crate) fn stance_of_labelled(label: Stance, reasoning: &str) -> Stance {
    if label != Stance::Agreed {
        return label;
    }
    let words = Words::of(reasoning).without_ended().without(EXCEPT_IN_CODE);
    // "Agreed that this is nonsense" agrees with somebody else.
    let is_turned =
        words.starts_with("that") && words.has_any(DOUBTS) && !denies_a_shield(reasoning);
    let mut next = words.0.iter().take(2);
    let excepts = words.has_any(&[
        "except",
        "excepting",
        "other than",
        "apart from",
        "save for",
    ]);
    let contrasts = next.any(|word| RESERVATIONS.contains(&word.as_str()));
    let is_bounded = excepts || contrasts && !adds_only(reasoning);
    if is_turned || is_bounded || refuses_point(reasoning) {
        Stance::PartiallyAgreed
    } else {
        Stance::Agreed
    }
}

/// The same of a statement that names nothing that it agrees to: there a doubt is one of what was agreed to.
pub(crate) fn stance_of_unnamed(label: Stance, reasoning: &str) -> Stance {
    let words = Words::of(reasoning).without_ended();
    match stance_of_labelled(label, reasoning) {
        Stance::Agreed if words.has_any(DOUBTS) => Stance::Disagreed,
        Stance::Agreed if words.has_any(CONTRASTS) => Stance::PartiallyAgreed,
        stance => stance,
    }
}

/// The stance of a statement without a label at its start; none: it takes none.
pub(crate) fn stance_in_words(text: &str) -> Option<Stance> {
    let words = Words::of(text).without_ended();
    let partial = LEADING
        .iter()
        .filter(|(_, stance)| *stance == Stance::PartiallyAgreed);
    if partial
        .into_iter()
        .any(|(phrase, _)| words.position(phrase).is_some())
    {
        return Some(Stance::PartiallyAgreed);
    }
    if words.has_any(REFUSALS) || words.has_any(DOUBTS) {
        return Some(Stance::Disagreed);
    }
    let at = ["agree", "agreed", "agrees", "concur", "concede", "conceded"]
        .iter()
        .filter_map(|word| words.position(word))
        .min()?;
    let before = &words.0[at.saturating_sub(5)..at];
    if before.iter().any(|word| NEGATIONS.contains(&word.as_str())) {
        return Some(Stance::Disagreed);
    }
    let bounded = words
        .0
        .iter()
        .any(|word| RESERVATIONS.contains(&word.as_str()));
    let asked = text.contains('?');
    // Whoever agrees says so in a clause of its own: "nobody agreed" and "agreed to be wrong" only speak of it.
    let mut clauses = text.split(['.', '!', ';', ',', ':', '—', '–', '\n']);
    let is_plain = clauses.any(|clause| plain_agreement(clause.trim()).is_some());
    match (asked, bounded || !is_plain) {
        (true, _) => None,
        (false, true) => Some(Stance::PartiallyAgreed),
        (false, false) => Some(Stance::Agreed),
    }
}

/// The stance of a statement that seems to agree, its form considered: an agreement is one from its label to its end.
pub(super) fn confirmed_stance(stance: Stance, statement: &str) -> Stance {
    if stance != Stance::Agreed {
        return stance;
    }
    // `Vec<T>` in backticks is shown as it stands: no tag hides anything there.
    let is_unclear = has_refusing_mark(statement) || is_hidden(&outside_code(statement));
    let agreed = plain_agreement(statement).map(|agreed| agreed.reason);
    match agreed.or_else(|| agreed_problem(statement)) {
        Some(reason) if !is_unclear && !denies(reason) => Stance::Agreed,
        _ => Stance::PartiallyAgreed,
    }
}

/// Whether an agreement speaks of everything that is open: "Agreed on all points", or the label and at most a word more.
pub(crate) fn is_universal(text: &str) -> bool {
    let is_all = |agreed: PlainAgreement<'_>| agreed.scope == AgreedScope::All;
    plain_agreement(text).is_some_and(is_all) || Words::of(text).0.len() <= 2
}

/// Whether a closing says that its sides do not agree.
pub(crate) fn refuses(text: &str) -> bool {
    let words = Words::of(text).without_ended();
    let remaining = ["remaining disagreements", "remaining disagreement"]
        .iter()
        .find_map(|phrase| words.position(phrase));
    let remains = remaining.is_some_and(|at| {
        let next = words.0.get(at + 2).map(String::as_str);
        !matches!(next, None | Some("none" | "no" | "0" | "nothing"))
    });
    remains || words.has_any(REFUSALS)
}

/// The vote that a line names, however it is set: `Vote: FAIL — why`, `**Vote: FAIL**`, `- verdict: fail`, `| Vote | FAIL |`.
pub(crate) fn parse_vote(line: &str) -> Option<(Vote, &str)> {
    let (vote, reason) = vote_and_rest(line)?;
    // Marks that approve nothing stay: "PASS ❌".
    let around = |c: char| is_ornament(c) && !has_refusing_mark(c.encode_utf8(&mut [0; 4]));
    Some((vote, reason.trim_matches(around)))
}

/// What may stand right behind a vote, with no mark between, and adds nothing to it.
const BESIDE_VOTE: &[&str] = &[
    "overall", "for", "me", "my", "part", "from", "side", "now", "again", "still", "here", "as",
    "before", "with", "no", "remarks", "comments", "this", "change", "the", "in", "round", "all",
];

/// Whether a line adds a condition to its vote: "PASS if a.py:5 is fixed", "PASS with concerns", "PASS?". A reason stands
/// behind a mark.
pub(super) fn is_qualified_vote(line: &str) -> bool {
    let Some((_, rest)) = vote_and_rest(line) else {
        return false;
    };
    let rest = rest.trim_start_matches(['*', '_', '`', '~', ' ']);
    let clause = rest
        .split(['—', '–', ':', ';', '.', ',', '('])
        .next()
        .unwrap_or_default();
    let words = Words::of(clause);
    rest.starts_with('?')
        || rest.starts_with(char::is_alphabetic)
            && !is_approval(clause)
            && !words.consists_of(BESIDE_VOTE)
}

/// Votes against a change in the words of forges and of people.
const VOTES_AGAINST: &[&str] = &[
    "request changes",
    "changes requested",
    "reject",
    "rejected",
    "do not merge",
    "don't merge",
    "block",
    "blocked",
];

/// The vote of a line, and what stands behind it.
fn vote_and_rest(line: &str) -> Option<(Vote, &str)> {
    if is_hidden(line) {
        return None;
    }
    let rest = strip_word(line.trim_start_matches(is_ornament), &["my", "final"]);
    let rest = strip_word(
        rest.unwrap_or(line).trim_start_matches(is_ornament),
        &["vote", "verdict"],
    )?;
    let set_apart = rest.trim_start_matches(['*', '_', '`', ' ']);
    let value = set_apart.strip_prefix([':', '=', '|', '—', '–', '-'])?;
    let value = value.trim_start_matches(is_ornament);
    let votes = [Vote::Pass, Vote::Warn, Vote::Fail];
    let named = |vote: Vote| Some((vote, strip_word(value, &[&vote.as_str().to_lowercase()])?));
    let refused = || Some((Vote::Fail, strip_word(value, VOTES_AGAINST)?));
    let (vote, reason) = votes.into_iter().find_map(named).or_else(refused)?;
    // "PASS -> FAIL", "PASS/FAIL", "PASS (I would rather it were FAIL)": the worst word of the line counts.
    let end = reason
        .find([':', '—', '–', ';', '.', ','])
        .unwrap_or(reason.len());
    let alternatives = Words::of(&reason[..end]);
    let is_also = |worse: &Vote| {
        let small = worse.as_str().to_lowercase();
        let words = reason.split(|c: char| !c.is_alphanumeric());
        alternatives.0.contains(&small) || words.into_iter().any(|word| word == worse.as_str())
    };
    let worst = [Vote::Fail, Vote::Warn].into_iter().find(is_also);
    let vote = worst.map_or(vote, |worst| worst.max(vote));
    Some((vote, reason))
}

/// The text behind the first of these words that it begins with, in small or capital letters.
pub(super) fn strip_word<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    words.iter().find_map(|word| {
        let (begin, rest) = text.split_at_checked(word.len())?;
        // `_Vote: FAIL_` is in italics, `pass_rate` is a name.
        let ends = !rest
            .trim_start_matches('_')
            .starts_with(char::is_alphanumeric);
        (ends && begin.eq_ignore_ascii_case(word)).then_some(rest)
    })
}

#[cfg(test)]
#[path = "wording_tests.rs"]
mod tests;
