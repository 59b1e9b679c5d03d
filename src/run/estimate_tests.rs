use super::*;
use crate::report::ContextFacts;

#[test]
fn a_recipient_without_a_price_makes_the_sum_a_lower_bound() {
    let recipient = |usd| BriefRecipient {
        elsewhere: true,
        judges: vec!["judge-1".to_owned()],
        input: 10,
        output: 10,
        usd,
    };
    let forecast = RunEstimate {
        to: BTreeMap::from([
            (
                "a at https://a.example".to_owned(),
                recipient(Some((0.1, 0.2))),
            ),
            ("b at https://b.example".to_owned(), recipient(None)),
        ]),
        brief_bytes: 100,
        brief: None,
        look_ups: 0,
        schema_bytes: schema_bytes(false),
        redactions: 0,
        left_out: Vec::new(),
        rounds: 1,
    };
    let lines = forecast.render_lines().join("\n");
    assert!(
        lines.contains("total: at least $0.100; no price is known of b at"),
        "{lines}"
    );
}

#[test]
fn where_the_bytes_of_a_brief_go_is_told_before_they_are_spent() {
    let brief = BriefFacts {
        parts: 1,
        change: 8_000,
        context: vec![ContextFacts {
            kind: "definitions".to_owned(),
            bytes: 4_000,
            shown: 3,
            left_out: 2,
        }],
        gaps: vec!["time ran out after 7 commits of history".to_owned()],
        frame: 2_000,
        ..BriefFacts::default()
    };
    let forecast = RunEstimate {
        to: BTreeMap::new(),
        brief_bytes: 14_000,
        brief: Some(brief),
        look_ups: 12,
        schema_bytes: schema_bytes(false),
        redactions: 0,
        left_out: Vec::new(),
        rounds: 1,
    };
    let lines = forecast.brief_lines().join("\n");
    for words in [
        "the change: 8000 bytes (about 2,000 tokens)",
        "definitions: 4000 bytes (about 1,000 tokens), 3 shown, 2 more did not fit",
        "time ran out after 7 commits",
        "the task, which each turn adds: ",
        "the schema of the answer, in each call of an API: ",
        "look things up 12 times a turn (`limits.tool-calls`), which adds at most 164 KB",
    ] {
        assert!(lines.contains(words), "{words}: {lines}");
    }
}

#[test]
fn a_bound_that_does_not_hold_is_told() {
    let recipient = BriefRecipient {
        elsewhere: true,
        judges: vec!["judge-1".to_owned()],
        input: 10,
        output: 10,
        usd: None,
    };
    let forecast = RunEstimate {
        to: BTreeMap::from([("b at https://b.example".to_owned(), recipient)]),
        brief_bytes: 100,
        brief: None,
        look_ups: 0,
        schema_bytes: schema_bytes(false),
        redactions: 0,
        left_out: Vec::new(),
        rounds: 1,
    };
    assert_eq!(forecast.unbounded_warning(None), None, "there is no bound");
    let warning = forecast.unbounded_warning(Some(1_000_000)).unwrap();
    assert!(warning.contains("b at https://b.example"), "{warning}");
}

#[test]
fn numbers_are_easy_to_read() {
    let shown = [0, 999, 1000, 1_234_567].map(format_number);
    assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    assert_eq!(format_cost(Some((0.01, 0.2))), "$0.010 to $0.200");
}
