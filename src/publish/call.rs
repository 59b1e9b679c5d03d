//! One request to a forge and its reply: the small seam behind which octocrab, or a test's forge, stands.

use std::collections::BTreeMap;

use serde_json::Value;

/// What is done to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    Get,
    /// Creates, or asks GraphQL.
    Post,
    Patch,
    Delete,
}

impl Method {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// Where a call goes: two addresses, both from the environment of the process and never from a repository: a change must not choose where a token goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApiEndpoint {
    /// `GITHUB_API_URL`.
    Rest,
    /// `GITHUB_GRAPHQL_URL`.
    GraphQl,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ApiCall {
    /// Which of the two addresses.
    pub door: ApiEndpoint,
    /// What is done.
    pub method: Method,
    /// Path and query below the address, from `/`; empty for GraphQL.
    pub path: String,
    /// The JSON that is sent.
    pub body: Option<Value>,
}

impl ApiCall {
    /// Reads a path.
    pub fn get(path: impl Into<String>) -> Self {
        Self::rest_call(Method::Get, path, None)
    }

    /// Creates below a path.
    pub fn post(path: impl Into<String>, body: Value) -> Self {
        Self::rest_call(Method::Post, path, Some(body))
    }

    /// Changes what stands at a path.
    pub fn patch(path: impl Into<String>, body: Value) -> Self {
        Self::rest_call(Method::Patch, path, Some(body))
    }

    /// Removes what stands at a path.
    pub fn delete(path: impl Into<String>) -> Self {
        Self::rest_call(Method::Delete, path, None)
    }

    pub fn graphql(query: &str, variables: &Value) -> Self {
        Self {
            door: ApiEndpoint::GraphQl,
            method: Method::Post,
            path: String::new(),
            body: Some(serde_json::json!({ "query": query, "variables": variables })),
        }
    }

    fn rest_call(method: Method, path: impl Into<String>, body: Option<Value>) -> Self {
        Self {
            door: ApiEndpoint::Rest,
            method,
            path: path.into(),
            body,
        }
    }
}

/// What came back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ApiReply {
    /// The status of HTTP.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The JSON, or null.
    pub body: Value,
}

impl ApiReply {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// A header that is a number.
    pub fn header_number(&self, name: &str) -> Option<u64> {
        self.header(name)?.trim().parse().ok()
    }
}

/// No reply came: whether the request was carried out is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct TransportError {
    /// What the transport says.
    pub cause: String,
}

/// Whoever carries calls: octocrab, or a test's forge.
pub trait ApiClient {
    /// Sends one request once. Nothing is repeated and no redirect is followed.
    ///
    /// # Errors
    ///
    /// When no reply came.
    fn send_call(&self, call: &ApiCall) -> Result<ApiReply, TransportError>;

    /// Waits so many milliseconds.
    fn wait_ms(&self, ms: u64);

    /// Seconds since 1970, to read `x-ratelimit-reset` by.
    fn unix_time(&self) -> u64;
}

/// The text at a place of a reply.
pub(super) fn json_text(value: &Value, pointer: &str) -> Option<String> {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .map(str::to_owned)
}
