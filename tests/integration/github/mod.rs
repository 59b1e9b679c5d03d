//! A pull request from its number to its verdict on every surface, against a forge on loopback that knows GitHub's rules.

mod beside;
mod claims;
mod conversations;
mod duplicates;
mod endings;
mod events;
mod faults;
mod matrix;
mod occasions;
mod openapi;
mod orders;
mod proxy;
mod register;
mod remembered;
mod returned;
mod routes;
mod server;
mod stage;
mod standing;
mod state;
mod surfaces;
mod threats;
mod told;
mod two_problems;
mod updates_by_rules;
