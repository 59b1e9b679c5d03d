//! What this user said of findings, beside the notes: a line each, appended, so that it holds without a note.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use council_protocol::task::Framing;

use crate::config::Notes;
use crate::git::{self, UserGit};
use crate::memory::Authors;
use crate::memory::line::{self, Line};

use super::Start;
use super::error::CliError;

/// The most commits of a change whose authors are known (as many as a packet tells).
const MOST_COMMITS: usize = 100;

/// The user's own lines.
pub(crate) struct Journal(PathBuf);

impl Journal {
    pub(crate) fn new(memory_dir: &Path) -> Self {
        Self(memory_dir.join("dismissals.jsonl"))
    }

    /// The lines so far; one that was cut off by a crash is passed over by whoever reads it.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Adds a line, behind a newline where an earlier one was cut off.
    pub(crate) fn add(&self, line: &str) -> io::Result<()> {
        if let Some(dir) = self.0.parent() {
            fs::create_dir_all(dir)?;
        }
        let mut file: File = OpenOptions::new().create(true).append(true).open(&self.0)?;
        file.lock()?;
        let torn = fs::read(&self.0)?.last().is_some_and(|&last| last != b'\n');
        let text = format!("{}{line}\n", if torn { "\n" } else { "" });
        file.write_all(text.as_bytes())?;
        file.sync_data()
    }
}

/// A line for the notes, signed where the user wants that.
pub(crate) fn sealed(line: &Line, git: &UserGit, notes: &Notes) -> Result<String, CliError> {
    let body = line.body();
    if !notes.sign {
        return Ok(body);
    }
    let signature = git::sign(git, &body).map_err(|error| {
        CliError::run(error)
            .hint("notes.sign is on; `git config council.notes.sign false` switches it off")
    })?;
    Ok(line::signed(&body, &signature))
}

/// Who had a part in a change that a job of a CI service reviews.
pub(crate) fn authors(framing: &Framing, start: &Start) -> Authors {
    let mail = |author: &str| {
        let (_, rest) = author.rsplit_once('<')?;
        Some(rest.trim_end_matches('>').to_owned())
    };
    let logins = [
        "GITHUB_ACTOR",
        "GITHUB_TRIGGERING_ACTOR",
        "GITLAB_USER_LOGIN",
    ];
    let mut logins: Vec<String> = logins
        .iter()
        .filter_map(|name| Some(start.environment.get(name)?.to_string_lossy().into_owned()))
        .collect();
    let event = start.environment.get("GITHUB_EVENT_PATH");
    let event = event
        .and_then(|path| fs::read(path).ok())
        .unwrap_or_default();
    let event: serde_json::Value = serde_json::from_slice(&event).unwrap_or_default();
    let people = [
        "/pull_request/user/login",
        "/sender/login",
        "/issue/user/login",
    ];
    logins.extend(
        people
            .iter()
            .filter_map(|at| Some(event.pointer(at)?.as_str()?.to_owned())),
    );
    Authors {
        mails: framing
            .commits
            .iter()
            .filter_map(|commit| mail(&commit.author))
            .collect(),
        logins,
        complete: !framing.commits.is_empty() && framing.commits.len() < MOST_COMMITS,
    }
}
