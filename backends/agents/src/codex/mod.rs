//! The driver for Codex (clients.md 4): threads of one live `app-server`, or one `exec` per turn that resumes.
//!
//! Read-only always, whatever fails: there is no fallback that raises privileges (3-debate.md, "Settled contradictions").

mod exec;
mod native;
mod server;
mod thread;

use std::sync::{Arc, Mutex, PoisonError, Weak};

use council_protocol::seat::{AgentKind, Client};
use council_protocol::{Capability, CapabilitySet, Failure, FailureKind, JudgeSpec, Seat};

use self::server::AppServer;
pub(crate) use self::server::DIALECT;
use crate::client::{self, AgentEnv, ClientLogin};
use crate::process::spawn_failure;
use crate::{Agent, AgentContext, Conversation, SeatProbe};

/// What the lines of `exec` come to, for [`crate::fuzz`].
pub(crate) fn decode_lines(lines: &[u8]) {
    let _ = exec::parse_events(lines);
}

/// What the server tells of a thread, for [`crate::fuzz`].
pub(crate) fn decode_params(params: &serde_json::Value) {
    thread::decode_params(params);
}

const LOGIN: ClientLogin = ClientLogin {
    variables: &["CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
    keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
};

/// Switches that keep it quiet and deaf: no telemetry, no update check, no plugins, and no AGENTS.md of the reviewed tree
/// (clients.md 4.1, 8.4 no. 10).
const QUIET_FLAGS: [&str; 10] = [
    "-c",
    "analytics.enabled=false",
    "-c",
    "otel.metrics_exporter=\"none\"",
    "-c",
    "check_for_update_on_startup=false",
    "-c",
    "project_doc_max_bytes=0",
    "--disable",
    "plugins",
];

/// Codex.
pub(crate) struct CodexAgent {
    workshop: Arc<AgentContext>,
    /// The live servers, each with the client and room that it was started for.
    servers: Mutex<Vec<Weak<AppServer>>>,
}

impl CodexAgent {
    pub(crate) fn new(workshop: &Arc<AgentContext>) -> Self {
        Self {
            workshop: Arc::clone(workshop),
            servers: Mutex::new(Vec::new()),
        }
    }
}

impl Agent for CodexAgent {
    fn driver_name(&self) -> &'static str {
        "codex"
    }

    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::from([
            Capability::Spawn,
            Capability::Message,
            Capability::Shutdown,
            Capability::Resume,
            Capability::StructuredOutput,
            Capability::ReadOnly,
            Capability::Cost,
        ])
    }

    fn probe_seat(&self, seat: &Seat) -> Result<SeatProbe, Failure> {
        client::find_installed(&self.workshop, seat, client_of(seat)?)?;
        let note = match client::has_key(&self.workshop, &LOGIN) {
            true => String::new(),
            false => "no key in the environment: it uses its own login".to_owned(),
        };
        Ok(SeatProbe {
            capabilities: self.capabilities(),
            note,
        })
    }

    fn open_conversation(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        let server = self.server_for(spec)?;
        Ok(Box::new(thread::CodexThread::start(server, spec)?))
    }

    fn open_per_turn_conversation(
        &self,
        spec: &JudgeSpec,
    ) -> Option<Result<Box<dyn Conversation>, Failure>> {
        let open = || {
            let (desk, argv) = self.prepare_env(spec)?;
            Ok(Box::new(exec::ExecSession::new(spec, argv, desk)) as Box<dyn Conversation>)
        };
        Some(open())
    }
}

impl CodexAgent {
    /// The server for a judge: the one that serves the other judges of the same client, or a new one.
    fn server_for(&self, spec: &JudgeSpec) -> Result<Arc<AppServer>, Failure> {
        let client = client_of(&spec.seat)?;
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        servers.retain(|server| server.strong_count() > 0);
        let mut living = servers.iter().filter_map(Weak::upgrade);
        if let Some(server) = living.find(|server| server.can_serve(client, spec.room.as_deref())) {
            return Ok(server);
        }
        let (desk, argv) = self.prepare_env(spec)?;
        let server = Arc::new(AppServer::start(client, spec.room.clone(), &argv, desk)?);
        servers.push(Arc::downgrade(&server));
        Ok(server)
    }

    /// The desk, and the program with what stands before its subcommand.
    fn prepare_env(&self, spec: &JudgeSpec) -> Result<(AgentEnv, Vec<String>), Failure> {
        let client = client_of(&spec.seat)?;
        let program = client::find_installed(&self.workshop, &spec.seat, client)?;
        let mut desk = AgentEnv::prepare(&self.workshop, spec, client, &LOGIN)?;
        let home = desk.home.path().join("codex");
        let cannot = |error| spawn_failure(&client.argv[0], &error);
        std::fs::create_dir(&home).map_err(cannot)?;
        desk.set_variable("CODEX_HOME", home);
        self.sign_in(&mut desk).map_err(cannot)?;
        let mut argv = client.argv.clone();
        if let Some(native) = native::find_native(&program) {
            argv[0] = native.to_string_lossy().into_owned();
        }
        argv.extend(QUIET_FLAGS.map(str::to_owned));
        Ok((desk, argv))
    }

    /// Its home holds nothing but what signs it in: the key of the environment, or the user's own login by reference.
    fn sign_in(&self, desk: &mut AgentEnv) -> std::io::Result<()> {
        let key = LOGIN
            .keys
            .iter()
            .find_map(|name| self.workshop.env.get(*name));
        if let Some(key) = key
            .and_then(|key| key.to_str())
            .filter(|key| !key.is_empty())
        {
            let login = serde_json::json!({ "OPENAI_API_KEY": key });
            return desk.write_secret("codex/auth.json", &login.to_string());
        }
        let home = match self.workshop.env.get("CODEX_HOME") {
            Some(home) => Some(std::path::PathBuf::from(home)),
            None => client::in_users_home(&self.workshop, ".codex"),
        };
        match home
            .map(|home| home.join("auth.json"))
            .filter(|file| file.is_file())
        {
            Some(file) => {
                desk.allow_path(file.clone());
                std::os::unix::fs::symlink(file, desk.home.path().join("codex/auth.json"))
            }
            None => Ok(()),
        }
    }
}

fn client_of(seat: &Seat) -> Result<&Client, Failure> {
    match &seat.agent.kind {
        AgentKind::Codex(client) => Ok(client),
        _ => Err(Failure::new(
            FailureKind::Unsupported,
            "this driver speaks with codex only",
        )),
    }
}
