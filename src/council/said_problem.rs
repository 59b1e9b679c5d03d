//! What is kept of a finding's words, by which it is told from another problem of its line.

use council_protocol::Finding;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most characters that are kept of what a finding says and of what it quotes.
const MAX_SAID: usize = 240;

/// What a finding says of which code, by which it is told from another problem of its line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SaidProblem {
    /// The code that it quotes; may be cut. Untrusted text.
    pub quote: String,
    /// The problem in a sentence; may be cut. Untrusted text.
    pub description: String,
}

impl SaidProblem {
    /// What a finding says; none: a rule names it, and says the same of the same code.
    pub fn of(finding: &Finding) -> Option<Self> {
        finding.rule.is_none().then(|| Self {
            quote: cut_words(&finding.quote).to_owned(),
            description: cut_words(&finding.description).to_owned(),
        })
    }
}

/// The beginning of a text, as much as is kept of it.
pub(super) fn cut_words(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_SAID);
    end.map_or(text, |(end, _)| &text[..end])
}
