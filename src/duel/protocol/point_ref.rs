//! How points are named.

use council_protocol::Location;

use super::DuelRole;

/// Name of a point: side and number, `A1`. Numbered through the whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PointId {
    /// Who raised it.
    pub role: DuelRole,
    /// Counted from 1.
    pub number: u32,
}

impl PointId {
    /// `A1`, or `A-1` as some agents write it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let role = match text.as_bytes().first()? {
            b'A' => DuelRole::A,
            b'B' => DuelRole::B,
            _ => return None,
        };
        let number = text[1..].strip_prefix('-').unwrap_or(&text[1..]);
        let number = number.parse().ok().filter(|n| *n > 0)?;
        Some(Self { role, number })
    }
}

impl std::fmt::Display for PointId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.role.letter(), self.number)
    }
}

/// What a statement says that it is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PointRefs {
    /// Points by name.
    pub ids: Vec<PointId>,
    /// The number of a list item: `2.` answers the second point.
    pub ordinal: Option<u32>,
    /// A place in the reviewed tree.
    pub place: Option<Location>,
    /// Whether the statement begins with that place; else it may be evidence only.
    pub leads_with_place: bool,
}

impl PointRefs {
    /// Whether nothing is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.ordinal.is_none() && self.place.is_none()
    }
}
