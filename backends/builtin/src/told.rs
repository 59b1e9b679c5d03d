//! What of a rule's hits is listed, and what stands for the rest: nothing is left out without a word, and whoever dismisses
//! a finding knows what that covers.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use council_protocol::{Finding, Severity};

use sha2::{Digest as _, Sha256};

use crate::joined::{join_groups, known_by};
use crate::perspective::SECURITY;
use crate::review::to_finding;
use crate::rules::RULES;
use crate::scan::FoundHit;
use crate::view::ChangeView;

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

/// A finding as it is told, with what it stands for.
#[derive(Debug, Clone)]
pub(crate) struct ToldFinding {
    pub(crate) finding: Finding,
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

/// The findings that are worth telling, rule by rule, in the order of their ids.
pub(crate) fn findings_by_rule(
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
pub(crate) fn worst_first(findings: impl Iterator<Item = ToldFinding>) -> Vec<Finding> {
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
    let more = count_more(count, BEYOND_ANSWER, parts);
    let mut first = first.clone();
    first.finding.description += &more;
    first.more += count;
    Some(first)
}

/// Leaves as many of a tool's findings as an answer lists, where the worst come first; the last one stands for the rest.
pub fn list_first(findings: &mut Vec<Finding>, most: usize) {
    if findings.len() > most {
        let rest = findings.split_off(most.saturating_sub(1)).into_iter();
        let rest = rest_of_answer(rest.map(ToldFinding::alone).collect());
        findings.extend(rest.map(|told| told.finding));
    }
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
/// What no report lists: the council has no dismissal cover it, and knows it by these words.
const BEYOND_ANSWER: &str = "than an answer lists";

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
        // Whoever was told that there are more critical ones has not seen what each of them is.
        let is_listed = first.severity < Severity::Critical;
        let place = if is_listed { place } else { BEYOND_ANSWER };
        let place = format!("{place}{}", unread_words(others));
        told.known_by += &count_more(others.len(), &place, parts.iter().cloned());
        let listed = match is_listed {
            true => format!("{place}: {}", list_places(change, first.hit.file, others)),
            false => place,
        };
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
