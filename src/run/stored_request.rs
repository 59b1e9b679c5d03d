//! What was asked for, kept beside the run's journal so that another process can resume it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::KeyValue;
use crate::memory::MacPurpose;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::request::ReviewRequest;
use crate::run::store::StoredRun;
use crate::run::turn_steps::are_own_steps;
use crate::safe_file;
use crate::session::RunRef;
use crate::session::journal::{JOURNAL_FILE, RunJournal};

/// Its name in the run's folder.
pub(super) const FILE: &str = "request.json";

/// Version that every stored request carries.
const VERSION: u32 = 2;

/// What was asked for, and where.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredRequest {
    version: u32,
    dir: PathBuf,
    config: Vec<KeyValue>,
    review: ReviewRequest,
    /// The user's signature over everything else and the run's name: a request that somebody put here is not carried out.
    #[serde(default)]
    signature: String,
}

impl StoredRequest {
    /// Stores what a run was asked for. Without the user's key nobody could tell whose it is, and nothing is stored; such a
    /// run cannot be resumed.
    pub(crate) fn save_request(review: &ReviewRequest, start: &RunContext, run: &RunRef) {
        let (Some(path), Some(key)) = (run.file_path(FILE), start.signing_key()) else {
            return;
        };
        let mut stored = Self {
            version: VERSION,
            dir: start.dir.clone(),
            config: start.config.clone(),
            review: review.clone(),
            signature: String::new(),
        };
        let Some(text) = stored.signed_bytes(&run.name) else {
            return;
        };
        stored.signature = key.mac_hex(MacPurpose::Request, &text);
        let bytes = serde_json::to_vec(&stored).unwrap_or_default();
        // Without it the run is held all the same.
        let _ = safe_file::write_file(&path, bytes);
    }

    /// What the signature covers; none: a path in it is no text, which JSON cannot hold.
    fn signed_bytes(&self, run: &str) -> Option<Vec<u8>> {
        serde_json::to_vec(&(run, self.version, &self.dir, &self.config, &self.review)).ok()
    }

    /// What a run was asked for, if this user asked for it.
    pub(crate) fn load_request(past: &StoredRun, start: &RunContext) -> Result<Self, RunError> {
        let refuse = |why: String| {
            RunError::usage(format!("{} cannot be resumed: {why}", past.name)).hint(AGAIN)
        };
        let path = past.folder.join(FILE);
        let bytes = safe_file::read(&path)
            .map_err(|error| refuse(format!("its request is missing ({error})")))?;
        let stored: Self = serde_json::from_slice(&bytes)
            .map_err(|error| refuse(format!("{FILE} cannot be read: {error}")))?;
        match stored.version {
            VERSION if stored.is_own(past, start) && has_own_journal(past, start) => {
                if has_own_steps(past, start) {
                    return Ok(stored);
                }
                Err(refuse(
                    "its steps.json does not bear your key's seal: somebody or another version of git-council wrote in it".into(),
                ))
            }
            VERSION if stored.is_own(past, start) => Err(refuse(
                "its journal does not bear your key's seal: somebody or another version of git-council wrote in it".into(),
            )),
            VERSION => Err(refuse(
                "you did not start it: its request is not signed with your key".into(),
            )),
            other => Err(refuse(format!("{FILE} has version {other}"))),
        }
    }

    fn is_own(&self, past: &StoredRun, start: &RunContext) -> bool {
        let (Some(key), Some(text)) = (start.signing_key(), self.signed_bytes(&past.name)) else {
            return false;
        };
        key.verify_mac(MacPurpose::Request, &text, &self.signature)
    }

    /// The request, and a context at the place where it was made.
    pub(crate) fn restore(
        self,
        start: &RunContext,
    ) -> Result<(ReviewRequest, RunContext), RunError> {
        if self.review.target.is_standard_input() {
            let gone = "what it reviewed came over standard input and is gone";
            return Err(RunError::usage(gone).hint(AGAIN));
        }
        if !self.dir.is_dir() {
            let gone = format!("{} is gone, where the run began", self.dir.display());
            return Err(RunError::usage(gone).hint(AGAIN));
        }
        let context = RunContext {
            dir: self.dir,
            config: self.config,
            ..start.clone()
        };
        Ok((self.review, context))
    }
}

/// Whether every answer that is kept there was written down by this user's program. A journal that never began holds none.
fn has_own_journal(past: &StoredRun, start: &RunContext) -> bool {
    let (Some(key), Ok(bytes)) = (start.signing_key(), past.read_file(JOURNAL_FILE)) else {
        return false;
    };
    RunJournal::is_sealed(&bytes, |line, seal| {
        key.verify_mac(MacPurpose::Journal, line, seal)
    })
}

/// The same for what judges have looked up in turns that are not answered: it is sent to models as their own words.
fn has_own_steps(past: &StoredRun, start: &RunContext) -> bool {
    let key = start.signing_key();
    key.is_some_and(|key| are_own_steps(past, &key))
}

const AGAIN: &str =
    "`git council replay RUN` shows what it has; `git council review` starts a new run";
