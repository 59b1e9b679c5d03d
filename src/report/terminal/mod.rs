//! The report for a person at a terminal: first the answer, then the reasons, worst first, and the answer again.
//!
//! A reader has ten seconds. A report shows a line for each finding and at most four things under it; rounds, votes one by
//! one, ids and the receipt stand in `git council show` and behind `-v`.

mod code;
mod finding;
mod section;

use council_protocol::{FileChange, Severity};

use super::document::{Depth, Document, FindingView, ReadingPlace, VerdictView};
use super::page::{TerminalPage, colours};
use super::words::JudgeNames;
use crate::council::outcome::{FindingLevel, Verdict};
use crate::report::page::{DisplayOptions, Verbosity};
use crate::report::places;
use crate::report::whole::Report;
use crate::text::Untrusted;

/// The most findings that an ordinary report shows with their code, why and fix; the others have a line each.
const MAX_FULL: usize = 6;

/// The most findings below WARN that an ordinary report lists.
const MAX_NOTES: usize = 10;

/// The most findings that the last line of a long report names.
const MAX_NAMED: usize = 4;

/// The most findings that a hook's report names, where there is room for them.
const MAX_HOOK_FINDINGS: usize = 2;

/// The report as text, ended by a newline. Escape sequences stand in it only when `look.colour` says so. `files` is what
/// is at hand of the change, without secrets: findings show its lines, and elsewhere their quotes.
pub(crate) fn render(report: &Report, look: DisplayOptions, files: &[FileChange]) -> String {
    let names = JudgeNames::of(&report.outcome.judges);
    let verbose = look.verbosity == Verbosity::Verbose;
    let document = Document::at_place(report, &names, verbose, look.place);
    let mut page = TerminalPage::new(look);
    if look.verbosity > Verbosity::Quiet && push_body(&mut page, &document, files, verbose) {
        push_counts(&mut page, &document.verdict, "");
        push_verdict(&mut page, &document, verbose);
    } else {
        push_verdict(&mut page, &document, verbose);
        if look.verbosity > Verbosity::Quiet {
            let (label, _) = split_headline(&document.verdict);
            push_counts(&mut page, &document.verdict, &" ".repeat(label.len()));
        }
    }
    page.finish()
}

/// Everything that is known of a run, ended by a newline: what `git council show` shows.
pub(crate) fn render_all(report: &Report, look: DisplayOptions, files: &[FileChange]) -> String {
    let verbosity = Verbosity::Verbose;
    render(report, DisplayOptions { verbosity, ..look }, files)
}

/// What a hook shows below its own line with the verdict: the worst findings, a line each and at most `room` of them, and
/// where the rest is: in the latest run, or in `run`.
pub(crate) fn render_hook(
    report: &Report,
    look: DisplayOptions,
    room: usize,
    run: Option<&str>,
) -> String {
    let names = JudgeNames::of(&report.outcome.judges);
    let document = Document::of(report, &names, false);
    let mut page = TerminalPage::new(look);
    let named: Vec<_> = document
        .counting()
        .take(MAX_HOOK_FINDINGS.min(room))
        .collect();
    for view in &named {
        finding::push_line(&mut page, view);
    }
    let all: usize = document.counting().map(|view| view.many).sum();
    let told: usize = named.iter().map(|view| view.many).sum();
    // Where nothing was found, what must be known says why the push is not well.
    let reasons = document.essentials().take(MAX_HOOK_FINDINGS.min(room));
    for reason in reasons.filter(|_| all == 0) {
        page.push_fitted("  ", colours::PLAIN, &Untrusted::new(reason).line());
    }
    let more = match all.saturating_sub(told) {
        0 if all == 0 => "why, and what to do".to_owned(),
        0 => "reasons, fixes and votes".to_owned(),
        left if told == 0 => format!("{left} findings, reasons and fixes"),
        left => format!("{left} more, reasons and fixes"),
    };
    let run = run.map_or(String::new(), |name| {
        format!(" {}", Untrusted::new(name).name())
    });
    page.push_command(&more, &format!("git council show{run}"));
    page.finish()
}

/// The answer, the findings, what must be known; in a verbose report everything else, too. False where there is nothing
/// to say but the verdict.
fn push_body(
    page: &mut TerminalPage,
    document: &Document<'_>,
    files: &[FileChange],
    verbose: bool,
) -> bool {
    let shown = |depth| verbose || depth == Depth::Essential;
    let sections = document.sections.iter().filter(|s| shown(s.depth));
    let view = &document.verdict;
    let is_told = !view.detail.is_empty() || !view.next_step.is_empty();
    if !is_told && document.counting().next().is_none() && sections.clone().next().is_none() {
        return false;
    }
    push_opening(page, view);
    push_findings(page, document, files, verbose);
    for section in sections {
        page.push_gap();
        section::push_section(page, section, verbose);
    }
    page.push_gap();
    true
}

/// What is worst with its code, why and fix, and a sentence of each other one.
fn push_findings(
    page: &mut TerminalPage,
    document: &Document<'_>,
    files: &[FileChange],
    verbose: bool,
) {
    let weighs = |view: &&FindingView<'_>| view.weighs() || view.severity > Severity::Minor;
    let (full, listed): (Vec<_>, Vec<_>) = match verbose {
        true => (
            document.counting().chain(&document.rejected).collect(),
            Vec::new(),
        ),
        false => document.counting().partition(weighs),
    };
    let most = if verbose { usize::MAX } else { MAX_FULL };
    let (full, beyond) = full.split_at(full.len().min(most));
    for view in full {
        page.push_gap();
        finding::push_full(page, view, files, verbose);
    }
    page.push_gap();
    for view in beyond.iter().chain(listed.iter().take(MAX_NOTES)) {
        finding::push_sentence(page, view);
    }
    let left = listed.len().saturating_sub(MAX_NOTES);
    if left > 0 {
        page.push_line(&format!("{left} more notes"));
    }
    let rest: Vec<&FindingView<'_>> = beyond.iter().chain(&listed).copied().collect();
    // In the log of a job there is no run that the command could show.
    if !rest.is_empty() && page.look().place.without_talks() == ReadingPlace::Clone {
        page.push_fitted(what_show_adds(&rest), colours::PLAIN, "git council show");
    }
}

/// What is left to read about findings that stand there with their sentence alone.
fn what_show_adds(views: &[&FindingView<'_>]) -> &'static str {
    let has = |text: fn(&FindingView<'_>) -> bool| views.iter().any(|view| text(view));
    let is_fixed = |view: &FindingView<'_>| {
        !view.fix.trim().is_empty() || view.found.finding.suggestion.is_some()
    };
    match (has(|view| !view.why.trim().is_empty()), has(is_fixed)) {
        (true, true) => "why, and how to fix these: ",
        (true, false) => "why: ",
        (false, true) => "how to fix these: ",
        (false, false) => "more about these: ",
    }
}

/// The first line: the verdict and what it is about; under it what to do next.
fn push_opening(page: &mut TerminalPage, view: &VerdictView) {
    let (label, rest) = split_headline(view);
    let subject = Untrusted::new(&view.subject).name();
    page.push_parts(&label, verdict_style(view.verdict), &[rest, subject]);
    let lines = [&view.detail, &view.next_step];
    for line in lines.into_iter().filter(|line| !line.trim().is_empty()) {
        page.push_hanging("  ", colours::PLAIN, &Untrusted::new(line).line(), 2);
    }
}

/// Who voted how, unless all agree that nothing is wrong, and what nobody read.
fn push_counts(page: &mut TerminalPage, view: &VerdictView, indent: &str) {
    let votes = if view.is_unanimous {
        ""
    } else {
        view.votes.as_str()
    };
    let counts = [
        ("votes", votes),
        ("not read", &view.not_read),
        ("read by too few", &view.read_by_few),
    ];
    for (label, text) in counts {
        if !text.is_empty() {
            let text = Untrusted::new(text).line();
            page.push_labelled(&format!("{indent}{label}: "), colours::BOLD, &text);
        }
    }
}

/// The verdict with its measures: the last line of everything that a terminal shows of a run.
fn push_verdict(page: &mut TerminalPage, document: &Document<'_>, verbose: bool) {
    let view = &document.verdict;
    let (label, rest) = split_headline(view);
    let mut parts = vec![rest, Untrusted::new(&view.subject).name()];
    parts.extend(view.measures.iter().map(|part| Untrusted::new(part).line()));
    parts.extend(what_is_far_above(document));
    if !document.rejected.is_empty() && !verbose && page.look().verbosity > Verbosity::Quiet {
        parts.push(format!("{} not counted (-v)", document.rejected.len()));
    }
    page.push_parts(&label, verdict_style(view.verdict), &parts);
}

/// The findings that fail the change, where so many stand below them that the last screen does not show them.
fn what_is_far_above(document: &Document<'_>) -> Option<String> {
    let is_fatal = |view: &&FindingView<'_>| view.found.level == Some(FindingLevel::Fail);
    let fatal: Vec<&str> = document
        .counting()
        .filter(is_fatal)
        .map(|view| &*view.ids)
        .collect();
    let is_long = document.counting().count() > MAX_FULL;
    let (named, left) = fatal.split_at(fatal.len().min(MAX_NAMED));
    (is_long && !named.is_empty()).then(|| {
        format!(
            "failing: {}{}",
            named.join(", "),
            places::and_more(left.len())
        )
    })
}

/// `FAIL: ` and the rest of the sentence.
fn split_headline(view: &VerdictView) -> (String, String) {
    match view.headline.split_once(": ") {
        Some((word, rest)) => (format!("{word}: "), rest.to_owned()),
        None => (view.headline.clone(), String::new()),
    }
}

fn verdict_style(verdict: Verdict) -> anstyle::Style {
    match verdict {
        Verdict::Pass => colours::GREEN,
        Verdict::Warn | Verdict::Inconclusive => colours::YELLOW,
        Verdict::Fail => colours::RED,
        Verdict::Skipped => colours::BOLD,
    }
}
