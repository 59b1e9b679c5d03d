//! Recordings are of one change: answers about another one would be votes on what nobody read.

use std::collections::BTreeSet;
use std::path::Path;

use council_protocol::seat::AgentKind;
use council_protocol::{Packet, Seat};
use council_secrets::Redactor;
use serde::Deserialize;

use super::bundle::BundleFile;
use super::error::RunError;
use crate::safe_file;

/// What of a recording says which change it is of.
#[derive(Deserialize)]
struct RecordedChange {
    objects: BTreeSet<BundleFile>,
}

/// Refuses seats whose recordings are of another change. A recording that cannot be read is refused where its judge sits.
///
/// # Errors
/// Which recording it is.
pub(crate) fn check_recordings(
    seats: &[Seat],
    packet: &Packet,
    redactor: &Redactor,
) -> Result<(), RunError> {
    let files = packet.files.iter();
    let ours: BTreeSet<BundleFile> = files
        .map(|file| BundleFile::from_change(file, redactor))
        .collect();
    let recordings = seats.iter().filter_map(|seat| match &seat.agent.kind {
        AgentKind::Recorded { recording } => Some(recording),
        _ => None,
    });
    for recording in recordings {
        if recorded_change(recording).is_some_and(|change| change.objects != ours) {
            return Err(RunError::usage(format!(
                "{} is the recording of another change: its judges never saw this one",
                recording.display()
            ))
            .hint("make one of a run over this change: git council replay RUN --bundle FILE"));
        }
    }
    Ok(())
}

fn recorded_change(recording: &Path) -> Option<RecordedChange> {
    serde_json::from_slice(&safe_file::read(recording).ok()?).ok()
}
