//! What stands below the findings, and the verdict.

use crate::council::outcome::{DisagreementKind, PositionChange};
use crate::report::page::{Page, colours};
use crate::report::words::{self, Names};
use crate::report::{Report, group};
use crate::text::Untrusted;

/// The most paths that a line names.
const MOST_PATHS: usize = 6;

/// Two positions each, as the judges put them.
pub(super) fn disagreements(page: &mut Page, report: &Report) {
    for disagreement in &report.disagreements {
        page.gap();
        let on = match (&disagreement.finding, disagreement.kind) {
            (Some(id), _) => format!("disagreement on {id}"),
            (None, DisagreementKind::CrossVendor) => "disagreement between vendors".into(),
            (None, _) => "disagreement".into(),
        };
        page.line(&page.paint(colours::BOLD, &Untrusted::new(&on).name()));
        for position in &disagreement.positions {
            page.labelled("  - ", colours::PLAIN, &Untrusted::new(position).line());
        }
    }
}

/// Changed votes, weak ones marked, and whether all went one way.
pub(super) fn moves(page: &mut Page, report: &Report, names: &Names<'_>) {
    if report.is_document() {
        return;
    }
    page.gap();
    let moves = report.moved().filter_map(|judge| {
        let change = judge.change.as_ref()?;
        Some((
            (change.weak, moved(page, change)),
            names.get(&judge.seat.judge),
        ))
    });
    for ((weak, how), who) in group::by_key(moves) {
        let label = if weak { "weak: " } else { "moved: " };
        let text = format!("{} {how}", words::and(&who));
        page.labelled(label, colours::BOLD, &Untrusted::new(&text).line());
    }
    if report.converged {
        page.hanging(
            "Convergence Detected: ",
            colours::YELLOW,
            words::CONVERGENCE,
            4,
        );
    }
}

fn moved(page: &Page, change: &PositionChange) -> String {
    let arrow = page.mark("→", "->");
    let votes = format!("{} {arrow} {}", change.from.word(), change.to.word());
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
            format!("{votes}, without evidence; {} stands", change.from.word())
        }
        (_, true) => format!("{votes}, {}; {} stands", change.note, change.from.word()),
    }
}

/// Who abstained, what was not seen, what was degraded.
pub(super) fn remarks(page: &mut Page, report: &Report, names: &Names<'_>) {
    page.gap();
    for judge in report.abstained() {
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
    for file in report.coverage.gaps().take(MOST_PATHS) {
        let text = format!("{} ({})", file.path.display(), words::gap(file));
        remark(page, "not seen whole: ", &text);
    }
    let left = report.coverage.gaps().count().saturating_sub(MOST_PATHS);
    if left > 0 {
        remark(page, "not seen whole: ", &format!("{left} more"));
    }
    for (found, dismissal) in report.dismissed() {
        remark(page, "dismissed: ", &words::dismissed(found, dismissal));
    }
    if let Some(recognised) = &report.receipt.run.recognised {
        remark(page, "recognised: ", &recognised.words());
    }
    for note in &report.notes {
        remark(page, "note: ", note);
    }
}

fn remark(page: &mut Page, label: &str, text: &str) {
    page.labelled(label, colours::BOLD, &Untrusted::new(text).line());
}
