//! The cells of tables as markup writes them, a row in one line or a cell in each: HTML, MediaWiki, AsciiDoc, Jira and
//! reStructuredText. What stands in the column of a secret's name is one.

use std::ops::Range;

use crate::assigned::may_hold_name;
use crate::below_name::cell_value;
use crate::named::{NameKind, kind_of_name};
use crate::value::{is_chosen_value, is_secret_value};

/// A longer line is no row that somebody wrote.
const MAX_LINE: usize = 4 << 10;

/// The most columns of a table that are read.
const MAX_COLUMNS: usize = 64;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TableForm {
    /// `<table>`, `<tr>`, `<th>`, `<td>`
    Html,
    /// `{|`, `|-`, `! a !! b`, `| a || b`, `|}`
    Wiki,
    /// `|===` around rows of `| a | b`
    Ascii,
    /// `||a||b||` above rows of `|a|b|`
    Jira,
    /// `+---+---+` around rows of `| a | b |`
    Grid,
    /// `===  ===` around rows whose cells stand below these signs
    Simple,
    /// `.. list-table::` above `* - a` and `- b`
    List,
}

/// Reads one table after another.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableReader {
    form: Option<TableForm>,
    /// The names of secrets, each with its column.
    names: Vec<(usize, String)>,
    /// How many cells of the row were read, and how many rows before it.
    column: usize,
    row: usize,
    /// Whether a cell said that it is the head of others; else those of the first row are.
    is_headed: bool,
    /// The cells of the first line, where a row may go on in the next one.
    width: usize,
    /// What the row is called: `<th>Password</th><td>…</td>`.
    row_name: Option<String>,
    /// Where the columns of a table begin whose cells stand below signs.
    starts: Vec<usize>,
    /// Of a cell whose text comes in the next line, whether it is a head.
    open: Option<bool>,
}

/// A cell of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cell {
    text: Range<usize>,
    begins_row: bool,
    is_head: bool,
    /// Whether it is nothing but the beginning of a row.
    is_row: bool,
}

/// Whether a line of a text may begin a table, so that other lines must not come between its own.
pub(crate) fn may_open_table(text: &str) -> bool {
    may_hold_name(text)
        && text
            .lines()
            .any(|line| form_of(without_mark(line).trim()).is_some())
}

/// A line of a hunk without the mark before it, where it has one.
fn without_mark(line: &str) -> &str {
    line.strip_prefix(['+', '-'])
        .filter(|rest| !rest.starts_with(['+', '-']))
        .unwrap_or(line)
}

/// The form of the table that a line begins.
fn form_of(text: &str) -> Option<TableForm> {
    let is_of = |signs: &[u8]| text.bytes().all(|b| signs.contains(&b));
    match text.as_bytes() {
        [b'<', ..] => has_tag(text, "table")
            .or_else(|| has_tag(text, "tr"))
            .map(|_| TableForm::Html),
        [b'{', b'|', ..] if !text.contains("|}") => Some(TableForm::Wiki),
        b"|===" | b"!===" => Some(TableForm::Ascii),
        [b'|', b'|', ..] if text.ends_with("||") && text.len() > 4 => Some(TableForm::Jira),
        [b'+', b'-' | b'=', ..] if text.ends_with('+') && is_of(b"+-=") => Some(TableForm::Grid),
        [b'=', b'=', ..] if text.contains(' ') && is_of(b"= ") => Some(TableForm::Simple),
        [b'.', b'.', b' ', ..] if text.starts_with(".. list-table::") => Some(TableForm::List),
        _ => None,
    }
}

/// Where a tag of this name stands in a text, behind its bracket.
fn has_tag(text: &str, tag: &str) -> Option<usize> {
    let mut tags = text.match_indices('<').map(|(at, _)| at + 1);
    tags.find(|at| is_tag(&text[*at..], tag))
}

fn is_tag(text: &str, tag: &str) -> bool {
    let is_named = text
        .get(..tag.len())
        .is_some_and(|name| name.eq_ignore_ascii_case(tag));
    is_named && !text[tag.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
}

impl TableReader {
    /// Reads the next line: the values of it that stand in the column of a secret, or behind its name.
    pub(crate) fn read_line(&mut self, line: &str) -> Vec<Range<usize>> {
        let text = line.trim();
        let Some(form) = self.form else {
            self.open(line, text);
            return Vec::new();
        };
        if line.len() > MAX_LINE || self.is_ended_by(form, line, text) {
            *self = Self::default();
            if form != TableForm::Ascii && form != TableForm::Simple {
                self.open(line, text);
            }
            return Vec::new();
        }
        let cells = self.cells_of(form, line);
        let read = |cell: Cell| self.read_cell(form, line, &cell);
        let found = cells.into_iter().filter_map(read).collect();
        if self.width == 0 {
            self.width = self.column;
        }
        found
    }

    /// Begins the table of a line; the first row may stand in it.
    fn open(&mut self, line: &str, text: &str) {
        self.form = form_of(text).filter(|_| line.len() <= MAX_LINE);
        match self.form {
            Some(form @ (TableForm::Html | TableForm::Jira)) => {
                for cell in self.cells_of(form, line) {
                    self.read_cell(form, line, &cell);
                }
            }
            Some(TableForm::Simple) => {
                let signs = line.match_indices('=').map(|(at, _)| at);
                let is_start = |at: &usize| !line[..*at].ends_with('=');
                self.starts = signs.filter(is_start).take(MAX_COLUMNS).collect();
            }
            _ => {}
        }
    }

    fn is_ended_by(&self, form: TableForm, line: &str, text: &str) -> bool {
        match form {
            TableForm::Html => has_tag(text, "/table").is_some(),
            TableForm::Wiki => text.starts_with("|}"),
            TableForm::Ascii => text == "|===" || text == "!===",
            TableForm::Jira => !text.starts_with('|'),
            TableForm::Grid => !text.starts_with(['|', '+']),
            // The third of its rules, of which the second stands below its first row.
            TableForm::Simple => text.is_empty() || (self.row > 0 && form_of(text) == Some(form)),
            TableForm::List => !text.is_empty() && !line.starts_with([' ', '\t']),
        }
    }

    /// The cells of a line.
    fn cells_of(&mut self, form: TableForm, line: &str) -> Vec<Cell> {
        let text = line.trim();
        let start = line.len() - line.trim_start().len();
        let place = |text: &str| {
            let start = text.as_ptr() as usize - line.as_ptr() as usize;
            start..start + text.len()
        };
        let list = |cells: Vec<&str>, is_head: bool, is_whole: bool| -> Vec<Cell> {
            let cells = cells.into_iter().take(MAX_COLUMNS).enumerate();
            let cells = cells.map(|(at, text)| Cell {
                text: place(text),
                is_head,
                begins_row: is_whole && at == 0,
                is_row: false,
            });
            cells.collect()
        };
        match form {
            TableForm::Html => self.html_cells(line),
            TableForm::Wiki if text.starts_with("|-") => vec![Cell::of_row()],
            TableForm::Wiki => {
                let (cells, is_head) = wiki_cells(text);
                list(cells, is_head, false)
            }
            TableForm::Ascii => match text.strip_prefix('|') {
                Some(cells) => list(cells.split('|').collect(), self.width == 0, self.width == 0),
                None => Vec::new(),
            },
            TableForm::Jira if text.starts_with("||") => {
                list(text.trim_matches('|').split("||").collect(), true, true)
            }
            TableForm::Jira => list(text.trim_matches('|').split('|').collect(), false, true),
            TableForm::Grid if text.starts_with('+') => Vec::new(),
            TableForm::Grid => list(text.trim_matches('|').split('|').collect(), false, true),
            TableForm::Simple if form_of(text) == Some(form) => Vec::new(),
            TableForm::Simple => list(columns_at(line, &self.starts), false, true),
            TableForm::List => {
                let item = text.strip_prefix("* ").map(str::trim_start);
                let cell = item.unwrap_or(text).strip_prefix("- ");
                let cell = cell.filter(|_| start > 0);
                cell.map_or(Vec::new(), |cell| list(vec![cell], false, item.is_some()))
            }
        }
    }

    /// The cells of a line of HTML. The text of one may stand in the next line, and within other elements.
    fn html_cells(&mut self, line: &str) -> Vec<Cell> {
        let mut cells = Vec::new();
        let text_at = |at: usize| {
            let mut rest = &line[at..];
            while let Some(inner) = rest
                .trim_start()
                .strip_prefix('<')
                .filter(|inner| !inner.starts_with('/'))
            {
                rest = inner
                    .split_once('>')
                    .map_or(&line[line.len()..], |(_, text)| text);
            }
            let text = rest.split('<').next().unwrap_or_default().trim();
            let start = text.as_ptr() as usize - line.as_ptr() as usize;
            start..start + text.len()
        };
        if let Some(is_head) = self.open.take_if(|_| !line.trim().is_empty()) {
            cells.push(Cell {
                text: text_at(0),
                begins_row: false,
                is_head,
                is_row: false,
            });
        }
        for (at, _) in line.match_indices('<') {
            let tag = &line[at + 1..];
            let is_head = is_tag(tag, "th");
            if is_tag(tag, "tr") {
                cells.push(Cell::of_row());
            } else if is_head || is_tag(tag, "td") {
                let end = tag.find('>').map_or(line.len(), |end| at + end + 2);
                let is_open = line[end..].trim().is_empty();
                self.open = is_open.then_some(is_head);
                cells.extend((!is_open).then(|| Cell {
                    text: text_at(end),
                    begins_row: false,
                    is_head,
                    is_row: false,
                }));
            }
        }
        cells
    }

    /// Reads one cell: its value, if it stands below or behind the name of a secret.
    fn read_cell(&mut self, form: TableForm, line: &str, cell: &Cell) -> Option<Range<usize>> {
        let is_full = form == TableForm::Ascii && self.width > 0 && self.column >= self.width;
        if cell.begins_row || is_full {
            self.row += usize::from(self.column > 0);
            (self.column, self.row_name) = (0, None);
        }
        if cell.is_row {
            return None;
        }
        let (at, text) = (self.column, &line[cell.text.clone()]);
        self.column += 1;
        self.is_headed |= cell.is_head;
        if cell.is_head || (self.row == 0 && !self.is_headed) {
            let name = name_of_cell(text);
            self.names.retain(|(column, _)| *column != at);
            self.names
                .extend(name.iter().map(|name| (at, name.clone())));
            self.row_name = name.filter(|_| cell.is_head);
            return None;
        }
        let named = self.names.iter().find(|(column, _)| *column == at);
        let name = named.map(|(_, name)| name).or(self.row_name.as_ref())?;
        secret_of_cell(line, cell, name)
    }
}

impl Cell {
    /// What begins a row, and is no cell itself.
    fn of_row() -> Self {
        Self {
            text: 0..0,
            begins_row: true,
            is_head: false,
            is_row: true,
        }
    }
}

/// The cells of a line below the signs that begin there.
fn columns_at<'l>(line: &'l str, starts: &[usize]) -> Vec<&'l str> {
    let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
    let cells = starts.iter().zip(ends);
    cells
        .map(|(start, end)| {
            line.get(*start..end.min(line.len()))
                .unwrap_or(&line[line.len()..])
        })
        .collect()
}

/// The cells of a line of MediaWiki, and whether they are heads.
fn wiki_cells(text: &str) -> (Vec<&str>, bool) {
    let is_caption = text.starts_with("|+");
    let cells = text.strip_prefix('|').filter(|_| !is_caption);
    match text.strip_prefix('!') {
        Some(heads) => {
            let heads = heads.split("!!").flat_map(|text| text.split("||"));
            (heads.map(without_style).collect(), true)
        }
        None => {
            let cells = cells.into_iter().flat_map(|text| text.split("||"));
            (cells.map(without_style).collect(), false)
        }
    }
}

/// The text of a cell of MediaWiki behind its style: `| style="…" | text`.
fn without_style(cell: &str) -> &str {
    cell.rsplit_once('|')
        .filter(|(style, _)| style.contains('='))
        .map_or(cell, |(_, text)| text)
}

/// The name of a secret that a cell is.
fn name_of_cell(text: &str) -> Option<String> {
    const MAX_WORDS: usize = 3;
    let name = text
        .trim()
        .trim_matches(['*', '_', '\'', '"', '`', ':', '.', ' ']);
    let is_sign = |b: u8| b.is_ascii_alphanumeric() || b"_.- ".contains(&b);
    let is_name = name.bytes().all(is_sign) && name.split(' ').count() <= MAX_WORDS;
    let kind = kind_of_name(name).filter(|_| is_name)?;
    (kind != NameKind::Described).then(|| name.to_owned())
}

/// The secret that a cell is.
fn secret_of_cell(line: &str, cell: &Cell, name: &str) -> Option<Range<usize>> {
    let value = cell_value(line, &line[cell.text.clone()]);
    let text = &line[value.clone()];
    let is_one = !text.contains(char::is_whitespace) && is_chosen_value(text);
    (is_one && is_secret_value(text, "", name)).then_some(value)
}
