//! The engine from outside: scenarios, and laws over random councils.

mod bad_input;
mod check;
mod claims;
mod cross_examination;
mod debate;
mod debate_evidence;
mod end;
mod first_round;
mod id_laws;
mod laws;
mod lost_answers;
mod neighbours;
mod placeless;
mod play;
mod proof;
mod proof_about;
mod references;
mod rules_laws;
mod says;
mod seen;
mod simulation;
mod staged;
mod support;
mod support_laws;
mod verdict;
mod world;
