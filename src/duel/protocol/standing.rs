//! Where every point of a duel stands: who raised it, what the other side says last, whether it is settled.

use std::collections::BTreeMap;

use council_protocol::answer::{Evidence, Stance, Tag};
use council_protocol::{Finding, Location, Vote};

use super::DuelRole;
use super::points::{PointId, PointReply, RaisedPoint, read_content};
use super::transcript::{DebateSection, DebateTranscript};

/// One point with everything that was said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointStanding {
    /// Its name.
    pub id: PointId,
    /// The problem as it was raised.
    pub finding: Finding,
    /// Tag, for an independent finding.
    pub tag: Option<Tag>,
    /// The section in which it was raised, from 0.
    pub section: usize,
    /// Replies in order, of both sides.
    pub replies: Vec<PointOpinion>,
}

/// A reply with its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointOpinion {
    /// Whose.
    pub role: DuelRole,
    /// Agreement.
    pub stance: Stance,
    /// Why.
    pub reasoning: String,
    /// What it points to.
    pub evidence: Option<Evidence>,
}

impl PointStanding {
    /// The last word of a side on this point.
    pub fn last_of(&self, role: DuelRole) -> Option<&PointOpinion> {
        self.replies.iter().rev().find(|r| r.role == role)
    }

    /// Whether its owner agreed to the other side's objection, and thereby gave it up.
    pub fn is_conceded(&self) -> bool {
        let objected = self
            .replies
            .iter()
            .position(|r| r.role != self.id.role && r.stance != Stance::Agreed);
        let owner = self
            .replies
            .iter()
            .rposition(|r| r.role == self.id.role && r.stance == Stance::Agreed);
        matches!((objected, owner), (Some(before), Some(after)) if before < after)
    }

    /// Whether nothing is left to say: the other side agrees, or the owner gave it up.
    pub fn is_settled(&self) -> bool {
        let agreed = self
            .last_of(self.id.role.other())
            .is_some_and(|r| r.stance == Stance::Agreed);
        agreed || self.is_conceded()
    }
}

/// Every point in the order in which it was raised.
pub fn point_standings(transcript: &DebateTranscript) -> Vec<PointStanding> {
    let mut board = PointBoard::default();
    for (index, section) in transcript.sections.iter().enumerate() {
        if let Some(role) = section.signature.as_ref().map(|s| s.role) {
            board.read_section(index, role, section);
        }
    }
    board.points.into_values().collect()
}

/// How far apart two sides may place what they call the same.
const NEAR_LINES: u32 = 3;

fn stance_of(tag: Tag) -> Option<Stance> {
    match tag {
        Tag::Same => Some(Stance::Agreed),
        Tag::NotReproduced => Some(Stance::Disagreed),
        Tag::New => None,
    }
}

#[derive(Default)]
struct PointBoard {
    /// By order of appearance.
    points: BTreeMap<usize, PointStanding>,
}

impl PointBoard {
    fn read_section(&mut self, index: usize, role: DuelRole, section: &DebateSection) {
        let said = read_content(section);
        for (nth, reply) in said.replies.into_iter().enumerate() {
            self.record_reply(role, nth, reply);
        }
        for point in said.points {
            self.raise_point(index, role, point);
        }
    }

    /// A new point; `same as other agent` and `not reproduced` speak of the other side's instead.
    fn raise_point(&mut self, index: usize, role: DuelRole, point: RaisedPoint) {
        if let Some(stance) = point.tag.and_then(stance_of)
            && let Some(theirs) = self.find_near(role.other(), &point.finding.location)
        {
            let Finding {
                description,
                quote,
                location,
                ..
            } = point.finding;
            let evidence = Evidence {
                path: location.path,
                line: location.line,
                quote,
            };
            let evidence = Some(evidence).filter(|e| !e.quote.is_empty());
            theirs.replies.push(PointOpinion {
                role,
                stance,
                reasoning: description,
                evidence,
            });
            return;
        }
        if point.tag == Some(Tag::NotReproduced) {
            return;
        }
        let number = self.points.values().filter(|p| p.id.role == role).count() + 1;
        let id = PointId {
            role,
            number: u32::try_from(number).unwrap_or(u32::MAX),
        };
        let standing = PointStanding {
            id: point
                .id
                .filter(|id| id.role == role && self.find_point(*id).is_none())
                .unwrap_or(id),
            finding: point.finding,
            tag: point.tag,
            section: index,
            replies: Vec::new(),
        };
        self.points.insert(self.points.len(), standing);
    }

    fn find_near(&mut self, role: DuelRole, place: &Location) -> Option<&mut PointStanding> {
        let near = |p: &&mut PointStanding| {
            let at = &p.finding.location;
            p.id.role == role && at.path == place.path && at.line.abs_diff(place.line) <= NEAR_LINES
        };
        self.points.values_mut().find(near)
    }

    fn find_point(&mut self, id: PointId) -> Option<&mut PointStanding> {
        self.points.values_mut().find(|p| p.id == id)
    }

    /// A reply without a name answers the other side's points in their order.
    fn record_reply(&mut self, role: DuelRole, nth: usize, reply: PointReply) {
        let unnamed = || {
            let theirs = self
                .points
                .values()
                .filter(|p| p.id.role != role && !p.is_settled());
            theirs.map(|p| p.id).nth(nth)
        };
        let Some(id) = reply.to.or_else(unnamed) else {
            return;
        };
        let opinion = PointOpinion {
            role,
            stance: reply.stance,
            reasoning: reply.reasoning,
            evidence: reply.evidence,
        };
        if let Some(point) = self.find_point(id) {
            point.replies.push(opinion);
        }
    }
}

/// The vote that a side named in its section (`Vote: FAIL — …`), the last one.
pub fn vote_of(transcript: &DebateTranscript, role: DuelRole) -> Option<(Vote, String)> {
    let own = transcript
        .sections
        .iter()
        .rev()
        .filter(|s| s.signature.as_ref().is_some_and(|g| g.role == role));
    own.flat_map(|s| s.body.iter().filter(|l| l.open))
        .find_map(|line| {
            let (word, insight) = line.text.trim().strip_prefix("Vote: ")?.split_once(" — ")?;
            let vote = [Vote::Pass, Vote::Warn, Vote::Fail]
                .into_iter()
                .find(|v| v.as_str() == word)?;
            Some((vote, insight.to_owned()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript(response: &str, follow_up: &str) -> DebateTranscript {
        DebateTranscript::parse(&format!(
            "## Opening\nVote: FAIL — broken\n\n1. `a.rs:1` — one\n2. `b.rs:2` — two\n\n*— Agent A, 2025-06-15T14:30:00Z*\n\n\
             ## Response 1\n{response}\n\n*— Agent B, 2025-06-15T14:31:00Z*\n\n\
             ## Follow-up 1\n{follow_up}\n\n*— Agent A, 2025-06-15T14:32:00Z*\n"
        ))
    }

    fn settled(transcript: &DebateTranscript) -> Vec<(String, bool)> {
        point_standings(transcript)
            .iter()
            .map(|p| (p.id.to_string(), p.is_settled()))
            .collect()
    }

    #[test]
    fn a_point_is_settled_by_agreement_or_concession() {
        let file = transcript(
            "**A1 — Agreed** yes\n\n**A2 — Disagreed** no",
            "**A2 — Agreed** you are right",
        );
        assert_eq!(settled(&file), [("A1".into(), true), ("A2".into(), true)]);
        let held = transcript(
            "**A1 — Agreed** yes\n\n**A2 — Disagreed** no",
            "**A2 — Disagreed** I hold",
        );
        assert_eq!(settled(&held), [("A1".into(), true), ("A2".into(), false)]);
    }

    #[test]
    fn replies_without_names_answer_in_order() {
        let file = transcript("1. **Agreed** yes\n2. **Disagreed** no", "nothing");
        assert_eq!(settled(&file), [("A1".into(), true), ("A2".into(), false)]);
    }

    #[test]
    fn same_as_other_agent_speaks_of_the_others_point() {
        let file = transcript(
            "- [same as other agent] `a.rs:2` — one too\n  > x\n- [not reproduced / disagreed] `b.rs:2` — no",
            "nothing",
        );
        let stances: Vec<_> = point_standings(&file)
            .iter()
            .map(|p| p.replies[0].stance)
            .collect();
        assert_eq!(stances, [Stance::Agreed, Stance::Disagreed]);
    }

    #[test]
    fn points_of_both_sides_are_numbered_through_the_file() {
        let file = transcript(
            "- [new finding] `c.rs:3` — three",
            "- [new finding] `d.rs:4` — four",
        );
        let ids: Vec<_> = point_standings(&file)
            .iter()
            .map(|p| p.id.to_string())
            .collect();
        assert_eq!(ids, ["A1", "A2", "B1", "A3"]);
        assert_eq!(
            vote_of(&file, DuelRole::A),
            Some((Vote::Fail, "broken".into()))
        );
        assert_eq!(vote_of(&file, DuelRole::B), None);
    }
}
