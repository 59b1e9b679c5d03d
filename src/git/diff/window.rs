//! The hunks between two texts. libgit2 compares them, but is shown only the part around what
//! differs: it would hash and split all of both.

use crate::diff::assemble::{TextLines, assemble_hunks, begins_section, shown_section};
use crate::diff::line_names::LineNames;
use crate::diff::raw_hunk::RawHunk;
use crate::error::GitError;
use crate::libgit2;
use crate::limits::MAX_SHOWN;

/// Lines kept around what differs: room for context, and for a group of lines to slide to where it
/// reads best, which git allows for about as many.
const MARGIN: usize = 100;

/// Lines kept where a line next to what differs keeps every group from sliding further: git looks at the indentation of
/// about twenty lines beyond it.
const SHORT_MARGIN: usize = 40;

/// How far away such a line may be.
const NEAR: usize = 16;

/// Bytes of what differs from which the margin is too small a part of the work to look for such a line.
const LARGE: usize = 16 << 10;

/// The hunks between two texts, with three lines of context.
pub(crate) fn diff_hunks(old: &[u8], new: &[u8]) -> Result<Vec<RawHunk>, GitError> {
    if old.is_empty() || new.is_empty() {
        return Ok(one_sided(old, new).into_iter().collect());
    }
    let DiffWindow { head, tail } = find_window(old, new);
    let compared = (old.len() + new.len()).saturating_sub(2 * (head + tail));
    if compared > 2 * MAX_SHOWN {
        return Err(GitError::TooLarge {
            what: "what differs in a file".to_owned(),
            size: format!("{compared} bytes"),
            limit: format!("{} bytes", 2 * MAX_SHOWN),
        });
    }
    let mut hunks = compare_texts(&old[head..old.len() - tail], &new[head..new.len() - tail])?;
    if head > 0 {
        let above = &old[..head];
        let lines = u32::try_from(memchr::memchr_iter(b'\n', above).count());
        // Files of more lines are refused long before, by their size.
        let lines = lines.unwrap_or(u32::MAX / 2);
        let section = enclosing_section(above);
        for hunk in hunks.iter_mut().take_while(|hunk| hunk.section.is_empty()) {
            hunk.section = section.to_vec();
        }
        for hunk in &mut hunks {
            hunk.old.0 += lines;
            hunk.new.0 += lines;
        }
    }
    Ok(hunks)
}

/// The hunks between two texts of which all is looked at.
fn compare_texts(old: &[u8], new: &[u8]) -> Result<Vec<RawHunk>, GitError> {
    let lines = TextLines {
        old: split_lines(old),
        new: split_lines(new),
    };
    let mut names = LineNames::default();
    let (old, new) = (
        names.rename_lines(&lines.old),
        names.rename_lines(&lines.new),
    );
    let changes = libgit2::changed_lines(&old, &new)?;
    Ok(assemble_hunks(&lines, &changes))
}

fn split_lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::with_capacity(text.len() / 24);
    let mut start = 0;
    for newline in memchr::memchr_iter(b'\n', text) {
        lines.push(&text[start..=newline]);
        start = newline + 1;
    }
    lines.extend(Some(&text[start..]).filter(|rest| !rest.is_empty()));
    lines
}

/// The hunk of a file that is all new, or all gone.
fn one_sided(old: &[u8], new: &[u8]) -> Option<RawHunk> {
    let (text, marker) = if old.is_empty() {
        (new, b'+')
    } else {
        (old, b'-')
    };
    let mut body = Vec::with_capacity(text.len() + text.len() / 16);
    let mut lines = 0;
    for line in text.split_inclusive(|&b| b == b'\n') {
        body.push(marker);
        body.extend_from_slice(line);
        lines += 1;
    }
    if !text.ends_with(b"\n") {
        body.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
    let side = |text: &[u8]| if text.is_empty() { (0, 0) } else { (1, lines) };
    (lines > 0).then(|| RawHunk {
        old: side(old),
        new: side(new),
        section: Vec::new(),
        body,
    })
}

/// What of both texts need not be compared, in bytes.
struct DiffWindow {
    /// At the beginning.
    head: usize,
    /// At the end.
    tail: usize,
}

/// Whole lines at both ends that both texts have, without the margins.
fn find_window(old: &[u8], new: &[u8]) -> DiffWindow {
    let head = line_start(old, shared_prefix(old, new));
    let tail = shared_suffix(&old[head..], &new[head..]);
    let tail = old.len() - next_line(old, old.len() - tail);
    let core = [&old[head..old.len() - tail], &new[head..new.len() - tail]];
    let above = || old[..head].rsplit(|&b| b == b'\n').skip(1);
    let below = || old[old.len() - tail..].split(|&b| b == b'\n');
    let before = if stops_sliding(above(), core) {
        SHORT_MARGIN
    } else {
        MARGIN
    };
    let behind = if stops_sliding(below(), core) {
        SHORT_MARGIN
    } else {
        MARGIN
    };
    let mut start = head;
    for _ in 0..before {
        start = line_start(old, start.saturating_sub(1));
    }
    let mut end = old.len() - tail;
    for _ in 0..behind {
        end = next_line(old, end);
    }
    DiffWindow {
        head: start,
        tail: old.len().saturating_sub(end),
    }
}

/// Whether one of the nearest lines is none of those that differ: a group slides over a line only where it has the same.
fn stops_sliding<'a>(nearest: impl Iterator<Item = &'a [u8]>, core: [&[u8]; 2]) -> bool {
    let is_there = |line: &[u8]| {
        core.iter()
            .any(|core| memchr::memmem::find(core, line).is_some())
    };
    core.iter().all(|core| core.len() < LARGE)
        && nearest
            .take(NEAR)
            .any(|line| !line.is_empty() && !is_there(line))
}

/// The beginning of the line that `at` is in.
fn line_start(text: &[u8], at: usize) -> usize {
    text[..at.min(text.len())]
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |newline| newline + 1)
}

/// The beginning of the next line, or the end.
fn next_line(text: &[u8], at: usize) -> usize {
    let newline = text[at.min(text.len())..].iter().position(|&b| b == b'\n');
    newline.map_or(text.len(), |newline| at + newline + 1)
}

const BLOCK: usize = 64;

/// Bytes at the beginning that both have.
fn shared_prefix(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK));
    let same = blocks.take_while(|(a, b)| a == b).count() * BLOCK;
    let rest = old[same..].iter().zip(&new[same..]);
    same + rest.take_while(|(a, b)| a == b).count()
}

/// Bytes at the end that both have.
fn shared_suffix(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK));
    let same = blocks.take_while(|(a, b)| a == b).count() * BLOCK;
    let rest = old.iter().rev().skip(same).zip(new.iter().rev().skip(same));
    same + rest.take_while(|(a, b)| a == b).count()
}

/// The heading of the nearest function above.
fn enclosing_section(above: &[u8]) -> &[u8] {
    let mut lines = above.rsplit(|&b| b == b'\n');
    lines
        .find(|line| begins_section(line))
        .map_or(&[], shown_section)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The new text, made from the old one and the hunks.
    fn applied(old: &[u8], hunks: &[RawHunk]) -> Vec<u8> {
        let mut lines = old.split_inclusive(|&b| b == b'\n');
        let (mut out, mut at) = (Vec::new(), 1);
        for hunk in hunks {
            let first = hunk.old.0 + u32::from(hunk.old.1 == 0);
            out.extend(lines.by_ref().take((first - at) as usize).flatten());
            at = first + hunk.old.1;
            lines.by_ref().take(hunk.old.1 as usize).for_each(drop);
            let mut before = b' ';
            for line in hunk.body.split_inclusive(|&b| b == b'\n') {
                match (line[0], before) {
                    (b'\\', b' ' | b'+') => assert_eq!(out.pop(), Some(b'\n')),
                    (b' ' | b'+', _) => out.extend(&line[1..]),
                    _ => {}
                }
                before = line[0];
            }
        }
        out.extend(lines.flatten());
        out
    }

    fn numbered(count: usize) -> Vec<String> {
        (0..count)
            .map(|n| {
                if n % 40 == 0 {
                    format!("fn f{n}()\n")
                } else {
                    format!("  {n}\n")
                }
            })
            .collect()
    }

    #[test]
    fn what_is_cut_away_makes_no_difference() {
        let mut lines = numbered(1000);
        let old = lines.concat();
        lines[500] = "  edited\n".into();
        lines.insert(520, "  inserted\n".into());
        lines.remove(560);
        let new = lines.concat();
        let (ours, whole) = (
            diff_hunks(old.as_bytes(), new.as_bytes()),
            libgit2::buffer_hunks(old.as_bytes(), new.as_bytes()),
        );
        let window = find_window(old.as_bytes(), new.as_bytes());
        let kept = old.len() - window.tail - window.head;
        assert!(window.head > 2000 && kept < 1000, "{} {kept}", window.head);
        assert_eq!(ours.unwrap(), whole.unwrap());
    }

    #[test]
    fn the_enclosing_function_is_found_far_above() {
        let body: String = (0..300).map(|n| format!("    {n}\n")).collect();
        let old = format!("int far_above(void)  \n{body}");
        let new = old.replace("    290\n", "    edited\n");
        let hunks = diff_hunks(old.as_bytes(), new.as_bytes()).unwrap();
        assert_eq!(hunks[0].section, b"int far_above(void)");
        assert_eq!(hunks[0].old.0, 289);
        assert_eq!(
            hunks,
            libgit2::buffer_hunks(old.as_bytes(), new.as_bytes()).unwrap()
        );
    }

    /// Two functions of the same lines, one of them new: the group may slide further than a short margin is.
    #[test]
    fn a_group_slides_as_far_as_it_would_in_the_whole_text() {
        let block: String = (0..60).map(|n| format!("  line {n}\n")).collect();
        let around: String = (0..300).map(|n| format!("{n}\n")).collect();
        let old = format!("{around}{block}{around}");
        let new = format!("{around}{block}{block}{around}");
        let whole = libgit2::buffer_hunks(old.as_bytes(), new.as_bytes()).unwrap();
        assert_eq!(diff_hunks(old.as_bytes(), new.as_bytes()).unwrap(), whole);
        let whole = libgit2::buffer_hunks(new.as_bytes(), old.as_bytes()).unwrap();
        assert_eq!(diff_hunks(new.as_bytes(), old.as_bytes()).unwrap(), whole);
    }

    #[test]
    fn a_text_that_is_all_new_or_all_gone_is_as_libgit2_shows_it() {
        for text in ["", "\n", "a", "a\n", "a\nb", "a\r\n\nb\n\n", "\u{e9}\n"] {
            let text = text.as_bytes();
            assert_eq!(
                diff_hunks(b"", text).unwrap(),
                libgit2::buffer_hunks(b"", text).unwrap()
            );
            assert_eq!(
                diff_hunks(text, b"").unwrap(),
                libgit2::buffer_hunks(text, b"").unwrap()
            );
        }
    }

    proptest! {
        #[test]
        fn the_hunks_lead_from_one_text_to_the_other(
            lines in proptest::collection::vec("[ab]{0,2}\n", 0..400),
            edits in proptest::collection::vec((0..400usize, 0..3u8, "[abc]{0,3}\n"), 1..6),
        ) {
            let old = lines.concat();
            let mut lines = lines;
            for (at, how, line) in edits {
                let at = at.min(lines.len());
                match how {
                    0 => lines.insert(at, line),
                    1 if at < lines.len() => drop(lines.remove(at)),
                    _ if at < lines.len() => lines[at] = line,
                    _ => {}
                }
            }
            let new = lines.concat();
            let found = diff_hunks(old.as_bytes(), new.as_bytes()).unwrap();
            prop_assert_eq!(applied(old.as_bytes(), &found), new.into_bytes());
        }

        #[test]
        fn one_edit_in_code_is_shown_as_in_the_whole_text(
            lines in proptest::collection::vec(prop_oneof![
                3 => "[a-z]{3,6}\n", 1 => Just("}\n".to_owned()), 1 => Just("\n".to_owned()), 1 => Just("    return;\n".to_owned()),
            ], 200..500),
            at in 0..400usize,
            edit in proptest::collection::vec(prop_oneof![
                Just("}\n".to_owned()), Just("\n".to_owned()), Just("    return;\n".to_owned()), "[a-z]{3,6}\n".boxed(),
            ], 0..4),
            gone in 0..4usize,
        ) {
            let old = lines.concat();
            let mut lines = lines;
            let at = at.min(lines.len());
            let gone = gone.min(lines.len() - at);
            lines.splice(at..at + gone, edit);
            let new = lines.concat();
            let (old, new) = (old.as_bytes(), new.as_bytes());
            prop_assert_eq!(diff_hunks(old, new).unwrap(), libgit2::buffer_hunks(old, new).unwrap());
        }

        #[test]
        fn as_it_does_without_a_newline_at_the_end(
            common in "[ab\n]{0,600}", old in "[abc\n]{1,4}", new in "[abc\n]{1,4}", tail in "[ab\n]{0,8}",
        ) {
            let (old, new) = (format!("{common}{old}{tail}"), format!("{common}{new}{tail}"));
            let found = diff_hunks(old.as_bytes(), new.as_bytes()).unwrap();
            prop_assert_eq!(applied(old.as_bytes(), &found), new.into_bytes());
        }
    }
}
