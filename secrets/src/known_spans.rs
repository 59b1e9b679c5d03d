//! Where secrets of each kind are known to stand. A line may hold a million of them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::matcher::SecretMatch;

/// Places of which none lies within another one.
#[derive(Debug, Default)]
struct OuterSpans(BTreeMap<usize, usize>);

impl OuterSpans {
    /// Whether a place lies within one of these: of those that begin before it, the last one ends last.
    fn hold(&self, span: &Range<usize>) -> bool {
        let last = self.0.range(..=span.start).next_back();
        last.is_some_and(|(_, end)| *end >= span.end)
    }

    fn insert(&mut self, span: &Range<usize>) {
        if self.hold(span) {
            return;
        }
        let is_inner = |(start, end): (&usize, &usize)| (*end <= span.end).then_some(*start);
        while let Some(inner) = self.0.range(span.start..).next().and_then(is_inner) {
            self.0.remove(&inner);
        }
        self.0.insert(span.start, span.end);
    }
}

/// The places of one kind.
#[derive(Debug, Default)]
struct SpansOfKind {
    all: OuterSpans,
    /// Those that are reported as a provider's.
    provider: OuterSpans,
}

/// The places of all kinds.
#[derive(Debug, Default)]
pub(crate) struct KnownSpans<'t>(HashMap<&'t str, SpansOfKind>);

impl<'t> KnownSpans<'t> {
    pub(crate) fn of(secrets: &[SecretMatch<'t>]) -> Self {
        let mut known = Self::default();
        for one in secrets {
            known.insert(one);
        }
        known
    }

    /// Adds a secret; false: it lies in one of its kind. That one has to be a provider's to say as much as a provider's.
    pub(crate) fn insert(&mut self, new: &SecretMatch<'t>) -> bool {
        let spans = self.0.entry(new.kind).or_default();
        let is_known = match new.is_provider {
            true => spans.provider.hold(&new.span),
            false => spans.all.hold(&new.span),
        };
        spans.all.insert(&new.span);
        if new.is_provider {
            spans.provider.insert(&new.span);
        }
        !is_known
    }
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: a place lies within known ones as it lies within one of them, said as slowly as it can be.
        #[test]
        fn a_place_lies_within_those_of_its_kind(
            spans in prop::collection::vec((0_usize..30, 1_usize..9), 0..12), at in 0_usize..40, length in 1_usize..9,
        ) {
            let spans: Vec<_> = spans.into_iter().map(|(start, length)| start..start + length).collect();
            let mut outer = OuterSpans::default();
            spans.iter().for_each(|span| outer.insert(span));
            let is_in = spans.iter().any(|old| old.start <= at && at + length <= old.end);
            prop_assert_eq!(outer.hold(&(at..at + length)), is_in);
        }
    }
}
