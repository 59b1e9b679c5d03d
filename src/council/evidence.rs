//! What must be proven, and what was found: every quote that the verdict rests on is searched once.

use std::collections::BTreeMap;

use council_protocol::answer::Evidence;
use council_protocol::{Finding, Location, Proof};

use super::exchange::{Action, ClaimId, NearestLine};
use super::quoted_lines::QuotedLines;

/// Claims by what they say, so that two judges who quote the same line cost one search.
#[derive(Debug, Clone, Default)]
pub(super) struct QuoteClaims {
    ids: BTreeMap<(Location, String), ClaimId>,
    found: BTreeMap<ClaimId, ClaimResult>,
    /// Claims that were never answered.
    given_up: u32,
}

/// What came back for a claim.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ClaimResult {
    pub(super) proof: Option<Proof>,
    /// The lines around the place.
    pub(super) context: String,
    /// The line that is most like a quote which was not found.
    pub(super) nearest: Option<NearestLine>,
    /// The first line of the function in which the quote stands.
    pub(super) function: Option<u32>,
    /// Which lines the quote takes up.
    pub(super) quoted: Option<QuotedLines>,
}

impl QuoteClaims {
    /// Asks for a quote to be searched, unless somebody asked before. Of a file as a whole the content is asked for.
    pub(super) fn request_proof(&mut self, location: &Location, quote: &str) -> Option<Action> {
        if quote.trim().is_empty() && location.line > 0 {
            return None;
        }
        let said = (location.clone(), quote.to_owned());
        if self.ids.contains_key(&said) {
            return None;
        }
        let claim = ClaimId(
            u32::try_from(self.ids.len())
                .unwrap_or(u32::MAX)
                .saturating_add(1),
        );
        self.ids.insert(said, claim);
        self.found.insert(claim, ClaimResult::default());
        Some(Action::Prove {
            claim,
            location: location.clone(),
            quote: quote.to_owned(),
        })
    }

    /// Takes in an answer; unknown and second ones change nothing.
    pub(super) fn record_result(&mut self, claim: ClaimId, result: ClaimResult) {
        if let Some(found) = self.found.get_mut(&claim).filter(|f| f.proof.is_none()) {
            *found = result;
        }
    }

    fn result_of(&self, location: &Location, quote: &str) -> Option<&ClaimResult> {
        let said = (location.clone(), quote.to_owned());
        self.ids.get(&said).and_then(|claim| self.found.get(claim))
    }

    /// Whether a quote was searched. One that is empty is never searched.
    pub(super) fn is_answered(&self, location: &Location, quote: &str) -> bool {
        self.result_of(location, quote)
            .is_none_or(|found| found.proof.is_some())
    }

    /// The line that is most like a quote which was not found.
    pub(super) fn nearest_to(&self, location: &Location, quote: &str) -> Option<&NearestLine> {
        self.result_of(location, quote)?.nearest.as_ref()
    }

    /// The first line of the function in which a quote stands.
    pub(super) fn function_of(&self, location: &Location, quote: &str) -> Option<u32> {
        self.result_of(location, quote)?.function
    }

    /// Which lines a quote takes up.
    pub(super) fn quoted_lines(&self, location: &Location, quote: &str) -> Option<&QuotedLines> {
        self.result_of(location, quote)?.quoted.as_ref()
    }

    /// Whether every claim was answered.
    pub(super) fn is_settled(&self) -> bool {
        self.found.values().all(|f| f.proof.is_some())
    }

    /// Counts what is still open as not found. The verdict cannot be green after that.
    pub(super) fn give_up(&mut self) {
        for found in self.found.values_mut().filter(|f| f.proof.is_none()) {
            found.proof = Some(Proof::Unverified {
                reason: "it was not searched in time".into(),
            });
            self.given_up += 1;
        }
    }

    /// How many claims were never answered.
    pub(super) fn unanswered_count(&self) -> u32 {
        self.given_up
    }

    /// What was found for a quote, with the lines around it.
    pub(super) fn proof_of(&self, location: &Location, quote: &str) -> (Proof, &str) {
        let found = self.result_of(location, quote);
        match found.and_then(|f| f.proof.clone().map(|proof| (proof, f.context.as_str()))) {
            Some(found) => found,
            None => (
                Proof::Unverified {
                    reason: "no quote was given".into(),
                },
                "",
            ),
        }
    }

    /// Whether a piece of evidence stands where, or at least in the file in which, it is said to stand.
    pub(super) fn resolves(&self, evidence: &Evidence) -> bool {
        self.proof_of(&evidence_location(evidence), &evidence.quote)
            .0
            .resolves()
    }
}

impl QuoteClaims {
    /// A piece of evidence at the line where its quote stands: whoever reads it looks there, not where it was said to be.
    pub(super) fn in_place(&self, evidence: &Evidence) -> Evidence {
        let (proof, _) = self.proof_of(&evidence_location(evidence), &evidence.quote);
        Evidence {
            line: proof.place(evidence.line).unwrap_or(evidence.line),
            ..evidence.clone()
        }
    }
}

/// The place that a piece of evidence names.
pub(super) fn evidence_location(evidence: &Evidence) -> Location {
    Location {
        path: evidence.path.clone(),
        line: evidence.line,
        end_line: None,
    }
}

/// Whether a finding is about a file as a whole, and so has nothing to quote.
pub(super) fn is_about_file(finding: &Finding) -> bool {
    finding.location.line == 0 && finding.quote.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32) -> Location {
        Location {
            path: "a.rs".into(),
            line,
            end_line: None,
        }
    }

    #[test]
    fn the_same_quote_is_searched_once() {
        let mut claims = QuoteClaims::default();
        assert!(claims.request_proof(&at(1), "let x").is_some());
        assert_eq!(claims.request_proof(&at(1), "let x"), None);
        assert!(claims.request_proof(&at(2), "let x").is_some());
        assert_eq!(claims.request_proof(&at(3), " \n"), None);
    }

    #[test]
    fn a_second_or_unknown_answer_changes_nothing() {
        let mut claims = QuoteClaims::default();
        claims.request_proof(&at(1), "let x");
        let found = |proof, context: &str| ClaimResult {
            proof: Some(proof),
            context: context.into(),
            ..ClaimResult::default()
        };
        claims.record_result(ClaimId(9), found(Proof::Verified, ""));
        assert!(!claims.is_settled());
        claims.record_result(ClaimId(1), found(Proof::Verified, "ctx"));
        let reason = "no".into();
        claims.record_result(ClaimId(1), found(Proof::Unverified { reason }, ""));
        assert_eq!(claims.proof_of(&at(1), "let x"), (Proof::Verified, "ctx"));
    }

    #[test]
    fn what_is_given_up_is_counted() {
        let mut claims = QuoteClaims::default();
        claims.request_proof(&at(1), "let x");
        claims.give_up();
        assert!(claims.is_settled());
        assert_eq!(claims.unanswered_count(), 1);
        assert!(!claims.proof_of(&at(1), "let x").0.resolves());
    }
}
