//! The procedures. Each is a value of one engine: who speaks, what each is sent, what may stop the rounds.
//!
//! `duel` has a transcript instead of judges that are asked: [`crate::duel`].

mod agenda;
mod cross_examination;
mod debate;
mod quick;
mod review;
mod rules;
mod staged;

pub use debate::CANNOT_BE_ASKED_AGAIN;
pub(super) use rules::ProcedureRules;

use super::plan::Procedure;

/// The rules of a procedure.
pub(super) fn rules_of(procedure: Procedure) -> &'static dyn ProcedureRules {
    match procedure {
        Procedure::Quick => &quick::QuickRules,
        Procedure::Review => &review::ReviewRules,
        Procedure::Debate | Procedure::Duel => &debate::DebateRules,
        Procedure::CrossExamination => &cross_examination::CrossExaminationRules,
        Procedure::Staged => &staged::StagedRules,
    }
}
