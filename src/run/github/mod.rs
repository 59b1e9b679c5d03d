//! Pull requests as targets: how GitHub is reached from here, what is reviewed, and the check that is in progress.

pub(crate) mod claim;
pub(crate) mod earlier;
pub(crate) mod inspect;
pub(crate) mod open_check;
pub(crate) mod replies;
pub(crate) mod request;
pub(crate) mod scope;
pub(crate) mod session;
pub(crate) mod subject;
