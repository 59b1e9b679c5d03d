//! What needs no forge: the plan, and how a forge's replies are taken.

mod apart;
mod carry;
mod comment;
mod hub;
mod in_doubt;
mod kept_words;
mod moves;
mod paired;
mod places;
mod plan;
mod quote_place;
mod said_words;
mod suggestion;
mod twins;
mod voices;
mod ways;
