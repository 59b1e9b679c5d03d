//! What a reader must know beside the findings: who abstained, what was not read, what was dismissed; and the votes.

use council_protocol::CoverageState;

use super::examination;
use super::model::{Block, Depth, IN_ITS_WORDS, Section, Text};
use super::proof;
use crate::council::outcome::{DisagreementKind, JudgeRecord, Verdict};
use crate::council::{NOBODY_ANSWERED, TESTS_BROKE_OFF};
use crate::report::group;
use crate::report::verdict_entry;
use crate::report::whole::Report;
use crate::report::words::{self, JudgeNames};
use crate::text;

/// The most files that a list names.
const MAX_FILES: usize = 100;

/// The most characters of a judge's sentence in a table.
const MAX_INSIGHT: usize = 300;

/// What no reader of a report should miss.
pub(in crate::report) fn essentials(report: &Report, names: &JudgeNames<'_>) -> Vec<Section> {
    let mut know = Section::new("What to know", Depth::Essential, 1);
    for line in examination::answer_to_question(report, names) {
        know.push_item(0, line);
    }
    // Whoever objected before a review was cut off says more of the change than those who did not come to speak.
    let is_cut_off = report.incomplete && report.outcome.verdict == Verdict::Inconclusive;
    let is_by_votes = report.outcome.reason.is_by_votes();
    let objections = || verdict_entry::objections(report, names).into_iter();
    objections()
        .filter(|_| is_cut_off && !is_by_votes)
        .for_each(|objection| know.push_item(0, objection));
    for (why, judges) in abstentions(report, names) {
        know.push_item(
            0,
            format!("{} abstained: {why}", words::join_names(&judges)),
        );
    }
    for (found, dismissal) in report.dismissed_findings() {
        know.push_item(
            0,
            format!("dismissed: {}", words::dismissal_line(found, dismissal)),
        );
    }
    for test in proof::undecided(report, names) {
        know.push_item(0, test);
    }
    // No finding says why, and the vote alone says nothing to whoever has to mend it.
    objections()
        .filter(|_| is_by_votes)
        .for_each(|objection| know.push_item(0, objection));
    if let Some(recognised) = &report.receipt.run.recognised {
        know.push_item(0, format!("reused: {}", recognised.to_sentence()));
    }
    let is_told = |note: &&String| {
        let unread = report.abstained_judges().any(JudgeRecord::objects_unread);
        let names_them = note.contains(" judges counted; abstained: ");
        (names_them || note.as_str() == NOBODY_ANSWERED) && !unread
    };
    // Who abstained, and why, stands above; so does each test that broke off.
    let is_told = |note: &&String| is_told(note) || note.contains(TESTS_BROKE_OFF);
    for note in report.outcome.notes.iter().filter(|note| !is_told(note)) {
        know.push_item(0, format!("note: {note}"));
    }
    vec![know]
}

/// Why judges abstained, with those that did for this reason.
fn abstentions<'a>(report: &'a Report, names: &'a JudgeNames<'_>) -> Vec<(String, Vec<&'a str>)> {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for judge in report.abstained_judges() {
        let why = judge.own_failure().map_or_else(
            || report.outcome.reason.silence().to_owned(),
            |failed| failed.failure.in_words(),
        );
        let name = names.get(&judge.seat.judge);
        match reasons.iter_mut().find(|(other, _)| *other == why) {
            Some((_, judges)) => judges.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    reasons
}

/// Every judge with its votes and its sentence. Where a document was asked for there are no votes.
pub(super) fn votes(report: &Report, names: &JudgeNames<'_>) -> Section {
    let mut section = Section::new("Judges", Depth::Detail, 3);
    let judges = &report.outcome.judges;
    if judges.is_empty() {
        return section;
    }
    let (later, document) = (report.outcome.rounds > 1, report.is_document());
    let header = match (document, later) {
        (true, _) => vec!["Judge", "Agent", IN_ITS_WORDS],
        (_, true) => vec![
            "Judge",
            "Agent",
            "First vote",
            "Last vote",
            "Counts",
            IN_ITS_WORDS,
        ],
        (_, false) => vec!["Judge", "Agent", "Vote", IN_ITS_WORDS],
    };
    let row = |judge: &JudgeRecord| {
        let mut row = vec![
            Text::Prose(names.get(&judge.seat.judge).to_owned()),
            Text::Prose(agent(judge)),
        ];
        let vote = |vote| Text::Prose(words::vote_word(vote).to_owned());
        if !document {
            if later {
                row.extend([vote(judge.r1), vote(judge.r2)]);
            }
            row.push(match judge.counted {
                None => Text::Prose("abstains".to_owned()),
                counted => vote(counted),
            });
        }
        row.push(Text::Prose(own_words(report, judge)));
        row
    };
    let rows = judges.iter().map(row).collect();
    section.blocks.push(Block::Table { header, rows });
    section
}

fn agent(judge: &JudgeRecord) -> String {
    let agent = &judge.seat.agent;
    match &agent.model {
        Some(model) => format!("{} ({model})", agent.name),
        None => agent.name.clone(),
    }
}

/// What a judge said in a sentence, or why it said nothing.
fn own_words(report: &Report, judge: &JudgeRecord) -> String {
    let author = report.outcome.ledger.synthesis.as_ref().map(|s| &s.judge);
    let failed = judge.own_failure().filter(|_| judge.counted.is_none());
    let is_silent = judge.counted.is_none() && judge.key_insight.trim().is_empty();
    let words = match failed {
        None if is_silent && !report.is_document() => report.outcome.reason.silence().to_owned(),
        Some(failed) if judge.r1.is_none() => failed.failure.in_words(),
        _ if report.is_document() && author == Some(&judge.seat.judge) => {
            "puts the document together".to_owned()
        }
        _ if report.is_document() => judge.first_insight.clone(),
        Some(failed) => failed.failure.in_words(),
        None => judge.key_insight.clone(),
    };
    text::clip_chars(&words, MAX_INSIGHT).into_owned()
}

/// Disagreements, recommendations and coverage, file by file.
pub(in crate::report) fn details(report: &Report, names: &JudgeNames<'_>) -> Vec<Section> {
    vec![
        proof::tests(report, names),
        disagreements(report),
        recommendations(report, names),
        coverage(report),
    ]
}

fn disagreements(report: &Report) -> Section {
    let mut section = Section::new("Disagreements", Depth::Detail, 4);
    for disagreement in &report.outcome.disagreements {
        let kind = match disagreement.kind {
            DisagreementKind::CrossVendor => "between vendors",
            DisagreementKind::Critical => "on a critical finding",
            DisagreementKind::Significant => "on a significant finding",
        };
        let id = disagreement.finding.as_ref();
        let id = id.map_or(String::new(), |id| format!(", {id}"));
        section.push_item(0, format!("{kind}{id}"));
        for position in &disagreement.positions {
            section.push_item(2, position.clone());
        }
    }
    section
}

/// What each judge recommends, the same words once. Rules match patterns: where they found nothing, they know of nothing that
/// need not change.
fn recommendations(report: &Report, names: &JudgeNames<'_>) -> Section {
    let mut section = Section::new("Recommendations", Depth::Detail, 5);
    let counted = report.outcome.judges.iter().filter(|j| j.counted.is_some());
    let counted = counted.filter(|j| !j.seat.agent.deterministic);
    let said = counted.filter(|j| !j.recommendation.trim().is_empty());
    let said = said.map(|j| (j.recommendation.as_str(), names.get(&j.seat.judge)));
    for (words, who) in group::by_key(said) {
        section.push_item(0, format!("{}: {words}", words::join_names(&who)));
    }
    section
}

fn coverage(report: &Report) -> Section {
    let mut section = Section::new("Coverage", Depth::Detail, 3);
    let files = &report.outcome.coverage.files;
    if files.is_empty() {
        return section;
    }
    let read = |f: &&council_protocol::coverage::FileCoverage| f.state == CoverageState::Reviewed;
    let read = files.iter().filter(read).count();
    section.push_item(
        0,
        format!("{read} of {} changed files were read in full", files.len()),
    );
    for file in report.outcome.coverage.gaps().take(MAX_FILES) {
        let (path, gap) = (file.path.display(), words::coverage_gap(file));
        section.push_item(0, format!("not read in full: {path} ({gap})"));
    }
    let left = report
        .outcome
        .coverage
        .gaps()
        .count()
        .saturating_sub(MAX_FILES);
    if left > 0 {
        section.push_item(0, format!("not read in full: {left} more"));
    }
    for (why, paths) in words::skipped_files(&report.outcome.coverage) {
        let mut named: Vec<String> = paths
            .iter()
            .take(MAX_FILES)
            .map(|p| p.display().into_owned())
            .collect();
        let left = paths.len().saturating_sub(MAX_FILES);
        named.extend((left > 0).then(|| format!("{left} more")));
        section.push_item(0, format!("skipped, {why}: {}", named.join(", ")));
    }
    section
}
