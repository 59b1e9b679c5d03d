//! What stands below the findings, and the verdict.

use crate::council::outcome::{DisagreementKind, PositionChange, Verdict};
use crate::report::page::{Page, colours};
use crate::report::words::{self, Names};
use crate::report::{BottomLine, Report, Verbosity};
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
    page.gap();
    for judge in report.moved() {
        let Some(change) = &judge.change else {
            continue;
        };
        let label = if change.weak { "weak: " } else { "moved: " };
        let text = format!("{} {}", names.get(&judge.seat.judge), moved(page, change));
        page.labelled(label, colours::BOLD, &Untrusted::new(&text).line());
    }
    if report.converged {
        page.labelled(
            "Convergence Detected: ",
            colours::YELLOW,
            "the first round was split and the second is unanimous; check whether evidence persuaded or the others' votes did",
        );
    }
}

fn moved(page: &Page, change: &PositionChange) -> String {
    let arrow = page.mark("→", "->");
    let votes = format!("{} {arrow} {}", change.from.word(), change.to.word());
    match (&change.evidence, change.weak) {
        (Some(e), false) => format!("{votes} on {}:{}: {}", e.path.display(), e.line, e.quote),
        (_, false) => votes,
        (_, true) if change.note.is_empty() => {
            format!("{votes}, without evidence; {} stands", change.from.word())
        }
        (_, true) => format!("{votes}, {}; {} stands", change.note, change.from.word()),
    }
}

/// Who abstained, what was not seen, what was degraded.
pub(super) fn remarks(page: &mut Page, report: &Report) {
    page.gap();
    if report.verdict == Verdict::Fail || report.verdict == Verdict::Inconclusive {
        let names = Names::of(&report.judges);
        for judge in report.judges.iter().filter(|j| j.counted.is_none()) {
            let why = judge
                .failures
                .last()
                .map_or("no answer".into(), |f| f.failure.to_string());
            let text = format!("{}: {why}", names.get(&judge.seat.judge));
            page.labelled("abstained: ", colours::BOLD, &Untrusted::new(&text).line());
        }
    }
    for file in report.coverage.gaps().take(MOST_PATHS) {
        let text = format!("{} ({})", file.path.display(), words::gap(file));
        page.labelled(
            "not seen whole: ",
            colours::BOLD,
            &Untrusted::new(&text).line(),
        );
    }
    for note in &report.notes {
        page.labelled("note: ", colours::BOLD, &Untrusted::new(note).line());
    }
}

/// The verdict: one line, and a second one that says who looked and what was left out.
pub(super) fn verdict(page: &mut Page, report: &Report, bottom_line: &BottomLine) {
    let word = report.verdict.word();
    let style = match report.verdict {
        Verdict::Pass => colours::GREEN,
        Verdict::Warn | Verdict::Inconclusive => colours::YELLOW,
        Verdict::Fail => colours::RED,
        Verdict::Skipped => colours::BOLD,
    };
    let rest = bottom_line
        .headline
        .strip_prefix(word)
        .unwrap_or(&bottom_line.headline);
    let rest = rest.trim_start_matches([':', ' ']);
    let mut parts = vec![rest.to_owned(), subject(page, report)];
    parts.push(words::duration(report.receipt.run.duration_ms));
    parts.extend(report.receipt.usage.as_ref().and_then(words::cost));
    page.parts(&format!("{word}: "), style, &parts);
    if page.look().verbosity > Verbosity::Quiet {
        let indent = " ".repeat(word.len() + 2);
        page.parts(&indent, colours::PLAIN, &second_line(report));
    }
}

/// What was reviewed: its name, and its size where there is one.
fn subject(page: &Page, report: &Report) -> String {
    let label = Untrusted::new(&report.target.label).name();
    match report.change.files {
        0 => label,
        _ => format!(
            "{label}, {}",
            words::size(report.change, page.mark("−", "-"))
        ),
    }
}

/// Who looked, and what was not reviewed on purpose.
fn second_line(report: &Report) -> Vec<String> {
    let names = Names::of(&report.judges);
    let counted = report.judges.iter().filter(|j| j.counted.is_some());
    let who: Vec<String> = counted
        .map(|j| Untrusted::new(names.get(&j.seat.judge)).name())
        .collect();
    let mut parts = Vec::new();
    if !report.detail.is_empty() {
        parts.push(Untrusted::new(&report.detail).line());
    }
    if !who.is_empty() {
        parts.push(who.join(", "));
    }
    parts.extend(not_reviewed(report));
    parts
}

fn not_reviewed(report: &Report) -> Option<String> {
    let groups = words::skipped(&report.coverage);
    let group = |(why, files): &(&str, Vec<&council_protocol::RepoPath>)| {
        let named: Vec<String> = files
            .iter()
            .take(MOST_PATHS)
            .map(|p| Untrusted::new(&p.display()).name())
            .collect();
        let left = match files.len().saturating_sub(MOST_PATHS) {
            0 => String::new(),
            left => format!(" and {left} more"),
        };
        format!(
            "{}{left} ({})",
            named.join(", "),
            Untrusted::new(why).line()
        )
    };
    let parts: Vec<String> = groups.iter().map(group).collect();
    (!parts.is_empty()).then(|| format!("not reviewed: {}", parts.join("; ")))
}
