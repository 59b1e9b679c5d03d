//! How this program speaks HTTP, with models and with forges: no redirects, one provider of TLS, the user's proxies.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use reqwest::{Client, NoProxy, Proxy, redirect};

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// This machine: what is meant for it is nobody else's, a proxy's least of all.
const THIS_MACHINE: &str = "localhost,127.0.0.0/8,::1";

/// The variables that name proxies; the lower case counts, too.
const PROXY_NAMES: [&str; 3] = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"];

/// A client that is made while the program prepares what it will send: reading the system's certificates takes longer than
/// everything else before the first request.
static EARLY: Mutex<Option<EarlyClient>> = Mutex::new(None);

struct EarlyClient {
    /// What is named in the environment that it is made for.
    proxies: ProxyNames,
    made: JoinHandle<Result<Client, String>>,
}

/// The variables that a client depends on.
#[derive(Clone, PartialEq, Eq)]
struct ProxyNames(BTreeMap<String, OsString>);

impl ProxyNames {
    fn of(env: &BTreeMap<String, OsString>) -> Self {
        let names = PROXY_NAMES.iter().chain(&["NO_PROXY"]);
        let both = names.flat_map(|name| [(*name).to_owned(), name.to_ascii_lowercase()]);
        let named = both.filter_map(|name| Some((name.clone(), env.get(&name)?.clone())));
        Self(named.collect())
    }
}

/// Begins to make a client for `env`, on a thread of its own; the next [`http_client`] for the same takes it. Nothing is sent.
pub fn begin_http_client(env: &BTreeMap<String, OsString>) {
    let proxies = ProxyNames::of(env);
    let named = proxies.clone();
    let made = thread::Builder::new()
        .name("certificates".to_owned())
        .spawn(move || build_client(&named));
    // Without a thread it is made when it is needed.
    if let Ok(made) = made {
        *lock_early() = Some(EarlyClient { proxies, made });
    }
}

fn lock_early() -> MutexGuard<'static, Option<EarlyClient>> {
    EARLY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A client without any connection yet. Requests to this machine go to no proxy. Other proxies are those that `HTTPS_PROXY`,
/// `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` of `env`
/// name, in upper or lower case; certificates are the system's, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`.
///
/// # Errors
///
/// A variable that names no proxy; certificates that cannot be read.
pub fn http_client(env: &BTreeMap<String, OsString>) -> Result<Client, String> {
    let proxies = ProxyNames::of(env);
    let early = lock_early().take_if(|early| early.proxies == proxies);
    match early.map(|early| early.made.join()) {
        Some(Ok(client)) => client,
        _ => build_client(&proxies),
    }
}

fn build_client(proxies: &ProxyNames) -> Result<Client, String> {
    // Whoever was first has installed the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = Client::builder()
        .redirect(redirect::Policy::none())
        // What is sent again is decided by whoever knows what it would do.
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("git-council/", env!("CARGO_PKG_VERSION")))
        .no_proxy();
    for proxy in read_proxies(&proxies.0)? {
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
    let except = match get("NO_PROXY") {
        Some(named) => format!("{named},{THIS_MACHINE}"),
        None => THIS_MACHINE.to_owned(),
    };
    let except = NoProxy::from_string(&except);
    let mut proxies = Vec::new();
    for name in PROXY_NAMES {
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

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    fn env(proxy: &str) -> BTreeMap<String, OsString> {
        [
            ("https_proxy".to_owned(), proxy.into()),
            ("HOME".to_owned(), "/home/me".into()),
        ]
        .into()
    }

    #[test]
    fn a_client_that_was_begun_early_is_taken_once_and_by_whom_it_was_made_for() {
        begin_http_client(&env("http://proxy.example:1"));
        assert!(http_client(&env("http://other.example:1")).is_ok());
        assert!(lock_early().is_some(), "made for other proxies");
        assert!(http_client(&env("http://proxy.example:1")).is_ok());
        assert!(lock_early().is_none());
        // What is wrong with it is told to whoever takes it.
        begin_http_client(&env("no proxy:"));
        assert!(
            http_client(&env("no proxy:"))
                .unwrap_err()
                .contains("HTTPS_PROXY")
        );
        assert!(http_client(&env("no proxy:")).is_err());
    }

    /// Answers one request with a word, and says so.
    fn serve(word: &'static str) -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n", word.len());
                let _ = write!(stream, "{head}connection: close\r\n\r\n{word}");
            }
        });
        port
    }

    #[test]
    fn what_is_for_this_machine_goes_to_no_proxy() {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.enable_all().build().unwrap();
        let (server, proxy) = (serve("server"), serve("proxy"));
        for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
            for except in ["", "example.com"] {
                let proxy = format!("http://127.0.0.1:{proxy}");
                let env = [(name, proxy.as_str()), ("NO_PROXY", except)];
                let env = env.map(|(name, value)| (name.to_owned(), value.into()));
                let client = http_client(&env.into()).unwrap();
                for (host, wanted) in [
                    ("127.0.0.1", "server"),
                    ("localhost", "server"),
                    ("models.invalid", "proxy"),
                    ("localhost.invalid", "proxy"),
                ] {
                    let url = format!("http://{host}:{server}/v1");
                    let asked = client.get(url).bearer_auth("key").send();
                    let said = runtime.block_on(async { asked.await.unwrap().text().await });
                    assert_eq!(said.unwrap(), wanted, "{name} {host}");
                }
            }
        }
    }
}
