//! Conversations beside the lines of a pull request.

use serde_json::{Value, json};

use super::super::server::Reply;
use super::super::state::{ME, State, Thread};

/// Whether a comment stands on lines of one hunk of a side of the diff.
fn is_in_diff(state: &State, number: u64, comment: &Value) -> bool {
    let path = comment["path"].as_str().unwrap_or_default();
    let Some((_, patch)) = state.pulls[&number]
        .files
        .iter()
        .find(|(file, _)| file == path)
    else {
        return false;
    };
    let (line, start) = (comment["line"].as_u64(), comment["start_line"].as_u64());
    let (Some(line), Some(mark)) = (
        line,
        match comment["side"].as_str() {
            Some("RIGHT") => Some(" +"),
            Some("LEFT") => Some(" -"),
            _ => None,
        },
    ) else {
        return false;
    };
    let start = start.unwrap_or(line);
    patch
        .lines()
        .filter(|text| text.starts_with("@@ "))
        .any(|header| {
            let side = header
                .split(mark)
                .nth(1)
                .unwrap()
                .split(' ')
                .next()
                .unwrap();
            let (first, count) = side.split_once(',').unwrap_or((side, "1"));
            let (first, count) = (first.parse::<u64>().unwrap(), count.parse::<u64>().unwrap());
            start >= first && line < first + count && start <= line
        })
}

fn open_thread(state: &mut State, pull: u64, comment: &Value, review: Option<&str>) {
    let id = format!("PRRT_{}", state.id());
    state.threads.push(Thread {
        id,
        pull,
        body: comment["body"].as_str().unwrap_or_default().to_owned(),
        place: comment.clone(),
        review: review.map(str::to_owned),
        resolved: false,
        resolved_by: None,
        hidden: false,
        outdated: false,
        comments: 1,
        login: ME.to_owned(),
        is_bot: true,
        replies: Vec::new(),
        edited_by: None,
    });
}

/// An answer of ours in a conversation that our comment began.
pub(super) fn retell(state: &mut State, id: &str, body: &Value) -> Reply {
    let mut threads = state.threads.iter_mut();
    match threads.find(|t| t.id == format!("PRRT_{id}")) {
        Some(thread) => {
            thread.body = body["body"].as_str().unwrap_or_default().to_owned();
            Reply::new(200, json!({}))
        }
        None => retell_reply(&mut state.threads, id, body),
    }
}

/// The same of a comment of ours further down.
fn retell_reply(threads: &mut [Thread], id: &str, body: &Value) -> Reply {
    let numbers = |thread: &Thread| -> Vec<String> {
        let numbers = 0..thread.replies.len();
        numbers
            .map(|at| reply_number(thread, at).to_string())
            .collect()
    };
    for thread in threads {
        if let Some(at) = numbers(thread).iter().position(|number| number == id) {
            thread.replies[at].1 = body["body"].as_str().unwrap_or_default().to_owned();
            return Reply::new(200, json!({}));
        }
    }
    Reply::refuse(404, "Not Found")
}

/// The number of a reply, which is none of a first comment.
pub(super) fn reply_number(thread: &Thread, at: usize) -> u64 {
    let first: u64 = thread.id.trim_start_matches("PRRT_").parse().unwrap();
    first * 1_000_000 + at as u64
}

pub(super) fn reply(state: &mut State, id: &str, body: &Value) -> Reply {
    let text = body["body"].as_str().unwrap_or_default().to_owned();
    let Some(thread) = state
        .threads
        .iter_mut()
        .find(|t| t.id == format!("PRRT_{id}"))
    else {
        return Reply::refuse(404, "Not Found");
    };
    thread.comments += 1;
    thread.replies.push((ME.to_owned(), text));
    Reply::new(201, json!({}))
}

/// One comment that does not fit refuses all of them.
pub(super) fn review(state: &mut State, number: u64, body: &Value) -> Reply {
    let comments = body["comments"].as_array().cloned().unwrap_or_default();
    let text = body["body"].as_str().unwrap_or_default();
    if body["event"] == "COMMENT" && text.is_empty()
        || body["commit_id"] != state.pulls[&number].head.as_str()
    {
        return Reply::refuse(422, "Unprocessable Entity");
    }
    if !comments
        .iter()
        .all(|comment| is_in_diff(state, number, comment))
    {
        return Reply::refuse(
            422,
            "Pull request review thread line must be part of the diff",
        );
    }
    let id = format!("PRR_{}", state.id());
    comments
        .iter()
        .for_each(|comment| open_thread(state, number, comment, Some(&id)));
    let mut review = body.clone();
    review["node_id"] = id.into();
    review["hidden"] = false.into();
    state.reviews.push(review.clone());
    Reply::new(200, review)
}

pub(super) fn beside(state: &mut State, number: u64, body: &Value) -> Reply {
    let file = body["subject_type"] == "file";
    let path = body["path"].as_str().unwrap_or_default();
    let known = state.pulls[&number]
        .files
        .iter()
        .any(|(file, _)| file == path);
    if !(file && known || is_in_diff(state, number, body)) {
        return Reply::refuse(422, "line must be part of the diff");
    }
    open_thread(state, number, body, None);
    Reply::new(201, json!({ "id": state.id() }))
}
