//! What sides say in plain words against the change: who takes it back, who speaks against it, and who agrees with it.

use council_protocol::answer::Stance;
use council_protocol::{Severity, Vote};

use super::DuelRole;
use super::point_ref::PointId;
use super::point_standing::{LooseDissent, PointStanding};
use super::section_content::{PointReply, SectionContent};
use super::standing::DebateState;
use super::transcript::DebateSection;
use super::votes::vote_in;
use super::wording::stance_in_words;

impl DebateState {
    /// Objections that are left beside the points: those without a matter of their own are settled with a critical point
    /// that both sides hold.
    pub(super) fn open_objections(&self) -> impl Iterator<Item = &LooseDissent> {
        let objections = self.objections.iter();
        objections.filter(|said| !self.is_carried(said))
    }

    fn is_carried(&self, said: &LooseDissent) -> bool {
        let mut refusals = self.refusals.iter();
        let Some(refusal) = refusals.find(|refusal| refusal.line == said.line) else {
            return false;
        };
        let is_meant = |point: &&PointStanding| {
            refusal.points.is_empty() || refusal.points.contains(&point.id)
        };
        let meant: Vec<_> = self.points.iter().filter(is_meant).collect();
        let is_held = |point: &&PointStanding| point.is_agreed() && point.is_placed();
        let is_known = |id: &PointId| meant.iter().any(|point| point.id == *id && is_held(point));
        let mut held = meant.iter().filter(|point| is_held(point));
        refusal.points.iter().all(is_known)
            && held.any(|point| point.finding.severity == Severity::Critical)
    }

    /// What a side says in plain words against the change; its later approval takes that back.
    pub(super) fn take_objections(
        &mut self,
        section: usize,
        role: DuelRole,
        content: &SectionContent,
    ) {
        let agrees = |reply: &PointReply| {
            reply.stance == Stance::Agreed && reply.is_universal && reply.gives_up
        };
        let agrees = content.replies.iter().any(agrees);
        let is_content = content.retracts || agrees;
        if is_content && content.objections.is_empty() && content.remarks.is_empty() {
            // Who agrees with somebody who agrees with the objection takes nothing back.
            let disputing = &self.disputing;
            let is_kept = |said: &mut LooseDissent| {
                said.role != role || !content.retracts && !is_disputed(disputing, said)
            };
            let objections = self.objections.extract_if(.., |said| !is_kept(said));
            let remarks = self.remarks.extract_if(.., |said| !is_kept(said));
            let taken_back: Vec<LooseDissent> = objections.chain(remarks).collect();
            if !content.retracts {
                self.yielded.extend(taken_back.iter().cloned());
            }
            self.taken_back.extend(taken_back);
        }
        let remarks = content.remarks.iter().map(|&line| LooseDissent {
            role,
            section,
            line,
        });
        self.remarks.extend(remarks);
        let new = content.objections.iter().map(|&line| LooseDissent {
            role,
            section,
            line,
        });
        self.objections.extend(new);
        self.refusals.extend(content.refusals.iter().cloned());
    }

    /// What a section makes of the other side's objections. Those that it agrees with are said by both: somebody who agrees with
    /// the answer then has taken nothing back, and there is nothing to wait for.
    pub(super) fn hear_objections(
        &mut self,
        at: usize,
        role: DuelRole,
        section: &DebateSection,
        content: &SectionContent,
    ) {
        if disputes(section, content) {
            self.disputing.push((role, at));
        } else if agrees(section, content) {
            let disputing = &self.disputing;
            let is_meant = |said: &mut LooseDissent| {
                said.role != role && said.section < at && !is_disputed(disputing, said)
            };
            self.shared.extend(self.objections.extract_if(.., is_meant));
        }
    }
}

/// Whether the other side has spoken against what was said, since then.
fn is_disputed(disputing: &[(DuelRole, usize)], said: &LooseDissent) -> bool {
    let mut disputing = disputing.iter();
    disputing.any(|(by, at)| *by != said.role && *at > said.section)
}

/// Whether a section speaks against what the other side says, or for the change in spite of it.
fn disputes(section: &DebateSection, content: &SectionContent) -> bool {
    let agrees = |text: &str| stance_in_words(text) == Some(Stance::Agreed);
    let is_for =
        vote_in(section).is_some_and(|(vote, reason)| vote == Vote::Pass && !agrees(&reason));
    let replies = &content.replies;
    let is_against = replies.iter().any(|reply| reply.stance != Stance::Agreed);
    is_against || replies.is_empty() && (is_for || content.approves)
}

/// Whether a section agrees, and names no point that it agrees to.
fn agrees(section: &DebateSection, content: &SectionContent) -> bool {
    let is_reason = |(_, reason): (Vote, String)| stance_in_words(&reason) == Some(Stance::Agreed);
    let is_loose = |reply: &PointReply| reply.stance == Stance::Agreed && reply.to.is_empty();
    vote_in(section).is_some_and(is_reason) || content.replies.iter().any(is_loose)
}
