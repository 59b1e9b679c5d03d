//! Servers that do not take a parameter of a call: the call goes again without it, and the receipt says so.

use council_fake_models::{FakeModels, Reply as Says, Rule};
use council_protocol::seat::{Api, Effort};
use serde_json::{Value, json};

use super::HttpAgent;
use super::tests::{APIS, context, endpoint, open, spec, turn};
use crate::StopSignal;

/// Refuses one call with these words.
fn refusal(words: &str) -> Rule {
    refusal_body(&json!({"error": {"message": words, "type": "invalid_request_error"}}))
}

/// The same in a form of the server's own.
fn refusal_body(body: &Value) -> Rule {
    let says = Says {
        body: Some(body.to_string()),
        ..Says::status(400)
    };
    Rule::on(says).times(1)
}

/// Whether a name stands anywhere in a body.
fn has_key(body: &Value, name: &str) -> bool {
    match body {
        Value::Object(fields) => fields
            .iter()
            .any(|(key, value)| key == name || has_key(value, name)),
        Value::Array(items) => items.iter().any(|item| has_key(item, name)),
        _ => false,
    }
}

/// Law: at every API a parameter that a refusal names is left out of the next call and of those after it, schema and tools stay,
/// the judge answers, and the receipt says why.
#[test]
fn a_call_is_repeated_without_the_parameter_that_its_refusal_names() {
    let cases: [(&str, &str, &[Api]); 6] = [
        (
            "Unrecognized request argument supplied: stream_options",
            "stream_options",
            &[Api::Chat],
        ),
        (
            "messages.0.content.0.cache_control: Extra inputs are not permitted",
            "cache_control",
            &[Api::Anthropic],
        ),
        (
            "Unknown parameter: 'prompt_cache_key'.",
            "prompt_cache_key",
            &[Api::Responses],
        ),
        (
            "reasoning_effort is not supported with this model",
            "reasoning_effort",
            &[Api::Chat],
        ),
        (
            "adaptive thinking is not supported on this model",
            "thinking",
            &[Api::Anthropic],
        ),
        (
            "reasoning.effort: not supported",
            "effort",
            &[Api::Responses],
        ),
    ];
    for (words, name, apis) in cases {
        for api in APIS.into_iter().filter(|(api, _)| apis.contains(api)) {
            let models = FakeModels::start([refusal(words)]).unwrap();
            let mut spec = spec(&models, api);
            endpoint(&mut spec).structured = true;
            endpoint(&mut spec).effort = Some(Effort::High);
            let mut talk = open(&HttpAgent::new(context().into()), &spec);
            for round in 1..3 {
                let reply = talk.take_turn(&turn(round, 20_000), &StopSignal::default());
                let told = reply.unwrap().usage.unwrap().passed_over;
                let says =
                    told.len() == 1 && told[0].contains(words) && told[0].contains("m with `");
                assert!(says, "{api:?} {name}: {told:?}");
            }
            let bodies: Vec<Value> = models
                .records()
                .iter()
                .map(|record| serde_json::from_str(&record.body).unwrap())
                .collect();
            let sent: Vec<bool> = bodies.iter().map(|body| has_key(body, name)).collect();
            assert_eq!(sent, [true, false, false], "{api:?} {name}");
            assert!(
                bodies
                    .iter()
                    .all(|body| body.to_string().contains("verdict"))
            );
        }
    }
}

/// What servers say of an effort that they do not take.
const EFFORT_REFUSALS: [&str; 12] = [
    "Thinking level is not supported for this model.",
    "Thinking-level LOW is unknown",
    "Unable to submit request because thinking_level is not supported by this model",
    "Invalid JSON payload. Unknown name \"thinkingLevel\" at 'generation_config.thinking_config': Cannot find field.",
    "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model.",
    "Function tools with reasoning effort are not supported in /v1/chat/completions.",
    "Reasoning-Effort is not one of ours",
    "This model does not support the effort parameter.",
    "output_config.effort: Extra inputs are not permitted",
    "Effort: unknown",
    "reasoningEffort",
];

/// What they say of thinking as such.
const THINKING_REFUSALS: [&str; 6] = [
    "\"llama3\" does not support thinking",
    "The thinkingBudget 0 is invalid. This model only works in thinking mode.",
    "thinking_config: not allowed",
    "generationConfig.thinkingConfig is unknown",
    "Unsupported parameter: 'reasoning' is not supported with this model.",
    "Thinking budget is not supported",
];

/// The forms in which a refusal tells it: in its message, beside it, below it, and with a long message before it.
fn forms_of(words: &str) -> Vec<Value> {
    let said = json!({"error": {"message": words}});
    let mut echo = json!({"detail": [{"loc": ["body"], "msg": words}]});
    echo["detail"][0]["input"] =
        json!({"stream": true, "stream_options": {}, "cache_control": 1, "include": []});
    vec![
        said.clone(),
        json!([said]),
        json!({"message": words}),
        json!({"error": {"message": "Unsupported value: 'minimal'. Supported are: 'low', 'high'.", "param": words}}),
        json!({"message": "Invalid value", "param": words, "code": "1210"}),
        json!({"error": {"message": "Provider returned error", "metadata": {"raw": said.to_string()}}}),
        json!({"error": {"message": "x ".repeat(400), "details": [{"fieldViolations": [{"description": words}]}]}}),
        json!({"error": {"message": "Bad. See https://docs.example/stream", "fields": {words: ["no"]}}}),
        echo,
    ]
}

/// A call without what it says of thinking.
fn without_thinking(mut body: Value) -> Value {
    let said = body.as_object_mut().unwrap();
    for name in ["reasoning_effort", "reasoning", "thinking"] {
        said.remove(name);
    }
    for (holder, name) in [
        ("output_config", "effort"),
        ("generationConfig", "thinkingConfig"),
    ] {
        if let Some(held) = said.get_mut(holder).and_then(Value::as_object_mut) {
            held.remove(name);
        }
    }
    body
}

/// Law: in whichever words and wherever in its body a refusal speaks of the effort, it alone is left out; so it is
/// where the refusal speaks of thinking, and the call says nothing else of that.
#[test]
fn a_refused_effort_alone_is_left_out_in_whichever_words() {
    for api in APIS {
        // At Anthropic's API an effort comes with the thinking that it is the measure of.
        let is_other =
            |words: &&&str| api.0 != Api::Anthropic || !words.contains("thinking_config");
        let general = THINKING_REFUSALS.iter().filter(|_| api.0 != Api::Anthropic);
        for words in EFFORT_REFUSALS.iter().filter(is_other).chain(general) {
            for body in forms_of(words) {
                let (sent, told) = ask_with_effort(api, &body);
                assert_eq!(sent, [true, false], "{:?} {body}", api.0);
                let is_told = told.len() == 1 && told[0].starts_with("m with `effort`: ");
                assert!(is_told, "{:?} {body}: {told:?}", api.0);
            }
        }
    }
}

/// Law: a refusal that tells nothing costs the user's own wish before the schema and the tools; one that tells of them
/// does not cost the wish.
#[test]
fn in_doubt_the_wish_of_the_user_goes_first() {
    for api in APIS {
        for vague in ["Bad Request", "INVALID_ARGUMENT", "Unsupported value", ""] {
            let body = json!({"error": {"message": vague}});
            let (sent, told) = ask_with_effort(api, &body);
            assert_eq!(sent, [true, false], "{:?} {vague}", api.0);
            assert!(told[0].starts_with("m with `effort`: "), "{told:?}");
        }
        let models = FakeModels::start([refusal("The schema is not supported")]).unwrap();
        let mut spec = spec(&models, api);
        endpoint(&mut spec).structured = true;
        endpoint(&mut spec).effort = Some(Effort::Low);
        let mut talk = open(&HttpAgent::new(context().into()), &spec);
        let reply = talk.take_turn(&turn(1, 20_000), &StopSignal::default());
        let told = reply.unwrap().usage.unwrap().passed_over;
        assert!(told.len() == 1 && !told[0].contains("`effort`"), "{told:?}");
    }
}

/// Asks a server that refuses once, and checks that nothing but the thinking changes: which of the calls had the
/// effort, and what the receipt says.
fn ask_with_effort(api: (Api, &str), body: &Value) -> (Vec<bool>, Vec<String>) {
    let models = FakeModels::start([refusal_body(body)]).unwrap();
    let mut spec = spec(&models, api);
    endpoint(&mut spec).structured = true;
    endpoint(&mut spec).effort = Some(Effort::Low);
    let mut talk = open(&HttpAgent::new(context().into()), &spec);
    let reply = talk.take_turn(&turn(1, 20_000), &StopSignal::default());
    let told = reply.unwrap().usage.unwrap().passed_over;
    let names = ["reasoning_effort", "effort", "thinkingLevel"];
    let records = models.records();
    let bodies = records
        .iter()
        .map(|record| serde_json::from_str(&record.body).unwrap());
    let bodies: Vec<Value> = bodies.collect();
    // Nothing else is given up: without what is said of thinking both calls are the same.
    let others = bodies.iter().cloned().map(without_thinking);
    let others: Vec<Value> = others.collect();
    assert!(others.windows(2).all(|pair| pair[0] == pair[1]), "{body}");
    let has_effort = |body: &Value| names.iter().any(|name| has_key(body, name));
    (bodies.iter().map(has_effort).collect(), told)
}

/// The same of a stream: the answer comes whole.
#[test]
fn a_server_that_does_not_stream_is_asked_for_the_whole_answer() {
    for api in APIS {
        let words = "Your organization must be verified to stream this model.";
        let models = FakeModels::start([refusal(words)]).unwrap();
        let mut talk = open(&HttpAgent::new(context().into()), &spec(&models, api));
        let reply = talk.take_turn(&turn(1, 20_000), &StopSignal::default());
        let reply = reply.unwrap();
        assert!(reply.raw.contains("PASS"), "{api:?}: {}", reply.raw);
        let usage = reply.usage.unwrap();
        assert!(
            usage.passed_over[0].contains("m with `stream`"),
            "{usage:?}"
        );
        assert!(usage.output_tokens.is_some(), "{api:?}: {usage:?}");
        assert_eq!(models.stats().requests, 2, "{api:?}");
    }
}

/// The same of the limit of an answer; where its number is not said, the user is told which key sets it.
#[test]
fn the_limit_of_an_answer_follows_the_refusal() {
    for api in APIS {
        let words = "max_tokens: 9000 > 4096, which is the maximum allowed number of output tokens";
        let models = FakeModels::start([refusal(words)]).unwrap();
        let mut spec = spec(&models, api);
        endpoint(&mut spec).max_tokens = 9_000;
        let mut talk = open(&HttpAgent::new(context().into()), &spec);
        let reply = talk.take_turn(&turn(1, 20_000), &StopSignal::default());
        let told = reply.unwrap().usage.unwrap().passed_over;
        assert!(
            told[0].contains("m with 9000 tokens as its limit"),
            "{api:?}: {told:?}"
        );
        let records = models.records();
        assert_eq!(records.len(), 2, "{api:?}");
        assert!(records[1].body.contains("4096") && !records[1].body.contains("9000"));

        let models = FakeModels::start([refusal("max_tokens is too large").times(9)]).unwrap();
        let mut spec = super::tests::spec(&models, api);
        endpoint(&mut spec).structured = true;
        let mut talk = open(&HttpAgent::new(context().into()), &spec);
        let failure = talk.take_turn(&turn(1, 20_000), &StopSignal::default());
        let detail = failure.unwrap_err().detail;
        assert!(
            detail.contains("set `max-tokens` of the agent"),
            "{api:?}: {detail}"
        );
        assert_eq!(
            models.stats().requests,
            1,
            "{api:?}: nothing else is dropped in vain"
        );
    }
}
