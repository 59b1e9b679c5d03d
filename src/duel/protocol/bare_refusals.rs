//! Objections that give no reason of their own: "I vote FAIL.", "Do not merge this before A1 is fixed." They say no more
//! than the points that they rest on.

use super::point_ref::PointId;
use crate::council::consent::is_hidden;

/// An objection without a matter of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BareRefusal {
    /// Its line in the file.
    pub line: u32,
    /// The points that it names; none: it rests on whatever is critical.
    pub points: Vec<PointId>,
}

/// The words of a refusal, none of which says what is wrong.
const REFUSING: &str = "i we my our vote votes verdict is are am i'm was be do does don't dont not cannot can't never will \
     please fail failed merge merged merging this that it the a change patch commit must should would approve approved \
     accept accepted before until till after point points fixed mended resolved addressed settled closed because of see due \
     to for as with in and both so therefore thus hence now reject rejected rejecting block blocks blocked blocking blocker \
     request requesting changes requested need needs has have ready go ship shipped land landed hold off nack against \
     strongly critical";

impl BareRefusal {
    /// The refusal that a text is from its first word to its last.
    pub(super) fn of(text: &str, line: u32) -> Option<Self> {
        if is_hidden(text) || text.contains(['?', '`', '"', '“', '„', '«']) {
            return None;
        }
        let words = text.split(|c: char| !(c.is_alphanumeric() || "'’".contains(c)));
        let mut points = Vec::new();
        for word in words.filter(|word| !word.is_empty()) {
            let small = word.to_lowercase().replace('’', "'");
            match PointId::parse(word) {
                Some(id) => points.push(id),
                None if REFUSING.split_whitespace().any(|known| known == small) => {}
                None => return None,
            }
        }
        Some(Self { line, points })
    }
}
