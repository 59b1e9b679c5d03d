//! A pull request from its number to its verdict on every surface, against a forge on loopback that knows GitHub's rules.

mod duplicates;
mod events;
mod faults;
mod matrix;
mod openapi;
mod register;
mod routes;
mod server;
mod stage;
mod state;
mod surfaces;
mod threats;
