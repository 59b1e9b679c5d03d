//! A side of a duel that somebody else's program plays.

use council_protocol::Seat;
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};

use crate::duel::DuelRole;
use crate::duel::driver as session;
use crate::duel::protocol::transcript::DebateTranscript;

/// The seat of a side that somebody else's program played: all that is known of it is how it signed.
pub(super) fn foreign_seat(transcript: &DebateTranscript, role: DuelRole) -> Seat {
    let signatures = transcript
        .sections
        .iter()
        .filter_map(|section| section.signature.as_ref());
    let tool = signatures
        .filter(|signed| signed.role == role)
        .find_map(|signed| signed.tool.clone());
    let name: String = tool
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_TOOL_CHARS)
        .collect();
    let name = match name.trim() {
        "" => format!("agent-{}", role.letter().to_ascii_lowercase()),
        name => name.to_owned(),
    };
    Seat {
        judge: session::judge_name(role).into(),
        perspective: Perspective::default(),
        agent: AgentSpec {
            vendor: name.clone(),
            name,
            kind: AgentKind::Backend {},
            model: None,
            deterministic: false,
        },
    }
}

/// The most characters of a foreign tool's name.
const MAX_TOOL_CHARS: usize = 40;
