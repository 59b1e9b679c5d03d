//! Conversations and comments of ours closed, opened, hidden and shown.

use serde_json::Value;

use super::hub::{GitHubApi, GitHubError};

/// The most steps of one request that changes conversations.
const MAX_MUTATIONS: usize = 50;

/// Resolves conversations.
///
/// # Errors
///
/// As the forge says.
pub(super) fn resolve_threads(hub: &GitHubApi<'_>, threads: &[String]) -> Result<(), GitHubError> {
    let step = |id: &str| {
        format!("resolveReviewThread(input: {{ threadId: {id} }}) {{ thread {{ id }} }}")
    };
    mutate_each(
        hub,
        threads,
        "resolve conversations whose finding is gone",
        step,
    )
}

/// Opens conversations again.
///
/// # Errors
///
/// As the forge says.
pub(super) fn reopen_threads(hub: &GitHubApi<'_>, threads: &[String]) -> Result<(), GitHubError> {
    let step = |id: &str| {
        format!("unresolveReviewThread(input: {{ threadId: {id} }}) {{ thread {{ id }} }}")
    };
    let doing = "open conversations again whose dismissal was taken back";
    mutate_each(hub, threads, doing, step)
}

/// Shows reviews of ours again that were hidden.
///
/// # Errors
///
/// As the forge says.
pub(super) fn show_again(hub: &GitHubApi<'_>, subjects: &[String]) -> Result<(), GitHubError> {
    let step = |id: &str| {
        format!(
            "unminimizeComment(input: {{ subjectId: {id} }}) {{ unminimizedComment {{ isMinimized }} }}"
        )
    };
    mutate_each(hub, subjects, "show what was hidden", step)
}

/// Hides comments or reviews of ours as outdated.
///
/// # Errors
///
/// As the forge says.
pub(super) fn hide_outdated(hub: &GitHubApi<'_>, subjects: &[String]) -> Result<(), GitHubError> {
    let step = |id: &str| {
        format!(
            "minimizeComment(input: {{ subjectId: {id}, classifier: OUTDATED }}) {{ minimizedComment {{ isMinimized }} }}"
        )
    };
    mutate_each(hub, subjects, "hide what is outdated", step)
}

/// One mutation for each node, fifty with one request.
fn mutate_each(
    hub: &GitHubApi<'_>,
    ids: &[String],
    doing: &str,
    step: impl Fn(&str) -> String,
) -> Result<(), GitHubError> {
    for some in ids.chunks(MAX_MUTATIONS) {
        let names: Vec<String> = (0..some.len()).map(|at| format!("$t{at}: ID!")).collect();
        let steps: Vec<String> = (0..some.len())
            .map(|at| format!("r{at}: {}", step(&format!("$t{at}"))))
            .collect();
        let query = format!("mutation({}) {{ {} }}", names.join(", "), steps.join(" "));
        let variables: serde_json::Map<String, Value> = some
            .iter()
            .enumerate()
            .map(|(at, id)| (format!("t{at}"), id.as_str().into()))
            .collect();
        hub.ask_graphql(&query, &variables.into(), doing)?;
    }
    Ok(())
}
