//! Small pieces: prose, names, badges, and the blocks of the report's document.

use council_protocol::{Severity, Vote};
use maud::{Markup, html};

use crate::report::MAX_DOCUMENT;
use crate::report::document::{Block, Section, Text};
use crate::report::words;
use crate::text::{self, Passage, Untrusted};

/// The most characters of one piece of prose.
const MAX_PROSE: usize = 4_000;

/// The most characters of one line of code.
const MAX_CODE_LINE: usize = 400;

/// Prose of somebody else on one line. What stands between back-ticks is code.
pub(super) fn prose(text: &str) -> Markup {
    let text = Untrusted::new(&text::clip_chars(text, MAX_PROSE)).line();
    let pieces: Vec<&str> = text.split('`').collect();
    // A single back-tick is one.
    let paired = pieces.len() % 2 == 1;
    html! {
        @if paired {
            @for (at, piece) in pieces.iter().enumerate() {
                @if at % 2 == 1 { code { (piece) } } @else { (piece) }
            }
        } @else {
            (text)
        }
    }
}

/// Prose of somebody else with the lines that it has: paragraphs, lists, code.
pub(super) fn passages(text: &str) -> Markup {
    let text = text::clip_chars(text, MAX_PROSE);
    let passages = text::passages(&text);
    let is_point = |passage: &Passage<'_>| matches!(passage, Passage::Point { .. });
    html! {
        @if let [Passage::Words(words)] = passages.as_slice() { (prose(words)) }
        @else {
            @for run in passages.chunk_by(|a, b| is_point(a) && is_point(b)) {
                @match &run[0] {
                    Passage::Words(words) => p { (prose(words)) },
                    Passage::Code { lines, .. } => pre {
                        code { @for line in lines { (code_line(line)) "\n" } }
                    },
                    Passage::Point { .. } => ul { @for point in run { (list_item(point)) } },
                }
            }
        }
    }
}

fn list_item(passage: &Passage<'_>) -> Markup {
    html! {
        @if let Passage::Point { mark, words } = passage {
            li { @if mark != "-" { (mark) " " } (prose(words)) }
        }
    }
}

/// A path, a name or a digest, letter by letter.
pub(super) fn name(text: &str) -> Markup {
    let text = Untrusted::new(&text::clip_chars(text, MAX_PROSE)).name();
    html! { code { (text) } }
}

/// Lines of code as they may be shown.
pub(super) fn code_line(line: &str) -> String {
    let clipped = text::clip_chars(line, MAX_CODE_LINE);
    // A line has no line ends: there is exactly one.
    Untrusted::new(&clipped)
        .code_lines()
        .next()
        .unwrap_or_default()
}

/// The word for how bad a finding is.
pub(super) fn severity_badge(severity: Severity) -> Markup {
    let word = severity.as_str();
    html! { span class=(format!("badge {word}")) { (word) } }
}

/// A vote, or a dash.
pub(super) fn vote_badge(vote: Option<Vote>) -> Markup {
    let word = words::vote_word(vote);
    let class = vote.map_or("none".to_owned(), |vote| vote.as_str().to_lowercase());
    html! { span class=(format!("vote {class}")) { (word) } }
}

/// A section of the document, folded.
pub(super) fn folded(section: &Section, open: bool) -> Markup {
    html! {
        details open[open] {
            summary { (prose(&section.title)) }
            (blocks(section))
        }
    }
}

/// The blocks of a section: items that follow each other are one list.
pub(super) fn blocks(section: &Section) -> Markup {
    let is_item = |block: &&Block| matches!(block, Block::Item { .. });
    html! {
        @for run in section.blocks.chunk_by(|a, b| is_item(&a) == is_item(&b)) {
            @if run.first().as_ref().is_some_and(&is_item) {
                (items(run))
            } @else {
                @for block in run { (block_of(block)) }
            }
        }
    }
}

fn items(run: &[Block]) -> Markup {
    html! {
        ul.lines {
            @for block in run {
                @if let Block::Item { indent, text } = block {
                    li class=(if *indent > 0 { "inner" } else { "outer" }) { (prose(text)) }
                }
            }
        }
    }
}

fn block_of(block: &Block) -> Markup {
    match block {
        Block::Item { text, .. } => html! { p { (prose(text)) } },
        Block::Table { header, rows } => table(header, rows),
        Block::Written(text) => html! {
            pre.written tabindex="0" {
                @for line in Untrusted::new(text).code_lines().take(MAX_DOCUMENT) { (line) "\n" }
            }
        },
    }
}

fn table(header: &[&str], rows: &[Vec<Text>]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(header.join(", ")) {
            table.plain {
                thead { tr { @for cell in header { th scope="col" { (cell) } } } }
                tbody {
                    @for row in rows {
                        tr { @for cell in row {
                            td {
                                @match cell {
                                    Text::Prose(text) => (prose(text)),
                                    Text::Name(text) => (name(text)),
                                }
                            }
                        } }
                    }
                }
            }
        }
    }
}
