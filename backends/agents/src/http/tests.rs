//! The driver against the scripted server: every API, every way in which an answer does not come.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use council_fake_models::{FakeModels, Fault, Reply as Says, Rule, Stop as Ends, Tokens};
use council_protocol::change::NoBlobs;
use council_protocol::message::Usage;
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::price::{ModelPrice, SpendLimit};
use council_protocol::reproduction::TestSuite;
use council_protocol::seat::{AgentKind, AgentSpec, Api, Effort, Endpoint, Prime};
use council_protocol::task::{DebateBranch, Form};
use council_protocol::{Failure, FailureKind, JudgeSpec, Packet, Seat, Task, Turn, TurnId};

use serde_json::{Value, json};

use super::HttpAgent;
use crate::{Agent, AgentContext, AgentReply, Conversation, StopSignal};

pub(super) const APIS: [(Api, &str); 4] = [
    (Api::Anthropic, "/v1"),
    (Api::Responses, "/v1"),
    (Api::Chat, "/v1"),
    (Api::Gemini, "/v1beta"),
];

fn http() -> Arc<HttpAgent> {
    Arc::new(HttpAgent::new(Arc::new(context())))
}

/// What the driver is given.
pub(super) fn context() -> AgentContext {
    let target = Target {
        kind: TargetKind::Topic,
        label: String::new(),
        slug: String::new(),
        base: None,
        head: None,
        only: Vec::new(),
    };
    let packet = Packet {
        version: PACKET_VERSION,
        target,
        files: Vec::new(),
        instructions: Vec::new(),
        coverage: Default::default(),
        framing: Default::default(),
    };
    let env = BTreeMap::from([
        ("MODEL_KEY".to_owned(), "sk-test-0123456789".into()),
        ("GITHUB_TOKEN".to_owned(), "ghs".into()),
    ]);
    AgentContext {
        packet: Arc::new(packet),
        blobs: Arc::new(NoBlobs),
        exe: None,
        folder: None,
        tools: None,
        env,
    }
}

pub(super) fn spec(models: &FakeModels, (api, base): (Api, &str)) -> JudgeSpec {
    let endpoint = Endpoint {
        api,
        url: format!("{}{base}", models.url()),
        key: Some("MODEL_KEY".to_owned()),
        fallback: Vec::new(),
        max_tokens: 1000,
        structured: false,
        prime: Prime::Auto,
        tool_calls: 0,
        effort: None,
        thinking: None,
    };
    let agent = AgentSpec {
        name: "api".to_owned(),
        kind: AgentKind::Http(endpoint),
        vendor: "v".to_owned(),
        model: Some("m".to_owned()),
        deterministic: false,
    };
    JudgeSpec {
        seat: Seat {
            judge: "judge-1".into(),
            perspective: Default::default(),
            agent,
        },
        brief: "The brief.\n".into(),
        room: None,
        max_answer_bytes: 100_000,
        proves: false,
    }
}

/// The endpoint of a spec, to be changed.
pub(super) fn endpoint(spec: &mut JudgeSpec) -> &mut Endpoint {
    match &mut spec.seat.agent.kind {
        AgentKind::Http(endpoint) => endpoint,
        other => panic!("{other:?}"),
    }
}

pub(super) fn turn(round: u8, timeout_ms: u64) -> Turn {
    Turn {
        id: TurnId(u32::from(round)),
        round: round.into(),
        key: format!("k{round}"),
        task: Task::Review,
        prompt: format!(
            "Round {round}.\n- `round` is {round}, and `key` is `k{round}`: copy both."
        ),
        timeout_ms,
        spend: None,
    }
}

pub(super) fn open(http: &HttpAgent, spec: &JudgeSpec) -> Box<dyn Conversation> {
    http.open_conversation(spec).unwrap()
}

/// What one turn comes to under a script, at every API.
fn asked(rules: &[Rule], timeout_ms: u64) -> Vec<(Api, Result<AgentReply, Failure>, usize)> {
    let one = |api: (Api, &str)| {
        let models = FakeModels::start(rules.to_vec()).unwrap();
        let mut talk = open(&http(), &spec(&models, api));
        let answer = talk.take_turn(&turn(1, timeout_ms), &StopSignal::default());
        (api.0, answer, models.stats().requests)
    };
    APIS.into_iter().map(one).collect()
}

fn kinds(rules: &[Rule], timeout_ms: u64) -> Vec<(FailureKind, usize)> {
    let failed = |(api, answer, requests): (Api, Result<AgentReply, Failure>, usize)| {
        (answer.expect_err(&format!("{api:?}")).kind, requests)
    };
    asked(rules, timeout_ms).into_iter().map(failed).collect()
}

#[test]
fn a_conversation_is_kept_across_rounds_and_begins_with_the_same_bytes() {
    let http = http();
    for api in APIS {
        let models = FakeModels::start([]).unwrap();
        let mut spec = spec(&models, api);
        spec.brief = format!("{}\n", "A brief of many words. ".repeat(2000)).into();
        let mut talk = open(&http, &spec);
        for round in 1..=3 {
            let reply = talk
                .take_turn(&turn(round, 20_000), &StopSignal::default())
                .unwrap();
            assert!(
                reply.raw.contains(&format!("\"key\":\"k{round}\"")),
                "{api:?}: {}",
                reply.raw
            );
            let usage = reply.usage.unwrap();
            assert_eq!(usage.model.as_deref(), Some("m"));
            assert!(usage.output_tokens > Some(10), "{api:?}: {usage:?}");
            let brief = spec.brief.len() as u64 / 4;
            let (read, cached) = (usage.input_tokens.unwrap(), usage.cached_tokens.unwrap());
            match round {
                1 => assert!(read >= brief && cached == 0, "{api:?}: {usage:?}"),
                _ => assert!(read < 400 && cached >= brief, "{api:?} {round}: {usage:?}"),
            }
        }
        let records = models.records();
        assert!(records[2].body.contains("Round 1."), "{api:?}");
        assert!(
            records[2].shared_bytes >= records[1].prompt_bytes,
            "{api:?}: {:?}",
            records[2].shared_bytes
        );
        assert!(
            records
                .iter()
                .all(|r| r.headers.values().all(|v| !v.contains("sk-test")))
        );
    }
}

#[test]
fn an_answer_in_our_schema_comes_bare_and_a_server_without_it_is_asked_again() {
    for api in APIS {
        let models = FakeModels::start([]).unwrap();
        let mut spec = spec(&models, api);
        endpoint(&mut spec).structured = true;
        let mut talk = open(&http(), &spec);
        let reply = talk
            .take_turn(&turn(1, 20_000), &StopSignal::default())
            .unwrap();
        assert!(reply.raw.starts_with('{'), "{api:?}: {}", reply.raw);
        let models = FakeModels::start([Rule::on(Says::status(400)).times(1)]).unwrap();
        let mut spec = self::spec(&models, api);
        endpoint(&mut spec).structured = true;
        let mut talk = open(&http(), &spec);
        let reply = talk
            .take_turn(&turn(1, 20_000), &StopSignal::default())
            .unwrap();
        assert!(reply.raw.contains("```json"), "{api:?}: {}", reply.raw);
        // Such an answer was held to nothing: the receipt says so.
        let told = reply.usage.unwrap().passed_over;
        assert!(
            told[0].contains("with a schema of the answer") && told[0].contains("400"),
            "{told:?}"
        );
    }
}

/// However a turn goes on after the refusal, the receipt says that the answer was held to nothing: the usage of an answer, also
/// of a server that counts no tokens, and the words of a failure.
#[test]
fn a_refused_schema_is_told_however_the_turn_ends() {
    let uncounted = Says {
        without_usage: true,
        ..Says::default()
    };
    let refusals = [Says::status(400), Says::fault(Fault::Refused)];
    let ends = [
        Says::default(),
        uncounted,
        Says::status(400),
        Says::status(401),
        Says::status(403),
        Says::stop(Ends::Refusal),
        Says::fault(Fault::Hang),
    ];
    let cases = refusals
        .iter()
        .flat_map(|refusal| ends.iter().map(move |end| (refusal, end)));
    for ((refusal, end), api) in cases.flat_map(|case| APIS.map(|api| (case, api))) {
        let rules = [Rule::on(refusal.clone()).times(1), Rule::on(end.clone())];
        let models = FakeModels::start(rules).unwrap();
        let mut spec = spec(&models, api);
        endpoint(&mut spec).structured = true;
        let mut talk = open(&http(), &spec);
        let time = if end.fault.is_some() { 500 } else { 20_000 };
        let told = match talk.take_turn(&turn(1, time), &StopSignal::default()) {
            Ok(reply) => reply.usage.unwrap().passed_over.join("; "),
            Err(failure) => failure.detail,
        };
        let word = told.contains("with a schema of the answer") && told.contains("400");
        assert!(word, "{api:?} {refusal:?}, then {end:?}: {told}");
        assert_eq!(
            models.stats().requests,
            2,
            "{api:?} {refusal:?}, then {end:?}"
        );
    }
}

#[test]
fn what_a_key_or_a_call_is_refused_for_is_not_tried_again() {
    let refused = [
        (401, FailureKind::Quota),
        (402, FailureKind::Quota),
        (403, FailureKind::Quota),
        (404, FailureKind::Provider),
        (400, FailureKind::Provider),
        (307, FailureKind::Provider),
    ];
    for (status, kind) in refused {
        let says = Says::status(status).header("location", "http://127.0.0.1:9/");
        let all = kinds(&[Rule::on(says)], 20_000);
        assert!(
            all.iter().all(|found| *found == (kind, 1)),
            "{status}: {all:?}"
        );
    }
}

/// Law: whichever API refuses a key or a call, its message names the service, the variable of the key, and what to do.
#[test]
fn a_refused_key_is_told_with_its_variable_and_the_next_step() {
    for (status, next_step) in [
        (401, "set MODEL_KEY to a key of this service that is valid"),
        (403, "use a key in MODEL_KEY that may use this model"),
    ] {
        for (api, answer, _) in asked(&[Rule::on(Says::status(status))], 20_000) {
            let detail = answer.unwrap_err().detail;
            for word in [
                "127.0.0.1",
                "the key in MODEL_KEY",
                &status.to_string(),
                next_step,
            ] {
                assert!(detail.contains(word), "{api:?} {status}, {word}: {detail}");
            }
        }
    }
}

#[test]
fn a_busy_provider_is_asked_again_as_long_as_there_is_time() {
    for status in [429, 500, 503, 529] {
        let rules = [Rule::on(Says::status(status)).times(1)];
        for (api, answer, requests) in asked(&rules, 20_000) {
            assert!(answer.is_ok(), "{api:?} {status}: {answer:?}");
            assert_eq!(requests, 2);
        }
    }
    // Told to come back later than there is time: no use in waiting.
    let began = Instant::now();
    let all = kinds(
        &[Rule::on(Says::status(429).header("retry-after", "600"))],
        20_000,
    );
    assert!(
        all.iter().all(|found| *found == (FailureKind::Quota, 1)),
        "{all:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(10));
    let told = [Rule::on(Says::status(429).header("retry-after", "1")).times(1)];
    let began = Instant::now();
    assert!(asked(&told, 20_000)[0].1.is_ok());
    assert!(began.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_cut_answer_is_asked_for_again_and_never_taken_for_a_whole_one() {
    for fault in [Fault::Cut, Fault::Close, Fault::ErrorMidway] {
        for (api, answer, _) in asked(&[Rule::on(Says::fault(fault)).times(1)], 20_000) {
            assert!(answer.is_ok(), "{api:?} {fault:?}: {answer:?}");
        }
    }
    for (kind, requests) in kinds(&[Rule::on(Says::fault(Fault::Cut))], 1500) {
        assert!(
            matches!(kind, FailureKind::Provider | FailureKind::Timeout),
            "{kind}"
        );
        assert!(requests >= 2);
    }
}

#[test]
fn a_hang_costs_no_more_than_the_turn() {
    for fault in [Fault::Hang, Fault::HangMidway] {
        let began = Instant::now();
        let all = kinds(&[Rule::on(Says::fault(fault))], 300);
        assert!(
            all.iter().all(|found| *found == (FailureKind::Timeout, 1)),
            "{all:?}"
        );
        assert!(
            began.elapsed() < Duration::from_secs(8),
            "{:?}",
            began.elapsed()
        );
    }
}

#[test]
fn what_was_said_before_a_stream_broke_off_is_kept() {
    let cut = Says {
        fault: Some(Fault::Cut),
        filler_bytes: 5_000,
        chunk_bytes: 50,
        ..Says::text("VERDICT: FAIL ")
    };
    for (api, answer, _) in asked(&[Rule::on(cut).times(1)], 20_000) {
        let usage = answer.unwrap().usage.expect("both calls are paid for");
        let kept = usage
            .earlier
            .iter()
            .chain([&usage])
            .flat_map(|usage| &usage.unread);
        assert!(
            kept.into_iter()
                .any(|said| said.starts_with("VERDICT: FAIL")),
            "{api:?}"
        );
    }
}

#[test]
fn a_call_that_is_cut_off_costs_at_least_what_was_counted() {
    for fault in [Fault::Hang, Fault::HangMidway, Fault::Cut, Fault::Close] {
        for (api, answer, _) in asked(&[Rule::on(Says::fault(fault))], 1_500) {
            let usage = answer.unwrap_err().usage.expect("the server took the call");
            let is_open = |usage: &Usage| usage.unpriced.iter().any(|name| name.contains(" of m "));
            assert!(usage.earlier.iter().all(is_open), "{api:?} {fault:?}");
            assert!(is_open(&usage), "{api:?} {fault:?}: {usage:?}");
            let silent = matches!(fault, Fault::Hang | Fault::Close);
            assert!(!silent || usage.unread.is_empty(), "{api:?} {fault:?}");
            let counts_first = matches!(api, Api::Anthropic) && fault == Fault::HangMidway;
            assert!(
                !counts_first || usage.input_tokens.is_some(),
                "{api:?}: {usage:?}"
            );
        }
    }
    // What is refused, and what nobody hears, costs nothing.
    let refused = Rule::on(Says {
        status: 401,
        ..Says::text("no")
    });
    for (api, answer, _) in asked(&[refused], 1_500) {
        assert_eq!(answer.unwrap_err().usage, None, "{api:?}");
    }
}

#[test]
fn refusal_truncation_and_silence_are_told_apart() {
    let cases = [
        (Says::stop(Ends::Refusal), FailureKind::Refused),
        (Says::stop(Ends::MaxTokens), FailureKind::Truncated),
        (Says::text("  \n"), FailureKind::Empty),
    ];
    for (says, kind) in cases {
        let all = kinds(&[Rule::on(says)], 20_000);
        assert!(
            all.iter().all(|found| *found == (kind, 1)),
            "{kind}: {all:?}"
        );
    }
    for (_, answer, _) in asked(&[Rule::on(Says::text("All is well. PASS."))], 20_000) {
        assert_eq!(
            answer.unwrap().raw,
            "All is well. PASS.",
            "prose is the engine's to judge"
        );
    }
}

#[test]
fn fifty_megabytes_are_not_read() {
    let flood = Says {
        filler_bytes: 50 << 20,
        chunk_bytes: 64 << 10,
        ..Says::text("x")
    };
    let models = FakeModels::start([Rule::on(flood)]).unwrap();
    let mut talk = open(&http(), &spec(&models, APIS[0]));
    let failure = talk
        .take_turn(&turn(1, 60_000), &StopSignal::default())
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::Oversized);
    assert!(
        models.wait(Duration::from_secs(10), |stats| stats.aborted == 1),
        "the connection was dropped"
    );
}

#[test]
fn judges_ask_at_the_same_time_and_an_interrupt_drops_the_call() {
    let models = FakeModels::start([Rule::on(Says::fault(Fault::Hang))]).unwrap();
    let (http, stop) = (http(), StopSignal::default());
    let spec = spec(&models, APIS[1]);
    let judges: Vec<_> = (0..8)
        .map(|_| {
            let (http, spec, stop) = (Arc::clone(&http), spec.clone(), stop.clone());
            thread::spawn(move || open(&http, &spec).take_turn(&turn(1, 60_000), &stop))
        })
        .collect();
    assert!(models.wait(Duration::from_secs(20), |stats| stats.max_in_flight == 8));
    let began = Instant::now();
    stop.raise();
    for judge in judges {
        assert_eq!(
            judge.join().unwrap().unwrap_err().kind,
            FailureKind::Cancelled
        );
    }
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(models.wait(Duration::from_secs(10), |stats| stats.aborted == 8));
}

#[test]
fn after_a_turn_without_an_answer_the_conversation_goes_on() {
    let models = FakeModels::start([Rule::on(Says::status(403)).times(1)]).unwrap();
    let mut talk = open(&http(), &spec(&models, APIS[0]));
    assert!(
        talk.take_turn(&turn(1, 20_000), &StopSignal::default())
            .is_err()
    );
    assert!(
        talk.take_turn(&turn(2, 20_000), &StopSignal::default())
            .is_ok()
    );
    let body = &models.records()[1].body;
    assert!(
        !body.contains("Round 1.") && body.contains("The brief."),
        "{body}"
    );
}

#[test]
fn a_model_that_fails_gives_way_to_the_next_and_is_named() {
    let models = FakeModels::start([Rule::on(Says::status(404)).model("m")]).unwrap();
    let mut spec = spec(&models, APIS[2]);
    endpoint(&mut spec).fallback = vec!["m".to_owned(), "n".to_owned()];
    let mut talk = open(&http(), &spec);
    let usage = talk
        .take_turn(&turn(1, 20_000), &StopSignal::default())
        .unwrap()
        .usage
        .unwrap();
    assert_eq!(usage.model.as_deref(), Some("n"));
    assert_eq!(usage.passed_over.len(), 1);
    assert!(
        usage.passed_over[0].starts_with("m: provider: 127.0.0.1 has no such model"),
        "{usage:?}"
    );
    // The conversation stays with the model that answered.
    talk.take_turn(&turn(2, 20_000), &StopSignal::default())
        .unwrap();
    assert_eq!(models.stats().requests, 3);
}

#[test]
fn every_call_of_a_turn_is_counted_and_asked_for_before_it_is_made() {
    let truncated = |times| {
        Rule::on(Says {
            stop: Ends::MaxTokens,
            ..Says::text("half an ans")
        })
        .times(times)
    };
    let price = ModelPrice {
        input: 1_000_000,
        cached: 1_000_000,
        output: 1_000_000,
        written: None,
    };
    let prices: BTreeMap<String, ModelPrice> = ["m", "second", "third"]
        .map(|model| (model.to_owned(), price))
        .into();
    for api in APIS {
        let models = FakeModels::start([truncated(9)]).unwrap();
        let mut spec = spec(&models, api);
        endpoint(&mut spec).fallback = vec!["second".to_owned(), "third".to_owned()];
        let failure = open(&http(), &spec)
            .take_turn(&turn(1, 5_000), &StopSignal::default())
            .unwrap_err();
        let usage = *failure.usage.expect("a truncated answer is paid for");
        assert_eq!(
            usage.unread, ["half an ans"; 3],
            "{api:?}: what each said is kept"
        );
        let asked: Vec<&str> = usage
            .earlier
            .iter()
            .chain([&usage])
            .filter_map(|u| u.model.as_deref())
            .collect();
        assert_eq!(asked, ["m", "second", "third"], "{api:?}");
        assert!(
            usage
                .earlier
                .iter()
                .chain([&usage])
                .all(|u| u.input_tokens.is_some()),
            "{api:?}"
        );

        let models = FakeModels::start([truncated(9)]).unwrap();
        endpoint(&mut spec).url = format!("{}{}", models.url(), api.1);
        let mut turn = turn(1, 5_000);
        // The first call was approved with the turn; another, of some 1,500 tokens, would be too much.
        let limit = SpendLimit {
            micro_usd: 1_500,
            prices: prices.clone(),
        };
        turn.spend = Some(limit);
        let failure = open(&http(), &spec)
            .take_turn(&turn, &StopSignal::default())
            .unwrap_err();
        assert_eq!(
            (failure.kind, models.stats().requests),
            (FailureKind::Quota, 1),
            "{api:?}: {failure}"
        );
        assert!(failure.detail.contains("--max-cost"), "{failure}");
        assert!(failure.usage.is_some(), "{api:?}");
    }
}

#[test]
fn a_prompt_that_the_server_cuts_is_no_answer() {
    for api in APIS {
        let usage = Tokens {
            input: 2_048,
            ..Tokens::default()
        };
        let models = FakeModels::start([Rule::on(Says {
            usage: Some(usage),
            ..Says::text("{}")
        })])
        .unwrap();
        let mut spec = spec(&models, api);
        spec.brief = "let total = compute(items, 42);\n".repeat(800).into();
        let failure = open(&http(), &spec)
            .take_turn(&turn(1, 5_000), &StopSignal::default())
            .unwrap_err();
        assert_eq!(failure.kind, FailureKind::ContextCut, "{api:?}: {failure}");
        assert!(failure.detail.contains("context window"), "{failure}");
    }
}

#[test]
fn judges_of_one_brief_start_when_the_first_one_s_answer_begins() {
    // Headers alone say nothing: a proxy sends them before the provider has read the prompt.
    let slow = Says {
        headers_first: true,
        ..Says::default().after(400)
    };
    let models = FakeModels::start([Rule::on(slow)]).unwrap();
    let http = http();
    for prime in [Prime::Auto, Prime::Off] {
        let before = models.records().len();
        let mut spec = spec(&models, APIS[0]);
        spec.brief = format!("{prime:?} {}", "brief ".repeat(SMALL_WORDS)).into();
        endpoint(&mut spec).prime = prime;
        let judges: Vec<_> = (0..3)
            .map(|_| {
                let (http, spec) = (Arc::clone(&http), spec.clone());
                thread::spawn(move || {
                    open(&http, &spec)
                        .take_turn(&turn(1, 30_000), &StopSignal::default())
                        .unwrap()
                })
            })
            .collect();
        let usages: Vec<_> = judges
            .into_iter()
            .map(|j| j.join().unwrap().usage.unwrap())
            .collect();
        let cached = usages
            .iter()
            .filter(|usage| usage.cached_tokens > Some(1000))
            .count();
        let records = &models.records()[before..];
        let most = records.iter().map(|r| r.in_flight).max().unwrap();
        // What the server has in its cache it has from an answer that had begun. How many are in flight after that is chance:
        // the first one may or may not be over.
        match prime {
            Prime::Auto | Prime::On => assert_eq!(cached, 2, "{usages:?}"),
            Prime::Off => assert_eq!((cached, most), (0, 3), "{usages:?}"),
        }
    }
}

/// Each in its API's own form; a number of tokens comes on top of those of the answer.
#[test]
fn a_model_is_told_how_much_to_think_in_its_api_s_own_form() {
    let models = FakeModels::start([]).unwrap();
    let body = |api, effort, thinking| {
        let api = APIS.into_iter().find(|(known, _)| *known == api).unwrap();
        let mut spec = spec(&models, api);
        endpoint(&mut spec).structured = true;
        (endpoint(&mut spec).effort, endpoint(&mut spec).thinking) = (effort, thinking);
        open(&http(), &spec)
            .take_turn(&turn(1, 5_000), &StopSignal::default())
            .unwrap();
        serde_json::from_str::<Value>(&models.records().last().unwrap().body).unwrap()
    };
    let high = Some(Effort::High);
    let anthropic = body(Api::Anthropic, high, None);
    assert_eq!(anthropic["output_config"]["effort"], "high");
    assert_eq!(anthropic["output_config"]["format"]["type"], "json_schema");
    assert_eq!(anthropic["thinking"], json!({"type": "adaptive"}));
    let budget = body(Api::Anthropic, None, Some(4_000));
    assert_eq!(
        budget["thinking"],
        json!({"type": "enabled", "budget_tokens": 4_000})
    );
    let plain = body(Api::Anthropic, None, None);
    let most = |body: &Value| body["max_tokens"].as_u64().unwrap();
    assert_eq!(most(&budget), most(&plain) + 4_000);
    assert_eq!(plain.get("thinking"), None);
    let off = body(Api::Anthropic, Some(Effort::None), None);
    assert_eq!(off["thinking"], json!({"type": "disabled"}));
    assert_eq!(off["output_config"].get("effort"), None);
    assert_eq!(
        body(Api::Responses, high, None)["reasoning"],
        json!({"effort": "high"})
    );
    assert_eq!(body(Api::Chat, high, None)["reasoning_effort"], "high");
    let config = |body: &Value| body["generationConfig"]["thinkingConfig"].clone();
    assert_eq!(
        config(&body(Api::Gemini, high, None)),
        json!({"thinkingLevel": "high"})
    );
    let budget = body(Api::Gemini, None, Some(4_000));
    assert_eq!(config(&budget), json!({"thinkingBudget": 4_000}));
    for (api, _) in APIS {
        for sampling in ["temperature", "top_p", "top_k"] {
            let body = body(api, high, None).to_string();
            assert!(
                !body.contains(sampling),
                "{api:?}: thinking allows no {sampling}"
            );
        }
    }
}

/// What breaks a provider's cache: anything before the last turn that is not the same bytes again.
#[test]
fn the_schema_is_the_same_in_every_turn_and_thinks_first() {
    for (api, proves) in APIS.into_iter().flat_map(|api| [(api, false), (api, true)]) {
        let models = FakeModels::start([]).unwrap();
        let mut spec = spec(&models, api);
        spec.proves = proves;
        endpoint(&mut spec).structured = true;
        let mut judge = open(&http(), &spec);
        let suite = TestSuite {
            name: "tests".to_owned(),
            command: "make test".to_owned(),
        };
        let debate = Task::Debate {
            restatement: String::new(),
            branch: DebateBranch::Agreed,
            peers: Vec::new(),
            dropped: 0,
            settled: 0,
            framing: None,
            suites: proves.then_some(suite).into_iter().collect(),
        };
        for (round, task) in [(1, Task::Review), (2, debate)] {
            let turn = Turn {
                task,
                ..turn(round, 5_000)
            };
            judge.take_turn(&turn, &StopSignal::default()).unwrap();
        }
        let form = if proves {
            Form::ProvenDebate
        } else {
            Form::Review
        };
        let schema = crate::schema::answer_schema(form).unwrap().text();
        assert_eq!(models.records().len(), 2);
        for record in models.records() {
            assert_eq!(
                record.body.matches(schema).count(),
                1,
                "{api:?}: {}",
                record.body
            );
        }
    }
}

/// So many words that a brief is worth the wait.
const SMALL_WORDS: usize = super::prime::MIN_BRIEF_BYTES / 6 + 1;

#[test]
fn a_seat_without_a_key_a_model_or_a_safe_address_cannot_be_taken() {
    let models = FakeModels::start([]).unwrap();
    let whole = spec(&models, APIS[0]);
    let probe = |change: &dyn Fn(&mut JudgeSpec)| {
        let mut spec = whole.clone();
        change(&mut spec);
        http().probe_seat(&spec.seat).unwrap_err().detail
    };
    assert!(http().probe_seat(&whole.seat).is_ok());
    let key = |name: &'static str| move |s: &mut JudgeSpec| endpoint(s).key = Some(name.to_owned());
    let url = |url: &'static str| move |s: &mut JudgeSpec| endpoint(s).url = url.to_owned();
    assert!(probe(&key("NO_SUCH")).contains("NO_SUCH"));
    assert!(probe(&key("GITHUB_TOKEN")).contains("no judge may use"));
    assert!(probe(&|s| s.seat.agent.model = None).contains("agents.api.model"));
    assert!(probe(&url("http://models.example/v1")).contains("unencrypted"));
    assert!(probe(&url("https://me:pass@models.example/v1")).contains("no password"));
    assert!(probe(&url("file:///etc/passwd")).contains("https://"));
    assert_eq!(models.stats().requests, 0, "a probe costs nothing");
}

#[test]
fn an_error_s_words_are_short_and_never_have_the_key() {
    let body = format!(
        r#"{{"error": {{"message": "bad key sk-test-0123456789 {}"}}}}"#,
        "x".repeat(9000)
    );
    let says = Says {
        body: Some(body),
        ..Says::status(401)
    };
    for (api, answer, _) in asked(&[Rule::on(says)], 20_000) {
        let detail = answer.unwrap_err().detail;
        assert!(
            detail.contains("bad key [key]") && detail.len() < 500,
            "{api:?}: {detail}"
        );
    }
}
