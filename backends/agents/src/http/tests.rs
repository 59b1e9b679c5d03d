//! The driver against the scripted server: every API, every way in which an answer does not come.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use council_fake_models::{FakeModels, Fault, Reply as Says, Rule, Stop as Ends, Tokens};
use council_protocol::change::NoBlobs;
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::seat::{AgentKind, AgentSpec, Api, Endpoint, Prime};
use council_protocol::{Failure, FailureKind, JudgeSpec, Packet, Seat, Task, Turn, TurnId};

use super::HttpAgent;
use crate::{Agent, AgentContext, AgentReply, Conversation, StopSignal};

pub(super) const APIS: [(Api, &str); 4] = [
    (Api::Anthropic, "/v1"),
    (Api::Responses, "/v1"),
    (Api::Chat, "/v1"),
    (Api::Gemini, "/v1beta"),
];

pub(super) fn http() -> Arc<HttpAgent> {
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
pub(super) fn asked(
    rules: &[Rule],
    timeout_ms: u64,
) -> Vec<(Api, Result<AgentReply, Failure>, usize)> {
    let one = |api: (Api, &str)| {
        let models = FakeModels::start(rules.to_vec()).unwrap();
        let mut talk = open(&http(), &spec(&models, api));
        let answer = talk.take_turn(&turn(1, timeout_ms), &StopSignal::default());
        (api.0, answer, models.stats().requests)
    };
    APIS.into_iter().map(one).collect()
}

pub(super) fn kinds(rules: &[Rule], timeout_ms: u64) -> Vec<(FailureKind, usize)> {
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
