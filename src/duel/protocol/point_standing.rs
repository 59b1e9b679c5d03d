//! One point of a duel with everything that was said of it.

use council_protocol::Finding;
use council_protocol::answer::{Evidence, Stance, Tag};

use super::DuelRole;
use super::claims::has_place;
use super::point_ref::PointId;

/// How far apart two sides may place what they call the same, in lines.
pub(super) const NEAR_LINES: u32 = 3;

/// One point with everything that was said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PointStanding {
    pub id: PointId,
    /// The problem as it was raised.
    pub finding: Finding,
    /// Whether its author says how bad it is.
    pub is_weighed: bool,
    /// Tag, for an independent finding.
    pub tag: Option<Tag>,
    /// The section in which it was raised, from 0.
    pub section: usize,
    /// Its line in the file.
    pub line: u32,
    /// Replies in order, of both sides.
    pub replies: Vec<PointOpinion>,
}

/// A reply with its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PointOpinion {
    pub role: DuelRole,
    pub stance: Stance,
    pub reasoning: String,
    /// What it points to.
    pub evidence: Option<Evidence>,
    /// Its own finding of the same problem.
    pub found: Option<Finding>,
    /// Whether it takes a point of its own side back in so many words.
    pub takes_back: bool,
    /// The words by which what is labelled "agreed" is half an agreement.
    pub half: Option<String>,
    /// The section in which it stands, from 0.
    pub section: usize,
}

/// A disagreement that names no point: it stands until its side agrees in a later section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LooseDissent {
    pub role: DuelRole,
    /// The section in which it stands, from 0.
    pub section: usize,
    /// Its line in the file.
    pub line: u32,
}

impl PointStanding {
    /// The last word of a side on this point.
    pub(crate) fn last_of(&self, role: DuelRole) -> Option<&PointOpinion> {
        self.replies.iter().rev().find(|r| r.role == role)
    }

    fn last_index(&self, role: DuelRole) -> Option<usize> {
        self.replies.iter().rposition(|r| r.role == role)
    }

    /// Whether its owner gave it up: by agreeing to the other side's last objection, or of its own accord.
    pub(crate) fn is_conceded(&self) -> bool {
        let (other, owner) = (self.id.role.other(), self.id.role);
        if self.last_of(other).is_none() {
            return self.last_of(owner).is_some_and(|r| r.takes_back);
        }
        let objected = self
            .last_of(other)
            .is_some_and(|r| r.stance != Stance::Agreed);
        let gave_up = self
            .last_of(owner)
            .is_some_and(|r| r.stance == Stance::Agreed);
        objected && gave_up && self.last_index(other) < self.last_index(owner)
    }

    /// Whether the other side agrees, and the owner has not taken the agreement back since.
    pub(super) fn is_agreed(&self) -> bool {
        let (other, owner) = (self.id.role.other(), self.id.role);
        let agreed = self
            .last_of(other)
            .is_some_and(|r| r.stance == Stance::Agreed);
        let reopened = self
            .last_of(owner)
            .is_some_and(|r| r.stance != Stance::Agreed)
            && self.last_index(owner) > self.last_index(other);
        agreed && !reopened
    }

    /// Whether nothing is left to say: the other side agrees, or the owner gave it up.
    pub(crate) fn is_settled(&self) -> bool {
        self.is_agreed() || self.is_conceded()
    }

    /// Whether the point says where the problem is.
    pub(crate) fn is_placed(&self) -> bool {
        has_place(&self.finding)
    }
}
