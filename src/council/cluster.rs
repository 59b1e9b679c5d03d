//! Which findings mean the same. Members stay as they are; a cluster only groups.
//!
//! Models name one problem in many words and languages: the same line and quote, or the same line and category, is one
//! finding whatever the words; near lines are one when the same code is quoted and the words are alike. A rule's hit is about its rule: another rule on
//! the next line, or a model's remark on the same one, is another matter unless it names the same rule or category.

use std::collections::BTreeSet;

use council_protocol::evidence::normalize_blanks;
use council_protocol::{Finding, Proof, RepoPath};

use super::judges::{SeatIndex, same_text};
use super::like_words::{description_words, names_in};

/// Lines between two places that are still near.
const NEAR: u32 = 3;

/// What of a finding is compared.
pub(super) struct ComparedFinding<'a> {
    seat: SeatIndex,
    finding: &'a Finding,
    resolves: bool,
    /// Whether the quote stands in the very line that was named.
    is_exact: bool,
    /// The first line of the function in which it stands, where that is known.
    function: Option<u32>,
    deterministic: bool,
    first: u32,
    last: u32,
    words: BTreeSet<String>,
}

impl<'a> ComparedFinding<'a> {
    /// A finding of a judge, at the line where its quote was found.
    pub(super) fn new(
        seat: SeatIndex,
        finding: &'a Finding,
        proof: &Proof,
        deterministic: bool,
    ) -> Self {
        let place = &finding.location;
        let claimed = (
            place.line,
            place.end_line.unwrap_or(place.line).max(place.line),
        );
        let (first, last) = proof.span(place).unwrap_or(claimed);
        let words = description_words(&finding.description);
        Self {
            seat,
            finding,
            resolves: proof.resolves(),
            is_exact: *proof == Proof::Verified,
            function: None,
            deterministic,
            first,
            last,
            words,
        }
    }

    /// The same, in the function that begins in this line.
    pub(super) fn in_function(self, function: Option<u32>) -> Self {
        Self { function, ..self }
    }

    fn path(&self) -> &RepoPath {
        &self.finding.location.path
    }

    fn about_file(&self) -> bool {
        self.first == 0
    }

    /// Lines between the two; 0 where they touch or overlap.
    fn line_gap(&self, other: &Self) -> u32 {
        self.first
            .max(other.first)
            .saturating_sub(self.last.min(other.last))
    }

    /// Whether two findings mean the same. A judge's own findings never do, unless it gave one twice.
    fn means_same(&self, other: &Self) -> bool {
        let is_near = || !self.is_in_other_function(other) && self.quotes_one_thing(other);
        self.speaks_of(other) && (self.line_gap(other) == 0 || is_near())
    }

    /// Whether each judge named its own line rightly, and the two lines stand in two functions: the same code may be wrong in
    /// both, and a repair, a test or a dismissal of one is none of the other. A line that a judge had to be shown the way
    /// to may be the other judge's.
    fn is_in_other_function(&self, other: &Self) -> bool {
        let functions = self.function.zip(other.function);
        self.is_exact && other.is_exact && functions.is_some_and(|(own, others)| own != others)
    }

    /// Whether it is about what another finding says. Whoever denies that may quote any line beside it.
    pub(super) fn speaks_of(&self, other: &Self) -> bool {
        if self.path() != other.path()
            || self.resolves != other.resolves
            || self.about_file() != other.about_file()
            || self.line_gap(other) > NEAR
            || self.is_neighbour_of(other)
        {
            return false;
        }
        let overlap = self.first <= other.last && other.first <= self.last;
        let same_quote = same_text(&self.finding.quote, &other.finding.quote);
        if self.seat == other.seat {
            return overlap && self.is_repeated_by(other);
        }
        if self.deterministic || other.deterministic {
            return overlap && self.same_rule(other);
        }
        let same_line = self.first == other.first && !self.about_file();
        let same_place = overlap && same_quote && !self.finding.quote.trim().is_empty()
            || same_line && is_same_excerpt(&self.finding.quote, &other.finding.quote);
        same_place
            || same_line && self.same_category(other)
            || self.quotes_around(other)
            || self.is_similar(other, overlap)
    }

    /// Two rules are the same by name; a rule and a model, or rules without names (the sides of a duel write prose), by
    /// what they are about.
    fn same_rule(&self, other: &Self) -> bool {
        match (&self.finding.rule, &other.finding.rule) {
            (Some(own), Some(others)) => own == others,
            (None, None) if self.deterministic && other.deterministic => {
                let same_quote = same_text(&self.finding.quote, &other.finding.quote);
                self.same_category(other) || same_quote && self.is_similar(other, true)
            }
            _ => self.same_category(other),
        }
    }

    /// Whether a judge gave one finding twice.
    fn is_repeated_by(&self, other: &Self) -> bool {
        same_text(&self.finding.quote, &other.finding.quote)
            && self.finding.description == other.finding.description
    }

    fn same_category(&self, other: &Self) -> bool {
        let category = self.finding.category.trim();
        !category.is_empty() && category.eq_ignore_ascii_case(other.finding.category.trim())
    }

    /// Whether hardly a word of either description is missing in the other.
    fn says_almost_same(&self, other: &Self) -> bool {
        let shared = self.words.intersection(&other.words).count();
        let larger = self.words.len().max(other.words.len()).max(1);
        shared * 100 >= larger * ALMOST_SAME
    }

    fn is_similar(&self, other: &Self, overlap: bool) -> bool {
        let shared = self.words.intersection(&other.words).count();
        let smaller = self.words.len().min(other.words.len()).max(1);
        let percent = shared * 100 / smaller;
        let same_category = self.same_category(other);
        if overlap {
            same_category && shared >= 1 || percent >= 30 && shared >= 2
        } else {
            let alike =
                same_category && percent >= 30 && shared >= 2 || percent >= 60 && shared >= 3;
            alike && self.shares_names_with(other)
        }
    }

    /// Whether the lines of one name something that the other side quotes or speaks of. Without that, the same general
    /// sentence ("The result is not checked.") about two lines is about two results.
    fn shares_names_with(&self, other: &Self) -> bool {
        let quoted = |one: &Self| names_in(&one.finding.quote);
        let (own, others) = (quoted(self), quoted(other));
        let told = |one: &Self| names_in(&one.finding.description);
        !own.is_disjoint(&others)
            || !told(self).is_disjoint(&others)
            || !told(other).is_disjoint(&own)
    }

    /// Whether the quotes of two near lines are one text, which one of the judges has found in another line, or one line
    /// gives a value its name and the other one uses it. Two lines with other code in them are two problems, in however like
    /// words: a repair of one leaves the other, and a reader who was shown only one of them would dismiss both.
    fn quotes_one_thing(&self, other: &Self) -> bool {
        let (own, others) = (&self.finding.quote, &other.finding.quote);
        let names_value =
            |line, user, told| names_value_for(line, user) && (!calls_something(line) || told);
        let says_same = self.says_almost_same(other);
        let is_one_flow =
            || names_value(own, others, says_same) || names_value(others, own, says_same);
        self.quotes_one_text(other)
            || self.quotes_around(other)
            || self.same_category(other) && !self.is_named_apart(other) && is_one_flow()
    }

    /// Whether one of two judges that call it alike quotes the line of the other and lines beside it: a quote that begins
    /// above a line stands at its first one.
    fn quotes_around(&self, other: &Self) -> bool {
        let plain = |one: &Self| plain_letters(&one.finding.quote);
        let (own, others) = (plain(self), plain(other));
        let holds = |block: &Self, letters: &str, line: &str| {
            let quote = block.finding.quote.trim();
            let has_more = ["\n", "...", "…"].iter().any(|sign| quote.contains(sign));
            has_more && line.len() >= MIN_LINE && letters.contains(line)
        };
        let is_held = holds(self, &own, &others) || holds(other, &others, &own);
        !self.about_file() && self.same_category(other) && is_held
    }

    fn quotes_one_text(&self, other: &Self) -> bool {
        let (own, others) = (&self.finding.quote, &other.finding.quote);
        same_text(own, others) || is_same_excerpt(own, others)
    }

    /// Whether both judges name their problem in front of a colon, and with no word in common: "Path traversal: …",
    /// "Missing authorisation: …". Behind it the same may be said of both.
    fn is_named_apart(&self, other: &Self) -> bool {
        let named = |one: &Self| problem_name(&one.finding.description).map(description_words);
        let names = named(self).zip(named(other));
        names.is_some_and(|(own, others)| own.is_disjoint(&others))
    }
}

/// The most words of the name of a problem.
const MAX_NAME_WORDS: usize = 4;

/// The name that a description gives its problem before it describes it: `SQL injection: …`.
fn problem_name(description: &str) -> Option<&str> {
    let (name, _) = description.split_once(": ")?;
    let words = description_words(name);
    (!words.is_empty() && name.split_whitespace().count() <= MAX_NAME_WORDS).then_some(name)
}

/// Whether one line gives a value a name under which the other one uses it: `query = "SELECT " + name`, `execute(query)`.
fn names_value_for(line: &str, user: &str) -> bool {
    let Some((named, value)) = line.split_once('=') else {
        return false;
    };
    let is_assignment = !value.starts_with('=') && !named.ends_with(['!', '<', '>', '=']);
    let is_bare = !named.contains(['(', '.', '[']);
    let named = names_in(named);
    let is_used = |name: &String| names_in(user).contains(name);
    is_assignment
        && is_bare
        && !named.is_empty()
        && named.iter().any(is_used)
        && !user.contains('=')
}

/// How many words of a hundred two descriptions share that say almost the same.
const ALMOST_SAME: usize = 80;

/// Calls that only put a text together: what they come to is harmless until somebody uses it.
const BUILDERS: [&str; 9] = [
    "format", "sprintf", "snprintf", "concat", "join", "str", "string", "replace", "append",
];

/// Whether the value that a line names comes from a call: it may be a problem by itself, whatever becomes of the value
/// (`cmd = eval(input)`, `p = malloc(n)`). One that only puts a text together is none.
fn calls_something(line: &str) -> bool {
    let value = line.split_once('=').map_or("", |(_, value)| value);
    let value = without_texts(value);
    value.match_indices('(').any(|(at, _)| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let before = value[..at].trim_end_matches('!');
        let name = before
            .rsplit(|c: char| !is_name(c))
            .next()
            .unwrap_or_default();
        !name.is_empty() && !BUILDERS.contains(&name.to_lowercase().as_str())
    })
}

/// A line without what stands between quotes.
fn without_texts(line: &str) -> String {
    let mut open = None;
    let seen = line.chars().filter(|&c| match open {
        Some(quote) => {
            open = open.filter(|_| c != quote);
            false
        }
        None => {
            open = matches!(c, '"' | '\'' | '`').then_some(c);
            open.is_none()
        }
    });
    seen.collect()
}

/// Whether two findings of models are one, of which one is at the line that gives a value its name and the other one at a line
/// near it that uses it, as they would be in one review. Each line is known to be the right one: the same code twice is two.
pub(super) fn is_one_flow(one: &Finding, other: &Finding) -> bool {
    let compared =
        |nth, finding| ComparedFinding::new(SeatIndex(nth), finding, &Proof::Verified, false);
    let (one, other) = (compared(0, one), compared(1, other));
    !one.quotes_one_text(&other) && one.means_same(&other)
}

/// Whether two quotes from one line are the same words but for what stands around them: backticks, a number, a comment that
/// was left out, the line behind. A short part of a long line is not: a line may have two problems.
fn is_same_excerpt(a: &str, b: &str) -> bool {
    let (a, b) = (plain_letters(a), plain_letters(b));
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short.len() >= MIN_EXCERPT && short.len() * 3 >= long.len() && long.contains(&short)
}

/// A quote without blanks and backticks.
fn plain_letters(quote: &str) -> String {
    let seen = normalize_blanks(quote);
    let letters = seen.chars();
    letters
        .filter(|c| !c.is_whitespace() && *c != '`')
        .collect()
}

/// The fewest bytes of a line that say which line of a block is meant.
const MIN_LINE: usize = 12;

/// The fewest bytes of a quote that say which part of a line is meant.
const MIN_EXCERPT: usize = 4;

/// Groups places: two belong together when a chain of equal meanings joins them. A judge that names both places tells two
/// problems apart, and no likeness of words joins them. The order of `places` plays no part beyond the order of the groups
/// and of their members.
pub(super) fn group_findings(places: &[ComparedFinding<'_>]) -> Vec<Vec<usize>> {
    let mut sorted: Vec<usize> = (0..places.len()).collect();
    sorted.sort_by_key(|&i| (places[i].path(), places[i].first));
    let mut parent: Vec<usize> = (0..places.len()).collect();
    for (at, &a) in sorted.iter().enumerate() {
        let reach = places[a].last.saturating_add(NEAR);
        let near =
            |b: &&usize| places[**b].path() == places[a].path() && places[**b].first <= reach;
        for &b in sorted[at + 1..].iter().take_while(near) {
            if places[a].means_same(&places[b]) && !are_told_apart(places, &sorted, at, b) {
                let (ra, rb) = (find_root(&mut parent, a), find_root(&mut parent, b));
                parent[ra.max(rb)] = ra.min(rb);
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
    for i in 0..places.len() {
        let root = find_root(&mut parent, i);
        groups[root].push(i);
    }
    groups.retain(|g| !g.is_empty());
    let parted = groups
        .into_iter()
        .flat_map(|group| neighbours::part_functions(places, group))
        .flat_map(|group| kinds::part_kinds(places, group));
    parted.collect()
}

/// Whether a judge names both places, each for the same problem: it holds the two for two.
fn are_told_apart(places: &[ComparedFinding<'_>], sorted: &[usize], at: usize, b: usize) -> bool {
    let (one, other) = (&places[sorted[at]], &places[b]);
    if one.line_gap(other) == 0 {
        return false;
    }
    let is_near = |c: &&ComparedFinding<'_>| {
        let from = one.first.saturating_sub(NEAR);
        c.path() == one.path() && (from..=other.last.saturating_add(NEAR)).contains(&c.first)
    };
    let place_of = |&index: &usize| &places[index];
    let before = sorted[..at].iter().rev().map(place_of).take_while(is_near);
    let near = before.chain(sorted[at..].iter().map(place_of).take_while(is_near));
    let (mut of_one, mut of_other) = (BTreeSet::from([one.seat]), BTreeSet::from([other.seat]));
    for third in near {
        match (third.line_gap(one), third.line_gap(other)) {
            (0, 1..) if third.means_same(one) => _ = of_one.insert(third.seat),
            (1.., 0) if third.means_same(other) => _ = of_other.insert(third.seat),
            // Whoever names a stretch that holds both speaks of one problem.
            _ => {}
        }
    }
    !of_one.is_disjoint(&of_other)
}

fn find_root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

mod kinds;
mod neighbours;

#[cfg(test)]
mod laws;

#[cfg(test)]
mod tests;
