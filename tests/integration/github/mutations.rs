//! What a request of GraphQL changes in conversations and reviews.

use serde_json::json;

use super::routes::{comment_id, forbidden, may_not};
use super::server::Reply;
use super::state::{ME, State};

/// Does it, where the request asks for a change.
pub(super) fn change_talks(query: &str, ids: &[&str], state: &mut State) -> Option<Reply> {
    if query.contains("unresolveReviewThread") {
        if may_not(state, &["pull-requests: write", "contents: write"]) {
            return Some(forbidden());
        }
        for thread in &mut state.threads {
            if ids.contains(&thread.id.as_str()) {
                (thread.resolved, thread.resolved_by) = (false, None);
            }
        }
        return Some(Reply::new(200, json!({ "data": {} })));
    }
    if query.contains("unminimizeComment") {
        for review in &mut state.reviews {
            if ids.contains(&review["node_id"].as_str().unwrap()) {
                review["hidden"] = false.into();
            }
        }
        return Some(Reply::new(200, json!({ "data": {} })));
    }
    if query.contains("resolveReviewThread") {
        // The token must be allowed to write contents, too (github/gh-aw#35726).
        if may_not(state, &["pull-requests: write", "contents: write"]) {
            return Some(forbidden());
        }
        for thread in &mut state.threads {
            if ids.contains(&thread.id.as_str()) {
                (thread.resolved, thread.resolved_by) = (true, Some(ME));
            }
        }
        return Some(Reply::new(200, json!({ "data": {} })));
    }
    if query.contains("minimizeComment") {
        assert!(query.contains("classifier: OUTDATED"));
        if may_not(state, &["pull-requests: write"]) {
            return Some(forbidden());
        }
        for thread in &mut state.threads {
            thread.hidden |= ids.contains(&comment_id(thread).as_str());
        }
        for review in &mut state.reviews {
            if ids.contains(&review["node_id"].as_str().unwrap()) {
                review["hidden"] = true.into();
            }
        }
        return Some(Reply::new(200, json!({ "data": {} })));
    }
    None
}
