//! One live process for all turns of a judge, over `stream-json` (clients.md 3.3).

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use council_protocol::seat::Client;
use council_protocol::{Failure, FailureKind, JudgeSpec, Turn};
use serde_json::{Value, json};

use super::outcome::Outcome;
use crate::client::{Desk, event, message, said};
use crate::mailbox::{self, Mailbox};
use crate::process::{Heard, Lines, cancelled, oversized};
use crate::{Conversation, Reply, Stop};

/// How long a turn has to end once it was interrupted.
const INTERRUPTED: Duration = Duration::from_secs(3);

/// How long the process has to end by itself.
const GOODBYE: Duration = Duration::from_secs(2);

/// Beyond the time of a turn, in case nobody cancels it.
const SLACK: Duration = Duration::from_secs(10);

/// What the reading thread and a raised stop tell.
enum News {
    Message(Value),
    Woken,
    Flood,
    End,
}

pub(super) struct Live {
    lines: Lines,
    news: Receiver<News>,
    tell: Sender<News>,
    /// Where it may submit its verdicts instead of writing them down.
    mailbox: Option<Mailbox>,
    brief: Arc<str>,
    is_first: bool,
    has_ended: bool,
    spent: f64,
    most: u64,
    _desk: Desk,
}

impl Live {
    pub(super) fn start(spec: &JudgeSpec, client: &Client, desk: Desk) -> Result<Self, Failure> {
        let mut argv = super::arguments(spec, client);
        let live = [
            "--input-format",
            "stream-json",
            "--output-format",
            "stream-json",
            "--verbose",
            "--no-session-persistence",
        ];
        argv.extend(live.map(str::to_owned));
        let mailbox = desk.mailbox(&spec.brief).map(|(mailbox, server)| {
            let council = json!({ "type": "stdio", "command": server[0], "args": server[1..] });
            let servers = json!({ "mcpServers": { "council": council } });
            // Without the second flag its tools are offered and refused (clients.md 10).
            let flags = [
                "--mcp-config",
                &servers.to_string(),
                "--allowedTools",
                "mcp__council",
            ];
            argv.extend(flags.map(str::to_owned));
            mailbox
        });
        let (tell, news) = channel();
        let heard = tell.clone();
        let lines = Lines::start(&desk.exe, &desk.program(&argv), move |line, _| {
            let news = match line {
                // Whatever is no JSON is noise (clients.md 8.4 no. 8).
                Heard::Line(line) => match event(&line) {
                    Some(message) => News::Message(message),
                    None => return,
                },
                Heard::Flood => News::Flood,
                Heard::End => News::End,
            };
            let _ = heard.send(news);
        })?;
        Ok(Self {
            lines,
            news,
            tell,
            mailbox,
            brief: Arc::clone(&spec.brief),
            is_first: true,
            has_ended: false,
            spent: 0.0,
            most: spec.max_answer_bytes,
            _desk: desk,
        })
    }

    /// The `result` of the turn that is under way.
    fn wait(&mut self, until: Instant, stop: &Stop) -> Result<Outcome, Failure> {
        loop {
            let patience = until.saturating_duration_since(Instant::now());
            match self.news.recv_timeout(patience) {
                Ok(News::Message(message)) => match message["type"].as_str() {
                    Some("result") => {
                        return serde_json::from_value(message).map_err(|error| {
                            self.die(&format!("a result that cannot be read: {error}"))
                        });
                    }
                    Some("system") if message["subtype"] == "init" => self.check(&message)?,
                    _ => {}
                },
                // A wake of an earlier turn is none.
                Ok(News::Woken) if !stop.is_raised() => {}
                Ok(News::Woken) => return Err(cancelled()),
                Ok(News::Flood) => {
                    self.has_ended = true;
                    return Err(oversized(self.most));
                }
                Ok(News::End) | Err(RecvTimeoutError::Disconnected) => {
                    let noise = self.lines.noise();
                    return Err(self.die(&format!("it ended: {}", said(&noise))));
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Failure::new(
                        FailureKind::Timeout,
                        "claude gave no result in time",
                    ));
                }
            }
        }
    }

    /// That it was started read-only is not believed, but looked at.
    fn check(&mut self, init: &Value) -> Result<(), Failure> {
        let tools = init["tools"].as_array().into_iter().flatten();
        let is_ours = |tool: &str| {
            super::TOOLS.split(',').any(|ours| ours == tool) || tool.starts_with("mcp__council__")
        };
        let mut others = tools
            .filter_map(Value::as_str)
            .filter(|tool| !is_ours(tool));
        let Some(other) = others.next() else {
            return Ok(());
        };
        let detail = format!("claude offers the tool {other}, which a judge must not have");
        self.die(&detail);
        Err(Failure::new(FailureKind::Died, detail))
    }

    fn die(&mut self, why: &str) -> Failure {
        self.has_ended = true;
        self.lines.kill();
        Failure::new(FailureKind::Died, format!("claude: {why}"))
    }

    /// Interrupts the turn; the session goes on, unless it does not answer.
    fn interrupt(&mut self) {
        let request = json!({ "subtype": "interrupt" });
        self.lines.voice().say(
            &json!({ "type": "control_request", "request_id": "interrupt", "request": request }),
        );
        if self
            .wait(Instant::now() + INTERRUPTED, &Stop::default())
            .is_err()
        {
            self.die("a turn could not be interrupted");
        }
    }
}

impl Conversation for Live {
    fn turn(&mut self, turn: &Turn, stop: &Stop) -> Result<Reply, Failure> {
        if self.has_ended {
            return Err(Failure::new(FailureKind::Died, "claude has ended"));
        }
        stop.on_raise({
            let tell = self.tell.clone();
            move || drop(tell.send(News::Woken))
        });
        mailbox::post(self.mailbox.as_ref(), turn)?;
        let text = message(
            &self.brief,
            &turn.prompt,
            std::mem::take(&mut self.is_first),
        );
        let content = json!([{ "type": "text", "text": text }]);
        self.lines
            .voice()
            .say(&json!({ "type": "user", "message": { "role": "user", "content": content } }));
        let until = Instant::now() + Duration::from_millis(turn.timeout_ms) + SLACK;
        let outcome = match self.wait(until, stop) {
            Err(failure)
                if matches!(failure.kind, FailureKind::Cancelled | FailureKind::Timeout) =>
            {
                self.interrupt();
                return Err(failure);
            }
            outcome => outcome?,
        };
        let reply = outcome.reply(&mut self.spent)?;
        Ok(mailbox::prefer(self.mailbox.as_ref(), reply))
    }

    fn pid(&self) -> Option<u32> {
        Some(self.lines.pid())
    }

    fn end(&mut self) {
        let request = json!({ "subtype": "end_session" });
        self.lines
            .voice()
            .say(&json!({ "type": "control_request", "request_id": "end", "request": request }));
        self.lines.finish(GOODBYE);
    }
}
