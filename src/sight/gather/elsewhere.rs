//! Places of other kinds of files that read what the change edits or takes away.

use super::super::readers::certainty_of_reading;
use super::super::receivers::Certainty;
use super::super::search::{FileHits, FileOutline, NameHit};
use super::Gatherer;

impl Gatherer<'_> {
    /// How certain a hit is one that reads its name in the way of its file; none: it does not, or is shown already.
    pub(super) fn certainty_elsewhere(
        &self,
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> Option<Certainty> {
        let name = &self.names[hit.name];
        let is_open = || self.is_open(hit.line, file, outline);
        let sure = certainty_of_reading(name, hit.line, file, outline)?;
        is_open().then_some(sure)
    }
}
