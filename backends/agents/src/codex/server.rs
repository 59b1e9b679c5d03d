//! One `codex app-server` for all judges of a client: a thread each.

use std::path::{Path, PathBuf};
use std::time::Duration;

use council_protocol::seat::Client;
use council_protocol::{Failure, FailureKind};
use serde_json::{Value, json};

use crate::client::{AgentEnv, shorten_message};
use crate::rpc::{NoticeReceiver, RpcDialect, RpcPeer};

/// How long it has to start, and to answer what is no turn.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// How long it has to end by itself.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

pub(crate) const DIALECT: RpcDialect = RpcDialect {
    name: "codex",
    is_versioned: false,
    topic: "threadId",
    answer: refuse_request,
};

/// A live app-server; it ends with the last judge that it serves.
pub(super) struct AppServer {
    pub(super) peer: RpcPeer,
    client: Client,
    room: Option<PathBuf>,
    pub(super) agent_env: AgentEnv,
}

impl AppServer {
    pub(super) fn start(
        client: &Client,
        room: Option<PathBuf>,
        argv: &[String],
        agent_env: AgentEnv,
    ) -> Result<Self, Failure> {
        let mut argv = argv.to_vec();
        argv.push("app-server".to_owned());
        let peer = RpcPeer::start(&agent_env.exe, &agent_env.guarded_program(&argv), DIALECT)?;
        let server = Self {
            peer,
            client: client.clone(),
            room,
            agent_env,
        };
        let version = env!("CARGO_PKG_VERSION");
        let info = json!({ "name": "git-council", "title": "git-council", "version": version });
        let receiver = NoticeReceiver::new();
        server.call_server(&receiver, "initialize", &json!({ "clientInfo": info }))?;
        server.peer.send_notification("initialized", &json!({}));
        Ok(server)
    }

    /// Whether it can serve another judge of this client in this workspace.
    pub(super) fn can_serve(&self, client: &Client, room: Option<&Path>) -> bool {
        !self.peer.is_over() && self.client == *client && self.room.as_deref() == room
    }

    /// Asks and waits; an error of the server is a judge that cannot sit.
    pub(super) fn call_server(
        &self,
        receiver: &NoticeReceiver,
        method: &str,
        params: &Value,
    ) -> Result<Value, Failure> {
        self.peer
            .call_method(receiver, method, params, CALL_TIMEOUT)?
            .map_err(|error| {
                let detail = format!(
                    "codex refused {method}: {}",
                    shorten_message(&error.message)
                );
                Failure::new(FailureKind::Spawn, detail)
            })
    }
}

impl Drop for AppServer {
    fn drop(&mut self) {
        self.peer.finish(EXIT_TIMEOUT);
    }
}

/// Whatever it asks leave for, a judge has none.
fn refuse_request(method: &str, _: &Value, _: &Path) -> Option<Value> {
    match method {
        "item/commandExecution/requestApproval" | "item/fileChange/requestApproval" => {
            Some(json!({ "decision": "decline" }))
        }
        "execCommandApproval" | "applyPatchApproval" => Some(json!({ "decision": "denied" })),
        _ => None,
    }
}
