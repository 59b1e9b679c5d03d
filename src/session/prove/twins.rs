//! Lines of a text that look the same: which of them a finding is about. A file may be nothing but equal lines, and each of
//! its findings would look through all of them again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Lines, each behind a digest of what stands around it, in this order.
type TwinLines = Arc<[(NonZeroU64, u32)]>;

/// Where equal lines stand, worked out when it is asked for the first time. Lines are known by a digest alone, so that a
/// million of them need little room.
#[derive(Clone, Default)]
pub(super) struct TwinIndex {
    lines: Arc<OnceLock<LineDigests>>,
    /// By the first of the equal lines, and how many lines are quoted.
    known: Arc<Mutex<HashMap<(u32, usize), TwinLines>>>,
}

/// The lines of a text, by their index from 0.
struct LineDigests {
    /// None: the line says nothing.
    digests: Vec<Option<NonZeroU64>>,
    /// All of them, in the order of their digests.
    by_digest: Vec<u32>,
}

/// What a line is told apart by.
pub(super) fn digest(parts: impl Hash) -> NonZeroU64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    NonZeroU64::new(hasher.finish()).unwrap_or(NonZeroU64::MIN)
}

impl TwinIndex {
    /// Which of its twins the line with this index is, from 1, and how many of them there are, itself among them: those that
    /// look the same, in a function of the same name and with the same lines around them (`around` gives their indexes).
    pub(super) fn rank<'t>(
        &self,
        index: usize,
        quoted: usize,
        all: impl Iterator<Item = Option<NonZeroU64>>,
        around: impl Fn(usize) -> (Option<&'t str>, Range<usize>),
    ) -> (usize, usize) {
        let lines = self.lines.get_or_init(|| LineDigests::of(all));
        let equal = lines.equal_to(index);
        // Most lines stand there once.
        let [first, _, ..] = equal else {
            return (1, 1);
        };
        let place_of = |index: usize| {
            let (function, near) = around(index);
            let near = near.filter_map(|index| lines.digests.get(index).copied().flatten());
            digest((function, near.collect::<Vec<NonZeroU64>>()))
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let places = known.entry((*first, quoted)).or_insert_with(|| {
            let placed = equal.iter().map(|line| (place_of(*line as usize), *line));
            let mut placed: Vec<(NonZeroU64, u32)> = placed.collect();
            placed.sort_unstable();
            placed.into()
        });
        let own = place_of(index);
        let start = places.partition_point(|(place, _)| *place < own);
        let end = places.partition_point(|(place, _)| *place <= own);
        let twins = &places[start..end];
        let before = twins.partition_point(|(_, line)| (*line as usize) < index);
        (before + 1, twins.len())
    }
}

impl LineDigests {
    fn of(all: impl Iterator<Item = Option<NonZeroU64>>) -> Self {
        let digests: Vec<Option<NonZeroU64>> = all.collect();
        let count = u32::try_from(digests.len()).unwrap_or(u32::MAX);
        let mut by_digest: Vec<u32> = (0..count).collect();
        by_digest.sort_unstable_by_key(|index| (digests[*index as usize], *index));
        Self { digests, by_digest }
    }

    /// The lines that look as this one does, in their order.
    fn equal_to(&self, index: usize) -> &[u32] {
        let wanted = self.digests.get(index).copied().flatten();
        let of = |line: &u32| self.digests[*line as usize];
        let start = self.by_digest.partition_point(|line| of(line) < wanted);
        let end = self.by_digest.partition_point(|line| of(line) <= wanted);
        &self.by_digest[start..end]
    }
}

#[cfg(test)]
mod laws {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    fn near(index: usize) -> Range<usize> {
        index.saturating_sub(1)..index + 2
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// What is meant: the lines with the same text and the same lines around them, as slow as it can be said.
        #[test]
        fn the_rank_of_a_line_is_the_same_as_when_all_lines_are_looked_through(
            lines in prop::collection::vec((0_u64..4).prop_map(NonZeroU64::new), 1..40),
        ) {
            let index = TwinIndex::default();
            let around = |at: usize| {
                near(at).filter_map(|at| lines.get(at).copied().flatten()).collect::<Vec<NonZeroU64>>()
            };
            for at in 0..lines.len() {
                let is_twin = |other: &usize| lines[*other] == lines[at] && around(*other) == around(at);
                let twins: Vec<usize> = (0..lines.len()).filter(is_twin).collect();
                let nth = twins.iter().position(|twin| *twin == at).unwrap() + 1;
                let rank = index.rank(at, 1, lines.iter().copied(), |at| (None, near(at)));
                prop_assert_eq!(rank, (nth, twins.len()));
            }
        }
    }

    /// Law: however many of the equal lines are asked about, each is looked at once, and once more when it is asked about.
    #[test]
    fn equal_lines_are_looked_through_once() {
        let (index, looks) = (TwinIndex::default(), Cell::new(0));
        for at in 1..=200 {
            let look = |line| {
                looks.set(looks.get() + 1);
                (None, near(line))
            };
            assert_eq!(
                index.rank(at, 1, std::iter::repeat_n(NonZeroU64::new(7), 3_000), look),
                (at, 2_998)
            );
        }
        assert_eq!(looks.get(), 3_000 + 200);
    }
}
