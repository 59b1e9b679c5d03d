//! Councils that come to a document and to no verdict: a stage of a project, ideas, research. All of them are
//! a staged debate with a synthesizer.

use std::sync::Arc;

use council_protocol::answer::Contention;
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::{Capability, JudgeId, Seat};

use crate::council::Plan;
use crate::council::plan::{DebateMode, DebateSubject, Procedure, ProcedureOptions, RoundLimits};
use crate::prompt::ProductionMode;
use crate::registry::BackendRequest;
use crate::session::AnswerFiling;

use crate::run::error::RunError;
use crate::run::modes::requested::RequestedMode;

/// The seat that writes what comes out.
pub(crate) const SYNTHESIZER: &str = "synthesizer";

/// Why a judge without memory can take part in later rounds.
const AFRESH: &str = "briefed again in each round, with its earlier text";

/// Hears the log of a run.
pub(crate) type DocumentListener = Arc<dyn Fn(&str) + Send + Sync>;

/// Who gathers, and how long.
pub(crate) struct DocumentMode {
    /// The synthesizer is the last of them.
    pub(crate) seats: Vec<Seat>,
    pub(crate) mode: ProductionMode,
    pub(crate) rounds: RoundLimits,
    /// From which contention on it goes on; none: the default.
    pub(crate) threshold: Option<Contention>,
    /// Where documents go; none: among the files of the run.
    pub(crate) filing: Option<AnswerFiling>,
    /// Who hears the log; none: whoever would of a review.
    pub(crate) listener: Option<DocumentListener>,
    /// What was asked for: whoever goes on with the run does the same.
    pub(crate) asked: RequestedMode,
}

impl DocumentMode {
    /// Every seat can be had where judges can be seated at all: a fresh agent can take part in every round.
    pub(crate) fn backend_request(judges: usize) -> BackendRequest {
        BackendRequest {
            procedure: Procedure::Staged,
            debate: DebateMode::Off,
            judges,
        }
    }

    /// The plan of a council as one of this gathering.
    pub(crate) fn shape_plan(&self, mut plan: Plan) -> Plan {
        plan.procedure = Procedure::Staged;
        for planned in &mut plan.seats {
            let grant = &mut planned.grant;
            if !grant.granted.has(&Capability::Message) {
                grant
                    .emulated
                    .insert(Capability::Message, AFRESH.to_owned());
            }
        }
        plan.options = ProcedureOptions {
            subject: DebateSubject::Text,
            rounds: Some(self.rounds),
            threshold: self.threshold,
            synthesizer: Some(JudgeId(SYNTHESIZER.to_owned())),
            without_verdict: true,
            ..plan.options
        };
        plan
    }
}

/// A seat for the synthesizer, with the agent of the first role.
pub(crate) fn synthesizer_seat(seats: &[Seat]) -> Option<Seat> {
    let agent = seats.first()?.agent.clone();
    Some(Seat {
        judge: JudgeId(SYNTHESIZER.to_owned()),
        perspective: Perspective::default(),
        agent,
    })
}

/// Whether an agent can write at all: rules cannot.
pub(crate) fn require_thinking_agents(agents: &[&AgentSpec], what: &str) -> Result<(), RunError> {
    let ruled = |agent: &&&AgentSpec| {
        agent.deterministic || matches!(agent.kind, AgentKind::Builtin { .. })
    };
    let Some(agent) = agents.iter().find(ruled) else {
        return Ok(());
    };
    let message = format!(
        "{what} needs agents with a model, but `{}` only applies rules to code",
        agent.name
    );
    Err(RunError::usage(message)
        .hint("configure an agent in your own configuration (`[agents.NAME]`; `git council init` helps), or name one: --agents NAME"))
}
