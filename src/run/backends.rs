//! What a council is convened with: agents over a packet, backends that hold them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use council_agents::environment::is_forbidden;
use council_agents::tools::CodeTools;
use council_agents::{AgentContext, AgentTable, SeatProbe};
use council_background::WorkerCommand;
use council_protocol::change::NoBlobs;
use council_protocol::message::Hello;
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::task::Framing;
use council_protocol::{BlobSource, Coverage, Failure, JudgeId, PROTOCOL_VERSION, Packet, Seat};

use crate::registry::{
    self, BackendCandidate, BackendChoice, BackendKit, BackendRequest, BackendSelection,
    BackendSurvey, ListedBackend, ProbeResult, select_backend, unavailable_judges,
};
use crate::session::SessionBackend;
use crate::session::worker::PACKET_FOLDER;

use crate::config::{BackendSettings, Settings};
use crate::git::RepositoryPaths;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::plugins;

/// How long backends have to open and to answer probes.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// What the judges of a run are given to work with.
pub(crate) struct BackendTable {
    pub(crate) kit: BackendKit,
    hello: Hello,
    plugins: Vec<(String, BackendSettings)>,
    /// The worktree under review, in which no plugin may lie.
    repository: Option<PathBuf>,
}

impl BackendTable {
    /// A table for a packet; `folder` is the run's.
    pub(crate) fn for_packet(
        start: &RunContext,
        packet: Arc<Packet>,
        blobs: Arc<dyn BlobSource>,
        run: &str,
        folder: Option<PathBuf>,
        tools: Option<Arc<dyn CodeTools>>,
    ) -> Self {
        let hello = Hello {
            protocols: vec![PROTOCOL_VERSION],
            run: run.to_owned(),
            folder: folder.clone(),
            config: serde_json::Value::Null,
        };
        let office = start.program.clone().map(|exe| WorkerCommand {
            exe,
            env: agent_environment(start),
        });
        let kit = BackendKit {
            agents: agents_over(start, packet, blobs, folder, tools),
            office,
        };
        Self {
            kit,
            hello,
            plugins: Vec::new(),
            repository: None,
        }
    }

    /// A table without a change, to see what there is.
    pub(crate) fn without_change(start: &RunContext) -> Self {
        // A folder to probe with: nothing is written to it.
        let folder = Some(start.temporary.clone());
        Self::for_packet(
            start,
            Arc::new(empty_packet()),
            Arc::new(NoBlobs),
            "",
            folder,
            None,
        )
    }

    /// Whether an agent can be used here at all, and what it says of itself.
    pub(crate) fn probe_agent(&self, agent: AgentSpec) -> Result<SeatProbe, Failure> {
        let seat = Seat {
            judge: JudgeId(agent.name.clone()),
            perspective: Perspective::default(),
            agent,
        };
        let found = self.kit.agents.find_agent(&seat.agent.kind);
        found.and_then(|agent| agent.probe_seat(&seat))
    }

    /// With every plugin of the configuration, to say what each can do.
    pub(crate) fn with_plugins(mut self, settings: &Settings, repository: Option<PathBuf>) -> Self {
        let all = settings.backends.iter();
        self.plugins = all
            .map(|(name, plugin)| (name.clone(), plugin.clone()))
            .collect();
        self.repository = repository;
        self
    }

    /// With the plugins that a council of these seats may be held by.
    pub(crate) fn with_needed_plugins(
        self,
        settings: &Settings,
        repository: Option<PathBuf>,
        seats: &[Seat],
        choice: &BackendChoice,
    ) -> Self {
        let mut table = self.with_plugins(settings, repository);
        table
            .plugins
            .retain(|(name, _)| needs_plugin(name, seats, choice));
        table
    }

    /// The backends that there are, those that are preferred first, and why a plugin is not among them.
    pub(crate) fn list_backends(
        &self,
        start: &RunContext,
    ) -> (Vec<ListedBackend>, Vec<(String, RunError)>) {
        let mut listed = registry::built_in_backends(&self.kit);
        let mut failed = Vec::new();
        for (name, settings) in &self.plugins {
            match plugins::load_plugin(name, settings, self.repository.clone(), start) {
                Ok(plugin) => listed.push(plugin),
                Err(error) => failed.push((name.clone(), error)),
            }
        }
        (listed, failed)
    }

    /// Asks every backend what it can do for every seat.
    pub(crate) fn survey_seats(&self, seats: &[Seat], start: &RunContext) -> SurveyedBackends {
        let (listed, failed) = self.list_backends(start);
        let agents = &self.kit.agents;
        SurveyedBackends {
            survey: registry::survey_backends(listed, &self.hello, seats, agents, PROBE_TIMEOUT),
            asked: seats.to_vec(),
            plugins: self.plugins.iter().map(|(name, _)| name.clone()).collect(),
            failed,
        }
    }
}

/// Backends that said what they can do for every seat.
pub(crate) struct SurveyedBackends {
    survey: BackendSurvey,
    asked: Vec<Seat>,
    /// The names of those that are plugins.
    plugins: Vec<String>,
    /// Plugins that could not be loaded, and why.
    failed: Vec<(String, RunError)>,
}

impl SurveyedBackends {
    /// Which backend holds these seats: the one selection, whoever asks for it. A plugin that takes no part in it changes
    /// nothing, and neither does one that cannot be loaded, unless nothing else is left.
    pub(crate) fn select_for(
        &self,
        seats: &[Seat],
        request: &BackendRequest,
        choice: &BackendChoice,
    ) -> Result<BackendSelection, RunError> {
        let candidates = self.takers_of(seats, choice);
        select_backend(&candidates, request, choice).map_err(|error| {
            let mut failed = self.failed.iter();
            let failed = failed.find(|(name, _)| needs_plugin(name, seats, choice));
            failed.map_or_else(|| error.into(), |(_, error)| error.clone())
        })
    }

    /// Agents of these seats that no backend can start, each once, and why.
    pub(crate) fn unavailable_agents(
        &self,
        seats: &[Seat],
        choice: &BackendChoice,
    ) -> Vec<(String, String)> {
        let candidates = self.takers_of(seats, choice);
        let mut lacking: Vec<(String, String)> = Vec::new();
        for (judge, failure) in unavailable_judges(&candidates) {
            let seat = seats.iter().find(|seat| seat.judge == *judge);
            let agent = seat.map_or(judge.as_str(), |seat| seat.agent.name.as_str());
            if !lacking.iter().any(|(other, _)| other == agent) {
                lacking.push((agent.to_owned(), failure.detail.clone()));
            }
        }
        lacking
    }

    /// What each backend that takes part in the selection can do for these seats.
    fn takers_of(&self, seats: &[Seat], choice: &BackendChoice) -> Vec<BackendCandidate> {
        let takes_part = |name: &str| {
            !self.plugins.iter().any(|plugin| plugin == name) || needs_plugin(name, seats, choice)
        };
        let mut candidates = self.candidates_for(seats);
        candidates.retain(|candidate| takes_part(&candidate.name));
        candidates
    }

    /// What each backend can do for these seats, by what it said of their agents.
    pub(crate) fn candidates_for(&self, seats: &[Seat]) -> Vec<BackendCandidate> {
        let said = |answers: &[(JudgeId, ProbeResult)], seat: &Seat| {
            let at = self.asked.iter().position(|asked| is_alike(asked, seat))?;
            Some((seat.judge.clone(), answers.get(at)?.1.clone()))
        };
        let of = |candidate: &BackendCandidate| BackendCandidate {
            seats: candidate
                .seats
                .as_ref()
                .map_err(Clone::clone)
                .map(|answers| {
                    seats
                        .iter()
                        .filter_map(|seat| said(answers, seat))
                        .collect()
                }),
            ..candidate.clone()
        };
        self.survey.candidates.iter().map(of).collect()
    }

    /// Why plugins could not be loaded.
    pub(crate) fn failures(&self) -> impl Iterator<Item = &RunError> {
        self.failed.iter().map(|(_, error)| error)
    }

    /// Hands over the backends of a selection, the best first.
    pub(crate) fn into_offers(self, selection: &BackendSelection) -> Vec<SessionBackend> {
        self.survey.into_offers(selection)
    }
}

/// Whether a backend says the same of two seats: an agent is what it is on any of them; built-in judges differ by what they
/// look for.
pub(crate) fn is_alike(one: &Seat, other: &Seat) -> bool {
    let is_ruled = matches!(one.agent.kind, AgentKind::Builtin { .. });
    one.agent == other.agent && (!is_ruled || one.perspective.name == other.perspective.name)
}

/// Whether a plugin may hold these seats: it was asked for by name, or no name was given and a seat's agent is one that only
/// plugins can run. A plugin never takes part unasked.
pub(crate) fn needs_plugin(name: &str, seats: &[Seat], choice: &BackendChoice) -> bool {
    match choice {
        BackendChoice::Named(named) => named == name,
        BackendChoice::Automatic => {
            let of_plugin = |seat: &Seat| matches!(seat.agent.kind, AgentKind::Backend {});
            seats.iter().any(of_plugin)
        }
    }
}

/// The agents' table over a packet; `folder` is the run's.
pub(crate) fn agents_over(
    start: &RunContext,
    packet: Arc<Packet>,
    blobs: Arc<dyn BlobSource>,
    folder: Option<PathBuf>,
    tools: Option<Arc<dyn CodeTools>>,
) -> AgentTable {
    let mut context = agent_context(start, packet, blobs, folder);
    context.tools = tools;
    AgentTable::new(&Arc::new(context))
}

/// Begins what a connection to an API needs, while the change is still being looked around.
pub(crate) fn prepare_connections(seats: &[Seat], start: &RunContext) {
    let speaks_http = |seat: &Seat| matches!(seat.agent.kind, AgentKind::Http(_));
    if seats.iter().any(speaks_http) {
        council_agents::begin_http_client(&agent_environment(start));
    }
}

/// What a program needs that is asked for nothing but its version.
pub(crate) fn bare_agent_context(start: &RunContext) -> AgentContext {
    agent_context(start, Arc::new(empty_packet()), Arc::new(NoBlobs), None)
}

fn agent_context(
    start: &RunContext,
    packet: Arc<Packet>,
    blobs: Arc<dyn BlobSource>,
    folder: Option<PathBuf>,
) -> AgentContext {
    AgentContext {
        packet,
        blobs,
        // Without it no process can be started under a guard, and the agents' probes say so.
        exe: start.program.clone(),
        folder: folder.map(|run| run.join(PACKET_FOLDER)),
        tools: None,
        env: agent_environment(start),
    }
}

/// Our environment without the tokens that no judge may see.
fn agent_environment(start: &RunContext) -> BTreeMap<String, OsString> {
    let named = |(name, value): (OsString, _)| Some((name.into_string().ok()?, value));
    let vars = start.environment.vars().filter_map(named);
    vars.filter(|(name, _)| !is_forbidden(name)).collect()
}

/// The worktree that we were started in, if it is one.
pub(crate) fn find_worktree(start: &RunContext) -> Option<PathBuf> {
    RepositoryPaths::discover(&start.dir, &start.git_environment())
        .ok()?
        .workdir
}

/// A packet without a change.
pub(crate) fn empty_packet() -> Packet {
    let target = Target {
        kind: TargetKind::Topic,
        label: String::new(),
        slug: String::new(),
        base: None,
        head: None,
        only: Vec::new(),
    };
    Packet {
        version: PACKET_VERSION,
        target,
        files: Vec::new(),
        instructions: Vec::new(),
        coverage: Coverage::default(),
        framing: Framing::default(),
    }
}
