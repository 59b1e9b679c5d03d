//! The judge that needs no model: rules over the packet.
//!
//! A [`Judge`] sits on one seat. In R1 it runs the rules of its perspective over the added lines and the facts about
//! the files, and votes from what they find. In R2 it checks what the others have found against the packet and the
//! reviewed files. It reads no disk, no clock and no network, and says the same each time.

mod added_secret;
mod applicable;
mod beside;
mod copied_key;
mod councillor;
mod debate;
#[cfg(test)]
mod document;
mod duel;
mod excuse;
#[cfg(test)]
mod fixture;
mod flood;
mod imports;
mod joined;
mod judge;
mod locked;
mod named_source;
mod needle;
mod old_side;
mod opaque;
mod part;
mod pattern;
mod perspective;
mod precision;
mod prose;
mod regions;
mod request;
mod review;
mod role;
mod rule;
mod rules;
mod scan;
mod secret;
mod shared;
mod signature;
mod sister_host;
#[cfg(test)]
mod tests;
mod tests_of;
mod told;
mod unicode;
mod view;
mod workflow;
mod yaml;

use council_protocol::{BlobSource, FileChange, Severity};
use council_syntax::{language, lexer};

pub use added_secret::{AddedSecret, added_secrets, secrets_of_text};
pub use excuse::{ExcusedFinding, excused_findings};
pub use judge::{BuiltinJudge, SeatError};
pub use perspective::{CouncillorInfo, PerspectiveInfo};
pub use prose::wrap_prose;
pub use rule::{RuleExample, RuleInfo};
pub use told::list_first;

/// The perspectives that have rules, in the order in which they sit when nothing is configured.
pub fn perspectives() -> &'static [PerspectiveInfo] {
    &perspective::PERSPECTIVES
}

/// The councillors of the cross-examination procedure, in the order in which they sit.
pub fn councillors() -> &'static [CouncillorInfo] {
    &perspective::COUNCILLORS
}

/// Whether a rule runs only where configuration gives it a level.
pub fn runs_on_request(id: &str) -> bool {
    precision::is_on_request(id)
}

/// What a finding of a rule does to a change, in a sentence.
pub fn rule_standing(rule: &RuleInfo) -> &'static str {
    match rule.severity {
        _ if runs_on_request(rule.id) => "It runs only if you set it under [rules].",
        Severity::Critical => "Critical: it fails the change.",
        Severity::Significant => "Significant: it warns.",
        Severity::Minor => "Minor: a note.",
    }
}

/// Whether a built-in judge of that perspective applies the rule of that id.
pub fn applies_rule(perspective: &str, id: &str) -> bool {
    let known = rules().find(|rule| rule.id == id);
    known.is_some_and(|rule| {
        perspective::covers_perspective(perspective, rule.perspective) == Some(true)
    })
}

/// How prompts and reports write the name of a perspective: a councillor's title, else the name as it is.
pub fn display_name(perspective: &str) -> &str {
    let mut roles = perspective::COUNCILLORS.iter();
    let role = roles.find(|role| role.name == perspective);
    role.map_or(perspective, |role| role.title)
}

/// Every rule, in alphabetical order of their ids.
pub fn rules() -> impl ExactSizeIterator<Item = &'static RuleInfo> {
    rules::RULES.iter().map(|rule| &rule.info)
}

/// Whether a rule is about attacks on the review itself, or on the machine that reviews.
pub fn guards_review(id: &str) -> bool {
    let mut all = rules::RULES.iter();
    all.any(|rule| rule.info.id == id && rule.guards == rule::Guarded::Review)
}

/// Whether a rule against attacks speaks of what the change adds to a file. One that globs leave out must then be shown.
pub fn speaks_of(file: &FileChange, blobs: &dyn BlobSource) -> bool {
    scan::speaks_of(file, blobs)
}

/// Whether a file that is moved from one path to another is new there: a rule looks at it that did not before, or a program
/// obeys it by its new name. Nobody has reviewed it as what it becomes.
pub fn gains_part(old: &str, new: &str) -> bool {
    part::gains_part(old, new)
}

/// Whether rules about production code pass a file over: an example, or somebody else's code.
pub fn passes_over(path: &str) -> bool {
    let role = role::FileRole::from_path(path, language::Language::from_path(path));
    matches!(role, role::FileRole::Example | role::FileRole::Foreign)
}

/// What `git council explain RULE` says: the rule of that id.
pub fn explain_rule(id: &str) -> Option<&'static RuleInfo> {
    rules().find(|info| info.id == id)
}
