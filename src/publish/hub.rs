//! One repository on a forge: what a status means, which limits are waited for, and what is never repeated.
//!
//! Reads are repeated on trouble, writes are not: a 502 may hide a comment that was made. Whoever creates
//! something says how to find it again ([`GitHubApi::create_once`]). Limits are honoured up to a total wait.

use std::cell::Cell;
use std::fmt;

use serde_json::Value;

use super::call::{ApiCall, ApiClient, ApiEndpoint, ApiReply, Method, TransportError};
use crate::text::page_address;

/// How often a read is tried.
const MAX_READ_TRIES: u32 = 3;

/// The wait before a read is repeated, in milliseconds; doubled each time.
const PAUSE_MS: u64 = 1_000;

/// A secondary limit without a header: a minute (GitHub's own rule).
const DEFAULT_LIMIT_MS: u64 = 60_000;

/// How long all waits together may take unless told otherwise, in milliseconds.
pub(crate) const MAX_WAIT_MS: u64 = 90_000;

/// The most pages of a list that are read.
const MAX_PAGES: u32 = 60;

/// `owner/name` on a forge.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RepoSlug {
    pub owner: String,
    pub name: String,
}

impl RepoSlug {
    /// Reads `owner/name`; none for anything that could mean another path.
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        let name = name.strip_suffix(".git").unwrap_or(name);
        let plain = |part: &str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !part.is_empty()
                && part.len() <= 100
                && !part.starts_with('.')
                && part.chars().all(allowed)
        };
        (plain(owner) && plain(name)).then(|| Self {
            owner: owner.to_owned(),
            name: name.to_owned(),
        })
    }
}

impl fmt::Display for RepoSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// Why a forge did not do what was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitHubError {
    /// The token is missing, expired or revoked.
    #[error("cannot {doing}: the token is not accepted ({said})")]
    Unauthorized {
        /// What was being done.
        doing: String,
        /// What the forge says. Untrusted.
        said: String,
    },
    /// The token may not.
    #[error("cannot {doing}: the token lacks `{permission}` ({said})")]
    Forbidden {
        /// What was being done.
        doing: String,
        /// The exact line of `permissions:` that is missing.
        permission: &'static str,
        /// What the forge says. Untrusted.
        said: String,
    },
    /// It is not there, or the token may not see it.
    #[error("cannot {doing}: not found, or the token lacks `{permission}`")]
    NotFound {
        /// What was being done.
        doing: String,
        /// The line of `permissions:` that it would need.
        permission: &'static str,
    },
    /// It does not fit.
    #[error("cannot {doing}: {said}")]
    Invalid {
        /// What was being done.
        doing: String,
        /// What the forge says. Untrusted.
        said: String,
    },
    /// A limit would have to be waited for longer than there is patience.
    #[error(
        "cannot {doing}: the rate limit ends in {wait_s} s, but at most {patience_s} s of waiting are allowed"
    )]
    Limited {
        /// What was being done.
        doing: String,
        /// How long it would take.
        wait_s: u64,
        /// How long all waits together may take.
        patience_s: u64,
    },
    /// The forge broke down, or could not be reached.
    #[error("cannot {doing}: {cause}")]
    Broken {
        /// What was being done.
        doing: String,
        /// Status or transport error. Untrusted.
        cause: String,
    },
    /// It answered with something else than it documents.
    #[error("cannot {doing}: the reply has no {what}")]
    Shape {
        /// What was being done.
        doing: String,
        /// What is missing.
        what: &'static str,
    },
}

impl GitHubError {
    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Forbidden { permission, .. } | Self::NotFound { permission, .. } => {
                Some(format!(
                    "add `{permission}` to the job's `permissions:`; a pull request from a fork never gets it: {}",
                    page_address("docs/github.md")
                ))
            }
            Self::Unauthorized { .. } => {
                Some("set GITHUB_TOKEN to a token that is valid for this host".to_owned())
            }
            Self::Limited { .. } => Some(
                "run it again later; `git council publish` publishes a finished run".to_owned(),
            ),
            Self::Broken { .. } => Some(
                "check the network and try again; a finished run is kept, and `git council publish` publishes it"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// Whether the token may not do it: there is a fallback for that.
    pub fn is_denied(&self) -> bool {
        matches!(
            self,
            Self::Forbidden { .. } | Self::NotFound { .. } | Self::Unauthorized { .. }
        )
    }
}

/// A repository on a forge, spoken with politely.
pub struct GitHubApi<'a> {
    client: &'a dyn ApiClient,
    pub slug: RepoSlug,
    patience_ms: u64,
    waited_ms: Cell<u64>,
    calls: Cell<u32>,
}

impl<'a> GitHubApi<'a> {
    /// A hub that waits at most [`MAX_WAIT_MS`] altogether.
    pub fn new(client: &'a dyn ApiClient, slug: RepoSlug) -> Self {
        Self {
            client,
            slug,
            patience_ms: MAX_WAIT_MS,
            waited_ms: Cell::new(0),
            calls: Cell::new(0),
        }
    }

    /// How many requests were sent.
    pub fn call_count(&self) -> u32 {
        self.calls.get()
    }

    /// The time so many seconds ago, as ISO 8601 in UTC.
    pub(crate) fn time_ago(&self, seconds: u64) -> String {
        let at = self.client.unix_time().saturating_sub(seconds);
        let at = i64::try_from(at)
            .ok()
            .and_then(|at| jiff::Timestamp::from_second(at).ok());
        at.unwrap_or_default().to_string()
    }

    /// `/repos/<owner>/<name>/<rest>`.
    pub fn repo_path(&self, rest: &str) -> String {
        format!("/repos/{}/{rest}", self.slug)
    }

    /// Reads; repeated on trouble.
    ///
    /// # Errors
    ///
    /// As the forge says, once reads were tried three times.
    pub fn read_with_retry(&self, call: &ApiCall, doing: &str) -> Result<ApiReply, GitHubError> {
        let mut pause = PAUSE_MS;
        for left in (0..MAX_READ_TRIES).rev() {
            match self.send_limited(call, doing) {
                Err(GitHubError::Broken { .. }) if left > 0 => {
                    self.wait_within_budget(pause, doing)?
                }
                other => return other,
            }
            pause *= 2;
        }
        Err(broken_error(doing, "no reply"))
    }

    /// Reads every page of a list; `pick` finds the list in the reply.
    ///
    /// # Errors
    ///
    /// As [`Hub::read`]; and a list without end.
    pub fn read_list(
        &self,
        path: &str,
        doing: &str,
        pick: fn(&Value) -> Option<&Vec<Value>>,
    ) -> Result<Vec<Value>, GitHubError> {
        let mut found = Vec::new();
        let join = if path.contains('?') { '&' } else { '?' };
        for page in 1..=MAX_PAGES {
            let reply = self.read_with_retry(
                &ApiCall::get(format!("{path}{join}per_page=100&page={page}")),
                doing,
            )?;
            let items = pick(&reply.body).ok_or(GitHubError::Shape {
                doing: doing.to_owned(),
                what: "list",
            })?;
            found.extend(items.iter().cloned());
            if !has_next(&reply) {
                return Ok(found);
            }
        }
        Err(broken_error(
            doing,
            &format!("the list has more than {MAX_PAGES} pages"),
        ))
    }

    /// Asks GraphQL; an error in the reply is one.
    ///
    /// # Errors
    ///
    /// As the forge says.
    pub fn ask_graphql(
        &self,
        query: &str,
        variables: &Value,
        doing: &str,
    ) -> Result<Value, GitHubError> {
        let call = ApiCall::graphql(query, variables);
        let reply = if query.trim_start().starts_with("mutation") {
            self.send_limited(&call, doing)?
        } else {
            self.read_with_retry(&call, doing)?
        };
        match reply.body.get("errors").and_then(Value::as_array) {
            Some(errors) if !errors.is_empty() => Err(graphql_error(errors, doing)),
            _ => Ok(reply.body.get("data").cloned().unwrap_or_default()),
        }
    }

    /// Changes something that is there: once. The same change made twice is the same, but it is the caller's to say so.
    ///
    /// # Errors
    ///
    /// As the forge says.
    pub fn write_once(&self, call: &ApiCall, doing: &str) -> Result<ApiReply, GitHubError> {
        self.send_limited(call, doing)
    }

    /// Creates something. Before a creation that may have succeeded is repeated, `find` looks for what it would have made.
    ///
    /// # Errors
    ///
    /// As the forge says, for the creation or for the look.
    pub fn create_once(
        &self,
        call: &ApiCall,
        doing: &str,
        find: impl Fn() -> Result<Option<Value>, GitHubError>,
    ) -> Result<Value, GitHubError> {
        match self.send_limited(call, doing) {
            Ok(reply) => Ok(reply.body),
            Err(GitHubError::Broken { .. }) => {
                self.wait_within_budget(PAUSE_MS, doing)?;
                match find()? {
                    Some(made) => Ok(made),
                    None => self.send_limited(call, doing).map(|reply| reply.body),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Sends once, and again only when the forge says that it did nothing but count: a rate limit.
    fn send_limited(&self, call: &ApiCall, doing: &str) -> Result<ApiReply, GitHubError> {
        loop {
            self.calls.set(self.calls.get() + 1);
            let reply = match self.client.send_call(call) {
                Ok(reply) => reply,
                Err(TransportError { cause }) => return Err(broken_error(doing, &cause)),
            };
            match self.rate_limit_ms(&reply) {
                Some(wait) => self.wait_within_budget(wait, doing)?,
                None => return judge_status(call, reply, doing),
            }
        }
    }

    /// How long a limit must be waited for; none when the reply is about something else.
    fn rate_limit_ms(&self, reply: &ApiReply) -> Option<u64> {
        if !matches!(reply.status, 403 | 429) {
            return None;
        }
        let after = reply
            .header_number("retry-after")
            .map(|s| s.saturating_mul(1000));
        let reset = reply
            .header_number("x-ratelimit-reset")
            .filter(|_| reply.header_number("x-ratelimit-remaining") == Some(0))
            .map(|at| {
                at.saturating_sub(self.client.unix_time())
                    .saturating_add(1)
                    .saturating_mul(1000)
            });
        let untold = error_message(reply)
            .to_ascii_lowercase()
            .contains("rate limit")
            || reply.status == 429;
        after.or(reset).or(untold.then_some(DEFAULT_LIMIT_MS))
    }

    /// Waits, as long as there is patience.
    fn wait_within_budget(&self, ms: u64, doing: &str) -> Result<(), GitHubError> {
        let waited = self.waited_ms.get().saturating_add(ms);
        if waited > self.patience_ms {
            return Err(GitHubError::Limited {
                doing: doing.to_owned(),
                wait_s: ms.div_ceil(1000),
                patience_s: self.patience_ms / 1000,
            });
        }
        self.waited_ms.set(waited);
        self.client.wait_ms(ms);
        Ok(())
    }
}

fn broken_error(doing: &str, cause: &str) -> GitHubError {
    GitHubError::Broken {
        doing: doing.to_owned(),
        cause: cause.to_owned(),
    }
}

/// What a status means.
fn judge_status(call: &ApiCall, reply: ApiReply, doing: &str) -> Result<ApiReply, GitHubError> {
    let doing = doing.to_owned();
    let permission = needed_permission(call);
    match reply.status {
        200..=299 => Ok(reply),
        401 => Err(GitHubError::Unauthorized {
            doing,
            said: error_message(&reply),
        }),
        403 => Err(GitHubError::Forbidden {
            doing,
            permission,
            said: error_message(&reply),
        }),
        404 | 410 => Err(GitHubError::NotFound { doing, permission }),
        422 | 400 | 409 => Err(GitHubError::Invalid {
            doing,
            said: error_message(&reply),
        }),
        status => Err(broken_error(
            &doing,
            &format!("status {status}, {}", error_message(&reply)),
        )),
    }
}

fn graphql_error(errors: &[Value], doing: &str) -> GitHubError {
    let first = errors.first();
    let text = |name| {
        first
            .and_then(|e| e.get(name))
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (doing, said) = (doing.to_owned(), clip_message(text("message")));
    match text("type") {
        "FORBIDDEN" | "INSUFFICIENT_SCOPES" => GitHubError::Forbidden {
            doing,
            permission: "pull-requests: write",
            said,
        },
        _ => GitHubError::Invalid { doing, said },
    }
}

/// What the forge says about a failure, in one line.
fn error_message(reply: &ApiReply) -> String {
    let message = reply.body.get("message").and_then(Value::as_str);
    let details = reply.body.get("errors").filter(|errors| !errors.is_null());
    let details = details
        .map(|errors| format!(": {errors}"))
        .unwrap_or_default();
    clip_message(&format!("{}{details}", message.unwrap_or("no message")))
}

fn clip_message(text: &str) -> String {
    text.chars().take(300).collect()
}

/// The line of `permissions:` that a call needs.
fn needed_permission(call: &ApiCall) -> &'static str {
    let read = call.method == Method::Get;
    let has = |part: &str| call.path.contains(part);
    match call.door {
        ApiEndpoint::GraphQl => "pull-requests: write",
        ApiEndpoint::Rest if has("/check-runs") && read => "checks: read",
        ApiEndpoint::Rest if has("/check-runs") => "checks: write",
        ApiEndpoint::Rest if has("/statuses/") => "statuses: write",
        ApiEndpoint::Rest if has("/code-scanning/") => "security-events: write",
        ApiEndpoint::Rest if (has("/issues/") || has("/pulls")) && read => "pull-requests: read",
        ApiEndpoint::Rest if has("/issues/") || has("/pulls") => "pull-requests: write",
        ApiEndpoint::Rest => "contents: read",
    }
}

/// Whether a list goes on.
fn has_next(reply: &ApiReply) -> bool {
    reply
        .header("link")
        .is_some_and(|link| link.contains("rel=\"next\""))
}
