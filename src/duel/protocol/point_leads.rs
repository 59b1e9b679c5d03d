//! Headings and lines that are nothing but a severity, or a name for what stands below them.

use council_protocol::Severity;

use super::DuelRole;
use super::blocks::{BlockShape, TextBlock};
use super::claim_place::find_location;
use super::leading_refs::split_refs;
use super::plain_forms::is_plain;
use super::point_layouts::ids_in;
use super::point_severity::{begins_with_severity, severity_alone, stated_severity};
use super::problem_text::sets_severity_apart;
use super::wording::{parse_vote, split_label};
use crate::council::plain_words::Words;

/// A line that is nothing but a severity.
pub(super) struct PointLead {
    pub(super) severity: Severity,
    /// The level of its heading; a line in bold ends before every heading.
    level: usize,
    /// Where it stands; none: it has weighed something.
    pub(super) at: Option<usize>,
}

impl PointLead {
    pub(super) fn of(block: &TextBlock<'_>, at: usize) -> Option<Self> {
        let level = match block.shape {
            BlockShape::Heading(level) => level,
            BlockShape::Paragraph => usize::MAX,
            _ => return None,
        };
        let is_lead = !block.fields.is_layout && !block.rest.iter().any(|line| line.is_text());
        let severity = severity_alone(&block.head).filter(|_| is_lead)?;
        let at = Some(at);
        Some(Self {
            severity,
            level,
            at,
        })
    }

    pub(super) fn ends_at(&self, block: &TextBlock<'_>) -> bool {
        let head = block.head.trim_end_matches(['*', '_', ' ']);
        match block.shape {
            BlockShape::Heading(level) => level <= self.level,
            BlockShape::Paragraph => head.ends_with(':') && ids_in(head).next().is_none(),
            _ => false,
        }
    }
}

/// Whether a block is a point that says nothing of its own severity.
pub(super) fn is_weighable(
    block: &TextBlock<'_>,
    author: Option<DuelRole>,
    is_opening: bool,
) -> bool {
    let (refs, rest) = split_refs(block);
    let is_own = refs.ids.iter().all(|id| Some(id.role) == author);
    let is_point = block.fields.is_layout
        || block.shape.is_item()
        || matches!(block.shape, BlockShape::Heading(_) | BlockShape::Row)
        || !refs.ids.is_empty()
        || find_location(&block.words()).is_some();
    let answers = !is_opening && split_label(rest).is_some();
    let words = block.words();
    let is_none = Words::of(&words).0.len() <= 2 && Words::of(&words).has_any(&["none", "nothing"]);
    // "critical sections are …" only begins with the word.
    let is_stated =
        sets_severity_apart(rest) || stated_severity(rest).is_some() && !begins_with_severity(rest);
    is_own
        && is_point
        && !answers
        && !(refs.ids.is_empty() && (is_none || is_plain(&words)))
        && parse_vote(&block.head).is_none()
        && block.fields.severity.is_none()
        && !is_stated
}

/// Whether a heading names what its points are, and is none: "Findings", "Critical issues".
pub(super) fn is_group(block: &TextBlock<'_>) -> bool {
    const GROUPS: [&str; 8] = [
        "findings",
        "issues",
        "problems",
        "points",
        "bugs",
        "review",
        "summary",
        "responses",
    ];
    let (refs, rest) = split_refs(block);
    matches!(block.shape, BlockShape::Heading(_))
        && refs.ids.is_empty()
        && refs.ordinal.is_none()
        && Words::of(rest).0.len() <= 3
        && Words::of(rest).has_any(&GROUPS)
}
