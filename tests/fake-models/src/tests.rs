use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{Api, FakeModels, Fault, Reply, Rule, Stop};

const ECHO: &str = "Review it.\n- `round` is 1, and `key` is `k-17`: copy both.";

/// Status and body of a request, by a client that is patient.
fn post(models: &FakeModels, path: &str, body: &Value) -> (u16, String) {
    post_for(models, path, body, 20_000)
}

/// Status and body of a request; 0 where nothing came in time.
fn post_for(models: &FakeModels, path: &str, body: &Value, patience_ms: u64) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", models.port())).unwrap();
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nx-api-key: sk-secret-1234\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_millis(patience_ms)))
        .unwrap();
    let mut answer = Vec::new();
    let mut buffer = [0; 65536];
    while let Ok(read) = stream.read(&mut buffer) {
        if read == 0 {
            break;
        }
        answer.extend_from_slice(&buffer[..read]);
        // The last chunk; a length that ends in 0 at the end of the head is none.
        if answer.ends_with(b"\r\n0\r\n\r\n") {
            break;
        }
    }
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer
        .split(' ')
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or(0);
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_owned())
}

/// A request of each API that asks `text`.
fn asks(text: &str, stream: bool) -> Vec<(&'static str, Value)> {
    let message = json!([{"role": "user", "content": text}]);
    let gemini = json!({"contents": [{"role": "user", "parts": [{"text": text}]}]});
    let gemini_path = if stream {
        "/v1beta/models/g:streamGenerateContent?alt=sse"
    } else {
        "/v1beta/models/g:generateContent"
    };
    vec![
        (
            "/v1/messages",
            json!({"model": "a", "max_tokens": 9, "stream": stream, "messages": message}),
        ),
        (
            "/v1/responses",
            json!({"model": "r", "stream": stream, "input": message}),
        ),
        (
            "/v1/chat/completions",
            json!({"model": "c", "stream": stream, "messages": message}),
        ),
        (gemini_path, gemini),
    ]
}

/// All pieces of text in the events of a stream.
fn streamed(body: &str) -> String {
    let events = body.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = events.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    let text = |event: Value| {
        let places = [
            &event["delta"]["text"],
            &event["choices"][0]["delta"]["content"],
            &event["candidates"][0]["content"]["parts"][0]["text"],
        ];
        let plain =
            (event["type"] == "response.output_text.delta").then(|| event["delta"].as_str());
        let found = places.iter().find_map(|place| place.as_str());
        plain.flatten().or(found).unwrap_or_default().to_owned()
    };
    events.map(text).collect()
}

#[test]
fn every_api_votes_whole_and_streamed_and_echoes_round_and_key() {
    let models = FakeModels::start([]).unwrap();
    for (path, body) in asks(ECHO, false) {
        let (status, answer) = post(&models, path, &body);
        assert_eq!(status, 200, "{path}: {answer}");
        assert!(answer.contains(r#"\"key\":\"k-17\""#), "{path}: {answer}");
    }
    for (path, body) in asks(ECHO, true) {
        let (status, answer) = post(&models, path, &body);
        let text = streamed(&answer);
        assert_eq!(status, 200, "{path}: {answer}");
        assert!(text.contains(r#""key":"k-17""#), "{path}: {answer}");
        assert!(text.contains("```json\n"), "{path}: {text}");
    }
    assert_eq!(models.stats().requests, 8);
    assert_eq!(models.stats().by_api[&Api::Gemini], 2);
    assert_eq!(models.records()[0].headers["x-api-key"], "…1234");
}

#[test]
fn an_answer_has_the_form_that_was_asked_for() {
    let models = FakeModels::start([]).unwrap();
    let tool = json!({"name": "StructuredOutput", "input_schema": {"type": "object"}});
    let message = json!([{"role": "user", "content": ECHO}]);
    let body = json!({"model": "a", "tools": [tool], "messages": message});
    let answer: Value = serde_json::from_str(&post(&models, "/v1/messages", &body).1).unwrap();
    assert_eq!(answer["content"][0]["input"]["key"], "k-17");
    assert_eq!(answer["stop_reason"], "tool_use");
    let format = json!({"format": {"type": "json_schema", "schema": {}}});
    let body = json!({"model": "r", "text": format, "input": message});
    let answer: Value = serde_json::from_str(&post(&models, "/v1/responses", &body).1).unwrap();
    let text = answer["output"][0]["content"][0]["text"].as_str().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(text).unwrap()["verdict"],
        "PASS"
    );
}

#[test]
fn rules_are_tried_in_order_and_used_up() {
    let models = FakeModels::start([
        Rule::on(Reply::status(429).header("retry-after", "3"))
            .containing("Review")
            .times(2),
        Rule::on(Reply::vote("FAIL")).model("c"),
    ])
    .unwrap();
    let (path, body) = asks(ECHO, false).remove(2);
    let statuses: Vec<u16> = (0..3).map(|_| post(&models, path, &body).0).collect();
    assert_eq!(statuses, [429, 429, 200]);
    assert!(
        post(&models, path, &body)
            .1
            .contains(r#"\"verdict\":\"FAIL\""#)
    );
}

#[test]
fn refusals_and_limits_are_said_as_each_api_says_them() {
    for (stop, words) in [
        (Stop::Refusal, ["refusal", "refusal", "refusal", "SAFETY"]),
        (
            Stop::MaxTokens,
            ["max_tokens", "max_output_tokens", "length", "MAX_TOKENS"],
        ),
    ] {
        let models = FakeModels::start([Rule::on(Reply::stop(stop))]).unwrap();
        for ((path, body), word) in asks(ECHO, false).into_iter().zip(words) {
            let (status, answer) = post(&models, path, &body);
            assert!(answer.contains(word), "{path}: {status} {answer:?}");
        }
    }
}

#[test]
fn faults_of_the_wire_are_faults() {
    for (fault, streamed_status) in [(Fault::Hang, 0), (Fault::Close, 0), (Fault::Cut, 200)] {
        let models = FakeModels::start([Rule::on(Reply::fault(fault))]).unwrap();
        for (path, body) in asks(ECHO, true) {
            let (status, answer) = post_for(&models, path, &body, 300);
            assert_eq!(status, streamed_status, "{fault:?} {path}");
            assert!(!answer.contains("0\r\n\r\n"), "{fault:?} {path}: {answer}");
        }
        let aborted = if fault == Fault::Hang { 4 } else { 0 };
        let all_over = models.wait(Duration::from_secs(5), |stats| stats.aborted == aborted);
        assert!(all_over, "{fault:?}: {:?}", models.stats());
    }
}

#[test]
fn the_cache_holds_what_was_begun_under_each_provider_s_rules() {
    let models = FakeModels::start([]).unwrap();
    let long = "The packet. ".repeat(100);
    for (path, body) in asks(&format!("{long}Task one."), false) {
        post(&models, path, &body);
    }
    for (path, body) in asks(&format!("{long}Task two."), false) {
        post(&models, path, &body);
    }
    let second = &models.records()[4..];
    assert!(
        second.iter().all(|r| r.shared_bytes >= long.len()),
        "{second:?}"
    );
    assert_eq!(
        second[0].cached_bytes, 0,
        "Anthropic keeps only what is marked"
    );
    assert!(second[1..].iter().all(|r| r.cached_bytes >= long.len()));
    let marked = |task: &str| {
        let packet = json!({"type": "text", "text": long, "cache_control": {"type": "ephemeral"}});
        json!({"model": "a", "messages": [{"role": "user", "content": [packet, {"type": "text", "text": task}]}]})
    };
    post(&models, "/v1/messages", &marked("one"));
    let answer = post(&models, "/v1/messages", &marked("two")).1;
    let usage = &serde_json::from_str::<Value>(&answer).unwrap()["usage"];
    assert!(
        usage["cache_read_input_tokens"].as_u64() >= Some(long.len() as u64 / 4),
        "{usage}"
    );
    assert_eq!(usage["cache_creation_input_tokens"], 0);
}
