//! R1: what the rules find becomes a vote, a sentence and findings.

use council_protocol::answer::Evidence;
use council_protocol::seat::RuleSettings;
use council_protocol::{Answer, BlobSource, Finding, Location, Packet, Severity, Turn, Vote};

use crate::applicable::ActiveRules;
use crate::rule::RuleHit;
use crate::scan::{FoundHit, scan_change};
use crate::secret::without_secrets;
use crate::told::{ToldFinding, findings_by_rule, worst_first};
use crate::view::{ChangeView, FileView, clip_end, clip_start};

/// What a judge holds after R1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RulePosition {
    pub(crate) vote: Vote,
    pub(crate) findings: Vec<Finding>,
    insight: String,
    recommendation: String,
}

/// What all rules have to say of a change. Judges of different perspectives share it: each of them says a part.
#[derive(Debug)]
pub(crate) struct ReviewedRules {
    /// The findings that are worth telling, rule by rule.
    by_rule: Vec<(&'static str, Vec<ToldFinding>)>,
    files: usize,
    added_lines: usize,
}

impl ReviewedRules {
    /// Looks at the change with all rules that the settings leave.
    pub(crate) fn of_change(
        packet: &Packet,
        blobs: &dyn BlobSource,
        settings: &RuleSettings,
    ) -> Self {
        Self::with_bench(packet, blobs, &ActiveRules::new("", settings))
    }

    /// The same with some of the rules.
    pub(crate) fn with_bench(packet: &Packet, blobs: &dyn BlobSource, bench: &ActiveRules) -> Self {
        let change = ChangeView::new(packet, blobs);
        let found = scan_change(&change, bench);
        Self {
            by_rule: findings_by_rule(&change, &found),
            files: change.files.len(),
            added_lines: change.files.iter().map(|f| f.added_lines().count()).sum(),
        }
    }

    /// The position of a judge who holds the rules of `bench`.
    pub(crate) fn take_position(&self, perspective: &str, bench: &ActiveRules) -> RulePosition {
        let active = bench.active_ids();
        let own = self.by_rule.iter().filter(|(id, _)| active.contains(id));
        let findings = worst_first(own.flat_map(|(_, findings)| findings.iter().cloned()));
        RulePosition {
            vote: vote_for(findings.iter().map(|f| f.severity).max()),
            insight: self.key_insight(perspective, bench, &findings),
            recommendation: top_recommendation(&findings),
            findings,
        }
    }

    fn key_insight(&self, perspective: &str, bench: &ActiveRules, findings: &[Finding]) -> String {
        let scope = format!(
            "{} and {}",
            format_count(self.added_lines, "added line"),
            format_count(self.files, "file")
        );
        let name = if perspective.is_empty() {
            "built-in"
        } else {
            perspective
        };
        let rules = format_count(bench.len(), &format!("{name} rule"));
        match findings {
            [] => format!("{rules} found nothing in {scope}."),
            [worst] => format!(
                "One finding in {scope}: {} ({}).",
                without_period(&worst.description),
                format_place(worst)
            ),
            [worst, rest @ ..] => {
                let description = without_period(&worst.description);
                format!(
                    "{description} ({}), and {} in {scope}.",
                    format_place(worst),
                    format_count(rest.len(), "further finding")
                )
            }
        }
    }
}

/// The vote that the worst finding asks for.
pub(crate) fn vote_for(worst: Option<Severity>) -> Vote {
    match worst {
        Some(Severity::Critical) => Vote::Fail,
        Some(Severity::Significant) => Vote::Warn,
        Some(Severity::Minor) | None => Vote::Pass,
    }
}

impl RulePosition {
    /// A position that a test takes.
    #[cfg(test)]
    pub(crate) fn for_test(vote: Vote, findings: Vec<Finding>) -> Self {
        Self {
            vote,
            findings,
            insight: "Something was found.".into(),
            recommendation: String::new(),
        }
    }

    /// The answer of R1.
    pub(crate) fn build_answer(&self, turn: &Turn) -> Answer {
        Answer {
            findings: self.findings.clone(),
            key_insight: self.insight.clone(),
            recommendation: self.recommendation.clone(),
            ..Answer::new(turn.round, turn.key.clone(), self.vote)
        }
    }

    /// Whether the judge had itself reported the place of a piece of evidence, or the same text.
    pub(crate) fn has_reported(&self, evidence: &Evidence) -> bool {
        self.findings.iter().any(|finding| {
            let place = &finding.location;
            let lines = place.line..=place.end_line.unwrap_or(place.line);
            let same = finding
                .quote
                .split_whitespace()
                .eq(evidence.quote.split_whitespace());
            place.path == evidence.path && (lines.contains(&evidence.line) || same)
        })
    }

    /// The judge's own position in two or three sentences.
    pub(crate) fn restatement(&self) -> String {
        let evidence = match self.findings.first() {
            None => "I found nothing that stands against the change.".to_owned(),
            Some(worst) => format!("My key evidence is {}.", format_place(worst)),
        };
        format!(
            "In round 1 I voted {}. {} {evidence}",
            self.vote.as_str(),
            self.insight
        )
    }
}

/// A longer suggestion belongs to a packed line that nobody mends by hand.
const MAX_SUGGESTION_BYTES: usize = 4_000;
pub(crate) const MAX_DESCRIPTION_CHARS: usize = 400;

/// The end of a quote that is too long: what stands right before the place, and is still found in the line.
pub(crate) fn clip_quote(quote: &str) -> String {
    clip_end(quote).trim().to_owned()
}

pub(crate) fn clip_text(text: &str, chars: usize) -> &str {
    let end = text
        .char_indices()
        .nth(chars)
        .map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// How much of a line is redacted for its quote, in bytes.
const MAX_REDACTED_LINE: usize = 8 << 10;

/// What a finding quotes, without its secrets. The start of a line is cut after they are replaced: half a token is shaped
/// like none, or like another one, and stands nowhere in the file as everybody is shown it.
pub(crate) fn shown_quote(file: &FileView<'_>, hit: &RuleHit) -> String {
    let path = file.change.path.display();
    let line = file.line_text(hit.line).unwrap_or_default().trim();
    let is_cut = line.len() > hit.quote.len() && line.starts_with(&hit.quote);
    if hit.quote.is_empty() || !is_cut {
        return clip_quote(&without_secrets(&path, &hit.quote));
    }
    let line = &line[..line.floor_char_boundary(MAX_REDACTED_LINE)];
    clip_start(&without_secrets(&path, line)).trim().to_owned()
}

/// The same where the text of the line begins somewhere within it. Its beginning may be the end of a secret: the quote
/// is taken from behind it, where everything is replaced as it is in the whole line.
pub(crate) fn shown_within(file: &FileView<'_>, hit: &RuleHit) -> String {
    let line = file.line_text(hit.line).unwrap_or_default();
    let line = &line[..line.floor_char_boundary(2 * MAX_REDACTED_LINE)];
    let shown = without_secrets(&file.change.path.display(), line);
    let behind = &shown[shown.ceil_char_boundary(shown.len() / 2)..];
    clip_start(behind).trim().to_owned()
}

/// The finding as the protocol has it.
pub(crate) fn to_finding(change: &ChangeView<'_>, found: &FoundHit) -> Finding {
    let (info, hit) = (&found.rule.info, &found.hit);
    let path = &change.files[hit.file].change.path;
    Finding {
        severity: found.severity,
        category: info.category.to_owned(),
        rule: Some(info.id.to_owned()),
        description: clip_text(&hit.description, MAX_DESCRIPTION_CHARS).to_owned(),
        location: Location {
            path: path.clone(),
            line: hit.line,
            end_line: hit.end_line,
        },
        quote: shown_quote(&change.files[hit.file], hit),
        why: info.reason().to_owned(),
        fix: info.fix.to_owned(),
        suggestion: hit
            .suggestion
            .clone()
            .filter(|text| text.len() <= MAX_SUGGESTION_BYTES),
        reference: Some(format!("git council explain {}", info.id)),
    }
}

fn top_recommendation(findings: &[Finding]) -> String {
    match findings.first() {
        None => "Nothing needs to change.".to_owned(),
        Some(worst) => format!("{}: {}", format_place(worst), worst.fix),
    }
}

/// `path:line`, or the path for the file as a whole.
pub(crate) fn format_place(finding: &Finding) -> String {
    let path = finding.location.path.display();
    match finding.location.line {
        0 => path.into_owned(),
        line => format!("{path}:{line}"),
    }
}

fn without_period(description: &str) -> &str {
    description.trim_end_matches('.')
}

fn format_count(n: usize, what: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {what}{ending}")
}
