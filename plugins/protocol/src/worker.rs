//! The files by which a worker process is joined: `workers/<judge>/` in the run's folder (docs/run-folder.md).
//!
//! A worker reads `seat.json` and `turn-<id>.json`, and leaves `turn-<id>.reply.json`. The file is the truth; the end of
//! the process only wakes whoever waits.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::JudgeId;
use crate::message::{Failure, TurnId, Usage};

/// What a worker leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum WorkerReply {
    /// The judge's reply, as it came.
    Answered {
        /// The raw text.
        raw: String,
        /// What it cost, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// There is none.
    Failed {
        /// Why there is no answer.
        failure: Failure,
    },
}

/// A reply as it lies on the disk: with what it answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplyFile {
    /// What the judge said, or why it said nothing.
    #[serde(flatten)]
    pub reply: WorkerReply,
    /// What it answers; none: whoever wrote it does not say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<ReplySubject>,
}

/// What a reply answers. Where answers come from other machines, files of several runs may be mixed up, and an answer about
/// another change must not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplySubject {
    /// The packet: SHA-256 of the `files.json` of its folder, 64 hex digits.
    pub packet: String,
    /// The question: SHA-256 of `seat.json` and of `turn-<id>.json`, one after the other, 64 hex digits.
    pub question: String,
}

/// The folder of one judge's files.
pub fn judge_folder(run: &Path, judge: &JudgeId) -> PathBuf {
    run.join("workers").join(judge.as_str())
}

/// The judge's [`crate::JudgeSpec`].
pub fn seat_file(run: &Path, judge: &JudgeId) -> PathBuf {
    judge_folder(run, judge).join("seat.json")
}

/// The file of a turn that a worker is to answer, a [`crate::Turn`].
pub fn turn_file(run: &Path, judge: &JudgeId, turn: TurnId) -> PathBuf {
    judge_folder(run, judge).join(format!("turn-{}.json", turn.0))
}

/// The [`ReplyFile`] of a turn.
pub fn reply_file(run: &Path, judge: &JudgeId, turn: TurnId) -> PathBuf {
    judge_folder(run, judge).join(format!("turn-{}.reply.json", turn.0))
}
