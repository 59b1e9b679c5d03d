//! What a duel's transcript leaves out: the lines that it names, and the rules that spoke.

use std::sync::Arc;

use council_builtin::BuiltinJudge;
use council_protocol::{BlobSource, Finding, Hunk, Location, Packet, Side};

use crate::council::Plan;
use crate::duel::DuelRole;
use crate::duel::verdict::WrittenSource;

/// The reviewed side, and the rules of those sides that are nothing else.
pub(super) struct SidesAndTree<'a> {
    blobs: &'a dyn BlobSource,
    packet: Arc<Packet>,
    rules: [Option<BuiltinJudge>; 2],
}

impl<'a> SidesAndTree<'a> {
    pub(super) fn new(plan: &Plan, packet: &Arc<Packet>, blobs: &'a Arc<dyn BlobSource>) -> Self {
        let rules = [0, 1].map(|side| {
            let seat = &plan.seats.get(side)?.seat;
            BuiltinJudge::new(seat, Arc::clone(packet), Arc::clone(blobs)).ok()
        });
        Self {
            blobs: &**blobs,
            packet: Arc::clone(packet),
            rules,
        }
    }
}

impl SidesAndTree<'_> {
    /// A line as the packet shows it: a document that is no file of a commit is read from nowhere else.
    fn shown_line(&self, location: &Location) -> Option<String> {
        let file = self
            .packet
            .files
            .iter()
            .find(|file| file.path == location.path)?;
        let mut lines = file.hunks.iter().flat_map(Hunk::lines);
        let line = lines.find(|line| line.new_no == Some(location.line))?;
        Some(line.text.to_owned())
    }
}

impl WrittenSource for SidesAndTree<'_> {
    fn line_at(&mut self, location: &Location) -> Option<String> {
        // A side may write `./a.py` or `b/a.py`, as a quote may.
        let known = self.packet.files.iter().map(|file| &file.path);
        let meant = location.path.resolve_among(known).cloned();
        let path = meant.unwrap_or_else(|| location.path.clone().without_dot());
        let location = Location {
            path,
            ..location.clone()
        };
        let shown = || self.shown_line(&location);
        reviewed_line(self.blobs, &location).or_else(shown)
    }

    fn rule_finding(&mut self, role: DuelRole, written: &Finding) -> Option<Finding> {
        let side = self.rules[usize::from(role == DuelRole::B)].as_ref()?;
        side.recall_finding(written).cloned()
    }
}

/// A line of the reviewed side.
fn reviewed_line(blobs: &dyn BlobSource, location: &Location) -> Option<String> {
    let bytes = blobs.read(Side::New, &location.path).ok()??;
    let at = usize::try_from(location.line).ok()?.checked_sub(1)?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().nth(at).map(str::to_owned)
}
