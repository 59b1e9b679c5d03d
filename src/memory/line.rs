//! Lines of a note: two for people, and one of JSON for the program, versioned and optionally signed.
//!
//! The whole verdict with its report is kilobytes, and nobody wants those in `git log --notes`. It lies in a note of its
//! own (see [`crate::git::keep_text`]); the line on the commit names it and its digest. The signature covers the line's own
//! bytes without it, so that nothing depends on how JSON is written again, and the digest covers the rest.

use std::collections::BTreeSet;

use council_protocol::Location;
use serde::{Deserialize, Serialize};

use crate::council::Dismissal;
use crate::council::ledger::DebateLedger;
use crate::council::outcome::{ReviewedBy, Verdict};
use crate::git::NoteSignature;
use crate::packet::sha256;
use crate::report::Report;
use crate::text::{Untrusted, json_safe};

/// The version that every line carries.
pub(crate) const LINE_VERSION: u32 = 1;

/// The most places that the line for people names.
const MAX_PLACES: usize = 8;

/// A verdict as it stands on the reviewed commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct VerdictLine {
    pub v: u32,
    pub verdict: Verdict,
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
    pub run: String,
    /// When it began, RFC 3339.
    pub made: String,
    /// The report without its ledger and coverage, which follow from the change.
    pub report: Box<Report>,
}

/// A finding that was dismissed, or brought back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DismissalLine {
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
    Verdict(VerdictLine),
    Dismissal(DismissalLine),
}

/// A whole verdict, as it lies apart from the commit. It is of no type that a line on a commit has.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum StoredVerdict {
    VerdictReport(VerdictLine),
}

/// What stands on the commit instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum PointerLine {
    VerdictAt {
        v: u32,
        /// The object whose note is the whole verdict, as hex.
        note: String,
        /// SHA-256 of the whole verdict, 64 hex digits.
        sha256: String,
    },
}

/// Reads the note on an object, as text.
pub(crate) type NoteReader<'a> = &'a dyn Fn(&str) -> Option<String>;

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

impl VerdictLine {
    /// The whole of it as one line, to be kept apart from the commit.
    pub(crate) fn stored_text(&self) -> String {
        let stored = StoredVerdict::VerdictReport(self.clone());
        // Plain data with string keys: this cannot fail.
        json_safe(&serde_json::to_string(&stored).unwrap_or_default())
    }

    /// The line of the commit, whose whole text is the note on `note`.
    pub(crate) fn pointer(note: &str, stored: &str) -> String {
        let pointer = PointerLine::VerdictAt {
            v: LINE_VERSION,
            note: note.to_owned(),
            sha256: sha256(stored.as_bytes()),
        };
        serde_json::to_string(&pointer).unwrap_or_default()
    }

    /// What people see in `git log --notes=council`: the verdict, and where the findings are. They sort before the JSON.
    pub(crate) fn human_lines(&self) -> Vec<String> {
        let day = self.made.get(..10).unwrap_or_default();
        let mut lines = vec![Untrusted::new(&format!("{} ({day})", self.headline)).line()];
        let counted = self.report.outcome.findings.iter();
        let counted: Vec<String> = counted
            .filter(|found| found.level.is_some())
            .map(|found| {
                let Location { path, line, .. } = &found.finding.location;
                let severity = found.finding.severity.as_str();
                match line {
                    // It is about the file, or about a line that is not there any more.
                    0 => format!("{} {severity}", path.display()),
                    line => format!("{}:{line} {severity}", path.display()),
                }
            })
            .collect();
        if !counted.is_empty() {
            let left = counted.len().saturating_sub(MAX_PLACES);
            let mut places = counted[..counted.len() - left].join(", ");
            if left > 0 {
                places.push_str(&format!(" and {left} more"));
            }
            lines.push(Untrusted::new(&format!("findings: {places}")).line());
        }
        lines
    }
}

impl VerdictLine {
    /// The lines of a note that this verdict takes the place of: what people read of other verdicts, so that they read the
    /// last one and not several in the order of the alphabet; and the program's line of the same run, whose verdict was
    /// decided again.
    pub(crate) fn superseded(&self, noted: &[ParsedLine]) -> BTreeSet<String> {
        let mut old = BTreeSet::new();
        for read in noted {
            let NoteLine::Verdict(before) = &read.line else {
                continue;
            };
            old.extend(before.human_lines());
            if (&before.run, &before.made) == (&self.run, &self.made) {
                old.insert(read.text());
            }
        }
        old
    }

    /// Whether it may stand in a note at all: beside a verdict that says more it would be a second word in the same note.
    pub(crate) fn has_place_beside(&self, noted: &[ParsedLine]) -> bool {
        let mut verdicts = noted.iter().filter_map(|read| match &read.line {
            NoteLine::Verdict(before) => Some(before),
            _ => None,
        });
        !verdicts.any(|before| self.says_less_than(before))
    }

    /// Whether it is of rules alone and calm where models objected to the same commit: a push of more commits asks the rules
    /// over all of them, and what everybody fetches must not be calmer than what was found.
    fn says_less_than(&self, before: &Self) -> bool {
        let by_rules = |line: &Self| line.report.outcome.reviewed_by == ReviewedBy::Rules;
        let objects = |line: &Self| matches!(line.verdict, Verdict::Fail | Verdict::Inconclusive);
        by_rules(self) && !by_rules(before) && objects(before) && !objects(self)
    }
}

impl ParsedLine {
    /// The line as it was written.
    fn text(&self) -> String {
        match &self.signature {
            Some(signature) => append_signature(&self.body, signature),
            None => self.body.clone(),
        }
    }
}

/// A line with its signature.
pub(crate) fn append_signature(body: &str, signature: &NoteSignature) -> String {
    let sig = serde_json::to_string(signature).unwrap_or_default();
    let open = body.strip_suffix('}').unwrap_or(body);
    format!("{open}{MARK}{sig}}}")
}

/// Reads a line that is whole in itself; none for one that another program, or a later version, wrote.
pub(crate) fn parse_line(text: &str) -> Option<ParsedLine> {
    parse_noted(text, &|_| None)
}

/// The same of a line on a commit, whose verdict may lie elsewhere: `read` finds it. None where it does not fit its digest.
pub(crate) fn parse_noted(text: &str, read: NoteReader<'_>) -> Option<ParsedLine> {
    let text = text.trim();
    let (body, signature) = match text.rfind(MARK) {
        Some(at) => {
            let sig = text[at + MARK.len()..].strip_suffix('}')?;
            let signature = serde_json::from_slice(sig.as_bytes()).ok()?;
            (format!("{}}}", &text[..at]), Some(signature))
        }
        None => (text.to_owned(), None),
    };
    let line = match serde_json::from_slice::<NoteLine>(body.as_bytes()) {
        Ok(line) => line,
        Err(_) => NoteLine::Verdict(follow_pointer(&body, read)?),
    };
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

fn follow_pointer(body: &str, read: NoteReader<'_>) -> Option<VerdictLine> {
    let PointerLine::VerdictAt {
        v,
        note,
        sha256: digest,
    } = serde_json::from_slice(body.as_bytes()).ok()?;
    let stored = read(&note).filter(|_| v == LINE_VERSION)?;
    let stored = stored.trim_end();
    if sha256(stored.as_bytes()) != digest {
        return None;
    }
    let StoredVerdict::VerdictReport(line) = serde_json::from_slice(stored.as_bytes()).ok()?;
    Some(line)
}

/// The report as a note holds it: what follows from the change is left out.
pub(crate) fn trim_report(report: &Report) -> Report {
    let mut report = report.clone();
    report.outcome.coverage.files.clear();
    report.outcome.ledger = DebateLedger::default();
    // A verdict that was reused on another commit is told of that commit as it was made.
    report.receipt.run.forget_recognition();
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

/// `now`, or the first second after what was decided last about a finding: of two decisions in one second, or before a clock
/// that was put back, the one that was made last holds.
pub(crate) fn time_of_decision<'a>(
    now: &str,
    fingerprint: &str,
    before: impl Iterator<Item = &'a DismissalLine>,
) -> String {
    let own = before.filter(|line| line.dismissal.fingerprint == fingerprint);
    let last = own.map(|line| parse_time(&line.dismissal.at)).max();
    match last.filter(|last| *last >= parse_time(now)) {
        Some(last) => last
            .checked_add(jiff::SignedDuration::from_secs(1))
            .unwrap_or(last)
            .to_string(),
        None => now.to_owned(),
    }
}

/// A time that can be compared across zones; one that cannot be read is the earliest.
fn parse_time(at: &str) -> jiff::Timestamp {
    at.parse().unwrap_or(jiff::Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::council::DismissalGround;

    fn dismissal(at: &str, restored: bool) -> DismissalLine {
        DismissalLine {
            v: LINE_VERSION,
            dismissal: Dismissal {
                fingerprint: "00112233445566aa".into(),
                severity: Some(council_protocol::Severity::Critical),
                classes: vec!["injection".into()],
                said: None,
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

    proptest::proptest! {
        /// What a person said last holds, in one second or with a clock that goes back, in whatever order lines are read.
        #[test]
        fn the_last_decision_holds_whatever_the_clock_says(
            said in proptest::collection::vec((0u8..3, proptest::bool::ANY), 1..8),
        ) {
            let mut lines: Vec<DismissalLine> = Vec::new();
            for (second, restored) in said {
                let now = format!("2026-03-09T10:00:0{second}+01:00");
                let mut line = dismissal(&now, restored);
                let fingerprint = line.dismissal.fingerprint.clone();
                line.dismissal.at = time_of_decision(&now, &fingerprint, lines.iter());
                lines.push(line);
                let mut read = lines.clone();
                read.reverse();
                for read in [lines.clone(), read] {
                    proptest::prop_assert_eq!(latest_dismissals(read).is_empty(), restored);
                }
            }
        }
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

    fn verdict() -> VerdictLine {
        let report = crate::report::json::parse(include_str!("../../docs/examples/report.json"));
        let report = report.unwrap();
        VerdictLine {
            v: LINE_VERSION,
            verdict: report.outcome.verdict,
            headline: report.headline(),
            head: "a".repeat(40),
            base: None,
            patch_id: "b".repeat(64),
            config: "c".repeat(64),
            council: "d".repeat(64),
            key: "e".repeat(64),
            run: report.receipt.run.name.clone(),
            made: report.receipt.run.started.clone(),
            report: Box::new(trim_report(&report)),
        }
    }

    #[test]
    fn the_line_on_a_commit_is_short_and_leads_to_the_whole_verdict() {
        let whole = verdict();
        let stored = whole.stored_text();
        let short = VerdictLine::pointer("0123", &stored);
        assert!(short.len() < 200 && !short.contains('\n'), "{short}");
        let read = |at: &str| (at == "0123").then(|| stored.clone() + "\n");
        let found = parse_noted(&short, &read).unwrap();
        assert_eq!(
            (found.line, found.body.as_str()),
            (NoteLine::Verdict(whole), short.as_str())
        );
        // Without the text, with another one, or taken for a line itself it says nothing.
        assert_eq!(parse_noted(&short, &|_| None), None);
        assert_eq!(
            parse_noted(&short, &|_| Some(stored.replace("WARN", "PASS"))),
            None
        );
        assert_eq!(parse_line(&stored), None);
    }

    #[test]
    fn people_read_the_verdict_and_the_places_first() {
        let mut whole = verdict();
        whole.headline.push_str("\u{1b}[31m\n{\"type\":1}");
        let mut lines = whole.human_lines();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with(whole.verdict.as_str()), "{lines:?}");
        assert!(lines[1].starts_with("findings: "), "{lines:?}");
        assert!(
            lines.iter().all(|line| !line.contains(['\u{1b}', '\n'])),
            "{lines:?}"
        );
        // Notes of two people are merged by sorting their lines.
        lines.push(VerdictLine::pointer("0123", "x"));
        assert!(lines.is_sorted(), "{lines:?}");
    }

    proptest::proptest! {
        /// However often a commit is judged, and with whatever outcome, people read one verdict: the last.
        #[test]
        fn people_read_the_latest_verdict_alone(
            judged in proptest::collection::vec((0u8..3, proptest::bool::ANY), 1..8),
        ) {
            let mut note: BTreeSet<String> = BTreeSet::from(["a line of a person".to_owned()]);
            let mut stored: BTreeMap<String, String> = BTreeMap::new();
            let mut runs = BTreeSet::new();
            for (hour, is_dismissed) in judged {
                let mut next = verdict();
                next.made = format!("2026-03-09T1{hour}:00:00Z");
                next.run = format!("run-{hour}");
                if is_dismissed {
                    next.headline = "PASS: 2 dismissed".to_owned();
                    next.report.outcome.findings.clear();
                }
                let read: Vec<ParsedLine> = note
                    .iter()
                    .filter_map(|text| parse_noted(text, &|at| stored.get(at).cloned()))
                    .collect();
                for old in next.superseded(&read) {
                    note.remove(&old);
                }
                let at = format!("{:04}", stored.len());
                note.extend(next.human_lines());
                note.insert(VerdictLine::pointer(&at, &next.stored_text()));
                stored.insert(at, next.stored_text());
                runs.insert(next.run.clone());
                let told = note.iter().filter(|line| !line.starts_with('{'));
                let told: BTreeSet<String> = told.cloned().collect();
                let mut expected = BTreeSet::from_iter(next.human_lines());
                expected.insert("a line of a person".to_owned());
                proptest::prop_assert_eq!(&told, &expected);
                proptest::prop_assert_eq!(note.len() - told.len(), runs.len());
            }
        }
    }

    /// Rules that find nothing over more commits take no objection of models off a commit; models do, and so do rules that
    /// object themselves.
    #[test]
    fn rules_that_pass_leave_the_objection_of_models_on_the_commit() {
        let line = |by, word| {
            let mut line = verdict();
            line.verdict = word;
            line.report.outcome.reviewed_by = by;
            line
        };
        let verdicts = [
            Verdict::Pass,
            Verdict::Warn,
            Verdict::Fail,
            Verdict::Inconclusive,
        ];
        let benches = [ReviewedBy::Rules, ReviewedBy::Models, ReviewedBy::Both];
        for (before, after) in verdicts.iter().flat_map(|a| verdicts.map(|b| (*a, b))) {
            for (of_before, of_after) in benches.iter().flat_map(|a| benches.map(|b| (*a, b))) {
                let objects = |verdict| matches!(verdict, Verdict::Fail | Verdict::Inconclusive);
                let (noted, next) = (line(of_before, before), line(of_after, after));
                let stored = noted.stored_text();
                let noted = VerdictLine::pointer("0123", &stored);
                let noted = parse_noted(&noted, &|_| Some(stored.clone())).unwrap();
                let is_kept = !next.has_place_beside(&[noted]);
                let expected = of_before != ReviewedBy::Rules
                    && of_after == ReviewedBy::Rules
                    && objects(before)
                    && !objects(after);
                assert_eq!(
                    is_kept, expected,
                    "{before:?} {of_before:?}, {after:?} {of_after:?}"
                );
            }
        }
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
