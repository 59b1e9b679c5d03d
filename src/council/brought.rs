//! A test that a judge brought, with the finding that it is about.
//!
//! A proof needs no other support. Nothing else of a test changes a verdict: a judge that disagrees and brings a test
//! that passes on both sides, and not without the lines of the finding, disputes what nobody confirmed.

use council_protocol::Location;
use council_protocol::reproduction::{Reproduction, ReproductionClaim};

use super::judges::SeatIndex;
use super::reproduction::{ReproductionResult, ReproductionStanding, Suggestion};

/// A reproduction that a judge brought.
#[derive(Debug, Clone)]
pub(super) struct BroughtReproduction {
    pub(super) author: SeatIndex,
    /// The finding that is meant: whose, and its number there, from 1.
    pub(super) about: Option<(SeatIndex, usize)>,
    /// Whether its author disagrees with the finding.
    pub(super) disagrees: bool,
    pub(super) brought: Reproduction,
    /// What the finding suggests, to be tried if the test proves it.
    pub(super) suggestion: Option<Suggestion>,
    /// The lines of the finding.
    pub(super) place: Option<Location>,
    /// Whether its files name what the finding is about.
    pub(super) names_place: bool,
    pub(super) result: Option<ReproductionResult>,
}

impl BroughtReproduction {
    /// Whether it proves a judge's finding.
    pub(super) fn proves(&self, seat: SeatIndex, number: usize) -> bool {
        let result = self.result.as_ref();
        self.about == Some((seat, number))
            && result.is_some_and(|r| r.standing() == ReproductionStanding::Proved)
    }

    /// Whether it counts against a judge's finding; its author is who refutes.
    pub(super) fn refuter_of(&self, seat: SeatIndex, number: usize) -> Option<SeatIndex> {
        let counts = self.about == Some((seat, number))
            && self.author != seat
            && self.disagrees
            && self.brought.shows == ReproductionClaim::NoDefect;
        let result = self.result.as_ref();
        let passes = result.is_some_and(|r| r.passes_on_both_sides() && r.needs_place());
        (counts && passes).then_some(self.author)
    }
}

/// All of them, in the order of the judges.
pub(super) type BroughtReproductions = Vec<BroughtReproduction>;
