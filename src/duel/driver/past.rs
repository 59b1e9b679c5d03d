//! What a side has heard and written, line by line: kept before it is acted upon, so that another process goes on where this
//! one was ended, and nobody is paid twice.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use council_agents::AgentReply;
use council_protocol::worker::WorkerReply;
use council_protocol::{Failure, Millis, Task};
use serde::{Deserialize, Serialize};

use super::agent::is_mendable;
use super::file::DuelFile;
use crate::council::plan::RunSeed;
use crate::packet::sha256;

/// How much of a seed is the key of a side.
pub(crate) const KEY_DIGITS: usize = 24;

/// One line of what a side keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum SideLine {
    /// The side began with these random bytes: its key and its marks are made of them.
    Began { seed: RunSeed },
    /// A reply of its agent.
    Heard(Box<HeardReply>),
    /// From this byte on, the file reads like this.
    File(FilePart),
    /// What it told the process that started it: calls, and replies that do not count.
    Told { line: String },
}

/// A reply, and what it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct HeardReply {
    /// The heading of the section that it was asked for.
    section: String,
    /// The digest of the question.
    task: String,
    reply: WorkerReply,
}

/// A part of the file: read, or about to be appended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FilePart {
    at: usize,
    text: String,
    own: bool,
}

/// Where lines are kept. An error: it is not on the disk, and must not be acted upon.
pub(crate) trait SideKeeper {
    fn keep(&self, line: &SideLine) -> io::Result<()>;
}

/// What an earlier process of the same side has kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SidePast {
    pub(crate) seed: Option<RunSeed>,
    replies: VecDeque<HeardReply>,
    parts: Vec<FilePart>,
    /// What it told, in order.
    pub(crate) told: Vec<String>,
}

/// The file as a side knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KnownFile {
    pub(crate) bytes: Vec<u8>,
    /// What this side wrote.
    pub(crate) own: Vec<Range<usize>>,
}

impl SidePast {
    /// What these lines say; those of another version say nothing.
    pub(crate) fn of_lines<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut past = Self::default();
        for line in lines {
            match serde_json::from_slice(line) {
                Ok(SideLine::Began { seed }) => past.seed = Some(seed),
                Ok(SideLine::Heard(reply)) => past.replies.push_back(*reply),
                Ok(SideLine::File(part)) => past.parts.push(part),
                Ok(SideLine::Told { line }) => past.told.push(line),
                Err(_) => {}
            }
        }
        past
    }

    /// The file as it was left. What was about to be written last may not have come so far: `actual` says it.
    pub(crate) fn known_file(&self, actual: Option<&[u8]>) -> KnownFile {
        let whole = known_after(&self.parts);
        let is_there = actual.is_none_or(|actual| actual.starts_with(&whole.bytes));
        match self.parts.split_last() {
            Some((last, before)) if last.own && !is_there => known_after(before),
            _ => whole,
        }
    }

    /// The file as it was before somebody took away what this side had written: a link, a folder or another text stood in
    /// its place then.
    pub(crate) fn kept_file(&self) -> KnownFile {
        known_after(&self.parts[..self.first_loss().unwrap_or(self.parts.len())])
    }

    /// Whether somebody took away what this side had written.
    pub(crate) fn has_lost(&self) -> bool {
        self.first_loss().is_some()
    }

    /// The first part that others wrote over this side's own words. Where only the last words are missing they came too
    /// late to be appended; the first ones of all are never late.
    fn first_loss(&self) -> Option<usize> {
        (0..self.parts.len()).find(|&nth| {
            let (part, before) = (&self.parts[nth], known_after(&self.parts[..nth]));
            let is_cut =
                |own: &Range<usize>| part.at < own.end && (own.start < part.at || part.at == 0);
            !part.own && before.own.iter().any(is_cut)
        })
    }

    /// The key that its agent's answers echo; none: it never began.
    pub(crate) fn key(&self) -> Option<&str> {
        self.seed.as_ref().map(|seed| &seed.0[..KEY_DIGITS])
    }

    /// What its agent has said for the sections with such headings.
    pub(crate) fn said_for(&self, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
        let meant = self
            .replies
            .iter()
            .filter(move |heard| is_meant(&heard.section));
        meant.filter_map(HeardReply::raw)
    }

    /// What its agent has said, in order: an agent that sits anew does not know it.
    pub(crate) fn said(&self) -> Vec<Arc<str>> {
        let said = self.replies.iter().filter_map(HeardReply::raw);
        said.map(Into::into).collect()
    }

    /// The reply to exactly this question, once; what was answered before it is over.
    pub(super) fn recall(
        &mut self,
        section: &str,
        task: &Task,
    ) -> Option<Result<AgentReply, Failure>> {
        // The review was asked for with the side's first section, whichever is written now.
        if *task != Task::Review && !matches!(task, Task::Mend { .. }) {
            self.replies.retain(|heard| heard.section == section);
        }
        let task = digest_of(task);
        let is_asked = |heard: &HeardReply| heard.task == task;
        let at = self.replies.iter().position(is_asked);
        let next = self
            .replies
            .drain(..at.map_or(self.replies.len(), |at| at + 1))
            .next_back();
        Some(match next.filter(is_asked)?.reply {
            WorkerReply::Answered { raw, usage } => Ok(AgentReply { raw, usage }),
            WorkerReply::Failed { failure } => Err(failure),
        })
    }
}

impl HeardReply {
    /// A reply that is worth keeping; none: the agent was lost, and is asked again by whoever goes on.
    pub(super) fn of(
        section: &str,
        task: &Task,
        reply: &Result<AgentReply, Failure>,
    ) -> Option<Self> {
        let reply = match reply {
            Ok(AgentReply { raw, usage }) => WorkerReply::Answered {
                raw: raw.clone(),
                usage: usage.clone(),
            },
            Err(failure) if is_mendable(failure) => WorkerReply::Failed {
                failure: failure.clone(),
            },
            Err(_) => return None,
        };
        Some(Self {
            section: section.to_owned(),
            task: digest_of(task),
            reply,
        })
    }

    fn raw(&self) -> Option<&str> {
        match &self.reply {
            WorkerReply::Answered { raw, .. } => Some(raw),
            WorkerReply::Failed { .. } => None,
        }
    }

    pub(crate) fn reply_mut(&mut self) -> &mut WorkerReply {
        &mut self.reply
    }
}

fn digest_of(task: &Task) -> String {
    // Plain data: this cannot fail.
    sha256(&serde_json::to_vec(task).unwrap_or_default())
}

fn known_after(parts: &[FilePart]) -> KnownFile {
    let mut known = KnownFile::default();
    for part in parts {
        known.bytes.truncate(part.at);
        known.own.retain(|range| range.end <= part.at);
        known.bytes.extend_from_slice(part.text.as_bytes());
        if part.own {
            known.own.push(part.at..known.bytes.len());
        }
    }
    known
}

/// A file of which each change is kept: what others wrote once it is read, what we write before it is.
pub(crate) struct KeptFile<'a, F> {
    file: F,
    keeper: Option<&'a dyn SideKeeper>,
    known: Vec<u8>,
}

impl<'a, F: DuelFile> KeptFile<'a, F> {
    /// Keeps what becomes of `file`, of which so much was kept before.
    pub(crate) fn new(file: F, keeper: Option<&'a dyn SideKeeper>, known: Vec<u8>) -> Self {
        Self {
            file,
            keeper,
            known,
        }
    }

    fn keep_part(&mut self, at: usize, bytes: &[u8], own: bool) -> io::Result<()> {
        let Some(keeper) = self.keeper else {
            return Ok(());
        };
        let text = String::from_utf8_lossy(bytes).into_owned();
        keeper.keep(&SideLine::File(FilePart { at, text, own }))
    }
}

impl<F: DuelFile> DuelFile for KeptFile<'_, F> {
    fn now(&self) -> Millis {
        self.file.now()
    }

    fn signature_time(&self) -> String {
        self.file.signature_time()
    }

    fn pause(&mut self, ms: Millis) {
        self.file.pause(ms);
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.file.read()
    }

    fn keep_read(&mut self, bytes: &[u8]) -> io::Result<()> {
        if *bytes == *self.known {
            return Ok(());
        }
        let pairs = self.known.iter().zip(bytes);
        let same = pairs.take_while(|(a, b)| a == b).count();
        // A text is cut between its letters only.
        let is_start = |at: &usize| bytes.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
        let at = (0..=same).rev().find(is_start).unwrap_or(0);
        self.keep_part(at, &bytes[at..], false)?;
        self.known = bytes.to_vec();
        Ok(())
    }

    fn append_if_unchanged(&mut self, expected: Option<&[u8]>, addition: &str) -> io::Result<bool> {
        let before = expected.unwrap_or_default();
        self.keep_part(before.len(), addition.as_bytes(), true)?;
        let appended = self.file.append_if_unchanged(expected, addition)?;
        if appended {
            self.known = [before, addition.as_bytes()].concat();
        }
        Ok(appended)
    }
}
