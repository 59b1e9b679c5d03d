//! The hunks between two texts. libgit2 compares them, but is shown only the part around what
//! differs: it would hash and split all of both.

use super::error::GitError;
use super::store;

/// Lines kept around what differs: room for context, and for a group of lines to slide to where it
/// reads best, which git allows for about as many.
const MARGIN: usize = 100;

/// As much of a line as a hunk's header shows, in bytes, as in git.
const SECTION: usize = 80;

/// A hunk in bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawHunk {
    /// First line and number of lines on the old side.
    pub(super) old: (u32, u32),
    /// The same on the new side.
    pub(super) new: (u32, u32),
    /// What stands behind the second `@@`.
    pub(super) section: Vec<u8>,
    /// The lines with their markers.
    pub(super) body: Vec<u8>,
}

/// The hunks between two texts, with three lines of context.
pub(super) fn hunks(old: &[u8], new: &[u8]) -> Result<Vec<RawHunk>, GitError> {
    let head = shared_head(old, new);
    let tail = shared_tail(&old[head..], &new[head..]);
    let mut hunks = store::hunks(&old[head..old.len() - tail], &new[head..new.len() - tail])?;
    if head > 0 {
        let above = &old[..head];
        let lines = u32::try_from(above.iter().filter(|&&b| b == b'\n').count());
        // Files of more lines are refused long before, by their size.
        let lines = lines.unwrap_or(u32::MAX / 2);
        let section = enclosing(above);
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

/// Bytes at the beginning that both have, whole lines, without the last [`MARGIN`] of them.
fn shared_head(old: &[u8], new: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK));
    let same = blocks.take_while(|(a, b)| a == b).count() * BLOCK;
    let same = same
        + old[same..]
            .iter()
            .zip(&new[same..])
            .take_while(|(a, b)| a == b)
            .count();
    let mut end = same;
    for _ in 0..=MARGIN {
        match old[..end].iter().rposition(|&b| b == b'\n') {
            Some(newline) => end = newline,
            None => return 0,
        }
    }
    end + 1
}

/// Bytes at the end that both have, whole lines, without the first [`MARGIN`] of them.
fn shared_tail(old: &[u8], new: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK));
    let same = blocks.take_while(|(a, b)| a == b).count() * BLOCK;
    let rest = old.iter().rev().skip(same).zip(new.iter().rev().skip(same));
    let same = same + rest.take_while(|(a, b)| a == b).count();
    let mut start = old.len() - same;
    for _ in 0..=MARGIN {
        match old[start..].iter().position(|&b| b == b'\n') {
            Some(newline) => start += newline + 1,
            None => return 0,
        }
    }
    old.len() - start
}

/// The nearest line above that begins as functions do, by git's default rule: a letter, `_` or `$`.
fn enclosing(above: &[u8]) -> &[u8] {
    let begins = |line: &&[u8]| {
        line.first()
            .is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_' || b == b'$')
    };
    let line = above
        .rsplit(|&b| b == b'\n')
        .find(begins)
        .unwrap_or_default();
    line[..line.len().min(SECTION)].trim_ascii_end()
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
            hunks(old.as_bytes(), new.as_bytes()),
            store::hunks(old.as_bytes(), new.as_bytes()),
        );
        assert!(shared_head(old.as_bytes(), new.as_bytes()) > 2000);
        assert_eq!(ours.unwrap(), whole.unwrap());
    }

    #[test]
    fn the_enclosing_function_is_found_far_above() {
        let body: String = (0..300).map(|n| format!("    {n}\n")).collect();
        let old = format!("int far_above(void)  \n{body}");
        let new = old.replace("    290\n", "    edited\n");
        let hunks = hunks(old.as_bytes(), new.as_bytes()).unwrap();
        assert_eq!(hunks[0].section, b"int far_above(void)");
        assert_eq!(hunks[0].old.0, 289);
        assert_eq!(hunks, store::hunks(old.as_bytes(), new.as_bytes()).unwrap());
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
            let found = hunks(old.as_bytes(), new.as_bytes()).unwrap();
            prop_assert_eq!(applied(old.as_bytes(), &found), new.into_bytes());
        }

        #[test]
        fn as_it_does_without_a_newline_at_the_end(
            common in "[ab\n]{0,600}", old in "[abc\n]{1,4}", new in "[abc\n]{1,4}", tail in "[ab\n]{0,8}",
        ) {
            let (old, new) = (format!("{common}{old}{tail}"), format!("{common}{new}{tail}"));
            let found = hunks(old.as_bytes(), new.as_bytes()).unwrap();
            prop_assert_eq!(applied(old.as_bytes(), &found), new.into_bytes());
        }
    }
}
