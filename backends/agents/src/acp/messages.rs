//! What an agent says in the protocol, as far as it is read here.

use std::time::Duration;

use agent_client_protocol_schema::v1::{
    SessionConfigKind, SessionConfigOption, SessionNotification, StopReason, ToolCallStatus,
};
use council_protocol::message::Usage;
use council_protocol::{Failure, FailureKind};
use serde::Serialize;
use serde_json::{Value, json};

use crate::client::{kind_of_message, kind_of_status, shorten_message};
use crate::rpc::{NoticeReceiver, RpcError, RpcPeer};

/// How long it has to start: the slowest takes several seconds on an idle machine.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// "Authentication required" in the protocol's numbers.
const AUTH_REQUIRED: i64 = -32000;

/// Everything that is read of what an agent tells, for the fuzz targets.
pub(crate) fn decode_params(params: Value) {
    let _ = parse_usage(&params);
    let _ = full_value(&params["options"], "plan");
    let _ = parse_response::<StopReason>("session/prompt", params["stopReason"].clone());
    let _ = serde_json::from_value::<SessionNotification>(params);
}

pub(super) fn is_running(status: ToolCallStatus) -> bool {
    matches!(status, ToolCallStatus::Pending | ToolCallStatus::InProgress)
}

/// What an agent says at the end of a turn.
pub(super) fn ended_turn() -> Value {
    json!({ "stopReason": StopReason::EndTurn })
}

pub(super) fn to_json(message: &impl Serialize) -> Value {
    serde_json::to_value(message).unwrap_or_default()
}

pub(super) fn parse_response<T: serde::de::DeserializeOwned>(
    what: &str,
    value: Value,
) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| {
        let detail = format!("the agent's answer to {what} cannot be read: {error}");
        Failure::new(FailureKind::Spawn, detail)
    })
}

/// Asks before the first turn; an error is a judge that cannot sit.
pub(super) fn call_agent(
    peer: &RpcPeer,
    receiver: &NoticeReceiver,
    method: &str,
    params: &impl Serialize,
) -> Result<Value, Failure> {
    peer.call_method(receiver, method, &to_json(params), START_TIMEOUT)?
        .map_err(|error| refusal_failure(method, &error))
}

pub(super) fn refusal_failure(method: &str, error: &RpcError) -> Failure {
    let more = error.data["details"]
        .as_str()
        .or_else(|| error.data.as_str());
    let words = [error.message.as_str(), more.unwrap_or_default()].join(" ");
    let kind = match u64::try_from(error.code) {
        Ok(status @ 100..600) => kind_of_status(status),
        _ if error.code == AUTH_REQUIRED => FailureKind::Quota,
        _ => kind_of_message(&words),
    };
    Failure::new(
        kind,
        format!("the agent refused {method}: {}", shorten_message(&words)),
    )
}

/// The first value that is wanted and offered, and the one that holds.
pub(super) fn find_offered(
    options: &[SessionConfigOption],
    id: &str,
    wanted: &[&str],
) -> Option<(String, String)> {
    let option = options.iter().find(|option| option.id.to_string() == id)?;
    let SessionConfigKind::Select(select) = &option.kind else {
        return None;
    };
    let options = to_json(&select.options);
    let value = wanted
        .iter()
        .find_map(|value| full_value(&options, value))?;
    Some((value, select.current_value.to_string()))
}

/// The value of an option that is `name`, or ends with `#name`.
pub(super) fn full_value(options: &Value, name: &str) -> Option<String> {
    match options {
        Value::Array(items) => items.iter().find_map(|item| full_value(item, name)),
        Value::Object(fields) => match fields.get("value").and_then(Value::as_str) {
            Some(value) if value == name || value.ends_with(&format!("#{name}")) => {
                Some(value.to_owned())
            }
            _ => fields
                .get("options")
                .and_then(|inner| full_value(inner, name)),
        },
        _ => None,
    }
}

/// Tokens, wherever an agent puts them.
pub(super) fn parse_usage(done: &Value) -> Option<Usage> {
    let places = [&done["usage"], &done["_meta"]["quota"]["token_count"]];
    let counts = places.into_iter().find(|counts| counts.is_object())?;
    let count = |names: [&str; 2]| names.iter().find_map(|name| counts[*name].as_u64());
    Some(Usage {
        input_tokens: count(["inputTokens", "input_tokens"]),
        cached_tokens: count(["cachedReadTokens", "cached_tokens"]),
        output_tokens: count(["outputTokens", "output_tokens"]),
        cost_usd: None,
        ..Usage::default()
    })
}
