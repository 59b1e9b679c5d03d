//! The mailbox: a folder through which a judge with MCP submits its verdict and exchanges messages with the others.
//!
//! The program puts `turn.json` and `brief.md` into it; `git council mcp`, started by the judge's client, leaves `verdict.json`
//! once a verdict fits, and a line in `sent.jsonl` for every message. What lies there when the turn ends is the answer: the file
//! is the truth, the words of the model are not searched then.

mod desk;
mod quotes;
#[cfg(feature = "mcp")]
mod server;

#[cfg(feature = "mcp")]
pub use server::serve_mailbox;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use council_protocol::answer::PeerMessage;
use council_protocol::message::Usage;
use council_protocol::task::Form;
use council_protocol::{ANSWER_VERSION, Answer, Failure, FailureKind, JudgeSpec, Task, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::desk::LookUpDesk;
use crate::AgentReply;
use crate::process::oversized_failure;
use crate::tools::ToolSetup;

const TURN_FILE: &str = "turn.json";
const BRIEF_FILE: &str = "brief.md";
const VERDICT_FILE: &str = "verdict.json";
const SENT_FILE: &str = "sent.jsonl";
/// It lies there once a verdict of the turn was refused for its quotes.
const REFUSED_FILE: &str = "refused";

/// What a verdict has to echo, and what the judge has been sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PostedTurn {
    round: u8,
    key: String,
    form: Form,
    /// The most bytes that the answer may have.
    max_bytes: u64,
    /// Messages of other judges that this turn brings; untrusted.
    messages: Vec<PeerMessage>,
    /// The folder in which the judge finds the reviewed tree; none: it was shown the brief alone.
    #[serde(default)]
    tree: Option<PathBuf>,
    /// Whether the judge answers in another way, and has the mailbox only to look things up.
    #[serde(default)]
    only_look_ups: bool,
}

/// One judge's mailbox.
#[derive(Clone)]
pub(crate) struct JudgeMailbox {
    folder: PathBuf,
    /// The most bytes that an answer may have; none on the side of the judge's client, which finds it in the turn.
    max_bytes: Option<u64>,
    tree: Option<PathBuf>,
    /// Where the judge looks things up; none: nowhere, or this is the client's side.
    desk: Option<Arc<LookUpDesk>>,
    /// Why it cannot look things up, where it was to.
    without_desk: Option<String>,
    only_look_ups: bool,
}

impl JudgeMailbox {
    /// A new one in `folder`.
    pub(crate) fn create(folder: &Path, spec: &JudgeSpec) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join(BRIEF_FILE), &*spec.brief)?;
        Ok(Self {
            folder: folder.to_path_buf(),
            max_bytes: Some(spec.max_answer_bytes),
            tree: spec.room.clone(),
            desk: None,
            without_desk: None,
            only_look_ups: false,
        })
    }

    /// One in which nothing can be submitted.
    pub(crate) fn for_look_ups(mut self) -> Self {
        self.only_look_ups = true;
        self
    }

    /// Lets the judge look things up. Where no socket can be made (its path may be too long), it has to do without, and the
    /// receipt says so.
    pub(crate) fn open_desk(&mut self, setup: ToolSetup) {
        match LookUpDesk::open(&self.folder, setup) {
            Ok(desk) => self.desk = Some(Arc::new(desk)),
            Err(error) => self.without_desk = Some(format!("no socket can be made: {error}")),
        }
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn open_at(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            max_bytes: None,
            tree: None,
            desk: None,
            without_desk: None,
            only_look_ups: false,
        }
    }

    /// The arguments with which a client starts our server for it.
    pub(crate) fn server_arguments(&self) -> Vec<String> {
        vec![
            "mcp".to_owned(),
            "--mailbox".to_owned(),
            self.folder.display().to_string(),
        ]
    }

    /// A turn begins: what an earlier one left is none of it.
    pub(crate) fn post_turn(&self, turn: &Turn) -> io::Result<()> {
        for left in [VERDICT_FILE, SENT_FILE, REFUSED_FILE] {
            match fs::remove_file(self.folder.join(left)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        let posted = PostedTurn {
            round: turn.round,
            key: turn.key.clone(),
            form: turn.task.form(),
            max_bytes: self.max_bytes.unwrap_or(u64::MAX),
            messages: peer_messages(&turn.task),
            tree: self.tree.clone(),
            only_look_ups: self.only_look_ups,
        };
        if let Some(desk) = &self.desk {
            desk.begin_turn(turn.timeout_ms);
        }
        self.replace_file(TURN_FILE, &serde_json::to_vec(&posted)?)
    }

    /// A turn is over: what was looked up in it stands in its usage.
    fn end_turn(&self, result: &mut Result<AgentReply, Failure>) {
        let end = |usage: Option<Usage>| match (&self.desk, &self.without_desk) {
            (Some(desk), _) => desk.end_turn(usage),
            (None, None) => usage,
            (None, Some(why)) => Some(Usage {
                without_tools: Some(why.clone()),
                ..usage.unwrap_or_default()
            }),
        };
        match result {
            Ok(reply) => reply.usage = end(reply.usage.take()),
            // A turn that was never sent has no usage, and gets none for the lack of a socket.
            Err(_) if self.desk.is_none() => {}
            Err(failure) => {
                let usage = end(failure.usage.take().map(|usage| *usage));
                failure.usage = usage.map(Box::new);
            }
        }
    }

    /// Whether a verdict was submitted.
    pub(crate) fn has_verdict(&self) -> bool {
        self.folder.join(VERDICT_FILE).is_file()
    }

    /// The verdict that was submitted, with the messages that were sent beside it; none when none was.
    ///
    /// # Errors
    /// `oversized` when there is more of it than an answer may have: the files are the client's, so they are measured
    /// before they are read.
    pub(crate) fn take_verdict(&self) -> Result<Option<String>, Failure> {
        let Some(text) = self.read_bounded(VERDICT_FILE)? else {
            return Ok(None);
        };
        let sent = self.read_bounded(SENT_FILE)?.unwrap_or_default();
        Ok(with_messages(&text, &sent))
    }

    /// A file that the client may have written; none when there is none.
    fn read_bounded(&self, name: &str) -> Result<Option<String>, Failure> {
        let path = self.folder.join(name);
        let max_bytes = self.max_bytes.unwrap_or(u64::MAX);
        match fs::metadata(&path) {
            Ok(file) if file.len() > max_bytes => Err(oversized_failure(max_bytes)),
            _ => Ok(fs::read_to_string(path).ok()),
        }
    }

    /// Written beside and renamed.
    fn replace_file(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let beside = self.folder.join(format!("{name}.new"));
        fs::write(&beside, bytes)?;
        fs::rename(beside, self.folder.join(name))
    }
}

/// A verdict with the messages, one a line, that were sent beside it.
fn with_messages(verdict: &str, sent: &str) -> Option<String> {
    let mut verdict: Value = serde_json::from_str(verdict).ok()?;
    let sent = sent
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let fields = verdict.as_object_mut()?;
    let messages = fields
        .entry("messages")
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Some(messages) = messages.as_array_mut() {
        messages.extend(sent);
    }
    Some(verdict.to_string())
}

/// A turn begins for a judge that may have a mailbox.
pub(crate) fn begin_turn(mailbox: Option<&JudgeMailbox>, turn: &Turn) -> Result<(), Failure> {
    mailbox
        .map_or(Ok(()), |mailbox| mailbox.post_turn(turn))
        .map_err(|error| {
            let detail = format!("cannot write to the judge's mailbox: {error}");
            Failure::new(FailureKind::Died, detail)
        })
}

/// What a turn came to, or the verdict that was submitted in it: that one is whole, even where the turn ran out of time. A judge
/// that was ended for what it did is not heard.
pub(crate) fn prefer_submitted(
    mailbox: Option<&JudgeMailbox>,
    mut result: Result<AgentReply, Failure>,
) -> Result<AgentReply, Failure> {
    if let Some(mailbox) = mailbox {
        mailbox.end_turn(&mut result);
    }
    let submitted = mailbox.map_or(Ok(None), JudgeMailbox::take_verdict);
    match (result, submitted) {
        (Ok(reply), Ok(Some(raw))) => Ok(AgentReply { raw, ..reply }),
        (Ok(reply), Err(failure)) => Err(failure.with_usage(reply.usage)),
        (Err(failure), Ok(Some(raw))) if ran_out(&failure) => Ok(AgentReply {
            raw,
            usage: failure.usage.map(|usage| *usage),
        }),
        (result, _) => result,
    }
}

/// Whether a turn ended for want of time or words, and not for what the judge did.
fn ran_out(failure: &Failure) -> bool {
    use FailureKind as K;
    matches!(
        failure.kind,
        K::Timeout | K::Cancelled | K::Truncated | K::Empty
    )
}

/// What the judge's client asks of the mailbox.
#[cfg_attr(
    not(feature = "mcp"),
    expect(dead_code, reason = "only the server asks")
)]
impl JudgeMailbox {
    pub(crate) fn read_posted(&self) -> Result<PostedTurn, String> {
        let read =
            fs::read(self.folder.join(TURN_FILE)).map_err(|_| "no turn is under way".to_owned())?;
        serde_json::from_slice(&read).map_err(|error| error.to_string())
    }

    /// Keeps a verdict that fits, and says so. Quotes that are nowhere are refused once: the program would send the answer
    /// back for them after the turn, when mending it costs another one.
    ///
    /// # Errors
    /// What is wrong with it, for the model.
    pub(crate) fn submit_verdict(&self, verdict: &Value) -> Result<String, String> {
        let posted = self.read_posted()?;
        if verdict.get("findings").is_some_and(Value::is_null) {
            return Err("findings: null; an empty list says that there are none".to_owned());
        }
        let mut verdict = verdict.clone();
        if let Some(fields) = verdict.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        let answer: Answer = serde_path_to_error::deserialize(&verdict)
            .map_err(|error| format!("{}: {}", error.path(), error.inner()))?;
        if answer.schema_version != ANSWER_VERSION {
            return Err(format!("schema_version: it has to be {ANSWER_VERSION}"));
        }
        if answer.round != posted.round {
            return Err(format!("round: this turn is of round {}", posted.round));
        }
        if answer.key != posted.key {
            return Err(
                "key: not the one-time key of this turn; echo the key that the turn gives"
                    .to_owned(),
            );
        }
        let lost = quotes::lost_quotes(&answer, posted.tree.as_deref(), &self.brief_text());
        if !lost.is_empty() && !self.folder.join(REFUSED_FILE).exists() {
            self.replace_file(REFUSED_FILE, b"")
                .map_err(|error| error.to_string())?;
            return Err(lost.join("\n"));
        }
        let bytes = serde_json::to_vec(&verdict).map_err(|error| error.to_string())?;
        if bytes.len() as u64 > posted.max_bytes {
            let most = posted.max_bytes;
            return Err(format!(
                "the answer has {} bytes, {most} are allowed: shorten it",
                bytes.len()
            ));
        }
        self.replace_file(VERDICT_FILE, &bytes)
            .map_err(|error| error.to_string())?;
        Ok(match lost.is_empty() {
            true => "It is taken.".to_owned(),
            false => format!(
                "It is taken, but what quotes nothing counts for nothing:\n{}",
                lost.join("\n")
            ),
        })
    }

    /// Keeps a message for another judge; the program delivers it, within its rules.
    pub(crate) fn send_message(&self, message: &PeerMessage) -> Result<(), String> {
        use std::io::Write as _;
        let mut line = serde_json::to_vec(message).map_err(|error| error.to_string())?;
        line.push(b'\n');
        let mut options = fs::OpenOptions::new();
        let file = options
            .create(true)
            .append(true)
            .open(self.folder.join(SENT_FILE));
        file.and_then(|mut file| file.write_all(&line))
            .map_err(|error| error.to_string())
    }

    pub(crate) fn read_messages(&self) -> Result<Vec<PeerMessage>, String> {
        Ok(self.read_posted()?.messages)
    }

    /// A part of the brief: the lines from `first`, from 1, at most `most` of them, and how many there are.
    pub(crate) fn read_brief(&self, first: usize, most: usize) -> Result<(String, usize), String> {
        let text =
            fs::read_to_string(self.folder.join(BRIEF_FILE)).map_err(|error| error.to_string())?;
        let lines: Vec<&str> = text
            .lines()
            .skip(first.saturating_sub(1))
            .take(most)
            .collect();
        Ok((lines.join("\n"), text.lines().count()))
    }

    /// Whether the judge hands nothing in here.
    pub(crate) fn is_for_look_ups(&self) -> bool {
        self.read_posted().is_ok_and(|posted| posted.only_look_ups)
    }

    /// Whether the judge may look things up.
    pub(crate) fn has_desk(&self) -> bool {
        desk::is_open(&self.folder)
    }

    /// Looks something up.
    pub(crate) fn look_up(&self, tool: &str, arguments: &Value) -> Result<String, String> {
        desk::ask(&self.folder, tool, arguments)
    }

    fn brief_text(&self) -> String {
        fs::read_to_string(self.folder.join(BRIEF_FILE)).unwrap_or_default()
    }

    pub(crate) fn answer_form(&self) -> Form {
        self.read_posted()
            .map_or(Form::Review, |posted| posted.form)
    }
}

/// What other judges say in a turn.
fn peer_messages(task: &Task) -> Vec<PeerMessage> {
    match task {
        Task::Message { from, text } => vec![PeerMessage {
            to: format!("you, from {from}"),
            text: text.clone(),
        }],
        Task::Challenged { challenges } | Task::Examine { challenges, .. } => challenges
            .iter()
            .map(|challenge| PeerMessage {
                to: format!("you, from {}", challenge.from),
                text: format!(
                    "{}: {} {}",
                    challenge.id, challenge.claim, challenge.question
                ),
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::TurnId;
    use serde_json::json;

    use super::*;

    fn spec() -> JudgeSpec {
        let agent = council_protocol::seat::AgentSpec {
            name: "a".to_owned(),
            kind: council_protocol::seat::AgentKind::Backend {},
            vendor: "v".to_owned(),
            model: None,
            deterministic: false,
        };
        JudgeSpec {
            seat: council_protocol::Seat {
                judge: "judge-1".into(),
                perspective: Default::default(),
                agent,
            },
            brief: "one\n12 +two = 2\nthree\n".into(),
            room: None,
            max_answer_bytes: 1 << 20,
        }
    }

    fn mailbox() -> (tempfile::TempDir, JudgeMailbox) {
        let folder = tempfile::tempdir().unwrap();
        let mailbox = JudgeMailbox::create(folder.path(), &spec()).unwrap();
        let turn = Turn {
            id: TurnId(1),
            round: 1,
            key: "k".to_owned(),
            task: Task::Review,
            prompt: String::new(),
            timeout_ms: 1,
            spend: None,
        };
        mailbox.post_turn(&turn).unwrap();
        (folder, mailbox)
    }

    fn verdict() -> Value {
        json!({ "schema_version": 1, "round": 1, "key": "k", "verdict": "WARN", "confidence": "HIGH",
            "key_insight": "i", "explore": null })
    }

    #[test]
    fn a_verdict_that_fits_is_kept_and_one_that_does_not_goes_back_with_the_reason() {
        let (_folder, mailbox) = mailbox();
        for (field, value, reason) in [
            ("verdict", json!("SKIPPED"), "verdict: unknown variant"),
            ("round", json!(2), "round: this turn is of round 1"),
            ("key", json!("x"), "key: not the one-time key"),
            ("schema_version", json!(7), "schema_version: it has to be 1"),
            ("findings", json!(null), "findings: null"),
            (
                "key_insight",
                json!("x".repeat(3 << 20)),
                "the answer has 3145",
            ),
        ] {
            let mut odd = verdict();
            odd[field] = value;
            let error = mailbox.submit_verdict(&odd).unwrap_err();
            assert!(error.starts_with(reason), "{error}");
            assert_eq!(mailbox.take_verdict(), Ok(None));
        }
        mailbox.submit_verdict(&verdict()).unwrap();
        let message = PeerMessage {
            to: "critic".to_owned(),
            text: "why?".to_owned(),
        };
        mailbox.send_message(&message).unwrap();
        let taken: Value = serde_json::from_str(&mailbox.take_verdict().unwrap().unwrap()).unwrap();
        assert_eq!(taken["verdict"], "WARN");
        assert_eq!(taken["messages"][0]["to"], "critic");
    }

    #[test]
    fn three_megabytes_in_the_mailbox_are_oversized_and_not_read() {
        let (folder, mailbox) = mailbox();
        let mut huge = verdict();
        huge["key_insight"] = json!("x".repeat(3 << 20));
        fs::write(folder.path().join(VERDICT_FILE), huge.to_string()).unwrap();
        let reply = AgentReply {
            raw: "done".to_owned(),
            usage: Some(Default::default()),
        };
        let failure = prefer_submitted(Some(&mailbox), Ok(reply)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Oversized);
        assert!(failure.usage.is_some(), "it is paid for all the same");
    }

    #[test]
    fn a_quote_that_is_nowhere_is_refused_once_with_the_nearest_line() {
        let (folder, mailbox) = mailbox();
        let quoting = |quote: &str| {
            let mut verdict = verdict();
            verdict["findings"] = json!([{ "severity": "critical", "description": "d",
                "location": { "path": "a.py", "line": 12 }, "quote": quote }]);
            verdict
        };
        let taken = Ok("It is taken.".to_owned());
        assert_eq!(mailbox.submit_verdict(&quoting("`two = 2`")), taken);
        let error = mailbox.submit_verdict(&quoting("two = 3")).unwrap_err();
        assert!(
            error.contains("findings[0].quote: `two = 3` was not found"),
            "{error}"
        );
        assert!(error.contains("`two = 2`"), "{error}");
        let note = mailbox.submit_verdict(&quoting("two = 3")).unwrap();
        assert!(note.contains("counts for nothing"), "{note}");

        let tree = folder.path().join("tree");
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("b.py"), "import os\nos.system(name)  # run it\n").unwrap();
        let in_tree = |path: &str, quote: &str| {
            let mut quoting = quoting(quote);
            quoting.as_object_mut().unwrap().remove("explore");
            let mut answer: Answer = serde_json::from_value(quoting).unwrap();
            answer.findings[0].location.path = path.into();
            quotes::lost_quotes(&answer, Some(&tree), "")
        };
        assert!(in_tree("b.py", "os.system(name)").is_empty());
        assert!(in_tree("./b.py", "import os\nos.system(name)").is_empty());
        for (path, quote) in [
            ("b.py", "os.system(input)"),
            ("c.py", "import os"),
            ("../tree/b.py", "import os"),
        ] {
            assert_eq!(in_tree(path, quote).len(), 1, "{path}: {quote}");
        }
    }

    #[test]
    fn the_brief_is_read_in_parts() {
        let (_folder, mailbox) = mailbox();
        assert_eq!(mailbox.read_brief(2, 1), Ok(("12 +two = 2".to_owned(), 3)));
        assert_eq!(
            mailbox.read_brief(0, 10),
            Ok(("one\n12 +two = 2\nthree".to_owned(), 3))
        );
    }

    #[test]
    fn a_judge_for_whom_no_socket_can_be_made_does_without_and_says_so() {
        struct Nothing;
        impl crate::tools::CodeTools for Nothing {
            fn run_query(
                &self,
                _: &crate::tools::ToolQuery,
                _: &crate::tools::QueryBounds,
            ) -> crate::tools::QueryResult {
                unreachable!("nobody can ask")
            }
        }
        let folder = tempfile::tempdir().unwrap();
        // The path of a socket has some 100 bytes.
        let deep = folder.path().join("d".repeat(120));
        let mut mailbox = JudgeMailbox::create(&deep, &spec()).unwrap();
        mailbox.open_desk(ToolSetup {
            runner: Arc::new(Nothing),
            max_calls: 3,
        });
        let mut never_sent = Err(Failure::new(FailureKind::Died, "x"));
        mailbox.end_turn(&mut never_sent);
        assert_eq!(never_sent.unwrap_err().usage, None);
        let mut answered = Ok(AgentReply {
            raw: "x".to_owned(),
            usage: None,
        });
        mailbox.end_turn(&mut answered);
        let why = answered.unwrap().usage.unwrap().without_tools.unwrap();
        assert!(why.contains("no socket can be made"), "{why}");
    }
}
