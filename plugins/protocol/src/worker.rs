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

/// The [`Reply`] to a turn.
pub fn reply_file(run: &Path, judge: &JudgeId, turn: TurnId) -> PathBuf {
    judge_folder(run, judge).join(format!("turn-{}.reply.json", turn.0))
}
