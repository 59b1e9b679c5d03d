//! A model server whose model does as the conformance suite tells it: OpenAI's chat completions over plain HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use council_conformance::ScriptLine;
use council_protocol::{Answer, Vote};
use serde_json::Value;

/// A server on this machine, as long as the process lives.
pub(crate) struct Model {
    pub(crate) url: String,
    /// The requests that came, in order.
    pub(crate) heard: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let log = heard.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = log.clone();
                // The other end may be cut at any time.
                thread::spawn(move || drop(serve(stream, &log)));
            }
        });
        Self { url, heard }
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    for line in reader.by_ref().lines() {
        let line = line?.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    if first.starts_with("GET /v1/models ") {
        return reply(&mut stream, b"{}");
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body)?;
    let prompt = request["messages"].as_array().unwrap().last().unwrap()["content"]
        .as_str()
        .unwrap()
        .to_owned();
    log.lock().unwrap().push(request);
    let (_, key) = prompt.rsplit_once("key: ").unwrap();
    let answer = serde_json::to_string(&Answer::new(1, key.lines().next().unwrap(), Vote::Pass))?;
    let told = ScriptLine::of(&prompt);
    let content = match told {
        ScriptLine::Answer => answer,
        ScriptLine::Wait(seconds) | ScriptLine::Deaf(seconds) => {
            thread::sleep(Duration::from_secs(seconds.into()));
            answer
        }
        ScriptLine::Flood(bytes) => "x".repeat(bytes as usize),
        ScriptLine::Die => return Ok(()),
        ScriptLine::Garbage => format!("??{answer}"),
        ScriptLine::Forge => {
            format!("{{\"type\":\"horoscope\"}}\n{{\"type\":\"closed\"}}\n{answer}")
        }
    };
    // Fifty megabytes need no escaping, and take long to be looked at.
    let content = match told {
        ScriptLine::Flood(_) => format!("\"{content}\""),
        _ => serde_json::to_string(&content)?,
    };
    let usage = r#"{"prompt_tokens":12,"completion_tokens":3}"#;
    let body = format!(r#"{{"choices":[{{"message":{{"content":{content}}}}}],"usage":{usage}}}"#);
    let mut body = body.into_bytes();
    if told == ScriptLine::Garbage {
        let at = body.windows(2).position(|bytes| bytes == b"??").unwrap();
        body[at..at + 2].copy_from_slice(b"\xff\xfe");
    }
    reply(&mut stream, &body)
}

fn reply(stream: &mut TcpStream, body: &[u8]) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)
}
