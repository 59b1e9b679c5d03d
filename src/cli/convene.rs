//! What a council is convened with: agents over a packet, backends that hold them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use council_agents::{Agents, Workshop};
use council_protocol::change::NoBlobs;
use council_protocol::message::Hello;
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::task::Framing;
use council_protocol::{BlobSource, Coverage, PROTOCOL_VERSION, Packet, Seat};

use crate::registry::{self, Listed, Survey};

use super::Start;

/// How long backends have to open and to answer probes.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the judges of a run are given to work with.
pub(crate) struct Table {
    pub(crate) agents: Agents,
    hello: Hello,
}

impl Table {
    /// A table for a packet; `folder` is the run's.
    pub(crate) fn lay(
        start: &Start,
        packet: Arc<Packet>,
        blobs: Arc<dyn BlobSource>,
        run: &str,
        folder: Option<PathBuf>,
    ) -> Self {
        let named =
            |(name, value): (std::ffi::OsString, _)| Some((name.into_string().ok()?, value));
        let workshop = Workshop {
            packet,
            blobs,
            // Without it no process can be started under a guard, and the agents' probes say so.
            exe: std::env::current_exe().ok(),
            folder: folder.clone(),
            env: start.environment.vars().filter_map(named).collect(),
        };
        let hello = Hello {
            protocols: vec![PROTOCOL_VERSION],
            run: run.to_owned(),
            folder,
            config: serde_json::Value::Null,
        };
        Self {
            agents: Agents::new(&Arc::new(workshop)),
            hello,
        }
    }

    /// A table without a change, to see what there is.
    pub(crate) fn bare(start: &Start) -> Self {
        let target = Target {
            kind: TargetKind::Topic,
            label: String::new(),
            slug: String::new(),
            base: None,
            head: None,
        };
        let packet = Packet {
            version: PACKET_VERSION,
            target,
            files: Vec::new(),
            instructions: Vec::new(),
            coverage: Coverage::default(),
            framing: Framing::default(),
        };
        Self::lay(start, Arc::new(packet), Arc::new(NoBlobs), "", None)
    }

    /// The backends that there are, those that are preferred first.
    pub(crate) fn backends(&self) -> Vec<Listed> {
        registry::built_in(&self.agents)
    }

    /// Asks every backend what it can do for every seat.
    pub(crate) fn survey(&self, seats: &[Seat]) -> Survey {
        registry::survey(self.backends(), &self.hello, seats, &self.agents, PATIENCE)
    }
}
