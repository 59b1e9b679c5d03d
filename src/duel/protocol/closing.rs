//! What a `## CONSENSUS` means. Its heading ends the debate whoever wrote it; how the debate ended follows from what both sides
//! said, and never from what the closing says of itself.

use super::standing::DebateState;
use super::summary_words::tells_of_lateness;
use super::transcript::DebateSection;
use super::turns::NextTurn;
use super::wording::refuses;
use super::{DuelEnding, DuelRole};

/// A closing as the sections before it explain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DebateClosing {
    pub by: DuelRole,
    /// How the debate ended.
    pub ending: DuelEnding,
    /// What is wrong with it.
    pub fault: Option<ClosingFault>,
}

/// Why a closing is none that the protocol allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClosingFault {
    /// The side may not close here.
    WrongCloser,
    /// Rounds are left, and points are open.
    Premature,
}

impl DebateClosing {
    fn new(by: DuelRole, ending: DuelEnding) -> Self {
        Self {
            by,
            ending,
            fault: None,
        }
    }

    fn with_fault(by: DuelRole, fault: ClosingFault) -> Self {
        Self {
            by,
            ending: DuelEnding::Violation,
            fault: Some(fault),
        }
    }
}

/// Reads the closing that follows `state`, in which `next` was to come.
pub(crate) fn read_closing(
    state: &DebateState,
    next: NextTurn,
    section: &DebateSection,
) -> DebateClosing {
    let signed = section.signature.as_ref().map(|signature| signature.role);
    let stated = section.stated_ending();
    let says_late = stated.is_none() && tells_of_time_out(section);
    match next {
        NextTurn::Append {
            may_close: true, ..
        } => {
            let by = signed.unwrap_or(if says_late { DuelRole::B } else { DuelRole::A });
            close_after_response(state, by, stated, says_late, section)
        }
        NextTurn::Append { role, .. } => {
            let by = signed.unwrap_or(role.other());
            close_while_waiting(state, by, role, stated, section)
        }
        NextTurn::Close => close_at_limit(state, signed.unwrap_or(DuelRole::B), stated, section),
        NextTurn::Unfinished | NextTurn::Broken | NextTurn::Over => {
            let by = signed.unwrap_or(DuelRole::A);
            let late = DuelEnding::timeout_of(by.other());
            let is_late = says_late || stated == Some(late);
            DebateClosing::new(by, if is_late { late } else { DuelEnding::Violation })
        }
    }
}

/// A may say that all is agreed, or B that A is late: where nothing is open, both agree all the same.
fn close_after_response(
    state: &DebateState,
    by: DuelRole,
    stated: Option<DuelEnding>,
    says_late: bool,
    section: &DebateSection,
) -> DebateClosing {
    match (by, stated) {
        (_, Some(DuelEnding::Violation)) => DebateClosing::new(by, DuelEnding::Violation),
        (DuelRole::B, Some(DuelEnding::TimeoutA)) => {
            DebateClosing::new(by, late_ending(state, section, DuelEnding::TimeoutA))
        }
        (DuelRole::B, None) if says_late => {
            DebateClosing::new(by, late_ending(state, section, DuelEnding::TimeoutA))
        }
        (DuelRole::B, Some(DuelEnding::Consensus))
            if tells_of_time_out(section) && is_over(state, section) =>
        {
            DebateClosing::new(by, DuelEnding::Consensus)
        }
        (DuelRole::A, None | Some(DuelEnding::Consensus)) if !says_late => {
            if is_agreed(state, section) {
                DebateClosing::new(by, DuelEnding::Consensus)
            } else {
                DebateClosing::with_fault(by, ClosingFault::Premature)
            }
        }
        (DuelRole::A, Some(DuelEnding::Limit)) => {
            DebateClosing::with_fault(by, ClosingFault::Premature)
        }
        _ => DebateClosing::with_fault(by, ClosingFault::WrongCloser),
    }
}

/// While a side is waited for, only the other one may close: with its time-out, or, where everything is agreed, with
/// that.
fn close_while_waiting(
    state: &DebateState,
    by: DuelRole,
    late: DuelRole,
    stated: Option<DuelEnding>,
    section: &DebateSection,
) -> DebateClosing {
    let ending = DuelEnding::timeout_of(late);
    let says_late = stated.is_none() && tells_of_time_out(section);
    match stated {
        Some(DuelEnding::Violation) => DebateClosing::new(by, DuelEnding::Violation),
        _ if by == late => DebateClosing::with_fault(by, ClosingFault::WrongCloser),
        None | Some(DuelEnding::Consensus) if is_over(state, section) => {
            DebateClosing::new(by, DuelEnding::Consensus)
        }
        Some(stated) if stated == ending => {
            DebateClosing::new(by, late_ending(state, section, ending))
        }
        None if says_late => DebateClosing::new(by, ending),
        _ => DebateClosing::with_fault(by, ClosingFault::Premature),
    }
}

/// A side that is late takes nothing from what both have agreed.
fn late_ending(state: &DebateState, section: &DebateSection, late: DuelEnding) -> DuelEnding {
    if is_over(state, section) {
        DuelEnding::Consensus
    } else {
        late
    }
}

/// Whether both sides have spoken and nothing is open, and the closing does not say otherwise.
fn is_over(state: &DebateState, section: &DebateSection) -> bool {
    state.is_settled_by_both() && !section.words().any(refuses)
}

fn close_at_limit(
    state: &DebateState,
    by: DuelRole,
    stated: Option<DuelEnding>,
    section: &DebateSection,
) -> DebateClosing {
    let ending = match stated {
        Some(DuelEnding::Consensus) | None if is_agreed(state, section) => DuelEnding::Consensus,
        Some(DuelEnding::Consensus) | None => DuelEnding::Limit,
        Some(stated) => stated,
    };
    DebateClosing::new(by, ending)
}

/// Whether everything is agreed, and the closing does not say otherwise. Whoever closes over a point that it never answered
/// has not agreed to it.
fn is_agreed(state: &DebateState, section: &DebateSection) -> bool {
    state.is_settled() && !section.words().any(refuses)
}

fn tells_of_time_out(section: &DebateSection) -> bool {
    tells_of_lateness(&section.heading) || section.words().any(tells_of_lateness)
}
