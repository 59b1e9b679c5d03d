//! R2: what the others have found is checked, and a vote changes only for what was missed.

use super::*;

#[test]
fn a_claim_that_an_own_rule_confirms_is_agreed_with_evidence() {
    let fixture = RuleFixture::parse(ORDERS);
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
    let fixture = RuleFixture::parse(ORDERS);
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
    let response = response(&RuleFixture::parse(ORDERS), raised);
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
        &RuleFixture::parse(ORDERS),
        claim("src/orders.py", 5, "eval(name)", "Code injection"),
    );
    assert_eq!(response.stance, Stance::Disagreed);
    assert!(response.evidence.unwrap().quote.starts_with("query = "));
}

#[test]
fn what_stands_in_a_comment_or_a_test_is_refused_with_evidence() {
    let fixture = RuleFixture::parse(ORDERS);
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
    let fixture = RuleFixture::parse(ORDERS);
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
        &RuleFixture::parse(ORDERS),
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
        &RuleFixture::parse(ORDERS),
        claim("src/nowhere.py", 0, "", "A binary file"),
    );
    assert_eq!(
        (response.stance, response.evidence),
        (Stance::Disagreed, None)
    );
}

#[test]
fn a_vote_changes_only_for_what_was_missed_and_is_worse() {
    let fixture = RuleFixture::parse(ORDERS);
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
    let fixture = RuleFixture::parse(ORDERS);
    let answer = ask(
        &mut judge(&fixture, "security"),
        2,
        debate(vec![claim("src/orders.py", 6, "return", "Stale")]),
    );
    assert_eq!((answer.round, answer.key.as_str()), (2.into(), "key-2"));
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
    let fixture = RuleFixture::parse(&text);
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
        let answer = judge(&fixture, "").take_turn(&turn(2, debate(vec![raised])));
        assert!(!answer.contains(&secret[..12]), "{answer}");
    }
}
