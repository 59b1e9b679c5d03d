//! Columns of text, each as wide as its widest cell.

use crate::text::{self, Untrusted};

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
        let cells = self.0.iter().map(Vec::len).max().unwrap_or(0);
        let width = |i: usize| {
            self.0
                .iter()
                .filter_map(|row| row.get(i))
                .map(|cell| text::display_width(cell))
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..cells).map(width).collect();
        let mut out = String::new();
        for row in &self.0 {
            let mut line = indent.to_owned();
            for (cell, width) in row.iter().zip(&widths) {
                let gap = width + 2 - text::display_width(cell);
                line.push_str(cell);
                line.push_str(&" ".repeat(gap));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
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
}
