//! Writes down a council that was held without a backend: a duel is judged from its transcript, and is a run like any other.

use council_protocol::Packet;

use super::error::SessionError;
use super::journal::{JOURNAL_FILE, JOURNAL_VERSION, JournalHeader, JournalWriter, PlanRef};
use super::places::RunRef;
use super::stored;
use super::world::{SessionWorld, WriteDurability};
use crate::council::{Input, Plan};
use crate::packet;

/// Writes packet, plan and journal of a council into its run's folder; nothing where the run keeps none.
///
/// # Errors
///
/// What the disk says.
pub(crate) fn record_council(
    world: &dyn SessionWorld,
    run: &RunRef,
    packet: &Packet,
    plan: &Plan,
    backend: &str,
    inputs: &[Input],
) -> Result<(), SessionError> {
    let Some(folder) = &run.folder else {
        return Ok(());
    };
    let disk = world.disk();
    let store = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        disk.write_file(&path, bytes, WriteDurability::Cheap)
            .map_err(SessionError::disk("write", &path))
    };
    let shown = packet::bytes_for_judges(packet);
    store(packet::PACKET_FILE, &shown)?;
    let plan = stored::plan_to_bytes(plan);
    store(PLAN_FILE, &plan)?;
    let header = JournalHeader {
        journal: JOURNAL_VERSION,
        run: run.name.clone(),
        started: run.started.clone(),
        target: packet.target.clone(),
        backend: backend.to_owned(),
        packet: Some(packet::sha256(&shown)),
        max_usd: None,
        plan: PlanRef::for_bytes(PLAN_FILE, &plan),
    };
    // One that is there says no more than that the run has begun.
    let path = folder.join(JOURNAL_FILE);
    if disk.read_file(&path).is_ok() {
        disk.truncate_file(&path, 0)
            .map_err(SessionError::disk("cut", &path))?;
    }
    let mut journal = JournalWriter::create(world, folder, &header)?;
    journal.append_inputs(0, inputs, false)
}

const PLAN_FILE: &str = "plan.json";
