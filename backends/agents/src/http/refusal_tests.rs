//! Servers that do not take a parameter of a call: the call goes again without it, and the receipt says so.

use council_fake_models::{FakeModels, Reply as Says, Rule};
use council_protocol::seat::{Api, Effort};
use serde_json::{Value, json};

use super::HttpAgent;
use super::tests::{APIS, context, endpoint, open, spec, turn};
use crate::StopSignal;

/// Refuses one call with these words.
fn refusal(words: &str) -> Rule {
    let error = json!({"error": {"message": words, "type": "invalid_request_error"}});
    let says = Says {
        body: Some(error.to_string()),
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
