//! The last lines: the verdict, who looked, what was not reviewed.

use council_protocol::{RepoPath, Vote};

use crate::council::outcome::Verdict;
use crate::report::page::{TerminalPage, colours};
use crate::report::words::{self, JudgeNames};
use crate::report::{BottomLine, Report, Verbosity};
use crate::text::Untrusted;

/// The most paths that are named for one reason.
const MOST_PATHS: usize = 6;

/// The verdict on one line; unless quiet, a second one says who looked and what was left out.
pub(super) fn lines(page: &mut TerminalPage, report: &Report, bottom_line: &BottomLine) {
    let word = report.outcome.verdict.as_str();
    let style = match report.outcome.verdict {
        Verdict::Pass => colours::GREEN,
        Verdict::Warn | Verdict::Inconclusive => colours::YELLOW,
        Verdict::Fail => colours::RED,
        Verdict::Skipped => colours::BOLD,
    };
    let rest = bottom_line
        .headline
        .trim_start_matches(word)
        .trim_start_matches([':', ' ']);
    let mut parts = vec![rest.to_owned(), subject(page, report)];
    parts.push(words::format_duration(report.receipt.run.duration_ms));
    parts.extend(report.receipt.usage.as_ref().and_then(words::usage_words));
    page.push_parts(&format!("{word}: "), style, &parts);
    if page.look().verbosity > Verbosity::Quiet {
        let indent = " ".repeat(word.len() + 2);
        let second = [
            Untrusted::new(&report.detail).line(),
            who(page, report),
            not_reviewed(report),
            hidden(page, report),
        ];
        page.push_parts(&indent, colours::PLAIN, &second);
    }
}

/// What was reviewed: its name, and its size where there is one.
fn subject(page: &TerminalPage, report: &Report) -> String {
    let label = Untrusted::new(&report.target.label).name();
    match report.change.files {
        0 => label,
        _ => format!(
            "{label}, {}",
            words::change_size(report.change, page.pick_mark("−", "-"))
        ),
    }
}

/// The judges that counted; with their votes where not all are PASS.
fn who(page: &TerminalPage, report: &Report) -> String {
    let names = JudgeNames::of(&report.outcome.judges);
    let counted = report.outcome.judges.iter().filter(|j| j.counted.is_some());
    let unanimous = counted
        .clone()
        .all(|j| j.counted == Some(Vote::Pass) && j.change.is_none());
    let arrow = page.pick_mark("→", "->");
    let who: Vec<String> = counted
        .map(|j| match names.get(&j.seat.judge) {
            name if unanimous || report.is_document() => name.to_owned(),
            name => words::judge_ballot(j, name, arrow),
        })
        .collect();
    Untrusted::new(&who.join(", ")).line()
}

fn not_reviewed(report: &Report) -> String {
    let group = |(why, files): &(&str, Vec<&RepoPath>)| {
        let named: Vec<String> = files
            .iter()
            .take(MOST_PATHS)
            .map(|p| Untrusted::new(&p.display()).name())
            .collect();
        let left = match files.len().saturating_sub(MOST_PATHS) {
            0 => String::new(),
            left => format!(" and {left} more"),
        };
        format!("{}: {}{left}", Untrusted::new(why).line(), named.join(", "))
    };
    let groups: Vec<String> = words::skipped_files(&report.outcome.coverage)
        .iter()
        .map(group)
        .collect();
    if groups.is_empty() {
        String::new()
    } else {
        format!("not reviewed: {}", groups.join("; "))
    }
}

/// What only a verbose report shows.
fn hidden(page: &TerminalPage, report: &Report) -> String {
    match report.rejected_findings().count() {
        0 => String::new(),
        _ if page.look().verbosity == Verbosity::Verbose => String::new(),
        1 => "1 rejected finding (-v shows it)".to_owned(),
        number => format!("{number} rejected findings (-v shows them)"),
    }
}
