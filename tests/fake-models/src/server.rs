//! The server: a thread for each connection.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::answer::Said;
use crate::http::{self, Request};
use crate::journal::{Journal, Record, Stats, masked, masked_path};
use crate::script::{Fault, Reply, Script, Window};
use crate::{Ask, api};

/// A model server that runs until it is dropped.
pub struct FakeModels {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    started: Instant,
    script: Mutex<Script>,
    journal: Mutex<Journal>,
    /// Where finished requests are written, a line each.
    log: Mutex<Option<File>>,
    over: AtomicBool,
    /// Told whenever a request arrives or is over.
    news: Condvar,
}

impl FakeModels {
    /// Listens on a free port of the loopback device.
    pub fn start(script: impl Into<Script>) -> io::Result<Self> {
        Self::listen(0, script, None)
    }

    /// Listens on a port (0: a free one) and writes every finished request to `log`, a JSON object a line.
    pub fn listen(port: u16, script: impl Into<Script>, log: Option<File>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            started: Instant::now(),
            script: Mutex::new(script.into()),
            journal: Mutex::default(),
            log: Mutex::new(log),
            over: AtomicBool::new(false),
            news: Condvar::new(),
        });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.over.load(Ordering::SeqCst) {
                    break;
                }
                let (Ok(stream), serving) = (stream, Arc::clone(&serving)) else {
                    continue;
                };
                // A client that leaves ends its thread; nobody else is to hear of it.
                thread::spawn(move || drop(serve(&serving, stream)));
            }
        });
        Ok(Self { port, shared })
    }

    /// Where it listens: `http://127.0.0.1:<port>`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Takes other rules from now on.
    pub fn rules(&self, script: impl Into<Script>) {
        *lock(&self.shared.script) = script.into();
    }

    /// Every request that asked for an answer, in the order of arrival.
    pub fn records(&self) -> Vec<Record> {
        let journal = lock(&self.shared.journal);
        let asked = journal.records.iter().filter(|r| r.api.is_some());
        asked.cloned().collect()
    }

    /// All requests in numbers.
    pub fn stats(&self) -> Stats {
        lock(&self.shared.journal).stats()
    }

    /// Waits until `done` holds of the numbers, at most `patience`. Whether it does.
    pub fn wait(&self, patience: Duration, done: impl Fn(&Stats) -> bool) -> bool {
        let journal = lock(&self.shared.journal);
        let waiting = |journal: &mut Journal| !done(&journal.stats());
        let waited = self
            .shared
            .news
            .wait_timeout_while(journal, patience, waiting);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Whether it was asked to end (`POST /__shutdown`).
    pub fn is_over(&self) -> bool {
        self.shared.over.load(Ordering::SeqCst)
    }
}

impl Drop for FakeModels {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // The listener wakes up for this one and sees that it is over.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

impl Shared {
    fn now_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    fn record(&self, nth: u64, request: &Request) -> Record {
        Record {
            nth,
            at_ms: self.now_ms(),
            done_ms: None,
            method: request.method.clone(),
            path: masked_path(&request.path),
            api: None,
            headers: masked(&request.headers),
            body: String::from_utf8_lossy(&request.body).into_owned(),
            status: 0,
            in_flight: 0,
            aborted: false,
            prompt_bytes: 0,
            shared_bytes: 0,
            cached_bytes: 0,
            readable_bytes: 0,
        }
    }

    fn done(&self, nth: u64, status: u16, aborted: bool) {
        let mut journal = lock(&self.journal);
        journal.done(nth, self.now_ms(), status, aborted);
        let line = journal
            .records
            .iter()
            .find(|r| r.nth == nth)
            .map(serde_json::to_string);
        if let (Some(Ok(line)), Some(log)) = (line, &mut *lock(&self.log)) {
            let _ = writeln!(log, "{line}");
        }
        self.news.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers the requests of one connection until it ends.
fn serve(shared: &Shared, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = http::read(&mut reader)? {
        if shared.over.load(Ordering::SeqCst) {
            break;
        }
        let body = serde_json::from_slice(&request.body).unwrap_or_default();
        let out = reader.get_mut();
        match api::read(&request.path, &body) {
            Some(ask) if request.method == "POST" => answer(shared, out, &request, &ask)?,
            _ => aside(shared, out, &request)?,
        }
        if request
            .headers
            .get("connection")
            .is_some_and(|c| c.eq_ignore_ascii_case("close"))
        {
            break;
        }
    }
    let _ = reader.get_ref().shutdown(Shutdown::Both);
    Ok(())
}

/// What is not an answer of a model: the test's own questions, counts, lists, probes.
fn aside(shared: &Shared, out: &mut TcpStream, request: &Request) -> io::Result<()> {
    let text = String::from_utf8_lossy(&request.body);
    let nothing = Default::default();
    let json = |out: &mut TcpStream, status, body: &str| {
        http::head(out, status, "application/json", Some(body.len()), &nothing)?;
        out.write_all(if request.method == "HEAD" {
            b""
        } else {
            body.as_bytes()
        })
    };
    match request.path.as_str() {
        "/__stats" => {
            let stats = serde_json::to_string(&lock(&shared.journal).stats())?;
            json(out, 200, &stats)
        }
        "/__script" => match serde_json::from_str(&text) {
            Ok(script) => {
                *lock(&shared.script) = script;
                json(out, 200, "{}")
            }
            Err(error) => json(
                out,
                400,
                &serde_json::json!({"error": error.to_string()}).to_string(),
            ),
        },
        "/__shutdown" => {
            shared.over.store(true, Ordering::SeqCst);
            json(out, 200, "{}")
        }
        path => {
            let nth = {
                let mut journal = lock(&shared.journal);
                let record = shared.record(journal.next(), request);
                let nth = record.nth;
                journal.records.push(record);
                nth
            };
            let window = lock(&shared.script).window;
            let told = || told_window(path, window);
            let found = api::aside(&request.method, path, &text).or_else(told);
            let status = if found.is_some() || request.method == "HEAD" || path == "/" {
                200
            } else {
                404
            };
            json(
                out,
                status,
                &found.map_or_else(|| "{}".to_owned(), |v| v.to_string()),
            )?;
            let mut journal = lock(&shared.journal);
            if let Some(record) = journal.records.iter_mut().find(|r| r.nth == nth) {
                record.status = status;
                record.done_ms = Some(shared.now_ms());
            }
            Ok(())
        }
    }
}

/// The largest window that a server tells, which holds every prompt.
const ANY_PROMPT: u64 = 1 << 30;

/// What a server says of its window, as llama.cpp does.
fn told_window(path: &str, window: Option<Window>) -> Option<serde_json::Value> {
    let is_told = path == "/props" && window.is_none_or(|window| window.told);
    let tokens = window.map_or(ANY_PROMPT, |window| window.tokens);
    is_told.then(|| serde_json::json!({"default_generation_settings": {"n_ctx": tokens}}))
}

/// Answers as the script says.
fn answer(shared: &Shared, out: &mut TcpStream, request: &Request, ask: &Ask) -> io::Result<()> {
    let (nth, counted) = {
        let mut journal = lock(&shared.journal);
        let nth = journal.next();
        let counted = journal.arrive(shared.record(nth, request), ask);
        shared.news.notify_all();
        (nth, counted)
    };
    let (reply, window) = {
        let mut script = lock(&shared.script);
        (script.take(ask, nth), script.window)
    };
    let counted = window.map_or(counted, |window| window.cut(counted));
    let said = Said::of(&reply, ask, nth, counted);
    let answering = Answering {
        shared,
        ask,
        reply: &reply,
        said: &said,
        nth,
    };
    let result = answering.go(out);
    let sent = if reply.fault == Some(Fault::Close) {
        0
    } else {
        reply.status
    };
    shared.done(nth, sent, result.is_err() && !answering.ends_early());
    result
}

struct Answering<'a> {
    shared: &'a Shared,
    ask: &'a Ask,
    reply: &'a Reply,
    said: &'a Said,
    nth: u64,
}

impl Answering<'_> {
    /// Whether the server itself is to end the connection.
    fn ends_early(&self) -> bool {
        matches!(self.reply.fault, Some(Fault::Close | Fault::Cut))
    }

    fn go(&self, out: &mut TcpStream) -> io::Result<()> {
        if self.reply.headers_first {
            self.stream_head(out)?;
        }
        self.wait(out, Some(self.reply.delay_ms))?;
        match self.reply.fault {
            Some(Fault::Hang) => return self.wait(out, None),
            Some(Fault::Close) => return Err(io::ErrorKind::ConnectionAborted.into()),
            _ => {}
        }
        lock(&self.shared.journal).begin(self.nth);
        if self.reply.status != 200 || self.reply.body.is_some() {
            let error = || api::error(self.ask.api, self.reply.status).to_string();
            let body = self.reply.body.clone().unwrap_or_else(error);
            return self.whole(out, body.as_bytes());
        }
        if self.ask.stream {
            return self.stream(out);
        }
        self.whole(out, api::whole(self.ask, self.said).to_string().as_bytes())
    }

    fn whole(&self, out: &mut TcpStream, body: &[u8]) -> io::Result<()> {
        let (status, headers) = (self.reply.status, &self.reply.headers);
        let more = usize::from(self.reply.fault == Some(Fault::HangBehind));
        let length = Some(body.len() + more);
        http::head(out, status, "application/json", length, headers)?;
        match self.reply.fault {
            Some(Fault::HangBehind) => {
                out.write_all(body)?;
                self.wait(out, None)
            }
            Some(Fault::Cut) => {
                out.write_all(&body[..body.len() / 2])?;
                Err(io::ErrorKind::ConnectionAborted.into())
            }
            Some(Fault::HangMidway) => {
                out.write_all(&body[..body.len() / 2])?;
                self.wait(out, None)
            }
            _ => out.write_all(body),
        }
    }

    fn stream_head(&self, out: &mut TcpStream) -> io::Result<()> {
        let kind = if self.ask.events {
            "text/event-stream"
        } else {
            "application/json"
        };
        http::head(out, 200, kind, None, &self.reply.headers)
    }

    fn stream(&self, out: &mut TcpStream) -> io::Result<()> {
        if !self.reply.headers_first {
            self.stream_head(out)?;
        }
        if self.reply.fault == Some(Fault::Refused) {
            http::chunk(out, api::refused(self.ask.api).as_bytes())?;
            return http::chunk(out, b"");
        }
        let frames = api::stream(self.ask, self.said);
        let middle = frames.len() / 2;
        for (at, frame) in frames.iter().enumerate() {
            match self.reply.fault {
                Some(Fault::Cut) if at == middle => {
                    return Err(io::ErrorKind::ConnectionAborted.into());
                }
                Some(Fault::HangMidway) if at == middle => return self.wait(out, None),
                Some(Fault::ErrorMidway) if at == middle => {
                    http::chunk(out, api::midway(self.ask.api).as_bytes())?;
                    return http::chunk(out, b"");
                }
                _ => {}
            }
            http::chunk(out, frame.as_bytes())?;
            if self.reply.chunk_ms > 0 {
                self.wait(out, Some(self.reply.chunk_ms))?;
            }
        }
        http::chunk(out, b"")
    }

    /// Waits; fails as soon as the client leaves. Without a time it waits until then.
    fn wait(&self, out: &TcpStream, ms: Option<u64>) -> io::Result<()> {
        let until = ms.map(|ms| Instant::now() + Duration::from_millis(ms));
        let step = Duration::from_millis(20);
        loop {
            let left = until.map_or(step, |u| {
                u.saturating_duration_since(Instant::now()).min(step)
            });
            if left.is_zero() {
                out.set_read_timeout(None)?;
                return Ok(());
            }
            out.set_read_timeout(Some(left))?;
            match out.peek(&mut [0]) {
                Ok(0) => return Err(io::ErrorKind::ConnectionAborted.into()),
                // Whoever sends more before the answer is patient enough.
                Ok(_) => thread::sleep(left),
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
            if self.shared.over.load(Ordering::SeqCst) {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}
