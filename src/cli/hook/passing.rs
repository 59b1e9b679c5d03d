//! What is told of secrets that a push carries beside the sum of its commits.

use std::fmt::Write as _;

use council_builtin::AddedSecret;

use crate::run::hook::passing_secrets::{PassingSecrets, SecretCarrier};
use crate::text::Untrusted;

/// The most secrets of single commits that are shown.
const MAX_SHOWN_SECRETS: usize = 5;

/// Secrets that the tip of a push no longer shows, a line each, and what nobody looked at.
pub(super) fn describe_passing(out: &mut String, refs: &[String], passing: &PassingSecrets) {
    let name = Untrusted::new(&refs.join(", ")).name();
    for (carrier, secret) in passing.found.iter().take(MAX_SHOWN_SECRETS) {
        let AddedSecret {
            rule,
            description,
            path,
            line,
            ..
        } = secret;
        let place = match line {
            0 => path.clone(),
            line => format!("{path}:{line}"),
        };
        let place = Untrusted::new(&place).name();
        let carrier = match carrier {
            SecretCarrier::Commit(id) => format!("commit {}", id.get(..10).unwrap_or(id)),
            SecretCarrier::Tag => "the tag".to_owned(),
        };
        let _ = writeln!(
            out,
            "git-council: {name}: critical {place} of {carrier}: {description} Whoever fetches the push has it \
             ({rule})"
        );
    }
    if passing.found.len() > MAX_SHOWN_SECRETS {
        let more = passing.found.len() - MAX_SHOWN_SECRETS;
        let _ = writeln!(
            out,
            "git-council: {name}: {more} more secrets in commits of this push"
        );
    }
    if !passing.found.is_empty() {
        let _ = writeln!(out, "git-council: {}, and push again", take_out(passing));
    }
    if let Some(count) = passing.looked_at {
        let _ = writeln!(
            out,
            "git-council: {name}: only the latest {count} commits were searched for secrets one by one; the sum was reviewed"
        );
    }
}

/// How a secret is taken out of what carries it.
fn take_out(passing: &PassingSecrets) -> &'static str {
    match passing.found.first() {
        Some((SecretCarrier::Tag, _)) => "make the tag anew, with git tag --force --annotate",
        _ => "take them out of the history, e.g. with git rebase --interactive",
    }
}
