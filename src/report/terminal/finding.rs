//! One finding at a terminal: a line that says all that matters, and the code with why and fix under it.

use anstyle::Style;
use council_protocol::{Proof, Severity};

use crate::report::document::FindingView;
use crate::report::page::{TerminalPage, colours};
use crate::report::suggestion_words;
use crate::report::words;
use crate::text::{self, Ellipsis, Untrusted};

/// The most lines of a quote in an ordinary report, and in a verbose one.
const MAX_LINES: usize = 4;
const MAX_VERBOSE_LINES: usize = 16;

/// The most columns that a path with its lines takes. It may be wider than the page, so that it can be clicked on.
const MAX_PLACE: usize = 240;

/// The most columns of the rule, or of the judges that stand in its place.
const MAX_TAG: usize = 32;

/// The most characters of the sentence in a report that is not verbose.
const MAX_SENTENCE: usize = 400;

/// The whole finding: its line, the code with a caret, why, fix, and who holds or disputes it.
pub(super) fn push_full(page: &mut TerminalPage, view: &FindingView<'_>, verbose: bool) {
    let most = if verbose { usize::MAX } else { MAX_SENTENCE };
    let text = sentence(view, most);
    page.push_place_line(
        (&label(view), style(view.severity)),
        (view.found.finding.location.path.as_bytes(), &place(view)),
        &text,
    );
    push_code(page, view, verbose);
    for (label, text) in [("why", view.why), ("fix", view.fix)] {
        push_remark(page, label, text);
    }
    // Who holds it stands behind the sentence where no rule does.
    if verbose || view.support != format!("held by {}", view.tag) {
        push_remark(page, "", &view.support);
    }
    if !verbose {
        return;
    }
    push_remark(page, "see", view.see);
    for opinion in &view.opinions {
        push_remark(page, "", opinion);
    }
    push_remark(page, "also at", &view.others.join(", "));
    push_suggestion(page, view);
    let found = view.found;
    push_remark(page, "id", &format!("{} {}", found.id, found.fingerprint));
}

/// The finding on one line of the page: its sentence is cut, never what became of it or its rule.
pub(super) fn push_line(page: &mut TerminalPage, view: &FindingView<'_>) {
    let label = format!("{} ", label(view));
    let (place, tail) = (place(view), tail(view));
    let used = [label.as_str(), &place, "  ", &tail].map(text::display_width);
    let room = page.look().columns().saturating_sub(used.iter().sum());
    let what = Untrusted::new(view.sentence()).line();
    let what = text::fit_columns(&what, room, page.look().ellipsis());
    page.push_fitted(
        &label,
        style(view.severity),
        &format!("{place}  {what}{tail}"),
    );
}

/// ``F1 critical``: `explain`, `apply` and `dismiss` take the name, whatever the verdict.
fn label(view: &FindingView<'_>) -> String {
    match words::is_plain_id(&view.found.id) {
        true => format!("{} {}", view.found.id, view.severity.as_str()),
        false => view.severity.as_str().to_owned(),
    }
}

/// ``The query is built from `name`. (disputed) [sql-concatenation]``.
fn sentence(view: &FindingView<'_>, most: usize) -> String {
    let what = Untrusted::new(view.sentence()).line();
    format!("{}{}", text::clip_chars(&what, most), tail(view))
}

/// What became of it, and which rule found it or who holds it.
fn tail(view: &FindingView<'_>) -> String {
    let state = match view.state {
        "" => String::new(),
        state => format!(" ({state})"),
    };
    let tag = Untrusted::new(&view.tag).name();
    match text::fit_columns(&tag, MAX_TAG, Ellipsis::Ascii) {
        tag if tag.is_empty() => state,
        tag => format!("{state} [{tag}]"),
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

/// The quoted lines behind their numbers, and a caret below what is meant.
fn push_code(page: &mut TerminalPage, view: &FindingView<'_>, verbose: bool) {
    let finding = &view.found.finding;
    if finding.quote.trim().is_empty() {
        return;
    }
    if finding.location.line == 0 {
        return push_removed(page, view);
    }
    let most = if verbose {
        MAX_VERBOSE_LINES
    } else {
        MAX_LINES
    };
    push_lines(page, finding.location.line, "|", &finding.quote, most);
    let mut lines = Untrusted::new(&finding.quote).code_lines();
    let (Some(only), None) = (lines.next(), lines.next()) else {
        return;
    };
    let (number, room) = (
        finding.location.line.to_string(),
        code_room(page, finding.location.line),
    );
    let indent = text::display_width(&only) - text::display_width(only.trim_start());
    let length = text::display_width(only.trim()).min(room.saturating_sub(indent));
    let gutter = page.paint(
        colours::GUTTER,
        &format!("  {} |", " ".repeat(number.len())),
    );
    let caret = page.paint(style(view.severity), &"^".repeat(length));
    page.push_line(&format!("{gutter} {}{caret}", " ".repeat(indent)));
}

fn code_room(page: &TerminalPage, last: u32) -> usize {
    page.look()
        .columns()
        .saturating_sub(last.to_string().len() + 5)
}

/// Numbered lines, cut to the width of the page.
/// Lines that the change removes stand under no number of the reviewed side.
fn push_removed(page: &mut TerminalPage, view: &FindingView<'_>) {
    let old = view
        .found
        .members
        .iter()
        .find_map(|member| match member.proof {
            Proof::Removed { old_line, .. } => Some(old_line),
            _ => None,
        });
    let Some(old) = old else { return };
    let (room, ellipsis) = (code_room(page, old), page.look().ellipsis());
    let mut lines = Untrusted::new(&view.found.finding.quote).code_lines();
    if let Some(line) = lines.next() {
        let gutter = page.paint(colours::GUTTER, &format!("  removed (line {old} before) |"));
        page.push_line(&format!(
            "{gutter} {}",
            text::fit_columns(&line, room, ellipsis)
        ));
    }
}

fn push_lines(page: &mut TerminalPage, first: u32, bar: &str, code: &str, most: usize) {
    let count = code.lines().count();
    let last = first.saturating_add(
        u32::try_from(count.min(most))
            .unwrap_or(0)
            .saturating_sub(1),
    );
    let width = last.to_string().len();
    let room = code_room(page, last);
    let ellipsis = page.look().ellipsis();
    for (line, number) in Untrusted::new(code).code_lines().take(most).zip(first..) {
        let gutter = page.paint(colours::GUTTER, &format!("  {number:>width$} {bar}"));
        page.push_line(&format!(
            "{gutter} {}",
            text::fit_columns(&line, room, ellipsis)
        ));
    }
    if count > most {
        let gutter = page.paint(colours::GUTTER, &format!("  {:width$} {bar}", ""));
        page.push_line(&format!(
            "{gutter} {} {} more lines",
            ellipsis.as_str(),
            count - most
        ));
    }
}

fn push_suggestion(page: &mut TerminalPage, view: &FindingView<'_>) {
    let finding = &view.found.finding;
    if let Some(suggestion) = &finding.suggestion {
        let tried = view.found.suggestion_check.as_ref();
        let text = match tried.map(suggestion_words) {
            Some(tried) => format!("replace the quoted lines with the following ({tried})"),
            None => "replace the quoted lines with".to_owned(),
        };
        push_remark(page, "suggestion", &text);
        push_lines(
            page,
            finding.location.line,
            "+",
            suggestion,
            MAX_VERBOSE_LINES,
        );
    }
}

/// `  label: text`, wrapped; nothing for empty text.
fn push_remark(page: &mut TerminalPage, label: &str, text: &str) {
    let text = Untrusted::new(text).line();
    if text.is_empty() {
        return;
    }
    let label = match label {
        "" => "  ".to_owned(),
        label => format!("  {label}: "),
    };
    page.push_labelled(&label, colours::PLAIN, &text);
}
