//! The plan and the packet of a run on disk.

use std::sync::Arc;

use council_protocol::{Coverage, Packet};
use serde::{Deserialize, Serialize};

use super::journal::JournalHeader;
use crate::council::Plan;
use crate::council::plan::PlannedSeat;

/// Version that every stored plan carries.
const PLAN_VERSION: u32 = 1;

/// A plan as it is written: the coverage that seats share is written once.
#[derive(Serialize, Deserialize)]
struct StoredPlan {
    version: u32,
    coverages: Vec<Arc<Coverage>>,
    /// For each seat the number of its coverage, from 0.
    shown: Vec<usize>,
    plan: Plan,
}

/// Why a stored plan cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanError {
    /// Written by another version of this program.
    #[error("the plan has version {0}, this program reads version {PLAN_VERSION}")]
    Version(u32),
    /// Not a plan.
    #[error("the plan cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// A seat names a coverage that is not there.
    #[error("the plan's seats and coverages do not fit")]
    Seats,
}

/// The bytes of a plan.
pub(crate) fn plan_to_bytes(plan: &Plan) -> Vec<u8> {
    let empty = Arc::new(Coverage::default());
    let mut stored = StoredPlan {
        version: PLAN_VERSION,
        coverages: Vec::new(),
        shown: Vec::new(),
        plan: plan.clone(),
    };
    for seat in &mut stored.plan.seats {
        let coverage = std::mem::replace(&mut seat.coverage, Arc::clone(&empty));
        let known = stored
            .coverages
            .iter()
            .position(|known| Arc::ptr_eq(known, &coverage));
        stored.shown.push(known.unwrap_or(stored.coverages.len()));
        if known.is_none() {
            stored.coverages.push(coverage);
        }
    }
    // Plain data with string keys: this cannot fail.
    serde_json::to_vec(&stored).unwrap_or_default()
}

/// The whole packet of a run: `packet.json` is what judges may read in R1, the target stands in the journal's header, and
/// the authors' words are in the plan.
pub(crate) fn restore_packet(
    bytes: &[u8],
    header: &JournalHeader,
    plan: &Plan,
) -> Result<Packet, serde_json::Error> {
    let mut packet: Packet = serde_json::from_slice(bytes)?;
    packet.target = header.target.clone();
    packet.framing = plan.framing.clone();
    Ok(packet)
}

/// The plan of these bytes.
pub(crate) fn parse_plan(bytes: &[u8]) -> Result<Plan, PlanError> {
    #[derive(Deserialize)]
    struct PlanVersion {
        version: u32,
    }
    let PlanVersion { version } = serde_json::from_slice(bytes)?;
    if version != PLAN_VERSION {
        return Err(PlanError::Version(version));
    }
    let StoredPlan {
        coverages,
        shown,
        mut plan,
        ..
    } = serde_json::from_slice(bytes)?;
    if shown.len() != plan.seats.len() {
        return Err(PlanError::Seats);
    }
    for (PlannedSeat { coverage, .. }, number) in plan.seats.iter_mut().zip(shown) {
        *coverage = Arc::clone(coverages.get(number).ok_or(PlanError::Seats)?);
    }
    Ok(plan)
}
