//! A judge from its seat to the second round.

mod escapes;
mod excuses;
mod first_round;
mod flood;
mod folders;
mod layouts;
mod lockfiles;
mod long_lines;
mod noisy_classes;
mod same_meaning;
mod second_round;
mod spellings;
mod unnamed_secrets;
mod workflows;
mod wrong_classes;
mod wrong_classes_around;
mod wrong_classes_tenth;

use std::sync::Arc;

use council_protocol::answer::{Evidence, Response, Stance};
use council_protocol::change::NoBlobs;
use council_protocol::seat::{AgentKind, AgentSpec, Perspective, RuleLevel, RuleSettings};
use council_protocol::task::{DebateBranch, Peer, PeerFinding, Task};
use council_protocol::{
    Answer, BlobSource, Finding, Location, Seat, Severity, Side, Turn, TurnId, Vote, prove_quote,
};

use crate::fixture::RuleFixture;
use crate::{BuiltinJudge, SeatError};

fn seat(perspective: &str, levels: &[(&str, RuleLevel)]) -> Seat {
    let levels = levels
        .iter()
        .map(|(id, level)| ((*id).to_owned(), *level))
        .collect();
    Seat {
        judge: "judge-1".into(),
        perspective: Perspective {
            name: perspective.to_owned(),
            focus: String::new(),
        },
        agent: AgentSpec {
            name: "builtin".into(),
            kind: AgentKind::Builtin {
                rules: RuleSettings { levels },
            },
            vendor: "builtin".into(),
            model: None,
            deterministic: true,
        },
    }
}

fn judge(fixture: &RuleFixture, perspective: &str) -> BuiltinJudge {
    BuiltinJudge::new(
        &seat(perspective, &[]),
        fixture.packet.clone(),
        fixture.blobs.clone(),
    )
    .unwrap()
}

fn turn(round: u8, task: Task) -> Turn {
    Turn {
        id: TurnId(1),
        round: round.into(),
        key: format!("key-{round}"),
        task,
        prompt: String::new(),
        timeout_ms: 1000,
        spend: None,
    }
}

fn ask(judge: &mut BuiltinJudge, round: u8, task: Task) -> Answer {
    serde_json::from_str(&judge.take_turn(&turn(round, task))).unwrap()
}

/// What a judge of some perspective says in R1.
fn first(fixture: &RuleFixture, perspective: &str) -> Answer {
    ask(&mut judge(fixture, perspective), 1, Task::Review)
}

/// What a judge of all perspectives says in R1 where configuration asks for one rule more.
fn asked_for(fixture: &RuleFixture, rule: &str) -> Answer {
    let seat = seat("", &[(rule, RuleLevel::Minor)]);
    let blobs = fixture.blobs.clone();
    let mut judge = BuiltinJudge::new(&seat, fixture.packet.clone(), blobs).unwrap();
    let mut answer = ask(&mut judge, 1, Task::Review);
    answer.findings.retain(|f| f.rule.as_deref() == Some(rule));
    answer
}

fn claim(path: &str, line: u32, quote: &str, description: &str) -> Finding {
    Finding {
        severity: Severity::Significant,
        category: String::new(),
        rule: None,
        description: description.to_owned(),
        location: Location {
            path: path.into(),
            line,
            end_line: None,
        },
        quote: quote.to_owned(),
        why: String::new(),
        fix: String::new(),
        suggestion: None,
        reference: None,
    }
}

fn debate(findings: Vec<Finding>) -> Task {
    let findings = (1..).zip(findings).map(|(n, finding)| PeerFinding {
        id: format!("A{n}"),
        finding,
    });
    let peer = Peer {
        label: "A".into(),
        verdict: Vote::Warn,
        key_insight: String::new(),
        findings: findings.collect(),
        recommendation: String::new(),
        file: None,
    };
    Task::Debate {
        restatement: String::new(),
        branch: DebateBranch::Disagreed,
        peers: vec![peer],
        dropped: 0,
        settled: 0,
        framing: None,
        suites: Vec::new(),
    }
}

/// What a judge of some perspective answers to one finding of another judge.
fn response(fixture: &RuleFixture, finding: Finding) -> Response {
    let answer = ask(&mut judge(fixture, "hygiene"), 2, debate(vec![finding]));
    assert_eq!(answer.responses.len(), 1);
    let response = answer.responses.into_iter().next().unwrap();
    if let Some(evidence) = &response.evidence {
        assert!(
            resolves(fixture, evidence),
            "{evidence:?} does not stand in the reviewed files"
        );
    }
    response
}

fn resolves(fixture: &RuleFixture, evidence: &Evidence) -> bool {
    let text = fixture
        .blobs
        .read(Side::New, &evidence.path)
        .unwrap()
        .unwrap();
    prove_quote(
        &String::from_utf8_lossy(&text),
        evidence.line,
        &evidence.quote,
    ) == council_protocol::Proof::Verified
}

const ORDERS: &str = "\
=== src/orders.py
 import db
 
 def find(name):
+    # os.system(\"rm \" + name) is not run any more
+    query = \"SELECT * FROM orders WHERE name = '\" + name + \"'\"
+    return db.execute(query)
=== tests/test_orders.py
 import requests
 
 def test_find():
+    requests.get(URL, verify=False)
+    assert find(\"a\")
";
