//! The report for a person at a terminal: quiet when clean, findings in words worth reading, the verdict last.

mod finding;
mod foot;
mod receipt;
mod verdict;

use super::page::TerminalPage;
use super::words::JudgeNames;
use super::{DisplayOptions, GatePolicy, MAX_DOCUMENT, Report, Verbosity, group};
use crate::text::{self, Ellipsis, Untrusted};

/// The most notes that stand in an ordinary report, one line each.
const MAX_NOTES: usize = 10;

/// The most columns that paths with their lines take.
const MAX_PLACE: usize = 240;

/// The report as text, ended by a newline. Escape sequences stand in it only when `look.colour` says so.
pub fn render(report: &Report, look: DisplayOptions) -> String {
    let mut page = TerminalPage::new(look);
    if look.verbosity > Verbosity::Quiet {
        let names = JudgeNames::of(&report.outcome.judges);
        document(&mut page, report);
        findings(&mut page, report, &names);
        foot::disagreements(&mut page, report);
        foot::moves(&mut page, report, &names);
        foot::remarks(&mut page, report, &names);
        if look.verbosity == Verbosity::Verbose {
            receipt::show(&mut page, report, &names);
        }
        page.push_gap();
    }
    ending(&mut page, report);
    page.finish()
}

/// What came out of a debate without a verdict, behind a gutter: it is somebody's text, and none of ours.
pub(super) fn document(page: &mut TerminalPage, report: &Report) {
    let Some(synthesis) = &report.outcome.ledger.synthesis else {
        return;
    };
    page.push_gap();
    let gutter = page.pick_mark("\u{2502}", "|");
    for line in Untrusted::new(synthesis.document.trim())
        .code_lines()
        .take(MAX_DOCUMENT)
    {
        page.push_line(format!("{gutter} {line}").trim_end());
    }
}

/// The verdict, who looked, and what was not reviewed: the last lines of everything that a terminal shows of a run.
pub(super) fn ending(page: &mut TerminalPage, report: &Report) {
    verdict::lines(page, report, &report.bottom_line(GatePolicy::default()));
}

/// Those that weigh in full, those that are listed only in a line each, the rejected ones only when asked for.
fn findings(page: &mut TerminalPage, report: &Report, names: &JudgeNames<'_>) {
    let verbose = page.look().verbosity == Verbosity::Verbose;
    for group in group::group_findings(report.weighty_findings(), verbose) {
        finding::full(page, &group, names);
    }
    page.push_gap();
    let noted = group::group_findings(report.note_findings(), verbose);
    let most = if verbose { usize::MAX } else { MAX_NOTES };
    for group in noted.iter().take(most) {
        if verbose {
            finding::full(page, group, names);
        } else {
            finding::brief(page, group);
        }
    }
    let left: usize = noted
        .iter()
        .skip(most)
        .map(|group| group.all_findings().count())
        .sum();
    if left > 0 {
        page.push_line(&format!(
            "{} {left} more (-v shows them all)",
            page.pick_mark("…", "...")
        ));
    }
    for found in report.rejected_findings().filter(|_| verbose) {
        page.push_gap();
        finding::rejected(page, found, names);
    }
}

/// Places, cleaned. They may be wider than the page, so that they can be clicked on, but not without bound.
fn clean(places: &str) -> String {
    text::fit_columns(&Untrusted::new(places).name(), MAX_PLACE, Ellipsis::Ascii)
}
