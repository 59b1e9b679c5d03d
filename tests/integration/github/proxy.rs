//! Behind a company's proxy.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::Command;

use super::stage::{CONFLICT, Stage};
use crate::harness::Run;

/// A host that nobody can look up: whoever reaches it was helped.
const NOWHERE: &str = "http://api.ghe.invalid";

fn proposed() -> Stage {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage
}

fn review(stage: &Stage, vars: &[(&str, &str)]) -> Run {
    let mut command: Command = stage.command(&["review", "--pr", "1", "--publish", "comment"]);
    command.envs(vars.iter().copied());
    Run::of_command(command)
}

#[test]
fn requests_go_through_the_proxy_that_the_environment_names() {
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        let stage = proposed();
        let graphql = format!("{NOWHERE}/graphql");
        let proxy = stage.hub.url().to_owned();
        let vars = [
            ("GITHUB_API_URL", NOWHERE),
            ("GITHUB_GRAPHQL_URL", graphql.as_str()),
            (name, proxy.as_str()),
        ];
        review(&stage, &vars).ends(1);
        assert_eq!(stage.reports(1).len(), 1, "{name}");
        let state = stage.hub.state();
        let through = |host: &Option<String>| host.as_deref() == Some("api.ghe.invalid");
        assert!(state.asked.iter().all(|asked| through(&asked.through)));
    }
}

#[test]
fn hosts_of_no_proxy_are_asked_directly() {
    let stage = proposed();
    let (graphql, proxy) = (format!("{NOWHERE}/graphql"), stage.hub.url().to_owned());
    let helped = [
        ("GITHUB_API_URL", NOWHERE),
        ("GITHUB_GRAPHQL_URL", graphql.as_str()),
        ("HTTP_PROXY", proxy.as_str()),
        ("NO_PROXY", "api.ghe.invalid"),
    ];
    review(&stage, &helped).ends(3);
    // Nobody listens there, and this machine needs no proxy.
    review(&stage, &[("HTTP_PROXY", "http://127.0.0.1:9")]).ends(1);
    assert_eq!(stage.reports(1).len(), 1);
    assert!(
        stage
            .hub
            .state()
            .asked
            .iter()
            .all(|asked| asked.through.is_none())
    );
}

/// With TLS the proxy is asked for a tunnel, and sees neither token nor request.
#[test]
fn tls_goes_through_a_tunnel_and_the_token_stays_inside() {
    let stage = proposed();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let listening = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut said = String::new();
        while reader.read_line(&mut said).unwrap() > 2 {}
        stream.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n").unwrap();
        // Whoever asks again is not heard.
        drop(listener);
        said
    });
    let vars = [
        ("GITHUB_API_URL", "https://api.ghe.invalid"),
        ("GITHUB_GRAPHQL_URL", "https://api.ghe.invalid/graphql"),
        ("HTTPS_PROXY", proxy.as_str()),
    ];
    let run = review(&stage, &vars).ends(3);
    let said = listening.join().unwrap();
    assert!(
        said.starts_with("CONNECT api.ghe.invalid:443 HTTP/1.1"),
        "{said}"
    );
    assert!(!said.contains(super::server::TOKEN) && !said.to_lowercase().contains("bearer"));
    assert!(!run.stderr.contains(super::server::TOKEN));
}

#[test]
fn a_proxy_that_is_no_address_is_named() {
    let stage = proposed();
    review(&stage, &[("HTTP_PROXY", "::nonsense::")])
        .ends(2)
        .tells("HTTP_PROXY");
}
