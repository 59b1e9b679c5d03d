//! The same text in two functions beside each other is two findings: a dismissal, a test or a repair of one says nothing
//! of the other.

use std::collections::{BTreeMap, BTreeSet};

use super::ComparedFinding;

impl ComparedFinding<'_> {
    /// Whether two lines of one text stand in two functions, each quoted at its own line. Two ends of one function stay
    /// one problem: a judge often cites the other one.
    pub(super) fn is_neighbour_of(&self, other: &Self) -> bool {
        self.is_in_other_function(other) && self.line_gap(other) > 0 && self.quotes_one_text(other)
    }

    /// The function in which it stands, where its judge named its line rightly.
    fn own_function(&self) -> Option<u32> {
        self.function.filter(|_| self.is_exact)
    }
}

/// Parts a group in which a third finding joins two functions that are told apart: a stretch over both, or a quote that
/// was found at another line. Such a one goes to the nearest of them.
pub(super) fn part_functions(places: &[ComparedFinding<'_>], group: Vec<usize>) -> Vec<Vec<usize>> {
    let told = told_functions(places, &group);
    if told.is_empty() {
        return vec![group];
    }
    let own = |index: usize| {
        places[index]
            .own_function()
            .filter(|own| told.contains(own))
    };
    let nearest = |index: usize| {
        let known = group.iter().filter_map(|&at| Some((at, own(at)?)));
        let gap = |at: usize| places[index].line_gap(&places[at]);
        known
            .min_by_key(|&(at, function)| (gap(at), places[at].first, function))
            .map(|(_, function)| function)
    };
    let mut parts: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
    for &index in &group {
        let function = own(index).or_else(|| nearest(index));
        parts.entry(function).or_default().push(index);
    }
    let mut parts: Vec<Vec<usize>> = parts.into_values().collect();
    parts.sort();
    parts
}

/// The functions of a group of which one holds the same text as another.
fn told_functions(places: &[ComparedFinding<'_>], group: &[usize]) -> BTreeSet<u32> {
    let is_told = |&&index: &&usize| {
        let mut others = group.iter().map(|&at| &places[at]);
        others.any(|other| places[index].is_neighbour_of(other))
    };
    let told = group.iter().filter(is_told);
    told.filter_map(|&index| places[index].own_function())
        .collect()
}
