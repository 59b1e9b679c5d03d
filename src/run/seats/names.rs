//! Errors about names that nobody has, with the nearest one that somebody has.

use crate::config::nearest_word;
use crate::run::error::RunError;

/// The error for a name of the configuration or a flag.
pub(crate) fn unknown_name(what: &str, name: &str, known: &[&str]) -> RunError {
    let error = RunError::usage(format!("there is no {what} `{name}`"));
    let error = match nearest_word(name, known.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    };
    error.hint(format!("available: {}", known.join(", ")))
}

/// The error for a rule that is not there.
pub(crate) fn unknown_rule(id: &str) -> RunError {
    let error = RunError::usage(format!("there is no rule `{id}`"));
    match nearest_word(id, council_builtin::rules().map(|rule| rule.id)) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`git council explain` lists the rules"),
    }
}
