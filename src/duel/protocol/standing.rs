//! Where every point of a duel stands: who raised it, what each side says of it last, whether it is settled.

use std::collections::HashSet;

use council_protocol::answer::{Evidence, Stance, Tag};
use council_protocol::{Finding, Location, Vote};

use super::DuelRole;
use super::bare_refusals::BareRefusal;
use super::claims::RaisedPoint;
use super::consent::takes_back;
use super::content::read_content;
use super::plain_forms::is_plain;
use super::point_ref::{PointId, PointRefs};
use super::point_standing::{LooseDissent, NEAR_LINES, PointOpinion, PointStanding};
use super::problem_text::weight_given;
use super::section_content::{PointReply, QuotedLine, SectionContent};
use super::transcript::{DebateSection, DebateTranscript, SectionKind};
use super::votes::vote_in;
use crate::council::plain_words::Words;
use crate::council::says_one_problem;

/// A line by its words: list marks, emphasis and blanks aside.
fn squeezed(line: &str) -> String {
    Words::of(line).0.join(" ")
}

/// Everything that two sides have said of each other's points.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DebateState {
    /// Every point in the order in which it was raised.
    pub points: Vec<PointStanding>,
    /// Disagreements that name no point and still stand.
    pub dissents: Vec<LooseDissent>,
    /// Words that say that the change must not go in, and name no point: they stand until their side takes them back.
    pub objections: Vec<LooseDissent>,
    /// Those of them that give no reason of their own.
    pub(super) refusals: Vec<BareRefusal>,
    /// What sides wrote beside their votes that is no plain consent: with it no vote is a bare PASS.
    pub remarks: Vec<LooseDissent>,
    /// Objections that the other side agrees with: both say so, and nobody takes that back.
    pub shared: Vec<LooseDissent>,
    /// What was taken back of these: it is told still.
    pub taken_back: Vec<LooseDissent>,
    /// Those of them that their side took back by an agreement alone.
    pub yielded: Vec<LooseDissent>,
    /// Sections that speak against what the other side says, or for the change in spite of it.
    pub(super) disputing: Vec<(DuelRole, usize)>,
    /// Who wrote the last section.
    last_author: Option<DuelRole>,
    /// Sides that took part: they raised a point, took a stance, or named a vote.
    pub speakers: Vec<DuelRole>,
    /// Lines of all sections so far: what stands among them may be quoted.
    written: HashSet<String>,
}

impl DebateState {
    /// Reads a transcript.
    pub(crate) fn read(transcript: &DebateTranscript) -> Self {
        let mut state = Self::default();
        let count = transcript.sections.len();
        for (index, section) in transcript.sections.iter().enumerate() {
            // What is half written is not said yet.
            if section.is_complete() || index + 1 < count {
                state.read_section(index, section);
            }
        }
        state
    }

    /// Whether nothing is open between the sides.
    pub(crate) fn is_settled(&self) -> bool {
        self.dissents.is_empty()
            && self.open_objections().next().is_none()
            && self.points.iter().all(PointStanding::is_settled)
    }

    /// Whether nothing is open, and both sides have taken part: then nobody has to say more.
    pub(crate) fn is_settled_by_both(&self) -> bool {
        let spoke = |role| self.speakers.contains(&role);
        self.is_settled() && spoke(DuelRole::A) && spoke(DuelRole::B)
    }

    /// Takes in one more section.
    pub(super) fn read_section(&mut self, index: usize, section: &DebateSection) {
        let is_closing = section.kind == SectionKind::Consensus;
        // A closing needs no signature: the side writes it that is not waited for.
        let closer = self.last_author.map(DuelRole::other).filter(|_| is_closing);
        let Some(role) = section.author().or(closer) else {
            return;
        };
        self.last_author = Some(role);
        let mut content = read_content(section);
        self.note_own_quotes(&mut content);
        self.written
            .extend(section.body.iter().map(|line| squeezed(&line.text)));
        let vote = vote_in(section).map(|(vote, _)| vote);
        if !is_closing && (vote.is_some() || takes_part(&content)) && !self.speakers.contains(&role)
        {
            self.speakers.push(role);
        }
        self.take_labelled_points(role, &mut content);
        self.take_objections(index, role, &content);
        self.hear_objections(index, role, section, &content);
        let answers = self.assign_replies(role, section.kind, &content.replies);
        let before = self.dissents.len();
        for (targets, reply) in answers {
            self.record_reply(index, role, &targets, reply, before);
        }
        self.keep_unsettled(index, role, &content);
        if vote == Some(Vote::Fail) {
            self.believe_vote(index, role, &content.points);
        }
        for point in content.points {
            let place = &point.finding.location;
            if is_closing && self.near_point(role, place, None).is_some() {
                continue;
            }
            self.raise_point(index, role, point);
        }
    }

    /// A block quote of what nobody wrote before is a side's own words.
    fn note_own_quotes(&self, content: &mut SectionContent) {
        let is_own = |quote: &&QuotedLine| {
            !is_plain(&quote.text) && !self.written.contains(&squeezed(&quote.text))
        };
        let own = content.quotes.iter().filter(is_own).map(|quote| quote.line);
        content.remarks.extend(own);
    }

    /// A name of the side's own that stands for no point yet is one, whatever stands behind it: what was not understood must
    /// not be lost.
    fn take_labelled_points(&self, role: DuelRole, content: &mut SectionContent) {
        let labelled = std::mem::take(&mut content.labelled);
        for point in labelled {
            let id = point.id;
            let is_known = self.points.iter().any(|known| Some(known.id) == id);
            if is_known || id.is_none_or(|id| id.role != role) {
                continue;
            }
            // Read as an ordinary point it may lack its place or its weight.
            let is_it = |read: &&mut RaisedPoint| {
                read.id == id || read.id.is_none() && read.line == point.line
            };
            let mut read = content.points.iter_mut().filter(is_it);
            if let Some(read) = read.next() {
                let is_better = !read.is_placed() || point.finding.severity > read.finding.severity;
                if is_better {
                    *read = point;
                }
            } else {
                content
                    .replies
                    .retain(|reply| reply.to.ids.first().copied() != id);
                // Its own words are told with it.
                content.objections.retain(|line| *line != point.line);
                content.remarks.retain(|line| *line != point.line);
                content.points.push(point);
            }
        }
    }

    /// A side that agrees to a point and names it beside that, without a stance, has not settled it.
    fn keep_unsettled(&mut self, section: usize, role: DuelRole, content: &SectionContent) {
        let named: Vec<PointId> = content
            .uncategorised
            .iter()
            .flat_map(|item| item.to.ids.clone())
            .collect();
        let own = self
            .points
            .iter_mut()
            .filter(|point| point.id.role == role && named.contains(&point.id));
        for point in own {
            let said = point
                .replies
                .iter_mut()
                .filter(|said| said.role == role && said.section == section);
            said.for_each(|said| said.stance = said.stance.max(Stance::PartiallyAgreed));
        }
    }

    /// Which points each reply speaks of: those that it names, else those of the other side in their order.
    pub(crate) fn assign_replies<'a>(
        &self,
        role: DuelRole,
        kind: SectionKind,
        replies: &'a [PointReply],
    ) -> Vec<(Vec<PointId>, &'a PointReply)> {
        let named: Vec<Option<Vec<PointId>>> = replies
            .iter()
            .map(|reply| self.named_points(role, kind, reply))
            .collect();
        let taken: Vec<PointId> = named.iter().flatten().flatten().copied().collect();
        let open = self
            .open_for(role)
            .into_iter()
            .filter(|id| !taken.contains(id))
            .collect::<Vec<_>>();
        let unnamed = named.iter().filter(|targets| targets.is_none()).count();
        let mut in_order = open.iter();
        let assign = |(reply, targets): (&'a PointReply, Option<Vec<PointId>>)| {
            let targets = targets.unwrap_or_else(|| match (unnamed == open.len(), reply.stance) {
                (true, _) => in_order.next().copied().into_iter().collect(),
                // Nobody knows which point is meant: a doubt is held against all of them, a consent counts for none.
                (false, Stance::Agreed) if !reply.is_universal => Vec::new(),
                (false, Stance::Agreed) if unnamed > 1 => Vec::new(),
                (false, _) => open.clone(),
            });
            (targets, reply)
        };
        replies.iter().zip(named).map(assign).collect()
    }

    /// The points that a reply names; none: it names none that there is.
    fn named_points(
        &self,
        role: DuelRole,
        kind: SectionKind,
        reply: &PointReply,
    ) -> Option<Vec<PointId>> {
        let targets = self.targets_of(role, kind, &reply.to);
        // A consent to a point that nobody raised is one to nothing; a doubt is held against what there is.
        let is_lost =
            targets.is_empty() && (reply.to.ids.is_empty() || reply.stance != Stance::Agreed);
        (!is_lost).then_some(targets)
    }

    /// The points that a statement names, as far as they were raised.
    pub(crate) fn targets_of(
        &self,
        role: DuelRole,
        kind: SectionKind,
        to: &PointRefs,
    ) -> Vec<PointId> {
        let known = |id: &PointId| self.points.iter().any(|point| point.id == *id);
        if !to.ids.is_empty() {
            return to.ids.iter().copied().filter(known).collect();
        }
        let by_place = to
            .place
            .as_ref()
            .and_then(|place| self.near_point(role, place, None));
        // Only the first response answers a list that is numbered as the opening is.
        let numbered = to.ordinal.filter(|_| kind == SectionKind::Response(1));
        let by_number = numbered
            .map(|number| PointId {
                role: role.other(),
                number,
            })
            .filter(known);
        by_place.or(by_number).into_iter().collect()
    }

    /// The point that a finding takes a stance on.
    pub(crate) fn target_of(&self, role: DuelRole, point: &RaisedPoint) -> Option<PointId> {
        point.stance_there()?;
        let near = self.near_point(role, &point.finding.location, Some(&point.finding));
        // "Same as other agent" speaks of the other side's findings only.
        near.filter(|id| id.role != role || point.tag != Some(Tag::Same))
    }

    /// What a side has to answer: the other's open points; where there are none, its own that were objected to.
    fn open_for(&self, role: DuelRole) -> Vec<PointId> {
        let open = self.points.iter().filter(|point| !point.is_settled());
        let theirs: Vec<PointId> = open
            .clone()
            .map(|point| point.id)
            .filter(|id| id.role != role)
            .collect();
        if !theirs.is_empty() {
            return theirs;
        }
        let objected = open.filter(|point| point.last_of(role.other()).is_some());
        objected.map(|point| point.id).collect()
    }

    fn record_reply(
        &mut self,
        index: usize,
        role: DuelRole,
        targets: &[PointId],
        reply: &PointReply,
        before: usize,
    ) {
        if targets.is_empty() {
            return self.record_loose(index, role, reply, before);
        }
        for point in self
            .points
            .iter_mut()
            .filter(|point| targets.contains(&point.id))
        {
            let is_own = point.id.role == role;
            let said = reply.half.as_deref().or_else(|| milder_words(point, reply));
            let half = said.filter(|_| !is_own).map(str::to_owned);
            let keeps = is_own && !reply.gives_up;
            point.replies.push(PointOpinion {
                role,
                // What a side holds itself it gives up in so many words, or not at all.
                stance: if keeps || half.is_some() {
                    reply.stance.max(Stance::PartiallyAgreed)
                } else {
                    reply.stance
                },
                half,
                reasoning: reply.reasoning.clone(),
                evidence: reply.evidence.clone(),
                found: None,
                takes_back: reply.takes_back,
                section: index,
            });
        }
    }

    fn record_loose(&mut self, section: usize, role: DuelRole, reply: &PointReply, before: usize) {
        match reply.stance {
            // An agreement to nothing, with words of something that is wrong.
            Stance::Agreed if takes_back(&reply.reasoning) => {
                let line = reply.line;
                self.objections.push(LooseDissent {
                    role,
                    section,
                    line,
                });
            }
            Stance::Agreed
                if reply.to.ids.is_empty()
                    && (reply.is_universal || self.open_for(role).is_empty()) =>
            {
                let mut at = 0;
                self.dissents.retain(|dissent| {
                    at += 1;
                    at > before || dissent.role != role || dissent.section == section
                });
            }
            Stance::Agreed => {}
            Stance::PartiallyAgreed | Stance::Disagreed => {
                let line = reply.line;
                self.dissents.push(LooseDissent {
                    role,
                    section,
                    line,
                });
            }
        }
    }

    /// A new point; `same as other agent` and `not reproduced` speak of the other side's instead.
    fn raise_point(&mut self, index: usize, role: DuelRole, point: RaisedPoint) {
        if let (Some(id), Some(stance)) = (self.target_of(role, &point), point.stance_there()) {
            return self.record_tagged(index, id, role, stance, point.finding);
        }
        if point.tag == Some(Tag::NotReproduced) {
            let line = point.line;
            return self.dissents.push(LooseDissent {
                role,
                section: index,
                line,
            });
        }
        if self.is_restated(role, &point) {
            return;
        }
        let number = self.points.iter().filter(|p| p.id.role == role).count() + 1;
        let next = PointId {
            role,
            number: u32::try_from(number).unwrap_or(u32::MAX),
        };
        let is_free = |id: &PointId| id.role == role && !self.points.iter().any(|p| p.id == *id);
        self.points.push(PointStanding {
            id: point.id.filter(is_free).unwrap_or(next),
            finding: point.finding,
            is_weighed: point.is_weighed,
            tag: point.tag,
            section: index,
            line: point.line,
            replies: Vec::new(),
        });
    }

    /// Whether a side names a point of its own again, and says nothing worse of it.
    fn is_restated(&self, role: DuelRole, point: &RaisedPoint) -> bool {
        let known = |id: PointId| self.points.iter().find(|known| known.id == id);
        let known = point.id.filter(|id| id.role == role).and_then(known);
        let (now, severity) = (&point.finding.location, point.finding.severity);
        known.map(|known| &known.finding).is_some_and(|before| {
            let at = &before.location;
            let is_near = at.path == now.path && at.line.abs_diff(now.line) <= NEAR_LINES;
            let is_there = is_near || !point.is_placed();
            is_there && (severity <= before.severity || !point.is_weighed)
        })
    }

    /// A finding that speaks of a point which was raised before. What its section says of that point in so many words holds.
    fn record_tagged(
        &mut self,
        index: usize,
        id: PointId,
        role: DuelRole,
        stance: Stance,
        finding: Finding,
    ) {
        let Some(point) = self.points.iter_mut().find(|point| point.id == id) else {
            return;
        };
        let found = Some(finding.clone()).filter(|_| stance == Stance::Agreed);
        let is_said_here =
            |opinion: &&mut PointOpinion| opinion.role == role && opinion.section == index;
        if let Some(said) = point.replies.iter_mut().rev().find(is_said_here) {
            if said.stance == Stance::Agreed {
                (said.stance, said.found) = (stance, found);
            }
            return;
        }
        let evidence = Evidence {
            path: finding.location.path,
            line: finding.location.line,
            quote: finding.quote,
        };
        point.replies.push(PointOpinion {
            role,
            stance,
            reasoning: finding.description,
            evidence: Some(evidence).filter(|evidence| !evidence.quote.is_empty()),
            found,
            takes_back: false,
            half: None,
            section: index,
        });
    }

    /// The point at a place; the other side's first, and of two of a line the one about the problem that is said.
    fn near_point(
        &self,
        role: DuelRole,
        place: &Location,
        said: Option<&Finding>,
    ) -> Option<PointId> {
        let near = |point: &&PointStanding| {
            let at = &point.finding.location;
            point.is_placed() && at.path == place.path && at.line.abs_diff(place.line) <= NEAR_LINES
        };
        let distance = |point: &&PointStanding| {
            (
                point.id.role == role,
                said.is_some_and(|said| !says_one_problem(&point.finding, said)),
                point.finding.location.line.abs_diff(place.line),
            )
        };
        self.points
            .iter()
            .filter(near)
            .min_by_key(distance)
            .map(|point| point.id)
    }
}

/// The words of an agreement by which the other side's point is less bad than its author says.
fn milder_words<'r>(point: &PointStanding, reply: &'r PointReply) -> Option<&'r str> {
    let (words, severity) = weight_given(&reply.reasoning)?;
    let is_agreed = reply.stance == Stance::Agreed;
    (is_agreed && severity < point.finding.severity).then_some(words)
}

fn takes_part(content: &SectionContent) -> bool {
    let claims = !content.points.is_empty() || !content.labelled.is_empty();
    claims || !content.replies.is_empty() || content.approves || !content.objections.is_empty()
}

/// Every point in the order in which it was raised.
pub(crate) fn point_standings(transcript: &DebateTranscript) -> Vec<PointStanding> {
    DebateState::read(transcript).points
}

#[cfg(test)]
#[path = "standing_tests.rs"]
mod tests;
