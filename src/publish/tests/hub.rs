//! What a status means, what is waited for and for how long, what is repeated.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use serde_json::json;

use crate::publish::hub::MAX_WAIT_MS;
use crate::publish::look;
use crate::publish::{
    ApiCall, ApiClient, ApiReply, GitHubApi, GitHubError, RepoSlug, TransportError,
};

/// A forge that answers by heart, and a clock that stands still unless somebody waits.
#[derive(Default)]
struct ByHeart {
    replies: RefCell<VecDeque<ApiReply>>,
    asked: RefCell<Vec<ApiCall>>,
    waited_ms: Cell<u64>,
}

impl ByHeart {
    fn of(replies: impl IntoIterator<Item = ApiReply>) -> Self {
        Self {
            replies: RefCell::new(replies.into_iter().collect()),
            ..Self::default()
        }
    }

    fn asked(&self) -> usize {
        self.asked.borrow().len()
    }
}

impl ApiClient for ByHeart {
    fn send_call(&self, call: &ApiCall) -> Result<ApiReply, TransportError> {
        self.asked.borrow_mut().push(call.clone());
        let reply = self.replies.borrow_mut().pop_front();
        reply.ok_or(TransportError {
            cause: "nobody is there".into(),
        })
    }

    fn wait_ms(&self, ms: u64) {
        self.waited_ms.set(self.waited_ms.get() + ms);
    }

    fn unix_time(&self) -> u64 {
        1_800_000_000 + self.waited_ms.get() / 1000
    }
}

fn hub(client: &ByHeart) -> GitHubApi<'_> {
    GitHubApi::new(client, RepoSlug::parse("octo/project").unwrap())
}

fn reply(status: u16, headers: &[(&str, &str)]) -> ApiReply {
    ApiReply {
        status,
        headers: headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        body: json!({ "message": "said" }),
    }
}

fn write(hub: &GitHubApi<'_>) -> Result<ApiReply, GitHubError> {
    hub.write_once(
        &ApiCall::post(hub.repo_path("check-runs"), json!({})),
        "create",
    )
}

#[test]
fn all_waits_together_are_bounded() {
    // Each of them alone would be waited for.
    let limited = || reply(429, &[("retry-after", "40")]);
    let client = ByHeart::of([limited(), limited(), limited(), reply(201, &[])]);
    let error = write(&hub(&client)).unwrap_err();
    assert!(matches!(
        error,
        GitHubError::Limited {
            wait_s: 40,
            patience_s: 90,
            ..
        }
    ));
    assert_eq!((client.waited_ms.get(), client.asked()), (80_000, 3));
    // The bound is the hub's, not one call's.
    let client = ByHeart::of([
        limited(),
        reply(201, &[]),
        limited(),
        reply(201, &[]),
        limited(),
    ]);
    let hub = hub(&client);
    assert!(write(&hub).is_ok() && write(&hub).is_ok() && write(&hub).is_err());
    assert!(client.waited_ms.get() <= MAX_WAIT_MS);
}

#[test]
fn every_form_of_a_limit_is_known() {
    let reset = (1_800_000_000_u64 + 9).to_string();
    let secondary = ApiReply {
        body: json!({ "message": "You have exceeded a secondary rate limit" }),
        ..reply(403, &[])
    };
    let limits = [
        (reply(403, &[("retry-after", "7")]), 7_000),
        (reply(429, &[]), 60_000),
        (secondary, 60_000),
        (
            reply(
                403,
                &[
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", &reset),
                ],
            ),
            10_000,
        ),
    ];
    for (limit, wait) in limits {
        let client = ByHeart::of([limit, reply(201, &[])]);
        assert!(write(&hub(&client)).is_ok());
        assert_eq!((client.waited_ms.get(), client.asked()), (wait, 2));
    }
    // A token that may not is no limit.
    let client = ByHeart::of([reply(403, &[("x-ratelimit-remaining", "12")])]);
    assert!(write(&hub(&client)).unwrap_err().is_denied());
    assert_eq!(client.waited_ms.get(), 0);
}

#[test]
fn reads_are_repeated_and_writes_are_not() {
    let broken = || reply(502, &[]);
    let client = ByHeart::of([broken(), broken(), reply(200, &[])]);
    assert!(
        hub(&client)
            .read_with_retry(&ApiCall::get("/x"), "read")
            .is_ok()
    );
    assert_eq!(client.asked(), 3);
    let client = ByHeart::of([broken(), reply(201, &[])]);
    assert!(matches!(
        write(&hub(&client)),
        Err(GitHubError::Broken { .. })
    ));
    assert_eq!(client.asked(), 1);
}

/// Each surface says which line of `permissions:` it lacks.
#[test]
fn a_missing_permission_is_named_by_its_line() {
    let get = |path: &str| ApiCall::get(format!("/repos/octo/project/{path}"));
    let post = |path: &str| ApiCall::post(format!("/repos/octo/project/{path}"), json!({}));
    let patch = |path: &str| ApiCall::patch(format!("/repos/octo/project/{path}"), json!({}));
    let graphql = ApiCall::graphql("query", &json!({}));
    for (call, line) in [
        (post("issues/1/comments"), "pull-requests: write"),
        (patch("issues/comments/7"), "pull-requests: write"),
        (get("issues/1/comments"), "pull-requests: read"),
        (get("pulls/1/files"), "pull-requests: read"),
        (post("pulls/1/reviews"), "pull-requests: write"),
        (post("pulls/1/comments"), "pull-requests: write"),
        (graphql, "pull-requests: write"),
        (post("check-runs"), "checks: write"),
        (patch("check-runs/7"), "checks: write"),
        (get("commits/abc/check-runs"), "checks: read"),
        (post("statuses/abc"), "statuses: write"),
        (get("collaborators/alice/permission"), "contents: read"),
    ] {
        for status in [403, 404] {
            let client = ByHeart::of([reply(status, &[])]);
            let error = hub(&client).write_once(&call, "do it").unwrap_err();
            assert!(error.to_string().contains(&format!("`{line}`")), "{error}");
            let hint = error.hint().unwrap();
            assert!(hint.starts_with(&format!("add `{line}` to the job's `permissions:`")));
        }
    }
}

#[test]
fn who_may_ask_is_what_the_forge_says() {
    for (permission, may) in [
        ("admin", true),
        ("write", true),
        ("read", false),
        ("none", false),
    ] {
        let client = ByHeart::of([ApiReply {
            body: json!({ "permission": permission }),
            ..reply(200, &[])
        }]);
        assert_eq!(look::may_write(&hub(&client), "alice"), Ok(may));
    }
}
