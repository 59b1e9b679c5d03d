//! A seat that was planned elsewhere: its file names an agent, and this job's own configuration says what that is.
//!
//! The folder of a run is an artefact that other jobs wrote. A program, a server, a model's key or the folder to work in that
//! stand in it are theirs, and are not believed.

use council_protocol::JudgeSpec;
use council_protocol::seat::{AgentKind, AgentSpec};

use crate::config::{KeyValue, resolve_layers};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::layers;
use crate::run::seats::SeatPlanner;

const HINT: &str = "give this job the configuration that the plan had: only an agent's name is taken from a run's folder";

/// The same seat with the agent as this job's configuration has it. Built-in judges start nothing: their rules stay.
pub(crate) fn seat_of_job(start: &RunContext, spec: JudgeSpec) -> Result<JudgeSpec, RunError> {
    let mut spec = JudgeSpec { room: None, ..spec };
    if matches!(spec.seat.agent.kind, AgentKind::Builtin { .. }) {
        return Ok(spec);
    }
    let planned = spec.seat.agent;
    let name = planned.name.clone();
    let configured = configured_agent(start, &name).map_err(|error| {
        let (judge, why) = (&spec.seat.judge, error.message);
        let cannot = format!("{judge} is the agent `{name}`, which cannot sit in this job: {why}");
        RunError::usage(cannot).hint(HINT)
    })?;
    let model = planned.model.filter(|model| is_plain_name(model));
    spec.seat.agent = AgentSpec {
        model: model.or(configured.model),
        ..configured
    };
    Ok(spec)
}

/// Who starts this command has the agent sit, as if it had been asked for by name.
fn configured_agent(start: &RunContext, name: &str) -> Result<AgentSpec, RunError> {
    let mut flags = start.config.clone();
    flags.push(KeyValue {
        key: "review.agents".to_owned(),
        value: name.to_owned(),
        place: "seat.json".to_owned(),
    });
    let config = resolve_layers(&layers::user_layers(&start.environment, flags)?)?;
    let planner = SeatPlanner {
        config: &config,
        deep: false,
    };
    planner.agent_in_turn(Some(name), 0)
}

/// Whether a model's name can be nothing but one: no option of a command.
fn is_plain_name(model: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.:/@[]".contains(&b);
    !model.starts_with('-') && model.len() <= 128 && model.bytes().all(is_plain)
}
