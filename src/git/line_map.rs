//! Which line of one text is which line of another.

use super::diff::raw_hunk::RawHunk;
use super::diff::window;
use super::error::GitError;

/// Lines that are followed: their numbers before the change, and in the commit that is looked at.
pub(super) type FollowedLines = Vec<(u32, u32)>;

/// Parts followed lines into those that stand in `old` too, with their numbers there, and those that do not.
pub(super) fn split_lines(
    old: &[u8],
    new: &[u8],
    lines: &[(u32, u32)],
) -> Result<(FollowedLines, FollowedLines), GitError> {
    let hunks = window::diff_hunks(old, new)?;
    let (mut kept, mut brought) = (Vec::new(), Vec::new());
    for &(wanted, line) in lines {
        match line_before(&hunks, line) {
            Some(before) => kept.push((wanted, before)),
            None => brought.push((wanted, line)),
        }
    }
    Ok((kept, brought))
}

/// Where whole lines of one text stand in another, as the number of the first (from 1); none: they are not all there, one
/// behind the other.
///
/// # Errors
///
/// The texts cannot be compared.
pub fn follow_lines(
    then: &[u8],
    now: &[u8],
    first: u32,
    last: u32,
) -> Result<Option<u32>, GitError> {
    let lines: Vec<(u32, u32)> = (first..=last).map(|line| (line, line)).collect();
    let (kept, gone) = split_lines(now, then, &lines)?;
    let Some((_, start)) = kept.first().copied().filter(|_| gone.is_empty()) else {
        return Ok(None);
    };
    let is_whole = kept.iter().all(|(line, at)| line - first == at - start);
    Ok(is_whole.then_some(start))
}

/// The number that a line of the new side has on the old one; none: it is added.
fn line_before(hunks: &[RawHunk], line: u32) -> Option<u32> {
    let mut shift = 0_i64;
    for hunk in hunks {
        // An empty side begins behind the line that git names.
        let first = |side: (u32, u32)| side.0 + u32::from(side.1 == 0);
        if line < first(hunk.new) {
            break;
        }
        if line < first(hunk.new) + hunk.new.1 {
            return line_in_hunk(hunk, line, (first(hunk.old), first(hunk.new)));
        }
        shift = i64::from(first(hunk.old) + hunk.old.1) - i64::from(first(hunk.new) + hunk.new.1);
    }
    u32::try_from(i64::from(line) + shift).ok()
}

fn line_in_hunk(hunk: &RawHunk, line: u32, (mut old, mut new): (u32, u32)) -> Option<u32> {
    for text in hunk.body.split(|&b| b == b'\n') {
        match text.first() {
            Some(b'+') if new == line => return None,
            Some(b'+') => new += 1,
            Some(b'-') => old += 1,
            Some(b'\\') | None => {}
            Some(_) if new == line => return Some(old),
            Some(_) => (old, new) = (old + 1, new + 1),
        }
    }
    None
}
