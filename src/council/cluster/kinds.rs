//! One line may have two problems: where a judge reports both beside each other, they are two findings.

use std::collections::BTreeMap;

use super::ComparedFinding;
use crate::judges::{SeatIndex, same_text};
use crate::said_words::SaidWords;

/// Parts a group by the problems that a judge tells apart in one line: a chain of other judges, each of which names the
/// line, makes no one problem of them, and whoever dismisses one has said nothing of the other.
pub(super) fn part_kinds(places: &[ComparedFinding<'_>], group: Vec<usize>) -> Vec<Vec<usize>> {
    let anchors = told_apart(places, &group);
    if anchors.is_empty() {
        return vec![group];
    }
    let mut parts: Vec<Vec<usize>> = anchors.iter().map(|&anchor| vec![anchor]).collect();
    let mut others: BTreeMap<SeatIndex, Vec<usize>> = BTreeMap::new();
    for at in group.into_iter().filter(|at| !anchors.contains(at)) {
        others.entry(places[at].seat).or_default().push(at);
    }
    for own in others.into_values() {
        for (at, part) in meant_parts(places, &anchors, own) {
            parts[part].push(at);
        }
    }
    parts.iter_mut().for_each(|part| part.sort_unstable());
    // Somebody may tell more apart than the one who told the most.
    parts
        .into_iter()
        .flat_map(|part| part_kinds(places, part))
        .collect()
}

/// The findings that one judge has in one line, of the judge that has most of them; none: everybody has one.
fn told_apart(places: &[ComparedFinding<'_>], group: &[usize]) -> Vec<usize> {
    let mut by_seat: BTreeMap<SeatIndex, Vec<usize>> = BTreeMap::new();
    for &at in group {
        let place = &places[at];
        let is_beside = |other: &usize| {
            let other = &places[*other];
            other.seat == place.seat && !place.is_repeated_by(other) && place.line_gap(other) == 0
        };
        if !place.deterministic && group.iter().any(is_beside) {
            let own = by_seat.entry(place.seat).or_default();
            // One that was given twice is one.
            if !own
                .iter()
                .any(|known| place.is_repeated_by(&places[*known]))
            {
                own.push(at);
            }
        }
    }
    let texts = |own: &[usize]| {
        let mut texts: Vec<&str> = own
            .iter()
            .map(|&at| places[at].finding.description.as_str())
            .collect();
        texts.sort_unstable();
        texts.join("\n")
    };
    let most = by_seat
        .into_values()
        .max_by_key(|own| (own.len(), std::cmp::Reverse(texts(own))));
    most.unwrap_or_default()
}

/// Which of the anchors each of a judge's findings means: the likest pair first, two of its findings never the same anchor
/// as long as another one is free.
fn meant_parts(
    places: &[ComparedFinding<'_>],
    anchors: &[usize],
    mut own: Vec<usize>,
) -> Vec<(usize, usize)> {
    let mut meant = Vec::new();
    let mut free: Vec<usize> = (0..anchors.len()).collect();
    while !own.is_empty() {
        if free.is_empty() {
            free = (0..anchors.len()).collect();
        }
        let pairs = own
            .iter()
            .flat_map(|&at| free.iter().map(move |&part| (at, part)));
        let best = pairs.max_by_key(|&(at, part)| {
            let (one, anchor) = (&places[at], &places[anchors[part]]);
            let texts = (&one.finding.description, &anchor.finding.description);
            (likeness(one, anchor), anchor.finding.severity, texts)
        });
        let Some((at, part)) = best else { break };
        meant.push((at, part));
        own.retain(|other| *other != at);
        free.retain(|other| *other != part);
    }
    meant
}

/// How much two findings of one line are alike: what they are called, what they quote, what they say, and of which of its
/// names.
fn likeness(one: &ComparedFinding<'_>, other: &ComparedFinding<'_>) -> usize {
    let shared = one.words.intersection(&other.words).count();
    let smaller = one.words.len().min(other.words.len()).max(1);
    let is_one_text = same_text(&one.finding.quote, &other.finding.quote);
    let said =
        |place: &ComparedFinding<'_>| SaidWords::of(&place.finding.description, &one.finding.quote);
    let is_of_other_name = said(one).names_other_part_than(&said(other));
    usize::from(one.same_category(other)) * 100
        + usize::from(!is_of_other_name) * 100
        + usize::from(is_one_text) * 50
        + shared * 100 / smaller
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use council_protocol::{Finding, Proof, Severity};
    use proptest::prelude::*;

    use super::super::group_findings;
    use super::*;

    fn said(category: &str, quote: &str, words: &str) -> Finding {
        Finding {
            category: category.into(),
            quote: quote.into(),
            description: words.into(),
            ..crate::testing::finding(Severity::Critical, 9)
        }
    }

    fn groups(all: &[(usize, Finding)]) -> BTreeSet<BTreeSet<usize>> {
        let compare = |(seat, finding): &'_ (usize, Finding)| (SeatIndex(*seat), finding.clone());
        let all: Vec<(SeatIndex, Finding)> = all.iter().map(compare).collect();
        let places: Vec<_> = all
            .iter()
            .map(|(seat, finding)| ComparedFinding::new(*seat, finding, &Proof::Verified, false))
            .collect();
        let found = group_findings(&places).into_iter();
        found.map(|group| group.into_iter().collect()).collect()
    }

    /// Two problems of one line: of two categories, or of one with other words or another part of the line.
    fn problems(how: usize) -> [Finding; 2] {
        const LINE: &str = "rows = db.query(parse(o.amount), rate(o.day))";
        let (one, other) = match how {
            0 => (("injection", LINE), (" Performance ", LINE)),
            1 => (("bug", LINE), ("bug", LINE)),
            _ => (("bug", "parse(o.amount)"), ("bug", "rate(o.day)")),
        };
        [
            said(one.0, one.1, "The name goes into the query as it is."),
            said(other.0, other.1, "Every row is loaded into memory."),
        ]
    }

    proptest! {
        /// Two problems of one line that one judge reports beside each other are two findings, however many judges report
        /// either or both; nobody's is lost, and the order plays no part.
        #[test]
        fn what_one_judge_tells_apart_in_a_line_stays_apart(
            how in 0usize..3,
            others in prop::collection::vec((any::<bool>(), any::<bool>()), 0..5),
            turn in 0usize..9,
        ) {
            let [first, second] = problems(how);
            let mut all = vec![(0, first.clone()), (0, second.clone())];
            for (nth, (one, other)) in others.into_iter().enumerate() {
                all.extend(one.then(|| (nth + 1, first.clone())));
                all.extend(other.then(|| (nth + 1, second.clone())));
            }
            let by = turn % all.len();
            all.rotate_left(by);
            let of = |wanted: &Finding| -> BTreeSet<usize> {
                let is_of = |at: &usize| all[*at].1.description == wanted.description;
                (0..all.len()).filter(is_of).collect()
            };
            prop_assert_eq!(groups(&all), BTreeSet::from([of(&first), of(&second)]));
        }

        /// However many problems judges tell apart in a line: no two of one judge are one finding, and each is in one.
        #[test]
        fn no_two_problems_of_one_judge_in_a_line_are_one(
            said in prop::collection::vec(
                (0usize..4, "[a-c]", "(name|row|query|memory|total|lost)( (name|row|query|memory|total|lost)){0,3}"), 1..9,
            ),
        ) {
            let of = |(seat, category, words): &(usize, String, String)| {
                (*seat, self::said(category, "let query = build(name);", words))
            };
            let all: Vec<(usize, Finding)> = said.iter().map(of).collect();
            let found = groups(&all);
            let mut members: Vec<usize> = found.iter().flatten().copied().collect();
            members.sort_unstable();
            prop_assert!(members.into_iter().eq(0..all.len()));
            for group in found {
                for (one, other) in group.iter().flat_map(|one| group.iter().map(move |other| (one, other))) {
                    let is_repeated = all[*one].1.description == all[*other].1.description;
                    prop_assert!(one == other || is_repeated || all[*one].0 != all[*other].0, "{:?}", group);
                }
            }
        }
    }

    #[test]
    fn who_calls_it_otherwise_means_the_one_that_the_words_are_about() {
        let [injection, performance] = problems(0);
        let quote = &injection.quote;
        let rows = said(
            "scaling",
            quote,
            "All rows are loaded into the memory of the process.",
        );
        let name = said("security", quote, "Nobody escapes the name in the query.");
        let all = [(0, injection), (0, performance), (1, rows), (2, name)];
        assert_eq!(groups(&all), BTreeSet::from([[0, 3].into(), [1, 2].into()]));
    }

    #[test]
    fn one_voice_each_is_one_problem_in_other_words() {
        let [injection, _] = problems(0);
        let german = said(
            "Sicherheit",
            &injection.quote,
            "Der Name steht ungeprüft in der Abfrage.",
        );
        assert_eq!(groups(&[(0, injection), (1, german)]).len(), 1);
    }
}
