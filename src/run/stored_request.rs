//! What was asked for, kept beside the run's journal so that another process can resume it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::KeyValue;
use crate::memory::MacPurpose;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::modes::requested::RequestedMode;
use crate::run::modes::side_log::SIDE_FILES;
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
    /// What it is, if it is no review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<RequestedMode>,
    /// The user's signature over everything else and the run's name: a request that somebody put here is not carried out.
    #[serde(default)]
    signature: String,
}

impl StoredRequest {
    /// Stores what a run was asked for. Without the user's key nobody could tell whose it is, and nothing is stored; such a
    /// run cannot be resumed. Says whether it is stored.
    pub(crate) fn save_request(
        review: &ReviewRequest,
        mode: Option<&RequestedMode>,
        start: &RunContext,
        run: &RunRef,
    ) -> bool {
        let (Some(path), Some(key)) = (run.file_path(FILE), start.signing_key()) else {
            return false;
        };
        let mut stored = Self {
            version: VERSION,
            dir: start.dir.clone(),
            config: start.config.clone(),
            review: review.clone(),
            mode: mode.cloned(),
            signature: String::new(),
        };
        let Some(text) = stored.signed_bytes(&run.name) else {
            return false;
        };
        stored.signature = key.mac_hex(MacPurpose::Request, &text);
        let bytes = serde_json::to_vec(&stored).unwrap_or_default();
        // Without it the run is held all the same.
        safe_file::write_file(&path, bytes).is_ok()
    }

    /// What the signature covers; none: a path in it is no text, which JSON cannot hold.
    fn signed_bytes(&self, run: &str) -> Option<Vec<u8>> {
        let review = (run, self.version, &self.dir, &self.config, &self.review);
        match &self.mode {
            None => serde_json::to_vec(&review).ok(),
            Some(mode) => serde_json::to_vec(&(review, mode)).ok(),
        }
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
                match unsealed_file(past, start) {
                    None => Ok(stored),
                    Some(file) => Err(refuse(unsealed(file))),
                }
            }
            VERSION if stored.is_own(past, start) => Err(refuse(unsealed("journal"))),
            VERSION => Err(refuse(
                "you did not start it: its request is not signed with your key".into(),
            )),
            other => Err(refuse(format!("{FILE} has version {other}"))),
        }
    }

    /// What it is; none: a review.
    pub(crate) fn mode(&self) -> Option<&RequestedMode> {
        self.mode.as_ref()
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
    let journal = past.read_file(JOURNAL_FILE);
    journal.is_ok_and(|bytes| is_sealed(&bytes, start))
}

/// Which other file of the run was written by somebody else, where it is there: what judges have looked up in turns that are
/// not answered, and what the sides of a duel have heard, is believed as their own words.
fn unsealed_file(past: &StoredRun, start: &RunContext) -> Option<&'static str> {
    let key = start.signing_key();
    if !key.is_some_and(|key| are_own_steps(past, &key)) {
        return Some("steps.json");
    }
    let is_foreign = |file: &&str| match safe_file::read(past.folder.join(file)) {
        Ok(bytes) => !is_sealed(&bytes, start),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    };
    SIDE_FILES.into_iter().find(is_foreign)
}

fn is_sealed(bytes: &[u8], start: &RunContext) -> bool {
    start.signing_key().is_some_and(|key| {
        RunJournal::is_sealed(bytes, |line, seal| {
            key.verify_mac(MacPurpose::Journal, line, seal)
        })
    })
}

fn unsealed(file: &str) -> String {
    format!(
        "its {file} does not bear your key's seal: somebody or another version of git-council wrote in it"
    )
}

const AGAIN: &str =
    "`git council replay RUN` shows what it has; `git council review` starts a new run";
