//! Whether anything listens where a server of this machine should be: that costs nothing and sends nothing.

use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use council_protocol::seat::Endpoint;
use reqwest::Url;

use super::client::is_loopback;

/// How long a server of this machine has to take a connection: one that runs takes it at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why no server of this machine answers; none: one does, or it is elsewhere and was not tried.
pub fn unreachable_server(endpoint: &Endpoint) -> Option<String> {
    let url = Url::parse(&endpoint.url).ok()?;
    if !is_loopback(&url) {
        return None;
    }
    let (host, port) = (url.host_str()?, url.port_or_known_default()?);
    // `localhost` has two addresses, and a server may listen at one alone.
    let addresses = (host.trim_matches(['[', ']']), port).to_socket_addrs();
    let mut addresses = addresses.into_iter().flatten();
    let listens = addresses.any(|at| TcpStream::connect_timeout(&at, PATIENCE).is_ok());
    (!listens).then(|| format!("nothing listens at {host}:{port}"))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use council_protocol::seat::AgentKind;

    use super::*;

    fn endpoint(url: &str) -> Endpoint {
        let kind = serde_json::json!({
            "driver": "http", "api": "chat", "url": url, "max_tokens": 1, "prime": "off",
        });
        match serde_json::from_value(kind) {
            Ok(AgentKind::Http(endpoint)) => endpoint,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_a_server_of_this_machine_is_tried() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        for host in ["127.0.0.1", "localhost"] {
            let url = format!("http://{host}:{port}/v1");
            assert_eq!(unreachable_server(&endpoint(&url)), None, "{url}");
        }
        drop(listener);
        let url = format!("http://127.0.0.1:{port}/v1");
        let why = unreachable_server(&endpoint(&url));
        assert_eq!(why, Some(format!("nothing listens at 127.0.0.1:{port}")));
        for elsewhere in ["https://models.invalid/v1", "no url"] {
            assert_eq!(
                unreachable_server(&endpoint(elsewhere)),
                None,
                "{elsewhere}"
            );
        }
    }
}
