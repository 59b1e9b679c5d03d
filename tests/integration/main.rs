//! Everything that crosses crates, in one binary: the program at a terminal, and the house rules over the sources.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod backends;
mod bounds;
mod bundle;
mod checkout;
mod circles;
mod citizen;
mod clients;
mod configuration;
mod detach;
mod duel;
mod elsewhere;
mod examination;
mod faults;
mod fuzz;
mod github;
mod guard;
mod harness;
mod history;
mod hook;
mod hook_files;
mod hostile;
mod injection;
mod killed;
mod links;
mod lookups;
mod mailbox;
mod memory;
mod models;
mod packet;
mod plugins;
mod programs;
mod pushing;
mod recognised;
mod resume;
mod schemas;
mod secrets;
mod stage;
mod states;
mod targets;
mod terminal;
mod tidy;
mod unreadable;
mod verdicts;
mod workflows;
