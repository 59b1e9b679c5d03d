//! What stands below the findings, and the verdict.

use crate::council::outcome::{DisagreementKind, PositionChange};
use crate::report::page::{TerminalPage, colours};
use crate::report::words::{self, JudgeNames};
use crate::report::{Report, group};
use crate::text::Untrusted;

/// The most paths that a line names.
const MOST_PATHS: usize = 6;

/// Two positions each, as the judges put them.
pub(super) fn disagreements(page: &mut TerminalPage, report: &Report) {
    for disagreement in &report.outcome.disagreements {
        page.push_gap();
        let on = match (&disagreement.finding, disagreement.kind) {
            (Some(id), _) => format!("disagreement on {id}"),
            (None, DisagreementKind::CrossVendor) => "disagreement between vendors".into(),
            (None, _) => "disagreement".into(),
        };
        page.push_line(&page.paint(colours::BOLD, &Untrusted::new(&on).name()));
        for position in &disagreement.positions {
            page.push_labelled("  - ", colours::PLAIN, &Untrusted::new(position).line());
        }
    }
}

/// Changed votes, weak ones marked, and whether all went one way.
pub(super) fn moves(page: &mut TerminalPage, report: &Report, names: &JudgeNames<'_>) {
    if report.is_document() {
        return;
    }
    page.push_gap();
    let moves = report.moved_judges().filter_map(|judge| {
        let change = judge.change.as_ref()?;
        Some((
            (change.weak, moved(page, change)),
            names.get(&judge.seat.judge),
        ))
    });
    for ((weak, how), who) in group::by_key(moves) {
        let label = if weak { "weak: " } else { "moved: " };
        let text = format!("{} {how}", words::join_names(&who));
        page.push_labelled(label, colours::BOLD, &Untrusted::new(&text).line());
    }
    if report.outcome.converged {
        page.push_hanging(
            "Convergence Detected: ",
            colours::YELLOW,
            words::CONVERGENCE,
            4,
        );
    }
}

fn moved(page: &TerminalPage, change: &PositionChange) -> String {
    let arrow = page.pick_mark("→", "->");
    let votes = format!("{} {arrow} {}", change.from.as_str(), change.to.as_str());
    match (&change.evidence, change.weak) {
        (Some(e), false) => {
            format!(
                "{votes} on {}:{}: {}",
                e.path.display(),
                e.line,
                words::first_line(&e.quote)
            )
        }
        (_, false) => votes,
        (_, true) if change.note.is_empty() => {
            format!("{votes}, without evidence; {} stands", change.from.as_str())
        }
        (_, true) => format!("{votes}, {}; {} stands", change.note, change.from.as_str()),
    }
}

/// Who abstained, what was not seen, what was degraded.
pub(super) fn remarks(page: &mut TerminalPage, report: &Report, names: &JudgeNames<'_>) {
    page.push_gap();
    for judge in report.abstained_judges() {
        let why = judge
            .failures
            .last()
            .map_or("no answer".into(), |f| f.failure.to_string());
        remark(
            page,
            "abstained: ",
            &format!("{}: {why}", names.get(&judge.seat.judge)),
        );
    }
    for file in report.outcome.coverage.gaps().take(MOST_PATHS) {
        let text = format!("{} ({})", file.path.display(), words::coverage_gap(file));
        remark(page, "not seen whole: ", &text);
    }
    let left = report
        .outcome
        .coverage
        .gaps()
        .count()
        .saturating_sub(MOST_PATHS);
    if left > 0 {
        remark(page, "not seen whole: ", &format!("{left} more"));
    }
    for (found, dismissal) in report.dismissed_findings() {
        remark(
            page,
            "dismissed: ",
            &words::dismissal_line(found, dismissal),
        );
    }
    if let Some(recognised) = &report.receipt.run.recognised {
        remark(page, "recognised: ", &recognised.to_sentence());
    }
    for note in &report.outcome.notes {
        remark(page, "note: ", note);
    }
}

fn remark(page: &mut TerminalPage, label: &str, text: &str) {
    page.push_labelled(label, colours::BOLD, &Untrusted::new(text).line());
}
