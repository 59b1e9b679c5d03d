//! Tables: the pieces of Markdown that several documents are made of.

use crate::text::Untrusted;

/// A row of a table; the cells are Markdown already.
pub(super) fn row(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

/// A table with its header; the cells are Markdown already.
pub(super) fn table(header: &[&str], rows: &[String]) -> String {
    let header: Vec<String> = header.iter().map(|h| (*h).to_owned()).collect();
    let rule: Vec<String> = header.iter().map(|_| "---".to_owned()).collect();
    let mut lines = vec![row(&header), row(&rule)];
    lines.extend(rows.iter().cloned());
    lines.join("\n")
}

/// Text for a table's cell, or a dash.
pub(super) fn cell(text: &str) -> String {
    match Untrusted::new(text).prose_cell() {
        empty if empty.is_empty() => "–".to_owned(),
        text => text,
    }
}
