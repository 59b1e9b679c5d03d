//! A section's body in blocks: list items, paragraphs, headings and table rows, each with the lines that belong to it.

use super::point_fields::PointFields;
use super::point_ref::PointId;
use super::transcript::{BodyLine, BodyLineKind};
use super::wording::LABELS;
use crate::council::plain_words::Words;

/// What a block looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockShape {
    /// `### …`, with the number of hashes.
    Heading(usize),
    /// `- …`
    Bullet,
    /// `1. …`
    Numbered(u32),
    /// `| … |`
    Row,
    Paragraph,
}

impl BlockShape {
    /// Whether it is an item of a list.
    pub(super) fn is_item(self) -> bool {
        matches!(self, Self::Bullet | Self::Numbered(_))
    }
}

/// A block of a section.
#[derive(Debug, Clone)]
pub(super) struct TextBlock<'a> {
    pub(super) shape: BlockShape,
    pub(super) indent: usize,
    /// The first line without its mark.
    pub(super) head: String,
    /// The first line's number in the file.
    pub(super) line: u32,
    /// The lines after the first one.
    pub(super) rest: Vec<&'a BodyLine>,
    /// What it says in labelled lines, where it is a point in such a layout.
    pub(super) fields: PointFields,
}

impl TextBlock<'_> {
    /// Everything it says in words: its own lines, without quotes and code.
    pub(super) fn words(&self) -> String {
        let rest = self.rest.iter().filter(|line| line.is_text());
        let rest = rest.map(|line| line.text.trim());
        let taken_in = self.fields.lines.iter().map(String::as_str);
        std::iter::once(self.head.as_str())
            .chain(rest)
            .chain(taken_in)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Without what is struck out: `~~Agreed~~ Disagreed`.
pub(super) fn without_struck(text: &str) -> String {
    let parts: Vec<&str> = text.split("~~").collect();
    // Without its second mark nothing is struck out.
    let is_whole = parts.len() % 2 == 1;
    let kept = parts
        .iter()
        .enumerate()
        .filter(|(nth, _)| !is_whole || nth % 2 == 0);
    kept.map(|(_, part)| *part).collect()
}

/// The blocks of a body in order. Fences and quotes belong to the block above them.
pub(super) fn split_blocks(body: &[BodyLine]) -> Vec<TextBlock<'_>> {
    let mut blocks = split_written(body);
    for block in &mut blocks {
        block.head = without_struck(&block.head);
    }
    blocks
}

fn split_written(body: &[BodyLine]) -> Vec<TextBlock<'_>> {
    let mut blocks: Vec<TextBlock<'_>> = Vec::new();
    let mut after_gap = true;
    for line in body {
        let text = line.text.trim();
        if line.is_text() && (text.is_empty() || is_rule(text)) {
            after_gap = true;
            continue;
        }
        match begin_block(line, after_gap, blocks.last()) {
            Some(block) => blocks.push(block),
            None => match blocks.last_mut() {
                Some(block) => block.rest.push(line),
                None => continue,
            },
        }
        after_gap = matches!(blocks.last(), Some(block) if block.rest.is_empty() && ends_at_once(block.shape));
    }
    blocks
}

/// Whether nothing can belong to such a block: the next line is one of its own.
fn ends_at_once(shape: BlockShape) -> bool {
    matches!(shape, BlockShape::Heading(_) | BlockShape::Row)
}

fn is_rule(text: &str) -> bool {
    text.len() >= 3
        && ['-', '*', '_']
            .iter()
            .any(|mark| text.chars().all(|c| c == *mark))
}

fn begin_block<'a>(
    line: &'a BodyLine,
    after_gap: bool,
    last: Option<&TextBlock<'_>>,
) -> Option<TextBlock<'a>> {
    if !line.is_text() {
        return None;
    }
    let text = line.text.trim_start();
    let indent = line.text.len() - text.len();
    let (shape, head) = match marked_shape(text, line.kind) {
        Some(marked) => marked,
        None if begins_paragraph(text, indent, after_gap, last) => (BlockShape::Paragraph, text),
        None => return None,
    };
    if shape == BlockShape::Row && is_table_rule(head) {
        return None;
    }
    Some(TextBlock {
        shape,
        indent,
        head: head.trim_end().to_owned(),
        line: line.number,
        rest: Vec::new(),
        fields: PointFields::default(),
    })
}

/// Whether a line only separates the head of a table from its rows.
pub(super) fn is_table_rule(text: &str) -> bool {
    text.contains('-') && text.chars().all(|c| "|-: ".contains(c))
}

/// What the columns of a table of points or of replies are called.
const COLUMN_WORDS: [&str; 34] = [
    "point",
    "points",
    "id",
    "finding",
    "findings",
    "item",
    "severity",
    "stance",
    "position",
    "answer",
    "response",
    "reply",
    "label",
    "verdict",
    "status",
    "reason",
    "reasoning",
    "why",
    "evidence",
    "quote",
    "place",
    "location",
    "file",
    "path",
    "line",
    "lines",
    "comment",
    "comments",
    "note",
    "notes",
    "my",
    "your",
    "description",
    "problem",
];

impl TextBlock<'_> {
    /// Whether it is the head of a table, and does nothing but name its columns.
    pub(super) fn names_columns(&self) -> bool {
        let is_head = self.rest.iter().any(|line| is_table_rule(&line.text));
        let is_row = self.shape == BlockShape::Row && self.rest.len() == 1;
        is_row && is_head && Words::of(&self.head).consists_of(&COLUMN_WORDS)
    }
}

fn marked_shape(text: &str, kind: BodyLineKind) -> Option<(BlockShape, &str)> {
    let hashes = text.bytes().take_while(|b| *b == b'#').count();
    if hashes > 0 && kind == BodyLineKind::Open && text[hashes..].starts_with(' ') {
        return Some((BlockShape::Heading(hashes), text[hashes..].trim_start()));
    }
    if let Some(row) = text.strip_prefix('|') {
        return Some((BlockShape::Row, row));
    }
    let bullet = ["- ", "* ", "+ ", "• "]
        .iter()
        .find_map(|mark| text.strip_prefix(mark));
    if let Some(rest) = bullet {
        let rest = rest.trim_start();
        let boxes = ["[ ] ", "[x] ", "[X] "];
        let rest = boxes
            .iter()
            .find_map(|mark| rest.strip_prefix(mark))
            .unwrap_or(rest);
        return Some((BlockShape::Bullet, rest));
    }
    split_number(text).map(|(number, rest)| (BlockShape::Numbered(number), rest))
}

/// `1. ` or `1) ` and what follows it.
pub(super) fn split_number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..digits].parse().ok()?;
    let rest = text[digits..].strip_prefix(['.', ')'])?;
    let rest = rest
        .strip_prefix(' ')
        .or(Some("").filter(|_| rest.is_empty()))?;
    Some((number, rest.trim_start()))
}

/// After a gap a line begins a paragraph, unless it is indented under an item. Without a gap only what cannot be the middle of
/// a sentence does: emphasis or a label. A wrapped "I do not / agree" must not become an agreement.
fn begins_paragraph(
    text: &str,
    indent: usize,
    after_gap: bool,
    last: Option<&TextBlock<'_>>,
) -> bool {
    let belongs_to_item = last.is_some_and(|last| last.shape.is_item() && indent > last.indent);
    if after_gap {
        return !belongs_to_item;
    }
    indent == 0 && (text.starts_with("**") || is_plain_label(text) || names_point(text))
}

/// `A1: …`, `A1 — …`, `#1 …`.
fn names_point(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(0);
    let rest = text[end..].trim_start();
    let is_named = PointId::parse(&text[..end]).is_some() && rest.starts_with([':', '—', '–', '-']);
    let number = text.strip_prefix('#').unwrap_or_default();
    is_named || number.starts_with(|c: char| c.is_ascii_digit())
}

fn is_plain_label(text: &str) -> bool {
    LABELS.iter().any(|(label, _)| {
        let rest = text.strip_prefix(label);
        rest.is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with([':', '.', ' ', ','])
                    && !rest.starts_with(|c: char| c.is_alphanumeric())
        })
    })
}
