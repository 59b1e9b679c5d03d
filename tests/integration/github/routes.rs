//! What GitHub does with a request, as far as the program depends on it.

mod checks;
mod threads;

use jiff::Timestamp;
use serde_json::{Value, json};

use checks::{checks, create_check, edit_check};
use threads::{beside, reply, reply_number, retell, review};

use super::mutations::change_talks;
use super::server::{Reply, Request};
use super::state::{Comment, ME, State, Thread};

/// The most characters of a comment.
const MOST_COMMENT: usize = 65_536;

pub(super) fn rest(request: &Request, state: &mut State) -> Reply {
    let parts: Vec<&str> = request
        .path
        .trim_start_matches('/')
        .split('/')
        .skip(3)
        .collect();
    let body = request.body.clone().unwrap_or_default();
    let number = |text: &str| text.parse::<u64>().unwrap_or_default();
    let needs = |state: &State, line: &'static str| state.denied.contains(line).then(denied);
    match (request.method.as_str(), parts.as_slice()) {
        ("GET", []) => Reply::new(200, json!({ "default_branch": "main" })),
        ("GET", ["issues", issue, "comments"]) => comments(request, state, number(issue)),
        ("POST", ["issues", issue, "comments"]) => needs(state, "pull-requests: write")
            .unwrap_or_else(|| create_comment(state, number(issue), &body)),
        ("PATCH", ["issues", "comments", id]) => needs(state, "pull-requests: write")
            .unwrap_or_else(|| edit_comment(state, number(id), &body)),
        ("DELETE", ["issues", "comments", id]) => {
            let before = state.comments.len();
            state.comments.retain(|comment| comment.id != number(id));
            if before == state.comments.len() {
                Reply::refuse(404, "Not Found")
            } else {
                Reply::new(204, Value::Null)
            }
        }
        ("GET", ["pulls"]) => pulls(request, state),
        ("GET", ["pulls", id]) => match state.pulls.contains_key(&number(id)) {
            true => Reply::new(200, pull(state, number(id))),
            false => Reply::refuse(404, "Not Found"),
        },
        ("GET", ["pulls", id, "files"]) => {
            let files = &state.pulls[&number(id)].files;
            let all = files
                .iter()
                .map(|(path, patch)| json!({ "filename": path, "patch": patch }));
            page(request, all.collect())
        }
        ("POST", ["pulls", id, "reviews"]) => {
            needs(state, "pull-requests: write").unwrap_or_else(|| review(state, number(id), &body))
        }
        ("PATCH", ["pulls", "comments", id]) => {
            needs(state, "pull-requests: write").unwrap_or_else(|| retell(state, id, &body))
        }
        ("POST", ["pulls", _, "comments", id, "replies"]) => {
            needs(state, "pull-requests: write").unwrap_or_else(|| reply(state, id, &body))
        }
        ("POST", ["pulls", id, "comments"]) => beside(state, number(id), &body),
        ("GET", ["commits", _, "check-runs"]) if may_not(state, &["checks: read"]) => denied(),
        ("GET", ["commits", head, "check-runs"]) => checks(request, state, head),
        ("POST", ["check-runs"]) => {
            needs(state, "checks: write").unwrap_or_else(|| create_check(state, body))
        }
        ("PATCH", ["check-runs", id]) => {
            needs(state, "checks: write").unwrap_or_else(|| edit_check(state, number(id), &body))
        }
        ("POST", ["statuses", _]) if may_not(state, &["statuses: write"]) => denied(),
        ("POST", ["statuses", head]) => {
            state.statuses.push(((*head).to_owned(), body));
            Reply::new(201, json!({}))
        }
        ("GET", ["commits", head, "status"]) => {
            let latest = state.statuses.iter().rev().filter(|(of, _)| of == head);
            Reply::new(
                200,
                json!({ "state": "pending", "statuses": latest.map(|(_, body)| body).collect::<Vec<_>>() }),
            )
        }
        ("GET", ["collaborators", login, "permission"]) => match state.permissions.get(*login) {
            Some(permission) => Reply::new(200, json!({ "permission": permission })),
            None => Reply::refuse(404, "Not Found"),
        },
        _ => Reply::refuse(404, "Not Found"),
    }
}

fn denied() -> Reply {
    Reply::refuse(403, "Resource not accessible by integration")
}

fn query<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    let mut pairs = request
        .query
        .split('&')
        .filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// One page of a list, with the header that says whether there is another.
fn page(request: &Request, all: Vec<Value>) -> Reply {
    let number = |name, default| {
        query(request, name)
            .and_then(|n| n.parse::<usize>().ok())
            .unwrap_or(default)
    };
    let (size, page) = (number("per_page", 30).min(100), number("page", 1).max(1));
    let items: Vec<Value> = all
        .iter()
        .skip((page - 1) * size)
        .take(size)
        .cloned()
        .collect();
    let mut reply = Reply::new(200, Value::Array(items));
    if page * size < all.len() {
        reply.headers.push((
            "link",
            format!("<http://localhost/?page={}>; rel=\"next\"", page + 1),
        ));
    }
    reply
}

fn user(login: &str, is_bot: bool) -> Value {
    json!({ "login": login, "type": if is_bot { "Bot" } else { "User" } })
}

fn shown(comment: &Comment) -> Value {
    json!({
        "id": comment.id,
        "body": comment.body,
        "user": user(&comment.login, comment.is_bot),
        "html_url": format!("https://github.com/octo/project/pull/{}#issuecomment-{}", comment.issue, comment.id),
    })
}

fn comments(request: &Request, state: &State, issue: u64) -> Reply {
    let since = query(request, "since").map(|at| at.parse::<Timestamp>().unwrap().as_second());
    let fits = |comment: &&Comment| {
        comment.issue == issue && since.is_none_or(|since| comment.updated >= since)
    };
    let of_issue = state.comments.iter().filter(fits);
    page(request, of_issue.map(shown).collect())
}

fn too_long(body: &Value, pointer: &str, most: usize) -> bool {
    body.pointer(pointer)
        .and_then(Value::as_str)
        .is_some_and(|text| text.chars().count() > most)
}

fn create_comment(state: &mut State, issue: u64, body: &Value) -> Reply {
    if too_long(body, "/body", MOST_COMMENT) {
        return Reply::refuse(422, "body is too long");
    }
    let comment = Comment {
        id: state.id(),
        issue,
        login: ME.to_owned(),
        is_bot: true,
        body: body["body"].as_str().unwrap_or_default().to_owned(),
        updated: Timestamp::now().as_second(),
    };
    state.comments.push(comment.clone());
    Reply::new(201, shown(&comment))
}

fn edit_comment(state: &mut State, id: u64, body: &Value) -> Reply {
    if too_long(body, "/body", MOST_COMMENT) {
        return Reply::refuse(422, "body is too long");
    }
    match state.comments.iter_mut().find(|comment| comment.id == id) {
        Some(comment) => {
            comment.body = body["body"].as_str().unwrap_or_default().to_owned();
            comment.updated = Timestamp::now().as_second();
            Reply::new(200, shown(comment))
        }
        None => Reply::refuse(404, "Not Found"),
    }
}

fn pull(state: &State, number: u64) -> Value {
    let pull = &state.pulls[&number];
    let (head_repo, owner) = if pull.fork {
        ("stranger/project", "stranger")
    } else {
        ("octo/project", "octo")
    };
    json!({
        "number": number,
        "state": pull.state,
        "draft": false,
        "title": "A title",
        "body": "A text",
        "head": { "sha": pull.head, "ref": pull.head_branch, "repo": { "full_name": head_repo, "owner": { "login": owner } } },
        "base": { "sha": pull.base, "ref": pull.base_ref, "repo": { "full_name": "octo/project", "default_branch": "main" } },
    })
}

fn pulls(request: &Request, state: &State) -> Reply {
    let head = query(request, "head")
        .unwrap_or_default()
        .replace("%3A", ":")
        .replace("%2F", "/");
    let fits = |pull: &Value| {
        let is = format!(
            "{}:{}",
            pull["head"]["repo"]["owner"]["login"].as_str().unwrap(),
            pull["head"]["ref"].as_str().unwrap()
        );
        pull["state"] == "open" && is == head
    };
    page(
        request,
        state
            .pulls
            .keys()
            .map(|&number| pull(state, number))
            .filter(fits)
            .collect(),
    )
}

pub(super) fn graphql(request: &Request, state: &mut State) -> Reply {
    let body = request.body.clone().unwrap_or_default();
    let (query, variables) = (
        body["query"].as_str().unwrap_or_default(),
        &body["variables"],
    );
    let ids: Vec<&str> = variables
        .as_object()
        .into_iter()
        .flat_map(|all| all.values())
        .filter_map(Value::as_str)
        .collect();
    if let Some(reply) = change_talks(query, &ids, state) {
        return reply;
    }
    let with_check = variables["withCheck"] == true;
    if with_check && may_not(state, &["checks: read"]) {
        return forbidden();
    }
    let number = variables["number"].as_u64().unwrap_or_default();
    let Some(pull) = state.pulls.get(&number) else {
        return Reply::new(
            200,
            json!({ "data": { "viewer": { "login": ME }, "repository": { "pullRequest": null } } }),
        );
    };
    let threads: Vec<Value> = state
        .threads
        .iter()
        .filter(|thread| thread.pull == number)
        .map(thread)
        .collect();
    let from: usize = variables["after"]
        .as_str()
        .and_then(|after| after.parse().ok())
        .unwrap_or(0);
    let to = (from + 100).min(threads.len());
    Reply::new(
        200,
        json!({ "data": {
            "viewer": { "login": ME },
            "repository": {
                "defaultBranchRef": { "name": "main" },
                "pullRequest": {
                    "number": number, "headRefOid": pull.head, "baseRefName": pull.base_ref, "baseRefOid": pull.base,
                    "state": pull.state.to_uppercase(), "isDraft": false, "isCrossRepository": pull.fork,
                    "author": { "login": "mallory" }, "title": "A title", "body": "A text",
                    "reviewThreads": {
                        "pageInfo": { "hasNextPage": to < threads.len(), "endCursor": to.to_string() },
                        "nodes": threads[from..to],
                    },
                    "reviews": { "nodes": state.reviews.iter().map(shown_review).collect::<Vec<_>>() },
                    "commits": with_check.then(|| commit_with_checks(&pull.head, &variables["check"], state)),
                },
            },
        }}),
    )
}

/// The tip with its check runs of a name, each in a suite of its own. Two suites of others are always there.
fn commit_with_checks(head: &str, name: &Value, state: &State) -> Value {
    let fits = |check: &&Value| check["head_sha"] == head && check["name"] == *name;
    let run = |check: &Value| {
        let status = check["status"].as_str().unwrap().to_uppercase();
        json!([{ "externalId": check["external_id"], "status": status, "url": check["html_url"] }])
    };
    let others = [
        json!([]),
        json!([{ "externalId": null, "status": "QUEUED", "url": "https://ci.example/1" }]),
    ];
    let runs = state.checks.iter().filter(fits).map(run).chain(others);
    let last = json!({ "hasNextPage": false });
    let suites: Vec<Value> = runs
        .map(|runs| json!({ "checkRuns": { "pageInfo": last, "nodes": runs } }))
        .collect();
    json!({ "nodes": [{ "commit": { "oid": head, "checkSuites": { "pageInfo": last, "nodes": suites } } }] })
}

pub(super) fn may_not(state: &State, lines: &[&str]) -> bool {
    lines.iter().any(|line| state.denied.contains(line))
}

pub(super) fn forbidden() -> Reply {
    let error = json!({ "type": "FORBIDDEN", "message": "Resource not accessible by integration" });
    Reply::new(200, json!({ "data": null, "errors": [error] }))
}

/// The node of the first comment of a conversation.
pub(super) fn comment_id(thread: &Thread) -> String {
    thread.id.replace("PRRT_", "PRRC_")
}

fn shown_review(review: &Value) -> Value {
    json!({
        "id": review["node_id"], "isMinimized": review["hidden"], "body": review["body"],
        "author": { "login": ME.trim_end_matches("[bot]"), "__typename": "Bot" },
    })
}

/// GraphQL spells the login of a bot without its brackets.
fn thread(thread: &Thread) -> Value {
    let login = thread.login.trim_end_matches("[bot]");
    let replies = thread.replies.iter().enumerate().map(|(at, (who, body))| {
        let kind = if who == ME { "Bot" } else { "User" };
        let editor = thread.edited_by.as_ref().filter(|_| who != ME);
        json!({
            "id": format!("{}_{at}", comment_id(thread)),
            "databaseId": reply_number(thread, at),
            "lastEditedAt": editor.map(|_| "2026-03-09T11:00:00Z"),
            "editor": editor.map(|login| json!({ "login": login })),
            "author": { "login": who.trim_end_matches("[bot]"), "__typename": kind },
            "body": body, "createdAt": "2026-03-09T10:00:00Z",
        })
    });
    let mut nodes = vec![json!({
            "id": comment_id(thread),
            "databaseId": thread.id.trim_start_matches("PRRT_").parse::<u64>().unwrap(),
            "isMinimized": thread.hidden,
            "url": format!("https://github.com/octo/project/pull/{}#discussion_r{}", thread.pull,
                thread.id.trim_start_matches("PRRT_")),
            "pullRequestReview": thread.review.as_ref().map(|id| json!({ "id": id })),
            "body": thread.body,
            "author": { "login": login, "__typename": if thread.is_bot { "Bot" } else { "User" } },
    })];
    nodes.extend(replies);
    json!({
        "id": thread.id, "isResolved": thread.resolved, "isOutdated": thread.outdated,
        "path": thread.place["path"], "line": thread.place["line"],
        "resolvedBy": thread.resolved_by.map(|login| json!({ "login": login })),
        "comments": { "totalCount": thread.comments, "nodes": nodes },
    })
}
