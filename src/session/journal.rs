//! The journal: every input of a council, one JSON object a line, written before the engine sees it.
//!
//! A run is its journal and its plan. The first line is the [`Header`]; each other line is a [`Line`]. Every line ends with a
//! `sum` over itself and the line before, so that a disk that forgets is told from a judge that changed its mind. What the
//! program did not finish (it was killed, or the power went) is no line: whoever reads leaves it out.

mod sum;
mod write;

use council_protocol::Millis;
use council_protocol::packet::Target;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::council::Input;

pub(super) use write::JournalWriter;

/// Version that every journal carries in its header. Version 1 had no sums, and is still read.
pub const JOURNAL_VERSION: u32 = 2;

/// The journal's name in the run's folder.
pub const JOURNAL_FILE: &str = "journal.jsonl";

/// The first line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalHeader {
    /// [`JOURNAL_VERSION`], or an earlier one.
    pub journal: u32,
    /// The run's name.
    pub run: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// What is under review; `packet.json`, which judges read, does not name it.
    pub target: Target,
    /// The backend that runs the judges.
    pub backend: String,
    /// SHA-256 of `packet.json`, hex; journals of before 2026-11-22 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet: Option<String>,
    /// What the run may cost at most, in dollars; none: there is no cap, or an older version wrote this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_usd: Option<f64>,
    /// The plan that the council was convened with.
    pub plan: PlanRef,
}

/// A plan's file in the run's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRef {
    pub file: String,
    /// SHA-256 of its bytes, hex.
    pub sha256: String,
}

impl PlanRef {
    /// A reference to these bytes in this file.
    pub(super) fn for_bytes(file: &str, bytes: &[u8]) -> Self {
        let digest = Sha256::digest(bytes);
        Self {
            file: file.to_owned(),
            sha256: hex::encode(digest),
        }
    }
}

/// A line after the header.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum JournalLine {
    /// The backend could not seat anybody: another one begins anew, with a plan of its own.
    GaveWay {
        /// Milliseconds since the run began.
        at: Millis,
        /// The other backend.
        gave_way_to: String,
        /// The other plan.
        plan: PlanRef,
    },
    /// Another process goes on with the run.
    Resumed {
        /// How old the council is.
        at: Millis,
        /// When, RFC 3339.
        resumed: String,
        /// How many of the entries so far still hold; the later ones are forgotten.
        kept: usize,
        /// What it may cost from here on, in dollars, with what it has cost before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_usd: Option<f64>,
        /// The plan from here on, where it is given more time; none: the one that it had.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<PlanRef>,
    },
    Input(JournalEntry),
}

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Milliseconds since the council was convened.
    pub at: Millis,
    #[serde(flatten)]
    pub input: Input,
}

/// A journal that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct RunJournal {
    /// The first line.
    pub header: JournalHeader,
    /// The backend that ran the judges in the end.
    pub backend: String,
    /// The plan that holds: the header's, or that of the last backend that took over.
    pub plan: PlanRef,
    /// What the run may cost at most, in dollars: the header's, or what the last process was told.
    pub max_usd: Option<f64>,
    /// What happened since that plan holds.
    pub entries: Vec<JournalEntry>,
    /// The entries as they were before the last process forgot some of them; empty when it did not.
    pub forgotten: Vec<JournalEntry>,
    /// The bytes up to the end of the last whole line; what follows is torn.
    pub whole_bytes: usize,
    /// The sum of the last whole line; empty in version 1.
    pub(super) sum: String,
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is not even a header.
    #[error("the journal is empty: the run never began")]
    Empty,
    /// Written by another version of this program.
    #[error("the journal has version {0}, this program reads versions 1 to {JOURNAL_VERSION}")]
    Version(u32),
    /// A line was changed after it was written, and lines that follow it were not.
    #[error("line {0} of the journal is damaged: its sum does not fit")]
    Damaged(usize),
    /// A whole line that is none of ours.
    #[error("line {line} of the journal cannot be read: {cause}")]
    Corrupt {
        /// Its number, from 1.
        line: usize,
        cause: serde_json::Error,
    },
}

impl RunJournal {
    /// Reads a journal; a torn last line is left out.
    pub fn parse(bytes: &[u8]) -> Result<Self, JournalError> {
        let whole = sum::intact_lines(bytes)?;
        let mut lines = whole.lines.iter();
        let header = JournalHeader::parse(lines.next().ok_or(JournalError::Empty)?)?;
        if header.journal > 1 && whole.sum.is_empty() {
            return Err(JournalError::Damaged(1));
        }
        let mut journal = Self {
            backend: header.backend.clone(),
            plan: header.plan.clone(),
            max_usd: header.max_usd,
            header,
            entries: Vec::new(),
            forgotten: Vec::new(),
            whole_bytes: whole.bytes,
            sum: whole.sum,
        };
        for (number, line) in (2..).zip(lines) {
            let corrupt = |cause| JournalError::Corrupt {
                line: number,
                cause,
            };
            match serde_json::from_slice(line).map_err(corrupt)? {
                JournalLine::Input(entry) => journal.entries.push(entry),
                JournalLine::Resumed {
                    kept,
                    max_usd,
                    plan,
                    ..
                } => {
                    journal.max_usd = max_usd;
                    journal.plan = plan.unwrap_or(journal.plan);
                    journal.truncate_entries(kept);
                }
                JournalLine::GaveWay {
                    gave_way_to, plan, ..
                } => {
                    (journal.backend, journal.plan) = (gave_way_to, plan);
                    journal.entries.clear();
                }
            }
        }
        Ok(journal)
    }

    /// Whether each whole line of a journal bears a seal that `verify` takes: given are the bytes that it covers, and the
    /// seal. Anybody can work out the sums of lines again that he has changed, but not these.
    pub fn is_sealed(bytes: &[u8], verify: impl Fn(&[u8], &str) -> bool) -> bool {
        sum::intact_lines(bytes).is_ok_and(|whole| sum::are_sealed(&whole, &verify))
    }

    /// The whole lines of a log of that format; none where it is damaged.
    pub(super) fn whole_lines(bytes: &[u8]) -> Vec<&[u8]> {
        sum::intact_lines(bytes).map_or_else(|_| Vec::new(), |whole| whole.lines)
    }

    /// Lets go of every entry but the first so many.
    pub fn truncate_entries(&mut self, kept: usize) {
        if kept < self.entries.len() {
            self.forgotten = self.entries.clone();
            self.entries.truncate(kept);
        }
    }
}

impl JournalHeader {
    fn parse(line: &[u8]) -> Result<Self, JournalError> {
        #[derive(Deserialize)]
        struct JournalVersion {
            journal: u32,
        }
        let corrupt = |cause| JournalError::Corrupt { line: 1, cause };
        let JournalVersion { journal } = serde_json::from_slice(line).map_err(corrupt)?;
        if !(1..=JOURNAL_VERSION).contains(&journal) {
            return Err(JournalError::Version(journal));
        }
        serde_json::from_slice(line).map_err(corrupt)
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
