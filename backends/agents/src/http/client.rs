//! Connections: one runtime and one pool for all judges, and where a key may go.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::future::Future;
use std::time::Duration;

use council_protocol::seat::{Api, Endpoint};
use council_protocol::{Failure, FailureKind};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::connections::{http_client, root_cause};
use super::context::WindowReports;
use super::refusal;
use super::retry::{CallError, retry_after};
use super::tooling::is_about_tools;
use super::window::ToldWindows;

/// How much of an error's body is read, in bytes.
const MAX_ERROR_BYTES: usize = 16 << 10;

/// How much of an error's words a person is shown, in characters.
const MAX_ERROR_CHARS: usize = 300;

/// How much of what a server says of itself is read, in bytes.
const MAX_ASIDE_BYTES: usize = 4 << 20;

/// How long it may take to say it.
const ASIDE_TIMEOUT: Duration = Duration::from_secs(1);

/// The body of a response that is no answer of a judge; none: it broke off, or is too long.
pub(super) async fn read_bounded(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ASIDE_BYTES {
            return None;
        }
    }
    Some(body)
}

/// A runtime with one thread, and the connections of all judges.
pub(super) struct HttpEngine {
    /// Taken when this is dropped.
    runtime: Option<Runtime>,
    client: Client,
    /// What servers said that they have read.
    pub(super) windows: WindowReports,
    /// What they say of themselves.
    pub(super) told: ToldWindows,
}

impl HttpEngine {
    /// Starts without any connection. Proxies are taken from `env`, as their usual variables name them.
    pub(super) fn start(env: &BTreeMap<String, OsString>) -> Result<Self, String> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("http")
            .enable_all()
            .build()
            .map_err(|error| format!("cannot start a runtime: {error}"))?;
        let client = http_client(env)?;
        Ok(Self {
            runtime: Some(runtime),
            client,
            windows: WindowReports::default(),
            told: ToldWindows::default(),
        })
    }

    /// Waits for a future on this thread; its connections live on the runtime's.
    pub(super) fn block_on<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        self.runtime
            .as_ref()
            .map(|runtime| runtime.block_on(future))
    }

    /// What the server says of itself at a URL; none where it says nothing, or takes its time.
    pub(super) async fn get_json(&self, target: &ApiTarget, url: Url) -> Option<Value> {
        let request = self.client.get(url).headers(target.headers.clone());
        let asked = async {
            let response = request.send().await.ok()?;
            let response = response.error_for_status().ok()?;
            serde_json::from_slice(&read_bounded(response).await?).ok()
        };
        tokio::time::timeout(ASIDE_TIMEOUT, asked).await.ok()?
    }

    /// Sends a call and reads the head of what comes back.
    pub(super) async fn post_call(
        &self,
        target: &ApiTarget,
        url: Url,
        body: Vec<u8>,
    ) -> Result<Response, PostError> {
        let request = self
            .client
            .post(url)
            .headers(target.headers.clone())
            .body(body);
        let sent = request.send().await;
        let response = sent.map_err(|error| PostError {
            trouble: CallError::retryable(connection_failure(&target.host, &error), None),
            was_taken: !error.is_connect(),
        })?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(PostError {
            trouble: refused_call(target, response).await,
            was_taken: false,
        })
    }
}

/// Why a call has no response.
pub(super) struct PostError {
    pub(super) trouble: CallError,
    /// Whether the server may have begun to answer, for which it wants money.
    pub(super) was_taken: bool,
}

impl Drop for HttpEngine {
    fn drop(&mut self) {
        // A look-up of a name cannot be interrupted: it is left behind.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Where the calls of an agent go.
#[derive(Clone)]
pub(super) struct ApiTarget {
    base: Url,
    host: String,
    headers: HeaderMap,
    key: Option<String>,
    /// The variable that holds the key; messages name it.
    key_name: Option<String>,
}

impl ApiTarget {
    /// The endpoint with its key, which is bound to exactly this host: nothing is followed elsewhere.
    pub(super) fn new(endpoint: &Endpoint, key: Option<String>) -> Result<Self, String> {
        let url = &endpoint.url;
        let base = Url::parse(url).map_err(|error| format!("`{url}` is no URL: {error}"))?;
        let host = base.host_str().unwrap_or_default().to_owned();
        if !matches!(base.scheme(), "http" | "https") || host.is_empty() {
            return Err(format!(
                "`{url}` is no URL of an API: it begins with https://"
            ));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(
                "the URL of an API has no user and no password: set the variable of its key"
                    .to_owned(),
            );
        }
        if key.is_some() && base.scheme() == "http" && !is_loopback(&base) {
            return Err(format!(
                "the key would go to {host} unencrypted: use https://"
            ));
        }
        let headers = build_headers(endpoint.api, &host, key.as_deref())?;
        Ok(Self {
            base,
            host,
            headers,
            key,
            key_name: endpoint.key.clone(),
        })
    }

    /// The URL of a call: the path below the base, which keeps its query.
    pub(super) fn call_url(&self, path: &str, query: Option<&str>) -> Url {
        let mut url = self.base.clone();
        let below = format!("{}{path}", self.base.path().trim_end_matches('/'));
        url.set_path(&below);
        if let Some(query) = query {
            let both = self
                .base
                .query()
                .map_or(query.to_owned(), |q| format!("{q}&{query}"));
            url.set_query(Some(&both));
        }
        url
    }

    /// The URL at which the server itself answers, beside the API that it serves below `/v1` or `/v1beta`.
    pub(super) fn server_url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let below = self.base.path().trim_end_matches('/');
        let mut versions = ["/v1", "/v1beta"].iter();
        let root = versions.find_map(|version| below.strip_suffix(version));
        let root = root.unwrap_or(below);
        url.set_path(&format!("{root}{path}"));
        url
    }

    /// Whether the server runs on this machine.
    pub(super) fn is_local(&self) -> bool {
        is_loopback(&self.base)
    }

    /// The host, for messages.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// What a server does not take, where it says that a call is not allowed, and what to do about it.
    fn refused_key(&self, status: StatusCode) -> (String, String) {
        match &self.key_name {
            None => (
                "wants a key".to_owned(),
                "name the variable that holds one as the agent's `key`".to_owned(),
            ),
            Some(name) if status == StatusCode::UNAUTHORIZED => (
                format!("does not take the key in {name}"),
                format!("set {name} to a key of this service that is valid"),
            ),
            Some(name) => (
                format!("does not allow this call with the key in {name}"),
                format!("use a key in {name} that may use this model, or another model"),
            ),
        }
    }

    /// Words of a server, short and without the key.
    fn clean_message(&self, text: &str) -> String {
        let text = match &self.key {
            Some(key) => text.replace(key.as_str(), "[key]"),
            None => text.to_owned(),
        };
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(MAX_ERROR_CHARS)
            .collect()
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn build_headers(api: Api, host: &str, key: Option<&str>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    if api == Api::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    if let Some(key) = key {
        let (name, value) = match api {
            Api::Anthropic => ("x-api-key", key.to_owned()),
            Api::Gemini => ("x-goog-api-key", key.to_owned()),
            // Azure takes the same calls, but its keys under a name of their own.
            _ if host.ends_with(".azure.com") => ("api-key", key.to_owned()),
            Api::Chat | Api::Responses => ("authorization", format!("Bearer {key}")),
        };
        let mut value = HeaderValue::from_str(&value)
            .map_err(|_| "the key has characters that no header can have".to_owned())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

/// What an answer that is none means.
async fn refused_call(target: &ApiTarget, mut response: Response) -> CallError {
    let status = response.status();
    let after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|v| v.to_str().ok())
        .and_then(retry_after);
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ERROR_BYTES {
            break;
        }
    }
    let body = String::from_utf8_lossy(&body[..body.len().min(MAX_ERROR_BYTES)]);
    let said = target.clean_message(&refusal::error_message(&body));
    let detail = |what: &str| {
        if said.is_empty() {
            format!("{} {what} ({status})", target.host)
        } else {
            format!("{} {what} ({status}): {said}", target.host)
        }
    };
    let failure = |kind, what: &str| Failure::new(kind, detail(what));
    let unfit = |what: &str| CallError::Unfit {
        failure: failure(FailureKind::Provider, what),
        body: refusal::body_words(&body).into(),
    };
    match status {
        StatusCode::TOO_MANY_REQUESTS => CallError::retryable(
            failure(FailureKind::Quota, "has a limit that is reached"),
            after,
        ),
        StatusCode::REQUEST_TIMEOUT | StatusCode::CONFLICT => {
            CallError::retryable(failure(FailureKind::Provider, "did not answer"), after)
        }
        // Some servers have no other words for a feature that they do not have.
        StatusCode::NOT_FOUND | StatusCode::INTERNAL_SERVER_ERROR | StatusCode::NOT_IMPLEMENTED
            if is_about_tools(&said) =>
        {
            unfit("does not take this call")
        }
        _ if status.is_server_error() => {
            CallError::retryable(failure(FailureKind::Provider, "failed"), after)
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            let (refused, next_step) = target.refused_key(status);
            let detail = format!("{}; {next_step}", detail(&refused));
            let failure = Failure::new(FailureKind::Quota, detail);
            match status {
                StatusCode::UNAUTHORIZED => CallError::Final(failure),
                _ => CallError::Next(failure),
            }
        }
        StatusCode::PAYMENT_REQUIRED => {
            CallError::Next(failure(FailureKind::Quota, "wants to be paid first"))
        }
        StatusCode::NOT_FOUND => CallError::Next(failure(
            FailureKind::Provider,
            "has no such model, or no such API",
        )),
        StatusCode::PAYLOAD_TOO_LARGE => unfit("finds the request too large: lower `limits.brief`"),
        _ if status.is_redirection() => CallError::Final(failure(
            FailureKind::Provider,
            "points elsewhere, where no brief and no key is sent: set `url` to where it is",
        )),
        _ => unfit("does not take this call"),
    }
}

/// A connection that did not come about, or broke.
pub(super) fn connection_failure(host: &str, error: &reqwest::Error) -> Failure {
    let what = if error.is_connect() {
        "cannot be reached"
    } else {
        "broke the connection"
    };
    Failure::new(
        FailureKind::Provider,
        format!("{host} {what}: {}", root_cause(error)),
    )
}
