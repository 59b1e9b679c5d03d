//! A judge from its seat to the second round.

use std::sync::Arc;

use council_protocol::answer::{Evidence, Response, Stance};
use council_protocol::change::NoBlobs;
use council_protocol::seat::{AgentKind, AgentSpec, Perspective, RuleLevel, RuleSettings};
use council_protocol::task::{Branch, Peer, PeerFinding, Task};
use council_protocol::{
    Answer, BlobSource, Finding, Location, Seat, Severity, Side, Turn, TurnId, Vote, prove,
};

use crate::fixture::Fixture;
use crate::{Judge, SeatError};

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

fn judge(fixture: &Fixture, perspective: &str) -> Judge {
    Judge::new(
        &seat(perspective, &[]),
        fixture.packet.clone(),
        fixture.blobs.clone(),
    )
    .unwrap()
}

fn turn(round: u8, task: Task) -> Turn {
    Turn {
        id: TurnId(1),
        round,
        key: format!("key-{round}"),
        task,
        prompt: String::new(),
        timeout_ms: 1000,
    }
}

fn ask(judge: &mut Judge, round: u8, task: Task) -> Answer {
    serde_json::from_str(&judge.turn(&turn(round, task))).unwrap()
}

/// What a judge of some perspective says in R1.
fn first(fixture: &Fixture, perspective: &str) -> Answer {
    ask(&mut judge(fixture, perspective), 1, Task::Review)
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
        branch: Branch::Disagreed,
        peers: vec![peer],
        dropped: 0,
        framing: None,
    }
}

/// What a judge of some perspective answers to one finding of another judge.
fn response(fixture: &Fixture, finding: Finding) -> Response {
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

fn resolves(fixture: &Fixture, evidence: &Evidence) -> bool {
    let text = fixture
        .blobs
        .read(Side::New, &evidence.path)
        .unwrap()
        .unwrap();
    prove(
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

#[test]
fn a_clean_change_passes_without_a_word_too_many() {
    let answer = first(
        &Fixture::parse("=== src/a.py\n def a():\n+    return 1\n"),
        "security",
    );
    assert_eq!((answer.verdict, answer.findings.len()), (Vote::Pass, 0));
    assert_eq!((answer.round, answer.key.as_str()), (1, "key-1"));
    let sentence = &answer.key_insight;
    assert!(
        sentence.starts_with("None of ") && sentence.ends_with("1 added line and 1 file."),
        "{sentence}"
    );
}

#[test]
fn the_worst_finding_makes_the_vote() {
    let fixture = Fixture::parse(ORDERS);
    let answer = first(&fixture, "security");
    assert_eq!(answer.verdict, Vote::Warn);
    assert_eq!(answer.findings[0].rule.as_deref(), Some("sql-injection"));
    assert_eq!(
        answer.findings[0].reference.as_deref(),
        Some("git council explain sql-injection")
    );
    assert!(
        answer.recommendation.starts_with("src/orders.py:5: "),
        "{}",
        answer.recommendation
    );
    assert_eq!(first(&fixture, "hygiene").verdict, Vote::Pass);
    let conflict = Fixture::parse("=== src/a.py\n+<<<<<<< HEAD\n+a\n+=======\n+b\n+>>>>>>> x\n");
    assert_eq!(first(&conflict, "hygiene").verdict, Vote::Fail);
    assert_eq!(first(&conflict, "").verdict, Vote::Fail);
}

#[test]
fn a_judge_of_the_same_seat_says_the_same_bytes() {
    let fixture = Fixture::parse(ORDERS);
    let tasks = [
        Task::Review,
        Task::Restate,
        debate(vec![claim("src/orders.py", 5, "query", "SQL injection")]),
    ];
    let say = || {
        let mut judge = judge(&fixture, "security");
        tasks.clone().map(|task| judge.turn(&turn(1, task)))
    };
    assert_eq!(say(), say());
    // One that has lost its memory between the turns.
    let forgetful = tasks
        .clone()
        .map(|task| judge(&fixture, "security").turn(&turn(1, task)));
    assert_eq!(say(), forgetful);
}

#[test]
fn a_restatement_is_prose() {
    let text = judge(&Fixture::parse(ORDERS), "security").turn(&turn(2, Task::Restate));
    assert!(text.starts_with("In round 1 I voted WARN."), "{text}");
    assert!(
        text.contains("src/orders.py:5") && serde_json::from_str::<Answer>(&text).is_err(),
        "{text}"
    );
}

#[test]
fn a_mended_answer_is_the_last_one_under_the_new_key() {
    let mut judge = judge(&Fixture::parse(ORDERS), "security");
    let first = ask(&mut judge, 1, Task::Review);
    let second = ask(
        &mut judge,
        2,
        Task::Mend {
            error: "no JSON".into(),
            form: council_protocol::task::Form::Review,
        },
    );
    assert_eq!(
        second,
        Answer {
            round: 2,
            key: "key-2".into(),
            ..first
        }
    );
}

#[test]
fn configuration_switches_rules_off_and_changes_their_level() {
    let fixture = Fixture::parse(ORDERS);
    let say = |levels: &[(&str, RuleLevel)]| {
        let seat = seat("security", levels);
        ask(
            &mut Judge::new(&seat, fixture.packet.clone(), fixture.blobs.clone()).unwrap(),
            1,
            Task::Review,
        )
    };
    assert_eq!(say(&[("sql-injection", RuleLevel::Off)]).findings, []);
    assert_eq!(
        say(&[("sql-injection", RuleLevel::Critical)]).verdict,
        Vote::Fail
    );
    let minor = say(&[("sql-injection", RuleLevel::Minor)]);
    assert_eq!(
        (minor.verdict, minor.findings[0].severity),
        (Vote::Pass, Severity::Minor)
    );
}

#[test]
fn a_seat_that_would_pass_everything_is_refused() {
    let fixture = Fixture::parse(ORDERS);
    let open = |seat: &Seat| Judge::new(seat, fixture.packet.clone(), fixture.blobs.clone()).err();
    let unknown = open(&seat("api-surface", &[])).unwrap();
    assert_eq!(
        unknown,
        SeatError::UnknownPerspective {
            name: "api-surface".into()
        }
    );
    assert!(
        unknown
            .to_string()
            .ends_with("it has security, error-paths, tests, maintainability, hygiene"),
        "{unknown}"
    );
    let rule = open(&seat("", &[("sql-injektion", RuleLevel::Off)]));
    assert_eq!(
        rule,
        Some(SeatError::UnknownRule {
            id: "sql-injektion".into()
        })
    );
    let mut other = seat("", &[]);
    other.agent.kind = AgentKind::Command {
        argv: vec!["x".into()],
        env: Vec::new(),
    };
    assert!(matches!(open(&other), Some(SeatError::NotBuiltin { .. })));
}

#[test]
fn many_findings_of_one_rule_in_one_file_are_counted_not_listed() {
    let lines: String = (0..40)
        .map(|n| format!("+    # TODO: mend case {n}\n"))
        .collect();
    let answer = first(
        &Fixture::parse(&format!("=== src/a.py\n def a():\n{lines}")),
        "maintainability",
    );
    assert_eq!(answer.findings.len(), 5);
    assert!(
        answer.findings[4]
            .description
            .ends_with("There are 35 more in this file.")
    );
}

#[test]
fn without_blobs_the_hunks_alone_say_the_same() {
    let fixture = Fixture::parse(ORDERS);
    let with = first(&fixture, "");
    let mut patch = Judge::new(&seat("", &[]), fixture.packet.clone(), Arc::new(NoBlobs)).unwrap();
    assert_eq!(ask(&mut patch, 1, Task::Review).findings, with.findings);
    let raised = claim("src/orders.py", 5, "query =", "SQL injection");
    let answer = ask(&mut patch, 2, debate(vec![raised]));
    assert_eq!(answer.responses[0].stance, Stance::Agreed);
}

#[test]
fn an_excuse_counts_only_where_it_stood_before() {
    let unwraps = |text: &str| {
        let answer = first(&Fixture::parse(text), "error-paths");
        answer
            .findings
            .iter()
            .map(|f| f.location.line)
            .collect::<Vec<_>>()
    };
    let above = " fn a() {\n     // council: allow(new-unwrap) the caller checks\n-    a.unwrap();\n+    b.unwrap();\n";
    assert!(unwraps(&format!("=== src/a.rs\n{above}")).is_empty());
    let added =
        " fn a() {\n+    // council: allow(new-unwrap) the caller checks\n+    b.unwrap();\n";
    assert_eq!(unwraps(&format!("=== src/a.rs\n{added}")), [3]);
    let no_reason = " fn a() {\n     // council: allow(new-unwrap)\n+    b.unwrap();\n";
    assert_eq!(unwraps(&format!("=== src/a.rs\n{no_reason}")), [3]);
    let other_rule =
        " fn a() {\n     // council: allow(new-panic) the caller checks\n+    b.unwrap();\n";
    assert_eq!(unwraps(&format!("=== src/a.rs\n{other_rule}")), [3]);
}

#[test]
fn an_edited_line_keeps_its_excuse_and_cannot_multiply_it() {
    let excuse = "// council: allow(new-unwrap) never empty";
    let text = format!(
        "=== src/a.rs\n fn a() {{\n-    a.unwrap(); {excuse}\n+    b.unwrap(); {excuse}\n+    c.unwrap(); {excuse}\n }}\n"
    );
    let answer = first(&Fixture::parse(&text), "error-paths");
    assert_eq!(
        answer
            .findings
            .iter()
            .map(|f| f.location.line)
            .collect::<Vec<_>>(),
        [3]
    );
}

#[test]
fn a_claim_that_an_own_rule_confirms_is_agreed_with_evidence() {
    let fixture = Fixture::parse(ORDERS);
    let raised = claim(
        "src/orders.py",
        5,
        "query = \"SELECT",
        "SQL injection: the name is joined into the statement",
    );
    let response = response(&fixture, raised);
    assert_eq!(response.stance, Stance::Agreed);
    assert!(
        response.reasoning.contains("`sql-injection`"),
        "{}",
        response.reasoning
    );
    assert_eq!(response.evidence.unwrap().line, 5);
}

#[test]
fn evidence_is_more_than_what_was_quoted_already() {
    let fixture = Fixture::parse(ORDERS);
    let line = "query = \"SELECT * FROM orders WHERE name = '\" + name + \"'\"";
    let evidence = response(&fixture, claim("src/orders.py", 5, line, "SQL injection"))
        .evidence
        .unwrap();
    assert_ne!(evidence.quote, line);
    assert!(evidence.quote.starts_with(line), "{}", evidence.quote);
}

#[test]
fn a_claim_that_is_worse_than_the_own_rule_says_is_agreed_in_part() {
    let raised = Finding {
        severity: Severity::Critical,
        ..claim("src/orders.py", 5, "query = \"SELECT", "SQL injection")
    };
    let response = response(&Fixture::parse(ORDERS), raised);
    assert_eq!(response.stance, Stance::PartiallyAgreed);
    assert!(
        response
            .reasoning
            .ends_with("I hold it to be significant, not critical."),
        "{}",
        response.reasoning
    );
}

#[test]
fn a_quote_that_is_not_there_is_refused_with_what_is() {
    let response = response(
        &Fixture::parse(ORDERS),
        claim("src/orders.py", 5, "eval(name)", "Code injection"),
    );
    assert_eq!(response.stance, Stance::Disagreed);
    assert!(response.evidence.unwrap().quote.starts_with("query = "));
}

#[test]
fn what_stands_in_a_comment_or_a_test_is_refused_with_evidence() {
    let fixture = Fixture::parse(ORDERS);
    let comment = claim(
        "src/orders.py",
        4,
        "os.system(\"rm \" + name)",
        "Shell injection through os.system",
    );
    let refused = response(&fixture, comment);
    assert_eq!(refused.stance, Stance::Disagreed);
    assert!(
        refused.reasoning.contains("in a comment") && refused.evidence.is_some(),
        "{}",
        refused.reasoning
    );
    let test = claim(
        "tests/test_orders.py",
        4,
        "verify=False",
        "TLS certificate verification is disabled",
    );
    let refused = response(&fixture, test);
    assert_eq!(refused.stance, Stance::Disagreed);
    assert!(
        refused.reasoning.contains("in a test"),
        "{}",
        refused.reasoning
    );
    assert_eq!(refused.evidence.unwrap().quote, "def test_find():");
}

#[test]
fn what_it_cannot_check_it_neither_grants_nor_refuses() {
    let fixture = Fixture::parse(ORDERS);
    for raised in [
        claim(
            "src/orders.py",
            6,
            "return db.execute(query)",
            "The result may be stale",
        ),
        claim(
            "src/orders.py",
            3,
            "def find(name)",
            "The name is misleading",
        ),
        claim("src/nowhere.py", 3, "def find(name)", "SQL injection"),
        claim("src/orders.py", 6, "", "SQL injection"),
        claim("src/orders.py", 0, "", "The module is too long"),
    ] {
        let response = response(&fixture, raised);
        assert_eq!(
            (response.stance, response.evidence),
            (Stance::PartiallyAgreed, None),
            "{}",
            response.reasoning
        );
    }
}

#[test]
fn what_stood_there_before_is_named_as_such() {
    let old = response(
        &Fixture::parse(ORDERS),
        claim("src/orders.py", 3, "def find(name)", "SQL injection"),
    );
    assert!(
        old.reasoning.contains("stood there before this change"),
        "{}",
        old.reasoning
    );
}

#[test]
fn a_file_that_is_not_part_of_the_change_is_refused() {
    let response = response(
        &Fixture::parse(ORDERS),
        claim("src/nowhere.py", 0, "", "A binary file"),
    );
    assert_eq!(
        (response.stance, response.evidence),
        (Stance::Disagreed, None)
    );
}

#[test]
fn a_vote_changes_only_for_what_was_missed_and_is_worse() {
    let fixture = Fixture::parse(ORDERS);
    let raised = claim("src/orders.py", 5, "query = \"SELECT", "SQL injection");
    let changed = ask(
        &mut judge(&fixture, "hygiene"),
        2,
        debate(vec![raised.clone()]),
    );
    let change = changed.change.unwrap();
    assert_eq!(
        (change.from, change.to, changed.verdict),
        (Vote::Pass, Vote::Warn, Vote::Warn)
    );
    assert!(resolves(&fixture, &change.evidence.unwrap()));
    assert!(
        changed.key_insight.contains("src/orders.py:5"),
        "{}",
        changed.key_insight
    );
    // Who had found it already has missed nothing.
    let same = ask(&mut judge(&fixture, "security"), 2, debate(vec![raised]));
    assert_eq!((same.verdict, same.change), (Vote::Warn, None));
    // What nobody could check moves nobody.
    let stale = claim(
        "src/orders.py",
        6,
        "return db.execute(query)",
        "The result may be stale",
    );
    let unmoved = ask(
        &mut judge(&fixture, "hygiene"),
        2,
        debate(vec![Finding {
            severity: Severity::Critical,
            ..stale
        }]),
    );
    assert_eq!((unmoved.verdict, unmoved.change), (Vote::Pass, None));
}

#[test]
fn the_second_answer_holds_everything_that_a_debate_asks_for() {
    let fixture = Fixture::parse(ORDERS);
    let answer = ask(
        &mut judge(&fixture, "security"),
        2,
        debate(vec![claim("src/orders.py", 6, "return", "Stale")]),
    );
    assert_eq!((answer.round, answer.key.as_str()), (2, "key-2"));
    assert_eq!(answer.findings.len(), 1, "what was found in R1 stands");
    assert_eq!(answer.responses[0].to, "A1");
    assert!(
        answer
            .restatement
            .unwrap()
            .starts_with("In round 1 I voted WARN.")
    );
    assert!(answer.steel_man.unwrap().contains("best case for PASS"));
    assert_eq!((answer.withdrawn, answer.challenges), (vec![], vec![]));
}

#[test]
fn no_evidence_shows_a_secret() {
    let secret = format!("ghp_{}", "w8KdR2mXvB9qLtZ4nYcJ6sHfP3gUaE7oTi1r");
    let text = format!(
        "=== src/a.py\n import os\n+TOKEN = \"{secret}\"\n+requests.get(URL, verify=False)\n"
    );
    let fixture = Fixture::parse(&text);
    for raised in [
        claim("src/a.py", 2, "TOKEN = ", "A hard-coded token"),
        claim("src/a.py", 2, "nothing of the kind", "A hard-coded token"),
        claim(
            "src/a.py",
            3,
            "requests.get(URL, verify=False)",
            "TLS verification disabled",
        ),
    ] {
        let answer = judge(&fixture, "").turn(&turn(2, debate(vec![raised])));
        assert!(!answer.contains(&secret[..12]), "{answer}");
    }
}

#[test]
fn rules_and_perspectives_can_be_looked_up() {
    assert!(crate::rules().len() >= 35);
    assert_eq!(
        crate::explain("sql-injection").unwrap().perspective,
        "security"
    );
    assert_eq!(crate::explain("sql-injektion"), None);
    let names: Vec<_> = crate::perspectives().iter().map(|p| p.name).collect();
    assert_eq!(
        names,
        [
            "security",
            "error-paths",
            "tests",
            "maintainability",
            "hygiene"
        ]
    );
}
