//! The mailbox: a folder through which a judge with MCP submits its verdict and exchanges messages with the others.
//!
//! The program puts `turn.json` and `brief.md` into it; `git council mcp`, started by the judge's client, leaves `verdict.json`
//! once a verdict fits, and a line in `sent.jsonl` for every message. What lies there when the turn ends is the answer: the file
//! is the truth, the words of the model are not searched then.

mod client_side;
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
use council_protocol::{Failure, FailureKind, JudgeSpec, RoundNumber, Task, Turn};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::desk::LookUpDesk;
use crate::private;
use crate::process::oversized_failure;
use crate::schema;
use crate::tools::ToolSetup;
use crate::{AgentReply, StopSignal};

const TURN_FILE: &str = "turn.json";
const BRIEF_FILE: &str = "brief.md";
const VERDICT_FILE: &str = "verdict.json";
const SENT_FILE: &str = "sent.jsonl";
/// It lies there once a verdict of the turn was refused for its quotes.
const REFUSED_FILE: &str = "refused";
/// It lies there once a verdict of the turn was too large.
const OVERSIZED_FILE: &str = "oversized";

/// Verdicts of the turn that were refused or replaced, one a line: none of them counts, and what they object to is told.
const DRAFTS_FILE: &str = "drafts.jsonl";

/// What is of one turn alone.
const TURN_FILES: [&str; 5] = [
    VERDICT_FILE,
    SENT_FILE,
    REFUSED_FILE,
    OVERSIZED_FILE,
    DRAFTS_FILE,
];

/// The most bytes of drafts for each byte that an answer may have.
const MAX_DRAFTS: u64 = 8;

/// What was looked up since the judge sat down, as it was handed back: it may be quoted.
const SHOWN_FILE: &str = "shown.txt";

/// What a verdict has to echo, and what the judge has been sent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PostedTurn {
    round: RoundNumber,
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
    /// Whether a later turn may ask for tests.
    proves: bool,
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
        private::make_folder(folder)?;
        private::write_file(&folder.join(BRIEF_FILE), spec.brief.as_bytes())?;
        Ok(Self {
            folder: folder.to_path_buf(),
            max_bytes: Some(spec.max_answer_bytes),
            proves: spec.proves,
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
            proves: false,
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
        for left in TURN_FILES {
            match fs::remove_file(self.folder.join(left)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        let posted = PostedTurn {
            round: turn.round,
            key: turn.key.clone(),
            form: schema::held_form(turn.task.form(), self.proves),
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

    /// Says of the last look-ups of the turn which ones were asked for in one breath with the vote.
    pub(crate) fn mark_blind(&self, blind: Vec<bool>) {
        if let Some(desk) = &self.desk {
            desk.mark_blind(blind);
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

    /// Whether a reply in words has the key of the turn, and was meant as an answer.
    fn is_answer(&self, reply: &AgentReply) -> bool {
        let key = self.read_posted().map(|posted| posted.key);
        key.is_ok_and(|key| !key.is_empty() && reply.raw.contains(&key))
    }

    /// What a turn failed for in which all that was submitted was too large, and nothing else was said.
    fn why_no_answer(&self, reply: &AgentReply) -> Option<Failure> {
        let is_oversized = self.folder.join(OVERSIZED_FILE).exists() && !self.is_answer(reply);
        is_oversized.then(|| oversized_failure(self.max_bytes.unwrap_or(u64::MAX)))
    }

    /// What was submitted in this turn and does not count.
    fn read_drafts(&self) -> Vec<String> {
        let path = self.folder.join(DRAFTS_FILE);
        let most = self
            .max_bytes
            .unwrap_or(u64::MAX)
            .saturating_mul(MAX_DRAFTS);
        let is_bounded = fs::metadata(&path).is_ok_and(|file| file.len() <= most);
        let text = is_bounded.then(|| fs::read_to_string(path).ok()).flatten();
        text.unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// All that was handed in in this turn, whatever becomes of it.
    pub(crate) fn read_handed_in(&self) -> Vec<String> {
        let mut all = self.read_drafts();
        all.extend(self.read_bounded(VERDICT_FILE).ok().flatten());
        all
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
        private::write_file(&beside, bytes)?;
        fs::rename(beside, self.folder.join(name))
    }
}

/// A verdict with the messages, one a line, that were sent beside it.
fn with_messages(verdict: &str, sent: &str) -> Option<String> {
    let mut verdict: Value = serde_json::from_slice(verdict.as_bytes()).ok()?;
    let sent = sent
        .lines()
        .filter_map(|line| serde_json::from_slice::<Value>(line.as_bytes()).ok());
    let fields = verdict.as_object_mut()?;
    let messages = fields
        .entry("messages")
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Some(messages) = messages.as_array_mut() {
        messages.extend(sent);
    }
    Some(verdict.to_string())
}

/// The answer of a judge that was to look things up and cannot: its usage says why.
pub(crate) fn tell_lack(
    result: Result<AgentReply, Failure>,
    why: Option<&str>,
) -> Result<AgentReply, Failure> {
    let Some(why) = why else {
        return result;
    };
    result.map(|reply| AgentReply {
        usage: Some(Usage {
            without_tools: Some(why.to_owned()),
            ..reply.usage.unwrap_or_default()
        }),
        ..reply
    })
}

/// A turn begins for a judge that may have a mailbox.
pub(crate) fn begin_turn(
    mailbox: Option<&JudgeMailbox>,
    turn: &Turn,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let Some(mailbox) = mailbox else {
        return Ok(());
    };
    mailbox.post_turn(turn).map_err(|error| {
        let detail = format!("cannot write to the judge's mailbox: {error}");
        Failure::new(FailureKind::Died, detail)
    })?;
    if let Some(desk) = &mailbox.desk {
        desk.listen(stop.draft(), &turn.key);
    }
    // A turn that is ended from outside does not come back here.
    let watched = mailbox.clone();
    stop.draft().add_handed_in(move || watched.read_handed_in());
    Ok(())
}

/// What a turn came to, or the verdict that was submitted in it: that one is whole, however the turn ended afterwards
/// (its time was over, its process died, its provider failed). The verdict of a judge that was ended for what it did
/// does not count.
pub(crate) fn prefer_submitted(
    mailbox: Option<&JudgeMailbox>,
    mut result: Result<AgentReply, Failure>,
) -> Result<AgentReply, Failure> {
    if let Some(mailbox) = mailbox {
        mailbox.end_turn(&mut result);
    }
    let submitted = mailbox.map_or(Ok(None), JudgeMailbox::take_verdict);
    let drafts = mailbox.map(JudgeMailbox::read_drafts).unwrap_or_default();
    tell_drafts(&mut result, drafts);
    match (result, submitted) {
        (Ok(mut reply), Ok(Some(raw))) => {
            // An answer in words beside the one that was submitted: only that one counts.
            if mailbox.is_some_and(|mailbox| mailbox.is_answer(&reply)) {
                let said = std::mem::take(&mut reply.raw);
                reply.usage.get_or_insert_default().unread.push(said);
            }
            Ok(AgentReply { raw, ..reply })
        }
        (Ok(reply), Err(failure)) => Err(failure.with_usage(reply.usage)),
        (Ok(reply), Ok(None)) => match mailbox.and_then(|mailbox| mailbox.why_no_answer(&reply)) {
            Some(failure) => Err(failure.with_usage(reply.usage)),
            None => Ok(reply),
        },
        (Err(failure), Ok(Some(raw))) if !broke_rules(&failure) => Ok(AgentReply {
            raw,
            usage: failure.usage.map(|usage| *usage),
        }),
        (result, _) => result,
    }
}

/// Adds answers that do not count to what the turn has cost: the program reads them for objections.
pub(crate) fn tell_drafts(result: &mut Result<AgentReply, Failure>, drafts: Vec<String>) {
    let drafts = drafts.into_iter().filter(|draft| !draft.trim().is_empty());
    let drafts: Vec<String> = drafts.collect();
    if drafts.is_empty() {
        return;
    }
    match result {
        Ok(reply) => reply.usage.get_or_insert_default().unread.extend(drafts),
        Err(failure) => {
            let mut usage = failure.usage.take().unwrap_or_default();
            usage.unread.extend(drafts);
            failure.usage = Some(usage);
        }
    }
}

/// Whether a turn was ended for what the judge did, or for what it was shown.
fn broke_rules(failure: &Failure) -> bool {
    use FailureKind as K;
    matches!(
        failure.kind,
        K::Violation | K::Unsupported | K::ContextCut | K::Refused
    )
}

impl JudgeMailbox {
    pub(crate) fn read_posted(&self) -> Result<PostedTurn, String> {
        let read =
            fs::read(self.folder.join(TURN_FILE)).map_err(|_| "no turn is under way".to_owned())?;
        serde_json::from_slice(&read).map_err(|error| error.to_string())
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
mod tests;
