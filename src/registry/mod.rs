//! Built-in and loaded backends: probe, offer, select by capability, degrade in the open.

mod select;
mod survey;

use council_agents::AgentTable;
use council_background::WorkerCommand;
use council_protocol::Backend;

pub(crate) use select::{
    BackendCandidate, BackendChoice, BackendPick, BackendRequest, BackendSelection, ProbeResult,
    SelectError, select_backend, unavailable_judges,
};
pub(crate) use survey::{BackendSurvey, survey_backends};

/// The backend whose judges are processes of their own, joined by the run's files.
pub(crate) const WORKERS: &str = "background";

/// Where a backend comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BackendOrigin {
    /// Part of this program.
    BuiltIn,
    /// Named by trusted configuration or a flag; the words say where.
    Configured(String),
}

/// A backend that could be opened.
pub(crate) struct ListedBackend {
    /// The name by which it is asked for.
    pub name: String,
    /// Where it comes from.
    pub origin: BackendOrigin,
    /// One sentence for a person.
    pub about: String,
    /// The backend itself, closed.
    pub backend: Box<dyn Backend>,
}

/// What built-in backends are made from.
pub(crate) struct BackendKit {
    /// The agents that they are to hold.
    pub agents: AgentTable,
    /// How a worker is started; none: there are no worker processes.
    pub office: Option<WorkerCommand>,
}

/// Makes a backend.
type BackendFactory = fn(&BackendKit) -> Box<dyn Backend>;

/// The built-in backends in the order of preference, with what a person should know: one line per backend.
const BUILT_IN: [(&str, BackendFactory); 4] = [
    ("live judges, kept across rounds", |kit| {
        council_teams::teams_backend(kit.agents.clone())
    }),
    ("a fresh judge for every turn", |kit| {
        council_subagents::subagents_backend(kit.agents.clone())
    }),
    ("worker processes, joined by the run's files", |kit| {
        council_background::background_backend(kit.office.clone())
    }),
    ("one after another; always there", |kit| {
        council_inline::inline_backend(kit.agents.clone())
    }),
];

/// The built-in backends, those that are preferred first.
pub(crate) fn built_in_backends(kit: &BackendKit) -> Vec<ListedBackend> {
    let listed = |(about, make): (&str, BackendFactory)| {
        let backend = make(kit);
        ListedBackend {
            name: backend.manifest().name,
            origin: BackendOrigin::BuiltIn,
            about: about.to_owned(),
            backend,
        }
    };
    BUILT_IN.into_iter().map(listed).collect()
}
