//! What a session on a stage is about: a packet, a plan, prompts that say nothing.

use std::sync::Arc;

use council_protocol::capability::{Capability, CapabilitySet, Grant};
use council_protocol::change::{FileKind, FileStatus};
use council_protocol::coverage::{Coverage, FileCoverage};
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::{CoverageState, FileChange, Hunk, JudgeId, Packet, Seat, Turn};

use super::super::PromptRenderer;
use crate::council::Plan;
use crate::council::plan::{
    ConsensusRule, DebateMode, ExchangeMode, PlannedSeat, Procedure, RoundTimeouts, RunSeed,
    VerdictPolicy,
};

/// Texts that say nothing.
pub(super) struct Plain;

impl PromptRenderer for Plain {
    fn render_brief(&self, _: &Seat) -> Arc<str> {
        "the change".into()
    }

    fn render_prompt(&self, seat: &Seat, turn: &Turn, _: u8) -> Result<String, String> {
        Ok(format!("{}: turn {}", seat.judge, turn.id.0))
    }

    fn render_reminder(&self, _: &Seat, said: &[Arc<str>]) -> Result<String, String> {
        Ok(format!("said {} times; ", said.len()))
    }
}

pub(in crate::session) fn packet() -> Packet {
    let hunk = Hunk {
        old_start: 1,
        old_lines: 0,
        new_start: 1,
        new_lines: 2,
        section: String::new(),
        body: "+let a = risky(input);\n+let b = 2;\n".into(),
    };
    let file = FileChange {
        path: "a.rs".into(),
        old_path: None,
        status: FileStatus::Modified,
        kind: FileKind::Text,
        old_mode: 0o100644,
        new_mode: 0o100644,
        old_id: None,
        new_id: None,
        old_size: None,
        new_size: None,
        similarity: None,
        moved_from: None,
        lossy: false,
        hunks: vec![hunk],
    };
    Packet {
        version: PACKET_VERSION,
        target: Target {
            kind: TargetKind::Patch,
            label: "head".into(),
            slug: "head".into(),
            base: None,
            head: None,
            only: Vec::new(),
        },
        files: vec![file],
        instructions: Vec::new(),
        coverage: coverage(),
        framing: Default::default(),
    }
}

pub(super) fn coverage() -> Coverage {
    Coverage {
        files: vec![FileCoverage {
            path: "a.rs".into(),
            state: CoverageState::Reviewed,
        }],
    }
}

pub(super) fn plan(judges: usize) -> Plan {
    let shown = Arc::new(coverage());
    let seat = |n| PlannedSeat {
        seat: Seat {
            judge: JudgeId(format!("judge-{n}")),
            perspective: Perspective::default(),
            agent: AgentSpec {
                name: "scripted".into(),
                kind: AgentKind::Builtin {
                    rules: Default::default(),
                },
                vendor: "acme".into(),
                model: None,
                deterministic: false,
            },
        },
        grant: Grant {
            granted: CapabilitySet::from([
                Capability::Spawn,
                Capability::Message,
                Capability::Shutdown,
            ]),
            ..Grant::default()
        },
        coverage: Arc::clone(&shown),
    };
    Plan {
        procedure: Procedure::Review,
        debate: DebateMode::Auto,
        consensus: ConsensusRule::Findings,
        quorum: 2,
        policy: VerdictPolicy {
            disputed_critical_fails: false,
            incomplete_coverage_warns: false,
        },
        seats: (1..=judges).map(seat).collect(),
        exchange: ExchangeMode::Inline {
            max_bytes: 24 << 10,
        },
        timeouts: RoundTimeouts::default(),
        seed: RunSeed("5eed".into()),
        framing: Default::default(),
        notes: Vec::new(),
        options: Default::default(),
    }
}
