//! Councils on labelled changes of this repository: collecting the changes, asking the councils, counting again.

pub(crate) mod collect;
pub(crate) mod comparison;
pub(crate) mod council;
pub(crate) mod files;
pub(crate) mod labels;
pub(crate) mod mended;
mod once;
pub(crate) mod recount;
pub(crate) mod trial;
