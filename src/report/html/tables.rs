//! Tables as a page of the same look: nothing in it runs, and it loads nothing.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{STYLE, content_hash};
use crate::text::{Untrusted, clip_chars};

/// The most characters of one piece of text: a council is called as its file, and such a name may be long.
const MAX_PIECE: usize = 800;

/// A page of tables.
pub(crate) struct TablePage {
    pub(crate) title: String,
    pub(crate) tables: Vec<PageTable>,
    /// What a reader must know of the numbers, a paragraph each.
    pub(crate) notes: Vec<String>,
}

/// A table: the first row heads the columns, and the first cell of each other row heads it.
pub(crate) struct PageTable {
    pub(crate) caption: String,
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl TablePage {
    /// The page, ended by a newline.
    pub(crate) fn render(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                (self.head())
                body {
                    a.skip href="#main" { "Skip to the tables" }
                    header.top { p.bar { span.brand { "git-council" } } h1 { (shown(&self.title)) } }
                    main #main tabindex="-1" {
                        @for table in &self.tables { (table.section()) }
                        @for note in &self.notes { p.hint { (shown(note)) } }
                    }
                }
            }
        };
        page.into_string() + "\n"
    }

    fn head(&self) -> Markup {
        html! {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="robots" content="noindex";
                title { (shown(&self.title)) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
        }
    }
}

impl PageTable {
    fn section(&self) -> Markup {
        html! {
            section {
                h2 { (shown(&self.caption)) }
                div.scroll tabindex="0" role="region" aria-label=(shown(&self.caption)) {
                    table.plain {
                        thead { tr { @for cell in &self.head {
                            @if cell.is_empty() { td {} } @else { th scope="col" { (shown(cell)) } }
                        } } }
                        tbody { @for row in &self.rows { (body_row(row)) } }
                    }
                }
            }
        }
    }
}

fn body_row(row: &[String]) -> Markup {
    html! {
        tr { @for (at, cell) in row.iter().enumerate() {
            @if at == 0 { th scope="row" { (shown(cell)) } } @else { td { (shown(cell)) } }
        } }
    }
}

/// Text of anybody on one line.
fn shown(text: &str) -> String {
    Untrusted::new(&clip_chars(text, MAX_PIECE)).line()
}

/// No script at all: a page of tables needs none.
fn policy() -> String {
    format!(
        "default-src 'none'; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        content_hash(STYLE)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_tables_shows_hostile_names_and_obeys_none() {
        let hostile = "<script>alert(1)</script>\u{202e}\u{1b}[2J";
        let page = TablePage {
            title: hostile.to_owned(),
            tables: vec![PageTable {
                caption: hostile.to_owned(),
                head: vec![String::new(), hostile.to_owned()],
                rows: vec![vec!["defects".to_owned(), hostile.to_owned()]],
            }],
            notes: vec![hostile.to_owned()],
        }
        .render();
        assert!(!page.contains("<script"), "{page}");
        assert!(
            !page.contains('\u{202e}') && !page.contains('\u{1b}'),
            "{page}"
        );
        assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
        assert!(
            !page.contains("script-src") && page.contains("default-src 'none'"),
            "{page}"
        );
    }
}
