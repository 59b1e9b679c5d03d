//! Check runs on commits.

use serde_json::{Value, json};

use super::super::server::{Reply, Request};
use super::super::state::State;
use super::{query, too_long};

/// The most characters of a check's summary or text.
const MOST_TEXT: usize = 65_535;

pub(super) fn checks(request: &Request, state: &State, head: &str) -> Reply {
    let name = query(request, "check_name");
    let fits =
        |check: &&Value| check["head_sha"] == head && name.is_none_or(|name| check["name"] == name);
    let found: Vec<Value> = state.checks.iter().filter(fits).cloned().collect();
    Reply::new(
        200,
        json!({ "total_count": found.len(), "check_runs": found }),
    )
}

fn does_not_fit(body: &Value) -> Option<Reply> {
    let annotations = body
        .pointer("/output/annotations")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    let long = ["/output/summary", "/output/text"]
        .iter()
        .any(|text| too_long(body, text, MOST_TEXT));
    let title = too_long(body, "/output/title", 255);
    (annotations > 50 || long || title).then(|| Reply::refuse(422, "Invalid request"))
}

pub(super) fn create_check(state: &mut State, body: Value) -> Reply {
    if let Some(refused) = does_not_fit(&body) {
        return refused;
    }
    let id = state.id();
    let mut check = body.clone();
    check["id"] = id.into();
    check["html_url"] = format!("https://github.com/octo/project/runs/{id}").into();
    check["status"] = status(&body).into();
    state.checks.push(check.clone());
    Reply::new(201, check)
}

/// A conclusion completes it.
fn status(body: &Value) -> &str {
    match body.get("conclusion") {
        Some(_) => "completed",
        None => body["status"].as_str().unwrap_or("queued"),
    }
}

pub(super) fn edit_check(state: &mut State, id: u64, body: &Value) -> Reply {
    if let Some(refused) = does_not_fit(body) {
        return refused;
    }
    let Some(check) = state.checks.iter_mut().find(|check| check["id"] == id) else {
        return Reply::refuse(404, "Not Found");
    };
    // Annotations are added to those that are there.
    let mut all = check
        .pointer("/output/annotations")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    all.extend(
        body.pointer("/output/annotations")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default(),
    );
    for (key, value) in body.as_object().unwrap() {
        check[key] = value.clone();
    }
    check["output"]["annotations"] = all.into();
    if body.get("conclusion").is_some() {
        check["status"] = "completed".into();
    }
    Reply::new(200, check.clone())
}
