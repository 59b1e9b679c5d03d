//! A side of a duel that somebody else's program plays.

use council_protocol::Seat;
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};

use crate::duel::DuelRole;
use crate::duel::driver as session;
use crate::duel::protocol::transcript::DebateTranscript;
use crate::duel::protocol::votes::{vote_of, worst_vote_of};
use crate::run::seats::BUILT_IN;

/// The seat of a side that somebody else's program played: all that is known of it is how it signed.
pub(super) fn foreign_seat(transcript: &DebateTranscript, role: DuelRole) -> Seat {
    let signatures = transcript
        .sections
        .iter()
        .filter_map(|section| section.signature.as_ref());
    let own = signatures.filter(|signed| signed.role == role);
    let tools: Vec<&str> = own.filter_map(|signed| signed.tool.as_deref()).collect();
    let name: String = tools
        .first()
        .copied()
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
            deterministic: is_signed_by_rules(&tools) && keeps_vote(transcript, role),
        },
    }
}

/// How a side of this program signs, with the name of its agent.
pub(super) fn own_tool(agent: &str) -> String {
    format!("git-council {agent}")
}

/// Whether the built-in rules of this program played a side, by their own word: they read nothing, and are no reviewer in
/// another process either.
fn is_signed_by_rules(tools: &[&str]) -> bool {
    let rules = own_tool(BUILT_IN);
    !tools.is_empty() && tools.iter().all(|tool| *tool == rules)
}

/// Whether a side takes no vote back: rules vote once, and whoever borrows their name takes nothing back without evidence.
fn keeps_vote(transcript: &DebateTranscript, role: DuelRole) -> bool {
    let worst = worst_vote_of(transcript, role).map(|(vote, _)| vote);
    worst == vote_of(transcript, role).map(|(vote, _)| vote)
}

/// The most characters of a foreign tool's name.
const MAX_TOOL_CHARS: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    fn is_rules(tools: [&str; 2], votes: [&str; 2]) -> bool {
        let ([first, second], [before, after]) = (tools, votes);
        let file = format!(
            "## Opening\n{before}\n\n*— Agent A ({first}), 2025-06-15T14:30:00Z*\n\n---\n\n\
             ## Response 1\nNoted.\n\n*— Agent B (git-council m), 2025-06-15T14:31:00Z*\n\n---\n\n\
             ## Response 2\n{after}\n\n*— Agent A ({second}), 2025-06-15T14:32:00Z*\n"
        );
        let seat = foreign_seat(&DebateTranscript::parse(&file), DuelRole::A);
        assert_eq!(seat.agent.name, first);
        seat.agent.deterministic
    }

    #[test]
    fn only_a_side_that_rules_signed_throughout_is_one_of_rules() {
        let rules = own_tool(BUILT_IN);
        let votes = ["Vote: FAIL", "There is nothing to add."];
        assert!(is_rules([&rules, &rules], votes));
        assert!(!is_rules([&rules, &rules], ["Vote: FAIL", "Vote: PASS"]));
        for other in [
            "git-council m",
            "Claude Code",
            "builtin",
            "git-council builtin 2",
        ] {
            assert!(!is_rules([other, other], votes), "{other}");
            assert!(!is_rules([&rules, other], votes), "{other}");
            assert!(!is_rules([other, &rules], votes), "{other}");
        }
    }
}
