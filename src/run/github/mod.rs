//! Pull requests as targets: how GitHub is reached from here, what is reviewed, and what is published.

pub(crate) mod claim;
pub(crate) mod earlier;
pub(crate) mod failed_commit;
pub(crate) mod inspect;
pub(crate) mod meanwhile;
pub(crate) mod open_check;
pub(crate) mod publishing;
mod question;
pub(crate) mod replies;
pub(crate) mod request;
pub(crate) mod review;
pub(crate) mod scope;
pub(crate) mod session;
pub(crate) mod subject;
