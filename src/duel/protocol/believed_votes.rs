//! What a side's vote says of its agreements: two marks, "agreed" and FAIL, weigh more than what a reason sounds like.

use council_protocol::Severity;
use council_protocol::answer::Stance;

use super::DuelRole;
use super::claims::RaisedPoint;
use super::point_standing::{PointOpinion, PointStanding};
use super::standing::DebateState;

impl DebateState {
    /// Whose FAIL rests on nothing but points that it calls "agreed" means that, whatever its reasons sound like.
    pub(super) fn believe_vote(&mut self, section: usize, role: DuelRole, raised: &[RaisedPoint]) {
        let holds = |point: &PointStanding| {
            let is_agreed = || {
                let last = point.last_of(role);
                last.is_some_and(|said| said.stance == Stance::Agreed)
            };
            point.finding.severity == Severity::Critical
                && !point.is_conceded()
                && (point.id.role == role || is_agreed())
        };
        let is_critical = |point: &RaisedPoint| point.finding.severity == Severity::Critical;
        if raised.iter().any(is_critical) || self.points.iter().any(holds) {
            return;
        }
        let theirs = self.points.iter_mut();
        let theirs = theirs.filter(|point| point.finding.severity == Severity::Critical);
        let said = theirs.flat_map(|point| &mut point.replies);
        let is_half = |said: &&mut PointOpinion| {
            said.role == role && said.section == section && said.half.is_some()
        };
        for said in said.filter(is_half) {
            (said.stance, said.half) = (Stance::Agreed, None);
        }
    }
}
