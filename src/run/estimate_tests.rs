use council_agents::tools::max_turn_bytes;
use council_protocol::JudgeId;

use super::*;
use crate::report::ContextFacts;
use crate::run::call_extras::schema_bytes;
use crate::run::cost_words::{format_cost, format_number};

#[test]
fn a_recipient_without_a_price_makes_the_sum_a_lower_bound() {
    let recipient = |usd| BriefRecipient {
        elsewhere: true,
        tells_cost: false,
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
        largest: BriefSize::of_bytes(100),
        brief: None,
        extras: CallExtras::default(),
        redactions: 0,
        left_out: Vec::new(),
        parts_show_more: true,
        turns: JudgeTurns::ONCE,
        bound: None,
    };
    let lines = forecast.render_lines().join("\n");
    assert!(
        lines.contains("total: at least $0.100; no price is known of b at"),
        "{lines}"
    );
}

/// A review in parts is named where it shows more: what cannot be read, and what is in parts already, it shows as little.
#[test]
fn parts_are_advised_where_they_show_more() {
    let recipient = BriefRecipient {
        elsewhere: true,
        tells_cost: false,
        judges: vec!["judge-1".to_owned()],
        input: 10,
        output: 10,
        usd: None,
    };
    for (parts_show_more, is_advised) in [(true, true), (false, false)] {
        let forecast = RunEstimate {
            to: BTreeMap::from([("b at https://b.example".to_owned(), recipient.clone())]),
            largest: BriefSize::of_bytes(100),
            brief: None,
            extras: CallExtras::default(),
            redactions: 0,
            left_out: vec!["a.rs".to_owned()],
            parts_show_more,
            turns: JudgeTurns::ONCE,
            bound: None,
        };
        let lines = forecast.render_lines().join("\n");
        assert!(
            lines.contains("not shown in full to any judge: 1 file"),
            "{lines}"
        );
        assert_eq!(lines.contains("shows everything"), is_advised, "{lines}");
    }
}

/// A program that says what it costs is bounded from one answer to the next, whatever price is known.
#[test]
fn who_neither_has_a_price_nor_says_what_it_costs_is_uncountable() {
    let forecast = |elsewhere, usd, tells_cost| RunEstimate {
        to: BTreeMap::from([(
            "a".to_owned(),
            BriefRecipient {
                elsewhere,
                tells_cost,
                judges: vec!["judge-1".to_owned()],
                input: 10,
                output: 10,
                usd,
            },
        )]),
        largest: BriefSize::of_bytes(100),
        brief: None,
        extras: CallExtras::default(),
        redactions: 0,
        left_out: Vec::new(),
        parts_show_more: true,
        turns: JudgeTurns::ONCE,
        bound: None,
    };
    assert_eq!(forecast(true, None, false).uncountable(), ["a"]);
    for known in [
        forecast(true, Some((0.1, 0.2)), false),
        forecast(true, None, true),
        forecast(false, None, false),
    ] {
        assert_eq!(known.uncountable(), [""; 0]);
    }
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
        largest: BriefSize::of_bytes(14_000),
        brief: Some(brief),
        extras: CallExtras {
            schema: 3_000,
            look_ups: 12,
            ..CallExtras::default()
        },
        redactions: 0,
        left_out: Vec::new(),
        parts_show_more: true,
        turns: JudgeTurns::ONCE,
        bound: None,
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

/// The tokens that a forecast names in a line, and in the lines of its parts.
fn named_tokens(lines: &[String]) -> (u64, Vec<u64>) {
    let number = |line: &String| {
        let (_, rest) = line.split_once("about ")?;
        let (number, _) = rest.split_once(" tokens")?;
        number.replace(',', "").parse().ok()
    };
    let is_part = |line: &&String| line.starts_with("  ") && line.contains("(about ");
    let parts = lines.iter().filter(is_part).filter_map(number);
    (number(&lines[0]).unwrap(), parts.collect())
}

#[test]
fn a_bound_that_does_not_hold_is_told() {
    let recipient = BriefRecipient {
        elsewhere: true,
        tells_cost: false,
        judges: vec!["judge-1".to_owned()],
        input: 10,
        output: 10,
        usd: None,
    };
    let forecast = RunEstimate {
        to: BTreeMap::from([("b at https://b.example".to_owned(), recipient)]),
        largest: BriefSize::of_bytes(100),
        brief: None,
        extras: CallExtras::default(),
        redactions: 0,
        left_out: Vec::new(),
        parts_show_more: true,
        turns: JudgeTurns::ONCE,
        bound: None,
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

impl RunEstimate {
    /// The forecast of a review as it is configured.
    fn for_seats(
        seats: &[(&Seat, BriefSize)],
        redactions: usize,
        coverage: &Coverage,
        settings: &Settings,
        has_tree: bool,
    ) -> Self {
        let turns = JudgeTurns::of(settings, seats.iter().map(|(seat, _)| *seat));
        Self::for_turns(turns, seats, redactions, coverage, settings, has_tree)
    }
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

/// The same with other limits of what a call may write.
fn writing(mut seat: Seat, max_tokens: u32, thinking: u32) -> Seat {
    if let AgentKind::Http(endpoint) = &mut seat.agent.kind {
        (endpoint.max_tokens, endpoint.thinking) = (max_tokens, Some(thinking));
    }
    seat
}

const PRICE: &str = "[prices.m]\ninput = 3\noutput = 15\n";

fn forecast(lines: &str, has_tree: bool, seat: &Seat) -> String {
    forecast_of(&[seat, seat], lines, has_tree)
}

fn forecast_of(seats: &[&Seat], lines: &str, has_tree: bool) -> String {
    let settings = settings(&format!("{lines}\n{PRICE}"));
    let brief = Some(BriefFacts::default());
    let seats: Vec<(&Seat, BriefSize)> = seats
        .iter()
        .map(|seat| (*seat, BriefSize::of_bytes(1_000)))
        .collect();
    let estimate = RunEstimate::for_seats(&seats, 0, &Coverage::default(), &settings, has_tree);
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
            Some("each judge is asked 3 to 8 times"),
        ),
        (
            "review.procedure = 'cross-examination'\n[cross-examination]\nrounds = 4",
            Some("each judge is asked 6 to 23 times"),
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

/// A single judge has nobody to debate with, whatever is configured.
#[test]
fn no_second_round_is_told_to_a_single_judge() {
    for mode in ["off", "auto", "force"] {
        let seat = seat(true, 0);
        let lines = format!("review.debate = '{mode}'");
        let text = forecast_of(&[&seat], &lines, true);
        assert!(
            !text.contains("second round") && !text.contains("2 times"),
            "{text}"
        );
    }
}

/// A second round is told where there are others and somebody who can answer them: rules say the same again.
#[test]
fn a_second_round_is_told_where_somebody_can_answer() {
    let model = seat(true, 0);
    let mut rules = model.clone();
    rules.agent.deterministic = true;
    for judges in 1..5_usize {
        for models in 0..=judges {
            let seats: Vec<&Seat> = (0..judges)
                .map(|at| if at < models { &model } else { &rules })
                .collect();
            let text = forecast_of(&seats, "review.debate = 'auto'", true);
            let told = text.contains("a second round may follow");
            assert_eq!(told, judges > 1 && models > 0, "{judges}, {models}: {text}");
        }
    }
}

/// A document is made in the rounds of its own council, whatever a review is configured to have.
#[test]
fn a_document_is_told_with_its_own_rounds() {
    let turns = JudgeTurns::of_document(RoundLimits { min: 3, max: 5 });
    let seat = seat(true, 0);
    let seats = [(&seat, BriefSize::of_bytes(1_000))];
    let settings = settings(PRICE);
    let estimate = RunEstimate::for_turns(turns, &seats, 0, &Coverage::default(), &settings, true);
    let text = estimate.render_lines().join("\n");
    assert!(text.contains("each judge is asked 3 to 5 times"), "{text}");
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

/// What a run may cost bounds what it is told to cost, and a bound that nothing fits under is told beforehand.
#[test]
fn a_bound_of_the_cost_is_told_with_the_cost() {
    let seat = seat(true, 12);
    let told = |bound: &str| forecast_of(&[&seat], bound, true);
    let free = told("");
    assert!(!free.contains("limits.cost"), "{free}");
    let costs = |text: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.contains("out each time"));
        let words = line.unwrap().split_whitespace();
        words
            .filter_map(|word| word.strip_prefix('$'))
            .map(str::to_owned)
            .collect()
    };
    let [least, most] = costs(&free).try_into().unwrap();
    let between = f64::midpoint(least.parse().unwrap(), most.parse().unwrap());
    let bounded = told(&format!("limits.cost = '{between:.2}'"));
    assert_eq!(costs(&bounded)[0], least);
    assert_eq!(costs(&bounded)[1], format!("{between:.2}0"), "{bounded}");
    assert!(bounded.contains("is spent (`limits.cost`)"), "{bounded}");
    let tiny = told("limits.cost = '0.000001'");
    assert_eq!(costs(&tiny), [least.clone(), most.clone()]);
    assert!(
        tiny.contains("judges will be turned away (raise --max-cost)"),
        "{tiny}"
    );
    assert_eq!(costs(&told("limits.cost = '90000'")), [least, most]);
}

proptest::proptest! {
    #![proptest_config(crate::council::testing::config())]

    /// What is listed under a number is that number, whatever the text is made of: numbers have more tokens than prose.
    #[test]
    fn the_parts_of_a_forecast_add_up_to_what_stands_above_them(
        (change, frame) in (0u64..300_000, 1u64..20_000),
        around in proptest::collection::vec(0u64..20_000, 0..6),
        density in 100u64..260,
        (structured, tool_calls) in (proptest::bool::ANY, 0u32..3),
    ) {
        let context = around.iter().map(|&bytes| ContextFacts {
            kind: "uses".to_owned(),
            bytes,
            shown: 1,
            left_out: 0,
        });
        let brief = BriefFacts { change, frame, context: context.collect(), ..BriefFacts::default() };
        let bytes = change + frame + around.iter().sum::<u64>();
        let size = BriefSize { bytes, weight: bytes * density / 100 };
        let seat = seat(structured, tool_calls);
        let settings = settings("");
        let estimate = RunEstimate::for_seats(&[(&seat, size)], 0, &Coverage::default(), &settings, true);
        let to = estimate.to.values().next().unwrap().input;
        let (all, parts) = named_tokens(&estimate.with_brief(Some(brief)).render_lines());
        proptest::prop_assert_eq!(parts.iter().sum::<u64>(), all, "{:?}", parts);
        proptest::prop_assert_eq!(all, to, "what a judge is sent each time");
    }

    /// The lower cost is what a run costs whose provider remembers everything from the second call on, and whose answers are
    /// as long as expected: nothing is remembered before it was sent.
    #[test]
    fn the_lower_cost_is_that_of_a_perfect_cache(
        judges in 1_usize..6,
        brief in 0u64..400_000,
        parts in 1_usize..4,
        is_debate in proptest::bool::ANY,
    ) {
        let debate = if is_debate { "force" } else { "off" };
        let settings = settings(&format!("review.debate = '{debate}'\n[prices.claude-x]\ninput = 3\noutput = 15\n"));
        let seats: Vec<Seat> = (0..judges).map(|n| {
            let mut seat = seat(true, 0);
            seat.judge = JudgeId(format!("judge-{n}"));
            seat.agent.model = Some("claude-x".to_owned());
            seat
        }).collect();
        let seats = crate::run::shards::seats_for_shards(&seats, parts, u64::MAX).unwrap();
        let size = BriefSize::of_bytes(brief);
        let pairs: Vec<(&Seat, BriefSize)> = seats.iter().map(|seat| (seat, size)).collect();
        let estimate = RunEstimate::for_seats(&pairs, 0, &Coverage::default(), &settings, true);
        let (least, most) = estimate.to.values().next().and_then(|to| to.usd).unwrap();
        let beside = estimate_tokens(beside_brief(CallExtras::of_seat(&seats[0], &settings, true)));
        let rounds = if is_debate && seats.len() > 1 { 2 } else { 1 };
        let calls = (seats.len() * rounds) as f64;
        let read = estimate_tokens(brief) as f64;
        let millions = calls * (beside as f64 * 3.0 + 1_500.0 * 15.0)
            + parts as f64 * read * 3.75
            + (calls - parts as f64) * read * 0.3;
        proptest::prop_assert!((least - millions / 1e6).abs() < 1e-9, "{} {}", least, millions / 1e6);
        proptest::prop_assert!(least <= most, "{} {}", least, most);
    }

    /// No figure is higher than what the run may cost, and what the bound does is told.
    #[test]
    fn the_bound_of_the_cost_is_in_the_figures(cents in 1u64..500, brief in 0u64..400_000) {
        let bound = cents as f64 / 100.0;
        let seat = seat(true, 12);
        let settings = settings(&format!("limits.cost = '{bound:.2}'\n{PRICE}"));
        let pairs = [(&seat, BriefSize::of_bytes(brief)), (&seat, BriefSize::of_bytes(brief))];
        let estimate = RunEstimate::for_seats(&pairs, 0, &Coverage::default(), &settings, true);
        let (least, most) = estimate.to.values().next().and_then(|to| to.usd).unwrap();
        let text = estimate.render_lines().join("\n");
        let (is_tight, is_reached) = (least > bound, most > bound);
        let told = format_cost(Some((least, if is_tight { most } else { most.min(bound) })));
        proptest::prop_assert!(text.contains(&told), "{}: {}", told, text);
        proptest::prop_assert_eq!(text.contains("`limits.cost`"), is_reached, "{}", text);
        proptest::prop_assert_eq!(text.contains("turned away"), is_tight, "{}", text);
    }

    /// No round whose judge looks things up, as often and as much as it may, and writes all that it may each time, costs
    /// more than was told; and without look-ups nothing is told for them.
    #[test]
    fn the_higher_cost_holds_for_every_number_of_look_ups(
        most in 0u32..20,
        results in proptest::collection::vec(0u64..(24 << 10), 0..20),
        brief in 0u64..200_000,
        (max_tokens, thinking) in (1u32..20_000, 0u32..20_000),
        written in proptest::collection::vec(0.0f64..=1.0, 20),
    ) {
        let settings = settings(&format!("review.debate = 'off'\n{PRICE}"));
        let seat = writing(seat(true, most), max_tokens, thinking);
        let limit = u64::from(max_tokens) + u64::from(thinking);
        let told = |has_tree| {
            let estimate = RunEstimate::for_seats(&[(&seat, BriefSize::of_bytes(brief))], 0, &Coverage::default(), &settings, has_tree);
            estimate.to.values().next().and_then(|to| to.usd).unwrap().1
        };
        let price = cost_settings(&settings).prices["m"];
        let extras = CallExtras::of_seat(&seat, &settings, true);
        let frame = brief + TASK_BYTES + extras.schema + extras.tools();
        let (mut sent, mut said, mut cost) = (frame, 0, 0.0);
        for (bytes, share) in results.into_iter().zip(written).take(most as usize) {
            let tokens = (limit as f64 * share) as u64;
            cost += price.cost_usd(estimate_tokens(sent) + said, 0, tokens);
            sent = (sent + bytes).min(frame + max_turn_bytes());
            said += tokens;
        }
        cost += price.cost_usd(estimate_tokens(sent) + said, 0, limit);
        // Tokens are rounded up once for each part.
        let slack = price.cost_usd(u64::from(most) + 1, 0, 0);
        proptest::prop_assert!(cost <= told(true) + slack, "{} of {}", cost, told(true));
        let answer = limit.max(EXPECTED_OUTPUT);
        let once = price.cost_usd(estimate_tokens(frame - extras.tools()), 0, answer);
        proptest::prop_assert!((told(false) - once).abs() < slack + 1e-9);
    }
}

/// Whoever consents knows who gets the code: helpers of another model, too.
#[test]
fn helpers_are_told_with_their_model_and_what_they_may_cost() {
    let lines = "review.explorers = 2\nreview.explorer-model = 'small'\n[prices.small]\ninput = 1\noutput = 5";
    let text = forecast(lines, true, &seat(false, 0));
    assert!(text.contains("up to 2 helpers of judge-1"), "{text}");
    assert!(text.contains("small"), "{text}");
    assert!(text.contains("total: "), "{text}");
    let cost = |lines: &str| {
        let estimate = RunEstimate::for_seats(
            &[(&seat(false, 0), BriefSize::of_bytes(1_000))],
            0,
            &Coverage::default(),
            &settings(&format!("{lines}\n{PRICE}")),
            true,
        );
        let usd = estimate.to.values().filter_map(|to| to.usd);
        usd.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let (with, without) = (cost(lines), cost(""));
    assert!(with.1 > without.1 && (with.0 - without.0).abs() < 1e-9);
}
