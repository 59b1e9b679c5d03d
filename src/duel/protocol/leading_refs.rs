//! What a statement begins with: the points and places that it names.

use super::blocks::{BlockShape, TextBlock, split_number};
use super::claim_place::find_location;
use super::point_ref::{PointId, PointRefs};

pub(super) fn starts_with_place(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_']);
    let first = text.split(char::is_whitespace).next();
    // "`a.py`, line 5 — …"
    let clause = text.split(" — ").next();
    first.is_some_and(|word| find_location(word).is_some())
        || text.starts_with('`') && clause.is_some_and(|clause| find_location(clause).is_some())
}

/// The names in front of a statement (`**A1**, A2 — `, `Point 2: `, `1. `) and what follows them.
pub(super) fn split_refs<'a>(block: &'a TextBlock<'_>) -> (PointRefs, &'a str) {
    let mut refs = PointRefs::default();
    if let BlockShape::Numbered(number) = block.shape {
        refs.ordinal = Some(number);
    }
    let mut text = block.head.as_str();
    if let Some((number, rest)) = split_number(text.trim_start_matches(['*', '_'])) {
        refs.ordinal = Some(number);
        text = rest;
    }
    if let Some((number, rest)) = split_named_number(text) {
        refs.ordinal = Some(number);
        text = rest;
    }
    let (ids, rest) = split_ids(text);
    refs.ids = ids;
    refs.place = find_location(&block.head);
    refs.leads_with_place = refs.ids.is_empty() && skip_place(rest).len() < rest.len();
    (refs, rest)
}

/// `Point 2`, `Finding #2`, `#2`.
pub(super) fn split_named_number(text: &str) -> Option<(u32, &str)> {
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '#');
    let lower = bare.to_ascii_lowercase();
    let word = ["point", "finding", "issue", "item", "claim", "#"]
        .iter()
        .find(|word| lower.starts_with(**word))?;
    let rest = bare[word.len()..].trim_start_matches([' ', '#']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((rest[..digits].parse().ok()?, &rest[digits..]))
}

/// Names of points at the start of a text, and what follows them.
pub(super) fn split_ids(text: &str) -> (Vec<PointId>, &str) {
    const LINKS: [&str; 7] = ["and", "point", "points", "re", "on", "to", "regarding"];
    let (mut ids, mut rest) = (Vec::new(), text);
    let mut after_ids = text;
    loop {
        let bare = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        // "A1. A2 …" begins a sentence of its own about A2.
        let between = &rest[..rest.len() - bare.len()];
        if !ids.is_empty() && between.contains(['.', ';', ':', '!', '?', '—', '–']) {
            break;
        }
        let end = end_of_name(bare);
        let word = &bare[..end];
        match PointId::parse(word) {
            Some(id) => {
                ids.push(id);
                after_ids = &bare[end..];
            }
            None if LINKS.contains(&word.to_ascii_lowercase().as_str()) => {}
            None => break,
        }
        rest = &bare[end..];
    }
    if ids.is_empty() {
        (ids, text)
    } else {
        (
            ids,
            after_ids.trim_start_matches([
                '*', '_', ' ', ':', '—', '–', '-', '.', '·', ',', ')', ']', '|',
            ]),
        )
    }
}

/// Where the first word of a text ends: `A1`, `A-1`.
fn end_of_name(text: &str) -> usize {
    let end = |from: usize| {
        let word = text[from..].find(|c: char| !c.is_alphanumeric());
        word.map_or(text.len(), |word| from + word)
    };
    let first = end(0);
    let numbered = text[first..].strip_prefix('-').map(|_| end(first + 1));
    let numbered = numbered.filter(|last| PointId::parse(&text[..*last]).is_some());
    numbered.unwrap_or(first)
}

/// Without the place in front of a statement: `` `a.rs:3`: Agreed ``.
pub(super) fn skip_place(text: &str) -> &str {
    let bare = text.trim_start_matches(['*', '_', '(', '[']);
    let end = bare.find(char::is_whitespace).unwrap_or(bare.len());
    match find_location(&bare[..end]) {
        Some(_) => bare[end..].trim_start_matches([' ', '—', '–', '-', ':']),
        None => text,
    }
}

/// Without the words between a label and the names that it speaks of: "agreed with A1".
pub(super) fn skip_links(text: &str) -> &str {
    let mut rest = text;
    while let Some(after) = ["with ", "about ", "on ", "to ", "for "]
        .iter()
        .find_map(|link| rest.strip_prefix(link))
    {
        rest = after;
    }
    rest
}

pub(super) fn join_refs(refs: &PointRefs) -> String {
    let ids = refs.ids.iter().map(PointId::to_string);
    let place = refs
        .place
        .iter()
        .map(|at| format!("`{}:{}`", at.path.display(), at.line));
    ids.chain(place).collect::<Vec<_>>().join(", ")
}
