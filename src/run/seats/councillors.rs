//! `--procedure cross-examination`: who sits, and for how long.

use council_builtin::councillors;
use council_protocol::Capability;

use crate::config::CrossExaminationSettings;
use crate::council::Plan;
use crate::council::plan::{PlannedSeat, Procedure};

use crate::run::error::RunError;

/// Seats that there may be.
const SEATS: (u32, u32) = (3, 6);

/// What is said of a sixth seat without a field. Scripts look for this text: it never changes.
const NO_FIELD: &str = "Domain Expert requires -f flag. Reducing to 5 councillors.";

/// The seat that needs a field.
const EXPERT: &str = "domain-expert";

/// Why a councillor without memory can take part in every round.
const AFRESH: &str = "briefed again in each round, with its earlier statements";

/// Where councillors cannot be messaged, a cross-examination falls back to economy: one after another, each a fresh agent that
/// is told what it said.
pub(crate) fn fall_back_to_economy(mut plan: Plan) -> Plan {
    let mute = |planned: &PlannedSeat| !planned.grant.granted.has(&Capability::Message);
    let economy = plan.options.economy || plan.seats.iter().all(mute);
    if plan.procedure != Procedure::CrossExamination || !economy {
        return plan;
    }
    for planned in plan.seats.iter_mut().filter(|planned| mute(planned)) {
        let emulated = &mut planned.grant.emulated;
        emulated.insert(Capability::Message, AFRESH.to_owned());
    }
    if !plan.options.economy {
        plan.options.economy = true;
        plan.notes.push(format!(
            "councillors cannot be asked again here: fell back to economy mode, one after another, each {AFRESH}"
        ));
    }
    plan
}

/// Who sits in a cross-examination, and how long it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CouncillorRoster {
    /// The roles, in the order of the seats.
    pub(crate) roles: Vec<&'static str>,
    /// Rounds of cross-examination.
    pub(crate) rounds: u8,
    /// What was asked for and is not so, in words.
    pub(crate) notes: Vec<String>,
}

impl CouncillorRoster {
    pub(crate) fn from_settings(settings: &CrossExaminationSettings) -> Self {
        let mut notes = Vec::new();
        let mut seats = settings.councillors;
        if seats == SEATS.1 && expert_field(settings).is_none() {
            notes.push(NO_FIELD.to_owned());
            seats -= 1;
        }
        let roles = councillors().iter().map(|role| role.name);
        Self {
            roles: roles.take(seats as usize).collect(),
            rounds: u8::try_from(settings.rounds).unwrap_or(u8::MAX),
            notes,
        }
    }
}

/// Seats that the configuration names itself must be as many as a cross-examination has.
pub(crate) fn check_seat_count(seats: usize) -> Result<(), RunError> {
    let (least, most) = SEATS;
    if (least as usize..=most as usize).contains(&seats) {
        return Ok(());
    }
    Err(RunError::usage(format!(
        "a cross-examination has {least} to {most} councillors, but {seats} are named"
    ))
    .hint("leave out --perspectives, --preset and `[[judge]]` to use the roles of --councillors"))
}

fn expert_field(settings: &CrossExaminationSettings) -> Option<&str> {
    let field = settings.focus.as_deref().map(str::trim);
    field.filter(|field| !field.is_empty())
}

/// What a role stands for, with the field that this council looks at; none: there is no such role.
pub(crate) fn role_focus(role: &str, settings: &CrossExaminationSettings) -> Option<String> {
    let info = councillors().iter().find(|info| info.name == role)?;
    Some(match expert_field(settings) {
        None => info.focus.to_owned(),
        Some(field) if role == EXPERT => format!("{} Your field: {field}.", info.focus),
        Some(field) => format!(
            "{} This council looks at it above all from the side of {field}.",
            info.focus
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(rounds: u32, councillors: u32, focus: Option<&str>) -> CrossExaminationSettings {
        CrossExaminationSettings {
            rounds,
            councillors,
            focus: focus.map(str::to_owned),
            economy: false,
        }
    }

    #[test]
    fn the_roster_by_count() {
        let six = CouncillorRoster::from_settings(&settings(2, 6, Some("payments"))).roles;
        assert_eq!(
            six,
            [
                "visionary",
                "critic",
                "pragmatist",
                "innovator",
                "ethicist",
                "domain-expert"
            ]
        );
        assert_eq!(
            CouncillorRoster::from_settings(&settings(2, 3, None)).roles,
            six[..3]
        );
        assert_eq!(
            CouncillorRoster::from_settings(&settings(2, 4, None)).roles,
            six[..4]
        );
    }

    #[test]
    fn a_domain_expert_needs_a_field() {
        for nothing in [None, Some("  ")] {
            let roster = CouncillorRoster::from_settings(&settings(2, 6, nothing));
            assert_eq!(roster.roles.len(), 5);
            assert_eq!(roster.notes, [NO_FIELD]);
        }
        let focus = role_focus(EXPERT, &settings(2, 6, Some("payments"))).unwrap();
        assert!(focus.ends_with("Your field: payments."), "{focus}");
        assert_eq!(role_focus("nobody", &settings(2, 6, None)), None);
    }

    #[test]
    fn seats_of_the_configuration_are_counted() {
        assert!(check_seat_count(3).is_ok() && check_seat_count(6).is_ok());
        assert!(check_seat_count(2).is_err() && check_seat_count(7).is_err());
    }
}
