//! The driver for Codex: threads of one live `app-server`, or one `exec` per turn that resumes.
//!
//! Read-only always, whatever fails: there is no fallback that raises privileges.

mod exec;
mod native;
mod server;
mod thread;

use std::sync::{Arc, Mutex, PoisonError, Weak};

use council_protocol::{CapabilitySet, Failure, JudgeSpec, Seat};

use self::server::AppServer;
pub(crate) use self::server::DIALECT;
use crate::agent::full_capabilities;
use crate::client::{self, AgentEnv, ClientLogin, SYSTEM_PROMPT};
use crate::private;
use crate::process::spawn_failure;
use crate::tools::CodeTools;
use crate::{Agent, AgentContext, Conversation, SeatProbe};

/// What the lines of `exec` come to, for the fuzz targets.
pub(crate) fn decode_lines(lines: &[u8]) {
    let _ = exec::parse_events(lines);
}

/// What the server tells of a thread, for the fuzz targets.
pub(crate) fn decode_params(params: &serde_json::Value) {
    thread::decode_params(params);
}

const LOGIN: ClientLogin = ClientLogin {
    variables: &["CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
    keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
};

/// Switches that keep it quiet and deaf: no telemetry, no update check, no plugins, and no AGENTS.md of the reviewed tree.
///
/// A judge has no use for skills, modes, goals and pictures either. The text on skills names the home of a judge and stands
/// before the brief, so that by turns no judge could read the brief from the cache of another.
const QUIET_FLAGS: [&str; 22] = [
    "-c",
    "analytics.enabled=false",
    "-c",
    "otel.metrics_exporter=\"none\"",
    "-c",
    "check_for_update_on_startup=false",
    "-c",
    "project_doc_max_bytes=0",
    "-c",
    "skills.bundled.enabled=false",
    "-c",
    "skills.include_instructions=false",
    "-c",
    "features.goals=false",
    "-c",
    "features.sleep_tool=false",
    "-c",
    "features.image_generation=false",
    "-c",
    "include_collaboration_mode_instructions=false",
    "--disable",
    "plugins",
];

pub(crate) struct CodexAgent {
    context: Arc<AgentContext>,
    /// The live servers, each with the client and workspace that it was started for.
    servers: Mutex<Vec<Weak<AppServer>>>,
}

impl CodexAgent {
    pub(crate) fn new(context: &Arc<AgentContext>) -> Self {
        Self {
            context: Arc::clone(context),
            servers: Mutex::new(Vec::new()),
        }
    }
}

impl Agent for CodexAgent {
    fn driver_name(&self) -> &'static str {
        "codex"
    }

    fn code_tools(&self) -> Option<Arc<dyn CodeTools>> {
        self.context.tools.clone()
    }

    fn capabilities(&self) -> CapabilitySet {
        full_capabilities()
    }

    fn probe_seat(&self, seat: &Seat) -> Result<SeatProbe, Failure> {
        client::find_installed(
            &self.context,
            seat,
            client::client_of(seat, self.driver_name())?,
        )?;
        Ok(SeatProbe {
            capabilities: self.capabilities(),
            note: client::login_note(&self.context, &LOGIN).to_owned(),
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
            let (agent_env, argv) = self.prepare_env(spec)?;
            Ok(Box::new(exec::ExecSession::new(spec, argv, agent_env)) as Box<dyn Conversation>)
        };
        Some(open())
    }
}

impl CodexAgent {
    /// The server for a judge: the one that serves the other judges of the same client, or a new one.
    fn server_for(&self, spec: &JudgeSpec) -> Result<Arc<AppServer>, Failure> {
        let client = client::client_of(&spec.seat, self.driver_name())?;
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        servers.retain(|server| server.strong_count() > 0);
        let mut living = servers.iter().filter_map(Weak::upgrade);
        if let Some(server) = living.find(|server| server.can_serve(client, spec.room.as_deref())) {
            return Ok(server);
        }
        let (agent_env, argv) = self.prepare_env(spec)?;
        let server = Arc::new(AppServer::start(
            client,
            spec.room.clone(),
            &argv,
            agent_env,
        )?);
        servers.push(Arc::downgrade(&server));
        Ok(server)
    }

    /// The environment, and the program with what stands before its subcommand.
    fn prepare_env(&self, spec: &JudgeSpec) -> Result<(AgentEnv, Vec<String>), Failure> {
        let client = client::client_of(&spec.seat, self.driver_name())?;
        let program = client::find_installed(&self.context, &spec.seat, client)?;
        let mut agent_env = AgentEnv::prepare(&self.context, spec, client, &LOGIN)?;
        let home = agent_env.home.path().join("codex");
        let cannot = |error| spawn_failure(&client.argv[0], &error);
        private::make_folder(&home).map_err(cannot)?;
        agent_env.set_variable("CODEX_HOME", home);
        self.sign_in(&mut agent_env).map_err(cannot)?;
        let mut argv = client.argv.clone();
        if let Some(native) = native::find_native(&program) {
            argv[0] = native.to_string_lossy().into_owned();
        }
        argv.extend(QUIET_FLAGS.map(str::to_owned));
        Ok((agent_env, argv))
    }

    /// Its home holds nothing but what signs it in: the key of the environment, or the user's own login by reference.
    fn sign_in(&self, agent_env: &mut AgentEnv) -> std::io::Result<()> {
        let key = LOGIN
            .keys
            .iter()
            .find_map(|name| self.context.env.get(*name));
        if let Some(key) = key
            .and_then(|key| key.to_str())
            .filter(|key| !key.is_empty())
        {
            let login = serde_json::json!({ "OPENAI_API_KEY": key });
            return agent_env.write_secret("codex/auth.json", &login.to_string());
        }
        let home = match self.context.env.get("CODEX_HOME") {
            Some(home) => Some(std::path::PathBuf::from(home)),
            None => client::in_users_home(&self.context, ".codex"),
        };
        match home
            .map(|home| home.join("auth.json"))
            .filter(|file| file.is_file())
        {
            Some(file) => {
                agent_env.allow_path(file.clone());
                std::os::unix::fs::symlink(file, agent_env.home.path().join("codex/auth.json"))
            }
            None => Ok(()),
        }
    }
}

/// What its own models are not shown: they call tools from code that they write, and a server's tools stand in no list there.
const TOOL_WORDS: &str = " Beside your own tools you have five of the server `council`, which read the reviewed repository \
and its history: read_file(path, from, to), search(regex, glob), symbol(name), history(path, from, to) and list(glob). Where \
you call tools from code they are `tools.mcp__council__read_file({path: 'src/a.rs', from: 10, to: 40})` and so on, also where \
no list names them.";

/// What it is told before the conversation; the same for all judges, so that each reads the brief from another's cache.
fn instructions(has_tools: bool) -> String {
    let words = if has_tools { TOOL_WORDS } else { "" };
    format!("{SYSTEM_PROMPT}{words}")
}

/// Settings by which it starts our server for a judge. Without the last one every call needs a leave that nobody gives.
fn server_settings(server: &[String]) -> [(&'static str, serde_json::Value); 3] {
    [
        ("mcp_servers.council.command", server[0].clone().into()),
        ("mcp_servers.council.args", server[1..].to_vec().into()),
        (
            "mcp_servers.council.default_tools_approval_mode",
            "approve".into(),
        ),
    ]
}
/// What the model thinks in an item: a text, or a list of texts of its summary and its content.
fn thoughts_of_item(item: &serde_json::Value) -> Vec<String> {
    let mut thoughts = Vec::new();
    for part in [&item["text"], &item["summary"], &item["content"]] {
        let parts = part
            .as_array()
            .map_or(std::slice::from_ref(part), Vec::as_slice);
        let text =
            |part: &serde_json::Value| part.as_str().or(part["text"].as_str()).map(str::to_owned);
        thoughts.extend(parts.iter().filter_map(text));
    }
    thoughts
}
