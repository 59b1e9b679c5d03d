//! Built-in and loaded backends: probe, offer, select by capability, degrade in the open.

mod select;
mod survey;

use council_agents::Agents;
use council_protocol::Backend;

pub use select::{Ask, Candidate, Choice, Pick, Probed, SelectError, Selection, select};
pub use survey::{Survey, survey};

/// Where a backend comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Part of this program.
    BuiltIn,
    /// Named by trusted configuration or a flag; the words say where.
    Configured(String),
}

/// A backend that could be opened.
pub struct Listed {
    /// The name by which it is asked for.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// One sentence for a person.
    pub about: String,
    /// The backend itself, closed.
    pub backend: Box<dyn Backend>,
}

/// Makes a backend over the agents that it is to hold.
type Make = fn(Agents) -> Box<dyn Backend>;

/// The built-in backends in the order of preference, with what a person should know: one line per backend.
const BUILT_IN: [(&str, Make); 3] = [
    ("live judges, kept across rounds", council_teams::teams),
    ("a fresh judge for every turn", council_subagents::subagents),
    ("one after another; always there", council_inline::inline),
];

/// The built-in backends, those that are preferred first.
pub fn built_in(agents: &Agents) -> Vec<Listed> {
    let listed = |(about, make): (&str, Make)| {
        let backend = make(agents.clone());
        Listed {
            name: backend.manifest().name,
            origin: Origin::BuiltIn,
            about: about.to_owned(),
            backend,
        }
    };
    BUILT_IN.into_iter().map(listed).collect()
}
