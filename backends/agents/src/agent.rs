//! What thinks for a judge, as a trait.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use council_protocol::message::Usage;
use council_protocol::{
    BlobSource, Capability, CapabilitySet, Failure, JudgeSpec, Packet, Seat, Turn,
};

use crate::StopSignal;
use crate::tools::CodeTools;

/// What agents need from the process, handed to them as a value: they look nothing up for themselves.
#[derive(Clone)]
pub struct AgentContext {
    /// What is under review.
    pub packet: Arc<Packet>,
    /// The files of its two sides.
    pub blobs: Arc<dyn BlobSource>,
    /// The program's own executable; none: no process can be started under a guard.
    pub exe: Option<PathBuf>,
    /// The packet's folder (docs/run-folder.md), for agents that read files; none: there is no disk to share.
    pub folder: Option<PathBuf>,
    /// Who looks into the repository for judges that ask; none: there is nothing to look into.
    pub tools: Option<Arc<dyn CodeTools>>,
    /// The environment that we were started in; an agent passes on what [`crate::environment`] allows it.
    pub env: BTreeMap<String, OsString>,
}

/// What a seat can do with an agent on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeatProbe {
    /// What was found.
    pub capabilities: CapabilitySet,
    /// Why something is missing, for a person; may be empty.
    pub note: String,
}

/// What an agent can do at best that keeps a conversation, is read-only, answers in our schema and tells what it cost.
pub(crate) fn full_capabilities() -> CapabilitySet {
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

/// What thinks for a judge: one implementation per driver.
pub trait Agent: Send + Sync {
    /// The driver's name, as [`council_protocol::seat::AgentKind::driver`] spells it.
    fn driver_name(&self) -> &'static str;

    /// What it can do at best: its part of a grant.
    fn capabilities(&self) -> CapabilitySet;

    /// What it can do for `seat` here and now. May block; fails when the seat cannot be taken at all.
    fn probe_seat(&self, seat: &Seat) -> Result<SeatProbe, Failure>;

    /// Takes a seat. May block; a failure means that the judge was never seated.
    fn open_conversation(&self, spec: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure>;

    /// Takes a seat for a judge that holds nothing between two turns but what its agent needs to resume: a process or a
    /// request per turn. None: such a judge is opened anew for every turn.
    fn open_per_turn_conversation(
        &self,
        spec: &JudgeSpec,
    ) -> Option<Result<Box<dyn Conversation>, Failure>> {
        let _ = spec;
        None
    }

    /// Who keeps what its judges say while they say it; none: they say nothing before they answer.
    fn code_tools(&self) -> Option<Arc<dyn CodeTools>> {
        None
    }
}

/// A judge that was seated: it keeps its context from turn to turn.
pub trait Conversation: Send {
    /// Answers one turn; may block until `stop` is raised. A failure of the kind `died` ends the judge.
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure>;

    /// Its process, when it has one of its own that lives from turn to turn.
    fn pid(&self) -> Option<u32> {
        None
    }

    /// Ends it in good order; may block.
    fn end(&mut self) {}
}

/// A reply, as it came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentReply {
    /// The raw text.
    pub raw: String,
    /// What it cost, where known.
    pub usage: Option<Usage>,
}
