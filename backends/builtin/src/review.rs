//! R1: what the rules find becomes a vote, a sentence and findings.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use council_protocol::answer::Evidence;
use council_protocol::seat::RuleSettings;
use council_protocol::{Answer, BlobSource, Finding, Location, Packet, Severity, Turn, Vote};

use sha2::{Digest as _, Sha256};

use crate::joined::{join_groups, known_by};
use crate::perspective::SECURITY;
use crate::rule::RuleHit;
use crate::rules::RULES;
use crate::scan::{ActiveRules, FoundHit, scan_change};
use crate::secret::without_secrets;
use crate::view::{ChangeView, FileView, clip_end, clip_start};

/// The most findings of one rule in a change, and of a minor one a single note: what is repeated is not read. Rules
/// against attacks and critical findings report each file.
const MAX_PER_CHANGE: usize = 3;
/// The most findings of one rule in one file, where each file is reported; one more stands for the rest. Critical ones are
/// all listed: whoever has dismissed some has not dismissed the others.
const MAX_PER_FILE: usize = 5;
/// The most findings of one answer, worst first.
const MAX_FINDINGS: usize = 200;

/// How many bytes of JSON they come to: well below the default of `limits.answer`.
const MAX_FINDING_BYTES: usize = 512 << 10;

/// What a judge holds after R1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RulePosition {
    pub(crate) vote: Vote,
    pub(crate) findings: Vec<Finding>,
    insight: String,
    recommendation: String,
}

/// A finding as it is told, with what it stands for.
#[derive(Debug, Clone)]
struct ToldFinding {
    finding: Finding,
    /// How many others it stands for.
    more: usize,
    /// Its words without the numbers of lines: they move.
    known_by: String,
}

impl ToldFinding {
    fn alone(finding: Finding) -> Self {
        Self {
            known_by: finding.description.clone(),
            more: 0,
            finding,
        }
    }
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

/// The findings that are worth telling, rule by rule, in the order of their ids.
fn findings_by_rule(
    change: &ChangeView<'_>,
    found: &[FoundHit],
) -> Vec<(&'static str, Vec<ToldFinding>)> {
    let mut by_rule: Vec<&FoundHit> = found.iter().collect();
    by_rule.sort_by_key(|f| (f.rule.info.id, f.hit.file));
    let rules = by_rule.chunk_by(|a, b| a.rule.info.id == b.rule.info.id);
    rules
        .map(|of_rule| (of_rule[0].rule.info.id, findings_of_rule(change, of_rule)))
        .collect()
}

fn findings_of_rule(change: &ChangeView<'_>, of_rule: &[&FoundHit]) -> Vec<ToldFinding> {
    let minor = |f: &&FoundHit| f.severity == Severity::Minor;
    let (notes, worse): (Vec<&FoundHit>, Vec<&FoundHit>) = of_rule.iter().copied().partition(minor);
    let worse = join_groups(change, &worse);
    let worse: Vec<&FoundHit> = worse.iter().collect();
    let mut kept = first_and_more(change, &notes, 1, MORE_IN_CHANGE);
    // What fails a change is listed wherever it stands: whoever mends three of four is not told of the fourth too late.
    let fails = worse.iter().any(|f| f.severity == Severity::Critical);
    if fails || of_rule[0].rule.info.perspective == SECURITY {
        for of_file in worse.chunk_by(|a, b| a.hit.file == b.hit.file) {
            let critical = |f: &&&FoundHit| f.severity == Severity::Critical;
            // One more stands for the rest.
            let critical = of_file.iter().filter(critical).count();
            let critical = critical.min(MAX_FINDINGS - 1);
            let most = critical.max(MAX_PER_FILE);
            kept.extend(first_and_more(change, of_file, most, MORE_IN_FILE));
        }
    } else {
        kept.extend(first_and_more(
            change,
            &worse,
            MAX_PER_CHANGE,
            MORE_IN_CHANGE,
        ));
    }
    kept
}

/// As many findings as an answer holds.
fn worst_first(findings: impl Iterator<Item = ToldFinding>) -> Vec<Finding> {
    let mut kept: Vec<ToldFinding> = findings.collect();
    sort_by_place(&mut kept);
    if kept.len() > listed_whole(&kept) {
        kept = fairly_ordered(kept);
        let most = listed_whole(&kept);
        let rest = kept.split_off(most.saturating_sub(1));
        sort_by_place(&mut kept);
        kept.extend(rest_of_answer(rest));
    }
    kept.into_iter().map(|told| told.finding).collect()
}

fn sort_by_place(findings: &mut [ToldFinding]) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (Reverse(f.severity), f.location.clone(), f.rule.clone());
        key(&a.finding).cmp(&key(&b.finding))
    });
}

/// The order in which findings are kept where not all have room: the worst first, of these what is so by itself rather
/// than by the configuration, and of each rule the first before the second of any other. No rule that a change fills
/// with hits pushes the finding of another one off the list.
fn fairly_ordered(findings: Vec<ToldFinding>) -> Vec<ToldFinding> {
    let mut seen: BTreeMap<(Severity, Option<String>), usize> = BTreeMap::new();
    let mut ranked: Vec<_> = findings
        .into_iter()
        .map(|told| {
            let finding = &told.finding;
            let rank = seen
                .entry((finding.severity, finding.rule.clone()))
                .or_default();
            *rank += 1;
            let own = finding.rule.as_deref().and_then(own_severity);
            ((Reverse(finding.severity), Reverse(own), *rank), told)
        })
        .collect();
    ranked.sort_by_key(|(key, _)| *key);
    ranked.into_iter().map(|(_, told)| told).collect()
}

/// How severe a rule's findings are where nobody sets it.
fn own_severity(id: &str) -> Option<Severity> {
    let rule = RULES.iter().find(|rule| rule.info.id == id)?;
    Some(rule.info.severity)
}

/// How many findings an answer lists: paths may be so long that a few of them fill it, and an answer that is too large does
/// not count.
fn listed_whole(findings: &[ToldFinding]) -> usize {
    let mut bytes = 0;
    let fits = |told: &&ToldFinding| {
        bytes += serde_json::to_vec(&told.finding).map_or(0, |json| json.len());
        bytes <= MAX_FINDING_BYTES
    };
    let count = findings.iter().take(MAX_FINDINGS).take_while(fits).count();
    count.max(1)
}

/// What an answer does not list, as one finding: the worst of it.
fn rest_of_answer(rest: Vec<ToldFinding>) -> Option<ToldFinding> {
    let (first, others) = rest.split_first()?;
    // Each of them may stand for others itself.
    let count = others.iter().map(|told| 1 + told.more).sum();
    let parts = rest.iter().map(name_rest);
    let more = count_more(count, "than an answer lists", parts);
    let mut first = first.clone();
    first.finding.description += &more;
    first.more += count;
    Some(first)
}

/// What a finding is known by that is not listed.
fn name_rest(told: &ToldFinding) -> String {
    let finding = &told.finding;
    let place = &finding.location.path;
    let rule = finding.rule.as_deref().unwrap_or_default();
    format!(
        "{rule}\0{}\0{}\0{}",
        place.display(),
        finding.quote,
        told.known_by
    )
}

pub(crate) const MORE_IN_FILE: &str = "in this file";
pub(crate) const MORE_IN_CHANGE: &str = "in this change";

/// The worst findings of a group. Of notes the last one says how many more there are; of what is worse the rest is a
/// finding of its own, so that whoever dismisses those that are listed has not dismissed the rest.
fn first_and_more(
    change: &ChangeView<'_>,
    group: &[&FoundHit],
    most: usize,
    place: &str,
) -> Vec<ToldFinding> {
    let mut worst = group.to_vec();
    worst.sort_by_key(|f| Reverse(f.severity));
    let mut rest = worst.split_off(most.min(worst.len()));
    worst.sort_by_key(|f| (f.hit.file, f.hit.line));
    rest.sort_by_key(|f| (Reverse(f.severity), f.hit.file, f.hit.line));
    let mut kept: Vec<ToldFinding> = worst
        .iter()
        .map(|found| ToldFinding::alone(to_finding(change, found)))
        .collect();
    if rest.first().is_some_and(|f| f.severity > Severity::Minor) {
        kept.extend(rest_of_group(change, &rest, place));
    } else if let Some(last) = kept.last_mut().filter(|_| !rest.is_empty()) {
        let are = if rest.len() == 1 {
            "There is"
        } else {
            "There are"
        };
        let unread = unread_words(&rest);
        let more = format!(" {are} {} more {place}{unread}.", rest.len());
        last.finding.description += &more;
        last.known_by += &more;
        last.more = rest.len();
    }
    kept
}

/// What their rule was not asked about behind these, in words.
fn unread_words(rest: &[&FoundHit]) -> String {
    let unread = rest.iter().filter_map(|found| found.unread);
    match unread.map(|unread| unread.count).sum() {
        0 => String::new(),
        1 => ", and one line behind them was not looked at".to_owned(),
        lines => format!(", and {lines} lines behind them were not looked at one by one"),
    }
}

/// The rest of a group as one finding, at the first of them.
fn rest_of_group(change: &ChangeView<'_>, rest: &[&FoundHit], place: &str) -> Option<ToldFinding> {
    let (first, others) = rest.split_first()?;
    let mut told = ToldFinding::alone(to_finding(change, first));
    if !others.is_empty() {
        let unread = others.iter().filter_map(|found| found.unread);
        let unread = unread.map(|unread| hex::encode(unread.digest));
        let parts = others.iter().map(|found| known_by(change, found));
        let parts: Vec<String> = parts.chain(unread).collect();
        let place = format!("{place}{}", unread_words(others));
        told.known_by += &count_more(others.len(), &place, parts.iter().cloned());
        let listed = format!("{place}: {}", list_places(change, first.hit.file, others));
        told.finding.description += &count_more(others.len(), &listed, parts.into_iter());
        told.more = others.len();
    }
    Some(told)
}

/// The most places that a finding for the rest names; beyond them it says how many there are.
const MAX_PLACES: usize = 60;

/// `lines 14, 16 and 20-24`, and of other files `b.py:3`: whoever dismisses the rest is told what that covers.
fn list_places(change: &ChangeView<'_>, file: usize, others: &[&FoundHit]) -> String {
    let mut hits: Vec<(bool, usize, u32)> = others
        .iter()
        .map(|found| (found.hit.file != file, found.hit.file, found.hit.line))
        .collect();
    hits.sort_unstable();
    let runs = hits.chunk_by(|a, b| a.1 == b.1 && b.2 <= a.2 + 1);
    let place = |run: &[(bool, usize, u32)]| {
        let (first, last) = (run[0], run[run.len() - 1]);
        let lines = match first.2 == last.2 {
            true => first.2.to_string(),
            false => format!("{}-{}", first.2, last.2),
        };
        match first.0 {
            true => format!("{}:{lines}", change.files[first.1].change.path.display()),
            false => lines,
        }
    };
    let mut listed = runs.clone().take(MAX_PLACES).map(place).collect::<Vec<_>>();
    let left: usize = runs.skip(MAX_PLACES).map(<[_]>::len).sum();
    listed.extend((left > 0).then(|| format!("{left} more")));
    let noun = match hits.iter().filter(|hit| !hit.0).count() {
        0 => "",
        1 => "line ",
        _ => "lines ",
    };
    match listed.split_last() {
        Some((last, [])) => format!("{noun}{last}"),
        Some((last, before)) => format!("{noun}{} and {last}", before.join(", ")),
        None => String::new(),
    }
}

/// ` There are 34 more in this file (3f9a).` The digits tell these from others, so that a dismissal covers no more than
/// what was there when it was made.
pub(crate) fn count_more(more: usize, place: &str, parts: impl Iterator<Item = String>) -> String {
    let are = if more == 1 { "There is" } else { "There are" };
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let digits = hex::encode(&digest.finalize()[..2]);
    format!(" {are} {more} more {place} ({digits}).")
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
