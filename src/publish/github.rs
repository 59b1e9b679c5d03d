//! GitHub behind octocrab: the only file that names it.
//!
//! It is built without its retries and without redirects: what is repeated is decided in [`super::hub`], and a token goes
//! to the host that the user named and to no other. Connections are the program's own, with the user's proxies.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::call::{ApiCall, ApiClient, ApiEndpoint, ApiReply, Method, TransportError};

/// How long one request may take altogether.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// Where GitHub is, and who we are there.
#[derive(Clone)]
pub(crate) struct GitHubAccess {
    /// `GITHUB_API_URL`.
    pub api: String,
    /// `GITHUB_GRAPHQL_URL`.
    pub graphql: String,
    /// The token; none: what anybody may read.
    pub token: Option<ApiToken>,
    /// The variables that name proxies.
    pub env: BTreeMap<String, OsString>,
}

/// A token, which nothing prints.
#[derive(Clone)]
pub(crate) struct ApiToken(pub String);

impl std::fmt::Debug for ApiToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// A client over octocrab with a runtime of its own.
pub(crate) struct GitHub {
    crab: octocrab::Octocrab,
    runtime: Runtime,
    api: String,
    graphql: String,
}

impl GitHub {
    /// Opens nothing yet: connections are made when something is asked.
    ///
    /// # Errors
    ///
    /// When an address or a proxy is none, or the system's certificates cannot be read.
    pub(crate) fn new(access: &GitHubAccess) -> Result<Self, TransportError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| transport_error(&e))?;
        let crab = {
            let _inside = runtime.enter();
            let connections = council_agents::http_client(&access.env)
                .map_err(|cause| TransportError { cause })?;
            let mut builder = octocrab::Octocrab::builder()
                .base_uri(access.api.as_str())
                .map_err(|e| transport_error(&e))?;
            if let Some(ApiToken(token)) = &access.token {
                builder = builder.personal_token(token.clone());
            }
            builder
                .build_with_reqwest(connections)
                .map_err(|e| transport_error(&e))?
        };
        Ok(Self {
            crab,
            runtime,
            api: access.api.trim_end_matches('/').to_owned(),
            graphql: access.graphql.clone(),
        })
    }

    async fn send_request(&self, call: &ApiCall) -> Result<ApiReply, octocrab::Error> {
        let uri = match call.door {
            ApiEndpoint::Rest => format!("{}{}", self.api, call.path),
            ApiEndpoint::GraphQl => self.graphql.clone(),
        };
        let body = call.body.as_ref();
        let response = match call.method {
            Method::Get => self.crab._get(uri).await?,
            Method::Post => self.crab._post(uri, body).await?,
            Method::Patch => self.crab._patch(uri, body).await?,
            Method::Delete => self.crab._delete(uri, body).await?,
        };
        let header = |(name, value): (&_, &_)| read_header(name, value);
        let status = response.status().as_u16();
        let headers = response.headers().iter().filter_map(header).collect();
        let text = self.crab.body_to_string(response).await?;
        Ok(ApiReply {
            status,
            headers,
            body: serde_json::from_slice(text.as_bytes()).unwrap_or(Value::Null),
        })
    }
}

fn read_header(name: &impl AsRef<str>, value: &impl AsRef<[u8]>) -> Option<(String, String)> {
    let value = std::str::from_utf8(value.as_ref()).ok()?;
    Some((name.as_ref().to_ascii_lowercase(), value.to_owned()))
}

impl ApiClient for GitHub {
    fn send_call(&self, call: &ApiCall) -> Result<ApiReply, TransportError> {
        let carried = self.runtime.block_on(async {
            tokio::time::timeout(REQUEST_TIMEOUT, self.send_request(call)).await
        });
        match carried {
            Ok(reply) => reply.map_err(|error| transport_error(&error)),
            Err(_) => Err(TransportError {
                cause: format!("no reply within {} s", REQUEST_TIMEOUT.as_secs()),
            }),
        }
    }

    fn wait_ms(&self, ms: u64) {
        self.runtime
            .block_on(async { tokio::time::sleep(Duration::from_millis(ms)).await });
    }

    fn unix_time(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    }
}

/// An error with its causes, the outermost first, each once.
fn transport_error(error: &dyn Error) -> TransportError {
    let mut parts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default().trim().to_owned();
        if !line.is_empty() && !parts.iter().any(|part| part.contains(&line)) {
            parts.push(line);
        }
        next = error.source();
    }
    TransportError {
        cause: parts.join(": "),
    }
}
