//! The stance that a block takes, and what belongs to it.

use council_protocol::answer::Stance;

use super::blocks::{BlockShape, TextBlock};
use super::claim_place::find_location;
use super::leading_refs::{join_refs, split_refs};
use super::plain_forms::is_plain;
use super::point_fields::{FieldName, split_fields};
use super::point_ref::PointId;
use super::wording::{confirmed_stance, is_filler, is_ornament, split_label, stance_in_words};

/// The stance of a block whose label stands somewhere inside (in a cell, in bold, behind a title), and where in its words.
pub(super) fn stance_of_block(block: &TextBlock<'_>) -> Option<(Stance, usize)> {
    let words = block.words();
    let mut begin = 0;
    let mut labelled: Option<(Stance, usize)> = None;
    let marks = ['|', '—', '–', ':', ';', '.', '!', '(', '[', '*'];
    for part in words.split_inclusive(marks) {
        if let Some((label, _)) = split_label(part) {
            let stance = confirmed_stance(label, &words[begin..]);
            let stance = if is_title(block, &words[..begin]) {
                stance
            } else {
                stance.max(Stance::PartiallyAgreed)
            };
            if labelled.is_none_or(|(known, _)| stance > known) {
                labelled = Some((stance, begin));
            }
        }
        begin += part.len();
    }
    let in_words = stance_in_words(&words).map(|stance| (stance, 0));
    match (labelled, in_words) {
        (Some(label), Some(said)) if said.0 > label.0 => Some(said),
        (label, said) => label.or(said),
    }
}

/// Whether what stands in front of a label only says what it is about: names, a place, a cell, a bold title.
pub(super) fn is_title(block: &TextBlock<'_>, before: &str) -> bool {
    if block.shape == BlockShape::Row {
        return before.trim().is_empty() || before.trim_end_matches(['*', ' ']).ends_with('|');
    }
    let before = before.trim_end_matches(is_ornament);
    let is_bold = before.is_empty() || block.head.starts_with("**");
    is_bold
        || is_plain(before)
        || before.split_whitespace().all(|word| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_number = bare.bytes().all(|b| b.is_ascii_digit());
            is_number
                || PointId::parse(bare).is_some()
                || find_location(word).is_some()
                || is_filler(bare)
        })
}

/// Nested items that say nothing by themselves belong to the item above them, and so does whatever stands below a reply.
pub(super) fn fold_children(blocks: Vec<TextBlock<'_>>, is_opening: bool) -> Vec<TextBlock<'_>> {
    let mut folded: Vec<TextBlock<'_>> = Vec::new();
    let is_reply =
        |block: &TextBlock<'_>| !is_opening && split_label(split_refs(block).1).is_some();
    for mut block in blocks {
        let parent = folded.last_mut().filter(|parent| {
            let is_deeper = block.indent > parent.indent;
            let is_below = is_deeper && block.shape.is_item() || is_evidence(&block);
            is_deeper && parent.shape.is_item() || is_below && is_reply(parent)
        });
        let Some(parent) = parent else {
            folded.push(block);
            continue;
        };
        let parent_is_placed = find_location(&parent.head).is_some();
        let (own, rest) = split_refs(&block);
        let is_placed = own.place.is_some() || block.fields.place.is_some();
        let is_answered = is_reply(parent);
        let is_own = !own.ids.is_empty() || (is_placed && !parent_is_placed && !is_answered);
        let (above, title) = split_refs(parent);
        let is_answer = split_label(rest).is_some() && stance_of_block(parent).is_none();
        if is_own {
            folded.push(block);
        } else if is_answer && title.len() < 80 {
            let head = format!("{} — {}", join_refs(&above), block.head);
            block.head = head.trim_start_matches([' ', '—']).to_owned();
            block.shape = above.ordinal.map_or(block.shape, BlockShape::Numbered);
            // The parent was the title of this answer.
            let title = folded.pop();
            block.indent = title.map_or(block.indent, |title| title.indent);
            folded.push(block);
        } else {
            // What stands below a label is no part of its sentence.
            let bare = parent.head.trim_end_matches(['*', '_', ' ']);
            let is_ended = bare.ends_with(['.', '!', '?', ':', ';', '—', '–']);
            let link = if is_answered && !is_ended { ". " } else { " " };
            parent.head = [parent.head.as_str(), link, &block.head].concat();
            parent.rest.append(&mut block.rest);
        }
    }
    folded
}

/// Whether a block is a labelled line of evidence, which belongs to the reply above it.
fn is_evidence(block: &TextBlock<'_>) -> bool {
    let fields = split_fields(&block.head);
    let is_written = matches!(block.shape, BlockShape::Paragraph | BlockShape::Bullet);
    is_written && matches!(fields.first(), Some((FieldName::Quote, _)))
}
