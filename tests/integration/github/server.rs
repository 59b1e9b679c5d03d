//! A forge on loopback: HTTP/1.1, one connection at a time for each client, whatever GitHub would answer.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use serde_json::{Value, json};

use super::openapi;
use super::routes;
use super::state::{Asked, FaultKind, State};

/// The one token.
pub(super) const TOKEN: &str = "ghs_0123456789abcdefghijABCDEFGHIJ012345";

/// A running forge; it ends with the process of the test.
pub(super) struct FakeGitHub {
    url: String,
    state: Arc<Mutex<State>>,
}

/// One request.
pub(super) struct Request {
    pub(super) method: String,
    /// The host that is meant, where the request came as to a proxy.
    through: Option<String>,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) body: Option<Value>,
    token: Option<String>,
}

/// One reply.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Value,
}

impl Reply {
    pub(super) fn new(status: u16, body: Value) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body,
        }
    }

    pub(super) fn refuse(status: u16, message: &str) -> Self {
        Self::new(status, json!({ "message": message }))
    }
}

impl FakeGitHub {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            last_id: 1000,
            ..State::default()
        }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { url, state }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

fn serve(stream: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some(request) = read(&mut reader) {
        let (reply, fault) = answer(&request, &mut state.lock().unwrap());
        match fault {
            Some(FaultKind::DoneAndGone) => return,
            Some(FaultKind::DoneAndSilent) => loop {
                thread::park();
            },
            _ => {}
        }
        let body = if reply.body.is_null() {
            String::new()
        } else {
            reply.body.to_string()
        };
        let mut head = format!(
            "HTTP/1.1 {} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            reply.status,
            body.len()
        );
        for (name, value) in &reply.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if stream
            .write_all(format!("{head}\r\n{body}").as_bytes())
            .is_err()
        {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|&n| n > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    // Asked as a proxy, it is everybody's server.
    let (through, target) = match target
        .strip_prefix("http://")
        .and_then(|t| t.split_once('/'))
    {
        Some((host, path)) => (Some(host.to_owned()), format!("/{path}")),
        None => (None, target),
    };
    let (mut length, mut token) = (0, None);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => {
                token = value
                    .trim()
                    .split_once(' ')
                    .map(|(_, token)| token.to_owned())
            }
            _ => {}
        }
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    Some(Request {
        method,
        through,
        path: path.to_owned(),
        query: query.to_owned(),
        body: serde_json::from_slice(&bytes).ok(),
        token,
    })
}

/// The reply, and what becomes of it.
fn answer(request: &Request, state: &mut State) -> (Reply, Option<FaultKind>) {
    if let Some((after, number, head)) = state.moves.clone()
        && state.asked.len() >= after
    {
        state.pulls.get_mut(&number).unwrap().head = head;
        state.moves = None;
    }
    let graphql = request.path == "/graphql";
    if !graphql {
        let violation = openapi::violation(
            &request.method,
            &request.path,
            &request.query,
            request.body.as_ref(),
        );
        state.violations.extend(violation);
    }
    let fault = state.strike(&request.method, &request.path);
    let reply = match (&request.token, &fault) {
        (_, Some(FaultKind::Refuse(status, headers, message))) => Reply {
            headers: headers.clone(),
            ..Reply::refuse(*status, message)
        },
        (Some(token), _) if token != TOKEN => Reply::refuse(401, "Bad credentials"),
        (None, _) if graphql || request.method != "GET" => {
            Reply::refuse(401, "Requires authentication")
        }
        _ if graphql => routes::graphql(request, state),
        _ => routes::rest(request, state),
    };
    let status = if matches!(fault, Some(FaultKind::DoneAnd502)) {
        502
    } else {
        reply.status
    };
    state.asked.push(Asked {
        method: request.method.clone(),
        path: request.path.clone(),
        through: request.through.clone(),
        body: request.body.clone().unwrap_or_default(),
        status,
    });
    match fault {
        Some(FaultKind::DoneAnd502) => (Reply::refuse(502, "Server Error"), fault),
        fault => (reply, fault),
    }
}
