//! What this user said of findings, beside the notes: a line each, sealed and appended, so that it holds without a note.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use council_protocol::task::Framing;

use crate::config::NoteSettings;
use crate::council::Dismissal;
use crate::git::{self, NoteSignature, RepositoryPaths, UserGit};
use crate::memory::line::{self, DismissalLine, NoteLine, ParsedLine};
use crate::memory::{ChangeAuthors, MacKey, MacPurpose};

use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::safe_file;

/// The most commits of a change whose authors are known (as many as a packet tells).
const MAX_COMMITS: usize = 100;

/// What a line's signature is called where it is this user's seal. It is of no format that git knows, so that it counts for
/// nothing in a note.
const SEALED: &str = "seal";

/// The user's own lines.
pub(crate) struct DismissalJournal {
    file: PathBuf,
    seal: Option<MacKey>,
}

impl DismissalJournal {
    pub(crate) fn new(memory_dir: &Path, seal: Option<MacKey>) -> Self {
        Self {
            file: memory_dir.join("dismissals.jsonl"),
            seal,
        }
    }

    /// The lines so far, this user's first, then those that somebody else left here; one that was cut off by a crash is
    /// neither.
    pub(crate) fn read_lines(&self) -> (Vec<ParsedLine>, Vec<ParsedLine>) {
        let bytes = safe_file::read(&self.file).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        text.lines()
            .filter_map(line::parse_line)
            .partition(|line| self.is_own(line))
    }

    fn is_own(&self, line: &ParsedLine) -> bool {
        let (Some(seal), Some(signature)) = (&self.seal, &line.signature) else {
            return false;
        };
        signature.format == SEALED
            && seal.verify_mac(
                MacPurpose::Dismissal,
                line.body.as_bytes(),
                &signature.value,
            )
    }

    /// Adds a line under the user's seal, behind a newline where an earlier one was cut off.
    pub(crate) fn append_line(&self, body: &str) -> io::Result<()> {
        let seal = self.seal.as_ref();
        let seal = seal.ok_or_else(|| io::Error::other("there is no key to seal it with"))?;
        let signature = NoteSignature {
            format: SEALED.to_owned(),
            value: seal.mac_hex(MacPurpose::Dismissal, body.as_bytes()),
        };
        let line = line::append_signature(body, &signature);
        if let Some(dir) = self.file.parent() {
            safe_file::make_folder(dir)?;
        }
        let mut file = safe_file::open_append(&self.file)?;
        file.lock()?;
        let bytes = safe_file::read(&self.file)?;
        let torn = bytes.last().is_some_and(|&last| last != b'\n');
        let text = format!("{}{line}\n", if torn { "\n" } else { "" });
        file.write_all(text.as_bytes())?;
        file.sync_data()
    }
}

/// What this user last said of each finding, by its fingerprint: a dismissal, or none where one was taken back.
pub(crate) fn own_decisions(
    start: &RunContext,
) -> Result<BTreeMap<String, Option<Dismissal>>, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let Some(dir) = place.memory_dir() else {
        return Ok(BTreeMap::new());
    };
    let (own, _) = DismissalJournal::new(&dir, start.signing_key()).read_lines();
    let lines = own.into_iter().filter_map(|read| match read.line {
        NoteLine::Dismissal(line) => Some(line),
        NoteLine::Verdict(_) => None,
    });
    let lines: Vec<DismissalLine> = lines.collect();
    let named = lines.iter().map(|line| &line.dismissal.fingerprint);
    let mut said: BTreeMap<_, _> = named.map(|name| (name.clone(), None)).collect();
    for dismissal in line::latest_dismissals(lines) {
        said.insert(dismissal.fingerprint.clone(), Some(dismissal));
    }
    Ok(said)
}

/// A line for the notes, signed where the user wants that.
pub(crate) fn note_line(
    line: &NoteLine,
    git: &UserGit,
    notes: &NoteSettings,
) -> Result<String, RunError> {
    sign_line(line.body(), git, notes)
}

/// The same of a line that is JSON already.
pub(crate) fn sign_line(
    body: String,
    git: &UserGit,
    notes: &NoteSettings,
) -> Result<String, RunError> {
    if !notes.sign {
        return Ok(body);
    }
    let signature = git::sign_text(git, &body).map_err(|error| {
        RunError::run(error)
            .hint("notes.sign is on; `git config council.notes.sign false` switches it off")
    })?;
    Ok(line::append_signature(&body, &signature))
}

/// Who had a part in a change that a job of a CI service reviews.
pub(crate) fn change_authors(framing: &Framing, start: &RunContext) -> ChangeAuthors {
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
        .and_then(|path| safe_file::read(path).ok())
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
    ChangeAuthors {
        mails: framing
            .commits
            .iter()
            .filter_map(|commit| mail(&commit.author))
            .collect(),
        logins,
        complete: !framing.commits.is_empty() && framing.commits.len() < MAX_COMMITS,
    }
}
