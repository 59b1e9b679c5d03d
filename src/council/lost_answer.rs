//! What a reply says that cannot be read as an answer: it does not count, and is not forgotten either.

use council_protocol::{Answer, Finding, RoundNumber, Severity, Vote};

use super::plain_words::{EXCERPT_CHARS, objects};
use super::said_vote::{SaidVote, VOTE_FIELDS, read_vote, unclear_vote, vote_of};

/// The largest reply that is read, in bytes; more is a failure of the kind `oversized`.
pub(super) const MAX_ANSWER_BYTES: usize = 4 << 20;

/// Findings of one reply that are named in a note.
const MAX_NAMED: usize = 3;

/// An answer that does not count, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LostAnswer {
    /// In which round it came.
    pub(super) round: RoundNumber,
    /// The worst vote that stands in it.
    pub(super) vote: Option<Vote>,
    /// What it comes to: a critical finding is as good as FAIL.
    pub(super) weight: Vote,
    /// Whether the key of its turn stands in it. Without it, it may be quoted from the change.
    pub(super) keyed: bool,
    /// Its critical findings, in words: where each is said to be, and what it says.
    pub(super) criticals: Vec<String>,
    /// What it says, where that is neither an objection that can be told nor a consent: a proper answer takes its place.
    pub(super) unclear: Option<String>,
    /// Whether it was sent back with a finding or an objection in it: only an answer that objects, too, takes its place.
    pub(super) insists: bool,
}

/// How many findings an answer has.
#[derive(Debug, Clone, Copy)]
pub(super) struct FindingCount {
    pub(super) all: usize,
    pub(super) criticals: usize,
}

impl FindingCount {
    pub(super) fn of(answer: &Answer) -> Self {
        let later = answer.independent_findings.iter().map(|i| &i.finding);
        let findings = || answer.findings.iter().chain(later.clone());
        let criticals = findings().filter(|f| f.severity == Severity::Critical);
        Self {
            all: findings().count(),
            criticals: criticals.count(),
        }
    }
}

impl LostAnswer {
    /// The part of an answer that could be read, but was replaced by a later one of the same turn: an objection that became
    /// milder, and critical findings that were given up.
    pub(super) fn replaced(round: RoundNumber, vote: Vote, gave_up_critical: bool) -> Option<Self> {
        let weight = if gave_up_critical { Vote::Fail } else { vote };
        (weight > Vote::Pass).then_some(Self {
            round,
            vote: Some(vote),
            weight,
            keyed: true,
            // A note of their own names them.
            criticals: Vec::new(),
            unclear: None,
            insists: false,
        })
    }

    /// An answer that counted until another one took its place, with what was critical in it.
    pub(super) fn given_before(round: RoundNumber, answer: &Answer) -> Option<Self> {
        let later = answer.independent_findings.iter().map(|i| &i.finding);
        let findings = answer.findings.iter().chain(later);
        let criticals = findings.filter(|f| f.severity == Severity::Critical);
        let name = |finding: &Finding| {
            let place = &finding.location;
            let path = place.path.display().into_owned();
            name_finding(Some((&path, place.line)), &finding.description)
        };
        let criticals: Vec<String> = criticals.map(name).collect();
        let weight = if criticals.is_empty() {
            answer.verdict
        } else {
            Vote::Fail
        };
        (weight > Vote::Pass).then_some(Self {
            round,
            vote: Some(answer.verdict),
            weight,
            keyed: true,
            criticals,
            unclear: None,
            insists: false,
        })
    }

    /// A vote that was given in a form that does not count.
    pub(super) fn unheard(round: RoundNumber, vote: Vote) -> Option<Self> {
        (vote > Vote::Pass).then_some(Self {
            round,
            vote: Some(vote),
            weight: vote,
            keyed: true,
            criticals: Vec::new(),
            unclear: None,
            insists: false,
        })
    }

    /// A reply of which nobody can tell what it says of the change.
    pub(super) fn unclear(round: RoundNumber, said: &str) -> Self {
        Self {
            round,
            vote: None,
            weight: Vote::Warn,
            keyed: true,
            criticals: Vec::new(),
            unclear: Some(said.to_owned()),
            insists: false,
        }
    }

    /// Whether an answer of the same round says it all over again, so that nothing is lost.
    pub(super) fn is_said_again(
        &self,
        round: RoundNumber,
        vote: Vote,
        found: FindingCount,
    ) -> bool {
        if self.unclear.is_some() {
            let objects = vote > Vote::Pass || found.all > 0;
            return round >= self.round && (objects || !self.insists);
        }
        let criticals = found.criticals;
        self.round == round && vote >= self.weight && criticals >= self.criticals.len()
    }

    /// What two lost answers of one judge say together.
    pub(super) fn with(mut self, other: Self) -> Self {
        // What objects in so many words counts for more than what nobody understands.
        let objects = |lost: &Self| lost.unclear.is_none() && lost.weight > Vote::Pass;
        match (objects(&self), objects(&other)) {
            (true, false) if other.unclear.is_some() => return self,
            (false, true) if self.unclear.is_some() => return other,
            _ => {}
        }
        let new = other.criticals.into_iter();
        let new: Vec<String> = new.filter(|c| !self.criticals.contains(c)).collect();
        self.criticals.extend(new);
        Self {
            round: self.round.max(other.round),
            vote: self.vote.max(other.vote),
            weight: self.weight.max(other.weight),
            keyed: self.keyed || other.keyed,
            criticals: self.criticals,
            unclear: other.unclear.or(self.unclear),
            insists: self.insists || other.insists,
        }
    }

    /// `it said FAIL: critical a.py:2: Division by zero (unproved)`
    pub(super) fn describe(&self) -> String {
        if let Some(said) = &self.unclear {
            return format!("it said what does not count as an answer and is no consent: {said}");
        }
        let quoted = if self.keyed {
            ""
        } else {
            " without the key of its turn, so that it may be quoted from the change"
        };
        let named = self.criticals.iter().take(MAX_NAMED);
        let mut named: Vec<String> = named.map(|c| format!("critical {c} (unproved)")).collect();
        let more = self.criticals.len().saturating_sub(MAX_NAMED);
        named.extend((more > 0).then(|| format!("{more} more")));
        let findings = if named.is_empty() {
            String::new()
        } else {
            format!(": {}", named.join("; "))
        };
        let vote = self.vote.map_or("something", Vote::as_str);
        format!("it said {vote}{quoted}{findings}")
    }
}

/// Reads what can be read of a reply that cannot count; none: it gives no vote and names nothing critical. The text is
/// searched, not parsed: the reply may break off, be YAML or Python, or be prose. JSON within a text of it has a backslash
/// before each quotation mark, and is not taken for its own.
pub(super) fn read_lost_answer(raw: &str, key: &str, round: RoundNumber) -> Option<LostAnswer> {
    if raw.len() > MAX_ANSWER_BYTES {
        // The verdict is the last field of an answer.
        let begin = &raw[..raw.floor_char_boundary(MAX_ANSWER_BYTES / 2)];
        let end = &raw[raw.ceil_char_boundary(raw.len() - MAX_ANSWER_BYTES / 2)..];
        let both = [begin, end].map(|part| read_lost_answer(part, key, round));
        return both.into_iter().flatten().reduce(LostAnswer::with);
    }
    let criticals = critical_findings(raw);
    let given = VOTE_FIELDS.iter().flat_map(|name| values_of(raw, name));
    let plain = given.filter_map(|(_, word)| match read_vote(&word) {
        SaidVote::Plain(vote) => Some(vote),
        SaidVote::Undecided | SaidVote::Unclear => None,
    });
    let vote = plain.max();
    let vote = vote.or_else(|| loose_values(raw, "verdict").filter_map(vote_of).max());
    let vote = vote.or_else(|| says_fail(raw).then_some(Vote::Fail));
    let critical = (!criticals.is_empty()).then_some(Vote::Fail);
    let is_milder = vote.max(critical).is_none_or(|weight| weight == Vote::Pass);
    if let Some((words, read)) = unclear_vote(raw).filter(|_| is_milder) {
        return Some(LostAnswer {
            insists: read == SaidVote::Unclear,
            ..LostAnswer::unclear(round, &words)
        });
    }
    Some(LostAnswer {
        round,
        vote,
        weight: vote.max(critical)?,
        keyed: !key.is_empty() && raw.contains(key),
        criticals,
        unclear: None,
        insists: false,
    })
}

/// Whether a reply objects to something, as far as it can be read.
pub fn says_objection(raw: &str, key: &str) -> bool {
    let lost = read_lost_answer(raw, key, RoundNumber::FIRST);
    lost.is_some_and(|lost| lost.weight > Vote::Pass)
}

/// Whether a reply that does not count objects to something that the answer in its place does not say again.
pub fn objects_beyond(raw: &str, key: &str, later: &Answer) -> bool {
    let found = FindingCount::of(later);
    let lost = read_lost_answer(raw, key, RoundNumber::FIRST);
    lost.is_some_and(|lost| {
        let is_said_again = lost.is_said_again(RoundNumber::FIRST, later.verdict, found);
        lost.weight > Vote::Pass && !is_said_again
    })
}

/// Words for what must not go in.
const CRITICAL_WORDS: [&str; 7] = [
    "critical", "blocker", "blocking", "fatal", "severe", "high", "urgent",
];

fn is_critical(word: &str) -> bool {
    let word = word.trim().to_ascii_lowercase();
    CRITICAL_WORDS.iter().any(|begin| word.starts_with(begin))
}

/// Characters between a field's name and its value, where it is no JSON: `**Verdict**: FAIL`, `'verdict': 'FAIL'`.
const MAX_BETWEEN: usize = 8;

/// What follows a name in a text that is no JSON, a few words at most.
fn loose_values<'a>(raw: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let starts = raw.char_indices().map(|(at, _)| at);
    starts.filter_map(move |at| {
        let head = raw.as_bytes().get(at..at + name.len())?;
        if !head.eq_ignore_ascii_case(name.as_bytes()) {
            return None;
        }
        let rest = raw.get(at + name.len()..)?;
        let word = rest.find(char::is_alphanumeric)?;
        let between = &rest[..word];
        let is_assigned = between.contains([':', '=', '*', '-']) || between.trim().is_empty();
        let plain = between.len() <= MAX_BETWEEN && !between.contains(['\\', '\n']);
        let end = rest[word..]
            .char_indices()
            .find(|(_, c)| !(c.is_alphanumeric() || " _".contains(*c)));
        let end = end.map_or(rest.len(), |(end, _)| word + end);
        (plain && is_assigned).then(|| &rest[word..end])
    })
}

/// Characters around a word in which other votes make a list of choices of it: `PASS, WARN or FAIL`.
const LIST_BYTES: usize = 24;

/// Whether prose says FAIL in so many letters, other than in a list of the votes that there are.
pub(super) fn says_fail(raw: &str) -> bool {
    if objects(raw) {
        return true;
    }
    let words = ["FAIL", "REJECT", "DO NOT PROCEED", "DO_NOT_PROCEED"];
    words.iter().any(|word| {
        raw.match_indices(word).any(|(at, _)| {
            let end = at + word.len();
            let is_part =
                |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '"');
            let whole =
                !is_part(raw[..at].chars().next_back()) && !is_part(raw[end..].chars().next());
            let from = raw.floor_char_boundary(at.saturating_sub(LIST_BYTES));
            let to = raw.ceil_char_boundary((end + LIST_BYTES).min(raw.len()));
            whole && !raw[from..to].contains("PASS")
        })
    })
}

/// Each `"severity": "critical"` with the words beside it.
fn critical_findings(raw: &str) -> Vec<String> {
    let severities: Vec<(usize, String)> = values_of(raw, "severity").collect();
    let mut found = Vec::new();
    if severities.is_empty() {
        let loose = loose_values(raw, "severity").filter(|word| is_critical(word));
        found.extend(loose.map(|word| name_finding(None, line_of(raw, word))));
        found.extend(begun_finding(raw));
        return found;
    }
    for (nth, (at, _)) in severities.iter().enumerate() {
        if !is_critical(&severities[nth].1) {
            continue;
        }
        // The fields of an object have no order: those behind the severity first, then those before it.
        let end = severities.get(nth + 1).map_or(raw.len(), |next| next.0);
        let start = nth.checked_sub(1).map_or(0, |before| severities[before].0);
        let (behind, before) = (&raw[*at..end], &raw[start..*at]);
        let field = |name: &str| {
            let first = values_of(behind, name).next();
            first.or_else(|| values_of(before, name).last())
        };
        let place = field("path").map(|(_, path)| path);
        let line = number_of(behind).or_else(|| number_of(before)).unwrap_or(0);
        let what = field("description")
            .map(|(_, what)| what)
            .unwrap_or_default();
        found.push(name_finding(
            place.as_ref().map(|path| (path.as_str(), line)),
            &what,
        ));
    }
    found.extend(begun_finding(raw));
    found
}

/// The line of a text in which a part of it stands.
fn line_of<'t>(text: &'t str, part: &str) -> &'t str {
    let at = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    &text[start..end]
}

/// Readers of JSON refuse what is nested deeper, and each level that is looked at is read to the reply's end: 300,000 of them
/// took 28 s.
const MAX_DEPTH: usize = 128;

/// The finding at the end of a reply that breaks off before it says how bad the finding is: it may be the worst. Fields
/// stand in the order in which the form asks for them, the severity behind the words.
fn begun_finding(raw: &str) -> Option<String> {
    let mut innermost = open_items(raw).into_iter().rev().take(MAX_DEPTH);
    let finding = innermost.find(|item| {
        let has = |name: &str| fields_of(item, name).next().is_some();
        has("location") && !has("severity")
    })?;
    let field = |name: &str| values_of(finding, name).next().map(|(_, value)| value);
    let path = field("path")?;
    let what = field("description")
        .or_else(|| field("quote"))
        .unwrap_or_default();
    let place = (path.as_str(), number_of(finding).unwrap_or(0));
    Some(name_finding(Some(place), &what) + " [cut off before it says how bad it is]")
}

/// The items of lists that are still open where a JSON text ends, the outermost first.
fn open_items(raw: &str) -> Vec<&str> {
    let mut open: Vec<(usize, u8)> = Vec::new();
    let (mut in_text, mut escaped) = (false, false);
    let start = raw.find('{').unwrap_or(raw.len());
    for (at, byte) in raw.bytes().enumerate().skip(start) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => open.push((at, byte)),
            b'}' | b']' if !in_text => drop(open.pop()),
            _ => {}
        }
    }
    let pairs = open.windows(2);
    let items = pairs.filter(|pair| pair[0].1 == b'[' && pair[1].1 == b'{');
    items.map(|pair| &raw[pair[1].0..]).collect()
}

/// `a.py:2: Division by zero`
fn name_finding(place: Option<(&str, u32)>, what: &str) -> String {
    let flat = what.split_whitespace().collect::<Vec<_>>().join(" ");
    let what: String = flat.chars().take(EXCERPT_CHARS).collect();
    let place = place.map(|(path, line)| format!("{path}:{line}"));
    let parts = [place.unwrap_or_default(), what];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        "finding without words".to_owned()
    } else {
        parts.join(": ")
    }
}

/// The texts that the field `name` has, each with where it stands. A text that breaks off is given as far as it goes.
pub(super) fn values_of<'a>(
    raw: &'a str,
    name: &'a str,
) -> impl Iterator<Item = (usize, String)> + 'a {
    fields_of(raw, name).filter_map(|(at, value)| {
        let text = value.strip_prefix('"')?;
        let end = text_end(text).unwrap_or(text.len());
        let quoted = format!("\"{}\"", &text[..end]);
        let plain = serde_json::from_slice(quoted.as_bytes());
        Some((at, plain.unwrap_or_else(|_| text[..end].to_owned())))
    })
}

/// The first number of a field `line`.
fn number_of(raw: &str) -> Option<u32> {
    fields_of(raw, "line").find_map(|(_, value)| {
        let value = value.trim_start_matches('"');
        let digits = value.find(|c: char| !c.is_ascii_digit());
        value[..digits.unwrap_or(value.len())].parse().ok()
    })
}

/// Each field of a name: where it stands, and what follows its colon.
fn fields_of<'a>(raw: &'a str, name: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    raw.match_indices(name).filter_map(move |(at, _)| {
        let before = raw[..at].strip_suffix('"')?;
        let rest = raw[at + name.len()..].strip_prefix('"')?;
        let value = rest.trim_start().strip_prefix(':')?;
        (!before.ends_with('\\')).then(|| (at, value.trim_start()))
    })
}

/// Where a JSON text ends, behind its opening mark.
fn text_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at)
    })
}

#[cfg(test)]
#[path = "lost_answer_tests.rs"]
mod tests;
