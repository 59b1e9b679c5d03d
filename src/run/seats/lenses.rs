//! Where each judge looks first, where nobody says what it is to look for: judges that all begin at the same end find the same
//! things and miss the same things.

use council_builtin::perspectives;
use council_protocol::Seat;
use council_protocol::seat::Perspective;

/// In the order in which they are given out: two judges have the first two.
const LENSES: [&str; 4] = [
    "Correctness and state: does each line compute and keep what it should, for every input and in every order of calls?",
    "Errors, resources and concurrency: what happens when a call fails, on each early way out, and when two run at once; is \
     everything that is opened, locked or begun also ended?",
    "Contracts, callers, security and data: what other code, stored data and people outside rely on; what a hostile input \
     reaches; what is lost, leaked or let in.",
    "Tests and maintainability: which wrong behaviour no test would notice, and what the next change here will break.",
];

/// Gives a lens to every judge with a model that has no perspective. A judge alone looks at everything.
pub(super) fn give_lenses(seats: &mut [Seat]) {
    let has_none = |seat: &Seat| {
        seat.agent.kind.reads_text()
            && !seat.agent.deterministic
            && seat.perspective == Perspective::default()
    };
    let mut open: Vec<&mut Seat> = seats.iter_mut().filter(|seat| has_none(seat)).collect();
    if open.len() < 2 {
        return;
    }
    let vendors: Vec<String> = open.iter().map(|seat| seat.agent.vendor.clone()).collect();
    for (seat, lens) in open.iter_mut().zip(spread_lenses(&vendors)) {
        seat.perspective.focus = LENSES[lens].to_owned();
    }
}

/// Has every judge with a model look at built-in perspectives, too. It takes nothing away: whoever asks for a focus may have
/// written the change.
pub(crate) fn add_focus(seats: &mut [Seat], names: &[String]) {
    let asked = perspectives()
        .iter()
        .filter(|p| names.iter().any(|name| name == p.name));
    let asked: Vec<&str> = asked.map(|p| p.focus).collect();
    if asked.is_empty() {
        return;
    }
    let readers = seats
        .iter_mut()
        .filter(|seat| seat.agent.kind.reads_text() && !seat.agent.deterministic);
    for seat in readers {
        let own = std::mem::take(&mut seat.perspective.focus);
        let asked = format!("With special care: {}", asked.join(" "));
        let parts = [own, asked];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        seat.perspective.focus = parts.join("\n");
    }
}

/// The lens of each judge: the one that the fewest have; of these one that its vendor does not have yet, so that no lens rests
/// on one vendor's errors alone.
fn spread_lenses(vendors: &[String]) -> Vec<usize> {
    let mut given: Vec<(usize, &str)> = Vec::new();
    for vendor in vendors {
        let holders = |lens: usize| given.iter().filter(move |(other, _)| *other == lens);
        let rank = |&lens: &usize| {
            let of_vendor = holders(lens).filter(|(_, other)| other == vendor).count();
            (holders(lens).count(), of_vendor, lens)
        };
        let lens = (0..LENSES.len()).min_by_key(rank).unwrap_or(0);
        given.push((lens, vendor));
    }
    given.into_iter().map(|(lens, _)| lens).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn lenses(vendors: &[&str]) -> Vec<usize> {
        let vendors: Vec<String> = vendors.iter().map(|v| (*v).to_owned()).collect();
        spread_lenses(&vendors)
    }

    #[test]
    fn the_first_judges_have_the_first_lenses_and_a_second_vendor_the_others() {
        assert_eq!(lenses(&["a", "a", "a"]), [0, 1, 2]);
        assert_eq!(lenses(&["a", "b", "a", "b"]), [0, 1, 2, 3]);
        let eight = lenses(&["a", "b", "a", "b", "a", "b", "a", "b"]);
        let of = |first: usize| eight.iter().skip(first).step_by(2).collect::<BTreeSet<_>>();
        assert_eq!(
            (of(0).len(), of(1).len()),
            (4, 4),
            "each vendor behind each lens: {eight:?}"
        );
    }

    proptest! {
        #[test]
        fn no_lens_has_two_judges_more_than_another(
            vendors in prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 2..20),
        ) {
            let given = lenses(&vendors);
            let count = |lens| given.iter().filter(|other| **other == lens).count();
            let counts: Vec<usize> = (0..LENSES.len()).map(count).collect();
            let (most, least) = (counts.iter().max().unwrap(), counts.iter().min().unwrap());
            prop_assert!(most - least <= 1, "{counts:?}");
        }
    }
}
