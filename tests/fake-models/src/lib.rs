//! A scripted model server for tests: Anthropic Messages, OpenAI Responses and Chat Completions, and Gemini, streamed
//! or whole, on loopback only.
//!
//! Without a script every request is answered by a vote for the change, in the form that the client asked for. Rules
//! ([`Rule`]) match requests by their order and text, and say what is answered instead: another vote, prose, a tool call,
//! an HTTP error, a hang, a cut. Every request is kept ([`Record`]) with how much of its prompt a provider's cache
//! would have held, and how many others were under way.
//!
//! ```
//! use council_fake_models::{FakeModels, Reply, Rule};
//!
//! let models = FakeModels::start([
//!     Rule::on(Reply::status(529)).containing("judge of security").times(2),
//!     Rule::on(Reply::vote("FAIL")).containing("judge of security"),
//! ])?;
//! assert!(models.url().starts_with("http://127.0.0.1:"));
//! assert_eq!(models.records().len(), 0);
//! # Ok::<(), std::io::Error>(())
//! ```

mod answer;
mod api;
mod ask;
mod http;
mod journal;
mod script;
mod server;
#[cfg(test)]
mod tests;

pub use ask::{Api, Ask};
pub use journal::{Record, Stats};
pub use script::{Fault, Match, Reply, Rule, Script, Stop, Tokens, Tool, Window};
pub use server::FakeModels;
