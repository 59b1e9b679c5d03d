//! Lines of a note: JSON, versioned, each standing for itself, optionally signed.
//!
//! The signature covers the line's own bytes without it, so that nothing depends on how JSON is written again.

use serde::{Deserialize, Serialize};

use crate::council::Dismissal;
use crate::council::ledger::DebateLedger;
use crate::council::outcome::Verdict;
use crate::git::NoteSignature;
use crate::report::Report;
use crate::text::json_safe;

/// The version that every line carries.
pub(crate) const LINE_VERSION: u32 = 1;

/// A verdict as it stands on the reviewed commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct VerdictLine {
    /// [`LINE_VERSION`].
    pub v: u32,
    /// The word.
    pub verdict: Verdict,
    /// One sentence.
    pub headline: String,
    /// The reviewed commit.
    pub head: String,
    /// What it was compared with; none for a root commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// What was changed, white space included, line numbers not: `git patch-id --verbatim` with modes. 64 hex digits.
    pub patch_id: String,
    /// The configuration by which it was judged. 64 hex digits.
    pub config: String,
    /// Who judged it. 64 hex digits.
    pub council: String,
    /// All of that together: the recognition key. 64 hex digits.
    pub key: String,
    /// The run.
    pub run: String,
    /// When it began, RFC 3339.
    pub made: String,
    /// The report without its ledger and coverage, which follow from the change.
    pub report: Box<Report>,
}

/// A finding that was dismissed, or brought back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DismissalLine {
    /// [`LINE_VERSION`].
    pub v: u32,
    /// Which finding, why, by whom and when.
    #[serde(flatten)]
    pub dismissal: Dismissal,
    /// The finding in words, `path:line description`. Untrusted text.
    pub finding: String,
    /// Whether an earlier dismissal is taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restored: bool,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum NoteLine {
    /// A verdict.
    Verdict(VerdictLine),
    /// A dismissal.
    Dismissal(DismissalLine),
}

/// A line that was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParsedLine {
    /// What it says.
    pub line: NoteLine,
    /// The bytes that a signature covers.
    pub body: String,
    /// The signature, if there is one; nobody has checked it.
    pub signature: Option<NoteSignature>,
}

/// What stands before a signature. Inside of a JSON string its quotes would be escaped.
const MARK: &str = ",\"sig\":";

impl NoteLine {
    /// The bytes without a signature.
    pub(crate) fn body(&self) -> String {
        // Plain data with string keys: this cannot fail. `git notes` prints it to a terminal as it is.
        json_safe(&serde_json::to_string(self).unwrap_or_default())
    }
}

/// A line with its signature.
pub(crate) fn append_signature(body: &str, signature: &NoteSignature) -> String {
    let sig = serde_json::to_string(signature).unwrap_or_default();
    let open = body.strip_suffix('}').unwrap_or(body);
    format!("{open}{MARK}{sig}}}")
}

/// Reads a line; none for one that another program, or a later version, wrote.
pub(crate) fn parse_line(text: &str) -> Option<ParsedLine> {
    let text = text.trim();
    let (body, signature) = match text.rfind(MARK) {
        Some(at) => {
            let sig = text[at + MARK.len()..].strip_suffix('}')?;
            let signature = serde_json::from_str(sig).ok()?;
            (format!("{}}}", &text[..at]), Some(signature))
        }
        None => (text.to_owned(), None),
    };
    let line: NoteLine = serde_json::from_str(&body).ok()?;
    let version = match &line {
        NoteLine::Verdict(verdict) => verdict.v,
        NoteLine::Dismissal(dismissal) => dismissal.v,
    };
    (version == LINE_VERSION).then_some(ParsedLine {
        line,
        body,
        signature,
    })
}

/// The report as a note holds it: what follows from the change is left out.
pub(crate) fn trim_report(report: &Report) -> Report {
    let mut report = report.clone();
    report.outcome.coverage.files.clear();
    report.outcome.ledger = DebateLedger::default();
    report
}

/// The dismissals that hold: for each finding the latest line decides.
pub(crate) fn latest_dismissals(mut lines: Vec<DismissalLine>) -> Vec<Dismissal> {
    lines.sort_by(|a, b| {
        let place = |line: &DismissalLine| {
            (
                line.dismissal.fingerprint.clone(),
                parse_time(&line.dismissal.at),
            )
        };
        place(a).cmp(&place(b)).then(a.restored.cmp(&b.restored))
    });
    let mut held: Vec<Dismissal> = Vec::new();
    for DismissalLine {
        dismissal,
        restored,
        ..
    } in lines
    {
        held.retain(|other| other.fingerprint != dismissal.fingerprint);
        if !restored {
            held.push(dismissal);
        }
    }
    held
}

/// A time that can be compared across zones; one that cannot be read is the earliest.
fn parse_time(at: &str) -> jiff::Timestamp {
    at.parse().unwrap_or(jiff::Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::council::DismissalGround;

    fn dismissal(at: &str, restored: bool) -> DismissalLine {
        DismissalLine {
            v: LINE_VERSION,
            dismissal: Dismissal {
                fingerprint: "00112233445566aa".into(),
                ground: DismissalGround::AcceptedRisk,
                because: "we say ,\"sig\":{} here".into(),
                by: "Ann <ann@example.com>".into(),
                at: at.into(),
            },
            finding: "a.rs:1 x".into(),
            restored,
        }
    }

    #[test]
    fn a_line_is_one_line_and_its_signature_covers_the_rest() {
        let line = NoteLine::Dismissal(dismissal("2026-03-09T10:00:00+01:00", false));
        let body = line.body();
        assert!(!body.contains('\n'));
        let signature = NoteSignature {
            format: "ssh".into(),
            value: "-----BEGIN\nx\n-----END".into(),
        };
        let text = append_signature(&body, &signature);
        assert!(!text.contains('\n'));
        assert_eq!(
            parse_line(&text),
            Some(ParsedLine {
                line: line.clone(),
                body: body.clone(),
                signature: Some(signature)
            })
        );
        assert_eq!(parse_line(&body).unwrap().signature, None);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (&value["type"], &value["v"]),
            (&"dismissal".into(), &1.into())
        );
    }

    #[test]
    fn what_is_not_ours_is_passed_over() {
        for text in [
            "",
            "{}",
            "not json",
            "{\"type\":\"verdict\"}",
            "{\"type\":\"other\",\"v\":1}",
        ] {
            assert_eq!(parse_line(text), None, "{text}");
        }
        let later = NoteLine::Dismissal(DismissalLine {
            v: 2,
            ..dismissal("2026-03-09T10:00:00Z", false)
        });
        assert_eq!(parse_line(&later.body()), None);
    }

    #[test]
    fn the_latest_word_on_a_finding_holds_whatever_the_zone() {
        let first = dismissal("2026-03-09T10:00:00+05:00", false);
        let back = dismissal("2026-03-09T06:00:00+00:00", true);
        assert_eq!(latest_dismissals(vec![first.clone()]).len(), 1);
        assert_eq!(latest_dismissals(vec![back.clone(), first.clone()]), []);
        let again = dismissal("2026-03-09T07:00:00Z", false);
        assert_eq!(latest_dismissals(vec![again, back, first]).len(), 1);
    }
}
