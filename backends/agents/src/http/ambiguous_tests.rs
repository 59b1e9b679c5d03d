//! Events in which a key stands twice: readers disagree about what they say, so they say nothing, and nothing of them is
//! forgotten.

use std::sync::Arc;

use council_fake_models::{FakeModels, Reply, Rule};
use council_protocol::FailureKind;
use council_protocol::seat::Api;
use serde_json::{Value, json};

use super::HttpAgent;
use super::talk::decode_pieces;
use super::tests::{APIS, context, open, spec, turn};
use crate::StopSignal;

/// An answer in one event, as each API sends it.
fn whole_event(api: Api) -> Value {
    let said = "A verdict.";
    match api {
        Api::Anthropic => json!({ "type": "message", "content": [{ "type": "text", "text": said }],
            "stop_reason": "end_turn", "usage": { "input_tokens": 1, "output_tokens": 1 } }),
        Api::Responses => {
            let content = json!([{ "type": "output_text", "text": said }]);
            json!({ "type": "response.completed", "response": { "status": "completed",
                "output": [{ "type": "message", "content": content }], "usage": { "input_tokens": 1 } } })
        }
        Api::Chat => {
            json!({ "choices": [{ "index": 0, "delta": { "role": "assistant", "content": said },
            "finish_reason": "stop" }], "usage": { "prompt_tokens": 1 } })
        }
        Api::Gemini => json!({ "candidates": [{ "content": { "parts": [{ "text": said }] },
            "finishReason": "STOP" }], "usageMetadata": { "promptTokenCount": 1 } }),
    }
}

/// The event as text, once for each key of each object in it, which stands there a second time.
fn doubled_keys(event: &Value) -> Vec<String> {
    let text = event.to_string();
    let keys = text.match_indices("\":").map(|(end, _)| {
        let start = text[..end].rfind('"').unwrap();
        format!(
            "{}{}null,{}",
            &text[..start],
            &text[start..end + 2],
            &text[start..]
        )
    });
    keys.collect()
}

/// Law: whichever key of whichever object stands twice, the event is no answer, however the stream is cut.
#[test]
fn no_key_of_an_event_may_stand_twice() {
    for (api, _) in APIS {
        let event = whole_event(api);
        let stream = |event: &str| format!("data: {event}\n\n");
        let once = stream(&event.to_string());
        let heard = decode_pieces(api, once.as_bytes().chunks(5));
        assert!(
            heard.ambiguous.is_none() && heard.text == "A verdict.",
            "{api:?} {heard:?}"
        );
        let doubled = doubled_keys(&event);
        assert!(doubled.len() > 5, "{doubled:?}");
        for event in doubled {
            for size in [1, 7, event.len() + 8] {
                let heard = decode_pieces(api, stream(&event).as_bytes().chunks(size));
                let why = heard.ambiguous.unwrap_or_default();
                assert!(why.contains("stands twice"), "{api:?} {event}: {why}");
            }
        }
    }
}

/// Law: an event that breaks off before a whole answer is no answer either, wherever it is cut, and its words are kept.
#[test]
fn an_event_that_breaks_off_is_not_passed_over() {
    for (api, _) in APIS {
        let event = whole_event(api).to_string();
        for end in 1..event.len() {
            let stream = format!("data: {}\n\ndata: {event}\n\n", &event[..end]);
            let heard = decode_pieces(api, stream.as_bytes().chunks(7));
            assert_eq!(
                heard.ambiguous.as_deref(),
                Some("breaks off"),
                "{api:?} {end}"
            );
            assert!(heard.text.contains(&event[..end]), "{api:?} {end}");
        }
        // The mark at the end of a stream is no object, and one that was cut off is asked for again.
        let stream = format!("data: {event}\n\ndata: [DONE]\n\ndata: {{\"cut");
        let heard = decode_pieces(api, stream.as_bytes().chunks(7));
        assert_eq!(heard.ambiguous, None, "{api:?}");
    }
}

/// Law: through the whole driver it is malformed, in a stream and as one document, and what it says is kept as an answer
/// that does not count: one of the two may object.
#[test]
fn an_ambiguous_answer_is_malformed_and_its_words_are_kept() {
    for kind in ["text/event-stream", "application/json"] {
        for api in APIS {
            let event = whole_event(api.0).to_string();
            let event = event.replace(
                "\"A verdict.\"",
                "\"It is broken.\",\"text\":\"PASS\",\"text\":\"PASS\"",
            );
            let body = match kind {
                "application/json" => event,
                _ => format!("data: {event}\n\n"),
            };
            let says = Reply {
                body: Some(body),
                ..Reply::default()
            };
            let models = FakeModels::start([Rule::on(says.header("content-type", kind))]).unwrap();
            let mut talk = open(
                &Arc::new(HttpAgent::new(Arc::new(context()))),
                &spec(&models, api),
            );
            let failure = talk
                .take_turn(&turn(1, 20_000), &StopSignal::default())
                .unwrap_err();
            assert_eq!(
                failure.kind,
                FailureKind::Malformed,
                "{kind} {api:?}: {failure:?}"
            );
            assert!(
                failure.detail.contains("the key `text` stands twice"),
                "{}",
                failure.detail
            );
            let kept = failure.usage.unwrap().unread;
            assert!(
                kept.iter().any(|said| said.contains("It is broken.")),
                "{kept:?}"
            );
        }
    }
}
