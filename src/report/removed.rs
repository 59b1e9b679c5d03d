//! The line that a finding is about, where the change removes it.

use council_protocol::Proof;

use crate::council::outcome::JudgedFinding;

/// Where the code of a finding stood before the change removed it, as its judges quoted it.
pub(crate) fn removed_line(found: &JudgedFinding) -> Option<u32> {
    let mut proofs = found.members.iter().map(|member| &member.proof);
    proofs.find_map(|proof| match proof {
        Proof::Removed { old_line, .. } => Some(*old_line),
        _ => None,
    })
}

/// Which line a finding is about that the change removes: forms that know lines after the change alone have no number for
/// it.
pub(super) fn removed_words(finding: &JudgedFinding) -> Option<String> {
    let old = removed_line(finding).filter(|_| finding.finding.location.line == 0)?;
    Some(format!("line {old} before the change, which removes it"))
}
