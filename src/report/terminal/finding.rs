//! One finding at a terminal: a line that says all that matters, and the code with why and fix under it.

use anstyle::Style;
use council_protocol::{FileChange, Severity};

use super::code::{self, MAX_VERBOSE_LINES};
use crate::council::outcome::Disposition;
use crate::report::document::{FindingView, MAX_PLACES, ReadingPlace};
use crate::report::page::{TerminalPage, Verbosity, colours};
use crate::report::suggestion_words;
use crate::report::words;
use crate::text::{self, Ellipsis, Passage, Untrusted};

/// The most columns that a path with its lines takes. It may be wider than the page, so that it can be clicked on.
const MAX_PLACE: usize = 240;

/// The most columns of the rule, or of the judges that stand in its place, behind a sentence that wraps: three judges with
/// the names of their models.
const MAX_TAG: usize = 160;

/// The most columns of a finding's name with those that it stands for.
const MAX_IDS: usize = 48;

/// The most columns of the rule or the judges where all stands on one line.
const MAX_TAG_ON_LINE: usize = 32;

/// The columns that the sentence has on a line, if it is so long: for more than a few, its rule gives way; for a few, the
/// beginning of its path.
const ENOUGH_OF_SENTENCE: usize = 32;
const MIN_SENTENCE: usize = 20;

/// The most characters of the sentence in a report that is not verbose.
const MAX_SENTENCE: usize = 400;

/// The same where it has neither code nor reason under it.
const MAX_LISTED_SENTENCE: usize = 160;

/// The most paragraphs, points and pieces of code of a reason in a report that is not verbose, and lines of such a piece.
const MAX_PASSAGES: usize = 8;
const MAX_CODE_LINES: usize = 8;

/// The whole finding: its line, the code with a caret, why, fix, and who holds or disputes it.
pub(super) fn push_full(
    page: &mut TerminalPage,
    view: &FindingView<'_>,
    files: &[FileChange],
    verbose: bool,
) {
    let most = if verbose { usize::MAX } else { MAX_SENTENCE };
    let text = sentence(view, most);
    page.push_place_line(
        (&label(view), style(view.severity)),
        (view.found.finding.location.path.as_bytes(), &place(view)),
        &text,
    );
    code::push_code(page, view, files, (verbose, style(view.severity)));
    for (label, text) in [("why", view.why), ("fix", view.fix)] {
        push_remark(page, label, text);
    }
    if !verbose {
        words::other_readings(view.found)
            .iter()
            .for_each(|other| push_remark(page, "", other));
    }
    let left = view.others.len() + 1;
    if !verbose && left > MAX_PLACES {
        push_remark(page, "", &format!("all {left} places: git council show"));
    }
    // Who holds it stands behind the sentence where no rule does.
    if verbose || view.support != format!("held by {}", view.tag) {
        push_remark(page, "", &view.support);
    }
    if verbose {
        push_remark(page, "see", view.see);
    }
    // Where no run is at hand, no command shows the words of those who disagree: the page has them.
    let is_at_hand = page.look().place.without_talks() == ReadingPlace::Clone;
    let is_all_there_is = !is_at_hand && view.found.disposition == Disposition::Disputed;
    if verbose || is_all_there_is {
        for opinion in &view.opinions {
            push_remark(page, "", opinion);
        }
    }
    if !verbose {
        return;
    }
    push_remark(page, "also at", &view.others.join(", "));
    push_suggestion(page, view);
    let found = view.found;
    push_remark(page, "id", &format!("{} {}", found.id, found.fingerprint));
}

/// The finding on one line of the page. What is wrong comes first: for it other places are counted and not named, and where
/// that is not enough, its rule or its judges give way, and then the beginning of its path.
pub(super) fn push_line(page: &mut TerminalPage, view: &FindingView<'_>) {
    let label = format!("{} ", label(view));
    let (columns, ellipsis) = (page.look().columns(), page.look().ellipsis());
    let what = Untrusted::new(&view.sentence()).line();
    let long = text::display_width(&what);
    let room = |place: &str, tail: &str| {
        let used = [label.as_str(), place, "  ", tail].map(text::display_width);
        columns.saturating_sub(used.iter().sum())
    };
    let (all, first) = (place(view), Untrusted::new(&view.short_place()).name());
    let (tail, state) = (tail(view, MAX_TAG_ON_LINE), state(view));
    let shapes = [(&all, &tail), (&first, &tail)];
    let has_enough =
        |(place, tail): &(&String, &String)| room(place, tail) >= long.min(ENOUGH_OF_SENTENCE);
    let (place, tail) = shapes
        .into_iter()
        .find(has_enough)
        .unwrap_or((&first, &state));
    let place = text::fit_end(
        place,
        room("", tail).saturating_sub(long.min(MIN_SENTENCE)),
        ellipsis,
    );
    let what = text::fit_columns(&what, room(&place, tail), ellipsis);
    page.push_fitted(
        &label,
        style(view.severity),
        &format!("{place}  {what}{tail}"),
    );
}

/// The finding in a sentence, wrapped: what is said of it is not worth less for a narrow terminal.
pub(super) fn push_sentence(page: &mut TerminalPage, view: &FindingView<'_>) {
    page.push_place_line(
        (&label(view), style(view.severity)),
        (view.found.finding.location.path.as_bytes(), &place(view)),
        &sentence(view, MAX_LISTED_SENTENCE),
    );
}

/// ``F1 critical``, ``F1-F4 critical``: `explain`, `apply` and `dismiss` take the names, whatever the verdict.
fn label(view: &FindingView<'_>) -> String {
    if words::is_plain_id(&view.found.id) {
        let ids = text::fit_columns(&view.ids, MAX_IDS, Ellipsis::Ascii);
        format!("{ids} {}", view.severity.as_str())
    } else {
        view.severity.as_str().to_owned()
    }
}

/// ``The query is built from `name`. (disputed) [sql-concatenation]``.
fn sentence(view: &FindingView<'_>, most: usize) -> String {
    let what = Untrusted::new(&view.sentence()).line();
    format!("{}{}", text::clip_chars(&what, most), tail(view, MAX_TAG))
}

/// What became of it, and which rule found it or who holds it.
fn tail(view: &FindingView<'_>, most: usize) -> String {
    let state = state(view);
    let tag = Untrusted::new(&view.tag).name();
    match text::fit_columns(&tag, most, Ellipsis::Ascii) {
        tag if tag.is_empty() => state,
        tag => format!("{state} [{tag}]"),
    }
}

fn state(view: &FindingView<'_>) -> String {
    match view.state {
        "" => String::new(),
        state => format!(" ({state})"),
    }
}

fn place(view: &FindingView<'_>) -> String {
    text::fit_columns(
        &Untrusted::new(&view.place).name(),
        MAX_PLACE,
        Ellipsis::Ascii,
    )
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Critical => colours::RED,
        Severity::Significant => colours::YELLOW,
        Severity::Minor => colours::CYAN,
    }
}

fn push_suggestion(page: &mut TerminalPage, view: &FindingView<'_>) {
    let finding = &view.found.finding;
    if let Some(suggestion) = &finding.suggestion {
        let tried = view.found.suggestion_check.as_ref();
        let what = match suggestion.is_empty() {
            true => "delete the quoted lines",
            false => "replace the quoted lines with",
        };
        let text = match tried.map(suggestion_words) {
            Some(tried) if suggestion.is_empty() => format!("{what} ({tried})"),
            Some(tried) => format!("{what} the following ({tried})"),
            None => what.to_owned(),
        };
        push_remark(page, "suggestion", &text);
        let lines: Vec<&str> = suggestion.lines().collect();
        code::push_lines(page, finding.location.line, "+", &lines, MAX_VERBOSE_LINES);
        code::push_more(page, finding.location.line, lines.len(), MAX_VERBOSE_LINES);
    }
}

/// `  label: text`, wrapped; nothing for empty text. What has lines of its own keeps them, below its first word.
fn push_remark(page: &mut TerminalPage, label: &str, text: &str) {
    let label = match label {
        "" => "  ".to_owned(),
        label => format!("  {label}: "),
    };
    let passages = text::passages(text);
    let (most, most_lines) = match page.look().verbosity {
        Verbosity::Verbose => (usize::MAX, MAX_VERBOSE_LINES),
        _ => (MAX_PASSAGES, MAX_CODE_LINES),
    };
    let mut before = label.clone();
    for passage in passages.iter().take(most) {
        let is_shown = match passage {
            Passage::Words(words) => push_words(page, &before, words),
            Passage::Point { mark, words } => push_words(
                page,
                &format!("{before}{} ", Untrusted::new(mark).line()),
                words,
            ),
            Passage::Code { lines, .. } => {
                if before == label && !label.trim().is_empty() {
                    page.push_line(&label);
                }
                push_code_lines(page, text::display_width(&label), lines, most_lines);
                true
            }
        };
        if is_shown {
            before = " ".repeat(text::display_width(&label));
        }
    }
    if passages.len() > most {
        page.push_line(&format!("{before}{}", page.look().ellipsis().as_str()));
    }
}

/// Words behind what stands before them; nothing for none.
fn push_words(page: &mut TerminalPage, before: &str, words: &str) -> bool {
    let words = Untrusted::new(words).line();
    if !words.is_empty() {
        page.push_labelled(before, colours::PLAIN, &words);
    }
    !words.is_empty()
}

/// Code that a judge wrote, with its indentation, behind a bar.
fn push_code_lines(page: &mut TerminalPage, indent: usize, lines: &[&str], most: usize) {
    let bar = format!("{}| ", " ".repeat(indent));
    let room = page.look().columns().saturating_sub(indent + 2);
    let ellipsis = page.look().ellipsis();
    for line in lines.iter().take(most) {
        let line = Untrusted::new(line).code_lines().next().unwrap_or_default();
        page.push_line(&format!(
            "{bar}{}",
            text::fit_columns(&line, room, ellipsis)
        ));
    }
    if lines.len() > most {
        let left = lines.len() - most;
        page.push_line(&format!("{bar}{} {left} more lines", ellipsis.as_str()));
    }
}
