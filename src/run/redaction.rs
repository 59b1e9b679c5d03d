//! What takes secrets out of a run: the built-in table, the user's own rules, and the values of the change.

use std::path::Path;

use council_protocol::Packet;
use council_protocol::packet::Target;
use council_secrets::{Redactor, SecretTable};

use super::context::RunContext;
use super::error::RunError;
use super::layers;
use super::own;
use crate::config::{Settings, resolve_layers};
use crate::git;
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

/// Takes secrets out of the name of what is reviewed: a branch, a question or a file may hold one, and the name stands in
/// every headline, in notes and in the names of files.
pub(crate) fn hide_in_target(
    target: &mut Target,
    settings: &Settings,
    repository: Option<&Path>,
) -> Result<(), RunError> {
    let shown = load_rules(settings, repository)?.redact_source(None, &target.label);
    if shown.secrets > 0 {
        target.slug = git::make_slug(&shown.text);
        target.label = shown.text;
    }
    Ok(())
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
