//! What a reply says that cannot be read as an answer: it does not count, and is not forgotten either.

use council_protocol::{Answer, Finding, RoundNumber, Severity, Vote};

use super::answer_fields::check_objections;
use super::extract::{follows_objection, is_contradicted};
use super::like_words::description_words;
use super::loose_forms::parse_loosely;
use super::lost_findings::{LostFindings, lost_findings, name_finding};
use super::plain_words::objects;
use super::raw_fields::{loose_values, values_of};
use super::reply_object::{object_of, words_outside_objects};
use super::said_vote::{SaidVote, VOTE_FIELDS, read_vote, unclear_vote, vote_of};
use super::told_fields::objects_in_document;
use super::unclear_reply::excerpt_of_reply;

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
    /// Its findings that are critical or significant, or may be.
    pub(super) findings: LostFindings,
    /// Its words, where no field of it votes so.
    pub(super) words: Option<String>,
    /// What it says, where that is neither an objection that can be told nor a consent: a proper answer takes its place.
    pub(super) unclear: Option<String>,
    /// Whether it was sent back with a finding or an objection in it: only an answer that objects, too, takes its place.
    pub(super) insists: bool,
}

/// The findings of an answer that may take the place of one that does not count.
#[derive(Debug, Clone)]
pub(super) struct LaterFindings<'a>(Vec<&'a Finding>);

impl<'a> LaterFindings<'a> {
    pub(super) fn of(answer: &'a Answer) -> Self {
        let later = answer.independent_findings.iter().map(|i| &i.finding);
        Self(answer.findings.iter().chain(later).collect())
    }

    /// Whether all that was lost stands among them. A critical problem is not said again by another one: who is asked
    /// again may answer about something else, and a model that steps in has read for itself.
    fn hold(&self, lost: &LostFindings) -> bool {
        let is_critical = |finding: &&&Finding| finding.severity == Severity::Critical;
        let criticals: Vec<&Finding> = self.0.iter().filter(is_critical).copied().collect();
        criticals.len() >= lost.criticals.len()
            && self.0.len() >= lost.count()
            && lost
                .criticals
                .iter()
                .all(|named| names_one(named, &criticals))
            && lost.unrated.iter().all(|named| names_one(named, &self.0))
    }
}

/// The most lines between two places of one problem: judges count them anew.
const NEAR_LINES: u32 = 5;

/// Whether what was lost, `a.py:2: Division by zero`, is one of these: it stands near it, or in like words. Without a
/// place nobody can tell, and any is taken for it.
fn names_one(named: &str, findings: &[&Finding]) -> bool {
    let Some((place, words)) = named.split_once(": ") else {
        return true;
    };
    let line = place.rsplit_once(':');
    let Some((path, line)) = line.and_then(|(path, line)| Some((path, line.parse::<u32>().ok()?)))
    else {
        return true;
    };
    findings.iter().any(|finding| {
        let (own, at) = (finding.location.path.display(), finding.location.line);
        let is_file = own.ends_with(path) || path.ends_with(&*own);
        let is_near = is_file && (line == 0 || line.abs_diff(at) <= NEAR_LINES);
        let share = shared_words(words, &finding.description);
        share >= ALIKE || is_near && share >= SOMEWHAT_ALIKE
    })
}

/// Of the words of the shorter sentence so many stand in the other one, in percent, where two say much the same.
const ALIKE: usize = 60;

/// The same where both are about one place.
const SOMEWHAT_ALIKE: usize = 30;

fn shared_words(one: &str, other: &str) -> usize {
    let (one, other) = (description_words(one), description_words(other));
    let shorter = one.len().min(other.len());
    let shared = one.intersection(&other).count() * 100;
    // Nobody can tell problems apart that have no words.
    shared.checked_div(shorter).unwrap_or(ALIKE)
}

impl LostAnswer {
    /// The part of an answer that could be read, but was replaced by a later one of the same turn: an objection that became
    /// milder, and critical findings that were given up.
    pub(super) fn replaced(round: RoundNumber, vote: Vote, gave_up_critical: bool) -> Option<Self> {
        let weight = if gave_up_critical { Vote::Fail } else { vote };
        // A note of their own names the findings.
        Self::objection(round, vote, weight, LostFindings::default())
    }

    /// An answer that counted until another one took its place, with what was critical or significant in it.
    pub(super) fn given_before(round: RoundNumber, answer: &Answer) -> Option<Self> {
        let later = answer.independent_findings.iter().map(|i| &i.finding);
        let findings = answer.findings.iter().chain(later);
        let name = |finding: &Finding| {
            let place = &finding.location;
            let place = format!("{}:{}", place.path.display(), place.line);
            name_finding(Some(place), &finding.description)
        };
        let rated = |severity: Severity| {
            let found = findings.clone().filter(|f| f.severity == severity);
            found.map(name).collect()
        };
        let findings = LostFindings {
            criticals: rated(Severity::Critical),
            unrated: Vec::new(),
            significant: rated(Severity::Significant),
        };
        let weight = if findings.is_empty() {
            answer.verdict
        } else {
            Vote::Fail
        };
        Self::objection(round, answer.verdict, weight, findings)
    }

    /// A vote that was given in a form that does not count.
    pub(super) fn unheard(round: RoundNumber, vote: Vote) -> Option<Self> {
        Self::objection(round, vote, vote, LostFindings::default())
    }

    /// What was read as an answer, if it has anything to tell.
    fn objection(
        round: RoundNumber,
        vote: Vote,
        weight: Vote,
        findings: LostFindings,
    ) -> Option<Self> {
        let lost = Self {
            round,
            vote: Some(vote),
            weight,
            keyed: true,
            findings,
            words: None,
            unclear: None,
            insists: false,
        };
        lost.is_told().then_some(lost)
    }

    /// Whether a reader is told of it: it objects, or holds a significant finding.
    pub(super) fn is_told(&self) -> bool {
        self.weight > Vote::Pass || !self.findings.significant.is_empty()
    }

    /// What is left of it once a later answer counts; none: that says it all over again, or more.
    pub(super) fn left_by(self, round: RoundNumber, later: &Answer) -> Option<Self> {
        let found = LaterFindings::of(later);
        if !self.is_said_again(round, later.verdict, &found) {
            return Some(self);
        }
        let significant = self.findings.significant.into_iter();
        let significant = significant.filter(|named| !names_one(named, &found.0));
        let left = Self {
            weight: Vote::Pass,
            findings: LostFindings {
                significant: significant.collect(),
                ..LostFindings::default()
            },
            words: None,
            unclear: None,
            ..self
        };
        left.is_told().then_some(left)
    }

    /// A reply of which nobody can tell what it says of the change.
    pub(super) fn unclear(round: RoundNumber, said: &str) -> Self {
        Self {
            round,
            vote: None,
            weight: Vote::Warn,
            keyed: true,
            findings: LostFindings::default(),
            words: None,
            unclear: Some(said.to_owned()),
            insists: false,
        }
    }

    /// Whether an answer of the same round says it all over again, so that nothing is lost.
    pub(super) fn is_said_again(
        &self,
        round: RoundNumber,
        vote: Vote,
        found: &LaterFindings<'_>,
    ) -> bool {
        if self.unclear.is_some() {
            let objects = vote > Vote::Pass || !found.0.is_empty();
            return round >= self.round && (objects || !self.insists);
        }
        let own = &self.findings;
        // What nobody knows the weight of is as bad as the vote beside it, wherever the finding itself is said again.
        let weight = match own.criticals.is_empty() && !own.is_empty() {
            true => self.vote.unwrap_or(Vote::Pass).max(Vote::Warn),
            false => self.weight,
        };
        self.round == round && vote >= weight && found.hold(own)
    }

    /// What two lost answers of one judge say together.
    pub(super) fn with(self, other: Self) -> Self {
        // What objects in so many words counts for more than what nobody understands.
        let objects = |lost: &Self| lost.unclear.is_none() && lost.weight > Vote::Pass;
        match (objects(&self), objects(&other)) {
            (true, false) if other.unclear.is_some() => return self,
            (false, true) if self.unclear.is_some() => return other,
            _ => {}
        }
        Self {
            round: self.round.max(other.round),
            vote: self.vote.max(other.vote),
            weight: self.weight.max(other.weight),
            keyed: self.keyed || other.keyed,
            findings: self.findings.with(other.findings),
            words: self.words.or(other.words),
            unclear: other.unclear.or(self.unclear),
            insists: self.insists || other.insists,
        }
    }

    /// `it said FAIL: critical a.py:2: Division by zero (unproved)`, `it said FAIL: do not merge this`
    pub(super) fn describe(&self) -> String {
        if let Some(said) = &self.unclear {
            return format!("it said what does not count as an answer and is no consent: {said}");
        }
        let quoted = if self.keyed {
            ""
        } else {
            " without the key of its turn, so that it may be quoted from the change"
        };
        let mut named: Vec<String> = self.findings.describe().take(MAX_NAMED).collect();
        let more = self.findings.describe().count().saturating_sub(MAX_NAMED);
        named.extend((more > 0).then(|| format!("{more} more")));
        let findings = match (&self.words, named.is_empty()) {
            (_, false) => format!(": {}", named.join("; ")),
            (Some(words), true) => format!(": {words}"),
            (None, true) => String::new(),
        };
        let vote = self.vote.map_or("something", Vote::as_str);
        format!("it said {vote}{quoted}{findings}")
    }
}

/// Reads what can be read of a reply that cannot count; none: it gives no vote and names nothing of weight.
/// The text is searched, not parsed: the reply may break off, be YAML or Python, or be prose. JSON within a text of it has
/// a backslash before each quotation mark, and is not taken for its own.
pub(super) fn read_lost_answer(raw: &str, key: &str, round: RoundNumber) -> Option<LostAnswer> {
    if raw.len() > MAX_ANSWER_BYTES {
        // The verdict is the last field of an answer.
        let begin = &raw[..raw.floor_char_boundary(MAX_ANSWER_BYTES / 2)];
        let end = &raw[raw.ceil_char_boundary(raw.len() - MAX_ANSWER_BYTES / 2)..];
        let both = [begin, end].map(|part| read_lost_answer(part, key, round));
        return both.into_iter().flatten().reduce(LostAnswer::with);
    }
    let findings = lost_findings(raw);
    let given = VOTE_FIELDS.iter().flat_map(|name| values_of(raw, name));
    let plain = given.filter_map(|(_, word)| match read_vote(&word) {
        SaidVote::Plain(vote) => Some(vote),
        SaidVote::Undecided | SaidVote::Unclear => None,
    });
    let vote = plain.max();
    let vote = vote.or_else(|| loose_values(raw, "verdict").filter_map(vote_of).max());
    let said = match vote {
        Some(Vote::Pass) => Some(vote_beside_pass(raw)),
        None => says_fail(raw).then_some(Vote::Fail),
        given => given,
    };
    let words = (said != vote).then(|| excerpt_of_reply(raw));
    let vote = said;
    let is_rated = vote.is_some_and(|vote| vote > Vote::Pass);
    let is_critical = !findings.criticals.is_empty() || (!is_rated && !findings.is_empty());
    let critical = is_critical.then_some(Vote::Fail);
    let is_milder = vote.max(critical).is_none_or(|weight| weight == Vote::Pass);
    if let Some((words, read)) = unclear_vote(raw).filter(|_| is_milder) {
        return Some(LostAnswer {
            insists: read == SaidVote::Unclear,
            ..LostAnswer::unclear(round, &words)
        });
    }
    let is_silent = vote.max(critical).is_none() && findings.significant.is_empty();
    (!is_silent).then_some(LostAnswer {
        round,
        vote,
        weight: vote.max(critical).unwrap_or(Vote::Pass),
        keyed: !key.is_empty() && raw.contains(key),
        findings,
        words,
        unclear: None,
        insists: false,
    })
}

/// What a reply comes to whose answer votes PASS: what its judge writes beside that would send a whole reply back.
fn vote_beside_pass(raw: &str) -> Vote {
    let is_objected = object_of(raw).is_some_and(|object| {
        let value = parse_loosely(object).ok();
        is_contradicted(raw, object)
            || follows_objection(raw, object)
            || value.is_some_and(|value| {
                check_objections(&value).is_err() || objects_in_document(&value)
            })
    });
    match is_objected {
        true if says_fail(&words_outside_objects(raw)) => Vote::Fail,
        true => Vote::Warn,
        false => Vote::Pass,
    }
}

/// Whether a reply objects to something, or holds a significant finding, as far as it can be read.
pub fn says_objection(raw: &str, key: &str) -> bool {
    let lost = read_lost_answer(raw, key, RoundNumber::FIRST);
    lost.is_some_and(|lost| lost.is_told())
}

/// Whether a reply that does not count objects to something that the answer in its place does not say again.
pub fn objects_beyond(raw: &str, key: &str, later: &Answer) -> bool {
    let found = LaterFindings::of(later);
    let lost = read_lost_answer(raw, key, RoundNumber::FIRST);
    lost.is_some_and(|lost| {
        let is_said_again = lost.is_said_again(RoundNumber::FIRST, later.verdict, &found);
        lost.weight > Vote::Pass && !is_said_again
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

#[cfg(test)]
#[path = "lost_answer_tests.rs"]
mod tests;
