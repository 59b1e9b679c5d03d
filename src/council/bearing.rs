//! Whether a piece of evidence is about a finding. Any line of the tree can be quoted; most say nothing of the finding, and
//! must not take it away.

use std::collections::BTreeSet;

use council_protocol::answer::Evidence;
use council_protocol::evidence::normalize_blanks;
use council_protocol::{Finding, Location, Proof};

use super::evidence::{QuoteClaims, evidence_location};
use super::judges::same_text;

/// The fewest characters of a name that ties two places together: `x` and `id` stand everywhere.
const MIN_NAME_CHARS: usize = 3;

/// Words that most code shares, whatever it is about.
const COMMON_WORDS: [&str; 64] = [
    "and",
    "any",
    "args",
    "async",
    "await",
    "bool",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "code",
    "const",
    "continue",
    "data",
    "def",
    "echo",
    "elif",
    "else",
    "end",
    "enum",
    "err",
    "error",
    "except",
    "export",
    "false",
    "final",
    "float",
    "for",
    "from",
    "func",
    "function",
    "import",
    "int",
    "interface",
    "let",
    "main",
    "match",
    "mut",
    "new",
    "nil",
    "none",
    "not",
    "null",
    "package",
    "pass",
    "private",
    "public",
    "raise",
    "result",
    "return",
    "self",
    "static",
    "str",
    "string",
    "struct",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "value",
    "var",
];

/// A finding with what is needed to hold evidence against it.
pub(super) struct FindingPlace<'a> {
    /// As it was raised.
    pub(super) finding: &'a Finding,
    /// Where its quote was found.
    pub(super) proof: &'a Proof,
    /// The lines around that place.
    pub(super) context: &'a str,
}

impl FindingPlace<'_> {
    /// Whether evidence says something about the finding that the finding itself did not show: another line of its file, or
    /// a place elsewhere that names what its lines name, or its file. A copy of its own lines says nothing.
    pub(super) fn is_answered_by(&self, evidence: &Evidence, claims: &QuoteClaims) -> bool {
        let place = evidence_location(evidence);
        let (proof, around) = claims.proof_of(&place, &evidence.quote);
        let Some(line) = proof.place(place.line) else {
            return false;
        };
        let at = &self.finding.location;
        if evidence.path.clone().without_dot() == at.path.clone().without_dot() {
            return !self.is_own_line(line) && !same_text(&evidence.quote, &self.finding.quote);
        }
        let mut names = names_in(&self.finding.quote);
        names.extend(names_in(self.context));
        names.extend(file_stem(at));
        let mut said = names_in(&evidence.quote);
        said.extend(names_in(around));
        !names.is_disjoint(&said)
    }

    fn is_own_line(&self, line: u32) -> bool {
        let Some(first) = self.proof.place(self.finding.location.line) else {
            return false;
        };
        let quoted = self.finding.quote.trim().lines().count().max(1);
        let quoted = u32::try_from(quoted).unwrap_or(u32::MAX);
        first > 0 && (first..first.saturating_add(quoted)).contains(&line)
    }
}

/// The names in a piece of code, common words aside.
fn names_in(text: &str) -> BTreeSet<String> {
    let seen = normalize_blanks(text);
    let words = seen.split(|c: char| !c.is_alphanumeric() && c != '_');
    let names = words.filter(|word| {
        word.chars().count() >= MIN_NAME_CHARS
            && !word.starts_with(|c: char| c.is_ascii_digit())
            && !COMMON_WORDS.contains(&word.to_lowercase().as_str())
    });
    names.map(str::to_owned).collect()
}

/// What others call a file: its name without what stands behind the first dot.
fn file_stem(place: &Location) -> Option<String> {
    let name = String::from_utf8_lossy(place.path.file_name()).into_owned();
    let stem = name.split('.').next().unwrap_or_default();
    names_in(stem).into_iter().find(|found| found == stem)
}

#[cfg(test)]
mod tests {
    use council_protocol::Severity;

    use super::*;
    use crate::evidence::ClaimResult;
    use crate::exchange::Action;
    use crate::testing::finding;

    /// Whether evidence is about a finding that says `quote` at `src/payments.py:10`; every quote is where it is said to be.
    fn is_about(quote: &str, (path, line, cited): (&str, u32, &str)) -> bool {
        let mut claims = QuoteClaims::default();
        let evidence = Evidence {
            path: path.into(),
            line,
            quote: cited.into(),
        };
        let asked = claims.request_proof(&evidence_location(&evidence), cited);
        if let Some(Action::Prove { claim, .. }) = asked {
            let found = ClaimResult {
                proof: Some(Proof::Verified),
                context: cited.into(),
                ..ClaimResult::default()
            };
            claims.record_result(claim, found);
        }
        let mut about = finding(Severity::Critical, 10);
        about.location.path = "src/payments.py".into();
        about.quote = quote.into();
        let place = FindingPlace {
            finding: &about,
            proof: &Proof::Verified,
            context: quote,
        };
        place.is_answered_by(&evidence, &claims)
    }

    #[test]
    fn evidence_is_about_what_it_shows() {
        let quote = "charge(card, amount / rate)";
        let own = "src/payments.py";
        assert!(is_about(quote, (own, 7, "if rate == 0: raise NoRate()")));
        assert!(is_about(quote, ("./src/payments.py", 90, "TIMEOUT = 5")));
        assert!(is_about(
            quote,
            ("src/cards.py", 3, "def charge(card, sum):")
        ));
        assert!(is_about(quote, ("src/shop.py", 1, "import payments")));
        assert!(!is_about(quote, (own, 10, quote)), "its own line");
        assert!(!is_about(quote, (own, 44, quote)), "a copy of its own line");
        assert!(
            !is_about(quote, (own, 10, "amount / rate")),
            "a part of its own line"
        );
        assert!(!is_about(quote, ("README.md", 1, "This is a shop.")));
        let (accent, two) = ("pay(\"caf\u{e9}\")", "pay(\"cafe\u{301}\")");
        assert!(
            !is_about(accent, (own, 44, two)),
            "a copy with its accents apart"
        );
        assert!(
            !is_about("return x", ("src/a.py", 1, "return x")),
            "words that all code shares"
        );
        let key = "-----BEGIN RSA PRIVATE KEY-----";
        assert!(!is_about(key, ("a.py", 1, "def f(x):")));
    }
}
