//! Columns of text, each as wide as its widest cell.

use crate::text::{self, Untrusted};

/// The fewest columns in which words are wrapped.
const MIN_ROOM: usize = 24;

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

    /// The same on a terminal of so many columns: what a row says last is wrapped at words, below itself.
    pub(crate) fn render_within(&self, indent: &str, columns: Option<usize>) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for row in &self.0 {
            let mut line = indent.to_owned();
            let (last, others) = row
                .split_last()
                .map_or(("", row.as_slice()), |(last, others)| {
                    (last.as_str(), others)
                });
            for (cell, width) in others.iter().zip(&widths) {
                let gap = width + 2 - text::display_width(cell);
                line.push_str(cell);
                line.push_str(&" ".repeat(gap));
            }
            let used = text::display_width(&line);
            let room = columns.map(|columns| columns.saturating_sub(used));
            let lines = match room {
                Some(room) if room >= MIN_ROOM && text::display_width(last) > room => {
                    text::wrap_columns(last, room, room)
                }
                _ => vec![last.to_owned()],
            };
            let below = format!("\n{}", " ".repeat(used));
            out.push_str(format!("{line}{}", lines.join(&below)).trim_end());
            out.push('\n');
        }
        out
    }

    /// The columns of the widest cell at each place.
    fn widths(&self) -> Vec<usize> {
        let cells = self.0.iter().map(Vec::len).max().unwrap_or(0);
        let width = |i: usize| {
            let at = self.0.iter().filter_map(|row| row.get(i));
            at.map(|cell| text::display_width(cell)).max().unwrap_or(0)
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
}
