//! Built-in and loaded backends: probe, offer, select by capability, degrade in the open.

mod select;
mod survey;

use council_agents::Agents;
use council_background::Office;
use council_protocol::Backend;

pub use select::{Ask, Candidate, Choice, Pick, Probed, SelectError, Selection, select};
pub use survey::{Survey, survey};

/// The backend whose judges are processes of their own, joined by the run's files.
pub const WORKERS: &str = "background";

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

/// What built-in backends are made from.
pub struct Kit {
    /// The agents that they are to hold.
    pub agents: Agents,
    /// How a worker is started; none: there are no worker processes.
    pub office: Option<Office>,
}

/// Makes a backend.
type Make = fn(&Kit) -> Box<dyn Backend>;

/// The built-in backends in the order of preference, with what a person should know: one line per backend.
const BUILT_IN: [(&str, Make); 4] = [
    ("live judges, kept across rounds", |kit| {
        council_teams::teams(kit.agents.clone())
    }),
    ("a fresh judge for every turn", |kit| {
        council_subagents::subagents(kit.agents.clone())
    }),
    ("worker processes, joined by the run's files", |kit| {
        council_background::background(kit.office.clone())
    }),
    ("one after another; always there", |kit| {
        council_inline::inline(kit.agents.clone())
    }),
];

/// The built-in backends, those that are preferred first.
pub fn built_in(kit: &Kit) -> Vec<Listed> {
    let listed = |(about, make): (&str, Make)| {
        let backend = make(kit);
        Listed {
            name: backend.manifest().name,
            origin: Origin::BuiltIn,
            about: about.to_owned(),
            backend,
        }
    };
    BUILT_IN.into_iter().map(listed).collect()
}
