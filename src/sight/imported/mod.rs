//! What the imports of a file say about its names: which of them come from elsewhere, and from which module.

mod bounds;
mod called_on;
mod globals;
mod inherited;
mod known;
mod made_values;
mod meaning;
mod modules;
pub(super) mod packages;
mod resolve;
mod returned;
mod rust;
mod source;

pub(super) use called_on::{CalledOn, every_place_asks, stands_alone, types_called_on};
pub(super) use known::{KnownTree, is_telling};
pub(super) use meaning::{Meaning, NamePlace};
pub(super) use source::{NameSources, sources_on};
