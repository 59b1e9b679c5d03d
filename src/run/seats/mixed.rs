//! `--mixed`: as many judges of a second vendor beside those of the first.

use council_protocol::seat::AgentSpec;

use crate::config::{Config, LayerSource, ResolvedKey};
use crate::run::error::RunError;
use crate::run::seats::{SeatPlanner, SeatRequest};

/// Lets agents that cannot start give way, where a council of two vendors was configured: notes say which and why. Asked for by
/// a flag, it is an error before any judge starts.
///
/// `starts` says why an agent cannot.
pub(crate) fn drop_missing_agents(
    config: &mut Config,
    starts: impl Fn(AgentSpec) -> Result<(), String>,
) -> Result<Vec<String>, RunError> {
    let bench = SeatPlanner {
        config,
        deep: false,
    };
    if !config.settings.review.mixed || bench.is_quick() {
        return Ok(Vec::new());
    }
    let demanded = ["review.mixed", "review.agents"].map(|key| bench.is_set_by_flag(key));
    let (mut here, mut notes) = (Vec::new(), Vec::new());
    for name in bench.default_agents() {
        match starts(bench.agent_spec(&name)?) {
            Ok(()) => here.push(name),
            Err(why) if demanded.contains(&true) => {
                let message = format!(
                    "--mixed needs judges of two vendors, but `{name}` cannot start: {why}"
                );
                return Err(RunError::usage(message)
                    .hint("leave out --mixed, or name agents that work here: --agents A,B"));
            }
            Err(why) => notes.push(format!(
                "`{name}` cannot start and does not take part: {why}"
            )),
        }
    }
    // Where nobody is left, seating them says what is wrong.
    if here.is_empty() || notes.is_empty() {
        return Ok(Vec::new());
    }
    config.settings.review.agents = here;
    Ok(notes)
}

impl SeatPlanner<'_> {
    /// The chairs of both vendors where two were asked for. Asked for by a flag and not to be had is an error; by
    /// configuration, a note.
    pub(crate) fn mix_vendors(
        &self,
        chairs: Vec<SeatRequest>,
    ) -> Result<(Vec<SeatRequest>, Option<String>), RunError> {
        if !self.settings().review.mixed || self.is_quick() {
            return Ok((chairs, None));
        }
        let named = chairs.iter().filter_map(|chair| chair.agent.clone());
        let mut names: Vec<String> = named.chain(self.default_agents()).collect();
        names.dedup();
        let agents = names.iter().map(|name| self.agent_spec(name));
        let agents = agents.collect::<Result<Vec<_>, _>>()?;
        let first = agents.first().map(|agent| agent.vendor.clone());
        let first = first.unwrap_or_default();
        let Some(second) = agents.iter().find(|agent| agent.vendor != first) else {
            return self.with_one_vendor(chairs, &first);
        };
        let own = |chair: &SeatRequest, name: &str| SeatRequest {
            agent: Some(name.to_owned()),
            model: None,
            ..chair.clone()
        };
        let of_the_second = chairs.iter().map(|chair| own(chair, &second.name));
        let of_the_first = chairs.iter().map(|chair| match &chair.agent {
            Some(_) => chair.clone(),
            None => own(chair, &agents[0].name),
        });
        let two_already = chairs.iter().any(|chair| {
            let name = chair.agent.as_ref();
            name.is_some_and(|name| agents.iter().any(|a| a.name == *name && a.vendor != first))
        });
        if two_already {
            return Ok((chairs, None));
        }
        Ok((of_the_first.chain(of_the_second).collect(), None))
    }

    /// Whether a flag says it: what is asked for so is had, or refused.
    fn is_set_by_flag(&self, key: &str) -> bool {
        let origin = self.config.entry(key).and_then(ResolvedKey::origin);
        origin.is_some_and(|origin| origin.source == LayerSource::Flag)
    }

    fn with_one_vendor(
        &self,
        chairs: Vec<SeatRequest>,
        vendor: &str,
    ) -> Result<(Vec<SeatRequest>, Option<String>), RunError> {
        if self.is_set_by_flag("review.mixed") {
            let message =
                format!("--mixed needs agents of two vendors, but only `{vendor}` is available");
            return Err(RunError::usage(message)
                .hint("name agents of two: --agents claude,codex")
                .hint(
                    "or set another vendor for one of them in your own configuration (`agents.NAME.vendor`)",
                ));
        }
        let note =
            format!("judges of two vendors were configured, but only `{vendor}` is available");
        Ok((chairs, Some(note)))
    }
}
