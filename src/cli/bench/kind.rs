//! What thinks for an agent's name: its driver, and how that is started.

use council_agents::known::{self, Known};
use council_protocol::seat::{AgentKind, Client};

use super::{BUILT_IN, Bench, unknown};
use crate::cli::error::CliError;
use crate::config::{AgentSettings, Entry, Trust};

impl Bench<'_> {
    /// The kind of the agent `name`; `own` is its table of the configuration.
    pub(super) fn kind(
        &self,
        name: &str,
        own: Option<&AgentSettings>,
    ) -> Result<AgentKind, CliError> {
        let mut own = own.cloned().unwrap_or_default();
        let rules = self.settings().rules();
        match own.driver.take().as_deref() {
            Some("command") if own.command.is_empty() => Err(no_command(name)),
            Some("command") => Ok(AgentKind::Command {
                argv: own.command,
                env: own.env,
                format: own.format,
                sandbox: own.sandbox,
            }),
            Some("backend") => Ok(AgentKind::Backend {}),
            Some("builtin") => Ok(AgentKind::Builtin { rules }),
            Some(driver) => client(name, driver, own),
            None if name == BUILT_IN => Ok(AgentKind::Builtin { rules }),
            None => match known::known(name) {
                Some(known) if self.is_named_by_the_user(name) => client(name, known.driver, own),
                Some(known) => Err(not_seated(known)),
                None => Err(self.unknown_agent(name)),
            },
        }
    }

    /// Whether the user named the agent: a repository alone cannot make a run cost money.
    fn is_named_by_the_user(&self, name: &str) -> bool {
        let is_the_users = |key: &str| {
            let origin = self.config.entry(key).and_then(Entry::origin);
            origin.is_some_and(|origin| origin.source.trust() == Trust::User)
        };
        let review = &self.settings().review;
        let seated = || {
            self.settings()
                .judge
                .iter()
                .filter_map(|judge| judge.agent.as_deref())
        };
        (is_the_users("review.agents") && review.agents.iter().any(|agent| agent == name))
            || (is_the_users("judge") && seated().any(|agent| agent == name))
    }

    fn unknown_agent(&self, name: &str) -> CliError {
        let mut names = self.configured();
        names.push(BUILT_IN.to_owned());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        unknown("agent", name, &names)
    }
}

/// Whose model it is where nobody says so.
pub(super) fn vendor(name: &str, kind: &AgentKind) -> String {
    let known = known::known(name).or_else(|| known::of_driver(kind.driver()));
    match (kind, known) {
        (AgentKind::Builtin { .. }, _) => BUILT_IN.to_owned(),
        (_, Some(known)) if known.driver == kind.driver() => known.vendor.to_owned(),
        _ => name.to_owned(),
    }
}

/// An agent that is a program of its own.
fn client(name: &str, driver: &str, own: AgentSettings) -> Result<AgentKind, CliError> {
    let argv = match own.command.is_empty() {
        false => own.command,
        true => known::known(name)
            .filter(|known| known.driver == driver)
            .or_else(|| known::of_driver(driver))
            .map(Known::command)
            .ok_or_else(|| no_command(name))?,
    };
    let client = Client {
        argv,
        env: own.env,
        sandbox: own.sandbox,
    };
    known::kind(driver, client).ok_or_else(|| no_command(name))
}

fn no_command(name: &str) -> CliError {
    CliError::usage(format!("agent `{name}` has no command")).hint(format!(
        "set `agents.{name}.command` in your own configuration"
    ))
}

fn not_seated(known: &Known) -> CliError {
    let Known { name, driver, .. } = known;
    CliError::usage(format!("agent `{name}` is not in your own configuration"))
        .hint("a repository cannot seat an agent that may cost you money; `git council init` writes a configuration")
        .hint(format!("or set agents.{name}.driver to `{driver}`: git config --global council.agents.{name}.driver {driver}"))
}
