//! Lines that a commit only moved or indented anew: it did not write them, and its message does not say why they are there.

use std::collections::HashMap;

use super::line_map::FollowedLines;

/// A line with fewer letters and digits stands in many places, and names none of them.
const MIN_WORD_BYTES: usize = 6;

/// A text of the same lines without their blanks and line ends: what a formatter does to a line leaves it the same.
pub(super) fn without_blanks(text: &[u8]) -> Vec<u8> {
    let is_kept = |byte: &u8| *byte == b'\n' || !byte.is_ascii_whitespace();
    text.iter().copied().filter(is_kept).collect()
}

/// Parts followed lines of `new` into those that the commit took out of another place, `from` as it was before and after,
/// with their numbers there, and those that it wrote. All three texts are [`without_blanks`].
///
/// A line counts as moved if it stood there once, stands there no more, and one of its neighbours came along.
pub(super) fn split_moved(
    from: (&[u8], &[u8]),
    new: &[u8],
    lines: FollowedLines,
) -> (FollowedLines, FollowedLines) {
    let (before, after) = (text_lines(from.0), count_lines(&text_lines(from.1)));
    let places = place_lines(&before);
    let is_same_file = from.1 == new;
    let new_lines = text_lines(new);
    let at = |lines: &[&[u8]], index: Option<usize>| {
        let line = index.and_then(|index| lines.get(index).copied());
        line.filter(|line| !line.is_empty()).map(<[u8]>::to_vec)
    };
    let moved_from = |line: u32| {
        let index = (line as usize).checked_sub(1)?;
        let text = *new_lines.get(index)?;
        let &place = places.get(text)?.as_ref()?;
        let is_gone = !after.contains_key(text) || is_same_file && after[text] == 1;
        let comes_along = |step: fn(usize) -> Option<usize>| {
            let neighbour = at(&new_lines, step(index));
            neighbour.is_some() && neighbour == at(&before, step(place))
        };
        let has_company = comes_along(|i| i.checked_sub(1)) || comes_along(|i| i.checked_add(1));
        let has_words = text.iter().filter(|b| b.is_ascii_alphanumeric()).count() >= MIN_WORD_BYTES;
        (is_gone && has_company && has_words).then(|| u32::try_from(place + 1).ok())?
    };
    let (mut moved, mut written) = (Vec::new(), Vec::new());
    for (wanted, line) in lines {
        match moved_from(line) {
            Some(before) => moved.push((wanted, before)),
            None => written.push((wanted, line)),
        }
    }
    (moved, written)
}

fn text_lines(text: &[u8]) -> Vec<&[u8]> {
    text.split(|&byte| byte == b'\n').collect()
}

fn count_lines<'t>(lines: &[&'t [u8]]) -> HashMap<&'t [u8], usize> {
    let mut counts = HashMap::new();
    for line in lines {
        *counts.entry(*line).or_default() += 1;
    }
    counts
}

/// Where each line stands; none: it stands in several places.
fn place_lines<'t>(lines: &[&'t [u8]]) -> HashMap<&'t [u8], Option<usize>> {
    let mut places = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        let place = places.entry(*line).or_insert(Some(index));
        *place = place.filter(|known| *known == index);
    }
    places
}
