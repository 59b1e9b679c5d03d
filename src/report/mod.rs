//! One report object, one renderer per format.
//!
//! A [`Report`] is made once, from what the council came to and what the run knows of itself; every surface is rendered
//! from it and from nothing else. The headline, the exit code and the conclusion of a check come from one function,
//! [`Report::bottom_line`]. Renderers are pure: width, colour and verbosity are arguments ([`Look`]).

pub(crate) mod agent;
mod bottom_line;
pub(crate) mod checkstyle;
mod claim;
mod council_word;
mod document;
mod earlier;
mod facts;
pub(crate) mod gitlab;
mod group;
mod headline_clauses;
pub(crate) mod html;
pub mod json;
pub mod judge;
pub(crate) mod junit;
mod lapsed;
pub(crate) mod markdown;
mod money;
mod page;
mod places;
pub(crate) mod rdjson;
mod receipt;
mod redact;
mod removed;
pub(crate) mod sarif;
mod sarif_rule;
mod source;
pub(crate) mod terminal;
pub(crate) mod uri;
mod verdict_entry;
mod whole;
mod words;

pub use bottom_line::GatePolicy;
pub(crate) use bottom_line::{CheckConclusion, FailOn, exit};
pub(crate) use claim::{ClaimTerms, absorb_recheck, accept_claim};
pub(crate) use document::{Talks, asked_in_vain, both_sides, suggestion_words, test_sentence};
pub(crate) use earlier::{CarriedReview, EarlierFinding, EarlierReview, FindingFate};
#[cfg(test)]
pub(crate) use facts::Participation;
pub(crate) use facts::{
    BackendFacts, BriefFacts, ContextFacts, DUEL_BACKEND, InputDigests, MATRIX_BACKEND, MemoryPlace,
};
pub use facts::{ChangeSize, ReviewSubject, RunFacts};
pub(crate) use page::{DisplayOptions, LinkRoot, Verbosity};
#[cfg(test)]
pub(crate) use places::join_ids;
pub(crate) use removed::removed_line;
pub(crate) use source::ReportSource;
pub use whole::Report;
pub(crate) use words::{TOO_LONG_A_LINE, lone_state, other_readings};

use council_protocol::Finding;

/// The most lines of a document that a report shows; its own file has all of them.
pub(crate) const MAX_DOCUMENT: usize = 2_000;

/// The id under which formats with rules list a finding: its rule, else its category.
fn rule_of(finding: &Finding) -> String {
    let id = finding.rule.as_deref().unwrap_or(&finding.category);
    let id: String = id
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "-_./".contains(*c))
        .take(64)
        .collect();
    if id.is_empty() {
        "finding".to_owned()
    } else {
        id
    }
}

#[cfg(test)]
pub(crate) mod tests;
