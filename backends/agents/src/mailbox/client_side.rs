//! What the judge's client does with the mailbox: it submits a verdict, reads and sends messages, and looks things up.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use council_protocol::answer::PeerMessage;
use council_protocol::task::Form;
use council_protocol::{ANSWER_VERSION, Answer};
use serde_json::Value;

use super::{
    BRIEF_FILE, DRAFTS_FILE, JudgeMailbox, MAX_DRAFTS, OVERSIZED_FILE, PostedTurn, REFUSED_FILE,
    SENT_FILE, SHOWN_FILE, VERDICT_FILE, desk, quotes,
};

/// The most bytes of look-ups that are kept: those of a dozen turns.
const MAX_SHOWN_BYTES: u64 = 2 << 20;

/// What is said of every verdict that is kept.
const HANDED_IN: &str = "It is handed in";

/// What is said of one in which nothing is wrong that can be known here. The quotes were looked for in what the judge
/// was shown; the program looks in the reviewed files, and knows the other judges' ids and what a vote may say.
pub(super) const TAKEN: &str = "It is handed in: its form, round and key fit, and its quotes were found. What else it says \
(ids of findings, conditions of a vote, a ballot) is checked when the turn ends.";

/// What the judge's client asks of the mailbox.
#[cfg_attr(
    not(feature = "mcp"),
    expect(dead_code, reason = "only the server asks")
)]
impl JudgeMailbox {
    /// Keeps a verdict that fits, and says so. Quotes that are nowhere are refused once: the program would send the answer
    /// back for them after the turn, when mending it costs another one. What was refused, or is replaced, stays known.
    ///
    /// # Errors
    /// What is wrong with it, for the model.
    pub(crate) fn submit_verdict(&self, verdict: &Value) -> Result<String, String> {
        let replaced = fs::read_to_string(self.folder.join(VERDICT_FILE)).ok();
        let taken = self.take_submission(verdict);
        let draft = match &taken {
            Ok(_) => replaced,
            Err(_) => Some(verdict.to_string()),
        };
        if let Some(draft) = draft {
            self.keep_draft(&draft).map_err(|error| error.to_string())?;
        }
        taken
    }

    /// Keeps a verdict that does not count. Where there is no room for all of it, its long texts are cut: what it objects to
    /// may stand behind them. One without the key of the turn is told as such.
    fn keep_draft(&self, draft: &str) -> io::Result<()> {
        let Ok(posted) = self.read_posted() else {
            return Ok(());
        };
        let path = self.folder.join(DRAFTS_FILE);
        let kept = fs::metadata(&path).map_or(0, |file| file.len());
        let most = posted.max_bytes.saturating_mul(MAX_DRAFTS);
        let room = most.saturating_sub(kept).saturating_sub(1);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let short = match serde_json::from_slice(draft.as_bytes()) {
            Ok(mut value) if draft.len() > room => {
                clip_texts(&mut value);
                Some(value.to_string())
            }
            _ => None,
        };
        let draft = short.as_deref().unwrap_or(draft);
        match &draft[..draft.floor_char_boundary(room)] {
            "" => Ok(()),
            draft => append_line(&path, draft),
        }
    }

    fn take_submission(&self, verdict: &Value) -> Result<String, String> {
        let posted = self.read_posted()?;
        self.check_size(verdict, &posted)?;
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
        let lost = quotes::lost_quotes(&answer, posted.tree.as_deref(), &self.shown_text());
        if !lost.is_empty() && !self.folder.join(REFUSED_FILE).exists() {
            self.replace_file(REFUSED_FILE, b"")
                .map_err(|error| error.to_string())?;
            return Err(lost.join("\n"));
        }
        let bytes = serde_json::to_vec(&verdict).map_err(|error| error.to_string())?;
        self.replace_file(VERDICT_FILE, &bytes)
            .map_err(|error| error.to_string())?;
        Ok(if lost.is_empty() {
            TAKEN.to_owned()
        } else {
            format!(
                "{HANDED_IN}, but what quotes nothing counts for nothing:\n{}",
                lost.join("\n")
            )
        })
    }

    /// Refuses a verdict that is too large. A turn that ends without another one has failed for that.
    fn check_size(&self, verdict: &Value, posted: &PostedTurn) -> Result<(), String> {
        let (bytes, most) = (verdict.to_string().len(), posted.max_bytes);
        if bytes as u64 <= most {
            return Ok(());
        }
        self.replace_file(OVERSIZED_FILE, b"")
            .map_err(|error| error.to_string())?;
        Err(format!(
            "the answer has {bytes} bytes, {most} are allowed: shorten it"
        ))
    }

    /// Keeps a message for another judge; the program delivers it, within its rules.
    pub(crate) fn send_message(&self, message: &PeerMessage) -> Result<(), String> {
        let line = serde_json::to_string(message).map_err(|error| error.to_string())?;
        append_line(&self.folder.join(SENT_FILE), &line).map_err(|error| error.to_string())
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
        let found = desk::ask(&self.folder, tool, arguments)?;
        // Where it cannot be kept, a quote of it is asked about once, and taken.
        let _ = self.keep_shown(&found);
        Ok(found)
    }

    fn keep_shown(&self, found: &str) -> io::Result<()> {
        let path = self.folder.join(SHOWN_FILE);
        let kept = fs::metadata(&path).map_or(0, |file| file.len());
        if kept.saturating_add(found.len() as u64) >= MAX_SHOWN_BYTES {
            return Ok(());
        }
        append_line(&path, found)
    }

    /// The brief, and what was looked up beside it.
    fn shown_text(&self) -> String {
        let read = |name: &str| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        format!("{}\n{}", read(BRIEF_FILE), read(SHOWN_FILE))
    }

    pub(crate) fn answer_form(&self) -> Form {
        self.read_posted()
            .map_or(Form::Review, |posted| posted.form)
    }
}

fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut file = options.append(true).create(true).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

/// The most bytes of a text of a draft for which there is no room.
const MAX_DRAFT_TEXT: usize = 1 << 10;

/// Cuts every long text of a draft.
fn clip_texts(value: &mut Value) {
    match value {
        Value::String(text) => text.truncate(text.floor_char_boundary(MAX_DRAFT_TEXT)),
        Value::Array(items) => items.iter_mut().for_each(clip_texts),
        Value::Object(fields) => fields.values_mut().for_each(clip_texts),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
