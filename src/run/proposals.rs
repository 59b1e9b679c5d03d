//! Dismissals that coding agents ask for. They count for nothing until a person takes one over: whoever wrote a change does not
//! excuse its findings.

use std::path::PathBuf;

use crate::memory::line::DismissalLine;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::safe_file;
use crate::{git::RepositoryPaths, text::json_safe};

/// Its name in the folder that the program keeps in a git directory.
const FILE: &str = "proposals.jsonl";

/// The most that are kept: an agent that asks for everything fills no disk.
const MAX_PROPOSALS: usize = 200;

/// Adds what an agent asks for, in the place of what was asked for the same finding before.
pub(crate) fn keep_proposal(line: &DismissalLine, start: &RunContext) -> Result<(), RunError> {
    let mut kept = list_proposals(start)?;
    kept.retain(|other| other.dismissal.fingerprint != line.dismissal.fingerprint);
    if kept.len() >= MAX_PROPOSALS {
        return Err(
            RunError::usage(format!("{MAX_PROPOSALS} dismissals are proposed already"))
                .hint("a person decides about them: git council dismiss --proposed"),
        );
    }
    kept.push(line.clone());
    write_proposals(&kept, start)
}

/// What agents have asked for and nobody has decided, the oldest first. Untrusted text.
pub(crate) fn list_proposals(start: &RunContext) -> Result<Vec<DismissalLine>, RunError> {
    let text = safe_file::read_text(proposals_file(start)?).unwrap_or_default();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_slice(line.as_bytes()).ok());
    Ok(lines.take(MAX_PROPOSALS).collect())
}

/// Forgets what was asked for about a finding, since a person has decided.
pub(crate) fn settle_proposal(fingerprint: &str, start: &RunContext) -> Result<(), RunError> {
    let mut kept = list_proposals(start)?;
    let before = kept.len();
    kept.retain(|line| line.dismissal.fingerprint != fingerprint);
    if kept.len() == before {
        return Ok(());
    }
    write_proposals(&kept, start)
}

fn proposals_file(start: &RunContext) -> Result<PathBuf, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let dir = place.memory_dir();
    Ok(dir
        .ok_or_else(|| RunError::usage("this is not a git repository"))?
        .join(FILE))
}

fn write_proposals(lines: &[DismissalLine], start: &RunContext) -> Result<(), RunError> {
    let file = proposals_file(start)?;
    let json = lines
        .iter()
        .filter_map(|line| serde_json::to_string(line).ok());
    let text: String = json.map(|json| json_safe(&json) + "\n").collect();
    let folder = file.parent().unwrap_or(&file);
    safe_file::make_folder(folder)
        .and_then(|()| safe_file::write_file(&file, &text))
        .map_err(|error| RunError::output(&file.display().to_string(), &error))
}
