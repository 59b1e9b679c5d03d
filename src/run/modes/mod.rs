//! Councils of another kind: documents instead of verdicts, and judges in jobs of their own.

pub(crate) mod document;
pub(crate) mod duel;
mod duel_bench;
pub(crate) mod duel_check;
pub(crate) mod duel_cut;
pub(crate) mod duel_news;
mod duel_report;
mod duel_run;
mod duel_side;
pub(crate) mod duel_so_far;
pub(crate) mod duel_subject;
mod foreign_side;
pub(crate) mod matrix;
pub(crate) mod requested;
pub(crate) mod side_log;
mod side_purse;
mod sides;
pub(crate) mod stage;
pub(crate) mod topic;
mod written_source;
