//! What an agent is allowed when it asks: to look at the workspace, and nothing else.

use std::path::{Component, Path};

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, ToolKind,
};
use serde_json::{Value, json};

/// The answer to a request of the agent; none: there is no such method for it.
pub(super) fn answer_request(method: &str, params: &Value, room: &Path) -> Option<Value> {
    if method != "session/request_permission" {
        return None;
    }
    // What cannot be read is refused, too.
    let request = serde_json::from_value::<RequestPermissionRequest>(params.clone());
    let cancelled = json!({ "outcome": { "outcome": "cancelled" } });
    let Ok(request) = request else {
        return Some(cancelled);
    };
    let response = RequestPermissionResponse::new(decide_permission(&request, room));
    Some(serde_json::to_value(response).unwrap_or(cancelled))
}

fn decide_permission(request: &RequestPermissionRequest, room: &Path) -> RequestPermissionOutcome {
    use PermissionOptionKind::{AllowOnce, RejectAlways, RejectOnce};
    let of = |kind: PermissionOptionKind| {
        let is_it = |option: &&PermissionOption| option.kind == kind;
        request.options.iter().find(is_it)
    };
    let chosen = if is_read_only(request, room) || is_mailbox(request) {
        of(AllowOnce)
    } else {
        of(RejectOnce).or_else(|| of(RejectAlways))
    };
    match chosen {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(
            option.option_id.clone(),
        )),
        None => RequestPermissionOutcome::Cancelled,
    }
}

/// Whether the call reads or searches, and names nothing outside of the workspace. The kind is the agent's own word, but an
/// agent that lies about it could do without asking, too.
fn is_read_only(request: &RequestPermissionRequest, room: &Path) -> bool {
    let call = &request.tool_call.fields;
    let looks = matches!(call.kind, Some(ToolKind::Read | ToolKind::Search));
    let places = call.locations.as_deref().unwrap_or_default();
    looks && !places.is_empty() && places.iter().all(|place| is_inside(&place.path, room))
}

/// Whether the call is one of our own mailbox: named as such, and nothing that writes, runs or reaches out.
fn is_mailbox(request: &RequestPermissionRequest) -> bool {
    const TOOLS: [&str; 9] = [
        "read_file",
        "search",
        "symbol",
        "history",
        "list",
        "submit_verdict",
        "read_packet",
        "send_message",
        "read_messages",
    ];
    let call = &request.tool_call.fields;
    let title = call.title.as_deref().unwrap_or_default();
    matches!(call.kind, None | Some(ToolKind::Other))
        && title.contains("council")
        && TOOLS.iter().any(|tool| title.contains(tool))
}

fn is_inside(path: &Path, room: &Path) -> bool {
    let climbs = path.components().any(|part| part == Component::ParentDir);
    !climbs && room.join(path).starts_with(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(kind: &str, path: &str) -> Value {
        let options = json!([
            { "optionId": "yes", "name": "Allow", "kind": "allow_once" },
            { "optionId": "always", "name": "Always", "kind": "allow_always" },
            { "optionId": "no", "name": "Reject", "kind": "reject_once" },
        ]);
        let call = json!({ "toolCallId": "1", "kind": kind, "title": "t", "locations": [{ "path": path }] });
        let params = json!({ "sessionId": "s", "toolCall": call, "options": options });
        answer_request("session/request_permission", &params, Path::new("/room")).unwrap()
    }

    #[test]
    fn a_judge_may_look_at_the_room_and_nothing_else() {
        let choice = |kind: &str, path: &str| ask(kind, path)["outcome"]["optionId"].clone();
        assert_eq!(choice("read", "/room/src/main.rs"), "yes");
        for (kind, path) in [
            ("edit", "/room/src/main.rs"),
            ("execute", "/room"),
            ("delete", "/room/a"),
            ("fetch", "/room"),
            ("other", "/room"),
            ("read", "/etc/passwd"),
            ("read", "/room/../etc/passwd"),
        ] {
            assert_eq!(choice(kind, path), "no", "{kind} {path}");
        }
    }

    #[test]
    fn what_cannot_be_read_and_what_is_unknown_is_refused() {
        let odd = answer_request(
            "session/request_permission",
            &json!({ "x": 1 }),
            Path::new("/room"),
        )
        .unwrap();
        assert_eq!(odd["outcome"]["outcome"], "cancelled");
        assert_eq!(
            answer_request("fs/write_text_file", &json!({}), Path::new("/room")),
            None
        );
        assert_eq!(
            answer_request("terminal/create", &json!({}), Path::new("/room")),
            None
        );
    }
}
