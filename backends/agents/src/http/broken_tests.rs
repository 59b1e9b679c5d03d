//! Whatever a model says before its stream ends, or before nobody waits for it any longer, is told: wherever it says it.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use council_fake_models::{FakeModels, Fault, Reply, Rule, Stop};
use council_protocol::seat::Api;
use serde_json::{Value, json};

use super::HttpAgent;
use super::tests::{APIS, context, open, spec, turn};
use crate::StopSignal;

/// An objection with the key of its turn.
const OBJECTION: &str = r#"{"verdict": "FAIL", "key": "k1"}"#;

/// A wrong `url` shows a page, whole, however often it is asked.
#[test]
fn a_web_page_is_no_answer_that_was_cut_off() {
    let page = |body: &str, kind: &str| Reply {
        body: Some(body.to_owned()),
        headers: [("content-type".to_owned(), kind.to_owned())].into(),
        ..Reply::default()
    };
    for api in APIS {
        let models = FakeModels::start([Rule::on(page(
            "<!doctype html><title>Log in</title>",
            "text/html; charset=utf-8",
        ))]);
        let models = models.unwrap();
        let http = HttpAgent::new(Arc::new(context()));
        let mut talk = open(&http, &spec(&models, api));
        let failure = talk
            .take_turn(&turn(1, 20_000), &StopSignal::default())
            .unwrap_err();
        assert!(
            failure.detail.contains("a web page"),
            "{api:?}: {failure:?}"
        );
        assert_eq!(models.stats().requests, 1, "{api:?}");
    }
}

/// The events by which each API says a text somewhere else than whole in its answer, and does not come to an end.
fn unfinished(api: Api, said: &str) -> Vec<Vec<Value>> {
    let (begin, rest) = said.split_at(9);
    match api {
        Api::Anthropic => {
            let start = |block: Value| json!({"type": "content_block_start", "index": 0, "content_block": block});
            let delta =
                |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
            vec![
                vec![
                    start(json!({"type": "text", "text": begin})),
                    delta(json!({"type": "text_delta", "text": rest})),
                ],
                vec![
                    start(json!({"type": "thinking", "thinking": begin})),
                    delta(json!({"type": "thinking_delta", "thinking": rest})),
                ],
                vec![
                    start(json!({"type": "tool_use", "id": "1", "name": "submit", "input": {}})),
                    delta(json!({"type": "input_json_delta", "partial_json": begin})),
                    delta(json!({"type": "input_json_delta", "partial_json": rest})),
                ],
            ]
        }
        Api::Responses => {
            let pieces = |kind: &str| {
                let piece = |text: &str| json!({"type": kind, "output_index": 0, "delta": text});
                vec![piece(begin), piece(rest)]
            };
            let done = |item: Value| {
                vec![json!({"type": "response.output_item.done", "output_index": 0, "item": item})]
            };
            let parts = |kind: &str, name: &str| json!([{"type": kind, name: said}]);
            vec![
                pieces("response.output_text.delta"),
                pieces("response.refusal.delta"),
                pieces("response.reasoning_text.delta"),
                pieces("response.reasoning_summary_text.delta"),
                pieces("response.function_call_arguments.delta"),
                done(json!({"type": "message", "content": parts("output_text", "text")})),
                done(json!({"type": "message", "content": parts("refusal", "refusal")})),
                done(json!({"type": "reasoning", "summary": parts("summary_text", "text")})),
                done(
                    json!({"type": "function_call", "call_id": "1", "name": "submit", "arguments": said}),
                ),
            ]
        }
        Api::Chat => {
            let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
            let other = |text: &str| json!({"choices": [{"index": 1, "delta": {"content": text}}]});
            let named = |name: &str| vec![delta(json!({name: begin})), delta(json!({name: rest}))];
            let call = |text: &str| {
                delta(
                    json!({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "submit", "arguments": text}}]}),
                )
            };
            let detail = |name: &str| {
                vec![delta(
                    json!({"reasoning_details": [{"index": 0, name: said}]}),
                )]
            };
            vec![
                named("content"),
                named("refusal"),
                named("reasoning"),
                named("reasoning_content"),
                detail("text"),
                detail("summary"),
                vec![call(begin), call(rest)],
                vec![delta(
                    json!({"function_call": {"name": "submit", "arguments": said}}),
                )],
                vec![other(begin), other(rest)],
            ]
        }
        Api::Gemini => {
            let parts = |part: Value| json!({"candidates": [{"content": {"parts": [part]}}]});
            let text = |text: &str, thought: bool| parts(json!({"text": text, "thought": thought}));
            let arguments: Value = serde_json::from_str(said).unwrap_or_default();
            let mut other = parts(json!({"text": said}));
            other["candidates"] = json!([{"content": {}}, other["candidates"][0]]);
            vec![
                vec![text(begin, false), text(rest, false)],
                vec![text(begin, true), text(rest, true)],
                vec![parts(
                    json!({"functionCall": {"name": "submit", "args": arguments}}),
                )],
                vec![other],
            ]
        }
    }
}

/// A server that begins an answer with these events, and does not finish it.
fn breaking(events: &[Value]) -> Rule {
    let stream: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    let says = Reply {
        body: Some(stream),
        ..Reply::default()
    };
    Rule::on(says.header("content-type", "text/event-stream")).times(1)
}

fn objects(texts: &[String]) -> bool {
    texts.iter().any(|text| text.contains("FAIL"))
}

/// Law: an objection that was streamed is told if the stream breaks and the next call is refused, and whoever ends the turn
/// from outside knows it at any time from then on.
#[test]
fn an_objection_is_told_wherever_it_stood_and_whoever_ends_its_turn() {
    let cases = APIS.map(|api| {
        unfinished(api.0, OBJECTION)
            .into_iter()
            .map(move |events| (api, events))
    });
    for (api, events) in cases.into_iter().flatten() {
        let refused = Rule::on(Reply::status(401));
        let models = FakeModels::start([breaking(&events), refused]).unwrap();
        let agent = Arc::new(HttpAgent::new(Arc::new(context())));
        let failure =
            open(&agent, &spec(&models, api)).take_turn(&turn(1, 20_000), &StopSignal::default());
        let unread = failure.unwrap_err().usage.unwrap_or_default().unread;
        assert!(objects(&unread), "{:?} {events:?}: {unread:?}", api.0);

        let hangs = Rule::on(Reply::fault(Fault::Hang));
        let models = FakeModels::start([breaking(&events), hangs]).unwrap();
        let (mut talk, stop) = (open(&agent, &spec(&models, api)), StopSignal::default());
        let ended = thread::scope(|scope| {
            let turn = scope.spawn(|| talk.take_turn(&turn(1, 20_000), &stop));
            let began = Instant::now();
            while models.stats().requests < 2 && began.elapsed() < Duration::from_secs(15) {
                thread::sleep(Duration::from_millis(5));
            }
            let (said, _) = stop.said_so_far();
            assert!(objects(&said), "{:?} {events:?}: {said:?}", api.0);
            stop.raise();
            turn.join().unwrap()
        });
        let unread = ended.unwrap_err().usage.unwrap_or_default().unread;
        assert!(objects(&unread), "{:?} {events:?}: {unread:?}", api.0);
    }
}

/// Law: blanks behind a whole answer are its end, whether the server stops, goes on for ever or has a limit; what breaks off
/// is no answer, however many blanks follow.
#[test]
fn blanks_behind_a_whole_answer_are_its_end() {
    let agent = Arc::new(HttpAgent::new(Arc::new(context())));
    for (api, (blank, count), is_whole) in APIS.into_iter().flat_map(|api| {
        let blanks = [("\\n", 3), ("\\n", 16), (" ", 40), ("\\n\\n  ", 400)];
        let each = blanks
            .into_iter()
            .flat_map(|blanks| [(blanks, true), (blanks, false)]);
        each.map(move |(blanks, is_whole)| (api, blanks, is_whole))
    }) {
        let events = &unfinished(api.0, OBJECTION)[0];
        let end = if is_whole { r#"\"}"# } else { r#"\""# };
        let trailing = format!("{end}{}", blank.repeat(count));
        let (first, last) = (&events[0], events[1].to_string());
        let stream = format!(
            "data: {first}\n\ndata: {}\n\n",
            last.replace(r#"\"}"#, &trailing)
        );
        let says = Reply {
            body: Some(stream),
            ..Reply::default()
        };
        let says = says.header("content-type", "text/event-stream");
        let models = FakeModels::start([Rule::on(says)]).unwrap();
        let answered =
            open(&agent, &spec(&models, api)).take_turn(&turn(1, 2_000), &StopSignal::default());
        let is_taken = is_whole && count * blank.replace("\\n", "\n").len() >= 16;
        assert_eq!(
            answered.is_ok(),
            is_taken,
            "{:?} {count} {answered:?}",
            api.0
        );
        if let Ok(reply) = answered {
            assert_eq!(reply.raw.trim_end(), OBJECTION);
            assert_eq!(models.stats().requests, 1);
        }
    }
}

/// The same where the limit of tokens ends it.
#[test]
fn a_limit_that_only_blanks_reached_cuts_nothing_off() {
    let agent = Arc::new(HttpAgent::new(Arc::new(context())));
    for (api, blanks) in APIS
        .into_iter()
        .flat_map(|api| [(api, 0), (api, 3), (api, 20)])
    {
        let says = Reply {
            text: Some(format!("{OBJECTION}{}", "\n".repeat(blanks))),
            ..Reply::stop(Stop::MaxTokens)
        };
        let models = FakeModels::start([Rule::on(says)]).unwrap();
        let answered =
            open(&agent, &spec(&models, api)).take_turn(&turn(1, 20_000), &StopSignal::default());
        assert_eq!(
            answered.is_ok(),
            blanks == 20,
            "{:?} {blanks} {answered:?}",
            api.0
        );
    }
}

/// Words that come to a vote, and no key.
const WORDS: &str = "Let me see: a.py:3 raises on None, so I must vote FAIL on this change.";

/// Law: the same of a vote in words, in an answer, in thoughts, or as a model declines. What it calls a tool with that was not
/// offered is no statement of its own.
#[test]
fn a_vote_in_words_is_told_wherever_it_stood() {
    for api in APIS {
        let is_statement = |events: &Vec<Value>| {
            let text = json!(events).to_string();
            let other = ["submit", "arguments", "\"index\":1", "\"content\":{}"];
            !other.iter().any(|part| text.contains(part))
        };
        let cases = unfinished(api.0, WORDS).into_iter().filter(is_statement);
        let mut count = 0;
        for events in cases {
            let refused = Rule::on(Reply::status(401));
            let models = FakeModels::start([breaking(&events), refused]).unwrap();
            let agent = Arc::new(HttpAgent::new(Arc::new(context())));
            let mut talk = open(&agent, &spec(&models, api));
            let failure = talk.take_turn(&turn(1, 20_000), &StopSignal::default());
            let unread = failure.unwrap_err().usage.unwrap_or_default().unread;
            assert!(objects(&unread), "{:?} {events:?}: {unread:?}", api.0);
            count += 1;
        }
        assert!(count >= 2, "{:?}", api.0);
    }
}

/// Law: an answer that has come whole is one, whether or not its stream ends.
#[test]
fn a_whole_answer_needs_no_end_of_its_stream() {
    const ANSWER: &str = r#"{"verdict": "PASS", "key": "k1"}"#;
    for api in APIS {
        let whole = unfinished(api.0, ANSWER).swap_remove(0);
        let events: String = whole
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect();
        let says = Reply {
            fault: Some(Fault::HangBehind),
            body: Some(events),
            ..Reply::default()
        };
        let rule = Rule::on(says.header("content-type", "text/event-stream"));
        let models = FakeModels::start([rule]).unwrap();
        let agent = Arc::new(HttpAgent::new(Arc::new(context())));
        let reply =
            open(&agent, &spec(&models, api)).take_turn(&turn(1, 1_500), &StopSignal::default());
        let reply = reply.unwrap_or_else(|failure| panic!("{:?}: {failure:?}", api.0));
        assert_eq!(reply.raw, ANSWER, "{:?}", api.0);
        let killed = reply.usage.and_then(|usage| usage.killed);
        assert!(
            killed.is_some_and(|told| told.contains("not ended")),
            "{:?}",
            api.0
        );
    }
}
