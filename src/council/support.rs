//! What a finding rests on, weighed against the number of judges who could have looked.
//!
//! Two voices out of nine are not the same as two out of two, and a refutation is never ignored. The weights below were
//! chosen by simulation (`docs/debate-study.md`): they are assumptions about models, not measurements, and stand here alone
//! so that they can be changed in one place. All sums are in sixths, so that they are exact.

use super::outcome::Disposition;

/// A sum of weights, in sixths of a judge who found the problem alone.
pub type Sixths = i64;

/// One judge who found it alone.
pub const WHOLE: Sixths = 6;

/// No finding is confirmed by less: one judge and a third. A judge alone confirms nothing among several.
pub const MIN_SUPPORT: Sixths = 8;

/// Down to this support from the models a rule's own finding stays confirmed; at it and below, it does not.
pub const RULE_REFUTED: Sixths = -6;

/// What ties a judge to a finding. Ordered: of several the strongest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SupportKind {
    /// It joined without evidence that was found.
    Joined,
    /// It looked at the finding's own place. Models agree easily: looking is looking, but adds little.
    SamePlace,
    /// It brought evidence from another place: another file, or more than [`NEAR_LINES`] lines away.
    OtherPlace,
    /// It found the problem before anybody showed it.
    Found,
}

/// Lines around a finding that are its own place.
pub const NEAR_LINES: u32 = 3;

impl SupportKind {
    /// What it adds.
    pub fn weight(self) -> Sixths {
        match self {
            Self::Found => WHOLE,
            Self::OtherPlace => 3,
            Self::SamePlace => 2,
            Self::Joined => 0,
        }
    }
}

/// What a refutation takes away whose evidence was found.
pub const REFUTATION: Sixths = -6;

/// What one model judge that counts has to do with a finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct JudgeStake {
    /// What it says for it; none: nothing.
    pub support: Option<SupportKind>,
    /// Whether it refuted it with evidence that was found.
    pub refutes: bool,
}

impl JudgeStake {
    fn weight(self) -> Sixths {
        let refuted = if self.refutes { REFUTATION } else { 0 };
        self.support.map_or(0, SupportKind::weight) + refuted
    }

    fn holds_with_evidence(self) -> bool {
        self.support.is_some_and(|kind| kind > SupportKind::Joined)
    }
}

/// The support of a finding, one stake for each model judge that counts.
pub fn support(stakes: &[JudgeStake]) -> Sixths {
    stakes.iter().map(|stake| stake.weight()).sum()
}

/// The support that confirms a finding among so many judges: half of them, and never less than [`MIN_SUPPORT`].
pub fn needed_support(judges: usize) -> Sixths {
    let half = Sixths::try_from(judges).unwrap_or(Sixths::MAX / WHOLE) * WHOLE / 2;
    half.max(MIN_SUPPORT)
}

/// What became of a finding of models whose quote is there and that somebody still holds.
pub fn dispose(stakes: &[JudgeStake]) -> Disposition {
    dispose_among(stakes, stakes.len())
}

/// The same of a finding with which only some of so many judges have to do.
pub(super) fn dispose_among(stakes: &[JudgeStake], judges: usize) -> Disposition {
    let holds = |stake: &JudgeStake| stake.holds_with_evidence();
    let all_hold = !stakes.is_empty() && stakes.len() >= judges && stakes.iter().all(holds);
    if all_hold || support(stakes) >= needed_support(judges) {
        Disposition::Confirmed
    } else if stakes.iter().any(|stake| stake.refutes) {
        Disposition::Disputed
    } else {
        Disposition::Unconfirmed
    }
}

/// What became of a rule's finding: it is confirmed by itself, unless the models refute it by more than they support it.
pub fn dispose_rule(stakes: &[JudgeStake]) -> Disposition {
    if support(stakes) <= RULE_REFUTED {
        Disposition::Disputed
    } else {
        Disposition::Confirmed
    }
}
