//! The code of a finding at a terminal: the lines of the file behind their numbers, and a caret below what is meant.

use anstyle::Style;
use council_protocol::{FileChange, Finding, Hunk, Proof};

use crate::report::document::FindingView;
use crate::report::page::{TerminalPage, colours};
use crate::report::removed::removed_line;
use crate::text::{self, Untrusted};

/// The most lines of a quote in an ordinary report, and in a verbose one.
const MAX_LINES: usize = 4;
pub(super) const MAX_VERBOSE_LINES: usize = 16;

/// The most bytes of a line in which a quote is looked for.
const MAX_SEARCHED: usize = 100_000;

/// The quoted lines as they stand in the file, where the change is at hand; else as they were quoted.
pub(super) fn push_code(
    page: &mut TerminalPage,
    view: &FindingView<'_>,
    files: &[FileChange],
    (verbose, style): (bool, Style),
) {
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
    let code = finding.quote.trim_end().lines();
    let quoted: Vec<&str> = code.skip_while(|line| line.trim().is_empty()).collect();
    let found = file_lines(finding, &quoted[..quoted.len().min(most)], files);
    let (first, lines) = found.unwrap_or_else(|| (quoted_line(view), quoted.clone()));
    if let ([line], [quote]) = (lines.as_slice(), quoted.as_slice()) {
        return push_marked(page, first, line, (quote, style));
    }
    push_lines(page, first, "|", &lines, most);
    let shown = &lines[..lines.len().min(most)];
    push_carets(page, first, shown, (quoted.as_slice(), style));
    push_more(page, first, quoted.len(), most);
}

/// The line at which a quote was proven: a judge that names a stretch of lines may quote one from its middle.
fn quoted_line(view: &FindingView<'_>) -> u32 {
    let place = &view.found.finding.location;
    let inside = place.line..=place.end_line.unwrap_or(place.line);
    let mut proofs = view.found.members.iter().map(|member| &member.proof);
    let line = proofs.find_map(|proof| match proof {
        Proof::Relocated { line } if inside.contains(line) => Some(*line),
        _ => None,
    });
    line.unwrap_or(place.line)
}

/// The lines that a finding quotes, from the reviewed side, and the number of the first; none where they are not at hand or
/// say something else.
fn file_lines<'a>(
    finding: &Finding,
    quoted: &[&str],
    files: &'a [FileChange],
) -> Option<(u32, Vec<&'a str>)> {
    let place = &finding.location;
    let file = files.iter().find(|file| file.path == place.path)?;
    let lines = file.hunks.iter().flat_map(Hunk::lines);
    let numbered = lines.filter_map(|line| Some((line.new_no?, clip_bytes(line.text))));
    let numbered: Vec<(u32, &str)> = numbered.collect();
    let end = place.end_line.unwrap_or(place.line).max(place.line);
    let begins = |run: &&[(u32, &str)]| (place.line..=end).contains(&run[0].0);
    let is_quote = |run: &&[(u32, &str)]| {
        let mut pairs = run.iter().zip(quoted).enumerate();
        pairs.all(|(nth, ((number, line), quote))| {
            let is_next = u32::try_from(nth).is_ok_and(|nth| *number == run[0].0 + nth);
            is_next && line.contains(quote.trim())
        })
    };
    let mut runs = numbered.windows(quoted.len().max(1));
    let run = runs.find(|run| begins(run) && is_quote(run))?;
    Some((run[0].0, run.iter().map(|(_, line)| *line).collect()))
}

fn clip_bytes(line: &str) -> &str {
    &line[..line.floor_char_boundary(MAX_SEARCHED)]
}

/// One line with carets below its quoted part. Where that is far to the right, the line begins shortly before it.
fn push_marked(page: &mut TerminalPage, number: u32, line: &str, (quote, style): (&str, Style)) {
    let quote = quote.trim();
    let Some(at) = line.find(quote) else {
        return push_lines(page, number, "|", &[line], 1);
    };
    let room = code_room(page, number);
    let ellipsis = page.look().ellipsis();
    let before = visible(&line[..at]);
    let width = text::display_width(&visible(&line[..at + quote.len()]));
    let head = match width > room {
        true => text::fit_end(&before, room / 4, ellipsis),
        false => before,
    };
    let shown = format!("{head}{}", visible(&line[at..]).trim_end());
    let shown = text::fit_columns(&shown, room, ellipsis);
    let indent = text::display_width(&head);
    let length = text::display_width(&visible(quote)).min(room.saturating_sub(indent));
    let gutter = page.paint(colours::GUTTER, &format!("  {number} |"));
    page.push_line(&format!("{gutter} {shown}"));
    let width = number.to_string().len();
    let gutter = page.paint(colours::GUTTER, &format!("  {:width$} |", ""));
    let caret = page.paint(style, &"^".repeat(length));
    page.push_line(&format!("{gutter} {}{caret}", " ".repeat(indent)));
}

/// Carets below several quoted lines, as wide as what is quoted of them: carets below each would take as much room as the
/// code.
fn push_carets(
    page: &mut TerminalPage,
    first: u32,
    lines: &[&str],
    (quoted, style): (&[&str], Style),
) {
    let columns_of = |(line, quote): (&&str, &&str)| {
        let quote = quote.trim();
        let at = line.find(quote).filter(|_| !quote.is_empty())?;
        let end = visible(&line[..at + quote.len()]);
        let columns = [visible(&line[..at]), end].map(|text| text::display_width(&text));
        Some((columns[0], columns[1]))
    };
    let columns: Vec<(usize, usize)> = lines.iter().zip(quoted).filter_map(columns_of).collect();
    let last = last_number(first, lines.len());
    let begin = columns.iter().map(|(begin, _)| *begin).min().unwrap_or(0);
    let end = columns.iter().map(|(_, end)| *end).max().unwrap_or(0);
    let end = end.min(code_room(page, last));
    if begin < end {
        let width = last.to_string().len();
        let gutter = page.paint(colours::GUTTER, &format!("  {:width$} |", ""));
        let caret = page.paint(style, &"^".repeat(end - begin));
        page.push_line(&format!("{gutter} {}{caret}", " ".repeat(begin)));
    }
}

/// A line, or a part of one, as it is shown.
fn visible(line: &str) -> String {
    Untrusted::new(line).code_lines().next().unwrap_or_default()
}

/// Lines that the change removes stand under no number of the reviewed side.
fn push_removed(page: &mut TerminalPage, view: &FindingView<'_>) {
    let Some(old) = removed_line(view.found) else {
        return;
    };
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

/// Numbered lines, cut to the width of the page.
pub(super) fn push_lines(
    page: &mut TerminalPage,
    first: u32,
    bar: &str,
    lines: &[&str],
    most: usize,
) {
    let last = last_number(first, lines.len().min(most));
    let width = last.to_string().len();
    let (room, ellipsis) = (code_room(page, last), page.look().ellipsis());
    for (line, number) in lines.iter().take(most).zip(first..) {
        let gutter = page.paint(colours::GUTTER, &format!("  {number:>width$} {bar}"));
        let line = text::fit_columns(&visible(line), room, ellipsis);
        page.push_line(&format!("{gutter} {line}"));
    }
}

/// How many lines of `count` are not shown.
pub(super) fn push_more(page: &mut TerminalPage, first: u32, count: usize, most: usize) {
    if count > most {
        let width = last_number(first, most).to_string().len();
        let gutter = page.paint(colours::GUTTER, &format!("  {:width$} |", ""));
        let ellipsis = page.look().ellipsis();
        page.push_line(&format!(
            "{gutter} {} {} more lines",
            ellipsis.as_str(),
            count - most
        ));
    }
}

fn last_number(first: u32, count: usize) -> u32 {
    first.saturating_add(u32::try_from(count).unwrap_or(0).saturating_sub(1))
}

/// The columns that code has beside a gutter.
fn code_room(page: &TerminalPage, last: u32) -> usize {
    page.look()
        .columns()
        .saturating_sub(last.to_string().len() + 5)
}
