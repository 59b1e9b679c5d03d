//! A backend in Rust as a shared library: the program's own live judges (`backends/teams`) behind the C interface.
//!
//! It reads the packet from the run's folder, as any plugin may, and seats built-in judges over it. The few lines below
//! are all that the SDK asks for; `export_backend!` makes the rest.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use council_agents::{AgentContext, AgentTable};
use council_sdk::protocol::change::BlobError;
use council_sdk::protocol::message::{Hello, Manifest, Message};
use council_sdk::protocol::{
    BlobSource, JudgeId, JudgeSpec, PROTOCOL_VERSION, Packet, RepoPath, Side,
};
use council_sdk::{Backend, BackendError, Sink};
use council_teams::teams_backend;
use serde::Deserialize;
use serde::de::DeserializeOwned;

council_sdk::export_backend!(Teams);

/// Live judges, once it is open.
#[derive(Default)]
struct Teams(Option<Box<dyn Backend>>);

impl Teams {
    fn live(&mut self) -> Result<&mut Box<dyn Backend>, BackendError> {
        self.0.as_mut().ok_or(BackendError::Closed)
    }
}

impl Backend for Teams {
    fn manifest(&self) -> Manifest {
        let manifest = teams_backend(AgentTable::from_agents(Vec::new())).manifest();
        Manifest {
            name: "teams-plugin".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            ..manifest
        }
    }

    fn open(&mut self, hello: Hello, sink: Sink) -> Result<(), BackendError> {
        if !hello.protocols.contains(&PROTOCOL_VERSION) {
            return Err(BackendError::Other(format!(
                "this backend speaks protocol {PROTOCOL_VERSION} only"
            )));
        }
        let folder = hello.folder.as_deref();
        let folder = folder.ok_or_else(|| {
            BackendError::Other("the packet is read from the run's folder".into())
        })?;
        let workshop = Arc::new(AgentContext {
            packet: Arc::new(read_json::<Packet>(&folder.join("packet.json"))?),
            blobs: Arc::new(Blobs::read(folder)?),
            exe: None,
            folder: Some(folder.to_path_buf()),
            tools: None,
            env: Default::default(),
        });
        self.0
            .insert(teams_backend(AgentTable::new(&workshop)))
            .open(hello, sink)
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        self.live()?.spawn(spec)
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        self.live()?.send(message)
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.live()?.cancel(judge)
    }

    fn shutdown(&mut self, judge: &JudgeId, grace_ms: u64) -> Result<(), BackendError> {
        self.live()?.shutdown(judge, grace_ms)
    }

    fn close(&mut self) -> Result<(), BackendError> {
        self.0.take().map_or(Ok(()), |mut live| live.close())
    }
}

fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T, BackendError> {
    let unreadable = |error: &dyn std::fmt::Display| {
        BackendError::Other(format!("cannot read {}: {error}", file.display()))
    };
    let json = fs::read(file).map_err(|error| unreadable(&error))?;
    serde_json::from_slice(&json).map_err(|error| unreadable(&error))
}

/// Both sides of every changed text file, as `docs/run-folder.md` describes them.
struct Blobs {
    folder: PathBuf,
    index: Index,
}

#[derive(Deserialize)]
struct Index {
    version: u32,
    files: Vec<File>,
}

/// A changed file, and under which names its sides lie in `blobs/`.
#[derive(Deserialize)]
struct File {
    path: RepoPath,
    old_path: Option<RepoPath>,
    old: Option<String>,
    new: Option<String>,
}

impl Blobs {
    fn read(folder: &Path) -> Result<Self, BackendError> {
        let index: Index = read_json(&folder.join("files.json"))?;
        if index.version != 1 {
            return Err(BackendError::Other(format!(
                "files.json has version {}",
                index.version
            )));
        }
        Ok(Self {
            folder: folder.join("blobs"),
            index,
        })
    }

    fn name(&self, side: Side, path: &RepoPath) -> Option<&str> {
        self.index.files.iter().find_map(|file| match side {
            Side::Old if file.old_path.as_ref().unwrap_or(&file.path) == path => {
                file.old.as_deref()
            }
            Side::New if file.path == *path => file.new.as_deref(),
            _ => None,
        })
    }
}

impl BlobSource for Blobs {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let Some(name) = self.name(side, path) else {
            return Ok(None);
        };
        let read = fs::read(self.folder.join(name));
        let unreadable = |error: std::io::Error| BlobError {
            path: path.clone(),
            cause: error.to_string(),
        };
        read.map(|bytes| Some(bytes.into())).map_err(unreadable)
    }

    fn has_blobs(&self) -> bool {
        self.index
            .files
            .iter()
            .any(|file| file.old.is_some() || file.new.is_some())
    }
}
