//! The one builder of a council's plan: what the settings, the packet and the seats say is filled in here and nowhere else.

use std::sync::Arc;

use council_protocol::capability::Grant;
use council_protocol::packet::TargetKind;
use council_protocol::{CoverageState, Packet, RepoPath, Seat};

use crate::council::plan::{
    ConsensusRule, DebateMode, DebateSubject, ExchangeMode, PlannedSeat, Procedure,
    ProcedureOptions, RunSeed,
};
use crate::council::{Plan, UNASKED};
use crate::prompt::shown_paths;
use crate::report::CarriedReview;
use crate::run::prepare::PreparedReview;
use crate::run::prompts::{SeatPrompts, coverage_shown};

/// What differs between one kind of council and another.
pub(crate) struct PlanInputs {
    pub(crate) procedure: Procedure,
    pub(crate) debate: DebateMode,
    pub(crate) consensus: ConsensusRule,
    pub(crate) quorum: u32,
    /// What each seat may do, in the order of the seats.
    pub(crate) grants: Vec<Grant>,
    pub(crate) exchange: ExchangeMode,
    pub(crate) seed: RunSeed,
    /// What a reader of the verdict should know beside the notes of the change.
    pub(crate) notes: Vec<String>,
    pub(crate) options: ProcedureOptions,
}

/// The plan of a council over a prepared change.
pub(crate) fn build_plan(
    prepared: &PreparedReview,
    seats: &[Seat],
    prompts: Option<&SeatPrompts>,
    inputs: PlanInputs,
) -> Plan {
    let settings = &prepared.config.settings;
    let planned = |(seat, grant): (&Seat, Grant)| PlannedSeat {
        seat: seat.clone(),
        grant,
        coverage: coverage_shown(seat, prompts, prepared),
    };
    let mut planned: Vec<PlannedSeat> = seats.iter().zip(inputs.grants).map(planned).collect();
    leave_out_unasked(&mut planned);
    let mut notes = prepared.notes.clone();
    notes.extend(inputs.notes);
    notes.extend(passed_over_note(&prepared.packet, seats));
    Plan {
        procedure: inputs.procedure,
        debate: inputs.debate,
        consensus: inputs.consensus,
        quorum: inputs.quorum,
        policy: settings.policy(),
        seats: planned,
        exchange: inputs.exchange,
        timeouts: settings.timeouts(),
        seed: inputs.seed,
        framing: prepared.packet.framing.clone(),
        notes,
        options: ProcedureOptions {
            carried: prepared
                .earlier
                .as_ref()
                .map(CarriedReview::standing)
                .unwrap_or_default(),
            shown_paths: shown_paths(&prepared.packet, &prepared.redactor),
            ..inputs.options
        },
    }
}

/// Files that are none of any judge's are left out, and named: whoever seats linters alone has said what is to be looked at.
/// Beside a single reviewer there are none, since that one is asked about everything.
fn leave_out_unasked(planned: &mut [PlannedSeat]) {
    let is_unasked = |at: usize, path: &RepoPath| {
        let mut manifests = planned.iter().map(|seat| &seat.coverage.files);
        manifests.all(|files| {
            let file = files.get(at).filter(|file| file.path == *path);
            file.is_some_and(|file| file.state == CoverageState::NotAsked)
        })
    };
    let files = planned.first().map(|seat| seat.coverage.files.as_slice());
    let files = files.unwrap_or_default().iter().enumerate();
    let unasked = files.filter(|(at, file)| is_unasked(*at, &file.path));
    let unasked: Vec<usize> = unasked.map(|(at, _)| at).collect();
    if unasked.is_empty() {
        return;
    }
    for seat in planned {
        let files = &mut Arc::make_mut(&mut seat.coverage).files;
        for &at in &unasked {
            let reason = UNASKED.to_owned();
            files[at].state = CoverageState::Skipped { reason };
        }
    }
}

/// Which files only the rules against secrets and attacks looked at, where rules alone sit: `reviewed` would say more than
/// was done.
fn passed_over_note(packet: &Packet, seats: &[Seat]) -> Option<String> {
    const MAX_NAMED: usize = 3;
    if seats.iter().any(|seat| !seat.agent.deterministic) {
        return None;
    }
    let shown = packet.files.iter().filter(|file| !file.hunks.is_empty());
    let paths = shown.map(|file| file.path.display().into_owned());
    let passed: Vec<String> = paths
        .filter(|path| council_builtin::passes_over(path))
        .collect();
    let named = passed
        .iter()
        .take(MAX_NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    let more = match passed.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!passed.is_empty()).then(|| {
        format!(
            "{named}{more}: by the path an example or somebody else's code, so that of the built-in rules only those \
             about secrets and deception looked there"
        )
    })
}

/// A change, or a text without one.
pub(crate) fn plan_subject(packet: &Packet) -> DebateSubject {
    match packet.target.kind {
        TargetKind::File | TargetKind::Topic | TargetKind::Stage => DebateSubject::Text,
        _ => DebateSubject::Change,
    }
}
