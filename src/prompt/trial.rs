//! Every message rendered once with made-up values, so that a template of the user fails before a judge starts.

use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective, RuleSettings};
use council_protocol::task::{Branch, Framing, Peer};
use council_protocol::{Coverage, Packet, Seat, Task, Vote};

use super::template::PromptError;
use super::{BriefClass, Prompter};

/// Renders them all.
pub(super) fn run(prompter: &Prompter) -> Result<(), PromptError> {
    prompter.brief(&packet(), &BriefClass::default())?;
    prompter.explorer("q")?;
    for (round, task) in tasks() {
        for perspective in ["", "security"] {
            prompter.turn(&seat(perspective), round, "0", &task)?;
        }
    }
    Ok(())
}

fn packet() -> Packet {
    let target = Target {
        kind: TargetKind::Branch,
        label: String::new(),
        slug: String::new(),
        base: None,
        head: None,
    };
    Packet {
        version: PACKET_VERSION,
        target,
        files: Vec::new(),
        instructions: Vec::new(),
        coverage: Coverage::default(),
        framing: Framing::default(),
    }
}

fn seat(perspective: &str) -> Seat {
    Seat {
        judge: "judge-1".into(),
        perspective: Perspective {
            name: perspective.to_owned(),
            focus: String::new(),
        },
        agent: AgentSpec {
            name: String::new(),
            kind: AgentKind::Builtin {
                rules: RuleSettings::default(),
            },
            vendor: String::new(),
            model: None,
            deterministic: false,
        },
    }
}

/// Every task, with and without what may be missing.
fn tasks() -> Vec<(u8, Task)> {
    let peer = Peer {
        label: "A".to_owned(),
        verdict: Vote::Pass,
        key_insight: String::new(),
        findings: Vec::new(),
        recommendation: String::new(),
        file: None,
    };
    let filed = Peer {
        file: Some("peer-b.json".to_owned()),
        ..peer.clone()
    };
    let framing = Framing {
        title: "t".to_owned(),
        ..Framing::default()
    };
    let debate = |branch, framing, dropped| {
        let peers = vec![peer.clone(), filed.clone()];
        (
            2,
            Task::Debate {
                branch,
                peers,
                dropped,
                framing,
            },
        )
    };
    let mend = |round| {
        (
            round,
            Task::Mend {
                error: "e".to_owned(),
            },
        )
    };
    let duel = Task::Duel {
        role: 'B',
        section: "Response 1".to_owned(),
        transcript: "t".to_owned(),
        theirs: Vec::new(),
        objections: Vec::new(),
    };
    vec![
        (1, Task::Review),
        (
            1,
            Task::Explored {
                results: Vec::new(),
            },
        ),
        mend(1),
        (2, Task::Restate),
        debate(Branch::Agreed, None, 0),
        debate(Branch::Agreed, Some(framing.clone()), 1),
        debate(Branch::Disagreed, None, 1),
        debate(Branch::Disagreed, Some(framing), 0),
        mend(2),
        (2, duel),
    ]
}
