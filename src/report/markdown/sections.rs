//! The sections of the parent's layout (councils.md 1.12): findings, disagreements, shifts, notes, coverage.

use super::document::MarkdownSection;
use super::{cell, finding, folded, row, table};
use crate::council::outcome::{
    ChallengeRecord, DisagreementKind, Disposition, JudgeRecord, JudgedFinding,
};
use crate::report::words::{self, JudgeNames};
use crate::report::{MAX_DOCUMENT, Report, group};
use crate::text::Untrusted;
use council_protocol::RepoPath;

/// The most files that a list names.
const MOST_FILES: usize = 100;

/// What a reader must know before anything else.
pub(super) fn banners(report: &Report) -> Vec<String> {
    let mut banners = Vec::new();
    if report.incomplete {
        banners.push(
            "> **INCOMPLETE.** The run was cut short: votes and findings may be missing."
                .to_owned(),
        );
    }
    if report.outcome.converged {
        banners.push(format!(
            "> **Convergence Detected.** {}",
            words::CONVERGENCE
        ));
    }
    banners
}

/// Everything between verdicts and receipt.
pub(super) fn all(report: &Report, names: &JudgeNames<'_>) -> Vec<MarkdownSection> {
    let confirmed = |f: &&JudgedFinding| f.disposition == Disposition::Confirmed;
    let single = |f: &&JudgedFinding| {
        matches!(
            f.disposition,
            Disposition::Disputed | Disposition::Unconfirmed
        )
    };
    let blocks = |is: &dyn Fn(&&JudgedFinding) -> bool| -> Vec<String> {
        let weighty = group::group_findings(report.weighty_findings().filter(is), false);
        let noted = group::group_findings(report.note_findings().filter(is), false);
        let noted: Vec<String> = noted.iter().map(|g| finding::brief(g, names)).collect();
        let full = weighty.iter().map(|g| finding::full(g, names));
        full.chain(noted.chunks(20).map(|lines| lines.join("\n")))
            .collect()
    };
    let rejected: Vec<String> = report
        .rejected_findings()
        .map(|f| finding::rejected(f, names))
        .collect();
    let rejected = match rejected.as_slice() {
        [] => Vec::new(),
        lines => vec![folded(
            &format!("{} not counted", lines.len()),
            &lines.join("\n"),
        )],
    };
    let dismissed: Vec<String> = report
        .dismissed_findings()
        .map(|(f, d)| format!("- {}", finding::prose(&words::dismissal_line(f, d))))
        .collect();
    let dismissed = match dismissed.is_empty() {
        true => Vec::new(),
        false => vec![dismissed.join("\n")],
    };
    vec![
        MarkdownSection::new("Document", 1, synthesis(report)),
        MarkdownSection::new("Shared findings", 1, blocks(&confirmed)),
        MarkdownSection::new("Findings of one judge", 2, blocks(&single)),
        MarkdownSection::new("Disagreements", 3, disagreements(report)),
        MarkdownSection::new("Verdict shifts", 4, shifts(report, names)),
        MarkdownSection::new("Debate notes", 7, debate(report, names)),
        MarkdownSection::new("Recommendation", 5, recommendations(report, names)),
        MarkdownSection::new("Dismissed findings", 9, dismissed),
        MarkdownSection::new("Rejected findings", 9, rejected),
        MarkdownSection::new("Coverage", 2, coverage(report)),
        MarkdownSection::new("Notes", 3, notes(report)),
    ]
}

/// What came out of a debate without a verdict, fenced: it is a model's Markdown.
fn synthesis(report: &Report) -> Vec<String> {
    let document = report.outcome.ledger.synthesis.as_ref();
    let document = document.filter(|synthesis| !synthesis.document.trim().is_empty());
    let fence = |text: &str| Untrusted::new(text.trim()).fence("markdown", MAX_DOCUMENT);
    let blocks = document.map(|synthesis| fence(&synthesis.document).trim_end().to_owned());
    blocks.into_iter().collect()
}

fn disagreements(report: &Report) -> Vec<String> {
    let block = |d: &crate::council::outcome::Disagreement| {
        let kind = match d.kind {
            DisagreementKind::CrossVendor => "between vendors",
            DisagreementKind::Critical => "on a critical finding",
            DisagreementKind::Significant => "on a significant finding",
        };
        let id = d.finding.as_ref().map_or(String::new(), |id| {
            format!(", {}", Untrusted::new(id).prose())
        });
        let mut lines = vec![format!("- **Disagreement {kind}{id}**")];
        lines.extend(
            d.positions
                .iter()
                .map(|p| format!("  - {}", finding::prose(p))),
        );
        lines.join("\n")
    };
    report.outcome.disagreements.iter().map(block).collect()
}

/// R1, R2, whether the vote changed, and on what.
fn shifts(report: &Report, names: &JudgeNames<'_>) -> Vec<String> {
    if report.is_document() {
        return Vec::new();
    }
    if report.outcome.rounds < 2 {
        return Vec::new();
    }
    let moved = |j: &&JudgeRecord| j.r1.is_some() && (j.change.is_some() || j.r2.is_none());
    let rows: Vec<String> = report
        .outcome
        .judges
        .iter()
        .filter(moved)
        .map(|j| shift(j, names))
        .collect();
    if rows.is_empty() {
        return vec!["No judge changed its vote.".to_owned()];
    }
    vec![table(
        &[
            "Judge",
            "R1",
            &words::last_round(report),
            "Changed",
            "Reason",
        ],
        &rows,
    )]
}

fn shift(judge: &JudgeRecord, names: &JudgeNames<'_>) -> String {
    let (changed, reason) = match &judge.change {
        Some(change) if change.weak => {
            let note = if change.note.is_empty() {
                "no evidence was named"
            } else {
                &change.note
            };
            (
                "weak".to_owned(),
                format!("{}; {} stands", cell(note), change.from.as_str()),
            )
        }
        Some(change) => ("yes".to_owned(), evidence(change.evidence.as_ref())),
        None if judge.r2.is_none() => (
            "no".to_owned(),
            format!("R1 verdict ({})", later_failure(judge)),
        ),
        None => ("no".to_owned(), "–".to_owned()),
    };
    row(&[
        cell(names.get(&judge.seat.judge)),
        words::vote_word(judge.r1).to_owned(),
        words::vote_word(judge.r2).to_owned(),
        changed,
        reason,
    ])
}

fn evidence(evidence: Option<&council_protocol::answer::Evidence>) -> String {
    evidence.map_or("–".to_owned(), |e| {
        let at = Untrusted::new(&format!("{}:{}", e.path.display(), e.line)).code_cell();
        let quote = Untrusted::new(words::first_line(&e.quote)).code_cell();
        format!("{at}: {quote}")
    })
}

fn later_failure(judge: &JudgeRecord) -> String {
    let failure = judge.failures.iter().rev().find(|f| f.round > 1);
    failure.map_or("no R2".to_owned(), |f| format!("R2 {}", f.failure.kind))
}

/// Key exchanges and the best case for the other side.
fn debate(report: &Report, names: &JudgeNames<'_>) -> Vec<String> {
    let mut blocks: Vec<String> = report
        .outcome
        .challenges
        .iter()
        .map(|c| challenge(c, names))
        .collect();
    // What a rule restates stands in its findings.
    let thinking = report
        .outcome
        .judges
        .iter()
        .filter(|j| !j.seat.agent.deterministic);
    blocks.extend(said(names, "restated", thinking, |j| {
        j.restatement.as_deref()
    }));
    blocks.extend(said(
        names,
        "for the other side",
        report.outcome.judges.iter(),
        |j| j.steel_man.as_deref(),
    ));
    blocks
}

/// What judges said under one heading, the same words once.
fn said<'a>(
    names: &JudgeNames<'_>,
    what: &str,
    judges: impl Iterator<Item = &'a JudgeRecord>,
    text: fn(&JudgeRecord) -> Option<&str>,
) -> Vec<String> {
    let spoken = judges.filter_map(|j| {
        Some((
            text(j).filter(|t| !t.trim().is_empty())?,
            names.get(&j.seat.judge),
        ))
    });
    let line = |(text, who): (&str, Vec<&str>)| {
        let who = Untrusted::new(&words::join_names(&who)).prose();
        let what = if what.is_empty() {
            String::new()
        } else {
            format!(", {what}")
        };
        format!("- **{who}{what}:** {}", finding::prose(text))
    };
    group::by_key(spoken).into_iter().map(line).collect()
}

fn challenge(challenge: &ChallengeRecord, names: &JudgeNames<'_>) -> String {
    let from = Untrusted::new(names.get(&challenge.from)).prose();
    let to = Untrusted::new(names.get(&challenge.to)).prose();
    let answer = match &challenge.answer {
        Some(answer) => finding::prose(answer),
        None if challenge.evaded => "evaded.".to_owned(),
        None => "no answer was asked for.".to_owned(),
    };
    format!(
        "- **{} {from} to {to}** on the claim: {} – {}\n  - **{to}:** {answer}",
        Untrusted::new(&challenge.id).prose(),
        finding::prose(&challenge.claim),
        finding::prose(&challenge.question)
    )
}

fn recommendations(report: &Report, names: &JudgeNames<'_>) -> Vec<String> {
    let counted = report.outcome.judges.iter().filter(|j| j.counted.is_some());
    said(names, "", counted, |j| Some(&j.recommendation))
}

/// What was seen, what was left out on purpose, what was not seen.
fn coverage(report: &Report) -> Vec<String> {
    let files = &report.outcome.coverage.files;
    if files.is_empty() {
        return Vec::new();
    }
    let seen = files
        .iter()
        .filter(|f| matches!(f.state, council_protocol::CoverageState::Reviewed))
        .count();
    let mut lines = vec![format!(
        "- **Reviewed:** {seen} of {} changed files",
        files.len()
    )];
    for gap in report.outcome.coverage.gaps().take(MOST_FILES) {
        let path = Untrusted::new(&gap.path.display()).code();
        lines.push(format!(
            "- **Not seen whole:** {path}, {}",
            finding::prose(&words::coverage_gap(gap))
        ));
    }
    for (why, paths) in words::skipped_files(&report.outcome.coverage) {
        lines.push(format!(
            "- **Skipped, {}:** {}",
            finding::prose(why),
            named(&paths)
        ));
    }
    vec![lines.join("\n")]
}

fn named(paths: &[&RepoPath]) -> String {
    let mut named: Vec<String> = paths
        .iter()
        .take(MOST_FILES)
        .map(|p| Untrusted::new(&p.display()).code())
        .collect();
    let left = paths.len().saturating_sub(MOST_FILES);
    named.extend((left > 0).then(|| format!("{left} more")));
    named.join(", ")
}

fn notes(report: &Report) -> Vec<String> {
    let notes: Vec<String> = report
        .outcome
        .notes
        .iter()
        .map(|n| format!("- {}", finding::prose(n)))
        .collect();
    if notes.is_empty() {
        Vec::new()
    } else {
        vec![notes.join("\n")]
    }
}
