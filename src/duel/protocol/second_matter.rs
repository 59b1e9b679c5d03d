//! A problem that stands behind a reply, in the same item, row or paragraph: whoever agrees to one point may name another.

use super::blocks::TextBlock;
use super::claim_place::find_location;
use super::claims::{RaisedPoint, parse_point};
use super::leading_refs::{skip_links, split_ids};
use super::point_ref::PointRefs;
use super::point_severity::stated_severity;

/// What leads over to another matter.
const ALSO: [&str; 6] = ["Also", "also", "Besides", "Additionally", "And", "Moreover"];

/// The problem with a severity and a place of its own that a reply tells beside its label and its reason.
pub(super) fn second_matter(reply: &TextBlock<'_>) -> Option<RaisedPoint> {
    let below = reply.rest.iter().filter(|line| line.is_text());
    let lines = std::iter::once(reply.head.as_str()).chain(below.map(|line| line.text.trim()));
    let parts = lines.flat_map(|line| line.split(['|', ';']).flat_map(|cell| cell.split(". ")));
    // The first part that says something is the label.
    let parts = parts
        .filter(|part| !split_ids(part).1.trim().is_empty())
        .skip(1);
    let mut matters = parts.map(|part| without_link(part.trim()));
    let head = matters.find(|part| split_ids(part).0.is_empty() && weighs_a_place(part))?;
    let block = TextBlock {
        head: skip_links(head).to_owned(),
        ..reply.clone()
    };
    let block = TextBlock {
        rest: block
            .rest
            .iter()
            .filter(|line| !line.is_text())
            .copied()
            .collect(),
        ..block
    };
    parse_point(&block, &PointRefs::default(), &block.head)
}

/// Whether one sentence names a place and says how bad it is there.
pub(super) fn weighs_a_place(text: &str) -> bool {
    let mut sentences = text.split(". ").flat_map(|part| part.split("; "));
    sentences.any(|said| find_location(said).is_some() && stated_severity(said).is_some())
}

fn without_link(part: &str) -> &str {
    let bare = ALSO.iter().find_map(|word| part.strip_prefix(word));
    let bare = bare.filter(|rest| rest.starts_with([' ', ',', ':']));
    bare.unwrap_or(part).trim_start_matches([',', ':', ' '])
}
