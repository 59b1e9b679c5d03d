//! Runs that are no reviews and cannot go on: the command that begins them again is named.

use council_protocol::packet::{Target, TargetKind};

use crate::report::DUEL_BACKEND;
use crate::run::error::RunError;
use crate::run::shell::shell_word;
use crate::run::store::StoredRun;
use crate::run::stored_request;
use crate::session::journal::{JOURNAL_FILE, RunJournal};

/// What begins such a run again, as a person types it; none: it is a review, which can be resumed or begun as one.
pub(crate) fn command_to_begin_again(past: &StoredRun) -> Option<String> {
    let journal = RunJournal::parse(&past.read_file(JOURNAL_FILE).ok()?).ok()?;
    let target = &journal.header.target;
    if journal.header.backend == DUEL_BACKEND {
        return Some(command_of_duel(target));
    }
    match target.kind {
        TargetKind::Stage => Some(format!("git council stage {}", shell_word(&target.label))),
        // A review of a topic has its request beside it.
        TargetKind::Topic if !has_request(past) => {
            Some("git council brainstorm` or `git council research".to_owned())
        }
        _ => None,
    }
}

/// A duel over the same subject. Its file may still hold what was written, and no duel begins in a file that is there.
fn command_of_duel(target: &Target) -> String {
    let label = shell_word(&target.label);
    match target.kind {
        TargetKind::Branch => "git council duel --file FILE".to_owned(),
        TargetKind::Patch => format!("git council duel --patch {label} --file FILE"),
        _ => format!("git council duel {label} --file FILE"),
    }
}

/// Refuses to resume what is no review and has not kept what was asked for.
pub(crate) fn refuse_other_kinds(past: &StoredRun) -> Result<(), RunError> {
    let Some(command) = command_to_begin_again(past).filter(|_| !has_request(past)) else {
        return Ok(());
    };
    let name = &past.name;
    let why = format!("{name} cannot be resumed: what was asked for was not kept with it");
    Err(RunError::usage(why).hint(format!(
        "begin it again: `{command}`; `git council replay {name}` shows what it has"
    )))
}

fn has_request(past: &StoredRun) -> bool {
    past.folder.join(stored_request::FILE).exists()
}
