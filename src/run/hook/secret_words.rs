//! What is told of secrets that a push carries beside the sum of its commits.

use std::collections::BTreeSet;

use council_builtin::AddedSecret;

use crate::run::hook::passing_secrets::{PassingSecrets, SecretCarrier};
use crate::text::Untrusted;

/// The most secrets whose places are named: what takes one out of the history takes out its neighbours.
const MAX_PLACES: usize = 3;

/// Secrets that the tips of a push do not show, each with the refs that bring it, on one line; none where there are none.
pub(super) fn describe_secrets(passing: &[(String, PassingSecrets)]) -> Option<String> {
    let found: Vec<&(SecretCarrier, AddedSecret)> =
        passing.iter().flat_map(|(_, told)| &told.found).collect();
    let holding = passing.iter().filter(|(_, told)| !told.found.is_empty());
    let refs: BTreeSet<&str> = holding.map(|(name, _)| name.as_str()).collect();
    let refs: Vec<&str> = refs.into_iter().collect();
    let what = match found.len() {
        0 => return None,
        1 => "a secret".to_owned(),
        many => format!("{many} secrets"),
    };
    let places = found.iter().take(MAX_PLACES);
    let mut places: Vec<String> = places.map(|one| describe_place(one)).collect();
    let left = found.len().saturating_sub(MAX_PLACES);
    places.extend((left > 0).then(|| format!("{left} more")));
    Some(format!(
        "{}: critical: {what} that whoever fetches this push has: {}; {}, and push again",
        Untrusted::new(&refs.join(", ")).name(),
        places.join(", "),
        take_out(&found)
    ))
}

/// What was not searched for secrets, with the way to have it searched; none where all was.
pub(super) fn describe_unsearched(passing: &PassingSecrets) -> Option<String> {
    if passing.unsearched.is_empty() {
        return None;
    }
    let names = passing.unsearched_names();
    let named = names
        .iter()
        .take(MAX_PLACES)
        .map(|name| Untrusted::new(name).name());
    let mut named: Vec<String> = named.collect();
    named.extend((names.len() > MAX_PLACES).then(|| "…".to_owned()));
    let count = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        many => Some(format!("{many} {what}s")),
    };
    let files = count(names.len(), "file");
    let files = files.map(|files| format!("{files} ({})", named.join(", ")));
    let commits = count(passing.unsearched.commits, "commit");
    let what: Vec<String> = files.into_iter().chain(commits).collect();
    Some(format!(
        "INCONCLUSIVE: not searched for secrets: {}; for more time: git config --global council.hook.timeout 120s",
        what.join(", ")
    ))
}

/// ``k.py:1 of commit 0123456789 (provider-token)``.
fn describe_place((carrier, secret): &(SecretCarrier, AddedSecret)) -> String {
    let place = match secret.line {
        0 => secret.path.clone(),
        line => format!("{}:{line}", secret.path),
    };
    let place = Untrusted::new(&place).name();
    let carrier = match carrier {
        SecretCarrier::Commit(id) | SecretCarrier::Note(id) => {
            format!("commit {}", id.get(..10).unwrap_or(id))
        }
        SecretCarrier::Tag => "the tag".to_owned(),
        SecretCarrier::RefName => "the branch or tag".to_owned(),
    };
    format!("{place} of {carrier} ({})", secret.rule)
}

/// How secrets are taken out of what carries them.
fn take_out(found: &[&(SecretCarrier, AddedSecret)]) -> String {
    let advice = |(carrier, _): &&(SecretCarrier, AddedSecret)| match carrier {
        SecretCarrier::Commit(_) => {
            "take them out of the history, e.g. with git rebase --interactive"
        }
        // What was removed from notes is still in their history.
        SecretCarrier::Note(_) => {
            "edit or remove the note (git notes), and leave its history behind: git update-ref refs/notes/NAME \
             $(git commit-tree -m notes refs/notes/NAME^{tree})"
        }
        SecretCarrier::Tag => "make the tag anew, with git tag --force --annotate",
        SecretCarrier::RefName => "choose another name",
    };
    let mut all: Vec<&str> = Vec::new();
    for words in found.iter().map(advice) {
        if !all.contains(&words) {
            all.push(words);
        }
    }
    all.join("; ")
}
