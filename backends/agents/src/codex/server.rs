//! One `codex app-server` for all judges of a client: a thread each (clients.md 4.4).

use std::path::{Path, PathBuf};
use std::time::Duration;

use council_protocol::seat::Client;
use council_protocol::{Failure, FailureKind};
use serde_json::{Value, json};

use crate::client::{Desk, said};
use crate::rpc::{Dialect, Ear, Peer};

/// How long it has to start, and to answer what is no turn.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// How long it has to end by itself.
const GOODBYE: Duration = Duration::from_secs(2);

pub(crate) const DIALECT: Dialect = Dialect {
    name: "codex",
    is_versioned: false,
    topic: "threadId",
    answer: refuse,
};

/// A live app-server; it ends with the last judge that it serves.
pub(super) struct Server {
    pub(super) peer: Peer,
    client: Client,
    room: Option<PathBuf>,
    pub(super) desk: Desk,
}

impl Server {
    pub(super) fn start(
        client: &Client,
        room: Option<PathBuf>,
        argv: &[String],
        desk: Desk,
    ) -> Result<Self, Failure> {
        let mut argv = argv.to_vec();
        argv.push("app-server".to_owned());
        let peer = Peer::start(&desk.exe, &desk.program(&argv), DIALECT)?;
        let server = Self {
            peer,
            client: client.clone(),
            room,
            desk,
        };
        let version = env!("CARGO_PKG_VERSION");
        let info = json!({ "name": "git-council", "title": "git-council", "version": version });
        let ear = Ear::new();
        server.call(&ear, "initialize", &json!({ "clientInfo": info }))?;
        server.peer.tell("initialized", &json!({}));
        Ok(server)
    }

    /// Whether it can serve another judge of this client in this room.
    pub(super) fn serves(&self, client: &Client, room: Option<&Path>) -> bool {
        !self.peer.is_over() && self.client == *client && self.room.as_deref() == room
    }

    /// Asks and waits; an error of the server is a judge that cannot sit.
    pub(super) fn call(&self, ear: &Ear, method: &str, params: &Value) -> Result<Value, Failure> {
        self.peer
            .call(ear, method, params, PATIENCE)?
            .map_err(|error| {
                let detail = format!("codex refused {method}: {}", said(&error.message));
                Failure::new(FailureKind::Spawn, detail)
            })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.peer.finish(GOODBYE);
    }
}

/// Whatever it asks leave for, a judge has none.
fn refuse(method: &str, _: &Value, _: &Path) -> Option<Value> {
    match method {
        "item/commandExecution/requestApproval" | "item/fileChange/requestApproval" => {
            Some(json!({ "decision": "decline" }))
        }
        "execCommandApproval" | "applyPatchApproval" => Some(json!({ "decision": "denied" })),
        _ => None,
    }
}
