//! The closed forms in which somebody speaks for a change.
//!
//! There are endless ways to object and few to agree. So nothing here looks for objections: a vote is a consent if it is one
//! of these words and nothing else, a text is plain if each sentence of it is one of these forms from its first word to its
//! last. Everything else (a condition, a place, a reservation, another language) is no consent.

use std::borrow::Cow;

use council_protocol::Vote;

use super::denials::denies_all;
use super::plain_words::{Words, has_refusing_mark, is_invisible};

/// Whole votes for a change.
const FOR: &[&str] = &[
    "pass",
    "passed",
    "passes",
    "approve",
    "approved",
    "approves",
    "i approve",
    "accept",
    "accepted",
    "lgtm",
    "looks good",
    "looks good to me",
    "ok",
    "okay",
    "yes",
    "merge",
    "merge it",
    "ship it",
    "proceed",
    "success",
    "clean",
    "no issues",
    "no findings",
    "all good",
];

/// Whole votes of somebody who lets a change in with a warning.
const WITH_A_WARNING: &[&str] = &["warn", "warning", "proceed with conditions"];

/// Whole votes against a change.
const AGAINST: &[&str] = &[
    "fail",
    "failed",
    "fails",
    "reject",
    "rejected",
    "i reject",
    "block",
    "blocked",
    "blocking",
    "blocker",
    "critical",
    "deny",
    "denied",
    "veto",
    "nack",
    "-1",
    "no",
    "nein",
    "no go",
    "hold",
    "hold off",
    "not ok",
    "not okay",
    "not ready",
    "not approved",
    "not mergeable",
    "request changes",
    "requests changes",
    "requesting changes",
    "changes requested",
    "changes required",
    "needs changes",
    "needs work",
    "revise",
    "revert",
    "revert this",
    "reconsider",
    "do not merge",
    "don't merge",
    "do not ship",
    "don't ship",
    "do not approve",
    "do not proceed",
    "don't proceed",
    "not proceed",
    "❌",
    "👎",
    "🚫",
    "⛔",
];

/// Names of a vote, in front of it.
const VOTE_NAMES: &[&str] = &[
    "verdict",
    "my verdict",
    "final verdict",
    "my final verdict",
    "the verdict",
    "vote",
    "my vote",
    "final vote",
    "i vote",
    "decision",
    "result",
    "recommendation",
    "status",
    "conclusion",
    "overall",
];

/// The vote that a text is, with marks around it or none; none: it says something else, or more.
pub fn plain_vote(text: &str) -> Option<Vote> {
    let bare = bare_words(text);
    let is_one_of = |list: &[&str]| list.contains(&bare.as_str());
    let known = [
        (FOR, Vote::Pass),
        (WITH_A_WARNING, Vote::Warn),
        (AGAINST, Vote::Fail),
    ];
    let found = known.into_iter().find(|(list, _)| is_one_of(list));
    found.map(|(_, vote)| vote)
}

/// The vote that a line gives and nothing else: `Verdict: FAIL`, `**FAIL**`, `Changes requested.`
pub fn vote_line(line: &str) -> Option<Vote> {
    let item = line.trim_start();
    let marks = ["- ", "* ", "+ ", "• "];
    let item = marks.iter().find_map(|mark| item.strip_prefix(mark));
    let line = item.unwrap_or(line);
    let named = line.split_once([':', '=', '—', '–']);
    let named = named.filter(|(name, _)| VOTE_NAMES.contains(&bare_words(name).as_str()));
    let unnamed = || {
        let bare = bare_words(line);
        let rest = VOTE_NAMES.iter().find_map(|name| bare.strip_prefix(name));
        rest.map(|rest| rest.strip_prefix(" is").unwrap_or(rest).to_owned())
    };
    plain_vote(line)
        .or_else(|| plain_vote(named?.1))
        .or_else(|| plain_vote(&unnamed()?))
}

/// In small letters, with one blank between two words and without the marks around them. A question mark stays.
///
/// A sign that takes a word back is part of it: `!PASS`, `~~PASS~~`; so is a star that leads to a remark: `PASS*`.
fn bare_words(text: &str) -> String {
    let is_footnote = text.matches('*').count() % 2 == 1 && !text.trim_start().starts_with("* ");
    let is_mark = |c: char| {
        let is_sign = "_`\"'“”.#>|:✅✔✓☑👍\u{fe0f}".contains(c) || (c == '*' && !is_footnote);
        c.is_whitespace() || is_invisible(c) || is_sign
    };
    let small: String = text
        .trim_start_matches(is_mark)
        .trim_end_matches(|c| is_mark(c) || c == '!')
        .chars()
        .filter(|c| !is_invisible(*c))
        .flat_map(char::to_lowercase)
        .map(|c| if c == '’' { '\'' } else { c })
        .collect();
    let words = small.split(|c: char| c.is_whitespace() || c == '_');
    // In front of a word it is a sign, within one a hyphen.
    let is_hyphen = |word: &str, at: usize| at > 0 && word[at..].starts_with('-');
    let words = words.map(|word| {
        let chars = word.char_indices();
        let spaced = chars.map(|(at, c)| if is_hyphen(word, at) { ' ' } else { c });
        spaced.collect::<String>()
    });
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Words that say that nothing is wrong.
pub const APPROVALS: &[&str] = &[
    "no issues",
    "no issue",
    "no problems",
    "no problem",
    "no findings",
    "no objections",
    "no objection",
    "no concerns",
    "no more objections",
    "no further objections",
    "no more issues",
    "no further issues",
    "found nothing",
    "nothing stands against",
    "looks good",
    "lgtm",
    "i approve",
    "approved",
];

/// Words with which somebody takes an objection back.
pub const RETRACTIONS: &[&str] = &[
    "take it back",
    "take that back",
    "take this back",
    "take my objection back",
    "withdraw it",
    "withdraw this",
    "withdraw that",
    "withdraw my objection",
    "i was wrong",
    "objection withdrawn",
    "objection is withdrawn",
];

/// Words of somebody who looked at a place and found nothing wrong there.
pub const REASSURING: &[&str] = &[
    "fine",
    "correct",
    "correctly",
    "ok",
    "okay",
    "safe",
    "safely",
    "right",
    "good",
    "sound",
    "holds",
    "works",
    "handled",
    "handles",
    "guarded",
    "covered",
    "covers",
    "unchanged",
    "intended",
    "harmless",
    "read",
    "looked",
    "checked",
    "reviewed",
    "verified",
    "tested",
    "agree",
    "agreed",
];

/// Words that make an approval one of a part, or under a condition.
pub const RESERVATIONS: &[&str] = &[
    "but", "however", "except", "unless", "although", "though", "if", "only", "yet",
];

/// Words that make an approval one under a condition, or of the rest only.
pub const CONDITIONS: &[&str] = &[
    "once",
    "after",
    "until",
    "till",
    "provided",
    "providing",
    "assuming",
    "conditional",
    "conditionally",
    "pending",
    "otherwise",
    "other than",
    "apart from",
    "aside from",
    "besides",
    "excepting",
    "barring",
    "save for",
    "first",
    "afterwards",
    "nevertheless",
    "nonetheless",
    "despite",
    "whereas",
    "with the exception",
    "as long as",
    "so long as",
    "subject to",
    "caveat",
    "caveats",
    "reservation",
    "reservations",
    "follow up",
    "followup",
];

/// Whole statements that say nothing against a change, beside the approvals.
const NOTHING_SAID: &[&str] = &[
    "nothing to add",
    "nothing more to add",
    "nothing to report",
    "nothing else",
    "no further points",
    "no more points",
    "no further findings",
    "no more findings",
    "no answer to",
    "nothing from me",
    "approve",
    "good to merge",
    "safe to merge",
    "ready to merge",
    "no blocking issues",
    "no critical issues",
    "no significant issues",
    "no critical or significant issues",
    "this side names no finding whose quote holds",
    "tests pass",
    "the tests pass",
    "all tests pass",
];

/// What may stand beside one of those that leaves it whole.
const BESIDE: &str = "i we it this that the a there is are was to me my mine from side with in of at on and so then here now \
     yes ok okay thanks thank you see have had find found change diff patch code whole all any more left as well take back \
     withdraw looks objection objections point points open";

/// Words of somebody who is polite, and has said nothing.
const COURTESY: &str = "yes ok okay right thanks thank you noted understood i see good fine great for the your review \
     response reply answer all and very much so well then now here are you're indeed fair enough true correct exactly point";

/// The verbs of a receipt, behind "I" or "we".
const RECEIPTS: &str = "read looked reviewed checked seen verified went inspected examined";

/// What else may stand in a receipt.
const READ_THINGS: &str = "i we i've we've have now also it this that the whole change diff patch commit file files code opening \
     response at through over all of everything again twice here and line lines to from in your point points carefully every";

/// Words that call a change good.
const GOOD: &str = "good fine correct ok okay right great nice well safe sound";

/// Of what they say so.
const GOOD_SUBJECTS: &str = "it this that all everything the a whole change diff patch code is are looks to me now here and \
     very tested";

/// What may stand beside a place that somebody clears: "`a.py:3` is guarded".
const CLEARING: &str =
    "i it this that the is are was at in to of and now line lines all there here place call";

/// Whether a text says nothing against the change, from its first word to its last. `is_place` knows a place by one word.
pub fn is_plain(text: &str, is_place: impl Fn(&str) -> bool) -> bool {
    if is_hidden(text) || text.contains(is_telling_mark) || has_refusing_mark(text) {
        return false;
    }
    let has_place = text.split_whitespace().any(&is_place);
    if has_place && !clears_something(text) {
        return false;
    }
    let words = text.split_whitespace();
    let kept: Vec<Cow<'_, str>> = words
        .filter(|word| !is_place(word))
        .map(with_file_named)
        .collect();
    let kept = kept.join(" ");
    if kept.contains('`') {
        return false;
    }
    let mut pieces = kept.split(['.', '!', ';', ':', ',', '(', ')', '|', '—', '–', '\n']);
    pieces.all(|piece| is_plain_piece(&Words::of(piece), has_place))
}

/// A question, somebody else's words, or a mark that is no part of writing and may mean anything: `🚨`.
fn is_telling_mark(c: char) -> bool {
    let is_writing = c.is_ascii() || c.is_alphanumeric() || c.is_whitespace() || is_invisible(c);
    "?\"“”«»„".contains(c) || !is_writing && !"—–…‘’•·✅✔✓☑👍🎉\u{fe0f}".contains(c)
}

/// A place alone is pointed at, and nobody has said that it is fine.
pub fn clears_something(text: &str) -> bool {
    let words = Words::of(text);
    words.has_any(REASSURING) || words.has_any(APPROVALS) || words.has_any(NOTHING_SAID)
}

/// Whether a part of a text is not shown: nobody speaks in it.
pub fn is_hidden(text: &str) -> bool {
    let tag = |at: usize| {
        text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || "!/?".contains(c))
    };
    text.contains("-->") || text.match_indices('<').any(|(at, _)| tag(at))
}

/// `file` for the name of a file that was read, as its reader writes it: `a.py`.
fn with_file_named(word: &str) -> Cow<'_, str> {
    let marked = word.trim_end_matches([',', '.', ';', ':']);
    let name = marked
        .strip_prefix('`')
        .and_then(|name| name.strip_suffix('`'));
    let is_path = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
    let is_file = name
        .and_then(|name| name.rsplit_once('.'))
        .is_some_and(|(stem, ending)| {
            !stem.is_empty() && stem.chars().all(is_path) && (1..=4).contains(&ending.len())
        });
    if is_file {
        Cow::Owned(format!("file{}", &word[marked.len()..]))
    } else {
        Cow::Borrowed(word)
    }
}

fn is_plain_piece(words: &Words, has_place: bool) -> bool {
    let is_in = |list: &str, word: &String| list.split_whitespace().any(|known| known == word);
    let only = |lists: &[&str]| {
        let known = |word: &String| lists.iter().any(|list| is_in(list, word));
        words.0.iter().all(known)
    };
    let has = |list: &str| words.0.iter().any(|word| is_in(list, word));
    let rest = words
        .clone()
        .without(NOTHING_SAID)
        .without(APPROVALS)
        .without(RETRACTIONS);
    let is_beside = rest.0.iter().all(|word| is_in(BESIDE, word));
    let begins_with_reader = words.0.first().is_some_and(|word| {
        ["i", "we", "i've", "we've"].contains(&word.as_str()) || is_in(RECEIPTS, word)
    });
    let clears = |word: &String| is_in(CLEARING, word) || REASSURING.contains(&word.as_str());
    only(&[COURTESY])
        || denies_all(words)
        || rest.0.len() < words.0.len() && is_beside
        || begins_with_reader && has(RECEIPTS) && only(&[RECEIPTS, READ_THINGS])
        || has(GOOD) && only(&[GOOD, GOOD_SUBJECTS])
        || has_place && words.0.iter().all(clears)
}

#[cfg(test)]
#[path = "consent_tests.rs"]
mod tests;
