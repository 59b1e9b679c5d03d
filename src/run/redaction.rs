//! What takes secrets out of a run: the built-in table, the user's own rules, and the values of the change.

use std::path::Path;

use council_protocol::Packet;
use council_secrets::{Redactor, SecretTable};

use super::context::RunContext;
use super::error::RunError;
use super::layers;
use super::own;
use crate::config::{Settings, resolve_layers};
use crate::prompt::redactor_for;

/// The setting that names the user's own rules.
const KEY: &str = "redact.rules";

/// The redactor of a run over this change. The user's own rules may not lie in the repository under review.
pub(crate) fn load_redactor(
    settings: &Settings,
    repository: Option<&Path>,
    packet: &Packet,
) -> Result<Redactor, RunError> {
    Ok(redactor_for(&load_rules(settings, repository)?, packet))
}

/// The redactor of a run that is over, as the user has configured it by now.
pub(crate) fn redactor_of_past(start: &RunContext, packet: &Packet) -> Result<Redactor, RunError> {
    Ok(redactor_for(&user_redactor(start)?, packet))
}

/// The redactor of the user, who has seen no change.
pub(crate) fn user_redactor(start: &RunContext) -> Result<Redactor, RunError> {
    let layers = layers::user_layers(&start.environment, start.config.clone())?;
    load_rules(&resolve_layers(&layers)?.settings, None)
}

/// The text of the user's own rules, if there are any.
pub(crate) fn own_rules_text(
    settings: &Settings,
    repository: Option<&Path>,
) -> Result<Option<String>, RunError> {
    let Some(file) = &settings.redact.rules else {
        return Ok(None);
    };
    own::read_own_text(&own::resolve_own_path(file, KEY, repository)?, KEY).map(Some)
}

fn load_rules(settings: &Settings, repository: Option<&Path>) -> Result<Redactor, RunError> {
    let Some(text) = own_rules_text(settings, repository)? else {
        return Ok(Redactor::default());
    };
    let file = settings.redact.rules.as_deref().unwrap_or(Path::new(""));
    let table = SecretTable::parse(&text).map_err(|error| {
        RunError::usage(format!(
            "{} is not a gitleaks configuration: {error}",
            file.display()
        ))
        .hint(format!("`{KEY}` names it, in your own configuration"))
    })?;
    Ok(Redactor::with_table(table))
}
