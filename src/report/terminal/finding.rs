//! One finding at a terminal: a line that says all that matters, and the code with why and fix under it.

use anstyle::Style;
use council_protocol::{FileChange, Severity};

use super::code::{self, MAX_VERBOSE_LINES};
use crate::report::document::{FindingView, MAX_PLACES};
use crate::report::page::{TerminalPage, colours};
use crate::report::suggestion_words;
use crate::report::words;
use crate::text::{self, Ellipsis, Untrusted};

/// The most columns that a path with its lines takes. It may be wider than the page, so that it can be clicked on.
const MAX_PLACE: usize = 240;

/// The most columns of the rule, or of the judges that stand in its place, behind a sentence that wraps: three judges with
/// the names of their models.
const MAX_TAG: usize = 160;

/// The same where all stands on one line.
const MAX_TAG_ON_LINE: usize = 32;

/// The most characters of the sentence in a report that is not verbose.
const MAX_SENTENCE: usize = 400;

/// The same where it has neither code nor reason under it.
const MAX_LISTED_SENTENCE: usize = 160;

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
    let (place, tail) = (place(view), tail(view, MAX_TAG_ON_LINE));
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

/// The finding in a sentence, wrapped: what is said of it is not worth less for a narrow terminal.
pub(super) fn push_sentence(page: &mut TerminalPage, view: &FindingView<'_>) {
    page.push_place_line(
        (&label(view), style(view.severity)),
        (view.found.finding.location.path.as_bytes(), &place(view)),
        &sentence(view, MAX_LISTED_SENTENCE),
    );
}

/// ``F1 critical``: `explain`, `apply` and `dismiss` take the name, whatever the verdict.
fn label(view: &FindingView<'_>) -> String {
    if words::is_plain_id(&view.found.id) {
        format!("{} {}", view.found.id, view.severity.as_str())
    } else {
        view.severity.as_str().to_owned()
    }
}

/// ``The query is built from `name`. (disputed) [sql-concatenation]``.
fn sentence(view: &FindingView<'_>, most: usize) -> String {
    let what = Untrusted::new(view.sentence()).line();
    format!("{}{}", text::clip_chars(&what, most), tail(view, MAX_TAG))
}

/// What became of it, and which rule found it or who holds it.
fn tail(view: &FindingView<'_>, most: usize) -> String {
    let state = match view.state {
        "" => String::new(),
        state => format!(" ({state})"),
    };
    let tag = Untrusted::new(&view.tag).name();
    match text::fit_columns(&tag, most, Ellipsis::Ascii) {
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

fn push_suggestion(page: &mut TerminalPage, view: &FindingView<'_>) {
    let finding = &view.found.finding;
    if let Some(suggestion) = &finding.suggestion {
        let tried = view.found.suggestion_check.as_ref();
        let text = match tried.map(suggestion_words) {
            Some(tried) => format!("replace the quoted lines with the following ({tried})"),
            None => "replace the quoted lines with".to_owned(),
        };
        push_remark(page, "suggestion", &text);
        let lines: Vec<&str> = suggestion.lines().collect();
        code::push_lines(page, finding.location.line, "+", &lines, MAX_VERBOSE_LINES);
        code::push_more(page, finding.location.line, lines.len(), MAX_VERBOSE_LINES);
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
