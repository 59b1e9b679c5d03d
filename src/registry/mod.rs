//! Built-in and loaded backends: probe, offer, select by capability, degrade in the open.

mod select;
mod survey;

use council_agents::Agents;
use council_protocol::Backend;

pub use select::{Ask, Candidate, Choice, Pick, SelectError, Selection, select};
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

/// The built-in backends in the order of preference: one line per backend.
const BUILT_IN: [(&str, &str, fn(Agents) -> Box<dyn Backend>); 2] = [
    (
        "teams",
        "live judges, one conversation each, kept across rounds",
        council_teams::teams,
    ),
    (
        "inline",
        "in this process, one after another; always there",
        council_inline::inline,
    ),
];

/// The built-in backends, those that are preferred first.
pub fn built_in(agents: &Agents) -> Vec<Listed> {
    let listed = |(name, about, make): (&str, &str, fn(Agents) -> Box<dyn Backend>)| Listed {
        name: name.to_owned(),
        origin: Origin::BuiltIn,
        about: about.to_owned(),
        backend: make(agents.clone()),
    };
    BUILT_IN.into_iter().map(listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_name_is_the_name_of_the_manifest() {
        for listed in built_in(&Agents::of(Vec::new())) {
            assert_eq!(listed.name, listed.backend.manifest().name);
        }
    }
}
