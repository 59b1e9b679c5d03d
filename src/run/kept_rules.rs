//! The user's own rules for secrets, kept in the folder of the run that they were made for. Whoever shows the run later
//! may have other rules, or none, and what only these rules know to be secret stands in its files.

use council_secrets::{Redactor, SecretTable};

use super::error::RunError;
use super::store::StoredRun;
use crate::safe_file;
use crate::session::RunRef;

/// Their name in the run's folder.
const FILE: &str = "redact-rules.toml";

/// Keeps the rules of a run, if the user has some and the run has a folder.
pub(crate) fn keep_rules(rules: Option<String>, run: &RunRef) -> Result<(), RunError> {
    let (Some(rules), Some(path)) = (rules, run.file_path(FILE)) else {
        return Ok(());
    };
    safe_file::write_file(&path, rules)
        .map_err(|error| RunError::run(format!("cannot write {}: {error}", path.display())))
}

/// What redacts by these rules, and by those with which a run of the past began.
pub(crate) fn with_kept_rules(rules: &Redactor, past: &StoredRun) -> Result<Redactor, RunError> {
    let path = past.folder.join(FILE);
    let unreadable = |why: &dyn std::fmt::Display| {
        RunError::run(format!(
            "{}: the rules for secrets that it began with cannot be read: {why}",
            past.name
        ))
        .hint(format!(
            "remove {}, if nobody else is to see this run",
            path.display()
        ))
    };
    let text = match safe_file::read_text(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(rules.clone()),
        Err(error) => return Err(unreadable(&error)),
    };
    let table = SecretTable::parse(&text).map_err(|error| unreadable(&error))?;
    Ok(rules.adding_table(table))
}
