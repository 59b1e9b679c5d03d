//! Sections of the document at a terminal: lists, tables in columns, and what somebody else wrote behind a gutter.

use crate::report::MAX_DOCUMENT;
use crate::report::document::{Block, Depth, IN_ITS_WORDS, Section, Text};
use crate::report::page::{TerminalPage, colours};
use crate::text::{self, Ellipsis, Untrusted};

/// The most columns of the name with which a row begins.
const MAX_NAME: usize = 24;

/// The most columns of a table's cell that is not the last one of its row, where its row is to stand in columns.
const MAX_CELL: usize = 40;

/// The most columns of a cell of a row that wraps.
const MAX_LONG_CELL: usize = 400;

/// The most items that an essential section lists where the report is not verbose.
const MAX_ITEMS: usize = 8;

/// Essential sections need no heading: their lines say what they are.
pub(super) fn push_section(page: &mut TerminalPage, section: &Section, verbose: bool) {
    let headed = section.depth == Depth::Detail;
    if headed {
        let columns = page.look().columns();
        for line in text::wrap_columns(&section.title, columns, columns) {
            let line = page.paint(colours::BOLD, &line);
            page.push_line(&line);
        }
    }
    let most = if verbose || headed {
        usize::MAX
    } else {
        MAX_ITEMS
    };
    for block in section.blocks.iter().take(most) {
        match block {
            Block::Item { indent, text } => {
                let indent = if headed { indent + 2 } else { *indent };
                push_item(page, indent, text, headed);
            }
            Block::Table { rows, header } => push_table(page, header, rows),
            Block::Written(text) => push_written(page, text),
        }
    }
    let left = section.blocks.len().saturating_sub(most);
    if left > 0 {
        page.push_line(&format!("{left} more (-v shows them all)"));
    }
}

/// A line of a list. An essential one begins with its kind, which is set apart: `note: …`.
fn push_item(page: &mut TerminalPage, indent: usize, text: &str, headed: bool) {
    let line = Untrusted::new(text).line();
    let kind = match line.split_once(": ") {
        Some((kind, rest)) if !headed && kind.len() < 24 => {
            Some((format!("{kind}: "), rest.to_owned()))
        }
        _ => None,
    };
    match kind {
        Some((label, rest)) => page.push_hanging(&label, colours::BOLD, &rest, 4),
        None => page.push_hanging(&" ".repeat(indent), colours::PLAIN, &line, indent + 2),
    }
}

/// So many columns need no names.
const MAX_UNNAMED: usize = 5;

/// Cells below each other, the last one wrapped beside the others.
fn push_table(page: &mut TerminalPage, header: &[&str], rows: &[Vec<Text>]) {
    let cells = |row: &Vec<Text>| {
        let mut cells: Vec<String> = row.iter().map(cell).collect();
        if let Some(name) = cells.first_mut() {
            *name = text::fit_columns(name, MAX_NAME, Ellipsis::Ascii);
        }
        cells
    };
    let columns = header.len();
    let head: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
    // Four cells tell by themselves what they are; among more, `failed 2` looks like the judge's own end. Votes beside what
    // their judges say are told from each other without names, which would take the room of the words.
    let is_of_words = header.last() == Some(&IN_ITS_WORDS);
    let head = (columns > MAX_UNNAMED && !is_of_words).then_some(head);
    let rows: Vec<Vec<String>> = head.into_iter().chain(rows.iter().map(cells)).collect();
    let wide = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widths = cells.map(|cell| text::display_width(cell));
        widths.filter(|&wide| wide <= MAX_CELL).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    for row in &rows {
        let mut label = String::from("  ");
        let mut is_long = false;
        for (at, cell) in row.iter().take(columns.saturating_sub(1)).enumerate() {
            is_long |= text::display_width(cell) > MAX_CELL;
            let cell = text::fit_columns(cell, MAX_LONG_CELL, Ellipsis::Ascii);
            let gap = widths[at].saturating_sub(text::display_width(&cell)) + 2;
            label.push_str(&cell);
            label.push_str(&" ".repeat(gap));
        }
        let last = row.last().map(String::as_str).unwrap_or_default();
        // A sentence among the cells is worth more than the columns below each other: it says why.
        let narrow = is_long || text::display_width(&label) + 16 > page.look().columns();
        let indent = if narrow {
            4
        } else {
            text::display_width(&label)
        };
        if narrow {
            page.push_hanging("  ", colours::PLAIN, label.trim(), 4);
            page.push_hanging("    ", colours::PLAIN, last, 4);
        } else {
            page.push_hanging(&label, colours::PLAIN, last, indent);
        }
    }
}

fn cell(text: &Text) -> String {
    match text {
        Text::Prose(text) => Untrusted::new(text).line(),
        Text::Name(text) => Untrusted::new(text).name(),
    }
}

/// What somebody wrote, behind a gutter: none of it is ours.
fn push_written(page: &mut TerminalPage, text: &str) {
    let gutter = page.pick_mark("\u{2502}", "|");
    for line in Untrusted::new(text).code_lines().take(MAX_DOCUMENT) {
        page.push_line(format!("{gutter} {line}").trim_end());
    }
}
