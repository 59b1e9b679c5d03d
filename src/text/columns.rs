//! Columns of text, each as wide as its widest cell.

use super::{Untrusted, display_width, wrap_columns};

/// The fewest columns in which words are wrapped.
const MIN_ROOM: usize = 24;

/// The fewest columns of a terminal in which cells are put below each other where they do not fit side by side.
const MIN_STACKED: usize = 40;

/// A paragraph on a terminal of so many columns, wrapped at words; elsewhere a line.
pub(crate) fn paragraph(told: &str, columns: Option<usize>) -> String {
    let columns = columns.unwrap_or(usize::MAX);
    let lines = wrap_columns(told, columns, columns);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Rows of at most so many cells; the last cell of a row is not padded.
#[derive(Debug, Default)]
pub(crate) struct Columns(Vec<Vec<String>>);

impl Columns {
    pub(crate) fn push(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        self.0.push(
            cells
                .into_iter()
                .map(|cell| Untrusted::new(cell.as_ref()).line())
                .collect(),
        );
    }

    /// The rows, each behind `indent` and ended by a newline.
    pub(crate) fn render(&self, indent: &str) -> String {
        self.render_within(indent, None)
    }

    /// The same on a terminal of so many columns: what a row says last is wrapped at words, below itself. Where the
    /// other cells leave no room for that, each cell has lines of its own.
    pub(crate) fn render_within(&self, indent: &str, columns: Option<usize>) -> String {
        let widths = self.widths();
        if let Some(columns) = columns.filter(|columns| *columns >= MIN_STACKED)
            && self.is_too_wide(indent, &widths, columns)
        {
            return self.render_stacked(indent, columns);
        }
        let mut out = String::new();
        for row in &self.0 {
            let mut line = indent.to_owned();
            let (last, others) = row
                .split_last()
                .map_or(("", row.as_slice()), |(last, others)| {
                    (last.as_str(), others)
                });
            for (cell, width) in others.iter().zip(&widths) {
                let gap = width + 2 - display_width(cell);
                line.push_str(cell);
                line.push_str(&" ".repeat(gap));
            }
            let used = display_width(&line);
            let room = columns.map(|columns| columns.saturating_sub(used));
            let lines = match room {
                Some(room) if room >= MIN_ROOM && display_width(last) > room => {
                    wrap_columns(last, room, room)
                }
                _ => vec![last.to_owned()],
            };
            let below = format!("\n{}", " ".repeat(used));
            out.push_str(format!("{line}{}", lines.join(&below)).trim_end());
            out.push('\n');
        }
        out
    }

    /// Whether a row is wider than the terminal, and what it says last has no room to be wrapped.
    fn is_too_wide(&self, indent: &str, widths: &[usize], columns: usize) -> bool {
        let used = |row: &Vec<String>| {
            let others = widths.iter().take(row.len().saturating_sub(1));
            display_width(indent) + others.map(|width| width + 2).sum::<usize>()
        };
        let is_wide = |row: &Vec<String>| {
            let last = row.last().map_or(0, |cell| display_width(cell));
            used(row) + MIN_ROOM > columns && used(row) + last > columns
        };
        self.0.iter().any(is_wide)
    }

    /// The first cell of each row, and below it the others, each wrapped at words.
    fn render_stacked(&self, indent: &str, columns: usize) -> String {
        let mut out = String::new();
        for row in &self.0 {
            for (at, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let indent = format!("{indent}{}", if at == 0 { "" } else { "    " });
                let room = columns.saturating_sub(display_width(&indent));
                for line in wrap_columns(cell, room, room) {
                    out.push_str(&format!("{indent}{line}\n"));
                }
            }
        }
        out
    }

    /// The columns of the widest cell at each place.
    fn widths(&self) -> Vec<usize> {
        let cells = self.0.iter().map(Vec::len).max().unwrap_or(0);
        let width = |i: usize| {
            let at = self.0.iter().filter_map(|row| row.get(i));
            at.map(|cell| display_width(cell)).max().unwrap_or(0)
        };
        (0..cells).map(width).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut rows = Columns::default();
        rows.push(["a", "b"]);
        rows.push(["long", "\u{1b}[2J", "c"]);
        assert_eq!(rows.render("  ").lines().next(), Some("  a     b"));
        assert!(!rows.render("").contains('\u{1b}'));
    }

    #[test]
    fn what_a_row_says_last_is_wrapped_at_words_below_itself() {
        let mut rows = Columns::default();
        rows.push(["agent", "It looks for what reviewers look for first."]);
        rows.push(["a", "Short."]);
        let told = rows.render_within("", Some(34));
        assert_eq!(
            told.lines().collect::<Vec<_>>(),
            [
                "agent  It looks for what reviewers",
                "       look for first.",
                "a      Short."
            ]
        );
        assert_eq!(
            rows.render_within("", Some(9)),
            rows.render(""),
            "too narrow for words"
        );
    }

    #[test]
    fn cells_that_leave_no_room_have_lines_of_their_own() {
        let mut rows = Columns::default();
        rows.push([
            "teams",
            "not used: no agent can be kept alive here",
            "spawn, message",
        ]);
        rows.push(["inline", "used", "spawn"]);
        let told = rows.render_within("  ", Some(40));
        let expected = [
            "  teams",
            "      not used: no agent can be kept",
            "      alive here",
            "      spawn, message",
            "  inline",
            "      used",
            "      spawn",
        ];
        assert_eq!(told.lines().collect::<Vec<_>>(), expected);
    }

    mod laws {
        use proptest::prelude::*;

        use super::super::{Columns, MIN_STACKED};
        use crate::text::display_width;

        proptest! {
            /// Whatever a list says: on a terminal it is never wider than that.
            #[test]
            fn no_line_is_wider_than_the_terminal(
                rows in proptest::collection::vec(proptest::collection::vec("[a-z ]{0,70}", 1..5), 0..6),
                columns in MIN_STACKED..160,
            ) {
                let mut list = Columns::default();
                rows.iter().for_each(|row| list.push(row));
                for line in list.render_within("  ", Some(columns)).lines() {
                    prop_assert!(display_width(line) <= columns, "{columns}: {line:?}");
                }
            }
        }
    }
}
