//! Every message rendered once with made-up values, so that a template of the user fails before a judge starts.

use council_protocol::answer::{Contention, Stance};
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::reproduction::TestSuite;
use council_protocol::seat::{AgentKind, AgentSpec, Perspective, RuleSettings};
use council_protocol::task::{
    Contribution, Councillor, DebateBranch, Framing, InterventionKind, OpenPoint, Peer,
    PutChallenge, Statement,
};
use council_protocol::{
    Coverage, Finding, Location, Packet, RoundNumber, Seat, Severity, Task, Vote,
};

use super::PromptBuilder;
use super::template::PromptError;
use crate::prompt::brief::BriefClass;

/// Renders them all.
pub(super) fn try_templates(prompter: &PromptBuilder) -> Result<(), PromptError> {
    prompter.render_brief(&sample_packet(), &BriefClass::default())?;
    for perspective in ["", "security"] {
        prompter.render_reminder(&sample_seat(perspective), &["r".into()])?;
    }
    for (round, task) in sample_tasks() {
        for perspective in ["", "security"] {
            prompter.render_turn(&sample_seat(perspective), round, "0", &task)?;
        }
    }
    Ok(())
}

fn sample_packet() -> Packet {
    let target = Target {
        kind: TargetKind::Branch,
        label: String::new(),
        slug: String::new(),
        base: None,
        head: None,
        only: Vec::new(),
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

fn sample_seat(perspective: &str) -> Seat {
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

/// Commands for tests, and none.
fn suites(count: u32) -> Vec<TestSuite> {
    let suite = |_| TestSuite {
        name: "run".to_owned(),
        command: "pytest -q {file}".to_owned(),
    };
    (0..count.min(1)).map(suite).collect()
}

/// Every task, and the answer of each asked for again.
fn sample_tasks() -> Vec<(RoundNumber, Task)> {
    let mut tasks = first_tasks();
    tasks.extend(later_tasks());
    let mends: Vec<_> = tasks
        .iter()
        .map(|(round, task)| (*round, mend_of(task)))
        .collect();
    tasks.extend(mends);
    tasks
}

/// The message that asks for the answer of a task again.
pub(super) fn mend_of(task: &Task) -> Task {
    Task::Mend {
        error: "e".to_owned(),
        form: task.form(),
    }
}

/// The turns of a review and of a duel, with and without what may be missing.
pub(super) fn first_tasks() -> Vec<(RoundNumber, Task)> {
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
                restatement: "I hold that it is half done.".to_owned(),
                branch,
                peers,
                dropped,
                settled: dropped,
                framing,
                suites: suites(dropped),
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
    let first = vec![
        (1, Task::Review),
        (
            1,
            Task::Explored {
                results: Vec::new(),
            },
        ),
        (
            1,
            Task::Explore {
                question: "q".to_owned(),
            },
        ),
        debate(DebateBranch::Agreed, None, 0),
        debate(DebateBranch::Agreed, Some(framing.clone()), 1),
        debate(DebateBranch::Disagreed, None, 1),
        debate(DebateBranch::Disagreed, Some(framing), 0),
        (2, duel),
    ];
    let first = first
        .into_iter()
        .map(|(round, task)| (RoundNumber(round), task));
    first.collect()
}

/// The turns of cross-examination and of a staged debate.
pub(super) fn later_tasks() -> Vec<(RoundNumber, Task)> {
    let peer = Peer {
        label: "A".to_owned(),
        verdict: Vote::Warn,
        key_insight: "It is half done.".to_owned(),
        findings: Vec::new(),
        recommendation: String::new(),
        file: None,
    };
    let councillor = Councillor {
        role: "critic".to_owned(),
        position: "It is half done.".to_owned(),
        arguments: vec!["Nothing rolls back.".to_owned()],
        peer: peer.clone(),
    };
    let challenges = vec![PutChallenge {
        id: "C3".to_owned(),
        from: "critic".to_owned(),
        claim: "It is done.".to_owned(),
        question: "What rolls it back?".to_owned(),
    }];
    let finding = Finding {
        severity: Severity::Significant,
        category: "logic".to_owned(),
        rule: None,
        description: "It overflows.".to_owned(),
        location: Location {
            path: "a.rs".into(),
            line: 3,
            end_line: None,
        },
        quote: "a + b".to_owned(),
        why: "w".to_owned(),
        fix: "f".to_owned(),
        suggestion: None,
        reference: None,
    };
    let said = Statement {
        stance: Stance::Disagreed,
        reasoning: "It is bounded.".to_owned(),
        evidence: None,
    };
    let open = vec![OpenPoint {
        id: "A1".to_owned(),
        finding: finding.clone(),
        said: vec![said],
    }];
    let contribution = Contribution {
        role: "skeptic".to_owned(),
        round: RoundNumber::FIRST,
        key_insight: "Too much at once.".to_owned(),
        findings: vec![finding],
        document: Some("# Plan".to_owned()),
    };
    let framing = Some(Framing {
        title: "t".to_owned(),
        ..Framing::default()
    });
    let moderate = Task::Moderate {
        kind: InterventionKind::Evasion,
        opening: "The critic raised this specific challenge:".to_owned(),
        about: "What rolls it back?".to_owned(),
        demand: "Please respond specifically.".to_owned(),
        challenges: challenges.clone(),
    };
    let (from, text) = ("critic".to_owned(), "Did you see line 3?".to_owned());
    vec![
        (
            RoundNumber::FIRST,
            Task::Opening {
                others: vec!["critic".to_owned(), "pragmatist".to_owned()],
            },
        ),
        (
            RoundNumber::SECOND,
            Task::Examine {
                round: RoundNumber::FIRST.0,
                of: 2,
                councillors: vec![councillor],
                challenges: challenges.clone(),
                wanted: 2,
                direct: true,
                dropped: 1,
                framing: framing.clone(),
            },
        ),
        (
            RoundNumber::SECOND,
            Task::Challenged {
                challenges: challenges.clone(),
            },
        ),
        (RoundNumber::SECOND, Task::Message { from, text }),
        (RoundNumber::SECOND, moderate),
        (RoundNumber(4), Task::Ballot),
        (RoundNumber::FIRST, Task::Produce),
        (
            RoundNumber::SECOND,
            Task::CrossReview {
                peers: vec![peer],
                documents: vec![contribution.clone()],
                dropped: 0,
                framing,
            },
        ),
        (RoundNumber(3), Task::Rebut { open, challenges }),
        (
            RoundNumber(4),
            Task::Synthesize {
                contributions: vec![contribution],
                contention: vec![Contention::THRESHOLD],
            },
        ),
    ]
}
