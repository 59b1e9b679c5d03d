//! How this program speaks HTTP, with models and with forges: no redirects, one provider of TLS, the user's proxies.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::time::Duration;

use reqwest::{Client, NoProxy, Proxy, redirect};

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// A client without any connection yet. Proxies are those that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` of `env`
/// name, in upper or lower case; certificates are the system's, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`.
///
/// # Errors
///
/// A variable that names no proxy; certificates that cannot be read.
pub fn http_client(env: &BTreeMap<String, OsString>) -> Result<Client, String> {
    // Whoever was first has installed the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = Client::builder()
        .redirect(redirect::Policy::none())
        // What is sent again is decided by whoever knows what it would do.
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("git-council/", env!("CARGO_PKG_VERSION")))
        .no_proxy();
    for proxy in read_proxies(env)? {
        client = client.proxy(proxy);
    }
    client
        .build()
        .map_err(|error| format!("cannot speak HTTP: {}", root_cause(&error)))
}

fn read_proxies(env: &BTreeMap<String, OsString>) -> Result<Vec<Proxy>, String> {
    let get = |name: &str| {
        let value = env
            .get(name)
            .or_else(|| env.get(&name.to_ascii_lowercase()));
        value
            .and_then(|value| value.to_str())
            .filter(|value| !value.is_empty())
    };
    let except = get("NO_PROXY").and_then(NoProxy::from_string);
    let mut proxies = Vec::new();
    for name in ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"] {
        let Some(url) = get(name) else { continue };
        let proxy = match name {
            "HTTPS_PROXY" => Proxy::https(url),
            "HTTP_PROXY" => Proxy::http(url),
            _ => Proxy::all(url),
        };
        let proxy = proxy.map_err(|_| format!("{name} is no URL of a proxy"))?;
        proxies.push(proxy.no_proxy(except.clone()));
    }
    Ok(proxies)
}

/// An error with what is behind it, and without the URL.
pub(super) fn root_cause(error: &dyn Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
