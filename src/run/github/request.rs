//! What of GitHub is asked for.

use crate::run::error::RunError;

/// A pull request or an event, where, and whom to trust.
#[derive(Debug, Clone, Default)]
pub(crate) struct GitHubRequest {
    /// The pull request's number.
    pub(crate) pr: Option<u64>,
    /// What the event of this job is about.
    pub(crate) event: bool,
    /// `owner/name`; none: as the environment or a remote says.
    pub(crate) repo: Option<String>,
    /// Councils of different names keep a report each on one pull request.
    pub(crate) council_name: String,
    /// The branch that the pull request goes to is trusted instead of the default branch.
    pub(crate) trust_base: bool,
    /// Whether a check run is read and written, too.
    pub(crate) wants_check: bool,
}

/// The variable that says what happened.
pub(super) const EVENT_NAME: &str = "GITHUB_EVENT_NAME";

/// Why nothing is known of an event: the variable that would tell is not set.
pub(super) fn no_event(variable: &str) -> RunError {
    RunError::usage(format!("{variable} is not set"))
        .hint("--event works in a job of a workflow; elsewhere name the pull request: --pr N")
}
