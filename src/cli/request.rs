//! The command line of a run, kept beside its journal so that another process can go on with it.

use std::path::PathBuf;

use clap::Parser as _;
use serde::{Deserialize, Serialize};

use super::RunContext;
use super::args::{Cli, CliCommand};
use super::commands::review::ReviewArgs;
use super::error::RunError;
use super::history::StoredRun;
use crate::memory::MacPurpose;
use crate::session::RunRef;

/// Its name in the run's folder.
const FILE: &str = "request.json";

/// Version that every request carries.
const VERSION: u32 = 1;

/// What was asked for, and where.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredRequest {
    version: u32,
    dir: PathBuf,
    words: Vec<String>,
    /// The user's seal over everything else and the run's name: a command line that somebody put here is not run.
    #[serde(default)]
    seal: String,
}

impl StoredRequest {
    /// Keeps the command line of this process. Words that are no text cannot be kept; such a run cannot be resumed.
    pub(crate) fn save_request(start: &RunContext, run: &RunRef) {
        let words: Result<Vec<String>, _> = std::env::args_os()
            .skip(1)
            .map(|word| word.into_string())
            .collect();
        let (Ok(words), Some(path)) = (words, run.file_path(FILE)) else {
            return;
        };
        let Some(seal) = start.signing_key() else {
            return;
        };
        let mut request = Self {
            version: VERSION,
            dir: start.dir.clone(),
            words,
            seal: String::new(),
        };
        request.seal = seal.mac_hex(MacPurpose::Request, &request.signed_bytes(&run.name));
        let bytes = serde_json::to_vec(&request).unwrap_or_default();
        // Without it the run is held all the same.
        let _ = std::fs::write(path, bytes);
    }

    /// What the seal covers.
    fn signed_bytes(&self, run: &str) -> Vec<u8> {
        // A path that is no text has no JSON, and is never kept.
        serde_json::to_vec(&(run, self.version, &self.dir, &self.words)).unwrap_or_default()
    }

    /// The command line of a run, if it is this user's.
    pub(crate) fn load_request(past: &StoredRun, start: &RunContext) -> Result<Self, RunError> {
        let unknown = |why: String| {
            RunError::usage(format!("{} cannot be resumed: {why}", past.name)).hint(AGAIN)
        };
        let path = past.folder.join(FILE);
        let bytes = std::fs::read(&path)
            .map_err(|error| unknown(format!("its command line is not kept ({error})")))?;
        let request: Self = serde_json::from_slice(&bytes)
            .map_err(|error| unknown(format!("{FILE} cannot be read: {error}")))?;
        match request.version {
            VERSION if request.is_own(past, start) => Ok(request),
            VERSION => Err(unknown(
                "you did not start it: its command line bears another seal than yours, or none"
                    .into(),
            )),
            other => Err(unknown(format!("{FILE} has version {other}"))),
        }
    }

    fn is_own(&self, past: &StoredRun, start: &RunContext) -> bool {
        let text = self.signed_bytes(&past.name);
        start
            .signing_key()
            .is_some_and(|seal| seal.verify_mac(MacPurpose::Request, &text, &self.seal))
    }

    /// As if the review was asked for again, at the place where it was.
    pub(crate) fn parse_request(
        self,
        start: &RunContext,
    ) -> Result<(ReviewArgs, RunContext), RunError> {
        let line = self.words.join(" ");
        let words = std::iter::once("git-council".to_owned()).chain(self.words);
        let parsed = Cli::try_parse_from(words).map_err(|_| {
            RunError::usage(format!(
                "`git council {line}` is no command of this version"
            ))
        })?;
        let CliCommand::Review(args) = parsed.command else {
            return Err(
                RunError::usage(format!("`git council {line}` is not a review"))
                    .hint("start it again"),
            );
        };
        let dash = |file: &PathBuf| file.as_os_str() == "-";
        if args.patch.as_ref().is_some_and(dash) {
            return Err(
                RunError::usage("the patch came over standard input and is gone").hint(AGAIN),
            );
        }
        if !self.dir.is_dir() {
            let gone = format!("{} is gone, where the run began", self.dir.display());
            return Err(RunError::usage(gone).hint(AGAIN));
        }
        let start = RunContext {
            global: parsed.global,
            dir: self.dir,
            ..start.clone()
        };
        Ok((*args, start))
    }
}

const AGAIN: &str =
    "`git council replay RUN` tells what was heard; `git council review` starts anew";
