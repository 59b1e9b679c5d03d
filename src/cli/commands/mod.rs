//! One file for each subcommand: its arguments, and what it does with them.

pub(super) mod agents;
pub(super) mod apply;
pub(super) mod backends;
pub(super) mod cache;
pub(super) mod conclude;
pub(super) mod config;
pub(super) mod dismiss;
pub(super) mod doctor;
pub(super) mod duel;
pub(super) mod explain;
pub(super) mod gc;
pub(super) mod hook;
pub(super) mod init;
pub(super) mod judge;
pub(super) mod log;
pub(super) mod man;
pub(super) mod plan;
pub(super) mod publish;
pub(super) mod replay;
pub(super) mod resume;
pub(super) mod review;
pub(super) mod schema;
pub(super) mod show;
pub(super) mod status;
pub(super) mod wait;
