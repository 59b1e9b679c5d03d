//! Places of several reviews, grouped as those of one.

use super::{ComparedFinding, group_findings};

/// Groups what several reviews of one change found, each at its line of today, as one review would. The same code in two lines
/// is two: a carried line is known to be the right one.
pub(crate) fn group_reviews(places: Vec<ComparedFinding<'_>>) -> Vec<Vec<usize>> {
    let is_twice = |one: &ComparedFinding<'_>| {
        let is_same = |other: &ComparedFinding<'_>| {
            one.path() == other.path() && one.line_gap(other) > 0 && one.quotes_one_text(other)
        };
        places.iter().any(is_same)
    };
    let twice: Vec<bool> = places.iter().map(is_twice).collect();
    let apart = places.into_iter().zip(twice).map(|(place, is_twice)| {
        let line = is_twice.then_some(place.first);
        place.in_function(line)
    });
    group_findings(&apart.collect::<Vec<_>>())
}
