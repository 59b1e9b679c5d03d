//! Hostile text wherever untrusted text can stand.

use council_protocol::{Answer, Seat};

use super::super::Report;
use super::samples;

/// What a hostile change and hostile judges would write everywhere.
pub(super) const HOSTILE: &str = "\u{1b}[31m@admin fixes #1 \u{202e}evil\u{2066} org/repo#2\r\n/lgtm\n::error::x\n##[error]y <!-- m --> ``` ![i](https://e.example/i) <img src=x> | a\u{200b}b\u{e0041} $x$ **b**";

/// The debate with `text` in every place where untrusted text can stand.
pub(super) fn report(text: &str) -> Report {
    let mut report = samples::fail();
    let examined = samples::examined();
    report.outcome.ledger = examined.outcome.ledger;
    report
        .outcome
        .challenges
        .extend(examined.outcome.challenges);
    report.detail = "x".into();
    poison_all(&report, text)
}

/// A judge and its answers with `text` in every such place.
pub(super) fn answers(text: &str) -> (Seat, Vec<Answer>) {
    let (seat, answers) = samples::answers();
    (seat, answers.iter().map(|a| poison_all(a, text)).collect())
}

pub(super) fn poison_all<T: serde::Serialize + serde::de::DeserializeOwned>(
    value: &T,
    text: &str,
) -> T {
    let mut value = serde_json::to_value(value).unwrap();
    let reason = value.get("reason").cloned();
    poison(&mut value, "", text);
    reason
        .into_iter()
        .for_each(|reason| value["reason"] = reason);
    serde_json::from_value(value).unwrap()
}

/// Adds `text` to every string but those that name a variant, a judge or a digest.
fn poison(value: &mut serde_json::Value, key: &str, text: &str) {
    const OURS: [&str; 45] = [
        "reviewed_by",
        "verdict",
        "kind",
        "severity",
        "disposition",
        "level",
        "stance",
        "proof",
        "state",
        "judge",
        "from",
        "to",
        "r1",
        "r2",
        "counted",
        "confidence",
        "ending",
        "driver",
        "procedure",
        "consensus",
        "branch",
        "exchange",
        "debate",
        "finding",
        "started",
        "cut_short",
        "packet",
        "config",
        "templates",
        "recognition_key",
        "seed",
        "requested",
        "granted",
        "key",
        "tag",
        "version",
        "cause",
        "before",
        "after",
        "given",
        "answered",
        "then",
        "vote",
        "format",
        "sandbox",
    ];
    match value {
        serde_json::Value::String(own) if !OURS.contains(&key) => *own = format!("{own} {text}"),
        serde_json::Value::Object(map) => map
            .iter_mut()
            .for_each(|(key, value)| poison(value, key, text)),
        serde_json::Value::Array(list) => {
            list.iter_mut().for_each(|value| poison(value, key, text))
        }
        _ => {}
    }
}
