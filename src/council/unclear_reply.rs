//! A reply that cannot be read as an answer, and in which no objection is recognised: is it a consent? Objections are said in
//! any words and languages, so what is known is the other side: the few forms of a reply that stands against nothing.

use council_protocol::{FailureKind, RoundNumber, Vote, json};
use serde_json::{Map, Value};

use super::answer_fields::{LISTS, check_fields, check_objections};
use super::consent::{APPROVALS, vote_line};
use super::extract::{follows_objection, is_contradicted, own_words_around};
use super::lost_answer::LostAnswer;
use super::lost_findings::is_mild;
use super::own_words::{read_own_words, says_nothing, sentences};
use super::plain_words::EXCERPT_CHARS;
use super::plain_words::{Words, names_problem, objects, stops};
use super::raw_fields::values_of;
use super::reply_object::object_of;
use super::said_vote::{SaidVote, UNDECIDED, read_vote};
use super::told_fields::POSITIONS;

/// How a reply begins that declines to look, or to answer.
const REFUSALS: &[&str] = &[
    "sorry",
    "apologize",
    "can't",
    "cannot",
    "unable",
    "not able",
    "decline",
    "won't",
];

/// Every word of a plain refusal to look: one that gives a reason of its own says something of the change.
const REFUSAL_WORDS: &[&str] = &[
    "i",
    "i'm",
    "am",
    "sorry",
    "apologize",
    "but",
    "and",
    "can't",
    "cannot",
    "unable",
    "not",
    "able",
    "decline",
    "won't",
    "to",
    "help",
    "assist",
    "review",
    "access",
    "continue",
    "answer",
    "comply",
    "with",
    "that",
    "this",
    "the",
    "a",
    "an",
    "request",
    "repository",
    "repo",
    "file",
    "files",
    "code",
    "change",
    "changes",
    "diff",
    "as",
    "ai",
    "model",
    "language",
    "assistant",
    "it",
    "for",
    "you",
    "provide",
    "do",
    "have",
    "your",
    "in",
    "task",
    "question",
    "because",
    "don't",
    "tools",
    "of",
    "at",
    "look",
    "read",
    "open",
    "any",
    "me",
    "we",
    "complete",
];

/// No consent in words is longer, in bytes.
const MAX_PROSE_BYTES: usize = 64 << 10;

/// What a reply says that is no answer, where it is not known to stand against nothing; none: it is, or there is no reply
/// (it broke off, or is too large).
pub(super) fn read_unclear_reply(
    raw: &str,
    kind: FailureKind,
    round: RoundNumber,
) -> Option<LostAnswer> {
    use FailureKind as K;
    let is_reply = matches!(kind, K::Prose | K::Malformed | K::WrongKey | K::WrongRound);
    (is_reply && !stands_against_nothing(raw)).then(|| {
        let mut lost = LostAnswer::unclear(round, &excerpt_of_reply(raw));
        lost.insists = is_objection(raw);
        lost
    })
}

/// Whether a reply in another form than ours holds a finding or an objection, for which it is sent back: an answer that says
/// no more of it does not take it back.
fn is_objection(raw: &str) -> bool {
    let fits = |object: &&str| json::fits_in_memory(object.as_bytes(), json::MESSAGE);
    let Some(object) = object_of(raw).filter(fits) else {
        return false;
    };
    let Ok(Value::Object(fields)) = json::parse_unique(object) else {
        return false;
    };
    let mut lists = LISTS.iter().filter_map(|list| fields.get(*list));
    let vote = fields.get("verdict").and_then(Value::as_str);
    lists.any(|list| !is_harmless_list(list))
        || vote.is_some_and(is_conditional)
        || check_objections(&Value::Object(fields.clone())).is_err()
        || is_contradicted(raw, object)
        || follows_objection(raw, object)
}

/// The words of a text in JSON that stand in none of its fields: a comment, a remark behind it in its fence, an item of a
/// list that has no name.
fn outside_fields(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text;
    let mut is_value = false;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let length = string_length(rest);
            let behind = rest[length..].trim_start();
            let is_name = behind.starts_with(':');
            if !is_name && !is_value {
                words.push_str(&rest[1..length.max(2) - 1]);
            }
            (is_value, rest) = (is_name, &rest[length..]);
            continue;
        }
        is_value &= c.is_whitespace() || c == ':';
        words.push(if "{}[],:".contains(c) { ' ' } else { c });
        rest = &rest[c.len_utf8()..];
    }
    let is_word = |line: &&str| !line.trim_start().starts_with(['`', '~']);
    let is_said =
        |word: &&str| word.parse::<f64>().is_err() && !["true", "false", "null"].contains(word);
    let lines = words.lines().filter(is_word);
    let lines = lines.map(|line| {
        line.split_whitespace()
            .filter(is_said)
            .collect::<Vec<_>>()
            .join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The bytes of the string that a text begins with, with its quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let closes = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        closes
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

fn stands_against_nothing(raw: &str) -> bool {
    let text = raw.trim();
    if text.is_empty() {
        return true;
    }
    // A consent is short, and what is not must not fill the memory.
    let object = object_of(raw);
    let is_bounded = match object {
        Some(object) => json::fits_in_memory(object.as_bytes(), json::MESSAGE),
        None => text.len() <= MAX_PROSE_BYTES,
    };
    if !is_bounded {
        return false;
    }
    let parsed = object.and_then(|object| json::parse_unique(object).ok());
    if let (Some(object), Some(Value::Object(fields))) = (object, parsed) {
        // Words beside it may take it back.
        let names_a_place = || own_words_around(raw, object).place.is_some();
        let is_contradicted = is_contradicted(raw, object) || follows_objection(raw, object);
        return is_consent(&fields) && !is_contradicted && !names_a_place();
    }
    // A key that stands twice says two things.
    if object.is_some_and(|object| serde_json::from_slice::<Value>(object.as_bytes()).is_ok()) {
        return false;
    }
    let mut verdicts = values_of(text, "verdict").peekable();
    if verdicts.peek().is_some() {
        let mut severities = values_of(text, "severity");
        return verdicts.all(|(_, word)| approves(&word))
            && severities.all(|(_, word)| is_mild(&word))
            && !stops(text)
            && outside_fields(text)
                .lines()
                .flat_map(sentences)
                .all(|said| says_nothing(&said));
    }
    // It breaks off before it votes.
    if text.starts_with('{') {
        return true;
    }
    is_plain_consent(text)
}

/// Whether prose is one plain consent, has not decided, or declines to look, and says nothing else.
fn is_plain_consent(text: &str) -> bool {
    let words = Words::of(text);
    let is_undecided = !words.0.is_empty() && words.consists_of(UNDECIDED);
    let is_refusal = words.has_any(REFUSALS) && words.consists_of(REFUSAL_WORDS);
    let said: Vec<String> = text.lines().flat_map(sentences).collect();
    let is_approval = said.iter().all(|said| says_nothing(said))
        && said.iter().any(|said| approves_in_words(said));
    is_undecided || is_approval || is_refusal
}

fn approves_in_words(sentence: &str) -> bool {
    let is_vote = vote_line(sentence) == Some(Vote::Pass);
    is_vote || Words::of(sentence).has_any(APPROVALS)
}

/// Whether an object in another form than ours consents: a vote that approves or has not decided, and no finding of weight.
fn is_consent(fields: &Map<String, Value>) -> bool {
    let votes = match fields.get("verdict") {
        Some(Value::String(word)) => approves(word),
        Some(_) => false,
        None => fields.is_empty(),
    };
    let lists = LISTS.iter().filter_map(|list| fields.get(*list));
    let ballot = match fields.get("ballot") {
        None | Some(Value::Null) => true,
        Some(ballot) => ballot
            .get("vote")
            .and_then(Value::as_str)
            .is_some_and(approves),
    };
    let says_one_thing = check_fields(&Value::Object(fields.clone())).is_ok();
    votes && ballot && says_one_thing && lists.into_iter().all(is_harmless_list)
}

fn is_harmless_list(list: &Value) -> bool {
    let is_mild = |item: &Value| {
        let item = item.get("finding").unwrap_or(item);
        let is_empty = item.as_object().is_some_and(Map::is_empty);
        is_empty
            || item
                .get("severity")
                .and_then(Value::as_str)
                .is_some_and(is_mild)
    };
    match list {
        Value::Null => true,
        Value::Array(items) => items.iter().all(is_mild),
        _ => false,
    }
}

fn approves(word: &str) -> bool {
    let is_given = !word.trim().is_empty();
    let approving = [SaidVote::Plain(Vote::Pass), SaidVote::Undecided];
    is_given && approving.contains(&read_vote(word))
}

/// Whether a vote says more than a vote. The list of votes that there are, copied from the form, does not.
fn is_conditional(vote: &str) -> bool {
    let is_form = Words::of(vote).consists_of(&["pass", "warn", "fail", "or"]);
    read_vote(vote) == SaidVote::Unclear && !is_form
}

/// The words of a reply that tell most, on one line.
pub(super) fn excerpt_of_reply(raw: &str) -> String {
    let raw = &raw[..raw.floor_char_boundary(MAX_PROSE_BYTES)];
    let told = ["description", "message", "text", "body", "vote", "verdict"];
    let object = object_of(raw).filter(|_| raw.contains('{'));
    let field = object.and_then(|object| {
        told.iter()
            .find_map(|name| values_of(object, name).map(|(_, text)| text).next())
    });
    // A vote of PASS beside the words that object to it tells nothing.
    let around = object.map(|object| own_words_around(raw, object));
    let around = around.unwrap_or_default();
    let around = around
        .against
        .or(around.place)
        .or_else(|| around.told.into_iter().next());
    // What a field of the answer names stands behind a PASS as well.
    let spoken = object.and_then(|object| {
        let fields = POSITIONS.iter().flat_map(|name| values_of(object, name));
        let mut words = fields.map(|(_, text)| read_own_words(&text));
        words.find_map(|words| words.against.or(words.place))
    });
    let mut parts = raw.split(['\n', '"']).map(str::trim);
    let objecting = parts
        .find(|part| objects(part) || names_problem(part))
        .map(str::to_owned);
    let text = objecting
        .or(around)
        .or(spoken)
        .or(field)
        .unwrap_or_else(|| raw.to_owned());
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut excerpt: String = flat.chars().take(EXCERPT_CHARS).collect();
    if flat.chars().count() > EXCERPT_CHARS {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
#[path = "unclear_reply_tests.rs"]
mod tests;
