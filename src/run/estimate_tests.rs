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
        extras: CallExtras::default(),
        redactions: 0,
        left_out: Vec::new(),
        turns: JudgeTurns::ONCE,
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
        extras: CallExtras {
            schema: 3_000,
            look_ups: 12,
        },
        redactions: 0,
        left_out: Vec::new(),
        turns: JudgeTurns::ONCE,
    };
    let lines = forecast.brief_lines().join("\n");
    for words in [
        "the change: 8000 bytes (about 2,000 tokens)",
        "definitions: 4000 bytes (about 1,000 tokens), 3 shown, 2 more did not fit",
        "time ran out after 7 commits",
        "the task, added to each question: ",
        "the schema of the answer, in each call of an API: ",
        "look things up 12 times before it answers (`limits.tool-calls`), which adds at most 164 KB",
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
        extras: CallExtras::default(),
        redactions: 0,
        left_out: Vec::new(),
        turns: JudgeTurns::ONCE,
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

fn settings(lines: &str) -> Settings {
    use crate::config::{ConfigLayer, LayerSource, resolve_layers};
    let layer = ConfigLayer::File {
        source: LayerSource::User,
        name: "f".into(),
        text: lines.into(),
    };
    resolve_layers(&[layer]).unwrap().settings
}

fn seat(structured: bool, tool_calls: u32) -> Seat {
    serde_json::from_value(serde_json::json!({
        "judge": "judge-1",
        "agent": {
            "name": "m",
            "model": "m",
            "vendor": "v",
            "kind": { "driver": "http", "api": "chat", "url": "http://127.0.0.1:1/v1", "max_tokens": 1000,
                      "structured": structured, "tool_calls": tool_calls },
        },
    }))
    .unwrap()
}

const PRICE: &str = "[prices.m]\ninput = 3\noutput = 15\n";

fn forecast(lines: &str, has_tree: bool, seat: &Seat) -> String {
    let settings = settings(&format!("{lines}\n{PRICE}"));
    let brief = Some(BriefFacts::default());
    let estimate = RunEstimate::for_seats(
        &[(seat, 1_000)],
        0,
        &Coverage::default(),
        &settings,
        has_tree,
    );
    estimate.with_brief(brief).render_lines().join("\n")
}

/// Whoever consents to a sum consents to all turns of the procedure that he chose, and to no round that it has not.
#[test]
fn each_procedure_is_told_with_its_own_turns() {
    for (lines, told) in [
        ("review.procedure = 'quick'", None),
        ("review.debate = 'off'", None),
        ("review.debate = 'auto'", Some("a second round may follow")),
        (
            "review.debate = 'force'",
            Some("each judge is asked 2 times"),
        ),
        (
            "review.procedure = 'cross-examination'\n[cross-examination]\nrounds = 1",
            Some("each judge is asked 3 to 4 times"),
        ),
        (
            "review.procedure = 'cross-examination'\n[cross-examination]\nrounds = 4",
            Some("each judge is asked 6 to 10 times"),
        ),
        (
            "review.procedure = 'staged'\nreview.intensity = 'full'",
            Some("each judge is asked 3 to 5 times"),
        ),
    ] {
        let text = forecast(lines, true, &seat(false, 0));
        let line = text
            .lines()
            .find(|line| line.contains("follow") || line.contains("is asked"));
        match (told, line) {
            (None, None) => {}
            (Some(told), Some(line)) => assert!(line.contains(told), "{lines}: {line}"),
            _ => panic!("{lines}: {text}"),
        }
    }
}

/// What is told to be sent is sent: a schema where answers are held to one, tools where there are files to look into.
#[test]
fn only_what_is_sent_is_told() {
    for structured in [false, true] {
        for tool_calls in [0, 12] {
            for has_tree in [false, true] {
                let seat = seat(structured, tool_calls);
                let text = forecast("", has_tree, &seat);
                let has_tools = tool_calls > 0 && has_tree;
                assert_eq!(
                    text.contains("the schema of the answer"),
                    structured,
                    "{text}"
                );
                assert_eq!(text.contains("tools that look into"), has_tools, "{text}");
                let extras = CallExtras::of_seats([&seat].into_iter(), &settings(""), has_tree);
                let facts = extras.beside(BriefFacts::default());
                assert_eq!((facts.schema > 0, facts.tools > 0), (structured, has_tools));
            }
        }
    }
    let examined = "review.procedure = 'cross-examination'";
    assert!(schema_bytes(&settings(examined)) > schema_bytes(&settings("")));
}
