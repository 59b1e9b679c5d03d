//! The driver for every agent that speaks the Agent Client Protocol: one process and one session per
//! judge. What differs between agents stands in a table; what the protocol cannot promise is asked for and looked at.

mod clock;
mod messages;
mod permission;
mod quirks;
mod session;

use std::path::PathBuf;
use std::sync::Arc;

use council_protocol::{Capability, CapabilitySet, Failure, FailureKind, JudgeSpec, Seat};

pub(crate) use self::messages::decode_params as told;
use self::quirks::{AgentQuirks, ReadOnlyMode};
pub(crate) use self::session::DIALECT;
use crate::client::{self, AgentEnv};
use crate::known::EffortFlag;
use crate::private;
use crate::process::spawn_failure;
use crate::tools::CodeTools;
use crate::{Agent, AgentContext, Conversation, SeatProbe};

/// Any agent behind the protocol.
pub(crate) struct AcpAgent(pub(crate) Arc<AgentContext>);

impl Agent for AcpAgent {
    fn driver_name(&self) -> &'static str {
        "acp"
    }

    fn code_tools(&self) -> Option<Arc<dyn CodeTools>> {
        self.0.tools.clone()
    }

    /// The protocol has no output schema, and not every agent loads a session again.
    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([
            Capability::Spawn,
            Capability::Message,
            Capability::Shutdown,
            Capability::ReadOnly,
            Capability::Cost,
        ])
    }

    fn probe_seat(&self, seat: &Seat) -> Result<SeatProbe, Failure> {
        let client = client::client_of(seat, self.driver_name())?;
        client::find_installed(&self.0, seat, client)?;
        let quirks = quirks::find_quirks(&client.argv);
        if let (Some(model), None) = (&seat.agent.model, quirks.model_flag) {
            let detail = format!(
                "`{}` cannot be told its model by us: leave out `{model}`, or put it into `agents.{}.command`",
                client.argv[0], seat.agent.name
            );
            return Err(Failure::new(FailureKind::Unsupported, detail));
        }
        let mut capabilities = self.capabilities();
        let mut notes = Vec::new();
        if matches!(quirks.read_only, ReadOnlyMode::No) {
            capabilities.remove(&Capability::ReadOnly);
            notes.push("nothing but our refusals keeps it from writing");
        }
        notes.push(client::login_note(&self.0, &quirks.login));
        notes.retain(|note| !note.is_empty());
        Ok(SeatProbe {
            capabilities,
            note: notes.join("; "),
        })
    }

    fn open_conversation(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        self.probe_seat(&spec.seat)?;
        let client = client::client_of(&spec.seat, self.driver_name())?;
        let quirks = quirks::find_quirks(&client.argv);
        let mut agent_env = AgentEnv::prepare(&self.0, spec, client, &quirks.login)?;
        self.populate_home(&mut agent_env, quirks)
            .map_err(|error| spawn_failure(&client.argv[0], &error))?;
        let mut argv = client.argv.clone();
        if let (Some(flag), Some(model)) = (quirks.model_flag, &spec.seat.agent.model) {
            argv.extend([flag.to_owned(), model.clone()]);
        }
        Ok(Box::new(session::AcpSession::start(
            spec, &argv, quirks, agent_env,
        )?))
    }
}

/// The option by which the agent that is started so is told how much its model thinks; none: none is known.
pub(crate) fn effort_flag(argv: &[String]) -> Option<&'static EffortFlag> {
    quirks::find_quirks(argv).effort_flag.as_ref()
}

impl AcpAgent {
    /// Folders, files and variables of its own, and the user's login by reference where no key signs it in.
    fn populate_home(&self, agent_env: &mut AgentEnv, quirks: &AgentQuirks) -> std::io::Result<()> {
        let has_key = client::has_key(&self.0, &quirks.login);
        for (name, folder) in quirks.folders {
            let folder = agent_env.home.path().join(folder);
            private::make_folder(&folder)?;
            agent_env.set_variable(name, folder);
        }
        for (path, with_key, with_login) in quirks.files {
            agent_env.write_file(path, if has_key { with_key } else { with_login })?;
        }
        for (name, value) in quirks.variables {
            agent_env.set_variable(name, *value);
        }
        let logins = quirks.logins.iter().filter(|_| !has_key);
        for (theirs, ours) in logins {
            let theirs = client::in_users_home(&self.0, theirs).filter(|path| path.exists());
            if let Some(theirs) = theirs {
                let ours: PathBuf = agent_env.home.path().join(ours);
                if let Some(parent) = ours.parent() {
                    private::make_folder(parent)?;
                }
                agent_env.allow_path(theirs.clone());
                std::os::unix::fs::symlink(theirs, ours)?;
            }
        }
        Ok(())
    }
}
